"""From ranges and categories to binary columns: which tests a table offers.

A column is a row of groups in order: ranges of numbers, places of an ordinal column, or values of
a nominal one. An encoding chooses sets of groups, and each set is a test.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Column, ColumnKind, Table, Target
from mixedwood.preprocessing.binary_test import BinaryTest
from mixedwood.preprocessing.cutting import Cutting, cut_table

__all__ = ["ENCODINGS", "binarise", "binary_cuts", "windows"]

ENCODINGS = ("one_hot", "multi_hot", "thresholds", "subsets")


def windows(m: int, encoding: str, *, missing: bool = False) -> Iterator[tuple[int, int]]:
    """First and last of the groups that answer yes, for m groups in order, counted from 0.

    A window and the groups outside it are one test, and come once. Not so where values are missing:
    they answer no to both, so that both are wanted.

    Examples
    --------
    >>> list(windows(4, "one_hot"))
    [(0, 0), (1, 1), (2, 2), (3, 3)]
    >>> list(windows(4, "multi_hot"))
    [(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (1, 2)]
    >>> list(windows(3, "thresholds")), list(windows(3, "thresholds", missing=True))
    ([(0, 0), (0, 1)], [(0, 0), (0, 1), (1, 2), (2, 2)])
    """
    if m < 2:
        return
    if encoding == "thresholds":
        yield from ((0, last) for last in range(m - 1))
        yield from ((first, m - 1) for first in range(1, m) if missing)
        return
    yield from ((group, group) for group in range(1 if m == 2 and not missing else m))
    if encoding == "multi_hot":
        # Windows that hold the last group have been seen from outside.
        for length in range(2, m if missing else m - 1):
            starts = range(m - length + (1 if missing else 0))
            yield from ((start, start + length - 1) for start in starts)


def binarise(
    table: Table,
    target: Target | None,
    *,
    cutting: Cutting,
    encoding: str,
    max_subset_values: int = 8,
) -> tuple[NDArray[np.uint8], list[BinaryTest]]:
    """Turn a table into binary columns, with the tests they stand for.

    Tests that are constant on the table are left out; equal ones stay.

    Returns
    -------
    matrix : ndarray of uint8 and shape (n_rows, n_columns)
        1 where the answer is yes.
    tests : list of BinaryTest
        One for each column.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"age": [1.0, 2.0, 3.0, 4.0], "on": [True, False, True, True]})
    >>> matrix, tests = binarise(
    ...     table, None, cutting=Cutting("equal_width", 3), encoding="thresholds"
    ... )
    >>> [test.words(table.schema) for test in tests]
    ['age <= 2', 'age <= 3', 'on = True']
    >>> matrix.T.tolist()
    [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]]
    """
    cuts = binary_cuts(table, cut_table(table, target, cutting))
    tests: list[BinaryTest] = []
    answers: list[NDArray[np.bool_]] = []
    for place in range(table.n_columns):
        for test in _column_tests(table, place, cuts[place], encoding, max_subset_values):
            answer = test.answer(table)
            if answer.any() and not answer.all():
                tests.append(test)
                answers.append(answer)
    matrix = np.empty((table.n_rows, len(tests)), dtype=np.uint8)
    for place, answer in enumerate(answers):
        matrix[:, place] = answer
    return matrix, tests


def binary_cuts(table: Table, cuts: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Cut numeric columns with two distinct numbers between them, whatever a rule says.

    They are binary already: no rule is asked whether they may stay.
    """
    result = []
    for column, array, at in zip(table.schema, table.arrays, cuts, strict=True):
        if column.is_numeric:
            least, most = np.fmin.reduce(array, initial=inf), np.fmax.reduce(array, initial=-inf)
            if least < most and np.all((array == least) | (array == most) | np.isnan(array)):
                middle = least / 2 + most / 2
                at = np.array([middle if least <= middle < most else least])
        result.append(at)
    return result


def _column_tests(
    table: Table, place: int, cuts: NDArray[np.float64], encoding: str, most: int
) -> list[BinaryTest]:
    """Tests that one column offers."""
    column, array = table.schema.columns[place], table.arrays[place]
    absent = np.isnan(array) if column.is_numeric else array < 0
    present = np.unique(array[~absent])
    if column.kind == ColumnKind.NOMINAL:
        codes = [int(code) for code in present]
        chosen = _value_sets(column, codes, encoding, most, bool(absent.any()))
        made = [BinaryTest(place, codes=group) for group in chosen]
    else:
        # A place in an order is cut at the last of the places that are left of the cut.
        at = cuts if column.is_numeric else present[:-1]
        edges = list(pairwise([-inf, *map(float, at), inf]))
        encoding = "thresholds" if encoding == "subsets" else encoding
        spans = list(windows(len(edges), encoding, missing=bool(absent.any())))
        if column.is_numeric and present.tolist() == [0.0, 1.0] and not absent.any():
            spans = [(1, 1)]  # yes where there is a 1: the column goes straight through
        made = [BinaryTest(place, edges[a][0], edges[b][1]) for a, b in spans]
    if absent.any():
        made.append(BinaryTest(place))
    return made


def _value_sets(
    column: Column, codes: list[int], encoding: str, most: int, missing: bool
) -> list[tuple[int, ...]]:
    """Sets of values of a nominal column. Neighbours mean nothing there: no windows."""
    m = len(codes)
    if encoding == "subsets" and 2 < m <= most:
        # Each way to divide the values once, with the last value on the side of no; or both ways.
        return [
            tuple(code for bit, code in enumerate(codes) if mask >> bit & 1)
            for mask in range(1, 2**m - 1 if missing else 2 ** (m - 1))
        ]
    if m == 2 and not missing:
        is_flag = [column.categories[code] for code in codes] == [False, True]
        return [(codes[1 if is_flag else 0],)]  # yes where a boolean is True
    return [(code,) for code in codes] if m > 1 else []
