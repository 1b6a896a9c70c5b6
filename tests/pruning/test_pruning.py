from itertools import chain, combinations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.pruning import cost_complexity_path, merge_equal_leaves, reduced_error
from mixedwood.tree import TestKind
from mixedwood.tree_builder import TreeBuilder
from strategies import SCHEMA, random_rows, random_tree

X = Schema((Column("x", "numeric"),))


def target_of(codes, n_classes=3):
    return Target(np.arange(n_classes), np.asarray(codes, dtype=np.int32), None)


def grown(cuts, classes, rows=None):
    """A tree on x = 1, 2, ... from nested cuts: (threshold, left, right) or None."""
    x = np.arange(1, len(classes) + 1, dtype=float)
    y = np.asarray(classes)
    rows = np.arange(len(x)) if rows is None else np.asarray(rows) - 1

    def counts(chosen):
        return np.bincount(y[chosen], minlength=2)

    builder = TreeBuilder(X, [0, 1], counts(rows))
    waiting = [(0, cuts, rows)]
    while waiting:
        node, cut, here = waiting.pop()
        if cut is None:
            continue
        threshold, left, right = cut
        sides = here[x[here] <= threshold], here[x[here] > threshold]
        children = builder.split_interval(node, "x", [counts(s) for s in sides], high=threshold)
        waiting += list(zip(children, (left, right), sides, strict=True))
    return builder.build(), Table(X, (x,)), target_of(y, 2)


def test_the_worked_example_of_cost_complexity_pruning():
    classes = [0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
    cuts = (6.5, (3.5, None, (4.5, None, None)), (9.5, None, (10.5, None, None)))
    tree, _, _ = grown(cuts, classes)
    path = cost_complexity_path(tree)
    assert path.n_leaves.tolist() == [6, 2, 1]
    np.testing.assert_allclose(path.alphas, [0, 1 / 24, 1 / 3], atol=1e-9)
    np.testing.assert_allclose(path.costs * 12, [0, 2, 6], atol=1e-9)
    assert [path.tree(a).n_leaves for a in (0, 0.04, 0.05, 0.34)] == [6, 6, 2, 1]
    gini = cost_complexity_path(tree, "impurity")
    np.testing.assert_allclose(gini.alphas, [0, 0.0694, 0.2222], atol=5e-5)


def best_cost(tree, own, alpha):
    """Smallest cost + alpha * leaves over all prunings, by trying them all."""
    inner = np.flatnonzero(tree.kind != TestKind.LEAF)
    best = np.inf
    for nodes in chain.from_iterable(combinations(inner, r) for r in range(len(inner) + 1)):
        stop = set(map(int, nodes))
        cost, leaves, waiting = 0.0, 0, [0]
        while waiting:
            node = waiting.pop()
            if node in stop or tree.kind[node] == TestKind.LEAF:
                cost, leaves = cost + own[node], leaves + 1
            else:
                waiting += tree.children_of(node).tolist()
        best = min(best, cost + alpha * leaves)
    return best


@pytest.mark.parametrize("cost", ["error", "impurity"])
def test_every_tree_of_the_path_is_the_best_for_its_price(cost):
    rng = np.random.default_rng(3)
    for _ in range(15):
        tree = consistent(random_tree(rng, 6))
        total = tree.counts[0].sum()
        if cost == "error":
            own = (tree.counts.sum(1) - tree.counts[np.arange(tree.n_nodes), tree.label]) / total
        else:
            own = tree.counts.sum(1) * (1 - (tree.probabilities**2).sum(1)) / total
        path = cost_complexity_path(tree, cost)
        assert (np.diff(path.alphas) > 0).all()
        assert (np.diff(path.n_leaves) < 0).all()
        assert path.n_leaves[-1] == 1
        for alpha in [*path.alphas, *(path.alphas[:-1] + np.diff(path.alphas) / 2)]:
            place = np.searchsorted(path.alphas, alpha, side="right") - 1
            reached = path.costs[place] + alpha * path.n_leaves[place]
            assert reached == pytest.approx(best_cost(tree, own, alpha), abs=1e-9)
            assert path.tree(alpha).n_leaves == path.n_leaves[place]


def consistent(tree):
    """The same shape with counts that add up, as growing gives them."""
    from dataclasses import replace

    counts = np.array(tree.counts)
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node] != TestKind.LEAF:
            counts[node] = counts[tree.children_of(node)].sum(axis=0)
    counts[0] += counts[0].sum() == 0
    return replace(tree, counts=counts, label=np.argmax(counts, axis=1), weight=counts.sum(1))


