"""Pages and charts: plain data in, HTML and SVG text out, complete in themselves and offline.

Knows nothing of comparisons and studies, which make their pages of these parts.
"""

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
from mixedwood.report.page import Section, make_page
from mixedwood.report.ranks import rank_diagram
from mixedwood.report.safe import safe, safe_json
from mixedwood.report.scales import suits_logarithm
from mixedwood.report.scatter import Spot, scatter_plot
from mixedwood.report.tables import TableCell, TableRow, make_table

__all__ = [
    "Dot",
    "HeatCell",
    "Section",
    "Spot",
    "TableCell",
    "TableRow",
    "bullets",
    "dot_plot",
    "figure",
    "figures",
    "findings",
    "fold_away",
    "heat_map",
    "legend",
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
