"""Tables that show ratios, largest figures, or published figures as uncertain as ours; checks."""

import math

import pytest

from mixedwood import study
from mixedwood.study import Cell, PublishedValue, TaskRecord
from mixedwood.study.grid import expand
from mixedwood.study.results import ResultTable, relative


def cells(**columns):
    """Cells of a table from its columns: rows by number, each a list of values."""
    return {
        (str(row), name): Cell("t", str(row), name, tuple(values))
        for name, rows in columns.items()
        for row, values in enumerate(rows)
    }


def filled(**columns):
    found = cells(**columns)
    rows = tuple(dict.fromkeys(row for row, _ in found))
    return ResultTable(
        study.TableSpec("t", "T", "r", ("f",), digits=2), rows, tuple(columns), found
    )


def results(letters):
    chosen = study.read_study(letters)
    with study.Store(":memory:") as store:
        for task in expand(chosen, chosen.experiments["letters"]):
            base = {"x": 0.5, "y": 0.8, "z": 0.2}[task.point["letter"]]
            figures = {"error": base + task.point["repetition"] / 100, "folds": [base, 2 * base]}
            store.add(TaskRecord(task.key, "t", task.label, figures, version="7"))
        return study.results(chosen, store)


def test_rows_are_divided_by_a_column_and_published_ones_by_the_published():
    found = cells(a=[[2.0, 4.0]], b=[[6.0, 12.0]])
    found["0", "a"] = Cell("t", "0", "a", (2.0, 4.0), published=PublishedValue(10.0, 1.0))
    found["0", "b"] = Cell("t", "0", "b", (6.0, 12.0), published=PublishedValue(40.0, 2.0))
    ratio = relative(found, "a")
    assert set(ratio) == {("0", "b")}
    assert ratio["0", "b"].values == (2.0, 4.0)
    assert ratio["0", "b"].published == PublishedValue(4.0, 0.2)
    assert relative(cells(b=[[1.0]]), "a") == {}
    del found["0", "a"]
    found["0", "a"] = Cell("t", "0", "a", (2.0, 4.0))
    assert relative(found, "a")["0", "b"].published is None


def test_a_table_of_ratios_has_no_column_of_ones(edited):
    letters = edited('name = "one"', 'name = "one"\nrelative_to = "folds"')
    one = results(letters).table("one")
    assert one.columns == ("error",)
    cell = one.cells["x", "error"]
    assert cell.ours == pytest.approx((0.5 + 0.055) / 0.75)
    assert cell.published.value == pytest.approx(0.5 / 0.5)


def test_the_largest_figure_may_be_shown(edited):
    letters = edited('name = "one"', 'name = "one"\nsummary = "largest"')
    cell = results(letters).table("one").cells["x", "folds"]
    assert cell.values == (1.0,)
    with pytest.raises(study.StudyError, match="summary must be mean or largest"):
        study.read_study(edited('"largest"', '"median"'))


def test_published_figures_may_be_as_uncertain_as_ours(edited):
    letters = edited('name = "one"', 'name = "one"\nsame_spread = true')
    table = results(letters).table("one")
    cell = table.cells["y", "error"]
    assert cell.published == PublishedValue(0.4, cell.error)
    assert cell.z_score == pytest.approx((cell.ours - 0.4) / (math.sqrt(2) * cell.error))
    assert table.cells["x", "folds"].published == PublishedValue(0.5, 0.05)  # it has its own


def test_what_is_assumed_can_be_left_out_of_the_count(edited):
    letters = edited('name = "one"', 'name = "one"\nsame_spread = true')
    table = results(letters).table("one")
    cell = table.cells["y", "error"]
    assert cell.published.assumed
    assert cell.exactly_published.published == PublishedValue(0.4)
    printed = table.cells["x", "folds"]
    assert printed.exactly_published.published == printed.published
    assert table.count("published", exact=True)[0] <= table.count("published")[0]
