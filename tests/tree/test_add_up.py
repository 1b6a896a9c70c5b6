"""Values of many trees added up natively, against adding them in Python."""

import numpy as np
import pytest

from mixedwood import _core
from mixedwood.data import read_table, read_target
from mixedwood.grow import grow
from mixedwood.tree import FRACTIONAL, TreeBuilder
from mixedwood.tree.predictor import add_up
from support.strategies import random_rows, random_tree


@pytest.fixture(scope="module")
def trees():
    """Tests of every kind, half of the trees with rows that are shared out."""
    rng = np.random.default_rng(0)
    return [random_tree(rng, fractional=bool(i % 2)) for i in range(8)]


@pytest.fixture(scope="module")
def table():
    return random_rows(np.random.default_rng(1), 11_000)  # more than two blocks of rows


def members_of(trees, weights=None, first=0):
    weights = np.ones(len(trees)) if weights is None else weights
    return [
        (tree._router, tree.probabilities, tree.label, first, float(w))
        for tree, w in zip(trees, weights, strict=True)
    ]


def test_probabilities_are_added_in_order(trees, table):
    weights = np.array([1.0, 2.5, 0.0, 1.0, 0.25, 3.0, 1.0, 1.0])
    out = np.zeros((table.n_rows, 3))
    _core.add_up(members_of(trees, weights), list(table.arrays), False, 0, table.n_rows, out)
    want = np.zeros_like(out)
    for tree, weight in zip(trees, weights, strict=True):
        want += weight * tree.predict_proba(table)
    np.testing.assert_allclose(out, want, rtol=1e-13)


def test_votes_are_counted(trees, table):
    weights = np.arange(1.0, 9.0)
    out = np.zeros((table.n_rows, 3))
    _core.add_up(members_of(trees, weights), list(table.arrays), True, 0, table.n_rows, out)
    want = np.zeros_like(out)
    for tree, weight in zip(trees, weights, strict=True):
        want[np.arange(table.n_rows), tree.predict_codes(table)] += weight
    np.testing.assert_array_equal(out, want)


def test_some_rows_are_added_to_what_is_there(trees, table):
    out = np.full((table.n_rows, 3), 7.0)
    _core.add_up(members_of(trees[:1]), list(table.arrays), False, 100, 9000, out)
    want = np.full_like(out, 7.0)
    want[100:9000] += trees[0].predict_proba(table)[100:9000]
    np.testing.assert_array_equal(out, want)
    _core.add_up(members_of(trees), list(table.arrays), False, 50, 50, out)
    np.testing.assert_array_equal(out, want)
    _core.add_up([], list(table.arrays), False, 0, 10, out)
    np.testing.assert_array_equal(out, want)


def test_trees_add_to_outputs_of_their_own(trees, table):
    """As in boosting with one tree per class: steps of one or two outputs, here or there."""
    rng = np.random.default_rng(2)
    whole = [tree for tree in trees if not tree.is_fractional]
    steps = [rng.normal(size=(tree.n_nodes, 1 + i % 2)) for i, tree in enumerate(whole)]
    places = [i % 3 for i in range(len(whole))]
    members = [
        (tree._router, s, tree.label, place, 1.0)
        for tree, s, place in zip(whole, steps, places, strict=True)
    ]
    want = np.tile([0.5, -1.0, 2.0, 8.0], (table.n_rows, 1))
    out = want.copy()
    add_up(members, list(table.arrays), out)
    for tree, s, place in zip(whole, steps, places, strict=True):
        want[:, place : place + s.shape[1]] += s[tree.apply(table)]
    np.testing.assert_array_equal(out, want)  # the very same additions


@pytest.mark.parametrize("votes", [False, True])
def test_threads_change_nothing(trees, table, votes):
    rows = table.take(np.tile(np.arange(table.n_rows), 2))
    one = np.zeros((rows.n_rows, 3))
    add_up(members_of(trees), list(rows.arrays), one, votes=votes)
    for n_jobs in (2, 3, 5):
        many = np.zeros_like(one)
        add_up(members_of(trees), list(rows.arrays), many, votes=votes, n_jobs=n_jobs)
        np.testing.assert_array_equal(many, one)


def test_predictions_of_another_type_are_copied(trees, table):
    """The copies live as long as they are needed."""
    members = [
        (t._router, np.asfortranarray(t.probabilities), t.label.astype(np.int64), 0, 1)
        for t in trees * 20
    ]
    out = np.zeros((table.n_rows, 3))
    _core.add_up(members, list(table.arrays), False, 0, table.n_rows, out)
    want = np.zeros_like(out)
    _core.add_up(members_of(trees * 20), list(table.arrays), False, 0, table.n_rows, want)
    np.testing.assert_array_equal(out, want)


def test_bad_arguments_are_refused(trees, table):
    columns, n = list(table.arrays), table.n_rows
    tree = trees[0]
    good = members_of([tree])[0]
    out = np.zeros((n, 3))

    def add(member=good, columns=columns, plurality=False, first=0, last=n, out=out):
        _core.add_up([member], columns, plurality, first, last, out)

    def changed(place, value):
        return (*good[:place], value, *good[place + 1 :])

    refused = (ValueError, TypeError, RuntimeError)
    for words, arguments in (
        ("for each node", {"member": changed(1, tree.probabilities[1:])}),
        ("for each node", {"member": changed(2, tree.label[1:])}),
        ("more outputs", {"member": changed(3, 1)}),
        ("more outputs", {"member": changed(3, 2**64 - 1)}),
        ("", {"member": changed(3, -1)}),
        ("not one of the outputs", {"member": changed(2, tree.label + 3), "plurality": True}),
        ("not one of the outputs", {"member": changed(2, tree.label - 3), "plurality": True}),
        ("no such rows", {"last": n + 1}),
        ("no such rows", {"first": 2, "last": 1}),
        ("no such rows", {"out": np.zeros((n + 1, 3))}),
        ("more outputs", {"out": np.zeros((n, 2))}),
        ("", {"out": np.zeros((n, 3), np.float32)}),
        ("", {"out": np.zeros((3, n)).T}),
        ("", {"columns": columns[:2]}),
        ("", {"columns": [columns[2], *columns[1:]]}),
        ("", {"columns": [columns[0][:-1], *columns[1:]]}),
        ("", {"member": good[:4]}),
    ):
        with pytest.raises(refused, match=words or None):
            add(**arguments)
    assert not out.any()
    # Trees over other columns do not go together.

    other = grow(read_table({"x": [1.0, 2.0]}), read_target([0, 1]))
    strange = (other._router, other.probabilities, other.label, 0, 1.0)
    with pytest.raises(ValueError, match="columns are not those of the tree"):
        _core.add_up([good, strange], columns, False, 0, n, out)


def test_predictions_that_are_no_numbers_stay_in_their_row():
    """A vote for no class in particular goes to the first, and not beyond the last."""
    table = read_table({"x": [None, 1.0, None]})
    builder = TreeBuilder(table.schema, [0, 1], [2, 2])
    builder.split_interval(0, "x", [[2, 0], [0, 2]], high=2.0, missing=FRACTIONAL)
    tree = builder.build()
    members = [(tree._router, np.full((3, 2), np.nan), tree.label, 0, 1.0)]
    out = np.zeros((5, 2))[:3]  # room behind the last row, so that a stray vote is seen
    _core.add_up(members, list(table.arrays), True, 0, 3, out)
    assert out.base.tolist() == [[1, 0], [1, 0], [1, 0], [0, 0], [0, 0]]
