"""Any X to a typed table, with a schema that is inferred or given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood.data import errors
from mixedwood.data.batches import (
    BY_TYPE,
    CATEGORIES,
    NOTHING,
    RawTable,
    missing_objects,
    raw_table,
)
from mixedwood.data.columns import (
    Factors,
    declared_kind,
    declared_order,
    factorize,
    is_cell_type,
    open_column,
    to_label,
    to_numbers,
)
from mixedwood.data.frames import open_table
from mixedwood.data.schema import (
    MISSING,
    UNKNOWN,
    CodeArray,
    Column,
    ColumnKind,
    Label,
    NumberArray,
    Schema,
    Table,
    sort_labels,
)

__all__ = ["read_table"]


def read_table(
    X: Any,
    *,
    schema: Schema | None = None,
    categorical_features: str | Sequence[Any] | None = None,
    ordinal_features: Mapping[str, Sequence[Label]] | None = None,
    rows: NDArray[np.bool_] | None = None,
    estimator: str = "this model",
) -> Table:
    """Read a table: infer what its columns are, or use a known schema.

    Without `schema`, text, objects, booleans and unordered categoricals are nominal; ordered
    categoricals and polars' Enum are ordinal in their declared order; numbers are numeric, also
    when they are held as Python objects. Dates, bytes and nested types raise an error. Integers
    beyond 2**53 are rounded to the nearest double in a numeric column; if they are identifiers
    rather than amounts, name the column in `categorical_features`, where they stay exact.

    With `schema`, columns are found by name, in any order; further columns are ignored. If either
    side has no names, columns are found by position. A category that the schema does not list gets
    the code `UNKNOWN`. A column may change its type if its values can be converted: numbers given
    as text are parsed, and categories that were text are found by spelling if they are given as
    numbers, and vice versa. Anything else raises an error.

    Parameters
    ----------
    X : table
        pandas, polars or pyarrow table or any other eager frame narwhals supports, dict of columns,
        two-dimensional array, structured array, or list of rows. Columns without names are called
        ``x0``, ``x1``, ... A `Table` keeps its schema, with all its categories, also those that
        none of its rows has. With `schema`, also one row as a dict of values, or a list of such
        rows.
    schema : Schema or None, default=None
        What the columns are, as learned before. If None, it is inferred from `X`.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Names, positions or a mask of columns to read as nominal whatever their type. The other
        columns, or all of them for None and ``"from_dtype"``, are read by their type. Only used
        without `schema`, like the next two.
    ordinal_features : mapping of str to sequence, default=None
        For each column named here, its categories in order.
    rows : ndarray of bool, one per row, default=None
        The rows to read. If None, all rows are read.
    estimator : str, default="this model"
        Name of the estimator that expects the columns of `schema`, for error messages.

    Returns
    -------
    Table
        Category codes and numbers, with their schema.

    Examples
    --------
    >>> X = {"size": ["S", "L", "S"], "color": ["red", None, "blue"], "weight": [1, 2.5, 3]}
    >>> table = read_table(X, ordinal_features={"size": ["S", "M", "L"]})
    >>> print(table)
    Table of 3 rows and 3 columns
      size    ordinal, 3 categories in order: 'S' < 'M' < 'L'; none missing
      color   nominal, 2 categories: 'blue', 'red'; 1 missing
      weight  numeric; none missing
    Ordinal columns are split in this order.
    >>> new = {"weight": ["7", "8"], "color": ["red", "blue"], "size": ["L", "XL"]}
    >>> table = read_table(new, schema=table.schema)
    >>> table["weight"], table["size"], table.unknown
    (array([7., 8.]), array([ 2, -2], dtype=int32), {'size': ('XL',)})
    """
    if schema is not None:
        return _read_with_schema(X, schema, estimator)
    if isinstance(X, Table):
        table = _check_unchanged(X, categorical_features, ordinal_features)
        return table if rows is None else table.take(rows)
    asked = _named(categorical_features, ordinal_features)
    raw = raw_table(X, asked)
    if raw is not None and rows is not None:
        raw = raw.take(rows) if rows.any() else None
    if raw is not None:
        return _learn_batches(raw, categorical_features, ordinal_features)
    opened = open_table(X, asked)
    if rows is not None:
        opened = opened.take(rows)
    forced = _read_categorical(categorical_features, opened.names)
    orders = _read_orders(ordinal_features, opened.names, forced)
    columns, arrays = [], []
    for name, data in zip(opened.names, opened.columns, strict=True):
        column, array = _learn_column(name, data, name in forced, orders.get(name))
        columns.append(column)
        arrays.append(array)
    return Table(Schema(tuple(columns), opened.names_generated), tuple(arrays))


def _learn_batches(raw: RawTable, categorical_features: Any, ordinal_features: Any) -> Table:
    forced = _read_categorical(categorical_features, raw.names)
    orders = _read_orders(ordinal_features, raw.names, forced)
    wanted: list[Any] = [BY_TYPE] * len(raw.names)
    ordered: dict[int, tuple[Label, ...]] = {}
    for place, name in enumerate(raw.names):
        if name in forced:
            wanted[place] = CATEGORIES
            continue
        order = orders[name] if name in orders else raw.declared_order(place)
        if order is not None:
            codes = {label: code for code, label in enumerate(order)}
            # An order that is not plain is an error, or at least a matter for the generic way.
            plain = len(codes) == len(order) and {*map(type, order)} <= {str, int}
            ordered[place] = order
            wanted[place] = (codes, True, True) if plain else NOTHING
    columns, arrays = [], []
    for place, (name, found) in enumerate(zip(raw.names, raw.read(wanted), strict=True)):
        if found is None or (place in ordered and found[1]):
            column, array = _learn_column(name, raw.open(place), name in forced, orders.get(name))
        elif place in ordered:
            array = found[0]
            n_missing = int(np.count_nonzero(array == MISSING))
            column = Column(name, ColumnKind.ORDINAL, ordered[place], n_missing)
        else:
            array, categories, n_missing = found
            column = Column.checked(name, categories, n_missing)
        columns.append(column)
        arrays.append(array)
    return Table.checked(Schema(tuple(columns), raw.names_generated), tuple(arrays))


def _read_with_schema(X: Any, schema: Schema, estimator: str) -> Table:
    if isinstance(X, Table):
        if X.schema == schema:
            return X
        if _same_kinds(X, schema):
            return _recode(X, schema)
        X = {name: X.labels(name) for name in X.schema.names}
    X = _rows_to_columns(X, schema)
    table = _read_plain_rows(X, schema)
    if table is not None:
        return table
    raw = raw_table(X, schema.names)
    if raw is not None:
        return _read_batches(raw, schema, estimator)
    opened = open_table(X, schema.names)
    places = _match(opened.names, opened.names_generated, schema, estimator)
    found = [
        _read_column(column, opened.columns[place])
        for column, place in zip(schema, places, strict=True)
    ]
    return _table_of(schema, found)


_CELLS = {str, int, float, bool, type(None)}


def _rows_to_columns(X: Any, schema: Schema) -> Any:
    """Turn one row as a dict of cells, or rows as a list of dicts, into a dict of lists."""
    if type(X) is dict:
        kinds = {*map(type, X.values())}
        if kinds and (kinds <= _CELLS or all(map(is_cell_type, kinds))):
            return {name: [cell] for name, cell in X.items()}
    elif isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        first = X[0]
        names = schema.names if all(name in first for name in schema.names) else tuple(first)
        try:
            return {name: [row[name] for row in X] for name in names}
        except KeyError:
            raise errors.missing_entries(names, X) from None
    return X


def _read_plain_rows(X: Any, schema: Schema) -> Table | None:
    """Read a dict of lists in one native call; None if X is anything else or has odd cells."""
    if type(X) is not dict or len(X) != len(schema):
        return None
    try:
        columns = [X[name] for name in schema.names]
    except KeyError:
        return None
    if not {*map(type, columns)} <= {list, tuple} or len({*map(len, columns)}) > 1:
        return None
    if not columns[0]:
        return None
    found = _core.read_objects(columns, schema.wanted, missing_objects())
    return None if None in found else _table_of(schema, found)


def _read_batches(raw: RawTable, schema: Schema, estimator: str) -> Table:
    places = _match(raw.names, raw.names_generated, schema, estimator)
    wanted: list[Any] = [NOTHING] * len(raw.names)
    for place, wish in zip(places, schema.wanted, strict=True):
        wanted[place] = wish
    read = raw.read(wanted)
    found = []
    for column, place in zip(schema, places, strict=True):
        known = read[place]
        found.append(_read_column(column, raw.open(place)) if known is None else known)
    return _table_of(schema, found)


def _read_column(column: Column, data: Any) -> tuple[CodeArray | NumberArray, set[Label] | None]:
    """Read new values of a column; also give the labels that are not among its categories."""
    opened = open_column(column.name, data)
    if column.is_numeric:
        return to_numbers(column.name, opened), None
    factors = factorize(column.name, opened)
    codes, labels = _encode(factors, column)
    _check_type(factors, column, labels)
    return codes, labels


def _table_of(schema: Schema, found: Sequence[tuple[Any, set[Label] | None]]) -> Table:
    unknown = {
        column.name: tuple(sort_labels(labels)[:5])
        for column, (_, labels) in zip(schema.columns, found, strict=True)
        if labels
    }
    return Table.checked(schema, tuple(array for array, _ in found), unknown)


def _check_unchanged(table: Table, categorical_features: Any, ordinal_features: Any) -> Table:
    if ordinal_features or categorical_features not in (None, "from_dtype"):
        raise ValueError(
            "X is a Table, whose column types are fixed. Pass categorical_features and "
            "ordinal_features to read_table instead."
        )
    if table.unknown:
        raise ValueError(
            f"The table has unknown categories in {', '.join(table.unknown)}. Read the data with "
            "read_table, without a schema."
        )
    return table


def _same_kinds(table: Table, schema: Schema) -> bool:
    """Whether columns differ in nothing but their categories."""
    return all(
        c.name in table.schema
        and table.schema[c.name].kind == c.kind
        and {*map(type, table.schema[c.name].categories)} == {*map(type, c.categories)}
        for c in schema
    )


def _recode(table: Table, schema: Schema) -> Table:
    """Codes of another schema for the same labels, without a look at every cell's label."""
    arrays: list[CodeArray | NumberArray] = []
    unknown = {}
    for column in schema:
        array = table[column.name]
        if not column.is_numeric:
            labels = table.schema[column.name].categories
            codes = [column.codes.get(label, UNKNOWN) for label in labels]
            # Codes below zero are read from the end.
            images = np.array([*codes, UNKNOWN, MISSING], dtype=np.int32)
            array = images[array]
            new = {labels[c] for c in np.unique(table[column.name][array == UNKNOWN]) if c >= 0}
            if new:
                unknown[column.name] = tuple(sort_labels(new)[:5])
            elif np.any(array == UNKNOWN):
                unknown[column.name] = table.unknown.get(column.name, ())
        arrays.append(array)
    return Table(schema, tuple(arrays), unknown)


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
        row = int(np.argmax(codes == UNKNOWN))
        raise errors.outside_order(name, factors.labels[factors.places[row]], row, order)
    return column, codes


