"""Names in files of version 1, and what they are called since: one table for each kind of name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["ARRAYS", "KINDS", "translate_estimator", "translate_fields"]

ARRAYS = {
    "kind": "split_kind",
    "value_offset": "category_offset",
    "value_code": "category_code",
    "value_child": "category_child",
    "term_value": "term_category",
    "unseen_child": "unknown_child",
    "weight": "weighted_n_node_samples",
    "counts": "statistics",
}
"""Arrays of trees."""

KINDS = {"Acceptor": "Screener", "BinaryTest": "BinarySplit"}
"""Kinds of parts."""

_PARAMETERS: dict[str, dict[str, str]] = {
    "": {  # of every class
        "unseen": "handle_unknown",
        "missing": "handle_missing",
        "ordinal": "ordinal_features",
        "vote": "voting",
        "columns_per_tree": "colsample_bytree",
        "max_p": "alpha",
        "acceptor": "screener",
        "min_gain": "min_split_gain",
        "max_iterations": "max_iter",
        "output": "encode",
        "relabel": "refit_leaves",
    },
    "BoostedTreesClassifier": {
        "l2": "l2_regularization",
        "nominal_l2": "cat_l2",
        "smoothing": "cat_smooth",
        "min_hessian": "min_child_weight",
        "trees_per_round": "multi_strategy",
        "patience": "n_iter_no_change",
    },
    "EnsembleClassifier": {
        "depths": "max_depths",
        "max_rounds": "max_iter",
        "patience": "n_iter_no_change",
    },
    "ModelTreeClassifier": {
        "machine": "node_model",
        "linear_columns": "node_features",
        "alpha": "smoothing",
        "cut": "intercept",
        "evidence": "score_on",
        "tuning_folds": "node_cv",
        "thresholds": "axis_aligned",
        "min_linear": "min_samples_model",
        "min_instances": "min_samples_split",
    },
    "OptimalTreeClassifier": {
        "binarize": "binarize_at",
        "leaf_cost": "ccp_alpha",
        "max_nodes": "max_leaf_nodes",
        "n_folds": "cv",
    },
    "SmoothSVC": {"alpha": "smoothing", "n_landmarks": "n_components"},
}

# By the new name of the parameter.
_VALUES: dict[str, dict[str, Any]] = {
    "handle_unknown": {"node": "stop", "minus_one": "use_encoded_value"},
    "binarize_at": {"once": "root", "every_split": "node", "encode_every_split": "node_encoding"},
    "encode": {"numbers": "ordinal"},
    "voting": {"probability": "soft", "plurality": "hard"},
    "intercept": {"machine": "model"},
    "score_on": {"training": "train"},
    "multi_strategy": {"one": "multi_output_tree", "per_class": "one_output_per_tree"},
    "multi_class": {"one_vs_rest": "ovr", "every": "exhaustive"},
}

_LEARNED = {
    "min_instances_": "min_samples_split_",
    "tree_weights_": "estimator_weights_",
    "n_rounds_": "n_iter_",
    "_gains_tell": "_gain_importances",
    "machines_": "_machines",
    "tests_": "candidates_",
    "tried_": "cv_results_",
}

_FIELDS = {
    "CostComplexityPath": {"alphas": "ccp_alphas", "costs": "risks"},
    "CrossValidatedPath": {"strength": "shrinkage"},
    "Proof": {"cost": "objective_value"},
    "Pruner": {"n_folds": "cv", "share": "validation_fraction", "cost": "risk"},
    "Screener": {"max_p": "alpha"},
}

_DEFAULT_BINARIZER = {
    "encoding": "thresholds",
    "discretizer": "equal_frequency",
    "n_bins": 8,
    "max_subset_values": 8,
}


def translate_estimator(written: Mapping[str, Any]) -> dict[str, Any]:
    """Give the names of today to an estimator as a file of version 1 has it.

    Examples
    --------
    >>> old = {"class": "ForestClassifier", "parameters": {"vote": "plurality"}}
    >>> translate_estimator(old)["parameters"]
    {'voting': 'hard'}
    """
    if written["class"] in _CHANGED:
        written = _CHANGED[str(written["class"])](written)
    names = _PARAMETERS[""] | _PARAMETERS.get(str(written["class"]), {})
    parameters: dict[str, Any] = {}
    given: dict[str, Any] = written["parameters"]
    for name, value in given.items():
        new = names.get(name, name)
        known = _VALUES.get(new, {})
        parameters[new] = known[value] if isinstance(value, str) and value in known else value
    translated = {**written, "parameters": parameters}
    if "learned" in written:
        learned: dict[str, Any] = written["learned"]
        translated["learned"] = {_LEARNED.get(name, name): v for name, v in learned.items()}
    if written["class"] == "OptimalTreeClassifier":
        _translate_optimal(translated)
    return translated


def _translate_optimal(written: dict[str, Any]) -> None:
    """Binarization is an estimator since, size is the number of leaves, and results are arrays."""
    parameters: dict[str, Any] = written["parameters"]
    if parameters.get("max_leaf_nodes") is not None:
        parameters["max_leaf_nodes"] += 1  # was the number of splits
    parts = {name: parameters.pop(name) for name in _DEFAULT_BINARIZER if name in parameters}
    if any(_DEFAULT_BINARIZER[name] != value for name, value in parts.items()):
        made = {"is": "estimator", "class": "FeatureBinarizer", "parameters": parts}
        parameters["binarizer"] = made
    if parameters.pop("splits", "binary") == "all":
        parameters["binarizer"] = "passthrough"
    learned: dict[str, Any] = written.get("learned", {})
    if learned.get("cv_results_") is not None:
        tried = [budget["fields"] for budget in learned["cv_results_"]]
        errors = [fields["error"] for fields in tried]
        columns = {
            "param_max_depth": ("<i8", [fields["max_depth"] for fields in tried]),
            "param_max_leaf_nodes": ("<i8", [fields["max_nodes"] + 1 for fields in tried]),
            "mean_test_score": ("<f8", [1.0 - error for error in errors]),
            "rank_test_score": ("<i8", [1 + sum(e < error for e in errors) for error in errors]),
            "optimal": ("|b1", [fields["proven"] for fields in tried]),
        }
        arrays = [
            [name, {"is": "labels", "type": dtype, "shape": [len(items)], "items": items}]
            for name, (dtype, items) in columns.items()
        ]
        learned["cv_results_"] = {"is": "dict", "items": arrays}


def translate_fields(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Give the names of today to the fields of a value, or the options of a part.

    Examples
    --------
    >>> translate_fields("CrossValidatedPath", {"strength": 0.0, "best": 1})
    {'shrinkage': 0.0, 'best': 1}
    """
    names = _FIELDS.get(kind, {})
    return {names.get(name, name): value for name, value in fields.items()}


