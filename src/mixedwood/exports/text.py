"""JSON, and one Python file without imports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["to_json", "to_python"]


def to_json(model: dict[str, Any]) -> str:
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


def to_python(model: dict[str, Any]) -> str:
    """Write one Python file without imports: the description as a literal, and its interpreter."""
    runtime = Path(__file__).with_name("runtime.py").read_text("utf-8")
    return runtime + _PYTHON_END.replace("{literal}", ascii(model))
