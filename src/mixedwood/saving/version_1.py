"""Files of version 1: old names, values and structures, and what they are called today."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["OLD_CLASSES", "rename", "restructure_tree", "translate_estimator"]

OLD_CLASSES = {"Acceptor": "Screener", "BinaryTest": "BinarySplit", "Scale": "ColumnScale"}

_OLD_NAMES: dict[str, dict[str, str]] = {
    # Names of arrays, fields, options, parameters and fitted attributes, by today's class.
    "Tree": {
        "kind": "split_kind",
        "value_offset": "category_offset",
        "value_code": "category_code",
        "value_child": "category_child",
        "term_value": "term_category",
        "unseen_child": "unknown_child",
        "weight": "weighted_n_node_samples",
        "counts": "statistics",
    },
    "Column": {"values": "categories"},
    "CostComplexityPath": {"alphas": "ccp_alphas", "costs": "risks"},
    "CrossValidatedPath": {"strength": "shrinkage"},
    "Design": {"centred": "centered"},
    "Proof": {"cost": "objective_value"},
    "Pruner": {"n_folds": "cv", "share": "validation_fraction", "cost": "risk"},
    "Screener": {"max_p": "alpha"},
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
    "estimator": {  # of every class
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
        "min_instances_": "min_samples_split_",
        "tree_weights_": "estimator_weights_",
        "_gains_tell": "_gain_importances",
        "machines_": "_machines",
        "tests_": "candidates_",
        "tried_": "cv_results_",
    },
}

_OLD_OPTIONS = {"Partitioner": {("scores", "shares"): "proportions"}}

_OLD_VALUES: dict[str, dict[str, Any]] = {  # by today's name of the parameter
    "handle_unknown": {"node": "stop", "minus_one": "use_encoded_value"},
    "binarize_at": {"once": "root", "every_split": "node", "encode_every_split": "node_encoding"},
    "encode": {"numbers": "ordinal"},
    "voting": {"probability": "soft", "plurality": "hard"},
    "intercept": {"machine": "model"},
    "score_on": {"training": "train"},
    "multi_strategy": {"one": "multi_output_tree", "per_class": "one_output_per_tree"},
    "multi_class": {"one_vs_rest": "ovr", "every": "exhaustive"},
}


def rename(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the old names of fields, options or attributes.

    Examples
    --------
    >>> rename("CrossValidatedPath", {"strength": 0.0, "best": 1})
    {'shrinkage': 0.0, 'best': 1}
    >>> rename("Partitioner", {"scores": "shares"})
    {'scores': 'proportions'}
    """
    names, values = _OLD_NAMES.get(kind, {}), _OLD_OPTIONS.get(kind, {})
    return {
        names.get(name, name): values.get((name, value), value) if isinstance(value, str) else value
        for name, value in given.items()
    }


