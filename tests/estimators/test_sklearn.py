"""Trees among scikit-learn's tools: its own checks, pipelines, searches, routing, copies."""

import copy
import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from packaging.version import Version
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from mixedwood import C45TreeClassifier, TreeClassifier
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.pruning import Pruner
from mixedwood.splits import Partitioner, Screener
from mixedwood_studies.nominal_splits.methods import nominal_splits
from support.excuses import FOLDS, HELD_OUT, PURE, checks_of

CHECKED = [
    (TreeClassifier(), FOLDS),
    (TreeClassifier(pruning=None), PURE),
    (TreeClassifier(pruning="pessimistic"), {}),
    (TreeClassifier(pruning="reduced_error", handle_missing="fractional"), HELD_OUT),
    (C45TreeClassifier(), {}),
    (TreeClassifier.cart(), FOLDS),
    (TreeClassifier.conditional_inference(), {}),
    (RandomTreeClassifier(random_state=0), {}),
    (nominal_splits(), PURE),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def problem():
    """Text, numbers and gaps."""
    rng = np.random.default_rng(0)
    n = 240
    y = rng.integers(0, 3, n)
    colour = np.array(["red", "green", "blue", "white"], dtype=object)[
        (y + rng.integers(0, 2, n)) % 4
    ]
    colour[rng.random(n) < 0.05] = None
    X = pd.DataFrame(
        {
            "colour": colour,
            "size": rng.normal(y, 1.0),
            "noise": rng.normal(size=n),
            "shape": np.array(["round", "square"])[rng.integers(0, 2, n)],
        }
    )
    X.loc[rng.random(n) < 0.05, "size"] = np.nan
    return X, np.array(["ash", "birch", "cedar"])[y]


RECIPES = {
    "default": TreeClassifier(),
    "c45": C45TreeClassifier(),
    "c45_unpruned": C45TreeClassifier(pruned=False),
    "cart": TreeClassifier.cart(),
    "conditional_inference": TreeClassifier.conditional_inference(),
    "random_tree": RandomTreeClassifier(random_state=3),
    "nominal_splits": nominal_splits(),
    "parts": TreeClassifier(
        partitioner=Partitioner("largest_alone", scored_by="superclasses"),
        screener=[Screener("chi2", alpha=0.2)],
        pruning=[Pruner("cost_complexity", cv=3), "merge_equal"],
        class_weight={"ash": 2.0},
    ),
}


@pytest.mark.parametrize("name", RECIPES)
def test_copies_predict_the_same(name, problem):
    X, y = problem
    model = clone(RECIPES[name]).fit(X, y)
    asked = X.iloc[:50]
    want = model.predict_proba(asked)
    stream = io.BytesIO()
    joblib.dump(model, stream)
    stream.seek(0)
    for twin in (
        pickle.loads(pickle.dumps(model)),
        joblib.load(stream),
        copy.deepcopy(model),
        clone(model).fit(X, y),
    ):
        np.testing.assert_array_equal(twin.predict_proba(asked), want)
        assert twin.tree_ == model.tree_
        assert repr(twin) == repr(model)
    fresh = pickle.loads(pickle.dumps(RECIPES[name]))
    assert repr(fresh) == repr(RECIPES[name])
    with pytest.raises(NotFittedError):
        fresh.predict(asked)


@pytest.mark.parametrize("name", RECIPES)
def test_parameters_come_out_as_they_went_in(name):
    model = RECIPES[name]
    again = type(model)(**model.get_params())
    assert again.get_params() == model.get_params()
    assert repr(again) == repr(model)
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(max_depth=3).max_depth == 3
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        clone(model).set_params(depth=3)


def test_recipes_say_what_they_are():
    assert repr(TreeClassifier()) == "TreeClassifier()"
    assert repr(C45TreeClassifier(confidence=0.1)) == "C45TreeClassifier(confidence=0.1)"
    assert C45TreeClassifier(min_samples_leaf=5)._settings(20, 1).min_samples_split == 10
    assert TreeClassifier.cart(criterion="twoing").criterion == "twoing"
    assert nominal_splits(max_depth=16, random_state=1).random_state == 1


def test_what_a_fit_leaves(problem):
    X, y = problem
    model = TreeClassifier().fit(X, y)
    assert model.classes_.tolist() == ["ash", "birch", "cedar"]
    assert model.feature_names_in_.tolist() == list(X)
    assert model.n_features_in_ == 4
    assert model.feature_importances_.shape == (4,)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.get_n_leaves() == model.tree_.n_leaves > 1
    assert model.get_depth() == model.tree_.depth
    assert model.pruning_path_.path.n_leaves[model.pruning_path_.chosen] == model.tree_.n_leaves
    assert len(model.to_rules()) == model.get_n_leaves()
    assert str(model.explain(X, 3))
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), proba)
    assert set(model.apply(X)) <= set(range(model.tree_.n_nodes))
    assert model.score(X, y) > 0.6


