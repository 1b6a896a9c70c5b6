"""The base class of the transformers: reading X, and names of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mixedwood.data import (
    Schema,
    Table,
    Target,
    check_same_length,
    read_table,
    read_target,
)
from mixedwood.data.schema import check_has_rows

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["TableTransformer"]


class TableTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of any table that the library can read."""

    categorical_features: Any
    ordinal_features: Mapping[str, Sequence[Any]] | None
    schema_: Schema
    n_features_in_: int

    _without_classes: ClassVar[str] = (
        "Only 'equal_width' and 'equal_frequency' with a given n_bins do not need the classes."
    )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = self._needs_classes()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _needs_classes(self) -> bool:
        return False

    def _read(self, X: Any, y: Any) -> tuple[Table, Target | None]:
        """Read the arguments of `fit`; y only if it is used."""
        table = read_table(
            X,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        check_has_rows(table, type(self).__name__)
        if not self._needs_classes():
            return table, None
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None. "
                f"{self._without_classes}"
            )
        target = read_target(y)
        check_same_length(table, target)
        return table, target

    def _remember(self, schema: Schema) -> None:
        self.schema_ = schema
        self.n_features_in_ = len(schema.inputs)
        if schema.names_generated:
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        else:
            self.feature_names_in_ = np.array(schema.inputs.names, dtype=object)

    def _read_again(self, X: Any) -> Table:
        """Read the argument of `transform`."""
        check_is_fitted(self)
        table = read_table(X, schema=self.schema_, estimator=type(self).__name__)
        check_has_rows(table, type(self).__name__)
        return table

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the output columns: those of the input, then of crossed columns.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names to use if the table of `fit` had none.

        Returns
        -------
        ndarray of object
            Names.
        """
        check_is_fitted(self)
        own = np.array(self.schema_.inputs.names, dtype=object)
        given = own if input_features is None else np.asarray(input_features, dtype=object)
        if not self.schema_.names_generated and not np.array_equal(given, own):
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(given) != len(own):
            raise ValueError(
                f"input_features should have length equal to number of features ({len(own)}), "
                f"got {len(given)}"
            )
        name_of = dict(zip(own, given, strict=True))
        crossed = [" & ".join(name_of[s] for s in c.sources) for c in self.schema_.derived]
        return np.array([*given, *crossed], dtype=object)
