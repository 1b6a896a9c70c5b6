"""From a fitted model to a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import __version__
from mixedwood.data import Schema
from mixedwood.saving.checks import check_model
from mixedwood.saving.container import ModelFileError, pack
from mixedwood.saving.kinds import (
    HOW_IT_RUNS,
    Spec,
    estimator_kinds,
    learned_by,
    parameter_kinds,
    part_kinds,
    value_kinds,
)
from mixedwood.saving.trees import join_trees
from mixedwood.tree import Tree

__all__ = ["FORMAT", "VERSION", "save_model"]

FORMAT = "mixedwood model"
VERSION = 2

_ARRAY_TYPES = ("bool", "uint8", "int32", "int64", "float64")


def save_model(
    model: Any, path: str | os.PathLike[str], *, about: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted classifier to a file, which `load_model` reads again.

    The file holds data only, so that it can be read without trust in who wrote it. It is written as
    a whole or not at all, and a file of the same name is replaced. Answers, probabilities, text,
    importances and parameters of the model that `load_model` gives are those of this one, and a
    `warm_start` goes on with it. Of a `SmoothSVC` with ``kernel="rbf"`` the file holds training
    rows.

    Equal fits give equal bytes. The file does not hold how the model was fitted: a loaded model and
    its parts have the default ``n_jobs`` and ``verbose`` (after ``set_params(n_jobs=-1)`` it works
    in parallel again), and ``proof_`` of an `OptimalTreeClassifier` has no times.

    Parameters
    ----------
    model : estimator
        A fitted classifier of this library.
    path : str or path
        Where to write; the usual ending is ``.mw``.
    about : mapping of str, optional
        Facts to keep with the model: text, numbers, lists and mappings of them. The command line
        keeps the name of the target there; see `read_model`.

    Raises
    ------
    ModelFileError
        If the model holds what only Python code can say: a criterion or a machine written in
        Python, an estimator of another library, or a random generator.

    Examples
    --------
    >>> import tempfile, mixedwood as mw
    >>> X = {"colour": ["red", "blue", "red", "blue"], "size": [1, 2, 3, 4]}
    >>> model = mw.TreeClassifier(pruning=None).fit(X, ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mw.save_model(model, f"{folder}/size.mw")
    ...     again = mw.load_model(f"{folder}/size.mw")
    >>> again.predict({"colour": ["red"], "size": [9]})
    array(['yes'], dtype='<U3')
    """
    name = type(model).__name__
    if estimator_kinds().get(name) is not type(model):
        raise ModelFileError(
            "save_model writes fitted classifiers of mixedwood; got "
            f"{type(model).__module__}.{name}. Of a pipeline, save the classifier alone."
        )
    check_is_fitted(model)
    check_model(model)
    writer = _Writer()
    document = {
        "format": FORMAT,
        "version": VERSION,
        "mixedwood": __version__,
        "about": _facts({} if about is None else dict(about)),
        "model": writer.estimator(model, name, fitted=True),
        "schemas": list(writer.schemas.values()),
    }
    document["trees"] = writer.trees()  # after all trees are known
    pack(Path(path), document, writer.arrays)


def _facts(about: dict[str, Any]) -> dict[str, Any]:
    try:
        text = json.dumps(about, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"about must be plain text, numbers and lists: {error}.") from error
    if not all(isinstance(key, str) for key in about) or json.loads(text) != about:
        raise ModelFileError("about must be plain text, numbers, lists, and mappings of text.")
    return about


