"""Gradient boosting: one round by hand, the loss falls, rows held out, trees of other kinds."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mixedwood._folds import hold_out
from mixedwood.boosting import GradientPlan, LogLoss, gradient_boost, probabilities
from mixedwood.boosting.gradient import BoostingState
from mixedwood.data import Target, read_table, read_target
from mixedwood.estimators import TreeClassifier
from mixedwood.grow import EncodedTable
from mixedwood.grow.gradient import BinnedTable, GradientSettings
from support.problems import mixed_problem


def problem(n=200, n_classes=3, seed=0, weights=None):
    X, y = mixed_problem(n, seed=seed, n_classes=n_classes)
    return read_table(X), read_target(y, weights)


def boost(*args, **options):
    return gradient_boost(*args, **options)[0]


def scores_of(model, table):
    """Baseline and values added up one tree at a time."""
    scores = np.tile(model.baseline, (table.n_rows, 1))
    for tree, steps, first in zip(model.trees, model.values, model.first_output, strict=True):
        scores[:, first : first + steps.shape[1]] += steps[tree.apply(table)]
    return scores


STUMP = TreeClassifier(max_depth=2, pruning=None)
PLANS = {
    "one": GradientPlan(GradientSettings(max_depth=3)),
    "per_class": GradientPlan(GradientSettings(max_depth=2), multi_output=False),
    "sorted": GradientPlan(GradientSettings("sorted", max_depth=3)),
    "estimator": GradientPlan(estimator=STUMP),
    "estimator_per_class": GradientPlan(estimator=STUMP, multi_output=False),
}


def test_one_round_by_hand():
    """Two values, two classes: log odds, one Newton step in each leaf, a tenth of it taken."""
    table = read_table({"a": ["p"] * 4 + ["q"] * 6})
    target = read_target([1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    settings = GradientSettings(l2_regularization=0.5)
    model = boost(table, target, GradientPlan(settings, learning_rate=0.1), 1)
    share = 4 / 10
    assert model.baseline.tolist() == pytest.approx([math.log(share / (1 - share))])
    curvature = share * (1 - share)
    of_p = (3 * (1 - share) - 1 * share) / (4 * curvature + 0.5)
    of_q = (1 * (1 - share) - 5 * share) / (6 * curvature + 0.5)
    (tree,), (steps,) = model.trees, model.values
    node = tree.apply(table)
    np.testing.assert_allclose(steps[node, 0], [0.1 * of_p] * 4 + [0.1 * of_q] * 6, rtol=1e-9)
    gain = (
        (3 * 0.6 - 0.4) ** 2 / (4 * curvature + 0.5) + (0.6 - 5 * 0.4) ** 2 / (6 * curvature + 0.5)
    )  # fmt: skip
    assert tree.score[0] == pytest.approx(gain)  # nothing is gained by one step for all


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_steps_are_newton_steps_of_the_rows(name, n_classes):
    table, target = problem(n_classes=n_classes)
    model = boost(table, target, PLANS[name], 3)
    scores = np.tile(model.baseline, (table.n_rows, 1))
    done = 0
    for last in model.stage_ends:
        g, h = np.empty_like(scores), np.empty_like(scores)
        everyone = np.arange(len(scores), dtype=np.int32)
        LogLoss().derivatives(scores, target, everyone, g, h)
        for i in range(done, last):
            tree, steps, first = model.trees[i], model.values[i], model.first_output[i]
            here = slice(first, first + steps.shape[1])
            node = tree.apply(table)
            for leaf in np.unique(node):
                rows = node == leaf
                want = -g[rows, here].sum(axis=0) / (h[rows, here].sum(axis=0) + 1.0)
                np.testing.assert_allclose(steps[leaf], 0.1 * want, rtol=1e-7, atol=1e-12)
            everyone = -g[:, here].sum(axis=0) / (h[:, here].sum(axis=0) + 1.0)
            np.testing.assert_allclose(steps[0], 0.1 * everyone, rtol=1e-6, atol=1e-10)
            scores[:, here] += steps[node]
        done = last
    np.testing.assert_array_equal(scores, scores_of(model, table))


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_training_loss_falls_with_every_round(name, n_classes, weighted):
    weights = np.random.default_rng(0).uniform(0.2, 3, 200) if weighted else None
    table, target = problem(n_classes=n_classes, weights=weights)
    model = boost(table, target, PLANS[name], 40)
    everyone = np.arange(200, dtype=np.int32)
    scores = np.tile(model.baseline, (200, 1))
    losses = [LogLoss().value(scores, target, everyone)]
    done = 0
    for last in model.stage_ends:
        for i in range(done, last):
            here = slice(model.first_output[i], model.first_output[i] + model.values[i].shape[1])
            scores[:, here] += model.values[i][model.trees[i].apply(table)]
        losses.append(LogLoss().value(scores, target, everyone))
        done = last
    assert (np.diff(losses) < 0).all()
    assert losses[-1] < 0.75 * losses[0]


@pytest.mark.parametrize("name", PLANS)
def test_going_on_is_the_same_as_one_go(name):
    table, target = problem()
    whole = boost(table, target, PLANS[name], 6, seed=4)
    part = boost(table, target, PLANS[name], 2, seed=4)
    model = boost(table, target, PLANS[name], 6, seed=4, previous=part)
    assert model.trees == whole.trees
    assert model.stage_ends == whole.stage_ends
    np.testing.assert_array_equal(scores_of(model, table), scores_of(whole, table))


@pytest.mark.parametrize("multi_output", [True, False])
def test_rows_held_out_are_judged_and_not_learnt_from(multi_output):
    table, target = problem(300)
    plan = GradientPlan(
        GradientSettings(max_depth=2), n_iter_no_change=3, validation_fraction=0.2,
        learning_rate=0.5, multi_output=multi_output,
    )  # fmt: skip
    model, validation_loss = gradient_boost(table, target, plan, 200)
    best = int(np.argmin(validation_loss))
    assert len(model.stage_ends) == best + 1
    assert len(validation_loss) == best + 1 + 3
    learnt = model.trees[0].statistics[0]
    assert learnt.sum() == 240
    # A share of every class.
    np.testing.assert_allclose(learnt / np.bincount(target.codes), 0.8, atol=0.02)
    # The loss that was told is that of the other sixty rows.
    held = held_out_rows(target, plan)
    assert len(held) == 60
    losses = []
    for n in range(1, best + 2):
        part = boost(table, target, plan, n)
        if len(part.stage_ends) == n:
            losses.append((n, LogLoss().value(scores_of(part, table), target, held)))
    assert losses[-1][0] == best + 1
    for n, loss in losses:
        assert loss == pytest.approx(validation_loss[n - 1])


def held_out_rows(target, plan):
    return np.flatnonzero(
        hold_out(target.codes, plan.validation_fraction, 0, target.weights)
    ).astype(np.int32)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0, 2.5])), min_size=1),
    st.floats(0.01, 0.99),
    st.integers(0, 5),
)
def test_a_row_of_every_class_is_left_to_learn_from(rows, fraction, seed):
    codes, weights = np.array([c for c, _ in rows], np.int32), np.array([w for _, w in rows])
    assume(weights.any())
    held = hold_out(codes, fraction, seed, weights)
    assert not held[weights == 0].any()
    sizes = np.bincount(codes, weights > 0, 5)
    assert held.any() == (sizes.max() > 1)
    left = np.bincount(codes, (weights > 0) & ~held, 5)
    assert (left[sizes > 0] >= 1).all()
    # A share of each class, to within a row.
    n = max(1, min(round(fraction * sizes.sum()), sizes.sum() - 1))
    assert abs(held.sum() - n) <= np.count_nonzero(sizes)


def test_the_row_held_out_is_of_a_class_that_has_others():
    # Sorted by class, the one row to hold out is in the middle: the only one of its class.
    for seed in range(5):
        held = hold_out(np.array([0, 0, 1, 2, 3]), 0.1, seed)
        assert held.tolist() in ([True, *[False] * 4], [False, True, *[False] * 3])


def test_rounds_that_are_there_are_judged_anew_by_rows_of_ones_own():
    table, target = problem(120)
    plan = GradientPlan(GradientSettings(max_depth=2), n_iter_no_change=50)
    ours, others = problem(80, seed=1), problem(80, seed=2)
    part = boost(table, target, plan, 3, validation=ours)
    whole, losses = gradient_boost(table, target, plan, 6, previous=part, validation=others)
    alone, expected = gradient_boost(table, target, plan, 6, validation=others)
    assert len(whole.stage_ends) == len(alone.stage_ends) >= 3
    np.testing.assert_allclose(losses, expected, rtol=1e-12)


def test_rows_held_out_have_no_say_in_the_trees():
    table, target = problem(100)
    plan = GradientPlan(GradientSettings(max_depth=2), n_iter_no_change=5)
    one = boost(table, target, plan, 3)
    held = held_out_rows(target, plan)
    assert (
        one.baseline.tolist()
        == LogLoss().baseline(target, np.setdiff1d(np.arange(100), held).astype(np.int32)).tolist()
    )
    plain = GradientPlan(GradientSettings(max_depth=2))
    rows = np.setdiff1d(np.arange(100), held)
    alone = boost(table.take(rows), target.take(rows), plain, len(one.stage_ends))
    for tree, twin in zip(one.trees, alone.trees, strict=True):
        np.testing.assert_array_equal(tree.statistics, twin.statistics)


@pytest.mark.parametrize(("n_classes", "multi_output"), [(2, True), (3, True), (3, False)])
def test_other_trees_see_rows_weighted_by_what_is_left_to_say(n_classes, multi_output):
    given_weights = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    table, target = problem(60, n_classes=n_classes, weights=given_weights)
    seen = []

    class Learner:
        def _fit_encoded(self, table, target, *, seed, time_limit=math.inf):
            seen.append(target)
            return STUMP._fit_encoded(table, target, seed=seed, time_limit=time_limit)

    model = boost(table, target, GradientPlan(estimator=Learner(), multi_output=multi_output), 2)
    first = next(model.staged_scores(table))
    answers = probabilities(first)
    if multi_output:
        left = [1 - answers[np.arange(60), target.codes]]
    else:
        left = [np.abs((target.codes == c) - answers[:, c]) for c in range(n_classes)]
    for its, want in zip(seen[len(left) :], left, strict=True):
        np.testing.assert_allclose(its.weights, given_weights * want)


def test_rows_that_are_not_in_the_sample_get_their_steps_too():
    table, target = problem(200)
    plan = GradientPlan(GradientSettings(max_depth=3), subsample=0.3)
    model = boost(table, target, plan, 4, seed=1)
    assert {tree.weighted_n_node_samples[0] for tree in model.trees} == {60.0}
    again = boost(table, target, plan, 3, seed=1)
    # Round 4 was grown on the scores of all rows: going on from them gives the same.
    gone_on = boost(table, target, plan, 4, seed=1, previous=again)
    assert gone_on.trees == model.trees


def test_rounds_draw_rows_and_columns_anew():
    table, target = problem(200)
    plan = GradientPlan(GradientSettings(max_depth=3), subsample=0.5, n_columns=1)
    model = boost(table, target, plan, 40)
    used = [set(tree.column[tree.column >= 0].tolist()) for tree in model.trees]
    assert max(map(len, used)) == 1
    assert set().union(*used) == {0, 1, 2, 3}
    assert len({tuple(tree.statistics[0]) for tree in model.trees}) > 10


def test_rows_without_weight_do_not_count():
    weights = np.ones(200)
    weights[::3] = 0
    table, target = problem(200)
    weighted = Target(target.classes, target.codes, weights)
    plan = GradientPlan(GradientSettings(max_depth=3))
    model = boost(table, weighted, plan, 5)
    assert {tree.weighted_n_node_samples[0] for tree in model.trees} == {weights.sum()}
    keep = np.flatnonzero(weights)
    alone = boost(table.take(keep), target.take(keep), plan, 5)
    np.testing.assert_allclose(
        scores_of(model, table.take(keep)), scores_of(alone, table.take(keep))
    )


@pytest.mark.parametrize("name", PLANS)
def test_more_rounds_than_there_is_anything_to_learn(name):
    """Certain rows have no curvature and hardly a gradient: nothing becomes infinite."""
    table = read_table({"a": ["p", "q"] * 20, "x": list(range(40))})
    target = read_target([0, 1] * 20)
    plan = PLANS[name]
    plan = GradientPlan(
        GradientSettings(l2_regularization=0.0, max_depth=2), estimator=plan.estimator,
        multi_output=plan.multi_output, learning_rate=1.0,
    )  # fmt: skip
    model = boost(table, target, plan, 300)
    scores = scores_of(model, table)
    assert np.isfinite(scores).all()
    assert (probabilities(scores).argmax(axis=1) == target.codes).all()


def test_the_first_iterations_are_a_model():
    table, target = problem()
    plan = PLANS["per_class"]
    state = BoostingState(BinnedTable(EncodedTable(table)), target, plan, 0)
    assert state.predictor().trees == ()
    for _ in range(4):
        state.iterate(60.0)
    assert state.predictor().stage_ends == (3, 6, 9, 12)
    first = state.predictor(2)
    assert (first.stage_ends, len(first.trees), len(first.values)) == ((3, 6), 6, 6)
    assert first.first_output == (0, 1, 2, 0, 1, 2)
    assert first.trees == boost(table, target, plan, 2).trees
    assert state.predictor(0).trees == ()
    np.testing.assert_array_equal(state.scores, state.predictor().scores(table))


def test_advance_is_called_every_round():
    table, target = problem(60)
    told = []
    boost(table, target, PLANS["one"], 5, advance=told.append)
    assert told == [1, 2, 3, 4, 5]