def test_a_second_fit_forgets_the_first(problem):
    X, y = problem
    model = TreeClassifier().fit(X, y)
    model.set_params(pruning=None).fit(X[["size", "noise"]].to_numpy(), y == "ash")
    assert model.pruning_path_ is None
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert model.classes_.tolist() == [False, True]
    fresh = TreeClassifier(pruning=None).fit(X[["size", "noise"]].to_numpy(), y == "ash")
    assert fresh.tree_ == model.tree_


def test_a_fit_that_fails_changes_nothing(problem):
    X, y = problem
    model = TreeClassifier(pruning=None).fit(X[["size"]], y == "ash")
    before = model.predict_proba(X[["size"]])
    model.set_params(partitioner="two_class_order")
    with pytest.raises(ValueError, match="two_class_order"):
        model.fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X[["size"]]), before)
    assert model.classes_.tolist() == [False, True]
    assert model.feature_names_in_.tolist() == ["size"]


def test_in_a_pipeline_of_mixed_columns(problem):
    X, y = problem
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), ["size", "noise"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = make_pipeline(columns, TreeClassifier(max_depth=3))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.5
    model.fit(X, y)
    assert set(model[-1].feature_names_in_) == set(X)
    selected = make_pipeline(
        ColumnTransformer([("n", "passthrough", ["size", "noise"])]),
        SelectFromModel(TreeClassifier(max_depth=2), threshold=0.3),
    ).set_output(transform="pandas")
    assert [name.split("__")[-1] for name in selected.fit_transform(X, y)] == ["size"]


def test_a_grid_of_parts(problem):
    X, y = problem
    grid = GridSearchCV(
        TreeClassifier(random_state=0),
        {
            "criterion": ["gini", "entropy"],
            "partitioner": ["auto", Partitioner("largest_alone", scored_by="superclasses")],
            "screener": [None, Screener("chi2", alpha=0.3)],
            "pruning": [None, Pruner("cost_complexity", cv=3), ["collapse", "pessimistic"]],
        },
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert grid.best_score_ > 0.5
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()
    assert grid.best_estimator_.predict(X[:3]).shape == (3,)


@pytest.mark.parametrize(
    "make", [pl.from_pandas, pa.Table.from_pandas, lambda X: X.convert_dtypes()]
)
def test_every_frame_gives_the_same_tree(make, problem):
    X, y = problem
    model, other = TreeClassifier().fit(X, y), TreeClassifier().fit(make(X), y)
    assert other.tree_ == model.tree_
    np.testing.assert_array_equal(other.predict(make(X)), model.predict(X))
    np.testing.assert_array_equal(other.predict(X), model.predict(X))


def test_other_tables(problem):
    X, y = problem
    want = TreeClassifier().fit(X, y).tree_
    columns = {name: X[name].tolist() for name in X}
    assert TreeClassifier().fit(columns, y.tolist()).tree_ == want
    rows = TreeClassifier().fit(X.to_numpy(dtype=object), pl.Series(y))
    np.testing.assert_array_equal(rows.tree_.statistics, want.statistics)
    scores = cross_val_score(TreeClassifier(max_depth=3), pl.from_pandas(X), y, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(TreeClassifier(max_depth=3), X, y, cv=3))
    assert cross_val_predict(TreeClassifier(max_depth=2), X, y, cv=3).shape == y.shape


def test_weights_are_routed(problem):
    X, y = problem
    weights = np.where(y == "ash", 50.0, 1.0)
    plain = TreeClassifier(max_depth=1, pruning=None)
    weighted = clone(plain).fit(X, y, sample_weight=weights)
    assert weighted.tree_ != clone(plain).fit(X, y).tree_
    by_class = clone(plain).set_params(class_weight={"ash": 50.0}).fit(X, y)
    assert by_class.tree_ == weighted.tree_
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(plain).set_fit_request(sample_weight=True)
        asked.set_score_request(sample_weight=True)
        pipe = Pipeline([("same", FunctionTransformer()), ("tree", asked)])
        pipe.fit(X, y, sample_weight=weights)
        assert pipe[-1].tree_ == weighted.tree_
        refused = Pipeline([("tree", clone(plain).set_fit_request(sample_weight=False))])
        with pytest.raises(TypeError, match="not routed"):
            refused.fit(X, y, sample_weight=weights)
        # Before version 1.8 scikit-learn does not find the requests of a pipeline's last step here.
        model = pipe if Version(sklearn.__version__) >= Version("1.8") else asked
        scores = cross_val_score(model, X, y, cv=3, params={"sample_weight": weights})
    assert (scores != cross_val_score(plain, X, y, cv=3)).any()


def test_among_other_estimators(problem):
    X, y = problem
    found = permutation_importance(TreeClassifier().fit(X, y), X, y, n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() in (0, 1)
    assert abs(found.importances_mean[3]) < 0.05
    calibrated = CalibratedClassifierCV(TreeClassifier(max_depth=3), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    vote = VotingClassifier(
        [("a", TreeClassifier()), ("b", C45TreeClassifier())], voting="soft"
    ).fit(X, y)
    assert vote.score(X, y) > 0.6
    numbers = X[["size", "noise"]].to_numpy()
    bag = BaggingClassifier(RandomTreeClassifier(), n_estimators=5, random_state=0)
    assert bag.fit(numbers, y).score(numbers, y) > 0.6
