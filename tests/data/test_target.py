"""Labels and weights: classes as numpy sorts them, and clear words for everything else."""

import datetime
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

from mixedwood.data import check_same_length, read_table, read_target


def make_series(library, values):
    module = pytest.importorskip(library)
    return module.chunked_array([values]) if library == "pyarrow" else module.Series(values)


@settings(deadline=None)
@given(
    st.one_of(
        st.lists(st.text(st.characters(exclude_characters="\0"), max_size=3), min_size=1),
        st.lists(st.integers(-5, 5), min_size=1),
        st.lists(st.booleans(), min_size=1),
        st.lists(st.integers(-5, 5).map(float), min_size=1),
    )
)
def test_classes_and_codes_are_those_of_numpy_unique(labels):
    target = read_target(labels)
    classes, codes = np.unique(np.array(labels), return_inverse=True)
    np.testing.assert_array_equal(target.classes, classes)
    assert target.classes.dtype == classes.dtype
    np.testing.assert_array_equal(target.codes, codes)
    assert target.codes.dtype == np.int32
    assert target.weights is None
    assert (target.n_rows, target.n_classes) == (len(labels), len(classes))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("values", [["b", "a", "b"], [3, 1, 3], [True, False, True], [2.0, 1.0]])
def test_every_library_gives_the_same_target(library, values):
    target, plain = read_target(make_series(library, values)), read_target(values)
    assert target.classes.tolist() == plain.classes.tolist()
    np.testing.assert_array_equal(target.codes, plain.codes)


def test_categories_are_sorted_by_label_not_by_their_own_order():
    pd = pytest.importorskip("pandas")
    y = pd.Categorical(["b", "a"], categories=["c", "b", "a"], ordered=True)
    assert read_target(pd.Series(y)).classes.tolist() == ["a", "b"]
    assert read_target(y).classes.tolist() == ["a", "b"]
    assert read_target(pd.Series(pd.Categorical([10, 9]))).classes.dtype == np.int64


@pytest.mark.parametrize(
    "y", [np.array(["b", "a"], dtype=object), np.array([2, 1], dtype=object), [Decimal(2), 1]]
)
def test_labels_held_as_objects_are_read(y):
    target = read_target(y)
    assert target.codes.tolist() == [1, 0]


@pytest.mark.parametrize(
    "y", [["a", None], ["a", float("nan")], [1, None], [1.0, float("nan")], [True, None]]
)
def test_missing_labels_are_counted_and_placed(y):
    message = r"Input y contains NaN: 1 of 2 labels are missing, the first in row 1\. Drop"
    with pytest.raises(ValueError, match=message):
        read_target(y)
    for library in ("pandas", "polars", "pyarrow"):
        values = [None if label != label else label for label in y]
        with pytest.raises(ValueError, match=message):
            read_target(make_series(library, values))


