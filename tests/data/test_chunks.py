"""Columns in several pieces: the same table, trees and predictions as in one piece."""

from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.data import read_table, read_target

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

N = 120
RNG = np.random.default_rng(0)
PLACES = RNG.integers(0, 7, N)
LABELS = np.array(["ash", "birch", "cedar", "élm", "", "fir", None], object)
TEXT = LABELS[PLACES].tolist()
Y = ["yes" if (p in (0, 3, 5)) != (RNG.random() < 0.1) else "no" for p in PLACES]
NUMBERS = [None if n > 95 else float(n) for n in RNG.integers(0, 100, N)]
FLAGS = [None if f == 2 else bool(f) for f in RNG.integers(0, 3, N)]
SIZES = ["S", "M", "L", "XL"]
ORDERED = [None if p == 4 else SIZES[p] for p in RNG.integers(0, 5, N)]
CONTENT = {"text": TEXT, "number": NUMBERS, "flag": FLAGS, "size": ORDERED}

CUTS = {
    "1": [0, N],
    "2": [0, 50, N],
    "50": [0, *sorted(np.random.default_rng(1).choice(np.arange(1, N), 49, replace=False)), N],
    "empty first": [0, 0, 30, N],
    "empty amid": [0, 30, 30, 30, 60, N],
    "empty last": [0, 30, N, N],
}


def pieces_of(values, cuts):
    return [values[a:b] for a, b in pairwise(cuts)]


def arrow_chunks(values, cuts, dtype):
    """Chunks of a plain type, each made on its own."""
    return pa.chunked_array([pa.array(p, dtype) for p in pieces_of(values, cuts)], dtype)


def arrow_slices(values, cuts, dtype):
    """Chunks that are slices of one array, so that they begin inside of it."""
    whole = pa.array([*values[:3], *values], dtype).slice(3)
    chunks = [whole.slice(a, b - a) for a, b in pairwise(cuts)]
    return pa.chunked_array(chunks, dtype)


def arrow_dictionaries(values, cuts, index=None, value=None, ordered=False):
    """Chunks with dictionaries of their own, in an order of their own, some entries unused."""
    dtype = pa.dictionary(index or pa.int32(), value or pa.string(), ordered)
    chunks = []
    for number, piece in enumerate(pieces_of(values, cuts)):
        known = sorted({v for v in piece if v is not None}, reverse=number % 2 == 0)
        known = known if number % 3 else [*known, "unused"]
        known = SIZES if ordered else known
        places = pa.array([None if v is None else known.index(v) for v in piece], dtype.index_type)
        chunks.append(
            pa.DictionaryArray.from_arrays(places, pa.array(known, dtype.value_type), None, ordered)
        )
    return pa.chunked_array(chunks, dtype)


def arrow_table(content, cuts, dtype=None, make=arrow_chunks):
    dtype = dtype or pa.string()
    return pa.table(
        {
            "text": make(content["text"], cuts, dtype),
            "number": make(content["number"], cuts, pa.float64()),
            "flag": make(content["flag"], cuts, pa.bool_()),
            "size": arrow_dictionaries(content["size"], cuts, ordered=True),
        }
    )


def arrow_of_dictionaries(content, cuts, **types):
    text = arrow_dictionaries(content["text"], cuts, **types)
    return arrow_table(content, cuts).set_column(0, "text", text)


def pandas_frame(content, text="object"):
    return pd.DataFrame(
        {
            "text": pd.Series(content["text"], dtype=text),
            "number": pd.Series(content["number"], dtype=float),
            "flag": pd.Series(content["flag"], dtype="boolean"),
            "size": pd.Categorical(content["size"], categories=SIZES, ordered=True),
        }
    )


def pandas_pieces(content, cuts, text):
    frames = [
        pandas_frame({name: v[a:b] for name, v in content.items()}, text) for a, b in pairwise(cuts)
    ]
    return pd.concat(frames, ignore_index=True)


def pandas_of_arrow(content, cuts, dtype):
    """Arrow's own types in a pandas frame, as read_parquet and read_csv may give them."""
    table = arrow_table(content, cuts, dtype)
    frame = pandas_frame(content)
    for name in ("text", "number", "flag"):
        frame[name] = pd.Series(pd.arrays.ArrowExtensionArray(table[name]))
    return frame


def polars_pieces(content, cuts, text):
    types = {"text": text, "number": pl.Float64, "flag": pl.Boolean, "size": pl.Enum(SIZES)}
    frames = [
        pl.DataFrame({name: v[a:b] for name, v in content.items()}, schema=types)
        for a, b in pairwise(cuts)
    ]
    return pl.concat(frames, rechunk=False)


