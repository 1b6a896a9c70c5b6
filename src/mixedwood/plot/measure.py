"""How wide text is, without a font library; and cutting and wrapping by that width.

Widths are those of DejaVu Sans, which is about as wide as Verdana and wider than other common
fonts without serifs. So text that fits here fits in a browser that falls back to another one.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["FONTS", "is_measured", "shorten", "text_width", "wrap"]

FONTS = ("DejaVu Sans", "Verdana", "Geneva", "sans-serif")

# Hundredths of the font size, for the printable characters of ASCII from the space on.
_ASCII = (
    "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 "
    "53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 "
    "39 84 50 50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 "
    "34 64 84"
)
_WIDTHS = {chr(32 + i): int(w) / 100 for i, w in enumerate(_ASCII.split())} | {"…": 1.0}
_STICKY = frozenset({"<=", ">", "<", "=", "*", "+", "-", "or", "(or"})
_BOLD = 1.13  # the bold face is wider by about that much


@lru_cache(maxsize=4096)
def _char_width(char: str) -> float:
    width = _WIDTHS.get(char)
    if width is not None:
        return width
    if unicodedata.combining(char):
        return 0.0
    base = unicodedata.normalize("NFD", char)[0]
    if base in _WIDTHS:
        return _WIDTHS[base]  # a letter with an accent
    return 1.1 if unicodedata.east_asian_width(char) in "WF" else 0.85


def is_measured(text: str) -> bool:
    """Whether the width of a text is known rather than guessed, as for other scripts."""
    return all(char in _WIDTHS for char in unicodedata.normalize("NFD", text))


def text_width(text: str, size: float = 12.0, *, bold: bool = False) -> float:
    """Width of a line of text, in the unit of the font size.

    Examples
    --------
    >>> text_width("iii"), text_width("MMM")
    (10.08, 30.96)
    """
    width = sum(map(_char_width, text)) * size
    return round(width * _BOLD if bold else width, 2)


def shorten(text: str, room: float, size: float = 12.0, *, bold: bool = False) -> str:
    """Cut a line that is too wide, and end it with an ellipsis.

    Examples
    --------
    >>> shorten("a rather long name", 60.0)
    'a rather…'
    """
    if text_width(text, size, bold=bold) <= room:
        return text
    left = room / (size * (_BOLD if bold else 1.0)) - _WIDTHS["…"]
    for end, char in enumerate(text):
        left -= _char_width(char)
        if left < 0:
            return text[:end].rstrip() + "…"
    return text


def wrap(text: str, room: float, size: float = 12.0, max_lines: int = 3) -> list[str]:
    """Break text at spaces into lines of some width; the last one is cut if it must be.

    An operator stays with what follows it.

    Examples
    --------
    >>> wrap("colour in {blue, green, red}", 100.0)
    ['colour in {blue,', 'green, red}']
    """
    lines: list[str] = []
    line = ""
    words: list[str] = []
    for word in text.split(" "):
        if words and (word == "*" or words[-1].rpartition(" ")[2] in _STICKY):
            words[-1] += f" {word}"
        else:
            words.append(word)
    for i, word in enumerate(words):
        longer = f"{line} {word}" if line else word
        if not line or text_width(longer, size) <= room:
            line = longer
        elif len(lines) + 1 == max_lines:
            line = " ".join([line, *words[i:]])
            break
        else:
            lines.append(line)
            line = word
    return [shorten(part, room, size) for part in [*lines, line]]
