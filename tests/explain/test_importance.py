"""Importance against its definition, node by node, and against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from mixedwood import TreeClassifier
from mixedwood.data import Column, Schema
from mixedwood.explain.importance import impurity_importance
from mixedwood.grow import GrowSettings, grow
from mixedwood.splits import Criterion
from mixedwood.tree import SplitKind, TreeBuilder
from support.cases import cases
from support.strategies import problems


def impurity(counts, kind):
    p = counts[counts > 0] / counts.sum()
    return 1 - (p**2).sum() if kind == "gini" else -(p * np.log2(p)).sum()


@settings(max_examples=cases(80))
@given(
    problems(),
    st.sampled_from(["gini", "entropy"]),
    st.sampled_from(["learned", "fractional"]),
    st.sampled_from(["auto", "multiway"]),
)
def test_it_is_the_fraction_of_the_decrease(problem, kind, missing, partitioner):
    table, target = problem
    tree = grow(table, target, GrowSettings(handle_missing=missing, partitioner=partitioner))
    falls = np.zeros(table.n_columns)
    for node in range(tree.n_nodes):
        if tree.split_kind[node] == SplitKind.LEAF:
            continue
        fall = tree.weighted_n_node_samples[node] * impurity(tree.statistics[node], kind)
        for child in tree.children_of(node):
            fall -= tree.weighted_n_node_samples[child] * impurity(tree.statistics[child], kind)
        falls[tree.column[node]] += max(fall, 0)
    found = impurity_importance(tree, kind)
    if falls.sum() > 1e-9:
        np.testing.assert_allclose(found, falls / falls.sum(), atol=1e-9)
        assert found.sum() == pytest.approx(1)
    else:
        assert (found >= 0).all()


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_it_is_scikit_learns_for_the_same_tree(criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 1).astype(int)
    weights = rng.uniform(0.5, 2, 300)
    # Not deeper: small nodes have splits that tie, and scikit-learn takes any of them.
    ours = TreeClassifier(criterion=criterion, max_depth=2, pruning=None).fit(X, y, weights)
    for seed in range(10):
        peer = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=seed)
        want = peer.fit(X, y, weights).feature_importances_
        np.testing.assert_allclose(ours.feature_importances_, want, atol=1e-9)


def test_the_impurity_is_the_criterions():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(100, 3)), rng.integers(0, 3, 100)

    class Mine(Criterion):
        impurity = "entropy"

        def score(self, groups):
            return float(groups.max(axis=1).sum())

    for criterion, kind in [("gini", "gini"), ("entropy", "entropy"), ("gain_ratio", "entropy"),
                            ("twoing", "gini"), ("chi2", "gini"), (Mine(), "entropy")]:  # fmt: skip
        model = TreeClassifier(criterion=criterion, max_depth=4, pruning=None).fit(X, y)
        want = impurity_importance(model.tree_, kind)
        np.testing.assert_array_equal(model.feature_importances_, want)


def test_a_linear_split_divides_its_decrease():
    schema = Schema((Column("a", "numeric"), Column("b", "numeric"), Column("c", "numeric")))
    builder = TreeBuilder(schema, ["p", "q"], [5, 5])
    builder.split_linear(0, {"c": 0.001, "b": 0.0, "a": -300.0}, 0.5, [[5, 0], [0, 5]])
    # By their order, not by weights, which depend on units; a weight of zero has no part.
    np.testing.assert_allclose(impurity_importance(builder.build()), [1 / 3, 0, 2 / 3])


def test_the_values_of_a_column_have_one_part_of_a_linear_split():
    schema = Schema((Column("a", "numeric"), Column("b", "nominal", ("x", "y"))))
    builder = TreeBuilder(schema, ["p", "q"], [5, 5])
    weights = {("b", "y"): 2.0, "a": 1.0, ("b", "x"): 1.0}
    builder.split_linear(0, weights, 0.5, [[5, 0], [0, 5]])
    np.testing.assert_allclose(impurity_importance(builder.build()), [1 / 3, 2 / 3])


def test_one_leaf_and_a_wrong_name():
    builder = TreeBuilder(Schema((Column("a", "numeric"),)), ["p", "q"], [5, 5])
    assert impurity_importance(builder.build()).tolist() == [0.0]
    with pytest.raises(ValueError, match="'gini' or 'entropy'"):
        impurity_importance(builder.build(), "error")