CONTAINERS = {
    "pandas text": lambda c, cuts: pandas_pieces(c, cuts, "string"),
    "pandas str": lambda c, cuts: pandas_pieces(c, cuts, "str" if pd.__version__ >= "3" else None),
    "pandas arrow text": lambda c, cuts: pandas_pieces(c, cuts, "string[pyarrow]"),
    "pandas objects": lambda c, cuts: pandas_pieces(c, cuts, object),
    "pandas of arrow": lambda c, cuts: pandas_of_arrow(c, cuts, pa.string()),
    "pandas of large arrow": lambda c, cuts: pandas_of_arrow(c, cuts, pa.large_string()),
    "polars": lambda c, cuts: polars_pieces(c, cuts, pl.String),
    "polars category": lambda c, cuts: polars_pieces(c, cuts, pl.Categorical),
    "polars slices": lambda c, cuts: polars_pieces(
        {n: [*v[:2], *v, *v[:1]] for n, v in c.items()}, [0, *(b + 2 for b in cuts[1:]), N + 3],
        pl.String,
    ).slice(2, N),
    "arrow": lambda c, cuts: arrow_table(c, cuts),
    "arrow large": lambda c, cuts: arrow_table(c, cuts, pa.large_string()),
    "arrow views": lambda c, cuts: arrow_table(c, cuts, pa.string_view()),
    "arrow slices": lambda c, cuts: arrow_table(c, cuts, make=arrow_slices),
    "arrow table slice": lambda c, cuts: arrow_table(
        {n: [*v[:2], *v, *v[:1]] for n, v in c.items()}, [0, *(b + 2 for b in cuts[1:]), N + 3]
    ).slice(2, N),
    "arrow dictionaries": arrow_of_dictionaries,
    "arrow small dictionaries": lambda c, cuts: arrow_of_dictionaries(c, cuts, index=pa.uint8()),
    "arrow large dictionaries": lambda c, cuts: arrow_of_dictionaries(
        c, cuts, value=pa.large_string()
    ),
    "arrow dictionaries of views": lambda c, cuts: arrow_of_dictionaries(
        c, cuts, value=pa.string_view()
    ),
}  # fmt: skip


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("container", CONTAINERS)
def test_tables_in_pieces_are_the_table_in_one_piece(container, cuts):
    whole = pandas_frame(CONTENT)
    X = CONTAINERS[container](CONTENT, CUTS[cuts])
    assert len(X) == N
    expected, table = read_table(whole), read_table(X)
    assert table.schema == expected.schema
    for name in CONTENT:
        np.testing.assert_array_equal(table[name], expected[name])
    again = read_table(X, schema=expected.schema)
    for name in CONTENT:
        np.testing.assert_array_equal(again[name], expected[name])


@pytest.mark.parametrize("cuts", ["2", "50", "empty amid"])
@pytest.mark.parametrize("container", CONTAINERS)
def test_trees_and_predictions_of_tables_in_pieces(container, cuts):
    whole = pandas_frame(CONTENT)
    X = CONTAINERS[container](CONTENT, CUTS[cuts])
    model = mw.TreeClassifier(pruning=None).fit(whole, Y)
    pieces = mw.TreeClassifier(pruning=None).fit(X, Y)
    assert pieces.tree_ == model.tree_
    for one in (model, pieces):
        for new in (whole, X):
            np.testing.assert_array_equal(one.predict_proba(new), model.predict_proba(whole))


def text_vectors(cuts):
    """Text without missing values, as one vector in pieces, in many hands."""
    pieces = pieces_of(Y, cuts)
    made = {
        f"pandas {dtype}": pd.concat([pd.Series(p, dtype=dtype) for p in pieces], ignore_index=True)
        for dtype in ("string", "string[pyarrow]", object)
    }
    if pd.__version__ >= "3":
        made["pandas str"] = pd.concat([pd.Series(p, dtype="str") for p in pieces])
    made["polars"] = pl.concat([pl.Series(p, dtype=pl.String) for p in pieces], rechunk=False)
    for dtype in (pa.string(), pa.large_string(), pa.string_view()):
        made[f"arrow {dtype}"] = arrow_chunks(Y, cuts, dtype)
        if dtype != pa.string_view():  # pandas has no such type
            made[f"pandas arrow {dtype}"] = pd.Series(
                pd.arrays.ArrowExtensionArray(arrow_chunks(Y, cuts, dtype))
            )
    made["arrow slices"] = arrow_slices(Y, cuts, pa.string())
    made["arrow dictionaries"] = arrow_dictionaries(Y, cuts)
    made["arrow frame"] = pa.table({"y": made["arrow string"]})
    return made


@pytest.mark.parametrize("cuts", CUTS)
def test_labels_in_pieces(cuts):
    expected = read_target(Y)
    for name, y in text_vectors(CUTS[cuts]).items():
        with pytest.warns() if name == "arrow frame" else nullcontext():
            target = read_target(y)
        assert target.classes.tolist() == expected.classes.tolist(), name
        np.testing.assert_array_equal(target.codes, expected.codes, name)
    flags = [label == "yes" for label in Y]
    for y in (
        arrow_chunks(flags, CUTS[cuts], pa.bool_()),
        arrow_chunks(list(map(int, flags)), CUTS[cuts], pa.int16()),
    ):
        np.testing.assert_array_equal(read_target(y).codes, expected.codes)


