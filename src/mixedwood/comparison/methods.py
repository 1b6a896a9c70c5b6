"""The methods of `compare`: estimators by name, and scikit-learn's behind an encoder."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from mixedwood._catalogue import BASELINES, CATALOGUE, find_maker, first_line, name_of_task
from mixedwood.data import MISSING, Table, read_table

__all__ = ["TableEncoder", "encoded", "methods", "prepare", "read_methods", "task_of"]

_DEFAULT_METHODS = {
    "classification": (
        "tree",
        "model_tree",
        "optimal",
        "forest",
        "random_ordinality",
        "ensemble",
        "sklearn_tree",
        "sklearn_forest",
        "sklearn_boosting",
        "sklearn_logistic",
    ),
    "regression": (
        "tree_regressor",
        "model_tree_regressor",
        "forest_regressor",
        "random_ordinality_regressor",
        "boosted_regressor",
        "ensemble_regressor",
        "sklearn_tree_regressor",
        "sklearn_forest_regressor",
        "sklearn_boosting_regressor",
        "sklearn_ridge",
    ),
}
_NUMBERS = ("numbers", "classes")  # what the target has, and what a classifier predicts
_MAX_DENSE = 50_000_000  # cells; larger one-hot matrices are sparse
_MAX_CATEGORIES = 255  # of a column, in histogram gradient boosting


def methods(task: str = "classification") -> dict[str, str]:
    """Return the names of the methods of `compare` with a description of each.

    Parameters
    ----------
    task : {"classification", "regression"}, default="classification"
        Whether the target has classes or numbers. In regression, the name of a classifier stands
        for its regressor: ``"tree"`` is ``"tree_regressor"``.

    Examples
    --------
    >>> methods()["tree"]
    'TreeClassifier()'
    >>> methods("regression")["sklearn_ridge"]
    "scikit-learn's Ridge, one-hot, scaled."
    """
    ours = {name: entry.call for name, entry in CATALOGUE.items() if entry.task == task}
    baselines = {name: entry for name, entry in BASELINES.items() if entry.task == task}
    return ours | {name: first_line(entry.load()) for name, entry in baselines.items()}


def task_of(chosen: Any) -> str | None:
    """Find the task that estimators among methods state; None if names leave it to the target.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> task_of(["tree", Ridge()])
    'regression'
    """
    if isinstance(chosen, Mapping):
        chosen = list(chosen.values())
    if isinstance(chosen, list | tuple):
        found = {task_of(entry) for entry in chosen} - {None}
        return found.pop() if len(found) == 1 else None
    if isinstance(chosen, str):
        entry = (CATALOGUE | BASELINES).get(chosen.partition(".")[0])
        if entry is not None and entry.task == "regression":
            return "regression"
        return None if name_of_task(chosen, "regression") is not None else "classification"
    if isinstance(chosen, type) or not hasattr(chosen, "fit"):
        return None
    if is_regressor(chosen):
        return "regression"
    return "classification" if is_classifier(chosen) else None


def read_methods(chosen: Any, task: str = "classification") -> dict[str, Any]:
    """Make estimators of names, estimators, and dicts and lists of these; None is the default."""
    if chosen is None:
        known = CATALOGUE | BASELINES
        chosen = [name for name in _DEFAULT_METHODS[task] if name in known]
    if isinstance(chosen, str) or hasattr(chosen, "fit"):
        chosen = [chosen]
    if isinstance(chosen, Mapping):
        chosen = [chosen]
    if not isinstance(chosen, Iterable):
        raise TypeError(f"methods must be names or estimators; got {type(chosen).__name__}.")
    found: dict[str, Any] = {}
    for name, method in _named(chosen):
        if name in found:
            raise ValueError(
                f"Two methods are called {name!r}. Use different names, as in {{'a': ..., 'b': "
                "...}."
            )
        found[name] = _read_method(method, task)
    if not found:
        raise ValueError("methods is empty; give at least one, or None for the default methods.")
    return found


def _named(chosen: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    for entry in chosen:
        if isinstance(entry, Mapping):
            yield from ((str(name), method) for name, method in entry.items())
        else:
            yield entry if isinstance(entry, str) else " ".join(repr(entry).split()), entry


def _read_method(method: Any, task: str) -> Any:
    if isinstance(method, str):
        entries = CATALOGUE | BASELINES
        name = name_of_task(method, task)
        maker = None if name is None else find_maker(name)
        if maker is not None:
            return maker()
        known = [name for name, entry in entries.items() if entry.task == task]
        if find_maker(method) is not None:
            has, other = ("classes", "numbers") if task == "classification" else _NUMBERS
            raise ValueError(
                f"The method {method!r} predicts {other}, but the target has {has}. Use one of "
                f"{', '.join(known)}, or set task."
            )
        close = difflib.get_close_matches(method, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ValueError(
            f"Unknown method {method!r}.{hint} Use one of {', '.join(known)}, a preset such as "
            "forest.bagging_c45, or an estimator."
        )
    if isinstance(method, type):
        raise TypeError(f"{method.__name__} is a class; pass an estimator: {method.__name__}().")
    if not all(hasattr(method, name) for name in ("fit", "predict", "get_params")):
        raise TypeError(
            f"A method must be a name or a scikit-learn estimator; got {type(method).__name__}."
        )
    wrong = is_regressor if task == "classification" else is_classifier
    if wrong(method):
        has, other = ("classes", "numbers") if task == "classification" else _NUMBERS
        raise ValueError(
            f"{type(method).__name__} predicts {other}, but the target has {has}. Choose another "
            "method, or set task."
        )
    return method


def prepare(method: Any, seed: int, time_limit: float | None) -> Any:
    """Clone a method, with a seed and a time limit where it has none of its own."""
    model = clone(method)
    wanted: dict[str, Any] = {}
    for name, value in model.get_params(deep=True).items():
        if value is not None:
            continue
        if name.rpartition("__")[2] == "random_state":
            wanted[name] = seed
        elif name == "time_limit" and time_limit is not None:
            wanted[name] = time_limit
    return model.set_params(**wanted)


# scikit-learn baselines


def sklearn_tree() -> Pipeline:
    """scikit-learn's DecisionTreeClassifier, one-hot."""
    from sklearn.tree import DecisionTreeClassifier

    return encoded(DecisionTreeClassifier())


