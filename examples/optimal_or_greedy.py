"""Is the best tree better? Small trees that are proven best beside greedy ones, on new rows.

Run with ``--repeats 4`` for the figures of the guide to optimal trees.
"""

import argparse

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold

import mixedwood as mw

TABLES = [
    "iris",
    "wine",
    "breast-cancer-wisconsin-diagnostic",
    "tic-tac-toe",
    "balance-scale",
    "monks-1",
]
METHODS = {
    "greedy": mw.TreeClassifier(max_depth=3, pruning=None),
    "optimal": mw.OptimalTreeClassifier(max_depth=3, ccp_alpha=0),
    "splits='all'": mw.OptimalTreeClassifier(max_depth=3, ccp_alpha=0, binarizer="passthrough"),
    "any depth": mw.TreeClassifier(),  # greedy and pruned, without a limit
}


def errors(model, data, repeats):
    """Error rate on training rows and on test rows, over five folds."""
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
    found = []
    for old, new in folds.split(data.y, data.y):
        fitted = clone(model).fit(data.X.iloc[old], data.y[old])
        found.append([1 - fitted.score(data.X.iloc[rows], data.y[rows]) for rows in (old, new)])
    return np.mean(found, axis=0)


def main():
    """Print a table: training error, and error on new rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=1)
    repeats = parser.parse_args().repeats
    print("Errors in percent: of training rows -> of new rows")
    print(f"{'':36}" + "".join(f"{name:>16}" for name in METHODS))
    for name in TABLES:
        data = mw.datasets.load(name, frame="pandas")
        cells = [errors(model, data, repeats) for model in METHODS.values()]
        shown = "".join(f"{100 * old:9.1f} ->{100 * new:5.1f}" for old, new in cells)
        print(f"{name:36}{shown}")


if __name__ == "__main__":
    main()
