"""A model card in Markdown, after Mitchell et al. (2019)."""

from __future__ import annotations

import math
import re

from mixedwood.evaluation import ClassEvaluation
from mixedwood.evaluation.scores import format_score
from mixedwood.explain.format import format_label
from mixedwood.report.model import ModelFacts
from mixedwood.report.svg import replace_unprintable

__all__ = ["card", "metric_title"]

_MAX_COLUMNS = 40
_MAX_CLASSES = 30


def metric_title(metric: str) -> str:
    """Write the name of a score.

    Examples
    --------
    >>> metric_title("auc"), metric_title("log_loss"), metric_title("r2")
    ('AUC', 'log loss', 'R²')
    """
    titles = {"auc": "AUC", "r2": "R²", "rmse": "RMSE", "mae": "MAE"}
    return titles.get(metric, metric.replace("_", " "))


def card(facts: ModelFacts) -> str:
    """Write the model card."""
    found = facts.evaluation
    lines = [f"# {_text(facts.title)}", ""]
    for name, note in facts.notes.items():
        lines += [f"## {_text(name)}", "", _text(note, lines=True), ""]
    what = "numbers" if facts.is_numeric else "classes"
    changed = ", ".join(f"{n}={facts.parameters[n]}" for n in facts.changed)
    lines += [
        "## Model", "",
        f"- Kind: {facts.name}, predicts {what} of {_text(facts.target)}",
        f"- Size: {facts.size or 'not stated'}",
        f"- Parameters: {_text(changed) if changed else 'defaults'}",
        "", "## Evaluation", "",
        f"{facts.n_rows:,} rows; intervals of {100 * found.level:g} %.", "",
        "| score | value | interval |", "|---|---:|---|",
    ]  # fmt: skip
    for score in found.scores.values():
        if not math.isnan(score.value):
            interval = ""
            if not math.isnan(score.low):
                interval = f"{format_score(score.low)} to {format_score(score.high)}"
            lines.append(f"| {score.title} | {format_score(score.value)} | {interval} |")
    if isinstance(found, ClassEvaluation):
        lines += [
            "",
            "| class | precision | recall | F1 score | rows |",
            "|---|---:|---:|---:|---:|",
        ]
        for one in found.per_class[:_MAX_CLASSES]:
            values = (one.precision.value, one.recall.value, one.f1)
            cells = " | ".join(format_score(v) for v in values)
            lines.append(f"| {_text(format_label(one.label))} | {cells} | {one.support} |")
    if facts.surrogate is not None:
        lines += ["", f"Surrogate tree: fidelity {facts.surrogate.fidelity:.3f} "
                  f"({facts.surrogate.measure})."]  # fmt: skip
    if facts.warnings:
        lines += ["", "## Caveats", "", *(f"- {_text(text)}" for text in facts.warnings)]
    lines += ["", "## Columns", "", "| column | type | missing | values | importance |",
              "|---|---|---:|---|---:|"]  # fmt: skip
    mean = dict(zip(facts.importances.columns, facts.importances.mean, strict=True))
    for column in facts.columns[:_MAX_COLUMNS]:
        lines.append(
            f"| {_text(column.name)} | {column.kind} | {column.n_missing} | "
            f"{_text(column.values)} | {mean[column.name]:.4f} |"
        )
    if len(facts.columns) > _MAX_COLUMNS:
        lines.append(f"| ... {len(facts.columns) - _MAX_COLUMNS} more | | | | |")
    metric = metric_title(facts.importances.metric)
    lines += ["", f"Importance: loss of {metric} if the column is shuffled."]
    lines += ["", "## Provenance", ""]
    lines += [f"- {name}: {_text(value)}" for name, value in facts.provenance.items()]
    return "\n".join(lines) + "\n"


def _text(text: str, *, lines: bool = False) -> str:
    """Escape what Markdown or HTML would read as markup."""
    text = replace_unprintable(text)
    if not lines:
        text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|#!~])", r"\\\1", text)
