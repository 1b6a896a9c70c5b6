"""`export`: a fitted model in a format that other programs run."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from mixedwood.exports.describe import ExportError, describe
from mixedwood.files import write_text

__all__ = ["FORMATS", "export"]


def _to_json(model: dict[str, Any]) -> str:
    """Write the description as JSON; numbers are exact."""
    return json.dumps(model, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


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


def _to_python(model: dict[str, Any]) -> str:
    """Write one Python file without imports: the description as a literal, and its interpreter."""
    runtime = Path(__file__).with_name("runtime.py").read_text("utf-8")
    return runtime + _PYTHON_END.replace("{literal}", ascii(model))


FORMATS: dict[str, tuple[str, Callable[..., str]]] = {
    "json": (".json", _to_json),
    "python": (".py", _to_python),
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
