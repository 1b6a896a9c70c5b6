"""The critical-difference diagram: mean ranks on a line, and bars over what may be luck.

Everything is laid out in points at full size, from the top left, before anything is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mixedwood.stats.ranks import NemenyiTest

__all__ = ["critical_difference_diagram"]

_FONT = 10.0
_LINE = 19.0  # between labels
_BAR_GAP = 9.0  # between bars over groups
_MARGIN = 12.0
_RULER = 26.0  # height of the critical difference, drawn to scale
_AXIS = 62.0  # height of the line of ranks
_BAR_COLOUR = "#d55e00"  # vermilion of the pictures of trees, told apart by everyone


def critical_difference_diagram(result: NemenyiTest, ax: Any = None) -> Any:
    """Draw mean ranks on a line, with bars over methods that are not significantly different.

    The best method is on the left. The critical difference is drawn to scale above the line. The
    same numbers as text: ``result.to_text()``.

    Parameters
    ----------
    result : NemenyiTest
        What `nemenyi_test` found.
    ax : matplotlib.axes.Axes, optional
        Where to draw. The diagram fills it, text is scaled to fit. By default a new figure of the
        size that the diagram needs is made with pyplot.

    Returns
    -------
    matplotlib.axes.Axes
        Where the diagram was drawn.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of
       Machine Learning Research 7, 2006, figure 1.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.06], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.nemenyi_test(errors, names=["forest", "tree", "stump"])
    >>> ax = mw.stats.critical_difference_diagram(result, Figure().subplots())
    >>> [text.get_text() for text in ax.texts][-3:]
    ['forest  1.00', 'tree  2.25', '2.75  stump']
    """
    if not isinstance(result, NemenyiTest):
        raise TypeError(
            f"result must be what nemenyi_test returns; got {type(result).__name__}. Call "
            "nemenyi_test(errors, names=...) first."
        )
    try:
        plan = _Plan.of(result)  # measures text
    except ImportError:
        raise ImportError(
            "Drawing needs matplotlib installed: pip install 'mixedwood[plot]'. "
            "result.to_text() gives the same numbers as text."
        ) from None
    ax = _axes(plan.width, plan.height) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(0.0, plan.width)
    ax.set_ylim(plan.height, 0.0)
    ax.set_aspect("equal")
    pen = _Pen(ax, plan)
    _draw_scale(pen, plan, result)
    for level, left, right in plan.bars:
        y = _AXIS + _BAR_GAP * (level + 1)
        pen.line([left - 4.0, right + 4.0], [y, y], width=4.0, color=_BAR_COLOUR)
    for label in plan.labels:
        pen.line([label.x, label.x, label.end], [_AXIS, label.y, label.y], width=0.9)
        side = 4.0 if label.on_right else -4.0
        pen.text(
            label.text, label.end + side, label.y, ha="left" if label.on_right else "right",
            va="center_baseline",
        )  # fmt: skip
    return ax


@dataclass(frozen=True)
class _Label:
    """A method: where its rank is on the line, and where its text begins."""

    text: str
    x: float
    y: float
    end: float
    on_right: bool


@dataclass(frozen=True)
class _Plan:
    """Where everything goes."""

    left: float  # of rank 1
    unit: float  # points per rank
    n_methods: int
    labels: list[_Label]
    bars: list[tuple[int, float, float]]  # level, left, right
    width: float
    height: float

    @classmethod
    def of(cls, result: NemenyiTest) -> _Plan:
        order = result.order
        n = len(order)
        n_left = (n + 1) // 2
        texts = [f"{result.names[i]}  {result.mean_ranks[i]:.2f}" for i in order[:n_left]]
        texts += [f"{result.mean_ranks[i]:.2f}  {result.names[i]}" for i in order[n_left:]]
        unit = min(max(280.0, 55.0 * (n - 1)), 560.0) / (n - 1)
        left = max(_width(text) for text in texts[:n_left]) + 2 * _MARGIN
        right = left + unit * (n - 1)
        xs = [left + unit * (float(result.mean_ranks[i]) - 1.0) for i in order]
        places = dict(zip(order, xs, strict=True))
        bars = stack_bars([(places[group[0]], places[group[-1]]) for group in result.groups])
        top = _AXIS + _BAR_GAP * (1 + max((level + 1 for level, _, _ in bars), default=0)) + 10.0
        # The outermost methods come first on either side, so that no lines cross.
        labels = [
            _Label(texts[i], xs[i], top + _LINE * i, left - _MARGIN, on_right=False)
            for i in range(n_left)
        ] + [
            _Label(texts[i], xs[i], top + _LINE * (n - 1 - i), right + _MARGIN, on_right=True)
            for i in range(n_left, n)
        ]
        ruler = left + unit * result.critical_difference
        words = max(_width(text) for text in texts[n_left:])
        return cls(
            left=left,
            unit=unit,
            n_methods=n,
            labels=labels,
            bars=bars,
            width=max(right + words + 2 * _MARGIN, ruler + _MARGIN),
            height=top + _LINE * (n_left - 1) + _MARGIN,
        )


def stack_bars(spans: list[tuple[float, float]]) -> list[tuple[int, float, float]]:
    """Put each bar on the highest level on which it does not touch another."""
    ends: list[float] = []
    placed = []
    for left, right in spans:
        free = [level for level, end in enumerate(ends) if end + 16.0 < left]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [right]
        placed.append((level, left, right))
    return placed


class _Pen:
    """Draws in points of the plan, scaled to the axes."""

    def __init__(self, ax: Any, plan: _Plan) -> None:
        from matplotlib import rcParams

        self.ax = ax
        self.ink = rcParams["text.color"]
        frame = ax.get_window_extent()
        scale = min(frame.width / plan.width, frame.height / plan.height)
        self.scale = scale * 72.0 / ax.figure.dpi

    def line(self, x: list[float], y: list[float], width: float, **options: Any) -> None:
        options = {"color": self.ink, "solid_capstyle": "round"} | options
        self.ax.plot(x, y, linewidth=width * self.scale, **options)

    def text(self, words: str, x: float, y: float, **options: Any) -> None:
        self.ax.text(
            x, y, words, fontsize=_FONT * self.scale, color=self.ink, parse_math=False, **options
        )


def _draw_scale(pen: _Pen, plan: _Plan, result: NemenyiTest) -> None:
    """The line of ranks with its numbers, and the critical difference above it."""
    right = plan.left + plan.unit * (plan.n_methods - 1)
    pen.line([plan.left, right], [_AXIS, _AXIS], width=1.4)
    step = 1 if plan.unit >= 25.0 else 5
    for rank in range(1, plan.n_methods + 1):
        x = plan.left + plan.unit * (rank - 1)
        is_named = step == 1 or rank == 1 or rank % step == 0
        pen.line([x, x], [_AXIS, _AXIS - (6.0 if is_named else 3.0)], width=1.0)
        if is_named:
            pen.text(str(rank), x, _AXIS - 9.0, ha="center", va="baseline")
    end = plan.left + plan.unit * result.critical_difference
    pen.line([plan.left, end], [_RULER, _RULER], width=1.4)
    for x in (plan.left, end):
        pen.line([x, x], [_RULER - 4.0, _RULER + 4.0], width=1.4)
    words = f"critical difference {result.critical_difference:.2f}"
    pen.text(words, plan.left, _RULER - 9.0, ha="left", va="baseline")


def _width(text: str) -> float:
    """Width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    size = FontProperties(size=_FONT)
    return float(text_to_path.get_text_width_height_descent(text, size, ismath=False)[0])


def _axes(width: float, height: float) -> Any:
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(width / 72.0, height / 72.0))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))
