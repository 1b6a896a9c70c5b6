"""Any X to a typed table: learning a schema, and reading new data with a known one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import refusals
from mixedwood.data.columns import (
    Factors,
    declared_kind,
    declared_order,
    factorize,
    open_column,
    to_numbers,
)
from mixedwood.data.frames import OpenTable, open_table
from mixedwood.data.labels import Label, sort_labels, to_label
from mixedwood.data.schema import Column, ColumnKind, Schema
from mixedwood.data.table import MISSING, UNSEEN, CodeArray, NumberArray, Table

__all__ = ["read_table", "read_table_as"]


def read_table(
    X: Any,
    *,
    categorical_features: str | Sequence[Any] | None = None,
    ordinal: Mapping[str, Sequence[Label]] | None = None,
    rows: NDArray[np.bool_] | None = None,
) -> Table:
    """Learn what the columns of a table are, and read it.

    Text, objects, booleans and unordered categoricals are nominal; ordered categoricals and
    polars' Enum are ordinal in their declared order; numbers are numeric, also when they are
    held as Python objects. Dates, bytes and nested types are refused. Integers beyond 2**53 are
    rounded to the nearest double in a numeric column; if they are identities rather than amounts,
    name the column in `categorical_features`, where they stay exact.

    Parameters
    ----------
    X : table
        pandas, polars or pyarrow table or any other eager frame narwhals knows, dict of columns,
        two-dimensional array, structured array, or list of rows. Columns without names are
        called ``x0``, ``x1``, ... A `Table` stays as it is: all its values are known, also those
        that none of its rows has.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Names, positions or a mask of columns to read as nominal whatever their type. The other
        columns, or all of them for None and ``"from_dtype"``, are read by their type.
    ordinal : mapping of str to sequence, optional
        For each column named here, its labels in order.
    rows : ndarray of bool, one per row, optional
        Which rows there are: all others are as good as not in X.

    Returns
    -------
    Table
        Codes of labels and numbers, with the schema that was learned.

    See Also
    --------
    read_table_as : Read new data with a schema learned before.

    Examples
    --------
    >>> X = {"size": ["S", "L", "S"], "colour": ["red", None, "blue"], "weight": [1, 2.5, 3]}
    >>> print(read_table(X, ordinal={"size": ["S", "M", "L"]}))
    Table of 3 rows and 3 columns
      size    ordinal, 3 values in order: 'S' < 'M' < 'L'; none missing
      colour  nominal, 2 values: 'blue', 'red'; 1 missing
      weight  numeric; none missing
    Ordinal columns, ordered categoricals among them, are split in order.
    """
    if isinstance(X, Table):
        table = _as_it_is(X, categorical_features, ordinal)
        return table if rows is None else table.take(rows)
    opened = open_table(X, _named(categorical_features, ordinal))
    if rows is not None:
        opened = opened.take(rows)
    forced = _read_categorical(categorical_features, opened.names)
    orders = _read_orders(ordinal, opened.names, forced)
    columns, arrays = [], []
    for name, data in zip(opened.names, opened.columns, strict=True):
        column, array = _learn_column(name, data, name in forced, orders.get(name))
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), opened.names_generated), tuple(arrays))


def read_table_as(X: Any, schema: Schema, *, estimator: str = "this model") -> Table:
    """Read new data with a known schema.

    Columns are found by name, in any order; columns the schema does not name are ignored. Where
    either side has no names they are found by position. A label that the schema does not know
    gets the code `UNSEEN`. A column may change its type if its values can be recognised: numbers
    that come as text are parsed, and labels that were text are found by spelling when they come
    as numbers (and the other way round); anything else is an error, never a guess.

    Parameters
    ----------
    X : table
        Anything `read_table` takes.
    schema : Schema
        What the columns are.
    estimator : str, default="this model"
        Who expects the columns, for the error message.

    Returns
    -------
    Table
        A table with exactly this schema.

    Examples
    --------
    >>> schema = read_table({"size": ["S", "L"], "weight": [1.5, 2.5]}).schema
    >>> table = read_table_as({"weight": ["7", "8"], "size": ["L", "XL"]}, schema)
    >>> table["weight"], table["size"], table.unseen
    (array([7., 8.]), array([ 0, -2], dtype=int32), {'size': ('XL',)})
    """
    if isinstance(X, Table):
        if X.schema == schema:
            return X
        if _same_kinds(X, schema):
            return _recode(X, schema)
        X = {name: X.labels(name) for name in X.schema.names}
    opened = open_table(X, schema.names)
    arrays: list[CodeArray | NumberArray] = []
    unseen = {}
    for column, position in zip(schema, _match(opened, schema, estimator), strict=True):
        opened_column = open_column(column.name, opened.columns[position])
        if column.is_numeric:
            arrays.append(to_numbers(column.name, opened_column))
            continue
        factors = factorize(column.name, opened_column)
        codes, unknown = _encode(factors, column)
        _refuse_retyped(factors, column, unknown)
        arrays.append(codes)
        if unknown:
            unseen[column.name] = tuple(sort_labels(unknown)[:5])
    return Table(schema, tuple(arrays), unseen)


def _as_it_is(table: Table, categorical_features: Any, ordinal: Any) -> Table:
    if ordinal or categorical_features not in (None, "from_dtype"):
        raise ValueError(
            "A Table knows what its columns are: read the data with categorical_features and "
            "ordinal, and pass neither here."
        )
    if table.unseen:
        raise ValueError(
            f"The table has values in {', '.join(table.unseen)} that its schema does not know; "
            "read the data with read_table."
        )
    return table


def _same_kinds(table: Table, schema: Schema) -> bool:
    """Whether columns differ in the values they know, at most."""
    return all(
        c.name in table.schema
        and table.schema[c.name].kind == c.kind
        and {*map(type, table.schema[c.name].values)} == {*map(type, c.values)}
        for c in schema
    )


def _recode(table: Table, schema: Schema) -> Table:
    """Codes of another schema for the same labels, without a look at every cell's label."""
    arrays: list[CodeArray | NumberArray] = []
    unseen = {}
    for column in schema:
        array = table[column.name]
        if not column.is_numeric:
            labels = table.schema[column.name].values
            codes = [column.codes.get(label, UNSEEN) for label in labels]
            # Codes below zero are read from the end.
            images = np.array([*codes, UNSEEN, MISSING], dtype=np.int32)
            array = images[array]
            unknown = {labels[c] for c in np.unique(table[column.name][array == UNSEEN]) if c >= 0}
            if unknown:
                unseen[column.name] = tuple(sort_labels(unknown)[:5])
            elif np.any(array == UNSEEN):
                unseen[column.name] = table.unseen.get(column.name, ())
        arrays.append(array)
    return Table(schema, tuple(arrays), unseen)


