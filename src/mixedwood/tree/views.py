"""Text and drawings of a tree; the packages that make them are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mixedwood.explain import Rule
    from mixedwood.tree.tree import Tree

__all__ = ["TreeViews"]


class TreeViews:
    """Methods of `mixedwood.tree.Tree` for text and drawings."""

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = 1000,
        show_counts: bool = True,
        max_terms: int | None = 8,
    ) -> str:
        """Format the tree as indented text; see `mixedwood.explain.tree_text`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
        >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0, missing=0)
        >>> print(builder.build().to_text())
        [0] root (4)
        |   [1] age <= 5 (or missing): no (100 % of 3)
        |   [2] age > 5: yes (100 % of 1)
        """
        from mixedwood.explain import tree_text

        return tree_text(
            _tree(self),
            max_depth=max_depth,
            max_nodes=max_nodes,
            show_counts=show_counts,
            max_terms=max_terms,
        )

    def to_rules(self) -> list[Rule]:
        """Return the tree as rules, one for each leaf; see `mixedwood.explain.to_rules`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> builder = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1])
        >>> _ = builder.split_interval(0, "age", [[3, 0], [0, 1]], high=5.0)
        >>> for rule in builder.build().to_rules():
        ...     print(rule)
        If age <= 5 then no (100 % of 3)
        If age > 5 then yes (100 % of 1)
        """
        from mixedwood.explain import to_rules

        return to_rules(_tree(self))

    def to_svg(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = 60,
        max_terms: int | None = 4,
    ) -> str:
        """Draw the tree as SVG; see `mixedwood.plot.tree_svg`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> tree = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1]).build()
        >>> tree.to_svg().count("<rect")  # a box, a bar of two classes, and their legend
        5
        """
        from mixedwood.plot import tree_svg

        return tree_svg(_tree(self), max_depth=max_depth, max_nodes=max_nodes, max_terms=max_terms)

    def to_dot(self, *, max_depth: int | None = None, max_nodes: int | None = 1000) -> str:
        """Format the tree as a Graphviz graph; see `mixedwood.plot.tree_dot`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> tree = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1]).build()
        >>> print(tree.to_dot())
        digraph tree {
          node [shape=box, style=rounded];
          0 [label="no (75 % of 4)"];
        }
        """
        from mixedwood.plot import tree_dot

        return tree_dot(_tree(self), max_depth=max_depth, max_nodes=max_nodes)

    def to_html(self, *, title: str = "", max_nodes: int | None = None) -> str:
        """Make a page with an interactive drawing of the tree; see `mixedwood.plot.tree_html`.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> tree = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1]).build()
        >>> tree.to_html(title="A tree")[:15]
        '<!DOCTYPE html>'
        """
        from mixedwood.plot import tree_html

        return tree_html(_tree(self), title=title, max_nodes=max_nodes)

    def _repr_html_(self) -> str:
        """Show the tree in a notebook."""
        from mixedwood.plot.walk import NOTEBOOK_NODES, Walk, describe_size

        tree = _tree(self)
        return Walk([(describe_size(tree), "", tree)], max_nodes=NOTEBOOK_NODES).fragment()

    def plot(
        self,
        ax: Any = None,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = 60,
        max_terms: int | None = 4,
    ) -> Any:
        """Draw the tree with matplotlib and return the axes; see `mixedwood.plot.plot_tree`.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from mixedwood.data import read_table
        >>> from mixedwood.tree import TreeBuilder
        >>> tree = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1]).build()
        >>> tree.plot(Figure().subplots()).texts[0].get_text()
        'no'
        """
        from mixedwood.plot import plot_tree

        return plot_tree(
            _tree(self), ax, max_depth=max_depth, max_nodes=max_nodes, max_terms=max_terms
        )


def _tree(views: TreeViews) -> Tree:
    return cast("Tree", views)
