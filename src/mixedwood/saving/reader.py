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
from mixedwood.saving.version_1 import (
    OLD_CLASSES,
    rename,
    restructure_tree,
    translate_estimator,
)
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
        raise ModelFileError(
            f"{path} cannot be read as a model: it needs too much memory."
        ) from error


def _sentence(error: Exception) -> str:
    return f"{str(error).removesuffix('.')}."


def _read(archive: Archive) -> ModelFile:
    document = archive.document
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it is not a model file of mixedwood")
    version, writer = document.get("version"), str(document.get("mixedwood"))[:50]
    if type(version) is not int or version < 1:
        raise ModelFileError("its version of the format is missing")
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
        return rename(kind, given) if self._is_old else given

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
            written = translate_estimator(written)
        elif "rules" in _object(written["parameters"]):
            written = {**written, "parameters": dict(written["parameters"])}
            restructure_tree(written, written["parameters"], written.get("learned", {}))
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
        kind = OLD_CLASSES.get(_object(written)["is"], written["is"])
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
            raise ModelFileError("an array of strings needs too much memory")
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
