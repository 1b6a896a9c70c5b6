"""`export`: a fitted model in a format that other programs run."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from mixedwood.exports.describe import ExportError, describe
from mixedwood.exports.text import to_json, to_python
from mixedwood.files import write_text

__all__ = ["FORMATS", "export"]

FORMATS: dict[str, tuple[str, Callable[..., str]]] = {
    "json": (".json", to_json),
    "python": (".py", to_python),
}
"""Ending of the file, and the function that writes a description, of each format."""


def export(
    model: Any, path: str | PathLike[str] | None = None, *, to: str | None = None, **options: Any
) -> str:
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
    str
        The content.

    Raises
    ------
    ExportError
        If the format cannot express the model. Nothing is written then.

    Examples
    --------
    >>> import mixedwood as mw
    >>> model = mw.TreeClassifier().fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"])
    >>> space = {}
    >>> exec(mw.export(model, to="python"), space)
    >>> space["predict"]({"x": 1.0})
    'a'
    """
    if to is None:
        ending = "" if path is None else Path(path).suffix.lower()
        to = next((name for name, (suffix, _) in FORMATS.items() if suffix == ending), None)
        if to is None:
            raise ValueError(
                f"'to' must be one of {', '.join(FORMATS)}; the ending of {path!r} does not say it."
            )
    if to not in FORMATS:
        raise ValueError(f"'to' must be one of {', '.join(FORMATS)}. Got {to!r} instead.")
    try:
        text = FORMATS[to][1](describe(model), **options)
    except RecursionError:
        raise ExportError("The trees are too deep for this format; use to='json'.") from None
    if path is not None:
        write_text(Path(path), text)
    return text
