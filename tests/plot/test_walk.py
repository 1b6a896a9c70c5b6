"""Trees to walk in: their data, and what they do in a browser."""

import html
import json
import os
import re
import time

import numpy as np
import pytest
from sklearn.base import clone

import mixedwood as mw
from explain.random_trees import random_tree
from mixedwood.datasets import make_mixed
from mixedwood.explain import format_branches
from mixedwood.plot.models import model_walk
from mixedwood.plot.walk import Walk, tree_data
from support.browser import Browser, find_browser

PATH = find_browser()


@pytest.fixture(scope="module")
def data():
    return make_mixed(400, random_state=0, frame="pandas")


@pytest.fixture(scope="module")
def model(data):
    return mw.TreeClassifier(pruning=None, random_state=0).fit(data.X, data.y)


def data_of(page):
    return json.loads(html.unescape(re.search(r"data-walk='([^']*)'", page)[1]))


@pytest.mark.parametrize("seed", range(8))
def test_nodes_are_those_of_the_tree(seed):
    tree = random_tree(seed, n_tests=20)
    nodes = tree_data(tree)["nodes"]
    assert sorted(node["n"] for node in nodes) == list(range(tree.n_nodes))
    assert nodes[0]["p"] == -1
    for node in nodes[1:]:
        assert tree.parent[node["n"]] == nodes[node["p"]]["n"]
        assert node["w"] == pytest.approx(tree.weighted_n_node_samples[node["n"]], rel=1e-5)
    for parent in range(tree.n_nodes):  # children are in the order of the branches
        below = [n["n"] for n in nodes if n["p"] >= 0 and nodes[n["p"]]["n"] == parent]
        assert below == tree.children_of(parent).tolist()


def test_a_limit_keeps_the_nodes_nearest_to_the_root(model):
    found = tree_data(model.tree_, 11)["nodes"]
    assert len(found) <= 11
    left_out = sum(node.get("more", 0) for node in found)
    assert left_out == model.tree_.n_nodes - len(found)


def test_a_page_is_complete_and_inert_without_scripts(model):
    page = model.tree_.to_html(title="<script>alert(1)</script>")
    assert "<script>alert(1)" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)=", page)
    assert "<pre>[0] root" in page
    assert model.tree_.to_html() == model.tree_.to_html()


