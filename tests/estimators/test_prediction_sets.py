"""Prediction sets cover what they say, on rows that the model has not seen."""

import pickle

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.estimators._conformal import conformal_quantile

SMALL = {"random_state": 0}
LEAVES = mw.TreeClassifier(min_samples_leaf=10, max_features=1, pruning=None)
MODELS = {
    "ensemble": lambda: mw.EnsembleClassifier(max_iter=60, **SMALL),
    "forest": lambda: mw.ForestClassifier(LEAVES, 60, oob_score=True, **SMALL),
    "random_ordinality": lambda: mw.RandomOrdinalityClassifier(
        LEAVES, 60, bootstrap=True, oob_score=True, voting="soft", **SMALL
    ),
    "boosted": lambda: mw.BoostedTreesClassifier(
        early_stopping=True, validation_fraction=0.4, **SMALL
    ),
}


def noisy(n, seed):
    rng = np.random.default_rng(seed)
    X = {"x": rng.normal(size=n), "c": rng.choice(list("abcdef"), n)}
    level = np.array([ord(c) - 100 for c in X["c"]]) * 0.7
    score = X["x"] + level + rng.normal(size=n) * 1.5
    return X, np.array(["low", "middle", "top"])[np.digitize(score, [-1, 1])]


@pytest.mark.parametrize("name", MODELS)
def test_sets_cover(name):
    X, y = noisy(800, 0)
    new, truth = noisy(4_000, 1)
    model = MODELS[name]().fit(X, y)
    place = np.searchsorted(model.classes_, truth)
    sizes = []
    n_held = len(model._set_scores)
    for coverage in (0.8, 0.9, 0.95):
        found = model.predict_set(new, coverage)
        assert found.dtype == bool
        assert found.shape == (4_000, 3)
        assert found.any(axis=1).all()
        covered = found[np.arange(4_000), place].mean()
        # Two and a half standard errors, of the held-out and of the new rows.
        allowed = 2.5 * np.sqrt(coverage * (1 - coverage) * (1 / n_held + 1 / 4_000))
        assert abs(covered - coverage) <= max(0.02, allowed)
        sizes.append(found.sum(axis=1).mean())
    assert sizes == sorted(sizes)
    best = model.predict_proba(new).argmax(axis=1)
    assert found[np.arange(4_000), best].all()


def test_probabilities_of_zero_are_ties_that_cover_more():
    X, y = noisy(800, 0)
    new, truth = noisy(2_000, 1)
    model = mw.ForestClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    found = model.predict_set(new, 0.9)
    covered = found[np.arange(2_000), np.searchsorted(model.classes_, truth)].mean()
    assert covered >= 0.9 - 2 * np.sqrt(0.09 * (1 / 800 + 1 / 2_000))


def test_too_few_rows_give_all_classes_and_none_give_an_error():
    X, y = noisy(30, 0)
    model = MODELS["forest"]().fit(X, y)
    assert model.predict_set(X, 0.999).all()
    for bad in (0, 1, 1.5, "0.9", None):
        with pytest.raises(ValueError, match="'coverage' parameter of predict_set"):
            model.predict_set(X, bad)
    with pytest.raises(ValueError, match="fit with oob_score=True"):
        mw.ForestClassifier(n_estimators=3).fit(X, y).predict_set(X)
    with pytest.raises(ValueError, match="fit with early_stopping=True"):
        mw.BoostedTreesClassifier(n_estimators=3).fit(X, y).predict_set(X)
    with pytest.raises(ValueError, match="fit with tune=True"):
        mw.EnsembleClassifier(tune=False).fit(X, y).predict_set(X)


@pytest.mark.parametrize(
    "make",
    [
        lambda: mw.AdaBoostTreesClassifier(variant="samme", **SMALL),
        lambda: mw.BoostedTreesClassifier(n_estimators=20, **SMALL),
        lambda: mw.EnsembleClassifier(tune=False, **SMALL),
    ],
)
def test_rows_of_ones_own_calibrate_models_without_held_out_rows(make):
    X, y = noisy(600, 0)
    held, held_y = noisy(500, 1)
    new, truth = noisy(2_000, 2)
    model = make().fit(X, y)
    with pytest.raises(ValueError, match="pass such rows to calibrate_sets"):
        model.predict_set(new)
    found = model.calibrate_sets(held, held_y).predict_set(new)
    covered = found[np.arange(2_000), np.searchsorted(model.classes_, truth)].mean()
    # Fractions of votes have ties, which cover more.
    assert covered >= 0.9 - 2.5 * np.sqrt(0.09 * (1 / 500 + 1 / 2_000))
    assert covered <= 0.99
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict_set(new), found)
    model.fit(X, y)  # forgets them
    with pytest.raises(ValueError, match="pass such rows to calibrate_sets"):
        model.predict_set(new)


def test_rows_to_calibrate_by_may_have_classes_that_the_model_does_not_know():
    X, y = noisy(300, 0)
    known = y != "top"
    model = mw.BoostedTreesClassifier(n_estimators=5, **SMALL)
    model.fit({name: values[known] for name, values in X.items()}, y[known])
    model.calibrate_sets(X, y)
    share = (~known).mean()
    assert share > 0.1
    # Not even all classes that the model knows cover so much.
    assert model.predict_set(X, 0.95).all()
    with pytest.raises(ValueError, match="must have the same number of rows; got 300 and 299"):
        model.calibrate_sets(X, y[1:])


def test_validation_rows_of_ones_own_count():
    X, y = noisy(300, 0)
    new, truth = noisy(150, 1)
    model = mw.BoostedTreesClassifier(early_stopping=True, random_state=0)
    model.fit(X, y, X_val=new, y_val=truth)
    assert len(model._set_scores) == 150


@pytest.mark.parametrize("n", [1, 7, 50])
def test_the_quantile_is_the_smallest_with_enough_scores(n):
    scores = np.sort(np.random.default_rng(n).random(n))
    for coverage in (0.1, 0.5, 0.8, 0.9, 0.99):
        limits = [v for v in scores if (scores <= v).sum() >= (n + 1) * coverage - 1e-9]
        assert conformal_quantile(scores, coverage) == (limits[0] if limits else np.inf)
