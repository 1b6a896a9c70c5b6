"""What the way to a node asks of a row, as data: ranges, sets of values, linear inequalities.

A branch is one condition. Conditions on the same column can be merged into one that asks for
both, which is how the long way to a leaf becomes a short rule. Words for them are in
`mixedwood.explain.words`.
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
        The column asked for. For one with labels, x is the place of the label in ``values``.
    pieces : tuple of (low, high)
        The ranges, apart from each other and in order.
    missing, unknown : bool
        Whether a row without a value, or with an unknown one, is let through too.
    """

    column: Column = field(repr=False)
    pieces: tuple[Piece, ...]
    missing: bool = False
    unknown: bool = False

    def merge(self, other: RangeCondition) -> RangeCondition:
        """Ask for both. Takes time in proportion to the number of pieces."""
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
    """The value is one of some values of a nominal column.

    Parameters
    ----------
    column : Column
        The column asked for.
    codes : frozenset of int
        The values that are let through by name, as places in ``column.categories``.
    refused : frozenset of int or None
        Where values never seen by the test are let through, the ones that are not; None where
        nothing but `codes` is let through.
    missing : bool
        Whether a row without a value is let through too.
    """

    column: Column = field(repr=False)
    codes: frozenset[int]
    refused: frozenset[int] | None = None
    missing: bool = False

    @property
    def unknown(self) -> bool:
        """Whether values never seen by the test are let through."""
        return self.refused is not None

    def merge(self, other: SetCondition) -> SetCondition:
        """Ask for both."""
        missing = self.missing and other.missing
        if self.refused is not None and other.refused is not None:
            refused = self.refused | other.refused
            codes = (self.codes | other.codes) - refused
            return SetCondition(self.column, codes, refused, missing)
        if self.refused is not None:
            codes = other.codes - self.refused
        elif other.refused is not None:
            codes = self.codes - other.refused
        else:
            codes = self.codes & other.codes
        return SetCondition(self.column, codes, None, missing)


@dataclass(frozen=True)
class LinearTerm:
    """What is added to a sum: the weight times a number, or the weight if the row has a value.

    Parameters
    ----------
    column : Column
        The column asked for. The number of an ordinal one is the place of the label in
        ``values``.
    weight : float
        The weight.
    code : int or None
        The value asked for, as a place in ``column.categories``; None for a number.
    fill : float or None
        What stands in for a number that is missing or a label that is unknown; None where the sum
        then has no answer. A missing value is none of those asked for, and needs no fill.
    """

    column: Column = field(repr=False)
    weight: float
    code: int | None = None
    fill: float | None = None


@dataclass(frozen=True)
class LinearCondition:
    """A weighed sum is above zero, or is not.

    Parameters
    ----------
    terms : tuple of LinearTerm
        What is added up, the most important first.
    intercept : float
        What the sum begins with.
    positive : bool
        Whether the sum must be above zero.
    missing : bool
        Whether a row for which the sum has no answer is let through too: one that misses a
        number that nothing stands in for, or whose infinite numbers pull to opposite sides.
    """

    terms: tuple[LinearTerm, ...]
    intercept: float
    positive: bool
    missing: bool = False

    unknown = False

    @property
    def needs_numbers(self) -> bool:
        """Whether a missing number can leave the sum without an answer."""
        return any(term.code is None and term.fill is None for term in self.terms)


Condition: TypeAlias = RangeCondition | SetCondition | LinearCondition


def branch_conditions(tree: Tree, node: int) -> list[Condition]:
    """Say what each branch of a node asks of a row, in the order of its children.

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
    """Add one more condition to some that are merged already."""
    if isinstance(condition, LinearCondition):
        merged[len(merged), "linear"] = condition
        return
    key = condition.column.name, type(condition)
    known = merged.get(key)
    if isinstance(condition, RangeCondition):
        merged[key] = known.merge(condition) if isinstance(known, RangeCondition) else condition
    else:
        merged[key] = known.merge(condition) if isinstance(known, SetCondition) else condition


def linear_terms(tree: Tree, node: int) -> tuple[LinearTerm, ...]:
    """Name the terms of a linear test."""
    lists = (entries.tolist() for entries in tree.terms_of(node))
    return tuple(
        LinearTerm(
            tree.schema.columns[column],
            weight,
            None if value == NUMBER else value,
            None if isnan(fill) else fill,
        )
        for column, value, weight, fill in zip(*lists, strict=True)
    )


def _sides(low: float, high: float) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Pieces inside and outside of low < x <= high."""
    if not low < high:
        return (), ((-inf, inf),)
    below = ((-inf, low),) if low > -inf else ()
    above = ((high, inf),) if high < inf else ()
    return ((low, high),), below + above
