"""Checks of claims: what their intervals decide, one by one, and the verdicts made of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mixedwood import study
from mixedwood.study import Cell, PublishedValue
from mixedwood.study.claims import CHECKS, judge
from mixedwood.study.definition import Claim
from mixedwood.study.results import PairedCell
from mixedwood.study.spread import Interval, count, mean_interval, t_interval

SIGNS = {"yes": True, "no": False, "open": None}


def table(columns, rows=None, spread="repetitions", name="t", published=None, pairs=()):
    """A filled table: for each column, the repetitions of each row."""
    rows = tuple(rows or (f"r{i}" for i in range(len(next(iter(columns.values()))))))
    cells = {
        (row, column): Cell(
            name,
            row,
            column,
            tuple(values[i]),
            published=(published or {}).get((row, column)),
            repetitions=tuple(values[i]),
        )
        for column, values in columns.items()
        for i, row in enumerate(rows)
        if values[i] is not None
    }
    spec = study.TableSpec(
        name, "Title", "run", ("error",), spread=spread, pairs={"a": "a", "b": "b"}
    )
    return study.ResultTable(spec, rows, tuple(columns), cells, tuple(pairs))


def points(columns, **options):
    """A table of single values that are exact."""
    single = {name: [[value] for value in values] for name, values in columns.items()}
    return table(single, spread="none", **options)


def check(tables, kind, **options):
    """The decision of a check, and its sentence; None if it could not run."""
    named = {t.spec.name: t for t in (tables if isinstance(tables, list) else [tables])}
    entry = {"table": next(iter(named)), "check": kind, **options}
    found = judge(Claim("text", (entry,)), named)
    if found.evidence == ("no check could run",):
        return None, ""
    sign, _, text = found.evidence[0].partition(": ")
    return SIGNS[sign], text


def decision(tables, kind, **options):
    found, text = check(tables, kind, **options)
    return found if text else "could not run"


LOW = [1.0, 1.2, 0.7, 1.4, 1.1]
HIGH = [2.0, 2.1, 1.9, 2.0, 2.05]
WIDE = [1.0, 3.2, 0.7, 2.4, 1.5]  # its mean is below that of HIGH


# Intervals


def test_an_interval_is_that_of_the_t_distribution():
    found = t_interval(LOW)
    expected = stats.t.interval(0.95, 4, np.mean(LOW), stats.sem(LOW))
    assert (found.low, found.high) == pytest.approx(expected)
    assert t_interval([1.0]) is None


def test_what_an_interval_decides():
    assert [Interval(*ends).below() for ends in ((-2, -1), (-1, 1), (0, 1), (0, 0))] == [
        True, None, False, False,
    ]  # fmt: skip
    assert [Interval(*ends).above() for ends in ((1, 2), (-1, 1), (-1, 0))] == [True, None, False]
    ends = ((0, 1), (0.5, 1.5), (-1, 2), (1.1, 2))
    assert [Interval(*e).within(0, 1) for e in ends] == [True, None, None, False]


def test_repetitions_are_averaged_over_rows_first():
    """Rows of one dataset go up and down together: they are not independent."""
    both = table({"a": [LOW, LOW], "b": [HIGH, HIGH]})
    rows = [tuple(both.cells[row, name] for name in "ab") for row in both.rows]
    found = mean_interval("repetitions", rows, np.subtract)
    expected = t_interval(np.subtract(LOW, HIGH))
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_folds_are_not_repetitions():
    folds = Cell("t", "r", "c", (1.0, 9.0, 1.1, 9.1), repetitions=(5.0, 5.1))
    assert folds.error == pytest.approx(stats.sem([5.0, 5.1]))


def test_counts_of_decisions_are_open_while_open_ones_matter():
    assert count([True, None, False], 1) is True
    assert count([True, None, False], 2) is None
    assert count([True, None, False], 3) is False


# Verdicts


@pytest.mark.parametrize(
    ("columns", "verdict"),
    [
        ("a a", "holds"),
        ("a b", "holds in part"),
        ("b b", "does not hold here"),
        ("a c", "not decided"),
        ("b c", "does not hold here"),
        ("a b c", "holds in part"),
        ("a missing", "not decided"),
        ("b missing", "not decided"),
    ],
)
def test_the_verdict_is_that_of_all_checks(columns, verdict):
    found = table({"a": [LOW], "b": [[5.0, 5.2, 5.1, 5.0, 5.3]], "c": [WIDE], "d": [HIGH]})
    checks = [
        {"check": "lower_mean", "table": "t", "a": name, "b": "d"}
        if name != "missing"
        else {"check": "lower_mean", "table": "elsewhere", "a": "a", "b": "d"}
        for name in columns.split()
    ]
    seen = judge(Claim("text", tuple(checks)), {"t": found})
    assert seen.verdict == verdict
    if "missing" in columns:
        assert seen.evidence[-1] == "1 of 2 checks could not run"


def test_mistakes_are_named():
    found = table({"a": [LOW], "b": [HIGH]})
    with pytest.raises(study.StudyError, match="no check 'louder'; there are lower_mean"):
        check(found, "louder")
    with pytest.raises(study.StudyError, match="no column 'z'; there are a"):
        check(found, "lower_mean", a="a", b="z")
    for kind in ("lower_in_rows", "similar"):
        with pytest.raises(study.StudyError, match="fraction of the rows"):
            check(found, kind, a="a", b="b", fraction=2, **{"similar": {"margin": 1}}.get(kind, {}))
    with pytest.raises(study.StudyError, match="fraction of the rows"):
        check(found, "significantly_lower", a="a", b="b", at_least=2)
    with pytest.raises(study.StudyError, match="margin must be above 0"):
        check(found, "similar", a="a", b="b", margin=0)
    with pytest.raises(TypeError, match="at_least"):
        check(found, "significantly_lower", a="a", b="b")


def test_every_check_says_no_as_well_as_yes():
    """Each kind has a test below that sees both; a new kind needs one."""
    assert set(CHECKS) == {
        "lower_mean", "lower_rank", "lower_in_rows", "never_higher", "similar",
        "significantly_lower", "ratio", "grows_less", "grows", "slope", "between", "reaches",
        "near", "quantile", "highest_mean", "among_first", "lower_than_beside", "different_pairs",
    }  # fmt: skip


# Two columns


def test_a_mean_is_lower_if_its_whole_interval_is():
    words = {"kind": "lower_mean", "a": "a", "b": "b"}
    assert decision(table({"a": [LOW], "b": [HIGH]}), **words) is True
    assert decision(table({"a": [HIGH], "b": [LOW]}), **words) is False
    assert decision(table({"a": [WIDE], "b": [HIGH]}), **words) is None
    assert decision(table({"a": [HIGH], "b": [HIGH]}), **words) is False  # equal is not lower
    assert decision(table({"a": [[1.0]], "b": [[2.0]]}), **words) == "could not run"
    exact = points({"a": [1.0, 2.0], "b": [2.0, 1.5]})
    assert check(exact, **words) == (True, "mean over 2 rows: a 1.50, b 1.75 (Title)")


def test_a_mean_may_be_higher_by_less_than_a_margin():
    found = table({"a": [HIGH], "b": [LOW]})
    words = {"kind": "lower_mean", "a": "a", "b": "b"}
    assert [decision(found, **words, margin=m) for m in (2, 1, 0.1)] == [True, None, False]


def test_ranks_are_those_of_rows():
    columns = {"a": [1.0] * 6, "b": [2.0] * 6, "c": [3.0, 0.5, 3.0, 0.5, 3.0, 0.5]}
    words = {"kind": "lower_rank"}
    found, text = check(points(columns), **words, a="a", among=["b", "c"])
    assert found is None  # b is behind, c is not known to be
    assert text.startswith("mean ranks over 6 rows: a 1.50, b 2.50, c 2.00; less b -1.00 to -1.00")
    assert decision(points(columns), **words, a="a", among=["b"]) is True
    assert decision(points(columns), **words, a="b", among=["a"]) is False
    one = {name: values[:1] for name, values in columns.items()}
    assert decision(points(one), **words, a="a", among=["b"]) == "could not run"


def test_a_proposal_has_a_note_and_no_verdict(letters):
    text = letters.read_text("utf-8")
    claim = '[[claims]]\nsource = "proposal"\ntext = "Try more."\n'
    letters.write_text(text + claim, "utf-8")
    with pytest.raises(study.StudyError, match="a proposal a text and a note"):
        study.read_study(letters)
    letters.write_text(text + claim + 'note = "Tried."\n', "utf-8")
    [*_, verdict] = study.Results(
        study.read_study(letters), {}, {"letters": (), "trees": ()}
    ).verdicts
    assert (verdict.verdict, verdict.evidence) == ("nothing claimed", ())


def test_means_over_datasets_have_the_spread_of_datasets():
    words = {"kind": "lower_mean", "a": "a", "b": "b"}
    a, b = [[1.0], [5.0], [9.0]], [[2.0], [6.1], [9.9]]
    assert decision(table({"a": a, "b": b}, spread="rows"), **words) is True
    b[2] = [7.0]
    assert decision(table({"a": a, "b": b}, spread="rows"), **words) is None
    assert decision(table({"a": a[:1], "b": b[:1]}, spread="rows"), **words) == "could not run"


def test_rows_are_counted_when_they_are_certain():
    words = {"kind": "lower_in_rows", "a": "a", "b": "b"}
    found = table({"a": [LOW, LOW, WIDE, HIGH], "b": [HIGH, HIGH, HIGH, LOW]})
    assert decision(found, **words, fraction=0.49) is True
    assert decision(found, **words, fraction=0.5) is None  # the third row decides
    assert decision(found, **words, fraction=0.75) is False
    assert check(found, **words)[1].startswith("a is lower than b in 2 of 4 rows (1 open); r0 -")


def test_equal_rows_count_half():
    words = {"kind": "lower_in_rows", "a": "a", "b": "b"}
    found = points({"a": [1.0, 2.0, 3.0], "b": [2.0, 2.0, 2.0]})
    assert decision(found, **words, fraction=0.49) is True
    assert check(found, **words, fraction=0.5) == (
        False,
        "a is lower than b in 1 of 3 rows, equal in 1 (Title)",
    )


def test_rows_as_a_sample_have_the_interval_of_a_fraction():
    words = {"kind": "lower_in_rows", "a": "a", "b": "b"}
    lower = table({"a": [[1.0]] * 9, "b": [[2.0]] * 9}, spread="rows")
    found, text = check(lower, **words)
    assert found is True
    low = (0.05 / 2) ** (1 / 9)  # Clopper and Pearson, all of nine
    assert f"the fraction is {low:.2f} to 1.00" in text
    a = [[1.0]] * 6 + [[3.0]] * 3
    assert decision(table({"a": a, "b": [[2.0]] * 9}, spread="rows"), **words) is None
    same = table({"a": [[1.0]] * 9, "b": [[1.0]] * 9}, spread="rows")
    assert decision(same, **words) is False


def test_never_higher_is_refuted_by_one_row():
    words = {"kind": "never_higher", "a": "a", "b": "b"}
    assert decision(table({"a": [LOW, LOW], "b": [HIGH, LOW]}), **words) is True
    assert decision(table({"a": [LOW, HIGH], "b": [HIGH, LOW]}), **words) is False
    assert decision(table({"a": [LOW, WIDE], "b": [HIGH, HIGH]}), **words) is None
    assert check(points({"a": [2.0, 1.0], "b": [1.0, 1.0]}), **words) == (
        False,
        "a is higher than b in 1 of 2 rows (Title)",
    )


def test_similar_needs_an_interval_within_the_margin():
    words = {"kind": "similar", "a": "a", "b": "b"}
    near = table({"a": [LOW], "b": [np.add(LOW, [0.1, -0.1, 0.05, 0.0, -0.05])]})
    assert decision(near, **words, margin=0.2) is True
    # No test finds a difference here, and yet nothing is known.
    noisy = table({"a": [WIDE], "b": [HIGH]})
    assert stats.ttest_rel(WIDE, HIGH).pvalue > 0.05
    assert decision(noisy, **words, margin=0.2) is None
    assert decision(table({"a": [LOW], "b": [HIGH]}), **words, margin=0.2) is False
    both = table({"a": [LOW, LOW], "b": [HIGH, LOW]})
    assert decision(both, **words, margin=0.2) is False
    assert decision(both, **words, margin=0.2, fraction=0.5) is True
    assert decision(table({"a": [[1.0]], "b": [[1.0]]}), **words, margin=1) == "could not run"


def test_significance_is_that_of_the_protocol():
    rng = np.random.default_rng(0)
    base = rng.normal(20, 1, 10)
    found = table({"a": [base, base], "b": [base + 5 + rng.normal(0, 0.1, 10), base + 0.0]})
    words = {"kind": "significantly_lower", "a": "a", "b": "b", "test": "5x2cv F"}
    assert decision(found, **words, at_least=0.5) is True
    assert decision(found, **words, at_least=0.51) is False
    back = {"kind": "significantly_lower", "a": "b", "b": "a", "at_least": 0}
    assert decision(found, **back) is True
    assert decision(found, **back, at_most_worse=0) is False
    assert decision(found, **back, no_fewer_than_worse=True) is False
    with pytest.raises(study.StudyError, match="test must be"):
        decision(found, **back, test="t")


def test_the_test_is_the_one_asked_for():
    """Equal differences in each repetition, of which the two halves disagree: F sees nothing."""
    base = np.zeros(10)
    found = table({"a": [base], "b": [np.tile([0.0, 2.0], 5) + np.arange(10) / 1000]})
    words = {"kind": "significantly_lower", "a": "a", "b": "b", "at_least": 1.0}
    assert decision(found, **words) is True
    assert decision(found, **words, test="5x2cv F") is False


def test_five_times_two_halves_are_all_there_or_the_test_is_not_made():
    found = table({"a": [LOW[:4]], "b": [HIGH[:4]]})
    words = {"kind": "significantly_lower", "a": "a", "b": "b", "at_least": 1.0}
    assert decision(found, **words) is True
    assert decision(found, **words, test="5x2cv F") == "could not run"


def test_a_ratio_is_in_a_range_if_its_interval_is():
    words = {"kind": "ratio", "a": "a", "b": "b"}
    exact = points({"a": [1.0, 4.0], "b": [2.0, 32.0]})  # geometric mean of 2 and 8
    assert decision(exact, **words, at_least=4, at_most=4) is True
    assert decision(exact, **words, at_least=4.01) is False
    times = table({"a": [[1.0, 1.1, 0.9]], "b": [[4.0, 4.2, 4.1]]})
    assert decision(times, **words, at_least=3) is True
    assert decision(times, **words, at_least=4) is None
    assert decision(times, **words, at_least=6) is False
    zero = points({"a": [0.0], "b": [1.0]})
    assert decision(zero, **words, at_least=1) == "could not run"


# Growth


def test_growth_is_compared_repetition_by_repetition():
    words = {"kind": "grows_less", "first": "5", "last": "10"}
    high = np.add(HIGH, 3)
    found = table({"a": [LOW, HIGH], "b": [LOW, high], "c": [LOW, WIDE]}, rows=("5", "10"))
    assert decision(found, **words, a="a", b="b") is True
    assert decision(found, **words, a="b", b="a") is False
    assert decision(found, **words, a="c", b="a") is None
    assert decision(found, **{**words, "last": "7"}, a="a", b="b") == "could not run"
    single = table({"a": [[1.0], [2.0]], "b": [[1.0], [3.0]]}, rows=("5", "10"))
    assert decision(single, **words, a="a", b="b") == "could not run"


def test_rows_grow_if_every_column_does():
    words = {"kind": "grows", "first": "0", "last": "1"}
    columns = {"a": [LOW, HIGH], "b": [LOW, WIDE], "c": [HIGH, LOW]}
    found = table(columns, rows=("0", "1"))
    assert decision(found, **words, columns=["a"]) is True
    assert decision(found, **words, columns=["a", "b"]) is None
    assert decision(found, **words) is False
    assert decision(found, **{**words, "last": "7"}) == "could not run"


def test_a_slope_has_an_interval():
    rng = np.random.default_rng(1)
    x = np.arange(1.0, 13)
    facts = points({"rows": 10**x}, name="facts")
    noise = rng.normal(0, 0.1, 12)
    found = points({"up": x + noise, "down": -x + noise, "flat": noise})
    words = {"kind": "slope", "beside": ["facts"], "x": "rows", "log": True}
    for column, seen in (("up", True), ("down", False), ("flat", None)):
        assert decision([found, facts], **words, column=column) is seen
        falls = seen if seen is None else not seen
        assert decision([found, facts], **words, column=column, rises=False) is falls
    text = check([found, facts], **words, column="up")[1]
    line = stats.linregress(x, x + noise)
    half = stats.t.ppf(0.975, 10) * line.stderr
    assert f"{line.slope - half:+.3f} to {line.slope + half:+.3f} for each tenfold rows" in text


# One column


def test_a_range_is_that_of_the_mean_or_of_every_value():
    words = {"kind": "between", "column": "a", "low": 0}
    found = table({"a": [LOW]})
    assert decision(found, **words, high=2) is True
    assert decision(found, **words, high=1.2) is None
    assert decision(found, **words, high=0.5) is False
    assert decision(found, **words, high=1.4, every=True) is True
    assert decision(found, **words, high=1.39, every=True) is False
    two = table({"a": [LOW, HIGH]})
    assert decision(two, **words, high=2) is None
    assert decision(two, **words, high=2, rows=["r0"]) is True
    with pytest.raises(study.StudyError, match="no column 'z'; there are a"):
        check(found, "between", column="z")


def test_a_range_may_be_that_of_the_mean_over_rows():
    rows = table({"a": [[v] for v in (1.0, 2.0, 3.0, 2.0, 1.5, 2.5)]}, spread="rows")
    words = {"kind": "between", "column": "a", "mean": True}
    # Mean 2 and standard error 0.29: from 1.26 to 2.74.
    assert decision(rows, **words, low=1.2, high=2.8) is True
    assert decision(rows, **words, low=1.3) is None
    assert decision(rows, **words, low=2.8) is False
    assert decision(table({"a": [[1.0]]}, spread="rows"), **words) == "could not run"


def test_a_figure_is_reached_up_to_a_margin():
    published = {("r0", "a"): PublishedValue(0.9)}
    found = table({"a": [LOW], "b": [HIGH]}, published=published)
    assert decision(found, "reaches", column="a", margin=1) is True
    assert decision(found, "reaches", column="a", margin=0.2) is None
    assert decision(found, "reaches", column="b", margin=0.5, published="a") is False
    assert decision(found, "reaches", column="b", margin=1) == "could not run"
    wide = table({"a": [LOW]}, published={("r0", "a"): PublishedValue(0.9, 2.0)})
    assert decision(wide, "reaches", column="a", margin=1) is None  # theirs is uncertain


def test_nearness_is_a_fraction_of_cells():
    published = {("5", "a"): PublishedValue(1.0), ("10", "a"): PublishedValue(9.0)}
    found = table({"a": [[1.0], [4.0]]}, rows=("5", "10"), published=published)
    assert decision(found, "near", fraction=0.5) is True
    assert decision(found, "near", fraction=0.6) is False


def test_a_quantile_has_the_interval_of_a_bootstrap():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 1, 40)
    found = points({"a": base, "b": base + 1, "c": base + 0.01 * rng.normal(size=40)})
    words = {"kind": "quantile", "q": 0.5}
    assert decision(found, **words, a="a", b="b") is True
    assert decision(found, **words, a="b", b="a") is False
    assert decision(found, **words, a="a", b="c") is None
    assert decision(found, **words, a="a", b="c", margin=0.1) is True
    assert decision(found, **words, a="a", b="b", margin=0.1) is False
    few = points({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    assert decision(few, **words, a="a", b="b") == "could not run"
    other = points({"d": base + 1}, name="other")
    told = {**words, "a": "a", "b": "d", "beside": ["other"]}
    assert decision([found, other], **told) is True
    assert decision([found, points({"d": base - 1}, name="other")], **told) is False
    waiting = replace(other, not_run=frozenset({("new", "d")}))
    assert decision([found, waiting], **told) == "could not run"
    elsewhere = replace(other, not_run=frozenset({("new", "e")}))
    assert decision([found, elsewhere], **told) is True


# Several columns, several tables


def test_the_highest_mean_is_above_all_others():
    found = table({"a": [HIGH], "b": [LOW], "c": [WIDE]})
    assert decision(found, "highest_mean", a="a", among=["b"]) is True
    assert decision(found, "highest_mean", a="a") is None
    assert decision(found, "highest_mean", a="b") is False
    exact = points({"a": [2.0, 2.0], "b": [1.0, 3.0]})
    assert decision(exact, "highest_mean", a="a") is True  # the first of equals


def test_places_are_ranges_where_differences_are_open():
    found = table({"a": [HIGH], "b": [LOW], "c": [WIDE], "d": [np.add(HIGH, 5)]})
    words = {"kind": "among_first", "column": "a", "among": ["b", "c", "d"]}
    assert decision(found, **words, places=1) is False
    assert decision(found, **words, places=2) is None
    seen, text = check(found, **words, places=3)
    assert (seen, text) == (True, "place of a among 4: 2 to 3 on r0 (Title)")


def test_a_table_is_put_beside_others():
    one = table({"a": [LOW, LOW], "b": [WIDE, HIGH]})
    others = [
        table({"a": [HIGH, HIGH], "b": [HIGH, LOW]}, name="u"),
        table({"a": [np.add(HIGH, 1)] * 2, "b": [np.add(HIGH, 1)] * 2}, name="v"),
    ]
    words = {"kind": "lower_than_beside", "beside": ["u", "v"]}
    seen, text = check([one, *others], **words, columns=["a", "b"])
    assert (seen, text) == (None, "lower in 2 of 4 cells (1 open), not for b on r1 (Title)")
    assert decision([one, *others], **words, columns=["a"]) is True
    assert decision([one, *others], **words, columns=["a", "b"], rows=["r0"], fraction=0.4) is True
    assert decision([one, *others], **words, columns=["b"]) is False
    assert decision([one], **words, columns=["a"]) == "could not run"


def test_pairs_that_differ_are_counted():
    pairs = [
        PairedCell("r0", -1.0, 0.01, 0.2),
        PairedCell("r1", 1.0, 0.01, 0.04),
        PairedCell("r2", -1.0, 0.3, 0.5),
    ]
    found = table({"a": [[1.0]] * 3, "b": [[1.0]] * 3}, pairs=pairs)
    assert decision(found, "different_pairs", lower=0.3, higher=0.3) is True
    assert decision(found, "different_pairs", lower=0.6) is False
    assert decision(found, "different_pairs", lower=0.3, corrected=True) is False
    text = check(found, "different_pairs", corrected=True)[1]
    assert text.startswith("a is significantly lower than b in 0 of 3 rows, higher in 1")
    assert decision(replace(found, pairs=()), "different_pairs") == "could not run"


def test_a_spread_is_one_of_three(letters):
    text = letters.read_text("utf-8").replace('name = "one"', 'name = "one"\nspread = "folds"')
    letters.write_text(text, "utf-8")
    with pytest.raises(study.StudyError, match="spread must be repetitions, rows, none"):
        study.read_study(letters)


def test_points_have_no_spread():
    assert math.isclose(points({"a": [3.0]}).cells["r0", "a"].ours, 3.0)
