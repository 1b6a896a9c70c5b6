"""The native grower of regression trees against the slow reference and scikit-learn."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from mixedwood import _core
from mixedwood.data import read_table
from mixedwood.grow import EncodedTable
from reference.regression import best_split, gain_of, loss_of

CRITERIA = ("squared_error", "poisson", "absolute_error")


def grow(X, y, weights=None, rows=None, **settings):
    chosen = _core.RegressSettings()
    for name, value in settings.items():
        setattr(chosen, name, value)
    native = EncodedTable(read_table(X)).native
    y = np.ascontiguousarray(y, dtype=float)
    arrays = _core.regress(native, y, weights, chosen, np.inf, rows)
    arrays["statistics"] = arrays["statistics"].reshape(-1, 4)
    return arrays


def random_table(rng, n_rows, missing=0.0):
    X = {
        "a": np.array([f"v{i}" for i in rng.integers(0, 5, n_rows)], dtype=object),
        "x": rng.normal(size=n_rows).round(1),
        "b": np.array([f"u{i}" for i in rng.integers(0, 3, n_rows)], dtype=object),
    }
    effect = rng.normal(size=5)[[int(v[1:]) for v in X["a"]]] + (X["x"] > 0)
    for column in X.values():
        gaps = rng.random(n_rows) < missing
        column[gaps] = None if column.dtype == object else np.nan
    return X, np.round(np.exp(effect / 2) + rng.random(n_rows), 3)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_split_of_all_thresholds_and_partitions(criterion, missing, weighted):
    rng = np.random.default_rng([len(criterion), int(10 * missing), weighted])
    for _ in range(60):
        n = int(rng.integers(4, 25))
        X, y = random_table(rng, n, missing)
        w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        # With a minimum for leaves the best partition need not be a prefix of the means.
        least = int(rng.integers(1, 4)) if criterion == "absolute_error" else 1
        partitioner = "exact" if criterion == "absolute_error" else "mean_order"
        tree = grow(
            X, y, w, criterion=criterion, max_depth=1, min_samples_leaf=least,
            partitioner=partitioner,
        )  # fmt: skip
        best = best_split(criterion, list(X.values()), [True, False, True], y, w, least)
        if best is None or best.gain < 1e-12:
            assert len(tree["split_kind"]) == 1
            continue
        assert tree["score"][0] == pytest.approx(best.gain, rel=1e-9, abs=1e-12)
        losses = tree["statistics"][:, 3]
        assert losses[0] == pytest.approx(loss_of(criterion, y, w), rel=1e-9, abs=1e-12)
        assert (losses[0] - losses[1:].sum()) / w.sum() == pytest.approx(best.gain, abs=1e-9)


@pytest.mark.parametrize("partitioner", ["one_vs_rest", "random_order", "random_subset"])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_other_partitioners_report_the_gain_of_their_split(criterion, partitioner):
    rng = np.random.default_rng(3)
    for seed in range(30):
        X, y = random_table(rng, 30)
        only = {"a": X["a"]}
        tree = grow(only, y, criterion=criterion, partitioner=partitioner, max_depth=1, seed=seed)
        if len(tree["split_kind"]) == 1:
            continue
        codes = read_table(only).arrays[0]
        side = dict(zip(tree["category_code"], tree["category_child"], strict=True))
        left = np.array([side[c] == 0 for c in codes])
        gain = gain_of(criterion, y, np.ones(len(y)), left)
        assert tree["score"][0] == pytest.approx(gain, rel=1e-9, abs=1e-12)
        if partitioner == "one_vs_rest":
            assert min(left.sum(), (~left).sum()) in np.bincount(codes)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_numeric_trees_have_the_loss_of_scikit_learn_s(criterion):
    rng = np.random.default_rng(5)
    for _ in range(20):
        n = int(rng.integers(20, 150))
        X = rng.normal(size=(n, 3))
        y = np.exp(X[:, 0]) + rng.random(n)
        tree = grow(
            {f"x{i}": X[:, i] for i in range(3)}, y, criterion=criterion, max_depth=3,
            min_samples_leaf=4,
        )  # fmt: skip
        peer = DecisionTreeRegressor(
            criterion=criterion, max_depth=3, min_samples_leaf=4, random_state=0
        ).fit(X, y)
        is_leaf = tree["split_kind"] == 0
        leaves = peer.apply(X)
        loss = sum(
            loss_of(criterion, y[leaves == leaf], np.ones((leaves == leaf).sum()))
            for leaf in np.unique(leaves)
        )
        assert tree["statistics"][is_leaf, 3].sum() == pytest.approx(loss, rel=1e-9)


def test_large_offsets_do_not_change_the_tree():
    rng = np.random.default_rng(6)
    X, y = random_table(rng, 200)
    y = np.round(y * 1024) / 1024
    plain, moved = grow(X, y, max_depth=4), grow(X, y + 2.0**30, max_depth=4)
    assert np.array_equal(plain["column"], moved["column"])
    assert np.allclose(plain["statistics"][:, 2], moved["statistics"][:, 2], rtol=1e-6)


def test_weights_are_copies():
    rng = np.random.default_rng(7)
    X, y = random_table(rng, 80)
    times = rng.integers(0, 4, 80)
    weighted = grow(X, y, times.astype(float), max_depth=3, min_samples_leaf=1)
    copied = grow(X, y, rows=np.repeat(np.arange(80, dtype=np.int32), times), max_depth=3)
    assert np.array_equal(weighted["column"], copied["column"])
    assert np.allclose(weighted["statistics"], copied["statistics"])


def test_a_column_of_identifiers_is_not_chosen():
    rng = np.random.default_rng(8)
    chosen, by_score = [], []
    for _ in range(20):
        n = 200
        x = rng.normal(size=n)
        X = {"id": np.array([f"r{i}" for i in rng.integers(0, 100, n)], dtype=object), "x": x}
        y = 0.5 * x + rng.normal(size=n)
        tree = grow(X, y, selection="adjusted", max_depth=1)
        chosen.append(tree["column"][0])
        by_score.append(grow(X, y, selection="score", max_depth=1)["column"][0])
    assert chosen.count(1) >= 19
    assert by_score.count(0) >= 15


def test_conditional_inference_stops_at_noise():
    rng = np.random.default_rng(9)
    stopped = 0
    for _ in range(40):
        X, _ = random_table(rng, 100)
        y = rng.normal(size=100)
        tree = grow(X, y, selection="significance", alpha=0.05, bonferroni=True)
        stopped += len(tree["split_kind"]) == 1
    assert stopped >= 34


def test_bad_input_is_an_error():
    X = {"x": np.arange(4.0)}
    with pytest.raises(ValueError, match="finite"):
        grow(X, [1.0, np.nan, 2.0, 3.0])
    with pytest.raises(ValueError, match="Poisson"):
        grow(X, [1.0, -1.0, 2.0, 3.0], criterion="poisson")
    with pytest.raises(ValueError, match="one target"):
        grow(X, [1.0])
    with pytest.raises(ValueError, match="no row has weight"):
        grow(X, np.ones(4), np.zeros(4))
    with pytest.raises(TypeError):
        grow(X, np.ones(4), criterion="twoing")
