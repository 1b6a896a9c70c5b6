"""Coverage and size of prediction sets, beside those of conformal LightGBM.

On tables of `more_tables.py`, in 2 folds: the share of test rows whose class is in the set, and the
mean number of classes in a set, for a coverage of 90 %. LightGBM gets a split of its own: a fifth
of the training rows is kept for the scores, by the same rule (1 less the probability of the class,
the predicted class is always in the set). An off coverage is marked by *: by more than 2 points and
by more than two standard errors, of the rows the scores are of and of the test rows.

    python benchmarks/prediction_sets.py --half judge --every 3
"""

from __future__ import annotations

import argparse
import sys
import warnings

import more_tables
import numpy as np
from ensemble_tables import METHODS, load
from sklearn.model_selection import StratifiedKFold, train_test_split

import mixedwood as mw

COVERAGE = 0.9


def lightgbm_sets(X, y, new) -> tuple[np.ndarray, np.ndarray, int]:
    """Sets of split conformal prediction, the classes, and the number of scores."""
    fitted, held, y_fitted, y_held = train_test_split(X, y, test_size=0.2, random_state=0)
    model = METHODS["LightGBM"]().fit(fitted.reset_index(drop=True), y_fitted)
    place = {label: j for j, label in enumerate(model.classes_.tolist())}
    shares = model.predict_proba(held.reset_index(drop=True))
    code = np.array([place.get(label, -1) for label in y_held.tolist()])
    of_truth = np.where(code >= 0, shares[np.arange(len(code)), code], 0.0)
    rank = int(np.ceil((len(code) + 1) * COVERAGE - 1e-9))
    limit = np.sort(1 - of_truth)[rank - 1] if rank <= len(code) else np.inf
    shares = model.predict_proba(new)
    found = 1 - shares <= limit + 1e-12
    found[np.arange(len(found)), shares.argmax(axis=1)] = True
    return found, model.classes_, len(code)


def our_sets(X, y, new) -> tuple[np.ndarray, np.ndarray, int]:
    """The same of the ensemble, whose scores are of its own held-out rows."""
    model = mw.EnsembleClassifier(random_state=0, n_jobs=1).fit(X, y)
    return model.predict_set(new, COVERAGE), model.classes_, len(model._set_scores)


def judge(sets, X, y) -> tuple[float, float, float, float]:
    """Coverage, mean size, share of sets of one class, and the standard error of the coverage."""
    found = []
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(y, y):
        rows = X.iloc[test].reset_index(drop=True)
        inside, classes, n_scores = sets(X.iloc[train].reset_index(drop=True), y[train], rows)
        place = {label: j for j, label in enumerate(np.asarray(classes).tolist())}
        code = np.array([place.get(label, -1) for label in y[test].tolist()])
        covered = (inside[np.arange(len(code)), code] & (code >= 0)).mean()
        single = (inside.sum(axis=1) == 1).mean()
        error = np.sqrt(COVERAGE * (1 - COVERAGE) * (1 / n_scores + 1 / len(test)))
        found.append((covered, inside.sum(axis=1).mean(), single, error))
    coverage, size, single, error = np.mean(found, axis=0)
    return float(coverage), float(size), float(single), float(error / np.sqrt(2))


def main() -> None:
    """Print a row for each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=more_tables.HALVES, default="choice")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--rows", type=int, default=2_000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| table | classes | coverage % | size | sets of one % | LightGBM: coverage % | size |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    below, sizes = 0, []
    for name in more_tables.names(args.half)[:: args.every]:
        X, y = load(name, args.rows)
        cells = []
        for sets in (our_sets, lightgbm_sets):
            coverage, size, single, error = judge(sets, X, y)
            off = abs(coverage - COVERAGE) > max(0.02, 2 * error)
            cells.append((f"{100 * coverage:.1f}{'*' * off}", size, single, coverage))
            if sets is our_sets:
                below += off and coverage < COVERAGE
        ours, peer = cells
        sizes.append((ours[1], peer[1], ours[3], peer[3]))
        print(
            f"| {name} | {len(set(y))} | {ours[0]} | {ours[1]:.2f} | {100 * ours[2]:.0f} "
            f"| {peer[0]} | {peer[1]:.2f} |",
            flush=True,
        )
    mean = np.mean(sizes, axis=0)
    print(
        f"\n{len(sizes)} tables: mean size {mean[0]:.3f} and {mean[1]:.3f} of LightGBM, mean "
        f"coverage {100 * mean[2]:.1f} and {100 * mean[3]:.1f} %; ours clearly below on {below}.",
        file=sys.stdout,
    )


if __name__ == "__main__":
    main()
