"""The metric "cost" of `compare` and of the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import mixedwood as mw
from mixedwood.cli import main

COSTS = {"negative": {"positive": 4}, "positive": {"negative": 1}}


@pytest.fixture(scope="module")
def data():
    return mw.datasets.load("tic-tac-toe")


def test_the_metric_is_the_mean_cost(data):
    methods = {
        "plain": mw.TreeClassifier(max_depth=3, pruning=None),
        "costly": mw.TreeClassifier(max_depth=3, pruning=None, cost_matrix=COSTS),
    }
    found = mw.compare(data, methods=methods, cv=2, metrics=["cost", "error"], cost_matrix=COSTS)
    plain, costly = found.means("cost")[0]
    assert 0 < costly < plain
    equal = {"negative": {"positive": 1}, "positive": {"negative": 1}}
    same = mw.compare(data, methods=methods, cv=2, metrics=["cost", "error"], cost_matrix=equal)
    assert np.allclose(same.means("cost"), same.means("error"))
    assert np.array_equal(same.means("error"), found.means("error"))


def test_cost_is_one_of_all_metrics_if_costs_are_given(data):
    rows = np.arange(0, 958, 8)
    X, y = {name: np.asarray(cells)[rows] for name, cells in data.X.items()}, data.y[rows]
    assert "cost" not in mw.compare(X, y, methods=["tree"], cv=2).metrics
    assert "cost" in mw.compare(X, y, methods=["tree"], cv=2, cost_matrix=COSTS).metrics


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"metrics": ["cost"]}, "needs the costs of mistakes"),
        ({"cost_matrix": [[0, 1]]}, "'cost_matrix' parameter of compare"),
        ({"cost_matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, "y has 2 classes"),
        ({"cost_matrix": {"x": {"negative": 1}}}, "names the class 'x'"),
    ],
)
def test_bad_costs_are_errors_before_any_fit(given, words, data):
    with pytest.raises(ValueError, match=words):
        mw.compare(data, methods=["tree"], cv=2, **given)


@pytest.fixture(scope="module")
def table(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("costs")
    names = list(data.X.keys() if isinstance(data.X, dict) else data.X.columns)
    lines = [",".join([*names, "won"])]
    columns = [np.asarray(data.X[name]) for name in names]
    lines += [",".join(map(str, row)) for row in zip(*columns, data.y, strict=True)]
    (folder / "game.csv").write_text("\n".join(lines))
    (folder / "costs.csv").write_text(",negative,positive\nnegative,0,4\npositive,1,0\n")
    (folder / "costs.json").write_text(json.dumps(COSTS))
    return folder


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_costs_on_the_command_line(table):
    how = ["--target", "won", "--methods", "tree", "--cv", "2", "--metrics", "cost", "-q", "--json"]
    given = [table / "costs.csv", table / "costs.json", json.dumps(COSTS), "[[0, 4], [1, 0]]"]
    printed = [run("compare", table / "game.csv", *how, "--cost-matrix", one) for one in given]
    assert {result.exit_code for result in printed} == {0}, printed[0].output
    assert len({result.stdout for result in printed}) == 1
    assert '"cost"' in printed[0].stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nowhere.csv", "neither JSON nor a readable file"),
        ("[[0, 1", "is not JSON"),
        ("[[0, -1], [1, 0]]", "not negative"),
        ('{"negative": {"positive": 1}}', "no cost of predicting"),
    ],
)
def test_bad_costs_on_the_command_line(given, words, table):
    result = run("compare", table / "game.csv", "--target", "won", "--cost-matrix", given, "-q")
    assert result.exit_code != 0
    assert words in result.output


def test_fit_and_evaluate_with_costs(table):
    model = table / "model.mw"
    fitted = run(
        "fit", table / "game.csv", "--target", "won", "-o", model,
        "--param", f"cost_matrix={json.dumps(COSTS)}", "--param", "max_depth=2",
    )  # fmt: skip
    assert fitted.exit_code == 0, fitted.output
    result = run("evaluate", model, table / "game.csv")
    assert "mean cost " in result.output, result.output
    facts = json.loads(run("evaluate", model, table / "game.csv", "--json").stdout)
    wrong = np.array(facts["confusion_matrix"])
    assert facts["cost"] == pytest.approx((4 * wrong[0, 1] + wrong[1, 0]) / 958)
