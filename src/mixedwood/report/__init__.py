"""HTML reports: pages by templates, charts as SVG, in one file that works offline.

`render` makes a page of a template and facts. This package knows nothing of comparisons and
studies, which provide the facts.
"""

from mixedwood.report.charts import (
    Dot,
    HeatCell,
    Point,
    dot_plot,
    heat_map,
    rank_diagram,
    scatter_plot,
)
from mixedwood.report.render import Figure, Table, TableCell, TableRow, render
from mixedwood.report.svg import Svg, needs_log_scale

__all__ = [
    "Dot",
    "Figure",
    "HeatCell",
    "Point",
    "Svg",
    "Table",
    "TableCell",
    "TableRow",
    "dot_plot",
    "heat_map",
    "needs_log_scale",
    "rank_diagram",
    "render",
    "scatter_plot",
]
