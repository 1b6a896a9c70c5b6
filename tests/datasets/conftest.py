"""Shared by the tests of data sets: no test sees the user's folders or the network."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

COLUMNS = [
    {"name": "color", "type": "nominal"},
    {"name": "size", "type": "ordinal", "natural_order": ["small", "medium", "large"]},
    {"name": "weight", "type": "numeric"},
    {"name": "code", "type": "nominal"},
    {"name": "class", "type": "nominal", "role": "class"},
]
TEXT = """color,size,weight,code,class
red,small,1.5,2_3,yes
none,large,,10,no
,medium,2.5,2_3,yes
NA,,3,007,yes
"""


@pytest.fixture
def toy() -> SimpleNamespace:
    """The content of the data set that `write_folder` writes, for tests that spoil it."""
    return SimpleNamespace(text=TEXT, columns=COLUMNS)


@pytest.fixture(autouse=True)
def own_surroundings(request, tmp_path, monkeypatch):
    # Tests that take `real_data` compare with the folder the developer has named.
    if "real_data" not in request.fixturenames:
        monkeypatch.delenv("MIXEDWOOD_DATA", raising=False)
    monkeypatch.setenv("MIXEDWOOD_CACHE", str(tmp_path / "cache"))

    def no_network(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a test reached for the network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", no_network)


@pytest.fixture
def write_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a folder with one data set, `toy`; arguments spoil parts of it."""

    def write(
        text: str = TEXT, *, packed: bytes | None = None, manifest: bool = True, **entry: Any
    ) -> Path:
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        content = gzip.compress(text.encode(), mtime=0) if packed is None else packed
        (folder / "toy.csv.gz").write_bytes(content)
        described = {
            "name": "toy",
            "file": "toy.csv.gz",
            "sha256": hashlib.sha256(content).hexdigest(),
            "rows": 4,
            "class_counts": {"yes": 3, "no": 1},
            "columns": COLUMNS,
            "original": "Toy",
            "notes": "made for tests",
        } | entry
        if manifest:
            (folder / "manifest.json").write_text(json.dumps([described]))
        return folder

    return write
