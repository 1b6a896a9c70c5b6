"""A folder of data sets: `<name>.csv.gz` files and their description.

The description is `manifest.json`, a list of entries, or `<name>.json` with one entry beside the
data, or both. An entry names the file, its SHA-256, the number of rows, the class counts and the
columns with their types; the folder `MIXEDWOOD_DATA` and the user's cache share this format.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mixedwood.datasets.coded import KINDS, CodedTable, DatasetColumn
from mixedwood.datasets.csvtable import read_table, write_table
from mixedwood.datasets.errors import DamagedDatasetError
from mixedwood.files import write_bytes

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Entry:
    """The description of one stored data set. `columns` carry no values yet."""

    name: str
    file: str
    sha256: str
    columns: tuple[DatasetColumn, ...]
    class_name: str
    rows: int | None = None
    class_counts: Mapping[str, int] = field(default_factory=dict)
    notes: str = ""

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "Entry":
        """Read an entry of a manifest; what is missing or odd is named."""
        try:
            columns = [c for c in raw["columns"] if c.get("role") != "class"]
            (target,) = [c for c in raw["columns"] if c.get("role") == "class"]
            if Path(raw["file"]).name != raw["file"]:
                raise ValueError(f"file {raw['file']!r} is not a plain file name")
            return cls(
                name=raw["name"],
                file=raw["file"],
                sha256=raw["sha256"],
                columns=tuple(column_from_json(c) for c in columns),
                class_name=target["name"],
                rows=raw.get("rows"),
                class_counts=raw.get("class_counts", {}),
                notes=". ".join(filter(None, [raw.get("original"), raw.get("notes")])),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise DamagedDatasetError(f"its description is not usable: {problem}") from error


def column_from_json(raw: Mapping[str, Any]) -> DatasetColumn:
    """Read a column's name, type and natural order."""
    if raw["type"] not in KINDS:
        raise ValueError(f"column {raw['name']!r} has the unknown type {raw['type']!r}")
    order = raw.get("natural_order")
    if raw["type"] == "ordinal" and not order:
        raise ValueError(f"column {raw['name']!r} is ordinal but has no natural_order")
    return DatasetColumn(raw["name"], raw["type"], (), tuple(order) if order else None)


@dataclass(frozen=True)
class DataFolder:
    """Reads and, for the cache, writes one folder.

    Attributes
    ----------
    path : pathlib.Path
    required : bool
        Whether a folder without any description is an error (a folder the user named) or just
        empty (a cache nobody has filled yet).
    """

    path: Path
    required: bool = False

    def names(self) -> list[str]:
        """Names of the data sets described here."""
        return sorted(self._descriptions())

    def read(self, name: str) -> tuple[CodedTable, str] | None:
        """Read a data set with its notes, checked against its description; None if not here."""
        raw = self._descriptions().get(name)
        if raw is None:
            return None
        try:
            entry = Entry.from_json(raw)
            packed = self._packed(entry)
            table = read_table(packed, entry.columns, entry.class_name)
            _check_counts(table, entry)
        except DamagedDatasetError as error:
            raise DamagedDatasetError(
                f"Data set {name!r} in {self.path} cannot be used: {error}. "
                "Fetch the file again, or remove it to look further."
            ) from error
        return table, entry.notes

    def write(self, name: str, table: CodedTable, *, notes: str, origin: str) -> None:
        """Store a data set; readers see all of it or nothing."""
        packed = write_table(table, "class")
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
        # The data first: a description must never name a file that is not there.
        write_bytes(self.path / f"{name}.csv.gz", packed)
        write_bytes(self.path / f"{name}.json", json.dumps(entry, indent=1).encode())

    def _descriptions(self) -> dict[str, Mapping[str, Any]]:
        manifest = self.path / MANIFEST
        beside = [
            file.with_name(file.name.removesuffix(".csv.gz") + ".json")
            for file in sorted(self.path.glob("*.csv.gz"))
        ]
        # One file per stored set (rather than one shared list) lets processes that fill the cache
        # at the same time do without a lock. Read last, so that the newer description counts.
        files = [file for file in (manifest, *beside) if file.is_file()]
        if self.required and not files:
            raise DamagedDatasetError(
                f"MIXEDWOOD_DATA names the folder {self.path}, but it has no {MANIFEST}. "
                "Point MIXEDWOOD_DATA to a folder of data sets, or unset it."
            )
        found: dict[str, Mapping[str, Any]] = {}
        for file in files:
            try:
                content = json.loads(file.read_text(encoding="utf-8"))
                entries = content if file.name == MANIFEST else [content]
                found.update({entry["name"]: entry for entry in entries})
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise DamagedDatasetError(
                    f"{file} is not a list of data sets: {error!r}"
                ) from error
        return found

    def _packed(self, entry: Entry) -> bytes:
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
    """Give the folder named by MIXEDWOOD_DATA, if it is set."""
    path = os.environ.get("MIXEDWOOD_DATA")
    return DataFolder(Path(path).expanduser(), required=True) if path else None


def cache_folder() -> DataFolder:
    """Give the cache: MIXEDWOOD_CACHE, or where the platform keeps such things."""
    if path := os.environ.get("MIXEDWOOD_CACHE"):
        return DataFolder(Path(path).expanduser())
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return DataFolder(home / "mixedwood")


def _check_counts(table: CodedTable, entry: Entry) -> None:
    if entry.rows is not None and table.n_rows != entry.rows:
        raise DamagedDatasetError(f"it has {table.n_rows} rows instead of {entry.rows}")
    if entry.class_counts and table.class_counts() != dict(entry.class_counts):
        raise DamagedDatasetError(
            f"its classes are {table.class_counts()} instead of {dict(entry.class_counts)}"
        )
