"""Reports of models: their facts, their pages in a browser, and model cards."""

import json
import os
import re
import time

import numpy as np
import pytest
from click.testing import CliRunner

import mixedwood as mw
from mixedwood.cli import main
from mixedwood.data import read_table
from mixedwood.datasets import make_mixed
from mixedwood.report.effects import changes_of, effect_of, grid_of
from mixedwood.report.table_facts import column_facts
from support.axe import find_axe, violations
from support.browser import Browser, find_browser
from support.markup import read

PATH = find_browser()


@pytest.fixture(scope="module")
def data():
    return make_mixed(500, random_state=0, frame="pandas")


def numbers_of(data):
    return np.asarray(data.X["x1"].fillna(0)) * 2 + (np.asarray(data.y) == "class1")


MODELS = {
    "tree": lambda: mw.TreeClassifier(),
    "forest": lambda: mw.ForestClassifier(n_estimators=8, random_state=0),
    "boosted": lambda: mw.BoostedTreesClassifier(n_estimators=8, random_state=0),
    "ensemble": lambda: mw.EnsembleClassifier(tune=False, random_state=0),
    "optimal": lambda: mw.OptimalTreeClassifier(max_depth=2, time_limit=10),
    "svm": lambda: mw.SmoothSVC(),
    "tree of numbers": lambda: mw.TreeRegressor(),
    "model tree of numbers": lambda: mw.ModelTreeRegressor(),
    "forest of numbers": lambda: mw.ForestRegressor(n_estimators=8, random_state=0),
}


@pytest.fixture(scope="module")
def reports(data):
    made = {}

    def make(name):
        if name not in made:
            model = MODELS[name]()
            y = numbers_of(data) if "numbers" in name else data.y
            model.fit(data.X[:250], y[:250])
            made[name] = model, model.report(data.X[250:], y[250:], notes={"Use": "Tests *only*"})
        return made[name]

    return make


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_has_a_report(reports, name):
    model, report = reports(name)
    facts = report.facts
    page = report.to_html()
    root = read(page)
    titles = [e.text for e in root.find("h2")]
    for title in ("The model", "Scores", "Which columns matter", "The rows", "Provenance"):
        assert title in titles
    assert ("Choosing a threshold" in titles) == hasattr(model, "predict_proba")
    assert (facts.surrogate is None) == hasattr(model, "tree_")
    assert len(facts.explained) == 18
    assert facts.rules
    assert ("Proof" in page) == (name == "optimal")
    assert page == model.report(*_rows(reports, name), notes={"Use": "Tests *only*"}).to_html()
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert len(page) < 1_500_000
    card = report.to_markdown()
    assert "## Use\n\nTests \\*only\\*" in card
    assert "## Evaluation" in card and "SHA-256" in card


def _rows(reports, name):
    data = make_mixed(500, random_state=0, frame="pandas")
    y = numbers_of(data) if "numbers" in name else data.y
    return data.X[250:], y[250:]


def test_the_facts_are_those_of_the_model(reports, data):
    model, report = reports("forest")
    facts = report.facts
    assert facts.evaluation.accuracy == model.score(data.X[250:], data.y[250:])
    assert [leaves for _, leaves, _, _ in facts.trees] == [t.n_leaves for t in model.trees_]
    assert facts.importances.metric == "auc"
    for row in facts.explained:
        assert row.prediction.startswith(model.predict(data.X[250:])[row.number])
        assert row.truth == data.y[250:][row.number]
        assert "base value" in row.why
    kinds = {row.kind for row in facts.explained}
    assert kinds <= {"confident mistake", "uncertain", "drawn at random"}
    mistakes = [row for row in facts.explained if row.kind == "confident mistake"]
    assert all(row.is_right is False for row in mistakes)


def test_rules_count_the_given_rows(reports, data):
    _, report = reports("tree")
    rules = report.facts.rules
    assert sum(rule.coverage for rule in rules) == pytest.approx(1)
    assert sum(rule.n_rows for rule in rules) == 250


def test_partial_dependence_is_the_mean_of_changed_rows(data):
    model = mw.ForestClassifier(n_estimators=5, random_state=0).fit(data.X, data.y)
    table = read_table(data.X[:40], schema=model.schema_)
    for place in (0, 7):
        grid = grid_of(table, place)
        effect = effect_of(table, grid, lambda t: model.predict_proba(t))
        for i, value in enumerate(grid.values):
            changed = data.X[:40].copy()
            name = grid.column.name
            label = value if grid.column.is_numeric else grid.column.categories[value]
            changed[name] = label
            assert effect.each[:, i] == pytest.approx(model.predict_proba(changed))
        assert effect.mean == pytest.approx(effect.each.mean(axis=0))


