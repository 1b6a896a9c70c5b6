"""Text for numbers, labels, names, fractions, conditions and branches.

By default, thresholds are written exactly, with the fewest digits that read back as the same
float, so the text can be followed by hand with the same result. Pictures, and the coefficients of
linear splits, are rounded to a few significant digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import floor, inf
from typing import Any

from mixedwood.data import Column, ColumnKind
from mixedwood.explain.conditions import (
    Condition,
    LinearCondition,
    LinearTerm,
    Piece,
    RangeCondition,
    SetCondition,
    branch_conditions,
)
from mixedwood.tree import Tree

_QUOTED = frozenset(",{}'\"")
# Names that would be read as a part of the sum around them.
_MISREAD = re.compile(r"^[\d.+-]|[<>=\[\]]| [+*-] ")


@dataclass(frozen=True)
class Style:
    """Limits of the text that describes a condition.

    Parameters
    ----------
    max_values : int or None, default=8
        Maximum number of values in a list; the rest is counted. If None, all are listed.
    max_label : int or None, default=60
        Maximum number of characters of a label or name. If None, there is no limit.
    digits : int or None, default=None
        Significant digits of thresholds. If None, they are exact.
    linear_digits : int or None, default=4
        Significant digits of the coefficients and the intercept of linear splits. If None, they
        are exact.
    max_terms : int or None, default=8
        Maximum number of terms of a linear split; the rest is counted. If None, all terms are
        listed, and the values used in place of missing numbers.
    """

    max_values: int | None = 8
    max_label: int | None = 60
    digits: int | None = None
    linear_digits: int | None = 4
    max_terms: int | None = 8

    def __post_init__(self) -> None:
        if self.max_terms is not None and self.max_terms < 1:
            raise ValueError(f"max_terms must be None or at least 1. Got {self.max_terms} instead.")


DEFAULT = Style()


def format_float(number: float, digits: int | None = None) -> str:
    """Format a number exactly, or with some significant digits.

    Examples
    --------
    >>> format_float(39.0), format_float(0.1 + 0.2), format_float(0.1 + 0.2, digits=6)
    ('39', '0.30000000000000004', '0.3')
    >>> format_float(1234567.5, digits=4)
    '1234568'
    """
    number = float(number) + 0.0  # no minus before a zero
    if digits is None:
        text = repr(number)
    elif 10**digits <= abs(number) < 1e15:
        text = f"{number:.0f}"  # all digits before the point rather than an exponent
    else:
        text = f"{number:.{digits}g}"
    return text.removesuffix(".0")


def format_label(label: Any, style: Style = DEFAULT, *, mixed: bool = False) -> str:
    """Format a label, quoted as in Python where it could be misread.

    Labels with commas, quotes, braces, outer spaces or unprintable characters are quoted, and so
    is the empty text. In a column of texts and numbers (`mixed`) all texts are quoted, so that
    ``1`` and ``'1'`` differ.

    Examples
    --------
    >>> format_label("dark red"), format_label("a, b"), format_label(2)
    ('dark red', "'a, b'", '2')
    """
    if hasattr(label, "item"):
        label = label.item()  # a numpy scalar, as in the classes of a tree
    if isinstance(label, float):
        return format_float(label)
    text = _shorten(str(label), style.max_label)
    if not isinstance(label, str):
        return text if text.isprintable() else repr(text)
    odd = not text or not text.isprintable() or text != text.strip()
    return repr(text) if mixed or odd or not _QUOTED.isdisjoint(text) else text


def format_name(name: str, style: Style = DEFAULT) -> str:
    r"""Format the name of a column, quoted if it is empty or not printable.

    Examples
    --------
    >>> format_name("capital gain"), format_name("two\nlines")
    ('capital gain', "'two\\nlines'")
    """
    text = _shorten(name, style.max_label)
    return text if text.isprintable() and text and text == text.strip() else repr(text)


def format_category(column: Column, code: int, style: Style = DEFAULT) -> str:
    """Format one category of a column.

    Examples
    --------
    >>> format_category(Column("size", "ordinal", ("S", "M")), 1)
    'M'
    """
    categories = column.categories
    if column.sources and style.max_label is not None:  # one label of each source
        style = replace(style, max_label=style.max_label * len(column.sources))
    mixed = isinstance(categories[0], str) != isinstance(categories[-1], str)
    return format_label(categories[code], style, mixed=mixed)


def format_equality(
    column: Column, code: int, style: Style = DEFAULT, *, name: str | None = None
) -> str:
    """Describe that a column has a category; those of a crossed column state its sources.

    Examples
    --------
    >>> format_equality(Column("size", "ordinal", ("S", "M")), 1)
    'size = M'
    """
    text = format_category(column, code, style)
    if column.is_combination(code):
        return text
    return f"{format_name(column.name, style) if name is None else name} = {text}"


def format_list(texts: Iterable[str], total: int, style: Style = DEFAULT) -> str:
    """List the first of `total` texts in braces and count the rest.

    Examples
    --------
    >>> format_list("abcdef", 6, Style(max_values=3))
    '{a, b, c, ... 3 more}'
    >>> format_list("abcd", 4, Style(max_values=3))  # a single one is listed, not counted
    '{a, b, c, d}'
    """
    limit = style.max_values
    n_listed = total if limit is None or total <= limit + 1 else limit
    parts = list(islice(texts, n_listed))
    if n_listed < total:
        parts.append(f"... {total - n_listed} more")
    return "{" + ", ".join(parts) + "}"


def format_fraction(fraction: float) -> str:
    """Format a fraction in percent; 0 % and 100 % are used for exactly 0 and 1 only.

    Examples
    --------
    >>> format_fraction(0.874), format_fraction(0.999), format_fraction(1.0), format_fraction(0.001)
    ('87 %', '>99 %', '100 %', '<1 %')
    """
    percent = 100.0 * fraction
    if 99.5 <= percent < 100.0 - 1e-9:
        return ">99 %"
    if 1e-9 < percent < 0.5:
        return "<1 %"
    return f"{percent:.0f} %"


def format_weight(weight: float) -> str:
    """Format the weight of rows: integers in full, other numbers with four digits.

    Examples
    --------
    >>> format_weight(1200000.0), format_weight(12.345678)
    ('1200000', '12.35')
    """
    return f"{weight:.0f}" if float(weight).is_integer() else format_float(weight, digits=4)


def format_number(number: float, spread: float) -> str:
    """Format a predicted number with the decimals that its spread justifies.

    Parameters
    ----------
    number : float
        The number.
    spread : float
        Standard deviation of the target; numbers get the decimals of its second digit.

    Examples
    --------
    >>> format_number(23.1415, 4.2), format_number(3932.8, 3989.4), format_number(0.1, 0.0)
    ('23.1', '3933', '0.1')
    """
    if not spread > 0:
        return format_float(number, digits=6)
    decimals = max(0, 1 - math.floor(math.log10(spread)))
    if decimals > 9 or abs(number) >= 1e15:
        return format_float(number, digits=6)
    return f"{round(number, decimals) + 0.0:.{decimals}f}"


def format_branches(tree: Tree, node: int, style: Style = DEFAULT) -> list[str]:
    """Describe the condition of each branch of a node.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        A node of the tree; a leaf has no branches.
    style : Style, optional
        Limits of the text. By default, lists have up to 8 values and thresholds are exact. Linear
        splits have up to 8 terms, and their numbers are rounded to 4 digits.

    Returns
    -------
    list of str
        One text for each child, in order.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> schema = read_table({"color": ["red", "blue", "green"], "age": [1.0, 2.0, 3.0]}).schema
    >>> builder = TreeBuilder(schema, ["no", "yes"], [2, 1])
    >>> groups = ["blue", "red"], ["green"]
    >>> _ = builder.split_categories(0, "color", [[2, 0], [0, 1]], groups, missing=1)
    >>> format_branches(builder.build(), 0)
    ['color in {blue, red}', 'color = green (or missing)']
    """
    return [format_condition(condition, style) for condition in branch_conditions(tree, node)]


def format_condition(
    condition: Condition,
    style: Style = DEFAULT,
    *,
    name: str | None = None,
    show_missing: bool = True,
) -> str:
    """Describe a condition.

    Parameters
    ----------
    condition : Condition
        The condition.
    style : Style, optional
        Limits of the text.
    name : str, optional
        Text for the column, or for the sum of a linear split. By default its own name or terms.
    show_missing : bool, default=True
        Whether to add that missing or unknown values meet the condition too.

    Returns
    -------
    str
        The condition as text.

    Examples
    --------
    >>> from mixedwood.data import Column
    >>> from mixedwood.explain import LinearTerm
    >>> format_condition(RangeCondition(Column("age", "numeric"), ((12.0, 39.5),)))
    '12 < age <= 39.5'
    >>> terms = LinearTerm(Column("age", "numeric"), 0.5), LinearTerm(Column("pay", "numeric"), -2)
    >>> format_condition(LinearCondition(terms, 3.0, positive=True))
    '0.5 age - 2 pay > -3'
    """
    others = ["missing"] if show_missing and condition.missing else []
    others += ["unknown"] if show_missing and condition.unknown else []
    if isinstance(condition, LinearCondition):
        text = _linear_text(condition, style, name)
        others = others if condition.needs_numbers else []
    else:
        column = condition.column
        name = format_name(column.name, style) if name is None else name
        if isinstance(condition, SetCondition):
            codes = sorted(condition.codes)
            text = _categories_text(name, column, codes, len(codes), style)
        elif column.is_numeric:
            text = _ranges_text(name, condition.pieces, style)
        else:
            text = _places_text(name, condition, style)
        if not text:  # no value fits
            return f"{name} {' or '.join(others)}" if others else f"no {name}"
    return f"{text} (or {' or '.join(others)})" if others else text


def format_sum(terms: tuple[LinearTerm, ...], style: Style = DEFAULT) -> str:
    """Format a weighted sum.

    Examples
    --------
    >>> age, pay = Column("age", "numeric"), Column("pay", "numeric")
    >>> format_sum((LinearTerm(age, -0.51), LinearTerm(pay, 1.0)))
    '-0.51 age + pay'
    """
    first, *others = format_terms(terms, style) or ["0"]
    first = first.removeprefix("+ ")
    return " ".join(["-" + first[2:] if first.startswith("- ") else first, *others])


def format_terms(terms: tuple[LinearTerm, ...], style: Style = DEFAULT) -> list[str]:
    """Format the terms of a sum, each with its sign, and count those beyond the limit.

    Examples
    --------
    >>> columns = [Column(name, "numeric") for name in "abcd"]
    >>> terms = tuple(LinearTerm(column, -2.5) for column in columns)
    >>> format_terms(terms, Style(max_terms=2))
    ['- 2.5 a', '- 2.5 b', '... and 2 more']
    """
    terms = tuple(term for term in terms if term.weight != 0)
    limit = style.max_terms
    n_listed = len(terms) if limit is None or len(terms) <= limit + 1 else limit
    texts = []
    for term in terms[:n_listed]:
        size = format_float(abs(term.weight), style.linear_digits)
        text = _term_name(term, style) if size == "1" else f"{size} {_term_name(term, style)}"
        texts.append(f"{'-' if term.weight < 0 else '+'} {text}")
    return texts + [f"... and {len(terms) - n_listed} more"] * (n_listed < len(terms))


def _term_name(term: LinearTerm, style: Style) -> str:
    """Name of a numeric column, or in brackets the category that a row must have."""
    name = format_name(term.column.name, style)
    if term.code is not None:
        return f"[{format_equality(term.column, term.code, style)}]"
    return repr(name) if _MISREAD.search(name) else name


def _linear_text(condition: LinearCondition, style: Style, name: str | None) -> str:
    left = format_sum(condition.terms, style) if name is None else name
    right = format_float(-condition.intercept, style.linear_digits)
    text = f"{left} {'>' if condition.positive else '<='} {right}"
    fills = [
        f"{_term_name(term, style)} as {format_float(term.fill, style.linear_digits)}"
        for term in condition.terms
        if term.fill is not None and style.max_terms is None
    ]
    return text + (f" (missing {', '.join(fills)})" if fills else "")


def _ranges_text(name: str, pieces: tuple[Piece, ...], style: Style) -> str:
    limit = len(pieces) if style.max_values is None else style.max_values
    texts = [_range_text(name, piece, style) for piece in pieces[:limit]]
    texts += [f"... {len(pieces) - limit} more"] if len(pieces) > limit else []
    return " or ".join(texts)


def _range_text(name: str, piece: Piece, style: Style) -> str:
    low, high = piece
    if low == -inf and high == inf:
        return f"any {name}"
    below, above = format_float(low, style.digits), format_float(high, style.digits)
    if below == above:  # too few digits to distinguish them
        below, above = format_float(low), format_float(high)
    if low == -inf:
        return f"{name} <= {above}"
    return f"{name} > {below}" if high == inf else f"{below} < {name} <= {above}"


def _places_text(name: str, condition: RangeCondition, style: Style) -> str:
    """Describe ranges of codes by labels: by their order if one end is open, else as a list."""
    column = condition.column
    spans = _code_spans(condition)
    total = sum(map(len, spans))
    if len(spans) == 1 and column.kind == ColumnKind.ORDINAL:
        (span,) = spans
        if total == column.n_categories:
            return f"any {name}"
        if span.start == 0:
            return f"{name} <= {format_category(column, span.stop - 1, style)}"
        if span.stop == column.n_categories:
            return f"{name} > {format_category(column, span.start - 1, style)}"
    return _categories_text(name, column, chain.from_iterable(spans), total, style)


def _code_spans(condition: RangeCondition) -> list[range]:
    """Codes that lie in the ranges of a condition; adjacent ones are joined."""
    n = condition.column.n_categories
    spans: list[range] = []
    for low, high in condition.pieces:
        first = 0 if low < 0 else floor(min(low, n)) + 1
        stop = n if high >= n - 1 else floor(max(high, -1)) + 1
        if first < stop:
            joins = bool(spans) and spans[-1].stop == first
            spans.append(range(spans.pop().start if joins else first, stop))
    return spans


def _categories_text(
    name: str, column: Column, codes: Iterable[int], total: int, style: Style
) -> str:
    if total == 0:
        return ""
    if total > 1:
        texts = (format_category(column, code, style) for code in codes)
        return f"{name} in {format_list(texts, total, style)}"
    return format_equality(column, next(iter(codes)), style, name=name)


def _shorten(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
