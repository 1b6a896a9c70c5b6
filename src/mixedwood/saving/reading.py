"""From a file to a fitted model, without running anything that the file says."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Schema
from mixedwood.saving.checks import check_model
from mixedwood.saving.container import Archive, ModelFileError, read_archive
from mixedwood.saving.kinds import (
    NOT_KEPT,
    estimator_kinds,
    learned_by,
    parameter_kinds,
    part_kinds,
    value_kinds,
)
from mixedwood.saving.old_names import ARRAYS, KINDS, translate_estimator, translate_fields
from mixedwood.saving.trees import part_trees
from mixedwood.saving.writing import FORMAT, VERSION
from mixedwood.tree import Tree

__all__ = ["ModelFile", "load_model", "read_model"]

_SCALAR = re.compile(r"\|b1|[|<][iuf][1248]")
_LONGEST = 10_000_000  # characters that an array of labels may reserve


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    Attributes
    ----------
    model : estimator
        The fitted classifier.
    about : dict
        Facts that were kept with it; the command line keeps the name of the target there.
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
    """Read a classifier that `save_model` has written.

    Nothing in the file is run, so that it may come from anyone. What is not a sound model file is
    an error that says what is wrong.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    estimator
        The fitted classifier.

    Raises
    ------
    ModelFileError
        If the file is damaged, of a newer version, or no model file at all.

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
    """Read a classifier and the facts that were kept with it.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    ModelFile
        Model, facts and versions.

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
        archive = read_archive(path)
        return _read(archive)
    except ModelFileError as error:
        raise ModelFileError(
            f"{path} cannot be read as a model: {_sentence(str(error))}"
        ) from error
    # What is made of the document is checked by those who make it, each with errors of its own.
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError) as error:
        raise ModelFileError(
            f"{path} cannot be read as a model, it is damaged: {_sentence(str(error))}"
        ) from error
    except (RecursionError, MemoryError) as error:
        raise ModelFileError(f"{path} cannot be read as a model: it asks for too much.") from error


def _sentence(words: str) -> str:
    return words if words.endswith(".") else f"{words}."


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
        raise ModelFileError("what it says about itself is not a mapping")
    reader = _Reader(archive, version)
    model = reader.estimator(_object(document["model"]), fitted=True)
    check_model(model)
    return ModelFile(model, about, writer, version)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ModelFileError(f"{str(value)[:50]!r} stands where a mapping should")
    return value


def _schema(written: dict[str, Any]) -> Schema:
    # Files of version 1 call the categories of a column its values.
    columns = [
        {("categories" if key == "values" else key): value for key, value in _object(c).items()}
        for c in written["columns"]
    ]
    return Schema.from_dict({**written, "columns": columns})


class _Reader:
    """Turns the document back into values; every kind is one of the lists in `kinds`."""

    def __init__(self, archive: Archive, version: int = VERSION) -> None:
        self._archive = archive
        self._is_old = version < 2
        self._schemas = [_schema(_object(s)) for s in archive.document["schemas"]]
        self._trees = [self._group(_object(group)) for group in archive.document["trees"]]

    def _group(self, written: dict[str, Any]) -> list[Tree]:
        names = _object(written["arrays"])
        if self._archive.document["version"] == 1:
            names = {ARRAYS.get(name, name): entry for name, entry in names.items()}
        return part_trees(
            names,
            self._archive.array,
            self._pick(self._schemas, written["schema"]),
            self._labels(_object(written["classes"])),
        )

    def estimator(self, written: dict[str, Any], *, fitted: bool) -> Any:
        """Make an estimator; a fitted one with all that it learned."""
        if self._is_old:
            written = translate_estimator(written)
        name = written["class"]
        kinds = estimator_kinds() if fitted else parameter_kinds()
        if written["is"] != "estimator" or not isinstance(name, str) or name not in kinds:
            raise ModelFileError(f"this version of mixedwood knows no estimator {name!r}")
        parameters = {
            key: self.value(value) for key, value in _object(written["parameters"]).items()
        }
        unknown = set(parameters) - set(kinds[name]._get_param_names())  # type: ignore[attr-defined]
        if unknown:
            raise ModelFileError(
                f"this version of mixedwood knows no parameter {', '.join(sorted(unknown))} of "
                f"{name}"
            )
        model = kinds[name](**parameters)
        if fitted:
            self._teach(model, name, written)
        return model

    def _teach(self, model: Any, name: str, written: dict[str, Any]) -> None:
        schema = self._pick(self._schemas, written["schema"])
        model._remember_columns(schema, self._labels(_object(written["classes"])))
        learned = _object(written["learned"])
        known = learned_by(name)
        if strange := set(learned) - set(known):
            raise ModelFileError(f"{name} does not learn {', '.join(sorted(strange))}")
        for attribute, what in known.items():
            if attribute not in learned:
                if what.always:
                    raise ModelFileError(f"{attribute} of {name} is not there")
                continue
            value = self.value(learned[attribute], learned=True)
            if not what.spec.fits(value):
                raise ModelFileError(f"{attribute} of {name} is not {what.spec.words}")
            setattr(model, attribute, value)
        _complete(model)

    def value(self, written: Any, *, learned: bool = False) -> Any:
        """Read any value of the format."""
        if written is None or type(written) in (bool, int, float, str):
            return written
        if isinstance(written, list):
            return [self.value(item, learned=learned) for item in written]
        kind = KINDS.get(_object(written)["is"], written["is"])
        if kind == "estimator":
            return self.estimator(written, fitted=learned)
        if kind == "tuple":
            return tuple(self.value(item, learned=learned) for item in written["items"])
        plain: dict[str, Callable[[dict[str, Any]], Any]] = {
            "float": lambda w: float(w["value"]),
            "dict": lambda w: {self.value(k): self.value(v) for k, v in w["items"]},
            "scalar": self._scalar,
            "labels": self._labels,
            "array": lambda w: self._archive.array(w["name"]),
            "schema": lambda w: self._pick(self._schemas, w["number"]),
            "tree": lambda w: self._pick(self._pick(self._trees, w["group"]), w["place"]),
        }
        if kind in plain:
            return plain[kind](written)
        if kind in part_kinds():
            options = translate_fields(kind, self.value(written["options"]))
            return part_kinds()[kind](written["name"], **options)
        if kind in value_kinds():
            return self._fields(written, *value_kinds()[kind])
        raise ModelFileError(f"this version of mixedwood knows no {kind!r}")

    def _fields(self, written: dict[str, Any], kind: type, specs: Mapping[str, Any]) -> Any:
        given = _object(written["fields"])
        if self._is_old:
            given = translate_fields(kind.__name__, given)
        fields = {
            name: self.value(value, learned=True)
            for name, value in given.items()
            if name not in NOT_KEPT.get(kind.__name__, ())
        }
        if set(fields) != set(specs):
            differ = ", ".join(sorted(set(fields) ^ set(specs)))
            raise ModelFileError(
                f"a {kind.__name__} differs from those of this version in {differ}"
            )
        for name, spec in specs.items():
            if not spec.fits(fields[name]):
                raise ModelFileError(f"{name} of a {kind.__name__} is not {spec.words}")
        return kind(**fields)

    def _scalar(self, written: dict[str, Any]) -> np.generic:
        if not isinstance(written["type"], str) or not _SCALAR.fullmatch(written["type"]):
            raise ModelFileError(f"{written['type']!r} is not a type of numbers")
        value = self.value(written["value"])
        if type(value) not in (bool, int, float):
            raise ModelFileError("a number is not one")
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
        if text and int(text[1]) * len(items) > _LONGEST:
            raise ModelFileError("an array of text asks for too much")
        if any(type(item) not in (type(None), bool, int, float, str) for item in items):
            raise ModelFileError("an array holds what is no label")
        array = np.empty(len(items), dtype)
        array[:] = items
        return array.astype(array.dtype.newbyteorder("=")).reshape(shape)

    @staticmethod
    def _pick(among: list[Any], number: Any) -> Any:
        if type(number) is not int or not 0 <= number < len(among):
            raise ModelFileError(f"there is no number {str(number)[:50]} in its lists")
        return among[number]


def _complete(model: Any) -> None:
    """Set what follows from the rest."""
    if hasattr(model, "_machines"):
        machines = model._machines
        model.coef_names_ = machines.features.design.terms
        model.objective_value_, model.n_iter_ = machines.objective, machines.iterations
    if hasattr(model, "scores_"):
        model.trees_ = model.scores_.trees  # one list, as boosting has it
