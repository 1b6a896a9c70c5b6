"""Costs of mistakes on german: the cost matrix beside plain trees, class weights and thresholds.

The matrix is that of the data: a bad risk (class 2) taken for a good one costs 5, the reverse 1.
Stratified five-fold cross-validation, twice; the same folds for all methods. `MIXEDWOOD_DATA` is
the folder of the data. A minute with two jobs.

    python benchmarks/costs.py --jobs 2
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV

import mixedwood as mw

COSTS = {"1": {"2": 1}, "2": {"1": 5}}
WEIGHTS = {"1": 1, "2": 5}  # of two classes: the costs of their mistakes


def negative_cost(y_true: Any, y_pred: Any) -> float:
    """Minus the mean cost, for scikit-learn, which maximizes."""
    wrong = np.asarray(y_true) != np.asarray(y_pred)
    return -float(np.where(np.asarray(y_true) == "2", 5, 1)[wrong].sum()) / len(wrong)


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
        if name in ("forest", "boosted"):
            made[f"{name}, tuned threshold"] = TunedThresholdClassifierCV(
                model, scoring=make_scorer(negative_cost), random_state=0
            )
    return made


def clone_with(model: Any, **parameters: Any) -> Any:
    """A copy of an estimator with other parameters."""
    return type(model)(**{**model.get_params(deep=False), **parameters})


def main() -> None:
    """Run all fits and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=1)
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
    for place, name in enumerate(found.methods):
        spread = costs[place].std(ddof=1) / np.sqrt(costs.shape[1])
        error = 100 * found.means("error")[0][place]
        print(f"{name:<24}{costs[place].mean():>10.3f}{spread:>12.3f}{error:>9.1f}")
    for failure in found.failures:
        print(failure.method, failure.error)


if __name__ == "__main__":
    main()