ESTIMATORS = {
    "tree": lambda: mw.TreeClassifier(),
    "c45": lambda: mw.C45TreeClassifier(),
    "grow and prune": lambda: mw.GrowPruneTreeClassifier(random_state=0),
    "optimal": lambda: mw.OptimalTreeClassifier(max_depth=2, time_limit=10),
    "model tree": lambda: mw.ModelTreeClassifier(),
    "forest": lambda: mw.ForestClassifier(n_estimators=5, random_state=0),
    "boosted": lambda: mw.BoostedTreesClassifier(n_estimators=5, random_state=0),
    "regressor": lambda: mw.TreeRegressor(),
    "model tree of numbers": lambda: mw.ModelTreeRegressor(),
    "forest of numbers": lambda: mw.ForestRegressor(n_estimators=5, random_state=0),
    "svm": lambda: mw.SmoothSVC(),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fitted_estimator_shows_its_trees_below_the_parameters(data, name):
    model = ESTIMATORS[name]()
    before = clone(model)._repr_html_()
    assert "mw-walk" not in before
    y = data.X["x1"].fillna(0) if hasattr(model, "_needs_nonnegative") else data.y
    model.fit(data.X, y)
    shown = model._repr_html_()
    assert ("mw-walk" in model._repr_mimebundle_()["text/html"]) == (name != "svm")
    assert ("mw-walk" in shown) == (name != "svm")
    assert "sk-" in shown
    if name == "svm":
        return
    found = data_of(shown)
    trees = [model.tree_] if hasattr(model, "tree_") else model.trees_
    assert len(found["trees"]) == len(trees)
    assert all(len(t["nodes"]) == tree.n_nodes for t, tree in zip(found["trees"], trees))  # noqa: B905
    assert ("Proof" in dict(found["facts"])) == (name == "optimal")
    if name == "model tree of numbers":
        assert found["trees"][0]["notes"]
    if len(trees) > 1:
        assert "leaves, depth" in found["trees"][1]["note"]


def test_many_trees_are_listed_and_some_are_there(data):
    model = mw.ForestClassifier(n_estimators=40, random_state=0).fit(data.X, data.y)
    walk = model_walk(model, max_nodes=300, scores=[f"score {i}" for i in range(40)])
    there = [tree for _, _, tree in walk.trees if tree is not None]
    assert len(walk.trees) == 40
    assert 1 <= len(there) < 40
    assert sum(tree.n_nodes for tree in there) <= 300
    assert walk.trees[7][1].endswith("score 7")


# In a browser


@pytest.fixture(scope="module")
def browser():
    if PATH is None and "CI" not in os.environ:
        pytest.skip("no Chromium found: apt-get install chromium")
    assert PATH is not None, "CI needs Chromium for this test: apt-get install chromium"
    found = Browser(PATH)
    yield found
    found.close()


def show(browser, path, page, **how):
    path.write_text(page, "utf-8")
    browser.open(path, **how)
    wait_for(browser, "document.querySelectorAll('.mw-node').length")


def wait_for(browser, what):
    for _ in range(3000):  # a minute
        if browser.run(what):
            return
        time.sleep(0.02)
    raise AssertionError(f"never: {what}")


def quiet(browser, path):
    heard = browser.heard("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
    asked = [e["request"]["url"] for e in browser.heard("Network.requestWillBeSent")]
    assert heard == []
    assert asked == [path.as_uri()]


FOCUSED = "document.activeElement.getAttribute('aria-label')"
KEY = (
    "document.activeElement.dispatchEvent(new KeyboardEvent('keydown',"
    " {{key: '{}', bubbles: true, cancelable: true}}))"
)


OPEN_ALL = "document.querySelector('[title=\"Open all nodes\"]').click()"


def press(browser, *keys):
    for key in keys:
        browser.run(KEY.format(key))


def test_keys_walk_open_close_and_mark(browser, model, tmp_path):
    path = tmp_path / "tree.html"
    show(browser, path, model.tree_.to_html())
    browser.run("document.querySelector('.mw-node[tabindex=\"0\"]').focus()")
    assert browser.run(FOCUSED).startswith("all rows")
    press(browser, "ArrowRight")
    assert browser.run(FOCUSED).startswith(format_branches(model.tree_, 0)[0])
    press(browser, "ArrowLeft", "ArrowLeft")  # closes the child, then goes to its parent
    assert browser.run(FOCUSED).startswith("all rows")
    press(browser, "ArrowLeft")  # closes the root
    wait_for(browser, "document.querySelectorAll('.mw-node').length === 1")
    assert browser.run("document.activeElement.getAttribute('aria-expanded')") == "false"
    press(browser, "ArrowRight", "ArrowRight", "Enter")
    assert browser.run("document.activeElement.getAttribute('aria-selected')") == "true"
    assert "Rule of the marked path" in browser.run("document.querySelector('.mw-side').innerText")
    press(browser, "End")
    assert browser.run("document.activeElement.getAttribute('role')") == "treeitem"
    quiet(browser, path)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_rules_of_leaves_are_those_of_python(browser, tmp_path, kind):
    """The script merges the conditions of a path as `to_rules` does."""
    path = tmp_path / "tree.html"
    for seed in range(3):
        data = make_mixed(300, random_state=seed, frame="pandas")
        if kind == "classes":
            tree = mw.TreeClassifier(pruning=None, max_depth=6).fit(data.X, data.y).tree_
        else:
            y = data.X["x2"].fillna(0) * 2 + (data.y == "class1")
            tree = mw.TreeRegressor(max_depth=5, pruning=None).fit(data.X, y).tree_
        show(browser, path, tree.to_html())
        browser.run(OPEN_ALL)
        found = {}
        browser.run("document.querySelector('.mw-layer').firstElementChild.focus()")
        press(browser, "Home")
        for _ in range(tree.n_nodes):
            node, rule = browser.run(
                "[document.querySelector('.mw-head').firstChild.textContent.slice(5),"
                " document.querySelector('.mw-rule').textContent]"
            )
            found[int(node)] = rule
            press(browser, "ArrowDown")
        for rule in tree.to_rules():
            wanted = " and ".join(rule.describe_conditions(all_values=True))
            shown = re.match(r"If (.*) then ", found[rule.node])[1]
            assert re.sub(r"[()]", "", shown) == re.sub(r"[()]", "", wanted)
    quiet(browser, path)


def test_a_search_finds_every_split_on_a_column(browser, model, tmp_path):
    path = tmp_path / "tree.html"
    show(browser, path, model.tree_.to_html())
    name = "c1"
    n = int((model.tree_.column == model.schema_.position(name)).sum())
    browser.run(
        "(box => { box.value = '" + name + "'; box.dispatchEvent(new Event('input')) })"
        "(document.querySelector('input'))"
    )
    assert browser.run("document.querySelector('.mw-found').textContent") == f"1 of {n} splits"
    for _ in range(n):
        assert browser.run("document.querySelectorAll('.mw-here').length") == 1
        assert f"splits on {name}" in browser.run(
            "document.querySelector('.mw-here').getAttribute('aria-label')"
        )
        browser.run("document.querySelector('[aria-label^=\"Next\"]').click()")
    browser.run(
        "(box => { box.value = 'zzz'; box.dispatchEvent(new Event('input')) })"
        "(document.querySelector('input'))"
    )
    assert browser.run("document.querySelector('.mw-found').textContent") == "no split"
    quiet(browser, path)


def test_a_click_marks_and_the_button_closes(browser, model, tmp_path):
    path = tmp_path / "tree.html"
    show(browser, path, model.tree_.to_html(), width=400)
    x, y = browser.run(
        "(b => [b.x + 20, b.y + 10])(document.querySelector('.mw-node').getBoundingClientRect())"
    )
    browser.click(x, y)
    wait_for(browser, "document.querySelectorAll('[aria-selected=true]').length === 1")
    x, y = browser.run(
        "(b => [b.x + 9, b.y + 9])(document.querySelector('.mw-toggle').getBoundingClientRect())"
    )
    browser.click(x, y)
    wait_for(browser, "document.querySelectorAll('.mw-node').length === 1")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    quiet(browser, path)


@pytest.mark.parametrize("n_left", [30, 120, 250])
def test_children_are_drawn_in_proportion_to_rows(browser, tmp_path, n_left):
    """Heights of the two bands, in pixels, at the left edge of the children."""
    x = np.arange(300.0)
    tree = mw.TreeClassifier().fit({"x": x}, np.where(x < n_left, "a", "b")).tree_
    path = tmp_path / "tree.html"
    show(browser, path, tree.to_html())
    runs = browser.run("""
      (() => {
        const canvas = document.querySelector('canvas'), view = canvas.getBoundingClientRect();
        const child = document.querySelectorAll('.mw-node')[1].getBoundingClientRect();
        const x = Math.round(child.x - view.x - 3);
        const pixels = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height).data;
        const runs = [0];
        for (let y = 0; y < canvas.height; y++) {
          if (pixels[4 * y + 3] > 127) runs[runs.length - 1]++;
          else if (runs[runs.length - 1]) runs.push(0);
        }
        return runs.filter((n) => n);
      })()
    """)
    assert len(runs) == 2
    assert runs[0] / sum(runs) == pytest.approx(n_left / 300, abs=0.06)


def test_five_thousand_nodes_do_not_stutter(browser, tmp_path):
    """Frames of moving and zooming all open nodes take a few milliseconds of script."""
    rng = np.random.default_rng(0)
    X = {f"x{i}": rng.normal(size=9000) for i in range(6)}
    X["c"] = rng.integers(30, size=9000).astype(str)
    model = mw.TreeClassifier(pruning=None, selection="score").fit(X, rng.integers(12, size=9000))
    assert model.tree_.n_nodes > 5000
    path = tmp_path / "tree.html"
    page = model.tree_.to_html(max_nodes=5001)
    assert len(page) < 1_500_000
    show(browser, path, page)
    browser.run(OPEN_ALL)
    assert browser.run("document.querySelectorAll('.mw-node').length") < 500
    seconds = frame_seconds(browser)
    assert seconds < 0.25  # of a busy machine; about 0.02 on a quiet one
    quiet(browser, path)


def frame_seconds(browser):
    """Median time of 20 frames while zooming in."""
    browser.run("""
      (() => {
        const view = document.querySelector('.mw-view'), times = [];
        window.frames_ = times;
        let last = performance.now();
        const step = () => {
          times.push(performance.now() - last);
          last = performance.now();
          view.dispatchEvent(new WheelEvent('wheel',
            {ctrlKey: true, deltaY: -20, clientX: 300, clientY: 300, cancelable: true}));
          if (times.length < 22) requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      })()
    """)
    wait_for(browser, "window.frames_.length >= 22")
    return float(np.median(browser.run("window.frames_")[1:])) / 1000


def test_hostile_names_are_text(browser, tmp_path):
    nasty = [
        "<img src=x onerror=alert(1)>",
        "'\"></div><script>alert(1)</script>",
        "\u202egnirts",
        "&lt;b&gt;",
    ]
    rng = np.random.default_rng(0)
    X = {name: rng.choice(nasty, 300) for name in nasty}
    y = np.where(X[nasty[0]] == nasty[1], nasty[1], nasty[2])
    model = mw.TreeClassifier().fit(X, y)
    path = tmp_path / "tree.html"
    show(browser, path, model.tree_.to_html(title=nasty[1]))
    assert browser.run("document.querySelectorAll('img, main script').length") == 0
    assert "onerror" in browser.run("document.querySelector('.mw-side').innerText")
    quiet(browser, path)


def test_walks_may_be_many_on_a_page(browser, model, tmp_path):
    path = tmp_path / "tree.html"
    one = Walk([("a", "", model.tree_)]).fragment()
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{one}{one}", "utf-8")
    browser.open(path)
    wait_for(browser, "document.querySelectorAll('[role=tree]').length === 2")
    quiet(browser, path)
