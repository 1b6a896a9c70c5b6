"""Data sets from what a study file says about them.

A definition names a data set of the library (``load``, ``variant``), one that is drawn (``make``,
``rows``, ``seed``) or a file (``file``, ``target``), and what is done to it, always in the order of
`_STEPS` below.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.comparison.run import Problem
from mixedwood.data import Column, ColumnKind, Schema, Table, read_table, read_target
from mixedwood.data.labels import sort_labels
from mixedwood.study.definition import StudyError

__all__ = ["fingerprint", "open_set"]

_GAP = "(missing)"


@dataclass(frozen=True, eq=False)
class _Set:
    table: Table
    y: NDArray[Any]

    def take(self, rows: NDArray[Any]) -> _Set:
        return _Set(self.table.take(rows), self.y[rows])

    def keep(self, names: list[str]) -> _Set:
        schema = self.table.schema
        columns = tuple(schema[name] for name in names)
        arrays = tuple(self.table[name] for name in names)
        return _Set(Table(Schema(columns), arrays), self.y)


def open_set(name: str, definition: Mapping[str, Any]) -> Problem:
    """Read a data set, and prepare it as its definition says."""
    words = dict(definition)
    for only_for_readers in ("title", "note"):
        words.pop(only_for_readers, None)
    found = _read(name, words)
    for step, change in _STEPS.items():
        if step in words:
            found = change(found, words.pop(step))
    if words:
        raise StudyError(
            f"The set {name!r} has {sorted(words)[0]!r}, which is not known. Accepted are load, "
            f"variant, make, rows, seed, file, target, nominal, {', '.join(_STEPS)}."
        )
    target = read_target(found.y)
    return Problem(name, found.table, target.classes, target.codes, found.table.n_columns)


def fingerprint(problem: Problem) -> str:
    """A short name for the contents of a data set."""
    table: Table = problem.X
    digest = hashlib.sha256(json.dumps(table.schema.to_dict(), sort_keys=True).encode())
    for array in (*table.arrays, problem.codes):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(problem.classes.tolist()).encode())
    return digest.hexdigest()[:32]


def _read(name: str, words: dict[str, Any]) -> _Set:
    all_nominal = words.pop("nominal", False)
    if "file" in words:
        from mixedwood.data.file_tables import read_file

        if "target" not in words:
            raise StudyError(f"The set {name!r} has a file, but no target column.")
        read = read_file(Path(words.pop("file")), words.pop("target"))
        forced = "all" if all_nominal else None
        return _Set(read_table(read.X, categorical_features=forced), np.asarray(read.y))
    data = _drawn(name, words) if "make" in words else _loaded(name, words)
    if all_nominal:
        return _Set(read_table(data.X, categorical_features="all"), data.y)
    orders = {c.name: c.categories for c in data.columns if c.name in data.ordinal_features}
    nominal = list(data.nominal_features) or None
    return _Set(read_table(data.X, categorical_features=nominal, ordinal_features=orders), data.y)


def _loaded(name: str, words: dict[str, Any]) -> Any:
    if "load" not in words:
        raise StudyError(
            f"The set {name!r} needs load (a name of mixedwood.datasets), make (what is drawn) or "
            "a file."
        )
    from mixedwood import datasets

    return datasets.load(words.pop("load"), variant=words.pop("variant", None), frame="dict")


def _drawn(name: str, words: dict[str, Any]) -> Any:
    """Draw so many rows; the same seed gives the same rows."""
    from mixedwood import datasets

    kind = words.pop("make")
    maker = getattr(datasets, f"make_{kind}", None)
    if maker is None:
        known = [n.removeprefix("make_") for n in dir(datasets) if n.startswith("make_")]
        raise StudyError(
            f"The set {name!r} is to be made as {kind!r}, which is not known; there are "
            f"{', '.join(known)}."
        )
    if not isinstance(rows := words.pop("rows", None), int):
        raise StudyError(f"The set {name!r} is drawn, so that it needs rows: how many.")
    return maker(rows, random_state=words.pop("seed", 0), frame="dict")


def _first_rows(found: _Set, n: int) -> _Set:
    return found.take(np.arange(min(n, len(found.y))))


def _sort_descending(found: _Set, names: list[str]) -> _Set:
    """Sort by numeric columns, the first one first; equal rows stay in their order."""
    return found.take(np.lexsort([-found.table[name] for name in reversed(names)]))


def _drop(found: _Set, names: list[str]) -> _Set:
    if strange := set(names) - set(found.table.schema.names):
        raise StudyError(f"There is no column {sorted(strange)[0]!r} to drop.")
    return found.keep([name for name in found.table.schema.names if name not in names])


def _columns(found: _Set, which: str) -> _Set:
    if which not in ("nominal", "numeric"):
        raise StudyError(f"columns must be 'nominal' or 'numeric'; got {which!r}.")
    kept = [c.name for c in found.table.schema if c.is_numeric == (which == "numeric")]
    return found.keep(kept)


def _join(found: _Set, names: list[str]) -> _Set:
    """Make one column of columns of 0 and 1: the first is 1 where any of them is."""
    schema = found.table.schema
    if strange := set(names) - set(schema.names):
        raise StudyError(f"There is no column {sorted(strange)[0]!r} to join.")
    any_of_them = np.any([found.table.labels(name).astype(str) == "1" for name in names], axis=0)
    joined = Column(names[0], ColumnKind.NOMINAL, ("0", "1"))
    kept = [name for name in schema.names if name not in names[1:]]
    columns = tuple(joined if name == names[0] else schema[name] for name in kept)
    arrays = tuple(
        any_of_them.astype(np.int32) if name == names[0] else found.table[name] for name in kept
    )
    return _Set(Table(Schema(columns), arrays), found.y)


def _most_classes(found: _Set, most: int) -> _Set:
    """Keep the most frequent classes; all others become one."""
    names, counts = np.unique(found.y, return_counts=True)
    kept = names[np.argsort(-counts, kind="stable")[: most - 1]]
    return _Set(found.table, np.where(np.isin(found.y, kept), found.y, "others"))


def _one_against_all(found: _Set, name: str) -> _Set:
    if name not in found.y:
        raise StudyError(f"There is no class {name!r}.")
    return _Set(found.table, np.where(found.y == name, name, "others"))


def _numbers(found: _Set, names: list[str]) -> _Set:
    """Read labels that are numbers as numbers."""
    columns, arrays = [], []
    for column, array in zip(found.table.schema, found.table.arrays, strict=True):
        if column.name in names and not column.is_numeric:
            try:
                values = np.array([*map(float, column.categories), np.nan])
            except ValueError as error:
                raise StudyError(f"The values of {column.name!r} are no numbers.") from error
            column, array = Column(column.name, ColumnKind.NUMERIC), values[array]
        columns.append(column)
        arrays.append(array)
    if strange := set(names) - set(found.table.schema.names):
        raise StudyError(f"There is no column {sorted(strange)[0]!r} to read as numbers.")
    return _Set(Table(Schema(tuple(columns)), tuple(arrays)), found.y)


def _missing(found: _Set, how: str) -> _Set:
    """What becomes of missing cells: their rows go, they are filled, or they are a value."""
    table = found.table
    absent = [
        np.isnan(array) if column.is_numeric else array < 0
        for column, array in zip(table.schema, table.arrays, strict=True)
    ]
    if how == "drop_rows":
        return found.take(~np.any(absent, axis=0))
    if how not in ("most_common", "value"):
        raise StudyError(f"missing must be drop_rows, most_common or value; got {how!r}.")
    columns, arrays = [], []
    for column, array, gone in zip(table.schema, table.arrays, absent, strict=True):
        if gone.any() and how == "most_common":
            values, counts = np.unique(array[~gone], return_counts=True)
            array = array.copy()
            array[gone] = values[np.argmax(counts)]
        elif gone.any() and not column.is_numeric:
            known = Column(column.name, ColumnKind.NOMINAL, sort_labels((*column.categories, _GAP)))
            # Read from the end, -1 is the value of a gap.
            codes = [known.codes[label] for label in (*column.categories, _GAP)]
            column, array = known, np.array(codes, dtype=np.int32)[array]
        columns.append(column)
        arrays.append(array)
    return _Set(Table(Schema(tuple(columns)), tuple(arrays)), found.y)


def _number_as_met(found: _Set, missing: str) -> _Set:
    """Number values and classes as they are met, by a reader that goes through rows and columns.

    With missing = "drop_rows" such a reader leaves a row at its first missing cell: values in the
    columns before it are numbered, even if no row that is kept has them. With "value", a missing
    cell is a value like any other. The numbers become the labels, so that whatever goes through
    values or classes in order does so in that of the rows.
    """
    if missing not in ("drop_rows", "value"):
        raise StudyError(f"number_as_met must be 'drop_rows' or 'value'; got {missing!r}.")
    complete = np.ones(len(found.y), dtype=bool)
    columns, arrays = [], []
    for column, array in zip(found.table.schema, found.table.arrays, strict=True):
        if missing == "drop_rows":
            complete &= ~np.isnan(array) if column.is_numeric else array >= 0
        if not column.is_numeric:
            codes = np.full(len(array), -1, dtype=np.int32)
            codes[complete] = _by_appearance(array[complete])
            labels = tuple(range(int(codes.max(initial=-1)) + 1))
            column, array = Column(column.name, ColumnKind.NOMINAL, labels), codes
        columns.append(column)
        arrays.append(array)
    numbered = _Set(Table(Schema(tuple(columns)), tuple(arrays)), _by_appearance(found.y))
    return numbered.take(complete)


def _by_appearance(labels: NDArray[Any]) -> NDArray[np.int32]:
    """Number labels in the order in which they are met."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int32)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[inverse]


_STEPS: dict[str, Callable[[_Set, Any], _Set]] = {
    "first_rows": _first_rows,
    "sort_descending": _sort_descending,
    "join": _join,
    "drop": _drop,
    "numbers": _numbers,
    "columns": _columns,
    "missing": _missing,
    "most_classes": _most_classes,
    "one_against_all": _one_against_all,
    "number_as_met": _number_as_met,
}
