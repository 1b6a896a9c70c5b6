"""Reading in batches gives what reading column by column gives: tables, warnings and errors."""

import datetime
import itertools
import warnings
from decimal import Decimal

import numpy as np
import pytest

from mixedwood.data import read, read_table, read_target, target, unknown_counts

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

WORDS = ["ash", "birch", "élm", "", "a longer name of a tree", "10", "9", "\U0001f332", "zz"]


def some(rng, values, n, missing=0.2):
    """Draw values, some of them missing."""
    drawn = [values[i] for i in rng.integers(0, len(values), n)]
    share = rng.choice([0.0, missing, 1.0], p=[0.5, 0.45, 0.05])
    return [None if rng.random() < share else value for value in drawn]


def floats_of(values):
    return np.array([np.nan if v is None else v for v in values], float)


# Columns of plain Python values, by what they are.
PLAIN = {
    "text": lambda rng, n: some(rng, WORDS[: rng.integers(1, len(WORDS) + 1)], n),
    "flag": lambda rng, n: some(rng, [[True, False], [True], [False]][rng.integers(3)], n),
    "integer": lambda rng, n: some(rng, [*range(-3, 9), 2**53 + 1, -(2**60)], n),
    "small": lambda rng, n: some(rng, list(range(5)), n),
    "real": lambda rng, n: some(rng, [0.5, -2.0, 1e30, 3.0, 7.25], n),
}
# Columns that only a list or objects can hold, or that nobody reads.
ODD = {
    "mixed": lambda rng, n: some(rng, ["a", 1, 2.5, "1", True], n),
    "flags and numbers": lambda rng, n: some(rng, [True, False, 1, 0, 2.0], n),
    "numpy": lambda rng, n: some(rng, [np.int8(1), np.float64(2.5), np.int64(7)], n),
    "numpy text": lambda rng, n: some(rng, [np.str_("a"), "b"], n),
    "decimal": lambda rng, n: some(rng, [Decimal("1.5"), Decimal(2)], n),
    "marks": lambda rng, n: some(rng, ["a", "b", pd.NA, float("nan"), pd.NaT], n),
    "infinite": lambda rng, n: some(rng, [1.0, float("inf")], n),
    "huge": lambda rng, n: some(rng, [1, 10**400], n),
    "surrogate": lambda rng, n: some(rng, ["\ud800", "z", "\uffff"], n),
    "date": lambda rng, n: some(rng, [datetime.date(2020, 1, 1), "x"], n),
    "bytes": lambda rng, n: some(rng, [b"x", "x"], n),
}


def in_pandas(rng, kind, values):
    if kind in ODD:
        return pd.Series(values, dtype=object)
    types = {
        "text": [
            "object",
            "string",
            "string[pyarrow]",
            "string[python]",
            "category",
            "str",
            "arrow",
        ],
        "flag": ["object", "boolean", "category", "bool[pyarrow]"],
        "integer": ["object", "Int64", "category", "int64[pyarrow]", "UInt64"],
        "small": ["object", "Int8", "UInt16", "category", "float32", "float16", "int32[pyarrow]"],
        "real": ["object", "float64", "Float64", "Float32", "category", "double[pyarrow]"],
    }[kind]
    dtype = types[rng.integers(len(types))]
    if dtype == "UInt64":
        values = [None if v is None else abs(v) for v in values]
    if dtype == "arrow":
        return pd.Series(pd.arrays.ArrowExtensionArray(in_arrow(rng, kind, values, views=False)))
    if dtype == "category":
        known = sorted({v for v in values if v is not None}, reverse=bool(rng.integers(2)))
        unused = ["unused"] if kind == "text" else []
        return pd.Series(
            pd.Categorical(values, categories=[*known, *unused], ordered=bool(rng.integers(2)))
        )
    if dtype.startswith("float"):
        return pd.Series(floats_of(values).astype(dtype))
    series = pd.Series(values, dtype=dtype)
    if dtype in ("boolean", "Int64", "Int8") and not series.isna().any() and rng.integers(2):
        return series.astype(dtype.lower().replace("ean", ""))
    return series


