"""Charts: well-formed, complete, and with every text inside and apart."""

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixedwood import report, stats
from mixedwood.plot.drawing import text_width
from mixedwood.report.svg import FONT_SIZE as FONT
from mixedwood.report.svg import AxisScale

SVG = "{http://www.w3.org/2000/svg}"
NAMES = st.text(max_size=60)
VALUES = st.floats(-1e6, 1e6) | st.just(math.nan)
NASTY = "<script>alert(1)</script>\"'&\u202e\x00]]>"


def read(svg):
    """Read an SVG strictly, as XML."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label")
    return root


def texts(root):
    """What is written, with the box that it takes."""
    found = []
    for text in root.iter(f"{SVG}text"):
        words = (text.text or "") + "".join(child.tail or "" for child in text)
        width = float(text.get("textLength") or text_width(words, FONT))
        x, y = float(text.get("x")), float(text.get("y"))
        left = {"start": 0.0, "middle": -width / 2, "end": -width}[text.get("text-anchor", "start")]
        if text.get("transform"):
            box = x - 0.75 * FONT, y - width, x, y
        else:
            box = x + left, y - 0.75 * FONT, x + left + width, y
        found.append((words, box))
    return found


def check_room(root):
    """No text leaves the canvas, and none touches another."""
    width, height = float(root.get("width")), float(root.get("height"))
    found = [(words, box) for words, box in texts(root) if words.strip()]
    for words, (left, top, right, bottom) in found:
        assert left >= -1.5 and top >= 0 and right <= width + 1.5 and bottom <= height, words
    for i, (words, a) in enumerate(found):
        for other, b in found[:i]:
            apart = a[0] >= b[2] or b[0] >= a[2] or a[1] >= b[3] or b[1] >= a[3]
            assert apart, f"{words!r} lies over {other!r}"


def words_of(root):
    return [words for words, _ in texts(root)]


def nemenyi(n, names=None):
    errors = [[0.1 + 0.01 * ((i * m) % 7) + 0.02 * m for m in range(n)] for i in range(1, 9)]
    return stats.nemenyi_test(errors, names=names or [f"method_{m}" for m in range(n)])


CHARTS = {
    "dots": lambda name: report.dot_plot(
        [report.Dot(name, 1.5, 0.2, [1.0, 2.0], 1, name, name), report.Dot("b", math.nan)],
        axis=name, description=name or "chart",
    ),
    "scatter": lambda name: report.scatter_plot(
        [report.Point(name, 1.0, 2.0, 0, name, name), report.Point("b", 3.0, 4.0, 1)],
        x_axis=name, y_axis=name, description=name or "chart",
    ),
    "heat": lambda name: report.heat_map(
        [name, "b"], [name, "b"],
        [[report.HeatCell(), report.HeatCell("1/2/3", -0.4, name)]] * 2,
        description=name or "chart", keys=[name, "b"],
    ),
    "ranks": lambda name: report.rank_diagram(
        nemenyi(3, [name, name + "b", name + "c"]), keys={name: name}
    ),
}  # fmt: skip


@pytest.mark.parametrize("chart", CHARTS)
def test_a_hostile_name_is_only_text(chart):
    root = read(CHARTS[chart](NASTY))
    assert not list(root.iter(f"{SVG}script"))
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg", "g", "title", "text", "line", "path", "rect", "circle",
    }  # fmt: skip
    told = [e.text for e in root.iter(f"{SVG}title")] + words_of(root) + [root.get("aria-label")]
    assert any("<script>" in words for words in told)
    assert not any("\u202e" in words for words in told)


@pytest.mark.parametrize("chart", CHARTS)
@given(name=st.text(st.characters(codec=None), max_size=80))
def test_any_name_gives_a_chart_with_room_for_it(chart, name):
    if chart == "ranks" and not name:
        name = "a"
    check_room(read(CHARTS[chart](name)))


@given(
    st.lists(st.tuples(NAMES, VALUES, st.floats(0, 100) | st.just(math.nan)), max_size=14),
    st.booleans(),
)
def test_dot_plots_show_every_value_or_say_that_there_is_none(rows, log):
    dots = [report.Dot(name, value, error, [value, value + 1]) for name, value, error in rows]
    root = read(report.dot_plot(dots, axis="error %", description="Errors", log=log))
    check_room(root)
    marks = [e for e in root.iter(f"{SVG}circle") if e.get("class") == "dot"]
    assert len(marks) == sum(not math.isnan(value) for _, value, _ in rows)
    assert words_of(root).count("no value") == sum(math.isnan(value) for _, value, _ in rows)


def test_dot_plots_draw_a_point_for_each_fold_and_a_bar_for_the_error():
    dot = report.Dot("tree", 10.0, 2.0, [8.0, 10.0, 12.0, math.nan])
    root = read(report.dot_plot([dot], axis="error %", description="Errors", reference=11.0))
    (points,) = [e for e in root.iter(f"{SVG}path") if e.get("class") == "points"]
    xs = [float(x) for x in re.findall(r"M([\d.]+) ", points.get("d"))]
    (bar,) = [e for e in root.iter(f"{SVG}line") if e.get("class") == "bar"]
    (mark,) = root.iter(f"{SVG}circle")
    assert xs[0] == float(bar.get("x1"))
    assert xs[1] == float(mark.get("cx"))
    assert xs[2] == float(bar.get("x2"))
    (line,) = [e for e in root.iter(f"{SVG}line") if e.get("class") == "reference"]
    assert float(line.get("x1")) == pytest.approx((xs[1] + xs[2]) / 2, abs=0.1)


@given(st.lists(st.tuples(NAMES, st.floats(0.001, 1e5), VALUES), max_size=14), st.booleans())
def test_scatter_plots_name_every_spot_somewhere(rows, log):
    spots = [report.Point(f"{i} {name}", x, y) for i, (name, x, y) in enumerate(rows)]
    svg = report.scatter_plot(spots, x_axis="s", y_axis="error", description="Errors", log_x=log)
    root = read(svg)
    check_room(root)
    drawn = [spot for spot in spots if not math.isnan(spot.y)]
    assert len(list(root.iter(f"{SVG}circle"))) == len(drawn)
    titles = [e.text for e in root.iter(f"{SVG}title")]
    assert len([t for t in titles if t]) >= len(drawn)


def test_names_of_spots_at_the_same_place_do_not_lie_over_each_other():
    spots = [report.Point(f"method_{i}", 1.0, 1.0) for i in range(14)]
    root = read(report.scatter_plot(spots, x_axis="s", y_axis="error", description="Errors"))
    check_room(root)
    assert sum(words.startswith("method_") for words in words_of(root)) >= 8


def test_heat_maps_shade_by_sign_and_size():
    shades = [math.nan, 0.0, 0.01, 0.5, 1.0, -0.01, -1.0]
    cells = [[report.HeatCell("x", shade) for shade in shades]]
    root = read(report.heat_map(["r"], [f"c{i}" for i in range(7)], cells, description="Shades"))
    kinds = [e.get("class") for e in root.iter(f"{SVG}g") if "cell" in (e.get("class") or "")]
    levels = ["empty", "even0", "good1", "good2", "good3", "bad1", "bad3"]
    assert kinds == [f"cell {level}" for level in levels]


@pytest.mark.parametrize("n", [2, 3, 8, 14, 40])
def test_the_rank_diagram_shows_ranks_and_ties_to_scale(n):
    result = nemenyi(n)
    root = read(report.rank_diagram(result))
    check_room(root)
    words = words_of(root)
    marks = [float(e.get("cx")) for e in root.iter(f"{SVG}circle")]
    left, right = marks[0], marks[-1]
    ranks = sorted(result.mean_ranks)
    unit = (right - left) / (ranks[-1] - ranks[0])
    for place, i in enumerate(result.order):
        assert any(
            result.names[i] in w and f"{result.mean_ranks[i]:.2f}" in w.split() for w in words
        )
        assert marks[place] - left == pytest.approx((ranks[place] - ranks[0]) * unit, abs=0.3)
    ruler = max(
        float(e.get("x2")) - float(e.get("x1"))
        for e in root.iter(f"{SVG}line")
        if e.get("class") == "ruler"
    )
    assert ruler == pytest.approx(result.critical_difference * unit, rel=0.01)
    ties = [e for e in root.iter(f"{SVG}line") if e.get("class") == "tie"]
    assert len(ties) == len(result.groups)
    for tie, group in zip(ties, result.groups, strict=True):
        span = result.mean_ranks[group[-1]] - result.mean_ranks[group[0]]
        assert float(tie.get("x2")) - float(tie.get("x1")) == pytest.approx(
            span * unit + 8, abs=0.4
        )


@given(st.lists(VALUES, max_size=6), st.booleans())
def test_scales_take_everything_in_and_their_numbers_are_true(values, log):
    scale = AxisScale.over(values, 100.0, 400.0, log=log)
    known = [v for v in values if not math.isnan(v) and (v > 1e-12 or not log)]
    places = [scale(v) for v in sorted(known)]
    assert places == sorted(places)
    assert all(100.0 <= p <= 400.0 for p in places)
    for value, text in scale.ticks():
        assert scale.low - 1e-9 <= value <= scale.high + 1e-9 * abs(scale.high)
        assert float(text) == pytest.approx(value, rel=1e-5, abs=1e-12)
