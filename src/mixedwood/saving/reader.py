"""Read a model from a file that is not trusted: nothing in it is executed.

The file names classes; one that `writer` does not list is an error. Every value is compared with
the tables `_fitted`, and the model is checked as a whole.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from mixedwood.data import Schema
from mixedwood.saving.container import Archive, ModelFileError, read_archive
from mixedwood.saving.writer import (
    FORMAT,
    PARTS,
    VERSION,
    check_model,
    classifiers_of_nodes,
    estimator_classes,
    parameter_classes,
    value_classes,
)
from mixedwood.tree import ARRAY_TYPES, Tree

__all__ = ["ModelFile", "load_model", "read_model"]

_SCALAR = re.compile(r"\|b1|[|<][iuf][1248]")
_MAX_TEXT = 10_000_000  # characters of an array of labels


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file.

    Attributes
    ----------
    model : estimator
        The fitted classifier or regressor.
    about : dict
        Metadata that was stored with it; the command line stores the name of the target.
    mixedwood : str
        Version of the library that wrote the file.
    version : int
        Version of the format.
    """

    model: Any
    about: Mapping[str, Any]
    mixedwood: str
    version: int


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file that `save_model` wrote.

    Nothing in the file is executed, so it may come from anyone. A file that is damaged or forged
    raises an error that says what is wrong.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        The fitted classifier or regressor.

    Raises
    ------
    ModelFileError
        If the file is damaged, was written by a newer version, or is not a model file.

    Examples
    --------
    >>> import tempfile, mixedwood as mw
    >>> data = mw.datasets.load("tic-tac-toe")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mw.save_model(mw.TreeClassifier(max_depth=2).fit(data.X, data.y), f"{folder}/game.mw")
    ...     model = mw.load_model(f"{folder}/game.mw")
    >>> model.get_n_leaves(), model.max_depth
    (2, 2)
    """
    return read_model(path).model


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model and the metadata that was stored with it.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ModelFile
        The model, its metadata, and versions.

    Examples
    --------
    >>> import tempfile, mixedwood as mw
    >>> model = mw.TreeClassifier().fit({"size": [1, 2, 3, 4]}, ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mw.save_model(model, f"{folder}/size.mw", about={"target": "large"})
    ...     mw.saving.read_model(f"{folder}/size.mw").about
    {'target': 'large'}
    """
    path = Path(path)
    try:
        return _read(read_archive(path))
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be read as a model: {_sentence(error)}") from error
    # The classes of the library check what they are given, each with errors of its own.
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ModelFileError(
            f"{path} cannot be read as a model, it is damaged: {_sentence(error)}"
        ) from error
    except (RecursionError, MemoryError) as error:
        raise ModelFileError(f"{path} cannot be read as a model: it asks for too much.") from error


def _sentence(error: Exception) -> str:
    return f"{str(error).removesuffix('.')}."


def _read(archive: Archive) -> ModelFile:
    document = archive.document
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it is not a model file of mixedwood")
    version, writer = document.get("version"), str(document.get("mixedwood"))[:50]
    if type(version) is not int or version < 1:
        raise ModelFileError("it does not say which version of the format it has")
    if version > VERSION:
        raise ModelFileError(
            f"it has version {version} of the format, written by mixedwood {writer}; this "
            f"version reads up to {VERSION}. Install a newer mixedwood"
        )
    about = document.get("about", {})
    if not isinstance(about, dict):
        raise ModelFileError("its metadata is not a mapping")
    model = _Reader(archive, version).estimator(_object(document["model"]), fitted=True)
    check_model(model)
    return ModelFile(model, about, writer, version)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFileError(f"{str(value)[:50]!r} was found where a mapping is expected")
    return value


