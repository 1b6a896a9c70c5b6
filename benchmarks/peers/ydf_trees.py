"""CART of Yggdrasil Decision Forests (YDF)."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from peers.common import Fold, MissingPeer, Score, Table, text_cells

METHODS = {
    "YDF CART": "defaults: pruned by a tenth of the training rows, five rows in a leaf",
    "YDF CART unpruned": "`validation_ratio` = 0: grown on all training rows, not pruned",
    "YDF CART tuned": "rows in a leaf and held-out share by inner 5-fold cross-validation; "
    "no category is too rare (`min_vocab_frequency` = 1)",
}
GRID = [
    {"min_examples": rows, "validation_ratio": share, "min_vocab_frequency": 1}
    for rows, share in product((20, 10, 5, 2, 1), (0.1, 0.0))
]


def library() -> Any:
    """The module, silent."""
    try:
        ydf = importlib.import_module("ydf")
    except ImportError as error:
        raise MissingPeer("YDF needs the PyPI package ydf") from error
    ydf.verbose(0)
    return ydf


def version() -> str:
    """Version of the library."""
    return f"YDF {library().__version__}"


class YdfTable:
    """A table as YDF reads it: categories as text, empty for missing, and declared as such."""

    def __init__(self, table: Table) -> None:
        ydf = library()
        self.learner = ydf.CartLearner
        self.columns = {
            f"x{j}": text_cells(column, "") if column.n_categories else column.cells
            for j, column in enumerate(table.columns)
        }
        self.features = [
            (f"x{j}", ydf.Semantic.CATEGORICAL if column.n_categories else ydf.Semantic.NUMERICAL)
            for j, column in enumerate(table.columns)
        ]
        self.target = np.array([f"v{code}" for code in range(table.n_classes)])[table.target]

    def rows(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Some rows, with their class."""
        cells = {name: column[rows] for name, column in self.columns.items()}
        return {**cells, "class": self.target[rows]}

    def score(self, train: np.ndarray, test: np.ndarray, seed: int, **options: Any) -> Score:
        """Learn from some rows and judge by others."""
        learner = self.learner(
            label="class", features=self.features, random_seed=seed, num_threads=1, **options
        )
        model = learner.train(self.rows(train))
        error = np.mean(model.predict_class(self.rows(test)) != self.target[test])
        nodes = model.num_nodes()
        return Score(float(error), (nodes + 1) // 2, nodes)

    def best_options(self, train: np.ndarray, seed: int) -> dict[str, Any]:
        """Choose from the grid by cross-validation inside the training rows; first on ties."""
        inner = StratifiedKFold(5, shuffle=True, random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")
            parts = [(train[a], train[b]) for a, b in inner.split(train, self.target[train])]
        errors = [np.mean([self.score(*p, seed, **o).error for p in parts]) for o in GRID]
        return GRID[int(np.argmin(errors))]


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, Score]]:
    """Score each method on each fold."""
    data = YdfTable(table)
    for method in methods:
        for fold in folds:
            options = {}
            if method.endswith("unpruned"):
                options = {"validation_ratio": 0.0}
            elif method.endswith("tuned"):
                options = data.best_options(fold.train, fold.seed)
            yield method, fold, data.score(fold.train, fold.test, fold.seed, **options)
