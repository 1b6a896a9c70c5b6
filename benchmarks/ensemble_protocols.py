"""Data and methods of the two ensemble papers, and one repetition of each of their protocols.

Used by `published_ensembles.py`. A repetition gives figures by name, as plain numbers.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

import mixedwood as mw
from mixedwood import datasets
from mixedwood.data import Table, Target, read_table, read_target

Figures = dict[str, list[float]]
MakeModel = Callable[[int], Any]  # from a seed

MEMBERS = 50
STAGES = (1, 11, 101)


# Random ordinality: nominal columns, five repetitions of two-fold cross-validation

# The paper's name of a set -> ours, and the variant. Which rows it used is seen from its errors and
# sizes: all 432 cases of the Monks, DNA without ambiguous letters, soybean without gaps.
NOMINAL_SETS = {
    "Promoter": ("promoters", None),
    "Hayes-Roth": ("hayes-roth", None),
    "Breast Cancer": ("breast-cancer-ljubljana", None),
    "Monks1": ("monks-1", None),
    "Monks2": ("monks-2", None),
    "Monks3": ("monks-3", None),
    "Balance": ("balance-scale", "nominal"),
    "Soyalarge": ("soybean-large", "complete"),
    "Tic-tac-toe": ("tic-tac-toe", None),
    "Car": ("car", None),
    "DNA": ("splice", "unambiguous"),
    "Mushroom": ("mushroom", None),
    "Nursery": ("nursery", None),
}


def adaboost(seed: int) -> Any:
    """AdaBoost.M1 of unpruned C4.5 trees, by weights."""
    return mw.BoostedTreesClassifier.adaboost_c45(MEMBERS, random_state=seed)


NOMINAL_METHODS: dict[str, MakeModel] = {
    "ROE J48": lambda s: mw.RandomOrdinalityClassifier.c45(MEMBERS, random_state=s),
    "ROE RS": lambda s: mw.RandomOrdinalityClassifier.random_tree(MEMBERS, random_state=s),
    "Bagging": lambda s: mw.ForestClassifier.bagging_c45(MEMBERS, random_state=s),
    "AdaBoost": adaboost,
    "Random Forest": lambda s: mw.ForestClassifier.weka_random_forest(MEMBERS, random_state=s),
    "J48": lambda s: mw.TreeClassifier.c45(pruned=False, random_state=s),
}


@dataclass(frozen=True)
class NominalSet:
    """A set as it was read: the halves of it know all values, also those they do not have."""

    frame: pd.DataFrame
    table: Table
    target: Target

    @classmethod
    def load(cls, name: str) -> NominalSet:
        """Read a set by the paper's name; every column is nominal."""
        ours, variant = NOMINAL_SETS[name]
        data = datasets.load(ours, variant=variant, frame="pandas")
        frame = data.X.astype(object).where(data.X.notna(), None)
        return cls(frame, read_table(frame, categorical_features="all"), read_target(data.y))

    def fit(self, model: Any, rows: np.ndarray) -> Any:
        """Fit on some rows, with the values and classes of all, as the published program does.

        A fit that reads the rows by itself knows only the values that it meets.
        """
        model._read_training = lambda *_, **__: (self.table.take(rows), self.target.take(rows))
        return model.fit(None, None)


def cross_validate(data: NominalSet, make: MakeModel, repetition: int) -> Figures:
    """One repetition of stratified two-fold cross-validation; one entry per fold."""
    figures: Figures = {"error": [], "leaves": [], "size": [], "seconds": []}
    labels = data.target.classes[data.target.codes]
    folds = StratifiedKFold(2, shuffle=True, random_state=repetition)
    for fold, (train, test) in enumerate(folds.split(data.frame, labels)):
        started = time.perf_counter()
        model = data.fit(make(10 * repetition + fold), train)
        wrong = model.predict(data.frame.iloc[test]) != labels[test]
        figures["seconds"].append(time.perf_counter() - started)
        figures["error"].append(100 * float(wrong.mean()))
        trees = getattr(model, "trees_", None) or [model.tree_]
        figures["leaves"].append(float(np.mean([tree.n_leaves for tree in trees])))
        figures["size"].append(float(np.mean([tree.n_nodes for tree in trees])))
    return figures


def five_by_two_f(first: list[float], second: list[float]) -> float:
    """Alpaydin's F of five repetitions of two folds; above 4.735 the errors differ, at 5 %."""
    errors = [np.reshape(method, (5, 2)) for method in (first, second)]
    return mw.stats.five_by_two_cv_f_test(*errors).statistic


# Grow and prune: numbers only, random divisions into rows to learn from and rows to test

NUMERIC_SETS = {
    "German": "german-numeric",
    "Pima": "pima",
    "Breast": "breast-cancer-wisconsin-original",
    "Sonar": "sonar",
}
TEST_WAVES = 5000


def load_numeric(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Read a set; a missing number is the commonest one of its column (16 cells of Breast)."""
    data = datasets.load(NUMERIC_SETS[name], frame="pandas")
    frame = data.X.fillna(data.X.mode().iloc[0])
    return frame.to_numpy(float), np.asarray(data.y)


def divide(name: str, n_train: int, division: int) -> list[np.ndarray]:
    """Rows to learn from, their classes, rows to test, their classes."""
    if name == "Waveform":
        parts = (
            datasets.make_waveform(n, random_state=2 * division + place)
            for place, n in enumerate((n_train, TEST_WAVES))
        )
        return [np.asarray(a) for part in parts for a in (part.X, part.y)]
    X, y = load_numeric(name)
    order = np.random.default_rng(division).permutation(len(y))
    train, test = order[:n_train], order[n_train:]
    return [X[train], y[train], X[test], y[test]]


NUMERIC_METHODS: dict[str, MakeModel] = {
    "CART": lambda s: mw.TreeClassifier.cart(se_rule=1.0, random_state=s),
    "bagged CART": lambda s: mw.ForestClassifier.bagging_cart(max(STAGES), random_state=s),
    "IGPA": lambda s: mw.GrowPruneForestClassifier(max(STAGES), random_state=s),
}


def divide_and_test(name: str, n_train: int, make: MakeModel, division: int) -> Figures:
    """Learn from one part and test on the other; an ensemble after 1, 11 and 101 trees."""
    X, y, X_test, y_test = divide(name, n_train, division)
    started = time.perf_counter()
    model = make(division).fit(X, y)
    seconds = time.perf_counter() - started
    if hasattr(model, "trees_"):
        errors = [100 * float(e) for e in model.staged_error(X_test, y_test)]
        leaves = [float(np.mean([tree.n_leaves for tree in model.trees_]))]
        figures = {f"error {n}": [errors[n - 1]] for n in STAGES}
    else:
        figures = {"error 1": [100 * (1 - model.score(X_test, y_test))]}
        leaves = [float(model.get_n_leaves())]
    return {**figures, "leaves": leaves, "seconds": [seconds]}


def quiet() -> None:
    """Rows of one half may well have values that the other has not."""
    warnings.simplefilter("ignore", mw.UnseenValueWarning)
