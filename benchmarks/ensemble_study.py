"""What studies of ensembles share: tables, folds, scores that are kept, and their comparison.

Used by `boosting_criteria.py` and `ensemble_variants.py`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

import mixedwood
from mixedwood import datasets
from mixedwood.tree.decide import SUM_TOLERANCE, argmax_with_ties

LEAST = 1e-3  # smaller probabilities count as this in the log loss: one miss must not decide
FEWEST = 4  # rows of a class; smaller classes of a sample are left out

Score = list[float]  # error, log loss, seconds
Scores = dict[str, dict[str, dict[str, Score]]]  # table -> method -> fold
Work = Callable[["Source", int, list[str]], dict[str, Score]]  # of one fold, by method


@dataclass(frozen=True)
class Source:
    """A table of the data folder, or some of its rows, or its numbers as unordered bins.

    Attributes
    ----------
    name : str
        The data set.
    rows : int, optional
        Rows that are drawn.
    skip : int
        Rows of the same draw that belong to another sample.
    bins : int, optional
        Equal parts of the range of each column of numbers. A part is a value without order.
    """

    name: str
    rows: int | None = None
    skip: int = 0
    bins: int | None = None

    def __str__(self) -> str:
        words = [self.name]
        words += [f"{self.rows} rows"] if self.rows else []
        words += [f"{self.bins} bins"] if self.bins else []
        return ", ".join(words)

    def load(self) -> tuple[pd.DataFrame, np.ndarray]:
        """Columns and classes."""
        variant = "nominal" if self.name == "balance-scale" else None
        data = datasets.load(self.name, variant=variant, frame="pandas")
        X, y = data.X, np.asarray(data.y)
        if self.rows:
            drawn = np.random.default_rng(0).permutation(len(y))[self.skip : self.skip + self.rows]
            X, y = X.iloc[drawn], y[drawn]
        _, number, sizes = np.unique(y, return_inverse=True, return_counts=True)
        enough = sizes[number] >= FEWEST
        X, y = X[enough].reset_index(drop=True), y[enough]
        return (X.apply(lambda column: _binned(column, self.bins)) if self.bins else X), y


def _binned(column: pd.Series, bins: int) -> pd.Series:
    low, high = column.min(), column.max()
    width = (high - low) / bins or 1.0
    number = ((column - low) / width).clip(upper=bins - 1)
    names = np.array([f"bin {i + 1}" for i in range(bins)], dtype=object)
    found = pd.Series(None, index=column.index, dtype=object)
    known = column.notna()
    found[known] = names[number[known].astype(int)]
    return found


@cache
def loaded(source: Source) -> tuple[pd.DataFrame, np.ndarray]:
    """The table, read once by each process."""
    return source.load()


def fold_of(source: Source, number: int) -> tuple[Any, Any, Any, Any]:
    """Columns and classes to learn from, and to be asked; the same for all methods.

    Fold 0 and 1 are the halves of the first repetition, 2 and 3 those of the second.
    """
    X, y = loaded(source)
    halves = StratifiedKFold(2, shuffle=True, random_state=number // 2)
    train, test = list(halves.split(y, y))[number % 2]
    return X.iloc[train], y[train], X.iloc[test], y[test]


def judge(shares: np.ndarray, classes: np.ndarray, truth: np.ndarray, seconds: float) -> Score:
    """Error and log loss of probabilities; of classes with equal ones the first is the answer."""
    place = {label: j for j, label in enumerate(classes)}
    code = np.array([place.get(c, -1) for c in truth])
    error = np.mean(argmax_with_ties(shares, SUM_TOLERANCE) != code)
    of_truth = np.where(code >= 0, shares[np.arange(len(code)), code], 0.0)
    loss = -np.log(np.maximum(of_truth, LEAST)).mean()
    return [float(error), float(loss), seconds]


def run(
    sources: Iterable[Source], methods: dict[str, Any], work: Work, args: argparse.Namespace
) -> Scores:
    """Scores of all folds of all tables; those that are kept are not computed again."""
    kept: Scores = {}
    if args.scores and args.scores.exists():
        kept = json.loads(args.scores.read_text())
    tasks = []
    for source in sources:
        known = kept.setdefault(str(source), {})
        for fold in range(2 * args.repetitions):
            lacking = [m for m in methods if str(fold) not in known.get(m, {})]
            if lacking:
                tasks.append((source, fold, lacking))
    tasks.sort(key=lambda task: task[1])  # all tables once before any a second time
    started = time.perf_counter()
    with ProcessPoolExecutor(args.jobs) as pool:
        running = {pool.submit(_quietly, work, *task): task for task in tasks}
        for done, future in enumerate(as_completed(running), 1):
            source, fold, _ = running[future]
            for method, score in future.result().items():
                kept[str(source)].setdefault(method, {})[str(fold)] = score
            if args.scores:
                _write(args.scores, json.dumps(kept))
            passed = time.perf_counter() - started
            note(f"{done} of {len(tasks)}: {source}, fold {fold}, {passed:.0f} s")
    return kept


def _quietly(work: Work, *task: Any) -> dict[str, Score]:
    warnings.simplefilter("ignore", mixedwood.UnknownCategoryWarning)
    return work(*task)


def _write(path: Path, text: str) -> None:
    """In one go, so that an interrupted run leaves a whole file."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


