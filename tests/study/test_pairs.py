"""Two columns of a table, row by row, with their tests."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mixedwood import study
from mixedwood.study import Cell, PublishedValue
from mixedwood.study.grid import expand
from mixedwood.study.results import PairedCell, compare_pair
from mixedwood.study.store import TaskRecord
from mixedwood.study.tables import format_cell

A = [0.20, 0.22, 0.19, 0.25]
B = [0.21, 0.25, 0.21, 0.29]


def test_a_pair_has_the_paired_t_test_and_the_corrected_one():
    found = compare_pair("row", A, B, overlap=1 / 3, published=0.02)
    assert found.difference == pytest.approx(-0.025)
    assert found.p_value == pytest.approx(stats.ttest_rel(A, B).pvalue)
    gaps = np.subtract(A, B)
    t = gaps.mean() / np.sqrt(gaps.var(ddof=1) * (1 / 4 + 1 / 3))
    assert found.corrected == pytest.approx(2 * stats.t.cdf(t, 3))
    assert found.published == 0.02
    assert (found.side(), found.side(corrected=True)) == (-1, 0)


def test_rows_of_their_own_need_no_correction():
    found = compare_pair("row", B, A)
    assert found.corrected == found.p_value
    assert found.side() == 1


def test_pairs_without_the_same_repetitions_are_left_out():
    assert compare_pair("row", A, B[:3]) is None
    assert compare_pair("row", A[:1], B[:1]) is None
    assert compare_pair("row", A, A) == PairedCell("row", 0.0, 1.0, 1.0)


PAIRS = 'pairs = { a = "x", b = "y", overlap = "overlap", published = { error = 0.25 } }'


@pytest.fixture
def found(edited):
    """Results of the small study, its first table turned round."""
    edited('rows = "letter"\ncolumns = "metric"', f'rows = "metric"\ncolumns = "letter"\n{PAIRS}')
    path = edited("published_runs = 4", "judged = false")
    chosen = study.read_study(path)
    with study.Store(":memory:") as store:
        for task in expand(chosen, chosen.experiments["letters"]):
            luck = (task.point["repetition"] * 7) % 5 / 10
            error = {"x": 0.5, "y": 0.7, "z": 0.5}[task.point["letter"]] + luck * (
                task.point["letter"] != "y"
            )
            figures = {"error": error, "folds": [error, 0.0], "overlap": 0.5}
            store.add(TaskRecord(task.key, "t", task.label, figures, seconds=1, version="7"))
        return study.results(chosen, store)


def test_a_table_compares_its_pairs(found):
    table = found.table("one")
    first, second = (table.cells["error", letter].values for letter in "xy")
    assert table.pairs[0] == compare_pair("error", first, second, 0.5, 0.25)
    assert [pair.row for pair in table.pairs] == ["error", "folds"]
    page = study.to_markdown(found)
    assert "x less y, with a two-sided paired t test, as it is and corrected" in page
    pair = table.pairs[0]
    figures = f"{pair.difference:+.3f} | {pair.p_value:.2g} | {pair.corrected:.2g} | 0.25"
    assert f"| error | {figures} |" in page
    assert "| folds |" in page


def test_an_overlap_may_be_a_number(edited):
    path = edited('rows = "letter"', 'rows = "letter"\npairs = { a = "x", b = "y", overlap = 0.5 }')
    table = study.read_study(path).tables[0]
    assert study.Results(study.read_study(path), {}, {})._overlap(table, "x") == 0.5


def test_an_overlap_must_be_a_figure(found):
    pairs = {**found.table("one").spec.pairs, "overlap": "ovrlap"}
    tables = tuple(replace(table, pairs=pairs) for table in found.study.tables[:1])
    changed = study.Results(replace(found.study, tables=tables), found.records, found.tasks)
    with pytest.raises(study.StudyError, match="'one' has pairs by 'ovrlap'"):
        changed.table("one")


def test_a_table_that_is_not_judged_only_shows_what_is_published():
    cell = Cell("t", "r", "c", (1.0, 3.0), published=PublishedValue(9.0), judged=False)
    assert cell.z_score is not None
    assert cell.near is None
    assert format_cell(cell) == "2.0 ± 1.0 (9.0)"


def test_pairs_are_checked_when_the_study_is_read(edited):
    path = edited('rows = "letter"', 'rows = "letter"\npairs = { a = "x", c = "y" }')
    with pytest.raises(study.StudyError, match=r"pairs needs a and b.*got a, c"):
        study.read_study(path)
