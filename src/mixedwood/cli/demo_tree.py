"""The second part of `mixedwood demo`: a tree and an ensemble on a generated table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli.tables import print_table

if TYPE_CHECKING:
    from mixedwood.datasets import Dataset

_ROWS = 1_000
_FOLDS = 5


def compare_trees(seed: int) -> dict[str, Any]:
    """Fit a tree to a generated table, and compare errors on the same folds."""
    from mixedwood import datasets
    from mixedwood.estimators import EnsembleClassifier, TreeClassifier

    data = datasets.make_mixed(
        _ROWS, n_nominal=3, n_numeric=1, n_values=12, random_state=seed,
        frame="dict",
    )  # fmt: skip
    # One decimal is enough for a demonstration, and reads better.
    table = {
        name: cells.round(1) if name in data.numeric else cells for name, cells in data.X.items()
    }
    plain, pruned, forest = _one_hot_models(list(range(len(data.nominal))))
    methods = {
        "TreeClassifier()": (TreeClassifier(random_state=seed), table),
        "scikit-learn, one-hot": (plain, _as_rows(table)),
        "scikit-learn, one-hot, pruned, best of gini and entropy": (pruned, _as_rows(table)),
        "EnsembleClassifier()": (EnsembleClassifier(random_state=seed), table),
        "scikit-learn, random forest, one-hot": (forest, _as_rows(table)),
    }
    model = TreeClassifier(random_state=seed).fit(table, data.y)
    return {
        "rows": _ROWS,
        "columns": {"nominal": len(data.nominal), "numeric": len(data.numeric)},
        "text": model.tree_.to_text(max_nodes=20),
        "methods": [
            {"method": name, **_cross_validated(model, rows, data)}
            for name, (model, rows) in methods.items()
        ],
    }


def _as_rows(table: dict[str, Any]) -> Any:
    import numpy as np

    return np.column_stack([cells.astype(object) for cells in table.values()])


def _one_hot_models(nominal: Sequence[int]) -> tuple[Any, Any, Any]:
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), nominal), remainder="passthrough"
    )
    plain = make_pipeline(encoder, DecisionTreeClassifier(random_state=0))
    # Both criteria: ours is entropy, and the difference shown must not be that.
    choices = {
        "decisiontreeclassifier__criterion": ["gini", "entropy"],
        "decisiontreeclassifier__ccp_alpha": [0.0, *(0.0005 * 2**i for i in range(6))],
    }
    forest = make_pipeline(encoder, RandomForestClassifier(random_state=0))
    return plain, GridSearchCV(plain, choices, cv=5), forest


def _cross_validated(model: Any, X: Any, data: Dataset) -> dict[str, float | None]:
    import numpy as np
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedKFold

    wrong, leaves = [], []
    for train, test in StratifiedKFold(_FOLDS, shuffle=True, random_state=0).split(data.y, data.y):
        fitted = clone(model).fit(_take(X, train), data.y[train])
        wrong.append(fitted.predict(_take(X, test)) != data.y[test])
        last = getattr(fitted, "best_estimator_", fitted)
        tree = last[-1] if hasattr(last, "steps") else last
        if hasattr(tree, "get_n_leaves"):
            leaves.append(tree.get_n_leaves())
    return {
        "error": float(np.concatenate(wrong).mean()),
        "leaves": float(np.mean(leaves)) if leaves else None,  # of many trees it would not tell
    }


def _take(X: Any, rows: Any) -> Any:
    return {name: cells[rows] for name, cells in X.items()} if isinstance(X, dict) else X[rows]


def show_trees(found: dict[str, Any]) -> None:
    """Print the tree and the comparison."""
    kinds = found["columns"]
    click.echo(
        f"\nTreeClassifier on {found['rows']} rows of {kinds['nominal']} nominal and "
        f"{kinds['numeric']} numeric columns:\n\n{found['text']}\n"
    )
    print_table(
        f"Error by {_FOLDS}-fold cross-validation, the same folds for all",
        ["method", "error", "leaves"],
        [
            [
                m["method"],
                f"{100 * m['error']:.1f} %",
                "" if m["leaves"] is None else f"{m['leaves']:.1f}",
            ]
            for m in found["methods"]
        ],
    )
