"""What tests of trees change in the answer to one row, credited to the columns they ask for.

From a node to its child the answer changes, and the change is credited to the column of the test.
Along the way of a row the changes add up: the root's answer and all credits are the answer that the
row gets. A test that sends shares of the row to several children is credited with the change of
their weighted mean; where a row stops nothing changes.

A linear test is credited to its columns as a group. Dividing its credit by the size of the terms
would say something about the zeros of the columns, not about the row: years since 1900 would get
more than years since 2000, and a column that pulled the other way would be praised for it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.explain.walk import visits
from mixedwood.tree import SplitKind, Tree

__all__ = ["Credits"]

Numbers = NDArray[np.float64]


class Credits:
    """Credits of columns, added up over trees.

    Attributes
    ----------
    bias : ndarray of shape (n_outputs,)
        What the roots say.
    amounts : dict of tuple of int to ndarray of shape (n_outputs,)
        What tests added: for each column, or group of columns, by position.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"age": [3.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 3])
    >>> _ = builder.split_interval(0, "age", [[0, 2], [1, 1]], high=5.0)
    >>> tree, credits = builder.build(), Credits(2)
    >>> credits.add_answers(tree, table, tree.probabilities)
    >>> credits.bias.tolist(), credits.amounts[(0,)].tolist()
    ([0.25, 0.75], [-0.25, 0.25])
    """

    def __init__(self, n_outputs: int) -> None:
        self.bias: Numbers = np.zeros(n_outputs)
        self.amounts: dict[tuple[int, ...], Numbers] = {}

    def add_answers(
        self, tree: Tree, one: Table, answers: Numbers, weight: float = 1.0, first: int = 0
    ) -> None:
        """Credit changes of what nodes answer with, numbers for the outputs from `first` on."""
        here = slice(first, first + answers.shape[1])
        self.bias[here] += weight * answers[0]
        for visit in visits(tree, one):
            if not visit.goes_to:
                continue
            change = -visit.fraction * answers[visit.node]
            for child, share in visit.goes_to:
                change += share * answers[child]
            key = _columns(tree, visit.node)
            if key not in self.amounts:
                self.amounts[key] = np.zeros_like(self.bias)
            self.amounts[key][here] += weight * change


def _columns(tree: Tree, node: int) -> tuple[int, ...]:
    if int(tree.split_kind[node]) != SplitKind.LINEAR:
        return (int(tree.column[node]),)
    terms = tree.terms_of(node)
    return tuple(np.unique(terms.column[terms.weight != 0]).tolist())