class _Reader:
    """Turns the document back into values."""

    def __init__(self, archive: Archive, version: int) -> None:
        self._archive = archive
        self._is_old = version < 2
        self._schemas = [self._schema(_object(s)) for s in archive.document["schemas"]]
        self._trees = [self._group(_object(group)) for group in archive.document["trees"]]

    def _renamed(self, kind: str, given: dict[str, Any]) -> dict[str, Any]:
        return _rename(kind, given) if self._is_old else given

    def _schema(self, written: dict[str, Any]) -> Schema:
        columns = [self._renamed("Column", _object(column)) for column in written["columns"]]
        return Schema.from_dict({**written, "columns": columns})

    def _group(self, written: dict[str, Any]) -> list[Tree]:
        names = self._renamed("Tree", _object(written["arrays"]))
        schema = self._item(self._schemas, written["schema"])
        parts = {
            "classes": self._labels(_object(written["classes"])),
            "cost_matrix": self._costs(written),
            "loss": written.get("loss"),
        }
        models = [
            tuple(self.value(model, fitted=True) for model in its)
            for its in written.get("models", [])
        ]
        return _split_trees(names, self._archive.array, {"schema": schema, **parts}, models)

    def _costs(self, written: dict[str, Any]) -> NDArray[np.float64] | None:
        """The costs of mistakes; files without them have none."""
        if "cost_matrix" not in written:
            return None
        costs = self._labels(_object(written["cost_matrix"]))
        if costs.dtype != np.float64 or costs.ndim != 2:
            raise ModelFileError("its costs of mistakes are not a matrix")
        return costs

    def estimator(self, written: dict[str, Any], *, fitted: bool) -> Any:
        """Make an estimator; a fitted one with its attributes."""
        if self._is_old:
            written = _translate_estimator(written)
        elif "rules" in _object(written["parameters"]):
            written = {**written, "parameters": dict(written["parameters"])}
            _restructure_tree(written, written["parameters"], written.get("learned", {}))
        name = written["class"]
        classes = estimator_classes() if fitted else parameter_classes()
        if written["is"] != "estimator" or not isinstance(name, str) or name not in classes:
            raise ModelFileError(f"this version of mixedwood has no estimator {name!r}")
        parameters = {
            key: self.value(value) for key, value in _object(written["parameters"]).items()
        }
        unknown = set(parameters) - set(classes[name]._get_param_names())
        if unknown:
            raise ModelFileError(
                f"{name} of this version of mixedwood has no parameter {', '.join(sorted(unknown))}"
            )
        model = classes[name](**parameters)
        if fitted:
            self._set_fitted(model, written)
        return model

    def _set_fitted(self, model: Any, written: dict[str, Any]) -> None:
        schema = self._item(self._schemas, written["schema"])
        classes = np.empty(0)
        if is_classifier(model):
            classes = self._labels(_object(written["classes"]))
        model._remember_columns(schema, classes, self._costs(written))
        given, name = _object(written["learned"]), type(model).__name__
        if unknown := set(given) - set(model._fitted):
            raise ModelFileError(f"{name} has no fitted attribute {', '.join(sorted(unknown))}")
        for attribute, kind in model._fitted.items():
            if attribute in given:
                value = self.value(given[attribute], fitted=True)
                if not kind.accepts(value):
                    raise ModelFileError(f"{attribute} of {name} is not {kind.text}")
                setattr(model, attribute, value)
            elif kind.required:
                raise ModelFileError(f"{attribute} of {name} is missing")

    def value(self, written: Any, *, fitted: bool = False) -> Any:
        """Read any value of the format."""
        if written is None or type(written) in (bool, int, float, str):
            return written
        if isinstance(written, list):
            return [self.value(item, fitted=fitted) for item in written]
        kind = _OLD_CLASSES.get(_object(written)["is"], written["is"])
        if kind == "estimator":
            return self.estimator(written, fitted=fitted)
        if kind == "tuple":
            return tuple(self.value(item, fitted=fitted) for item in written["items"])
        plain: dict[str, Callable[[dict[str, Any]], Any]] = {
            "float": lambda w: float(w["value"]),
            "dict": lambda w: {self.value(k): self.value(v) for k, v in w["items"]},
            "scalar": self._scalar,
            "labels": self._labels,
            "array": lambda w: self._archive.array(w["name"]),
            "schema": lambda w: self._item(self._schemas, w["number"]),
            "tree": lambda w: self._item(self._item(self._trees, w["group"]), w["place"]),
        }
        if kind in plain:
            return plain[kind](written)
        if kind in PARTS:
            return PARTS[kind](
                written["name"], **self._renamed(kind, self.value(written["options"]))
            )
        if kind == "sklearn":
            return self._classifier(written)
        if kind in value_classes():
            return self._value_object(_object(written["fields"]), value_classes()[kind])
        raise ModelFileError(f"this version of mixedwood has no {kind!r}")

    def _classifier(self, written: dict[str, Any]) -> Any:
        """Make a classifier of scikit-learn, not fitted, for the parameter `node_model`."""
        kind = classifiers_of_nodes().get(str(written["class"]))
        if kind is None:
            raise ModelFileError(f"{str(written['class'])[:50]!r} is no model of a node")
        given = {name: self.value(one) for name, one in _object(written["parameters"]).items()}
        if unknown := set(given) - set(kind().get_params()):
            raise ModelFileError(
                f"{kind.__name__} of this version of scikit-learn has no parameter "
                f"{', '.join(sorted(unknown))}"
            )
        return kind(**given)

    def _value_object(self, given: dict[str, Any], kind: Any) -> Any:
        name, table = kind.__name__, kind._fitted
        # Fields that are not written today, such as times, have their defaults.
        ignored = {f.name for f in fields(kind)} - set(table) if is_dataclass(kind) else set()
        values = {
            field: self.value(value, fitted=True)
            for field, value in self._renamed(name, given).items()
            if field not in ignored
        }
        if differ := set(values) ^ set(table):
            raise ModelFileError(
                f"a {name} differs from those of this version in {', '.join(sorted(differ))}"
            )
        for field, expected in table.items():
            if not expected.accepts(values[field]):
                raise ModelFileError(f"{field} of a {name} is not {expected.text}")
        return kind(**values)

    def _scalar(self, written: dict[str, Any]) -> np.generic:
        if not isinstance(written["type"], str) or not _SCALAR.fullmatch(written["type"]):
            raise ModelFileError(f"{written['type']!r} is not a type of numbers")
        value = self.value(written["value"])
        if type(value) not in (bool, int, float):
            raise ModelFileError("a number is expected, but not found")
        number: np.generic = np.dtype(written["type"]).newbyteorder("=").type(value)
        return number

    def _labels(self, written: dict[str, Any]) -> NDArray[Any]:
        items = [self.value(item) for item in written["items"]]
        dtype, shape = written["type"], tuple(written["shape"])
        if not isinstance(dtype, str) or not all(type(size) is int for size in shape):
            raise ModelFileError("an array has neither type nor shape")
        text = re.fullmatch(r"<U(\d{1,8})", dtype)
        if dtype != "|O" and not text and not _SCALAR.fullmatch(dtype):
            raise ModelFileError(f"{dtype!r} is not a type of arrays")
        if text and int(text[1]) * len(items) > _MAX_TEXT:
            raise ModelFileError("an array of strings asks for too much")
        if any(type(item) not in (type(None), bool, int, float, str) for item in items):
            raise ModelFileError("an array contains something that is not a label")
        array = np.empty(len(items), dtype)
        array[:] = items
        return array.astype(array.dtype.newbyteorder("=")).reshape(shape)

    @staticmethod
    def _item(items: list[Any], number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(items):
            raise ModelFileError(f"there is no number {str(number)[:50]} in its lists")
        return items[number]


# Trees, whose arrays are stored end to end

_OFFSETS = ("child_offset", "category_offset", "term_offset")
_LENGTHS = {  # arrays that do not have one entry per node, and the offsets that give their length
    "children": "child_offset",
    "category_code": "category_offset",
    "category_child": "category_offset",
    "term_column": "term_offset",
    "term_category": "term_offset",
    "term_weight": "term_offset",
    "term_fill": "term_offset",
}


def _split_trees(
    names: Mapping[str, Any],
    array: Callable[[str], NDArray[Any]],
    shared: Mapping[str, Any],
    models: Sequence[tuple[Any, ...]],
) -> list[Tree]:
    """Make trees of arrays end to end; each tree checks its own, and its models."""
    expected = {"n_nodes": np.int64, **ARRAY_TYPES}
    if differ := set(names) ^ set(expected):
        raise ModelFileError(
            f"its trees differ from those of this version in {', '.join(sorted(differ))}"
        )
    arrays = {name: array(entry) for name, entry in names.items()}
    for name, dtype in expected.items():
        if arrays[name].dtype != dtype or arrays[name].ndim != 1 + (name == "statistics"):
            raise ModelFileError(f"{name!r} of its trees has another type or shape")
    n_nodes = arrays.pop("n_nodes")
    if len(n_nodes) and n_nodes.min() < 1:
        raise ModelFileError("a tree has no nodes")
    used = dict.fromkeys(arrays, 0)
    trees = []
    for n, its_models in zip(n_nodes.tolist(), models or [()] * len(n_nodes), strict=True):
        parts: dict[str, Any] = {}
        for name in [*_OFFSETS, *(name for name in arrays if name not in _OFFSETS)]:
            length = n + 1 if name in _OFFSETS else n
            if name in _LENGTHS:
                length = int(parts[_LENGTHS[name]][-1])
            first, last = used[name], used[name] + length
            if not 0 <= length <= len(arrays[name]) - first:
                raise ModelFileError(f"{name!r} of its trees ends too early")
            parts[name], used[name] = arrays[name][first:last], last
        trees.append(Tree(**shared, models=its_models, **parts))
    if any(used[name] != len(arrays[name]) for name in arrays):
        raise ModelFileError("its arrays are longer than its trees")
    return trees


# Files of version 1

_OLD_CLASSES = {"Acceptor": "Screener", "BinaryTest": "BinarySplit", "Scale": "ColumnScale"}

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


def _rename(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the old names of fields, options or attributes.

    Examples
    --------
    >>> _rename("CrossValidatedPath", {"strength": 0.0, "best": 1})
    {'shrinkage': 0.0, 'best': 1}
    >>> _rename("Partitioner", {"scores": "shares"})
    {'scores': 'proportions'}
    """
    names, values = _OLD_NAMES.get(kind, {}), _OLD_OPTIONS.get(kind, {})
    return {
        names.get(name, name): values.get((name, value), value) if isinstance(value, str) else value
        for name, value in given.items()
    }


def _translate_estimator(written: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the old names and values of an estimator's parameters and attributes.

    Examples
    --------
    >>> old = {"class": "ForestClassifier", "parameters": {"vote": "plurality"}}
    >>> _translate_estimator(old)["parameters"]
    {'voting': 'hard'}
    """
    new = {**written, "parameters": dict(written["parameters"])}
    if "learned" in written:
        new["learned"] = dict(written["learned"])
    if new["class"] in _RESTRUCTURED:
        _RESTRUCTURED[new["class"]](new, new["parameters"], new.get("learned", {}))
    for part in ("parameters", "learned"):
        if part in new:
            new[part] = _rename("estimator", _rename(str(new["class"]), new[part]))
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


def _restructure_tree(
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
    "TreeClassifier": _restructure_tree,
}
