"""Reliability curves beside scikit-learn's, and their errors."""

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from mixedwood.stats import reliability_curve


def test_bins_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    second = rng.uniform(0.5, 1, 400)
    y = (rng.random(400) < second**2).astype(int)
    curve = reliability_curve(y, np.column_stack([1 - second, second]), [0, 1], n_bins=8)
    observed, predicted = calibration_curve(y, second, n_bins=8, strategy="quantile")
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)
    assert curve.counts.tolist() == [50] * 8
    assert curve.error == pytest.approx(np.abs(observed - predicted).mean())
    assert curve.error > 0.1


def test_probabilities_that_come_true_have_a_small_error():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet([1, 1, 1], 20_000)
    y = np.array(["a", "b", "c"])[(rng.random((20_000, 1)) > shares.cumsum(axis=1)).sum(axis=1)]
    assert reliability_curve(y, shares, ["a", "b", "c"]).error < 0.01


def test_bad_input():
    for shares in ([[0.5, 0.5]], [0.5, 0.5], np.empty((0, 2))):
        with pytest.raises(ValueError, match="probabilities must have one row"):
            reliability_curve([] if len(shares) == 0 else [1, 0], shares, [0, 1])
    with pytest.raises(ValueError, match="n_bins must be an int"):
        reliability_curve([0], [[0.5, 0.5]], [0, 1], n_bins=0)
