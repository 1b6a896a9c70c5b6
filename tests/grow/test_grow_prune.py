"""Growing and pruning in turns: the published examples, the slow twin, and what always holds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import _folds
from mixedwood.data import read_table, read_target
from mixedwood.datasets import make_waveform
from mixedwood.grow import GrowSettings, grow_prune
from reference.grow_prune import Twin, nested, nested_tree
from support.cases import cases
from support.strategies import problems


def line(classes, first):
    """One column 1..n; the first half has the positions `first`, counted from 1."""
    table = read_table({"x": np.arange(1.0, len(classes) + 1)})
    halves = np.ones(len(classes), int)
    halves[np.array(first) - 1] = 0
    return table, read_target(classes), halves


def sizes(result):
    return [tuple(iteration) for iteration in result.iterations]


# Worked examples

FIRST = [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1], [1, 2, 4, 8, 10, 12]
SECOND = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0], range(1, 17, 2)
CYCLING = [0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 0], [2, 3, 5, 6, 7, 9]


def thresholds(tree):
    return sorted(tree.high[tree.column >= 0].tolist())


def test_the_first_example():
    table, target, halves = line(*FIRST)
    once = grow_prune(table, target, halves=halves, max_iterations=1)
    assert sizes(once) == [(4, 2)]
    assert not once.ended
    assert thresholds(once.tree) == [3.0]
    assert once.tree.predict(table).tolist() == [0] * 3 + [1] * 9
    result = grow_prune(table, target, halves=halves)
    assert sizes(result) == [(4, 2), (6, 6), (6, 6)]
    assert result.ended
    assert thresholds(result.tree) == [3.0, 5.5, 6.5, 8.0, 10.0]
    assert result.tree.predict(table).tolist() == [0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1]


def test_the_second_example():
    table, target, halves = line(*SECOND)
    result = grow_prune(table, target, halves=halves)
    assert sizes(result) == [(3, 3), (6, 3)]
    assert thresholds(result.tree) == [6.0, 10.0]
    assert result.tree.predict(table).tolist() == [0] * 6 + [1] * 4 + [0] * 6


def test_without_the_exception_for_inherited_splits_it_goes_in_circles():
    table, target, halves = line(*CYCLING)
    _, published, _ = Twin(table, target, protect=False).run(halves, limit=9)
    assert [pruned for _, pruned in published] == [2, 1, 2, 1, 2, 1, 2, 1, 2]
    result = grow_prune(table, target, halves=halves)
    assert [pruned for _, pruned in sizes(result)] == [2, 2]
    assert result.ended


def test_labels_stay_those_that_a_node_was_made_with():
    # The right leaf comes from the first half, where classes tie; the second half says 1.
    table, target, halves = line(*FIRST)
    tree = grow_prune(table, target, halves=halves).tree
    assert tree.statistics[0].tolist() == [3, 3]
    assert tree.weighted_n_node_samples[0] == 6
    right = tree.children_of(0)[1]
    assert tree.statistics[right].tolist() == [1, 3]  # of the first half
    inner = tree.children_of(right)[1]
    assert tree.statistics[inner].tolist() == [2, 2]  # of the second
    relabelled = grow_prune(table, target, halves=halves, relabel=True).tree
    assert relabelled.statistics[0].tolist() == [5, 7]
    assert relabelled.statistics[right].tolist() == [3, 6]
    assert relabelled.label[0] == 1
    np.testing.assert_array_equal(relabelled.high, tree.high)


# The twin

SETTINGS = [
    GrowSettings(),
    GrowSettings(criterion="entropy", handle_missing="category"),
    GrowSettings(handle_unknown="majority", min_samples_split=4),
    GrowSettings(handle_unknown="missing", handle_missing="category"),
    GrowSettings(partitioner="multiway"),
]


@st.composite
def divided(draw, **kwargs):
    table, target = draw(problems(max_rows=24, **kwargs))
    halves = draw(st.lists(st.integers(0, 1), min_size=target.n_rows, max_size=target.n_rows))
    halves[0] = 0  # its weight is not 0
    return table, target, halves


@settings(max_examples=cases(300))
@given(divided(), st.sampled_from(SETTINGS), st.integers(1, 4))
def test_the_reference_agrees(problem, chosen, limit):
    table, target, halves = problem
    root, want, _ = Twin(table, target, chosen).run(halves, limit)
    result = grow_prune(table, target, chosen, halves=halves, max_iterations=limit)
    assert sizes(result) == want
    assert nested_tree(result.tree) == nested(root)


@settings(max_examples=cases(300))
@given(divided(), st.sampled_from(SETTINGS))
def test_pruned_trees_are_nested_and_the_procedure_ends(problem, chosen):
    table, target, halves = problem
    _, found, shapes = Twin(table, target, chosen).run(halves)
    assert all(before <= after for before, after in pairwise(shapes))
    result = grow_prune(table, target, chosen, halves=halves)
    assert result.ended
    assert sizes(result) == found
    assert len(found) < 20


@pytest.mark.parametrize("seed", range(10))
def test_the_reference_agrees_on_larger_tables(seed):
    rng = np.random.default_rng(seed)
    n = 200
    classes = rng.integers(0, 3, n)
    label = np.array(list("abcdefgh"), dtype=object)[(classes * 2 + rng.integers(0, 4, n)) % 8]
    label[rng.random(n) < 0.1] = None
    number = np.where(rng.random(n) < 0.1, np.nan, rng.normal(classes, 1.5))
    table = read_table({"label": label, "number": number, "noise": rng.normal(size=n)})
    target = read_target(classes, rng.integers(1, 4, n) / 2)
    halves = _folds.halves(target.codes, seed, target.weights)
    root, want, _ = Twin(table, target).run(halves)
    result = grow_prune(table, target, seed=seed)
    assert sizes(result) == want
    assert nested_tree(result.tree) == nested(root)


# Halves


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(0, 2**32))
def test_halves_have_equal_sizes_and_classes(classes, seed):
    target = read_target(classes)
    halves = _folds.halves(target.codes, seed, target.weights)
    assert set(halves.tolist()) <= {0, 1}
    assert (halves == 0).sum() - (halves == 1).sum() in (0, 1)
    by_class = [
        np.bincount(halves[target.codes == c], minlength=2) for c in range(target.n_classes)
    ]
    odd = [int(n[0] - n[1]) for n in by_class if n.sum() % 2]
    assert all(n[0] == n[1] for n in by_class if n.sum() % 2 == 0)
    assert odd == [1, -1] * (len(odd) // 2) + [1] * (len(odd) % 2)  # leftovers in turn


def test_halves_are_drawn_at_random():
    target = read_target([0, 1] * 10)
    drawn = np.array([_folds.halves(target.codes, seed, target.weights) for seed in range(400)])
    np.testing.assert_allclose(drawn.mean(axis=0), 0.5, atol=0.15)
    assert len(np.unique(drawn, axis=0)) > 300
    np.testing.assert_array_equal(_folds.halves(target.codes, 7, target.weights), drawn[7])


def test_rows_of_weight_zero_are_in_no_half():
    table, target, _ = line(*SECOND)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 2, target.n_rows).astype(float)
    heavy = weights > 0
    light = read_target(target.classes[target.codes], weights)
    want = grow_prune(table.take(heavy), target.take(heavy), seed=5)
    found = grow_prune(table, light, seed=5)
    assert sizes(found) == sizes(want)
    np.testing.assert_array_equal(found.tree.high, want.tree.high)
    halves = rng.integers(0, 2, target.n_rows)
    halves[np.argmax(heavy)] = 0
    want = grow_prune(table.take(heavy), target.take(heavy), halves=halves[heavy])
    assert sizes(grow_prune(table, light, halves=halves)) == sizes(want)


@pytest.mark.parametrize(
    ("halves", "message"),
    [
        ([0, 1], "must be 12 numbers, 0 or 1"),
        ([0, 2] * 6, "must be 12 numbers, 0 or 1"),
        ([1] * 12, "no row to grow from"),
    ],
)
def test_halves_that_are_refused(halves, message):
    table, target, _ = line(*FIRST)
    with pytest.raises(ValueError, match=message):
        grow_prune(table, target, halves=halves)


def test_rows_that_are_divided_are_refused():
    table, target, _ = line(*FIRST)
    with pytest.raises(ValueError, match="whole rows"):
        grow_prune(table, target, GrowSettings(handle_missing="fractional"))


def test_one_half_may_be_empty():
    table, target, _ = line(*FIRST)
    result = grow_prune(table, target, halves=[0] * 12)
    assert sizes(result) == [(6, 1), (1, 1)]
    alone = grow_prune(table.take([0]), target.take([0]))
    assert sizes(alone) == [(1, 1), (1, 1)]


# Limits


def test_a_time_limit_ends_it_with_a_tree():
    data = make_waveform(2000, random_state=0)
    table, target = read_table(data.X), read_target(data.y)
    result = grow_prune(table, target, time_limit=1e-9)
    assert len(result.iterations) == 1
    assert not result.ended
    assert result.tree.predict(table).shape == (2000,)


def test_sizes_on_waveform_are_those_of_an_independent_program():
    """300 rows: 10.8 leaves; 2, 3 and 4 iterations in 50, 46 and 4 of 100 runs."""
    leaves, rounds = [], []
    for seed in range(60):
        data = make_waveform(300, random_state=seed)
        result = grow_prune(read_table(data.X), read_target(data.y), seed=seed)
        leaves.append(result.tree.n_leaves)
        rounds.append(len(result.iterations))
    error = np.std(leaves, ddof=1) / np.sqrt(len(leaves))
    assert abs(np.mean(leaves) - 10.84) < 3 * error
    assert 2.3 < np.mean(rounds) < 2.8
    assert max(rounds) <= 6
