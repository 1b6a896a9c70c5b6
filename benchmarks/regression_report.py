"""Write the page of `regression_accuracy.py` from the results that there are so far.

MIXEDWOOD_DATA=<folder> python benchmarks/regression_report.py [--results out/regression.jsonl]
    [--page docs/results/regression.md]
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from regression_accuracy import MOST_ROWS, load
from regression_contenders import COVERAGES, METHODS, SINGLE
from scipy import stats
from sklearn.model_selection import KFold

from mixedwood.stats import five_by_two_cv_f_test

Key = tuple[str, int, int, str]
OURS, STOPPED, CONFORMAL = "EnsembleRegressor", "LightGBM, stopped", "conformal LightGBM"
AIMS = {"TreeRegressor": 0.62, "ModelTreeRegressor": 0.56, OURS: 0.53}
MARGIN = 0.01  # a smaller relative difference on a large set is no difference


class Results:
    """All results, by set, repeat, fold and method."""

    def __init__(self, path: Path) -> None:
        self.by_key: dict[Key, dict[str, Any]] = {}
        for line in path.read_text("utf-8").splitlines():
            record = json.loads(line)
            key = (record["set"], record["repeat"], record["fold"], record["method"])
            self.by_key[key] = record
        listed = json.loads(
            Path(os.environ["MIXEDWOOD_DATA"], "regression", "manifest.json").read_text("utf-8")
        )
        self.entries = {entry["name"]: entry for entry in listed}
        self.predictions = path.with_suffix(".predictions")
        ran: dict[str, set[str]] = defaultdict(set)
        for name, _, _, method in self.by_key:
            ran[method].add(name)
        most = max(map(len, ran.values()))
        # Methods with ranks ran on most of the sets; a set is complete if all of them ran on it.
        self.methods = [m for m in METHODS if len(ran[m]) >= 0.6 * most and m != CONFORMAL]
        self.others = [m for m in METHODS if ran[m] and m not in [*self.methods, CONFORMAL]]
        self.folds: dict[str, list[tuple[int, int]]] = {}
        for name in self.entries:
            here = [m for m in self.methods if name in ran[m]]
            common = self.shared_folds(name, here)
            if common and OURS in here and STOPPED in here:
                self.folds[name] = common
        self.complete = [s for s in self.folds if all(s in ran[m] for m in self.methods)]

    def shared_folds(self, name: str, methods: list[str]) -> list[tuple[int, int]]:
        """List the folds of a set, by repeat and number, that all of some methods have run."""
        folds = [(r, f) for r in range(5) for f in (0, 1)]
        return [fold for fold in folds if all((name, *fold, m) in self.by_key for m in methods)]

    def values(
        self, name: str, method: str, field: str = "rmse", beside: str | None = None
    ) -> list[float]:
        """Give a number of each fold; NaN where the method failed.

        They are the folds that all methods of the set have run, or those of the method and of one
        `beside` it.
        """
        folds = self.folds[name] if beside is None else self.shared_folds(name, [method, beside])
        found = (self.by_key.get((name, *fold, method), {}) for fold in folds)
        return [record.get(field, math.nan) for record in found]

    def mean(self, name: str, method: str, field: str = "rmse") -> float:
        return float(np.mean(self.values(name, method, field)))

    def row_losses(self, name: str, method: str) -> np.ndarray:
        """Squared errors of all test rows of the first repeat."""
        X, y, _ = load(self.entries[name], Path(os.environ["MIXEDWOOD_DATA"], "regression"))
        losses = np.empty(len(y))
        label = method.replace(" ", "_").replace(",", "")
        for fold, (_, test) in enumerate(KFold(2, shuffle=True, random_state=0).split(X)):
            predicted = np.load(self.predictions / f"{name}-0-{fold}-{label}.npy")
            losses[test] = (predicted - y[test]) ** 2
        return losses


def verdict(results: Results, name: str, best: str) -> str:
    """Say whether our ensemble is significantly worse than the best method of a set."""
    if best == OURS:
        return "best"
    ours = results.values(name, OURS, beside=best)
    theirs = results.values(name, best, beside=OURS)
    excess = float(np.mean(ours) / np.mean(theirs) - 1)
    if results.entries[name]["rows"] > MOST_ROWS:
        if len(ours) < 2:
            return "not tested"
        off = results.row_losses(name, OURS) - results.row_losses(name, best)
        p = float(stats.ttest_1samp(off, 0.0).pvalue)
        worse = p < 0.05 and excess > MARGIN
        return f"{'worse' if worse else 'not worse'} (p = {p:.2g}, {excess:+.1%})"
    if len(ours) < 10:
        return f"not tested: {len(ours)} of 10 folds ({excess:+.1%})"
    test = five_by_two_cv_f_test(np.reshape(ours, (5, 2)), np.reshape(theirs, (5, 2)))
    return (
        f"{'worse' if test.p_value < 0.05 else 'not worse'} (p = {test.p_value:.2g}, {excess:+.1%})"
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def three(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3f}"


def accuracy(results: Results) -> str:
    sets = list(results.folds)
    shown = [*results.methods, *results.others]
    means = np.array([[results.mean(s, m) for m in shown] for s in sets])
    rows = [
        [f"{s} ({len(results.folds[s])}){'' if s in results.complete else ' *'}", *map(three, line)]
        for s, line in zip(sets, means, strict=True)
    ]
    n = len(results.methods)
    complete = means[[s in results.complete for s in sets]]
    ranks = stats.rankdata(np.where(np.isnan(complete), np.inf, complete)[:, :n], axis=1)
    rows += [
        ["**mean of all**", *(three(float(m)) for m in means.mean(axis=0))],
        ["**mean**", *(three(float(m)) for m in complete.mean(axis=0))],
        ["**mean rank**", *(f"{r:.1f}" for r in ranks.mean(axis=0)), *[""] * (len(shown) - n)],
    ]
    return table(["set (folds)", *shown], rows)


def aims(results: Results) -> str:
    sets = results.complete
    mean = {m: float(np.mean([results.mean(s, m) for s in sets])) for m in results.methods}
    mean = {m: value for m, value in mean.items() if not math.isnan(value)}
    tests = []
    for s in results.folds:
        found = {m: results.mean(s, m) for m in results.methods}
        best = min((m for m in found if not math.isnan(found[m])), key=found.__getitem__)
        tests.append([s, best, verdict(results, s, best)])
    single = [m for m in SINGLE if m in mean]
    lines = [
        f"- Least mean of single axis-parallel trees: {min(single, key=mean.__getitem__)}.",
        f"- Least mean of all: {min(mean, key=mean.__getitem__)}.",
    ]
    lines += [
        f"- Mean of `{name}` over all sets and folds: {value:.3f} (aim {aim})."
        for name, aim, value in own_means(results)
    ]
    ratios = [
        sum(results.values(s, OURS, "seconds", beside=STOPPED))
        / sum(results.values(s, STOPPED, "seconds", beside=OURS))
        for s in results.folds
    ]
    lines.append(
        f"- CPU time of `{OURS}` over that of LightGBM with early stopping: "
        f"{np.exp(np.mean(np.log(ratios))):.1f} in the geometric mean, from {min(ratios):.1f} to "
        f"{max(ratios):.1f}."
    )
    return "\n".join(lines) + "\n\n" + table(["set", "best", f"`{OURS}` beside it"], tests)


def own_means(results: Results) -> list[tuple[str, float, float]]:
    """Mean over all sets of the estimators that have an aim; all their folds count."""
    found = []
    for method, aim in AIMS.items():
        of_set = [
            [results.by_key[(s, *fold, method)]["rmse"] for fold in folds]
            for s in results.entries
            if (folds := results.shared_folds(s, [method]))
        ]
        if len(of_set) == len(results.entries):
            found.append((method, aim, float(np.mean([np.mean(values) for values in of_set]))))
    return found


def intervals(results: Results) -> str:
    head = ["set (folds)", *(f"{c:.0%}" for c in COVERAGES), *(f"width {c:.0%}" for c in COVERAGES)]
    rows = []
    for name in results.folds:
        folds = results.shared_folds(name, [OURS, CONFORMAL])
        pairs = [
            [results.by_key.get((name, *fold, method), {}) for method in (OURS, CONFORMAL)]
            for fold in folds
        ]
        pairs = [pair for pair in pairs if all("coverage" in record for record in pair)]
        if not pairs:
            continue
        # Repeats test the same rows.
        n_rows = results.entries[name]["rows"] / 2 * min(len(pairs), 2)
        row = [f"{name} ({len(pairs)})"]
        for c in COVERAGES:
            found = float(np.mean([ours["coverage"][str(c)] for ours, _ in pairs]))
            reach = max(0.02, 2 * math.sqrt(c * (1 - c) / n_rows))
            row.append(f"{found:.1%}{'' if abs(found - c) <= reach else ' (off)'}")
        for c in COVERAGES:
            ratio = [ours["width"][str(c)] / theirs["width"][str(c)] for ours, theirs in pairs]
            row.append(f"{float(np.mean(ratio)):.2f}")
        rows.append(row)
    return table(head, rows)


def page(results: Results, path: Path) -> str:
    left_out = [name for name in results.entries if name not in results.folds]
    errors = {f"{k[3]} on {k[0]}": r["error"] for k, r in results.by_key.items() if "error" in r}
    failed = sorted(f"{what} ({text[:80].split(chr(10))[0]})" for what, text in errors.items())
    return f"""# Regression

