"""Tables, marks and files of a comparison, on figures made by hand."""

import csv
import io
import json
import re

import numpy as np
import pytest

import mixedwood as mw
from mixedwood import Comparison, stats
from mixedwood.comparison import DatasetInfo, Failure, MethodWarning, check_cv, pairwise


def by_hand(errors, cv="5x2cv", n_rows=100, **others):
    """A comparison with the errors given, of shape (sets, methods, folds)."""
    errors = np.array(errors, dtype=float)
    n_sets, n_methods, n_folds = errors.shape
    read = check_cv(cv)
    n_test = n_rows // max(read.n_splits, 2)
    facts = [
        DatasetInfo(
            f"set_{s}", n_rows, 4, ("a", "b"), (n_rows - n_test,) * n_folds, (n_test,) * n_folds
        )
        for s in range(n_sets)
    ]
    return Comparison(
        **{
            "datasets": tuple(facts),
            "methods": tuple("mnopqr"[:n_methods]),
            "metrics": ("error",),
            "cv": read,
            "scores": errors[..., None],
            "failures": (),
            "warnings": (),
            "random_state": 0,
            "settings": dict.fromkeys("mnopqr"[:n_methods], "Made()"),
            "versions": {"mixedwood": "0"},
            **others,
        }
    )


@pytest.fixture
def noisy():
    """Three methods: the second clearly better than the first, the third no different."""
    rng = np.random.default_rng(3)
    base = 0.3 + 0.02 * rng.random((2, 1, 10))
    return np.concatenate(
        [
            base,
            base - 0.1 + 0.01 * rng.random((2, 1, 10)),
            base + 0.03 * rng.normal(size=(2, 1, 10)),
        ],
        axis=1,
    )


def marks(found, **options):
    return {(d.dataset, d.method): d.mark for d in found.pairwise_tests(**options)}


def test_marks_of_5x2cv_are_those_of_the_f_test(noisy):
    found = by_hand(noisy)
    for d in found.pairwise_tests():
        s, m = int(d.dataset[-1]), found.methods.index(d.method)
        want = stats.five_by_two_cv_f_test(noisy[s, m].reshape(5, 2), noisy[s, 0].reshape(5, 2))
        assert (d.test.statistic, d.test.p_value) == (want.statistic, want.p_value)
        better = noisy[s, m].mean() < noisy[s, 0].mean()
        assert d.mark == ("" if want.p_value > 0.05 else "+" if better else "-")
        assert d.sentence == d.test.sentence
        assert d.method in d.sentence
    assert marks(found)["set_0", "n"] == "+"
    assert marks(found)["set_0", "o"] == ""
    assert marks(found, baseline="n")["set_0", "m"] == "-"
    assert set(marks(found, alpha=1e-12).values()) == {""}


@pytest.mark.parametrize(
    ("cv", "n_train", "n_test"), [("1x10cv", 90, 10), ("10x1/2", 50, 50), ("2x5cv", 80, 20)]
)
def test_other_schemes_use_the_corrected_t_test(noisy, cv, n_train, n_test):
    found = by_hand(noisy, cv)
    for d in found.pairwise_tests():
        s, m = int(d.dataset[-1]), found.methods.index(d.method)
        want = stats.corrected_resampled_t_test(noisy[s, m], noisy[s, 0], n_train, n_test)
        assert d.test.p_value == pytest.approx(want.p_value, rel=1e-12)
    assert "corrected resampled t test" in found.to_text()


def test_the_test_can_be_chosen(noisy):
    found, (a, b) = by_hand(noisy), noisy[0, [1, 0]]
    halves = a.reshape(5, 2), b.reshape(5, 2)
    wanted = {
        "auto": stats.five_by_two_cv_f_test(*halves),
        "5x2cv_f": stats.five_by_two_cv_f_test(*halves),
        "5x2cv_t": stats.five_by_two_cv_t_test(*halves),
        "corrected_t": stats.corrected_resampled_t_test(a, b, 50, 50),
        "paired_t": stats.paired_t_test(a, b),
    }
    assert set(wanted) == set(pairwise.TESTS)
    for name, want in wanted.items():
        d = found.pairwise_tests(test=name)[0]
        assert (d.test.test, d.test.p_value) == (want.test, pytest.approx(want.p_value, rel=1e-12))
    assert len({round(want.p_value, 12) for want in wanted.values()}) == 4
    with pytest.raises(ValueError, match=r"Unknown test 'wilcoxon'; use one of auto, 5x2cv_f"):
        found.pairwise_tests(test="wilcoxon")
    with pytest.raises(
        ValueError, match=r"test='5x2cv_t' requires cv='5x2cv'; the comparison used cv='1x10cv'"
    ):
        by_hand(noisy, "1x10cv").pairwise_tests(test="5x2cv_t")


