"""Crossed columns: the combinations of some columns as the categories of one more column.

They are computed whenever rows are read, so that all that follows sees an ordinary nominal column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import errors
from mixedwood.data.schema import (
    MISSING,
    OTHER,
    UNKNOWN,
    CodeArray,
    Column,
    ColumnKind,
    Label,
    Schema,
    Table,
)

__all__ = ["MAX_CATEGORIES", "MIN_ROWS", "check_crossings", "cross_columns", "encode"]

MIN_ROWS = 2
"""A combination of fewer training rows is pooled."""

MAX_CATEGORIES = 1000
"""So many of the most frequent combinations have a category of their own at most."""

# Keys of combinations are 64-bit integers; up to the second limit they index a table.
_MAX_KEYS = 2**62
_MAX_DENSE = 2**20

Combination: TypeAlias = tuple[int, ...]


# Learning


def check_crossings(crossed: Sequence[Sequence[Any]], schema: Schema) -> list[tuple[str, ...]]:
    """Give the names of the columns to cross; they are given by name or position.

    Examples
    --------
    >>> schema = Schema((Column("a", "nominal", ("x", "y")), Column("b", "nominal", ("x",))))
    >>> check_crossings([("a", "b")], schema), check_crossings([[1, 0]], schema)
    ([('a', 'b')], [('b', 'a')])
    """
    inputs = schema.inputs
    found: list[tuple[str, ...]] = []
    for given in crossed:
        names = tuple(_column_name(item, inputs) for item in given)
        shown = f"crossed_features contains {errors.few([tuple(given)])}"
        if len(set(names)) < len(names):
            raise ValueError(f"{shown}, which names a column twice. Name distinct columns.")
        numeric = [name for name in names if inputs[name].is_numeric]
        if numeric:
            raise ValueError(
                f"{shown}, but {errors.few(numeric)} {'is' if len(numeric) == 1 else 'are'} "
                "numeric. Only nominal and ordinal columns can be crossed: discretize numbers "
                "first, e.g. with MDLPDiscretizer, or name the column in categorical_features."
            )
        if any(set(names) == set(other) for other in found):
            raise ValueError(f"{shown}, but these columns are crossed already. List each set once.")
        name = " & ".join(names)
        if name in schema:
            raise ValueError(f"{shown}, but X has a column {name!r} already. Rename or drop it.")
        if math.prod(inputs[source].n_categories for source in names) > _MAX_KEYS:
            raise ValueError(f"{shown}, which have too many combinations. Cross fewer columns.")
        found.append(names)
    return found


def _column_name(given: str | int, inputs: Schema) -> str:
    if isinstance(given, str):
        if given in inputs:
            return given
        raise ValueError(
            f"crossed_features names {given!r}, but X has no such column. It has: "
            f"{errors.few(inputs.names, 10)}."
        )
    if not 0 <= given < len(inputs):
        raise ValueError(
            f"crossed_features names the position {given}, but X has {len(inputs)} columns: "
            f"positions go from 0 to {len(inputs) - 1}."
        )
    return inputs.names[given]


def cross_columns(
    table: Table,
    crossed: Sequence[Sequence[Any]],
    *,
    min_rows: int = MIN_ROWS,
    max_categories: int = MAX_CATEGORIES,
) -> Table:
    """Append a column for each crossing, with the combinations that the rows have.

    Parameters
    ----------
    table : Table
        Training rows.
    crossed : sequence of sequences of str or int
        Names or positions of the columns of each crossing.
    min_rows : int, default=2
        Combinations of fewer rows are pooled into the category "other combinations".
    max_categories : int, default=1000
        If there are more combinations, the less frequent ones are pooled as well; of equally
        frequent ones, the first in the order of the sources' categories are kept.

    Returns
    -------
    Table
        The table with the further columns.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> rows = {"buying": ["low", "low", "high"] * 2, "maint": ["low", "high", None] * 2}
    >>> table = cross_columns(read_table(rows), [("buying", "maint")])
    >>> table.schema["buying & maint"].categories
    ('buying=low & maint=high', 'buying=low & maint=low')
    >>> table["buying & maint"]
    array([ 1,  0, -1,  1,  0, -1], dtype=int32)
    """
    names = check_crossings(crossed, table.schema)
    columns, arrays = list(table.schema.columns), list(table.arrays)
    for sources in names:
        found = _learn(table, sources, min_rows, max_categories)
        columns.append(found)
        arrays.append(_Crossing.of(found, table.schema).encode(table.arrays))
    return Table(Schema(tuple(columns), table.schema.names_generated), tuple(arrays), table.unknown)


def _learn(table: Table, sources: tuple[str, ...], min_rows: int, max_categories: int) -> Column:
    columns = [table.schema[name] for name in sources]
    sizes = [column.n_categories for column in columns]
    arrays = [table[name] for name in sources]
    known = np.all([codes >= 0 for codes in arrays], axis=0)
    keys, counts = np.unique(_keys([codes[known] for codes in arrays], sizes), return_counts=True)
    # Keys ascend, and the sort is stable.
    kept = np.zeros(len(keys), dtype=np.bool_)
    kept[np.argsort(-counts, kind="stable")[:max_categories]] = True
    kept &= counts >= min_rows
    combinations = _combinations(keys, sizes)
    spell = [_spelling(column) for column in columns]
    groups = {
        " & ".join(text[code] for text, code in zip(spell, combination, strict=True)): [combination]
        for combination, own in zip(combinations, kept.tolist(), strict=True)
        if own
    }
    rare = [c for c, own in zip(combinations, kept.tolist(), strict=True) if not own]
    if rare:
        groups[OTHER] = rare
    labels = tuple(sorted(groups))
    return Column(
        " & ".join(sources),
        ColumnKind.NOMINAL,
        labels,
        int(np.count_nonzero(np.any([codes == MISSING for codes in arrays], axis=0))),
        sources,
        tuple(tuple(groups[label]) for label in labels),
    )


def _keys(arrays: Sequence[NDArray[Any]], sizes: Sequence[int]) -> NDArray[np.int64]:
    """Number the combinations of codes, which are not negative."""
    keys = arrays[0].astype(np.int64)
    for codes, size in zip(arrays[1:], sizes[1:], strict=True):
        keys *= size
        keys += codes
    return keys


def _combinations(keys: NDArray[np.int64], sizes: Sequence[int]) -> list[Combination]:
    codes = []
    for size in reversed(sizes[1:]):
        keys, code = np.divmod(keys, size)
        codes.append(code.tolist())
    codes.append(keys.tolist())
    return list(zip(*reversed(codes), strict=True))


def _spelling(column: Column) -> list[str]:
    """Spell the categories of a source so that texts of different combinations differ."""
    mixed = len({isinstance(label, str) for label in column.categories}) > 1
    return [f"{column.name}={_label_text(label, mixed)}" for label in column.categories]


def _label_text(label: Label, mixed: bool) -> str:
    quoted = isinstance(label, str) and (mixed or not label or any(c in label for c in "&'\""))
    return repr(label) if quoted else str(label)


# Encoding


@dataclass(frozen=True)
class _Crossing:
    """How a crossed column is computed from the columns of a table."""

    places: tuple[int, ...]
    sizes: tuple[int, ...]
    keys: NDArray[np.int64]  # ascending
    codes: CodeArray
    dense: CodeArray | None

    @classmethod
    def of(cls, column: Column, schema: Schema) -> _Crossing:
        places = tuple(schema.position(name) for name in column.sources)
        sizes = tuple(schema.columns[place].n_categories for place in places)
        listed = [(c, code) for code, group in enumerate(column.combinations) for c in group]
        parts = np.array([c for c, _ in listed], dtype=np.int64).reshape(-1, len(places))
        keys, codes = (
            _keys(list(parts.T), sizes),
            np.array([code for _, code in listed], dtype=np.int32),
        )
        order = np.argsort(keys)
        dense = None
        if (n_keys := math.prod(sizes)) <= _MAX_DENSE:
            dense = np.full(n_keys, UNKNOWN, dtype=np.int32)
            dense[keys] = codes
        return cls(places, sizes, keys[order], codes[order], dense)

    def encode(self, arrays: Sequence[NDArray[Any]]) -> CodeArray:
        sources = [arrays[place] for place in self.places]
        if not len(self.keys):  # no row of training has all values
            found = np.full(len(sources[0]), UNKNOWN, dtype=np.int32)
        else:
            found = self._look_up(_keys([np.maximum(codes, 0) for codes in sources], self.sizes))
        lowest = np.minimum.reduce(sources)
        if lowest.size and lowest.min() < 0:
            found[lowest < 0] = UNKNOWN
            for codes in sources:  # a missing value counts more than an unknown one
                found[codes == MISSING] = MISSING
        return found

    def _look_up(self, keys: NDArray[np.int64]) -> CodeArray:
        if self.dense is not None:
            return self.dense[keys]
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.codes[places], np.int32(UNKNOWN))


def encode(table: Table, schema: Schema) -> Table:
    """Append the crossed columns of a schema to a table of its inputs.

    A missing value in a source makes the combination missing. An unknown category in a source, or
    a combination that no row had in training, is an unknown category of the crossed column.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> rows = {"a": ["x", "y"] * 2, "b": ["u", "v"] * 2}
    >>> schema = cross_columns(read_table(rows), [("a", "b")]).schema
    >>> new = read_table({"a": ["x", "x", None], "b": ["u", "v", "u"]}, schema=schema)
    >>> new["a & b"], new.unknown
    (array([ 0, -2, -1], dtype=int32), {'a & b': ('a=x & b=v',)})
    """
    crossings = schema.__dict__.get("_crossings")
    if crossings is None:
        crossings = [_Crossing.of(column, schema) for column in schema.derived]
        schema.__dict__["_crossings"] = crossings  # as a cached property would
    arrays, unknown = list(table.arrays), dict(table.unknown)
    for column, crossing in zip(schema.derived, crossings, strict=True):
        codes = crossing.encode(table.arrays)
        arrays.append(codes)
        rows = np.flatnonzero(codes == UNKNOWN)
        if len(rows):
            sources = np.array([table.arrays[place][rows] for place in crossing.places])
            unknown[column.name] = _unknown_labels(schema, column, sources)
    return Table.checked(schema, tuple(arrays), unknown)


def _unknown_labels(schema: Schema, column: Column, codes: NDArray[Any]) -> tuple[str, ...]:
    """Spell a few of the combinations that are not known."""
    sources = [schema[name] for name in column.sources]
    spell = [[*_spelling(source), f"{source.name}=(unknown)"] for source in sources]
    texts = [
        " & ".join(text[max(code, -1)] for text, code in zip(spell, combination, strict=True))
        for combination in np.unique(codes, axis=1).T[:5].tolist()
    ]
    return tuple(sorted(texts))