def in_polars(rng, kind, values):
    types = {
        "text": [pl.String, pl.Categorical, pl.Enum],
        "flag": [pl.Boolean],
        "integer": [pl.Int64, pl.Int128],
        "small": [pl.Int8, pl.UInt16, pl.Int32, pl.Float32],
        "real": [pl.Float64],
        "decimal": [pl.Decimal(20, 2)],
        "surrogate": [pl.Object],
    }.get(kind, [pl.Object])
    dtype = types[rng.integers(len(types))]
    if dtype is pl.Enum:
        dtype = pl.Enum([*sorted({v for v in values if v is not None}, reverse=True), "unused"])
    if rng.random() < 0.05:
        return pl.Series([datetime.date(2020, 1, 1)] * len(values))
    return pl.Series(values, dtype=dtype)


def in_arrow(rng, kind, values, views=True):
    types = {
        "text": [pa.string(), pa.large_string()] + [pa.string_view()] * views,
        "flag": [pa.bool_()],
        "integer": [pa.int64()],
        "small": [pa.int8(), pa.uint16(), pa.uint64(), pa.float32()],
        "real": [pa.float64()],
    }.get(kind)
    if types is None:
        return pa.chunked_array([pa.nulls(len(values))])
    if rng.random() < 0.05:
        return pa.chunked_array([pa.array([[1]] * len(values))])
    dtype = types[rng.integers(len(types))]
    cuts = [0, *sorted(rng.integers(0, len(values) + 1, rng.integers(3))), len(values)]
    chunks = [
        pa.array([*values[:1], *values[a:b]], dtype).slice(1) for a, b in itertools.pairwise(cuts)
    ]
    if kind in ("text", "integer") and dtype != pa.string_view() and rng.integers(2):
        ordered = rng.integers(4) == 0
        chunks = [
            pa.DictionaryArray.from_arrays(d.indices, d.dictionary, ordered=ordered)
            for d in (chunk.dictionary_encode() for chunk in chunks)
        ]
    return pa.chunked_array(chunks)


