"""The commands with a numeric target."""

import json

import numpy as np
import pandas as pd
import pytest

import mixedwood as mw
from cli.woods import ok, run
from mixedwood.cli._models import model_of_task


@pytest.fixture
def flats(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["city,rooms,rent,floors"]
    for _ in range(120):
        city, rooms = ("Bonn", "Rome", "Oslo")[rng.integers(3)], int(rng.integers(1, 6))
        rent = {"Bonn": 500, "Rome": 900, "Oslo": 1100}[city] + 200 * rooms + rng.normal(0, 40)
        lines.append(f"{city},{rooms},{rent:.2f},{rng.integers(1, 5)}")
    path = tmp_path / "flats.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "rent.mw"


def test_a_numeric_target_is_recognized(flats, out):
    result = ok("fit", flats, "--target", "rent", "-o", out, "--cross-validate", "3")
    assert "regression, since the target is a number" in result.stderr
    assert "training RMSE" in result.stderr
    assert "3-fold cross-validation: RMSE" in result.stderr
    model = mw.load_model(out)
    assert isinstance(model, mw.TreeRegressor)
    shown = ok("show", out).stdout
    assert "predicts a number" in shown
    assert "training RMSE" in shown
    assert "mean " in shown
    nodes = json.loads(ok("show", out, "--json").stdout)["tree"]
    assert nodes[0]["value"] == pytest.approx(model.tree_.value[0, 0])
    assert "then mean" in ok("show", out, "--rules").stdout


def test_few_whole_numbers_are_classes_unless_a_task_is_given(flats, out, tmp_path):
    ok("fit", flats, "--target", "floors", "-o", out)
    assert isinstance(mw.load_model(out), mw.TreeClassifier)
    other = tmp_path / "other.mw"
    ok("fit", flats, "--target", "floors", "-o", other, "--task", "regression")
    assert isinstance(mw.load_model(other), mw.TreeRegressor)
    many = tmp_path / "many.csv"
    many.write_text("x,y\n" + "".join(f"{i % 9},{i % 30}\n" for i in range(90)), "utf-8")
    ok("fit", many, "--target", "y", "-o", other, "--force")
    assert isinstance(mw.load_model(other), mw.TreeRegressor)


def test_parameters_are_those_of_the_regressor(flats, out):
    ok("fit", flats, "--target", "rent", "-o", out, "--param", "criterion=poisson")
    assert mw.load_model(out).criterion == "poisson"
    bad = run("fit", flats, "--target", "rent", "-o", out, "--force", "--param", "criterion=gini")
    assert bad.exit_code == 2
    assert "squared_error" in bad.stderr
    ok("fit", flats, "--target", "rent", "-o", out, "--force", "--model", "optimal")
    assert isinstance(mw.load_model(out), mw.OptimalTreeRegressor)
    none = run("fit", flats, "--target", "rent", "-o", out, "--force", "--model", "svm")
    assert none.exit_code == 2
    assert "predicts classes, but the target has numbers" in none.stderr
    assert model_of_task("cart", "regression") == "tree_regressor.cart"


def test_predictions_quantiles_and_scores(flats, out):
    ok("fit", flats, "--target", "rent", "-o", out, "--model", "forest")
    result = ok("predict", out, flats, "--quantile", "0.1", "--quantile", "0.9")
    lines = result.stdout.splitlines()
    assert lines[0] == "prediction,quantile_0.1,quantile_0.9"
    values = np.array([line.split(",") for line in lines[1:]], dtype=float)
    assert len(values) == 120
    assert (values[:, 1] <= values[:, 2]).all()
    assert "which is not used to predict" in result.stderr
    shown = ok("evaluate", out, flats).stdout
    for name in ("RMSE", "MAE", "median error", "R²"):
        assert name in shown
    facts = json.loads(ok("evaluate", out, flats, "--json").stdout)
    truth = np.array([line.split(",")[2] for line in flats.read_text().splitlines()[1:]], float)
    assert facts["rmse"] == pytest.approx(np.sqrt(np.mean((values[:, 0] - truth) ** 2)))
    assert 0.8 < facts["r2"] < 1


def test_quantiles_need_a_forest(flats, out):
    ok("fit", flats, "--target", "rent", "-o", out)
    result = run("predict", out, flats, "--quantile", "0.5")
    assert result.exit_code == 2
    assert "predicts no quantiles" in result.stderr
    assert run("predict", out, flats, "--proba").exit_code == 2


def test_an_explanation_of_one_row(flats, out):
    ok("fit", flats, "--target", "rent", "-o", out)
    assert "Row 0: " in ok("explain", out, flats, "--row", "1").stdout.replace("Row 1", "Row 0")


def test_pinball_losses_are_those_of_scikit_learn(flats, out):
    from sklearn.metrics import mean_pinball_loss

    rows = pd.read_csv(flats)
    X, truth = rows.drop(columns="rent"), rows["rent"]
    forest = mw.ForestRegressor(n_estimators=5, random_state=0).fit(X, truth)
    mw.save_model(forest, out, about={"target": "rent"})
    found = json.loads(
        ok("evaluate", out, flats, "--quantile", "0.1", "--quantile", "0.9", "--json").stdout
    )
    levels = forest.predict(X, quantiles=[0.1, 0.9]).T
    for place, level in enumerate((0.1, 0.9)):
        expected = mean_pinball_loss(truth, levels[place], alpha=level)
        assert found["pinball"][str(level)] == pytest.approx(expected)
    assert "pinball 0.1" in ok("evaluate", out, flats, "--quantile", "0.1").stdout
    boosted = mw.BoostedTreesRegressor(n_estimators=5, loss="quantile", quantile=0.8)
    mw.save_model(boosted.fit(X, truth), out, about={"target": "rent"})
    found = json.loads(ok("evaluate", out, flats, "--json").stdout)["pinball"]
    expected = mean_pinball_loss(truth, boosted.predict(X), alpha=0.8)
    assert found == {"0.8": pytest.approx(expected)}
    result = run("evaluate", out, flats, "--quantile", "0.1")
    assert result.exit_code == 2
    assert "predicts no quantiles" in result.stderr
    compared = mw.compare(
        X, truth, {"forest": forest, "boosted": boosted, "tree": "tree"}, cv=2, metrics="pinball"
    )
    values = compared.values("pinball")
    assert np.isfinite(values[..., :2]).all() or np.isfinite(values).any()
