"""What all tree estimators do the same way: reading tables, answering, and words about a tree."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from mixedwood._limits import user_stacklevel
from mixedwood._warnings import IdentifierWarning, UnknownCategoryWarning
from mixedwood.data import (
    Schema,
    Table,
    Target,
    check_same_length,
    identifier_columns,
    read_table,
    read_target,
    rows_with_weight,
    unknown_counts,
)

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from mixedwood.tree import Tree

__all__ = [
    "TableClassifier",
    "columns_used",
]


class TableClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Reads tables of categories and numbers; subclasses learn from the typed table."""

    classes_: NDArray[Any]
    schema_: Schema
    n_features_in_: int

    # What becomes of values that no training row had, in a warning about them.
    _unseen_ways: ClassVar[dict[str, str]] = {
        "stop": (
            "These rows stop at the node that splits on the column and receive its class "
            "distribution."
        ),
        "missing": "They are treated as missing.",
        "majority": "These rows go to the child with the largest weight.",
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator, and with ``part__name`` those of its parts.

        A part that is left to its default is made for that, so that
        ``ForestClassifier().set_params(estimator__max_depth=5)`` changes the depth only.

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
                meant = f" Or did you mean {inner}?" if inner in own else ""
                raise ValueError(
                    f"{name} is {inner} of the estimator in {owner}, but {owner} of "
                    f"{type(self).__name__} is {part!r}. Set {owner} first, to an estimator with "
                    f"{inner}.{meant}"
                )
        super().set_params(**{**params, **made})
        return self

    def _default_part(self, name: str, given: Any) -> Any:
        """Make the estimator that a parameter stands for with such a value; None if for none."""
        return None

    def _read_training(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        class_weight: Any = None,
        categorical_features: Any = None,
        ordinal_features: Any = None,
    ) -> tuple[Table, Target]:
        """Read X and y; see `_read_kept`."""
        return self._read_kept(
            X,
            y,
            sample_weight,
            class_weight=class_weight,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
        )[:2]

    def _read_kept(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        class_weight: Any = None,
        categorical_features: Any = None,
        ordinal_features: Any = None,
    ) -> tuple[Table, Target, NDArray[np.bool_] | None]:
        """Read X and y; nothing is remembered yet, so that a fit that fails changes nothing.

        A row of weight 0 is as good as no row: what the columns are, every count of rows and every
        division of them is that of the other rows. Only the classes are all those in y. The mask
        says which rows are kept; None for all.
        """
        table = read_table(
            X, categorical_features=categorical_features, ordinal_features=ordinal_features
        )
        if table.n_rows == 0:
            raise ValueError(
                f"X has no rows: found array with 0 sample(s) (shape=(0, {table.n_columns})) while "
                f"a minimum of 1 is required by {type(self).__name__}."
            )
        target = read_target(y, sample_weight, class_weight)
        check_same_length(table, target)
        kept, target = rows_with_weight(target)
        if kept is not None:
            table = read_table(
                X,
                categorical_features=categorical_features,
                ordinal_features=ordinal_features,
                rows=kept,
            )
        _warn_of_identifiers(table)
        return table, target, kept

    def _remember(self, table: Table, target: Target) -> None:
        """Keep what the columns and classes are, once a fit has come to its end."""
        self._remember_columns(table.schema, target.classes)

    def _remember_columns(self, schema: Schema, classes: NDArray[Any]) -> None:
        self.schema_ = schema
        self.classes_ = classes
        self.n_features_in_ = len(schema)
        if schema.names_generated:
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        else:
            self.feature_names_in_ = np.array(schema.names, dtype=object)

    def _read_new(self, X: Any, columns_used: Callable[[], set[str]], handle_unknown: str) -> Table:
        """Read new rows; say once which columns hold values that no training row had."""
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        if table.n_rows == 0:
            raise ValueError(
                f"X has no rows: found array with 0 sample(s) (shape=(0, {table.n_columns})) while "
                f"a minimum of 1 is required by {type(self).__name__}."
            )
        counts = unknown_counts(table)
        if counts:
            used = columns_used()
            counts = {name: n for name, n in counts.items() if name in used}
        if counts:
            found = "; ".join(
                f"column {name!r} ({n} row{'s' * (n > 1)}): "
                + ", ".join(map(repr, table.unknown[name]))
                for name, n in counts.items()
            )
            if handle_unknown == "error":
                raise ValueError(
                    f"Found unknown categories in {found}. Map them to categories of the training "
                    "data, or use handle_unknown='stop', 'missing' or 'majority'."
                )
            warnings.warn(
                f"Found unknown categories in {found}. {self._unseen_ways[handle_unknown]}",
                UnknownCategoryWarning,
                stacklevel=user_stacklevel(),
            )
        return table


def _warn_of_identifiers(table: Table) -> None:
    found = identifier_columns(table)
    if not found:
        return
    names = ", ".join(map(repr, found))
    one = len(found) == 1
    warnings.warn(
        f"Column{'' if one else 's'} {names} identif{'ies' if one else 'y'} rows: nearly every row "
        "has a category of its own, which says nothing about new rows. Consider dropping "
        f"{'it' if one else 'them'}.",
        IdentifierWarning,
        stacklevel=user_stacklevel(),
    )


def columns_used(trees: list[Tree]) -> set[str]:
    """Name the columns that some tree asks for."""
    if not trees:
        return set()
    asked = np.concatenate([a for tree in trees for a in (tree.column, tree.term_column)])
    columns = trees[0].schema.columns
    return {columns[int(c)].name for c in np.unique(asked) if c >= 0}
