"""LightGBM with native categories: as it is, and without its guards against small groups.

Its defaults are made for large tables: 20 rows in a leaf, 100 rows in a group of categories. On
tables of a few hundred rows that forbids most tests, so a second method lifts these limits.
Missing categories are missing to it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from peers.common import EnsembleScore, Fold, MissingPeer, Table, category_frame, judged

SETTINGS: dict[str, dict[str, Any]] = {
    "LightGBM": {},
    "LightGBM small groups": {
        "min_child_samples": 5,
        "min_data_per_group": 1,
        "cat_smooth": 1.0,
        "cat_l2": 1.0,
    },
}
METHODS = {
    "LightGBM": "defaults: 100 rounds, 31 leaves, rate 0.1; native categories, missing left to it",
    "LightGBM small groups": "the same with `min_child_samples` = 5, `min_data_per_group` = 1, "
    "`cat_smooth` = 1, `cat_l2` = 1",
}


def library() -> Any:
    """The module."""
    try:
        return importlib.import_module("lightgbm")
    except ImportError as error:
        raise MissingPeer("LightGBM needs the PyPI package lightgbm") from error


def version() -> str:
    """Version of the library."""
    return f"LightGBM {library().__version__}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    frame, target = category_frame(table), table.target
    for method in methods:
        for fold in folds:
            model = library().LGBMClassifier(
                random_state=fold.seed, n_jobs=1, verbose=-1, **SETTINGS[method]
            )
            model.fit(frame.iloc[fold.train], target[fold.train])
            found = model.predict_proba(frame.iloc[fold.test])
            yield method, fold, judged(found, target[fold.test], model.classes_, table.n_classes)
