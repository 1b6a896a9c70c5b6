"""A tree as indented text, one line per branch."""

from __future__ import annotations

from mixedwood.explain.shown import choose_nodes
from mixedwood.explain.spelling import Style, label_words, share_words, weight_words
from mixedwood.explain.words import branch_words
from mixedwood.tree import FRACTIONAL, SplitKind, Tree

__all__ = ["answer_words", "more_words", "tree_text"]

_DEEPEST = 20
"""Levels that are indented; deeper ones are counted, or lines would be as long as the tree."""


def tree_text(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = 1000,
    show_counts: bool = True,
    max_terms: int | None = 8,
) -> str:
    """Write a tree as indented text.

    Each line is a branch: the number of the node, as in `Tree.apply`, and what it asks of a row.
    Leaves add the class, its share and the weight of the rows that came there in training.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=None
        Deepest level shown, counted in tests. None means no limit.
    max_nodes : int or None, default=1000
        Most nodes shown; those nearest to the root come first. None means no limit.
    show_counts : bool, default=True
        Whether shares and weights are told.
    max_terms : int or None, default=8
        Most terms told of a linear test, the most important first. None tells all, and what
        stands in for missing numbers.

    Returns
    -------
    str
        Lines without a line break at the end. What was cut is counted in the last line.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, _ = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0, missing=1)
    >>> _ = builder.split_categories(young, "colour", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> print(tree_text(builder.build()))
    [0] root (3)
    |   [1] age <= 5 (2)
    |   |   [3] colour = blue: yes (100 % of 1)
    |   |   [4] colour = red: no (100 % of 1)
    |   [2] age > 5 (or missing): yes (100 % of 1)
    """
    shown = choose_nodes(tree, max_depth, max_nodes)
    style = Style(max_terms=max_terms)
    lines = []
    waiting = [(0, 0, "root")]
    while waiting:
        node, depth, words = waiting.pop()
        line = f"{_indent(depth)}[{node}] {words}"
        children = shown.children[node]
        if not children:
            line += f": {answer_words(tree, node, show_counts)}"
        elif show_counts:
            line += f" ({weight_words(float(tree.weighted_n_node_samples[node]))})"
        if node in shown.left_out:
            line += f" ... {more_words(shown.left_out[node])}"
        lines.append(line)
        if children:
            # zip ends with the children that are shown; the stack turns the order around
            below = [(c, depth + 1, w) for c, w in zip(children, branch_words(tree, node, style))]  # noqa: B905
            waiting.extend(reversed(below))
    if (tree.missing_child[tree.split_kind != SplitKind.LEAF] == FRACTIONAL).any():
        lines.append("Missing values that no branch names are shared among branches by weight.")
    if shown.left_out:
        n_left = tree.n_nodes - len(shown.children)
        lines.append(f"{n_left} of {tree.n_nodes} nodes left out; see max_depth and max_nodes.")
    return "\n".join(lines)


def answer_words(tree: Tree, node: int, show_counts: bool = True) -> str:
    """Say what a node answers: its class, how sure, and on how much weight.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"x": [1.0]}).schema, ["no", "yes"], [13, 87])
    >>> answer_words(builder.build(), 0)
    'yes (87 % of 100)'
    """
    place = int(tree.label[node])
    label = label_words(tree.classes[place], Style())
    if not show_counts:
        return label
    share = share_words(float(tree.probabilities[node, place]))
    return f"{label} ({share} of {weight_words(float(tree.weighted_n_node_samples[node]))})"


def _indent(depth: int) -> str:
    if depth <= _DEEPEST:
        return "|   " * depth
    return "|   " * _DEEPEST + f"+{depth - _DEEPEST} "


def more_words(number: int) -> str:
    """Count the nodes that are left out at one place."""
    return f"{number} more {'node' if number == 1 else 'nodes'}"