def translate_estimator(written: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the old names and values of an estimator's parameters and attributes.

    Examples
    --------
    >>> old = {"class": "ForestClassifier", "parameters": {"vote": "plurality"}}
    >>> translate_estimator(old)["parameters"]
    {'voting': 'hard'}
    """
    new = {**written, "parameters": dict(written["parameters"])}
    if "learned" in written:
        new["learned"] = dict(written["learned"])
    if new["class"] in _RESTRUCTURED:
        _RESTRUCTURED[new["class"]](new, new["parameters"], new.get("learned", {}))
    for part in ("parameters", "learned"):
        if part in new:
            new[part] = rename("estimator", rename(str(new["class"]), new[part]))
    for name, values in _OLD_VALUES.items():
        value = new["parameters"].get(name)
        if isinstance(value, str):
            new["parameters"][name] = values.get(value, value)
    return new


def _inline(items: list[Any], dtype: str) -> dict[str, Any]:
    return {"is": "labels", "items": items, "type": dtype, "shape": [len(items)]}


def _results(columns: dict[str, tuple[str, list[Any]]]) -> dict[str, Any]:
    items = [[name, _inline(values, dtype)] for name, (dtype, values) in columns.items()]
    return {"is": "dict", "items": items}


def _ranks(losses: list[float]) -> tuple[str, list[int]]:
    return "<i8", [1 + sum(other < loss for other in losses) for loss in losses]


def _restructure_optimal(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """The binarizer was five parameters, size was counted in splits, results were a list."""
    if given.get("max_nodes") is not None:
        given["max_nodes"] += 1
    defaults = {"encoding": "thresholds", "discretizer": "equal_frequency", "n_bins": 8}
    defaults["max_subset_values"] = 8
    parts = {name: given.pop(name) for name in defaults if name in given}
    if any(defaults[name] != value for name, value in parts.items()):
        made = {"is": "estimator", "class": "FeatureBinarizer", "parameters": parts}
        given["binarizer"] = made
    if given.pop("splits", "binary") == "all":
        given["binarizer"] = "passthrough"
    if fitted.get("tried_") is not None:
        tried = [budget["fields"] for budget in fitted["tried_"]]
        errors = [budget["error"] for budget in tried]
        fitted["tried_"] = _results(
            {
                "param_max_depth": ("<i8", [budget["max_depth"] for budget in tried]),
                "param_max_leaf_nodes": ("<i8", [budget["max_nodes"] + 1 for budget in tried]),
                "mean_test_score": ("<f8", [1.0 - error for error in errors]),
                "rank_test_score": _ranks(errors),
                "optimal": ("|b1", [budget["proven"] for budget in tried]),
            }
        )


def _restructure_boosted(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """Boosting was one class with a parameter `method`, for trees with any partitioner."""
    method, criterion = given.pop("method", "gradient"), given.pop("criterion", "entropy")
    resample, partitioner = given.pop("resample", False), given.get("partitioner", "random_order")
    name = partitioner if isinstance(partitioner, str) else partitioner["name"]
    if name in ("exact", "two_class_order"):
        given["partitioner"] = "auto"
    if given.get("estimator") is None and (
        method != "gradient" or name not in ("auto", "exact", "random_order", "two_class_order")
    ):
        limits = ("selection", "max_depth", "max_leaf_nodes", "min_samples_leaf", "max_features")
        given["estimator"] = {
            "is": "estimator",
            "class": "TreeClassifier",
            "parameters": {"criterion": criterion, "partitioner": partitioner, "pruning": None}
            | {key: given[key] for key in (*limits, "unseen") if key in given},
        }
        given["partitioner"] = "random_order"
    fitted.pop("n_rounds_", None)
    if method == "gradient":
        fitted.pop("tree_weights_", None)  # of a single class
        if "scores_" in fitted:
            scores = fitted.pop("scores_")["fields"]
            fitted |= {"baseline_": scores["start"], "_values": scores["steps"]}
            fitted |= {"_first_output": scores["first_output"], "_stage_ends": scores["rounds"]}
            fitted.setdefault("_held_out", "validation_loss_" in fitted)
        return
    kept = "estimator n_estimators learning_rate class_weight categorical_features ordinal n_jobs"
    kept += " random_state verbose time_limit"
    parameters = {key: given[key] for key in kept.split() if key in given}
    parameters |= {"variant": "samme" if method == "samme" else "m1", "resample": resample}
    written |= {"class": "AdaBoostTreesClassifier", "parameters": parameters}
    fitted.pop("_gains_tell", None)


def _restructure_ensemble(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """The weights were one number, 1 fold was a test set, and results were a list of values."""
    if "share" in given:
        share = given.pop("share")
        given["weights"] = {"is": "tuple", "items": [1 - share, share]}
    if "n_folds" in given:
        n_folds = given.pop("n_folds")
        given["cv"] = "holdout" if n_folds == 1 else n_folds
    if "share_" in fitted:
        share = fitted.pop("share_")
        fitted["weights_"] = _inline([1 - share, share], "<f8")
    if "choices_" in fitted:
        results = [choice["fields"] for choice in fitted.pop("choices_")]
        losses = [result["loss"] for result in results]
        fitted["cv_results_"] = _results(
            {
                "param_max_depth": ("<i8", [result["depth"] for result in results]),
                "param_n_estimators": ("<i8", [result["n_rounds"] for result in results]),
                "param_weight": ("<f8", [result["share"] for result in results]),
                "mean_test_score": ("<f8", [-loss for loss in losses]),
                "rank_test_score": _ranks(losses),
            }
        )


def _restructure_random_ordinality(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """C4.5 trees had a name, and `joint` was a parameter of the forest."""
    tree = given.pop("base", "c45")
    given["estimator"] = None if tree == "c45" else tree
    joint = given.pop("joint", False)
    if joint:
        options = {"is": "dict", "items": [["per", "tree"], ["joint", joint]]}
        given["partitioner"] = {"is": "Partitioner", "name": "random_order", "options": options}


def _restructure_grow_prune_forest(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """Parameters of the trees were parameters of the forest, and all rows were used."""
    defaults = {"criterion": "gini", "partitioner": "auto", "min_samples_split": 2}
    defaults |= {"max_iterations": 20, "relabel": False, "missing": "learned", "unseen": "node"}
    tree = {name: given.pop(name) for name in defaults if name in given}
    if any(defaults[name] != value for name, value in tree.items()):
        made = {"is": "estimator", "class": "GrowPruneTreeClassifier", "parameters": tree}
        given["estimator"] = made


def restructure_tree(
    written: dict[str, Any], given: dict[str, Any], fitted: dict[str, Any]
) -> None:
    """C4.5 and WEKA's RandomTree were values of a parameter `rules`; in version 2 as well."""
    rules = given.pop("rules", "parts")
    if rules == "parts":
        return
    kept = "min_samples_leaf max_depth unseen handle_unknown class_weight categorical_features"
    kept += " ordinal ordinal_features time_limit"
    if rules == "random_tree":
        kept += " max_features min_samples_split random_state"
    parameters = {name: given[name] for name in kept.split() if name in given}
    if rules == "c45":
        pruning = given.get("pruning")
        for pruner in pruning if isinstance(pruning, list) else [pruning]:
            if isinstance(pruner, dict) and pruner["name"] == "pessimistic":
                parameters |= {"pruned": True, **dict(pruner["options"]["items"])}
        parameters.setdefault("pruned", "pessimistic" in (pruning or ()))
    given.clear()
    given.update(parameters)
    written["class"] = {"c45": "C45TreeClassifier", "random_tree": "RandomTreeClassifier"}[rules]
    fitted.pop("pruning_path_", None)  # was None


_RESTRUCTURED: dict[str, Callable[[dict[str, Any], dict[str, Any], dict[str, Any]], None]] = {
    "BoostedTreesClassifier": _restructure_boosted,
    "EnsembleClassifier": _restructure_ensemble,
    "GrowPruneForestClassifier": _restructure_grow_prune_forest,
    "OptimalTreeClassifier": _restructure_optimal,
    "RandomOrdinalityClassifier": _restructure_random_ordinality,
    "TreeClassifier": restructure_tree,
}
