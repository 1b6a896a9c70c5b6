from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mixedwood import _core
from mixedwood.data import Column, Schema, Table, Target
from mixedwood.pruning import (
    cost_complexity_path,
    merge_equal_leaves,
    path_errors,
    reduced_error,
)
from mixedwood.tree import SplitKind, TreeBuilder
from reference import pruning as twin
from support.strategies import SCHEMA, random_rows, random_tree

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
    np.testing.assert_allclose(path.ccp_alphas, [0, 1 / 24, 1 / 3], atol=1e-9)
    np.testing.assert_allclose(path.risks * 12, [0, 2, 6], atol=1e-9)
    assert [path.tree(a).n_leaves for a in (0, 0.04, 0.05, 0.34)] == [6, 6, 2, 1]
    gini = cost_complexity_path(tree, "impurity")
    np.testing.assert_allclose(gini.ccp_alphas, [0, 0.0694, 0.2222], atol=5e-5)


def best_cost(tree, own, alpha):
    """Smallest cost + alpha * leaves over all prunings, by trying them all."""
    inner = np.flatnonzero(tree.split_kind != SplitKind.LEAF)
    best = np.inf
    for nodes in (some for r in range(len(inner) + 1) for some in combinations(inner, r)):
        stop = set(map(int, nodes))
        cost, leaves, waiting = 0.0, 0, [0]
        while waiting:
            node = waiting.pop()
            if node in stop or tree.split_kind[node] == SplitKind.LEAF:
                cost, leaves = cost + own[node], leaves + 1
            else:
                waiting += tree.children_of(node).tolist()
        best = min(best, cost + alpha * leaves)
    return best


@pytest.mark.parametrize("adds_up", [True, False])
@pytest.mark.parametrize("cost", ["error", "impurity"])
def test_every_tree_of_the_path_is_the_best_for_its_price(cost, adds_up):
    rng = np.random.default_rng(3)
    for _ in range(15):
        tree = with_root_weight(random_tree(rng, 6))
        tree = consistent(tree) if adds_up else tree  # labels given by other rows do not add up
        own = twin.node_costs(tree, cost)
        path = cost_complexity_path(tree, cost)
        assert (np.diff(path.ccp_alphas) > 0).all()
        assert (np.diff(path.n_leaves) < 0).all()
        assert path.n_leaves[-1] == 1
        for alpha in [*path.ccp_alphas, *(path.ccp_alphas[:-1] + np.diff(path.ccp_alphas) / 2)]:
            place = np.searchsorted(path.ccp_alphas, alpha, side="right") - 1
            reached = path.risks[place] + alpha * path.n_leaves[place]
            assert reached == pytest.approx(best_cost(tree, own, alpha), abs=1e-9)
            assert path.tree(alpha).n_leaves == path.n_leaves[place]


def with_root_weight(tree):
    counts = np.array(tree.statistics)
    counts[0] += counts[0].sum() == 0
    return replace(tree, statistics=counts)


@pytest.mark.parametrize("cost", ["error", "impurity"])
def test_the_path_agrees_with_its_reference(cost):
    rng = np.random.default_rng(4)
    for n_splits in [0, 1, *rng.integers(2, 25, 40)]:
        raw = with_root_weight(random_tree(rng, int(n_splits)))
        for tree in (raw, consistent(raw)):
            path = cost_complexity_path(tree, cost)
            alphas, n_leaves, costs, cuts = twin.cost_complexity(tree, cost)
            np.testing.assert_allclose(path.ccp_alphas, alphas, atol=1e-11)
            np.testing.assert_array_equal(path.n_leaves, n_leaves)
            np.testing.assert_allclose(path.risks, costs, atol=1e-11)
            shown = np.zeros(tree.n_nodes, dtype=bool)
            for alpha, cut in zip(path.ccp_alphas, cuts, strict=True):
                assert path.tree(alpha) == tree.prune_at(cut)
                leaves = tree.prune_at(np.flatnonzero(path.cut_at <= alpha)).n_leaves
                assert leaves == path.tree(alpha).n_leaves
                shown[list(cut)] = True
            np.testing.assert_array_equal(np.isfinite(path.cut_at), shown)


