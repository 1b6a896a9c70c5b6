"""Two methods over many folds."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from mixedwood.stats import corrected_resampled_t_test, paired_t_test

SHARES = st.integers(0, 128).map(lambda n: n / 128)
PAIRS = array_shapes(max_dims=2, min_side=2, max_side=10).flatmap(
    lambda shape: st.tuples(
        arrays(float, shape, elements=SHARES), arrays(float, shape, elements=SHARES)
    )
)
SIDES = ["two-sided", "less", "greater"]
OTHER_SIDE = {"two-sided": "two-sided", "less": "greater", "greater": "less"}


def corrected(a, b, **options):
    return corrected_resampled_t_test(a, b, 9, 1, **options)


TESTS = [paired_t_test, corrected]


@pytest.mark.parametrize("alternative", SIDES)
@given(pair=PAIRS)
def test_scipy_agrees(alternative, pair):
    a, b = pair
    assume(np.ptp(a - b) > 0)
    expected = scipy.stats.ttest_rel(a.ravel(), b.ravel(), alternative=alternative)
    found = paired_t_test(a, b, alternative=alternative)
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.degrees_of_freedom == (a.size - 1,)


@pytest.mark.parametrize("alternative", SIDES)
@given(pair=PAIRS, n_train=st.integers(1, 1000), n_test=st.integers(1, 1000))
def test_the_correction_is_the_published_one(alternative, pair, n_train, n_test):
    a, b = pair
    assume(np.ptp(a - b) > 0)
    d = (a - b).ravel()
    variance = (1 / d.size + n_test / n_train) * np.var(d, ddof=1)
    statistic = d.mean() / np.sqrt(variance)
    t = scipy.stats.t(d.size - 1)
    p = {
        "two-sided": 2 * t.sf(abs(statistic)),
        "less": t.cdf(statistic),
        "greater": t.sf(statistic),
    }
    found = corrected_resampled_t_test(a, b, n_train, n_test, alternative=alternative)
    assert found.statistic == pytest.approx(statistic, abs=1e-12)
    assert found.p_value == pytest.approx(p[alternative], abs=1e-12)


@given(pair=PAIRS)
def test_the_correction_finds_less(pair):
    plain, careful = paired_t_test(*pair), corrected(*pair)
    assert careful.p_value >= plain.p_value
    assert careful.direction == plain.direction


@given(pair=PAIRS)
def test_only_the_ratio_of_rows_matters(pair):
    assert corrected_resampled_t_test(*pair, 900, 100) == corrected(*pair)


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("alternative", SIDES)
@given(pair=PAIRS, shift=st.integers(-4, 4), power=st.integers(-300, 300))
def test_what_does_not_matter(test, alternative, pair, shift, power):
    a, b = pair
    found = test(a, b, alternative=alternative)
    assert 0.0 <= found.p_value <= 1.0
    assert found.sentence.endswith(").")

    swapped = test(b, a, alternative=OTHER_SIDE[alternative])
    assert swapped.statistic == -found.statistic
    assert swapped.p_value == found.p_value
    assert swapped.direction == -found.direction
    assert test(a + shift, b + shift, alternative=alternative) == found

    unit = 2.0**power
    scaled = test(a * unit, b * unit, alternative=alternative)
    assert (scaled.statistic, scaled.p_value) == (found.statistic, found.p_value)


@pytest.mark.parametrize("test", TESTS)
def test_degenerate_differences(test):
    a = np.linspace(0.1, 0.3, 10)
    same = test(a, a + 0.1 - 0.1)
    assert (same.statistic, same.p_value, same.winner) == (0.0, 1.0, None)
    assert test(a, a, alternative="less").p_value == 0.5

    always = test(a, a + 0.1)
    assert (always.statistic, always.p_value, always.winner) == (-np.inf, 0.0, "the first")
    assert test(a, a + 0.1, alternative="less").p_value == 0.0
    assert test(a, a + 0.1, alternative="greater").p_value == 1.0

    balanced = test([0.3, 0.2], [0.2, 0.3])
    assert (balanced.statistic, balanced.p_value, balanced.direction) == (0.0, 1.0, 0)


def test_one_side_is_said():
    found = paired_t_test([0.20, 0.22, 0.19], [0.21, 0.25, 0.21], alternative="less")
    assert found.sentence.startswith(
        "paired t test (one-sided): the first has a significantly lower error"
    )


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("values", [[], [0.1]])
def test_too_few_differences_are_refused(test, values):
    with pytest.raises(ValueError, match=f"{len(values)} values each; a t test needs at least two"):
        test(values, values)


@pytest.mark.parametrize("alternative", ["both", None, 1])
def test_an_unknown_side_is_refused(alternative):
    with pytest.raises(ValueError, match="alternative must be 'two-sided', 'less' or 'greater'"):
        paired_t_test([0.1, 0.2], [0.1, 0.3], alternative=alternative)


@pytest.mark.parametrize("rows", [0, -1, np.inf, np.nan, "90", None])
def test_bad_numbers_of_rows_are_refused(rows):
    for name, given_rows in (("n_train", (rows, 10)), ("n_test", (90, rows))):
        with pytest.raises(ValueError, match=f"{name} must be a number of rows above 0"):
            corrected_resampled_t_test([0.1, 0.2], [0.1, 0.3], *given_rows)
