"""The way of one row through a tree, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Table
from mixedwood.explain.conditions import RangeCondition, branch_conditions
from mixedwood.explain.spelling import Style, label_words, name_words, number_words, share_words
from mixedwood.explain.text import answer_words
from mixedwood.explain.words import condition_words, sum_words, value_words
from mixedwood.tree import FRACTIONAL, STOP_HERE, TestKind, Tree

__all__ = ["Ending", "Path", "Step", "explain_row"]

_STYLE = Style()
_MOST = 50  # lines of each kind that str() shows


@dataclass(frozen=True)
class Step:
    """One test on the way of a row.

    Attributes
    ----------
    node : int
        The node that tests.
    share : float
        Share of the row that came here; 1 unless a test above sent it to several children.
    child : int
        Position of the child that the row goes to, or `STOP_HERE`, or `FRACTIONAL`.
    value : str
        What the test found: ``"known"``, ``"missing"`` or ``"unseen"``.
    words : str
        The test with the row's own value.
    """

    node: int
    share: float
    child: int
    value: str
    words: str

    def __str__(self) -> str:
        return self.words if self.share == 1.0 else f"({share_words(self.share)}) {self.words}"


@dataclass(frozen=True)
class Ending:
    """A node that answers the row, and the share of the row that came to it.

    Attributes
    ----------
    node : int
        A leaf, or the node where the row had to stop.
    share : float
        Share of the row.
    words : str
        What the node answers.
    """

    node: int
    share: float
    words: str

    def __str__(self) -> str:
        before = "" if self.share == 1.0 else f"({share_words(self.share)}) "
        return f"-> {before}[{self.node}] {self.words}"


@dataclass(frozen=True, eq=False)
class Path:
    """The way of one row, and its answer; ``str(path)`` is for reading.

    Attributes
    ----------
    row : int
        Which row of the table.
    steps : tuple of Step
        The tests, from the root on.
    endings : tuple of Ending
        The nodes that answer, the largest share first. There is one, unless the tree shares rows
        with missing values among branches.
    label : object
        The class, as `Tree.predict` gives it.
    classes, probabilities : ndarray
        The classes and their shares, as `Tree.predict_proba` gives them.
    """

    row: int
    steps: tuple[Step, ...]
    endings: tuple[Ending, ...]
    label: Any
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]

    def __str__(self) -> str:
        order = np.argsort(-self.probabilities, kind="stable")[:_MOST]
        shares = [
            f"{label_words(self.classes[k], _STYLE)} {share_words(float(self.probabilities[k]))}"
            for k in order
        ]
        if len(self.classes) > _MOST:
            shares.append(f"... {len(self.classes) - _MOST} more")
        lines = [f"Row {self.row}: {label_words(self.label, _STYLE)} ({', '.join(shares)})"]
        for parts in (self.steps, self.endings):
            lines += [f"  {part}" for part in parts[:_MOST]]
            lines += [f"  ... {len(parts) - _MOST} more"] if len(parts) > _MOST else []
        return "\n".join(lines)


def explain_row(tree: Tree, table: Table, row: int = 0) -> Path:
    """Follow one row through a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    table : Table
        A table of the tree's schema.
    row : int, default=0
        Which row, counted from 0.

    Returns
    -------
    Path
        The tests with the row's own values, where missing and unseen values went, and the answer.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree_builder import TreeBuilder
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, None, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, _ = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0, missing=0)
    >>> _ = builder.split_values(young, "colour", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> print(explain_row(builder.build(), table, row=1))
    Row 1: yes (yes 100 %, no 0 %)
      age missing, goes with age <= 5
      colour = blue
      -> [3] yes (100 % of 1)
    """
    if not -table.n_rows <= row < table.n_rows:
        raise IndexError(f"There is no row {row}; the table has {table.n_rows} rows.")
    row %= table.n_rows
    one = table.take([row])
    probabilities = tree.predict_proba(one)[0]  # also checks that the schema is the tree's
    steps: list[Step] = []
    endings: list[Ending] = []
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        child = STOP_HERE
        if tree.kind[node] != TestKind.LEAF:
            child, value, words = _ask(tree, one, node)
            steps.append(Step(node, share, child, value, words))
        below = tree.children_of(node)
        if child >= 0:
            waiting.append((int(below[child]), share))
            continue
        weights = tree.weight[below]
        if child == FRACTIONAL and weights.sum() > 0:
            parts = zip(below.tolist(), (share * weights / weights.sum()).tolist(), strict=True)
            waiting.extend(reversed([part for part in parts if part[1] > 0]))
        else:
            endings.append(Ending(node, share, answer_words(tree, node)))
    endings.sort(key=lambda ending: (-ending.share, ending.node))
    label = tree.predict(one)[0]
    label = label.item() if hasattr(label, "item") else label
    return Path(row, tuple(steps), tuple(endings), label, tree.classes, probabilities)


def _ask(tree: Tree, one: Table, node: int) -> tuple[int, str, str]:
    """Ask a node's test of a table of one row: child, what was found, words."""
    if tree.kind[node] == TestKind.LINEAR:
        return _ask_sum(tree, one, node)
    column = tree.column_of(node)
    name = name_words(column.name, _STYLE)
    array = one.arrays[int(tree.column[node])]
    x = array[0].item()
    if isnan(x) or (not column.is_numeric and x == MISSING):
        return _pass_on(tree, node, "missing", f"{name} missing")
    if not column.is_numeric and x < 0:
        return _pass_on(tree, node, "unseen", f"{name} unseen in training")
    if tree.kind[node] == TestKind.INTERVAL:
        child = 0 if tree.low[node] < x <= tree.high[node] else 1
    else:
        codes, positions = tree.values_of(node)
        place = int(np.searchsorted(codes, x))
        if place == len(codes) or codes[place] != x:
            found = f"{name} = {value_words(column, x, _STYLE)}, unseen at this test"
            return _pass_on(tree, node, "unseen", found)
        child = int(positions[place])
    condition = branch_conditions(tree, node)[child]
    value = number_words(x) if column.is_numeric else value_words(column, x, _STYLE)
    found = f"{name} = {value}"
    if column.is_numeric and isinstance(condition, RangeCondition):
        here = tuple(piece for piece in condition.pieces if piece[0] < x <= piece[1])
        condition = replace(condition, pieces=here)  # only the range that the value is in
    words = condition_words(condition, _STYLE, name=found, also=False)
    if words in (f"any {found}", f"{found} = {value}"):
        words = found  # nothing left to say
    return child, "known", words


def _ask_sum(tree: Tree, one: Table, node: int) -> tuple[int, str, str]:
    columns, _, weights, _ = tree.terms_of(node)
    total = float(tree.intercept[node])
    terms = []
    for c, weight in zip(columns.tolist(), weights.tolist(), strict=True):
        x = one.arrays[c][0].item()
        name = name_words(tree.schema.columns[c].name, _STYLE)
        if isnan(x):
            return _pass_on(tree, node, "missing", f"{name} missing")
        total += weight * x  # in this order, as the core does
        terms.append((abs(weight * x), weight, f"{number_words(x)} ({name})"))
    terms.sort(key=lambda term: -term[0])  # what counts most for this row comes first
    named = [(weight, text) for _, weight, text in terms if weight != 0]
    words = sum_words(named, float(tree.intercept[node]), _STYLE)
    child = 0 if total > 0 else 1
    side = "> 0" if child == 0 else "<= 0"
    return child, "known", f"{words} = {number_words(total, _STYLE.linear_digits)} {side}"


def _pass_on(tree: Tree, node: int, value: str, found: str) -> tuple[int, str, str]:
    side = tree.missing_child if value == "missing" else tree.unseen_child
    child = int(side[node])
    if child == STOP_HERE:
        return child, value, f"{found}, stops here"
    if child == FRACTIONAL:
        return child, value, f"{found}, goes to all branches by weight"
    return child, value, f"{found}, goes with {_bare_words(tree, node, child)}"


def _bare_words(tree: Tree, node: int, child: int) -> str:
    """Words of a branch without saying that missing or unseen values go there too."""
    return condition_words(branch_conditions(tree, node)[child], _STYLE, also=False)
