"""scikit-learn's forests, on indicators and on ordinal codes, and its boosting of histograms.

On indicators a missing category is an indicator of its own; ordinal codes and histograms have
missing as NaN, which these estimators handle themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import sklearn
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from threadpoolctl import threadpool_limits

from peers.common import EnsembleScore, Fold, Table, category_frame, judged
from peers.sklearn_trees import indicators, ordinal_codes

# estimator, coding, settings
SETTINGS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "sklearn forest one-hot": (RandomForestClassifier, "one-hot", {}),
    "sklearn forest ordinal": (RandomForestClassifier, "ordinal", {}),
    "sklearn extra trees one-hot": (ExtraTreesClassifier, "one-hot", {}),
    "sklearn extra trees ordinal": (ExtraTreesClassifier, "ordinal", {}),
    "sklearn boosting": (HistGradientBoostingClassifier, "native", {}),
    "sklearn boosting small leaves": (
        HistGradientBoostingClassifier,
        "native",
        {"min_samples_leaf": 5},
    ),
}
METHODS = {
    "sklearn forest one-hot": "`RandomForestClassifier` with its defaults, 100 trees, on "
    "indicators; a missing category is an indicator of its own",
    "sklearn forest ordinal": "the same on codes in the order of the sorted labels; missing is NaN",
    "sklearn extra trees one-hot": "`ExtraTreesClassifier` with its defaults, 100 trees, on "
    "indicators",
    "sklearn extra trees ordinal": "the same on codes in the order of the sorted labels",
    "sklearn boosting": "`HistGradientBoostingClassifier` with its defaults, 100 rounds, native "
    "categories, missing left to it",
    "sklearn boosting small leaves": "the same with `min_samples_leaf` = 5 instead of 20",
}


def version() -> str:
    """Version of the library."""
    return f"scikit-learn {sklearn.__version__}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    frame, target = category_frame(table), table.target
    one_hot = np.hstack([indicators(column) for column in table.columns])
    ordinal = np.column_stack([ordinal_codes(column) for column in table.columns])
    for method in methods:
        kind, coding, settings = SETTINGS[method]
        for fold in folds:
            if coding == "native":
                train, test = frame.iloc[fold.train], frame.iloc[fold.test]
                settings = {**settings, "categorical_features": "from_dtype"}
            else:
                X = one_hot if coding == "one-hot" else ordinal
                train, test = X[fold.train], X[fold.test]
            model = kind(random_state=fold.seed, **settings)
            with threadpool_limits(1):  # boosting has no other way to say so
                found = model.fit(train, target[fold.train]).predict_proba(test)
            yield method, fold, judged(found, target[fold.test], model.classes_, table.n_classes)