def _learn_column(
    name: str, data: Any, nominal: bool, order: tuple[Label, ...] | None
) -> tuple[Column, CodeArray | NumberArray]:
    opened = open_column(name, data)
    kind = declared_kind(opened)
    if nominal:
        kind = ColumnKind.NOMINAL
    elif order is not None:
        kind = ColumnKind.ORDINAL
    elif kind == ColumnKind.ORDINAL:
        order = tuple(to_label(value, name) for value in declared_order(name, opened))
    if kind == ColumnKind.NUMERIC:
        numbers = to_numbers(name, opened)
        n_missing = int(np.count_nonzero(np.isnan(numbers)))
        return Column(name, kind, n_missing=n_missing), numbers
    factors = factorize(name, opened)
    if kind == ColumnKind.NOMINAL or order is None:
        order = sort_labels({label for label in factors.labels if label is not None})
    column = Column(name, kind, order, int(np.count_nonzero(factors.absent)))
    codes, unknown = _encode(factors, column)
    if unknown:
        row = int(np.argmax(codes == UNSEEN))
        raise refusals.outside_order(name, factors.labels[factors.places[row]], row, order)
    return column, codes


def _encode(factors: Factors, column: Column) -> tuple[CodeArray, set[Label]]:
    """Map labels to the column's codes; also give the labels it does not know."""
    known = column.codes
    codes = [MISSING if label is None else known.get(label, UNSEEN) for label in factors.labels]
    unknown: set[Label] = set()
    if UNSEEN in codes:
        spelled = {str(label): code for label, code in known.items()}
        is_retyped = _retyping(column)
        for place, label in enumerate(factors.labels):
            if label is None or codes[place] != UNSEEN:
                continue
            # If the column came with another type, a label is looked for by how it is spelled.
            if is_retyped(label) and str(label) in spelled:
                codes[place] = spelled[str(label)]
            else:
                unknown.add(label)
    return factors.spread(codes, MISSING, np.int32), unknown


