"""The critical-difference diagram: one layout, drawn by a pen for matplotlib or for SVG.

Positions are in points from the top left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from mixedwood.stats.ranks import NemenyiTest

__all__ = ["FONT_SIZE", "DiagramLayout", "MethodLabel", "Pen", "critical_difference_diagram"]

FONT_SIZE = 11.5
_LINE_HEIGHT = 20.0  # of labels
_BAR_GAP = 9.0  # between bars
_MARGIN = 12.0
_RULER_Y = 28.0  # of the critical difference, drawn to scale
_AXIS_Y = 66.0  # of the axis of ranks
_BAR_COLOR = "#d55e00"  # vermilion, which people with any color vision can distinguish

LineKind = Literal["axis", "ruler", "bar", "leader"]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class MethodLabel:
    """A method: its rank's position on the axis, and the text at the end of its leader."""

    name: str
    text: str
    x: float
    y: float
    end: float
    on_right: bool
    axis_y: float = _AXIS_Y


class Pen(Protocol):
    """Draws lines and texts."""

    def line(self, points: Sequence[tuple[float, float]], kind: LineKind) -> None:
        """Draw a line through points."""

    def text(self, text: str, x: float, y: float, anchor: Anchor, kind: str) -> None:
        """Write a line of text; y is its baseline."""

    def method(self, label: MethodLabel) -> AbstractContextManager[None]:
        """Begin the drawing of one method."""


@dataclass(frozen=True)
class DiagramLayout:
    """Positions of everything in a critical-difference diagram."""

    result: NemenyiTest
    left: float  # of rank 1
    unit: float  # points per rank
    labels: list[MethodLabel]
    bars: list[tuple[int, float, float]]  # level, left, right
    width: float
    height: float

    @classmethod
    def of(
        cls,
        result: NemenyiTest,
        text_width: Callable[[str], float],
        shorten: Callable[[str], str] = str,
    ) -> DiagramLayout:
        """Lay out the result of a test; names of methods may be shortened."""
        order = result.order
        n, n_left = len(order), (len(order) + 1) // 2
        ranks = [float(result.mean_ranks[i]) for i in order]
        names = [shorten(result.names[i]) for i in order]
        texts = [f"{names[i]}  {ranks[i]:.2f}" for i in range(n_left)]
        texts += [f"{ranks[i]:.2f}  {names[i]}" for i in range(n_left, n)]
        unit = min(max(280.0, 60.0 * (n - 1)), 540.0) / (n - 1)
        left = max(text_width(text) for text in texts[:n_left]) + 2 * _MARGIN
        right = left + unit * (n - 1)
        xs = [left + unit * (rank - 1.0) for rank in ranks]
        positions = dict(zip(order, xs, strict=True))
        bars = _stack([(positions[group[0]], positions[group[-1]]) for group in result.groups])
        n_levels = max((level + 1 for level, _, _ in bars), default=0)
        top = _AXIS_Y + _BAR_GAP * (1 + n_levels) + 10.0
        # The outermost methods come first on either side, so that no leaders cross.
        labels = [
            MethodLabel(
                result.names[order[i]],
                texts[i],
                xs[i],
                top + _LINE_HEIGHT * (i if i < n_left else n - 1 - i),
                left - _MARGIN if i < n_left else right + _MARGIN,
                on_right=i >= n_left,
            )
            for i in range(n)
        ]
        label_width = max(text_width(text) for text in texts[n_left:])
        ruler_width = max(
            unit * result.critical_difference, text_width(_critical_difference_text(result))
        )
        return cls(
            result=result,
            left=left,
            unit=unit,
            labels=labels,
            bars=bars,
            width=max(right + label_width + 2 * _MARGIN, left + ruler_width + _MARGIN),
            height=top + _LINE_HEIGHT * (n_left - 1) + _MARGIN,
        )

    def draw(self, pen: Pen) -> None:
        """Draw the diagram."""
        self._draw_axis(pen)
        for level, left, right in self.bars:
            y = _AXIS_Y + _BAR_GAP * (level + 1)
            pen.line([(left - 4.0, y), (right + 4.0, y)], "bar")
        for label in self.labels:
            with pen.method(label):
                corner = (label.x, label.y)
                pen.line([(label.x, _AXIS_Y), corner, (label.end, label.y)], "leader")
                x = label.end + (4.0 if label.on_right else -4.0)
                anchor: Anchor = "start" if label.on_right else "end"
                pen.text(label.text, x, label.y + 0.35 * FONT_SIZE, anchor, "label")

    def _draw_axis(self, pen: Pen) -> None:
        """Draw the axis of ranks with its ticks, and the critical difference above it."""
        n = len(self.labels)
        pen.line([(self.left, _AXIS_Y), (self.left + self.unit * (n - 1), _AXIS_Y)], "axis")
        step = 1 if self.unit >= 25.0 else 5
        for rank in range(1, n + 1):
            x = self.left + self.unit * (rank - 1)
            is_labeled = step == 1 or rank == 1 or rank % step == 0
            pen.line([(x, _AXIS_Y), (x, _AXIS_Y - (6.0 if is_labeled else 3.0))], "axis")
            if is_labeled:
                pen.text(str(rank), x, _AXIS_Y - 10.0, "middle", "tick")
        end = self.left + self.unit * self.result.critical_difference
        pen.line([(self.left, _RULER_Y), (end, _RULER_Y)], "ruler")
        for x in (self.left, end):
            pen.line([(x, _RULER_Y - 4.0), (x, _RULER_Y + 4.0)], "ruler")
        text = _critical_difference_text(self.result)
        pen.text(text, self.left, _RULER_Y - 10.0, "start", "tick")


