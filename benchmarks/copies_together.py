"""Equal rows in one fold of pruning, or each dealt for itself: errors of the default tree.

    python benchmarks/copies_together.py [--sets titanic hayes-roth contraceptive]

A row of weight 2 could be the same as two equal rows only if folds kept equal rows together. The
error in %, 5-fold, four times; `titanic` (Dawson 1995) is made from its counts, other tables come
from the library's data sets.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from mixedwood import TreeClassifier, datasets
from mixedwood.data import read_table, read_target

# Survivors and victims in the first, second and third class and of the crew.
_TITANIC = {
    ("male", "adult"): [(57, 118), (14, 154), (75, 387), (192, 670)],
    ("female", "adult"): [(140, 4), (80, 13), (76, 89), (20, 3)],
    ("male", "child"): [(5, 0), (11, 0), (13, 35)],
    ("female", "child"): [(1, 0), (13, 0), (14, 17)],
}


def load(name: str) -> tuple[pd.DataFrame, Any]:
    """A frame and its classes."""
    if name != "titanic":
        found = datasets.load(name)
        return pd.DataFrame(found.X), np.asarray(found.y)
    rows = [
        (*who, travels, outcome)
        for who, counts in _TITANIC.items()
        for travels, numbers in zip(["1st", "2nd", "3rd", "crew"], counts, strict=False)
        for outcome, number in zip(["alive", "dead"], numbers, strict=True)
        for _ in range(number)
    ]
    frame = pd.DataFrame(rows, columns=["sex", "age", "class", "outcome"])
    return frame.drop(columns="outcome"), frame["outcome"].to_numpy(dtype=str)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", nargs="+", default=["titanic", "hayes-roth", "breast-cancer-ljubljana"]
    )
    print(f"{'table':26}  rows  distinct  each for itself  together")
    for name in parser.parse_args().sets:
        X, y = load(name)
        keys = np.array([f"{row}|{label}" for row, label in zip(X.values.tolist(), y, strict=True)])
        errors: dict[bool, list[float]] = {False: [], True: []}
        for repeat in range(4):
            folds = StratifiedKFold(5, shuffle=True, random_state=repeat)
            for fit, judge in folds.split(X, y):
                table, target = read_table(X.iloc[fit]), read_target(y[fit])
                asked = read_table(X.iloc[judge], schema=table.schema)
                _, first, place = np.unique(keys[fit], return_index=True, return_inverse=True)
                for together in errors:
                    # As a sample with repetition, whose copies pruning keeps together.
                    rows = first[place].astype(np.int32) if together else None
                    tree = TreeClassifier()._fit_encoded(table, target, seed=0, rows=rows)
                    errors[together].append(100 * float((tree.predict(asked) != y[judge]).mean()))
        apart, together = np.mean(errors[False]), np.mean(errors[True])
        print(f"{name:26} {len(y):5} {len(set(keys)):9} {apart:16.1f} {together:9.1f}", flush=True)


if __name__ == "__main__":
    main()
