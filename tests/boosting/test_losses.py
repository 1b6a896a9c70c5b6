"""The log loss: probabilities, derivatives by finite differences, the first scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mixedwood import _core
from mixedwood.boosting.losses import LogLoss, probabilities
from mixedwood.data import Target
from support.cases import cases


def target_of(codes, n_classes, weights=None):
    return Target(np.arange(n_classes), np.asarray(codes, np.int32), weights)


def derivatives_of(scores, target):
    g, h = np.empty_like(scores), np.empty_like(scores)
    LogLoss().derivatives(scores, target, np.arange(len(scores), dtype=np.int32), g, h)
    return g, h


def loss_of_row(scores, target, row, change=None):
    moved = scores.copy()
    if change is not None:
        moved[row, change[0]] += change[1]
    p = probabilities(moved)[row, target.codes[row]]
    weight = 1.0 if target.weights is None else target.weights[row]
    return -weight * np.log(p)


@given(st.integers(2, 5), st.integers(1, 6), st.booleans(), st.integers(0, 2**32))
@settings(max_examples=cases(100))
def test_derivatives_are_those_of_the_loss(n_classes, n, weighted, seed):
    rng = np.random.default_rng(seed)
    n_outputs = 1 if n_classes == 2 else n_classes
    scores = rng.normal(scale=2, size=(n, n_outputs))
    weights = rng.uniform(0.1, 3, n) if weighted else None
    target = target_of(rng.integers(0, n_classes, n), n_classes, weights)
    g, h = derivatives_of(scores, target)
    # With one score per class the diagonal of the second derivatives is made larger, by the usual
    # factor: moving all scores alike changes nothing, so each holds only a part.
    factor = 1.0 if n_outputs == 1 else n_classes / (n_classes - 1)
    for row in range(n):
        for d in range(n_outputs):
            e = 1e-4
            up, down = (loss_of_row(scores, target, row, (d, s * e)) for s in (1, -1))
            here = loss_of_row(scores, target, row)
            assert g[row, d] == pytest.approx((up - down) / (2 * e), abs=1e-6)
            assert h[row, d] == pytest.approx(factor * (up - 2 * here + down) / e**2, abs=1e-5)


def test_derivatives_of_scores_beyond_all_doubt():
    for scores in ([[800.0], [-800.0]], [[800.0, 0.0, -800.0], [-800.0, 800.0, 0.0]]):
        scores = np.array(scores)
        n_classes = max(2, scores.shape[1])
        for codes in ([1, 0], [0, 1]):
            g, h = derivatives_of(scores, target_of(codes, n_classes))
            assert np.isfinite(g).all()
            assert np.isfinite(h).all()
            assert (np.abs(g) <= 1).all()
            assert (h >= 0).all()
        assert np.isfinite(probabilities(scores)).all()
        np.testing.assert_allclose(probabilities(scores).sum(axis=1), 1)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_no_other_constant_has_a_lower_loss_than_the_baseline(n_classes):
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 2, 60)
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 60 - n_classes)])
    target = target_of(codes, n_classes, weights)
    rows = np.arange(40, dtype=np.int32)
    start = LogLoss().baseline(target, rows)
    assert len(start) == (1 if n_classes == 2 else n_classes)

    def loss(scores):
        return LogLoss().value(np.tile(scores, (60, 1)), target, rows)

    best = minimize(loss, np.zeros(len(start)))
    assert loss(start) <= best.fun + 1e-9
    shares = np.bincount(codes[:40], weights[:40], n_classes) / weights[:40].sum()
    np.testing.assert_allclose(probabilities(start[None, :])[0], shares)


def test_a_class_without_rows_is_unlikely_and_not_impossible():
    target = target_of([0, 0, 1, 2], 3)
    start = LogLoss().baseline(target, np.arange(3, dtype=np.int32))
    assert np.isfinite(start).all()
    assert 0 < probabilities(start[None, :])[0, 2] < 1e-8
    assert LogLoss().value(np.tile(start, (4, 1)), target, np.array([3], np.int32)) > 18


def test_the_loss_is_a_weighted_mean():
    target = target_of([0, 1, 1], 2, np.array([1.0, 2.0, 5.0]))
    scores = np.array([[0.0], [1.0], [9.0]])
    p = 1 / (1 + np.exp(-scores[:, 0]))
    want = (-np.log(1 - p[0]) - 2 * np.log(p[1])) / 3
    assert LogLoss().value(scores, target, np.array([0, 1], np.int32)) == pytest.approx(want)


def test_bad_arguments_are_refused():
    codes = np.zeros(2, np.int32)
    good = np.zeros((2, 1))
    for scores, g, h, weights in (
        (np.zeros((3, 1)), good, good, None),
        (good, np.zeros((2, 2)), good, None),
        (good, good, np.zeros((1, 1)), None),
        (good, good, good, np.ones(3)),
        (np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((2, 0)), None),
    ):
        with pytest.raises(ValueError, match="differ in size"):
            _core.log_loss_derivatives(scores, codes, weights, g, h)
