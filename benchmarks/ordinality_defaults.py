"""Which trees, votes and samples make the best Random Ordinality ensemble.

Settings of `RandomOrdinalityClassifier` on every second table of the half `choice` of
`more_tables.py` that has a column of more than two categories, in 2 folds and of up to 1,000 rows,
beside the published recipe and scikit-learn's forest.

    python benchmarks/ordinality_defaults.py --scores x.json
"""

from __future__ import annotations

import sys

import ensemble_tables
import more_tables

import mixedwood as mw
from mixedwood.splits import Partitioner


def tree(**settings: object) -> mw.TreeClassifier:
    """An unpruned tree that looks at the square root of the columns at each node."""
    given = {"criterion": "gini", "max_features": "sqrt", "pruning": None, **settings}
    return mw.TreeClassifier(**given)


PER_NODE = Partitioner("random_order")


def forest(n_trees: int = 100, bootstrap: bool = True, per: str = "node", **settings: object):
    """A maker of an ensemble with soft votes."""
    order = PER_NODE if per == "node" else Partitioner("random_order", per="tree")
    return lambda: mw.RandomOrdinalityClassifier(
        tree(**settings),
        n_trees,
        partitioner=order,
        voting="soft",
        bootstrap=bootstrap,
        random_state=0,
    )


SETTINGS = {
    "c45, soft": lambda: mw.RandomOrdinalityClassifier.c45(voting="soft", random_state=0),
    "node, bootstrap": forest(),
    "tree, bootstrap": forest(per="tree"),
    "node, all rows": forest(bootstrap=False),
    "node, bootstrap, leaf 2": forest(min_samples_leaf=2),
    "node, bootstrap, leaf 3": forest(min_samples_leaf=3),
    "node, all rows, leaf 3": forest(bootstrap=False, min_samples_leaf=3),
    "node, bootstrap, leaf 2, half": forest(min_samples_leaf=2, max_features=0.5),
    "node, bootstrap, leaf 2, 50 trees": forest(50, min_samples_leaf=2),
    "node, bootstrap, leaf 2, entropy": forest(min_samples_leaf=2, criterion="entropy"),
}


def main() -> None:
    """Measure with `ensemble_tables`."""
    ensemble_tables.METHODS.update(SETTINGS)
    methods = ["sklearn forest", "forest", "random ordinality c45", *SETTINGS]
    if "--tables" not in sys.argv:
        wide = []
        for name in more_tables.names("choice")[::2]:
            X = more_tables.load(name).X
            if any(X[c].nunique() > 2 for c in ensemble_tables.nominal(X)):
                wide.append(name)
        sys.argv += ["--tables", ",".join(wide)]
    sys.argv += ["--methods", ",".join(methods).replace(", ", "; "), "--folds", "2"]
    sys.argv += ["--rows", "1000"]
    for name in SETTINGS:
        ensemble_tables.METHODS[name.replace(", ", "; ")] = SETTINGS[name]
    ensemble_tables.main()


if __name__ == "__main__":
    main()
