"""Explanations of rows by the trees of an ensemble, which credit columns with their changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema, Table
from mixedwood.explain.credit import Credits
from mixedwood.explain.explanation import Explanation
from mixedwood.explain.sums import row_value
from mixedwood.tree import Tree

__all__ = ["explain_scores", "explain_votes"]

Numbers = NDArray[np.float64]

_MOST_NAMES = 3  # of the columns of a group


def explain_votes(
    trees: Sequence[Tree],
    one: Table,
    *,
    row: int,
    prediction: Any,
    probabilities: Numbers,
    answers: NDArray[np.int32],
    vote: Literal["soft", "hard"] = "soft",
    weights: Numbers | None = None,
) -> Explanation:
    """Explain the vote of trees on a table of one row.

    Parameters
    ----------
    trees : sequence of Tree
        Members of one schema and the same classes.
    one : Table
        The row.
    row, prediction, probabilities
        As in `Explanation`.
    answers : ndarray of shape (n_trees,)
        The class that each tree answers, as a position in the classes.
    vote : {"soft", "hard"}, default="soft"
        Whether a tree gives its class probabilities, or one vote for its class.
    weights : ndarray of shape (n_trees,), optional
        What each tree's answer counts; equally much by default.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"age": [3.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 3])
    >>> _ = builder.split_interval(0, "age", [[0, 2], [1, 1]], high=5.0)
    >>> tree = builder.build()
    >>> print(explain_votes(
    ...     [tree], table, row=0, prediction="yes", probabilities=np.array([0.0, 1.0]),
    ...     answers=np.array([1]),
    ... ))
    Row 0: yes (yes 100 %, no 0 %)
    Probability of yes, the mean of 1 tree
       0.750  base value
      +0.250  age = 3
       1.000  total
    Votes of 1 tree: yes 1
    """
    n_classes = len(trees[0].classes)
    found, vote_adjustment = Credits(n_classes), np.zeros(n_classes)
    counted = np.ones(len(trees)) if weights is None else weights
    parts = (counted / counted.sum()).tolist()
    for tree, said, part in zip(trees, answers.tolist(), parts, strict=True):
        found.add_answers(tree, one, tree.probabilities, part)
        if vote == "hard":
            vote_adjustment[said] += part
            vote_adjustment -= part * tree.predict_proba(one)[0]
    columns, values, contributions = _by_columns(found, one)
    scale = "votes" if weights is None else "weighted votes"
    return Explanation(
        row=row,
        prediction=prediction,
        classes=trees[0].classes,
        probabilities=probabilities,
        scale=scale if vote == "hard" else "probability",
        bias=found.bias,
        columns=columns,
        values=values,
        contributions=contributions,
        vote_adjustment=vote_adjustment,
        total=probabilities,
        votes=np.bincount(answers, minlength=n_classes),
        n_trees=len(trees),
    )


def explain_scores(
    start: Numbers,
    trees: Sequence[Tree],
    steps: Sequence[Numbers],
    first_output: Sequence[int],
    one: Table,
    *,
    row: int,
    prediction: Any,
    probabilities: Numbers,
    scores: Numbers,
) -> Explanation:
    """Explain the scores of gradient boosting for a table of one row.

    Parameters
    ----------
    start : ndarray of shape (n_outputs,)
        What the sums begin with; one number for two classes, otherwise one per class.
    trees, steps, first_output
        The trees, the steps of their nodes, and the first output that each adds to.
    one : Table
        The row.
    row, prediction, probabilities
        As in `Explanation`.
    scores : ndarray of shape (n_outputs,)
        What the sums come to.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"age": [3.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 3])
    >>> _ = builder.split_interval(0, "age", [[0, 2], [1, 1]], high=5.0)
    >>> why = explain_scores(
    ...     np.array([1.0]), [builder.build()], [np.array([[0.0], [0.5], [-0.5]])], [0], table,
    ...     row=0, prediction="yes", probabilities=np.array([0.182, 0.818]), scores=np.array([1.5]),
    ... )
    >>> why.bias.tolist(), why.contributions.tolist()
    ([-1.0, 1.0], [[-0.5, 0.5]])
    """
    found = Credits(len(start))
    found.bias += start
    for tree, answers, first in zip(trees, steps, first_output, strict=True):
        found.add_answers(tree, one, answers, first=first)
    two = len(start) == 1
    columns, values, contributions = _by_columns(found, one)
    return Explanation(
        row=row,
        prediction=prediction,
        classes=trees[0].classes,
        probabilities=probabilities,
        scale="log odds" if two else "scores",
        bias=_both(found.bias),
        columns=columns,
        values=values,
        contributions=_both(contributions),
        vote_adjustment=np.zeros(len(trees[0].classes)),
        total=_both(scores),
        votes=None,
        n_trees=len(trees),
    )


def _both(numbers: Numbers) -> Numbers:
    """Log odds of the second of two classes, told for either class; others as they are."""
    if numbers.shape[-1] != 1:
        return numbers
    return np.concatenate([-numbers, numbers], axis=-1) + 0.0  # no minus before a zero


def _by_columns(
    found: Credits, one: Table
) -> tuple[tuple[str | tuple[str, ...], ...], tuple[str, ...], Numbers]:
    """Credits of all columns, in order, and of groups of columns: names, values and amounts."""
    schema = one.schema
    groups = sorted(key for key in found.amounts if len(key) != 1)
    names: list[str | tuple[str, ...]] = list(schema.names)
    names += [tuple(schema.names[place] for place in group) for group in groups]
    words = [row_value(column, one) for column in schema]
    words += [_group_words(schema, group, words) for group in groups]
    keys: list[tuple[int, ...]] = [(place,) for place in range(len(schema))]
    nothing = np.zeros_like(found.bias)
    amounts = np.array([found.amounts.get(key, nothing) for key in [*keys, *groups]])
    return tuple(names), tuple(words), amounts.reshape(len(names), len(found.bias))


def _group_words(schema: Schema, group: tuple[int, ...], words: list[str]) -> str:
    if not group:
        return "tests of no column"
    if len(group) == len(schema) > _MOST_NAMES:
        return f"all {len(schema)} columns together"
    named = [words[place] for place in group[:_MOST_NAMES]]
    left = len(group) - len(named)
    return " with ".join(named) + (f" and {left} more" if left else "")
