"""Growing and pruning in turns for numbers: the slow twin, the theorem, and limits."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import _folds
from mixedwood.data import Target, read_numbers, read_table
from mixedwood.grow import NumberSettings, grow_numbers, grow_prune
from mixedwood.pruning.losses import row_losses
from reference.grow_prune import Node, Twin, describe
from support.cases import cases
from support.strategies import problems

LOSSES = ("squared_error", "poisson", "absolute_error")
SETTINGS = [
    NumberSettings(),
    NumberSettings(criterion="poisson", handle_missing="category"),
    NumberSettings(criterion="absolute_error", handle_unknown="majority"),
    NumberSettings(handle_unknown="missing", min_samples_split=4, selection="adjusted"),
]


class NumberTwin(Twin):
    """Nodes keep the number that they were made with, in the place of a label."""

    def grown(self, rows):
        tree = grow_numbers(self.table.take(rows), self.target.take(rows), self.settings)
        return self.nodes_of(tree)

    def nodes_of(self, tree, place=0):
        value = float(tree.value[place, 0])
        children = [self.nodes_of(tree, int(child)) for child in tree.children_of(place)]
        return Node(value, tree.statistics[place].tolist(), tree, place, children)

    def wrong(self, node, rows):
        y = self.target.numbers[rows]
        losses = row_losses(self.settings.criterion, y, np.full(len(y), node.label))
        return float(np.sum(self.weights[rows] * losses))


@st.composite
def divided(draw):
    table, target = draw(problems(max_rows=24))
    n = target.n_rows
    # Whole numbers, so that losses tie as often as errors do.
    values = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    halves = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    halves[0] = 0  # its weight is not 0
    target = Target(
        np.empty(0), np.zeros(n, np.int32), target.weights, values=np.array(values, float)
    )
    return table, target, halves


def sizes(result):
    return [tuple(iteration) for iteration in result.iterations]


def nested(node):
    if node.is_leaf:
        return (node.label,)
    return (node.label, describe(node.tree, node.place), *map(nested, node.children))


def nested_tree(tree, i=0):
    value = float(tree.value[i, 0])
    if len(tree.children_of(i)) == 0:
        return (value,)
    children = (nested_tree(tree, int(child)) for child in tree.children_of(i))
    return (value, describe(tree, i), *children)


def same(found, want):
    """Equal trees; numbers and scores up to rounding, since rows may come in another order."""
    if isinstance(want, float):
        return found == pytest.approx(want, rel=1e-9, abs=1e-12)
    if isinstance(want, tuple):
        return len(found) == len(want) and all(map(same, found, want))
    return found == want


@settings(max_examples=cases(300))
@given(divided(), st.sampled_from(SETTINGS), st.integers(1, 4))
def test_the_reference_agrees(problem, chosen, limit):
    table, target, halves = problem
    root, want, _ = NumberTwin(table, target, chosen).run(halves, limit)
    result = grow_prune(table, target, chosen, halves=halves, max_iterations=limit)
    assert sizes(result) == want
    assert same(nested_tree(result.tree), nested(root))


@settings(max_examples=cases(300))
@given(divided(), st.sampled_from(SETTINGS))
def test_pruned_trees_are_nested_and_neither_half_ever_loses(problem, chosen):
    """The theorem: from one pruning to the next no split is lost, and no half's loss rises."""
    table, target, halves = problem
    twin = NumberTwin(table, target, chosen)
    _, found, shapes = twin.run(halves)
    assert all(before <= after for before, after in pairwise(shapes))
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    losses = []
    for limit in range(1, len(found) + 1):
        result = grow_prune(table, target, chosen, halves=halves, max_iterations=limit)
        rows = row_losses(chosen.criterion, target.numbers, result.tree.predict(table))
        losses.append([np.sum((weights * rows)[np.array(halves) == half]) for half in (0, 1)])
    assert result.ended
    assert len(found) < 20
    scale = max(map(max, losses))
    for before, after in pairwise(losses):
        assert (np.array(after) <= np.array(before) + 1e-9 * scale).all()


@pytest.mark.parametrize("criterion", LOSSES)
def test_refitted_numbers_are_those_of_all_rows(criterion):
    rng = np.random.default_rng(3)
    table = read_table({"x": rng.normal(size=200), "c": rng.choice(list("abcd"), 200)})
    y = np.abs(table.arrays[0] + table.arrays[1] + rng.normal(size=200) / 4)
    weights = rng.integers(1, 4, 200).astype(float)
    target = read_numbers(y, weights)
    chosen = NumberSettings(criterion)
    tree = grow_prune(table, target, chosen, seed=1, relabel=True).tree
    ends = tree.apply(table)
    assert tree.n_leaves > 2
    for leaf in np.unique(ends):
        here = ends == leaf
        mean = np.average(y[here], weights=weights[here])
        if criterion != "absolute_error":
            assert tree.value[leaf, 0] == pytest.approx(mean)
        else:
            repeated = np.repeat(y[here], weights[here].astype(int))
            assert tree.value[leaf, 0] == pytest.approx(np.median(repeated))
        losses = row_losses(criterion, y[here], tree.value[ends[here], 0])
        assert tree.statistics[leaf, 3] == pytest.approx(np.sum(weights[here] * losses))
        assert tree.weighted_n_node_samples[leaf] == pytest.approx(weights[here].sum())
    halves = _folds.halves(target.codes, 1, target.weights)
    plain = grow_prune(table, target, chosen, seed=1).tree
    assert plain.weighted_n_node_samples[0] == pytest.approx(weights[halves == 0].sum())
    np.testing.assert_array_equal(plain.high, tree.high)


def test_a_large_offset_and_an_outlier_change_nothing_elsewhere():
    rng = np.random.default_rng(0)
    x = rng.random(400)
    y = np.floor(4 * x) + rng.normal(size=400) / 10
    table = read_table({"x": x})
    plain = grow_prune(table, read_numbers(y), seed=0)
    moved = grow_prune(table, read_numbers(y + 1e9), seed=0)
    assert plain.tree.n_leaves >= 4
    assert sizes(moved) == sizes(plain)
    np.testing.assert_array_equal(moved.tree.high, plain.tree.high)


def test_a_time_limit_ends_it_with_a_tree():
    rng = np.random.default_rng(0)
    table, target = read_table({"x": rng.random(2000)}), read_numbers(rng.random(2000))
    result = grow_prune(table, target, time_limit=1e-9)
    assert len(result.iterations) == 1
    assert not result.ended
    assert result.tree.predict(table).shape == (2000,)
