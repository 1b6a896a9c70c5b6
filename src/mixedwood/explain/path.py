"""The way of one row through a tree, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.explain.conditions import RangeCondition, branch_conditions, linear_terms
from mixedwood.explain.contributions import (
    Contribution,
    add_up,
    contribution_lines,
    contributions,
    why_no_answer,
)
from mixedwood.explain.linear import sum_words, value_words
from mixedwood.explain.spelling import Style, label_words, name_words, number_words, share_words
from mixedwood.explain.text import answer_words
from mixedwood.explain.walk import Visit, choose_row, visits
from mixedwood.explain.words import condition_words
from mixedwood.tree import FRACTIONAL, STOP, SplitKind, Tree

__all__ = ["DecisionPath", "PathEnd", "PathStep", "explain_row"]

_STYLE = Style()
_MOST = 50  # lines of each kind that str() shows


@dataclass(frozen=True)
class PathStep:
    """One test on the way of a row.

    Attributes
    ----------
    node : int
        The node that tests.
    fraction : float
        Share of the row that came here; 1 unless a test above sent it to several children.
    child : int
        Position of the child that the row goes to, or `STOP`, or `FRACTIONAL`.
    value : str
        What the test found: ``"known"``, ``"missing"`` or ``"unknown"``. A linear test with an
        answer is ``"known"``, whatever stood in for missing numbers, and ``"missing"`` without.
    text : str
        The test with the row's own value.
    contributions : tuple of Contribution
        Of a linear test: what each term adds to the sum, the largest first. Otherwise none.
    total : float or None
        What they add up to, the constant of the test left out; None if there is no answer.
    """

    node: int
    fraction: float
    child: int
    value: str
    text: str
    contributions: tuple[Contribution, ...] = ()
    total: float | None = None

    def __str__(self) -> str:
        return self.text if self.fraction == 1.0 else f"({share_words(self.fraction)}) {self.text}"


@dataclass(frozen=True)
class PathEnd:
    """A node that answers the row, and the share of the row that came to it.

    Attributes
    ----------
    node : int
        A leaf, or the node where the row had to stop.
    fraction : float
        Share of the row.
    text : str
        What the node answers.
    """

    node: int
    fraction: float
    text: str

    def __str__(self) -> str:
        before = "" if self.fraction == 1.0 else f"({share_words(self.fraction)}) "
        return f"-> {before}[{self.node}] {self.text}"


@dataclass(frozen=True, eq=False)
class DecisionPath:
    """The way of one row, and its answer; ``str(path)`` is for reading.

    Attributes
    ----------
    row : int
        Which row of the table.
    steps : tuple of PathStep
        The tests, from the root on.
    ends : tuple of PathEnd
        The nodes that answer, the largest share first. There is one, unless the tree shares rows
        with missing values among branches.
    prediction : object
        The class, as `Tree.predict` gives it.
    classes, probabilities : ndarray
        The classes and their shares, as `Tree.predict_proba` gives them.
    """

    row: int
    steps: tuple[PathStep, ...]
    ends: tuple[PathEnd, ...]
    prediction: Any
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
        lines = [f"Row {self.row}: {label_words(self.prediction, _STYLE)} ({', '.join(shares)})"]
        for step in self.steps[:_MOST]:
            below = contribution_lines(step.contributions, _STYLE, _MOST)
            lines += [f"  {step}", *(f"    {line}" for line in below)]
        lines += _left_out(len(self.steps))
        lines += [f"  {end}" for end in self.ends[:_MOST]]
        return "\n".join([*lines, *_left_out(len(self.ends))])


def _left_out(number: int) -> list[str]:
    return [f"  ... {number - _MOST} more"] if number > _MOST else []


def explain_row(tree: Tree, table: Table, row: int = 0) -> DecisionPath:
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
    DecisionPath
        The tests with the row's own values, where missing and unseen values went, and the answer.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, None, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, _ = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0, missing=0)
    >>> _ = builder.split_categories(young, "colour", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> print(explain_row(builder.build(), table, row=1))
    Row 1: yes (yes 100 %, no 0 %)
      age missing, goes with age <= 5
      colour = blue
      -> [3] yes (100 % of 1)
    """
    tree._columns_of(table)  # checks that it is a table of the tree's columns
    one, row = choose_row(table, row)
    probabilities = tree.predict_proba(one)[0]
    steps: list[PathStep] = []
    ends: list[PathEnd] = []
    for visit in visits(tree, one):
        if visit.value:
            linear = tree.split_kind[visit.node] == SplitKind.LINEAR
            steps.append((_sum_step if linear else _step)(tree, one, visit))
        if not visit.goes_to:
            words = answer_words(tree, visit.node)
            ends.append(PathEnd(visit.node, visit.fraction, words))
    ends.sort(key=lambda end: (-end.fraction, end.node))
    label = tree.predict(one)[0]
    label = label.item() if hasattr(label, "item") else label
    return DecisionPath(row, tuple(steps), tuple(ends), label, tree.classes, probabilities)


