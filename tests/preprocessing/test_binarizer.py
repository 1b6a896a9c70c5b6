"""Binary columns: the sets of the reference, what each test says and answers, and the checks."""

import os
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood import _core, datasets
from mixedwood.data import read_table
from mixedwood.preprocessing import BinarySplit, EqualWidthDiscretizer, FeatureBinarizer
from mixedwood.preprocessing.binarizer import ENCODINGS, Binarization, windows
from mixedwood.preprocessing.discretizers import Discretization, read_discretizer
from support.problems import mixed_problem
from support.strategies import problems


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        FeatureBinarizer(),
        FeatureBinarizer(encoding="multi_hot", discretizer="mdlp"),
        FeatureBinarizer(encoding="one_hot", discretizer="caim"),
        FeatureBinarizer(encoding="thresholds", discretizer="equal_width"),
        FeatureBinarizer(encoding="subsets", discretizer="equal_frequency"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def sets(m, encoding):
    return [
        "".join(str(i + 1) for i in range(first, last + 1)) for first, last in windows(m, encoding)
    ]


@pytest.mark.parametrize(
    ("m", "multi_hot"),
    [
        (1, ""),
        (2, "1"),
        (3, "1 2 3"),
        (4, "1 2 3 4 12 23"),
        (5, "1 2 3 4 5 12 23 34 123 234"),
        (6, "1 2 3 4 5 6 12 23 34 45 123 234 345 1234 2345"),
    ],
)
def test_sets_of_the_reference(m, multi_hot):
    assert sets(m, "multi_hot") == multi_hot.split()
    one_hot = [str(i + 1) for i in range(m)]
    assert sets(m, "one_hot") == (one_hot if m > 2 else one_hot[: m - 1])
    assert sets(m, "thresholds") == ["123456"[:j] for j in range(1, m)]


@pytest.mark.parametrize("m", range(3, 12))
def test_multi_hot_cuts_the_circle_at_two_places_once(m):
    found = {frozenset(range(a, b + 1)) for a, b in windows(m, "multi_hot")}
    everything = frozenset(range(m))
    circle = {frozenset(range(a, b)) for a, b in combinations(range(m + 1), 2)} - {everything}
    assert len(found) == m * (m - 1) // 2
    assert {min((s, everything - s), key=sorted) for s in found} == {
        min((s, everything - s), key=sorted) for s in circle
    }


def test_matrix_of_the_reference():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]])
    found = FeatureBinarizer(
        encoding="multi_hot", discretizer="equal_width", n_bins=5
    ).fit_transform(X)
    assert ["".join(map(str, row)) for row in found.astype(int)] == [
        "1000010010", "0100011011", "0010001111", "0001000101", "0000100000",
    ]  # fmt: skip


BANKNOTE = {"mdlp": (16, 39), "caim": (4, 4), "ew3": (12, 12), "ew4": (16, 24), "ew5": (20, 40),
            "ew8": (32, 112), "ef4": (16, 24), "ef5": (20, 40), "ef8": (32, 112)}  # fmt: skip


@pytest.mark.parametrize("name", BANKNOTE)
def test_numbers_of_columns_of_banknote(name):
    if not os.environ.get("MIXEDWOOD_DATA") or datasets.names().get("banknote") is None:
        pytest.skip("no folder of data sets, or none with banknote")
    data = datasets.load("banknote")
    rules = {"ew": "equal_width", "ef": "equal_frequency"}
    rule, n_bins = (rules[name[:2]], int(name[2:])) if name[:2] in rules else (name, 5)
    for encoding, want in zip(("one_hot", "multi_hot"), BANKNOTE[name], strict=True):
        model = FeatureBinarizer(encoding=encoding, discretizer=rule, n_bins=n_bins).fit(
            data.X, data.y
        )
        assert len(model.candidates_) == want


def test_the_best_single_test_of_banknote():
    if not os.environ.get("MIXEDWOOD_DATA") or datasets.names().get("banknote") is None:
        pytest.skip("no folder of data sets, or none with banknote")
    data = datasets.load("banknote")
    y = np.unique(data.y, return_inverse=True)[1]
    for encoding, want in (("one_hot", 358), ("multi_hot", 201), ("thresholds", 201)):
        binarizer = FeatureBinarizer(encoding=encoding, discretizer="mdlp")
        answers = binarizer.fit_transform(data.X, data.y)
        errors = [
            sum(np.bincount(y[side], minlength=2).min() for side in (column, ~column))
            for column in answers.T
        ]
        assert min(errors) == want


