"""A branch of a tree in words: ``age <= 39.5``, ``colour in {blue, red} (or missing)``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import floor, inf

from mixedwood.data import Column, ColumnKind
from mixedwood.explain.conditions import (
    Condition,
    LinearCondition,
    Piece,
    RangeCondition,
    SetCondition,
    branch_conditions,
)
from mixedwood.explain.linear import linear_words, value_words
from mixedwood.explain.spelling import Style, list_words, name_words, number_words
from mixedwood.tree import Tree

__all__ = ["branch_words", "condition_words", "value_words"]

DEFAULT = Style()


def branch_words(tree: Tree, node: int, style: Style = DEFAULT) -> list[str]:
    """Say in words what each branch of a node asks of a row.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        One of its nodes; a leaf has no branches.
    style : Style, optional
        How much to tell. By default lists end after 8 values and thresholds are exact: they are
        spelled with the fewest digits that read back as the same number. Linear tests end after
        8 terms, and their numbers are rounded to 4 digits.

    Returns
    -------
    list of str
        One for each child, in order.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> schema = read_table({"colour": ["red", "blue", "green"], "age": [1.0, 2.0, 3.0]}).schema
    >>> builder = TreeBuilder(schema, ["no", "yes"], [2, 1])
    >>> groups = ["blue", "red"], ["green"]
    >>> _ = builder.split_categories(0, "colour", [[2, 0], [0, 1]], groups, missing=1)
    >>> branch_words(builder.build(), 0)
    ['colour in {blue, red}', 'colour = green (or missing)']
    """
    return [condition_words(condition, style) for condition in branch_conditions(tree, node)]


def condition_words(
    condition: Condition, style: Style = DEFAULT, *, name: str | None = None, also: bool = True
) -> str:
    """Say a condition in words.

    Parameters
    ----------
    condition : Condition
        The condition.
    style : Style, optional
        How much to tell.
    name : str, optional
        What to call the column, or the sum of a linear test; otherwise its own name or terms.
    also : bool, default=True
        Whether to add that missing or unknown values fulfil the condition too.

    Returns
    -------
    str
        The words.

    Examples
    --------
    >>> from mixedwood.data import Column
    >>> from mixedwood.explain import LinearTerm
    >>> condition_words(RangeCondition(Column("age", "numeric"), ((12.0, 39.5),)))
    '12 < age <= 39.5'
    >>> terms = LinearTerm(Column("age", "numeric"), 0.5), LinearTerm(Column("pay", "numeric"), -2)
    >>> condition_words(LinearCondition(terms, 3.0, positive=True))
    '0.5 age - 2 pay > -3'
    """
    others = ["missing"] if also and condition.missing else []
    others += ["unknown"] if also and condition.unknown else []
    if isinstance(condition, LinearCondition):
        text = linear_words(condition, style, name)
        others = others if condition.needs_numbers else []
    else:
        name = name_words(condition.column.name, style) if name is None else name
        if isinstance(condition, SetCondition):
            text = _values(name, condition.column, sorted(condition.codes), style)
        elif condition.column.is_numeric:
            text = _numbers(name, condition.pieces, style)
        else:
            text = _places(name, condition, style)
        if not text:  # no value fits
            return f"{name} {' or '.join(others)}" if others else f"no {name}"
    return f"{text} (or {' or '.join(others)})" if others else text


def _piece(name: str, piece: Piece, style: Style) -> str:
    low, high = piece
    if low == -inf and high == inf:
        return f"any {name}"
    below, above = number_words(low, style.digits), number_words(high, style.digits)
    if below == above:  # too few digits to tell them apart
        below, above = number_words(low), number_words(high)
    if low == -inf:
        return f"{name} <= {above}"
    return f"{name} > {below}" if high == inf else f"{below} < {name} <= {above}"


def _numbers(name: str, pieces: tuple[Piece, ...], style: Style) -> str:
    limit = len(pieces) if style.max_values is None else style.max_values
    words = [_piece(name, piece, style) for piece in pieces[:limit]]
    words += [f"... {len(pieces) - limit} more"] if len(pieces) > limit else []
    return " or ".join(words)


def _places(name: str, condition: RangeCondition, style: Style) -> str:
    """Say ranges of places in labels: by order if one end is open, else by name."""
    column = condition.column
    spans = _code_spans(condition)
    total = sum(map(len, spans))
    if len(spans) == 1 and column.kind == ColumnKind.ORDINAL:
        (span,) = spans
        if total == column.n_categories:
            return f"any {name}"
        if span.start == 0:
            return f"{name} <= {value_words(column, span.stop - 1, style)}"
        if span.stop == column.n_categories:
            return f"{name} > {value_words(column, span.start - 1, style)}"
    return _listed(name, column, chain.from_iterable(spans), total, style)


def _code_spans(condition: RangeCondition) -> list[range]:
    """Codes of a column with labels that a condition on their places lets through."""
    n = condition.column.n_categories
    spans: list[range] = []
    for low, high in condition.pieces:
        first = 0 if low < 0 else floor(min(low, n)) + 1
        stop = n if high >= n - 1 else floor(max(high, -1)) + 1
        if first < stop:
            meets = bool(spans) and spans[-1].stop == first
            start = spans.pop().start if meets else first
            spans.append(range(start, stop))
    return spans


def _values(name: str, column: Column, codes: list[int], style: Style) -> str:
    return _listed(name, column, iter(codes), len(codes), style)


def _listed(name: str, column: Column, codes: Iterator[int], total: int, style: Style) -> str:
    words = (value_words(column, code, style) for code in codes)
    if total == 0:
        return ""
    return (
        f"{name} = {next(words)}" if total == 1 else f"{name} in {list_words(words, total, style)}"
    )