def test_models_fitted_to_labels_in_pieces():
    whole = pandas_frame(CONTENT)
    expected = mw.TreeClassifier(pruning=None).fit(whole, np.array(Y, object))
    for name, y in text_vectors(CUTS["2"]).items():
        if name != "arrow frame":
            model = mw.TreeClassifier(pruning=None).fit(whole, y)
            assert model.predict(whole).tolist() == expected.predict(whole).tolist(), name
            assert model.score(whole, y) == expected.score(whole, Y), name


def test_tables_in_pieces_are_compared():
    expected = mw.compare(pandas_frame(CONTENT), Y, methods=["tree"], metrics=["error"])
    for container in ("pandas text", "polars", "arrow views", "arrow dictionaries"):
        X = CONTAINERS[container](CONTENT, CUTS["50"])
        found = mw.compare(X, Y, methods=["tree"], metrics=["error"])
        assert found.failures == (), container
        np.testing.assert_array_equal(found.scores, expected.scores)


@pytest.mark.parametrize("cuts", CUTS)
def test_weights_in_pieces(cuts):
    weights = np.random.default_rng(2).random(N)
    expected = read_target(Y, weights).weights
    for given in (
        arrow_chunks(weights.tolist(), CUTS[cuts], pa.float64()),
        pl.concat([pl.Series(p) for p in pieces_of(weights, CUTS[cuts])], rechunk=False),
        pd.Series(pd.arrays.ArrowExtensionArray(
            arrow_chunks(weights.tolist(), CUTS[cuts], pa.float64()))),
    ):  # fmt: skip
        np.testing.assert_array_equal(read_target(Y, given).weights, expected)


@pytest.mark.parametrize("cuts", CUTS)
def test_numbers_read_as_labels_in_pieces(cuts):
    whole = [None if p == 6 else int(p) for p in PLACES]
    chunked = arrow_chunks(whole, CUTS[cuts], pa.int8())
    expected = read_table({"a": whole}, categorical_features="all")
    for column in (
        chunked,
        pd.Series(pd.arrays.ArrowExtensionArray(chunked)),
        pl.concat([pl.Series(p, dtype=pl.Int8) for p in pieces_of(whole, CUTS[cuts])]),
    ):
        table = read_table({"a": column}, categorical_features="all")
        assert table.schema == expected.schema
        np.testing.assert_array_equal(table["a"], expected["a"])


def test_a_dictionary_of_small_codes_that_the_whole_outgrows():
    """Codes of each piece fit into eight bits, those of all pieces together do not."""
    values = [f"v{i:03}" for i in range(400)]
    chunked = arrow_dictionaries(values, [0, 100, 200, 300, 400], index=pa.int8())
    table = read_table({"a": chunked})
    assert table.schema["a"].categories == tuple(values)
    assert table["a"].tolist() == list(range(400))


def test_dictionaries_with_a_missing_value_among_their_entries():
    a = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["b", None, "a"]))
    b = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array(["c", "a"]))
    table = read_table({"a": pa.chunked_array([a, b])})
    assert table.schema["a"].categories == ("a", "b", "c")
    assert table["a"].tolist() == [1, -1, 0, 0, 2, -1]


def ordered_pieces(*dictionaries):
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(
                pa.array(range(len(d)), pa.int32()), pa.array(d), None, True
            )
            for d in dictionaries
        ]
    )


def test_orders_that_differ_between_pieces():
    """The order is the one that all pieces agree on, not that in which labels are met."""
    column = ordered_pieces(["S", "L"], ["S", "M", "L"], ["M", "L"])
    table = read_table({"size": column})
    assert table.schema["size"].kind == "ordinal"
    assert table.schema["size"].categories == ("S", "M", "L")
    assert table["size"].tolist() == [0, 2, 0, 1, 2, 1, 2]
    for contrary in (
        ordered_pieces(["S", "L"], ["L", "S"]),
        ordered_pieces(["S", "M"], ["S", "L"]),
    ):
        with pytest.raises(ValueError, match=r"'size'.*order.*ordinal_features="):
            read_table({"size": contrary})
        given = read_table({"size": contrary}, ordinal_features={"size": ["S", "M", "L"]})
        assert given.schema["size"].categories == ("S", "M", "L")
        nominal = read_table({"size": contrary}, categorical_features=["size"])
        assert nominal.schema["size"].kind == "nominal"
        assert read_table({"size": contrary}, schema=given.schema)["size"].tolist() == [
            {"S": 0, "M": 1, "L": 2}[v] for v in contrary.to_pylist()
        ]
