"""Pictures of trees: SVG without any library, matplotlib, or Graphviz.

They are also methods of a tree: ``tree.to_svg()``, ``tree.plot()`` and ``tree.to_dot()``. Notebooks
draw a tree at the end of a cell.
"""

from mixedwood.plot.layout import Layout, lay_out
from mixedwood.plot.mpl import plot_tree
from mixedwood.plot.svg import tree_dot, tree_svg
from mixedwood.plot.walk import tree_html

__all__ = ["Layout", "lay_out", "plot_tree", "tree_dot", "tree_html", "tree_svg"]
