"""Pieces of a table with numbers or classes as the target and weights, copied to a spool."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._limits import NO_DEADLINE, Deadline
from mixedwood._progress import stage
from mixedwood.data.chunks import Chunks
from mixedwood.data.pieces import Job, Layout, table_changed
from mixedwood.data.schema import ColumnKind, Label, Schema
from mixedwood.data.spool import Spool, smallest_unsigned
from mixedwood.data.summary import summarize
from mixedwood.data.target import Target, class_factors, read_numbers, read_target

__all__ = ["RowPieces", "SpooledRows"]

State = TypeVar("State")
Numbers = NDArray[np.float64]

_MAX_ROWS = 2**31 - 1  # sums of gradients share their bits with numbers of rows


@dataclass(eq=False)
class _Facts:
    """What the first look finds out about target and weights."""

    labels: set[Any] = field(default_factory=set)  # also of rows without weight
    weights: dict[Any, _core.ExactSums] = field(default_factory=dict)  # of the rows of a class
    n_rows: int = 0
    smallest: float = np.inf  # of the numbers
    largest: float = -np.inf


class RowPieces:
    """Rows with weight of a table in pieces: as a source for the first look, and to be copied.

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
    sample_weight : str, optional
        The column of the weights of the rows.
    class_weight : mapping, "balanced" or None
        Weights of classes, as for `read_target`.
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
        sample_weight: str | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        check: Callable[[Target, str], None] | None = None,
    ) -> None:
        self.chunks, self.target, self.max_bins = chunks, target, max_bins
        self.numbers, self.sample_weight, self.class_weight = numbers, sample_weight, class_weight
        self._check = check
        self._without_weight = (
            {label for label, factor in class_weight.items() if factor == 0}
            if isinstance(class_weight, Mapping)
            else set()
        )
        self._facts = _Facts()

    def look(
        self,
        *,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Label]] | None = None,
    ) -> SpooledRows:
        """Read the pieces for the first time."""
        self._facts = facts = _Facts()
        layout = summarize(
            self,
            self.target,
            categorical_features=categorical_features,
            ordinal_features=ordinal_features,
        ).layout
        if layout.n_rows > _MAX_ROWS:
            raise ValueError(
                f"The table has {layout.n_rows:,} rows; boosting is possible with up to "
                f"{_MAX_ROWS:,}."
            )
        if self.numbers:
            layout = replace(layout, classes=np.empty(0))
            return SpooledRows(self, layout, None, (facts.smallest, facts.largest))
        if len(facts.labels) > len(layout.classes):  # some only have rows without weight
            kind = layout.classes.dtype
            classes = np.array(sorted(facts.labels), dtype=kind if kind.kind != "U" else None)
            of_label = dict(zip(layout.classes.tolist(), layout.class_counts, strict=True))
            counts = np.array([of_label.get(label, 0) for label in classes.tolist()])
            layout = replace(layout, classes=classes, class_counts=counts)
        factors = None
        if self.class_weight is not None:
            k = len(layout.classes)
            totals = layout.class_counts.astype(np.float64)
            if self.sample_weight is not None:
                sums = self.weights_of_classes
                totals = np.array([sums.get(v, 0.0) for v in layout.classes.tolist()])
            codes = np.arange(k, dtype=np.int32)
            factors = class_factors(self.class_weight, layout.classes, codes, totals)
        return SpooledRows(self, layout, factors, (0.0, 0.0))

    def run(
        self, job: Job[State], what: str = "", n_rows: int = 0, deadline: Deadline = NO_DEADLINE
    ) -> State | None:
        """Run a job over the pieces without weights and numbers; see `Source`."""
        state, facts = job.start(), self._facts
        for name, frame in self.chunks:
            if deadline.is_over():
                return None
            rows, numbers, weights, labels = self.open(name, frame)
            facts.n_rows += frame.num_rows
            facts.labels |= labels
            if numbers is not None and len(numbers):
                facts.smallest = min(facts.smallest, float(numbers.min()))
                facts.largest = max(facts.largest, float(numbers.max()))
            if weights is not None and not self.numbers and len(weights):
                read = read_target(rows.column(self.target))
                for code, label in enumerate(read.classes.tolist()):
                    sums = facts.weights.setdefault(label, _core.ExactSums(1))
                    sums.add(np.ascontiguousarray(weights[read.codes == code]))
            state = job.add(state, name, rows)
        if facts.n_rows and self.sample_weight is not None and not self._has_weight(state):
            raise ValueError(
                f"All weights in the column {self.sample_weight!r} are 0; give some row a positive "
                "weight."
            )
        if self._check is not None and self.numbers and facts.largest > -np.inf:
            ends = np.array([facts.smallest, facts.largest])
            self._check(Target(np.empty(0), np.zeros(2, np.int32), values=ends), "y")
        return state

    @property
    def weights_of_classes(self) -> dict[Any, float]:
        """Sums of the weights of the rows of each class."""
        return {label: float(s.values()[0]) for label, s in self._facts.weights.items()}

    def _has_weight(self, state: Any) -> bool:
        return bool(getattr(state, "columns", True))  # a summary has columns once it has rows

    def open(
        self, name: str, frame: Any
    ) -> tuple[Any, Numbers | None, Numbers | None, set[Any]]:
        """Divide a piece into a table with classes, numbers, weights, and labels of all rows."""
        import pyarrow as pa

        frame, weights = self._take_weights(name, frame)
        if frame.num_rows == 0 or self.target not in frame.column_names:
            return frame, None, weights, set()  # the first look has the error
        labels: set[Any] = set()
        kept = None if weights is None else weights > 0
        if not self.numbers and (kept is not None or self._without_weight):
            read = self._read(name, frame, read_target)
            labels = set(read.classes.tolist())
            bad = [c for c, v in enumerate(read.classes.tolist()) if v in self._without_weight]
            if bad:
                has = ~np.isin(read.codes, bad)
                kept = has if kept is None else kept & has
        if kept is not None and not kept.all():
            frame = frame.filter(pa.array(kept))
            weights = None if weights is None else weights[kept]
        if not self.numbers:
            return frame, None, weights, labels
        place = frame.column_names.index(self.target)
        if frame.num_rows == 0:
            return frame.set_column(place, self.target, pa.array([], pa.int8())), None, weights, labels
        numbers = self._read(name, frame, read_numbers).numbers
        if self._check is not None:
            found = Target(np.empty(0), np.zeros(len(numbers), np.int32), values=numbers)
            try:
                self._check(found, f"target {self.target!r}")
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
        same = pa.array(np.zeros(len(numbers), np.int8))
        return frame.set_column(place, self.target, same), numbers, weights, labels

    def _read(self, name: str, frame: Any, read: Callable[[Any], Target]) -> Target:
        try:
            return read(frame.column(self.target))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error

    def _take_weights(self, name: str, frame: Any) -> tuple[Any, Numbers | None]:
        column = self.sample_weight
        if column is None:
            return frame, None
        if column not in frame.column_names or column == self.target:
            raise ValueError(
                f"{name} has no column {column!r} of weights besides the target {self.target!r}. "
                "sample_weight names a column of numbers."
            )
        import pyarrow as pa

        cells = frame.column(column)
        is_number = pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type)
        if not is_number or cells.null_count:
            what = f"{cells.null_count} missing values" if is_number else f"the type {cells.type}"
            raise ValueError(f"{name}: the weights in column {column!r} have {what}.")
        weights = np.ascontiguousarray(cells.to_numpy(), dtype=np.float64)
        bad = ~(np.isfinite(weights) & (weights >= 0.0))
        if bad.any():
            raise ValueError(
                f"{name}: column {column!r} has the weight {weights[np.argmax(bad)].item()!r}. "
                "Weights must be finite and not negative."
            )
        return frame.drop_columns([column]), weights


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

    def __init__(
        self, pieces: RowPieces, layout: Layout, factors: Numbers | None,
        limits: tuple[float, float],
    ) -> None:  # fmt: skip
        self._pieces, self._layout, self.factors = pieces, layout, factors
        self.schema: Schema = layout.schema
        self.classes = None if pieces.numbers else layout.classes
        self.n_rows = layout.n_rows
        self.smallest, self.largest = limits
        sizes = [
            column.n_categories if edges is None else len(edges)
            for column, edges in zip(layout.schema, layout.bins, strict=True)
        ]
        self.n_bins = np.array(sizes, dtype=np.int32) + np.int32(1)
        self._dtypes = [smallest_unsigned(int(n)) for n in self.n_bins]
        self._target_type = (
            np.dtype(np.float64) if pieces.numbers else smallest_unsigned(len(layout.classes))
        )
        self.has_weights = pieces.sample_weight is not None or factors is not None
        kinds = [*self._dtypes, self._target_type, *[np.dtype(np.float64)] * self.has_weights]
        self.bytes_per_row = sum(kind.itemsize for kind in kinds)

    @property
    def class_weights(self) -> Numbers:
        """Weight of the rows of each class."""
        found = np.array(self._layout.class_counts, dtype=np.float64)
        if self._pieces.sample_weight is not None:
            sums = self._pieces.weights_of_classes
            found = np.array([sums.get(v, 0.0) for v in self._layout.classes.tolist()])
        return found if self.factors is None else found * self.factors

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

    def _read(self) -> Iterator[list[NDArray[Any]]]:
        """Bins, targets and weights of one piece after the other."""
        layout = self._layout
        if self.classes is None:
            layout = replace(layout, classes=np.zeros(1, np.int64))
        for name, frame in self._pieces.chunks:
            rows, numbers, weights, _ = self._pieces.open(name, frame)
            piece = layout.read(name, rows)
            if piece.n_rows == 0:
                continue
            if weights is None:
                weights = np.ones(piece.n_rows)
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
    ) -> Iterator[tuple[str, Any]]:
        """Give the rows with a mark as tables, from the pieces themselves."""
        layout, start = self._layout, 0
        for name, frame in self._pieces.chunks:
            rows = self._pieces.open(name, frame)[0]
            piece = layout.read(name, rows)
            mine = held_out[start : start + piece.n_rows]
            start += piece.n_rows
            if mine.any():
                yield piece.table.take(mine), piece.classes[mine]
