"""Run with inject.cpp loaded: cycles of fit and predict in which allocations of the core fail.

``starve.py N [NAME ...]`` lets about N allocations of each cycle fail, one at a time, and prints a
line of JSON for each: its name, how many allocations it has, how often each outcome came, and
whether the next cycle gives what the first gave. ``starve.py threads`` fits where the system gives
few threads.
Whatever ends the process ends it without the last line, "done".
"""

import ctypes
import faulthandler
import json
import os
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import mixedwood as mw
from mixedwood import _core
from mixedwood.preprocessing import MDLPDiscretizer
from mixedwood.splits import Criterion, best_partition, score_partition

faulthandler.enable()
warnings.simplefilter("ignore")
INJECT = ctypes.CDLL(None)
INJECT.allocations.restype = ctypes.c_long
RNG = np.random.default_rng(0)
N = 40


def table():
    """More columns than a short string has room for, of all kinds."""
    columns = {f"number {i}": RNG.normal(size=N).round(1) for i in range(10)}
    columns |= {f"letter {i}": RNG.choice(list("abcde"), N) for i in range(10)}
    return columns


X, Y = table(), RNG.integers(0, 3, N)
ORDINAL = {"letter 0": list("edcba")}


def cycle(model, y=Y):
    """Fit and predict; what comes out."""
    model.fit(X, y)
    shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    return [model.predict(X), shares if shares is not None else model.decision_function(X)]


class Purity(Criterion):
    """The share of the commonest classes, computed in Python."""

    def score(self, groups):
        """Give the share, less what one group would have."""
        return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()


def split():
    """Find a best partition by a search with options, and score it; with a criterion in Python."""
    counts = np.array([np.bincount(Y[X["letter 1"] == v], minlength=3) for v in "abcde"])
    found = []
    for criterion in ("entropy", Purity()):
        best = best_partition(counts, criterion, "random_order", random_state=0)
        found += [best.score, score_partition(counts, best.groups, criterion).score]
    return [np.array(found)]


def ranges():
    """Cut numbers into ranges."""
    return [MDLPDiscretizer().fit_transform(X, Y)]


CYCLES = {
    "split": split,
    "tree": lambda: cycle(mw.TreeClassifier(screener="chi2", ordinal_features=ORDINAL)),
    "c45": lambda: cycle(mw.C45TreeClassifier()),
    "model tree": lambda: cycle(mw.ModelTreeClassifier(max_depth=2, min_samples_model=5)),
    "optimal": lambda: cycle(mw.OptimalTreeClassifier(max_depth=2)),
    "optimal all": lambda: cycle(mw.OptimalTreeClassifier(max_depth=2, binarizer="passthrough")),
    "optimal every split": lambda: cycle(mw.OptimalTreeClassifier(max_depth=2, binarize_at="node")),
    "grow and prune": lambda: cycle(mw.GrowPruneTreeClassifier(random_state=0)),
    "forest": lambda: cycle(mw.ForestClassifier(n_estimators=3, random_state=0)),
    "random orders": lambda: cycle(mw.RandomOrdinalityClassifier(n_estimators=3, random_state=0)),
    "boosted": lambda: cycle(mw.BoostedTreesClassifier(n_estimators=3, random_state=0)),
    "linear model of scikit-learn": lambda: cycle(
        mw.ModelTreeClassifier(node_model=LogisticRegression(), max_depth=1, min_samples_model=5),
        Y == 0,
    ),
    "ranges": ranges,
    "boosted with threads": lambda: with_threads(),
    "svm": lambda: cycle(mw.SmoothSVC()),
    "kernel svm": lambda: cycle(mw.SmoothSVC(kernel="rbf"), Y == 0),
}


def starve(name, run, most):
    """Let up to so many allocations of a cycle fail, one at a time."""
    want = run()
    INJECT.fail_at(0)
    run()
    n = INJECT.allocations()
    # Densely at the beginning, where things cross; then ever further apart.
    chosen = {int(at) for at in np.geomspace(1, n, min(most, n))}
    chosen |= set(range(1, min(n, most // 2)))
    outcomes = Counter()
    for at in sorted(chosen):
        INJECT.fail_at(at)
        try:
            run()
            outcome = "fits"
        except MemoryError:
            outcome = "MemoryError"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"
        INJECT.fail_at(0)
        outcomes[outcome] += 1
    again = run()
    same = all(np.array_equal(a, b) for a, b in zip(want, again, strict=True))
    found = {"cycle": name, "allocations": n, "same": same, "outcomes": dict(outcomes)}
    print(json.dumps(found), flush=True)


def with_threads():
    """Boosting on rows enough for several threads, of which any may run out of memory."""
    x = np.random.default_rng(1).normal(size=(12_000, 4)).round(2)
    model = mw.BoostedTreesClassifier(n_estimators=1, n_jobs=3, random_state=0)
    return [model.fit(x, x[:, 0] > x[:, 1]).predict_proba(x[:100])]


def few_threads():
    """Fit with four threads where the system gives 3, 2, 1 or no others."""
    x = RNG.normal(size=(20_000, 5))
    y = x[:, 0] + RNG.normal(size=len(x)) > 0
    want = None
    for allowed in (-1, 3, 2, 1, 0):
        INJECT.allow_threads(ctypes.c_long(allowed))
        model = mw.BoostedTreesClassifier(n_estimators=2, n_jobs=4, random_state=0).fit(x, y)
        found = model.predict_proba(x[:1000]).tobytes()
        want = want or found
        print(json.dumps({"allowed": allowed, "same": found == want}), flush=True)


def main():
    """Starve the cycles that are named, or all."""
    core = os.path.realpath(_core.__file__)
    maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
    addresses = [line.split()[0] for line in maps if core in line]
    INJECT.watch(
        ctypes.c_size_t(min(int(a.split("-")[0], 16) for a in addresses)),
        ctypes.c_size_t(max(int(a.split("-")[1], 16) for a in addresses)),
    )
    most, *names = sys.argv[1:]
    if most == "threads":
        few_threads()
    else:
        for name in names or CYCLES:
            starve(name, CYCLES[name], int(most))
    print("done")


main()
