"""Folds: sizes, shares of classes, nothing in both parts, the same again by the same seed."""

from collections import Counter
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from mixedwood.comparison import CrossValidation, check_cv, cv_schemes

labels = st.lists(st.integers(2, 15), min_size=2, max_size=4).flatmap(
    lambda counts: st.permutations([f"c{i}" for i, n in enumerate(counts) for _ in range(n)])
)


@given(labels, st.sampled_from(["5x2cv", "2x3cv", "1x4cv"]), st.integers(0, 5))
def test_cross_validation_tests_every_row_once_and_divides_every_class_evenly(y, name, seed):
    scheme, y = check_cv(name), np.array(y)
    folds = scheme.split(y, seed)
    assert len(folds) == scheme.n_repeats * scheme.n_splits
    for first in range(0, len(folds), scheme.n_splits):
        repetition = folds[first : first + scheme.n_splits]
        tested = np.concatenate([fold.test for fold in repetition])
        assert sorted(tested.tolist()) == list(range(len(y)))
        for fold in repetition:
            assert sorted([*fold.train, *fold.test]) == list(range(len(y)))
            for label, count in Counter(y.tolist()).items():
                here = int((y[fold.test] == label).sum())
                assert floor(count / scheme.n_splits) <= here <= ceil(count / scheme.n_splits)
            size = len(y) / scheme.n_splits
            assert floor(size) <= len(fold.test) <= ceil(size)


@given(labels, st.sampled_from(["3x1/3", "4x.25", "2x1/2"]), st.integers(0, 5))
def test_hold_out_leaves_out_its_fraction_of_every_class(y, name, seed):
    scheme, y = check_cv(name), np.array(y)
    folds = scheme.split(y, seed)
    assert len(folds) == scheme.n_repeats
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == list(range(len(y)))
        assert abs(len(fold.test) - scheme.test_size * len(y)) <= 0.5
        for label, count in Counter(y.tolist()).items():
            here = int((y[fold.test] == label).sum())
            assert abs(here - len(fold.test) / len(y) * count) < 1
            assert here < count


def test_seeds_and_repetitions_differ_and_repeat():
    y, scheme = np.repeat([0, 1], 30), check_cv("2x2cv")
    first, again, other = (scheme.split(y, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].test, other[0].test)
    assert not np.array_equal(first[0].test, first[2].test)


@pytest.mark.parametrize(
    ("name", "repetitions", "folds"),
    [("5x2cv", 5, 2), ("10x10cv", 10, 10), ("4x10cv", 4, 10), ("20x3cv", 20, 3),
     ("holdout", 30, 1)],
)  # fmt: skip
def test_names(name, repetitions, folds):
    scheme = check_cv(name)
    assert name in cv_schemes()
    assert (str(scheme), scheme.n_repeats, scheme.n_splits) == (name, repetitions, folds)
    assert len(scheme.split(np.repeat([0, 1], 20))) == repetitions * folds


@pytest.mark.parametrize("cv", [5, np.int64(5), "5"])
def test_a_number_of_folds_is_one_repetition(cv):
    assert check_cv(cv) == check_cv("1x5cv")


def test_splitters_of_scikit_learn():
    y = np.array([0, 1] * 6)
    assert len(check_cv(LeaveOneOut()).split(y)) == 12
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    folds = check_cv(splitter).split(y)
    for fold, (train, test) in zip(folds, splitter.split(y, y), strict=True):
        np.testing.assert_array_equal(fold.train, train)
        np.testing.assert_array_equal(fold.test, test)
    made = CrossValidation("1x2cv", "k_fold", 1, 2)
    assert check_cv(made) is made


@pytest.mark.parametrize(
    "name", ["", "1", "5x2", "0x2cv", "5x1cv", "3x1/0", "3x4/3", "3x0/4", "5x2CV"]
)
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"is not a known scheme.*10x10cv.*3x5cv.*50x1/4"):
        check_cv(name)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match=r"a number of folds, a name or .* splitter; got float"):
        check_cv(5.0)


@pytest.mark.parametrize(
    ("y", "name", "words"),
    [
        (["a"] * 9, "5x2cv", "only one class, 'a'"),
        ([], "5x2cv", "y is empty"),
        (["a"] * 9 + ["b"], "5x2cv", "Class 'b' has only one row"),
        (["a"] * 3 + ["b"] * 3, "1x10cv", "at least 10 rows; y has 6"),
        (["a"] * 9 + ["b"] * 2, "40x9/10", "has no row of class 'b'"),
    ],
)
def test_too_few_rows_are_refused_in_words(y, name, words):
    with pytest.raises(ValueError, match=words):
        check_cv(name).split(y)