def test_a_known_f_test_marks_the_table():
    """The worked figures of the F test, through to the sign in the table."""
    tree = [0.26, 0.25, 0.255, 0.25, 0.27, 0.26, 0.25, 0.26, 0.26, 0.265]
    found = by_hand([[tree, [0.20] * 10]])
    (d,) = found.pairwise_tests()
    assert d.test.statistic == pytest.approx(97.286, abs=5e-4)
    text = found.to_text()
    assert re.search(r"^m +25\.8 ± 0\.2$", text, re.MULTILINE)
    assert re.search(r"^n +20\.0 ± 0\.0 \*\+$", text, re.MULTILINE)
    assert "- significantly worse than m (5x2cv F test, alpha = 0.05" in text.replace("\n", " ")
    turned = found.to_text(baseline="n")
    assert re.search(r"^m +25\.8 ± 0\.2 -$", turned, re.MULTILINE)


def test_standard_errors_are_of_the_mean():
    found = by_hand([[[0.1, 0.2, 0.3, 0.4]]], "2x2cv")
    assert found.means()[0, 0] == pytest.approx(0.25)
    deviation = np.std([0.1, 0.2, 0.3, 0.4], ddof=1)
    assert found.standard_errors()[0, 0] == pytest.approx(deviation / 2)
    (row,) = found.table()
    assert row == {
        "dataset": "set_0",
        "method": "m",
        "error": pytest.approx(0.25),
        "error_se": pytest.approx(deviation / 2),
        "failed": 0,
    }


def test_statistics_over_sets_are_those_of_the_means(noisy):
    rng = np.random.default_rng(0)
    errors = np.concatenate([noisy] * 3) + 0.01 * rng.random((6, 3, 10))
    found = by_hand(errors)
    means = errors.mean(axis=2)
    assert found.friedman_test().statistic == stats.friedman_test(means).statistic
    assert found.nemenyi_test().critical_difference == stats.nemenyi_test(means).critical_difference
    wins = found.win_tie_loss()
    assert wins.wins[1, 0] == sum(d.mark == "+" for d in found.pairwise_tests() if d.method == "n")
    assert wins.losses[2, 0] == sum(
        d.mark == "-" for d in found.pairwise_tests() if d.method == "o"
    )
    text = found.to_text()
    assert "Friedman test: the 3 methods" in text
    assert re.search(r"^mean rank +\d\.\d\d", text, re.MULTILINE)
    assert re.search(rf"^\+/=/- .*{wins.wins[1, 0]}/{wins.ties[1, 0]}/0", text, re.MULTILINE)


def test_methods_without_figures_are_left_out_of_ranks(noisy):
    errors = np.concatenate([noisy, noisy])
    errors[1, 2, 4] = np.nan
    failure = Failure("set_1", "o", 4, "ValueError: no", "Traceback ...")
    found = by_hand(errors, failures=(failure,))
    assert found.friedman_test().names == ("m", "n")
    text = found.to_text()
    assert "Without o, which have no score on some dataset." in text
    assert "failed" in text
    assert "o failed on 1 of 10 folds of set_1: ValueError: no" in text
    assert found.select(methods=["m", "n"]).failures == ()
    with pytest.raises(ValueError, match="1 of 2 methods have a error on every dataset"):
        found.select(methods=["m", "o"]).friedman_test()


@pytest.mark.parametrize(("n", "words"), [(1, "1 dataset is"), (2, "2 datasets are")])
def test_few_sets_have_no_critical_difference(noisy, n, words):
    """Nor a test of ranks, in text and on the page; the reason is there instead."""
    found = by_hand(noisy[:n])
    for test in (found.friedman_test, found.nemenyi_test):
        with pytest.raises(ValueError, match=f"{words} too few for the Friedman and Nemenyi"):
            test()
    if n == 2:
        shown = found.to_text(width=500)
        assert "Mean ranks are not tested: 2 datasets are too few" in shown
        page = found.to_html()
        assert "Mean ranks are not tested: 2 datasets are too few" in page
        assert "ritical difference of" not in page and "Critical" not in page
        assert "Do the methods differ?" not in page


def test_over_two_sets_no_ranks_could_differ():
    """The reason for the rule above."""
    for n_methods in range(2, 30):
        errors = np.tile(np.arange(n_methods, dtype=float), (2, 1))
        found = stats.nemenyi_test(errors)
        assert found.critical_difference > n_methods - 1


def test_wide_tables_go_on_below(noisy):
    found = by_hand(noisy)
    narrow = found.to_text(width=30)
    assert max(map(len, narrow.splitlines())) <= 30
    assert len(re.findall(r"^set_0", narrow, re.MULTILINE)) == 3


