"""Random forests of R's ranger, with its three ways to treat unordered factors.

The number of trees is its default, 500. It refuses missing cells: a missing category is one of its
own, a missing number the median of the training rows.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers.common import EnsembleScore, Fold, MissingPeer, Table, run_elsewhere

DRIVER = Path(__file__).with_name("ranger.R")
WORDS = {"ranger order": "order", "ranger partition": "partition", "ranger ignore": "ignore"}
METHODS = {
    "ranger order": "500 trees, `respect.unordered.factors` = order: categories in the order of "
    "the classes; missing is a category of its own",
    "ranger partition": "the same with `partition`: all subsets of categories are tried",
    "ranger ignore": "the same with `ignore`: codes in the order of the levels",
}
INSTALL = "ranger needs the Debian packages r-base-core and r-cran-ranger"


def version() -> str:
    """Versions of ranger and R."""
    if shutil.which("Rscript") is None:
        raise MissingPeer(INSTALL)
    words = ["Rscript", "--vanilla", str(DRIVER), "--version"]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    if found.returncode:
        raise MissingPeer(INSTALL)
    return found.stdout.strip()


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, EnsembleScore]]:
    """Score each method on each fold."""
    command = ["Rscript", "--vanilla", str(DRIVER)]
    words = {name: WORDS[name] for name in methods}
    for name, fold, (error, loss) in run_elsewhere(command, table, folds, words):
        yield name, fold, EnsembleScore(error, loss)
