"""A sum over columns as aligned lines, the largest contributions first."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mixedwood.data import MISSING, Column, Table
from mixedwood.explain.linear import value_words
from mixedwood.explain.spelling import Style, name_words, number_words

__all__ = ["row_value", "sum_lines"]

_STYLE = Style()
_DIGITS = 6  # of the row's numbers


def sum_lines(
    bias: float,
    words: Sequence[str],
    amounts: Sequence[float],
    vote_adjustment: float | None,
    total: tuple[float, str],
    max_columns: int,
) -> list[str]:
    """Write a sum, one line for each large contribution and one for the rest.

    Examples
    --------
    >>> values, amounts = ["a = 1", "b = 2", "c = 3"], [0.1, -0.3, 0.0]
    >>> for line in sum_lines(0.5, values, amounts, None, (0.3, "total"), max_columns=8):
    ...     print(line)
       0.500  base value
      -0.300  b = 2
      +0.100  a = 1
       0.300  total
    """
    if max_columns < 0:
        raise ValueError(f"max_columns must be at least 0; got {max_columns}.")
    order = np.argsort(-np.abs(amounts), kind="stable").tolist()
    order = [place for place in order if amounts[place] != 0]
    shown = order if len(order) <= max_columns + 1 else order[:max_columns]  # no line for one
    entries = [(bias, "base value", "")]
    entries += [(amounts[place], words[place], "+") for place in shown]
    if rest := order[len(shown) :]:
        entries.append((math.fsum(amounts[place] for place in rest), f"{len(rest)} others", "+"))
    if vote_adjustment is not None:
        entries.append((vote_adjustment, "as each tree votes for one class", "+"))
    entries.append((*total, ""))
    # Three digits after the point, or as many of the largest number.
    largest = max(abs(amount) for amount, _, _ in entries)
    decimals = 3 if largest == 0 else min(max(3, 2 - math.floor(math.log10(largest))), 12)
    numbers = [f"{round(amount, decimals) + 0.0:{sign}.{decimals}f}" for amount, _, sign in entries]
    width = max(map(len, numbers))
    lines = zip(numbers, entries, strict=True)
    return [f"  {number:>{width}}  {told}" for number, (_, told, _) in lines]


def row_value(column: Column, one: Table) -> str:
    """Say which value of a column a table of one row has.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"colour": ["red"], "age": [None]})
    >>> [row_value(column, table) for column in table.schema]
    ['colour = red', 'age missing']
    """
    name = name_words(column.name, _STYLE)
    x = one[column.name][0].item()
    if math.isnan(x) or (not column.is_numeric and x == MISSING):
        return f"{name} missing"
    if column.is_numeric:
        return f"{name} = {number_words(x, _DIGITS)}"
    return f"{name} unknown" if x < 0 else f"{name} = {value_words(column, x, _STYLE)}"
