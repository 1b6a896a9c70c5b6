"""RMSE of trees with linear models, relative to the standard deviation of the target.

Two repeats of two folds on the sets of ``MIXEDWOOD_DATA/regression`` (one above 20,000 rows), the
same folds for all methods. The table is printed as Markdown.

    MIXEDWOOD_DATA=<folder> python benchmarks/model_tree_regression.py [--sets mpg wage] [--peers]
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from regression_accuracy import PrunedTree, load, one_hot
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold

import mixedwood as mw


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--peers", action="store_true", help="also scikit-learn's tree and ridge")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(os.environ["MIXEDWOOD_DATA"]) / "regression"
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))
    entries = listed["datasets"] if isinstance(listed, dict) else listed
    names = ["model tree", "tree", *(["tree, ccp", "ridge"] if given.peers else [])]
    print("| set | " + " | ".join(names) + " | leaves | seconds |")
    print("|---|" + "---:|" * (len(names) + 2))
    rows = []
    for entry in entries:
        if given.sets and entry["name"] not in given.sets:
            continue
        X, y, orders = load(entry, folder)
        found: list[list[float]] = [[] for _ in names]
        leaves, seconds = [], 0.0
        for repeat in range(1 if len(y) > 20_000 else 2):
            for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
                for place, name in enumerate(names):
                    model: Any = {
                        "model tree": mw.ModelTreeRegressor(ordinal_features=orders),
                        "tree": mw.TreeRegressor(ordinal_features=orders),
                        "tree, ccp": PrunedTree(),
                        "ridge": one_hot(RidgeCV(np.geomspace(1e-3, 1e3, 13))),
                    }[name]
                    start = time.perf_counter()
                    model.fit(X.iloc[train], y[train])
                    if name == "model tree":
                        seconds += time.perf_counter() - start
                        leaves.append(model.get_n_leaves())
                    off = y[test] - model.predict(X.iloc[test])
                    found[place].append(float(np.sqrt(np.mean(off**2)) / np.std(y[test])))
        means = [float(np.mean(one)) for one in found]
        rows.append(means)
        cells = " | ".join(f"{mean:.3f}" for mean in means)
        print(
            f"| {entry['name']} | {cells} | {np.mean(leaves):.1f} | {seconds / len(leaves):.1f} |",
            flush=True,
        )
    print("| mean | " + " | ".join(f"{mean:.3f}" for mean in np.mean(rows, axis=0)) + " | | |")


if __name__ == "__main__":
    main()
