"""R's trees: rpart with several ways of pruning, and partykit's conditional inference trees."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers.common import Fold, MissingPeer, Score, Table, run_elsewhere

DRIVER = Path(__file__).with_name("trees.R")
WORDS = {
    "rpart": "rpart-default",
    "rpart 1-SE": "rpart-1se",
    "rpart 0-SE": "rpart-0se",
    "rpart full 1-SE": "rpart-full-1se",
    "rpart full 0-SE": "rpart-full-0se",
    "ctree": "ctree",
}
METHODS = {
    "rpart": "defaults: `cp` = 0.01, `minsplit` = 20; surrogate splits for missing cells",
    "rpart 1-SE": "grown with `cp` = 0, pruned by 10-fold cross-validation and the 1-SE rule",
    "rpart 0-SE": "the same, pruned to the least cross-validated error",
    "rpart full 1-SE": "as rpart 1-SE, but grown until pure (`minsplit` = 2)",
    "rpart full 0-SE": "as rpart 0-SE, but grown until pure (`minsplit` = 2)",
    "ctree": "partykit's conditional inference tree with its defaults",
}
INSTALL = "rpart and ctree need the Debian packages r-base-core, r-cran-rpart and r-cran-partykit"


def version() -> str:
    """Versions of R and its packages."""
    if shutil.which("Rscript") is None:
        raise MissingPeer(INSTALL)
    words = ["Rscript", "--vanilla", str(DRIVER), "--version"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    if found.returncode:
        raise MissingPeer(INSTALL)
    return found.stdout.strip()


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, Score]]:
    """Score each method on each fold."""
    command = ["Rscript", "--vanilla", str(DRIVER)]
    words = {name: WORDS[name] for name in methods}
    for name, fold, (error, leaves, nodes) in run_elsewhere(command, table, folds, words):
        yield name, fold, Score(error, int(leaves), int(nodes))
