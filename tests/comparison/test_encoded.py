"""A classifier of numbers behind an encoder: any table in, nothing learned from test rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood.comparison import EncodedClassifier, matrix
from mixedwood.comparison.matrix import CodedMatrix, OneHotMatrix
from mixedwood.data import read_table
from problems import mixed_problem

TRAIN = {
    "colour": ["red", "blue", None, "red"],
    "size": [1.0, np.nan, 3.0, 5.0],
    "weight": [1.0, 2.0, 3.0, 6.0],
}
NEW = {"colour": ["mauve", None, "blue"], "size": [np.nan, 2.0, 7.0], "weight": [np.nan, 0.0, 3.0]}


def encoded(kind, scale=False):
    table = read_table(TRAIN)
    encoder = kind(table, scale)
    return encoder.encode(table), encoder.encode(read_table(NEW, schema=table.schema))


def test_indicators_medians_and_gaps():
    seen, new = encoded(OneHotMatrix)
    # blue, red, missing; size, its gap; weight, which never lacked one
    np.testing.assert_array_equal(
        seen,
        [
            [0, 1, 0, 1, 0, 1],
            [1, 0, 0, 3, 1, 2],
            [0, 0, 1, 3, 0, 3],
            [0, 1, 0, 5, 0, 6],
        ],
    )
    np.testing.assert_array_equal(
        new, [[0, 0, 0, 3, 1, 2.5], [0, 0, 1, 2, 0, 0], [1, 0, 0, 7, 0, 3]]
    )


def test_scaled_numbers():
    seen, _ = encoded(OneHotMatrix, scale=True)
    np.testing.assert_allclose(seen[:, [3, 5]].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(seen[:, [3, 5]].std(axis=0), 1)


def test_codes_keep_what_is_missing():
    seen, new = encoded(CodedMatrix)
    np.testing.assert_array_equal(seen[:, 0], [0, 1, np.nan, 0])  # by frequency
    np.testing.assert_array_equal(seen[:, 1], TRAIN["size"])
    np.testing.assert_array_equal(new[:, 0], [np.nan, np.nan, 1])


def test_large_matrices_are_sparse_and_the_same(monkeypatch):
    dense = encoded(OneHotMatrix, scale=True)
    monkeypatch.setattr(matrix, "_MOST_DENSE", 0)
    for want, found in zip(dense, encoded(OneHotMatrix, scale=True), strict=True):
        assert sparse.issparse(found)
        np.testing.assert_array_equal(found.toarray(), want)


def test_ordered_values_are_their_place():
    order = pd.CategoricalDtype(["S", "M", "L"], ordered=True)
    table = read_table(pd.DataFrame({"size": pd.Series(["L", "S", None], dtype=order)}))
    np.testing.assert_array_equal(OneHotMatrix(table, False).encode(table)[:, 0], [2, 0, 1])
    np.testing.assert_array_equal(CodedMatrix(table, False).encode(table)[:, 0], [2, 0, np.nan])


def test_boosting_is_told_which_columns_are_nominal():
    X, y = mixed_problem(60)
    model = EncodedClassifier(HistGradientBoostingClassifier(max_iter=2), encoding="codes")
    model.fit(X, y)
    np.testing.assert_array_equal(
        model.estimator_.is_categorical_, [c in ("colour", "shape") for c in X.columns]
    )


def test_boosting_takes_more_values_than_it_has_codes_for():
    rng = np.random.default_rng(0)
    # Forty frequent values, which it can learn, and hundreds of rare ones.
    values = np.where(rng.random(1500) < 0.7, rng.integers(0, 40, 1500), rng.integers(0, 600, 1500))
    X, y = {"c": [f"v{v}" for v in values], "none": [None] * 1500}, values % 2
    model = EncodedClassifier(HistGradientBoostingClassifier(max_iter=30), encoding="codes")
    assert model.fit(X, y).score(X, y) > 0.75


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match="encoding must be 'one_hot' or 'codes'; got 'hot'"):
        EncodedClassifier(DecisionTreeClassifier(), encoding="hot").fit(*mixed_problem(20))


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        EncodedClassifier(DecisionTreeClassifier(random_state=0)),
        EncodedClassifier(LogisticRegression(), scale=True),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
