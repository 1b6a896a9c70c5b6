"""The critical-difference diagram."""

import subprocess
import sys

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from mixedwood.stats import critical_difference_diagram, friedman_test, nemenyi_test  # noqa: E402
from mixedwood.stats.diagram import _BAR_COLOR  # noqa: E402


def some_result(n_datasets=14, n_methods=5, seed=0):
    errors = np.random.default_rng(seed).random((n_datasets, n_methods))
    names = [f"a method with the number ${i}$" for i in range(n_methods)]
    return nemenyi_test(errors + np.linspace(0.0, 0.8, n_methods), names=names)


def bars_of(ax):
    return [line.get_xdata() for line in ax.lines if line.get_color() == _BAR_COLOR]


def unit_of(ax):
    """Where the ranks 1 and 2 are."""
    one, two = (next(t for t in ax.texts if t.get_text() == rank) for rank in "12")
    return one.get_position()[0], two.get_position()[0]


@pytest.mark.parametrize(("n_datasets", "n_methods"), [(2, 2), (14, 5), (30, 9), (20, 30)])
def test_it_draws_and_nothing_is_cut_off(n_datasets, n_methods, tmp_path):
    result = some_result(n_datasets, n_methods)
    ax = critical_difference_diagram(result)
    try:
        for kind in ("png", "svg", "pdf"):
            ax.figure.savefig(tmp_path / f"diagram.{kind}")
            assert (tmp_path / f"diagram.{kind}").stat().st_size > 2_000
        frame = ax.figure.bbox
        for text in ax.texts:
            box = text.get_window_extent()
            assert frame.x0 <= box.x0 <= box.x1 <= frame.x1
            assert frame.y0 <= box.y0 <= box.y1 <= frame.y1
    finally:
        plt.close(ax.figure)


def test_texts_do_not_overlap():
    ax = critical_difference_diagram(some_result(40, 12), Figure(figsize=(9, 5)).subplots())
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_places_are_the_numbers():
    result = some_result()
    ax = critical_difference_diagram(result, Figure().subplots())
    one, two = unit_of(ax)
    for i, name in enumerate(result.names):
        assert any(
            text.get_text().strip(" 0123456789.") in name and f"{result.mean_ranks[i]:.2f}" in
            text.get_text() for text in ax.texts
        )  # fmt: skip
        x = one + (two - one) * (result.mean_ranks[i] - 1)
        assert any(line.get_xdata()[0] == pytest.approx(x) for line in ax.lines)
    ruler = one + (two - one) * result.critical_difference
    assert any(list(line.get_xdata()) == pytest.approx([one, ruler]) for line in ax.lines)


@pytest.mark.parametrize("seed", range(5))
def test_there_is_a_bar_for_each_group(seed):
    result = some_result(30, 9, seed)
    assert len(result.groups) > 1
    ax = critical_difference_diagram(result, Figure().subplots())
    one, two = unit_of(ax)
    spans = [
        sorted(one + (two - one) * (result.mean_ranks[[group[0], group[-1]]] - 1))
        for group in result.groups
    ]
    drawn = bars_of(ax)
    assert len(drawn) == len(spans)
    for bar, (left, right) in zip(drawn, spans, strict=True):
        assert left - 5 < bar[0] < left
        assert right < bar[1] < right + 5


def test_bars_on_one_level_do_not_touch():
    ax = critical_difference_diagram(some_result(30, 9), Figure().subplots())
    bars = [line for line in ax.lines if line.get_color() == _BAR_COLOR]
    for i, bar in enumerate(bars):
        for other in bars[:i]:
            if bar.get_ydata()[0] == other.get_ydata()[0]:
                assert bar.get_xdata()[0] > other.get_xdata()[1]


def test_the_given_axes_are_used():
    axes = Figure().subplots(1, 2)
    assert critical_difference_diagram(some_result(), axes[1]) is axes[1]
    assert not axes[0].lines


def test_another_result_is_refused():
    with pytest.raises(TypeError, match="must be the result of nemenyi_test; got FriedmanTest"):
        critical_difference_diagram(friedman_test([[0.1, 0.2], [0.2, 0.3]]))


def test_without_matplotlib_the_text_is_pointed_to(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"result\.to_text\(\)"):
        critical_difference_diagram(some_result())


def test_statistics_need_no_matplotlib():
    code = (
        "import sys, mixedwood.stats as s; s.friedman_test([[1, 2], [2, 3]]); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "mixedwood.stats" in loaded
    assert loaded & {"matplotlib", "pandas", "sklearn", "scipy.stats"} == set()
