"""The file itself: a zip archive with a JSON document and arrays. It is not trusted.

Arrays are .npy files, which NumPy reads without this library. Their headers are matched by a
pattern here: NumPy would pass them to Python's parser and allocate the size that they state.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.files import write_bytes

__all__ = ["Archive", "ModelFileError", "pack", "read_archive"]

DOCUMENT = "model.json"

# Arrays of a model are compressed by a factor of 3 to 20. A file that promises much more is a zip
# bomb; a model that would be compressed more is stored uncompressed.
_MAX_RATIO = 100
_ALWAYS_ACCEPTED = 1 << 20
_MAX_ENTRIES = 100_000
_TYPES = {"|b1": np.bool_, "|u1": np.uint8, "<i4": np.int32, "<i8": np.int64, "<f8": np.float64}
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '([<|]\w+)', 'fortran_order': False, 'shape': \(([\d, ]{0,60})\), \} *\n"
)
_LEVEL = 2  # a fifth of the time of the usual level, for a fifth more bytes
_DATE = (1980, 1, 1, 0, 0, 0)  # the same model gives the same bytes


class ModelFileError(ValueError):
    """A file is not a model that can be read, or a model cannot be written to one."""


class Archive:
    """The document and the arrays of a file; arrays are made on first use."""

    def __init__(self, document: Any, packed: Mapping[str, bytes]) -> None:
        self.document = document
        self._packed = packed
        self._made: dict[str, NDArray[Any]] = {}

    def array(self, name: str) -> NDArray[Any]:
        """Return an array by its name in the archive; the same object every time."""
        if not isinstance(name, str) or name not in self._packed:
            raise ModelFileError(f"the array {name!r} is missing")
        if name not in self._made:
            self._made[name] = _read_npy(name, self._packed[name])
        return self._made[name]


def pack(path: Path, document: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file completely or not at all."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, indent=1)
    entries = {DOCUMENT: text.encode("ascii")}
    entries |= {name: _write_npy(array) for name, array in arrays.items()}
    packed = _zip(entries, zipfile.ZIP_DEFLATED)
    if _too_much(sum(map(len, entries.values())), len(packed)):
        packed = _zip(entries, zipfile.ZIP_STORED)
    write_bytes(path, packed)


def read_archive(path: Path) -> Archive:
    """Read a file; every error is a `ModelFileError`, except if the file cannot be opened."""
    content = path.read_bytes()
    try:
        entries = _unzip(content)
        document = json.loads(
            entries.pop(DOCUMENT).decode("ascii"), parse_constant=_refuse_constant
        )
    except ModelFileError:
        raise
    except KeyError:
        raise ModelFileError(f"there is no {DOCUMENT} in it") from None
    except zipfile.BadZipFile as error:
        raise ModelFileError(str(error) or "it is not a zip archive") from error
    except RecursionError as error:
        raise ModelFileError("its JSON is nested too deeply") from error
    except Exception as error:  # damaged archives make zipfile and zlib raise all kinds of errors
        raise ModelFileError(f"{type(error).__name__}: {error}") from error
    return Archive(document, entries)


def _zip(entries: Mapping[str, bytes], method: int) -> bytes:
    out = io.BytesIO()
    archive = zipfile.ZipFile(out, "w")
    try:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type, info.create_system = method, 3  # the same on every system
            archive.writestr(info, content, compresslevel=_LEVEL)
        archive.close()
    except BaseException:
        # Closing in the middle of an entry would raise another error, which would hide Ctrl-C.
        archive.fp = None
        raise
    return out.getvalue()


def _unzip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
        if len(infos) > _MAX_ENTRIES:
            raise ModelFileError(f"it has {len(infos)} entries")
        if len({info.filename for info in infos}) < len(infos):
            raise ModelFileError("two entries have the same name")
        if _too_much(sum(info.file_size for info in infos), len(content)):
            raise ModelFileError("it would unpack to far more than a model of its size holds")
        entries = {}
        for info in infos:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ModelFileError(f"{info.filename!r} is compressed in an unknown way")
            with archive.open(info) as entry:
                # One byte more than stated is read, to find entries that are longer than stated.
                entries[info.filename] = entry.read(info.file_size + 1)
            if len(entries[info.filename]) != info.file_size:
                raise ModelFileError(f"{info.filename!r} does not have the size that it states")
    return entries


def _too_much(unpacked: int, packed: int) -> bool:
    return unpacked > _ALWAYS_ACCEPTED + _MAX_RATIO * packed


def _refuse_constant(word: str) -> None:
    raise ModelFileError(f"its document holds {word}, which is not JSON")


def _write_npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    np.lib.format.write_array(out, little, version=(1, 0), allow_pickle=False)
    return out.getvalue()


def _read_npy(name: str, content: bytes) -> NDArray[Any]:
    length = int.from_bytes(content[8:10], "little")
    found = _HEADER.fullmatch(content[10 : 10 + length])
    if not content.startswith(_MAGIC) or found is None:
        raise ModelFileError(f"{name!r} is not an array")
    dtype = _TYPES.get(found[1].decode("ascii"))
    if dtype is None:
        raise ModelFileError(f"{name!r} is an array of the type {found[1].decode('ascii')!r}")
    shape = tuple(int(size) for size in found[2].split(b",") if size.strip())
    data = content[10 + length :]
    if prod(shape) * np.dtype(dtype).itemsize != len(data):
        raise ModelFileError(f"{name!r} has {len(data)} bytes, which do not make the shape {shape}")
    if dtype is np.bool_ and data.translate(None, b"\x00\x01"):
        raise ModelFileError(f"{name!r} contains something that is neither true nor false")
    array = np.frombuffer(data, np.dtype(dtype).newbyteorder("<")).reshape(shape)
    return array.astype(dtype)  # a writable copy, in the byte order of the machine
