"""Contributions of columns to the prediction of trees for one row.

From a node to its child the prediction changes, and the change is attributed to the column of the
split. Along the path of a row the changes add up: the value of the root plus all changes is the
prediction for the row. A split that sends fractions of the row to several children contributes the
change of their weighted mean; where a row stops nothing changes.

The change of a linear split is attributed to its columns as a group. Dividing it by the size of the
terms would depend on the zeros of the columns, not on the row: years since 1900 would get more than
years since 2000, and a column whose term has the opposite sign would get a contribution, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.explain.path import row_value, visits
from mixedwood.tree import Tree

__all__ = ["ColumnContributions", "contribution_table"]

Numbers = NDArray[np.float64]

_DIGITS = 6  # of the row's numbers
_MAX_NAMES = 3  # of the columns of a group


class ColumnContributions:
    """Contributions of columns, summed over trees.

    Attributes
    ----------
    bias : ndarray of shape (n_outputs,)
        Sum of the values of the roots.
    amounts : dict of tuple of int to ndarray of shape (n_outputs,)
        Sum of the changes for each column, or group of columns, by position.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"age": [3.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 3])
    >>> _ = builder.split_interval(0, "age", [[0, 2], [1, 1]], high=5.0)
    >>> tree, found = builder.build(), ColumnContributions(2)
    >>> found.add_tree(tree, table, tree.probabilities)
    >>> found.bias.tolist(), found.amounts[(0,)].tolist()
    ([0.25, 0.75], [-0.25, 0.25])
    """

    def __init__(self, n_outputs: int) -> None:
        self.bias: Numbers = np.zeros(n_outputs)
        self.amounts: dict[tuple[int, ...], Numbers] = {}

    def add_tree(
        self, tree: Tree, one: Table, values: Numbers, weight: float = 1.0, first: int = 0
    ) -> None:
        """Add a tree whose nodes have values for the outputs from `first` on."""
        outputs = slice(first, first + values.shape[1])
        self.bias[outputs] += weight * values[0]
        for visit in visits(tree, one):
            if not visit.goes_to:
                continue
            change = -visit.fraction * values[visit.node]
            for child, fraction in visit.goes_to:
                change += fraction * values[child]
            key = _columns(tree, visit.node)
            if key not in self.amounts:
                self.amounts[key] = np.zeros_like(self.bias)
            self.amounts[key][outputs] += weight * change

    def by_column(
        self, one: Table
    ) -> tuple[tuple[str | tuple[str, ...], ...], tuple[str, ...], Numbers]:
        """Names, values and contributions of all columns, then of the groups of linear splits."""
        names = one.schema.names
        groups = sorted(key for key in self.amounts if len(key) != 1)
        values = [row_value(column, one, _DIGITS) for column in one.schema]
        grouped = [_group_value(group, values) for group in groups]
        keys = [*((place,) for place in range(len(names))), *groups]
        zero = np.zeros_like(self.bias)
        amounts = np.array([self.amounts.get(key, zero) for key in keys])
        group_names = (tuple(names[place] for place in group) for group in groups)
        return (
            (*names, *group_names),
            (*values, *grouped),
            amounts.reshape(len(keys), len(self.bias)),
        )


def contribution_table(
    bias: float,
    values: Sequence[str],
    amounts: Sequence[float],
    vote_adjustment: float | None,
    total: tuple[float, str],
    max_columns: int,
) -> list[str]:
    """Format a sum as aligned lines: one for each large contribution and one for the rest.

    Examples
    --------
    >>> values, amounts = ["a = 1", "b = 2", "c = 3"], [0.1, -0.3, 0.0]
    >>> for line in contribution_table(0.5, values, amounts, None, (0.3, "total"), max_columns=8):
    ...     print(line)
       0.500  base value
      -0.300  b = 2
      +0.100  a = 1
       0.300  total
    """
    if max_columns < 0:
        raise ValueError(f"max_columns must be at least 0. Got {max_columns} instead.")
    order = np.argsort(-np.abs(amounts), kind="stable").tolist()
    order = [place for place in order if amounts[place] != 0]
    shown = order if len(order) <= max_columns + 1 else order[:max_columns]  # no line for one
    rows = [(bias, "base value", "")]
    rows += [(amounts[place], values[place], "+") for place in shown]
    if rest := order[len(shown) :]:
        rows.append((math.fsum(amounts[place] for place in rest), f"{len(rest)} others", "+"))
    if vote_adjustment is not None:
        rows.append((vote_adjustment, "as each tree votes for one class", "+"))
    rows.append((*total, ""))
    # Three decimals, or as many as give the largest number three digits.
    largest = max(abs(amount) for amount, _, _ in rows)
    decimals = 3 if largest == 0 else min(max(3, 2 - math.floor(math.log10(largest))), 12)
    numbers = [f"{round(amount, decimals) + 0.0:{sign}.{decimals}f}" for amount, _, sign in rows]
    width = max(map(len, numbers))
    return [
        f"  {number:>{width}}  {text}" for number, (_, text, _) in zip(numbers, rows, strict=True)
    ]


def _columns(tree: Tree, node: int) -> tuple[int, ...]:
    return tuple(sorted(tree.columns_of_split(node)))


def _group_value(group: tuple[int, ...], values: list[str]) -> str:
    """Describe the values of a group of columns."""
    if not group:
        return "tests of no column"
    if len(group) == len(values) > _MAX_NAMES:
        return f"all {len(values)} columns together"
    n_more = len(group) - _MAX_NAMES
    named = " with ".join(values[place] for place in group[:_MAX_NAMES])
    return named + (f" and {n_more} more" if n_more > 0 else "")
