"""Forests and gradient boosting of Yggdrasil Decision Forests (YDF).

By default boosting keeps a tenth of the training rows aside to stop early, and both drop categories
with fewer than five rows. Each has a second method that keeps all rows and all categories, with the
settings that YDF's authors found best over many tables; the forest's also grows to leaves of one
row, as other forests do. Missing cells are left to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from peers.common import EnsembleScore, Fold, Table, judged
from peers.ydf_trees import YdfTable, library, version

__all__ = ["METHODS", "run", "version"]

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "YDF forest": ("RandomForestLearner", {}),
    "YDF forest rank1": (
        "RandomForestLearner",
        {"template": "benchmark_rank1", "min_vocab_frequency": 1, "min_examples": 1},
    ),
    "YDF boosting": ("GradientBoostedTreesLearner", {}),
    "YDF boosting rank1": (
        "GradientBoostedTreesLearner",
        {
            "template": "benchmark_rank1",
            "min_vocab_frequency": 1,
            "validation_ratio": 0.0,
            "early_stopping": "NONE",
        },
    ),
}
METHODS = {
    "YDF forest": "defaults: 300 trees",
    "YDF forest rank1": "its template `benchmark_rank1`, no category is too rare "
    "(`min_vocab_frequency` = 1) and no leaf too small (`min_examples` = 1)",
    "YDF boosting": "defaults: at most 300 rounds, stopped early by a tenth of the training rows",
    "YDF boosting rank1": "its template `benchmark_rank1`, all rows and 300 rounds "
    "(`early_stopping` = NONE), no category is too rare",
}


def learner_for(method: str, data: YdfTable, seed: int) -> Any:
    """A new learner, as `SETTINGS` say; templates are looked up in the library."""
    name, settings = SETTINGS[method]
    kind = getattr(library(), name)
    options = dict(settings)
    if template := options.pop("template", None):
        options = {**dict(kind.hyperparameter_templates()[template + "v1"]), **options}
    return kind(label="class", features=data.features, random_seed=seed, num_threads=1, **options)


def probabilities(model: Any, rows: dict[str, np.ndarray]) -> np.ndarray:
    """One column per class of the model; for two classes it tells only the second."""
    found = np.asarray(model.predict(rows), float)
    return np.column_stack([1.0 - found, found]) if found.ndim == 1 else found


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    data = YdfTable(table)
    for method in methods:
        for fold in folds:
            model = learner_for(method, data, fold.seed).train(data.rows(fold.train))
            found = probabilities(model, data.rows(fold.test))
            classes = [int(label[1:]) for label in model.label_classes()]
            yield method, fold, judged(found, table.target[fold.test], classes, table.n_classes)
