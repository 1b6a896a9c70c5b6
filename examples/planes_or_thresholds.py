"""When are linear splits better than thresholds? Model trees, trees and linear models on test rows.

The datasets come with the library; no encoding is required.
"""

import argparse

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

import mixedwood as mw

TABLES = ["iris", "wine", "tic-tac-toe", "monks-1"]
METHODS = {
    "tree": mw.TreeClassifier(),
    "model tree": mw.ModelTreeClassifier(),
    "linear model": mw.SmoothSVC(),
}


def compare(model, data, repeats):
    """Error on new rows and number of leaves, over five folds."""
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
    found = []
    for old, new in folds.split(data.y, data.y):
        fitted = clone(model).fit(data.X.iloc[old], data.y[old])
        leaves = fitted.get_n_leaves() if hasattr(fitted, "tree_") else np.nan
        found.append([1 - fitted.score(data.X.iloc[new], data.y[new]), leaves])
    return np.mean(found, axis=0)


def main():
    """Print a table: error on new rows, and leaves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    repeats = parser.parse_args().repeats
    print("Errors on new rows in percent (and leaves)")
    print(f"{'':36}" + "".join(f"{name:>16}" for name in METHODS))
    for name in TABLES:
        data = mw.datasets.load(name, frame="pandas")
        cells = [compare(model, data, repeats) for model in METHODS.values()]
        shown = "".join(
            f"{100 * error:9.1f} " + ("      " if np.isnan(leaves) else f"({leaves:4.1f})")
            for error, leaves in cells
        )
        print(f"{name:36}{shown}")


if __name__ == "__main__":
    main()