def test_changes_do_change_the_prediction(data):
    model = mw.TreeClassifier(max_depth=4).fit(data.X, data.y)
    table = read_table(data.X, schema=model.schema_)
    grids = [g for g in (grid_of(table, i) for i in range(table.n_columns)) if g is not None]
    found = 0
    for row in range(0, 100, 5):
        before = model.predict(data.X[row : row + 1])[0]
        changes = changes_of(
            table, row, grids, model.predict_proba,
            lambda p: p.argmax(axis=1), lambda p: str(model.classes_[p.argmax()]),
        )  # fmt: skip
        for change in changes:
            changed = data.X[row : row + 1].copy()
            for text in change.values:
                name, _, value = text.partition(" = ")
                column = model.schema_[name]
                changed[name] = float(value) if column.is_numeric else value
            after = model.predict(changed)[0]
            assert after == change.prediction != before
            found += 1
    assert found > 20


def test_suspicious_columns_are_named():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=400)
    X = {
        "number": np.arange(400.0),
        "key": [f"k{i}" for i in range(400)],
        "leak": np.where(y, "a", "b"),
        "leak_number": y * 10.0 + rng.random(400),
        "constant": ["x"] * 400,
        "gaps": np.where(rng.random(400) < 0.8, np.nan, rng.random(400)),
        "fine": rng.choice(list("abc"), 400),
        "fine_number": rng.normal(size=400),
    }
    found = {c.name: " ".join(c.warnings) for c in column_facts(read_table(X), y, is_numeric=False)}
    for name in ("number", "key"):
        assert "identifies rows" in found[name]
    for name in ("leak", "leak_number"):
        assert "may contain the target" in found[name]
    assert "is constant" in found["constant"]
    assert "is mostly missing" in found["gaps"]
    assert found["fine"] == found["fine_number"] == ""
    new = read_table({**X, "key": [f"new{i}" for i in range(400)]}, schema=read_table(X).schema)
    found = {c.name: " ".join(c.warnings) for c in column_facts(new, y, is_numeric=False)}
    assert "may identify rows" in found["key"]
    numbers = np.asarray(X["fine_number"]) * 2
    found = {c.name: c.warnings for c in column_facts(read_table(X), numbers, is_numeric=True)}
    assert "may contain the target" in found["fine_number"][0]
    assert not found["fine"]


def test_many_classes_and_few_rows():
    rng = np.random.default_rng(0)
    y = np.array([f"class {i}" for i in rng.integers(40, size=900)])
    X = {"x": rng.normal(size=900), "c": rng.choice(list("abc"), 900)}
    model = mw.TreeClassifier(max_depth=4).fit(X, y)
    page = model.report(X, y).to_html()
    assert "fewer than 30 rows" in page
    assert "Confusion matrix" not in page
    small = {name: column[:3] for name, column in X.items()}
    assert model.report(small, y[:3]).facts.n_rows == 3


def test_it_is_saved_as_page_or_card(reports, tmp_path):
    _, report = reports("tree")
    report.save(tmp_path / "a.html")
    report.save(str(tmp_path / "a.md"))
    assert (tmp_path / "a.html").read_text("utf-8") == report.to_html()
    assert (tmp_path / "a.md").read_text("utf-8").startswith("# TreeClassifier")
    assert report._repr_html_().startswith("<iframe")
    assert repr(report) == "ModelReport('TreeClassifier', 250 rows)"


