"""What `load` and the generators hand out."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.coded import KINDS, CodedTable, DatasetColumn
from mixedwood.datasets.frames import choose_frame, to_frame

if TYPE_CHECKING:
    from mixedwood.data.schema import Schema


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A table, its classes, and what is known about its columns.

    Attributes
    ----------
    name : str
        The name it was asked for by, with its variant after a slash if there was one.
    X : pandas.DataFrame, polars.DataFrame, pyarrow.Table or dict of str to ndarray
        The columns without the class. Nominal columns hold strings, ordinal ones ordered
        categories where the library has them, numeric ones int64 or float64.
    y : ndarray of str, shape (n_samples,)
        The class of each row. Always a numpy array, so that `y[rows]` means positions.
    columns : tuple of DatasetColumn
        Name, kind and labels of each column, from the source's description, never guessed.
    source : str
        Where it came from: "generated", "scikit-learn", "folder", "cache" or "openml".
    notes : str
        What to know before using it.

    Examples
    --------
    >>> from mixedwood import datasets
    >>> balance = datasets.load("balance-scale")
    >>> balance
    Dataset 'balance-scale': 625 rows, 4 columns (4 ordinal), source: generated
    classes: B 49, L 288, R 288
    >>> balance.columns[0].categories
    ('1', '2', '3', '4', '5')
    """

    name: str
    X: Any
    y: NDArray[np.str_]
    columns: tuple[DatasetColumn, ...]
    source: str
    notes: str = ""

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def n_features(self) -> int:
        """Number of columns, the class not counted."""
        return len(self.columns)

    @property
    def nominal_features(self) -> tuple[str, ...]:
        """Names of the nominal columns."""
        return self._names_of("nominal")

    @property
    def ordinal_features(self) -> tuple[str, ...]:
        """Names of the ordinal columns."""
        return self._names_of("ordinal")

    @property
    def numeric_features(self) -> tuple[str, ...]:
        """Names of the numeric columns."""
        return self._names_of("numeric")

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of each class, classes sorted as text."""
        classes, counts = np.unique(self.y, return_counts=True)
        return dict(zip(classes.tolist(), counts.tolist(), strict=True))

    @property
    def schema(self) -> "Schema":
        """The columns as mixedwood's trees see them."""
        # Entered only when asked for: data sets are useful without the rest of the library.
        from mixedwood.data.schema import Column, ColumnKind, Schema

        return Schema(tuple(Column(c.name, ColumnKind(c.kind), c.categories) for c in self.columns))

    def _names_of(self, kind: str) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.kind == kind)

    def __repr__(self) -> str:
        sizes = {kind: len(self._names_of(kind)) for kind in KINDS}
        parts = ", ".join(f"{n} {kind}" for kind, n in sizes.items() if n)
        counts = [f"{label} {count}" for label, count in self.class_counts.items()]
        shown = ", ".join(counts[:6]) + (f", and {len(counts) - 6} more" if counts[6:] else "")
        return (
            f"Dataset {self.name!r}: {self.n_samples} rows, {self.n_features} columns ({parts}), "
            f"source: {self.source}\nclasses: {shown}"
        )


def make_dataset(
    table: CodedTable, *, name: str, source: str, notes: str = "", frame: str = "auto"
) -> Dataset:
    """Hand a coded table out in the frame asked for."""
    return Dataset(
        name=name,
        X=to_frame(table, choose_frame(frame)),
        y=np.array(table.classes, dtype=np.str_)[table.target],
        columns=table.columns,
        source=source,
        notes=notes,
    )