def _boosted(written: Mapping[str, Any]) -> dict[str, Any]:
    """Boosting was one class with a parameter `method`, and grew trees of any partitioner."""
    given: dict[str, Any] = dict(written["parameters"])
    method, criterion = given.pop("method", "gradient"), given.pop("criterion", "entropy")
    resample, partitioner = given.pop("resample", False), given.get("partitioner", "random_order")
    name = partitioner if isinstance(partitioner, str) else partitioner["name"]
    if name in ("exact", "two_class_order"):
        given["partitioner"] = "auto"
    if given.get("estimator") is None and (
        method != "gradient" or name not in ("auto", "exact", "random_order", "two_class_order")
    ):
        tree = ("selection", "max_depth", "max_leaf_nodes", "min_samples_leaf", "max_features")
        given["estimator"] = {
            "is": "estimator",
            "class": "TreeClassifier",
            "parameters": {"criterion": criterion, "partitioner": partitioner, "pruning": None}
            | {key: given[key] for key in (*tree, "unseen") if key in given},
        }
        given["partitioner"] = "random_order"
    changed = {**written, "parameters": given}
    if method == "gradient":
        if written.get("learned") is not None and "tree_weights_" in written["learned"]:
            learned = dict(written["learned"])  # of a single class
            del learned["tree_weights_"]
            changed["learned"] = learned
        return changed
    kept = "estimator n_estimators learning_rate class_weight categorical_features ordinal n_jobs"
    kept += " random_state verbose time_limit"
    parameters = {key: given[key] for key in kept.split() if key in given}
    parameters |= {"variant": "samme" if method == "samme" else "m1", "resample": resample}
    changed |= {"class": "AdaBoostTreesClassifier", "parameters": parameters}
    if "learned" in written:
        changed["learned"] = {k: v for k, v in written["learned"].items() if k != "_gains_tell"}
    return changed


