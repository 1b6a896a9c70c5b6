"""Write a fitted model to a file, after checking that it is sound."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from mixedwood import __version__, _kinds
from mixedwood._catalogue import NOT_PUBLIC, estimators
from mixedwood._parts import Partitioner, Screener
from mixedwood.data import Schema, read_cost_matrix
from mixedwood.pruning import Pruner
from mixedwood.saving.container import ModelFileError, pack
from mixedwood.tree import ARRAY_TYPES, Tree
from mixedwood.tree.node_models import NODE_MODELS, KeptModel
from mixedwood.tree.tree import WEIGHT

__all__ = [
    "FORMAT",
    "PARTS",
    "VERSION",
    "check_model",
    "check_parameters",
    "classifiers_of_nodes",
    "estimator_classes",
    "parameter_classes",
    "save_model",
    "value_classes",
]

FORMAT = "mixedwood model"
VERSION = 2

PARTS: dict[str, Any] = {kind.__name__: kind for kind in (Partitioner, Pruner, Screener)}
"""Classes of a name with options."""

_NOT_WRITTEN = ("n_jobs", "verbose")  # they do not change what is fitted
_MAX_JOBS = 1024
_ARRAY_TYPES = ("bool", "uint8", "int32", "int64", "float64")


# What a file may contain: nothing else is written, and nothing else is made when a file is read.


@cache
def estimator_classes() -> dict[str, Any]:
    """Every estimator that a file may contain, by its name."""
    return {entry.class_name: entry.load() for entry in (*estimators().values(), *NOT_PUBLIC)}


@cache
def parameter_classes() -> dict[str, Any]:
    """Estimators that may be parameters of another one."""
    from mixedwood import preprocessing

    transformers = [getattr(preprocessing, name) for name in preprocessing.__all__]
    return estimator_classes() | {k.__name__: k for k in transformers if hasattr(k, "fit")}


@cache
def value_classes() -> dict[str, Any]:
    """Classes of values inside of estimators: those that the tables `_fitted` name."""
    found: dict[str, Any] = {}
    open_classes = list(estimator_classes().values())
    while open_classes:
        for kind in open_classes.pop()._fitted.values():
            for value in kind.classes:
                if hasattr(value, "_fitted") and value.__name__ not in estimator_classes():
                    if value.__name__ not in found:
                        open_classes.append(value)
                    found[value.__name__] = value
    return found | {kind.__name__: kind for kind in NODE_MODELS}


@cache
def classifiers_of_nodes() -> dict[str, Any]:
    """Classifiers of scikit-learn that may be a `node_model`: their fits are numbers."""
    from sklearn import discriminant_analysis, linear_model, neural_network, svm

    linear = ("LogisticRegression", "Perceptron", "RidgeClassifier", "SGDClassifier")
    return {
        "LinearDiscriminantAnalysis": discriminant_analysis.LinearDiscriminantAnalysis,
        "MLPClassifier": neural_network.MLPClassifier,
        **{name: getattr(svm, name) for name in ("LinearSVC", "NuSVC", "SVC")},
        **{name: getattr(linear_model, name) for name in linear},
    }


def save_model(
    model: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted model to a file, which `load_model` reads.

    The file contains data only, so that it can be read without trusting its author. An existing
    file is replaced; if writing fails, it is kept. The loaded model has the same parameters, makes
    the same predictions, and can be continued with `warm_start`. Of a `SmoothSVC` with
    ``kernel="rbf"`` the file contains training rows.

    Equal fits give equal bytes: the file does not say how the model was fitted. A loaded model has
    the default `n_jobs` and `verbose`, and `proof_` of an `OptimalTreeClassifier` has no times.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor of mixedwood.
    path : str or path
        The file, by convention with the extension ``.mw``.
    about : mapping of str, optional
        Metadata to store with the model: strings, numbers, lists and mappings of them. The command
        line stores the name of the target; see `read_model`.

    Raises
    ------
    ModelFileError
        If the model cannot be stored as data: it has a criterion or node model written in Python,
        an estimator of another library, or a random generator as a parameter.

    Examples
    --------
    >>> import tempfile, mixedwood as mw
    >>> X = {"color": ["red", "blue", "red", "blue"], "size": [1, 2, 3, 4]}
    >>> model = mw.TreeClassifier(pruning=None).fit(X, ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mw.save_model(model, f"{folder}/size.mw")
    ...     again = mw.load_model(f"{folder}/size.mw")
    >>> again.predict({"color": ["red"], "size": [9]})
    array(['yes'], dtype='<U3')
    """
    name = type(model).__name__
    if estimator_classes().get(name) is not type(model):
        raise ModelFileError(
            "save_model writes fitted estimators of mixedwood. Got "
            f"{type(model).__module__}.{name} instead. Of a pipeline, save the last step alone."
        )
    check_is_fitted(model)
    check_model(model)
    writer = _Writer()
    document = {
        "format": FORMAT,
        "version": VERSION,
        "mixedwood": __version__,
        "about": _metadata({} if about is None else dict(about)),
        "model": writer.estimator(model, name, fitted=True),
        "schemas": list(writer.schemas.values()),
    }
    document["trees"] = writer.trees()  # after all trees are collected
    pack(Path(path), document, writer.arrays)