def _retyping(column: Column) -> Callable[[Label], bool]:
    """Make a test for labels that are text where all values are numbers, or the reverse."""
    text_or_not = {isinstance(value, str) for value in column.values}
    return lambda label: bool(text_or_not) and isinstance(label, str) not in text_or_not


def _refuse_retyped(factors: Factors, column: Column, unknown: set[Label]) -> None:
    # Not merely unseen: nothing of this type was ever seen, so the data is prepared otherwise.
    retyped = set(filter(_retyping(column), unknown))
    for place, label in enumerate(factors.labels if retyped else ()):
        if label in retyped:
            raise refusals.retyped(column.name, label, factors.first_row(place), column.values)


def _match(opened: OpenTable, schema: Schema, estimator: str) -> Sequence[int]:
    """Find the place of each of the schema's columns in new data."""
    places = {name: place for place, name in enumerate(opened.names)}
    missing = [name for name in schema.names if name not in places]
    by_position = opened.names_generated or (schema.names_generated and missing)
    if not by_position:
        if missing:
            others = [name for name in opened.names if name not in schema]
            raise refusals.missing_columns(missing, others)
        return [places[name] for name in schema.names]
    if len(places) != len(schema):
        raise ValueError(
            f"X has {len(places)} features, but {estimator} is expecting {len(schema)} features "
            "as input."
        )
    return range(len(schema))


def _named(categorical_features: Any, ordinal: Any) -> list[str]:
    """Names that stand in the parameters."""
    listed = [*_items(categorical_features), *_items(ordinal)]
    return [str(name) for name in listed if isinstance(name, str)]


def _items(spec: Any) -> list[Any]:
    if isinstance(spec, Mapping):
        return list(spec)
    listed: list[Any] = np.ravel(np.asarray(spec, dtype=object)).tolist()
    return listed


def _read_categorical(spec: Any, names: tuple[str, ...]) -> set[str]:
    """Turn names, positions or a mask into names."""
    if spec is None or (isinstance(spec, str) and spec == "from_dtype"):
        return set()
    if isinstance(spec, str) and spec == "all":
        return set(names)
    chosen = np.asarray(spec)
    if chosen.ndim != 1:
        raise TypeError(
            f"categorical_features={spec!r} is not understood. Pass None, 'from_dtype', 'all', or "
            "a list of column names, of positions, or of booleans."
        )
    if chosen.size == 0:
        return set()
    if chosen.dtype.kind == "b":
        if len(chosen) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(chosen)} booleans, but X has "
                f"{len(names)} columns. Pass one for each column."
            )
        return {name for name, flag in zip(names, chosen, strict=True) if flag}
    if chosen.dtype.kind in "iu":
        outside = [i for i in chosen.tolist() if not 0 <= i < len(names)]
        if outside:
            raise ValueError(
                f"categorical_features names the positions {refusals.few(outside)}, but X has "
                f"{len(names)} columns: positions go from 0 to {len(names) - 1}."
            )
        return {names[i] for i in chosen.tolist()}
    return set(_check_known(chosen.tolist(), names, "categorical_features"))


def _read_orders(
    ordinal: Mapping[str, Sequence[Label]] | None, names: tuple[str, ...], forced: set[str]
) -> dict[str, tuple[Label, ...]]:
    if ordinal is None:
        return {}
    if not isinstance(ordinal, Mapping):
        raise TypeError(
            f"ordinal is {refusals.few([ordinal])}; pass a dict of column name to labels in order, "
            "e.g. {'size': ['S', 'M', 'L']}."
        )
    both = sorted(forced.intersection(_check_known(list(ordinal), names, "ordinal")))
    if both:
        raise ValueError(
            f"Columns {refusals.few(both)} are named in both categorical_features and ordinal; "
            "name each in one of them."
        )
    orders = {}
    for name, order in ordinal.items():
        if isinstance(order, str):
            raise TypeError(
                f"ordinal[{name!r}] is the text {order!r}; pass a list of labels in order."
            )
        orders[name] = tuple(to_label(value, name) for value in order)
    return orders


def _check_known(chosen: list[Any], names: tuple[str, ...], argument: str) -> list[str]:
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ValueError(
            f"{argument} names {refusals.few(unknown)}, but X has no such columns. It has: "
            f"{refusals.few(names, 10)}."
        )
    return chosen
