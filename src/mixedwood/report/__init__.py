"""Pages and charts: plain data in, HTML and SVG text out, complete in themselves and offline.

Knows nothing of comparisons and studies, which make their pages of these parts.
"""

from mixedwood.report.bars import Bars, bar_chart
from mixedwood.report.blocks import (
    bullets,
    figure,
    figures,
    findings,
    fold_away,
    legend,
    pairs,
    paragraph,
    tiles,
    trace,
)
from mixedwood.report.dots import Dot, dot_plot
from mixedwood.report.heat import HeatCell, heat_map
from mixedwood.report.lines import Series, line_plot
from mixedwood.report.page import Section, make_page
from mixedwood.report.ranks import rank_diagram
from mixedwood.report.safe import safe, safe_json
from mixedwood.report.scales import suits_logarithm
from mixedwood.report.scatter import Spot, scatter_plot
from mixedwood.report.svg import alone
from mixedwood.report.tables import TableCell, TableRow, make_table

__all__ = [
    "Bars",
    "Dot",
    "HeatCell",
    "Section",
    "Series",
    "Spot",
    "TableCell",
    "TableRow",
    "alone",
    "bar_chart",
    "bullets",
    "dot_plot",
    "figure",
    "figures",
    "findings",
    "fold_away",
    "heat_map",
    "legend",
    "line_plot",
    "make_page",
    "make_table",
    "pairs",
    "paragraph",
    "rank_diagram",
    "safe",
    "safe_json",
    "scatter_plot",
    "suits_logarithm",
    "tiles",
    "trace",
]
