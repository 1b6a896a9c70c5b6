"""Tests of independence: closed forms against definitions, tails against scipy."""

import math
from decimal import Decimal, localcontext
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from mixedwood._core import log_chi2_tail
from mixedwood.splits import (
    chi2_test,
    conditional_inference_test,
    count_values,
)
from reference import splits as twin
from support.strategies import random_table, random_tables


def quadratic(T, mu, sigma):
    """Statistic and rank of the conditional-inference framework."""
    gap = T - mu
    rank = np.linalg.matrix_rank(sigma, tol=1e-8 * max(1.0, np.abs(sigma).max()))
    return gap @ np.linalg.pinv(sigma, rcond=1e-10) @ gap, rank


def numeric_c_quad(x, y, weights):
    """The definition for g(x) = x and indicators of the classes, weights as repetitions."""
    classes = np.unique(y[weights > 0])
    h = (y[:, None] == classes) * 1.0
    N = weights.sum()
    mean = weights @ h / N
    V = (weights[:, None] * (h - mean)).T @ (h - mean) / N
    mu = (weights @ x) * mean
    sigma = N / (N - 1) * V * (weights @ x**2) - V * (weights @ x) ** 2 / (N - 1)
    return quadratic((weights * x) @ h, mu, sigma)


def test_pearson_is_that_of_scipy():
    for A in random_tables(51, 100, (2, 8), (2, 6), high=30):
        expected = stats.chi2_contingency(A, correction=False)
        found = chi2_test(A)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
        assert found.degrees_of_freedom == expected.dof
        assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8, abs=1e-300)


def test_the_closed_form_of_c_quad_is_its_definition():
    for A in random_tables(52, 100, (2, 6), (2, 5)):
        statistic, rank = twin.c_quad(A)
        found = conditional_inference_test(A)
        assert found.statistic == pytest.approx(statistic, rel=1e-7, abs=1e-9)
        assert found.degrees_of_freedom == rank


def test_c_quad_comes_from_all_permutations_of_the_labels():
    """Mean and covariance by going through them all, for a nominal and a numeric column."""
    values, numbers = np.array([0, 0, 1, 1, 2, 2]), np.array([0.5, 2, -1, 4, 4, 1])
    labels = np.array([0, 1, 1, 0, 2, 1])
    shuffled = [np.array(p) for p in permutations(labels)]

    def nominal(y):
        return np.array([np.sum((values == v) & (y == c)) for v in range(3) for c in range(3)])

    def numeric(y):
        return np.array([numbers[y == c].sum() for c in range(3)])

    for statistic, found in [
        (nominal, lambda y: conditional_inference_test(count_values(values, y)[0])),
        (numeric, lambda y: conditional_inference_test(x=numbers, y=y)),
    ]:
        T = np.array([statistic(y) for y in shuffled], float)
        expected, rank = quadratic(statistic(labels), T.mean(0), np.cov(T.T, bias=True))
        assert found(labels).statistic == pytest.approx(expected, rel=1e-9)
        assert found(labels).degrees_of_freedom == rank
        # Under independence the statistic is the number of degrees of freedom, on average.
        mean = np.mean([found(y).statistic for y in shuffled[::9]])
        assert np.mean([quadratic(t, T.mean(0), np.cov(T.T, bias=True))[0] for t in T]) == (
            pytest.approx(rank)
        )
        assert mean == pytest.approx(rank, rel=0.15)


def test_p_values_of_shuffled_labels_are_even():
    rng = np.random.default_rng(53)
    values, y = rng.integers(0, 4, 400), rng.integers(0, 3, 400)
    p = [
        conditional_inference_test(count_values(values, rng.permutation(y))[0]).p_value
        for _ in range(300)
    ]
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_c_quad_of_numbers_is_its_definition():
    rng = np.random.default_rng(54)
    for _ in range(100):
        n, k = rng.integers(3, 40), rng.integers(2, 5)
        x, y = rng.normal(size=n) * 10 ** rng.uniform(-3, 3), rng.integers(0, k, n)
        weights = rng.integers(0, 4, n).astype(float)
        if len(np.unique(y[weights > 0])) < 2:
            continue
        statistic, rank = numeric_c_quad(x, y, weights)
        found = conditional_inference_test(x=x, y=y, sample_weight=weights)
        assert found.statistic == pytest.approx(statistic, rel=1e-6, abs=1e-9)
        assert found.degrees_of_freedom == len(np.unique(y[weights > 0])) - 1
        assert found.degrees_of_freedom == rank or np.ptp(x[weights > 0]) == 0


def test_weight_two_is_a_repeated_row():
    rng = np.random.default_rng(55)
    x, y = rng.normal(size=30), rng.integers(0, 3, 30)
    weights = rng.integers(0, 3, 30)
    weighted = conditional_inference_test(x=x, y=y, sample_weight=weights)
    repeated = conditional_inference_test(x=np.repeat(x, weights), y=np.repeat(y, weights))
    assert weighted.statistic == pytest.approx(repeated.statistic, rel=1e-12)
    assert weighted.degrees_of_freedom == repeated.degrees_of_freedom


def test_missing_numbers_are_left_out_with_their_classes():
    x = [1.0, np.nan, 2.0, 4.0, np.nan, 3.0]
    y = ["a", "c", "a", "b", "c", "b"]
    found = conditional_inference_test(x=x, y=y)
    assert found == conditional_inference_test(x=[1.0, 2, 4, 3], y=list("aabb"))
    assert found.degrees_of_freedom == 1


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200, 1e307])
def test_the_unit_of_the_numbers_does_not_matter(scale):
    x = np.array([1.0, 2, 5, 3, 8, 13])
    found = conditional_inference_test(x=x * scale, y=list("aabbcc"))
    plain = conditional_inference_test(x=x, y=list("aabbcc"))
    assert found.statistic == pytest.approx(plain.statistic, rel=1e-12)


