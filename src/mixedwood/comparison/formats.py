"""File formats of comparisons: CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mixedwood._folds import CrossValidation
from mixedwood.comparison.table import ScoreCell, make_table
from mixedwood.files import csv_text, write_text

if TYPE_CHECKING:
    from mixedwood.comparison.result import Comparison

__all__ = [
    "deliver",
    "format_csv",
    "format_json",
    "format_latex",
    "format_markdown",
    "from_json",
    "to_content",
]

_FORMAT = "mixedwood comparison"
_VERSION = 1


def deliver(text: str, path: Any) -> str | None:
    """Return the text, or write it to a file."""
    if path is None:
        return text
    write_text(Path(path), text)
    return None


def format_csv(comparison: Comparison) -> str:
    """Format one line for each dataset, method and fold."""
    header = ["dataset", "method", "repetition", "fold", "n_train", "n_test"]
    lines: list[list[Any]] = [[*header, *comparison.metrics, "failure"]]
    failures = {(f.dataset, f.method, f.fold): f.error for f in comparison.failures}
    for s, dataset in enumerate(comparison.datasets):
        n_splits = comparison.cv.n_splits or len(dataset.n_test)
        sizes = list(zip(dataset.n_train, dataset.n_test, strict=True))
        for m, method in enumerate(comparison.methods):
            for fold, (n_train, n_test) in enumerate(sizes):
                scores = comparison.scores[s, m, fold].tolist()
                lines.append(
                    [
                        *(dataset.name, method, *divmod(fold, n_splits), n_train, n_test),
                        *("" if math.isnan(score) else repr(score) for score in scores),
                        failures.get((dataset.name, method, fold), ""),
                    ]
                )
    return csv_text(lines)


def format_markdown(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> str:
    """Format the table with the best scores in bold, and notes."""
    table = make_table(comparison, metric, baseline, alpha)

    def cell(c: ScoreCell) -> str:
        text = f"**{c.text}**" if c.best else c.text
        return f"{text} {_SIGN[c.mark]}".strip()

    lines = [f"**{_escaped(table.title)}**", ""]
    lines.append("| " + " | ".join(map(_escaped, table.header)) + " |")
    lines.append("|---|" + "---:|" * (len(table.header) - 1))
    for name, cells in [*table.rows, *table.summary]:
        lines.append("| " + " | ".join([_escaped(name), *map(cell, cells)]) + " |")
    notes = [note.replace("* lowest mean.", "Bold: lowest mean.") for note in table.notes]
    return "\n".join([*lines, "", *(f"{_escaped(note)}\n" for note in notes)])


_SIGN = {"": "", "+": "+", "-": "&minus;"}


def _escaped(text: str) -> str:
    for sign in "\\|*_<>[]`":
        text = text.replace(sign, f"\\{sign}")
    return text


def format_latex(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> str:
    """Format a table environment that needs no package: the best in bold, notes below."""
    table = make_table(comparison, metric, baseline, alpha)
    notes = [note.replace("* lowest mean.", "Bold: lowest mean.") for note in table.notes]
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_tex(table.title)}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
        "\\hline",
        " & ".join(map(_tex, table.header)) + " \\\\",
        "\\hline",
        *_tex_rows(table.rows),
        *(["\\hline", *_tex_rows(table.summary)] if table.summary else []),
        "\\hline",
        "\\end{tabular}",
        *(f"\\par\\footnotesize {_tex(note)}" for note in notes),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_rows(rows: list[tuple[str, list[ScoreCell]]]) -> list[str]:
    def cell(c: ScoreCell) -> str:
        text = _tex(c.text)
        text = f"\\textbf{{{text}}}" if c.best and text else text
        return f"{text}$^{{{c.mark}}}$" if c.mark else text

    return [" & ".join([_tex(name), *map(cell, cells)]) + " \\\\" for name, cells in rows]


_TEX = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "%&_#{}$"},
        "\\": "\\textbackslash{}",
        "±": "$\\pm$",
        "^": "\\^{}",
        "~": "\\~{}",
        "<": "$<$",
        ">": "$>$",
    }
)


def _tex(text: str) -> str:
    return text.translate(_TEX)


def format_json(comparison: Comparison) -> str:
    """Format everything, with null for missing values."""
    return json.dumps(to_content(comparison), indent=1, allow_nan=False) + "\n"


def to_content(comparison: Comparison) -> dict[str, Any]:
    """Return everything in lists and dicts, with None for missing values."""
    cv = comparison.cv
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "cv": {
            "name": cv.name,
            "kind": cv.kind,
            "n_repeats": cv.n_repeats,
            "n_splits": cv.n_splits,
        },
        "random_state": comparison.random_state,
        "methods": list(comparison.methods),
        "metrics": list(comparison.metrics),
        "datasets": [asdict(dataset) for dataset in comparison.datasets],
        "scores": _without_nan(comparison.scores.tolist()),
        "summary": _without_nan(comparison.table()),
        "failures": [asdict(failure) for failure in comparison.failures],
        "warnings": [asdict(warning) for warning in comparison.warnings],
        "settings": comparison.settings,
        "versions": comparison.versions,
    }


def from_json(source: Any) -> Comparison:
    """Read the output of `to_json`."""
    from mixedwood.comparison.result import Comparison, DatasetInfo, Failure, MethodWarning

    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    text = source if is_text else Path(source).read_text("utf-8")
    try:
        content = json.loads(text)
        if content.get("format") != _FORMAT or content.get("version") != _VERSION:
            raise ValueError("unknown format or version")
        datasets = tuple(DatasetInfo(**_with_tuples(entry)) for entry in content["datasets"])
        shape = len(datasets), len(content["methods"]), -1, len(content["metrics"])
        return Comparison(
            datasets=datasets,
            methods=tuple(content["methods"]),
            metrics=tuple(content["metrics"]),
            cv=CrossValidation(**content["cv"]),
            scores=np.array(content["scores"], dtype=np.float64).reshape(shape),
            failures=tuple(Failure(**failure) for failure in content["failures"]),
            warnings=tuple(MethodWarning(**warning) for warning in content["warnings"]),
            random_state=content["random_state"],
            settings=content["settings"],
            versions=content["versions"],
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"Not a comparison written by to_json: {error}.") from error


def _with_tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def _without_nan(content: Any) -> Any:
    """The same lists and dicts with None in place of NaN."""
    if isinstance(content, list):
        return [_without_nan(entry) for entry in content]
    if isinstance(content, dict):
        return {key: _without_nan(value) for key, value in content.items()}
    return None if isinstance(content, float) and math.isnan(content) else content