def test_csv_has_a_line_for_each_fold(noisy):
    failure = Failure("set_1", "o", 4, "ValueError: no, really", "Traceback ...")
    errors = np.concatenate([noisy, noisy])
    errors[1, 2, 4] = np.nan
    rows = list(csv.DictReader(io.StringIO(by_hand(errors, failures=(failure,)).to_csv())))
    assert len(rows) == errors.size
    for row in rows:
        s, m = int(row["dataset"][-1]), "mno".index(row["method"])
        fold = 2 * int(row["repetition"]) + int(row["fold"])
        if row["failure"]:
            assert (s, m, fold, row["error"]) == (1, 2, 4, "")
            assert row["failure"] == "ValueError: no, really"
        else:
            assert float(row["error"]) == errors[s, m, fold]
        assert (row["n_train"], row["n_test"]) == ("50", "50")


def test_json_reads_back(noisy, tmp_path):
    errors = np.concatenate([noisy, noisy])
    errors[1, 2, 4] = np.nan
    failure = Failure("set_1", "o", 4, "ValueError: no", "Traceback ...")
    notice = MethodWarning("set_0", "n", 3, "ConvergenceWarning: not there yet")
    found = by_hand(errors, failures=(failure,), warnings=(notice,))
    path = tmp_path / "found.json"
    assert found.to_json(path) is None
    for source in (found.to_json(), path, str(path)):
        again = Comparison.from_json(source)
        np.testing.assert_array_equal(again.scores, found.scores)
        assert again.to_json() == found.to_json()
        assert again.to_text() == found.to_text()
        assert again.failures == found.failures
    assert json.loads(found.to_json())["summary"][0]["method"] == "m"


@pytest.mark.parametrize("text", ["{}", '{"format": 1}', '{"format": "mixedwood comparison"}', "{"])
def test_other_json_is_refused(text):
    with pytest.raises(ValueError, match="Not a comparison written by to_json"):
        Comparison.from_json(text)


def test_markdown_is_a_table(noisy):
    names = ("m|1", "n_2", "o")
    text = by_hand(noisy[:1], settings=dict.fromkeys(names, ""), methods=names).to_markdown()
    table = [line for line in text.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table]
    assert {len(row) for row in cells} == {2}
    assert cells[1] == ["---", "---:"]
    assert cells[2][0].strip() == r"m\|1"
    assert re.fullmatch(r" \*\*\d+\.\d ± \d\.\d\*\* \+ ", cells[3][1])
    assert "Bold: lowest mean" in text


def test_latex_is_balanced_and_escaped(noisy):
    text = by_hand(noisy).to_latex()
    assert text.count("{") == text.count("}")
    assert text.count("\\begin") == text.count("\\end") == 2
    rows = [line for line in text.splitlines() if line.endswith("\\\\")]
    assert {line.count("&") for line in rows} == {3}
    assert any(line.startswith("set\\_0 & ") for line in rows)
    assert re.search(r"\\textbf\{\d+\.\d \$\\pm\$ \d\.\d\}\$\^\{\+\}\$", text)
    assert not re.search(r"(?<!\\)[%_#]", text)


def test_files_are_written_as_a_whole(noisy, tmp_path):
    path = tmp_path / "table.md"
    found = by_hand(noisy)
    found.to_markdown(path)
    assert path.read_text("utf-8") == found.to_markdown()
    found.to_csv(path)
    assert path.read_text("utf-8") == found.to_csv()
    assert list(tmp_path.iterdir()) == [path]


def test_names_that_are_not_there(noisy):
    found = by_hand(noisy)
    for ask in (
        lambda: found.pairwise_tests(baseline="z"),
        lambda: found.to_text(baseline="z"),
        lambda: found.select(methods=["z"]),
        lambda: found.select(datasets=["z"]),
        lambda: found.means("leaves"),
        lambda: found.to_text(metric="leaves"),
    ):
        with pytest.raises(
            ValueError, match=r"'z' is|'z'; the comp|metric 'leaves'; the comparison has error"
        ):
            ask()


def test_the_repr_is_the_table(noisy):
    found = by_hand(noisy)
    assert repr(found) == found.to_text()
    assert mw.Comparison is Comparison


def test_a_set_without_a_figure_is_no_tie(noisy):
    noisy[1, 2, 0] = np.nan
    found = by_hand(noisy)
    line = next(line for line in found.to_text().splitlines() if line.startswith("+/=/-"))
    wins, losses = ([marks(found)[f"set_{s}", "n"] for s in (0, 1)].count(m) for m in "+-")
    assert line.split()[1:] == [f"{wins}/{2 - wins - losses}/{losses}", "0/1/0"]


@pytest.mark.parametrize(("cv", "n_folds", "marked"), [("1x2cv", 2, False), ("2x3cv", 6, True)])
def test_equal_differences_on_a_few_folds_may_be_chance(cv, n_folds, marked):
    errors = [[[0.30] * n_folds, [0.28] * n_folds]]
    [difference] = by_hand(errors, cv).pairwise_tests()
    assert bool(difference.mark) is marked
    assert ("too few to exclude chance" in difference.sentence) is not marked
