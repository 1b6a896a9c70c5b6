"""CatBoost with native categories: its target statistics, and one-hot tests instead of them.

It takes no missing categories; as its manual advises, missing is a category of its own. Missing
numbers are left to it. Its target statistics take minutes per fit when there are many classes, so
with more than ten of them they get 500 rounds, with the rate that it chooses for so many, instead
of its default of 1,000.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from peers.common import EnsembleScore, Fold, MissingPeer, Table, judged, text_frame

SETTINGS: dict[str, dict[str, Any]] = {
    "CatBoost one-hot": {"one_hot_max_size": 255},
    "CatBoost": {},
}
METHODS = {
    "CatBoost one-hot": "1,000 rounds; tests of one category against the others "
    "(`one_hot_max_size` = 255); missing is a category of its own",
    "CatBoost": "defaults: 1,000 rounds, 500 with more than ten classes; target statistics; "
    "missing is a category of its own",
}
MANY_CLASSES = 10


def library() -> Any:
    """The module."""
    try:
        return importlib.import_module("catboost")
    except ImportError as error:
        raise MissingPeer("CatBoost needs the PyPI package catboost") from error


def version() -> str:
    """Version of the library."""
    return f"CatBoost {library().__version__}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    frame, target = text_frame(table, "missing"), table.target
    nominal = [f"x{j}" for j, column in enumerate(table.columns) if column.n_categories]
    for method in methods:
        settings = SETTINGS[method]
        if method == "CatBoost" and table.n_classes > MANY_CLASSES:
            settings = {"iterations": 500}
        for fold in folds:
            model = library().CatBoostClassifier(
                cat_features=nominal,
                random_seed=fold.seed,
                thread_count=1,
                verbose=False,
                allow_writing_files=False,
                **settings,
            )
            model.fit(frame.iloc[fold.train], target[fold.train])
            found = model.predict_proba(frame.iloc[fold.test])
            yield method, fold, judged(found, target[fold.test], model.classes_, table.n_classes)
