"""Model trees and what they are compared with: other trees, linear models, and one ensemble.

All get the same training rows and know all categories of a set. What each does with them:

- ours read the frame as it is: categories as text, ordinal columns with their order, missing cells;
- linear models and the tree of scikit-learn get one column per category (a missing one has a column
  of its own, an unknown one has none), ordinal columns as their place, missing numbers as the mean;
  for linear models numbers have mean 0 and variance 1;
- YDF and LightGBM get categories as such, ordinal columns as numbers, missing cells as missing.

Whatever is tuned is tuned inside the training rows, by stratified cross-validation in three parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from peers import lightgbm_ensembles, ydf_trees
from peers.ydf_ensembles import probabilities as ydf_probabilities
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import mixedwood as mw
from mixedwood import datasets
from mixedwood_studies.model_trees.methods import model_tree as published

GRID_OF_C = [2.0**power for power in (-6, -3, 0, 3, 6)]
ALPHAS = 15  # sizes of a pruned tree that are tried


class MixedSet(NamedTuple):
    """A set as ours read it, the same with categories and numbers only, and classes as codes."""

    name: str
    X: pd.DataFrame
    plain: pd.DataFrame
    y: np.ndarray
    nominal: list[str]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1


class Answer(NamedTuple):
    """Classes as codes, and a column of probabilities for each class that was learned, if any."""

    classes: np.ndarray
    probabilities: np.ndarray | None
    learned: np.ndarray


class Fitted(NamedTuple):
    """A fitted model: what it answers for rows of the set, and its leaves if it is a tree."""

    answer: Callable[[np.ndarray], Answer]
    leaves: int | None


class Contender(NamedTuple):
    """A method: the kind of model, what it does in a line, and how it learns from some rows."""

    kind: str  # "tree", "linear" or "ensemble"
    about: str
    fit: Callable[[MixedSet, np.ndarray, int], Fitted]


def load_mixed(name: str, most_rows: int | None = None) -> MixedSet:
    """Load a set; of more than `most_rows` rows, a stratified sample that is always the same."""
    data = datasets.load(name, frame="pandas")
    codes = np.unique(data.y, return_inverse=True)[1]
    chosen = np.arange(len(codes))
    if most_rows and len(codes) > most_rows:
        rng = np.random.default_rng(0)
        shares = most_rows / len(codes)
        parts = [np.flatnonzero(codes == c) for c in range(codes.max() + 1)]
        parts = [rng.choice(part, round(shares * len(part)), replace=False) for part in parts]
        chosen = np.sort(np.concatenate(parts))
    X = data.X.iloc[chosen].reset_index(drop=True)
    plain = {}
    for column in data.columns:
        cells = X[column.name]
        if column.kind == "nominal":
            plain[column.name] = pd.Categorical(cells, categories=list(column.categories))
        elif column.kind == "ordinal":
            places = {value: float(place) for place, value in enumerate(column.categories)}
            plain[column.name] = cells.astype(object).map(places).to_numpy(float)
        else:
            plain[column.name] = cells.to_numpy(float)
    nominal = [column.name for column in data.columns if column.kind == "nominal"]
    return MixedSet(name, X, pd.DataFrame(plain), codes[chosen], nominal)


def inner_folds(seed: int) -> StratifiedKFold:
    """Three parts of the training rows."""
    return StratifiedKFold(3, shuffle=True, random_state=seed)


def ours(make: Callable[[int], Any]) -> Callable[[MixedSet, np.ndarray, int], Fitted]:
    """One of ours, made anew from a seed."""

    def fit(data: MixedSet, train: np.ndarray, seed: int) -> Fitted:
        model = make(seed).fit(data.X.iloc[train], data.y[train])

        def answer(rows: np.ndarray) -> Answer:
            cells = data.X.iloc[rows]
            found = model.predict_proba(cells) if hasattr(model, "predict_proba") else None
            return Answer(model.predict(cells), found, model.classes_)

        return Fitted(answer, model.tree_.n_leaves if hasattr(model, "tree_") else None)

    return fit


def one_hot(data: MixedSet, scaled: bool) -> Any:
    """One column per category, and numbers."""
    numbers = [name for name in data.plain if name not in data.nominal]
    steps = [SimpleImputer(keep_empty_features=True), *([StandardScaler()] if scaled else [])]
    wide = sum(len(data.plain[name].cat.categories) for name in data.nominal) > 1000
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), data.nominal),
        (make_pipeline(*steps), numbers),
        sparse_threshold=float(wide),  # few columns are faster dense
    )


def tuned(
    model: Any, scaled: bool, grid: Callable[[Any, np.ndarray], Mapping[str, list]]
) -> Callable[[MixedSet, np.ndarray, int], Fitted]:
    """One of scikit-learn's on one-hot columns, its setting by inner cross-validation."""

    def fit(data: MixedSet, train: np.ndarray, seed: int) -> Fitted:
        encoder = one_hot(data, scaled)
        coded = encoder.fit_transform(data.plain.iloc[train])
        choices = grid(coded, data.y[train])
        search = GridSearchCV(model, choices, cv=inner_folds(seed), scoring="accuracy")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of small classes, and of steps that were too few
            search.fit(coded, data.y[train])

        def answer(rows: np.ndarray) -> Answer:
            cells = encoder.transform(data.plain.iloc[rows])
            chosen = search.best_estimator_
            found = chosen.predict_proba(cells) if hasattr(chosen, "predict_proba") else None
            return Answer(search.predict(cells), found, search.classes_)

        leaves = getattr(search.best_estimator_, "get_n_leaves", lambda: None)()
        return Fitted(answer, leaves)

    return fit


