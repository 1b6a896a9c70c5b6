"""Best trees over all thresholds and subsets: against enumeration, laws, limits and bad input."""

import random
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import _core
from reference.optimal_all import best_cost, cost_of
from support.cases import cases
from support.optimal_instances import filled, limits_of

KINDS = {"number": "n", "ordinal": "o", "nominal": "c"}


def native_table(columns, n_rows):
    """Columns as the twin has them, for the core."""
    arrays, n_values = [], []
    for kind, values in columns:
        if kind == "number":
            numbers = [np.nan if v is None else v for v in values]
            arrays.append(np.array(numbers, dtype=np.float64))
            n_values.append(0)
        else:
            arrays.append(np.array([-1 if v is None else v for v in values], dtype=np.int32))
            n_values.append(max([v for v in values if v is not None], default=0) + 1)
    kinds = "".join(KINDS[kind] for kind, _ in columns)
    return _core.EncodedTable(arrays, np.array(n_values, dtype=np.int32), kinds, n_rows)


def solve(columns, classes, weights=None, n_classes=None, time_limit=1e9, **limits):
    limits = {"max_depth": 2, "max_nodes": None, "leaf_cost": 0, "min_leaf": 1} | limits
    objective = filled(
        _core.OptimalObjective(),
        leaf_penalty=limits.pop("leaf_cost"),
        min_samples_leaf=limits.pop("min_leaf"),
    )
    solver = _core.all_splits_solver(
        native_table(columns, len(classes)),
        np.array(classes, dtype=np.int32),
        None if weights is None else np.array(weights, dtype=np.int64),
        max(classes, default=0) + 1 if n_classes is None else n_classes,
        objective,
    )
    limits = limits_of(limits.pop("max_depth"), limits.pop("max_nodes"), **limits)
    return solver.solve(limits, time_limit)


def random_column(rng, n):
    kind = rng.choice(["number", "number", "ordinal", "nominal", "nominal"])
    n_values = rng.randint(1, 5) if kind == "nominal" else rng.choice([1, 2, 3, 5, n + 2])
    missing = rng.choice([0, 0, 0.2, 0.5])
    values = [None if rng.random() < missing else rng.randrange(n_values) for _ in range(n)]
    if kind == "number":
        values = [None if v is None else v * 0.5 - 1 for v in values]
    return kind, values


def random_problem(seed):
    rng = random.Random(seed)
    n = rng.randint(1, 30) if rng.random() < 0.6 else rng.randint(1, 10)
    columns = [random_column(rng, n) for _ in range(rng.randint(0, 4))]
    if columns and rng.random() < 0.2:
        columns.append(columns[0])
    n_classes = rng.randint(1, 4)
    classes = [rng.randrange(n_classes) for _ in range(n)]
    weights = [rng.choice([0, 1, 1, 2, 3]) if seed % 3 == 0 else 1 for _ in range(n)]
    if seed % 20 == 0:  # sums that need 32 and 64 bits
        weights = [w * rng.choice([1000, 30_000, 10**10]) for w in weights]
    weights[0] = weights[0] or 1
    depth = rng.choice([0, 1, 2, 2, 3, 3]) if n > 9 else rng.choice([0, 1, 2, 3, 4, 4])
    limits = {
        "max_depth": depth,
        "max_nodes": rng.randint(0, 2**depth) if rng.random() < 0.4 else None,
        "leaf_cost": rng.choice([0, 0, 0, 1, 1, 2, 3]),
        "min_leaf": rng.choice([1, 1, 1, 1, 2, 3, 5]),
    }
    return columns, classes, weights, n_classes, limits


def enumerated(columns, classes, weights, limits):
    return best_cost(
        columns,
        classes,
        weights,
        limits["max_depth"],
        limits["max_nodes"],
        limits["leaf_cost"],
        limits["min_leaf"],
    )


@pytest.mark.parametrize("block", range(8))
def test_equals_the_enumeration_of_all_thresholds_and_subsets(block):
    for seed in range(block * 250, block * 250 + cases(250)):
        columns, classes, weights, n_classes, limits = random_problem(seed)
        best = enumerated(columns, classes, weights, limits)
        found = solve(columns, classes, weights, n_classes, **limits)
        assert (found.status, found.objective_value, found.lower_bound) == (
            "optimal",
            best,
            best,
        ), seed
        cost, depth, splits = cost_of(
            found.tree, columns, classes, weights, limits["leaf_cost"], limits["min_leaf"]
        )
        assert cost == best, seed
        assert depth <= limits["max_depth"], seed
        assert limits["max_nodes"] is None or splits <= limits["max_nodes"], seed


