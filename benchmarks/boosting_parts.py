"""What `boosting_criteria.py` compares: tables, parts of a search, one fold, and all errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from ensemble_study import Score, Scores, Source, fold_of, judge

from mixedwood import AdaBoostTreesClassifier, BoostedTreesClassifier, TreeClassifier

SOURCES = [
    Source("adult", 1000),
    Source("balance-scale"),
    Source("car"),
    Source("covertype", 1000),
    Source("hayes-roth"),
    Source("nursery", 1500),
    Source("poker", 1500),
    Source("promoters"),
    Source("reuters-phonemes", 1500),
    Source("san-francisco-crime-sample", 1500),
    Source("shelter-animal-outcomes", 1500),
    Source("soybean-large"),
    Source("splice", 1000),
    Source("tic-tac-toe"),
]
CRITERIA = ("gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2")
SEARCHES = (
    "auto",
    "principal_ext",
    "largest_alone",
    "flip_flop",
    "twoing",
    "one_vs_rest",
    "random_order",
    "multiway",
)
# Twoing's search looks at every superclass: their number doubles with each class.
MOST_CLASSES = 10
SETTINGS = ("tree", "AdaBoost", "gradient")
DEPTH, ROUNDS, RATE = 4, 50, 0.2

SEEDS = 5  # of the yardstick: one part that differs by chance alone
NATIVE = ("auto", "random_order")  # searched by gradients, without a criterion

Part = tuple[str, str]  # criterion, search
PARTS: list[Part] = [
    (criterion, search)
    for criterion, search in product(CRITERIA, SEARCHES)
    if (criterion, search) != ("twoing", "multiway")  # it scores two groups
]


EVERYWHERE = tuple(s for s in SEARCHES if s != "twoing")  # searches that every table allows
TWO_GROUPS = tuple(s for s in EVERYWHERE if s != "multiway")  # and every criterion
USUAL = ("gini", "entropy", "twoing")  # what a split gains, not divided by anything
MANY_GROUPS = tuple(c for c in CRITERIA if c != "twoing")  # criteria that every search allows


ALL = [p for p in PARTS if p[1] in EVERYWHERE]
IN_TWO = [p for p in PARTS if p[1] in TWO_GROUPS]
IN_TWO_USUAL = [p for p in IN_TWO if p[0] in USUAL]


def name_of(setting: str, part: Part) -> str:
    """What a method is called among the scores."""
    return f"{setting}: {', '.join(part)}"


def chance_of(setting: str, seed: int) -> str:
    """The same for the yardstick."""
    return f"{setting}: seed {seed}"


def make(setting: str, criterion: str, search: str) -> Any:
    """A single tree, or an ensemble of such trees."""
    tree = TreeClassifier(criterion=criterion, partitioner=search, max_depth=DEPTH, pruning=None)
    if setting == "tree":
        return tree
    if setting == "AdaBoost":
        return AdaBoostTreesClassifier(tree, ROUNDS, variant="samme")
    return BoostedTreesClassifier(n_estimators=ROUNDS, learning_rate=RATE, estimator=tree)


def make_native(search: str) -> Any:
    """Gradient boosting of trees whose splits are searched by gradients."""
    return BoostedTreesClassifier(
        n_estimators=ROUNDS,
        learning_rate=RATE,
        partitioner=search,
        max_depth=DEPTH,
        max_features=None,
    )


def methods() -> dict[str, tuple[Callable[[], Any], int]]:
    """All that is compared: how to make it, and what to add to its seed."""
    found: dict[str, tuple[Callable[[], Any], int]] = {}
    for setting in SETTINGS:
        for part in PARTS:
            found[name_of(setting, part)] = (partial(make, setting, *part), 0)
        for seed in range(SEEDS):
            again = partial(make, setting, "entropy", "random_order")
            found[chance_of(setting, seed)] = (again, 1000 * (seed + 1))
    for search in NATIVE:
        found[name_of("gradient", ("by gradients", search))] = (partial(make_native, search), 0)
    return found


METHODS = methods()


def work(source: Source, fold: int, lacking: list[str]) -> dict[str, Score]:
    """Scores of one fold. What a table does not allow is without numbers."""
    X, y, X_test, y_test = fold_of(source, fold)
    allowed = len(np.unique(y)) <= MOST_CLASSES
    found = {}
    for name in lacking:
        if name.endswith(", twoing") and not allowed:
            found[name] = [float("nan")] * 3
            continue
        build, more = METHODS[name]
        start = time.process_time()
        model = build().set_params(random_state=fold + more).fit(X, y)
        seconds = time.process_time() - start
        found[name] = judge(model.predict_proba(X_test), model.classes_, y_test, seconds)
    return found


class Errors:
    """Errors in percent: means over folds, by table."""

    def __init__(self, scores: Scores, repetitions: int) -> None:
        self._scores, self._folds = scores, range(2 * repetitions)
        self.tables = list(SOURCES)
        self.few_classes = [s for s in SOURCES if not np.isnan(self._mean(s, "tree: gini, twoing"))]

    def of(self, methods: list[str], tables: list[Source] | None = None) -> np.ndarray:
        """One row per table, one column per method."""
        rows = self.tables if tables is None else tables
        return np.array([[self._mean(table, m) for m in methods] for table in rows])

    def _mean(self, table: Source, method: str) -> float:
        folds = self._scores[str(table)][method]
        # Rounded so that ties are ties.
        return round(100 * float(np.mean([folds[str(f)][0] for f in self._folds])), 9)

    def criteria(self, setting: str) -> np.ndarray:
        """One column per criterion: the mean over the searches that all of them allow."""
        return np.stack(
            [
                self.of([name_of(setting, (c, s)) for s in TWO_GROUPS]).mean(axis=1)
                for c in CRITERIA
            ],
            axis=1,
        ).round(9)

    def searches(
        self,
        setting: str,
        searches: Sequence[str] = EVERYWHERE,
        criteria: Sequence[str] = MANY_GROUPS,
        tables: list[Source] | None = None,
    ) -> np.ndarray:
        """One column per search: the mean over criteria that all of them allow."""
        return np.stack(
            [
                self.of([name_of(setting, (c, s)) for c in criteria], tables).mean(axis=1)
                for s in searches
            ],
            axis=1,
        ).round(9)

    def parts(self, setting: str, parts: list[Part]) -> np.ndarray:
        """One column per pair of criterion and search."""
        return self.of([name_of(setting, p) for p in parts])

    def chance(self, setting: str) -> np.ndarray:
        """One column per seed of the yardstick."""
        return self.of([chance_of(setting, seed) for seed in range(SEEDS)])
