"""Pieces of a table with numbers or classes as the target and weights, copied to a spool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood._progress import stage
from mixedwood.data.chunks import Chunks
from mixedwood.data.pieces import Job, Layout, Piece, divide, table_changed
from mixedwood.data.schema import ColumnKind, Label, Schema, Table
from mixedwood.data.spool import Spool, smallest_unsigned
from mixedwood.data.summary import summarize
from mixedwood.data.target import Target, read_numbers

__all__ = ["RowPieces", "SpooledRows"]

State = TypeVar("State")
Numbers = NDArray[np.float64]

_MAX_ROWS = 2**31 - 1  # sums of gradients share their bits with numbers of rows


class RowPieces:
    """A table in pieces whose target may be a number, as a source for the first look.

    Numbers are looked at here, and are one class for everything else.

    Parameters
    ----------
    chunks : Chunks
        The pieces.
    target : str
        The column of classes or numbers.
    max_bins : int
        Most bins of a numeric column.
    numbers : bool, default=False
        Whether the target is a number.
    weight : str, optional
        The column of the weights of the rows.
    check : callable, optional
        Called with the numbers of a piece and a name for them; raises an error if they do not fit.
    """

    def __init__(
        self,
        chunks: Chunks,
        target: str,
        max_bins: int,
        *,
        numbers: bool = False,
        weight: str | None = None,
        check: Callable[[Target, str], None] | None = None,
    ) -> None:
        self.chunks, self.target, self.max_bins = chunks, target, max_bins
        self.numbers, self.weight, self._check = numbers, weight, check
        self._range = (np.inf, -np.inf)

    def look(
        self,
        *,
        class_weight: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Label]] | None = None,
    ) -> SpooledRows:
        """Read the pieces for the first time."""
        layout = summarize(
            self,
            self.target,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
            weight=self.weight,
            class_weight=class_weight,
        ).layout
        if layout.n_rows > _MAX_ROWS:
            raise ValueError(
                f"The table has {layout.n_rows:,} rows; boosting is possible with up to "
                f"{_MAX_ROWS:,}."
            )
        if self.numbers and self._check is not None:  # of all together
            codes = np.zeros(2, dtype=np.int32)
            self._check(Target(np.empty(0), codes, values=np.array(self._range)), "y")
        return SpooledRows(self, layout, self._range[1])

    def run(
        self, job: Job[State], what: str = "", n_rows: int = 0, deadline: Deadline = NO_DEADLINE
    ) -> State | None:
        """Run a job over the pieces in their order; see `Source`."""
        state, self._range = job.start(), (np.inf, -np.inf)
        for name, frame in self.chunks:
            if deadline.is_over():
                return None
            state = job.add(state, name, self.with_classes(frame))  # checks the columns
            y = self.read_numbers(name, frame, ())
            if y is not None and len(y):
                self._range = (min(self._range[0], float(y.min())),
                               max(self._range[1], float(y.max())))  # fmt: skip
        return state

    def with_classes(self, frame: Any) -> Any:
        """The piece with a single class in place of numbers."""
        if not self.numbers or self.target not in frame.column_names:
            return frame
        import pyarrow as pa

        one = pa.array(np.zeros(frame.num_rows, dtype=np.int8))
        return frame.set_column(frame.column_names.index(self.target), self.target, one)

    def read_numbers(self, name: str, frame: Any, expected: Sequence[str]) -> Numbers | None:
        """Numbers of the rows with weight; None if the target has classes."""
        if not self.numbers:
            return None
        taken = divide(name, frame, self.target, expected, self.weight)
        if taken.n_rows == 0:
            return np.empty(0)
        try:
            target = read_numbers(taken.y)
            if self._check is not None:
                self._check(target, f"target {self.target!r}")
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error
        return target.numbers


class SpooledRows:
    """Bins, targets and weights of all rows: first what is known of them, then files.

    Attributes
    ----------
    schema : Schema
        The columns.
    classes : ndarray or None
        The classes; None for numbers.
    n_rows : int
        Number of rows with weight.
    n_bins : ndarray of int32
        Number of bins of each column; bin 0 has missing values.
    factors : ndarray of float64 or None
        Weights of the classes, if there are such weights.
    bytes_per_row : int
        Size of the files that `copy` writes.
    """

    def __init__(self, pieces: RowPieces, layout: Layout, largest: float) -> None:
        self._pieces, self._layout, self.largest = pieces, layout, largest
        self.schema: Schema = layout.schema
        self.classes = None if pieces.numbers else layout.classes
        self.n_rows, self.factors = layout.n_rows, layout.class_factors
        sizes = [
            column.n_categories if edges is None else len(edges)
            for column, edges in zip(layout.schema, layout.bins, strict=True)
        ]
        self.n_bins = np.array(sizes, dtype=np.int32) + np.int32(1)
        self._dtypes = [smallest_unsigned(int(n)) for n in self.n_bins]
        self._target_type = (
            np.dtype(np.float64) if pieces.numbers else smallest_unsigned(len(layout.classes))
        )
        self.has_weights = pieces.weight is not None or self.factors is not None
        kinds = [*self._dtypes, self._target_type, *[np.dtype(np.float64)] * self.has_weights]
        self.bytes_per_row = sum(kind.itemsize for kind in kinds)

    @property
    def class_weights(self) -> Numbers:
        """Weight of the rows of each class."""
        return self._layout.class_weights

    @property
    def thresholds(self) -> list[Numbers | None]:
        """Of a column with an order, the threshold behind each bin; None for others."""
        found: list[Numbers | None] = []
        layout = self._layout
        for column, edges, exact in zip(layout.schema, layout.bins, layout.exact, strict=True):
            if column.kind == ColumnKind.NOMINAL:
                found.append(None)
            elif edges is None:
                found.append(np.arange(column.n_categories, dtype=np.float64))
            elif not exact:
                found.append(edges)
            else:  # halfway, as in memory
                behind = np.append(edges[1:], edges[-1:])
                middle = edges / 2 + behind / 2
                found.append(np.where((middle >= edges) & (middle < behind), middle, edges))
        return found

    def copy(self, spool: Spool) -> None:
        """Read the pieces for the second time, and write bins, targets and weights to files."""
        self._bins = spool.arrays(self._dtypes)
        self._targets = spool.arrays([self._target_type])
        self._weights = spool.arrays([np.float64]) if self.has_weights else None
        kinds = [*self._dtypes, self._target_type, np.dtype(np.float64)]
        buffers = [np.empty(spool.block_rows, kind) for kind in kinds]
        block = filled = n_rows = 0
        plain = True  # every weight is 1

        def flush() -> None:
            self._bins.write(block, [a[:filled] for a in buffers[:-2]])
            self._targets.write(block, [buffers[-2][:filled]])
            if self._weights is not None:
                self._weights.write(block, [buffers[-1][:filled]])

        with stage("rows of the copy", self.n_rows) as advance:
            for arrays in self._read():
                n = len(arrays[-1])
                n_rows += n
                if n_rows > self.n_rows:
                    break
                plain = plain and bool((arrays[-1] == 1.0).all())
                start = 0
                while start < n:
                    some = min(n - start, spool.block_rows - filled)
                    for buffer, array in zip(buffers, arrays, strict=True):
                        buffer[filled : filled + some] = array[start : start + some]
                    start += some
                    filled += some
                    if filled == spool.block_rows:
                        flush()
                        block, filled = block + 1, 0
                if advance is not None:
                    advance(n_rows)
        if n_rows != self.n_rows:
            raise table_changed(f"The table had {self.n_rows} rows, and now {n_rows}")
        if filled:
            flush()
        if plain:
            self._weights = None

    def _pieces_again(self) -> Iterator[tuple[Piece, Numbers | None]]:
        pieces, layout = self._pieces, self._layout
        for name, frame in pieces.chunks:
            piece = layout.read(name, pieces.with_classes(frame))
            if piece.n_rows:
                yield piece, pieces.read_numbers(name, frame, layout.schema.names)

    def _read(self) -> Iterator[list[NDArray[Any]]]:
        """Bins, targets and weights of one piece after the other."""
        for piece, numbers in self._pieces_again():
            weights = np.ones(piece.n_rows) if piece.weights is None else piece.weights
            if self.factors is not None:
                weights = weights * self.factors[piece.classes]
            bins = [codes + np.int32(1) for codes in piece.codes]
            yield [*bins, piece.classes if numbers is None else numbers, weights]

    def bins(self, block: int) -> list[NDArray[Any]]:
        """Bins of the rows of a block."""
        return self._bins.read(block)

    def target(self, block: int) -> Target:
        """Targets and weights of the rows of a block."""
        (given,) = self._targets.read(block)
        weights = None if self._weights is None else self._weights.read(block)[0]
        if self.classes is None:
            return Target(np.empty(0), np.zeros(len(given), np.int32), weights, values=given)
        return Target(self.classes, given.astype(np.int32), weights)

    def held_out_rows(
        self, held_out: NDArray[np.bool_]
    ) -> Iterator[tuple[Table, NDArray[np.int32]]]:
        """Give the rows with a mark as tables with classes, from the pieces themselves."""
        start = 0
        for piece, _ in self._pieces_again():
            mine = held_out[start : start + piece.n_rows]
            start += piece.n_rows
            if mine.any():
                yield piece.table.take(mine), piece.classes[mine]
