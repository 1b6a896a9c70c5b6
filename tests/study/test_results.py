"""Cells, tables, claims, pages and pictures."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from mixedwood import study
from mixedwood.study import Cell, PublishedValue, TaskRecord
from mixedwood.study.claims import judge
from mixedwood.study.definition import Claim
from mixedwood.study.grid import expand
from mixedwood.study.results import read_published
from mixedwood.study.tables import FORMATS


def cell(values, **theirs):
    return Cell("t", "r", "c", tuple(values), **theirs)


def test_a_cell_knows_its_mean_and_standard_error():
    found = cell([10.0, 12.0, 14.0, 16.0])
    assert found.ours == 13.0
    assert found.error == pytest.approx(np.std([10, 12, 14, 16], ddof=1) / 2)
    assert found.z_score is None
    assert found.near is None
    assert cell([3.0]).error == 0.0
    assert math.isnan(cell([]).ours)


def test_gaps_are_in_standard_errors_of_the_difference():
    values = [9.0, 11.0] * 8  # mean 10, standard error 0.258
    error = cell(values).error
    found = cell(values, published=PublishedValue(11.0, 0.2))
    assert found.z_score == pytest.approx(-1.0 / math.hypot(error, 0.2))
    assert found.near is False
    assert cell(values, published=PublishedValue(10.0 + 1.99 * error)).near
    assert not cell(values, published=PublishedValue(10.0 + 2.3 * error)).near
    # The check run will do as well.
    assert cell(values, published=PublishedValue(11.0, 0.2), check=PublishedValue(10.2)).near


def test_what_rounds_to_the_printed_figure_is_no_difference():
    assert cell([10.04, 10.04], published=PublishedValue(10.0)).z_score == 0.0
    assert cell([10.05, 10.05], published=PublishedValue(10.0)).z_score == 0.0
    assert cell([10.06, 10.06], published=PublishedValue(10.0)).z_score == math.inf
    assert cell([9.94, 9.94], published=PublishedValue(10.0)).z_score == -math.inf
    assert cell([10.06, 10.06], published=PublishedValue(10.0), digits=0).z_score == 0.0


def test_published_figures_come_with_or_without_a_spread():
    assert read_published(5, 10) == PublishedValue(5.0)
    assert read_published([5, 2.0], 16) == PublishedValue(5.0, 0.5)
    assert read_published([5, 2.0], 0) == PublishedValue(5.0)
    assert read_published(None, 3) is None
    with pytest.raises(ValueError, match="number or"):
        read_published("five", 3)


@pytest.fixture
def found(letters):
    """Results with figures that are easy to follow; letter z was not run."""
    chosen = study.read_study(letters)
    with study.Store(":memory:") as store:
        for task in expand(chosen, chosen.experiments["letters"]):
            if task.point["letter"] != "z":
                base = {"x": 0.5, "y": 0.6}[task.point["letter"]]
                figures = {
                    "error": base + task.point["repetition"] / 100,
                    "folds": [base, base + 1],
                }
                store.add(TaskRecord(task.key, "t", task.label, figures, seconds=60, version="7"))
        return study.results(chosen, store)


def test_tables_are_filled_with_what_is_there(found):
    one = found.table("one")
    assert one.rows == ("x", "y", "z")
    assert one.columns == ("error", "folds")
    assert set(one.cells) == {(r, c) for r in "xy" for c in ("error", "folds")}
    assert one.cells["x", "error"].values == tuple(0.5 + n / 100 for n in range(12))
    assert one.cells["x", "folds"].values == (0.5, 1.5) * 12
    assert one.cells["x", "folds"].published == PublishedValue(0.5, 0.05)
    assert one.cells["y", "folds"].published is None
    assert (one.n_near, one.n_judged) == (0, 3)
    assert found.table("two").cells == {}
    with pytest.raises(study.StudyError, match="no table 'three'; there are one, two"):
        found.table("three")


def test_the_page_has_every_figure(found):
    page = study.to_markdown(found, command="the command", figures={"lines": "lines.png"})
    assert "# Letters" in page
    assert "`the command`" in page
    assert "24 of 44 tasks done; 24 min of work" in page
    assert "mixedwood 7" in page
    assert "**Published figures: 0 of 3 within two standard errors**" in page
    assert "| x is less than y | **not decided** |" in page
    assert "| x | 0.56 ± 0.01 (0.50, +5.3 se) ! |" in page
    assert "![lines](lines.png)" in page
    assert "| z |" not in page


def test_what_was_not_run_is_said_and_decides_nothing(found):
    one = found.table("one")
    assert (one.n_done, one.n_tasks) == (24, 36)
    assert one.not_run == {("z", "error"), ("z", "folds")}
    assert "Run in part: 24 of 36 tasks." in study.to_markdown(found)
    check = {"check": "between", "table": "one", "column": "error", "low": 0.5, "high": 0.8}
    tables = {"one": one}
    assert judge(Claim("t", ({**check, "rows": ["x", "y"]},)), tables).verdict == "holds"
    seen = judge(Claim("t", (check,)), tables)
    assert (seen.verdict, seen.evidence) == ("not decided", ("no check could run",))


def test_the_best_of_some_tasks_is_not_the_best(letters):
    """A row that shows the best repetition waits for all of them."""
    chosen = study.read_study(letters)
    table = replace(chosen.tables[0], best={"over": ["repetition"], "by": "error"})
    chosen = replace(chosen, tables=(table,))
    tasks = [t for t in expand(chosen, chosen.experiments["letters"]) if t.point["letter"] == "x"]
    for n_done, waits in ((len(tasks), False), (len(tasks) - 1, True), (0, True)):
        with study.Store(":memory:") as store:
            for task in tasks[:n_done]:
                store.add(TaskRecord(task.key, "t", task.label, {"error": 0.5, "folds": [1.0]}))
            not_run = study.results(chosen, store).tables[0].not_run
        assert (("x", "error") in not_run) == waits


def test_remarks_go_to_the_narrowest_place(found):
    remarks = {"one / x / error": "Just this.", "one / * / *": "All of it."}
    page = study.to_markdown(
        study.Results(replace(found.study, remarks=remarks), found.records, found.tasks)
    )
    assert "- x, error: 0.56 ± 0.01 (0.50, +5.3 se). Just this." in page
    assert "All of it." in page


def test_forms_agree(found):
    text = FORMATS["text"](found.tables)
    assert "0.56 ± 0.01 (0.50, +5.3 se) !" in text
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](found.tables))))
    cells = json.loads(FORMATS["json"](found.tables))
    assert len(rows) == len(cells) == 4
    for row, content in zip(rows, cells, strict=True):
        assert (row["row"], row["column"]) == (content["row"], content["column"])
        assert float(row["ours"]) == content["ours"]
    assert FORMATS["markdown"](found.tables).count("|---|") == 2


def test_pictures_are_drawn(found, tmp_path):
    from matplotlib.image import imread

    [(name, path)] = study.draw_figures(found, tmp_path / "out").items()
    assert (name, path.name) == ("lines", "letters_lines.png")
    assert imread(path).std() > 0.01  # something is on it


@pytest.mark.parametrize("kind", ["boxes", "bars"])
def test_other_kinds_are_drawn_too(found, tmp_path, kind):
    from dataclasses import replace

    figures = tuple(replace(figure, kind=kind) for figure in found.study.figures)
    changed = study.Results(replace(found.study, figures=figures), found.records, found.tasks)
    [path] = study.draw_figures(changed, tmp_path).values()
    assert path.exists()


def test_points_have_a_panel_for_each_metric_and_a_line(found, tmp_path):
    from dataclasses import replace

    from matplotlib.axes import Axes

    drawn = []
    patch = pytest.MonkeyPatch()
    plot = Axes.plot
    patch.setattr(Axes, "plot", lambda *a, **k: drawn.append(a[1:]) or plot(*a, **k))
    [figure] = found.study.figures
    figure = replace(figure, kind="points", x="error", xs=("error", "folds"), y="error", series="")
    changed = study.Results(replace(found.study, figures=(figure,)), found.records, found.tasks)
    [path] = study.draw_figures(changed, tmp_path).values()
    patch.undo()
    assert path.exists()
    assert len(drawn) == 2  # a line in each panel
    x, y = drawn[0]
    np.testing.assert_allclose(x, y)  # error against error


def test_published_figures_and_check_runs_are_counted_apart():
    values = (9.0, 11.0) * 8
    found = cell(values, published=PublishedValue(12.0), check=PublishedValue(10.0))
    assert (found.near_published, found.near_check) == (False, True)
