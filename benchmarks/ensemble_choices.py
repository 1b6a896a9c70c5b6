"""What `ensemble_variants.py` compares: tables, ensembles, and one fold of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from ensemble_study import Score, Source, fold_of, judge

from mixedwood import (
    AdaBoostTreesClassifier,
    BoostedTreesClassifier,
    EnsembleClassifier,
    ForestClassifier,
    RandomOrdinalityClassifier,
    TreeClassifier,
)
from mixedwood.splits import Partitioner

AS_THEY_COME = [
    Source("adult", 2500),
    Source("adult", 800, skip=2500),
    Source("credit-default", 2500),
    Source("messidor"),
    Source("monks-1"),
    Source("monks-2"),
    Source("monks-1-train"),
    Source("monks-2-train"),
    Source("monks-3-train"),
    Source("poker", 1500),
    Source("reuters-phonemes", 1500),
    Source("seismic-bumps"),
    Source("shelter-animal-outcomes", 1500),
    Source("covertype", 2000),
    Source("san-francisco-crime-sample", 1500),
]
IN_BINS = [
    Source("pima", bins=8),
    Source("vehicle", bins=8),
    Source("segment", 1200, bins=8),
    Source("wine", bins=8),
    Source("sonar", bins=5),
    Source("ionosphere", bins=5),
    Source("breast-cancer-wisconsin-original", bins=5),
    Source("iris", bins=8),
]
NUMBERS = [Source("pima"), Source("vehicle"), Source("qsar-biodegradation")]
SOURCES = [*AS_THEY_COME, *IN_BINS, *NUMBERS]

PER_TREE = Partitioner("random_order", per="tree")
TREES, ROUNDS = 100, 200
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Make = Callable[[], Any]


def ordinality(
    base: str | TreeClassifier, n: int = TREES, *, joint: bool = False, **settings: Any
) -> Make:
    """Random Ordinality."""
    order = Partitioner("random_order", per="tree", joint=True) if joint else None
    tree = None if base == "c45" else base
    return lambda: RandomOrdinalityClassifier(tree, n, partitioner=order, **settings)


def tree(criterion: str = "gini", columns: Any = "sqrt", **settings: Any) -> TreeClassifier:
    """The tree of a forest; that of the default forest if nothing is said."""
    return TreeClassifier(criterion=criterion, max_features=columns, pruning=None, **settings)


def forest(
    criterion: str = "gini", columns: Any = "sqrt", order: Any = "auto", **settings: Any
) -> Make:
    """A forest."""
    member = tree(criterion, columns, partitioner=order)
    return lambda: ForestClassifier(member, TREES, **settings)


def boosted(n: int = ROUNDS, **settings: Any) -> Make:
    """Boosted trees."""
    return lambda: BoostedTreesClassifier(n_estimators=n, **settings)


# What is fitted. Forests and boosting are seeded as the parts of an `EnsembleClassifier` are.
FORESTS: dict[str, Make] = {
    "c45, 50 trees, as published": ordinality("c45", 50),
    "random_tree, 50 trees, as published": ordinality("random_tree", 50),
    "c45": ordinality("c45"),
    "random_tree": ordinality("random_tree"),
    "c45, probabilities": ordinality("c45", voting="soft"),
    "random_tree, probabilities": ordinality("random_tree", voting="soft"),
    "random_tree, probabilities, bootstrap": ordinality(
        "random_tree", voting="soft", bootstrap=True
    ),
    "c45, probabilities, joint": ordinality("c45", voting="soft", joint=True),
    "random_tree, probabilities, joint": ordinality("random_tree", voting="soft", joint=True),
    "random_tree, probabilities, bootstrap, joint": ordinality(
        "random_tree", voting="soft", bootstrap=True, joint=True
    ),
    "forest": forest(),
    "forest, entropy": forest("entropy"),
    "forest, order per node": forest(order="random_order"),
    "forest, order per node, entropy": forest("entropy", order="random_order"),
    "forest, order per tree": forest(order=PER_TREE),
    "forest, joint orders": ordinality(tree(), voting="soft", bootstrap=True, joint=True),
    "forest, half of the columns": forest(columns=0.5),
    "forest, order per node, half of the columns": forest(columns=0.5, order="random_order"),
    "forest, order per node, no bootstrap": forest(order="random_order", bootstrap=False),
    "bagged C4.5": lambda: ForestClassifier.bagging_c45(TREES),
    "ensemble, tuned": EnsembleClassifier,
}
# With the rounds at which it is looked at; the first rounds of a longer run are a shorter run.
BOOSTED: dict[str, tuple[Make, tuple[int, ...]]] = {
    "boosted": (boosted(400), (100, 200, 400)),
    "boosted, depth 3": (boosted(400, max_depth=3), (100, 200, 400)),
    "boosted, depth 6": (boosted(400, max_depth=6), (100, 200, 400)),
    "boosted, order per tree": (boosted(partitioner=PER_TREE), (200,)),
    "boosted, sorted values": (boosted(partitioner="auto"), (200,)),
    "boosted, sorted values, all columns": (
        boosted(partitioner="auto", max_features=None),
        (200,),
    ),
    "boosted, all columns": (boosted(max_features=None), (200,)),
    "boosted, 70 % of the rows": (boosted(subsample=0.7), (200,)),
    "boosted, a tree per class": (boosted(multi_strategy="one_output_per_tree"), (200,)),
    "boosted, depth 3, a tree per class": (
        boosted(multi_strategy="one_output_per_tree", max_depth=3),
        (200,),
    ),
    "AdaBoost over random orders": (
        lambda: AdaBoostTreesClassifier(n_estimators=100, variant="samme"),
        (100,),
    ),
    "AdaBoost.M1 of C4.5 trees": (AdaBoostTreesClassifier.c45, (50,)),
}


def rounds_name(name: str, rounds: int) -> str:
    """What a run is called after some rounds."""
    return name if rounds == ROUNDS or len(BOOSTED[name][1]) == 1 else f"{name}, {rounds} rounds"


BOOSTED_NAMES = [rounds_name(name, r) for name, (_, rounds) in BOOSTED.items() for r in rounds]
BLENDED_FORESTS = [
    "forest",
    "forest, entropy",
    "forest, order per node",
    "forest, order per node, entropy",
    "random_tree, probabilities",
]
BLENDED_BOOSTED = [
    "boosted",
    "boosted, 100 rounds",
    "boosted, 400 rounds",
    "boosted, depth 3",
    "boosted, depth 3, 400 rounds",
    "boosted, depth 6",
    "boosted, a tree per class",
    "boosted, sorted values",
]
BLENDS = {
    f"{f} + {b}, share {s}": (f, b, s)
    for f, b, s in product(BLENDED_FORESTS, BLENDED_BOOSTED, SHARES)
}
UNTUNED = "forest + boosted, share 0.6"  # the same with `tune=False`
RECOMMENDED = "ensemble, tuned"  # the default `EnsembleClassifier`
METHODS = {name: name for name in [*FORESTS, *BOOSTED_NAMES, *BLENDS]}
SINGLE = [*FORESTS, *BOOSTED_NAMES]  # no means


def work(source: Source, fold: int, lacking: list[str]) -> dict[str, Score]:
    """Scores of one fold. A mean is taken of the answers of its parts, each fitted once."""
    X, y, X_test, y_test = fold_of(source, fold)
    wanted = set(lacking) | {part for m in lacking if m in BLENDS for part in BLENDS[m][:2]}
    shares: dict[str, np.ndarray] = {}
    seconds: dict[str, float] = {}
    classes = np.unique(y)
    for name, make in FORESTS.items():
        if name in wanted:
            start = time.process_time()
            model = make().set_params(random_state=fold).fit(X, y)
            seconds[name] = time.process_time() - start
            shares[name] = model.predict_proba(X_test)
    for name, (make, rounds) in BOOSTED.items():
        names = {rounds_name(name, r): r for r in rounds}
        if not wanted.intersection(names):
            continue
        start = time.process_time()
        model = make().set_params(random_state=fold + 1).fit(X, y)
        passed = time.process_time() - start
        if len(rounds) == 1:
            shares[name], seconds[name] = model.predict_proba(X_test), passed
            continue
        staged = dict(enumerate(model.staged_predict_proba(X_test), 1))
        for said, r in names.items():
            shares[said], seconds[said] = staged[r], passed * r / rounds[-1]
    for name in lacking:
        if name in BLENDS:
            f, b, share = BLENDS[name]
            shares[name] = (1 - share) * shares[f] + share * shares[b]
            seconds[name] = seconds[f] + seconds[b]
    return {name: judge(shares[name], classes, y_test, seconds[name]) for name in lacking}