def sklearn_forest() -> Pipeline:
    """scikit-learn's RandomForestClassifier, one-hot."""
    from sklearn.ensemble import RandomForestClassifier

    return encoded(RandomForestClassifier())


def sklearn_boosting() -> Pipeline:
    """scikit-learn's HistGradientBoostingClassifier."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return encoded(HistGradientBoostingClassifier())


def sklearn_logistic() -> Pipeline:
    """scikit-learn's LogisticRegression, one-hot, scaled."""
    from sklearn.linear_model import LogisticRegression

    return encoded(LogisticRegression(max_iter=1000), scale=True)


def sklearn_tree_regressor() -> Pipeline:
    """scikit-learn's DecisionTreeRegressor, one-hot."""
    from sklearn.tree import DecisionTreeRegressor

    return encoded(DecisionTreeRegressor())


def sklearn_forest_regressor() -> Pipeline:
    """scikit-learn's RandomForestRegressor, one-hot."""
    from sklearn.ensemble import RandomForestRegressor

    return encoded(RandomForestRegressor())


def sklearn_boosting_regressor() -> Pipeline:
    """scikit-learn's HistGradientBoostingRegressor."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return encoded(HistGradientBoostingRegressor())


def sklearn_ridge() -> Pipeline:
    """scikit-learn's Ridge, one-hot, scaled."""
    from sklearn.linear_model import Ridge

    return encoded(Ridge(), scale=True)