class Comparison:
    """Means over folds: one row per table, one column per method."""

    def __init__(
        self,
        scores: Scores,
        sources: Iterable[Source],
        methods: Iterable[str],
        repetitions: int,
    ) -> None:
        self.methods, self.tables = list(methods), [str(source) for source in sources]
        folds = [str(fold) for fold in range(2 * repetitions)]
        cells = np.array(
            [
                [np.mean([scores[t][m][f] for f in folds], axis=0) for m in self.methods]
                for t in self.tables
            ]
        )
        self.error = np.round(100 * cells[:, :, 0], 9)  # rounded so that ties are ties
        self.loss, self.seconds = np.round(cells[:, :, 1], 9), cells[:, :, 2]
        self.rank = rankdata(self.error, axis=1).mean(axis=0)
        self.loss_rank = rankdata(self.loss, axis=1).mean(axis=0)

    def of(self, method: str, what: np.ndarray) -> np.ndarray:
        """The column of a method."""
        return np.asarray(what[..., self.methods.index(method)])

    def difference(self, method: str, other: str, what: np.ndarray) -> tuple[float, float]:
        """Mean of method minus other, and its standard error over the tables."""
        return mean_and_error(self.of(method, what) - self.of(other, what))

    def wins(self, method: str, other: str) -> tuple[int, int]:
        """On how many tables the error is lower, and higher, than the other's."""
        gaps = self.of(method, self.error) - self.of(other, self.error)
        return int((gaps < 0).sum()), int((gaps > 0).sum())


def mean_and_error(gaps: np.ndarray) -> tuple[float, float]:
    """Mean, and its standard error."""
    return float(gaps.mean()), float(gaps.std(ddof=1) / np.sqrt(len(gaps)))


def plus_minus(pair: tuple[float, float], digits: int = 2) -> str:
    """A difference in words."""
    return f"{pair[0]:+.{digits}f} ± {pair[1]:.{digits}f}"


def is_clear(pair: tuple[float, float]) -> bool:
    """Whether a difference is more than two standard errors."""
    return abs(pair[0]) > 2 * pair[1]


def command_line(description: str, repetitions: int) -> argparse.Namespace:
    """What both studies may be told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--repetitions", type=int, default=repetitions)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--scores", type=Path, help="a file that keeps scores between runs")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    return parser.parse_args()


def circumstances(command: str, sources: Iterable[Source]) -> list[str]:
    """How the figures came about."""
    return [
        f"- command: `{command}`",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}",
        "- tables: " + "; ".join(map(str, sources)),
    ]


def note(text: str) -> None:
    """Tell how far it is; the result goes to standard output."""
    print(text, file=sys.stderr, flush=True)
