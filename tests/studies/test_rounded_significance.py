"""The published fault: the first of the columns whose CDF rounds to 1."""

import numpy as np
import pytest
from scipy.stats import chi2

from mixedwood.splits import conditional_inference_test
from mixedwood.study import TaskContext
from mixedwood.study.datasets import read_dataset
from mixedwood_studies.nominal_splits.methods import RoundedSignificanceClassifier, nominal_splits
from mixedwood_studies.nominal_splits.tasks import published_folds
from support.real_data import needs


def drawn(n, seed=0):
    """Three columns, each telling more of the class than the one before."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = {}
    for name, noise in (("weak", 0.35), ("middle", 0.25), ("strong", 0.1)):
        flipped = np.where(rng.random(n) < noise, 1 - y, y)
        X[name] = np.array(["u", "v"])[flipped]
    return X, y


def root(model):
    return model.tree_.schema.columns[int(model.tree_.column[0])].name


def test_many_rows_make_ties_that_the_first_column_wins():
    X, y = drawn(2000)
    for name in X:
        test = conditional_inference_test(np.array(
            [[np.sum((X[name] == v) & (y == c)) for c in (0, 1)] for v in "uv"], dtype=float
        ))  # fmt: skip
        assert chi2.cdf(test.statistic, test.degrees_of_freedom) == 1.0
    assert root(RoundedSignificanceClassifier().fit(X, y)) == "weak"
    assert root(nominal_splits(selection="significance").fit(X, y)) == "strong"


def test_few_rows_make_none_and_the_tree_is_the_correct_one():
    X, y = drawn(160, seed=3)
    X = {name: X[name] for name in ("middle", "strong")}
    rounded = RoundedSignificanceClassifier("gini", max_depth=1).fit(X, y)
    correct = nominal_splits("gini", selection="significance", max_depth=1)
    correct.fit(X, y)
    assert np.array_equal(rounded.predict_proba(X), correct.predict_proba(X))
    assert root(rounded) == "strong"


def test_filters_leave_columns_out():
    y = np.array([0, 1] * 50)
    rare = np.array(["a"] * 90 + ["b"] * 10)
    rare[:10] = "b"
    model = RoundedSignificanceClassifier(min_second=21).fit({"rare": rare}, y)
    assert model.tree_.n_nodes == 1
    luck = np.array(["a", "a", "b", "b"] * 25)
    assert RoundedSignificanceClassifier().fit({"luck": luck}, y).tree_.n_nodes == 1
    assert RoundedSignificanceClassifier(max_depth=0).fit({"x": y.astype(str)}, y).get_depth() == 0


def test_numbers_are_refused():
    with pytest.raises(ValueError, match=r"numeric columns \(n\).*Leave them out"):
        RoundedSignificanceClassifier().fit({"n": [1.0, 2.0]}, [0, 1])


@needs("car-aggreg")
@pytest.mark.parametrize(
    ("criterion", "partitioner", "accuracy", "nodes"),
    [
        ("twoing", "twoing", 93.1192, 37.8333),
        ("squared_gini", "max_cut", 87.3814, 46.4),
        ("chi2", "max_cut", 93.3391, 38.2333),
    ],
)
def test_cars_with_added_columns_agree_with_the_dissertation(
    criterion, partitioner, accuracy, nodes
):
    """Table B, digit by digit: the published figures are those of the fault."""
    problem = read_dataset("c", {"load": "car-aggreg", "number_as_met": "drop_rows"})
    method = {
        "model": "mixedwood_studies.nominal_splits.methods:RoundedSignificanceClassifier",
        "criterion": criterion,
        "partitioner": partitioner,
    }
    settings = {"seeds": "nominal_splits", "folds": 3, "max_depth": 16}
    found = [
        published_folds(TaskContext({"repetition": r}, settings, method, problem))
        for r in range(20)
    ]
    assert np.mean([f["accuracy"] for f in found]) == pytest.approx(accuracy, abs=5e-5)
    assert np.mean([f["nodes"] for f in found]) == pytest.approx(nodes, abs=5e-5)
