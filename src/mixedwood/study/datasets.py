"""Datasets as a study file defines them.

A definition names a dataset of the library (``load``, ``variant``), a generated one (``make``,
``rows``, ``seed``) or a file (``file``, ``target``), and steps that change it, which are always
applied in the order of `_STEPS`.
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
from mixedwood.data.schema import sort_labels
from mixedwood.study.definition import StudyError

__all__ = ["change_columns", "fingerprint", "read_dataset"]

_MISSING_LABEL = "(missing)"


@dataclass(frozen=True, eq=False)
class _Data:
    table: Table
    y: NDArray[Any]

    def take(self, rows: NDArray[Any]) -> _Data:
        return _Data(self.table.take(rows), self.y[rows])

    def keep(self, names: list[str]) -> _Data:
        columns = tuple(self.table.schema[name] for name in names)
        return _Data(Table(Schema(columns), tuple(self.table[name] for name in names)), self.y)

    def check_columns(self, names: list[str], purpose: str) -> None:
        if unknown := set(names) - set(self.table.schema.names):
            raise StudyError(f"There is no column {sorted(unknown)[0]!r} to {purpose}.")


def read_dataset(name: str, definition: Mapping[str, Any]) -> Problem:
    """Read a dataset, and apply the steps of its definition."""
    left = {key: value for key, value in definition.items() if key not in ("title", "note")}
    data = _read(name, left)
    for step, change in _STEPS.items():
        if step in left:
            data = change(data, left.pop(step))
    if left:
        raise StudyError(
            f"The dataset {name!r} has {sorted(left)[0]!r}, which is not known. Known are load, "
            f"variant, make, rows, seed, file, target, nominal, {', '.join(_STEPS)}."
        )
    target = read_target(data.y)
    return Problem(name, data.table, target.classes, target.codes, data.table.n_columns)


def fingerprint(problem: Problem) -> str:
    """A digest of the contents of a dataset."""
    table: Table = problem.X
    digest = hashlib.sha256(json.dumps(table.schema.to_dict(), sort_keys=True).encode())
    for array in (*table.arrays, problem.codes):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(problem.classes.tolist()).encode())
    return digest.hexdigest()[:32]


def change_columns(
    table: Table, change: Callable[[Column, NDArray[Any]], tuple[Column, NDArray[Any]]]
) -> Table:
    """Apply a function to every column of a table."""
    pairs = [change(*pair) for pair in zip(table.schema, table.arrays, strict=True)]
    schema = Schema(tuple(column for column, _ in pairs), table.schema.names_generated)
    return Table(schema, tuple(array for _, array in pairs))


def _read(name: str, left: dict[str, Any]) -> _Data:
    all_nominal = left.pop("nominal", False)
    if "file" in left:
        from mixedwood.data.file_tables import read_file

        if "target" not in left:
            raise StudyError(f"The dataset {name!r} has a file, but no target column.")
        read = read_file(Path(left.pop("file")), left.pop("target"))
        forced = "all" if all_nominal else None
        return _Data(read_table(read.X, categorical_features=forced), np.asarray(read.y))
    data = _generate(name, left) if "make" in left else _load(name, left)
    if all_nominal:
        return _Data(read_table(data.X, categorical_features="all"), data.y)
    orders = {c.name: c.categories for c in data.columns if c.name in data.ordinal_features}
    nominal = list(data.nominal_features) or None
    return _Data(read_table(data.X, categorical_features=nominal, ordinal_features=orders), data.y)


def _load(name: str, left: dict[str, Any]) -> Any:
    if "load" not in left:
        raise StudyError(
            f"The dataset {name!r} needs load (a name of mixedwood.datasets), make (a generator) "
            "or a file."
        )
    from mixedwood import datasets

    return datasets.load(left.pop("load"), variant=left.pop("variant", None), frame="dict")


def _generate(name: str, left: dict[str, Any]) -> Any:
    from mixedwood import datasets

    kind = left.pop("make")
    maker = getattr(datasets, f"make_{kind}", None)
    if maker is None:
        known = [n.removeprefix("make_") for n in dir(datasets) if n.startswith("make_")]
        raise StudyError(
            f"The dataset {name!r} uses the unknown generator {kind!r}. Use one of "
            f"{', '.join(known)}."
        )
    if not isinstance(rows := left.pop("rows", None), int):
        raise StudyError(f"The dataset {name!r} is generated, and needs rows: a number of rows.")
    return maker(rows, random_state=left.pop("seed", 0), frame="dict")


def _first_rows(data: _Data, n: int) -> _Data:
    return data.take(np.arange(min(n, len(data.y))))


def _sort_descending(data: _Data, names: list[str]) -> _Data:
    """Sort by numeric columns, the first one first; equal rows stay in their order."""
    return data.take(np.lexsort([-data.table[name] for name in reversed(names)]))


def _drop(data: _Data, names: list[str]) -> _Data:
    data.check_columns(names, "drop")
    return data.keep([name for name in data.table.schema.names if name not in names])


def _columns(data: _Data, which: str) -> _Data:
    if which not in ("nominal", "numeric"):
        raise StudyError(f"columns must be 'nominal' or 'numeric'; got {which!r}.")
    return data.keep([c.name for c in data.table.schema if c.is_numeric == (which == "numeric")])


def _join(data: _Data, names: list[str]) -> _Data:
    """Join columns of 0 and 1 into one: the first becomes 1 where any of them is."""
    data.check_columns(names, "join")
    any_of_them = np.any([data.table.labels(name).astype(str) == "1" for name in names], axis=0)

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        if column.name != names[0]:
            return column, array
        return Column(names[0], ColumnKind.NOMINAL, ("0", "1")), any_of_them.astype(np.int32)

    return _drop(_Data(change_columns(data.table, change), data.y), names[1:])


def _most_classes(data: _Data, n: int) -> _Data:
    """Keep the most frequent classes; all others become one."""
    names, counts = np.unique(data.y, return_counts=True)
    kept = names[np.argsort(-counts, kind="stable")[: n - 1]]
    return _Data(data.table, np.where(np.isin(data.y, kept), data.y, "others"))


def _one_against_all(data: _Data, name: str) -> _Data:
    if name not in data.y:
        raise StudyError(f"There is no class {name!r}.")
    return _Data(data.table, np.where(data.y == name, name, "others"))


def _numbers(data: _Data, names: list[str] | dict[str, list[str]]) -> _Data:
    """Read categories that are numbers as numbers; or as places in an order that is given."""
    data.check_columns(list(names), "read as numbers")
    orders = names if isinstance(names, dict) else {}

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        if column.name not in names or column.is_numeric:
            return column, array
        try:
            order = list(map(str, orders.get(column.name, ())))
            numbers = [
                1.0 + order.index(str(category)) if order else float(category)
                for category in column.categories
            ]
            values = np.array([*numbers, np.nan])  # -1 is the last entry
        except ValueError as error:
            raise StudyError(f"The values of {column.name!r} are not numbers.") from error
        return Column(column.name, ColumnKind.NUMERIC), values[array]

    return _Data(change_columns(data.table, change), data.y)


def _is_missing(column: Column, array: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(np.isnan(array) if column.is_numeric else array < 0)


def _missing(data: _Data, how: str) -> _Data:
    """Drop rows with missing values, fill them, or make them a category."""
    table = data.table
    if how == "drop_rows":
        pairs = zip(table.schema, table.arrays, strict=True)
        return data.take(~np.any([_is_missing(*pair) for pair in pairs], axis=0))
    if how not in ("most_common", "value"):
        raise StudyError(f"missing must be drop_rows, most_common or value; got {how!r}.")

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        missing = _is_missing(column, array)
        if missing.any() and how == "most_common":
            values, counts = np.unique(array[~missing], return_counts=True)
            return column, np.where(missing, values[np.argmax(counts)], array)
        if missing.any() and not column.is_numeric:
            labels = (*column.categories, _MISSING_LABEL)  # -1 is the last entry
            known = Column(column.name, ColumnKind.NOMINAL, sort_labels(labels))
            return known, np.array([known.codes[label] for label in labels], np.int32)[array]
        return column, array

    return _Data(change_columns(table, change), data.y)


def _number_as_met(data: _Data, missing: str) -> _Data:
    """Number values and classes in order of appearance, as a program does that reads row by row.

    With missing = "drop_rows" such a program leaves a row at its first missing cell: values in the
    columns before it are numbered, even if no row that is kept has them. With "value", a missing
    cell is a value like any other. The numbers become the labels, so that the order of values and
    classes is that of the rows.
    """
    if missing not in ("drop_rows", "value"):
        raise StudyError(f"number_as_met must be 'drop_rows' or 'value'; got {missing!r}.")
    complete = np.ones(len(data.y), dtype=bool)

    def change(column: Column, array: NDArray[Any]) -> tuple[Column, NDArray[Any]]:
        if missing == "drop_rows":
            complete[_is_missing(column, array)] = False
        if column.is_numeric:
            return column, array
        codes = np.full(len(array), -1, dtype=np.int32)
        codes[complete] = _by_appearance(array[complete])
        labels = tuple(range(int(codes.max(initial=-1)) + 1))
        return Column(column.name, ColumnKind.NOMINAL, labels), codes

    table = change_columns(data.table, change)
    return _Data(table, _by_appearance(data.y)).take(complete)


def _by_appearance(labels: NDArray[Any]) -> NDArray[np.int32]:
    """Number labels in order of appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int32)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[inverse]


_STEPS: dict[str, Callable[[_Data, Any], _Data]] = {
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
