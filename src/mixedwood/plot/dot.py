"""A tree in the language of Graphviz, for those who have it and want to change the picture."""

from __future__ import annotations

from mixedwood.explain.shown import choose_nodes
from mixedwood.explain.spelling import Style, name_words
from mixedwood.explain.text import answer_words, more_words
from mixedwood.explain.words import branch_words
from mixedwood.tree import SplitKind, Tree

__all__ = ["tree_dot"]

_STYLE = Style()


def tree_dot(tree: Tree, max_depth: int | None = None, max_nodes: int | None = 1000) -> str:
    """Write a tree in the language of Graphviz.

    Parameters
    ----------
    tree : Tree
        The tree.
    max_depth : int or None, default=None
        Deepest level, counted in tests. None means no limit.
    max_nodes : int or None, default=1000
        Most nodes; those nearest to the root come first. None means no limit.

    Returns
    -------
    str
        A digraph without a line break at the end; tests are told at the branches.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
    >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
    >>> print(tree_dot(builder.build()))
    digraph tree {
      node [shape=box, style=rounded];
      0 [label="age"];
      1 [label="no (100 % of 3)"];
      2 [label="yes (100 % of 1)"];
      0 -> 1 [label="age <= 5"];
      0 -> 2 [label="age > 5"];
    }
    """
    shown = choose_nodes(tree, max_depth, max_nodes)
    nodes, branches = [], []
    for node, children in sorted(shown.children.items()):
        words = answer_words(tree, node)
        if children:
            plane = tree.split_kind[node] == SplitKind.LINEAR
            words = "plane" if plane else name_words(tree.column_of(node).name, _STYLE)
            texts = branch_words(tree, node)[: len(children)]
            branches += [
                f"  {node} -> {child} [label={_quoted(text)}];"
                for child, text in zip(children, texts, strict=True)
            ]
        if node in shown.left_out:
            words += f" ... {more_words(shown.left_out[node])}"
        nodes.append(f"  {node} [label={_quoted(words)}];")
    lines = ["digraph tree {", "  node [shape=box, style=rounded];", *nodes, *branches, "}"]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
