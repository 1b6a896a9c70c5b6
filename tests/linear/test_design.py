"""Tables as matrices: scales, indicators, missing values, and pairs of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.multiclass import _ovr_decision_function

from mixedwood._folds import hold_out_per_class
from mixedwood._limits import Deadline
from mixedwood.data import read_table, read_target
from mixedwood.linear import Design, GaussianKernel, Pairing, SvmSettings, tune_c
from mixedwood.linear.tuning import _a_third


@given(st.integers(0, 2**32 - 1), st.integers(-300, 300), st.booleans())
def test_numbers_of_any_size_come_out_with_mean_0_and_variance_1(seed, power, weighted):
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=50) + rng.normal()) * 10.0**power
    weights = rng.exponential(size=50) if weighted else None
    table = read_table(x[:, None])
    found = Design.learn(table, weights).matrix(table)[:, 0]
    np.testing.assert_allclose(np.average(found, weights=weights), 0, atol=1e-12)
    np.testing.assert_allclose(np.average(found**2, weights=weights), 1, rtol=1e-12)


def test_coefficients_in_original_units_decide_the_same():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(3, 5, 40), "b": list("xyzw") * 10, "c": rng.normal(size=40) * 1e6}
    table = read_table(X)
    for standardize in (True, False):
        design = Design.learn(table, standardize=standardize)
        w, b = rng.normal(size=(2, 6)), rng.normal(size=2)
        coefficients, offsets = design.original_units(w, b)
        plain = np.column_stack([X["a"], *(np.array(X["b"]) == v for v in "wxyz"), X["c"]])
        np.testing.assert_allclose(
            design.matrix(table) @ w.T + b, plain @ coefficients.T + offsets, rtol=1e-9
        )


def test_what_is_not_there_is_the_mean_or_no_value():
    table = read_table(
        {
            "n": [1.0, 3.0, None],
            "o": ["S", "L", None],
            "v": ["p", None, "q"],
            "e": np.full(3, np.nan),
        },
        ordinal_features={"o": ["S", "M", "L"]},
    )
    design = Design.learn(table)
    assert design.terms == ("n", "o", "v = p", "v = q", "e")
    np.testing.assert_allclose(
        design.matrix(table), [[-1, -1, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0]]
    )
    new = read_table({"n": [None], "o": ["XL"], "v": ["new"], "e": np.ones(1)}, schema=table.schema)
    np.testing.assert_array_equal(design.matrix(new), np.zeros((1, 5)))
    plain = Design.learn(table, standardize=False)
    np.testing.assert_array_equal(plain.matrix(new)[:, :2], [[2.0, 1.0]])


def test_constant_columns_are_zero_and_far_rows_stay_finite():
    table = read_table(np.array([[7.1, 1e-300], [7.1, 2e-300], [7.1, 4e-300]]))
    design = Design.learn(table)
    assert (design.matrix(table)[:, 0] == 0).all()
    far = design.matrix(read_table(np.array([[1e300, 1e300]]), schema=table.schema))
    assert np.isfinite(far).all()
    assert far[0, 0] == 0
    assert far[0, 1] > 1e50


def test_a_kernel_row_by_row():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(30, 3))
    kernel = GaussianKernel.learn(rows, gamma=0.7)
    found = kernel.matrix(rows)
    for i, row in enumerate(rows):
        for j, landmark in enumerate(kernel.landmarks):
            assert found[i, j] == pytest.approx(np.exp(-0.7 * np.sum((row - landmark) ** 2)))
    assert {tuple(row) for row in kernel.landmarks} == {tuple(row) for row in rows}
    reduced = GaussianKernel.learn(rows, n_landmarks=5, seed=3)
    assert len(reduced.landmarks) == 5
    assert {tuple(row) for row in reduced.landmarks} <= {tuple(row) for row in rows}
    assert reduced.gamma == pytest.approx(1 / (3 * rows.var()))
    np.testing.assert_array_equal(
        reduced.landmarks, GaussianKernel.learn(rows, n_landmarks=5, seed=3).landmarks
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
    out = hold_out_per_class(codes, _a_third, seed=0)
    assert np.bincount(codes[out], minlength=4).tolist() == [10, 3, 1, 0]
    assert (hold_out_per_class(codes, _a_third, seed=1) != out).any()


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
    for kernel in (False, True):
        settings = SvmSettings(gaussian=kernel)
        assert tune_c(table, target, settings, deadline=Deadline(0.0)) == (1.0, False)
