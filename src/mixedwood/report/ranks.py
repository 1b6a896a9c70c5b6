"""The critical-difference diagram as SVG: mean ranks on a line, bars over what may be luck."""

from __future__ import annotations

from dataclasses import dataclass

from mixedwood.plot.measure import shorten, text_width
from mixedwood.report.svg import FONT, Drawing, number
from mixedwood.stats import NemenyiTest
from mixedwood.stats.diagram import stack_bars

__all__ = ["rank_diagram"]

_LINE = 20.0  # between labels
_BAR_GAP = 9.0  # between bars over groups
_RULER = 28.0  # height of the critical difference, drawn to scale
_AXIS = 66.0  # height of the line of ranks
_NAMES = 150.0  # most room for a name
_SIDE = 14.0  # between a label and the end of the line of ranks


def rank_diagram(
    result: NemenyiTest,
    *,
    groups: dict[str, int] | None = None,
    keys: dict[str, str] | None = None,
) -> str:
    """Draw mean ranks on a line, with bars over methods that are not significantly different.

    The best method is on the left, as in figure 1 of Demšar (2006). The critical difference is
    drawn to scale above the line.

    Parameters
    ----------
    result : NemenyiTest
        What `mixedwood.stats.nemenyi_test` found.
    groups : dict of str to int, optional
        Colour of each method.
    keys : dict of str to str, optional
        Methods with the same key light up together, wherever on a page they are.

    Returns
    -------
    str
        An ``<svg>`` element, as wide as it needs to be.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.06], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.nemenyi_test(errors, names=["forest", "tree", "stump"])
    >>> ">forest  1.00<" in rank_diagram(result)
    True
    """
    plan = _Plan(result)
    about = "Critical-difference diagram. " + "; ".join(
        f"{result.names[i]} has mean rank {result.mean_ranks[i]:.2f}" for i in result.order
    )
    drawing = Drawing(plan.width, about)
    _draw_scale(drawing, plan, result)
    for level, left, right in plan.bars:
        y = _AXIS + _BAR_GAP * (level + 1)
        drawing.line(left - 4.0, y, right + 4.0, y, "tie")
    for label in plan.labels:
        kind = f"rank c{(groups or {}).get(label.name, 0)}"
        with drawing.group(kind, tip=label.name, key=(keys or {}).get(label.name)):
            steps = f"M{number(label.x)} {_AXIS:g}V{number(label.y)}H{number(label.end)}"
            drawing.path(steps, "elbow")
            drawing.mark(label.x, _AXIS, (groups or {}).get(label.name, 0), 3.2)
            side, anchor = (4.0, "start") if label.on_right else (-4.0, "end")
            drawing.text(label.end + side, label.y + 0.35 * FONT, label.text, "label",
                         anchor=anchor)  # fmt: skip
    return drawing.render(plan.height)


@dataclass(frozen=True)
class _Label:
    """A method: where its rank is on the line, and where its text begins."""

    name: str
    text: str
    x: float
    y: float
    end: float
    on_right: bool


class _Plan:
    """Where everything goes."""

    def __init__(self, result: NemenyiTest) -> None:
        order = result.order
        n = len(order)
        n_left = (n + 1) // 2
        names = [shorten(result.names[i], _NAMES, FONT) for i in order]
        ranks = [float(result.mean_ranks[i]) for i in order]
        texts = [f"{name}  {rank:.2f}" for name, rank in zip(names, ranks, strict=True)][:n_left]
        texts += [f"{rank:.2f}  {name}" for name, rank in zip(names, ranks, strict=True)][n_left:]
        self.n = n
        self.unit = min(max(280.0, 60.0 * (n - 1)), 520.0) / (n - 1)
        self.left = max(text_width(text, FONT) for text in texts[:n_left]) + _SIDE + 8.0
        self.right = self.left + self.unit * (n - 1)
        xs = [self.left + self.unit * (rank - 1.0) for rank in ranks]
        places = dict(zip(order, xs, strict=True))
        self.bars = stack_bars([(places[group[0]], places[group[-1]]) for group in result.groups])
        levels = max((level + 1 for level, _, _ in self.bars), default=0)
        top = _AXIS + _BAR_GAP * (1 + levels) + 10.0
        # The outermost methods come first on either side, so that no lines cross.
        self.labels = [
            _Label(
                result.names[order[i]],
                texts[i],
                xs[i],
                top + _LINE * (i if i < n_left else n - 1 - i),
                self.left - _SIDE if i < n_left else self.right + _SIDE,
                on_right=i >= n_left,
            )
            for i in range(n)
        ]
        ruler = self.left + self.unit * result.critical_difference
        words = max(text_width(text, FONT) for text in texts[n_left:])
        self.width = max(self.right + words + _SIDE + 8.0, ruler + 12.0, self.left + 190.0)
        self.height = top + _LINE * (n_left - 1) + 14.0


def _draw_scale(drawing: Drawing, plan: _Plan, result: NemenyiTest) -> None:
    """The line of ranks with its numbers, and the critical difference above it."""
    drawing.line(plan.left, _AXIS, plan.right, _AXIS, "axis")
    step = 1 if plan.unit >= 25.0 else 5
    for rank in range(1, plan.n + 1):
        x = plan.left + plan.unit * (rank - 1)
        is_named = step == 1 or rank == 1 or rank % step == 0
        drawing.line(x, _AXIS, x, _AXIS - (6.0 if is_named else 3.0), "axis")
        if is_named:
            drawing.text(x, _AXIS - 10.0, str(rank), "tick", anchor="middle")
    end = plan.left + plan.unit * result.critical_difference
    drawing.line(plan.left, _RULER, end, _RULER, "ruler")
    for x in (plan.left, end):
        drawing.line(x, _RULER - 4.0, x, _RULER + 4.0, "ruler")
    words = f"critical difference {result.critical_difference:.2f}"
    drawing.text(plan.left, _RULER - 10.0, words, "tick")
