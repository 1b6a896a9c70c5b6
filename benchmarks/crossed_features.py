"""Error of a tree and of boosted trees without crossed columns, by hand, and with the search.

    MIXEDWOOD_DATA=folder python benchmarks/crossed_features.py

Two repetitions of two folds. Car and nursery are read from the folder, if it is set; the other
tables are generated. Crossings by hand are those of the thesis (car, nursery) or the rule of the
table.
"""

from __future__ import annotations

import os
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import RepeatedStratifiedKFold

import mixedwood as mw
from mixedwood.datasets import load

BY_HAND = {
    "xor": [("c0", "c1")],
    "monks-1": [("a1", "a2")],
    "tic-tac-toe": [
        (0, 1, 2),
        (3, 4, 5),
        (6, 7, 8),
        (0, 3, 6),
        (1, 4, 7),
        (2, 5, 8),
        (0, 4, 8),
        (2, 4, 6),
    ],
    "car": [("buying", "maint"), ("doors", "persons", "lug_boot")],
    "nursery": [
        ("parents", "has_nurs"),
        ("form", "children", "housing", "finance"),
        ("social", "health"),
    ],
}


def make_xor(n_rows: int = 1000, n_noise: int = 6) -> tuple[pd.DataFrame, np.ndarray]:
    """Exclusive or of two columns of ten categories, 10 % of labels flipped, beside noise."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10, (n_rows, 2 + n_noise))
    X = pd.DataFrame({f"c{j}": [f"v{code}" for code in codes[:, j]] for j in range(2 + n_noise)})
    flipped = rng.random(n_rows) < 0.1
    return X, (codes[:, 0] % 2) ^ (codes[:, 1] % 2) ^ flipped


def tables() -> dict[str, tuple[pd.DataFrame, np.ndarray]]:
    """Read and generate the tables."""
    found = {"xor": make_xor()}
    names = ["monks-1", "tic-tac-toe"]
    if os.environ.get("MIXEDWOOD_DATA"):
        names += ["car", "nursery"]
    for name in names:
        data = load(name)
        found[name] = pd.DataFrame(data.X).astype(str), np.asarray(data.y)
    return found


def main() -> None:
    """Print a table of mean errors in percent, with standard errors, crossings and seconds."""
    warnings.simplefilter("ignore")
    models = {
        "tree": mw.TreeClassifier(random_state=0),
        "boosted": mw.BoostedTreesClassifier(random_state=0),
    }
    print(f"{'table':<12} {'model':<8} {'crossed':<8} {'error %':>14} {'s/fit':>7}  found")
    for name, (X, y) in tables().items():
        folds = list(RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(X, y))
        for title, model in models.items():
            for label, crossed in (("none", None), ("by hand", BY_HAND[name]), ("auto", "auto")):
                errors, started, seen = [], time.perf_counter(), {}
                for train, test in folds:
                    model.set_params(crossed_features=crossed).fit(X.iloc[train], y[train])
                    errors.append(100 * np.mean(model.predict(X.iloc[test]) != y[test]))
                    for column in model.schema_.derived if label == "auto" else ():
                        seen[column.name] = seen.get(column.name, 0) + 1
                seconds = (time.perf_counter() - started) / len(folds)
                spread = np.std(errors, ddof=1) / np.sqrt(len(errors))
                listed = ", ".join(f"{name} ({n}x)" for name, n in seen.items())
                print(
                    f"{name:<12} {title:<8} {label:<8} {np.mean(errors):>7.2f} ± {spread:4.2f} "
                    f"{seconds:>7.2f}  {listed}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