class _Writer:
    """Turns values into JSON; arrays, trees and schemas are kept apart, each once."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self.schemas: dict[str, dict[str, Any]] = {}
        self._schemas_met: dict[int, int] = {}
        self._groups: dict[tuple[int, str], list[Tree]] = {}
        self._places: dict[int, tuple[int, int]] = {}

    def estimator(self, model: Any, where: str, *, fitted: bool) -> dict[str, Any]:
        """Write the parameters and, if wanted, what was learned."""
        parameters = {
            name: self.value(value, f"{where}.{name}")
            for name, value in model.get_params(deep=False).items()
            if name not in HOW_IT_RUNS
        }
        written: dict[str, Any] = {
            "is": "estimator",
            "class": type(model).__name__,
            "parameters": parameters,
        }
        if fitted:
            written["schema"] = self._schema(model.schema_)
            written["classes"] = self._labels(model.classes_, where)
            written["learned"] = {
                name: self._fitting(vars(model)[name], f"{where}.{name}", what.spec)
                for name, what in learned_by(type(model).__name__).items()
                if name in vars(model)
            }
        return written

    def value(self, value: Any, where: str, *, learned: bool = False) -> Any:
        """Write any value of the format."""
        kind = type(value)
        if value is None or kind in (bool, int) or (kind is float and math.isfinite(value)):
            return value
        if isinstance(value, str):
            return str(value)
        if kind is float:
            return {"is": "float", "value": repr(value)}
        if kind in (list, tuple):
            items = [self.value(v, f"{where}[{i}]", learned=learned) for i, v in enumerate(value)]
            return items if kind is list else {"is": "tuple", "items": items}
        if kind is dict:
            pairs = [[self.value(v, where) for v in pair] for pair in value.items()]
            return {"is": "dict", "items": pairs}
        if isinstance(value, np.generic):
            return self._scalar(value, where)
        if kind is np.ndarray:
            if learned and value.dtype.name in _ARRAY_TYPES:
                return self._array(value)
            return self._labels(value, where)
        return self._named(value, where, learned)

    def _named(self, value: Any, where: str, learned: bool) -> dict[str, Any]:
        name = type(value).__name__
        if type(value) is Tree:
            group, place = self._place(value)
            return {"is": "tree", "group": group, "place": place}
        if type(value) is Schema:
            return {"is": "schema", "number": self._schema(value)}
        if part_kinds().get(name) is type(value):
            options = self.value(dict(value.options), where)
            return {"is": name, "name": self.value(value.name, where), "options": options}
        if parameter_kinds().get(name) is type(value):
            return self.estimator(value, where, fitted=learned)
        kind, fields = value_kinds().get(name, (None, {}))
        if kind is not type(value):
            raise _no_safe_form(value, where)
        return {
            "is": name,
            "fields": {
                field: self._fitting(getattr(value, field), f"{where}.{field}", spec)
                for field, spec in fields.items()
            },
        }

    def _fitting(self, value: Any, where: str, spec: Spec) -> Any:
        """Write what was learned; `load_model` would refuse what is not as it is specified."""
        if not spec.fits(value):
            raise ModelFileError(
                f"{where} is not {spec.words}, so that no file can hold the model."
            )
        return self.value(value, where, learned=True)

    def _scalar(self, value: np.generic, where: str) -> dict[str, Any]:
        if value.dtype.kind not in "biuf" or value.dtype.itemsize > 8:
            raise _no_safe_form(value, where)
        item = self.value(value.item(), where)
        return {"is": "scalar", "type": value.dtype.newbyteorder("<").str, "value": item}

    def _labels(self, array: NDArray[Any], where: str) -> dict[str, Any]:
        if array.dtype.kind not in "biufUO" or (array.dtype.kind == "f" and array.itemsize > 8):
            raise _no_safe_form(array, where)
        items = [self.value(item, where) for item in array.ravel().tolist()]
        # The byte order of the machine is of no interest.
        dtype = array.dtype.newbyteorder("<").str if array.dtype.kind != "O" else "|O"
        return {"is": "labels", "type": dtype, "shape": list(array.shape), "items": items}

    def _array(self, array: NDArray[Any]) -> dict[str, Any]:
        name = f"arrays/{len(self.arrays)}.npy"
        self.arrays[name] = array
        return {"is": "array", "name": name}

    def _schema(self, schema: Schema) -> int:
        if id(schema) not in self._schemas_met:
            written = schema.to_dict()
            key = json.dumps(written)
            self.schemas.setdefault(key, written)
            self._schemas_met[id(schema)] = list(self.schemas).index(key)
        return self._schemas_met[id(schema)]

    def _place(self, tree: Tree) -> tuple[int, int]:
        if id(tree) not in self._places:
            classes = json.dumps(self._labels(tree.classes, "classes"))
            key = (self._schema(tree.schema), classes)
            group = self._groups.setdefault(key, [])
            group.append(tree)
            self._places[id(tree)] = (list(self._groups).index(key), len(group) - 1)
        return self._places[id(tree)]

    def trees(self) -> list[dict[str, Any]]:
        """Write all trees that were met."""
        written = []
        for number, ((schema, classes), trees) in enumerate(self._groups.items()):
            names = {}
            for name, array in join_trees(trees).items():
                names[name] = f"trees/{number}/{name}.npy"
                self.arrays[names[name]] = array
            written.append({"schema": schema, "classes": json.loads(classes), "arrays": names})
        return written


def _no_safe_form(value: Any, where: str) -> ModelFileError:
    what = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        return ModelFileError(
            f"{where} is a {what}, whose state has no place in a model file. Fit with a number as "
            "random_state, or say model.set_params(random_state=None) before saving."
        )
    if where.endswith(".oob_score"):
        return ModelFileError(
            f"{where} is a {what}, and a model file holds no code. Say "
            "model.set_params(oob_score=True) before saving: oob_score_ stays what it is."
        )
    return ModelFileError(
        f"{where} is a {what}, which a model file cannot hold: it holds text, numbers, lists, "
        "dicts, arrays, and what the library itself has, so that nobody's code is run when it is "
        "read. Use one of these, or keep the model with joblib among people who trust each other."
    )