@pytest.mark.parametrize("block", range(4))
def test_many_values_and_many_classes_equal_the_enumeration(block):
    """Values in the order they are decided, several batches of thresholds, merged cells."""
    for seed in range(block * 15, block * 15 + cases(15)):
        rng = random.Random(seed)
        n = rng.randint(40, 90)
        few = [("nominal", [rng.randrange(7) for _ in range(n)])]
        ordered = [("ordinal", [rng.randrange(rng.choice([3, 90])) for _ in range(n)])]
        columns = few + ordered + [("ordinal", [rng.randrange(40) for _ in range(n)])]
        columns = rng.sample(columns, rng.randint(1, 3))
        n_classes = rng.choice([2, 2, 3, 6])
        classes = [(columns[0][1][i] // 2 + rng.randrange(2)) % n_classes for i in range(n)]
        limits = {
            "max_depth": 2,
            "max_nodes": rng.choice([2, 3]),
            "leaf_cost": rng.choice([0, 1]),
            "min_leaf": rng.choice([1, 1, 4]),
        }
        best = enumerated(columns, classes, [1] * n, limits)
        found = solve(columns, classes, n_classes=n_classes, **limits)
        assert (found.objective_value, found.lower_bound) == (best, best), seed


def best_of_two_columns(first, second, classes, n_values):
    """Fewest errors at depth two: a nominal column of many values, one of two, two classes."""
    counts = np.zeros((n_values, 2, 2), dtype=np.int64)
    np.add.at(counts, (first, second, classes), 1)
    subsets = np.arange(2**n_values)[:, None] >> np.arange(n_values) & 1

    def of_side(chosen):  # one row per subset, 1 for the values that are there
        cells = np.einsum("sv,vgc->sgc", chosen, counts)
        by_second = cells.min(axis=2).sum(axis=1)
        by_first = chosen @ counts.sum(axis=1).min(axis=1)
        return np.minimum(by_second, by_first)

    root_first = (of_side(subsets) + of_side(1 - subsets)).min()
    root_second = counts.min(axis=2).sum()  # every value chooses on both sides
    return min(root_first, root_second)


@pytest.mark.parametrize("seed", range(12))
def test_a_nominal_root_of_many_values_equals_the_enumeration_of_its_subsets(seed):
    rng = np.random.default_rng(seed)
    n, n_values = 150, int(rng.integers(10, 16))
    first = rng.integers(0, n_values, n)
    second = rng.integers(0, 2, n)
    odd = (first % 3 == 0) ^ (second == 1)
    classes = np.where(rng.random(n) < 0.25, rng.integers(0, 2, n), odd).astype(int)
    columns = [("nominal", first.tolist()), ("nominal", second.tolist())]
    found = solve(columns, classes.tolist(), n_classes=2)
    assert found.status == "optimal"
    assert found.objective_value == best_of_two_columns(first, second, classes, n_values)


@given(seed=st.integers(0, 10**6), slack=st.integers(-2, 2))
@settings(max_examples=cases(150))
def test_an_upper_bound_is_inclusive_and_its_failure_is_proven(seed, slack):
    columns, classes, weights, n_classes, limits = random_problem(seed)
    best = solve(columns, classes, weights, n_classes, **limits).objective_value
    found = solve(columns, classes, weights, n_classes, upper_bound=best + slack, **limits)
    if slack >= 0:
        assert (found.status, found.objective_value) == ("optimal", best)
    else:
        assert found.status == "infeasible" and len(found.tree) == 0
        assert best + slack < found.lower_bound <= best


@given(seed=st.integers(0, 10**6))
@settings(max_examples=cases(100))
def test_weight_two_is_a_repeated_row(seed):
    columns, classes, _, n_classes, limits = random_problem(seed)
    limits["min_leaf"] = 1
    rng = random.Random(seed)
    weights = [rng.choice([1, 2, 3]) for _ in classes]
    again = [r for r, w in enumerate(weights) for _ in range(w)]
    repeated = [(kind, [values[r] for r in again]) for kind, values in columns]
    heavy = solve(columns, classes, weights, n_classes, **limits)
    many = solve(repeated, [classes[r] for r in again], None, n_classes, **limits)
    assert heavy.objective_value == many.objective_value


@given(seed=st.integers(0, 10**6))
@settings(max_examples=cases(100))
def test_renaming_values_and_shuffling_rows_changes_nothing(seed):
    columns, classes, weights, n_classes, limits = random_problem(seed)
    rng = random.Random(seed)
    rows = list(range(len(classes)))
    rng.shuffle(rows)

    def changed(kind, values):
        names = list(range(10))
        rng.shuffle(names)
        moved = [values[r] for r in rows]
        return kind, [v if kind != "nominal" or v is None else names[v] for v in moved]

    other = [changed(*column) for column in reversed(columns)]
    there = solve(columns, classes, weights, n_classes, **limits)
    here = solve(other, [classes[r] for r in rows], [weights[r] for r in rows], n_classes, **limits)
    assert here.objective_value == there.objective_value


def test_a_leaf_is_preferred_to_tests_of_no_use():
    found = solve([("number", [0.0, 1.0, 2.0, 3.0])], [0, 0, 0, 0], max_depth=3)
    assert found.tree.splits() == [None]


def test_a_shallow_tree_is_preferred_to_a_deep_one_of_the_same_cost():
    values = [float(i) for i in range(8)]
    found = solve([("number", values)], [0, 0, 0, 0, 1, 1, 1, 1], max_depth=4)
    assert found.tree.splits() == [(0, -np.inf, 3.5, None, True), None, None]


def test_is_known_is_a_test():
    values = [None, 1.0, None, 3.0, 1.0]
    found = solve([("number", values)], [0, 1, 0, 1, 1], max_depth=1)
    assert found.objective_value == 0
    assert found.tree.splits()[0] == (0, -np.inf, np.inf, None, False)


def test_missing_values_of_a_nominal_column_go_to_either_side():
    for lonely in (0, 1):
        classes = [0, 1, 2, lonely, lonely]
        found = solve([("nominal", [0, 1, 2, None, None])], classes, max_depth=1)
        *_, codes, missing = found.tree.splits()[0]
        assert missing == (lonely in codes)


def hard_problem(n, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    columns = [("number", rng.normal(size=n).tolist()) for _ in range(n_columns)]
    columns += [("nominal", rng.integers(0, 30, n).tolist()) for _ in range(2)]
    return columns, rng.integers(0, 2, n).tolist()


def test_a_time_limit_returns_a_tree_and_an_honest_bound():
    columns, classes = hard_problem(600, 6)
    short = solve(columns, classes, max_depth=5, time_limit=0.3)
    assert short.status == "time_limit"
    assert short.lower_bound < short.objective_value
    assert short.objective_value <= solve(columns, classes, max_depth=1).objective_value
    cost, depth, _ = cost_of(short.tree, columns, classes, [1] * 600, 0, 1)
    assert cost == short.objective_value
    assert depth <= 5


@pytest.mark.parametrize("depth", [2, 3])
def test_bounds_hold_wherever_the_search_is_stopped(depth):
    columns, classes = hard_problem(120, 3, seed=1)
    columns = [
        (kind, [v % 6 for v in values] if kind == "nominal" else values) for kind, values in columns
    ]
    best = solve(columns, classes, max_depth=depth).objective_value
    for limit in (0.0, 1e-4, 5e-4, 1e-3, 3e-3, 1e-2):
        found = solve(columns, classes, max_depth=depth, time_limit=limit)
        assert found.lower_bound <= best <= found.objective_value
        if found.status == "optimal":
            assert found.objective_value == best


def test_ctrl_c_returns_the_best_tree_so_far():
    columns, classes = hard_problem(600, 6)
    timer = threading.Timer(0.4, signal.raise_signal, [signal.SIGINT])
    timer.start()
    found = solve(columns, classes, max_depth=5, time_limit=60)
    timer.join()
    assert found.status == "interrupted"
    assert len(found.tree) >= 3


def test_little_memory_costs_time_not_the_optimum():
    columns, classes = hard_problem(150, 3, seed=2)
    columns = columns[:3]
    table = 150 * 3 * 64
    tight = solve(columns, classes, max_depth=3, memory_limit=table + 3000)
    ample = solve(columns, classes, max_depth=3)
    assert tight.status == ample.status == "optimal"
    assert tight.objective_value == ample.objective_value
    assert tight.n_cached < ample.n_cached


def test_less_memory_than_the_table_needs_is_said():
    columns, classes = hard_problem(150, 3, seed=2)
    found = solve(columns, classes, max_depth=3, memory_limit=1000)
    assert found.status == "memory_limit"
    assert found.lower_bound <= found.objective_value


@pytest.mark.parametrize(
    ("columns", "classes", "n_classes"),
    [
        ([], [0, 1, 1], 2),
        ([("number", [1.0, 1.0])], [0, 1], 2),
        ([("number", [None, None])], [0, 1], 2),
        ([("nominal", [None, None])], [0, 1], 2),
        ([("number", [5.0])], [0], 1),
        ([("number", [5.0])], [2], 5),
    ],
)
def test_tables_with_nothing_to_test_give_a_leaf(columns, classes, n_classes):
    for depth in (0, 1, 2, 3, 40):
        found = solve(columns, classes, n_classes=n_classes, max_depth=depth)
        assert found.status == "optimal"
        assert found.tree.splits() == [None]
        assert found.objective_value == min(classes.count(c) for c in set(classes)) * (
            len(set(classes)) > 1
        )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"max_depth": -1}, "max_depth must not be negative"),
        ({"max_nodes": -1}, "max_leaf_nodes must be at least 1"),
        ({"leaf_cost": -1}, "leaf_penalty must be in the range"),
        ({"leaf_cost": 2**57}, "leaf_penalty must be in the range"),
        ({"min_leaf": 0}, "min_samples_leaf must be at least 1"),
        ({"weights": [1, -1]}, "weights must not be negative"),
        ({"weights": [0, 0]}, "no row with weight"),
        ({"weights": [1]}, "one weight"),
        ({"weights": [2**60, 1]}, "too large"),
        ({"n_classes": 1}, "not below n_classes"),
        ({"n_classes": 0}, "n_classes must be at least 1"),
    ],
)
def test_bad_input_is_named(changed, message):
    with pytest.raises(ValueError, match=message):
        solve([("number", [0.0, 1.0])], [0, 1], **changed)
