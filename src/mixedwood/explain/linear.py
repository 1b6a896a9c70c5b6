"""A linear test in words: ``0.052 age - 0.31 oldpeak + 0.8 [thal = normal] > 12.3``.

Terms keep their order, which is that of their importance, and the constant is moved to the right
side. Weights are rounded; `Style` says how much, and how many terms are told.
"""

from __future__ import annotations

import re

from mixedwood.data import Column
from mixedwood.explain.conditions import LinearCondition, LinearTerm
from mixedwood.explain.spelling import Style, label_words, name_words, number_words

__all__ = ["linear_words", "sum_words", "term_name", "term_words", "value_words"]

# Names that would be read as a part of the sum around them.
_MISREAD = re.compile(r"^[\d.+-]|[<>=\[\]]| [+*-] ")


def linear_words(condition: LinearCondition, style: Style, name: str | None = None) -> str:
    """Say a linear condition in words; `name` stands for the sum if it is told elsewhere."""
    left = sum_words(condition.terms, style) if name is None else name
    side = ">" if condition.positive else "<="
    right = number_words(-condition.intercept, style.linear_digits)
    words = f"{left} {side} {right}"
    if style.max_terms is None:
        fills = [
            f"{term_name(term, style)} as {number_words(term.fill, style.linear_digits)}"
            for term in condition.terms
            if term.fill is not None
        ]
        words += f" (missing {', '.join(fills)})" if fills else ""
    return words


def sum_words(terms: tuple[LinearTerm, ...], style: Style) -> str:
    """Spell a weighed sum.

    Examples
    --------
    >>> age, pay = Column("age", "numeric"), Column("pay", "numeric")
    >>> sum_words((LinearTerm(age, -0.51), LinearTerm(pay, 1.0)), Style())
    '-0.51 age + pay'
    """
    words = term_words(terms, style)
    if not words:
        return "0"
    first = words[0].removeprefix("+ ")
    return " ".join(["-" + first[2:] if first.startswith("- ") else first, *words[1:]])


def term_words(terms: tuple[LinearTerm, ...], style: Style) -> list[str]:
    """Spell the terms of a sum, each with its sign, and count those that are too many.

    Examples
    --------
    >>> columns = [Column(name, "numeric") for name in "abcd"]
    >>> terms = tuple(LinearTerm(column, -2.5) for column in columns)
    >>> term_words(terms, Style(max_terms=2))
    ['- 2.5 a', '- 2.5 b', '... and 2 more']
    """
    terms = tuple(term for term in terms if term.weight != 0)
    limit = style.max_terms
    shown = len(terms) if limit is None or len(terms) <= limit + 1 else limit
    words = []
    for term in terms[:shown]:
        size = number_words(abs(term.weight), style.linear_digits)
        name = term_name(term, style)
        text = name if size == "1" else f"{size} {name}"
        words.append(f"{'-' if term.weight < 0 else '+'} {text}")
    if shown < len(terms):
        words.append(f"... and {len(terms) - shown} more")
    return words


def term_name(term: LinearTerm, style: Style) -> str:
    """Name what a term asks for: a number, or in brackets whether the row has a value."""
    name = name_words(term.column.name, style)
    if term.code is not None:
        return f"[{name} = {value_words(term.column, term.code, style)}]"
    return repr(name) if _MISREAD.search(name) else name


def value_words(column: Column, code: int, style: Style) -> str:
    """Spell one value of a column with labels."""
    values = column.categories
    mixed = isinstance(values[0], str) != isinstance(values[-1], str)
    return label_words(values[code], style, mixed=mixed)
