"""Forests that predict numbers: checks, out-of-bag predictions, quantiles, files."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.splits import Partitioner
from support.excuses import SAMPLES


def mixed_data(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "city": rng.choice(["Bonn", "Rome", "Oslo", "Lima", "Kiev"], n),
            "rooms": rng.integers(1, 7, n),
            "area": rng.normal(80, 20, n).round(1),
        }
    )
    level = X["city"].map({"Bonn": 9, "Rome": 15, "Oslo": 20, "Lima": 6, "Kiev": 7})
    return X, (level + 2 * X["rooms"] + 0.1 * X["area"] + rng.normal(size=n)).to_numpy()


def excused(model):
    return SAMPLES if model.bootstrap else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        mw.ForestRegressor(n_estimators=5, random_state=0),
        mw.RandomOrdinalityRegressor(n_estimators=5, random_state=0),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_predictions_are_means_of_the_trees():
    X, y = mixed_data()
    model = mw.ForestRegressor(n_estimators=8, random_state=0).fit(X, y)
    members = model.predict_members(X)
    np.testing.assert_allclose(model.predict(X), members.mean(axis=1))
    stages = list(model.staged_predict(X))
    assert len(stages) == 8
    np.testing.assert_allclose(stages[2], members[:, :3].mean(axis=1))
    np.testing.assert_allclose(stages[-1], model.predict(X))
    test, truth = mixed_data(seed=1)
    assert model.score(test, truth) > 0.9


def test_out_of_bag_predictions_come_from_trees_without_the_row():
    X, y = mixed_data(120)
    model = mw.ForestRegressor(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    out = model._row_weights == 0
    members = model.predict_members(X)
    expected = (members * out).sum(axis=1) / out.sum(axis=1)
    np.testing.assert_allclose(model.oob_prediction_, expected)
    assert model.oob_score_ == pytest.approx(r2_score(y, expected))
    other = mw.ForestRegressor(n_estimators=30, oob_score=mean_absolute_error, random_state=0)
    assert other.fit(X, y).oob_score_ == pytest.approx(mean_absolute_error(y, expected))
    weightless = np.r_[np.zeros(20), np.ones(100)]
    some = mw.ForestRegressor(n_estimators=30, oob_score=True, random_state=0)
    assert len(some.fit(X, y, sample_weight=weightless).oob_prediction_) == 120
    with pytest.raises(AttributeError, match="oob_score=True"):
        _ = mw.ForestRegressor(n_estimators=2).fit(X, y).oob_prediction_


@pytest.mark.parametrize("weighted", [False, True])
def test_quantiles_are_those_of_the_weighted_training_rows(weighted):
    X, y = mixed_data(80)
    weights = np.random.default_rng(5).integers(1, 4, 80).astype(float) if weighted else np.ones(80)
    model = mw.ForestRegressor(n_estimators=7, random_state=0).fit(X, y, sample_weight=weights)
    test, _ = mixed_data(25, seed=1)
    test.loc[3, "city"] = "never seen"
    levels = [0.0, 0.1, 0.5, 0.9, 1.0]
    with pytest.warns(mw.UnknownCategoryWarning):
        found = model.predict(test, quantiles=levels)
        ends = model.apply(test)
    inside = model.apply(X)
    for row in range(25):
        total = np.zeros(80)
        for i, tree in enumerate(model.trees_):
            here = np.zeros(tree.n_nodes, dtype=bool)  # the node and all nodes below it
            for node in range(tree.n_nodes):
                here[node] = node == ends[row, i] or (node > 0 and here[tree.parent[node]])
            amount = model._row_weights[:, i] * here[inside[:, i]]
            total += amount / amount.sum()
        order = np.argsort(y)
        sums = np.cumsum(total[order])
        expected = [y[order][np.argmax(sums >= q * 7 - 1e-6)] for q in levels]
        expected[0] = y[order][np.argmax(total[order] > 0)]
        np.testing.assert_allclose(found[row], expected)
    assert (np.diff(found, axis=1) >= 0).all()


def test_quantiles_cover_the_target():
    X, y = mixed_data(1500)
    model = mw.ForestRegressor(
        mw.TreeRegressor(min_samples_leaf=10, pruning=None), 50, random_state=0
    )
    test, truth = mixed_data(1000, seed=1)
    low, high = model.fit(X, y).predict(test, quantiles=[0.05, 0.95]).T
    assert 0.8 < ((low <= truth) & (truth <= high)).mean() < 0.99


def test_bad_quantiles_are_errors():
    X, y = mixed_data(50)
    model = mw.ForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    for bad in ([1.2], [-0.1], 0.5, [[0.5]], [np.nan]):
        with pytest.raises(ValueError, match="quantiles must be a list"):
            model.predict(X, quantiles=bad)
    without = mw.ForestRegressor(n_estimators=3, keep_leaves=False).fit(X, y)
    with pytest.raises(ValueError, match="keep_leaves=True"):
        without.predict(X, quantiles=[0.5])


def test_the_forest_is_read_back_from_a_file(tmp_path):
    X, y = mixed_data(100)
    for model in (
        mw.ForestRegressor(n_estimators=20, oob_score=True, random_state=0),
        mw.RandomOrdinalityRegressor(n_estimators=4, random_state=0),
    ):
        model.fit(X, y)
        mw.save_model(model, tmp_path / "forest.mw")
        again = mw.load_model(tmp_path / "forest.mw")
        assert again.trees_ == model.trees_
        assert again.predict(X).tolist() == model.predict(X).tolist()
        quantiles = again.predict(X, quantiles=[0.1, 0.9])
        assert quantiles.tolist() == model.predict(X, quantiles=[0.1, 0.9]).tolist()


def test_warm_start_is_one_fit():
    X, y = mixed_data(100)
    grown = mw.ForestRegressor(n_estimators=3, warm_start=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=6).fit(X, y)
    whole = mw.ForestRegressor(n_estimators=6, random_state=0).fit(X, y)
    assert grown.trees_ == whole.trees_
    assert grown.predict(X, quantiles=[0.5]).tolist() == whole.predict(X, quantiles=[0.5]).tolist()


def test_random_orders_differ_between_trees():
    X, y = mixed_data()
    model = mw.RandomOrdinalityRegressor(n_estimators=20, random_state=0).fit(X, y)
    assert len({tree.to_text() for tree in model.trees_}) > 10
    test, truth = mixed_data(seed=1)
    assert model.score(test, truth) > 0.8
    joint = Partitioner("random_order", per="tree", joint=True)
    assert mw.RandomOrdinalityRegressor(n_estimators=3, partitioner=joint).fit(X, y).trees_
    with pytest.raises(ValueError, match="random_order"):
        mw.RandomOrdinalityRegressor(partitioner="exact").fit(X, y)
    with pytest.raises(TypeError, match="'TreeRegressor' or None"):
        mw.RandomOrdinalityRegressor(mw.TreeClassifier()).fit(X, y)


def test_trees_of_classes_are_refused():
    X, y = mixed_data(50)
    with pytest.raises(TypeError, match="TreeRegressor"):
        mw.ForestRegressor(mw.TreeClassifier()).fit(X, y)
    with pytest.raises(TypeError, match="TreeClassifier"):
        mw.ForestClassifier(mw.TreeRegressor()).fit(X, np.round(y).astype(int))


def test_contributions_add_up_to_the_prediction():
    X, y = mixed_data()
    model = mw.ForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    why = model.explain(X, row=4)
    assert why.bias[0] + why.contributions.sum() == pytest.approx(model.predict(X)[4])
    assert "The mean of 5 trees" in str(why)
    assert why.to_dict()["total"] == pytest.approx(model.predict(X)[4])
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_results_do_not_depend_on_threads():
    X, y = mixed_data(100)
    one = mw.ForestRegressor(n_estimators=6, random_state=0, n_jobs=1).fit(X, y)
    two = mw.ForestRegressor(n_estimators=6, random_state=0, n_jobs=2).fit(X, y)
    assert one.trees_ == two.trees_
    assert one.predict(X).tolist() == two.predict(X).tolist()
