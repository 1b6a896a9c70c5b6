"""Predictions of many trees against their slow twins: sums, stages, ties, out-of-bag rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood.data import read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.tree import Mixture, Predictor, TargetSpec, argmax_with_ties
from mixedwood.tree.predictor import normalize
from reference import ensembles as slow
from support.problems import mixed_problem


@pytest.fixture(scope="module")
def grown():
    """Trees of both kinds: without and with fractional rows."""
    X, y = mixed_problem(60)
    table, target = read_table(X), read_target(y)
    settings = [
        GrowSettings(max_features=1, handle_missing=missing, max_depth=depth)
        for missing in ("learned", "fractional")
        for depth in (1, 2, 4)
    ]
    return [grow(table, target, s, seed=i) for i, s in enumerate(settings)], table, target


AGGREGATES = {"mean": "soft", "vote": "hard"}


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_sums_agree_with_their_reference(aggregate, grown):
    trees, table, _ = grown
    assert len({tree.is_fractional for tree in trees}) == 2
    model = Predictor.of_trees(trees, aggregate=aggregate)
    found = model.probabilities(table)
    np.testing.assert_array_equal(found, normalize(model.scores(table)))
    want = slow.shares_of_votes(trees, table, AGGREGATES[aggregate])
    np.testing.assert_allclose(found, want, atol=1e-12)
    codes = [slow.first_of_largest(row) for row in found.tolist()]
    assert model.predict_codes(table).tolist() == codes
    assert model.predict(table).tolist() == trees[0].classes[codes].tolist()


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_stages_are_the_sums_of_the_first_trees(aggregate, grown):
    trees, table, _ = grown
    weights = np.arange(1.0, len(trees) + 1)
    model = Predictor.of_trees(trees, aggregate=aggregate, weights=weights)
    for n, found in enumerate(model.staged_probabilities(table), start=1):
        first = Predictor.of_trees(trees[:n], aggregate=aggregate, weights=weights[:n])
        np.testing.assert_array_equal(found, first.probabilities(table))
    assert n == len(trees) == model.n_stages


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_a_weight_of_two_is_two_trees(aggregate, grown):
    trees, table, _ = grown
    weighted = Predictor.of_trees(trees[:2], aggregate=aggregate, weights=np.array([2.0, 1.0]))
    repeated = Predictor.of_trees([trees[0], *trees[:2]], aggregate=aggregate)
    np.testing.assert_allclose(weighted.scores(table), repeated.scores(table))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sums_of_values_of_several_trees_per_stage(n_classes, grown):
    """As in gradient boosting: a baseline, one output per tree, and a link."""
    trees, table, _ = grown
    rng = np.random.default_rng(n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    trees = [tree for tree in trees if not tree.is_fractional] * n_outputs
    values = tuple(rng.normal(size=(tree.n_nodes, 1)) for tree in trees)
    model = Predictor(
        table.schema,
        TargetSpec(np.arange(n_classes)),
        tuple(trees),
        values=values,
        first_output=tuple(i % n_outputs for i in range(len(trees))),
        baseline=rng.normal(size=n_outputs),
        aggregate="sum",
        link="logistic" if n_classes == 2 else "softmax",
        stage_ends=tuple(range(n_outputs, len(trees) + 1, n_outputs)),
    )
    stages = [stage.copy() for stage in model.staged_scores(table)]
    assert len(stages) == model.n_stages == 3
    want = np.tile(model.baseline, (table.n_rows, 1))
    for number, tree in enumerate(trees):
        want[:, number % n_outputs] += values[number][tree.apply(table), 0]
        if (number + 1) % n_outputs == 0:
            np.testing.assert_array_equal(stages[number // n_outputs], want)
    np.testing.assert_array_equal(model.scores(table), want)
    logs = np.column_stack([np.zeros(table.n_rows), want]) if n_classes == 2 else want
    odds = np.exp(logs)
    np.testing.assert_allclose(
        model.probabilities(table), odds / odds.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_a_mixture_is_the_weighted_mean_of_its_parts(grown):
    trees, table, _ = grown
    parts = Predictor.of_trees(trees[:3]), Predictor.of_trees(trees[3:], aggregate="vote")
    mixture = Mixture(tuple(zip((0.25, 0.75), parts, strict=True)))
    want = 0.25 * parts[0].probabilities(table) + 0.75 * parts[1].probabilities(table)
    np.testing.assert_array_equal(mixture.probabilities(table), want)
    assert mixture.predict(table).tolist() == mixture.target.labels(want).tolist()
    assert mixture.schema is table.schema


def test_a_single_tree_predicts_the_labels_of_its_leaves(grown):
    trees, table, _ = grown
    for tree in trees:
        model = Predictor.of_tree(tree)
        np.testing.assert_array_equal(model.predict(table), tree.predict(table))
        np.testing.assert_array_equal(model.probabilities(table), tree.predict_proba(table))


def test_trees_predict_as_they_do_alone(grown):
    trees, table, target = grown
    model = Predictor.of_trees(trees)
    labels = target.classes[model.tree_codes(table)]
    for place, tree in enumerate(trees):
        np.testing.assert_array_equal(labels[:, place], tree.predict(table))
    whole = [tree for tree in trees if not tree.is_fractional]
    for nodes, tree in zip(Predictor.of_trees(whole).apply(table).T, whole, strict=True):
        np.testing.assert_array_equal(nodes, tree.apply(table))


def test_a_tree_with_fractional_rows_votes_as_it_predicts_alone():
    # Two classes of a leaf are equal but for rounding, and the later one has more.
    table = read_table({"kind": ["a"] * 4 + ["b"] * 4 + [None]})
    target = read_target(list("ppqqqqqqq"), [1, 1, 1, 1 + 1e-8, 1, 1, 1, 1, 1e-9])
    tree = grow(table, target, GrowSettings("entropy", "multiway", handle_missing="fractional"))
    assert tree.is_fractional
    assert tree.statistics[1, 1] > tree.statistics[1, 0]
    assert tree.predict(table)[:4].tolist() == ["p"] * 4
    assert tree.predict_codes(table)[:4].tolist() == [0] * 4
    model = Predictor.of_trees([tree], aggregate="vote")
    assert model.scores(table)[:4].tolist() == [[1.0, 0.0]] * 4
    (stage,) = model.staged_scores(table)
    np.testing.assert_array_equal(model.scores(table), stage)


@pytest.mark.parametrize("aggregate", AGGREGATES)
@given(seed=st.integers(0, 1000))
@settings(max_examples=20)
def test_out_of_bag_probabilities_agree_with_their_reference(aggregate, grown, seed):
    trees, table, _ = grown
    rng = np.random.default_rng(seed)
    n_drawn = rng.integers(1, 2 * table.n_rows, len(trees))
    samples = [np.sort(rng.integers(0, table.n_rows, n)).astype(np.int32) for n in n_drawn]
    drawn = [sample.tolist() for sample in samples]
    want = slow.out_of_bag(trees, drawn, table, AGGREGATES[aggregate])
    model = Predictor.of_trees(trees, aggregate=aggregate)
    np.testing.assert_allclose(model.out_of_bag(table, samples), want, atol=1e-12)


def test_ties_go_to_the_first_class():
    third = 1 / 3
    decide = TargetSpec(np.arange(3)).decide
    assert decide(np.array([[0.5, 0.5], [0.0, 1.0], [0.3, 0.7]])).tolist() == [0, 1, 1]
    assert decide(np.array([[0.1, 0.45, 0.45 + 1e-16]])).tolist() == [1]
    assert decide(np.array([[third, third, 1 - 2 * third]])).tolist() == [0]
    near = np.array([[0.4, 0.6 - 1e-8, 0.6]])
    assert decide(near).tolist() == [2]
    assert TargetSpec(np.arange(3), tolerance=1e-6).decide(near).tolist() == [1]
    both = np.array([[0.0, 1.0, 1.5], [0.0, 1.0, 1.5]])
    assert argmax_with_ties(both, np.array([[0.5], [0.1]])).tolist() == [1, 2]


def test_rows_of_other_columns_are_an_error(grown):
    trees, _, _ = grown
    with pytest.raises(ValueError, match="another schema"):
        Predictor.of_trees(trees).scores(read_table({"x": [1.0]}))
