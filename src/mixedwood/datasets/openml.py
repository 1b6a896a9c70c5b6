"""Download datasets from OpenML.

Only datasets of the catalogue in this package are downloaded. The catalogue states the labels,
types and columns that papers use, and downloaded data must match it.
"""

import json
import logging
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.dataset import (
    DamagedDatasetError,
    DatasetColumn,
    DatasetNotFoundError,
    RawTable,
    encode_labels,
)
from mixedwood.datasets.folder import cache_folder, column_from_json

_log = logging.getLogger(__name__)


@cache
def catalogue() -> Mapping[str, Mapping[str, Any]]:
    """Read the catalogue: OpenML id, rows, class counts, columns and label spelling, by name."""
    text = (files("mixedwood.datasets") / "catalogue.json").read_text(encoding="utf-8")
    return {entry["name"]: entry for entry in json.loads(text)}


def fetch(name: str) -> tuple[RawTable, str] | None:
    """Download, check and cache a dataset; None if it is not in the catalogue.

    Raises
    ------
    DatasetNotFoundError
        If OpenML could not be reached.
    DamagedDatasetError
        If the data does not match the catalogue.
    """
    entry = catalogue().get(name)
    if entry is None:
        return None
    try:
        bunch = _download(entry["openml_id"])
    except OSError as error:  # URLError, timeouts and broken connections are OSErrors
        raise DatasetNotFoundError(f"OpenML could not be reached ({error})") from error
    except ValueError as error:  # a wrong MD5, or a withdrawn dataset
        raise DamagedDatasetError(f"OpenML did not provide {name!r}: {error}") from error
    try:
        table = _conform(bunch, entry)
    except DamagedDatasetError as error:
        raise DamagedDatasetError(
            f"OpenML's dataset {entry['openml_id']} does not match {name!r} in the catalogue: "
            f"{error}. Nothing was stored."
        ) from error
    notes = f"{entry['original']}. From OpenML, id {entry['openml_id']}."
    _keep(name, table, notes, entry["openml_id"])
    return table, notes


def _download(openml_id: int) -> Any:
    fetch_openml = import_module("sklearn.datasets").fetch_openml
    with warnings.catch_warnings():
        # It warns before a second attempt; if that fails too, an error is raised.
        warnings.filterwarnings("ignore", message=".*network error.*")
        # scikit-learn's own ARFF reader needs no pandas, keeps the spelling of labels and checks
        # the MD5. No second copy in its cache.
        return fetch_openml(
            data_id=openml_id, as_frame=False, parser="liac-arff", cache=False, n_retries=1
        )


def _keep(name: str, table: RawTable, notes: str, openml_id: int) -> None:
    cache_directory = cache_folder()
    try:
        cache_directory.write(name, table, notes=notes, origin=f"openml:{openml_id}")
    except OSError as error:
        # The data can be used; it will be downloaded again next time.
        _log.warning("Could not store %r in the cache %s: %s", name, cache_directory.path, error)


def _conform(bunch: Any, entry: Mapping[str, Any]) -> RawTable:
    """Match columns by position, since OpenML renames some, and labels by the catalogue."""
    names = [str(feature) for feature in bunch.feature_names]
    kept = [j for j, feature in enumerate(names) if feature not in entry.get("drop", ())]
    if len(kept) != len(entry["columns"]):
        raise DamagedDatasetError(f"it has {len(kept)} columns instead of {len(entry['columns'])}")

    categories = bunch.categories or {}
    columns, data = [], []
    for raw, j in zip(entry["columns"], kept, strict=True):
        numbers = np.asarray(bunch.data[:, j], dtype=np.float64)
        column, cells = _conform_column(raw, numbers, categories.get(names[j]))
        columns.append(column)
        data.append(cells)

    spelling = entry.get("classes", {})
    labels = [_label_text(label) for label in np.asarray(bunch.target).tolist()]
    classes, target = encode_labels([spelling.get(label, label) for label in labels])
    table = RawTable(tuple(columns), tuple(data), classes, target)
    if table.n_rows != entry["rows"] or table.class_counts() != entry["class_counts"]:
        raise DamagedDatasetError(
            f"it has {table.n_rows} rows in the classes {table.class_counts()} instead of "
            f"{entry['rows']} in {entry['class_counts']}"
        )
    return table


def _conform_column(
    raw: Mapping[str, Any], numbers: NDArray[np.float64], labels: list[str] | None
) -> tuple[DatasetColumn, NDArray[Any]]:
    column = column_from_json(raw)
    if column.kind == "numeric":
        if labels is not None:  # declared nominal at OpenML, although the labels are numbers
            numbers = np.array([np.nan if v is None else float(v) for v in _spell(numbers, labels)])
        return column, numbers
    cells = _spell(numbers, labels)
    n_values = len({cell for cell in cells if cell is not None})
    if n_values != raw["n_values"]:
        raise DamagedDatasetError(
            f"column {column.name!r} has {n_values} values instead of {raw['n_values']}"
        )
    order = column.natural_order
    if order and (strange := {cell for cell in cells if cell is not None} - set(order)):
        raise DamagedDatasetError(f"column {column.name!r} has the unexpected values {strange}")
    values, codes = encode_labels(cells, order if column.kind == "ordinal" else None)
    return replace(column, categories=values), codes


def _spell(numbers: NDArray[np.float64], labels: list[str] | None) -> list[str | None]:
    """Convert cells to text, with the labels of a nominal column."""
    if labels is None:
        return [None if number != number else _label_text(number) for number in numbers.tolist()]
    return [None if number != number else labels[int(number)] for number in numbers.tolist()]


def _label_text(label: object) -> str:
    # A label 3 that OpenML declares as a number is read as 3.0.
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
