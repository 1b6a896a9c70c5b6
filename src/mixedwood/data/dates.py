"""Columns of dates, read as numbers and categories that splits can use."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from mixedwood.data.errors import few
from mixedwood.data.frames import ColumnData

__all__ = ["DATE_PARTS", "ISO_DATE", "date_parts", "has_dates", "parse_dates"]

DATE_PARTS = ("year", "month", "weekday", "days", "hour")
"""The parts of a date; "days" counts the days since 1970-01-01."""

_WEEKDAYS = np.array(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", None], dtype=object)
# A date, or a date and a time of day, as ISO 8601 writes them, without an offset from UTC.
ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?Z?)?$"


def date_parts(dates: NDArray[np.datetime64], parts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Give parts of dates: numbers, and weekdays as text; missing where the date is.

    Examples
    --------
    >>> friday = np.array(["2024-02-09T18:30", "NaT"], "datetime64[us]")
    >>> date_parts(friday, ["month", "weekday", "days"])["weekday"].tolist()
    ['Fri', None]
    >>> date_parts(friday, ["days", "hour"])["days"].tolist()
    [19762.0, nan]
    """
    missing = np.isnat(dates)
    day, month = dates.astype("datetime64[D]"), dates.astype("datetime64[M]")
    days = np.where(missing, 0, day.astype(np.int64))
    numbers = {
        "year": dates.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": month.astype(np.int64) % 12 + 1,
        "days": days,
        "hour": (dates - day).astype("timedelta64[h]").astype(np.int64),
    }
    found: dict[str, NDArray[Any]] = {}
    for part in parts:
        if part == "weekday":
            found[part] = _WEEKDAYS[np.where(missing, 7, (days + 3) % 7)]
        else:
            found[part] = np.where(missing, np.nan, numbers[part])
    return found


def has_dates(column: ColumnData) -> bool:
    """Whether a column of any container has a type of dates, or dates as Python objects."""
    if isinstance(column, nw.Series):
        if column.dtype != nw.Object:
            return isinstance(column.dtype, nw.Date | nw.Datetime)
        values = column.to_list()
    elif isinstance(column, np.ndarray) and column.dtype.kind != "O":
        return column.dtype.kind == "M"
    else:
        values = list(column)
    known = [value for value in values if value is not None and value == value]
    return bool(known) and all(isinstance(value, datetime.date) for value in known)


def parse_dates(name: str, column: ColumnData) -> NDArray[np.datetime64]:
    """Read a column of any container as dates in microseconds.

    Text must be as ISO 8601 writes dates, and times with an offset are as a local calendar shows
    them.

    Examples
    --------
    >>> parse_dates("when", ["2024-02-29", None]).tolist()
    [datetime.datetime(2024, 2, 29, 0, 0), None]
    """
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        return column.astype("datetime64[us]")
    if isinstance(column, nw.Series) and column.dtype == nw.Datetime:
        if cast(nw.Datetime, column.dtype).time_zone is not None:
            column = column.dt.replace_time_zone(None)
        column = column.cast(nw.Datetime("us"))
    values = column.to_list() if isinstance(column, nw.Series) else list(column)
    dates = np.full(len(values), "NaT", "datetime64[us]")
    for row, value in enumerate(values):
        if value is None or value != value:
            continue
        if isinstance(value, datetime.datetime):
            value = value.replace(tzinfo=None)
        is_text = isinstance(value, str)
        if is_text and not value.strip():
            continue
        try:
            if is_text and not re.match(ISO_DATE, value.strip()):
                raise ValueError
            if not is_text and not isinstance(value, datetime.date):
                raise ValueError
            dates[row] = value.strip().rstrip("Z") if is_text else np.datetime64(value, "us")
        except ValueError:
            raise ValueError(
                f"Column {name!r} has {few([value])} in row {row}, which is not a date. Write "
                "dates as 2024-02-29 or 2024-02-29 18:30, and mark unknown ones as missing."
            ) from None
    return dates