@pytest.mark.parametrize("y", [[1.0, 0.5], np.array([1.0, 0.5]), [1, Decimal("0.5")]])
def test_continuous_labels_are_refused_in_the_words_of_scikit_learn(y):
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.*0\.5 in row 1"):
        read_target(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", 1], "Unknown label type: y mixes text and numbers, 'a' in row 0 and 1 in row 1"),
        ([datetime.date(2020, 1, 1)], "Unknown label type.*numbers or categories"),
        (np.array([b"a"]), "Unknown label type.*Decode bytes"),
        ([1j], "Complex data not supported"),
        ([1.0, np.inf], "Input y contains infinity.*row 1"),
        ([], r"0 sample\(s\)"),
        (None, "y should be a 1d array.*requires y to be passed"),
        (3, "y has 0 dimensions"),
        ([[1, 2], [3, 4]], r"y should be a 1d array, got an array of shape \(2, 2\)"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_target(y)


@pytest.mark.parametrize("y", ["abc", {"a": 1}, {1, 2}])
def test_containers_that_are_not_columns_are_refused(y):
    with pytest.raises(TypeError, match="pass a list, an array or a series"):
        read_target(y)


def test_a_column_vector_is_read_with_scikit_learns_warning():
    pd = pytest.importorskip("pandas")
    for y in (np.array([[2], [1]]), [[2], [1]], pd.DataFrame({"y": [2, 1]})):
        with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
            assert read_target(y).codes.tolist() == [1, 0]


def test_lengths_must_agree():
    table = read_table({"a": [1, 2, 3]})
    check_same_length(table, read_target([1, 2, 1]))
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        check_same_length(table, read_target([1, 2]))


@pytest.mark.parametrize("weights", [None, 1, 1.0, [1, 1], np.ones(2)])
def test_weights_of_one_are_no_weights(weights):
    assert read_target(["a", "b"], weights).weights is None


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_weights_of_any_library_become_float64(library):
    weights = read_target(["a", "b"], make_series(library, [1, 2])).weights
    assert weights.dtype == np.float64
    assert weights.tolist() == [1.0, 2.0]


def test_weights_that_only_promise_to_be_an_array_are_read():
    class Promise:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

        def __array_function__(self, *arguments):
            raise TypeError("only numpy.asarray is allowed")

    assert read_target(["a", "b"], Promise()).weights.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], "sample_weight has -1.0 in row 1. Weights must be finite and not negative"),
        ([np.nan, 1], "sample_weight has nan in row 0"),
        ([1, np.inf], "sample_weight has inf in row 1"),
        ([0, 0], "All sample weights are zero; give some row a positive weight"),
        ([[1], [1]], r"Sample weights must be 1D array or scalar.*shape \(2, 1\)"),
        ([1, 2, 3], "sample_weight has 3 weights, but y has 2 rows"),
        (["x", "y"], "sample_weight must be numbers"),
        ([1j, 1], "sample_weight must be numbers"),
        (-2.0, "not negative"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        read_target(["a", "b"], weights)


def test_class_weights_multiply_sample_weights():
    target = read_target(["a", "b", "b"], [1.0, 2.0, 3.0], {"b": 10})
    assert target.weights.tolist() == [1.0, 20.0, 30.0]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_balanced_weights_are_those_of_scikit_learn(labels):
    weights = read_target(labels, class_weight="balanced").weights
    expected = compute_sample_weight("balanced", labels)
    np.testing.assert_allclose(np.ones(len(labels)) if weights is None else weights, expected)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), min_size=1, max_size=9))
def test_a_balanced_weight_of_n_equals_n_repeated_rows(rows):
    labels, counts = zip(*rows, strict=True)
    weighted = read_target(list(labels), list(counts), "balanced")
    repeated = read_target(np.repeat(labels, counts), None, "balanced")
    for target in (weighted, repeated):
        weights = np.ones(target.n_rows) if target.weights is None else target.weights
        totals = np.bincount(target.codes, weights)
        np.testing.assert_allclose(totals, sum(counts) / target.n_classes)


def test_a_class_without_weight_keeps_none_when_balanced():
    target = read_target(["a", "b", "a", "c"], [1, 0, 1, 1], "balanced")
    assert target.weights.tolist() == [0.75, 0.0, 0.75, 1.5]  # as without its row


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({"c": 1}, "class_weight names the classes 'c', which are not in y. y has: 'a', 'b'"),
        ({"a": -1}, r"class_weight\['a'\] is -1; it must be a finite number"),
        ({"a": "2"}, r"class_weight\['a'\] is '2'"),
        ({"a": 0, "b": 0}, "every row the weight 0"),
        ("balance", "Pass None, 'balanced', or a dict"),
        ([1, 2], "Pass None, 'balanced', or a dict"),
    ],
)
def test_class_weights_that_make_no_sense_are_refused(class_weight, message):
    with pytest.raises(ValueError, match=message):
        read_target(["a", "b"], None, class_weight)


def test_rows_of_a_target_are_taken_like_rows_of_a_table():
    target = read_target(["a", "b", "c", "a"], [1, 2, 3, 4])
    for rows in ([3, 1, 1], np.array([False, True, False, True]), []):
        part, chosen = target.take(rows), np.asarray(rows, dtype=None if len(rows) else int)
        assert part.codes.tolist() == target.codes[chosen].tolist()
        assert part.weights.tolist() == target.weights[chosen].tolist()
        assert part.classes is target.classes
        assert part.codes.dtype == np.int32
    assert read_target(["a", "b"]).take([1]).weights is None
