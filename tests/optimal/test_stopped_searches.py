"""A search that is stopped says nothing wrong, keeps nothing wrong, and has a tree worth having."""

import numpy as np
import pytest

from mixedwood import _core
from reference.optimal import check_tree, greedy_cost
from support.optimal_instances import (
    Instance,
    classes_of,
    columns_of,
    filled,
    limits_of,
    run,
    solver_of,
)

LIMITS = [1e-6, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2]


def weights_that_add_up_to(rng, total, n_rows):
    return rng.multinomial(total, np.ones(n_rows) / n_rows).astype(np.int64)


@pytest.mark.parametrize("total", [None, 255, 256, 65_535, 65_536, 2**30, 2**30 + 1, 2**50])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_however_often_it_is_stopped(seed, total):
    """Totals about those at which counts become wider."""
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(80, 250)), int(rng.integers(2, 5))
    matrix = columns_of(rng, n_rows, 30)
    classes = classes_of(rng, matrix, n_classes)
    weights = None if total is None else weights_that_add_up_to(rng, total, n_rows)
    depth, leaf_cost, min_leaf = (int(rng.choice(c)) for c in ([3, 4], [0, 1, 3], [1, 2, 5]))
    nodes = int(rng.choice([5, 9, 2**depth - 1]))
    instance = Instance(matrix, classes, weights, n_classes, depth, nodes, leaf_cost, min_leaf)
    least = run(solver_of(instance, {}), instance).objective_value
    solver = solver_of(instance, {})
    for limit in rng.choice(LIMITS, 8):
        memory = [None, 1, 20_000][rng.integers(3)]
        result = run(solver, instance, time_limit=limit, memory_limit=memory)
        assert result.lower_bound <= least <= result.objective_value
        check_tree(result, *instance)
        wanted = int(rng.integers(0, least + 2))
        result = run(solver, instance, time_limit=limit, upper_bound=wanted)
        assert result.lower_bound <= least
        assert result.status != "infeasible" or wanted < least
        assert result.status != "optimal" or result.objective_value == least
    assert run(solver, instance).objective_value == least


@pytest.mark.parametrize("max_nodes", [None, 6])
def test_the_greedy_tree_is_there_however_little_time(max_nodes):
    """The table is so large that the clock is looked at before the first test is chosen."""
    rng = np.random.default_rng(2)
    matrix = (rng.random((20_000, 40)) < 0.5).astype(np.uint8)
    classes = (matrix[:, 0] & matrix[:, 7] | (rng.random(20_000) < 0.1)).astype(np.int32)
    result = _core.binary_solver(matrix, classes, None, 2).solve(limits_of(4, max_nodes), 0.0)
    assert result.status == "time_limit"
    assert result.objective_value <= greedy_cost(matrix, classes, None, 2, 4, max_nodes)


def test_room_for_more_tests_than_rows_is_room_for_any_tree():
    """Tests are shared out among both sides: not in a hundred million ways."""
    rng = np.random.default_rng(0)
    matrix = (rng.random((60, 10)) < 0.5).astype(np.uint8)
    classes = rng.integers(0, 2, 60).astype(np.int32)
    costs = []
    for nodes in (None, 600_000_000, 200, 11):  # leaves of five rows: at most eleven tests
        objective = filled(_core.OptimalObjective(), min_samples_leaf=5)
        solver = _core.binary_solver(matrix, classes, None, 2, objective)
        result = solver.solve(limits_of(30, nodes), 60.0)
        assert result.status == "optimal"
        costs.append(result.objective_value)
    assert len(set(costs)) == 1


def test_no_cost_is_below_nothing():
    """That no tree costs less than 0 proves nothing about one that costs 0."""
    matrix = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3, np.uint8)
    classes = (matrix[:, 0] ^ matrix[:, 1]).astype(np.int32)
    result = _core.binary_solver(matrix, classes, None, 2).solve(limits_of(2, upper_bound=-1))
    assert result.status == "infeasible" and result.lower_bound == 0