@given(problems(), st.sampled_from(ENCODINGS), st.sampled_from(["mdlp", "caim", "ef3", "ew4"]))
def test_columns_are_their_splits(problem, encoding, rule):
    table, target = problem
    names = {"ef3": Discretization("equal_frequency", 3), "ew4": Discretization("equal_width", 4)}
    discretization = names.get(rule, Discretization(rule))
    matrix, tests = Binarization(discretization, encoding).fit(table, target)
    assert matrix.shape == (table.n_rows, len(tests))
    for place, test in enumerate(tests):
        column, array = table.schema.columns[test.column], table.arrays[test.column]
        yes = matrix[:, place].astype(bool)
        assert 0 < yes.sum() < table.n_rows
        known = ~np.isnan(array) if column.is_numeric else array >= 0
        if test.is_known:
            want = known
        elif test.codes is not None:
            want = known & np.isin(array, test.codes)
        else:
            want = known & (test.low < array) & (array <= test.high)
        np.testing.assert_array_equal(yes, want)
        assert column.name in test.to_text(table.schema)


def test_thresholds_and_windows_tell_the_same_ranges_apart():
    X, y = mixed_problem(150)
    patterns = [
        np.unique(
            FeatureBinarizer(encoding=e, discretizer="caim").fit_transform(X, y), axis=0
        ).shape[0]
        for e in ("thresholds", "multi_hot", "one_hot")
    ]
    assert len(set(patterns)) == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_either_side_of_a_test_may_be_alone_where_values_are_missing(encoding):
    """Turning the order of a column around turns its tests around, and loses none."""
    rng = np.random.default_rng(1)
    x, colour = rng.integers(0, 6, 30).astype(float), rng.integers(0, 4, 30)
    x[rng.random(30) < 0.2] = np.nan
    gone = rng.random(30) < 0.2

    def divisions(numbers, letters):
        labels = np.where(gone, None, np.array(list(letters), dtype=object)[colour])
        X = pd.DataFrame({"x": numbers, "colour": labels})
        model = FeatureBinarizer(encoding=encoding, discretizer="equal_width", n_bins=4)
        answers = model.fit_transform(X)
        return {min(tuple(c), tuple(~c)) for c in answers.T}

    assert divisions(x, "abcd") == divisions(-x, "dcba")


def test_all_ways_to_divide_values_once():
    values = list("abcde")
    X = pd.DataFrame({"letter": values})
    model = FeatureBinarizer(encoding="subsets", discretizer="equal_width").fit(X)
    sides = {
        frozenset([t.codes, tuple(sorted(set(range(5)) - set(t.codes)))]) for t in model.candidates_
    }
    assert len(sides) == len(model.candidates_) == 15
    few = FeatureBinarizer(encoding="subsets", discretizer="equal_width", max_subset_values=4).fit(
        X
    )
    assert [t.codes for t in few.candidates_] == [(0,), (1,), (2,), (3,), (4,)]


def test_binary_tables_go_straight_through():
    rng = np.random.default_rng(0)
    flags = rng.random((40, 6)) < 0.4
    y = rng.integers(0, 2, 40)
    for X in (flags, flags.astype(float), flags.astype(np.int8), pd.DataFrame(flags)):
        for encoding in ENCODINGS:
            np.testing.assert_array_equal(
                FeatureBinarizer(encoding=encoding).fit_transform(X, y), flags
            )
    # Also where the two numbers are others; the rule would find no cut in noise.
    other = FeatureBinarizer(discretizer="mdlp").fit(np.where(flags, 7.0, 3.0), y)
    np.testing.assert_array_equal(other.transform(np.where(flags, 7.0, 3.0)), ~flags)


def test_words():
    X = {
        "age": [1.0, 2.0, 3.0, 4.0, np.nan],
        "size": ["S", "M", "L", "L", "M"],
        "colour": ["red", "blue", "green", None, "red"],
    }
    model = FeatureBinarizer(
        encoding="one_hot",
        discretizer="equal_width",
        n_bins=3,
        ordinal_features={"size": ["S", "M", "L"]},
    ).fit(X)
    assert model.get_feature_names_out().tolist() == [
        "age <= 2",
        "2 < age <= 3",
        "age > 3",
        "age is known",
        "size <= S",
        "size = M",
        "size > M",
        "colour = blue",
        "colour = green",
        "colour = red",
        "colour is known",
    ]
    schema = model.schema_
    assert BinarySplit(2, codes=(0, 2)).to_text(schema) == "colour in {blue, red}"
    assert BinarySplit(0, high=2.0, missing=True).to_text(schema) == "age <= 2 (or missing)"


