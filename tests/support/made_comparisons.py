"""Comparisons made by hand, of any size: nothing is fitted."""

import numpy as np

from mixedwood import Comparison
from mixedwood.comparison import DatasetInfo, Failure, MethodWarning, check_cv, metrics

ENSEMBLES = ["ensemble", "forest", "random_ordinality", "grow_prune_forest", "boosted"]
TREES = ["tree", "model_tree", "optimal", "c45", "conditional_inference", "sklearn_tree"]
LINE_UP = [*ENSEMBLES, *TREES, "sklearn_forest", "sklearn_boosting", "sklearn_logistic"]
METRICS = tuple(name for name in metrics() if name != "cost")  # which needs a matrix
NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&amp;\u202e\x00"


def make_comparison(
    n_sets=1, n_methods=4, cv="5x2cv", *, names=None, sets=None, wanted=METRICS,
    failures=(), warnings=(), seed=0, noise=0.02,
):  # fmt: skip
    """A comparison with plausible figures; those of ensembles have no leaves.

    Failures are given as (set, method, fold) by number, and have no figures.
    """
    rng = np.random.default_rng(seed)
    read = check_cv(cv)
    n_folds = read.n_repeats * max(read.n_splits, 1)
    names = list(names or LINE_UP[:n_methods])
    sets = list(sets or [f"set_{s}" for s in range(n_sets)])
    shape = len(sets), len(names), n_folds
    level = rng.uniform(0.02, 0.4, (len(sets), 1, 1))
    skill = np.linspace(0.9, 1.4, len(names))[None, :, None]
    error = np.clip(level * skill + rng.normal(0, noise, shape), 0.0, 1.0)
    leaves = np.exp(rng.uniform(1, 6, (len(sets), len(names), 1))) + rng.normal(0, 0.3, shape)
    leaves[:, [name in ENSEMBLES for name in names]] = np.nan
    columns = {
        "error": error,
        "balanced_error": np.clip(error * 1.1 + rng.normal(0, 0.01, shape), 0.0, 1.0),
        "log_loss": 2 * error + rng.random(shape) / 20,
        "leaves": leaves,
        "fit_seconds": 10 ** rng.uniform(-3, 1, (1, len(names), 1)) * rng.uniform(0.8, 1.2, shape),
        "predict_seconds": 10 ** rng.uniform(-4, -1, (1, len(names), 1))
        * rng.uniform(0.9, 1.1, shape),
    }
    scores = np.stack([columns[name] for name in wanted], axis=-1)
    found = []
    for s, m, fold in failures:
        scores[s, m, fold] = np.nan
        trace = f"Traceback (most recent call last):\n  of {names[m]}\nArithmeticError: not today"
        found.append(Failure(sets[s], names[m], fold, "ArithmeticError: not today", trace))
    n_rows = 300
    n_test = n_rows // max(read.n_splits, 2)
    return Comparison(
        datasets=tuple(
            DatasetInfo(
                name, n_rows, 5, ("a", "b"), (n_rows - n_test,) * n_folds, (n_test,) * n_folds
            )
            for name in sets
        ),
        methods=tuple(names),
        metrics=tuple(wanted),
        cv=read,
        scores=scores,
        failures=tuple(found),
        warnings=tuple(MethodWarning(sets[s], names[m], n, words) for s, m, n, words in warnings),
        random_state=seed,
        settings={
            name: "Pipeline()" if "sklearn" in name else "TreeClassifier()" for name in names
        },
        versions={"mixedwood": "0.1", "numpy": "9"},
    )
