"""How numbers, labels, names, lists and shares are spelled in words.

Thresholds are spelled exactly by default: the shortest digits that read back as the same float,
so that a person who follows the words gets the tree's own answer. Pictures, and the numbers of
linear tests, are rounded to a few significant digits instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any

__all__ = [
    "Style",
    "label_words",
    "list_words",
    "name_words",
    "number_words",
    "share_words",
    "weight_words",
]

_QUOTED = frozenset(",{}'\"")


@dataclass(frozen=True)
class Style:
    """How much words tell.

    Parameters
    ----------
    max_values : int or None, default=8
        Values named in a list before the rest is counted. None names all.
    max_label : int or None, default=60
        Characters of a label or name before it is cut. None cuts nothing.
    digits : int or None, default=None
        Significant digits of thresholds. None spells them exactly.
    linear_digits : int or None, default=4
        Significant digits of the weights and the constant of linear tests. None spells them
        exactly.
    max_terms : int or None, default=8
        Terms of a linear test that are told before the rest is counted. None tells all, and what
        stands in for missing numbers.
    """

    max_values: int | None = 8
    max_label: int | None = 60
    digits: int | None = None
    linear_digits: int | None = 4
    max_terms: int | None = 8

    def __post_init__(self) -> None:
        if self.max_terms is not None and self.max_terms < 1:
            raise ValueError(f"max_terms must be at least 1, not {self.max_terms}.")


def number_words(number: float, digits: int | None = None) -> str:
    """Spell a number exactly, or with some significant digits.

    Examples
    --------
    >>> number_words(39.0), number_words(0.1 + 0.2), number_words(0.1 + 0.2, digits=6)
    ('39', '0.30000000000000004', '0.3')
    >>> number_words(1234567.5, digits=4)
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


def label_words(label: Any, style: Style, *, mixed: bool = False) -> str:
    """Spell a label, quoted like in Python where it could be misread.

    Quoted are texts with commas, quotes, braces, line breaks and other characters that are not
    printed, outer spaces, and no character at all. In a column of texts and numbers (`mixed`)
    all texts are quoted, so that ``1`` and ``'1'`` differ.

    Examples
    --------
    >>> label_words("dark red", Style()), label_words("a, b", Style()), label_words(2, Style())
    ('dark red', "'a, b'", '2')
    """
    if hasattr(label, "item"):
        label = label.item()  # of numpy, as in the classes of a tree
    if isinstance(label, float):
        return number_words(label)
    text = _shorten(str(label), style.max_label)
    if not isinstance(label, str):
        return text if text.isprintable() else repr(text)
    odd = not text or not text.isprintable() or text != text.strip()
    return repr(text) if mixed or odd or not _QUOTED.isdisjoint(text) else text


def name_words(name: str, style: Style) -> str:
    r"""Spell the name of a column; quoted if empty or not printable.

    Examples
    --------
    >>> name_words("capital gain", Style()), name_words("two\nlines", Style())
    ('capital gain', "'two\\nlines'")
    """
    text = _shorten(name, style.max_label)
    return text if text.isprintable() and text and text == text.strip() else repr(text)


def list_words(words: Iterable[str], total: int, style: Style) -> str:
    """List the first of `total` words in braces and count the rest.

    Examples
    --------
    >>> list_words("abcdef", 6, Style(max_values=3))
    '{a, b, c, ... 3 more}'
    >>> list_words("abcd", 4, Style(max_values=3))  # one more is shown, not counted
    '{a, b, c, d}'
    """
    limit = style.max_values
    shown = total if limit is None or total <= limit + 1 else limit
    parts = list(islice(words, shown))
    if shown < total:
        parts.append(f"... {total - shown} more")
    return "{" + ", ".join(parts) + "}"


def share_words(share: float) -> str:
    """Spell a share in percent; only all is 100 % and only nothing is 0 %.

    Examples
    --------
    >>> share_words(0.874), share_words(0.999), share_words(1.0), share_words(0.001)
    ('87 %', '>99 %', '100 %', '<1 %')
    """
    percent = 100.0 * share
    if 99.5 <= percent < 100.0 - 1e-9:
        return ">99 %"
    if 1e-9 < percent < 0.5:
        return "<1 %"
    return f"{percent:.0f} %"


def weight_words(weight: float) -> str:
    """Spell the weight of rows: whole numbers in full, others with some digits.

    Examples
    --------
    >>> weight_words(1200000.0), weight_words(12.345678)
    ('1200000', '12.35')
    """
    return f"{weight:.0f}" if float(weight).is_integer() else number_words(weight, digits=4)


def _shorten(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
