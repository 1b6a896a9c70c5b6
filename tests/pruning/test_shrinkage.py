"""Shrinkage against its definition, step by step, and its choice along with a tree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import TreeClassifier
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.grow import GrowSettings, grow
from mixedwood.pruning import (
    Pruner,
    cost_complexity_path,
    cross_validated_alpha,
    path_errors,
    shrink,
)
from mixedwood.pruning.shrinkage import shrunk_labels, shrunk_probabilities
from support.cases import cases
from support.strategies import problems


def twin_shares(tree, strength):
    """s(child) = s(parent) + (p(child) - p(parent)) / (1 + strength / N(parent))."""
    p = tree.probabilities
    found = {0: p[0]}
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        step = (p[node] - p[parent]) / (1 + strength / tree.weighted_n_node_samples[parent])
        found[node] = found[parent] + (step if tree.weighted_n_node_samples[node] > 0 else 0)
    return np.array([found[i] for i in range(tree.n_nodes)])


def grown(problem, missing="learned", partitioner="auto"):
    return grow(*problem, GrowSettings(handle_missing=missing, partitioner=partitioner))


STRENGTHS = st.sampled_from([0.0, 0.5, 3.0, 40.0, 1e9])
MISSING = st.sampled_from(["learned", "fractional"])


@settings(max_examples=cases(80))
@given(problems(), STRENGTHS, MISSING, st.sampled_from(["auto", "multiway"]))
def test_shares_are_those_of_the_definition(problem, strength, missing, partitioner):
    tree = grown(problem, missing, partitioner)
    shares = shrunk_probabilities(tree, strength)
    np.testing.assert_allclose(shares, twin_shares(tree, strength), atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()


def test_a_branch_that_no_row_reached_says_nothing():
    table = {"a": list("ppqqrr"), "b": list("uvuvww")}
    tree = RandomTreeClassifier(max_features=None).fit(table, [0, 1, 1, 0, 2, 2]).tree_
    empty = np.flatnonzero(tree.weighted_n_node_samples == 0)
    assert len(empty)
    shares = shrunk_probabilities(tree, 4.0)
    np.testing.assert_allclose(shares, twin_shares(tree, 4.0), atol=1e-12)
    np.testing.assert_allclose(shares[empty], shares[tree.parent[empty]])


@settings(max_examples=cases(60))
@given(problems(), STRENGTHS)
def test_a_shrunk_tree_has_the_same_tests(problem, strength):
    tree = grown(problem)
    shrunk = shrink(tree, strength)
    for name in ("split_kind", "column", "high", "children", "category_code", "score"):
        np.testing.assert_array_equal(getattr(tree, name), getattr(shrunk, name))
    if strength == 0:
        assert shrunk is tree
    expected = shrunk_probabilities(tree, strength)
    np.testing.assert_allclose(shrunk.probabilities, expected, atol=1e-9)
    np.testing.assert_allclose(shrunk.statistics.sum(axis=1), tree.weighted_n_node_samples)
    most = shrunk.probabilities.max(axis=1)
    mine = shrunk.probabilities[np.arange(tree.n_nodes), shrunk.label]
    assert (mine >= most - 1e-9).all()


def test_the_more_strength_the_nearer_to_the_root():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 3, 80)
    tree = TreeClassifier(pruning=None).fit(X, y).tree_
    gaps = [
        np.abs(shrunk_probabilities(tree, s) - tree.probabilities[0]).max()
        for s in (0, 1, 10, 100, 1e12)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-8


def test_a_label_stays_where_probabilities_are_equal():
    rng = np.random.default_rng(0)
    tree = TreeClassifier(pruning=None).fit(rng.normal(size=(20, 1)), rng.integers(0, 2, 20)).tree_
    equal = np.full(tree.statistics.shape, 0.5)
    np.testing.assert_array_equal(shrunk_labels(tree, equal), tree.label)
    equal[:, 1] += 1e-6
    np.testing.assert_array_equal(shrunk_labels(tree, equal), np.ones(tree.n_nodes))


@pytest.mark.parametrize("strength", [-1, np.nan, np.inf, "much", None])
def test_strengths_that_are_refused(strength):
    tree = TreeClassifier(pruning=None).fit([[1], [2]], [0, 1]).tree_
    with pytest.raises(ValueError, match=r"in the range \[0, inf\)\. Got"):
        shrink(tree, strength)


@settings(max_examples=cases(60))
@given(problems(max_rows=20), MISSING)
def test_errors_along_the_path_are_those_of_each_tree(problem, missing):
    """Shrinking and pruning in either order, and all strengths at once."""
    table, target = problem
    tree = grown(problem, missing)
    path = cost_complexity_path(tree)
    strengths = [0.0, 2.0, 30.0]
    errors = path_errors(path, table, target, strengths=strengths)
    assert errors.shape == (3, len(path.ccp_alphas))
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    truth = target.classes[target.codes]
    for row, strength in zip(errors, strengths, strict=True):
        for found, alpha in zip(row, path.ccp_alphas, strict=True):
            pruned = path.tree(alpha)
            wrong = shrink(pruned, strength).predict(table) != truth
            assert found == pytest.approx(weights[wrong].sum(), abs=1e-9)
            if missing == "learned":
                np.testing.assert_allclose(
                    np.sort(shrink(pruned, strength).statistics.sum(axis=1)),
                    np.sort(path.tree(alpha).weighted_n_node_samples),
                )
    np.testing.assert_allclose(path_errors(path, table, target), errors[0])


def noisy(seed, n=300):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_the_strength_is_chosen_with_the_tree(seed):
    from mixedwood.data import read_table, read_target

    X, y = noisy(seed)
    table, target = read_table(X), read_target(y)
    strengths = (0.0, 5.0, 50.0)
    found = cross_validated_alpha(
        grow, table, target, cv=5, random_state=0, strengths=strengths, se_rule=0.5
    )
    alone = [
        cross_validated_alpha(grow, table, target, cv=5, random_state=0, strengths=(s,))
        for s in strengths
    ]
    errors = np.array([a.errors for a in alone])
    least = errors.min()
    limit = least + 0.5 * np.sqrt(least * (1 - least) / len(y)) + 1e-9
    chosen = np.flatnonzero((errors <= limit).any(axis=0))[-1]
    assert found.chosen == chosen
    assert found.shrinkage == strengths[int(np.argmin(errors[:, chosen]))]
    np.testing.assert_allclose(found.errors, errors[strengths.index(found.shrinkage)])
    assert found.tree() == shrink(found.path.tree(found.ccp_alpha), found.shrinkage)


def test_without_shrinkage_counts_are_those_of_rows():
    X, y = noisy(0)
    model = TreeClassifier(pruning=Pruner("cost_complexity", shrinkage=False)).fit(X, y)
    assert model.pruning_path_.shrinkage == 0
    leaf = model.apply(X)
    for node in np.unique(leaf):
        want = np.bincount(y[leaf == node], minlength=2)
        np.testing.assert_array_equal(model.tree_.statistics[node], want)
