"""HTML reports: pages by templates, charts as SVG, in one file that works offline.

`render` fills a template with facts. Comparisons and studies provide the facts; this package does
not depend on them.
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
from mixedwood.report.render import Figure, HtmlTable, TableCell, TableRow, render
from mixedwood.report.svg import Svg, needs_log_scale

__all__ = [
    "Dot",
    "Figure",
    "HeatCell",
    "HtmlTable",
    "Point",
    "Svg",
    "TableCell",
    "TableRow",
    "dot_plot",
    "heat_map",
    "needs_log_scale",
    "rank_diagram",
    "render",
    "scatter_plot",
]