def test_a_split_with_one_class_goes_no_later_than_what_is_below_it():
    schema = Schema((Column("c", "nominal", ("p", "q")), Column("x", "numeric")))
    for root in ([6, 4], [4, 6], [9, 9], [90, 1]):  # what is below may cost more or less
        builder = TreeBuilder(schema, [0, 1], root)
        top = builder.split_interval(0, "x", [root, [3, 0]], high=9.0)[0]
        (only,) = builder.split_categories(top, "c", [[6, 4]], [["p", "q"]])
        left, _ = builder.split_interval(only, "x", [[6, 1], [0, 3]], high=2.5)
        builder.split_categories(left, "c", [[5, 2]], [["p"]])
        tree = builder.build()
        path = cost_complexity_path(tree)
        alphas, n_leaves, costs, cuts = twin.cost_complexity(tree)
        np.testing.assert_allclose(path.ccp_alphas, alphas, atol=1e-12)
        np.testing.assert_allclose(path.risks, costs, atol=1e-12)
        assert path.n_leaves.tolist() == n_leaves.tolist()
        assert [path.tree(a) for a in path.ccp_alphas] == [tree.prune_at(c) for c in cuts]


def chain(depth, weigh=lambda d: 1.0):
    """Classes in turns along x, split off one row at a time; as deep as trees can get."""
    y = np.arange(depth + 1) % 2
    weights = np.array([weigh(d) for d in range(depth + 1)])
    left = np.zeros((depth + 1, 2))
    left[np.arange(depth + 1), y] = weights
    rest = left[::-1].cumsum(axis=0)[::-1]
    builder = TreeBuilder(X, [0, 1], rest[0])
    node = 0
    for d in range(depth):
        _, node = builder.split_interval(node, "x", [left[d], rest[d + 1]], high=d + 0.5)
    return builder.build(), Table(X, (np.arange(depth + 1.0),)), y


@pytest.mark.parametrize("weigh", [lambda d: 1.0, lambda d: 60.0 - d, lambda d: (7 * d) % 11 + 1.0])
def test_chains_agree_with_their_reference(weigh):
    tree, _, _ = chain(50, weigh)
    for cost in ("error", "impurity"):
        path = cost_complexity_path(tree, cost)
        alphas, n_leaves, _, cuts = twin.cost_complexity(tree, cost)
        np.testing.assert_allclose(path.ccp_alphas, alphas, atol=1e-11)
        assert path.n_leaves.tolist() == n_leaves.tolist()
        assert [path.tree(a) for a in path.ccp_alphas] == [tree.prune_at(c) for c in cuts]


