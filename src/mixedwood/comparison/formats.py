"""Comparisons as files: CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mixedwood.comparison.dividing import Protocol
from mixedwood.comparison.grid import Cell, make_grid
from mixedwood.comparison.records import Failure, Notice, SetFacts
from mixedwood.files import csv_text, write_text

if TYPE_CHECKING:
    from mixedwood.comparison.results import Comparison

__all__ = ["deliver", "from_json", "to_content", "to_csv", "to_json", "to_latex", "to_markdown"]

_FORMAT = "mixedwood comparison"
_VERSION = 1


def deliver(text: str, path: Any) -> str | None:
    """Give the text, or write it to a file."""
    if path is None:
        return text
    write_text(Path(path), text)
    return None


def to_csv(comparison: Comparison) -> str:
    """One line for each set, method and fold."""
    head = ["set", "method", "repetition", "fold", "n_train", "n_test"]
    chosen = comparison.protocol.kind == "seven_sets"
    lines: list[list[Any]] = [[*head, *comparison.metrics, *["chosen_by"] * chosen, "failure"]]
    failures = {(f.set, f.method, f.fold): f.error for f in comparison.failures}
    per_repetition = comparison.protocol.folds or len(comparison.sets[0].n_test)
    for s, facts in enumerate(comparison.sets):
        for m, method in enumerate(comparison.methods):
            for fold, (n_train, n_test) in enumerate(zip(facts.n_train, facts.n_test, strict=True)):
                place = [fold // per_repetition, fold % per_repetition]
                if comparison.protocol.kind == "splitter":
                    place = [0, fold]
                figures = [*comparison.scores[s, m, fold].tolist()]
                figures += [float(comparison.chosen_by[s, m, fold])] * chosen
                lines.append(
                    [
                        *(facts.name, method, *place, n_train, n_test),
                        *("" if math.isnan(figure) else repr(figure) for figure in figures),
                        failures.get((facts.name, method, fold), ""),
                    ]
                )
    return csv_text(lines)


def to_markdown(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> str:
    """Give a table with the best in bold, and notes."""
    grid = make_grid(comparison, metric, baseline, alpha)

    def cell(c: Cell) -> str:
        text = f"**{c.text}**" if c.best else c.text
        return f"{text} {_SIGN[c.mark]}".strip()

    lines = [f"**{_escaped(grid.title)}**", ""]
    lines.append("| " + " | ".join(map(_escaped, grid.header)) + " |")
    lines.append("|---|" + "---:|" * (len(grid.header) - 1))
    for name, cells in [*grid.rows, *grid.sums]:
        lines.append("| " + " | ".join([_escaped(name), *map(cell, cells)]) + " |")
    notes = [note.replace("* lowest mean.", "Bold: lowest mean.") for note in grid.notes]
    return "\n".join([*lines, "", *(f"{_escaped(note)}\n" for note in notes)])


_SIGN = {"": "", "+": "+", "-": "&minus;"}


def _escaped(text: str) -> str:
    for sign in "\\|*_<>[]`":
        text = text.replace(sign, f"\\{sign}")
    return text


def to_latex(
    comparison: Comparison,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> str:
    """Give a table environment that needs no package: the best in bold, notes below."""
    grid = make_grid(comparison, metric, baseline, alpha)
    notes = [note.replace("* lowest mean.", "Bold: lowest mean.") for note in grid.notes]
    lines = [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{_tex(grid.title)}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(grid.header) - 1)}}}",
        "\\hline",
        " & ".join(map(_tex, grid.header)) + " \\\\",
        "\\hline",
        *_tex_rows(grid.rows),
        *(["\\hline", *_tex_rows(grid.sums)] if grid.sums else []),
        "\\hline",
        "\\end{tabular}",
        *(f"\\par\\footnotesize {_tex(note)}" for note in notes),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _tex_rows(rows: list[tuple[str, list[Cell]]]) -> list[str]:
    def cell(c: Cell) -> str:
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


def to_json(comparison: Comparison) -> str:
    """Everything, with null for what is not there."""
    return json.dumps(to_content(comparison), indent=1, allow_nan=False) + "\n"


def to_content(comparison: Comparison) -> dict[str, Any]:
    """Give everything in plain lists and dicts, with None for what is not there."""
    protocol = comparison.protocol
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "protocol": {
            "name": protocol.name,
            "kind": protocol.kind,
            "repetitions": protocol.repetitions,
            "folds": protocol.folds,
        },
        "random_state": comparison.random_state,
        "methods": list(comparison.methods),
        "metrics": list(comparison.metrics),
        "sets": [asdict(facts) for facts in comparison.sets],
        "scores": _plain(comparison.scores),
        "chosen_by": _plain(comparison.chosen_by),
        "summary": [_plain_row(row) for row in comparison.table()],
        "failures": [asdict(failure) for failure in comparison.failures],
        "notices": [asdict(notice) for notice in comparison.notices],
        "settings": comparison.settings,
        "versions": comparison.versions,
    }


def from_json(source: Any) -> Comparison:
    """Read what `to_json` wrote."""
    from mixedwood.comparison.results import Comparison

    is_text = isinstance(source, str) and source.lstrip().startswith("{")
    text = source if is_text else Path(source).read_text("utf-8")
    try:
        content = json.loads(text)
        if content.get("format") != _FORMAT or content.get("version") != _VERSION:
            raise ValueError("its format and version are others")
        protocol = content["protocol"]
        sets = tuple(_read_facts(facts) for facts in content["sets"])
        shape = len(sets), len(content["methods"]), -1
        return Comparison(
            sets=sets,
            methods=tuple(content["methods"]),
            metrics=tuple(content["metrics"]),
            protocol=Protocol(**protocol),
            scores=np.array(content["scores"], dtype=np.float64).reshape(
                *shape, len(content["metrics"])
            ),
            chosen_by=np.array(content["chosen_by"], dtype=np.float64).reshape(*shape),
            failures=tuple(Failure(**failure) for failure in content["failures"]),
            notices=tuple(Notice(**notice) for notice in content["notices"]),
            random_state=content["random_state"],
            settings=content["settings"],
            versions=content["versions"],
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"Not a comparison written by to_json: {error}.") from error


def _read_facts(facts: dict[str, Any]) -> SetFacts:
    plain: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in facts.items()}
    return SetFacts(**plain)


def _plain(figures: Any) -> Any:
    """Nested lists with None in place of NaN."""
    if isinstance(figures, np.ndarray):
        return _plain(figures.tolist())
    if isinstance(figures, list):
        return [_plain(figure) for figure in figures]
    return None if math.isnan(figures) else figures


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
