"""Escape control characters in text that is printed on a terminal."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["printable"]

# Joiners are part of words and emoji.
_JOINERS = "\u200c\u200d"
# Control characters, format characters (among them those of writing direction), lone surrogates,
# and line and paragraph separators.
_SPECIAL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SUSPECT = re.compile(r"[^ -~\n\t]")


def printable(text: str, *, lines: bool = True) -> str:
    r"""Escape characters that control a terminal, as in a Python literal.

    Parameters
    ----------
    text : str
        Any text.
    lines : bool, default=True
        Whether to keep line breaks and tabs.

    Examples
    --------
    >>> print(printable("\x1b[31mred\x9b0m, \u202etxt.exe, größer 日本 👨\u200d👩"))
    \x1b[31mred\x9b0m, \u202etxt.exe, größer 日本 👨‍👩
    >>> print(printable("two\nlines", lines=False))
    two\nlines
    """
    text = _SUSPECT.sub(_spell, text)
    return text if lines else text.replace("\n", "\\n").replace("\t", "\\t")


def _spell(found: re.Match[str]) -> str:
    sign = found[0]
    special = unicodedata.category(sign) in _SPECIAL and sign not in _JOINERS
    return sign.encode("unicode_escape").decode("ascii") if special else sign