def _step(tree: Tree, one: Table, visit: Visit) -> PathStep:
    """Tell a test of one column."""
    node, share, child = visit.node, visit.fraction, visit.child
    column = tree.column_of(node)
    name = name_words(column.name, _STYLE)
    x = one.arrays[int(tree.column[node])][0].item()
    if visit.value != "known":
        found = f"{name} missing"
        if visit.value == "unknown":
            found = f"{name} unknown"
            if x >= 0:
                found = f"{name} = {value_words(column, x, _STYLE)}, unknown at this node"
        return PathStep(node, share, child, visit.value, _passed_on(tree, visit, found))
    condition = branch_conditions(tree, node)[child]
    value = number_words(x) if column.is_numeric else value_words(column, x, _STYLE)
    found = f"{name} = {value}"
    if column.is_numeric and isinstance(condition, RangeCondition):
        here = tuple(piece for piece in condition.pieces if piece[0] < x <= piece[1])
        condition = replace(condition, pieces=here)  # only the range that the value is in
    words = condition_words(condition, _STYLE, name=found, also=False)
    if words in (f"any {found}", f"{found} = {value}"):
        words = found  # nothing left to say
    return PathStep(node, share, child, "known", words)


def _sum_step(tree: Tree, one: Table, visit: Visit) -> PathStep:
    """Tell a linear test. The tree adds up itself: sums differ in their last digits."""
    node, share = visit.node, visit.fraction
    terms, threshold = linear_terms(tree, node), -float(tree.intercept[node])
    parts = contributions(terms, one, _STYLE)
    if visit.value == "missing":
        words = _passed_on(tree, visit, why_no_answer(parts))
        return PathStep(node, share, visit.child, "missing", words, tuple(parts))
    result = float(tree.linear_sums(node, one)[0])
    total = add_up(parts, otherwise=result + threshold)
    words = f"{sum_words(terms, _STYLE)} = {_compared(total, threshold, result > 0)}"
    return PathStep(node, share, visit.child, "known", words, tuple(parts), total)


def _compared(total: float, threshold: float, is_above: bool) -> str:
    """Spell two numbers with digits enough to tell them apart, and which is larger."""
    for digits in (_STYLE.linear_digits, 8, None):
        left, right = number_words(total, digits), number_words(threshold, digits)
        if left != right:
            break
    close = "" if (total > threshold) == is_above else ", but for rounding"
    return f"{left}{close} {'>' if is_above else '<='} {right}"


def _passed_on(tree: Tree, visit: Visit, found: str) -> str:
    if visit.child == STOP:
        return f"{found}, stops here"
    if visit.child == FRACTIONAL:
        return f"{found}, goes to all branches by weight"
    return f"{found}, goes with {_bare_words(tree, visit.node, visit.child)}"


def _bare_words(tree: Tree, node: int, child: int) -> str:
    """Words of a branch without saying that missing or unseen values go there too."""
    return condition_words(branch_conditions(tree, node)[child], _STYLE, also=False)
