"""`export`: a fitted model in a format that other programs run."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from mixedwood.exports.c import to_c
from mixedwood.exports.describe import ExportError, describe
from mixedwood.exports.sql import to_sql
from mixedwood.exports.to_onnx import to_onnx
from mixedwood.exports.to_treelite import to_treelite
from mixedwood.files import write_bytes

__all__ = ["FORMATS", "Format", "export", "find_format"]

Files: TypeAlias = dict[str, str | bytes]
"""Content of each file by its ending; the first is the one that is asked for."""


@dataclass(frozen=True)
class Format:
    """A format of exports.

    Attributes
    ----------
    title : str
        What it is, in a few words.
    endings : tuple of str
        Endings of files that mean this format.
    write : callable
        Makes the files of a description; its keywords are the options of the format.
    """

    title: str
    endings: tuple[str, ...]
    write: Callable[..., Files]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options."""
        kinds = inspect.signature(self.write).parameters.values()
        return tuple(p.name for p in kinds if p.kind == p.KEYWORD_ONLY)


def _to_json(model: dict[str, Any]) -> Files:
    """Write the description as JSON; numbers are exact."""
    text = json.dumps(model, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return {".json": text + "\n"}


_PYTHON_END = '''

_MODEL = prepare(
    {literal}
)
CLASSES = _MODEL["target"]["classes"]


def predict(row):
    """Predict the class or number of one row: a dict from column name to value."""
    return run(_MODEL, row)[1]


def predict_proba(row):
    """Predict the class probabilities of one row, in the order of CLASSES."""
    if not CLASSES:
        raise ValueError("This model predicts numbers; it has no class probabilities.")
    return run(_MODEL, row)[0]
'''


def _to_python(model: dict[str, Any]) -> Files:
    """Write one Python file without imports: the description as a literal, and its interpreter."""
    runtime = Path(__file__).with_name("runtime.py").read_text("utf-8")
    return {".py": runtime + _PYTHON_END.replace("{literal}", ascii(model))}


FORMATS: dict[str, Format] = {
    "json": Format("a documented description", (".json",), _to_json),
    "python": Format("one Python file without imports", (".py",), _to_python),
    "sql": Format("one SELECT", (".sql",), to_sql),
    "c": Format("a source and a header of C", (".c",), to_c),
    "onnx": Format("ONNX", (".onnx",), to_onnx),
    "treelite": Format("a treelite model", (".tl",), to_treelite),
}
"""The formats by name."""


def find_format(path: str | PathLike[str] | None, to: str | None) -> str:
    """Find the name of a format, by default from the ending of a file.

    Examples
    --------
    >>> find_format("model.json", None)
    'json'
    """
    if to is None:
        ending = "" if path is None else Path(path).suffix.lower()
        to = next((name for name, known in FORMATS.items() if ending in known.endings), None)
        if to is None:
            raise ValueError(
                f"'to' must be one of {', '.join(FORMATS)}, since {path!r} has the ending of none."
            )
    if to not in FORMATS:
        raise ValueError(f"'to' must be one of {', '.join(FORMATS)}. Got {to!r} instead.")
    return to


def export(
    model: Any, path: str | PathLike[str] | None = None, *, to: str | None = None, **options: Any
) -> str | bytes:
    """Write a fitted model in a format that runs without mixedwood.

    Parameters
    ----------
    model : estimator
        A fitted estimator with trees.
    path : path or None, default=None
        The file to write. If None, nothing is written.
    to : str or None, default=None
        A key of `FORMATS`. If None, the ending of the file decides.
    **options
        Options of the format; see the guide.

    Returns
    -------
    str or bytes
        The content.

    Raises
    ------
    ExportError
        If the format cannot express the model. Nothing is written then.

    Notes
    -----
    Exported models do not refuse unknown categories: with ``handle_unknown="error"`` they predict
    as with ``"stop"``. They do not warn either.

    Examples
    --------
    >>> import mixedwood as mw
    >>> model = mw.TreeClassifier().fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"])
    >>> space = {}
    >>> exec(mw.export(model, to="python"), space)
    >>> space["predict"]({"x": 1.0})
    'a'
    """
    known = FORMATS[find_format(path, to)]
    for name in options:
        if name not in known.options:
            its = ", ".join(known.options) or "none"
            raise TypeError(f"{name!r} is no option of {known.title}; options: {its}.")
    try:
        files = known.write(describe(model), **options)
    except RecursionError:
        raise ExportError("The trees are too deep for this format; use to='json'.") from None
    first = next(iter(files))
    if path is not None:
        contents = {
            Path(path) if ending == first else Path(path).with_suffix(ending): (
                content.encode("utf-8") if isinstance(content, str) else content
            )
            for ending, content in files.items()
        }
        for target, data in contents.items():
            write_bytes(target, data)
    return files[first]
