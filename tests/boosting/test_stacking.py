"""Weights of a mixture have the greatest likelihood."""

import numpy as np
import pytest

from mixedwood.boosting import mixture_loss, mixture_weights


def penalized(given, found, rows):
    """What the weights minimize, by its definition."""
    given = np.maximum(given, 1e-6)
    rows = rows * len(rows) / rows.sum()
    return -(rows @ np.log(given @ found)) - 10 / len(found) * np.log(found).sum()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_members", [2, 3])
def test_no_weights_on_a_grid_are_better(seed, n_members):
    rng = np.random.default_rng(seed)
    given = rng.beta(2 + rng.random(n_members) * 3, 1.5, (40, n_members))
    rows = rng.integers(1, 5, 40).astype(float)
    found = mixture_weights(given, rows)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    steps = np.arange(1, 40) / 40
    if n_members == 2:
        grid = np.column_stack([steps, 1 - steps])
    else:
        a, b = np.meshgrid(steps, steps)
        grid = np.column_stack([a.ravel(), b.ravel(), 1 - a.ravel() - b.ravel()])
        grid = grid[grid[:, 2] > 0.01]
    best = min(penalized(given, point, rows) for point in grid)
    assert penalized(given, found, rows) <= best + 1e-5 * (40 + 10)


def test_rows_of_weight_two_are_two_rows():
    rng = np.random.default_rng(0)
    given, rows = rng.random((30, 2)), rng.integers(1, 3, 30)
    found = mixture_weights(given, rows.astype(float), tol=0, max_iter=3_000)
    assert mixture_loss(given, found, rows) == pytest.approx(
        mixture_loss(np.repeat(given, rows, axis=0), found)
    )


def test_a_useless_member_gets_nothing_of_many_rows():
    rng = np.random.default_rng(0)
    good = rng.uniform(0.5, 1, 5_000)
    found = mixture_weights(np.column_stack([good, 0.3 * good]))
    assert found[1] < 0.01
