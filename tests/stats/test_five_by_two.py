"""Two methods over five repetitions of two halves."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mixedwood.stats import five_by_two_cv_f_test, five_by_two_cv_t_test
from stats.examples import NOT_SIGNIFICANT, SIGNIFICANT

TESTS = [five_by_two_cv_f_test, five_by_two_cv_t_test]
OTHER_NAMES = {
    five_by_two_cv_f_test: "combined_ftest_5x2cv",
    five_by_two_cv_t_test: "paired_ttest_5x2cv",
}

# Shares of 128 rows: differences and their means are exact.
ERRORS = arrays(float, (5, 2), elements=st.integers(0, 128).map(lambda n: n / 128))


@pytest.mark.parametrize(
    ("differences", "statistic", "p"),
    [(NOT_SIGNIFICANT, 2.976744, 0.120122), (SIGNIFICANT, 97.285714, 0.0000432)],
)
def test_worked_examples(differences, statistic, p):
    found = five_by_two_cv_f_test(0.3 + differences, np.full((5, 2), 0.3))
    assert found.statistic == pytest.approx(statistic, abs=5e-7)  # half of the last digit printed
    assert found.p_value == pytest.approx(p, abs=5e-7 if p > 0.001 else 5e-8)
    assert found.degrees_of_freedom == (10, 5)
    assert found.is_significant == (p < 0.05)
    assert found.winner == ("the second" if p < 0.05 else None)
    assert found.mean_difference == pytest.approx(differences.mean())


def with_f(statistic):
    """Differences with a given F: x² + y² = F (x - y)² in each repetition."""
    y = 1 / 16
    x = np.roots([1 - statistic, 2 * statistic * y, (1 - statistic) * y * y]).real.max()
    return np.tile([x, y], (5, 1))


@pytest.mark.parametrize(("statistic", "is_significant"), [(4.7350, False), (4.7351, True)])
def test_the_critical_value_is_the_published_one(statistic, is_significant):
    found = five_by_two_cv_f_test(with_f(statistic), np.zeros((5, 2)))
    assert found.statistic == pytest.approx(statistic, abs=1e-9)
    assert found.is_significant is is_significant
    assert found.p_value == pytest.approx(0.05, abs=1e-5)


class Prepared:
    """An estimator with given scores."""

    def __init__(self, errors):
        self.scores = list(1.0 - errors.ravel())

    def fit(self, X, y):
        return self


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("seed", range(5))
def test_another_implementation_agrees(test, seed):
    mlxtend = pytest.importorskip("mlxtend.evaluate")
    a, b = np.random.default_rng(seed).uniform(0.1, 0.4, (2, 5, 2))
    statistic, p = getattr(mlxtend, OTHER_NAMES[test])(
        Prepared(b), Prepared(a), np.zeros((4, 1)), np.zeros(4),  # theirs subtracts scores
        scoring=lambda estimator, X, y: estimator.scores.pop(0),
    )  # fmt: skip
    found = test(a, b)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(p)


@pytest.mark.parametrize("test", TESTS)
@given(a=ERRORS, b=ERRORS)
def test_swapping_changes_sides_only(test, a, b):
    one, other = test(a, b), test(b, a)
    signed = test is five_by_two_cv_t_test
    assert other.statistic == (-one.statistic if signed else one.statistic)
    assert other.p_value == one.p_value
    assert other.mean_difference == -one.mean_difference
    assert other.direction == -one.direction


@pytest.mark.parametrize("test", TESTS)
@given(a=ERRORS, b=ERRORS, shift=st.integers(-4, 4))
def test_a_common_change_changes_nothing(test, a, b, shift):
    assert test(a + shift, b + shift) == test(a, b)


@pytest.mark.parametrize("test", TESTS)
@given(a=ERRORS, b=ERRORS, power=st.integers(-300, 300))
def test_the_unit_does_not_matter(test, a, b, power):
    plain, scaled = test(a, b), test(a * 2.0**power, b * 2.0**power)
    assert (scaled.statistic, scaled.p_value) == (plain.statistic, plain.p_value)


@pytest.mark.parametrize("test", TESTS)
@given(a=ERRORS, b=ERRORS)
def test_p_is_a_probability_and_falls_with_the_statistic(test, a, b):
    found = test(a, b)
    assert 0.0 <= found.p_value <= 1.0
    if test is five_by_two_cv_f_test:
        assert found.p_value == pytest.approx(scipy.stats.f.sf(found.statistic, 10, 5))
    else:
        assert found.p_value == pytest.approx(2 * scipy.stats.t.sf(abs(found.statistic), 5))
    assert found.sentence.endswith(").")


@given(ERRORS, ERRORS, st.permutations(range(5)))
def test_the_order_of_repetitions_does_not_matter_for_f(a, b, order):
    one, other = five_by_two_cv_f_test(a, b), five_by_two_cv_f_test(a[order], b[order])
    assert (one.statistic, one.p_value) == pytest.approx((other.statistic, other.p_value))


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_at_all(test):
    found = test(np.full((5, 2), 0.3), np.full((5, 2), 0.1) + 0.2)  # differs by rounding
    assert (found.statistic, found.p_value, found.winner) == (0.0, 1.0, None)
    assert "the first and the second have the same error on average" in found.sentence


@pytest.mark.parametrize("test", TESTS)
def test_the_same_difference_throughout(test):
    a = np.linspace(0.1, 0.3, 10).reshape(5, 2)
    found = test(a + 0.05, a)  # the differences are equal but for rounding
    assert (found.statistic, found.p_value, found.winner) == (np.inf, 0.0, "the second")
    assert test(a, a + 0.05).winner == "the first"


def test_f_without_a_side():
    differences = np.array([(0.1, 0.11), (-0.1, -0.11), (0.1, 0.11), (-0.1, -0.11), (0.0, 0.0)])
    found = five_by_two_cv_f_test(0.5 + differences, np.full((5, 2), 0.5))
    assert found.is_significant
    assert found.winner is None
    assert "differ significantly, but neither has clearly the lower error" in found.sentence


def test_t_whose_first_half_is_not_like_the_others():
    differences = np.array([(-0.1, -0.11), *[(0.1, 0.11)] * 4])
    found = five_by_two_cv_t_test(0.5 + differences, np.full((5, 2), 0.5))
    assert found.statistic < 0 < found.mean_difference
    assert found.is_significant
    assert found.winner is None


def test_the_sentence_speaks_of_what_was_measured():
    found = five_by_two_cv_f_test(
        SIGNIFICANT, SIGNIFICANT - 0.05, names=["tree", "forest"], metric="log loss", alpha=0.01
    )
    assert found.sentence == (
        "5x2cv F test: forest has a significantly lower log loss than tree, by 0.05 on average "
        "(F(10, 5) = inf, p < 0.0001)."
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (np.zeros(10), np.zeros(10), r"one row per repetition: \(5, 2\)"),
        (np.zeros((10, 10)), np.zeros((10, 10)), "use corrected_resampled_t_test"),
        (np.zeros((5, 2)), np.zeros((5, 3)), "a has the shape .* one error for each of the same"),
        (np.full((5, 2), np.nan), np.zeros((5, 2)), "a has 10 of 10 values that are missing"),
        (
            np.zeros((5, 2)),
            np.full((5, 2), np.inf),
            "b has 10 of 10 values that are missing or inf",
        ),
        ([["low", "high"]] * 5, np.zeros((5, 2)), r"a must be an array of numbers.*got \[\['low'"),
        ([[0.1], [0.1, 0.2]], np.zeros((5, 2)), "with rows of one length"),
    ],
)
def test_bad_errors_are_refused(test, a, b, words):
    with pytest.raises(ValueError, match=words):
        test(a, b)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, "0.05", None, np.nan, True])
def test_a_bad_level_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1"):
        five_by_two_cv_f_test(SIGNIFICANT, NOT_SIGNIFICANT, alpha=alpha)


@pytest.mark.parametrize("names", ["ab", ["tree"], ["a", "b", "c"]])
def test_bad_names_are_refused(names):
    with pytest.raises(ValueError, match="names must be a list of 2 names"):
        five_by_two_cv_f_test(SIGNIFICANT, NOT_SIGNIFICANT, names=names)