@pytest.mark.parametrize("degrees_of_freedom", [1, 2, 3, 9, 50, 105, 1000])
def test_the_tail_is_that_of_scipy(degrees_of_freedom):
    """Both below and above the mean, where two different expansions are used."""
    for factor in (1e-6, 0.01, 0.5, 0.9, 0.999, 1.0, 1.001, 1.002, 1.1, 1.5, 2, 4):
        statistic = factor * degrees_of_freedom
        # Near 1, older versions of scipy take the logarithm of a rounded number.
        below = stats.chi2.cdf(statistic, degrees_of_freedom)
        tail = stats.chi2.logsf(statistic, degrees_of_freedom)
        expected = np.log1p(-below) if below < 0.5 else tail
        if expected < -600:  # scipy takes the logarithm of a number about to underflow
            continue
        found = log_chi2_tail(statistic, degrees_of_freedom)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-290)


def exact_log_tail(statistic, degrees_of_freedom):
    """For even degrees of freedom a finite sum, here with many digits."""
    with localcontext() as context:
        context.prec = 150
        z = Decimal(statistic) / 2
        term = total = Decimal(1)
        for i in range(1, degrees_of_freedom // 2):
            term *= z / i
            total += term
        return float(total.ln() - z)


@pytest.mark.parametrize("degrees_of_freedom", [2, 8, 16, 32, 284, 2000])
def test_the_tail_is_right_to_twelve_digits_however_small(degrees_of_freedom):
    for factor in (0.5, 0.99, 1.01, 1.5, 3, 30, 1000, 1e6):
        statistic = factor * degrees_of_freedom
        expected = exact_log_tail(statistic, degrees_of_freedom)
        found = log_chi2_tail(statistic, degrees_of_freedom)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_tail_does_not_underflow_and_always_falls():
    logs = [log_chi2_tail(s, 8) for s in (0, 1, 8, 9.9, 10, 10.1, 100, 1e4, 1e6, 1e12, 1e300)]
    assert logs[0] == 0
    assert (np.diff(logs) < 0).all()
    assert np.isfinite(logs).all()
    # Leading term of log Q for a large statistic.
    a, z = 4, 5e5
    leading = -z + (a - 1) * math.log(z) - math.lgamma(a) + math.log1p((a - 1) / z)
    assert log_chi2_tail(1e6, 8) == pytest.approx(leading, rel=1e-12)


def test_no_step_where_the_expansions_meet():
    for df in (1, 2, 7, 300):
        around = (df / 2 + 1) * 2 * (1 + np.linspace(-1e-6, 1e-6, 41))
        assert (np.diff([log_chi2_tail(s, df) for s in around]) < 0).all()


def test_a_million_degrees_of_freedom():
    for factor in (0.99, 0.999, 1.0, 1.001, 1.01):
        expected = stats.chi2.logsf(factor * 1e6, 1e6)
        assert log_chi2_tail(factor * 1e6, 1e6) == pytest.approx(expected, rel=1e-6)
    A = random_table(np.random.default_rng(56), 2001, 501)
    found = chi2_test(A)
    assert found.degrees_of_freedom == 1_000_000
    assert math.isfinite(found.log_p)


def test_where_p_is_zero_its_logarithm_still_tells_columns_apart():
    strong, stronger = chi2_test(np.eye(2) * 1e4), chi2_test(np.eye(2) * 2e4)
    assert strong.p_value == stronger.p_value == 0
    assert stronger.log_p < strong.log_p
    assert strong.log10_p == pytest.approx(strong.log_p / math.log(10))


@pytest.mark.parametrize("test", [chi2_test, conditional_inference_test])
@pytest.mark.parametrize("counts", [[[3, 4]], [[3], [4]], [[0, 0], [5, 1]], np.zeros((3, 2))])
def test_nothing_to_test(test, counts):
    found = test(counts)
    assert (found.statistic, found.degrees_of_freedom, found.p_value) == (0, 0, 1)


def test_a_constant_column_says_nothing():
    found = conditional_inference_test(x=[2.5] * 4, y=list("aabb"))
    assert (found.statistic, found.p_value) == (0, 1)


def test_empty_rows_and_columns_do_not_count():
    A = random_table(np.random.default_rng(57), 4, 3)
    wide = np.zeros((6, 5))
    wide[1:5, 1:4] = A
    assert chi2_test(wide) == chi2_test(A)
    assert conditional_inference_test(wide) == conditional_inference_test(A)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"x": [1.0, 2]}, {"y": [0, 1]}, {"counts": [[1, 2]], "x": [1.0], "y": [0]},
     {"counts": [[1, 2]], "sample_weight": [1]}],
)  # fmt: skip
def test_counts_or_numbers_not_both(arguments):
    with pytest.raises(ValueError, match=r"either counts .* or x and y"):
        conditional_inference_test(**arguments)


def test_text_is_no_number():
    with pytest.raises(TypeError, match=r"x must be numeric.*count_values\(x, y\)"):
        conditional_inference_test(x=["a", "b"], y=[0, 1])


def test_lengths_must_agree():
    with pytest.raises(ValueError, match=r"\[3, 2\]"):
        conditional_inference_test(x=[1.0, 2, 3], y=[0, 1])
    with pytest.raises(ValueError, match="sample_weight has 1 weights, but y has 2"):
        conditional_inference_test(x=[1.0, 2], y=[0, 1], sample_weight=[1])


def test_infinite_numbers_are_refused():
    with pytest.raises(ValueError, match=r"infinity.*row 1"):
        conditional_inference_test(x=[1.0, np.inf], y=[0, 1])
