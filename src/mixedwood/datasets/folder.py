"""Folders of datasets: `<name>.csv.gz` files and their descriptions.

Descriptions are a list in `manifest.json`, or one `<name>.json` next to each file, or both. They
contain the file name, its SHA-256, the number of rows, the class counts and the columns with their
types. With `"task": "regression"` there are no class counts, and `target` names the numeric column
to predict, which is not among the columns. The folder `MIXEDWOOD_DATA` and the cache use this
format.
"""

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.dataset import (
    KINDS,
    DamagedDatasetError,
    DatasetColumn,
    DatasetError,
    RawTable,
    keep_used,
    number_array,
)
from mixedwood.files import FileError, Source, TextColumn, csv_text, read_text, write_bytes

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Description:
    """The description of a stored dataset; `columns` have no categories yet."""

    name: str
    file: str
    sha256: str
    columns: tuple[DatasetColumn, ...]
    class_name: str
    is_numeric: bool = False
    rows: int | None = None
    class_counts: Mapping[str, int] = field(default_factory=dict)
    notes: str = ""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "Description":
        """Parse a description."""
        try:
            columns = [c for c in raw["columns"] if c.get("role") != "class"]
            is_numeric = raw.get("task") == "regression"
            if is_numeric:
                target = raw["target"]
            else:
                (target,) = [c["name"] for c in raw["columns"] if c.get("role") == "class"]
            if Path(raw["file"]).name != raw["file"]:
                raise ValueError(f"file {raw['file']!r} is not a plain file name")
            return cls(
                name=raw["name"],
                file=raw["file"],
                sha256=raw["sha256"],
                columns=tuple(column_from_json(c) for c in columns),
                class_name=target,
                is_numeric=is_numeric,
                rows=raw.get("rows"),
                class_counts=raw.get("class_counts", {}),
                notes=". ".join(filter(None, [raw.get("original"), raw.get("notes")])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise DamagedDatasetError(f"its description is invalid: {problem}") from error


def column_from_json(raw: Mapping[str, Any]) -> DatasetColumn:
    """Parse the description of a column."""
    if raw["type"] not in KINDS:
        raise ValueError(f"column {raw['name']!r} has the unknown type {raw['type']!r}")
    order = raw.get("natural_order", raw.get("order"))
    if raw["type"] == "ordinal" and not order:
        raise ValueError(f"column {raw['name']!r} is ordinal but has no natural_order")
    return DatasetColumn(raw["name"], raw["type"], (), tuple(order) if order else None)


@dataclass(frozen=True)
class DataFolder:
    """A folder of datasets.

    Attributes
    ----------
    path : pathlib.Path
    required : bool
        Whether a folder without descriptions is an error. An empty cache is not.
    """

    path: Path
    required: bool = False

    def names(self) -> list[str]:
        """Names of the datasets in this folder."""
        return sorted(self._descriptions())

    def folders(self) -> list[str]:
        """Names of the folders in this one that have descriptions of their own."""
        return sorted(file.parent.name for file in self.path.glob(f"*/{MANIFEST}"))

    def below(self, name: str) -> "DataFolder":
        """Return one of them."""
        return DataFolder(self.path / name, required=True)

    def read(self, name: str) -> tuple[RawTable, str] | None:
        """Read a dataset and its notes, and check it; None if it is not in this folder."""
        raw = self._descriptions().get(name)
        if raw is None:
            return None
        try:
            entry = Description.from_json(raw)
            source = Source(Path(entry.file), self._packed(entry))
            table = _read_table(source, entry.columns, entry.class_name, entry.is_numeric)
            _check_counts(table, entry)
        except DamagedDatasetError as error:
            raise DamagedDatasetError(
                f"Dataset {name!r} in {self.path} cannot be used: {error}. "
                "Replace the file, or remove it to use other sources."
            ) from error
        return table, entry.notes

    def write(self, name: str, table: RawTable, *, notes: str, origin: str) -> None:
        """Store a dataset completely or not at all."""
        packed = _write_table(table, "class")
        columns: list[dict[str, Any]] = [
            {"name": c.name, "type": c.kind}
            | ({"natural_order": list(c.natural_order)} if c.natural_order else {})
            for c in table.columns
        ]
        entry = {
            "name": name,
            "file": f"{name}.csv.gz",
            "sha256": hashlib.sha256(packed).hexdigest(),
            "bytes": len(packed),
            "rows": table.n_rows,
            "class_counts": table.class_counts(),
            "columns": [*columns, {"name": "class", "type": "nominal", "role": "class"}],
            "source": origin,
            "notes": notes,
        }
        self.path.mkdir(parents=True, exist_ok=True)
        # The data first: a description must not name a missing file.
        write_bytes(self.path / f"{name}.csv.gz", packed)
        write_bytes(self.path / f"{name}.json", json.dumps(entry, indent=1).encode())

    def _descriptions(self) -> dict[str, Mapping[str, Any]]:
        manifest = self.path / MANIFEST
        beside = [
            file.with_name(file.name.removesuffix(".csv.gz") + ".json")
            for file in sorted(self.path.glob("*.csv.gz"))
        ]
        # With one description per dataset, processes that write to the cache at the same time need
        # no lock. They are read after the manifest and override it.
        files = [file for file in (manifest, *beside) if file.is_file()]
        if self.required and not files:
            raise DamagedDatasetError(
                f"The folder {self.path}, set by MIXEDWOOD_DATA, has no {MANIFEST}. Set "
                "MIXEDWOOD_DATA to a folder of datasets, or unset it."
            )
        found: dict[str, Mapping[str, Any]] = {}
        for file in files:
            try:
                content = json.loads(file.read_text(encoding="utf-8"))
                entries = content if file.name == MANIFEST else [content]
                found.update({entry["name"]: entry for entry in entries})
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise DamagedDatasetError(f"{file} is not a list of datasets: {error!r}") from error
        return found

    def _packed(self, entry: Description) -> bytes:
        try:
            packed = (self.path / entry.file).read_bytes()
        except OSError as error:
            raise DamagedDatasetError(f"{entry.file} cannot be read ({error.strerror})") from error
        found = hashlib.sha256(packed).hexdigest()
        if found != entry.sha256:
            raise DamagedDatasetError(
                f"{entry.file} has the SHA-256 {found[:12]}..., "
                f"but {entry.sha256[:12]}... was expected"
            )
        return packed


def data_folder() -> DataFolder | None:
    """Return the folder set by MIXEDWOOD_DATA, if any."""
    path = os.environ.get("MIXEDWOOD_DATA")
    return DataFolder(Path(path).expanduser(), required=True) if path else None


def cache_folder() -> DataFolder:
    """Return the cache: MIXEDWOOD_CACHE, or the cache directory of the platform."""
    if path := os.environ.get("MIXEDWOOD_CACHE"):
        return DataFolder(Path(path).expanduser())
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return DataFolder(home / "mixedwood")


def _check_counts(table: RawTable, entry: Description) -> None:
    if entry.rows is not None and table.n_rows != entry.rows:
        raise DamagedDatasetError(f"it has {table.n_rows} rows instead of {entry.rows}")
    if entry.class_counts and table.class_counts() != dict(entry.class_counts):
        raise DamagedDatasetError(
            f"its classes are {table.class_counts()} instead of {dict(entry.class_counts)}"
        )


def _read_table(
    source: Source, columns: Sequence[DatasetColumn], target_name: str, is_numeric: bool
) -> RawTable:
    """Read the described columns and the target; only empty cells are missing."""
    try:
        source.arrow()
    except FileError as error:
        raise DatasetError(str(error)) from error
    try:
        cells = read_text(source, missing=("",), strip=False)
    except FileError as error:
        raise DamagedDatasetError(str(error).removesuffix(".")) from error
    _check_header(list(cells), [*(column.name for column in columns), target_name])
    read = [_read_column(column, cells[column.name]) for column in columns]
    described, data = zip(*read, strict=True) if read else ((), ())
    if is_numeric:
        _, numbers = _read_column(DatasetColumn(target_name, "numeric"), cells[target_name])
        if np.isnan(numbers).any():
            row = int(np.argmax(np.isnan(numbers))) + 1
            raise DamagedDatasetError(f"row {row} has no number in column {target_name!r}")
        no_classes = np.zeros(len(numbers), dtype=np.int32)
        return RawTable(tuple(described), tuple(data), (), no_classes, numbers)
    target, codes = _read_column(DatasetColumn(target_name, "nominal"), cells[target_name])
    if np.any(codes < 0):
        raise DamagedDatasetError(f"row {int(np.argmax(codes < 0)) + 1} has no class")
    return RawTable(tuple(described), tuple(data), target.categories, codes)


def _check_header(header: list[str], expected: list[str]) -> None:
    if header == expected:
        return
    lost = [name for name in expected if name not in header]
    extra = [name for name in header if name not in expected]
    differences = [f"missing {lost}"] * bool(lost) + [f"unexpected {extra}"] * bool(extra)
    what = ", ".join(differences) or "the order is different"
    raise DamagedDatasetError(f"its columns do not match the description: {what}")


def _read_column(column: DatasetColumn, cells: TextColumn) -> tuple[DatasetColumn, NDArray[Any]]:
    labels, order = cells.values.to_pylist(), column.natural_order
    if column.kind == "numeric":
        numbers = cells.numbers(padded=True)
        if np.isnan(numbers).any():
            raise DamagedDatasetError(
                f"numeric column {column.name!r} has {labels[int(np.argmax(np.isnan(numbers)))]!r},"
                " which is not a plain number; describe the column as nominal if it is categorical"
            )
        return column, cells.spread(numbers, np.nan)
    if order and (strange := [label for label in labels if label not in order]):
        raise DamagedDatasetError(
            f"column {column.name!r} has {strange[:5]}, which is not in its natural order"
        )
    if column.kind == "ordinal" and order:
        places = np.array([order.index(label) for label in labels], dtype=np.int32)
        return replace(column, categories=order), cells.spread(places, np.int32(-1))
    categories, codes = keep_used(labels, cells.codes)
    return replace(column, categories=categories), codes


def _write_table(table: RawTable, class_name: str) -> bytes:
    """Write a table in the format of `_read_table`. The same table gives the same bytes."""
    cells = [_texts(column, data) for column, data in zip(table.columns, table.data, strict=True)]
    cells.append([table.classes[code] for code in table.target])
    header = [*(column.name for column in table.columns), class_name]
    text = csv_text([header, *zip(*cells, strict=True)])
    return gzip.compress(text.encode("utf-8"), mtime=0)


def _texts(column: DatasetColumn, data: NDArray[Any]) -> list[str]:
    if column.kind != "numeric":
        labels = [*column.categories, ""]
        return [labels[code] for code in data]
    # The repr of a float is parsed to the same float.
    return ["" if number != number else repr(number) for number in number_array(data).tolist()]
