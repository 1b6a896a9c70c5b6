"""Cut points of numeric columns: which rule, how many ranges, and what the ranges are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import Schema, Table, Target
from mixedwood.explain.spelling import number_words

__all__ = ["DEFAULT_BINS", "RULES", "Cutting", "cut_table", "range_names", "read_cutting"]

RULES = ("mdlp", "caim", "equal_width", "equal_frequency")
DEFAULT_BINS = 5
_MOST_BINS = 65_536


@dataclass(frozen=True)
class Cutting:
    """A rule that cuts numbers into ranges, with what it is told.

    Parameters
    ----------
    rule : str
        One of ``"mdlp"``, ``"caim"``, ``"equal_width"``, ``"equal_frequency"``.
    n_bins : int or mapping of str to int, default=5
        Ranges of every column, or by the names of columns; others have 5. Only the last two rules
        ask for it.
    """

    rule: str
    n_bins: int | Mapping[str, int] = DEFAULT_BINS

    @property
    def needs_classes(self) -> bool:
        """Whether the rule looks at classes."""
        return self.rule in ("mdlp", "caim")

    def bins_of(self, name: str) -> int:
        """Ranges wanted of a column."""
        given = self.n_bins
        return int(given.get(name, DEFAULT_BINS) if isinstance(given, Mapping) else given)

    def check_names(self, schema: Schema) -> None:
        """Refuse numbers of ranges for columns that are not there, or are not cut."""
        if not isinstance(self.n_bins, Mapping):
            return
        for name in self.n_bins:
            if name not in schema:
                known = ", ".join(repr(c.name) for c in schema if c.is_numeric)
                raise ValueError(
                    f"n_bins names the column {name!r}, but X has none. Its numeric columns are: "
                    f"{known or 'none'}."
                )
            if not schema[name].is_numeric:
                raise ValueError(
                    f"n_bins names the column {name!r}, which is {schema[name].kind}; only numeric "
                    "columns are cut into ranges."
                )


def read_cutting(discretizer: Any, n_bins: Any = DEFAULT_BINS) -> Cutting:
    """Read a rule by its name, or off a discretizer of the library.

    Examples
    --------
    >>> read_cutting("equal_width", {"age": 3}).bins_of("age")
    3
    """
    if isinstance(discretizer, str) and discretizer in RULES:
        return Cutting(discretizer, _read_bins(n_bins))
    cutting = getattr(discretizer, "_cutting", None)
    if callable(cutting) and not isinstance(discretizer, type):
        found: Cutting = cutting()
        return found
    raise ValueError(
        f"discretizer must be {', '.join(map(repr, RULES[:-1]))} or {RULES[-1]!r}, or one of the "
        f"discretizers of mixedwood.preprocessing; got {discretizer!r}."
    )


def cut_table(table: Table, target: Target | None, cutting: Cutting) -> list[NDArray[np.float64]]:
    """Cut each numeric column; columns with labels get no cut."""
    cutting.check_names(table.schema)
    cuts = []
    for column, array in zip(table.schema, table.arrays, strict=True):
        if not column.is_numeric:
            cuts.append(np.empty(0))
            continue
        numbers = np.asarray(array, dtype=np.float64)
        if not cutting.needs_classes:
            n_bins = cutting.bins_of(column.name)
            cuts.append(_core.cut_points(numbers, None, 1, cutting.rule, n_bins))
            continue
        if target is None:
            raise ValueError(
                f"The rule {cutting.rule!r} looks at classes, and there are none. Use "
                "'equal_width' or 'equal_frequency'."
            )
        codes, n_classes = target.codes, target.n_classes
        cuts.append(_core.cut_points(numbers, codes, n_classes, cutting.rule, DEFAULT_BINS))
    return cuts


def range_names(cuts: NDArray[np.float64]) -> tuple[str, ...]:
    """Name the ranges between cuts, in order.

    Cuts are spelled with six digits, or all of them where two cuts would then look the same.

    Examples
    --------
    >>> range_names(np.array([2.9000000000000004, 5.15]))
    ('<= 2.9', '(2.9, 5.15]', '> 5.15')
    >>> range_names(np.array([]))
    ('any',)
    """
    if len(cuts) == 0:
        return ("any",)
    words = [number_words(cut, 6) for cut in cuts.tolist()]
    if len(set(words)) < len(words):
        words = [number_words(cut) for cut in cuts.tolist()]
    between = [f"({low}, {high}]" for low, high in pairwise(words)]
    return (f"<= {words[0]}", *between, f"> {words[-1]}")


def _read_bins(n_bins: Any) -> int | Mapping[str, int]:
    given = n_bins.values() if isinstance(n_bins, Mapping) else [n_bins]
    for number in given:
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or not 2 <= number <= _MOST_BINS:
            raise ValueError(
                f"n_bins must be a whole number from 2 to {_MOST_BINS}, or a mapping of column "
                f"names to such numbers; got {n_bins!r}."
            )
    return dict(n_bins) if isinstance(n_bins, Mapping) else int(n_bins)