def _encode(factors: Factors, column: Column) -> tuple[CodeArray, set[Label]]:
    """Map labels to the column's codes; also give the labels that are not among its categories."""
    known = column.codes
    codes = [MISSING if label is None else known.get(label, UNKNOWN) for label in factors.labels]
    unknown: set[Label] = set()
    if UNKNOWN in codes:
        spelled = {str(label): code for label, code in known.items()}
        is_retyped = _retyping(column)
        for place, label in enumerate(factors.labels):
            if label is None or codes[place] != UNKNOWN:
                continue
            # If the column has another type now, a label is looked up by its spelling.
            if is_retyped(label) and str(label) in spelled:
                codes[place] = spelled[str(label)]
            else:
                unknown.add(label)
    return factors.spread(codes, MISSING, np.int32), unknown


def _retyping(column: Column) -> Callable[[Label], bool]:
    """Make a test for labels that are text where all categories are numbers, or vice versa."""
    text_or_not = {isinstance(value, str) for value in column.categories}
    return lambda label: bool(text_or_not) and isinstance(label, str) not in text_or_not


def _check_type(factors: Factors, column: Column, unknown: set[Label]) -> None:
    # Not merely unknown: no category has this type, so the data was prepared differently.
    retyped = set(filter(_retyping(column), unknown))
    for place, label in enumerate(factors.labels if retyped else ()):
        if label in retyped:
            raise errors.retyped(column.name, label, factors.first_row(place), column.categories)


