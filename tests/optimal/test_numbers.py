"""Optimal trees for numbers against all trees by brute force, and what stopped searches say."""

import numpy as np
import pytest

from support.number_problems import SEARCHES, check


@pytest.mark.parametrize("search", SEARCHES)
def test_proofs_and_bounds_hold_on_small_problems(search):
    """The twin enumerates every tree in exact fractions."""
    proven = [check(seed, search) for seed in range(60)]
    assert np.mean(proven) > 0.8


@pytest.mark.long
@pytest.mark.parametrize("search", SEARCHES)
def test_proofs_and_bounds_hold_on_many_small_problems(search):
    proven = [check(seed, search) for seed in range(1000)]
    assert np.mean(proven) > 0.8