def _critical_difference_text(result: NemenyiTest) -> str:
    return f"critical difference {result.critical_difference:.2f}"


def _stack(spans: list[tuple[float, float]]) -> list[tuple[int, float, float]]:
    """Put each bar on the highest level on which it touches no other."""
    ends: list[float] = []
    placed = []
    for left, right in spans:
        free = [level for level, end in enumerate(ends) if end + 16.0 < left]
        level = free[0] if free else len(ends)
        ends[level : level + 1] = [right]
        placed.append((level, left, right))
    return placed


def critical_difference_diagram(result: NemenyiTest, ax: Any = None) -> Any:
    """Draw mean ranks on an axis, with bars over methods that are not significantly different.

    The best method is on the left. The critical difference is drawn to scale above the axis. The
    same numbers as text: ``result.to_text()``.

    Parameters
    ----------
    result : NemenyiTest
        The result of `nemenyi_test`.
    ax : matplotlib.axes.Axes, optional
        Where to draw. The diagram fills the axes, and text is scaled to fit. If None, a new figure
        of the required size is made with pyplot.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the diagram.

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
            f"result must be the result of nemenyi_test; got {type(result).__name__}. Call "
            "nemenyi_test(errors, names=...) first."
        )
    try:
        layout = DiagramLayout.of(result, _text_width)
    except ImportError:
        raise ImportError(
            "Drawing needs matplotlib: pip install 'mixedwood[plot]'. result.to_text() gives the "
            "same numbers as text."
        ) from None
    ax = _new_axes(layout) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(0.0, layout.width)
    ax.set_ylim(layout.height, 0.0)
    ax.set_aspect("equal")
    layout.draw(_MatplotlibPen(ax, layout))
    return ax


class _MatplotlibPen:
    """Draws in points of the layout, scaled to the axes."""

    def __init__(self, ax: Any, layout: DiagramLayout) -> None:
        from matplotlib import rcParams

        self._ax = ax
        self._color = rcParams["text.color"]
        frame = ax.get_window_extent()
        scale = min(frame.width / layout.width, frame.height / layout.height)
        self._scale = scale * 72.0 / ax.figure.dpi

    def line(self, points: Sequence[tuple[float, float]], kind: LineKind) -> None:
        width = {"axis": 1.2, "ruler": 1.4, "bar": 4.0, "leader": 0.9}[kind]
        self._ax.plot(
            *zip(*points, strict=True),
            linewidth=width * self._scale,
            color=_BAR_COLOR if kind == "bar" else self._color,
            solid_capstyle="round",
        )

    def text(self, text: str, x: float, y: float, anchor: Anchor, kind: str) -> None:
        self._ax.text(
            x,
            y,
            text,
            fontsize=FONT_SIZE * self._scale,
            color=self._color,
            parse_math=False,
            ha={"start": "left", "middle": "center", "end": "right"}[anchor],
            va="baseline",
        )

    @contextmanager
    def method(self, label: MethodLabel) -> Iterator[None]:
        yield


def _text_width(text: str) -> float:
    """Width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    size = FontProperties(size=FONT_SIZE)
    return float(text_to_path.get_text_width_height_descent(text, size, ismath=False)[0])


def _new_axes(layout: DiagramLayout) -> Any:
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(layout.width / 72.0, layout.height / 72.0))
    return figure.add_axes((0.0, 0.0, 1.0, 1.0))