def _match(
    names: tuple[str, ...], names_generated: bool, schema: Schema, estimator: str
) -> Sequence[int]:
    """Find the place of each of the schema's columns in new data."""
    if names == schema.names:
        return range(len(names))
    places = {name: place for place, name in enumerate(names)}
    missing = [name for name in schema.names if name not in places]
    by_position = names_generated or (schema.names_generated and missing)
    if not by_position:
        if missing:
            others = [name for name in names if name not in schema]
            raise errors.missing_columns(missing, others)
        return [places[name] for name in schema.names]
    if len(places) != len(schema):
        raise ValueError(
            f"X has {len(places)} features, but {estimator} is expecting {len(schema)} features "
            "as input."
        )
    return range(len(schema))


def _named(categorical_features: Any, ordinal_features: Any) -> list[str]:
    """Names in the parameters."""
    listed = [*_items(categorical_features), *_items(ordinal_features)]
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
                f"categorical_features names the positions {errors.few(outside)}, but X has "
                f"{len(names)} columns: positions go from 0 to {len(names) - 1}."
            )
        return {names[i] for i in chosen.tolist()}
    return set(_check_known(chosen.tolist(), names, "categorical_features"))


def _read_orders(
    ordinal_features: Mapping[str, Sequence[Label]] | None, names: tuple[str, ...], forced: set[str]
) -> dict[str, tuple[Label, ...]]:
    if ordinal_features is None:
        return {}
    if not isinstance(ordinal_features, Mapping):
        raise TypeError(
            f"ordinal_features must be a dict of column name to categories in order, such as "
            f"{{'size': ['S', 'M', 'L']}}. Got {errors.few([ordinal_features])} instead."
        )
    both = sorted(
        forced.intersection(_check_known(list(ordinal_features), names, "ordinal_features"))
    )
    if both:
        raise ValueError(
            f"Columns {errors.few(both)} are named in both categorical_features and "
            "ordinal_features; name each in one of them."
        )
    orders = {}
    for name, order in ordinal_features.items():
        if isinstance(order, str):
            raise TypeError(
                f"ordinal_features[{name!r}] must be a list of categories in order. Got {order!r} "
                "instead."
            )
        orders[name] = tuple(to_label(value, name) for value in order)
    return orders


def _check_known(chosen: list[Any], names: tuple[str, ...], argument: str) -> list[str]:
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise ValueError(
            f"{argument} names {errors.few(unknown)}, but X has no such columns. It has: "
            f"{errors.few(names, 10)}."
        )
    return chosen
