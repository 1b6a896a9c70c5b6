"""Bad and odd targets of numbers: every regressor answers alike, or says what came."""

import numpy as np
import pytest

import mixedwood as mw
from mixedwood._catalogue import CATALOGUE

REGRESSORS = [entry for entry in CATALOGUE.values() if entry.task == "regression"]
X = {"c": ["a", "b", "a", "c", "b", "a"], "x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
Y = [1.0, 2.0, 4.0, 3.0, 0.0, 2.0]

regressors = pytest.mark.parametrize("entry", REGRESSORS, ids=lambda entry: entry.name)


def make(entry, **parameters):
    """Make a regressor, small if it has many trees."""
    kind = entry.load()
    if "n_estimators" in kind().get_params():
        parameters["n_estimators"] = 3
    return kind(random_state=0, **parameters)


@regressors
@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, 2, np.nan, 3, 4, 5], r"(?s)y.*row 2"),
        ([1, 2, None, 3, 4, 5], r"(?s)y.*row 2"),
        ([1, 2, 3, np.inf, 4, 5], r"(?s)y.*row 3"),
        ([1, 2, 3, -np.inf, 4, 5], r"(?s)y.*row 3"),
        (list("abcdef"), r"y must be numbers"),
        (["1", "2", "3", "4", "5", "6"], r"y must be numbers"),
        ([1, 2, 3, 4, 5, 1e200], r"y.*row 5"),
        ([1.0, 2.0], r"2.*6|6.*2"),
        ([], "y"),
        (np.ones((6, 2)), "y"),
    ],
    ids=["nan", "none", "inf", "minus inf", "letters", "digits", "huge", "short", "empty", "wide"],
)
def test_bad_targets_are_errors(entry, y, words):
    model = make(entry)
    with pytest.raises(ValueError, match=words):
        model.fit(X, y)
    assert not hasattr(model, "schema_")


@regressors
def test_missing_target_is_an_error(entry):
    with pytest.raises((ValueError, TypeError), match="y"):
        make(entry).fit(X, None)


def _poisson(entry):
    names = entry.load()().get_params()
    for name in ("criterion", "loss"):
        if name in names:
            return make(entry, **{name: "poisson"})
    if entry.name == "grow_prune_forest_regressor":
        return make(entry, estimator=mw.GrowPruneTreeRegressor(criterion="poisson"))
    if "estimator" in names:
        return make(entry, estimator=mw.TreeRegressor(criterion="poisson", pruning=None))
    return None


@regressors
def test_poisson_needs_counts_that_are_not_negative(entry):
    model = _poisson(entry)
    if model is None:
        pytest.skip("has no Poisson loss")
    with pytest.raises(ValueError, match=r"of y are negative|non-negative y"):
        model.fit(X, [1, -2, 3, 0, 1, 2])
    # A row of weight 0 does not count.
    model.fit(X, [1, -2, 3, 0, 1, 2], sample_weight=[1, 0, 1, 1, 1, 1])
    assert (model.predict(X) >= 0).all()


@regressors
@pytest.mark.parametrize("value", [0.0, -3.5, 1e100])
def test_constant_target_is_predicted(entry, value):
    model = make(entry).fit(X, np.full(6, value))
    assert model.predict(X) == pytest.approx(np.full(6, value), rel=1e-12)


@regressors
def test_one_row_is_enough(entry):
    model = make(entry).fit({"c": ["a"], "x": [1.0]}, [2.5])
    assert model.predict(X | {"c": ["a"] * 6}) == pytest.approx(np.full(6, 2.5), rel=1e-12)


@regressors
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0, 0, 0, 0, 0, 0], "zero|positive"),
        ([1, -1, 1, 1, 1, 1], "negative"),
        ([1, np.nan, 1, 1, 1, 1], "sample_weight"),
        ([1, 1], "sample_weight"),
    ],
)
def test_bad_weights_are_errors(entry, weights, words):
    with pytest.raises(ValueError, match=words):
        make(entry).fit(X, Y, sample_weight=weights)


@regressors
def test_one_row_with_weight_is_enough(entry):
    model = make(entry).fit(X, Y, sample_weight=[0, 0, 1, 0, 0, 0])
    assert model.predict(X) == pytest.approx(np.full(6, 4.0), rel=1e-12)


@regressors
def test_target_of_a_row_without_weight_does_not_matter(entry):
    weights = [1, 1, 1, 1, 1, 0]
    models = [make(entry).fit(X, [*Y[:5], last], sample_weight=weights) for last in (2.0, 1e9)]
    assert np.array_equal(models[0].predict(X), models[1].predict(X))