@pytest.mark.timeout(60)
def test_a_chain_of_25_000_tests_is_no_trouble():
    depth = 25_000
    # The last test is the weakest link, then the one above it, and so on.
    tree, table, y = chain(depth, lambda d: float(depth + 1 - d))
    for cost, steps in [("error", depth // 2), ("impurity", depth - 1)]:
        path = cost_complexity_path(tree, cost)
        assert len(path.ccp_alphas) > steps
        middle = path.tree(path.ccp_alphas[steps // 2])
        assert middle.n_leaves == path.n_leaves[steps // 2]
    some = np.arange(0, depth, 500)
    target = Target(np.array([0, 1]), (1 - y[some]).astype(np.int32))
    errors = path_errors(path, table.take(some), target)
    assert errors[0] == len(some)
    assert reduced_error(tree, table.take(some), target).n_leaves == 2
    assert merge_equal_leaves(tree).n_leaves == tree.n_leaves
    assert tree.depth == depth


def test_equal_alphas_are_cut_together_in_a_large_tree():
    """Weights of 0.1 do not add up to the last bit; the path is that of whole weights."""
    tree, _, _ = chain(3000, lambda d: float(3001 - d))
    tenths = replace(
        tree,
        statistics=tree.statistics * 0.1,
        weighted_n_node_samples=tree.weighted_n_node_samples * 0.1,
    )
    whole, path = cost_complexity_path(tree), cost_complexity_path(tenths)
    np.testing.assert_array_equal(path.n_leaves, whole.n_leaves)
    np.testing.assert_allclose(path.ccp_alphas, whole.ccp_alphas, rtol=1e-9)


@pytest.mark.parametrize("fractional", [False, True])
def test_path_errors_agree_with_predicting_with_every_tree(fractional):
    rng = np.random.default_rng(8)
    seen = 0
    for _ in range(40):
        tree = with_root_weight(random_tree(rng, int(rng.integers(0, 15)), fractional))
        n_rows = int(rng.choice([0, 1, 7, 300]))
        table = random_rows(rng, n_rows)
        weights = rng.choice([None, 1]) and rng.integers(0, 4, n_rows) / 3.0
        target = Target(tree.classes, rng.integers(0, 3, n_rows).astype(np.int32), weights)
        path = cost_complexity_path(tree, str(rng.choice(["error", "impurity"])))
        between = np.sqrt(path.ccp_alphas[:-1] * path.ccp_alphas[1:])
        for alphas in (path.ccp_alphas, [*between, np.inf], [], [0.0, 0.0, 0.1, 0.1]):
            expected = twin.path_errors(path, table, target, alphas)
            found = path_errors(path, table, target, alphas)
            np.testing.assert_allclose(found, expected, atol=1e-9)
        np.testing.assert_array_equal(
            path_errors(path, table, target), path_errors(path, table, target, path.ccp_alphas)
        )
        seen += tree.is_fractional == fractional
    assert seen > 20


def test_rows_that_do_not_fit_a_path_are_refused():
    tree, table, target = grown((1.5, None, None), [0, 1])
    path = cost_complexity_path(tree)
    with pytest.raises(ValueError, match="ascending"):
        path_errors(path, table, target, [0.2, 0.1])
    with pytest.raises(ValueError, match="non-negative"):
        path_errors(path, table, target, [-0.2, 0.1])
    with pytest.raises(ValueError, match="non-negative"):
        path_errors(path, table, target, [np.nan])
    with pytest.raises(ValueError, match="other classes"):
        path_errors(path, table, target_of([0, 1]))
    with pytest.raises(ValueError, match="same number of rows"):
        path_errors(path, table, target_of([0], 2))


def test_the_core_refuses_arrays_that_do_not_fit():
    """Wrong lengths, parents that are none, costs that are none: an error, never a crash."""
    tree = random_tree(np.random.default_rng(9), 6)
    n = tree.n_nodes
    costs, counts, flags = np.ones(n), np.ones((n, 3)), np.zeros(n, dtype=np.uint8)
    cut_at, alphas = np.full(n, 0.1), np.array([0.0, 0.2])
    assert _core.path_errors(tree.parent, tree.label, counts, cut_at, alphas).shape == (2,)
    for parent in (
        np.empty(0, np.int32),
        np.zeros(n, np.int32),
        np.full(n, -1, np.int32),
        np.r_[-1, np.arange(1, n)].astype(np.int32),
        np.r_[-1, np.full(n - 1, 10**9)].astype(np.int32),
        np.r_[-1, np.zeros(n - 2), -5].astype(np.int32),
    ):
        m = len(parent)
        with pytest.raises(ValueError, match="not a tree"):
            _core.cost_complexity(parent, costs[:m])
        with pytest.raises(ValueError, match="not a tree"):
            _core.reduced_error(parent, tree.label[:m], counts[:m], flags[:m])
        with pytest.raises(ValueError, match="not a tree"):
            _core.path_errors(parent, tree.label[:m], counts[:m], cut_at[:m], alphas)
    for bad in (costs[1:], costs * np.nan, -costs, costs * np.inf, np.ones(n + 1)):
        with pytest.raises(ValueError, match="cost"):
            _core.cost_complexity(tree.parent, bad)
    for label, rows in ((tree.label[1:], counts), (tree.label, counts[1:])):
        with pytest.raises(ValueError, match="for each node"):
            _core.reduced_error(tree.parent, label, rows, flags)
        with pytest.raises(ValueError, match="for each node"):
            _core.path_errors(tree.parent, label, rows, cut_at, alphas)
    with pytest.raises(ValueError, match="for each node"):
        _core.reduced_error(tree.parent, tree.label, counts, flags[1:])
    for cuts, prices in (
        (cut_at[1:], alphas),
        (np.append(cut_at, 1.0), alphas),
        (cut_at * np.nan, alphas),
        (cut_at, alphas[::-1].copy()),
        (cut_at, alphas * np.nan),
    ):
        with pytest.raises(ValueError, match=r"needed|must be"):
            _core.path_errors(tree.parent, tree.label, counts, cuts, prices)
    with pytest.raises(TypeError):
        _core.cost_complexity(tree.parent.astype(np.int64), costs)
    _, n_leaves, _, _ = _core.cost_complexity(tree.parent, np.full(n, 1e308))  # sums overflow
    assert n_leaves[-1] == 1
    assert _core.path_errors(tree.parent, tree.label, np.ones((n, 0)), cut_at, alphas).sum() == 0


def consistent(tree):
    """The same shape with counts that add up, as growing gives them."""
    counts = np.array(tree.statistics)
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.split_kind[node] != SplitKind.LEAF:
            counts[node] = counts[tree.children_of(node)].sum(axis=0)
    counts[0] += counts[0].sum() == 0
    return replace(
        tree,
        statistics=counts,
        label=np.argmax(counts, axis=1),
        weighted_n_node_samples=counts.sum(1),
    )


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
    np.testing.assert_allclose(path.ccp_alphas, _distinct(expected.ccp_alphas), atol=1e-10)
    for alpha in path.ccp_alphas[:-1] + np.diff(path.ccp_alphas) / 2:
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
    with pytest.raises(ValueError, match=r"in the range \[0, inf\]"):
        cost_complexity_path(tree).tree(-0.1)
    with pytest.raises(ValueError, match="'error' or 'impurity'"):
        cost_complexity_path(tree, "cost")
    with pytest.raises(ValueError, match="root has a positive, finite weight"):
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
        for node in np.flatnonzero(pruned.split_kind != SplitKind.LEAF):
            assert errors(pruned.prune_at([node]), table, target) > errors(pruned, table, target)
        kept = reduced_error(tree, table, target, inherited=np.ones(tree.n_nodes, bool))
        assert errors(kept, table, target) == errors(pruned, table, target)
        assert kept.n_leaves >= pruned.n_leaves


def test_reduced_error_agrees_with_its_reference():
    rng = np.random.default_rng(10)
    for _ in range(40):
        tree, table = random_tree(rng, 7), random_rows(rng, 40)
        weights = rng.choice([None, 1]) and rng.integers(0, 4, 40) * 0.1
        target = Target(tree.classes, rng.integers(0, 3, 40).astype(np.int32), weights)
        inherited = rng.random(tree.n_nodes) < 0.5
        found = reduced_error(tree, table, target, inherited=inherited)
        assert found == twin.reduced_error(tree, table, target, inherited)


def test_rows_that_are_divided_count_in_parts():
    rng = np.random.default_rng(12)
    fractional = 0
    for _ in range(40):
        tree, table = with_root_weight(random_tree(rng, 9, True)), random_rows(rng, 40)
        codes, weights = rng.integers(0, 3, 40).astype(np.int32), rng.integers(0, 4, 40) * 0.5
        fractional += tree.is_fractional
        # What each node gets of each row, asked of the routes themselves.
        parts = tree._router.distribute(tree._columns_of(table), np.eye(tree.n_nodes))
        slow = parts.T @ (np.eye(3)[codes] * weights[:, None])
        np.testing.assert_allclose(tree.class_weights(table, codes, weights), slow, atol=1e-12)
        np.testing.assert_allclose(
            tree.class_weights(table, codes), parts.T @ np.eye(3)[codes], atol=1e-12
        )
        pruned = reduced_error(tree, table, Target(tree.classes, codes, weights))
        wrong = (
            weights.sum()
            - pruned.class_weights(table, codes, weights)[
                np.arange(pruned.n_nodes), pruned.label
            ].sum()
        )
        for node in np.flatnonzero(pruned.split_kind != SplitKind.LEAF):
            cut = pruned.prune_at([node])
            kept = cut.class_weights(table, codes, weights)[np.arange(cut.n_nodes), cut.label].sum()
            assert weights.sum() - kept > wrong
    assert fractional > 20


def test_classes_that_do_not_fit_are_refused():
    tree, table = random_tree(np.random.default_rng(0)), random_rows(np.random.default_rng(0), 3)
    for codes in ([0, 1], [0, 1, 3], [0, -1, 2]):
        with pytest.raises(ValueError, match="class"):
            tree.class_weights(table, np.array(codes, np.int32))


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


def test_merging_equal_leaves_changes_no_prediction():
    rng = np.random.default_rng(7)
    smaller = 0
    for _ in range(120):
        tree, table = random_tree(rng, 8), random_rows(rng, 80)
        merged = merge_equal_leaves(tree)
        assert merged == twin.merge_equal_leaves(tree)
        np.testing.assert_array_equal(merged.predict(table), tree.predict(table))
        assert merge_equal_leaves(merged) == merged
        smaller += merged.n_nodes < tree.n_nodes
    assert smaller > 20
    assert SCHEMA is tree.schema
