"""Permutation importances: what shuffling does, groups, out-of-bag rows, and bad input."""

import json

import numpy as np
import pytest
from sklearn.inspection import permutation_importance

import mixedwood as mw
from mixedwood.datasets import make_mixed


@pytest.fixture(scope="module")
def data():
    return make_mixed(400, random_state=0, frame="pandas")


@pytest.fixture(scope="module")
def model(data):
    return mw.TreeClassifier(random_state=0).fit(data.X, data.y)


def test_they_are_about_those_of_scikit_learn(model, data):
    ours = model.importances(data.X, data.y, n_repeats=30, random_state=0)
    theirs = permutation_importance(model, data.X, data.y, n_repeats=30, random_state=0)
    assert ours.score == pytest.approx(model.score(data.X, data.y))
    error = 3 * np.hypot(ours.std, theirs.importances_std) / np.sqrt(30) + 1e-12
    assert (np.abs(ours.mean - theirs.importances_mean) <= error).all()


def test_columns_of_numbers():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=300), "noise": rng.normal(size=300)}
    y = X["x"] ** 2
    model = mw.ForestRegressor(n_estimators=10, random_state=0).fit(X, y)
    for metric in ("r2", "rmse", "mae"):
        found = model.importances(X, y, metric=metric, random_state=0)
        assert found.names[found.order[0]] == "x"
        assert found.mean[0] > 5 * abs(found.mean[1])
    boosted = mw.BoostedTreesRegressor(n_estimators=20, random_state=0).fit(X, y)
    assert boosted.importances(X, y, random_state=0).mean[0] > 0.5


@pytest.mark.parametrize("metric", ["accuracy", "balanced_accuracy", "auc", "log_loss"])
def test_every_score_of_classes(model, data, metric):
    found = model.importances(data.X, data.y, metric=metric, n_repeats=3, random_state=1)
    assert found.mean.max() > 0.01
    evaluation = mw.evaluate(model, data.X, data.y)
    assert found.score == pytest.approx(getattr(evaluation, metric))


def test_the_same_seed_gives_the_same_numbers_for_any_number_of_threads(model, data):
    one = model.importances(data.X, data.y, random_state=5)
    for n_jobs in (1, 2, 4):
        other = model.importances(data.X, data.y, random_state=5, n_jobs=n_jobs)
        assert (one.repeats == other.repeats).all()
    different = model.importances(data.X, data.y, random_state=6)
    assert (one.repeats != different.repeats).any()


def test_unused_columns_have_exactly_none(model, data):
    found = model.importances(data.X, data.y, random_state=0)
    used = {model.schema_.columns[c].name for c in np.unique(model.tree_.column) if c >= 0}
    for name, repeats in zip(found.names, found.repeats, strict=True):
        assert (name in used) or (repeats == 0).all()


def test_linear_models_in_leaves_use_columns_without_splits():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=200), "z": rng.normal(size=200)}
    y = 3 * X["x"] + 2 * X["z"]
    model = mw.ModelTreeRegressor().fit(X, y)
    assert (model.importances(X, y, random_state=0).mean > 0.1).all()


def test_crossed_columns_change_with_their_sources():
    rng = np.random.default_rng(0)
    X = {n: rng.integers(3, size=600).astype(str) for n in ("a", "b", "c")}
    y = np.where((X["a"] == X["b"]), "same", "other")
    model = mw.TreeClassifier(crossed_features=[("a", "b")]).fit(X, y)
    found = model.importances(X, y, random_state=0)
    assert found.columns == ("a", "b", "c", ("a", "b"))
    assert found.names[-1] == "a & b"
    assert found.mean[0] > 0.1 and found.mean[1] > 0.1 and found.mean[2] == 0
    assert found.gain[:3].sum() + found.gain[3] == pytest.approx(1)


def test_groups_are_shuffled_together():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    X = {"x": x, "copy": x.copy(), "noise": rng.normal(size=500)}
    y = np.where(x > 0, "yes", "no")
    model = mw.ForestClassifier(n_estimators=40, random_state=0).fit(X, y)
    found = model.importances(X, y, groups=[["x", "copy"]], random_state=0)
    alone, together = found.mean[:2], found.mean[3]
    assert together > 1.5 * alone.max()
    assert found.gain[3] == pytest.approx(found.gain[:2].sum())
    with pytest.raises(ValueError, match="'y', which is not a column"):
        model.importances(X, y, groups=[["x", "y"]])
    with pytest.raises(ValueError, match="two or more columns"):
        model.importances(X, y, groups=["x"])


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_out_of_bag_scores_are_those_of_the_forest(data, kind):
    y = data.y if kind == "classes" else np.asarray(data.X["x1"].fillna(0)) ** 2
    forest = mw.ForestClassifier if kind == "classes" else mw.ForestRegressor
    model = forest(n_estimators=25, oob_score=True, random_state=0).fit(data.X, y)
    found = model.importances(data.X, y, out_of_bag=True, n_repeats=2, random_state=0)
    assert found.out_of_bag
    assert found.score == pytest.approx(model.oob_score_)
    assert model.importances(data.X, y, n_repeats=1).score > found.score
    with pytest.raises(ValueError, match="training had 400"):
        model.importances(data.X[:300], y[:300], out_of_bag=True)


def test_out_of_bag_needs_a_forest_that_leaves_rows_out(model, data):
    with pytest.raises(ValueError, match="out_of_bag is for forests"):
        model.importances(data.X, data.y, out_of_bag=True)
    whole = mw.ForestClassifier(n_estimators=3, bootstrap=False, random_state=0)
    with pytest.raises(ValueError, match="no out-of-bag rows"):
        whole.fit(data.X, data.y).importances(data.X, data.y, out_of_bag=True)


def test_weights_of_zero_are_rows_that_are_not_there(model, data):
    weights = np.ones(400)
    weights[200:] = 0
    some = model.importances(data.X, data.y, sample_weight=weights, random_state=0)
    half = model.importances(data.X[:200], data.y[:200], random_state=0)
    assert (some.repeats == half.repeats).all()
    assert some.n_rows == 200


def test_they_print_plot_and_convert(model, data):
    pytest.importorskip("matplotlib").use("agg")
    found = model.importances(data.X, data.y, random_state=0)
    text = str(found)
    assert "accuracy" in text and "gain" in text and "400 rows" in text
    assert [line.split()[0] for line in text.splitlines()[2:]] == [
        found.names[i] for i in found.order
    ]
    json.dumps(found.to_dict(), allow_nan=False)
    ax = found.plot(max_columns=4)
    assert len(ax.get_yticks()) == 4
    svc = mw.SmoothSVC().fit(data.X, data.y).importances(data.X, data.y, n_repeats=2)
    assert np.isnan(svc.gain).all() and "gain" not in str(svc)
    assert "gain" not in svc.plot().get_legend().get_texts()[0].get_text()


def test_bad_input(model, data):
    with pytest.raises(ValueError, match="metric must be one of accuracy"):
        model.importances(data.X, data.y, metric="r2")
    with pytest.raises(ValueError, match="n_repeats must be an int of at least 1"):
        model.importances(data.X, data.y, n_repeats=0)
    with pytest.raises(ValueError, match="none of the classes"):
        model.importances(data.X, [0, 1] * 200)
    with pytest.raises(ValueError, match=r"rows|samples"):
        model.importances(data.X, data.y[:10])
    svc = mw.SmoothSVC().fit(data.X, data.y)
    with pytest.raises(ValueError, match="no probabilities"):
        svc.importances(data.X, data.y, metric="auc")
