"""The page of a comparison: every figure, every test, every failure, and nothing that can harm."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from mixedwood import Comparison
from mixedwood.comparison.metrics import METRICS
from mixedwood.comparison.report import ReportContext
from support.made_comparisons import LINE_UP, NASTY, make_comparison
from support.markup import read

SHAPES = {
    "one set": {},
    "one method": {"n_methods": 1},
    "several sets": {"n_sets": 3},
    "two sets": {"n_sets": 2, "n_methods": 2},
    "one method, several sets": {"n_sets": 3, "n_methods": 1},
    "one metric": {"wanted": ("log_loss",)},
    "only times": {"wanted": ("fit_seconds", "predict_seconds"), "n_sets": 2},
    "holdout": {"cv": "holdout"},
    "one fails": {"failures": [(0, 1, 2)]},
    "one fails on a set": {"n_sets": 3, "failures": [(1, 1, f) for f in range(10)]},
    "all fail": {"failures": [(0, m, f) for m in range(4) for f in range(10)]},
    "all fail on a set": {
        "n_sets": 2, "failures": [(0, m, f) for m in range(4) for f in range(10)],
    },
    "all fail everywhere": {
        "n_sets": 2, "failures": [(s, m, f) for s in (0, 1) for m in range(4) for f in range(10)],
    },
}  # fmt: skip


@pytest.fixture(params=SHAPES)
def found(request):
    return make_comparison(**SHAPES[request.param])


def figures_of(root):
    """Figures of all tables, by the name of the row and of the column."""
    shown = []
    for table in root.find("table"):
        header = [th.text for th in table.find("th", scope="col")]
        for row in table.find("tbody")[0].find("tr"):
            name = row.find("th")[0].text
            for column, cell in zip(header[1:], row.find("td"), strict=True):
                shown.append((name, column, cell.attributes["data-v"], cell.text))
    return shown


def test_every_mean_is_in_a_table(found):
    root = read(found.to_html())
    shown = figures_of(root)
    for row in found.table():
        for name in found.metrics:
            if math.isnan(row[name]):
                continue
            places = {(row["method"], METRICS[name].title), (row["dataset"], row["method"])}
            texts = [text for r, c, v, text in shown if (r, c) in places and v == repr(row[name])]
            assert texts, (row["dataset"], row["method"], name)
            digits = f"{100 * row[name]:.1f}" if METRICS[name].percent else ""
            assert all(text.startswith(digits) for text in texts)


def test_charts_have_a_line_for_every_method_and_say_themselves(found):
    root = read(found.to_html())
    for svg in root.find("svg"):
        assert svg.attributes["role"] == "img"
        assert len(svg.attributes["aria-label"]) > 20
    words = " ".join(svg.text for svg in root.find("svg"))
    assert all(name in words for name in found.methods) or not root.find("svg")


def test_the_page_holds_all_figures(found):
    root = read(found.to_html())
    (script,) = root.find("script", id="figures")
    again = Comparison.from_json(script.text)
    np.testing.assert_array_equal(again.scores, found.scores)
    assert again.failures == found.failures


def test_every_sentence_of_every_test_is_there(found):
    text = read(found.to_html()).text
    if found.metrics[0] != "fit_seconds":
        for difference in found.pairwise_tests(found.metrics[0]):
            assert difference.sentence in text


def test_the_same_comparison_gives_the_same_page(found):
    assert found.to_html() == Comparison.from_json(found.to_json()).to_html()


def test_several_sets_are_compared_by_ranks_and_wins():
    found = make_comparison(n_sets=6, n_methods=5)
    root = read(found.to_html())
    text = root.text
    assert found.friedman_test().sentence in text
    assert found.nemenyi_test().sentence in text
    assert found.win_tie_loss().sentence in text
    labels = [svg.attributes["aria-label"] for svg in root.find("svg")]
    (diagram,) = [svg for svg in root.find("svg") if "Critical" in svg.attributes["aria-label"]]
    for name, rank in zip(found.methods, found.nemenyi_test().mean_ranks, strict=True):
        assert name in diagram.text
        assert f"{rank:.2f}" in diagram.text
    (matrix,) = [svg for svg in root.find("svg") if "win/tie/loss" in svg.attributes["aria-label"]]
    wins = found.win_tie_loss()
    order = [found.methods.index(t.text) for t in matrix.find("text", "label")[:5]]
    cells = [t.text for t in matrix.find("text", "figure")]
    want = [
        f"{wins.wins[i, j]}/{wins.ties[i, j]}/{wins.losses[i, j]}"
        for i in order for j in order if i != j
    ]  # fmt: skip
    assert cells == want
    assert len([label for label in labels if label.startswith("Error on ")]) == 6


@pytest.mark.parametrize(
    ("firsts", "who", "line"),
    [
        ("aab", "a", "on 2 of 3 datasets"),
        ("ab", "a and b", "each on 1 of 2 datasets"),
        ("abc", "a and 2 others", "each on 1 of 3 datasets"),
    ],
)
def test_methods_that_are_first_equally_often_are_all_named(firsts, who, line):
    scores = np.full((len(firsts), 3, 10, 1), 0.3)
    for s, name in enumerate(firsts):
        scores[s, "abc".index(name)] = 0.1
    made = make_comparison(len(firsts), names="abc", wanted=("error",))
    found = replace(made, scores=scores)
    assert ("Most often lowest error", who, line) in ReportContext(
        found, "a", 0.05
    ).overall_summary()


def test_marks_are_those_of_the_tests():
    found = make_comparison(n_methods=14, noise=0.005)
    seen = set()
    for baseline in ("ensemble", "tree", "sklearn_logistic"):
        rows = read(found.to_html(baseline=baseline)).find("table")[0].find("tbody")[0].find("tr")
        got = {}
        for row in rows:
            marks = row.find("td")[0].find("span", "mark")
            got[row.find("th")[0].text] = marks[0].text[:1] if marks else ""
        want = {
            d.method: d.mark.replace("-", "\u2212") for d in found.pairwise_tests(baseline=baseline)
        }
        assert got == want | {baseline: ""}
        seen |= set(want.values())
    assert seen == {"", "+", "\u2212"}


def test_the_best_is_bold_and_rows_are_in_order():
    found = make_comparison(n_methods=6)
    rows = read(found.to_html()).find("table")[0].find("tbody")[0].find("tr")
    values = [float(row.find("td")[0].attributes["data-v"]) for row in rows]
    assert values == sorted(values)
    assert [bool(row.find("td")[0].find("b")) for row in rows] == [True] + [False] * 5


def test_ours_and_others_have_their_own_colors():
    found = make_comparison(n_methods=14)
    rows = read(found.to_html()).find("table")[0].find("tbody")[0].find("tr")
    for row in rows:
        name = row.find("th")[0].text
        assert row.find("span", "key")[0].classes == ["key", "c1" if "sklearn" in name else "c0"]


def test_failures_are_reported_with_their_tracebacks():
    found = make_comparison(failures=[(0, 1, 2), (0, 1, 5)])
    root = read(found.to_html())
    (details,) = [d for d in root.find("details") if "not today" in d.text]
    assert "forest on set_0: ArithmeticError: not today" in details.find("summary")[0].text
    assert "failed on 2 of 10 folds" in details.text
    assert "Folds: 3, 6." in details.text
    assert details.find("pre")[0].text == found.failures[0].traceback
    assert "failed" in [text for _, _, _, text in figures_of(root)]
    assert any(t.text == "failed" for t in root.find("text"))


def test_warnings_are_reported_and_expected_ones_folded_away():
    warnings = [(0, 0, 3, "ConvergenceWarning: no end"), (0, 1, 2, "UnknownCategoryWarning: new")]
    root = read(make_comparison(warnings=warnings).to_html())
    (section,) = [s for s in root.find("section") if "Warnings" in s.find("h2")[0].text
                  or "warnings" in s.find("h2")[0].text]  # fmt: skip
    assert "ensemble on 3 folds of set_0: ConvergenceWarning: no end" in section.find("li")[0].text
    (details,) = section.find("details")
    assert "UnknownCategoryWarning" in details.text
    assert "ConvergenceWarning" not in details.text


def test_without_trouble_nothing_is_said_of_it():
    assert "arnings" not in " ".join(h.text for h in read(make_comparison().to_html()).find("h2"))


def test_settings_versions_seed_and_protocol_are_there():
    found = make_comparison(seed=17)
    text = read(found.to_html()).text
    for words in ("TreeClassifier()", "numpy 9", "the seed 17", "5x2cv", "300 rows", "5 columns"):
        assert words in text


@pytest.mark.parametrize("n_sets", [1, 3])
def test_hostile_names_are_only_text(n_sets):
    found = make_comparison(
        names=[NASTY + "a", NASTY + "b", NASTY + "c"],
        sets=[NASTY + str(s) for s in range(n_sets)],
        failures=[(0, 2, 0)],
        warnings=[(0, 0, 1, NASTY)],
    )
    page = found.to_html(title=NASTY)
    root = read(page)
    assert len(root.find("script")) == 2
    assert not root.find("img")
    assert not re.search("[\u202e\x00]", page)
    assert json.loads(root.find("script", id="figures")[0].text)["methods"] == list(found.methods)
    assert root.find("h1")[0].text == NASTY.replace("\u202e", "\ufffd").replace("\x00", "\ufffd")


def test_the_title_can_be_chosen_and_the_page_written(tmp_path):
    found = make_comparison()
    path = tmp_path / "page.html"
    assert found.to_html(path, title="Mine & yours", alpha=0.1) is None
    text = path.read_text("utf-8")
    assert text == found.to_html(title="Mine & yours", alpha=0.1)
    assert "<h1>Mine &amp; yours</h1>" in text
    assert "significance level of 10 %" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [({"baseline": "stump"}, "is not one of the methods"), ({"alpha": 2}, "alpha")],
)
def test_wrong_options_are_reported(options, words):
    with pytest.raises(ValueError, match=words):
        make_comparison().to_html(**options)


def test_the_size_is_sensible_for_many_methods_and_sets():
    found = make_comparison(n_sets=20, n_methods=14)
    assert found.methods == tuple(LINE_UP)
    assert len(found.to_html()) < 4_000_000
