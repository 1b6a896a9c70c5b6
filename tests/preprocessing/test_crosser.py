"""FeatureCrosser: scikit-learn's checks, frames, names, pipelines and errors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood.preprocessing import FeatureCrosser

CELLS = {"a": ["x", "y", None, "x"] * 2, "b": ["u", "u", "v", "v"] * 2, "n": [1, 2, 3, 4] * 2}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([FeatureCrosser(), FeatureCrosser(columns=None)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame])
def test_columns_are_appended(frame):
    crosser = FeatureCrosser([("a", "b")]).fit(frame(CELLS))
    assert crosser.columns_ == [("a", "b")]
    assert crosser.n_features_in_ == 3
    assert crosser.feature_names_in_.tolist() == ["a", "b", "n"]
    assert crosser.get_feature_names_out().tolist() == ["a", "b", "n", "a & b"]
    found = crosser.transform(frame({"a": ["y", "y", None], "b": ["u", "v", "u"], "n": [5, 6, 7]}))
    assert found.tolist() == [
        ["y", "u", 5.0, "a=y & b=u"],
        ["y", "v", 6.0, None],
        [None, "u", 7.0, None],
    ]


def test_the_output_can_be_a_frame():
    crosser = FeatureCrosser([("a", "b")]).set_output(transform="pandas")
    out = crosser.fit_transform(pd.DataFrame(CELLS))
    assert out.columns.tolist() == ["a", "b", "n", "a & b"]
    assert out["a & b"].tolist()[:2] == ["a=x & b=u", "a=y & b=u"]


def test_names_can_be_given_for_arrays():
    rows = np.array([["x", "u"], ["y", "v"]] * 2)
    crosser = FeatureCrosser([(0, 1)]).fit(rows)
    assert crosser.get_feature_names_out().tolist() == ["x0", "x1", "x0 & x1"]
    assert crosser.get_feature_names_out(["p", "q"]).tolist() == ["p", "q", "p & q"]
    with pytest.raises(ValueError, match="should have length equal"):
        crosser.get_feature_names_out(["p", "q", "r"])


def test_rare_combinations_are_pooled():
    rows = {"a": ["x"] * 3 + ["y"] * 2 + ["z"], "b": ["u"] * 6}
    frequent = FeatureCrosser([("a", "b")], min_frequency=3).fit_transform(rows)[:, 2]
    assert frequent.tolist() == ["a=x & b=u"] * 3 + ["other combinations"] * 3
    few = FeatureCrosser([("a", "b")], min_frequency=1, max_categories=2).fit_transform(rows)
    assert few[:, 2].tolist() == ["a=x & b=u"] * 3 + ["a=y & b=u"] * 2 + ["other combinations"]


def test_a_linear_model_learns_an_exclusive_or():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.choice(list("uvwx"), 400) for name in "abc"})
    y = X["a"].isin(["u", "v"]) ^ X["b"].isin(["u", "w"])
    rest = (OneHotEncoder(handle_unknown="ignore"), LogisticRegression(C=100))
    assert make_pipeline(*rest).fit(X, y).score(X, y) < 0.7
    crossed = make_pipeline(FeatureCrosser(), *rest).fit(X, y)
    assert crossed[0].columns_ == [("a", "b")]
    assert crossed.score(X, y) == 1.0


def test_errors_say_what_to_do():
    with pytest.raises(ValueError, match="Pass the classes, or the columns to cross"):
        FeatureCrosser().fit(CELLS)
    with pytest.raises(ValueError, match=r"'columns' parameter of FeatureCrosser .* \[\('city'"):
        FeatureCrosser(columns=("a", "b")).fit(CELLS)
    with pytest.raises(ValueError, match="'n' is numeric"):
        FeatureCrosser(columns=[("a", "n")]).fit(CELLS)
    crosser = FeatureCrosser([("a", "b")], handle_unknown="error").fit(CELLS)
    with pytest.raises(ValueError, match=r"column 'a & b' \(1 row\): 'a=y & b=v'"):
        crosser.transform({"a": ["y"], "b": ["v"], "n": [0]})
