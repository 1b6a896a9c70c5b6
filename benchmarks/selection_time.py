"""Time of a fit by how columns are chosen: adjusted scores beside scores alone, in one run.

Processor time of reading excluded; the least of a few fits, taken in turn. A tree that is not
ruined by a column of many categories is larger, so nodes are printed beside the time, and the time
per node. Tables are those of the data folder (`MIXEDWOOD_DATA`) and generated ones.

    MIXEDWOOD_DATA=... python benchmarks/selection_time.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import mixedwood as mw

SETS = ("adult", "mushroom", "nursery", "splice", "shelter-animal-outcomes", "car", "german",
        "poker", "contraceptive", "tic-tac-toe", "credit-default", "soybean-large", "australian",
        "heart-statlog")  # fmt: skip
MOST_ROWS = 20_000


def forest(selection: str) -> Any:
    """Give a small forest of such trees."""
    tree = mw.TreeClassifier(
        criterion="gini", max_features="sqrt", pruning=None, selection=selection
    )
    return mw.ForestClassifier(tree, n_estimators=20, random_state=0)


KINDS: dict[str, Callable[[str], Any]] = {
    "tree, not pruned": lambda selection: mw.TreeClassifier(selection=selection, pruning=None),
    "tree": lambda selection: mw.TreeClassifier(selection=selection),
    "forest of 20": forest,
    "boosting, 50 rounds": lambda selection: mw.BoostedTreesClassifier(
        n_estimators=50, selection=selection, random_state=0
    ),
}


def n_nodes(model: Any) -> int:
    """Count the nodes of the trees."""
    trees = model.trees_ if hasattr(model, "trees_") else [model.tree_]
    return sum(tree.n_nodes for tree in trees)


def measure(make: Callable[[str], Any], X: Any, y: Any, rounds: int) -> tuple[float, ...]:
    """Give seconds by score and adjusted, and the nodes of both."""
    seconds, nodes = [np.inf, np.inf], [0, 0]
    for _ in range(rounds):
        for i, selection in enumerate(("score", "adjusted")):
            start = time.process_time()
            model = make(selection).fit(X, y)
            seconds[i] = min(seconds[i], time.process_time() - start)
            nodes[i] = n_nodes(model)
    return *seconds, *nodes


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    warnings.simplefilter("ignore")
    for kind, make in KINDS.items():
        print(
            f"\n{kind}\n\n| table | score, ms | adjusted, ms | ratio | nodes | nodes | per node |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|")
        ratios = []
        for name in SETS:
            data = mw.datasets.load(name)
            X, y = mw.data.read_table(data.X.iloc[:MOST_ROWS]), data.y[:MOST_ROWS]
            before, after, few, many = measure(make, X, y, rounds)
            ratios.append((after / before, after / before * few / many))
            print(
                f"| {name} | {1e3 * before:.1f} | {1e3 * after:.1f} | {ratios[-1][0]:.2f} "
                f"| {few:.0f} | {many:.0f} | {ratios[-1][1]:.2f} |"
            )
        means = np.exp(np.mean(np.log(ratios), axis=0))
        print(f"| geometric mean | | | {means[0]:.2f} | | | {means[1]:.2f} |")


if __name__ == "__main__":
    main()