def test_impurity_path_agrees_with_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 1))
    y = (x[:, 0] + rng.normal(size=150) > 0).astype(int)
    model = DecisionTreeClassifier(random_state=0).fit(x, y)
    skl = model.tree_
    builder = TreeBuilder(X, [0, 1], skl.value[0, 0] * skl.n_node_samples[0])
    waiting = [(0, 0)]
    while waiting:
        node, theirs = waiting.pop()
        left, right = skl.children_left[theirs], skl.children_right[theirs]
        if left < 0:
            continue
        counts = [skl.value[c, 0] * skl.n_node_samples[c] for c in (left, right)]
        children = builder.split_interval(node, "x", counts, high=float(skl.threshold[theirs]))
        waiting += [(children[0], left), (children[1], right)]
    path = cost_complexity_path(builder.build(), "impurity")
    expected = model.cost_complexity_pruning_path(x, y)
    # scikit-learn lists equal alphas once per cut.
    np.testing.assert_allclose(path.alphas, _distinct(expected.ccp_alphas), atol=1e-10)
    for alpha in path.alphas[:-1] + np.diff(path.alphas) / 2:
        pruned = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(x, y)
        assert path.tree(alpha).n_leaves == pruned.get_n_leaves()


def _distinct(alphas):
    kept = [alphas[0]]
    for alpha in alphas[1:]:
        if alpha > kept[-1] + 1e-10:
            kept.append(alpha)
    return kept


def test_bad_prices_and_costs_are_refused():
    tree, _, _ = grown((1.5, None, None), [0, 1])
    with pytest.raises(ValueError, match="zero or more"):
        cost_complexity_path(tree).tree(-0.1)
    with pytest.raises(ValueError, match="'error' or 'impurity'"):
        cost_complexity_path(tree, "cost")
    with pytest.raises(ValueError, match="root has weight"):
        cost_complexity_path(TreeBuilder(X, [0, 1], [0, 0]).build())


def test_reduced_error_pruning_of_the_worked_example():
    """Grown on half of the rows, pruned with the other: two leaves are left."""
    classes = [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1]
    tree, table, target = grown(
        (3, None, (9, None, (11, None, None))), classes, rows=[1, 2, 4, 8, 10, 12]
    )
    assert tree.n_leaves == 4
    other = np.array([3, 5, 6, 7, 9, 11]) - 1
    pruned = reduced_error(tree, table.take(other), target_of(np.array(classes)[other], 2))
    assert pruned.n_leaves == 2
    assert pruned.high[0] == 3
    assert pruned.label.tolist()[1:] == [0, 1]
    assert (target.codes == classes).all()


def errors(tree, table, target):
    return int((tree.label[tree.apply(table)] != target.codes).sum())


def test_reduced_error_never_makes_more_errors_and_leaves_nothing_to_cut():
    rng = np.random.default_rng(5)
    for _ in range(40):
        tree, table = random_tree(rng, 7), random_rows(rng, 50)
        target = Target(tree.classes, rng.integers(0, 3, 50).astype(np.int32), None)
        pruned = reduced_error(tree, table, target)
        assert errors(pruned, table, target) <= errors(tree, table, target)
        for node in np.flatnonzero(pruned.kind != TestKind.LEAF):
            assert errors(pruned.cut([node]), table, target) > errors(pruned, table, target)
        kept = reduced_error(tree, table, target, inherited=np.ones(tree.n_nodes, bool))
        assert errors(kept, table, target) == errors(pruned, table, target)
        assert kept.n_leaves >= pruned.n_leaves


def test_rows_with_weight_two_count_as_two_rows():
    rng = np.random.default_rng(6)
    tree, table = random_tree(rng, 7), random_rows(rng, 30)
    codes = rng.integers(0, 3, 30).astype(np.int32)
    weights = rng.integers(1, 4, 30)
    weighted = reduced_error(tree, table, Target(tree.classes, codes, weights.astype(float)))
    repeated = np.repeat(np.arange(30), weights)
    target = Target(tree.classes, codes[repeated], None)
    assert weighted == reduced_error(tree, table.take(repeated), target)


def test_other_classes_are_refused():
    tree = random_tree(np.random.default_rng(0))
    with pytest.raises(ValueError, match="other classes"):
        reduced_error(tree, random_rows(np.random.default_rng(0), 3), target_of([0, 1, 2]))


def test_merging_equal_leaves_changes_no_answer():
    rng = np.random.default_rng(7)
    smaller = 0
    for _ in range(60):
        tree, table = random_tree(rng, 8), random_rows(rng, 80)
        merged = merge_equal_leaves(tree)
        np.testing.assert_array_equal(merged.predict(table), tree.predict(table))
        assert merge_equal_leaves(merged) == merged
        smaller += merged.n_nodes < tree.n_nodes
    assert smaller > 20
    assert SCHEMA is tree.schema
