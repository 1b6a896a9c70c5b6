"""Trees as pictures: SVG without any library, or matplotlib. Reads trees only.

Both are also methods of a tree: ``tree.to_svg()`` and ``tree.plot()``. In a notebook, a tree that
ends a cell is drawn.
"""

from mixedwood.plot.dot import tree_dot
from mixedwood.plot.figure import plot_tree
from mixedwood.plot.layout import Layout, lay_out
from mixedwood.plot.svg import tree_svg

__all__ = ["Layout", "lay_out", "plot_tree", "tree_dot", "tree_svg"]
