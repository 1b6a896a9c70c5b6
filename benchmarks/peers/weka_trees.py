"""WEKA's J48, the C4.5 of Java, through a small driver."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers.common import Fold, MissingPeer, Score, Table, run_elsewhere

DRIVER = Path(__file__).with_name("J48Driver.java")
OPTIONS = {"J48": "-C 0.25 -M 2", "J48 unpruned": "-U -M 2", "J48 binary": "-B -C 0.25 -M 2"}
METHODS = {
    "J48": "defaults: error-based pruning, confidence 0.25, two rows in a leaf; multiway splits",
    "J48 unpruned": "option -U",
    "J48 binary": "option -B: one category against the others",
}


def command() -> list[str]:
    """Start of the command line that runs the driver."""
    jar = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
    if shutil.which("javac") is None or not jar.exists():
        raise MissingPeer(
            "J48 needs the Debian packages weka and default-jdk-headless "
            "(another weka.jar: name it in the environment variable WEKA_JAR)"
        )
    return ["java", "-Xmx1g", "-cp", str(jar), str(DRIVER)]


def version() -> str:
    """Version of WEKA."""
    words = [*command(), "--version"]
    found = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    return f"WEKA {found.strip()}"


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, Score]]:
    """Score each method on each fold."""
    options = {name: OPTIONS[name] for name in methods}
    for name, fold, (error, leaves, nodes) in run_elsewhere(command(), table, folds, options):
        yield name, fold, Score(error, int(leaves), int(nodes))
