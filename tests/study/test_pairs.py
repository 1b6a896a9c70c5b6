"""Two columns of a table, row by row, with their tests; and checks of more than two columns."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mixedwood import study
from mixedwood.study import Cell, PublishedValue
from mixedwood.study.claims import judge
from mixedwood.study.definition import Claim
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


def table(columns, name="t", published=None, pairs=()):
    """A filled table with rows r0, r1, ..."""
    rows = tuple(f"r{i}" for i in range(len(next(iter(columns.values())))))
    cells = {
        (row, column): Cell(
            name, row, column, tuple(values[i]), published=(published or {}).get((row, column))
        )
        for column, values in columns.items()
        for i, row in enumerate(rows)
    }
    words = study.TableSpec(name, "Title", "run", ("error",), pairs={"a": "a", "b": "b"})
    return study.ResultTable(words, rows, tuple(columns), cells, tuple(pairs))


def verdict(tables, **check):
    named = {filled.spec.name: filled for filled in tables}
    return judge(Claim("text", ({"table": "t", **check},)), named)


def test_a_range_is_that_of_all_repetitions():
    found = table({"a": [[2.0, 3.0], [4.0]]})
    words = {"check": "between", "column": "a", "low": 2}
    assert verdict([found], **words, high=4).verdict == "holds"
    assert verdict([found], **words, high=3.9).verdict == "does not hold here"
    assert verdict([found], **words).evidence == ("a goes from 2.0 to 4.0 (Title)",)
    with pytest.raises(study.StudyError, match="no column 'z'; there are a"):
        verdict([found], check="between", column="z")


def test_a_figure_is_reached_from_below_or_within_two_errors():
    published = {
        ("r0", "a"): PublishedValue(9.0),
        ("r1", "a"): PublishedValue(9.0),
        ("r2", "a"): PublishedValue(2.5),
    }
    found = table({"a": [[1.0], [8.0, 12.0], [5.0]]}, published=published)
    assert verdict([found], check="reaches", column="a").verdict == "does not hold here"
    some = verdict([found], check="reaches", column="a", fraction=0.6)
    assert some.verdict == "holds"
    words = "a: r0 1.0 for 9.0 (-inf se), r1 10.0 for 9.0 (+0.5 se), r2 5.0 for 2.5 (+inf se)"
    assert some.evidence[0] == f"{words} (Title)"
    other = table({"a": [[1.0]], "b": [[9.0]]}, published={("r0", "a"): PublishedValue(1.0)})
    assert verdict([other], check="reaches", column="a").verdict == "holds"
    assert verdict([other], check="reaches", column="b").verdict == "not decided"
    there = verdict([other], check="reaches", column="b", published="a")
    assert there.verdict == "does not hold here"


def test_places_are_counted_among_the_columns_that_are_named():
    found = table({"a": [[2.0], [2.0]], "b": [[1.0], [3.0]], "c": [[1.0], [1.0]]})
    words = {"check": "among_first", "column": "a"}
    assert verdict([found], **words, among=["b"], places=1).verdict == "does not hold here"
    assert verdict([found], **words, among=["b"], places=1, fraction=0.5).verdict == "holds"
    seen = verdict([found], **words, among=["b", "c"], places=3)
    assert seen.verdict == "holds"
    assert seen.evidence == ("place of a among 3: 3 on r0, 2 on r1 (Title)",)


def test_a_table_is_put_beside_others():
    both = table({"a": [[1.0], [2.0]], "b": [[9.0], [9.0]]})
    ones = [table({"a": [[2.0], [2.0]]}, "u"), table({"a": [[3.0], [3.0]]}, "v")]
    words = {"check": "lower_than_beside", "beside": ["u", "v"], "columns": ["a", "b"]}
    seen = verdict([both, *ones], **words)
    assert seen.verdict == "does not hold here"  # in one of two, which is not more than half
    assert seen.evidence == ("lower in 1 of 2 cells, not for a on r1 (Title)",)
    assert verdict([both, *ones], **words, fraction=0.4).verdict == "holds"
    assert verdict([both], **words).verdict == "not decided"


def test_pairs_that_differ_are_counted():
    pairs = [
        PairedCell("r0", -1.0, 0.01, 0.2),
        PairedCell("r1", 1.0, 0.01, 0.04),
        PairedCell("r2", -1.0, 0.3, 0.5),
    ]
    found = table({"a": [[1.0]] * 3, "b": [[1.0]] * 3}, pairs=pairs)
    words = {"check": "different_pairs"}
    assert verdict([found], **words, lower=0.3, higher=0.3, same=0.3).verdict == "holds"
    assert verdict([found], **words, lower=0.6).verdict == "does not hold here"
    assert verdict([found], **words, lower=0.3, corrected=True).verdict == "does not hold here"
    seen = verdict([found], **words, same=0.6, corrected=True)
    assert seen.verdict == "holds"
    assert seen.evidence[0].startswith(
        "a is significantly lower than b in 0 of 3 rows, higher in 1"
    )
