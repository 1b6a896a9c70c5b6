"""The page of a model's report: tables and charts of its facts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mixedwood.evaluation import ClassEvaluation, NumberEvaluation, Score
from mixedwood.evaluation.scores import format_score
from mixedwood.explain.format import format_label, format_name
from mixedwood.plot.page import embed_json
from mixedwood.plot.walk import SCRIPT, STYLE
from mixedwood.report.charts import Dot, HeatCell, dot_plot, heat_map
from mixedwood.report.curves import Line, histogram, line_chart
from mixedwood.report.effects import Effect
from mixedwood.report.model import ModelFacts
from mixedwood.report.model_card import card, metric_title
from mixedwood.report.render import Figure, HtmlTable, TableCell, TableRow, render
from mixedwood.report.svg import Svg

__all__ = ["page"]

_MAX_CLASSES = 20  # of a confusion matrix and of a table of classes
_MAX_COLUMNS = 20  # of a chart of importances
_ICE_LINES = 25
_MAX_POINTS = 400
_CURVES = 3  # classes in a chart of effects


def page(facts: ModelFacts) -> str:
    """Make the page."""
    found = facts.evaluation
    return render(
        "model.html.j2",
        {
            "facts": facts,
            "title": facts.title,
            "lead": _lead(facts),
            "cards": _cards(facts),
            "walk": None if facts.walk is None else Svg(facts.walk.element()),
            "surrogate": None if facts.surrogate is None else Svg(facts.surrogate.walk.element()),
            "surrogate_text": _surrogate_text(facts),
            "trees": _trees(facts),
            "scores": _scores(found),
            "classes": _classes(found) if isinstance(found, ClassEvaluation) else None,
            "confusion": _confusion(found) if isinstance(found, ClassEvaluation) else None,
            "quality": _quality(found),
            "thresholds": _thresholds(found) if isinstance(found, ClassEvaluation) else None,
            "importances": _importances(facts),
            "effects": [_effect(facts, effect) for effect in facts.effects],
            "rules": _rules(facts),
            "columns": _columns(facts),
            "card": card(facts),
            "footer": f"Made by mixedwood {facts.provenance['mixedwood']}. The file loads no "
            "external resources and sends nothing.",
            "data": None,
        },
        styles=(STYLE,),
        scripts=(SCRIPT, "model.js"),
    )


def _lead(facts: ModelFacts) -> str:
    found = facts.evaluation
    what = f"{found.n_known} classes" if isinstance(found, ClassEvaluation) else "numbers"
    size = f" ({facts.size})" if facts.size else ""
    return (
        f"{facts.name}{size} that predicts {what} of {format_name(facts.target)}, evaluated on "
        f"{facts.n_rows:,} rows. Intervals are of {100 * facts.evaluation.level:g} %."
    )


def _interval(score: Score) -> str:
    if math.isnan(score.low):
        return ""
    return f"{format_score(score.low)} to {format_score(score.high)}"


def _cards(facts: ModelFacts) -> list[tuple[str, str, str]]:
    wanted = ("rmse", "mae", "r2") if facts.is_numeric else ("accuracy", "auc", "log_loss")
    scores = [facts.evaluation.scores[name] for name in wanted if name in facts.evaluation.scores]
    cards = [
        (s.title[0].upper() + s.title[1:], format_score(s.value), _interval(s))
        for s in scores
        if not math.isnan(s.value)
    ]
    best = facts.importances.order
    if len(best) and facts.importances.mean[best[0]] > 0:
        i = best[0]
        loss = f"shuffled, the {metric_title(facts.importances.metric)} gets worse by "
        note = f"{loss}{facts.importances.mean[i]:.3g}"
        cards.append(("Most important column", facts.importances.names[i], note))
    return cards


def _surrogate_text(facts: ModelFacts) -> str:
    found = facts.surrogate
    if found is None:
        return ""
    much = (
        f"R² {found.fidelity:.3f} between its predictions and those of the model"
        if found.measure == "R²"
        else f"the same prediction as the model for {100 * found.fidelity:.1f} %"
    )
    return (
        f"A single tree that imitates the model, grown on its predictions. Fidelity: {much}, on "
        f"{found.n_rows:,} rows that it was not grown on. What the tree leaves out, it cannot show."
    )


def _trees(facts: ModelFacts) -> HtmlTable | None:
    if not facts.trees:
        return None
    has_scores = any(score for *_, score in facts.trees)
    rows = []
    for name, leaves, depth, score in facts.trees:
        cells = [TableCell(str(leaves), leaves), TableCell(str(depth), depth)]
        if has_scores:
            cells.append(TableCell(score.split()[-1], float(score.split()[-1])))
        rows.append(TableRow(name, cells))
    title = facts.trees[0][3].split()[0] if has_scores else ""
    header = ["tree", "leaves", "depth", *([f"{title} alone"] if has_scores else [])]
    return HtmlTable(header, rows, description="Trees of the model")


def _number(value: float, text: str | None = None) -> TableCell:
    return TableCell(format_score(value) if text is None else text, value)


def _scores(found: Any) -> HtmlTable:
    rows = [
        TableRow(s.title, [_number(s.value), _number(s.low), _number(s.high), TableCell(s.method)])
        for s in found.scores.values()
        if not math.isnan(s.value)
    ]
    header = ["score", "value", "low", "high", "interval"]
    return HtmlTable(header, rows, description="Scores with intervals", sortable=False)


def _classes(found: ClassEvaluation) -> HtmlTable:
    shown = sorted(found.per_class, key=lambda one: -one.support)[: 3 * _MAX_CLASSES]
    rows = []
    for one in shown:
        cells = [
            _number(one.precision.value), TableCell(_interval(one.precision)),
            _number(one.recall.value), TableCell(_interval(one.recall)),
            _number(one.f1), TableCell(f"{one.support:,}", one.support),
        ]  # fmt: skip
        rows.append(TableRow(format_label(one.label), cells))
    header = ["class", "precision", "interval", "recall", "interval", "F1 score", "rows"]
    return HtmlTable(header, rows, description="Scores of each class")


def _confusion(found: ClassEvaluation) -> Figure | None:
    n = len(found.classes)
    if n > _MAX_CLASSES:
        return None
    names = [format_label(label) for label in found.classes]
    sums = np.maximum(found.confusion_matrix.sum(axis=1), 1)
    cells = []
    for i in range(n):
        row = []
        for j in range(n):
            count = int(found.confusion_matrix[i, j])
            fraction = count / sums[i]
            tip = f"{count} rows of {names[i]} are predicted as {names[j]} ({100 * fraction:.1f} %)"
            row.append(HeatCell(f"{count:,}", fraction if i == j else -fraction, tip))
        cells.append(row)
    text = "; ".join(
        f"{names[i]} as {names[j]}: {found.confusion_matrix[i, j]}"
        for i in range(min(n, 5))
        for j in range(min(n, 5))
    )
    svg = heat_map(names, names, cells, description=f"Confusion matrix. {text}")
    return Figure(svg, "Confusion matrix", "rows: true class; columns: predicted class")


def _quality(found: Any) -> list[Figure]:
    if isinstance(found, NumberEvaluation):
        return _residuals(found)
    calibration = found.calibration
    if calibration is None:
        return []
    what = "predicted class" if calibration.label is None else format_label(calibration.label)
    line = Line(
        calibration.predicted.tolist(), calibration.observed.tolist(), 0, "line",
        calibration.low.tolist(), calibration.high.tolist(), "predicted and observed",
    )  # fmt: skip
    texts = [
        f"{p:.2f} predicted, {o:.2f} observed in {n} rows"
        for p, o, n in zip(
            calibration.predicted, calibration.observed, calibration.n_rows, strict=True
        )
    ]
    svg = line_chart(
        [Line([0, 1], [0, 1], 0, "reference"), line],
        x_axis="predicted probability",
        y_axis=f"fraction of {what}",
        description="Reliability curve: " + "; ".join(texts),
        unit_square=True,
    )
    note = f"expected calibration error {calibration.error:.4f}; bars: 95 % intervals"
    return [Figure(svg, f"Reliability curve of {what}", note)]


def _residuals(found: NumberEvaluation) -> list[Figure]:
    rows = np.linspace(0, found.n_rows - 1, min(found.n_rows, _MAX_POINTS)).astype(int)
    rows = np.argsort(found.true, kind="stable")[rows]
    low, high = float(found.true.min()), float(found.true.max())
    scatter = line_chart(
        [
            Line([low, high], [low, high], 0, "reference"),
            Line(found.predicted[rows].tolist(), found.true[rows].tolist(), 0, "points"),
        ],
        x_axis="predicted",
        y_axis="true",
        description=f"Predicted and true numbers; R² {found.r2:.3f}",
    )
    residuals = found.true - found.predicted
    edges = np.quantile(residuals, [0.005, 0.995])
    width = float(edges[1] - edges[0]) or 1.0
    ends = np.linspace(edges[0], edges[0] + width, 31)
    counts, _ = np.histogram(np.clip(residuals, ends[0], ends[-1]), ends)
    quantiles = np.quantile(residuals, [0.05, 0.5, 0.95])
    text = ", ".join(f"{q:.4g}" for q in quantiles)
    bars = histogram(
        ends.tolist(), counts.tolist(), axis="true less predicted",
        description=f"Residuals; quantiles 5 %, 50 % and 95 %: {text}",
    )  # fmt: skip
    order = np.argsort(found.predicted, kind="stable")
    groups = [g for g in np.array_split(order, min(12, found.n_rows)) if len(g)]
    middle = [float(found.predicted[g].mean()) for g in groups]
    error = [math.sqrt(float((residuals[g] ** 2).mean())) for g in groups]
    curve = line_chart(
        [Line(middle, error)], x_axis="predicted", y_axis="RMSE",
        description="RMSE by prediction: "
        + "; ".join(f"{m:.4g}: {e:.4g}" for m, e in zip(middle, error, strict=True)),
    )  # fmt: skip
    return [
        Figure(scatter, "Predicted and true", "points: some rows; dashed: no error"),
        Figure(bars, "Residuals", f"quantiles 5 %, 50 % and 95 %: {text}; the rest at the ends"),
        Figure(curve, "Error by prediction", "twelve groups of equally many rows"),
    ]


def _thresholds(found: ClassEvaluation) -> dict[str, Any] | None:
    if found.probabilities is None or found.n_known != 2 or len(found.classes) != 2:
        return None
    scores, positive = found.probabilities[:, 1], found.true == 1
    levels = np.round(np.linspace(0.01, 0.99, 99), 2)
    hits = [[int((scores[positive] > t).sum()), int((scores[~positive] > t).sum())] for t in levels]
    names = [format_label(label) for label in found.classes]
    facts = {
        "classes": names,
        "positive": int(positive.sum()),
        "negative": int((~positive).sum()),
        "levels": levels.tolist(),
        "hits": hits,
    }
    rows = []
    for i in range(9, 99, 10):
        true, false = hits[i]
        precision = true / (true + false) if true + false else math.nan
        recall = true / max(1, facts["positive"])
        f1 = 2 * true / (true + false + facts["positive"]) if facts["positive"] + false else 0.0
        accuracy = (true + facts["negative"] - false) / len(scores)
        cells = [_number(precision), _number(recall), _number(f1), _number(accuracy)]
        rows.append(TableRow(f"{levels[i]:.2f}", [*cells, TableCell(f"{true + false:,}")]))
    header = ["above", "precision", "recall", "F1 score", "accuracy", "predicted"]
    table = HtmlTable(header, rows, description="Scores by threshold", sortable=False)
    return {"json": Svg(embed_json(facts)), "table": table, "label": names[1]}


def _importances(facts: ModelFacts) -> list[Figure]:
    found = facts.importances
    order, names = found.order.tolist()[:_MAX_COLUMNS], found.names
    metric = metric_title(found.metric)
    dots = [
        Dot(
            names[i], float(found.mean[i]), float(found.std[i]), found.repeats[i].tolist(), 0,
            f"{names[i]}: {found.mean[i]:.4f} ± {found.std[i]:.4f}", str(i),
        )
        for i in order
    ]  # fmt: skip
    svg = dot_plot(
        dots, axis=f"how much worse the {metric} gets", reference=0.0,
        description="Permutation importance. " + "; ".join(dot.tooltip for dot in dots),
    )  # fmt: skip
    n = found.repeats.shape[1]
    note = f"{metric} {found.score:.4f} on {found.n_rows:,} rows; {n} repetitions, bar: their sd"
    figures = [Figure(svg, "By permutation", note)]
    if not np.isnan(found.gain).all():
        dots = [
            Dot(names[i], float(found.gain[i]), math.nan, (), 1,
                f"{names[i]}: {found.gain[i]:.3f}", str(i))
            for i in order
        ]  # fmt: skip
        svg = dot_plot(
            dots, axis="fraction of the gain of all splits",
            description="Gain. " + "; ".join(dot.tooltip for dot in dots),
        )  # fmt: skip
        note = "in training; overrates columns with many categories"
        figures.append(Figure(svg, "By gain", note))
    return figures


def _effect(facts: ModelFacts, effect: Effect) -> Figure:
    found, grid = facts.evaluation, effect.grid
    name = format_name(grid.column.name)
    outputs, y_axis = [0], f"predicted {format_name(facts.target)}"
    labels = [""]
    if isinstance(found, ClassEvaluation):
        counts = np.bincount(found.true, minlength=effect.mean.shape[1])[: effect.mean.shape[1]]
        outputs = [1] if effect.mean.shape[1] == 2 else np.argsort(-counts)[:_CURVES].tolist()
        labels = [format_label(found.classes[k]) for k in outputs]
        y_axis = f"probability of {labels[0]}" if len(outputs) == 1 else "probability"
    if grid.column.is_numeric:
        x = grid.values.tolist()
        lines = []
        if len(outputs) == 1:
            each = effect.each[:_ICE_LINES, :, outputs[0]]
            lines += [Line(x, row.tolist(), 0, "faint") for row in each]
        lines += [
            Line(x, effect.mean[:, k].tolist(), g, "line", tooltip=labels[g])
            for g, k in enumerate(outputs)
        ]
        svg = line_chart(
            lines, x_axis=name, y_axis=y_axis,
            description=f"Effect of {name} on {y_axis}: " + _means(grid.texts, effect, outputs[0]),
        )  # fmt: skip
        note = "thin: single rows (ICE); thick: their mean (partial dependence)"
        if len(outputs) > 1:
            note = "mean over rows; " + ", ".join(
                f"{_COLORS[g]}: {t}" for g, t in enumerate(labels)
            )
        return Figure(svg, name, note)
    k = outputs[0]
    order = np.argsort(-effect.mean[:, k], kind="stable").tolist()
    dots = [
        Dot(
            grid.texts[i], float(effect.mean[i, k]), math.nan,
            effect.each[:_ICE_LINES, i, k].tolist(), 0, f"{grid.texts[i]}: {effect.mean[i, k]:.4g}",
        )
        for i in order
    ]  # fmt: skip
    axis = y_axis if len(outputs) == 1 else f"probability of {labels[0]}"
    svg = dot_plot(
        dots, axis=axis,
        description=f"Effect of {name} on {axis}: " + _means(grid.texts, effect, k),
    )  # fmt: skip
    return Figure(svg, name, "small: single rows (ICE); large: their mean (partial dependence)")


_COLORS = ("blue", "orange", "green")


def _means(texts: tuple[str, ...], effect: Effect, k: int) -> str:
    return "; ".join(f"{t}: {v:.3g}" for t, v in zip(texts, effect.mean[:, k], strict=True))


def _rules(facts: ModelFacts) -> list[dict[str, str]]:
    return [
        {
            "text": rule.text,
            "prediction": rule.prediction,
            "coverage": f"{100 * rule.coverage:.1f} %",
            "rows": f"{rule.n_rows:,}",
            "score": rule.score,
        }
        for rule in facts.rules
    ]


def _columns(facts: ModelFacts) -> list[dict[str, Any]]:
    return [
        {
            "name": column.name,
            "kind": column.kind,
            "missing": f"{100 * column.n_missing / max(1, facts.n_rows):.1f} %"
            if column.n_missing
            else "none",
            "distinct": f"{column.n_distinct:,}",
            "values": column.values,
            "warnings": column.warnings,
        }
        for column in facts.columns
    ]