def _metadata(about: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(about, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"about must be plain strings, numbers and lists: {error}.") from error
    if not all(isinstance(key, str) for key in about) or json.loads(text) != about:
        raise ModelFileError("about must be plain strings, numbers, lists, and mappings of str.")
    return about


# Checks, before a model is written and after it was read


def check_model(model: Any) -> None:
    """Raise a ModelFileError unless the parts of a fitted model fit together.

    The core checks its input once more; these errors come earlier and say more.
    """
    try:
        check_parameters(model)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"a parameter of the model is not accepted: {error}") from error
    if is_classifier(model):
        _check_classes(model.classes_)
        try:
            read_cost_matrix(model._costs, model.classes_)
        except ValueError as error:
            raise ModelFileError(f"its costs of mistakes are not accepted: {error}") from error
    with np.errstate(all="ignore"):  # sums may overflow, which is checked
        for part in _parts(model):
            if isinstance(part, BaseEstimator) and part is not model:
                check_model(part)
            if isinstance(part, Tree):
                _check_tree(part)
            if isinstance(part, (Tree, BaseEstimator)):
                _check_same_columns(part, model)
            try:
                getattr(part, "_check_fitted", lambda: None)()
            except ValueError as error:
                raise ModelFileError(str(error)) from error


def _check_classes(given: NDArray[Any]) -> None:
    classes = given.tolist() if given.ndim == 1 else []
    if not classes:
        raise ModelFileError("it has no classes")
    if not {type(label) for label in classes} <= {str, bool, int} or len(set(classes)) < len(
        classes
    ):
        raise ModelFileError("its classes are not distinct strings, booleans or integers")


def check_parameters(model: Any) -> None:
    """Raise the error that `fit` would raise if a parameter is not accepted."""
    jobs: Any = getattr(model, "n_jobs", None)
    is_int = isinstance(jobs, (int, np.integer))
    if jobs is not None and not (is_int and 0 < abs(int(jobs)) <= _MAX_JOBS):
        raise ValueError(
            f"n_jobs must be an int up to {_MAX_JOBS}, -1 for all processors, or None. Got "
            f"{jobs!r} instead."
        )
    model._check_parameters()


