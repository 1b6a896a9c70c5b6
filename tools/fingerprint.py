"""Print hashes of what is learned from random tables: equal on two builds if every bit is equal.

    python tools/fingerprint.py                 # 200 tables, a line per model
    python tools/fingerprint.py --tables 20     # quicker
    python tools/fingerprint.py --only forest boosted

A hash covers the arrays of all trees and the probabilities of training rows and of new rows, some
of which have missing values and unknown categories. `splits` covers calls of `best_partition`; its
criteria leave out entropies, which depend on the platform's logarithm.
"""

from __future__ import annotations

import argparse
import hashlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mixedwood as mw
from mixedwood.splits import best_partition, partitioners

CRITERIA = ("gini", "squared_gini", "twoing", "chi2")
# Two classes, no search, needs log, any number of groups.
LEFT_OUT = ("two_class_order", "multiway", "max_cut_sdp", "c45_groups")
ARRAYS = (
    *("split_kind", "column", "low", "high", "child_offset", "children", "category_offset"),
    *(
        "category_code",
        "category_child",
        "term_column",
        "term_category",
        "term_weight",
        "intercept",
    ),
    *("intercept", "missing_child", "unknown_child", "statistics", "label", "score"),
)


def c45(**parameters: Any) -> Any:
    """C4.5, whether it is a class or, in older checkouts, a preset."""
    make = getattr(mw, "C45TreeClassifier", None) or mw.TreeClassifier.c45
    return make(**parameters)


# A table in so many is learned by a model that takes longer.
MODELS: dict[str, tuple[Callable[[int], Any], int]] = {
    "tree": (lambda seed: mw.TreeClassifier(random_state=seed), 1),
    "tree_unpruned": (lambda seed: mw.TreeClassifier(pruning=None, selection="score"), 1),
    "tree_drawn": (
        lambda seed: mw.TreeClassifier(
            criterion="gini", max_features="sqrt", max_leaf_nodes=9, random_state=seed
        ),
        1,
    ),
    "tree_category": (
        lambda seed: mw.TreeClassifier(handle_missing="category", pruning="reduced_error"),
        1,
    ),
    "cart": (lambda seed: mw.TreeClassifier.cart(cv=5, random_state=seed), 1),
    "conditional_inference": (lambda seed: mw.TreeClassifier.conditional_inference(), 1),
    "c45": (lambda seed: c45(), 1),
    "c45_unpruned": (lambda seed: c45(pruned=False), 1),
    "grow_prune": (lambda seed: mw.GrowPruneTreeClassifier(random_state=seed), 1),
    "optimal": (lambda seed: mw.OptimalTreeClassifier(max_depth=3), 2),
    "optimal_all": (
        lambda seed: mw.OptimalTreeClassifier(max_depth=2, binarizer="passthrough"),
        2,
    ),
    "optimal_node": (lambda seed: mw.OptimalTreeClassifier(max_depth=2, binarize_at="node"), 4),
    "model_tree": (lambda seed: mw.ModelTreeClassifier(random_state=seed), 4),
    "forest": (lambda seed: mw.ForestClassifier(n_estimators=5, random_state=seed), 1),
    "forest_oob": (
        lambda seed: mw.ForestClassifier(
            mw.TreeClassifier(),
            n_estimators=3,
            bootstrap=True,
            oob_score=True,
            colsample_bytree=0.7,
            random_state=seed,
        ),
        4,
    ),
    "random_ordinality": (
        lambda seed: mw.RandomOrdinalityClassifier(n_estimators=5, random_state=seed),
        1,
    ),
    "grow_prune_forest": (
        lambda seed: mw.GrowPruneForestClassifier(n_estimators=3, random_state=seed),
        1,
    ),
    "boosted": (lambda seed: mw.BoostedTreesClassifier(n_estimators=10, random_state=seed), 1),
    "boosted_stopped": (
        lambda seed: mw.BoostedTreesClassifier(
            n_estimators=20,
            early_stopping=True,
            subsample=0.8,
            multi_strategy="one_output_per_tree",
            random_state=seed,
        ),
        2,
    ),
    "adaboost": (lambda seed: mw.AdaBoostTreesClassifier(n_estimators=5, random_state=seed), 1),
    "ensemble": (lambda seed: mw.EnsembleClassifier(random_state=seed), 40),
    "svc": (lambda seed: mw.SmoothSVC(random_state=seed), 2),
}


def make_table(number: int) -> tuple[dict[str, Any], np.ndarray, dict[str, Any]]:
    """Columns, classes, and new rows with gaps and categories that are not in the columns."""
    rng = np.random.default_rng([number, 7])
    n, k = int(rng.integers(30, 150)), int(rng.integers(2, 5))
    columns: dict[str, Any] = {}
    for c in range(int(rng.integers(1, 4))):
        codes = rng.integers(0, int(rng.integers(2, 14)), n)
        columns[f"n{c}"] = np.array([f"v{i}" for i in codes], dtype=object)
    for c in range(int(rng.integers(1, 4))):
        columns[f"x{c}"] = np.round(rng.normal(size=n), int(rng.integers(0, 4)))
    signal = sum(
        np.unique(column.astype(str), return_inverse=True)[1] * rng.normal()
        if column.dtype == object
        else column * rng.normal() * 2
        for column in columns.values()
    )
    cuts = np.quantile(signal, np.linspace(0, 1, k + 1)[1:-1])
    y = np.where(rng.random(n) < 0.15, rng.integers(0, k, n), np.searchsorted(cuts, signal))
    y[:k] = np.arange(k)
    new = {}
    for name, column in columns.items():
        if rng.random() < 0.3:
            gaps = rng.random(n) < 0.1
            column[gaps] = None if column.dtype == object else np.nan
        new[name] = rng.permutation(column)
        if column.dtype == object:
            new[name][:3] = ["never seen", None, "v0"]
    return columns, y, new


def model_hash(make: Callable[[int], Any], tables: range) -> str:
    """Hash what a model learns from the tables."""
    digest = hashlib.sha256()
    for number in tables:
        X, y, new = make_table(number)
        model = make(number).fit(X, y)
        trees = getattr(model, "trees_", None) or [getattr(model, "tree_", None)]
        for tree in trees:
            for name in ARRAYS if tree is not None else ():
                digest.update(np.ascontiguousarray(getattr(tree, name)).tobytes())
        for rows in (X, new):
            values = getattr(model, "predict_proba", None) or model.decision_function
            digest.update(np.ascontiguousarray(values(rows)).tobytes())
    return digest.hexdigest()


def splits_hash() -> str:
    """Hash many partitions of single columns."""
    digest = hashlib.sha256()
    rng = np.random.default_rng(0)
    for _ in range(300):
        n, k = int(rng.integers(2, 12)), int(rng.integers(2, 6))
        counts = rng.integers(0, 9, (n, k)).astype(float)
        for criterion in CRITERIA:
            for name in partitioners():
                if name in LEFT_OUT:
                    continue
                found = best_partition(counts, criterion, name, random_state=1)
                digest.update(found.group.tobytes())
                digest.update(np.float64(found.score).tobytes())
    return digest.hexdigest()


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=["splits", *MODELS], metavar="MODEL")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    total = hashlib.sha256()
    for name in arguments.only or ["splits", *MODELS]:
        if name == "splits":
            value = splits_hash()
        else:
            make, every = MODELS[name]
            value = model_hash(make, range(0, arguments.tables, every))
        total.update(value.encode())
        print(f"{name:22} {value[:16]}", flush=True)
    print(f"{'all':22} {total.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
