"""Costs of mistakes on german: the cost matrix beside plain trees, class weights and thresholds.

The matrix is that of the data: a bad risk (class 2) taken for a good one costs 5, the reverse 1.
Stratified five-fold cross-validation, twice; the same folds for all methods. `MIXEDWOOD_DATA` is
the folder of the data. A minute with two jobs.

    python benchmarks/costs.py --jobs 2
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

import mixedwood as mw

COSTS = {"1": {"2": 1}, "2": {"1": 5}}
WEIGHTS = {"1": 1, "2": 5}  # of two classes: the costs of their mistakes


def negative_cost(y_true: Any, y_pred: Any) -> float:
    """Minus the mean cost, for scikit-learn, which maximizes."""
    wrong = np.asarray(y_true) != np.asarray(y_pred)
    return -float(np.where(np.asarray(y_true) == "2", 5, 1)[wrong].sum()) / len(wrong)


class TunedThreshold(ClassifierMixin, BaseEstimator):
    """scikit-learn's tuned threshold, which fails if a model of a fold is a single leaf.

    Other folds are drawn then, up to ten times; after that the plain model is taken.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any) -> TunedThreshold:
        """Tune on the first division into folds that works."""
        scoring = make_scorer(negative_cost)
        for seed in range(10):
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            tuned = TunedThresholdClassifierCV(self.estimator, scoring=scoring, cv=folds)
            try:
                self.model_ = tuned.fit(X, y)
                break
            except ValueError as error:
                if "constant predictions" not in str(error):
                    raise
        else:
            self.model_ = clone(self.estimator).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        """Predict classes."""
        return self.model_.predict(X)


def methods() -> dict[str, Any]:
    """Each model plain, with class weights, with costs, and with a threshold that is tuned."""
    models = {
        "tree": mw.TreeClassifier(random_state=0),
        "cart": mw.TreeClassifier.cart(random_state=0),
        "optimal": mw.OptimalTreeClassifier(max_depth=3, random_state=0),
        "forest": mw.ForestClassifier(n_estimators=100, random_state=0),
        "boosted": mw.BoostedTreesClassifier(n_estimators=100, random_state=0),
    }
    made: dict[str, Any] = {}
    for name, model in models.items():
        made[f"{name}, plain"] = model
        made[f"{name}, class_weight"] = clone_with(model, class_weight=WEIGHTS)
        made[f"{name}, cost_matrix"] = clone_with(model, cost_matrix=COSTS)
        if name != "optimal":  # whose search would be repeated for each threshold's fold
            made[f"{name}, tuned threshold"] = TunedThreshold(model)
    return made


def clone_with(model: Any, **parameters: Any) -> Any:
    """A copy of an estimator with other parameters."""
    return type(model)(**{**model.get_params(deep=False), **parameters})


PAGE = [
    "# Costs of mistakes on german",
    "",
    "`python benchmarks/costs.py --methods tree cart forest --page FILE`. Mean cost of a row with "
    "the matrix of the data: a bad risk taken for a good one costs 5, the reverse 1. Stratified "
    "five-fold cross-validation, twice, the same folds for all. *class_weight* reweights classes "
    "by their costs, *cost_matrix* predicts the class of least expected cost and prunes by costs, "
    "*tuned threshold* is scikit-learn's `TunedThresholdClassifierCV` around the plain model, with "
    "the mean cost as its score; it fails if the model of an inner fold is a single leaf, and is "
    "then tuned on other folds, drawn up to ten times. Predicting a bad risk for every row costs "
    "0.700. Standard errors are corrected for rows that folds share (Nadeau and Bengio).",
    "",
    "| method | mean cost | error % |",
    "|---|---:|---:|",
]


def differences(names: list[str], costs: Any) -> list[str]:
    """What `cost_matrix` saves of the other ways, fold by fold."""
    lines = ["", "What `cost_matrix` saves, on the same folds:", ""]
    lines += ["| model | of plain | of class_weight | of tuned threshold |", "|---|---:|---:|---:|"]
    for model in dict.fromkeys(name.partition(",")[0] for name in names):
        cells = []
        for way in ("plain", "class_weight", "tuned threshold"):
            if f"{model}, {way}" not in names:
                cells.append("")
                continue
            mine = costs[names.index(f"{model}, cost_matrix")]
            saved = costs[names.index(f"{model}, {way}")] - mine
            spread = saved.std(ddof=1) * np.sqrt(1 / len(saved) + 1 / 4)
            cells.append(f"{saved.mean():+.3f} ± {spread:.3f}")
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Run all fits and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", type=Path, help="write the table to this page")
    parser.add_argument("--methods", nargs="*", help="only methods whose name starts with one")
    given = parser.parse_args()
    chosen = {
        name: model
        for name, model in methods().items()
        if not given.methods or name.startswith(tuple(given.methods))
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mw.compare(
            mw.datasets.load("german"),
            methods=chosen,
            cv="2x5cv",
            metrics=["cost", "error"],
            cost_matrix=COSTS,
            n_jobs=given.jobs,
            verbose=1,
        )
    costs = found.scores[0, :, :, 0]
    print(f"{'method':<24}{'mean cost':>10}{'std. error':>12}{'error %':>9}")
    lines = [*PAGE]
    for place, name in enumerate(found.methods):
        # Rows are shared by folds: the corrected standard error of Nadeau and Bengio, 5 folds.
        spread = costs[place].std(ddof=1) * np.sqrt(1 / costs.shape[1] + 1 / 4)
        error = 100 * found.means("error")[0][place]
        print(f"{name:<24}{costs[place].mean():>10.3f}{spread:>12.3f}{error:>9.1f}")
        lines.append(f"| {name} | {costs[place].mean():.3f} ± {spread:.3f} | {error:.1f} |")
    lines += differences(list(found.methods), costs)
    if given.page:
        given.page.write_text("\n".join(lines) + "\n", "utf-8")
    for failure in found.failures:
        print(failure.method, failure.error)


if __name__ == "__main__":
    main()
