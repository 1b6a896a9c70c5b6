"""One question with the answer yes or no, asked of one column."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Schema, Table
from mixedwood.explain.conditions import RangeCondition, SetCondition
from mixedwood.explain.spelling import Style, name_words
from mixedwood.explain.words import DEFAULT, condition_words

__all__ = ["BinaryTest"]


@dataclass(frozen=True)
class BinaryTest:
    """A test that a binary column stands for.

    It is either a range, ``low < x <= high``, where x is a number or the place of an ordinal
    label; or some values of a nominal column. A range without ends asks whether the value is
    known, and is yes for every value, also one that no training row had; every other test answers
    no for a category it has not seen.

    Parameters
    ----------
    column : int
        Position of the column.
    low, high : float
        Ends of the range.
    codes : tuple of int or None
        Codes of the values, ascending, of a test by values; None for a range.
    missing : bool
        The answer where the value is missing.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"age": [1.0, 4.0, None], "colour": ["red", "blue", "green"]})
    >>> for test in (BinaryTest(0, 2.0, 5.0), BinaryTest(0), BinaryTest(1, codes=(0, 2))):
    ...     print(test.words(table.schema), test.answer(table).tolist())
    2 < age <= 5 [False, True, False]
    age is known [True, True, False]
    colour in {blue, red} [True, True, False]
    """

    column: int
    low: float = -inf
    high: float = inf
    codes: tuple[int, ...] | None = None
    missing: bool = False

    @property
    def asks_if_known(self) -> bool:
        """Whether the test only asks if there is a value."""
        return self.codes is None and self.low == -inf and self.high == inf

    @property
    def unseen(self) -> bool:
        """The answer for a category that no training row had."""
        return self.asks_if_known

    def words(self, schema: Schema, style: Style = DEFAULT) -> str:
        """Say the test in words.

        Parameters
        ----------
        schema : Schema
            What the columns are.
        style : Style, optional
            How much to tell.

        Returns
        -------
        str
            Such as ``age <= 30`` or ``colour in {red, blue}``.
        """
        column = schema.columns[self.column]
        if self.asks_if_known:
            return f"{name_words(column.name, style)} is known"
        if self.codes is not None:
            values = SetCondition(column, frozenset(self.codes), None, self.missing)
            return condition_words(values, style)
        pieces = ((self.low, self.high),)
        return condition_words(RangeCondition(column, pieces, self.missing), style)

    def answer(self, table: Table) -> NDArray[np.bool_]:
        """Answer for every row of a table.

        Parameters
        ----------
        table : Table
            Rows with the columns the test was made for.

        Returns
        -------
        ndarray of bool
            One for each row.
        """
        column, array = table.schema.columns[self.column], table.arrays[self.column]
        absent = np.isnan(array) if column.is_numeric else array == MISSING
        if self.asks_if_known:
            yes: NDArray[np.bool_] = ~absent
        elif self.codes is not None:
            listed = np.zeros(column.n_categories + 2, dtype=np.bool_)  # codes below 0 read the end
            listed[list(self.codes)] = True
            yes = listed[array]
        else:
            yes = (array > self.low) & (array <= self.high)
            if not column.is_numeric:
                yes &= array >= 0
        return yes | absent if self.missing else yes