def _parts(value: Any, *, inside: bool = False) -> Iterator[Any]:
    """The values of the library inside of a fitted value, innermost first, then the value."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fitted"):
        for item in value:
            yield from _parts(item, inside=True)
    elif isinstance(value, Tree):
        yield value
    elif hasattr(value, "_fitted"):
        if not (inside and isinstance(value, BaseEstimator)):  # checked as a model of its own
            for name in value._fitted:
                yield from _parts(getattr(value, name, None), inside=True)
        yield value


def _check_same_columns(part: Any, model: Any) -> None:
    schema, classes = (
        (part.schema, part.classes)
        if isinstance(part, Tree)
        else (part.schema_, getattr(part, "classes_", np.empty(0)))
    )
    expected = getattr(model, "classes_", np.empty(0))
    if schema != model.schema_ or not np.array_equal(classes, expected):
        what = "a tree" if isinstance(part, Tree) else "a member"
        raise ModelFileError(f"{what} has other columns or classes than the model")
    # Boosting uses costs in its predictions only.
    costs = part.cost_matrix if isinstance(part, Tree) else None
    if costs is not None and not np.array_equal(costs, model._costs):
        raise ModelFileError("a tree has other costs of mistakes than the model")


def _check_tree(tree: Tree) -> None:
    """Check numbers that a tree itself does not check."""
    if not (tree.low < tree.high).all():
        raise ModelFileError("an interval of a tree is empty")
    if not np.abs(tree.score).sum() < _kinds.MAX_SUM:
        raise ModelFileError("the scores of the splits of a tree are not finite, or too large")
    if not np.isfinite(tree.intercept).all():
        raise ModelFileError("the intercept of a split is not finite")
    weight = tree.weighted_n_node_samples
    counted = tree.statistics[:, WEIGHT] if tree.is_numeric else tree.statistics.sum(axis=1)
    off = np.abs(counted - weight)
    if not (off <= _kinds.ROUNDING * weight + _kinds.ROUNDING**1.5 * weight[0]).all():
        raise ModelFileError("the class weights of a node do not add up to its weight")


# Writing


class _Writer:
    """Turns values into JSON; arrays, trees and schemas are collected, each once."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.schemas: dict[str, dict[str, Any]] = {}
        self._schema_numbers: dict[int, int] = {}
        self._groups: dict[tuple[int, str, str, str | None], list[Tree]] = {}
        self._places: dict[int, tuple[int, int]] = {}

    def estimator(self, model: Any, where: str, *, fitted: bool) -> dict[str, Any]:
        """Write the parameters and, of a fitted estimator, its attributes."""
        parameters = {
            name: self.value(value, f"{where}.{name}")
            for name, value in model.get_params(deep=False).items()
            if name not in _NOT_WRITTEN
        }
        written: dict[str, Any] = {
            "is": "estimator",
            "class": type(model).__name__,
            "parameters": parameters,
        }
        if fitted:
            written["schema"] = self._schema(model.schema_)
            if is_classifier(model):
                written["classes"] = self._labels(model.classes_, where)
            if model._costs is not None:
                written["cost_matrix"] = self._labels(model._costs, where)
            written["learned"] = {
                name: self._checked(vars(model)[name], f"{where}.{name}", kind)
                for name, kind in model._fitted.items()
                if name in vars(model)
            }
        return written

    def value(self, value: Any, where: str, *, fitted: bool = False) -> Any:
        """Write any value of the format."""
        kind = type(value)
        if value is None or kind in (bool, int) or (kind is float and math.isfinite(value)):
            return value
        if isinstance(value, str):
            return str(value)
        if kind is float:
            return {"is": "float", "value": repr(value)}
        if kind in (list, tuple):
            items = [self.value(v, f"{where}[{i}]", fitted=fitted) for i, v in enumerate(value)]
            return items if kind is list else {"is": "tuple", "items": items}
        if kind is dict:
            pairs = [[self.value(v, where) for v in pair] for pair in value.items()]
            return {"is": "dict", "items": pairs}
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if kind is np.ndarray:
            if fitted and value.dtype.name in _ARRAY_TYPES:
                return self._array(value)
            return self._labels(value, where)
        return self._object(value, where, fitted)

    def _object(self, value: Any, where: str, fitted: bool) -> dict[str, Any]:
        name = type(value).__name__
        if type(value) is Tree:
            group, place = self._place(value)
            return {"is": "tree", "group": group, "place": place}
        if type(value) is Schema:
            return {"is": "schema", "number": self._schema(value)}
        if PARTS.get(name) is type(value):
            options = self.value(dict(value.options), where)
            return {"is": name, "name": self.value(value.name, where), "options": options}
        if parameter_classes().get(name) is type(value):
            return self.estimator(value, where, fitted=fitted)
        if classifiers_of_nodes().get(name) is type(value):
            parameters = {
                key: self.value(one, f"{where}.{key}")
                for key, one in value.get_params(deep=False).items()
                if key not in _NOT_WRITTEN
            }
            return {"is": "sklearn", "class": name, "parameters": parameters}
        if value_classes().get(name) is not type(value):
            raise _not_data(value, where)
        return {
            "is": name,
            "fields": {
                field: self._checked(getattr(value, field), f"{where}.{field}", kind)
                for field, kind in value._fitted.items()
            },
        }

    def _checked(self, value: Any, where: str, kind: _kinds.Kind) -> Any:
        """Write a fitted value, unless `load_model` would reject it."""
        if not kind.accepts(value):
            raise ModelFileError(f"{where} is not {kind.text}, so the model cannot be saved.")
        return self.value(value, where, fitted=True)

    def _scalar(self, value: np.generic, where: str) -> dict[str, Any]:
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise _not_data(value, where)
        item = self.value(value.item(), where)
        return {"is": "scalar", "type": value.dtype.newbyteorder("<").str, "value": item}

    def _labels(self, array: NDArray[Any], where: str) -> dict[str, Any]:
        if array.dtype.kind not in "biufUO" or (array.dtype.kind == "f" and array.itemsize > 8):
            raise _not_data(array, where)
        items = [self.value(item, where) for item in array.ravel().tolist()]
        # The byte order of the machine does not matter.
        dtype = array.dtype.newbyteorder("<").str if array.dtype.kind != "O" else "|O"
        return {"is": "labels", "type": dtype, "shape": list(array.shape), "items": items}

    def _array(self, array: NDArray[Any]) -> dict[str, Any]:
        name = f"arrays/{len(self.arrays)}.npy"
        self.arrays[name] = array
        return {"is": "array", "name": name}

    def _schema(self, schema: Schema) -> int:
        if id(schema) not in self._schema_numbers:
            written = schema.to_dict()
            key = json.dumps(written)
            self.schemas.setdefault(key, written)
            self._schema_numbers[id(schema)] = list(self.schemas).index(key)
        return self._schema_numbers[id(schema)]

    def _place(self, tree: Tree) -> tuple[int, int]:
        if id(tree) not in self._places:
            classes = json.dumps(self._labels(tree.classes, "classes"))
            costs = tree.cost_matrix
            written = "" if costs is None else json.dumps(self._labels(costs, "cost_matrix"))
            key = (self._schema(tree.schema), classes, written, tree.loss)
            group = self._groups.setdefault(key, [])
            group.append(tree)
            self._places[id(tree)] = (list(self._groups).index(key), len(group) - 1)
        return self._places[id(tree)]

    def trees(self) -> list[dict[str, Any]]:
        """Write all trees: those of one schema, classes and costs share arrays, end to end."""
        written = []
        for number, ((schema, classes, costs, loss), trees) in enumerate(self._groups.items()):
            names = {}
            for name, array in _concatenate(trees).items():
                names[name] = f"trees/{number}/{name}.npy"
                self.arrays[names[name]] = array
            group = {"schema": schema, "classes": json.loads(classes), "arrays": names}
            if costs:
                group["cost_matrix"] = json.loads(costs)
            if any(tree.models for tree in trees):
                group["models"] = [
                    [self.value(model, "a model of a node", fitted=True) for model in tree.models]
                    for tree in trees
                ]
            written.append(group if loss is None else {**group, "loss": loss})
        return written


