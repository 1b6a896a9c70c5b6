"""Folds: sizes, shares of classes, nothing in both parts, the same again by the same seed."""

from collections import Counter
from math import ceil, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut, StratifiedKFold

from mixedwood.comparison import Protocol, protocols, read_protocol

labels = st.lists(st.integers(2, 15), min_size=2, max_size=4).flatmap(
    lambda counts: st.permutations([f"c{i}" for i, n in enumerate(counts) for _ in range(n)])
)


@given(labels, st.sampled_from(["5x2cv", "2x3cv", "1x4cv"]), st.integers(0, 5))
def test_cross_validation_tests_every_row_once_and_deals_every_class_evenly(y, name, seed):
    protocol, y = read_protocol(name), np.array(y)
    folds = protocol.split(y, seed)
    assert len(folds) == protocol.repetitions * protocol.folds
    for first in range(0, len(folds), protocol.folds):
        repetition = folds[first : first + protocol.folds]
        tested = np.concatenate([fold.test for fold in repetition])
        assert sorted(tested.tolist()) == list(range(len(y)))
        for fold in repetition:
            assert sorted([*fold.train, *fold.test]) == list(range(len(y)))
            for label, count in Counter(y.tolist()).items():
                here = int((y[fold.test] == label).sum())
                assert floor(count / protocol.folds) <= here <= ceil(count / protocol.folds)
            size = len(y) / protocol.folds
            assert floor(size) <= len(fold.test) <= ceil(size)


@given(labels, st.sampled_from(["3x1/3", "4x.25", "2x1/2"]), st.integers(0, 5))
def test_hold_out_leaves_out_its_share_of_every_class(y, name, seed):
    protocol, y = read_protocol(name), np.array(y)
    folds = protocol.split(y, seed)
    assert len(folds) == protocol.repetitions
    for fold in folds:
        assert sorted([*fold.train, *fold.test]) == list(range(len(y)))
        assert abs(len(fold.test) - protocol.share * len(y)) <= 0.5
        for label, count in Counter(y.tolist()).items():
            here = int((y[fold.test] == label).sum())
            assert abs(here - len(fold.test) / len(y) * count) < 1
            assert here < count


def test_seven_sets_are_dealt_in_file_order():
    y = np.array(["a", "b"] * 14)
    folds = read_protocol("7-set").split(y, seed=3)
    assert len(folds) == 6
    for number, fold in enumerate(folds):
        assert set(fold.test % 7) == {6}
        assert set(fold.choose % 7) == {number}
        assert set(fold.train % 7) == set(range(6)) - {number}
        assert len(fold.train) + len(fold.choose) + len(fold.test) == 28


def test_seeds_and_repetitions_differ_and_repeat():
    y, protocol = np.repeat([0, 1], 30), read_protocol("2x2cv")
    first, again, other = (protocol.split(y, seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].test, other[0].test)
    assert not np.array_equal(first[0].test, first[2].test)


@pytest.mark.parametrize(
    ("name", "repetitions", "folds"),
    [("5x2cv", 5, 2), ("10x10cv", 10, 10), ("4x10cv", 4, 10), ("20x3cv", 20, 3),
     ("hold-out", 30, 1), ("7-set", 1, 6)],
)  # fmt: skip
def test_names(name, repetitions, folds):
    protocol = read_protocol(name)
    assert name in protocols()
    assert (str(protocol), protocol.repetitions, protocol.folds) == (name, repetitions, folds)
    assert len(protocol.split(np.repeat([0, 1], 20))) == repetitions * folds


def test_splitters_of_scikit_learn():
    y = np.array([0, 1] * 6)
    assert len(read_protocol(LeaveOneOut()).split(y)) == 12
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    folds = read_protocol(splitter).split(y)
    for fold, (train, test) in zip(folds, splitter.split(y, y), strict=True):
        np.testing.assert_array_equal(fold.train, train)
        np.testing.assert_array_equal(fold.test, test)
    made = Protocol("1x2cv", "cross_validation", 1, 2)
    assert read_protocol(made) is made


@pytest.mark.parametrize("name", ["", "5x2", "0x2cv", "5x1cv", "3x1/0", "3x4/3", "3x0/4", "5x2CV"])
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"is not known.*10x10cv.*3x5cv.*50x1/4"):
        read_protocol(name)


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="a name or a scikit-learn splitter; got int"):
        read_protocol(5)


@pytest.mark.parametrize(
    ("y", "name", "words"),
    [
        (["a"] * 9, "5x2cv", "one class, 'a'"),
        ([], "5x2cv", "no rows"),
        (["a"] * 9 + ["b"], "5x2cv", "Class 'b' has one row"),
        (["a"] * 3 + ["b"] * 3, "1x10cv", "at least 10 rows; there are 6"),
        (["a"] * 6 + ["b"], "7-set", "no row of class 'b' to learn from"),
        (["a", "b"] * 3, "7-set", "at least 7 rows; there are 6"),
        (["a"] * 9 + ["b"] * 2, "40x9/10", "no row of class 'b' to learn from"),
    ],
)
def test_too_few_rows_are_refused_in_words(y, name, words):
    with pytest.raises(ValueError, match=words):
        read_protocol(name).split(y)
