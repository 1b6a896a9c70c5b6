"""Several methods over several data sets."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mixedwood.stats import friedman_test, nemenyi_test, rank_methods
from reference.stats import friedman_chi_square, groups_of, ranks
from stats.examples import AREAS, VARIANTS

TABLES = st.tuples(st.integers(2, 8), st.integers(2, 5)).flatmap(
    lambda shape: arrays(float, shape, elements=st.integers(0, 6).map(lambda n: n / 8))
)


@given(TABLES)
def test_ranks_by_hand(errors):
    assert np.array_equal(rank_methods(errors), [ranks(row) for row in errors])


@given(TABLES)
def test_friedman_by_hand(errors):
    found = friedman_test(errors)
    assert found.statistic == pytest.approx(friedman_chi_square(errors), abs=1e-12)
    assert found.p_value == pytest.approx(
        scipy.stats.chi2.sf(found.statistic, found.degrees_of_freedom)
    )
    assert 0.0 <= found.f_p_value <= 1.0
    if np.isfinite(found.f_statistic):
        n, k = errors.shape
        f = (n - 1) * found.statistic / (n * (k - 1) - found.statistic)
        assert found.f_statistic == pytest.approx(f)
        assert found.f_p_value == pytest.approx(scipy.stats.f.sf(f, *found.f_degrees_of_freedom))
    else:
        assert np.ptp(rank_methods(errors), axis=0).max() == 0.0  # all data sets agree


@pytest.mark.parametrize(("n_datasets", "n_methods"), [(2, 3), (10, 3), (14, 6), (40, 12)])
@pytest.mark.parametrize("digits", [1, 3])
def test_scipy_agrees_on_friedman(n_datasets, n_methods, digits):
    errors = np.random.default_rng(n_datasets).random((n_datasets, n_methods)).round(digits)
    expected = scipy.stats.friedmanchisquare(*errors.T)
    found = friedman_test(errors)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize(("n_datasets", "n_methods"), [(2, 2), (5, 3), (14, 4), (30, 10)])
def test_scikit_posthocs_agrees_on_nemenyi(n_datasets, n_methods):
    posthocs = pytest.importorskip("scikit_posthocs")
    rng = np.random.default_rng(n_datasets)
    errors = (rng.random((n_datasets, n_methods)) + np.linspace(0, 0.5, n_methods)).round(2)
    expected = posthocs.posthoc_nemenyi_friedman(errors).to_numpy()
    assert nemenyi_test(errors).p_values == pytest.approx(expected, abs=1e-9)


def test_published_example():
    """Demšar (2006), section 3.2.2."""
    friedman, nemenyi = friedman_test(-AREAS), nemenyi_test(-AREAS, names=VARIANTS)
    assert friedman.mean_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # The published figure does not correct for ties. On four sets the sum of t³ - t over ties of t
    # methods is 6, 6, 60 and 6, and chi-square is divided by 1 - 78 / (14 (4³ - 4)).
    assert friedman.statistic * (1 - 78 / 840) == pytest.approx(9.28, abs=5e-3)
    assert friedman.f_statistic > 3.69  # F without the correction
    assert friedman.f_degrees_of_freedom == (3, 39)
    assert friedman.is_significant
    assert nemenyi.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert nemenyi_test(-AREAS, alpha=0.1).critical_difference == pytest.approx(1.12, abs=5e-3)
    # "the difference between the best and the worst performing algorithm is already smaller"
    assert not nemenyi.is_significant
    assert nemenyi.groups == ((3, 1, 2, 0),)
    # at 0.10: C4.5 is significantly worse than C4.5+m and C4.5+m+cf
    assert nemenyi_test(-AREAS, alpha=0.1).groups == ((3, 1, 2), (2, 0))


@pytest.mark.parametrize(
    ("alpha", "published"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_the_published_ones(alpha, published):
    """Demšar (2006), table 5a, for two to ten methods; its last digit is off by one in places."""
    for k, value in enumerate(published, start=2):
        found = nemenyi_test(np.zeros((6, k)), alpha=alpha).critical_difference
        assert found / np.sqrt(k * (k + 1) / 36) == pytest.approx(value, abs=1.01e-3)


@settings(max_examples=40)
@given(TABLES, st.sampled_from([0.01, 0.05, 0.3, 0.8]))
def test_groups_by_hand(errors, alpha):
    found = nemenyi_test(errors, alpha=alpha)
    expected = groups_of(found.mean_ranks, found.critical_difference)
    assert sorted(map(sorted, found.groups)) == sorted(map(sorted, expected))
    joined = {(i, j) for group in found.groups for i in group for j in group if i != j}
    for i, j in np.ndindex(found.p_values.shape):
        if i != j:
            assert (found.p_values[i, j] > alpha) == ((i, j) in joined)
    assert found.is_significant == (found.p_value <= alpha)


@settings(max_examples=40)
@given(TABLES, st.integers(-4, 4), st.randoms(use_true_random=False))
def test_what_does_not_matter(errors, shift, random):
    order = list(range(errors.shape[1]))
    random.shuffle(order)
    sets = list(range(errors.shape[0]))
    random.shuffle(sets)
    friedman, nemenyi = friedman_test(errors), nemenyi_test(errors)
    changed = errors[sets][:, order] + shift
    other = friedman_test(changed)
    assert (other.statistic, other.p_value) == (friedman.statistic, friedman.p_value)
    assert (other.f_statistic, other.f_p_value) == (friedman.f_statistic, friedman.f_p_value)
    assert np.array_equal(other.mean_ranks, friedman.mean_ranks[order])
    other = nemenyi_test(changed)
    assert np.array_equal(other.p_values, nemenyi.p_values[np.ix_(order, order)])
    assert np.array_equal(nemenyi.p_values, nemenyi.p_values.T)
    assert 0.0 <= nemenyi.p_values.min() <= nemenyi.p_values.max() <= 1.0
    renamed = [sorted(order[i] for i in group) for group in other.groups]
    # Methods with the same mean rank may change places, which changes no group.
    assert sorted(renamed) == sorted(map(sorted, nemenyi.groups))


def test_equal_errors_everywhere():
    errors = [[0.3, 0.1 + 0.2, 0.3]] * 4
    friedman, nemenyi = friedman_test(errors), nemenyi_test(errors)
    assert (friedman.statistic, friedman.p_value) == (0.0, 1.0)
    assert (friedman.f_statistic, friedman.f_p_value) == (0.0, 1.0)
    assert np.array_equal(nemenyi.p_values, np.ones((3, 3)))
    assert nemenyi.groups == ((0, 1, 2),)
    assert "all have the mean rank 2.00" in friedman.sentence
    assert "of 3 pairs of methods none differs" in nemenyi.sentence


def test_complete_agreement():
    friedman = friedman_test([[0.1, 0.2, 0.3]] * 5)
    assert friedman.statistic == 10.0
    assert (friedman.f_statistic, friedman.f_p_value) == (np.inf, 0.0)


def test_two_methods():
    errors = np.array([[0.1, 0.2]] * 9 + [[0.2, 0.1]])
    friedman, nemenyi = friedman_test(errors), nemenyi_test(errors)
    # a sign test without its correction: z = (9 - 1) / sqrt(10)
    z = 8 / np.sqrt(10)
    assert friedman.statistic == pytest.approx(z**2)
    assert friedman.p_value == pytest.approx(2 * scipy.stats.norm.sf(z))
    assert nemenyi.p_value == pytest.approx(friedman.p_value, abs=1e-9)
    assert "the two methods differ by more" in nemenyi.sentence
    assert "the two methods do not differ" in nemenyi_test(errors[[0, -1]]).sentence


def test_sentences():
    names = ["forest", "tree", "stump"]
    errors = np.tile([0.1, 0.2, 0.3], (10, 1))
    assert friedman_test(errors, names=names).sentence == (
        "Friedman test: the 3 methods differ significantly over 10 datasets; forest "
        "has the lowest mean rank, 1.00 (chi-square(2) = 20, p < 0.0001; F(2, 18) = inf, "
        "p < 0.0001)."
    )
    assert nemenyi_test(errors, names=names).sentence == (
        "Nemenyi test over 10 datasets: of 3 pairs of methods one differs by more than the "
        "critical difference of 1.048 mean ranks at alpha = 0.05; forest has the lowest mean rank, "
        "1.00 (smallest p < 0.0001)."
    )
    tied = errors[:, [0, 0, 2]]
    assert (
        "forest and tree have the lowest mean rank, 1.50"
        in nemenyi_test(tied, names=names).sentence
    )


def test_many_ranks_are_aligned():
    lines = nemenyi_test(np.tile(np.arange(11.0), (3, 1))).to_text().splitlines()
    assert lines[2].startswith("   1.000  method 1   |")
    assert lines[-1].startswith("  11.000  method 11  ")


def test_results_cannot_be_changed():
    found = nemenyi_test([[0.1, 0.2], [0.2, 0.3]])
    for array in (found.mean_ranks, found.p_values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


@pytest.mark.parametrize("test", [friedman_test, nemenyi_test])
@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ([0.1, 0.2], r"has the shape \(2,\); one row per dataset and one column per method"),
        ([[0.1, 0.2]], "ranks are compared over at least two datasets"),
        ([[0.1], [0.2]], "1 columns; there is nothing to compare below 2"),
        (np.zeros((0, 3)), "at least one dataset is needed"),
        ([[0.1, np.nan], [0.2, 0.3]], "errors has 1 of 4 values that are missing or infinite"),
    ],
)
def test_bad_errors_are_refused(test, errors, words):
    with pytest.raises(ValueError, match=words):
        test(errors)


@pytest.mark.parametrize("test", [friedman_test, nemenyi_test])
def test_bad_names_and_levels_are_refused(test):
    with pytest.raises(ValueError, match="names must be a list of 2 names"):
        test([[0.1, 0.2], [0.2, 0.3]], names=["tree"])
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1"):
        test([[0.1, 0.2], [0.2, 0.3]], alpha=5)