def pruning_grid(coded: Any, target: np.ndarray) -> Mapping[str, list]:
    """Penalties of a leaf, from no tree to the whole one: the small trees densely, by doubling.

    Most penalties of the path are of large trees; equal steps along it would miss the good ones.
    """
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(coded, target)
    alphas = np.unique(path.ccp_alphas.clip(0.0))[::-1]
    places = np.unique(np.geomspace(1, len(alphas), ALPHAS).round().astype(int)) - 1
    return {"ccp_alpha": alphas[places].tolist()}


class YdfSet:
    """A set as YDF reads it: text, empty for missing, and numbers."""

    def __init__(self, data: MixedSet) -> None:
        ydf = ydf_trees.library()
        self.columns = {
            name: data.plain[name].astype(object).fillna("").to_numpy(str)
            if name in data.nominal
            else data.plain[name].to_numpy(float)
            for name in data.plain
        }
        kinds = ydf.Semantic
        self.features = [
            (name, kinds.CATEGORICAL if name in data.nominal else kinds.NUMERICAL)
            for name in data.plain
        ]
        self.target = np.array([f"v{code}" for code in range(data.n_classes)])[data.y]
        self.learner = ydf.CartLearner

    def rows(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Some rows, with their class."""
        cells = {name: column[rows] for name, column in self.columns.items()}
        return {**cells, "class": self.target[rows]}

    def train(self, train: np.ndarray, seed: int, **options: Any) -> Any:
        """A tree with oblique tests of numbers."""
        learner = self.learner(
            label="class",
            features=self.features,
            split_axis="SPARSE_OBLIQUE",
            random_seed=seed,
            num_threads=1,
            **options,
        )
        return learner.train(self.rows(train))


YDF_GRID = [
    {
        "min_examples": rows,
        "validation_ratio": share,
        "sparse_oblique_normalization": scale,
        "min_vocab_frequency": 1,
    }
    for rows, share, scale in product((20, 5), (0.1, 0.0), ("NONE", "STANDARD_DEVIATION"))
]


def ydf_oblique(choose: bool) -> Callable[[MixedSet, np.ndarray, int], Fitted]:
    """CART of YDF with oblique tests, as it comes or chosen from the grid."""

    def fit(data: MixedSet, train: np.ndarray, seed: int) -> Fitted:
        table = YdfSet(data)
        options: dict[str, Any] = {}
        if choose:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "The least populated class")
                parts = list(inner_folds(seed).split(train, data.y[train]))
            errors = [
                np.mean([_wrong(table, train[a], train[b], seed, settings) for a, b in parts])
                for settings in YDF_GRID
            ]
            options = YDF_GRID[int(np.argmin(errors))]
        model = table.train(train, seed, **options)
        learned = np.array([int(label[1:]) for label in model.label_classes()])

        def answer(rows: np.ndarray) -> Answer:
            found = ydf_probabilities(model, table.rows(rows))
            return Answer(learned[found.argmax(axis=1)], found, learned)

        return Fitted(answer, (model.num_nodes() + 1) // 2)

    return fit


def _wrong(
    table: YdfSet, train: np.ndarray, test: np.ndarray, seed: int, options: dict[str, Any]
) -> float:
    model = table.train(train, seed, **options)
    return float(np.mean(model.predict_class(table.rows(test)) != table.target[test]))


def lightgbm(data: MixedSet, train: np.ndarray, seed: int) -> Fitted:
    """Gradient boosting as it comes."""
    kind = lightgbm_ensembles.library().LGBMClassifier
    model = kind(random_state=seed, n_jobs=1, verbose=-1)
    model.fit(data.plain.iloc[train], data.y[train])

    def answer(rows: np.ndarray) -> Answer:
        found = model.predict_proba(data.plain.iloc[rows])
        return Answer(model.classes_[found.argmax(axis=1)], found, model.classes_)

    return Fitted(answer, None)


def _grid_of_c(coded: Any, target: np.ndarray) -> Mapping[str, list]:
    return {"C": GRID_OF_C}


DEFAULT = "model tree"
CONTENDERS = {
    DEFAULT: Contender(
        "tree",
        "`ModelTreeClassifier()`",
        ours(lambda seed: mw.ModelTreeClassifier(random_state=seed)),
    ),
    "recipe of the paper": Contender(
        "tree",
        "`published()`: a plane through the numbers or one branch per value, "
        "by gain ratio; `min_instances` tuned",
        ours(lambda seed: published(random_state=seed)),
    ),
    "tree": Contender(
        "tree", "`TreeClassifier()`", ours(lambda seed: mw.TreeClassifier(random_state=seed))
    ),
    "YDF oblique": Contender(
        "tree", '`CartLearner(split_axis="SPARSE_OBLIQUE")`, else defaults', ydf_oblique(False)
    ),
    "YDF oblique tuned": Contender(
        "tree",
        "the same; rows in a leaf, share of rows for pruning and scaling of the numbers tuned, no "
        "category is too rare",
        ydf_oblique(True),
    ),
    "scikit-learn tree": Contender(
        "tree",
        "`DecisionTreeClassifier` on one-hot columns, cost-complexity pruning tuned",
        tuned(DecisionTreeClassifier(random_state=0), False, pruning_grid),
    ),
    "logistic regression": Contender(
        "linear",
        "`LogisticRegression` on one-hot and standardized columns, C tuned",
        tuned(LogisticRegression(max_iter=300), True, _grid_of_c),
    ),
    "linear SVM": Contender(
        "linear",
        "`LinearSVC` on the same, C tuned",
        tuned(LinearSVC(random_state=0), True, _grid_of_c),
    ),
    "SmoothSVC": Contender(
        "linear",
        '`SmoothSVC("tune")`',
        ours(lambda seed: mw.SmoothSVC(C="tune", random_state=seed)),
    ),
    "LightGBM": Contender("ensemble", "defaults, native categories: 100 rounds", lightgbm),
}
