"""One repetition of cross-validation."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from mixedwood._folds import check_cv
from mixedwood.data import MISSING, Column, ColumnKind, Schema, Table
from mixedwood.study.tasks.work import Figures, Work

__all__ = ["cross_validation"]


def cross_validation(work: Work) -> Figures:
    """Fit and test a method on all folds of one repetition.

    Settings: `folds`, how many; `known_values`, whether a method knows the values of all rows, as
    programs do whose files declare them (if not, only those of the rows that it learns from);
    `bins`, into how many of equal width numbers are cut first, as values without an order.
    Axis: `repetition`. Figures: one of each fold.
    """
    problem, folds = work.data, int(work.value("folds", 2))
    if (bins := work.value("bins")) is not None:
        problem = replace(problem, X=in_bins(problem.X, int(bins)))
    repetition = int(work.at.get("repetition", 0))
    scheme = check_cv(f"{repetition + 1}x{folds}cv")
    # Repetitions are dealt one after the other, so that the last ones are those of this.
    dealt = scheme.split(problem.labels, int(work.settings.get("seed", 0)))[-folds:]
    found: dict[str, list[float]] = {}
    for number, fold in enumerate(dealt):
        X, y = problem.take(fold.train)
        if not work.value("known_values", False):
            X = only_known(X)
        model = work.model(work.seed(number))
        started = time.perf_counter()
        model.fit(X, y)
        fitted = time.perf_counter()
        X, y = problem.take(fold.test)
        wrong = np.asarray(model.predict(X)) != y
        figures = {
            "error": float(wrong.mean()),
            "fit_seconds": fitted - started,
            "predict_seconds": time.perf_counter() - fitted,
            **sizes(model),
        }
        for name, figure in figures.items():
            found.setdefault(name, []).append(figure)
    return dict(found)


def in_bins(table: Table, n_bins: int) -> Table:
    """Cut every numeric column into bins of equal width, over the range of all rows."""
    names = tuple(f"{i:03d}" for i in range(n_bins))
    columns, arrays = [], []
    for column, array in zip(table.schema, table.arrays, strict=True):
        if column.is_numeric:
            low, high = float(np.nanmin(array)), float(np.nanmax(array))
            width = (high - low) / n_bins or 1.0
            place = np.clip(np.ceil((array - low) / width) - 1, 0, n_bins - 1)
            codes = np.where(np.isnan(array), MISSING, np.nan_to_num(place)).astype(np.int32)
            column, array = Column(column.name, ColumnKind.NOMINAL, names), codes
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), table.schema.names_generated), tuple(arrays))


def only_known(table: Table) -> Table:
    """Forget the values that no row has."""
    columns, arrays = [], []
    for column, array in zip(table.schema, table.arrays, strict=True):
        if not column.is_numeric:
            present = np.unique(array[array >= 0])
            kept = tuple(column.categories[code] for code in present)
            codes = np.full(column.n_categories + 1, -1, dtype=np.int32)  # a gap, -1, is read last
            codes[present] = np.arange(len(present))
            column, array = Column(column.name, column.kind, kept), codes[array]
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), table.schema.names_generated), tuple(arrays))


def sizes(model: Any) -> dict[str, float]:
    """Mean leaves, nodes and depth of the trees in a model, if there are any."""
    trees = getattr(model, "trees_", None)
    if trees is None:
        trees = [model.tree_] if hasattr(model, "tree_") else []
    trees = [tree for tree in trees if hasattr(tree, "n_leaves")]
    if not trees:
        return {}
    return {
        "leaves": float(np.mean([tree.n_leaves for tree in trees])),
        "nodes": float(np.mean([tree.n_nodes for tree in trees])),
        "depth": float(np.mean([tree.depth for tree in trees])),
    }
