"""What all estimators share: parameters, reading tables, and warnings about them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._limits import user_stacklevel
from mixedwood._params import Constraint, validate
from mixedwood._warnings import IdentifierWarning, UnknownCategoryWarning
from mixedwood.data import (
    Schema,
    Table,
    Target,
    check_same_length,
    cross_columns,
    find_crossings,
    identifier_columns,
    read_numbers,
    read_table,
    read_target,
    rows_with_weight,
    unknown_counts,
)
from mixedwood.data.monotonic import check_monotonic
from mixedwood.data.schema import check_has_rows, describe_unknown
from mixedwood.estimators._callbacks import WithCallbacks
from mixedwood.estimators._reports import WithReports
from mixedwood.tree import TargetSpec, Tree

if TYPE_CHECKING:
    from sklearn.utils import Tags


__all__ = [
    "TableClassifier",
    "TableEstimator",
    "TableRegressor",
    "columns_used",
    "unknown_in_core",
]


_PREDICTIONS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "predict_interval",
    "predict_set",
    "apply",
)


class TableEstimator(WithCallbacks, WithReports, BaseEstimator):  # type: ignore[misc]
    """Checks parameters and reads tables; subclasses learn from the encoded table in `_fit`."""

    categorical_features: Any = None
    ordinal_features: Any = None
    crossed_features: Any = None

    schema_: Schema
    n_features_in_: int
    _costs: NDArray[np.float64] | None  # of mistakes, in the order of the classes

    # What `fit` sets besides the attributes above; model files contain it.
    _fitted: ClassVar[kinds.Fitted]
    _parameters: ClassVar[Mapping[str, Constraint]] = {}
    # Whether `fit` takes a table that is read in pieces.
    _fits_in_pieces: ClassVar[bool] = False
    # What happens to rows with unknown categories, for the warning.
    _unknown_texts: ClassVar[dict[str, str]] = {
        "stop": (
            "These rows stop at the node that splits on the column and receive its class "
            "distribution."
        ),
        "missing": "They are treated as missing.",
        "majority": "These rows go to the child with the largest weight.",
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "fit" in vars(cls):
            cls.fit = _with_callbacks(cls.fit)  # type: ignore[attr-defined,unused-ignore]
        for name in ("predict", "predict_proba", "predict_log_proba"):
            if hasattr(cls, name):
                setattr(cls, name, _with_dask(getattr(cls, name)))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _fit_rows(self, X: Any, y: Any, sample_weight: ArrayLike | float | None) -> Self:
        """Check parameters, read the table, and learn from it."""
        self._check_parameters()
        table, target, kept = self._read_kept(X, y, sample_weight)
        self._fit(table, target, kept)
        self._remember(table, target)
        return self

    def _check_in_memory(self, X: Any, y: Any) -> None:
        """Raise an error for what `TreeClassifier` reads in pieces."""
        if isinstance(y, str):
            raise TypeError(
                f"y is the str {y!r}, and {type(self).__name__} needs the labels or numbers "
                "themselves. Only TreeClassifier, TreeRegressor, ForestClassifier, "
                "BoostedTreesClassifier and BoostedTreesRegressor can be fitted to a table that is "
                "read in pieces, where y names the target column."
            )
        if isinstance(X, str | os.PathLike):
            raise TypeError(
                f"X is the path {str(X)!r}, but {type(self).__name__} needs a table. Read the file "
                "first; or pass the name of the target column as y to TreeClassifier, which then "
                "reads the file in pieces."
            )

    def _check_parameters(self) -> None:
        """Raise an error for parameters that are not accepted; data are not needed for it."""
        validate(self)

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        """Learn from the encoded table; `kept` marks the rows of X in it, None for all."""
        raise NotImplementedError

    def predict_chunks(self, X: Any, *, method: str = "predict") -> Iterator[Any]:
        """Predict a table that is read in pieces, one array for each piece.

        Parameters
        ----------
        X : path, dataset, relation or record batches
            A Parquet or Arrow file, a folder of them, a pattern, a list of paths, a dataset of
            pyarrow, a relation of DuckDB, record batches, or `mixedwood.data.Chunks`. Columns that
            the model does not know, such as the target, are ignored.
        method : str, default="predict"
            The method that predicts a piece, such as "predict_proba".

        Yields
        ------
        ndarray
            The predictions for the rows of one piece; pieces without rows are left out.
        """
        from mixedwood.estimators._chunked import predict_chunks

        check_is_fitted(self)
        known = [name for name in _PREDICTIONS if hasattr(self, name)]
        if method not in known:
            raise ValueError(
                f"The 'method' parameter of predict_chunks must be one of "
                f"{', '.join(map(repr, known))} for {type(self).__name__}. Got {method!r} instead."
            )
        return predict_chunks(self, X, method)

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, or with ``part__name`` those of nested estimators.

        If a nested estimator is left to its default, it is created first: for example,
        ``ForestClassifier().set_params(estimator__max_depth=5)`` only changes the depth.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        estimator
            The estimator itself.
        """
        own = self.get_params(deep=False)
        made: dict[str, Any] = {}
        for name in params:
            owner, inside, inner = name.partition("__")
            part = params.get(owner, own.get(owner))
            if not inside or owner not in own or hasattr(part, "set_params"):
                continue
            made[owner] = self._default_part(owner, part)
            if made[owner] is None:
                meant = f" Did you mean {inner!r}?" if inner in own else ""
                raise ValueError(
                    f"{name!r} sets {inner!r} of the nested estimator {owner!r}, but {owner!r} of "
                    f"{type(self).__name__} is {part!r}. Set {owner!r} to an estimator with the "
                    f"parameter {inner!r} first.{meant}"
                )
        super().set_params(**{**params, **made})
        return self

    def _default_part(self, name: str, given: Any) -> Any:
        """Make the nested estimator that a value of a parameter stands for, or return None."""
        return None

    def _read_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Target]:
        """Read X and y; see `_read_kept`."""
        return self._read_kept(X, y, sample_weight)[:2]

    def _read_kept(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Table, Target, NDArray[np.bool_] | None]:
        """Read X and y without storing anything, so that a fit that fails changes nothing.

        Rows of weight 0 are dropped, so that they have no influence on types of columns, numbers of
        rows or folds; but all classes in y are kept. The mask marks the rows that are kept; None if
        all are.
        """
        self._check_in_memory(X, y)
        read = partial(
            read_table,
            X,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        table = read()
        check_has_rows(table, type(self).__name__)
        target = self._read_y(y, sample_weight)
        check_same_length(table, target)
        kept, target = rows_with_weight(target)
        if kept is not None:
            table = read(rows=kept)
        _warn_identifiers(table)
        table = self._cross(table, target)
        signs = getattr(self, "monotonic_cst", None)
        if signs is not None:
            check_monotonic(type(self).__name__, signs, table.schema, target)
        return table, target, kept

    def _cross(self, table: Table, target: Target) -> Table:
        """Append the crossed columns."""
        crossed = self.crossed_features
        if isinstance(crossed, str):  # "auto"
            crossed = find_crossings(table, target)
        return cross_columns(table, crossed) if crossed else table

    def _read_y(self, y: Any, sample_weight: Any) -> Target:
        """Read the target and the weights of rows."""
        raise NotImplementedError

    def _remember(self, table: Table, target: Target) -> None:
        """Store columns and classes at the end of a fit."""
        self._remember_columns(table.schema, target.classes, target.cost_matrix)

    def _remember_columns(
        self, schema: Schema, classes: NDArray[Any], costs: NDArray[np.float64] | None = None
    ) -> None:
        self.schema_ = schema
        self._costs = costs
        inputs = schema.inputs
        self.n_features_in_ = len(inputs)
        if schema.names_generated:
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        else:
            self.feature_names_in_ = np.array(inputs.names, dtype=object)

    @property
    def _target_spec(self) -> TargetSpec:
        """What is predicted, and how probabilities become a class."""
        raise NotImplementedError

    def _read_new(self, X: Any, columns_used: Callable[[], set[str]], handle_unknown: str) -> Table:
        """Read new rows; warn of unknown categories in columns that are used."""
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        check_has_rows(table, type(self).__name__)
        if unknown_counts(table) and (found := describe_unknown(table, columns_used())):
            if handle_unknown == "error":
                raise ValueError(
                    f"Found unknown categories in {found}. Map them to categories of the training "
                    "data, or use handle_unknown='stop', 'missing' or 'majority'."
                )
            warnings.warn(
                f"Found unknown categories in {found}. {self._unknown_texts[handle_unknown]}",
                UnknownCategoryWarning,
                stacklevel=user_stacklevel(),
            )
        return table


def _with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Call the callbacks of an estimator during its `fit`, if there are any."""

    @wraps(fit)
    def fit_(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "_functions" in vars(self) or "_skl_callbacks" in vars(self):
            return self._fit_with_callbacks(fit, args, kwargs)
        return fit(self, *args, **kwargs)

    return fit_


def _with_dask(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that predicts also take a frame of Dask."""
    if hasattr(method, "_takes_dask"):
        return method

    @wraps(method)
    def predict(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        if type(X).__module__.startswith(("dask.dataframe", "dask_expr")):
            from mixedwood.estimators._lazy import predict_frame

            return predict_frame(self, method.__name__, X, args, kwargs)
        return method(self, X, *args, **kwargs)

    predict._takes_dask = True  # type: ignore[attr-defined]
    return predict


class TableClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]
    """An estimator that predicts classes."""

    class_weight: Any = None
    cost_matrix: Any = None

    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Fit the model to a table.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class labels: text, booleans or integers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        return self._fit_rows(X, y, sample_weight)

    def _read_y(self, y: Any, sample_weight: Any) -> Target:
        return read_target(y, sample_weight, self.class_weight, self.cost_matrix)

    def _remember_columns(
        self, schema: Schema, classes: NDArray[Any], costs: NDArray[np.float64] | None = None
    ) -> None:
        super()._remember_columns(schema, classes, costs)
        self.classes_ = classes

    @property
    def _target_spec(self) -> TargetSpec:
        return TargetSpec(self.classes_, cost_matrix=getattr(self, "_costs", None))


class TableRegressor(RegressorMixin, TableEstimator):  # type: ignore[misc]
    """An estimator that predicts numbers."""

    _unknown_texts: ClassVar[dict[str, str]] = {
        **TableEstimator._unknown_texts,
        "stop": "These rows stop at the node that splits on the column and receive its prediction.",
    }

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Fit the model to a table.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Finite numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows; rows of weight 0 are ignored.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        return self._fit_rows(X, y, sample_weight)

    @property
    def _target_spec(self) -> TargetSpec:
        return TargetSpec.numbers()

    def _read_y(self, y: Any, sample_weight: Any) -> Target:
        return read_numbers(y, sample_weight, nonnegative=self._needs_nonnegative())

    def _needs_nonnegative(self) -> bool:
        """Whether the target must not be negative."""
        return False


def _warn_identifiers(table: Table) -> None:
    found = identifier_columns(table)
    if not found:
        return
    names = ", ".join(map(repr, found))
    one = len(found) == 1
    warnings.warn(
        f"Column{'' if one else 's'} {names} identif{'ies' if one else 'y'} rows: nearly every row "
        "has its own category, which cannot help to predict new rows. Consider dropping "
        f"{'it' if one else 'them'}.",
        IdentifierWarning,
        stacklevel=user_stacklevel(),
    )


def columns_used(trees: list[Tree]) -> set[str]:
    """Name the columns that are used by some tree."""
    if not trees:
        return set()
    used = [a for tree in trees for a in (tree.column, tree.term_column)]
    used += [model.design.column for tree in trees for model in tree.models]
    columns = trees[0].schema.columns
    return {columns[int(c)].name for c in np.unique(np.concatenate(used)) if 0 <= c < len(columns)}


def unknown_in_core(handle_unknown: str) -> str:
    """Name what the core does with unknown categories; "error" is raised before it sees them."""
    return "stop" if handle_unknown == "error" else handle_unknown
