"""Two methods over several data sets."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from mixedwood.stats import wilcoxon_signed_rank
from reference.stats import signed_rank_p_value
from stats.examples import AREAS

SMALL = st.lists(st.integers(-4, 4), min_size=1, max_size=9)


@given(SMALL)
def test_all_signs_by_hand(differences):
    found = wilcoxon_signed_rank(differences, np.zeros(len(differences)))
    statistic, p = signed_rank_p_value(differences)
    assert found.statistic == statistic
    assert found.p_value == pytest.approx(p)
    assert 0.0 < found.p_value <= 1.0


@pytest.mark.parametrize("n", [1, 5, 20, 50])
def test_scipy_agrees_without_ties(n):
    a, b = np.random.default_rng(n).random((2, n))
    expected = scipy.stats.wilcoxon(a, b, method="exact")
    found = wilcoxon_signed_rank(a, b)
    assert found.statistic == expected.statistic
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("n", [300, 1000])
def test_scipy_agrees_on_many(n):
    a = np.random.default_rng(n).integers(-20, 23, n)
    expected = scipy.stats.wilcoxon(a, method="approx")
    found = wilcoxon_signed_rank(a, np.zeros(n))
    assert found.statistic == expected.statistic
    assert found.p_value == pytest.approx(expected.pvalue)


def test_the_normal_takes_over_smoothly():
    a = np.arange(1, 201) * np.where(np.arange(200) % 5 < 2, -1, 1)
    exact = wilcoxon_signed_rank(a, np.zeros(200)).p_value
    longer = np.append(a, 0.5)  # one difference more, with the lowest rank
    assert wilcoxon_signed_rank(longer, np.zeros(201)).p_value == pytest.approx(exact, rel=0.05)


def test_published_example():
    """Demšar (2006), table 2: C4.5 against C4.5+m, 14 data sets, two of them without a difference.

    He ranks the two as well, with half of their ranks on either side: sums of 93 and 12.
    """
    found = wilcoxon_signed_rank(-AREAS[:, 0], -AREAS[:, 1])
    ranks = scipy.stats.rankdata(np.round(np.abs(AREAS[:, 0] - AREAS[:, 1]), 3))
    lost = ranks[np.round(AREAS[:, 0] - AREAS[:, 1], 3) > 0]
    assert lost.sum() + 1.5 == 12
    assert found.statistic == lost.sum() - 2 * len(lost)  # without the ranks of the two
    assert found.is_significant
    assert found.winner == "the second"


@given(SMALL, st.integers(-5, 5))
def test_what_does_not_matter(differences, shift):
    b = np.arange(float(len(differences)))
    a = b + differences
    found, swapped = wilcoxon_signed_rank(a, b), wilcoxon_signed_rank(b, a)
    assert (swapped.statistic, swapped.p_value) == (found.statistic, found.p_value)
    assert swapped.direction == -found.direction
    assert wilcoxon_signed_rank(a + shift, b + shift) == found
    assert wilcoxon_signed_rank(a / 1024, b / 1024).p_value == found.p_value


def test_no_difference_at_all():
    found = wilcoxon_signed_rank([0.3, 0.2], [0.1 + 0.2, 0.2])
    assert (found.statistic, found.p_value, found.winner) == (0.0, 1.0, None)


def test_one_large_data_set_does_not_decide():
    found = wilcoxon_signed_rank(np.array([9.0, *[0.0] * 12]), np.arange(13) / 100)
    assert found.mean_difference > 0
    assert found.is_significant
    assert found.winner is None  # the mean and the ranks point different ways


def test_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one difference is needed"):
        wilcoxon_signed_rank([], [])
