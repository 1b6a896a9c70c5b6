"""What the way to a node asks of a row, as data: ranges, sets of values, linear inequalities.

A branch is one condition. Conditions on the same column can be merged into one that asks for
both, which is how the long way to a leaf becomes a short rule. Words for them are in
`mixedwood.explain.words`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

from mixedwood.data import Column
from mixedwood.tree import TestKind, Tree

__all__ = [
    "Condition",
    "LinearCondition",
    "RangeCondition",
    "SetCondition",
    "add_condition",
    "branch_conditions",
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
    missing, unseen : bool
        Whether a row without a value, or with an unknown one, is let through too.
    """

    column: Column = field(repr=False)
    pieces: tuple[Piece, ...]
    missing: bool = False
    unseen: bool = False

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
        missing, unseen = self.missing and other.missing, self.unseen and other.unseen
        return RangeCondition(self.column, tuple(pieces), missing, unseen)


@dataclass(frozen=True)
class SetCondition:
    """The value is one of some values of a nominal column.

    Parameters
    ----------
    column : Column
        The column asked for.
    codes : frozenset of int
        The values that are let through by name, as places in ``column.values``.
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
    def unseen(self) -> bool:
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
class LinearCondition:
    """A weighted sum of numbers is above zero, or is not.

    Parameters
    ----------
    terms : tuple of (name, weight)
        Columns and their weights, in the order in which they are added to the intercept.
    intercept : float
        What the sum begins with.
    positive : bool
        Whether the sum must be above zero.
    missing : bool
        Whether a row that misses one of the values is let through too.
    """

    terms: tuple[tuple[str, float], ...]
    intercept: float
    positive: bool
    missing: bool = False

    unseen = False


Condition: TypeAlias = RangeCondition | SetCondition | LinearCondition


def branch_conditions(tree: Tree, node: int) -> list[Condition]:
    """Say what each branch of a node asks of a row, in the order of its children.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree_builder import TreeBuilder
    >>> schema = read_table({"age": [1.0, 2.0]}).schema
    >>> builder = TreeBuilder(schema, ["no", "yes"], [1, 1])
    >>> _ = builder.split_interval(0, "age", [[1, 0], [0, 1]], high=1.5, missing=1)
    >>> for condition in branch_conditions(builder.build(), 0):
    ...     print(condition)
    RangeCondition(pieces=((-inf, 1.5),), missing=False, unseen=False)
    RangeCondition(pieces=((1.5, inf),), missing=True, unseen=False)
    """
    kind = TestKind(tree.kind[node])
    missing = int(tree.missing_child[node])
    unseen = int(tree.unseen_child[node])
    if kind is TestKind.LEAF:
        return []
    if kind is TestKind.LINEAR:
        columns, _, weights, _ = tree.terms_of(node)
        names = [tree.schema.columns[c].name for c in columns]
        terms = tuple(zip(names, weights.tolist(), strict=True))
        intercept = float(tree.intercept[node])
        return [LinearCondition(terms, intercept, p == 0, missing == p) for p in (0, 1)]
    column = tree.column_of(node)
    if kind is TestKind.INTERVAL:
        known = not column.is_numeric  # a number is never an unknown value
        sides = _sides(float(tree.low[node]), float(tree.high[node]))
        return [
            RangeCondition(column, pieces, missing == p, known and unseen == p)
            for p, pieces in enumerate(sides)
        ]
    groups: list[list[int]] = [[] for _ in tree.children_of(node)]
    codes, positions = tree.values_of(node)
    for code, position in zip(codes.tolist(), positions.tolist(), strict=True):
        groups[position].append(code)
    return [
        SetCondition(
            column,
            frozenset(group),
            frozenset(codes.tolist()) - frozenset(group) if unseen == p else None,
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


def _sides(low: float, high: float) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Pieces inside and outside of low < x <= high."""
    if not low < high:
        return (), ((-inf, inf),)
    below = ((-inf, low),) if low > -inf else ()
    above = ((high, inf),) if high < inf else ()
    return ((low, high),), below + above
