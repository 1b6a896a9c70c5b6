"""What a label of a category is, when two labels are the same, and how labels are ordered.

Rules, chosen so that the same table gives the same labels whatever library holds it:

* A label is text, a boolean, or a finite real number. Numbers are spelled canonically: ``2.0``,
  ``Decimal(2)`` and ``numpy.int8(2)`` are all the label ``2``.
* Labels equal in Python are one label. Text and numbers are never equal: ``1`` and ``"1"`` are
  two labels. Booleans beside numbers in one column are read as ``1`` and ``0``.
* Numbers (and booleans) come first, by size, then text by code point: no locale, no frame order.
* ``None``, NaN, ``pandas.NA`` and ``NaT`` are missing values, not labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from mixedwood.data import errors

__all__ = ["Cells", "Label", "clean_cells", "is_number_type", "sort_labels", "to_label"]

Label: TypeAlias = str | bool | int | float

# By name, because pandas need not be installed to have its values recognised.
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})


def to_label(value: Any, name: str) -> Label:
    """Spell one value canonically; `name` is the column's, for the error.

    Examples
    --------
    >>> to_label(2.0, "size"), to_label(np.bool_(True), "size"), to_label(np.str_("a"), "size")
    (2, True, 'a')
    """
    if isinstance(value, str):
        return str.__str__(value)  # also of subclasses such as members of a text enumeration
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if not is_number_type(type(value)):
        raise errors.unsupported_value(name, value)
    try:
        whole = int(value)
    except OverflowError:  # an infinity, which the caller refuses with its row
        return float(value)
    return whole if value == whole else float(value)


def is_number_type(kind: type) -> bool:
    """Whether values of a type are real numbers; booleans are not counted as such."""
    # numpy registers its scalars with `numbers`; its booleans are apart from them.
    return issubclass(kind, Real | Decimal) and not issubclass(kind, bool)


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Order distinct labels: numbers by size, then text by code point.

    Examples
    --------
    >>> sort_labels({"b", 10, "a", 2.5, "10"})
    (2.5, 10, '10', 'a', 'b')
    """
    numbers: list[bool | int | float] = []
    texts: list[str] = []
    for label in labels:
        if isinstance(label, str):
            texts.append(label)
        else:
            numbers.append(label)
    return (*sorted(numbers), *sorted(texts))


@dataclass(frozen=True)
class Cells:
    """A column of Python objects, cleaned: ``None`` is the only missing value left.

    Attributes
    ----------
    values : list
        One value per row; every other value is text, a boolean or a real number.
    types : frozenset of type
        Types of the values that are not missing.
    """

    values: list[Any]
    types: frozenset[type]

    @property
    def is_numeric(self) -> bool:
        """Whether there is a value, and all values are real numbers."""
        return bool(self.types) and all(is_number_type(kind) for kind in self.types)


def clean_cells(values: Iterable[Any], name: str) -> Cells:
    """Check the types of objects and make all missing ones ``None``.

    Works on the few distinct types, not on the many values, to be quick on long columns.

    Examples
    --------
    >>> clean_cells(["a", float("nan"), 1], "size").values
    ['a', None, 1]
    """
    values = list(values)
    types = set(map(type, values))
    absent = {kind for kind in types if kind.__name__ in _MISSING_TYPES}
    present = types - absent
    for kind in sorted(present, key=lambda kind: kind.__name__):
        if not (issubclass(kind, str | bool | np.bool_) or is_number_type(kind)):
            row = next(i for i, value in enumerate(values) if type(value) is kind)
            raise errors.unsupported_value(name, values[row], row)
    if absent - {type(None)}:
        values = [None if type(value) in absent else value for value in values]
    if not all(issubclass(kind, str | int) for kind in present):
        # Some type can be NaN, the one value that differs from itself.
        values = [None if value != value else value for value in values]
        present = set(map(type, values)) - {type(None)}
    return Cells(values, frozenset(present))