def test_the_command_line(data, tmp_path):
    frame = data.X.assign(kind=data.y)
    frame.loc[3, "kind"] = None
    frame.to_csv(tmp_path / "t.csv", index=False)

    def run(*args):
        return CliRunner().invoke(main, [str(a) for a in args])

    model, page = tmp_path / "m.mw", tmp_path / "r.html"
    frame.dropna(subset="kind").to_csv(tmp_path / "fit.csv", index=False)
    assert run("fit", tmp_path / "fit.csv", "--target", "kind", "-o", model).exit_code == 0
    result = run(
        "report", model, tmp_path / "t.csv", "-o", page, "--note", "Intended use: tests", "--title",
        "<A & B>",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "<title>&lt;A &amp; B&gt;</title>" in page.read_text("utf-8")
    assert run("report", model, tmp_path / "t.csv", "-o", page).exit_code == 2  # exists
    card = tmp_path / "card.md"
    assert run("report", model, tmp_path / "t.csv", "-o", card).exit_code == 0
    assert "- rows: 499" in card.read_text("utf-8")
    assert run("report", model, tmp_path / "t.csv", "-o", card, "--note", "x").exit_code == 2
    frame.drop(columns="kind").to_csv(tmp_path / "no.csv", index=False)
    result = run("report", model, tmp_path / "no.csv", "-o", tmp_path / "x.html")
    assert result.exit_code == 3 and "no target column" in result.output
    shown = run("show", model, "--importances", "--data", tmp_path / "fit.csv")
    assert shown.exit_code == 0 and "permutation" in shown.output and "gain" in shown.output
    assert run("show", model, "--data", tmp_path / "fit.csv").exit_code == 2


# In a browser


@pytest.fixture(scope="module")
def browser():
    if PATH is None and "CI" not in os.environ:
        pytest.skip("no Chromium found: apt-get install chromium")
    assert PATH is not None, "CI needs Chromium for this test: apt-get install chromium"
    found = Browser(PATH)
    yield found
    found.close()


def show(browser, path, **how):
    browser.open(path, **how)
    for _ in range(3000):  # a minute
        if browser.run("document.querySelectorAll('.mw-node').length"):
            return
        time.sleep(0.02)
    raise AssertionError("no tree was drawn")


def quiet(browser, path):
    heard = browser.heard("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    assert heard == []
    assert [e["request"]["url"] for e in browser.heard("Network.requestWillBeSent")] == [
        path.as_uri()
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("name", ["tree", "forest", "forest of numbers"])
def test_pages_are_quiet_fit_and_accessible(browser, reports, tmp_path, name, width, dark):
    path = tmp_path / "page.html"
    reports(name)[1].save(path)
    show(browser, path, width=width, dark=dark)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    quiet(browser, path)
    axe = find_axe()
    if axe is None:
        pytest.skip("axe-core is not installed: npm install axe-core")
    assert violations(browser, axe) == []


def test_axe_sees_what_is_wrong(browser, tmp_path):
    axe = find_axe()
    if axe is None:
        pytest.skip("axe-core is not installed: npm install axe-core")
    path = tmp_path / "bad.html"
    path.write_text("<!DOCTYPE html><title>x</title><img src='data:,'><button></button>", "utf-8")
    browser.open(path)
    assert {"image-alt", "button-name"} <= {rule for rule, *_ in violations(browser, axe)}


def test_rows_and_thresholds_react(browser, reports, data, tmp_path):
    path = tmp_path / "page.html"
    model, report = reports("forest")
    report.save(path)
    show(browser, path)
    assert browser.run("document.querySelectorAll('article:not(.hidden)').length") == 1
    first = browser.run("document.querySelector('article:not(.hidden) h3').textContent")
    browser.run("document.querySelector('[aria-label=\"Next row\"]').click()")
    assert browser.run("document.querySelector('article:not(.hidden) h3').textContent") != first
    p = model.predict_proba(data.X[250:])[:, 1]
    truth = np.asarray(data.y[250:]) == model.classes_[1]
    for place in (9, 49, 84):
        browser.run(
            f"(s => {{ s.value = {place}; s.dispatchEvent(new Event('input')) }})"
            "(document.querySelector('.chooser input'))"
        )
        chosen = p > round((place + 1) / 100, 2)
        shown = browser.run(
            "[...document.querySelectorAll('.chooser dd:first-of-type')].map(e => e.textContent)"
        )
        accuracy = (chosen == truth).mean()
        assert float(shown[3]) == pytest.approx(accuracy, abs=1e-4)
        assert int(shown[4]) == chosen.sum()
    quiet(browser, path)


def test_without_scripts_the_page_says_everything(browser, reports, tmp_path):
    path = tmp_path / "page.html"
    reports("forest")[1].save(path)
    browser.open(path, script=False)
    shown = browser.call("Page.captureSnapshot")["data"]
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "[0] root" in shown
    assert shown.count("<article") == 18


def test_a_thousand_hostile_names_are_inert(browser, tmp_path):
    parts = ["<script>document.title = 'taken'</script>", "\"><img src=x onerror=alert(1)>", "'",
             "\u202eevil", "{{ 7 * 7 }}", "</style><b>", "javascript:alert(1)", "&#60;i&#62;",
             "]]>", "--><u>", "\\", "`${1}`"]  # fmt: skip
    rng = np.random.default_rng(0)
    names = [f"{parts[i % len(parts)]}{i}{parts[(i // 7) % len(parts)]}" for i in range(970)]
    labels = [f"{part}{'!' * 3000 if i == 3 else ''}" for i, part in enumerate(parts[:3] * 10)]
    X = {name: rng.normal(size=80) for name in names[:-4]}
    X |= {name: rng.choice(labels, 80) for name in names[-4:]}
    y = np.where(X[names[0]] > 0, labels[0], labels[1])
    model = mw.TreeClassifier(pruning=None).fit(X, y)
    path = tmp_path / "page.html"
    report = model.report(X, y, title=parts[0], target=parts[1], data=parts[0],
                          notes={parts[0]: parts[1]})  # fmt: skip
    report.save(path)
    assert path.stat().st_size < 3_000_000
    show(browser, path)
    assert browser.run("document.title") == parts[0]
    assert (
        browser.run("document.querySelectorAll('img, main script, main b u, main i u').length") == 0
    )
    quiet(browser, path)
    assert "<script>" not in report.to_markdown() and "<img" not in report.to_markdown()


def test_paper_shows_every_row_and_detail(browser, reports, tmp_path):
    path = tmp_path / "page.html"
    reports("tree")[1].save(path)
    show(browser, path)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("document.querySelectorAll('details:not([open])').length") == 0
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    assert len(pdf) > 50_000
    quiet(browser, path)


def test_the_data_of_thresholds_is_json(reports):
    page = reports("forest")[1].to_html()
    found = json.loads(re.search(r"data-thresholds='([^']*)'", page)[1])
    assert len(found["levels"]) == len(found["hits"]) == 99
