"""One small model of every kind, and tables of every kind of column, for tests of model files."""

import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
from sklearn.base import clone, is_regressor
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

import mixedwood as mw
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.preprocessing import FeatureBinarizer, MDLPDiscretizer
from mixedwood.pruning import Pruner
from mixedwood.splits import Partitioner, Screener
from mixedwood_studies.model_trees.methods import model_tree as published
from mixedwood_studies.nominal_splits.methods import nominal_splits

MODELS = {
    "tree": mw.TreeClassifier(),
    "tree_of_parts": mw.TreeClassifier(
        criterion="gini",
        partitioner=Partitioner("largest_alone", scored_by="superclasses"),
        screener=["chi2", Screener("second_value", min_weight=2.0)],
        pruning=["collapse", Pruner("cost_complexity", se_rule=np.float64(0.5))],
        min_split_gain=1e-12,
        class_weight="balanced",
    ),
    "c45": mw.C45TreeClassifier(),
    "cart": mw.TreeClassifier.cart(cv=3),
    "conditional_inference": mw.TreeClassifier.conditional_inference(alpha=0.5),
    "random_tree": RandomTreeClassifier(max_features=2, random_state=3),
    "nominal_splits": nominal_splits(screener=None),
    "grow_prune_tree": mw.GrowPruneTreeClassifier(random_state=1),
    "optimal": mw.OptimalTreeClassifier(max_depth=2),
    "optimal_tuned": mw.OptimalTreeClassifier(
        max_depth=2, tune=True, cv=2, binarizer=FeatureBinarizer(discretizer=MDLPDiscretizer())
    ),
    "optimal_all": mw.OptimalTreeClassifier(max_depth=1, binarizer="passthrough"),
    "model_tree": mw.ModelTreeClassifier(),
    "model_tree_kernel": mw.ModelTreeClassifier(
        node_model=SVC(gamma=0.5), C=1.0, pruning=None, max_depth=3
    ),
    "model_tree_network": mw.ModelTreeClassifier(
        node_model=["fisher", MLPClassifier((4, 3), max_iter=30)], pruning=None, max_depth=2
    ),
    "model_tree_published": published(min_samples_split=5),
    "forest": mw.ForestClassifier(n_estimators=3, oob_score=True, random_state=0),
    "bagging_c45": mw.ForestClassifier.bagging_c45(3, random_state=np.int64(1)),
    "random_ordinality": mw.RandomOrdinalityClassifier.c45(
        3,
        partitioner=Partitioner("random_order", per="tree", joint=True),
        random_state=0,
    ),
    "grow_prune_forest": mw.GrowPruneForestClassifier(n_estimators=3, random_state=0),
    "grow_prune_shares": mw.GrowPruneForestClassifier(
        mw.GrowPruneTreeClassifier(refit_leaves=True), 3, voting="soft", random_state=0
    ),
    "boosted": mw.BoostedTreesClassifier(n_estimators=4, random_state=0),
    "boosted_stopping": mw.BoostedTreesClassifier(
        n_estimators=6,
        early_stopping=True,
        validation_fraction=0.3,
        multi_strategy="one_output_per_tree",
        random_state=0,
    ),
    "adaboost": mw.AdaBoostTreesClassifier.c45(3, random_state=0),
    "ensemble": mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=3),
        max_depths=(1, 2),
        max_iter=4,
        cv=2,
        random_state=0,
    ),
    "tree_regressor": mw.TreeRegressor(),
    "median_regressor": mw.TreeRegressor(criterion="absolute_error", pruning="reduced_error"),
    "optimal_regressor": mw.OptimalTreeRegressor(max_depth=2),
    "optimal_regressor_all": mw.OptimalTreeRegressor(
        max_depth=1, binarizer="passthrough", tune=True, cv=2
    ),
    "model_tree_regressor": mw.ModelTreeRegressor(),
    "grow_prune_regressor": mw.GrowPruneTreeRegressor(random_state=1),
    "grow_prune_forest_regressor": mw.GrowPruneForestRegressor(n_estimators=3, random_state=0),
    "forest_regressor": mw.ForestRegressor(n_estimators=12, oob_score=True, random_state=0),
    "random_ordinality_regressor": mw.RandomOrdinalityRegressor(n_estimators=3, random_state=0),
    "boosted_regressor": mw.BoostedTreesRegressor(n_estimators=4, random_state=0),
    "ensemble_regressor": mw.EnsembleRegressor(
        forest=mw.ForestRegressor(n_estimators=5, keep_leaves=False),
        max_depths=(1, 2),
        max_iter=4,
        cv=2,
        random_state=0,
    ),
    "svm": mw.SmoothSVC(),
    "svm_pairs": mw.SmoothSVC(C="tune", multi_class="ovo", standardize=False, smoothing=5.0),
    "svm_kernel": mw.SmoothSVC(kernel="rbf", n_components=20, random_state=0),
}


def make_table(seed=0, n=90):
    """Numbers, text, flags, whole numbers, ordered labels and gaps, in a pandas frame."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    colour = np.array(["red", "grün", "blue, dark", "white"], object)[
        (y + rng.integers(0, 2, n)) % 4
    ]
    colour[rng.random(n) < 0.1] = None
    size = rng.normal(y, 0.7)
    size[rng.random(n) < 0.1] = np.nan
    grade = pd.Categorical.from_codes((y + rng.integers(0, 2, n)) % 3, ["S", "M", "L"], True)
    return (
        pd.DataFrame(
            {
                "colour": colour,
                "size": size,
                "flag": rng.random(n) < 0.5,
                "count": rng.integers(0, 4, n),
                "grade": grade,
            }
        ),
        np.array(["ash", "birch", "cedar"])[y],
    )


def target_of(model, y):
    """Give labels to a classifier, and numbers of them to a regressor."""
    if not is_regressor(model):
        return y
    numbers = np.unique(y, return_inverse=True)[1] * 2.5
    return numbers + np.sin(np.arange(len(y)))


def answers(model, X):
    """All that a model says of rows and of itself, to be compared."""
    said = {"predict": model.predict(X)}
    for name in ("predict_proba", "decision_function", "apply"):
        shares = name == "apply" and any(tree.is_fractional for tree in trees_of(model))
        if hasattr(model, name) and not shares:
            said[name] = getattr(model, name)(X)
    if hasattr(model, "feature_importances_"):
        said["importances"] = model.feature_importances_
    if hasattr(model, "coef_"):
        said["coef"] = model.coef_
    said["text"] = [tree.to_text() for tree in trees_of(model)]
    return said


def trees_of(model):
    return [model.tree_] if hasattr(model, "tree_") else list(getattr(model, "trees_", []))


def fitted(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, target_of(model, y))


def same(a, b):
    """Whether two values are equal, NaN included, whatever they are made of."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return (
            a.dtype == b.dtype
            and a.shape == b.shape
            and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if hasattr(a, "get_params"):
        return set(vars(a)) == set(vars(b)) and all(same(v, vars(b)[n]) for n, v in vars(a).items())
    if hasattr(a, "__dataclass_fields__") and type(a).__eq__ is not mw.data.Schema.__eq__:
        return all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return a == b or (a != a and b != b)