def in_numpy(rng, kind, values):
    if kind in ("text", "surrogate") and None not in values and rng.integers(2):
        return np.array(values)
    if kind in ("real", "small") and rng.integers(2):
        dtype = ["f8", "f4", "f2", "g", ">f8"][rng.integers(5)]
        with np.errstate(over="ignore"):
            return np.repeat(floats_of(values), 2).astype(dtype)[::2]
    if kind == "flag" and None not in values:
        return np.array(values)[::-1]
    if kind in ("small", "integer") and None not in values:
        return np.array(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array


def make_frame(rng, n, kinds):
    """One table of random columns, in a random container."""
    plain = {f"c{i}": (kind, (PLAIN | ODD)[kind](rng, n)) for i, kind in enumerate(kinds)}
    container = rng.choice(["pandas", "polars", "arrow", "numpy", "dict", "rows", "positions"])
    if container == "rows":
        return [list(row) for row in zip(*(v for _, v in plain.values()), strict=True)]
    if container == "positions":
        kind, _ = next(iter(plain.values()))
        columns = [in_numpy(rng, kind, (PLAIN | ODD)[kind](rng, n)) for _ in plain]
        return np.column_stack(columns)
    make = {"pandas": in_pandas, "polars": in_polars, "arrow": in_arrow, "numpy": in_numpy}
    if container == "dict":
        each = [*make.values(), lambda rng, kind, values: values, lambda r, k, v: tuple(v)]
        return {
            name: each[rng.integers(len(each))](rng, kind, values)
            for name, (kind, values) in plain.items()
        }
    columns = {name: make[container](rng, *column) for name, column in plain.items()}
    if container == "pandas":
        frame = pd.DataFrame(columns)
        return frame.iloc[rng.permutation(n)] if rng.integers(4) == 0 else frame
    if container == "polars":
        return pl.DataFrame(columns)
    if container == "arrow":
        table = pa.table(columns)
        whole = rng.integers(2) and n
        return table.combine_chunks().to_batches()[0] if whole else table
    return columns


def outcome(call):
    """Give what a call gives: content and warnings, or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except Exception as error:
            return type(error), str(error)
    return found, sorted(str(w.message) for w in caught)


def content_of(table):
    schema = table.schema
    labels = [
        (c.name, c.kind, c.categories, [*map(type, c.categories)], c.n_missing) for c in schema
    ]
    for array in table.arrays:
        assert array.flags.c_contiguous
    arrays = [(a.dtype.str, np.nan_to_num(a, nan=0.125).tolist()) for a in table.arrays]
    return labels, schema.names_generated, arrays, dict(table.unknown), unknown_counts(table)


def content(X, **arguments):
    return content_of(read_table(X, **arguments))


def arguments_of(rng, names):
    drawn = rng.integers(6)
    if drawn == 0:
        return {"categorical_features": "all"}
    if drawn == 1:
        return {"categorical_features": [0]}
    if drawn == 2:
        name = names[0]
        order = [WORDS, [*range(-3, 9)], [True, False], ["a", "a"], [0.5, 3]][rng.integers(5)]
        return {"ordinal_features": {name: order}}
    return {}


@pytest.fixture
def both_ways(monkeypatch):
    """Call in batches, then column by column; the former must really happen."""

    def compare(call):
        quick = outcome(call)
        with monkeypatch.context() as patched:
            patched.setattr(read, "raw_table", lambda *given: None)
            patched.setattr(read, "_read_plain_rows", lambda *given: None)
            patched.setattr(target, "raw_vector", lambda *given: None)
            slow = outcome(call)
        assert quick == slow
        return quick

    return compare


@pytest.mark.parametrize("seed", range(400))
def test_both_ways_learn_the_same_table(seed, both_ways):
    rng = np.random.default_rng(seed)
    kinds = rng.choice([*PLAIN, *PLAIN, *PLAIN, *ODD], rng.integers(1, 6))
    X = make_frame(rng, int(rng.integers(0, 12)), kinds)
    names = ["x0"] if isinstance(X, list | np.ndarray) else ["c0"]
    arguments = arguments_of(rng, names)
    both_ways(lambda: content(X, **arguments))


@pytest.mark.parametrize("seed", range(400))
def test_both_ways_learn_the_same_from_some_rows(seed, both_ways):
    rng = np.random.default_rng([2, seed])
    kinds = rng.choice([*PLAIN, *PLAIN, *PLAIN, *ODD], rng.integers(1, 6))
    n = int(rng.integers(0, 12))
    X = make_frame(rng, n, kinds)
    arguments = arguments_of(rng, ["x0"] if isinstance(X, list | np.ndarray) else ["c0"])
    rows = rng.random(n) < rng.choice([0.2, 0.7])
    both_ways(lambda: content(X, rows=rows, **arguments))


@pytest.mark.parametrize("seed", range(400))
def test_both_ways_read_new_rows_alike(seed, both_ways):
    rng = np.random.default_rng([1, seed])
    kinds = rng.choice([*PLAIN], rng.integers(1, 6))
    n = int(rng.integers(1, 12))
    arguments = {} if rng.integers(3) else {"categorical_features": "all"}
    learned = outcome(lambda: read_table(make_frame(rng, n, kinds), **arguments))
    if isinstance(learned[0], type):
        return
    schema = learned[0].schema
    for _ in range(3):
        new = [rng.choice([*PLAIN, *ODD]) if rng.random() < 0.2 else kind for kind in kinds]
        X = make_frame(
            rng, int(rng.integers(0, 9)), [*new, "text"][: rng.integers(1, 3) + len(new)]
        )
        both_ways(lambda X=X: content(X, schema=schema))


@pytest.mark.parametrize("seed", range(200))
def test_both_ways_read_the_same_target(seed, both_ways):
    rng = np.random.default_rng([2, seed])
    kind = rng.choice([*PLAIN, *PLAIN, *ODD])
    values = (PLAIN | ODD)[kind](rng, int(rng.integers(0, 12)))
    if rng.integers(2):
        values = [v for v in values if v is not None]
    makers = [in_pandas, in_polars, in_arrow, in_numpy, lambda rng, kind, values: values]
    y = makers[rng.integers(5)](rng, kind, values)

    def read_it():
        found = read_target(y)
        return found.classes.dtype, found.classes.tolist(), found.codes.tolist()

    both_ways(read_it)


def test_usual_containers_are_read_in_batches(monkeypatch):
    """No column of a plain type takes the long way."""

    def refuse(*given):
        raise AssertionError("read column by column")

    text, flag, number = ["b", "a", None], [True, False, True], [1.5, 2.0, float("nan")]
    content = {"text": text, "flag": flag, "number": number, "count": [1, 2, 3]}
    frame = pd.DataFrame(content)
    polar = pl.DataFrame(content)
    frames = [
        content,
        frame,
        frame.astype({"text": "category", "flag": "boolean", "count": "Int64"}),
        frame.astype({"text": object, "flag": object}),
        frame.convert_dtypes(dtype_backend="pyarrow"),
        polar,
        polar.with_columns(pl.col("text").cast(pl.Categorical)),
        polar.with_columns(pl.col("text").cast(pl.Enum(["b", "a"]))),
        polar.to_arrow(),
        {name: np.array(column) for name, column in content.items()},
        {name: polar[name] for name in content},
        frame.to_numpy(object),
    ]
    schemas = [read_table(X).schema for X in frames]
    monkeypatch.setattr(read, "open_column", refuse)
    monkeypatch.setattr(read, "open_table", refuse)
    for X, schema in zip(frames, schemas, strict=True):
        assert read_table(X).schema == schema
        assert read_table(X, schema=schema).n_rows == 3


def test_numbers_are_borrowed_where_types_allow():
    numbers = np.array([1.0, 2.0, np.nan])
    for X in (pd.DataFrame({"a": numbers}), {"a": numbers}, pl.DataFrame({"a": numbers})):
        (array,) = read_table(X).arrays
        again = read_table(X, schema=read_table(X).schema).arrays[0]
        assert np.shares_memory(array, again)


def test_columns_of_a_stream_outlive_it():
    table = read_table(pl.DataFrame({"a": np.arange(1000.0), "s": ["x", "y"] * 500}))
    assert table["a"].tolist() == list(range(1000))
    assert table["s"].tolist() == [0, 1] * 500


ROWS = [
    {"text": "b", "flag": True, "number": 1.5, "count": 1},
    {"text": None, "flag": False, "number": float("nan"), "count": 2},
    {"text": "c", "flag": None, "number": 2, "count": np.int64(3)},
]


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], tuple(ROWS), [{**row, "z": 0} for row in ROWS]])
def test_rows_as_dicts_are_read_like_their_columns(rows):
    schema = read_table({name: [row[name] for row in ROWS] for name in ROWS[0]}).schema
    columns = {name: [row[name] for row in rows] for name in schema.names}
    expected = content(columns, schema=schema)
    assert content(rows, schema=schema) == expected
    assert content([dict(reversed(row.items())) for row in rows], schema=schema) == expected
    one = {name: cells[:1] for name, cells in columns.items()}
    assert content(rows[0], schema=schema) == content(one, schema=schema)


def test_one_row_of_odd_cells():
    schema = read_table({"a": ["x", "y"], "n": [1, 2]}).schema
    table = read_table({"a": np.str_("y"), "n": Decimal("2.5")}, schema=schema)
    assert (table["a"].tolist(), table["n"].tolist()) == ([1], [2.5])
    table = read_table({"a": "pine", "n": pd.NA}, schema=schema)
    assert (table["a"].tolist(), np.isnan(table["n"]).tolist()) == ([-2], [True])
    assert table.unknown == {"a": ("pine",)}
    with pytest.raises(ValueError, match="row 0 has 'heavy'"):
        read_table({"a": "x", "n": "heavy"}, schema=schema)


def test_rows_without_an_entry_are_refused():
    schema = read_table({"a": ["x", "y"], "n": [1, 2]}).schema
    with pytest.raises(ValueError, match=r"Row 1 of X has no entry for 'n'\. Give every row all"):
        read_table([{"a": "x", "n": 1}, {"a": "y"}], schema=schema)
    with pytest.raises(ValueError, match="yet now missing:\n- n"):
        read_table([{"a": "x"}, {"a": "y"}], schema=schema)
    with pytest.raises(ValueError, match="yet now missing:\n- n"):
        read_table({"a": "x"}, schema=schema)