def _concatenate(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    joined = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in ARRAY_TYPES}
    return {"n_nodes": np.array([tree.n_nodes for tree in trees], np.int64), **joined}


def _not_data(value: Any, where: str) -> ModelFileError:
    what = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return ModelFileError(
            f"{where} is a {what}, which a model file cannot store. Fit with an int as "
            "random_state, or call model.set_params(random_state=None) before saving."
        )
    if isinstance(value, KeptModel) or (".node_model" in where and is_classifier(value)):
        fitted = value.classifier if isinstance(value, KeptModel) else value
        return ModelFileError(
            f"{where} is a {type(fitted).__module__}.{type(fitted).__qualname__}. A model file "
            "contains numbers and no code, and only the fits of linear classifiers, SVC, NuSVC "
            "and MLPClassifier of scikit-learn are known to be numbers. Use one of these as the "
            "node_model, or save the model with joblib, for people who trust each other."
        )
    if where.endswith(".oob_score"):
        return ModelFileError(
            f"{where} is a {what}, and a model file contains no code. Call "
            "model.set_params(oob_score=True) before saving; oob_score_ does not change."
        )
    return ModelFileError(
        f"{where} is a {what}, which a model file cannot store: it contains strings, numbers, "
        "lists, dicts, arrays and objects of mixedwood, so that loading it executes no code. Use "
        "one of these, or save the model with joblib, for people who trust each other."
    )
