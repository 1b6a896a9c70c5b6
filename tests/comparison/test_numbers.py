"""`compare` with a target of numbers: task, metrics, folds, methods and output."""

import numpy as np
import pytest
from sklearn import metrics as theirs
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

import mixedwood as mw
from mixedwood._catalogue import name_of_task
from mixedwood.comparison import Comparison, check_cv
from mixedwood.comparison.methods import read_methods, task_of
from mixedwood.comparison.metrics import METRICS, Evaluation
from mixedwood.data import is_quantity


def table(n=80):
    rng = np.random.default_rng(0)
    X = {"c": rng.choice(list("abc"), n), "x": rng.normal(size=n)}
    return X, 2 * X["x"] + (X["c"] == "a") + rng.normal(size=n) / 4


def test_metrics_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y, predicted = rng.normal(size=50), rng.normal(size=50)
    found = Evaluation(None, None, y, predicted, 0.0, 0.0, target_sd=2.0)
    expected = {
        "rmse": theirs.mean_squared_error(y, predicted) ** 0.5,
        "relative_rmse": theirs.mean_squared_error(y, predicted) ** 0.5 / 2,
        "mae": theirs.mean_absolute_error(y, predicted),
        "median_error": theirs.median_absolute_error(y, predicted),
        "r2_loss": 1 - theirs.r2_score(y, predicted),
    }
    assert {n: METRICS[n].compute(found) for n in expected} == pytest.approx(expected)
    constant = Evaluation(None, None, np.ones(5), np.ones(5), 0.0, 0.0, target_sd=0.0)
    assert np.isnan([METRICS[n].compute(constant) for n in ("r2_loss", "relative_rmse")]).all()


def test_scores_are_those_of_a_plain_loop():
    X, y = table()
    result = mw.compare(X, y, {"ridge": "sklearn_ridge"}, KFold(4), metrics=["rmse", "r2_loss"])
    for f, (train, test) in enumerate(KFold(4).split(y)):
        rows, others = ({k: v[i] for k, v in X.items()} for i in (train, test))
        predicted = (
            read_methods("sklearn_ridge", "regression")["sklearn_ridge"]
            .fit(rows, y[train])
            .predict(others)
        )
        rmse = theirs.mean_squared_error(y[test], predicted) ** 0.5
        assert result.values()[0, 0, f] == pytest.approx(rmse)
        assert result.values("r2_loss")[0, 0, f] == pytest.approx(
            1 - theirs.r2_score(y[test], predicted)
        )


@pytest.mark.parametrize("cv", ["5x2cv", "3x5cv", "4x1/3"])
def test_folds_are_not_stratified_and_cover_all_rows(cv):
    y = np.random.default_rng(0).normal(size=31)
    folds = check_cv(cv).split(y, 3, stratify=False)
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == list(range(31))
    if cv.endswith("cv"):
        n = check_cv(cv).n_splits
        tested = np.concatenate([fold.test for fold in folds[:n]])
        assert sorted(tested) == list(range(31))
    # Folds depend on the seed and the number of rows, not on the numbers.
    other = check_cv(cv).split(y[::-1], 3, stratify=False)
    assert all((a.test == b.test).all() for a, b in zip(folds, other, strict=True))


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0.5, 1.0], True),
        (list(range(20)) * 2, False),
        (list(range(21)), True),
        (["1.5", "2"], False),
        ([True, False], False),
    ],
)
def test_a_quantity_is_recognized(y, expected):
    assert is_quantity(y) is expected


def test_task_is_that_of_methods_or_of_the_target():
    X, y = table(40)
    whole = np.arange(40)
    quick = {"cv": 2, "metrics": "fit_seconds"}
    assert mw.compare(X, y, "tree", **quick).datasets[0].classes == ()
    assert mw.compare(X, whole, "tree", **quick).datasets[0].classes == ()
    ten = whole % 10
    assert len(mw.compare(X, ten, "tree", **quick).datasets[0].classes) == 10
    assert mw.compare(X, ten, "tree", task="regression", **quick).datasets[0].classes == ()
    assert mw.compare(X, ten, Ridge(), **quick).datasets[0].classes == ()
    many = np.repeat(np.arange(21), 2)[:40]
    assert len(mw.compare(X, many, "c45", **quick).datasets[0].classes) == many.max() + 1
    assert task_of(["tree", DecisionTreeClassifier()]) == "classification"
    assert task_of(["tree", "forest.random_forest"]) is None


def test_errors_say_what_to_do():
    X, y = table(40)
    with pytest.raises(ValueError, match="The metric 'error' does not apply to a target of num"):
        mw.compare(X, y, "tree", metrics="error")
    with pytest.raises(ValueError, match="'c45' predicts classes, but the target has numbers"):
        mw.compare(X, y, "c45", task="regression")
    with pytest.raises(ValueError, match="Ridge predicts numbers, but the target has classes"):
        mw.compare(X, y > 0, Ridge(), task="classification")
    with pytest.raises(ValueError, match="target of a has numbers and that of b classes"):
        mw.compare({"a": (X, y), "b": (X, y > 0)}, methods="tree")
    with pytest.raises(ValueError, match="cost_matrix needs classes"):
        mw.compare(X, y, "tree", cost_matrix=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="'task' parameter of compare must be a str among"):
        mw.compare(X, y, "tree", task="clustering")
    with pytest.raises(ValueError, match="needs at least 5 rows; y has 3"):
        mw.compare({"x": [1, 2, 3]}, [0.5, 1, 2], "tree", cv=5)
    with pytest.raises(ValueError, match="y"):
        mw.compare(X, np.where(y > 0, np.inf, y), "tree", task="regression")


def test_all_output_formats():
    X, y = table()
    result = mw.compare({"a": (X, y), "b": (X, -y)}, methods=["tree", "sklearn_ridge"])
    again = Comparison.from_json(result.to_json())
    assert again.default_metric == "rmse"
    assert np.array_equal(again.scores, result.scores, equal_nan=True)
    assert "RMSE" in result.to_text()
    assert "1 - R²" in result.select(["a"]).to_markdown()
    page = result.to_html()
    assert "RMSE" in page and ">classes<" not in page
    assert result.pairwise_tests()[0].sentence.startswith("5x2cv F test: sklearn_ridge has a sig")
    assert result.select(["a"]).datasets[0].size == "80 rows, 2 columns, numeric target"


def test_names_of_every_regressor_can_be_compared():
    X, y = table(30)
    names = [n for n in mw.comparison.methods("regression") if "optimal" not in n]
    assert {"tree_regressor", "sklearn_ridge", "sklearn_boosting_regressor"} <= set(names)
    result = mw.compare(X, y, names, cv=2, metrics="rmse")
    assert not result.failures
    assert name_of_task("c45", "regression") is None
    assert name_of_task("tree_regressor", "classification") is None
