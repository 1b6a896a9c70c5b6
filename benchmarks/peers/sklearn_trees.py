"""scikit-learn's tree, on indicators and on ordinal codes, as it is and with tuned pruning."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from peers.common import Column, Fold, Score, Table

MOST_ALPHAS = 30
METHODS = {
    "sklearn one-hot": "defaults, on indicators; a missing category is an indicator of its own",
    "sklearn one-hot tuned": "the same, `ccp_alpha` chosen by inner 5-fold cross-validation",
    "sklearn ordinal": "defaults, on codes in the order of the sorted labels; missing is NaN",
    "sklearn ordinal tuned": "the same, `ccp_alpha` chosen by inner 5-fold cross-validation",
}


def version() -> str:
    """Version of the library."""
    return f"scikit-learn {sklearn.__version__}"


def indicators(column: Column) -> np.ndarray:
    """One 0/1 column per category and one for missing if that occurs; numbers as they are."""
    if not column.n_categories:
        return column.cells[:, None]
    found = column.cells[:, None] == np.arange(-1, column.n_categories)
    return found[:, 0 if found[:, 0].any() else 1 :].astype(float)


def ordinal_codes(column: Column) -> np.ndarray:
    """The codes as numbers, NaN for missing."""
    return np.where(column.cells < 0, np.nan, column.cells) if column.n_categories else column.cells


def alphas_of(tree: DecisionTreeClassifier, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """One alpha inside each interval of the pruning path, at most 30 of them; largest first."""
    path = np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0)
    inside = np.unique([0.0, *np.sqrt(path[1:] * path[:-1]), path[-1]])
    if len(inside) > MOST_ALPHAS:
        inside = inside[np.linspace(0, len(inside) - 1, MOST_ALPHAS).round().astype(int)]
    return inside[::-1]


def tuned(X: np.ndarray, y: np.ndarray, seed: int) -> DecisionTreeClassifier:
    """Choose `ccp_alpha` by cross-validation inside the training rows, the larger one on ties."""
    tree = DecisionTreeClassifier(random_state=seed)
    inner = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = GridSearchCV(tree, {"ccp_alpha": alphas_of(tree, X, y)}, cv=inner)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        return search.fit(X, y).best_estimator_


def run(
    table: Table, folds: Sequence[Fold], methods: Sequence[str]
) -> Iterator[tuple[str, Fold, Score]]:
    """Score each method on each fold."""
    codings = {
        "one-hot": np.hstack([indicators(column) for column in table.columns]),
        "ordinal": np.column_stack([ordinal_codes(column) for column in table.columns]),
    }
    for method in methods:
        X = codings[method.split()[1]]
        for fold in folds:
            rows = X[fold.train], table.target[fold.train]
            if method.endswith("tuned"):
                tree = tuned(*rows, fold.seed)
            else:
                tree = DecisionTreeClassifier(random_state=fold.seed).fit(*rows)
            error = 1.0 - tree.score(X[fold.test], table.target[fold.test])
            yield method, fold, Score(error, int(tree.get_n_leaves()), int(tree.tree_.node_count))
