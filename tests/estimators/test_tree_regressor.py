"""The regression tree as an estimator: checks, pruning, errors, files, text and drawings."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.data import read_numbers, read_table
from mixedwood.grow import NumberSettings, grow_numbers
from mixedwood.pruning import Pruner, cost_complexity_path, reduced_error
from mixedwood.pruning.losses import path_losses, row_losses
from mixedwood.pruning.shrinkage import shrink, shrunk_values
from mixedwood.splits import Partitioner
from support.excuses import FOLDS

CRITERIA = ("squared_error", "poisson", "absolute_error")


def mixed_data(n=300, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "color": rng.choice(["red", "blue", "green", "white"], n),
            "size": rng.normal(size=n).round(2),
            "noise": rng.choice(list("abcdefghij"), n),
        }
    )
    effect = X["color"].map({"red": 0.0, "blue": 2.0, "green": 2.0, "white": 5.0})
    y = 10 + effect + (X["size"] > 0) * 3 + rng.normal(size=n)
    for column in X:
        X.loc[rng.random(n) < missing, column] = None
    return X, np.abs(y.to_numpy())


def divides_rows(model):
    return FOLDS if model.pruning == "cost_complexity" else {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        mw.TreeRegressor(),
        mw.TreeRegressor(pruning=None),
        mw.TreeRegressor(criterion="absolute_error", pruning=None),
        mw.TreeRegressor.conditional_inference(),
    ],
    expected_failed_checks=divides_rows,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_default_finds_the_structure(criterion):
    X, y = mixed_data()
    model = mw.TreeRegressor(criterion=criterion).fit(X, y)
    test, truth = mixed_data(seed=1)
    assert model.score(test, truth) > 0.75
    assert model.get_n_leaves() < 15
    assert model.feature_importances_.argmin() == 2
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_predictions_are_means_and_medians_of_leaves():
    X, y = mixed_data(missing=0.1)
    for criterion, center in (("squared_error", np.mean), ("absolute_error", np.median)):
        model = mw.TreeRegressor(criterion=criterion, pruning=None, max_depth=3).fit(X, y)
        leaves, predicted = model.apply(X), model.predict(X)
        for leaf in np.unique(leaves):
            here = leaves == leaf
            assert predicted[here] == pytest.approx(center(y[here]))
            assert model.tree_.deviation[leaf] == pytest.approx(np.std(y[here]))


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_the_pruning_path_of_numbers_is_that_of_scikit_learn(criterion):
    rng = np.random.default_rng(4)
    n_compared = 0
    for _ in range(10):
        X = rng.normal(size=(40, 2))
        y = X[:, 0] + rng.normal(size=40)
        ours = mw.TreeRegressor(criterion=criterion, selection="score", max_depth=3)
        path = ours.cost_complexity_pruning_path(X, y)
        peer = DecisionTreeRegressor(criterion=criterion, max_depth=3, random_state=0)
        # Absolute errors of two splits are often equal, and versions choose differently then.
        leaves = ours.set_params(pruning=None).fit(X, y).apply(X), peer.fit(X, y).apply(X)
        if not len(set(zip(*leaves, strict=True))) == len(set(leaves[0])) == len(set(leaves[1])):
            continue
        n_compared += 1
        theirs = peer.cost_complexity_pruning_path(X, y)
        alphas = theirs.ccp_alphas[np.append(np.diff(theirs.ccp_alphas) > 1e-9, True)]
        np.testing.assert_allclose(path.ccp_alphas, alphas, atol=1e-9)
        np.testing.assert_allclose(path.risks[-1], theirs.impurities[-1])
    assert n_compared == 10 if criterion == "squared_error" else n_compared >= 5


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_all_pruned_trees_are_those_of_each(criterion, weighted):
    X, y = mixed_data(120, seed=2, missing=0.1)
    train, schema = read_table(X), read_table(X).schema
    tree = grow_numbers(train, read_numbers(y), NumberSettings(criterion=criterion))
    test, truth = mixed_data(60, seed=3, missing=0.1)
    test.loc[:5, "color"] = "never seen"  # stops at inner nodes
    weights = np.random.default_rng(0).integers(1, 4, 60).astype(float) if weighted else None
    table, target = read_table(test, schema=schema), read_numbers(truth, weights)
    path = cost_complexity_path(tree)
    alphas = np.append(path.ccp_alphas, np.inf)
    strengths = [0.0, 5.0]
    values = [shrunk_values(tree, s)[:, 0] for s in strengths]
    found = path_losses(tree, path.cut_at, table, target, alphas, values)
    for i, strength in enumerate(strengths):
        for k, alpha in enumerate(alphas):
            # Shrinkage of a pruned tree is that of the full tree.
            pruned = shrink(path.tree(alpha), strength)
            losses = row_losses(criterion, truth, pruned.predict(table))
            w = np.ones(60) if weights is None else weights
            assert found.losses[i, k] == pytest.approx((w * losses).sum())
            assert found.squares[i, k] == pytest.approx((w * losses**2).sum())


def test_reduced_error_pruning_is_the_best_pruned_tree():
    X, y = mixed_data(80, seed=5)
    table = read_table(X)
    tree = grow_numbers(table, read_numbers(y), NumberSettings(max_depth=3))
    test, truth = mixed_data(40, seed=6)
    other, target = read_table(test, schema=table.schema), read_numbers(truth)
    pruned = reduced_error(tree, other, target)
    best = ((pruned.predict(other) - truth) ** 2).sum()
    inner = np.flatnonzero(tree.split_kind != 0)
    for mask in range(2 ** len(inner)):
        cut = tree.prune_at([n for i, n in enumerate(inner) if mask >> i & 1])
        assert ((cut.predict(other) - truth) ** 2).sum() >= best - 1e-9
    model = mw.TreeRegressor(pruning="reduced_error", random_state=0).fit(X, y)
    assert model.get_n_leaves() < mw.TreeRegressor(pruning=None).fit(X, y).get_n_leaves()


def test_weights_are_copies_of_rows():
    X, y = mixed_data(100)
    times = np.random.default_rng(9).integers(0, 4, 100)
    weighted = mw.TreeRegressor(pruning=None, max_depth=3).fit(X, y, sample_weight=times)
    copied = mw.TreeRegressor(pruning=None, max_depth=3)
    copied.fit(X.loc[X.index.repeat(times)], np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict(X), copied.predict(X))


def test_extreme_weights_do_not_change_the_tree():
    X, y = mixed_data(100)
    plain = mw.TreeRegressor.cart().fit(X, y)
    for factor in (1e-200, 1e200):
        scaled = mw.TreeRegressor.cart().fit(X, y, sample_weight=np.full(100, factor))
        np.testing.assert_allclose(scaled.predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([1, np.nan, 2], "Input y contains NaN: 1 of 3 numbers are missing, the first in row 1"),
        ([1, np.inf, 2], "infinity"),
        ([1, 1e200, 2], "too large"),
        (["a", "b", "c"], "must be numbers"),
        (["1", "2", "3"], "must be numbers"),
        ([1j, 2, 3], "[Cc]omplex"),
        ([[1, 2], [3, 4], [5, 6]], "1d array"),
        ([1, None, 3], "NaN"),
        ([], "no rows"),
        (None, "regressor requires y"),
    ],
)
def test_bad_targets_are_errors(y, words):
    with pytest.raises(ValueError, match=words):
        mw.TreeRegressor().fit({"x": [1, 2, 3]}, y)


def test_counts_must_not_be_negative():
    with pytest.raises(ValueError, match=r"negative.*row 1"):
        mw.TreeRegressor(criterion="poisson").fit({"x": [1, 2]}, [1, -1])
    zeros = mw.TreeRegressor(criterion="poisson").fit({"x": [1, 2]}, [0, 0])
    assert zeros.predict({"x": [3]}).tolist() == [0.0]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"partitioner": "principal"}, "needs classes"),
        ({"partitioner": Partitioner("twoing")}, "needs classes"),
        ({"pruning": "pessimistic"}, "needs classes"),
        ({"pruning": Pruner("collapse")}, "needs classes"),
        ({"criterion": "gini"}, "'squared_error', 'poisson', 'absolute_error'"),
        ({"selection": "average_gain"}, "'adjusted', 'score', 'significance'"),
        ({"handle_missing": "fractional"}, "'learned', 'category'"),
        ({"max_depth": -1}, "max_depth"),
    ],
)
def test_bad_parameters_are_errors(parameters, words):
    with pytest.raises(ValueError, match=words):
        mw.TreeRegressor(**parameters).fit({"x": [1, 2]}, [1.0, 2.0])


def test_trivial_targets_give_trivial_models():
    for X, y in (({"x": [1]}, [3.5]), ({"x": [1, 2, 3]}, [3.5] * 3), ({"x": ["a", "a"]}, [3, 4])):
        model = mw.TreeRegressor().fit(X, y)
        assert model.get_n_leaves() == 1
        assert model.predict(X) == pytest.approx(np.mean(y))
    ignored = mw.TreeRegressor().fit({"x": [1, 2]}, [3.0, 9.0], sample_weight=[1, 0])
    assert ignored.predict({"x": [2]}).tolist() == [3.0]


@pytest.mark.parametrize("partitioner", ["one_vs_rest", "random_order", "random_subset", "exact"])
def test_every_partitioner_grows_a_tree(partitioner):
    X, y = mixed_data()
    model = mw.TreeRegressor(partitioner=partitioner, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.5


def test_an_order_per_tree_is_stored_as_groups_of_categories():
    X, y = mixed_data()
    order = Partitioner("random_order", per="tree")
    model = mw.TreeRegressor(partitioner=order, pruning=None, random_state=1).fit(X, y)
    again = mw.TreeRegressor(partitioner=order, pruning=None, random_state=1).fit(X, y)
    assert model.tree_ == again.tree_
    assert model.score(X, y) > 0.8
    assert "color in {" in model.tree_.to_text()


def test_missing_and_unknown_values():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", None, None]})
    y = [1.0, 1.0, 3.0, 3.0, 9.0, 9.0]
    for how in ("learned", "category"):
        model = mw.TreeRegressor(handle_missing=how, pruning=None).fit(X, y)
        assert model.predict(X).tolist() == y
    with pytest.warns(mw.UnknownCategoryWarning, match="receive its prediction"):
        assert model.predict({"a": ["z"]}) == pytest.approx(np.mean(y))
    strict = mw.TreeRegressor(handle_unknown="error", pruning=None).fit(X, y)
    with pytest.raises(ValueError, match="unknown categories"):
        strict.predict({"a": ["z"]})


def test_growth_limits():
    X, y = mixed_data()
    assert mw.TreeRegressor(max_leaf_nodes=4, pruning=None).fit(X, y).get_n_leaves() == 4
    assert mw.TreeRegressor(max_depth=2, pruning=None).fit(X, y).get_depth() == 2
    coarse = mw.TreeRegressor(min_samples_leaf=0.1, pruning=None).fit(X, y)
    assert np.bincount(coarse.apply(X))[np.unique(coarse.apply(X))].min() >= 30
    first = mw.TreeRegressor(pruning=None, growth="depth_first", max_leaf_nodes=4).fit(X, y)
    best = mw.TreeRegressor(pruning=None, growth="best_first", max_leaf_nodes=4).fit(X, y)
    assert best.score(X, y) >= first.score(X, y)
    assert mw.TreeRegressor(pruning=None, min_split_gain=1.0).fit(X, y).get_n_leaves() < 8


def test_the_tree_is_read_back_from_pickles_and_files(tmp_path):
    X, y = mixed_data()
    for criterion in CRITERIA:
        model = mw.TreeRegressor(criterion=criterion).fit(X, y)
        assert pickle.loads(pickle.dumps(model)).tree_ == model.tree_
        mw.save_model(model, tmp_path / "model.mw")
        again = mw.load_model(tmp_path / "model.mw")
        assert again.tree_ == model.tree_
        assert again.tree_.loss == criterion
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert not hasattr(again, "classes_")


def test_text_rules_and_paths_have_numbers():
    X, y = mixed_data()
    model = mw.TreeRegressor(max_depth=2).fit(X, y)
    assert "rows" in model.tree_.to_text()
    assert "mean " in str(model.to_rules()[0])
    rule = model.to_rules()[0]
    assert rule.label == pytest.approx(model.tree_.value[rule.node, 0])
    assert rule.deviation > 0
    path = model.explain(X, 3)
    assert path.prediction == pytest.approx(model.predict(X)[3])
    assert "-> [" in str(path)
    assert str(path).startswith("Row 3: ")
    median = mw.TreeRegressor(criterion="absolute_error", max_depth=1).fit(X, y)
    assert "median " in median.tree_.to_text()


def test_drawings_are_colored_by_number():
    X, y = mixed_data()
    tree = mw.TreeRegressor(max_depth=2, pruning=None).fit(X, y).tree_
    svg = tree.to_svg()
    assert "#440154" in svg
    assert "#fde725" in svg
    assert "sd " in svg
    assert "mean " in tree.to_dot()
    from matplotlib.figure import Figure

    assert any("rows" in text.get_text() for text in tree.plot(Figure().subplots()).texts)
    assert repr(tree).endswith("predicts a number>")


def test_a_tree_of_numbers_has_no_probabilities():
    X, y = mixed_data()
    tree = mw.TreeRegressor(max_depth=1).fit(X, y).tree_
    with pytest.raises(ValueError, match="predicts numbers"):
        _ = tree.probabilities


def test_time_limit_returns_the_tree_so_far():
    X, y = mixed_data(3000)
    with pytest.warns(mw.TimeLimitWarning):
        model = mw.TreeRegressor(time_limit=1e-9).fit(X, y)
    assert len(model.predict(X)) == 3000


def test_errors_of_the_pruning_path_have_the_unit_of_the_loss():
    rng = np.random.default_rng(11)
    x = rng.normal(size=400)
    y = x + rng.normal(size=400)
    path, scaled = (
        mw.TreeRegressor.cart(random_state=0).fit({"x": x}, factor * y).pruning_path_
        for factor in (1.0, 8.0)
    )
    np.testing.assert_allclose(scaled.errors, 64 * path.errors, rtol=1e-9)
    np.testing.assert_allclose(scaled.standard_errors, 64 * path.standard_errors, rtol=1e-9)
    # The last tree is the root: its error is the variance, its spread that of squared deviations.
    deviations = (y - y.mean()) ** 2
    assert path.errors[-1] == pytest.approx(deviations.mean(), rel=0.02)
    assert path.standard_errors[-1] == pytest.approx(deviations.std() / 20, rel=0.1)
