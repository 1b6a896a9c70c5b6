"""XGBoost with native categories: as it is, and with the slower learning that is often advised.

Missing categories are missing to it: it learns for each test where they go.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from peers.common import EnsembleScore, Fold, MissingPeer, Table, category_frame, judged

SETTINGS: dict[str, dict[str, Any]] = {
    "XGBoost": {},
    "XGBoost slow": {
        "n_estimators": 300,
        "learning_rate": 0.1,
        "subsample": 0.8,
        "colsample_bynode": 0.5,
    },
}
METHODS = {
    "XGBoost": "defaults: 100 rounds, depth 6, rate 0.3; native categories, missing left to it",
    "XGBoost slow": "300 rounds with rate 0.1, 0.8 of the rows in a round, half of the columns "
    "at a node",
}


def library() -> Any:
    """The module."""
    try:
        return importlib.import_module("xgboost")
    except ImportError as error:
        raise MissingPeer("XGBoost needs the PyPI package xgboost") from error


def version() -> str:
    """Version of the library."""
    return f"XGBoost {library().__version__}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    frame, target = category_frame(table), table.target
    for method in methods:
        for fold in folds:
            model = library().XGBClassifier(
                enable_categorical=True,
                tree_method="hist",
                random_state=fold.seed,
                n_jobs=1,
                **SETTINGS[method],
            )
            model.fit(frame.iloc[fold.train], target[fold.train])
            found = model.predict_proba(frame.iloc[fold.test])
            yield method, fold, judged(found, target[fold.test], model.classes_, table.n_classes)
