"""The search for columns to cross: finds what interacts, and nothing in noise."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import f

from mixedwood.data import find_crossings, read_table, read_target
from mixedwood.data.interactions import _interaction, _number_interaction
from mixedwood.data.target import read_numbers


def draw(rng, n_rows, sizes, skewed=False):
    """Columns of independent categories."""
    return {
        f"c{j}": [
            f"v{i}"
            for i in rng.choice(
                size, n_rows, p=rng.dirichlet(np.full(size, 0.3)) if skewed else None
            )
        ]
        for j, size in enumerate(sizes)
    }


def parity(column):
    return np.array([int(label[1:]) % 2 for label in column], dtype=bool)


def search(X, y):
    return find_crossings(read_table(X), read_target(y))


@pytest.mark.parametrize("seed", range(10))
def test_exclusive_or_of_ten_categories_is_found_among_noise(seed):
    rng = np.random.default_rng(seed)
    X = draw(rng, 1000, [10] * 8)
    y = parity(X["c2"]) ^ parity(X["c5"]) ^ (rng.random(1000) < 0.1)
    assert search(X, y)[0] == ("c2", "c5")


def test_parity_of_three_columns_is_found():
    rng = np.random.default_rng(0)
    X = draw(rng, 1000, [4] * 6)
    y = parity(X["c0"]) ^ parity(X["c2"]) ^ parity(X["c3"])
    assert search(X, y) == [("c0", "c2", "c3")]


def noise_table(rng, kind):
    n_rows, n_columns = int(rng.integers(60, 1200)), int(rng.integers(3, 9))
    X = draw(rng, n_rows, rng.integers(2, 16, n_columns), skewed=kind == "skewed")
    if kind == "effects":  # each column has an effect, but none depends on another
        sums = [rng.normal(0, 0.5, 16)[[int(v[1:]) for v in X[f"c{j}"]]] for j in range(3)]
        return X, rng.random(n_rows) < 1 / (1 + np.exp(-np.sum(sums, axis=0)))
    classes = rng.dirichlet(np.full(2 if kind == "plain" else 5, 2.0))
    return X, rng.choice(len(classes), n_rows, p=classes)


@pytest.mark.parametrize("kind", ["plain", "skewed", "effects"])
def test_nothing_is_found_in_noise(kind):
    rng = np.random.default_rng(12)
    found = sum(bool(search(*noise_table(rng, kind))) for _ in range(200))
    assert found <= 10


def test_the_result_does_not_depend_on_the_order_of_rows_or_the_spelling_of_categories():
    rng = np.random.default_rng(3)
    X = draw(rng, 600, [6] * 6)
    y = parity(X["c1"]) ^ parity(X["c4"]) | (rng.random(600) < 0.1)
    order = rng.permutation(600)
    moved = {name: [f"w{X[name][i]}" for i in order] for name in X}
    assert search(X, y) == search(moved, y[order]) == [("c1", "c4")]


def test_numbers_constants_many_categories_and_one_class_are_passed_over():
    rng = np.random.default_rng(1)
    y = rng.choice(2, 200)
    X = {"n": rng.random(200), "k": ["x"] * 200, "id": [f"i{i}" for i in range(200)]}
    assert search(X, y) == []
    both = X | draw(rng, 200, [2, 2])
    assert search(both, np.zeros(200, int)) == []
    assert search(both, parity(both["c0"]) ^ parity(both["c1"])) == [("c0", "c1")]


def test_rows_with_missing_values_do_not_count():
    rng = np.random.default_rng(2)
    X = draw(rng, 500, [3, 3, 3])
    y = parity(X["c0"]) ^ parity(X["c1"])
    for name in X:
        X[name] = [
            None if gap else label
            for label, gap in zip(X[name], rng.random(500) < 0.2, strict=True)
        ]
    assert search(X, y) == [("c0", "c1")]


def test_at_most_five_crossings_of_many_rows_and_columns():
    rng = np.random.default_rng(4)
    X = {f"c{j}": rng.choice(["v0", "v1"], 60_000) for j in range(12)}
    pairs = [parity(X[f"c{j}"]) ^ parity(X[f"c{j + 1}"]) for j in range(0, 12, 2)]
    y = np.sum(pairs, axis=0) >= 3
    found = search(X, y)
    assert len(found) == 5
    assert set(found) < {(f"c{j}", f"c{j + 1}") for j in range(0, 12, 2)}


def test_many_columns_are_reduced_to_those_with_an_effect():
    rng = np.random.default_rng(5)
    X = draw(rng, 400, [3] * 130)
    a, b = parity(X["c7"]), parity(X["c99"])
    y = (a & ~b) | (~a & b & (rng.random(400) < 0.8)) | (a & (rng.random(400) < 0.2))
    assert ("c7", "c99") in search(X, y)


def test_the_test_agrees_with_two_way_analysis_of_variance():
    rng = np.random.default_rng(6)
    a, b, y = rng.choice(3, 120), rng.choice(4, 120), rng.choice(2, 120)
    counts = np.zeros((12, 2), dtype=np.int64)
    np.add.at(counts, (a * 4 + b, y), 1)
    effects = [np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)]

    def residual(*indicators):
        design = np.column_stack([*indicators, np.ones(120)])
        fit = design @ np.linalg.lstsq(design, np.eye(2)[y], rcond=None)[0]
        return ((np.eye(2)[y] - fit) ** 2).sum()

    explained = residual(np.eye(3)[a], np.eye(4)[b]) - residual(np.eye(12)[a * 4 + b])
    log_p, fraction = _interaction(counts, effects)
    impurity = 120 * (1 - ((counts.sum(axis=0) / 120) ** 2).sum())
    # By chance, each of 6 degrees of freedom explains about a 120th of the impurity.
    assert fraction == pytest.approx(max(explained / impurity - 6 / 120, 0), abs=0.01)
    assert log_p <= 0


def test_every_pair_of_a_small_table_is_examined():
    rng = np.random.default_rng(8)
    for pair in combinations(range(4), 2):
        X = draw(rng, 400, [2, 3, 4, 5])
        y = parity(X[f"c{pair[0]}"]) ^ parity(X[f"c{pair[1]}"])
        assert search(X, y)[0] == tuple(f"c{i}" for i in pair)


def search_numbers(X, y):
    return find_crossings(read_table(X), read_numbers(y))


@pytest.mark.parametrize("seed", range(5))
def test_an_interaction_of_numbers_is_found_among_noise(seed):
    rng = np.random.default_rng(seed)
    X = draw(rng, 1000, [10] * 8)
    y = (parity(X["c2"]) ^ parity(X["c5"])) * 1000.0 + rng.normal(0, 800, 1000)
    assert search_numbers(X, y)[0] == ("c2", "c5")


@pytest.mark.parametrize("n_tables", [20, pytest.param(200, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", ["plain", "skewed", "effects"])
def test_nothing_is_found_in_numbers_without_interaction(kind, n_tables):
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(n_tables):
        X, _ = noise_table(rng, kind)
        n_rows = len(X["c0"])
        y = rng.normal(5, 2, n_rows)
        if kind == "effects":
            for j in range(3):
                y += rng.normal(0, 2, 16)[[int(v[1:]) for v in X[f"c{j}"]]]
        found += bool(search_numbers(X, y))
    assert found <= 0.05 * n_tables


@pytest.mark.parametrize("seed", range(10))
def test_the_test_of_numbers_agrees_with_two_nested_models(seed):
    """Brute force: indicator matrices of all rows, with and without the combinations."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.choice(3, 120), rng.choice(4, 120), rng.gamma(1.0, 2.0, 120)
    y += (a == b) * 3.0
    keys, cell = np.unique(a * 4 + b, return_inverse=True)
    residuals, ranks = [], []
    for design in (np.hstack([np.eye(3)[a], np.eye(4)[b]]), np.eye(len(keys))[cell]):
        fitted = design @ np.linalg.pinv(design) @ y
        residuals.append(((y - fitted) ** 2).sum())
        ranks.append(np.linalg.matrix_rank(design))
    extra, rest = ranks[1] - ranks[0], 120 - ranks[1]
    noise = residuals[1] / rest
    ratio = (residuals[0] - residuals[1]) / extra / noise
    n = np.bincount(cell).astype(float)
    means = np.array([y[cell == k].mean() for k in range(len(keys))])
    within = np.array([((y[cell == k] - means[k]) ** 2).sum() for k in range(len(keys))])
    log_p, fraction = _number_interaction(n, means, within, [keys // 4, keys % 4])
    assert log_p == pytest.approx(f.logsf(ratio, extra, rest), rel=1e-6)
    expected = (residuals[0] - residuals[1] - extra * noise) / ((y - y.mean()) ** 2).sum()
    assert fraction == pytest.approx(expected)


def test_numbers_without_noise_or_variance():
    rng = np.random.default_rng(3)
    X = draw(rng, 300, [3, 3, 3])
    assert search_numbers(X, np.full(300, 7.0)) == []
    assert search_numbers(X, 1e140 * (parity(X["c0"]) ^ parity(X["c1"]))) == [("c0", "c1")]
