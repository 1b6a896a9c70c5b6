"""The kernel, pairs of classes, and the tuning of C."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.multiclass import _ovr_decision_function

from mixedwood._folds import hold_out_per_class
from mixedwood._limits import Deadline
from mixedwood.data import read_table, read_target
from mixedwood.linear import GaussianKernel, Pairing, SvmSettings, tune_c
from mixedwood.linear.svm import _third


def test_a_kernel_row_by_row():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 3))
    kernel = GaussianKernel.fit(rows, gamma=0.7)
    found = kernel.matrix(rows)
    for i, row in enumerate(rows):
        for j, landmark in enumerate(kernel.landmarks):
            assert found[i, j] == pytest.approx(np.exp(-0.7 * np.sum((row - landmark) ** 2)))
    assert {tuple(row) for row in kernel.landmarks} == {tuple(row) for row in rows}
    reduced = GaussianKernel.fit(rows, n_components=5, seed=3)
    assert len(reduced.landmarks) == 5
    assert {tuple(row) for row in reduced.landmarks} <= {tuple(row) for row in rows}
    assert reduced.gamma == pytest.approx(1 / (3 * rows.var()))
    np.testing.assert_array_equal(
        reduced.landmarks, GaussianKernel.fit(rows, n_components=5, seed=3).landmarks
    )


@given(st.integers(3, 5), st.integers(0, 2**32 - 1))
def test_pairs_vote_as_in_scikit_learn(n_classes, seed):
    rng = np.random.default_rng(seed)
    decisions = rng.normal(size=(20, n_classes * (n_classes - 1) // 2))
    want = _ovr_decision_function(decisions > 0, decisions, n_classes)
    pairing = Pairing(n_classes, by_pairs=True)
    np.testing.assert_allclose(pairing.scores(decisions), want)
    np.testing.assert_array_equal(pairing.winners(decisions), want.argmax(axis=1))


def test_a_decision_of_zero_is_negative():
    assert Pairing(2, by_pairs=False).winners(np.array([[0.0], [1e-300], [-1.0]])).tolist() == [
        0,
        1,
        0,
    ]


def test_a_third_of_each_class_is_held_out():
    codes = np.repeat(np.arange(4, dtype=np.int32), [30, 9, 2, 1])
    out = hold_out_per_class(codes, _third, seed=0)
    assert np.bincount(codes[out], minlength=4).tolist() == [10, 3, 1, 0]
    assert (hold_out_per_class(codes, _third, seed=1) != out).any()


def test_c_is_1_where_there_is_nothing_to_tune_on():
    x = np.arange(9.0)[:, None]
    assert tune_c(read_table(x), read_target(x[:, 0] > 4), SvmSettings()) == (1.0, True)
    x = np.arange(30.0)[:, None]
    assert tune_c(read_table(x), read_target(x[:, 0] > 28), SvmSettings()) == (1.0, True)
    assert tune_c(read_table(x), read_target([0] * 30), SvmSettings()) == (1.0, True)


def test_of_equally_good_c_the_smallest_is_taken():
    x = np.repeat([-1.0, 1.0], 30)[:, None]
    assert tune_c(read_table(x), read_target(x[:, 0] > 0), SvmSettings()) == (2.0**-6, True)


def test_a_deadline_leaves_the_best_c_so_far():
    x = np.random.default_rng(0).normal(size=(3000, 40))
    table, target = read_table(x), read_target(x[:, 0] > 0)
    for kernel in ("linear", "rbf"):
        settings = SvmSettings(kernel=kernel)
        assert tune_c(table, target, settings, deadline=Deadline(0.0)) == (1.0, False)
