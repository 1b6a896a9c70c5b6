"""Dates and units in cells of a file, and columns that look like numbers in another notation."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data.dates import ISO_DATE
from mixedwood.files import TextColumn

__all__ = ["common_unit", "notation_hint", "to_dates"]

_MOST = 10_000  # distinct cells that are looked at
_MOST_WORDS = 3  # distinct cells, such as "unknown", among numbers
_LEAST_NUMBERS = 10  # distinct numbers beside them
_OTHER_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{4}")  # day or month first
_SIGN = r"[+-]?"
_DECIMAL_COMMA = re.compile(_SIGN + r"\d+(,\d+)?")
_BOTH = re.compile(_SIGN + r"\d{1,3}(\.\d{3})*(,\d+)?")
_UNIT = re.compile(r"(?P<before>[$€£¥]?)\s*(?P<number>[+-]?\d[\d.,]*)\s*(?P<after>\D{0,12})")
_SEPARATORS = {",": "','", "'": '"\'"', " ": "' '"}


def notation_hint(name: str, cells: TextColumn) -> str | None:
    """Say how the cells of a categorical column could be read as numbers or dates.

    Returns
    -------
    str or None
        A sentence with an example and the option; None if the cells look like categories.
    """
    texts = cells.values[:_MOST].to_pylist()
    if len(texts) < 2:
        return None
    found = _option(name, texts, cells)
    if found is not None:
        what, example, option = found
        return (
            f"Column {name!r} is categorical, but its cells look like {what}, such as {example!r}. "
            f"To read them so, use: {option}"
        )
    if all(map(_OTHER_DATE.fullmatch, texts)):
        return (
            f"Column {name!r} is categorical, but its cells look like dates, such as {texts[0]!r}. "
            "Only dates like 2024-12-31 are read: write them so, and use: --dates"
        )
    words = [text for text in texts if not any(map(str.isdigit, text))]
    if not 0 < len(words) <= _MOST_WORDS or len(texts) - len(words) < _LEAST_NUMBERS:
        return None
    texts = [text for text in texts if text not in words]
    plain = re.compile(_SIGN + rf"(0|[1-9]\d*)({re.escape(cells.options.decimal)}\d*)?")
    found = _option(name, texts, cells)
    if found is None and not all(map(plain.fullmatch, texts)):
        return None
    what, example, option = found or ("numbers", texts[0], "")
    return (
        f"Column {name!r} is categorical, but apart from {', '.join(map(repr, words))} its cells "
        f"look like {what}, such as {example!r}. If these are missing values, leave the cells empty"
        + (f" and use: {option}" if option else ".")
    )


def _option(name: str, texts: list[str], cells: TextColumn) -> tuple[str, str, str] | None:
    if cells.options.decimal == "." and all(map(_DECIMAL_COMMA.fullmatch, texts)):
        return _commas(texts)
    if cells.options.decimal == "." and all(map(_BOTH.fullmatch, texts)):
        example = max(texts, key=lambda text: (text.count(",") + text.count("."), text))
        option = "--decimal , --thousands ."
        return "numbers with a decimal comma", example, option
    decimal = re.escape(cells.options.decimal)
    for sign, shown in _SEPARATORS.items():
        group = "[ \u00a0\u202f]" if sign == " " else sign
        form = re.compile(_SIGN + rf"\d{{1,3}}({group}\d{{3}})*({decimal}\d*)?")
        plain = re.compile(_SIGN + rf"\d+({decimal}\d*)?")
        if all(form.fullmatch(text) or plain.fullmatch(text) for text in texts):
            grouped = [text for text in texts if re.search(group, text)]
            if grouped:
                what = "numbers with a thousands separator"
                return what, grouped[0], f"--thousands {shown}"
    unit = common_unit(texts)
    if unit:
        what = f"numbers with the unit {unit!r}"
        return what, texts[0], f"--numeric {name}"
    if to_dates(cells) is not None:
        return "dates", texts[0], "--dates"
    return None


def _commas(texts: list[str]) -> tuple[str, str, str] | None:
    with_comma = [text for text in texts if "," in text]
    if not with_comma:
        return None  # leading zeros, say
    example = with_comma[0]
    if all(re.fullmatch(_SIGN + r"[1-9]\d{0,2},\d{3}", text) for text in with_comma):
        return (
            "numbers with a comma",
            example,
            "--decimal , or --thousands ,",
        )
    return "numbers with a decimal comma", example, "--decimal ,"


def common_unit(texts: list[str]) -> str:
    """Find the unit that all cells have beside a number; empty if there is none.

    Examples
    --------
    >>> common_unit(["12 kg", "7.5 kg"]), common_unit(["€ 3", "€ 10"]), common_unit(["3 kg", "3 g"])
    ('kg', '€', '')
    """
    units = set()
    for text in texts:
        found = _UNIT.fullmatch(text)
        if found is None:
            return ""
        units.add(found["before"] + found["after"].strip())
        if len(units) > 1 or (found["before"] and found["after"]):
            return ""
    return units.pop() if units else ""


def to_dates(cells: Any) -> NDArray[np.datetime64] | None:
    """Read a column of a file as dates in microseconds; None if it does not consist of dates.

    Parameters
    ----------
    cells : TextColumn or pyarrow.ChunkedArray
        Dates as ISO 8601 writes them, or a column of dates or timestamps.
    """
    import pyarrow
    import pyarrow.compute as pc

    stamp = pyarrow.timestamp("us")
    types = pyarrow.types
    if not isinstance(cells, TextColumn) and (
        types.is_string(cells.type) or types.is_large_string(cells.type)
    ):
        encoded = cells.combine_chunks().cast(pyarrow.string()).dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        cells = TextColumn(encoded.dictionary, codes)
    if not isinstance(cells, TextColumn):
        if not (types.is_timestamp(cells.type) or types.is_date(cells.type)):
            return None
        # Local time is what a calendar shows.
        zoned = getattr(cells.type, "tz", None) is not None
        cells = pc.local_timestamp(cells) if zoned else cells
        return np.asarray(cells.cast(stamp, safe=False).to_numpy(), "datetime64[us]")
    if (
        not len(cells.values)
        or not pc.all(pc.match_substring_regex(cells.values, ISO_DATE)).as_py()
    ):
        return None
    try:
        texts = cells.values.to_pylist()
        dates = np.array([text.rstrip("Z").replace(" ", "T") for text in texts], "datetime64[us]")
    except ValueError:  # month 13
        return None
    return cells.spread(dates, np.datetime64("NaT"))