def test_missing_and_unknown_values_satisfy_no_split():
    X = {"age": [1.0, 2.0, 3.0, None], "colour": ["red", "blue", "green", None]}
    model = FeatureBinarizer(encoding="multi_hot", discretizer="equal_width", n_bins=2).fit(X)
    new = {"age": [None, 9.0], "colour": ["mauve", None]}
    answers = dict(zip(model.get_feature_names_out(), model.transform(new).T.tolist(), strict=True))
    known = {name: a for name, a in answers.items() if name.endswith("known")}
    assert known == {"age is known": [False, True], "colour is known": [True, False]}
    assert (answers["age <= 2"], answers.pop("age > 2")) == ([False, False], [False, True])
    assert not any(any(a) for name, a in answers.items() if name not in known)
    table = read_table(new, schema=model.schema_)
    assert BinarySplit(0, high=2.0, missing=True).evaluate(table).tolist() == [True, False]
    assert BinarySplit(1, codes=(0,), missing=True).evaluate(table).tolist() == [False, True]


def test_ordinal_values_that_no_row_has():
    X = {"size": ["XS", "M", "XL", "M"]}
    order = {"size": ["XS", "S", "M", "L", "XL"]}
    model = FeatureBinarizer(encoding="multi_hot", ordinal_features=order).fit(X)
    assert model.transform(X).astype(int).T.tolist() == [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    # A value in between goes with its upper neighbour.
    assert model.transform({"size": ["S", "L"]}).astype(int).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_constant_columns_are_left_out():
    X = {"same": [1.0, 1.0, 1.0], "one": ["a", "a", "a"], "gap": [0.0, 0.1, 9.0]}
    found = FeatureBinarizer(encoding="one_hot", discretizer="equal_width", n_bins=4).fit(X)
    assert found.get_feature_names_out().tolist() == ["gap <= 2.25", "gap > 6.75"]
    nothing = FeatureBinarizer(discretizer="equal_width").fit({"same": [1.0, 1.0]})
    assert nothing.transform({"same": [1.0, 3.0]}).shape == (2, 0)


def test_frames_and_names():
    X, y = mixed_problem(80)
    model = FeatureBinarizer(discretizer="caim")
    plain = model.fit_transform(X, y)
    other = FeatureBinarizer(discretizer="caim").fit_transform(pl.from_pandas(X), y)
    np.testing.assert_array_equal(other, plain)
    frame = FeatureBinarizer(discretizer="caim").set_output(transform="pandas").fit_transform(X, y)
    assert list(frame) == model.get_feature_names_out().tolist()
    nameless = FeatureBinarizer(discretizer="equal_width", n_bins=2).fit([[1.0], [2.0], [3.0]])
    assert nameless.get_feature_names_out().tolist() == ["x0 <= 2"]
    assert nameless.get_feature_names_out(["height"]).tolist() == ["height <= 2"]


def test_a_discretizer_may_be_given():
    X, y = mixed_problem(50)
    given_one = FeatureBinarizer(discretizer=EqualWidthDiscretizer(n_bins={"size": 3})).fit(X, y)
    named = FeatureBinarizer(discretizer="equal_width", n_bins={"size": 3}).fit(X, y)
    assert given_one.candidates_ == named.candidates_
    assert read_discretizer(EqualWidthDiscretizer(n_bins=3)) == Discretization("equal_width", 3)


def test_refusals():
    X, y = mixed_problem(20)
    with pytest.raises(NotFittedError):
        FeatureBinarizer().transform(X)
    with pytest.raises(
        ValueError, match="'encoding' parameter of FeatureBinarizer must be a str among"
    ):
        FeatureBinarizer(encoding="two_hot").fit(X, y)
    for wrong in ("mdl", EqualWidthDiscretizer, None):
        with pytest.raises(
            ValueError, match="'discretizer' parameter of FeatureBinarizer must be a str among"
        ):
            FeatureBinarizer(discretizer=wrong).fit(X, y)
    for wrong in (1, 17, 3.5, None):
        with pytest.raises(ValueError, match="'max_subset_values' parameter of Feature"):
            FeatureBinarizer(max_subset_values=wrong).fit(X, y)
    with pytest.raises(ValueError, match="requires y to be passed"):
        FeatureBinarizer(discretizer="mdlp").fit(X)
    with pytest.raises(ValueError, match="needs the classes"):
        Binarization(Discretization("mdlp")).fit(read_table(X), None)


@pytest.mark.parametrize("encoding", ["thresholds", "one_hot", "multi_hot"])
@pytest.mark.parametrize("least", [1, 2, 3, 9])
def test_at_least_so_many_bins_on_each_side(encoding, least):
    x = np.arange(40.0)
    for n_bins in (2, 3, 5, 8):
        chosen = {"encoding": encoding, "discretizer": "equal_width", "n_bins": n_bins}
        every = FeatureBinarizer(**chosen).fit(x[:, None]).candidates_
        found = FeatureBinarizer(**chosen, min_bins_per_side=least).fit(x[:, None]).candidates_
        edges = (39 * np.arange(1, n_bins) / n_bins).tolist()

        def bins(split, edges=edges):
            return sum(split.low < e <= split.high for e in [*edges, np.inf])

        needed = min(least, n_bins // 2)
        assert found == [s for s in every if needed <= bins(s) <= n_bins - needed]
        assert found or encoding == "one_hot"


def test_two_values_are_separated_however_many_bins_are_wanted():
    X = {"on": [True, False, True], "size": [1.0, 2.0, 1.0]}
    names = FeatureBinarizer(min_bins_per_side=4).fit(X).get_feature_names_out().tolist()
    assert names == ["on = True", "size <= 1.5"]


def test_the_number_of_bins_of_each_column_is_tuned_on_the_classes():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (2000, 3))
    y = ((x[:, 0] * 2).astype(int) + (x[:, 1] * 4).astype(int)) % 2  # halves, quarters, noise
    y = np.where(rng.random(2000) < 0.1, 1 - y, y) + 2 * (x[:, 0] > 0.5)
    binarizer = FeatureBinarizer(discretizer="equal_width", n_bins="tune").fit(x, y)
    per_column = np.bincount([split.column for split in binarizer.candidates_], minlength=3) + 1
    assert per_column.tolist() == [2, 4, 2]
    bins = EqualWidthDiscretizer(n_bins="tune").fit(x, y).bin_names_
    assert list(map(len, bins.values())) == [2, 4, 2]
    with pytest.raises(ValueError, match="with a given n_bins do not need the classes"):
        FeatureBinarizer(n_bins="tune").fit(x)
    with pytest.raises(ValueError, match=r"'n_bins' parameter of FeatureBinarizer must.*'tune'"):
        FeatureBinarizer(n_bins="best").fit(x, y)
    model = mw.OptimalTreeClassifier(
        binarizer=FeatureBinarizer(discretizer="equal_width", n_bins="tune"), max_depth=2
    ).fit(x, y)
    assert sorted({round(split.high, 2) for split in model.candidates_ if split.column == 1}) == [
        0.25, 0.5, 0.75,
    ]  # fmt: skip


def test_all_combinations_of_bins_are_subsets_of_their_names():
    """The names of bins are categories: each way to divide them is a candidate split."""
    x = np.arange(40.0)[:, None]
    y = np.isin(x[:, 0] // 10, [0, 2]).astype(int)  # bins 1 and 3 of 4, which no window has
    named = EqualWidthDiscretizer(n_bins=4).fit_transform(x)
    binarizer = FeatureBinarizer(encoding="subsets")
    assert binarizer.fit_transform(named).shape[1] == 2**3 - 1
    combined = mw.OptimalTreeClassifier(binarizer=binarizer, max_depth=1).fit(named, y)
    assert combined.score(named, y) == 1
    windowed = FeatureBinarizer(encoding="multi_hot", discretizer="equal_width", n_bins=4)
    assert mw.OptimalTreeClassifier(binarizer=windowed, max_depth=1).fit(x, y).score(x, y) == 0.75


@pytest.mark.parametrize("seed", range(20))
def test_native_features_are_those_of_each_split(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    numbers = np.where(rng.random(n) < 0.2, np.nan, rng.integers(-3, 4, n))
    words = [None if rng.random() < 0.2 else str(rng.integers(5)) for _ in range(n)]
    sizes = [None if rng.random() < 0.2 else "SML"[rng.integers(3)] for _ in range(n)]
    X = {"number": numbers, "word": words, "size": sizes}
    schema = read_table(X, ordinal_features={"size": list("SML")}).schema
    new = {"number": numbers, "word": ["new", *words[1:]], "size": sizes}
    table = read_table(new, schema=schema)
    n_words = schema["word"].n_categories
    splits = [
        BinarySplit(column, low, high, codes, missing)
        for missing in (False, True)
        for column, low, high, codes in [
            *((0, low, high, None) for low, high in [(-np.inf, 0.5), (-1, 2), (0, np.inf)]),
            *((place, -np.inf, np.inf, None) for place in range(3)),
            *((1, -np.inf, np.inf, tuple(range(k))) for k in range(n_words + 1)),
            *((2, low, high, None) for low, high in [(-np.inf, 0), (0, 1), (1, np.inf)]),
        ]
    ]
    expected = np.stack([split.evaluate(table) for split in splits], axis=1)
    cells, kept = _core.evaluate_splits(list(table.arrays), splits)
    assert kept == list(range(len(splits)))
    np.testing.assert_array_equal(cells.reshape(n, -1), expected)
    cells, kept = _core.evaluate_splits(list(table.arrays), splits, varying=True)
    assert kept == np.flatnonzero(expected.any(axis=0) & ~expected.all(axis=0)).tolist()
    np.testing.assert_array_equal(cells.reshape(n, len(kept)), expected[:, kept])
