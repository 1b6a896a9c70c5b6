"""scikit-learn's classifiers behind an encoder: any table in, nothing learned from test rows."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood.comparison import encoded, methods
from mixedwood.comparison import methods as known_methods
from mixedwood.comparison.methods import TableEncoder, read_methods
from support.problems import mixed_problem

TRAIN = {
    "color": ["red", "blue", None, "red"],
    "size": [1.0, np.nan, 3.0, 5.0],
    "weight": [1.0, 2.0, 3.0, 6.0],
}
NEW = {"color": ["mauve", None, "blue"], "size": [np.nan, 2.0, 7.0], "weight": [np.nan, 0.0, 3.0]}


def matrices(**options):
    encoder = TableEncoder(**options)
    return encoder.fit_transform(TRAIN), encoder.transform(NEW)


def test_indicators_medians_and_missing_values():
    seen, new = matrices()
    # blue, red, missing; size; weight; where size is missing, which weight never was
    np.testing.assert_array_equal(
        seen,
        [
            [0, 1, 0, 1, 1, 0],
            [1, 0, 0, 3, 2, 1],
            [0, 0, 1, 3, 3, 0],
            [0, 1, 0, 5, 6, 0],
        ],
    )
    np.testing.assert_array_equal(
        new, [[0, 0, 0, 3, 2.5, 1], [0, 0, 1, 2, 0, 0], [1, 0, 0, 7, 3, 0]]
    )


def test_scaled_numbers():
    seen, _ = matrices(scale=True)
    np.testing.assert_allclose(seen[:, [3, 4]].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(seen[:, [3, 4]].std(axis=0), 1)
    np.testing.assert_array_equal(seen[:, 5], [0, 1, 0, 0])


def test_ordinal_codes_keep_missing_values():
    seen, new = matrices(encoding="ordinal")
    np.testing.assert_array_equal(seen[:, 0], [1, 0, np.nan, 1])
    np.testing.assert_array_equal(seen[:, 1], TRAIN["size"])
    np.testing.assert_array_equal(new[:, 0], [np.nan, np.nan, 0])


def test_large_matrices_are_sparse_and_the_same(monkeypatch):
    dense = matrices(scale=True)
    monkeypatch.setattr(sys.modules[TableEncoder.__module__], "_MAX_DENSE", 0)
    for want, found in zip(dense, matrices(scale=True), strict=True):
        assert sparse.issparse(found)
        np.testing.assert_array_equal(found.toarray(), want)


def test_ordered_categories_are_their_position():
    order = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    X = pd.DataFrame({"size": pd.Series(["L", "S", None], dtype=order)})
    np.testing.assert_array_equal(TableEncoder().fit_transform(X)[:, 0], [2, 0, 1])
    codes = TableEncoder(encoding="ordinal").fit_transform(X)
    np.testing.assert_array_equal(codes[:, 0], [2, 0, np.nan])


def test_boosting_knows_which_columns_are_categorical():
    X, y = mixed_problem(60)
    model = encoded(HistGradientBoostingClassifier(max_iter=2)).fit(X, y)
    n_categorical = sum(c in ("colour", "shape") for c in X.columns)
    want = np.arange(X.shape[1]) < n_categorical
    np.testing.assert_array_equal(model["classifier"].is_categorical_, want)


def test_boosting_takes_more_categories_than_it_has_codes_for():
    rng = np.random.default_rng(0)
    # Forty frequent categories, which it can learn, and hundreds of rare ones.
    values = np.where(rng.random(1500) < 0.7, rng.integers(0, 40, 1500), rng.integers(0, 600, 1500))
    X, y = {"c": [f"v{v}" for v in values], "none": [None] * 1500}, values % 2
    model = encoded(HistGradientBoostingClassifier(max_iter=30))
    assert model.fit(X, y).score(X, y) > 0.75


@pytest.mark.parametrize("name", [name for name in known_methods() if "sklearn" in name])
def test_baselines_are_pipelines_that_take_every_container(name):
    X, y = mixed_problem(80)
    model = read_methods(name)[name]
    assert isinstance(model, Pipeline)
    assert type(model["classifier"]).__name__ in methods()[name]
    if "classifier__random_state" in model.get_params():
        model.set_params(classifier__random_state=0)
    want = clone(model).fit(X, y).predict_proba(X)
    numbers = X.select_dtypes("number").columns
    cells = {
        c: X[c].tolist() if c in numbers else [v if isinstance(v, str) else None for v in X[c]]
        for c in X.columns
    }
    for other in (pl.from_pandas(X), cells, X.to_numpy(dtype=object)):
        np.testing.assert_array_equal(clone(model).fit(other, y).predict_proba(other), want)


def test_an_unknown_encoding_is_an_error():
    with pytest.raises(ValueError, match=r"'encoding' parameter of TableEncoder.*Got 'hot' inst"):
        TableEncoder(encoding="hot").fit(TRAIN)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [TableEncoder(), TableEncoder(scale=True), TableEncoder(encoding="ordinal")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
