"""Marks of significance below a table, and results kept as a file."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mixedwood import study
from mixedwood.study import Cell
from mixedwood.study.grid import expand
from mixedwood.study.marks import mark_rows, win_rows, worse_rows
from mixedwood.study.saved import read_results, write_results
from mixedwood.study.tables import to_markdown

LOW, HIGH = [1.0, 1.2, 0.7, 1.4, 1.1], [2.0, 2.1, 1.9, 2.0, 2.05]


def table(columns, marks):
    rows = tuple(f"r{i}" for i in range(len(next(iter(columns.values())))))
    cells = {
        (row, name): Cell("t", row, name, tuple(values[i]))
        for name, values in columns.items()
        for i, row in enumerate(rows)
        if values[i] is not None
    }
    spec = study.TableSpec("t", "Title", "run", ("error",), marks=marks)
    return study.ResultTable(spec, rows, tuple(columns), cells)


def test_marks_are_those_of_the_test():
    columns = {"a": [LOW, HIGH, LOW], "b": [HIGH, LOW, LOW], "c": [LOW, HIGH, None]}
    printed = {"a": {"b": "9/9/9"}}
    found = table(columns, {"of": ["a"], "against": ["b", "c"], "published": printed})
    assert mark_rows(found) == [["r0", "+."], ["r1", "-."]]  # r2 lacks c
    assert win_rows(found) == [["a", "b", "1/1/1", "9/9/9"], ["a", "c", "0/2/0", "-"]]


def test_marks_need_the_repetitions_of_their_test():
    found = table({"a": [LOW], "b": [HIGH]}, {"of": ["a"], "against": ["b"], "test": "5x2cv F"})
    assert mark_rows(found) == [["r0", "?"]]
    assert win_rows(found) == [["a", "b", "0/0/0", "-"]]


def test_worse_columns_are_counted_one_tailed():
    between = np.add(LOW, [0.3, 0.1, 0.2, 0.25, -0.05])
    assert stats.ttest_rel(LOW, between).pvalue > 0.03
    columns = {"a": [HIGH], "b": [LOW], "c": [between], "d": [HIGH[:3]]}
    assert stats.ttest_rel(LOW, between, alternative="less").pvalue < 0.05
    found = table(columns, {"worse": True})
    # d has three repetitions: the first three of the others are compared with it.
    assert worse_rows(found) == [["r0", "2", "0", "1", "2"]]
    constant = table({"a": [[1.0, 2.0]], "b": [[2.0, 3.0]]}, {"worse": True})
    assert worse_rows(constant) == [["r0", "0", "1"]]


def results(path):
    chosen = study.read_study(path)
    with study.Store(":memory:") as store:
        for task in expand(chosen, chosen.experiments["letters"]):
            values = {"error": 1 / 3 + task.point["repetition"], "folds": [1.0, 2.5], "more": 1.0}
            store.add(study.TaskRecord(task.key, "t", task.label, values, seconds=2, version="7"))
        return study.results(chosen, store)


def test_marks_are_on_the_page(edited):
    marks = 'marks = { of = ["error"], against = ["folds"], test = "paired t" }'
    path = edited('rows = "letter"\n', f'rows = "letter"\n{marks}\n')
    page = to_markdown(results(path))
    assert "Marks against folds, in this order, by the test paired t" in page
    assert "| error | folds | 0/0/3 | - |" in page
    with pytest.raises(study.StudyError, match="marks needs of and against"):
        study.read_study(edited('of = ["error"], ', ""))


def test_kinds_of_figures_are_counted_apart(edited):
    path = edited('rows = "letter"\n', 'rows = "letter"\nsource = "reference"\n')
    found = results(path)
    assert "**Reference program: 0 of 3 within" in to_markdown(found)
    assert found.table("one").count("published") == (0, 0)
    with pytest.raises(study.StudyError, match="source must be"):
        study.read_study(edited('"reference"', '"rumor"'))


def test_results_are_kept_in_a_file(letters, tmp_path):
    found, path = results(letters), tmp_path / "kept" / "letters.json"
    write_results(found, path)
    again = read_results(found.study, path)
    assert len(again.records) == len(found.records)
    assert again.versions == ("7",)
    for name, cell in found.table("one").cells.items():
        np.testing.assert_allclose(again.table("one").cells[name].values, cell.values, rtol=1e-9)
    assert "more" not in path.read_text("utf-8")
    # A changed study leaves out what it no longer has.
    fewer = replace(found.study.experiments["letters"], axes={"letter": ("x",), "repetition": (0,)})
    smaller = replace(found.study, experiments={**found.study.experiments, "letters": fewer})
    assert len(read_results(smaller, path).records) == 1
    path.write_text(json.dumps([1]), "utf-8")
    with pytest.raises(study.StudyError, match="cannot be read as results"):
        read_results(found.study, path)
