"""Conditions of branches as data: ranges, sets of categories, linear inequalities.

Conditions on the same column can be merged into one, so that a long path to a leaf becomes a short
rule. Their text is made by `mixedwood.explain.format`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, isnan
from typing import TypeAlias

from mixedwood.data import Column
from mixedwood.tree import NUMBER, SplitKind, Tree

__all__ = [
    "Condition",
    "LinearCondition",
    "LinearTerm",
    "RangeCondition",
    "SetCondition",
    "add_condition",
    "branch_conditions",
    "linear_terms",
]

Piece: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class RangeCondition:
    """The value lies in one of some ranges ``low < x <= high``.

    Parameters
    ----------
    column : Column
        The column. For a categorical column, x is the position of the label in ``categories``.
    pieces : tuple of (low, high)
        The ranges, disjoint and in ascending order.
    missing, unknown : bool
        Whether missing values and unknown categories meet the condition.
    """

    column: Column = field(repr=False)
    pieces: tuple[Piece, ...]
    missing: bool = False
    unknown: bool = False

    def merge(self, other: RangeCondition) -> RangeCondition:
        """Combine with another condition on the column, in time linear in the number of ranges."""
        pieces: list[Piece] = []
        a, b = 0, 0
        while a < len(self.pieces) and b < len(other.pieces):
            (low_a, high_a), (low_b, high_b) = self.pieces[a], other.pieces[b]
            low, high = max(low_a, low_b), min(high_a, high_b)
            if low < high:
                pieces.append((low, high))
            if high_a <= high_b:
                a += 1
            else:
                b += 1
        missing, unknown = self.missing and other.missing, self.unknown and other.unknown
        return RangeCondition(self.column, tuple(pieces), missing, unknown)


@dataclass(frozen=True)
class SetCondition:
    """The value is in a set of categories of a nominal column.

    Parameters
    ----------
    column : Column
        The column.
    codes : frozenset of int
        The categories, as positions in ``column.categories``.
    excluded : frozenset of int or None
        If None, only `codes` meet the condition. Otherwise unknown categories meet it too, and
        these are the ones that do not.
    missing : bool
        Whether missing values meet the condition.
    """

    column: Column = field(repr=False)
    codes: frozenset[int]
    excluded: frozenset[int] | None = None
    missing: bool = False

    @property
    def unknown(self) -> bool:
        """Whether categories unknown to the split meet the condition."""
        return self.excluded is not None

    def merge(self, other: SetCondition) -> SetCondition:
        """Combine with another condition on the column."""
        codes = (c for c in self.codes | other.codes if self._includes(c) and other._includes(c))
        excluded = None
        if self.excluded is not None and other.excluded is not None:
            excluded = self.excluded | other.excluded
        missing = self.missing and other.missing
        return SetCondition(self.column, frozenset(codes), excluded, missing)

    def _includes(self, code: int) -> bool:
        return code in self.codes or (self.excluded is not None and code not in self.excluded)


@dataclass(frozen=True)
class LinearTerm:
    """A term of a weighted sum: weight times number, or the weight if the row has a category.

    Parameters
    ----------
    column : Column
        The column. The number of an ordinal column is the position of the label in
        ``categories``.
    weight : float
        The weight.
    code : int or None
        The category, as a position in ``column.categories``; None for a number.
    fill : float or None
        Number used for missing values and unknown labels. If None, the sum is then undefined. A
        term of a category needs none: a missing value adds nothing.
    is_model : bool
        Whether the number is the decision of a model of the node, which is always known.
    """

    column: Column = field(repr=False)
    weight: float
    code: int | None = None
    fill: float | None = None
    is_model: bool = False


@dataclass(frozen=True)
class LinearCondition:
    """A weighted sum is positive, or is not.

    Parameters
    ----------
    terms : tuple of LinearTerm
        The terms of the sum, most important first.
    intercept : float
        Constant of the sum.
    positive : bool
        Whether the sum must be positive.
    missing : bool
        Whether rows with an undefined sum meet the condition. A sum is undefined if a number
        without a fill is missing, or if infinite terms have opposite signs.
    """

    terms: tuple[LinearTerm, ...]
    intercept: float
    positive: bool
    missing: bool = False

    unknown = False

    @property
    def needs_numbers(self) -> bool:
        """Whether a missing number can make the sum undefined."""
        return any(
            term.code is None and term.fill is None and not term.is_model for term in self.terms
        )


Condition: TypeAlias = RangeCondition | SetCondition | LinearCondition


def branch_conditions(tree: Tree, node: int) -> list[Condition]:
    """Give the condition of each branch of a node, in the order of its children.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> schema = read_table({"age": [1.0, 2.0]}).schema
    >>> builder = TreeBuilder(schema, ["no", "yes"], [1, 1])
    >>> _ = builder.split_interval(0, "age", [[1, 0], [0, 1]], high=1.5, missing=1)
    >>> for condition in branch_conditions(builder.build(), 0):
    ...     print(condition)
    RangeCondition(pieces=((-inf, 1.5),), missing=False, unknown=False)
    RangeCondition(pieces=((1.5, inf),), missing=True, unknown=False)
    """
    kind = SplitKind(tree.split_kind[node])
    missing = int(tree.missing_child[node])
    unknown = int(tree.unknown_child[node])
    if kind is SplitKind.LEAF:
        return []
    if kind is SplitKind.LINEAR:
        terms = linear_terms(tree, node)
        intercept = float(tree.intercept[node])
        return [LinearCondition(terms, intercept, p == 0, missing == p) for p in (0, 1)]
    column = tree.column_of(node)
    if kind is SplitKind.INTERVAL:
        known = not column.is_numeric  # a number is never an unknown value
        sides = _sides(float(tree.low[node]), float(tree.high[node]))
        return [
            RangeCondition(column, pieces, missing == p, known and unknown == p)
            for p, pieces in enumerate(sides)
        ]
    groups: list[list[int]] = [[] for _ in tree.children_of(node)]
    codes, positions = tree.categories_of(node)
    for code, position in zip(codes.tolist(), positions.tolist(), strict=True):
        groups[position].append(code)
    return [
        SetCondition(
            column,
            frozenset(group),
            frozenset(codes.tolist()) - frozenset(group) if unknown == p else None,
            missing == p,
        )
        for p, group in enumerate(groups)
    ]


def add_condition(merged: dict[object, Condition], condition: Condition) -> None:
    """Add a condition, merged with an earlier one on the same column."""
    if isinstance(condition, LinearCondition):
        merged[len(merged), "linear"] = condition
        return
    key = condition.column.name, type(condition)
    known = merged.get(key)
    # Conditions with the same key have the same type.
    merged[key] = known.merge(condition) if known else condition  # type: ignore[union-attr, arg-type]


def linear_terms(tree: Tree, node: int) -> tuple[LinearTerm, ...]:
    """Terms of a linear split, with their columns."""
    lists = (entries.tolist() for entries in tree.terms_of(node))
    return tuple(
        LinearTerm(
            tree.columns[column],
            weight,
            None if value == NUMBER else value,
            None if isnan(fill) else fill,
            column >= len(tree.schema),
        )
        for column, value, weight, fill in zip(*lists, strict=True)
    )


def _sides(low: float, high: float) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Ranges inside and outside of low < x <= high."""
    if not low < high:
        return (), ((-inf, inf),)
    below = ((-inf, low),) if low > -inf else ()
    above = ((high, inf),) if high < inf else ()
    return ((low, high),), below + above
