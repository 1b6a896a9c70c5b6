"""Text of users on its way to a terminal: nothing in it moves the cursor or turns a line around."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["printable"]

# Joiners are part of words and emoji, and do nothing to their neighbors.
_JOINERS = "\u200c\u200d"
# Control characters with C1, format characters with those of writing direction, lone surrogates,
# and separators of lines and paragraphs.
_SPECIAL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SUSPECT = re.compile(r"[^ -~\n\t]")


def printable(text: str, *, lines: bool = True) -> str:
    r"""Spell out characters that control a terminal, as Python does in a literal.

    Parameters
    ----------
    text : str
        Anything.
    lines : bool, default=True
        Whether line breaks and tabs stay as they are.

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
