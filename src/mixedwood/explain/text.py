"""A tree as indented text, one line per branch, and as rules, one per leaf."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from mixedwood.explain.conditions import Condition, RangeCondition, add_condition, branch_conditions
from mixedwood.explain.format import (
    Style,
    format_branches,
    format_condition,
    format_fraction,
    format_label,
    format_number,
    format_weight,
)
from mixedwood.tree import FRACTIONAL, SplitKind, Tree

_MAX_INDENT = 20
"""Maximum number of indented levels; deeper ones are numbered, which keeps lines short."""

_IN_FULL = Style(max_values=None, max_label=None, linear_digits=None, max_terms=None)


@dataclass(frozen=True)
class VisibleNodes:
    """The part of a tree that is shown.

    Attributes
    ----------
    children : dict of int to list of int
        The nodes shown, each with those of its children that are shown. Parents come first.
    left_out : dict of int to int
        For nodes with children that are not shown: the number of nodes left out below.
    """

    children: dict[int, list[int]]
    left_out: dict[int, int]


def visible_nodes(
    tree: Tree, max_depth: int | None = None, max_nodes: int | None = None
) -> VisibleNodes:
    """Select the nodes nearest to the root, level by level, until a limit is reached.

    The children of a node are shown all or not at all. Only if a single split has more than half
    as many children as `max_nodes`, the first ones are shown.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"x": [1.0]}).schema, ["no", "yes"], [2, 2])
    >>> _, right = builder.split_interval(0, "x", [[2, 0], [0, 2]], high=1.0)
    >>> _ = builder.split_interval(right, "x", [[0, 1], [0, 1]], high=2.0)
    >>> visible_nodes(builder.build(), max_depth=1)
    VisibleNodes(children={0: [1, 2], 1: [], 2: []}, left_out={2: 2})
    """
    for name, limit, low in (("max_depth", max_depth, 0), ("max_nodes", max_nodes, 1)):
        if limit is not None and limit < low:
            raise ValueError(f"{name} must be None or at least {low}. Got {limit} instead.")
    max_nodes = tree.n_nodes if max_nodes is None else max_nodes
    children: dict[int, list[int]] = {0: []}
    cut = []
    n_shown = 1
    queue = deque([(0, 0)])  # node, depth
    while queue:
        node, depth = queue.popleft()
        below: list[int] = tree.children_of(node).tolist()
        fits = n_shown + len(below) <= max_nodes or 2 * len(below) > max_nodes
        is_deep = max_depth is not None and depth >= max_depth
        shown = below[: max_nodes - n_shown] if fits and not is_deep else []
        if len(shown) < len(below):
            cut.append(node)
        n_shown += len(shown)
        children[node] = shown
        queue.extend((child, depth + 1) for child in shown)
    return VisibleNodes(children, _count_left_out(tree, children, cut))


def _count_left_out(tree: Tree, children: dict[int, list[int]], cut: list[int]) -> dict[int, int]:
    if not cut:
        return {}
    size = np.ones(tree.n_nodes, dtype=np.int64).tolist()
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children come after their parents
        size[parent[node]] += size[node]
    return {node: size[node] - 1 - sum(size[child] for child in children[node]) for node in cut}


def tree_text(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = 1000,
    show_counts: bool = True,
    max_terms: int | None = 8,
) -> str:
    """Format a tree as indented text.

    Each line is a branch: the number of the node, as in `Tree.apply`, and its condition. Leaves
    add the predicted class, its fraction and the weight of the training rows; or mean, standard
    deviation and rows if the tree predicts numbers.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=None
        Maximum depth shown. If None, there is no limit.
    max_nodes : int or None, default=1000
        Maximum number of nodes shown, those nearest to the root first. If None, there is no limit.
    show_counts : bool, default=True
        Whether to show fractions and weights.
    max_terms : int or None, default=8
        Maximum number of terms of a linear split, most important first. If None, all terms are
        shown, and the values used in place of missing numbers.

    Returns
    -------
    str
        The lines, without a line break at the end. The last line counts the nodes left out.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"color": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, _ = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0, missing=1)
    >>> _ = builder.split_categories(young, "color", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> print(tree_text(builder.build()))
    [0] root (3)
    |   [1] age <= 5 (2)
    |   |   [3] color = blue: yes (100 % of 1)
    |   |   [4] color = red: no (100 % of 1)
    |   [2] age > 5 (or missing): yes (100 % of 1)
    """
    shown = visible_nodes(tree, max_depth, max_nodes)
    style = Style(max_terms=max_terms)
    lines = []
    stack = [(0, 0, "root")]
    while stack:
        node, depth, text = stack.pop()
        line = f"{_indent(depth)}[{node}] {text}"
        children = shown.children[node]
        if not children:
            line += f": {format_prediction(tree, node, show_counts)}"
        elif show_counts:
            line += f" ({format_weight(float(tree.weighted_n_node_samples[node]))})"
        if node in shown.left_out:
            line += f" ... {format_left_out(shown.left_out[node])}"
        lines.append(line)
        if children:
            branches = zip(children, format_branches(tree, node, style), strict=False)
            stack.extend(reversed([(child, depth + 1, branch) for child, branch in branches]))
    if (tree.missing_child[tree.split_kind != SplitKind.LEAF] == FRACTIONAL).any():
        lines.append("Missing values that no branch names are shared among branches by weight.")
    if shown.left_out:
        n_left = tree.n_nodes - len(shown.children)
        lines.append(f"{n_left} of {tree.n_nodes} nodes left out; see max_depth and max_nodes.")
    return "\n".join(lines)


def format_prediction(tree: Tree, node: int, show_counts: bool = True) -> str:
    """Describe what a node predicts: its class, the fraction of the class, and the weight.

    Nodes of a tree that predicts numbers have a mean or median, the standard deviation of the
    target, and the rows; leaves with linear models have their formulas.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"x": [1.0]}).schema, ["no", "yes"], [13, 87])
    >>> format_prediction(builder.build(), 0)
    'yes (87 % of 100)'
    >>> numbers = [157, 23.1, 2769.5, 2769.5]
    >>> schema = read_table({"x": [1.0]}).schema
    >>> format_prediction(TreeBuilder(schema, [], numbers, loss="squared_error").build(), 0)
    'mean 23.1, sd 4.2, 157 rows'
    """
    if tree.is_numeric:
        texts = describe_number(tree, node)
        if tree.formulas and len(tree.children_of(node)) == 0:
            return ", ".join([tree.formulas[node], *texts[2:] * show_counts])
        return f"{center_of(tree)} {', '.join(texts)}" if show_counts else texts[0]
    place = int(tree.label[node])
    label = format_label(tree.classes[place])
    if not show_counts:
        return label
    fraction = format_fraction(float(tree.probabilities[node, place]))
    return f"{label} ({fraction} of {format_weight(float(tree.weighted_n_node_samples[node]))})"


def center_of(tree: Tree) -> str:
    """Name what the nodes of a tree of numbers predict: "mean" or "median"."""
    return "median" if tree.loss == "absolute_error" else "mean"


def describe_number(tree: Tree, node: int) -> tuple[str, str, str]:
    """Describe a node of a tree that predicts numbers: the number, its spread, and the rows."""
    spread, weight = float(tree.deviation[0]), float(tree.weighted_n_node_samples[node])
    return (
        format_number(float(tree.value[node, 0]), spread),
        f"sd {format_number(float(tree.deviation[node]), spread)}",
        f"{format_weight(weight)} row{'s' * (weight != 1)}",
    )


def format_left_out(number: int) -> str:
    """Count the nodes that are left out below a node."""
    return f"{number} more {'node' if number == 1 else 'nodes'}"


def _indent(depth: int) -> str:
    extra = f"+{depth - _MAX_INDENT} " if depth > _MAX_INDENT else ""
    return "|   " * min(depth, _MAX_INDENT) + extra


@dataclass(frozen=True)
class Rule:
    """The conditions that lead to one leaf, and what the leaf predicts.

    Attributes
    ----------
    node : int
        The leaf, as in `Tree.apply`.
    conditions : tuple of Condition
        The conditions as data: one for each column, in the order of the path, and one for each
        linear split.
    label : object
        The predicted class, or number.
    confidence : float
        Fraction of the class in the training weight of the leaf; NaN for numbers.
    coverage : float
        Fraction of the training weight of the tree that reached the leaf.
    weight : float
        Training weight of the leaf.
    deviation : float
        For numbers, the standard deviation of the target in the leaf; NaN for classes.
    prediction : str
        What the leaf predicts, as text.
    """

    node: int
    conditions: tuple[Condition, ...]
    label: Any
    confidence: float
    coverage: float
    weight: float
    deviation: float = math.nan
    prediction: str = ""

    def describe_conditions(self, *, all_values: bool = False) -> list[str]:
        """Describe the conditions as text.

        If `all_values` is True, lists contain every value, and linear splits all terms with exact
        numbers.

        Examples
        --------
        >>> from mixedwood.data import Column
        >>> from mixedwood.explain.conditions import SetCondition
        >>> column = Column("n", "nominal", tuple(range(12)))
        >>> rule = Rule(1, (SetCondition(column, frozenset(range(11))),), "no", 1.0, 0.5, 8.0)
        >>> rule.describe_conditions()
        ['n in {0, 1, 2, 3, 4, 5, 6, 7, ... 3 more}']
        >>> rule.describe_conditions(all_values=True)
        ['n in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}']
        """
        style = _IN_FULL if all_values else Style()
        return [format_condition(condition, style) for condition in self.conditions]

    def __str__(self) -> str:
        prediction = self.prediction
        if not prediction:
            fraction = f"{format_fraction(self.confidence)} of {format_weight(self.weight)}"
            prediction = f"{format_label(self.label)} ({fraction})"
        if not self.conditions:
            return f"Always {prediction}"
        # "a or b" beside an "and" would be misread
        parts = [
            f"({text})" if _is_joined_by_or(condition) else text
            for condition, text in zip(self.conditions, self.describe_conditions(), strict=True)
        ]
        return f"If {' and '.join(parts)} then {prediction}"


def to_rules(tree: Tree) -> list[Rule]:
    """Convert a tree to rules, one for each leaf.

    Several splits on one column become one condition. A row without missing values or unknown
    categories meets exactly one rule. No rule covers rows that stop at an inner node, as rows with
    missing values may.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    list of Rule
        The rules in descending order of training weight, then by leaf.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"color": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [3, 4])
    >>> young, _ = builder.split_interval(0, "age", [[3, 2], [0, 2]], high=5.0)
    >>> _ = builder.split_interval(young, "age", [[3, 1], [0, 1]], high=1.5, missing=0)
    >>> for rule in to_rules(builder.build()):
    ...     print(rule)
    If age <= 1.5 then no (75 % of 4)
    If age > 5 then yes (100 % of 2)
    If 1.5 < age <= 5 then yes (100 % of 1)
    """
    total = float(tree.weighted_n_node_samples[0])
    rules = []
    stack: list[tuple[int, dict[object, Condition]]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        children = tree.children_of(node).tolist()
        for child, condition in zip(children, branch_conditions(tree, node), strict=True):
            longer = dict(path)  # conditions are shared, only their list is copied
            add_condition(longer, condition)
            stack.append((child, longer))
        if not children:
            rules.append(_rule(tree, node, tuple(path.values()), total))
    return sorted(rules, key=lambda rule: (-rule.weight, rule.node))


def _rule(tree: Tree, node: int, conditions: tuple[Condition, ...], total: float) -> Rule:
    weight = float(tree.weighted_n_node_samples[node])
    coverage = weight / total if total > 0 else 0.0
    text = format_prediction(tree, node)
    if tree.is_numeric:
        value, deviation = float(tree.value[node, 0]), float(tree.deviation[node])
        return Rule(node, conditions, value, math.nan, coverage, weight, deviation, text)
    place = int(tree.label[node])
    confidence = float(tree.probabilities[node, place])
    label = tree.classes[place : place + 1].tolist()[0]
    return Rule(node, conditions, label, confidence, coverage, weight, prediction=text)


def _is_joined_by_or(condition: Condition) -> bool:
    """Whether the text of a condition contains "or" between ranges."""
    return (
        isinstance(condition, RangeCondition)
        and condition.column.is_numeric
        and len(condition.pieces) > 1
    )
