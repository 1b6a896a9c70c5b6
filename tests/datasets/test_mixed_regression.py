"""Generated data with a numeric target."""

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.datasets import make_mixed_regression


def test_the_target_is_numeric_and_the_noise_is_what_is_left():
    data = make_mixed_regression(3000, 2, 1, random_state=0, noise=0.5)
    assert data.y.dtype == np.float64
    model = mw.TreeRegressor().fit(data.X[:2000], data.y[:2000])
    errors = model.predict(data.X[2000:]) - data.y[2000:]
    assert 0.5 < np.sqrt(np.mean(errors**2)) < 0.7
    assert "target: mean" in repr(data)


def test_sizes_gaps_and_seeds():
    data = make_mixed_regression(200, 3, 2, [3, 4, 5], missing_rate=0.2, random_state=1)
    again = make_mixed_regression(200, 3, 2, [3, 4, 5], missing_rate=0.2, random_state=1)
    assert data.y.tolist() == again.y.tolist()
    assert data.n_features == 5
    assert data.X.isna().mean().mean() == pytest.approx(0.2, abs=0.06)
    with pytest.raises(ValueError, match="noise"):
        make_mixed_regression(noise=-1)
