"""The methods of the paper on model trees, as `model_trees_published.py` runs them.

Each is given a frame, classes as codes, the names of nominal columns, rows to learn from and rows
to answer for, and a seed; it gives the codes of the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import mixedwood as mw

NEIGHBOURS = [1, 3, 5, 7, 9, 11, 15, 21, 31, 41]
Answering = Callable[..., np.ndarray]


class Method(NamedTuple):
    """What it is compared with in the tables, what it does in a line, where and how it runs."""

    published: str
    about: str
    run: Answering
    blocks: tuple[str, ...] = ("nominal", "numeric", "all")


def split_columns(X: pd.DataFrame, nominal: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the nominal columns, and the numbers."""
    codes = [np.unique(X[name], return_inverse=True)[1] for name in nominal]
    numbers = X[[name for name in X if name not in nominal]].to_numpy(float)
    return np.array(codes, int).reshape(len(codes), len(X)).T, numbers


def naive_bayes(
    X: pd.DataFrame, y: np.ndarray, nominal: list[str], train: Any, test: Any, seed: int
) -> np.ndarray:
    """Gaussians for numbers times smoothed frequencies of values."""
    codes, numbers = split_columns(X, nominal)
    score = np.zeros((len(test), y.max() + 1))
    score -= np.log(np.bincount(y[train]) / len(train))  # else two models count it twice
    if not (codes.shape[1] and numbers.shape[1]):
        score[:] = 0.0
    if codes.shape[1]:
        model = CategoricalNB(min_categories=codes.max(axis=0) + 1).fit(codes[train], y[train])
        score += model.predict_joint_log_proba(codes[test])
    if numbers.shape[1]:
        model = GaussianNB().fit(numbers[train], y[train])
        score += model.predict_joint_log_proba(numbers[test])
    return score.argmax(axis=1)


def neighbours(scaled: bool) -> Answering:
    """k-NN, the k by inner five-fold cross-validation."""

    def answer(
        X: pd.DataFrame, y: np.ndarray, nominal: list[str], train: Any, test: Any, seed: int
    ) -> np.ndarray:
        codes, numbers = split_columns(X, nominal)
        if scaled and numbers.shape[1]:
            spread = numbers[train].std(axis=0)
            numbers = (numbers - numbers[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        squares = np.zeros((len(y), len(train)))
        for column in numbers.T:
            squares += (column[:, None] - column[train][None, :]) ** 2
        for column in codes.T:
            squares += column[:, None] != column[train][None, :]
        inner = StratifiedKFold(5, shuffle=True, random_state=seed)
        model = KNeighborsClassifier(metric="precomputed")
        search = GridSearchCV(model, {"n_neighbors": NEIGHBOURS}, cv=inner, scoring="accuracy")
        distances = np.sqrt(squares)
        return search.fit(distances[train], y[train]).predict(distances[test])

    return answer


def ours(make: Callable[[int], Any]) -> Answering:
    """One of the library's estimators, made anew from a seed."""

    def answer(
        X: pd.DataFrame, y: np.ndarray, nominal: list[str], train: Any, test: Any, seed: int
    ) -> np.ndarray:
        return make(seed).fit(X.iloc[train], y[train]).predict(X.iloc[test])

    return answer


PLAIN, AVERAGE, DEFAULT = "model tree, plain", "model tree, average gain", "model tree, default"
METHODS = {
    "naive Bayes": Method(
        "naive Bayes",
        "Gaussians and frequencies plus one, scikit-learn's two models joined",
        naive_bayes,
    ),
    "k-NN": Method(
        "k-NN",
        "0 or 1 for values, Euclidean for numbers as they are; k tuned by inner five-fold "
        f"cross-validation over {', '.join(map(str, NEIGHBOURS))}",
        neighbours(False),
    ),
    "k-NN, standardised": Method(
        "k-NN", "the same with numbers of mean 0 and variance 1", neighbours(True)
    ),
    "C4.5": Method(
        "C4.5",
        "`TreeClassifier.c45()`",
        ours(lambda seed: mw.TreeClassifier.c45(random_state=seed)),
    ),
    "linear SSVM": Method(
        "linear SSVM",
        '`SmoothSVC("tune")`',
        ours(lambda seed: mw.SmoothSVC("tune", random_state=seed)),
    ),
    "kernel SSVM": Method(
        "kernel SSVM",
        '`SmoothSVC("tune", kernel="rbf")`',
        ours(lambda seed: mw.SmoothSVC("tune", kernel="rbf", random_state=seed)),
    ),
    "kernel SSVM, unscaled": Method(
        "kernel SSVM",
        "the same with `standardize=False`",
        ours(lambda seed: mw.SmoothSVC("tune", kernel="rbf", standardize=False, random_state=seed)),
        ("numeric", "all"),
    ),
    PLAIN: Method(
        "model tree",
        "`ModelTreeClassifier.published()`; `min_instances` tuned by inner five-fold "
        "cross-validation",
        ours(lambda seed: mw.ModelTreeClassifier.published(random_state=seed)),
    ),
    AVERAGE: Method(
        "model tree",
        'the same with `selection="average_gain"`',
        ours(
            lambda seed: mw.ModelTreeClassifier.published(
                selection="average_gain", random_state=seed
            )
        ),
    ),
    DEFAULT: Method(
        "model tree",
        "`ModelTreeClassifier()`",
        ours(lambda seed: mw.ModelTreeClassifier(random_state=seed)),
    ),
}
