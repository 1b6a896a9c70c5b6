"""WEKA's ensembles of 50 trees, as in the paper on random ordinality ensembles.

Their trees have one branch per category, and send a row with a missing cell down all branches with
a part of its weight, in growing and in answering; nothing has to be done about missing cells.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers.common import EnsembleScore, Fold, Table, run_elsewhere
from peers.weka_trees import command

DRIVER = Path(__file__).with_name("EnsembleDriver.java")
OPTIONS = {
    "WEKA Bagging": "weka.classifiers.meta.Bagging -I 50 -W weka.classifiers.trees.J48 -- -U -M 2",
    "WEKA AdaBoostM1": "weka.classifiers.meta.AdaBoostM1 -I 50 -W weka.classifiers.trees.J48 "
    "-- -U -M 2",
    "WEKA RandomForest": "weka.classifiers.trees.RandomForest -I 50",
}
METHODS = {
    "WEKA Bagging": "50 unpruned J48, probabilities averaged",
    "WEKA AdaBoostM1": "at most 50 unpruned J48, by weights",
    "WEKA RandomForest": "50 random trees with multiway splits",
}


def ensemble_command() -> list[str]:
    """Start of the command line that runs the driver."""
    return [*command()[:-1], str(DRIVER)]


def version() -> str:
    """Version of WEKA."""
    words = [*ensemble_command(), "--version"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return f"WEKA {found.strip()}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    options = {name: OPTIONS[name] for name in methods}
    for name, fold, (error, loss) in run_elsewhere(ensemble_command(), table, folds, options):
        yield name, fold, EnsembleScore(error, loss)