def encoded(estimator: Any, *, scale: bool = False) -> Pipeline:
    """Put an encoder before a scikit-learn estimator, so that it accepts any table.

    Categorical columns become one column of zeros and ones for each category; missing values are
    a category of their own. Numeric columns get the median in place of missing values, and a
    column that marks these. Estimators with a parameter `categorical_features`, such as
    `HistGradientBoostingClassifier`, get ordinal codes and missing values instead.

    Parameters
    ----------
    estimator : classifier or regressor
        An estimator for numeric matrices.
    scale : bool, default=False
        Whether to standardize numeric columns.

    Returns
    -------
    Pipeline
        The steps are named ``"encoder"`` and ``"classifier"`` or ``"regressor"``.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = {"color": ["red", "blue", None, "red"], "size": [1.0, None, 3.0, 4.0]}
    >>> model = encoded(DecisionTreeClassifier(random_state=0))
    >>> model.fit(X, ["yes", "no", "no", "yes"]).predict(X).tolist()
    ['yes', 'no', 'no', 'yes']
    """
    name = "regressor" if is_regressor(estimator) else "classifier"
    if "categorical_features" in estimator.get_params():
        encoder = TableEncoder(encoding="ordinal", scale=scale)
        return _CategoricalPipeline([("encoder", encoder), (name, estimator)])
    return Pipeline([("encoder", TableEncoder(scale=scale)), (name, estimator)])


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode a table of any container as a numeric matrix, with a scikit-learn ColumnTransformer.

    Column types are read from the training table. The encoded categorical columns come first.

    Parameters
    ----------
    encoding : {"one_hot", "ordinal"}, default="one_hot"
        With ``"one_hot"``, missing values are encoded; with ``"ordinal"`` they are NaN.
    scale : bool, default=False
        Whether to standardize numeric columns.

    Attributes
    ----------
    transformer_ : ColumnTransformer
        The fitted encoder of the columns.
    n_categorical_ : int
        Number of categorical columns of the table.

    Examples
    --------
    >>> TableEncoder().fit_transform({"color": ["red", "blue", "red"], "size": [1, 2, 3]})
    array([[0., 1., 1.],
           [1., 0., 2.],
           [0., 1., 3.]])
    """

    def __init__(self, *, encoding: str = "one_hot", scale: bool = False) -> None:
        self.encoding = encoding
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn the encoding."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the encoding, and encode the table."""
        if self.encoding not in ("one_hot", "ordinal"):
            raise ValueError(
                "The 'encoding' parameter of TableEncoder must be a str among {'one_hot', "
                f"'ordinal'}}. Got {self.encoding!r} instead."
            )
        table = read_table(X)
        is_categorical = [column.kind == "nominal" for column in table.schema]
        self.schema_ = table.schema
        self.n_features_in_ = table.n_columns
        if not table.schema.names_generated:
            self.feature_names_in_ = np.array(table.schema.names, dtype=object)
        self.n_categorical_ = sum(is_categorical)
        self.transformer_ = self._make_transformer(table, np.array(is_categorical, dtype=bool))
        return self.transformer_.fit_transform(_to_matrix(table))

    def transform(self, X: Any) -> Any:
        """Encode a table with the same columns."""
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        return self.transformer_.transform(_to_matrix(table))

    def _make_transformer(self, table: Table, categorical: NDArray[np.bool_]) -> ColumnTransformer:
        scaler = StandardScaler() if self.scale else "passthrough"
        if self.encoding == "ordinal":
            encoder = OrdinalEncoder(
                handle_unknown="use_encoded_value",
                unknown_value=np.nan,
                max_categories=_MAX_CATEGORIES,
            )
            parts = [("categories", encoder, categorical), ("numbers", scaler, ~categorical)]
            return ColumnTransformer(parts)
        width = table.n_columns + sum(column.n_categories for column in table.schema)
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        return ColumnTransformer(
            [
                ("categories", OneHotEncoder(handle_unknown="ignore"), categorical),
                ("numbers", make_pipeline(imputer, scaler), ~categorical),
                ("missing", MissingIndicator(error_on_new=False), ~categorical),
            ],
            sparse_threshold=0.0 if table.n_rows * width <= _MAX_DENSE else 1.0,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def _to_matrix(table: Table) -> NDArray[np.float64]:
    """Numbers, and codes of categories; NaN for missing values."""
    matrix = np.empty((table.n_rows, table.n_columns))
    for place, (column, cells) in enumerate(zip(table.schema, table.arrays, strict=True)):
        if column.kind == "nominal":  # an unknown category has a code that no training row has
            cells = np.where(cells == MISSING, np.nan, cells)
        elif not column.is_numeric:  # the code of an ordinal category is its position
            cells = np.where(cells < 0, np.nan, cells)
        matrix[:, place] = cells
    return matrix


class _CategoricalPipeline(Pipeline):  # type: ignore[misc]
    """A pipeline that passes the encoded categorical columns to its estimator."""

    def fit(self, X: Any, y: Any = None, **params: Any) -> _CategoricalPipeline:
        """Fit the encoder, then the estimator."""
        encoder, estimator = (step for _, step in self.steps)
        matrix = encoder.fit_transform(X, y)
        estimator.set_params(categorical_features=list(range(encoder.n_categorical_)))
        estimator.fit(matrix, y, **params)
        return self
