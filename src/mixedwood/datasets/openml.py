"""Fetch a data set from OpenML and make it the same table as everywhere else.

Only sets of the shipped catalogue are fetched: an OpenML id stands for one version, but says
nothing about whether labels, types and columns are those the papers used. The catalogue does, and
what was downloaded must agree with it.
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
    """Name -> OpenML id, rows, class counts, columns, and how to spell it our way."""
    text = (files("mixedwood.datasets") / "catalogue.json").read_text(encoding="utf-8")
    return {entry["name"]: entry for entry in json.loads(text)}


def fetch(name: str) -> tuple[RawTable, str] | None:
    """Download a catalogued data set, check it, keep it in the cache; None if not catalogued.

    Raises
    ------
    DatasetNotFoundError
        OpenML could not be reached.
    DamagedDatasetError
        What came is not what the catalogue describes.
    """
    entry = catalogue().get(name)
    if entry is None:
        return None
    try:
        bunch = _download(entry["openml_id"])
    except OSError as error:  # URLError, timeouts and broken connections are all of this kind
        raise DatasetNotFoundError(f"OpenML could not be reached ({error})") from error
    except ValueError as error:  # a wrong MD5, or a set that OpenML has withdrawn
        raise DamagedDatasetError(f"OpenML did not give {name!r}: {error}") from error
    try:
        table = _conform(bunch, entry)
    except DamagedDatasetError as error:
        raise DamagedDatasetError(
            f"OpenML's data set {entry['openml_id']} is not the {name!r} of the catalogue: "
            f"{error}. Nothing was stored."
        ) from error
    notes = f"{entry['original']}. From OpenML, id {entry['openml_id']}."
    _keep(name, table, notes, entry["openml_id"])
    return table, notes


def _download(openml_id: int) -> Any:
    fetch_openml = import_module("sklearn.datasets").fetch_openml
    with warnings.catch_warnings():
        # It warns before it tries again; if that fails too, our error says all there is to say.
        warnings.filterwarnings("ignore", message=".*network error.*")
        # Plain arrays through scikit-learn's own ARFF reader: needs no pandas, keeps the labels as
        # written, and checks OpenML's MD5. It must not keep a second copy in a cache of its own.
        return fetch_openml(
            data_id=openml_id, as_frame=False, parser="liac-arff", cache=False, n_retries=1
        )


def _keep(name: str, table: RawTable, notes: str, openml_id: int) -> None:
    cache_directory = cache_folder()
    try:
        cache_directory.write(name, table, notes=notes, origin=f"openml:{openml_id}")
    except OSError as error:
        # The user has the data; only the next call will have to fetch it again.
        _log.warning("Could not keep %r in the cache %s: %s", name, cache_directory.path, error)


def _conform(bunch: Any, entry: Mapping[str, Any]) -> RawTable:
    """Columns by position (OpenML renames them, but keeps their order), labels as catalogued."""
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
        if labels is not None:  # declared nominal at OpenML, though the labels are numbers
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
        raise DamagedDatasetError(f"column {column.name!r} has the strange values {strange}")
    values, codes = encode_labels(cells, order if column.kind == "ordinal" else None)
    return replace(column, categories=values), codes


def _spell(numbers: NDArray[np.float64], labels: list[str] | None) -> list[str | None]:
    """Cells as text: through the labels of a nominal column, else as the numbers they are."""
    if labels is None:
        return [None if number != number else _label_text(number) for number in numbers.tolist()]
    return [None if number != number else labels[int(number)] for number in numbers.tolist()]


def _label_text(label: object) -> str:
    # A label 3 that OpenML declares as a number arrives as 3.0.
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