RMSE on test rows, relative to the standard deviation of the target, and CPU time on one thread,
by `benchmarks/regression_accuracy.py`; this page is written by `benchmarks/regression_report.py`.
All methods have their defaults, but for the single trees of scikit-learn and rpart, which are
pruned by cross-validation, and early stopping where it says so. Nothing was chosen by these runs;
the ensemble and the model tree were developed with some of these sets in sight.

Planned are five repeats of two folds, and one above 20,000 rows. **Run so far are the folds in
parentheses**; sets that are not run: {", ".join(left_out) or "none"}. Empty cells were not run,
or failed: {"; ".join(failed) or "none"}.
Methods that were not run at all: {
        ", ".join(m for m in METHODS if m not in [*results.methods, *results.others, CONFORMAL])
        or "none"
    }.
ranger is not packaged in Debian 12. M5P and the methods of R end after 120 CPU seconds.

## Accuracy

{accuracy(results)}

A cell is the mean of the folds that all methods of the set have run. Means and ranks are of the
sets without a star, on which all methods with a rank were run; the mean of all is there where a
method ran on all sets.

## Aims

{aims(results)}

Tests, the means with an aim and the ratio of times use all folds that the methods in question have
run. A method is worse if the 5x2cv F test says so at 5 %; on two folds, if a paired test of the
squared errors of rows does and RMSE differs by more than 1 %.

## Prediction intervals

Coverage of `EnsembleRegressor.predict_interval`, with "(off)" where it is further from the
nominal one than 2 points or two standard errors (each row counts once), and its mean width over
that of LightGBM with early stopping whose absolute residuals come from five folds:

{intervals(results)}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--results", type=Path, default=Path("out/regression.jsonl"))
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    text = page(Results(given.results), given.results)
    if given.page is None:
        print(text)
    else:
        given.page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
