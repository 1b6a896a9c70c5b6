"""Losses of numbers: derivatives by finite differences, baselines, quantiles of leaves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from mixedwood.boosting.losses import (
    NUMBER_LOSSES,
    Huber,
    Tweedie,
    node_quantiles,
    number_loss,
    weighted_quantile,
)
from mixedwood.data import Target, read_numbers, read_table
from mixedwood.grow import grow_numbers
from support.cases import cases

LOSSES = [
    *((name, 0.3 if name == "quantile" else None, 1.5) for name in NUMBER_LOSSES),
    ("quantile", 0.9, 1.5),
    ("tweedie", None, 1.1),
    ("tweedie", None, 1.0),
    ("tweedie", None, 2.0),
]


def make(name, quantile, power):
    return number_loss(name, quantile=quantile, power=power)


def target_of(y, weights=None):
    return Target(np.empty(0), np.zeros(len(y), np.int32), weights, values=np.asarray(y, float))


def rows_of(n):
    return np.arange(n, dtype=np.int32)


def random_target(seed, n=40, weighted=True):
    rng = np.random.default_rng(seed)
    y = rng.gamma(1.5, 2.0, n) + 0.01
    return target_of(y, rng.uniform(0.2, 3.0, n) if weighted else None)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_derivatives_are_those_of_the_loss(loss, weighted):
    target = random_target(1, weighted=weighted)
    n, loss = target.n_rows, make(*loss)
    scores = np.random.default_rng(2).normal(scale=0.8, size=(n, 1))
    loss.baseline(target, rows_of(n))
    g, h = np.empty_like(scores), np.empty_like(scores)
    loss.derivatives(scores, target, rows_of(n), g, h)
    if isinstance(loss, Huber):  # the loss that is reported has the first delta
        loss._first_delta = loss._delta
    e = 1e-4
    weights = np.ones(n) if target.weights is None else target.weights
    y = target.numbers

    def losses(step):
        return weights * loss._losses(y, scores[:, 0] + step)

    # No difference of losses crosses a kink: 0 or, of Huber's loss, delta.
    kinks = [0.0, loss._delta] if isinstance(loss, Huber) else [0.0]
    size = np.abs(y - scores[:, 0])
    smooth = np.all([np.abs(size - kink) > 2 * e for kink in kinks], axis=0)
    assert smooth.sum() >= 0.95 * n
    slope = (losses(e) - losses(-e)) / (2 * e)
    np.testing.assert_allclose(g[smooth, 0], slope[smooth], rtol=1e-6, atol=1e-7)
    curvature = (losses(e) - 2 * losses(0) + losses(-e)) / e**2
    if loss.link == "log" or loss.name == "squared_error":
        np.testing.assert_allclose(h[smooth, 0], curvature[smooth], rtol=1e-5, atol=1e-5)
    else:  # where the loss is linear, 1 is in the place of 0
        assert (h[:, 0] == weights).all()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_other_constant_has_a_lower_loss_than_the_baseline(loss, weighted):
    target, rows = random_target(3, n=61, weighted=weighted), rows_of(45)
    loss = make(*loss)
    start = loss.baseline(target, rows)
    assert start.shape == (1,)

    def value(score):
        return loss.value(np.full((61, 1), score), target, rows)

    best = minimize_scalar(value, bounds=(-3, 15), method="bounded", options={"xatol": 1e-10})
    assert value(start[0]) <= best.fun + 1e-9
    if loss.link == "log":
        weights = None if target.weights is None else target.weights[:45]
        assert np.exp(start[0]) == pytest.approx(np.average(target.numbers[:45], weights=weights))


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_losses_of_perfect_predictions_are_zero(loss):
    loss, target = make(*loss), random_target(4)
    perfect = np.log(target.numbers) if loss.link == "log" else target.numbers
    assert loss.value(perfect[:, None], target, rows_of(40)) == pytest.approx(0, abs=1e-12)
    assert loss.value(perfect[:, None] + 0.1, target, rows_of(40)) > 0


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_baseline_of_a_constant_is_the_constant(loss):
    loss, target = make(*loss), target_of([0.1] * 7, np.linspace(0.1, 0.7, 7))
    start = loss.baseline(target, rows_of(7))[0]
    assert (np.exp(start) if loss.link == "log" else start) == pytest.approx(0.1, abs=1e-16)


def test_numbers_for_which_a_loss_is_not_defined():
    for name in ("poisson", "tweedie"):
        number_loss(name).check(target_of([0.0, 1.0]))
        with pytest.raises(ValueError, match=f"loss='{name}' requires non-negative y. Got -1.0"):
            number_loss(name).check(target_of([0.0, -1.0]))
        with pytest.raises(ValueError, match=r"sum\(y\) > 0"):
            number_loss(name).check(target_of([0.0, 0.0]))
        number_loss(name).check(target_of([0.0, 0.0]), "y_val")
    for loss in (number_loss("gamma"), number_loss("tweedie", power=2.0)):
        with pytest.raises(ValueError, match=r"strictly positive y_val. Got 0.0 in row 1"):
            loss.check(target_of([1.0, 0.0]), "y_val")
    number_loss("squared_error").check(target_of([-1.0]))


def test_rows_of_training_without_a_number_above_zero_have_a_finite_baseline():
    start = number_loss("poisson").baseline(target_of([0.0, 0.0, 5.0]), rows_of(2))
    assert np.isfinite(start).all()
    assert np.exp(start[0]) < 1e-8


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 3)), min_size=1, max_size=12),
    st.sampled_from([0.1, 0.25, 0.5, 0.7, 0.75, 0.9]),
)
@settings(max_examples=cases(200))
def test_a_weight_is_a_number_of_copies_of_a_quantile(rows, quantile):
    values = np.array([v for v, _ in rows], float)
    weights = np.array([w for _, w in rows], float)
    copies = np.repeat(values, weights.astype(int))
    found = weighted_quantile(values, quantile, weights)
    assert found == weighted_quantile(copies, quantile)
    assert found == weighted_quantile(copies, quantile, np.full(len(copies), 0.1))
    if quantile == 0.5:
        assert found == np.median(copies)

    def pinball(q):
        above = copies - q
        return np.where(above > 0, quantile, quantile - 1) @ above

    assert pinball(found) <= min(pinball(v) for v in copies) + 1e-9


@pytest.mark.parametrize("quantile", [0.2, 0.5])
def test_quantiles_of_nodes_are_those_of_their_rows(quantile):
    rng = np.random.default_rng(0)
    table = read_table({"a": rng.normal(size=200), "b": rng.choice(list("xyz"), 200)})
    y, weights = rng.normal(size=200), rng.integers(1, 4, 200).astype(float)
    tree = grow_numbers(table, read_numbers(y))
    tree = tree if tree.depth < 6 else grow_numbers(table.take(range(100)), read_numbers(y[:100]))
    leaves = tree.apply(table)
    inside = [leaves]
    while (inside[-1] > 0).any():
        inside.append(np.where(inside[-1] > 0, tree.parent[inside[-1]], 0))
    found = node_quantiles(tree, leaves, y, quantile, weights)
    for node in range(tree.n_nodes):
        here = np.any([at == node for at in inside], axis=0)
        if here.any():
            assert found[node] == weighted_quantile(y[here], quantile, weights[here])


def test_steps_of_a_log_link_are_never_long():
    loss, steps = Tweedie(1.0), np.array([[0.5], [-1.0], [1e9], [-1e9]])
    found = loss.leaf_values(steps, None, None, None, None, None)
    assert found[:2].tolist() == steps[:2].tolist()
    assert found[2:].ravel() == pytest.approx([1 + np.log(1e9), -1 - np.log(1e9)])


def test_huber_s_loss_is_quadratic_up_to_delta_and_linear_beyond():
    loss = Huber(0.5)
    loss._first_delta = 2.0
    found = loss._losses(np.array([0.0, 1.0, 2.0, 3.0, -5.0]), np.zeros(5))
    assert found.tolist() == [0.0, 0.5, 2.0, 4.0, 8.0]