def _ensemble(written: Mapping[str, Any]) -> dict[str, Any]:
    """The weights were one number, and 1 fold was a test set; results were a list of values."""
    given: dict[str, Any] = dict(written["parameters"])
    if "share" in given:
        share = given.pop("share")
        given["weights"] = {"is": "tuple", "items": [1 - share, share]}
    if "n_folds" in given:
        n_folds = given.pop("n_folds")
        given["cv"] = "holdout" if n_folds == 1 else n_folds
    changed = {**written, "parameters": given}
    if "learned" in written:
        learned: dict[str, Any] = dict(written["learned"])
        if "share_" in learned:
            share = learned.pop("share_")
            learned["weights_"] = _inline([1 - share, share], "<f8")
        if "choices_" in learned:
            results = [choice["fields"] for choice in learned.pop("choices_")]
            losses = [result["loss"] for result in results]
            columns = {
                "param_max_depth": _inline([result["depth"] for result in results], "<i8"),
                "param_n_estimators": _inline([result["n_rounds"] for result in results], "<i8"),
                "param_weight": _inline([result["share"] for result in results], "<f8"),
                "mean_test_score": _inline([-loss for loss in losses], "<f8"),
                "rank_test_score": _inline([1 + sum(b < a for b in losses) for a in losses], "<i8"),
            }
            learned["cv_results_"] = {"is": "dict", "items": [[k, v] for k, v in columns.items()]}
        changed["learned"] = learned
    return changed


def _inline(items: list[Any], dtype: str) -> dict[str, Any]:
    return {"is": "labels", "items": items, "type": dtype, "shape": [len(items)]}


def _random_ordinality(written: Mapping[str, Any]) -> dict[str, Any]:
    """The published trees had names, and `joint` was a parameter of the forest."""
    given: dict[str, Any] = dict(written["parameters"])
    tree, joint = given.pop("base", "c45"), given.pop("joint", False)
    options = [["per", "tree"], *([["joint", joint]] if joint else [])]
    order = {
        "is": "Partitioner",
        "name": "random_order",
        "options": {"is": "dict", "items": options},
    }
    if tree == "c45" and not joint:
        tree = None
    elif isinstance(tree, str):
        parameters: dict[str, Any] = {
            "rules": tree,
            "missing": "fractional",
            "unseen": "missing",
            "partitioner": order,
            "selection": "score",
        }
        if tree == "c45":
            parameters |= {"criterion": "gain_ratio", "pruning": "collapse"}
            parameters |= {"min_samples_leaf": 2, "min_samples_split": 4}
        else:
            half = {"is": "float", "value": "0.5"}
            parameters |= {"criterion": "entropy", "pruning": None, "max_features": half}
        tree = {"is": "estimator", "class": "TreeClassifier", "parameters": parameters}
    elif joint:
        tree = {**tree, "parameters": {**tree["parameters"], "partitioner": order}}
    return {**written, "parameters": {**given, "estimator": tree}}


_GROW_PRUNE_TREE = {
    "criterion": "gini",
    "partitioner": "auto",
    "min_samples_split": 2,
    "max_iterations": 20,
    "relabel": False,
    "missing": "learned",
    "unseen": "node",
}


def _grow_prune_forest(written: Mapping[str, Any]) -> dict[str, Any]:
    """The forest had parameters of its trees."""
    given: dict[str, Any] = dict(written["parameters"])
    tree = {name: given.pop(name) for name in _GROW_PRUNE_TREE if name in given}
    if any(_GROW_PRUNE_TREE[name] != value for name, value in tree.items()):
        made = {"is": "estimator", "class": "GrowPruneTreeClassifier", "parameters": tree}
        given["estimator"] = made
    return {**written, "parameters": given}


_CHANGED = {
    "BoostedTreesClassifier": _boosted,
    "EnsembleClassifier": _ensemble,
    "GrowPruneForestClassifier": _grow_prune_forest,
    "RandomOrdinalityClassifier": _random_ordinality,
}
