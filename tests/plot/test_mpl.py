"""The same picture with matplotlib."""

import sys
import warnings

import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import FancyBboxPatch  # noqa: E402

from explain.random_trees import random_tree  # noqa: E402
from mixedwood.data import Column, Schema  # noqa: E402
from mixedwood.plot import plot_tree  # noqa: E402
from mixedwood.plot.drawing import draw_tree  # noqa: E402
from mixedwood.tree import TreeBuilder  # noqa: E402


def test_a_figure_of_its_own_is_as_large_as_the_tree(tmp_path):
    tree = random_tree(1, n_tests=8)
    ax = plot_tree(tree)
    try:
        frames = [p for p in ax.patches if isinstance(p, FancyBboxPatch)]
        assert len(frames) == len(draw_tree(tree).boxes)
        size = [draw_tree(tree).width + 20, draw_tree(tree).height + 20]
        assert list(ax.figure.get_size_inches() * 96) == pytest.approx(size)
        ax.figure.savefig(tmp_path / "tree.png")
        ax.figure.savefig(tmp_path / "tree.svg")
        assert (tmp_path / "tree.png").stat().st_size > 5_000
    finally:
        plt.close(ax.figure)


def test_text_fits_its_frame():
    ax = plot_tree(random_tree(2, n_tests=8), Figure(figsize=(9, 6)).subplots(), max_depth=2)
    ax.figure.canvas.draw()
    drawing = draw_tree(random_tree(2, n_tests=8), max_depth=2)
    to_data = ax.transData.inverted()
    widths = {}
    for text in ax.texts:
        (x0, _), (x1, _) = to_data.transform(text.get_window_extent().get_points())
        widths[text.get_text()] = x1 - x0
    for box in drawing.boxes:
        assert max(widths[line] for line in (box.title, *box.lines)) < box.width


def test_the_given_axes_are_used_and_the_limits_hold():
    axes = Figure().subplots(1, 2)
    tree = random_tree(4, n_tests=30)
    assert tree.plot(axes[1], max_depth=1) is axes[1]
    assert len(axes[0].texts) == 0
    assert sum(isinstance(p, FancyBboxPatch) for p in axes[1].patches) == 1 + len(
        tree.children_of(0)
    )


def test_dollars_are_not_mathematics():
    schema = Schema((Column("pay in $", "numeric"),))
    builder = TreeBuilder(schema, ["$\\frac{$", "</b>"], [3, 1])
    builder.split_interval(0, "pay in $", [[3, 0], [0, 1]], high=5.0)
    ax = plot_tree(builder.build(), Figure().subplots())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.draw()
    assert "pay in $ <= 5" in [text.get_text() for text in ax.texts]


def test_without_matplotlib_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"mixedwood\[plot\]"):
        plot_tree(random_tree(0))
