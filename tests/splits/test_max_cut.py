"""Cuts: greedy, local search and the semidefinite relaxation, and misclassification costs."""

from itertools import combinations

import numpy as np
import pytest

from mixedwood.splits import Partitioner, best_partition, score_partition
from reference import splits as twin
from support.strategies import random_table, random_tables

CUTS = ["squared_gini", "chi2"]
GREEDY = Partitioner("max_cut", local_search=False)
TINY = 1e-12


def cut_weight(W, left):
    return W[left][:, ~left].sum()


def as_sides(groups):
    return {frozenset(g) for g in groups}


def sides_of(left):
    return as_sides((np.flatnonzero(left).tolist(), np.flatnonzero(~left).tolist()))


def random_costs(rng, k):
    """Symmetric, whole numbers, so that they are written the same everywhere."""
    upper = np.triu(rng.integers(0, 6, (k, k)), 1)
    if not upper.any():
        upper[0, 1:] = 1
    return (upper + upper.T).astype(float)


@pytest.mark.parametrize("local_search", [False, True])
@pytest.mark.parametrize("criterion", CUTS)
def test_the_cut_is_that_of_the_reference(criterion, local_search):
    search = Partitioner("max_cut", local_search=local_search)
    stepped = 0
    for A in random_tables(31, 150, (2, 12), (2, 5), real=True):
        W = twin.weight_matrix(A, criterion)
        left, steps = twin.max_cut(W, local_search)
        found = best_partition(A, criterion, search)
        assert as_sides(found.groups) == sides_of(left)
        assert found.score == pytest.approx(cut_weight(W, left), rel=1e-9)
        stepped += len(steps)
    assert (stepped > 100) == local_search


@pytest.mark.parametrize(
    "counts",
    [
        [[0, 1], [1, 3], [1, 2], [3, 2]],
        [[2, 2], [3, 3], [1, 1], [2, 1]],
        [[3, 0], [2, 1], [0, 1], [1, 2]],
    ],
)
def test_sums_that_are_equal_but_for_rounding_are_equal_for_the_greedy_cut(counts):
    A = np.array(counts)
    whole = np.outer(A.sum(1), A.sum(1)) - A @ A.T  # the weights, unscaled: nothing is rounded
    left, _ = twin.max_cut(whole, local_search=False)
    assert as_sides(best_partition(A, "squared_gini", GREEDY).groups) == sides_of(left)


@pytest.mark.parametrize("criterion", CUTS)
def test_a_cut_has_at_least_half_of_all_weight_and_local_search_loses_none(criterion):
    for high in (2, 9):
        for A in random_tables(32, 150, (2, 30), (2, 6), high=high):
            half = twin.weight_matrix(A, criterion).sum() / 4  # each pair is in the matrix twice
            greedy = best_partition(A, criterion, GREEDY).score
            full = best_partition(A, criterion, "max_cut").score
            assert greedy >= half * (1 - 1e-9)
            assert full >= greedy * (1 - 1e-9)


@pytest.mark.parametrize("partitioner", ["max_cut", "max_cut_sdp"])
@pytest.mark.parametrize("criterion", CUTS)
def test_no_move_and_no_exchange_makes_the_cut_heavier(criterion, partitioner):
    for A in random_tables(33, 30, (3, 15), (2, 5), real=True):
        W = twin.weight_matrix(A, criterion)
        found = best_partition(A, criterion, partitioner, random_state=0)
        left = found.group == 0
        flips = [[v] for v in range(len(A))]
        flips += [[a, b] for a, b in combinations(range(len(A)), 2) if left[a] != left[b]]
        for values in flips:
            trial = left.copy()
            trial[values] ^= True
            assert cut_weight(W, trial) <= found.score + 1e-9 * W.sum()


def test_the_cut_is_scored_by_the_criterion_that_was_asked_for():
    """Other criteria use squared-Gini weights to find the cut, and their own score."""
    for A in random_tables(34, 40, (3, 9), (2, 5), real=True):
        cut = best_partition(A, "squared_gini", "max_cut")
        for criterion in ("gini", "entropy", "gain_ratio", "twoing"):
            found = best_partition(A, criterion, "max_cut")
            assert found.groups == cut.groups
            assert found.score == pytest.approx(twin.score(A, found.group == 0, criterion))


@pytest.mark.parametrize("weights", ["squared_gini", "chi2", "gini", "entropy"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", *CUTS])
def test_edge_weights_of_any_criterion(criterion, weights):
    search = Partitioner("max_cut", weights=weights)
    relaxed = Partitioner("max_cut_sdp", weights=weights)
    for A in random_tables(43, 60, (2, 9), (2, 5), real=True):
        W = twin.weight_matrix(A, weights)
        left, _ = twin.max_cut(W)
        found = best_partition(A, criterion, search)
        assert as_sides(found.groups) == sides_of(left)
        score = twin.score(A, found.group == 0, criterion)
        assert found.score == pytest.approx(score, rel=1e-9, abs=TINY)
        near = best_partition(A, criterion, relaxed, random_state=0)
        heaviest = max(cut_weight(W, side) for side in twin.all_partitions(len(A)))
        assert cut_weight(W, near.group == 0) >= 0.878 * heaviest - TINY
        # Only the weight of a cut of the criterion's own graph bounds its score.
        own = criterion in CUTS and criterion == weights
        assert (near.bound is not None) == (own or len(A) == 2)


@pytest.mark.parametrize("criterion", ["gini", *CUTS])
def test_the_weights_of_the_criterion_are_the_default(criterion):
    own = "chi2" if criterion == "chi2" else "squared_gini"
    for A in random_tables(44, 40, (3, 9), (2, 5)):
        for name in ("max_cut", "max_cut_sdp"):
            plain = best_partition(A, criterion, name, random_state=3)
            for weights in ("criterion", own):
                search = Partitioner(name, weights=weights)
                found = best_partition(A, criterion, search, random_state=3)
                assert (found.groups, found.score, found.bound) == (
                    plain.groups,
                    plain.score,
                    plain.bound,
                )


def test_pairs_weighed_by_gini_with_costs():
    """Costs that do not make a metric can make a gain negative: such a pair weighs nothing."""
    rng = np.random.default_rng(45)
    search = Partitioner("max_cut", weights="gini")
    for A in random_tables(45, 60, (2, 9), (2, 5), real=True):
        costs = random_costs(rng, A.shape[1])
        left, _ = twin.max_cut(twin.weight_matrix(A, "gini", costs))
        found = best_partition(A, "gini", search, cost_matrix=costs)
        assert as_sides(found.groups) == sides_of(left)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_weights_of_the_same_impurity_find_better_partitions(criterion):
    """On average; squared-Gini weights separate rows, also of equal distributions."""
    mean = {"squared_gini": 0.0, criterion: 0.0}
    for A in random_tables(46, 200, (4, 9), (3, 5)):
        for weights in mean:
            search = Partitioner("max_cut", weights=weights)
            mean[weights] += best_partition(A, criterion, search).score
    assert mean[criterion] > 1.1 * mean["squared_gini"]


@pytest.mark.parametrize("criterion", CUTS)
def test_the_relaxation_bounds_the_optimum_and_its_cut_is_near(criterion):
    proven = 0
    for real in (False, True):
        for A in random_tables(35, 150, (2, 9), (2, 5), real=real):
            best = best_partition(A, criterion, "exact").score
            found = best_partition(A, criterion, "max_cut_sdp", random_state=1)
            assert found.bound >= best * (1 - 1e-9)
            assert found.score >= 0.878 * best - TINY
            if found.exact:
                proven += 1
                assert found.score == pytest.approx(best, rel=1e-8, abs=TINY)
                assert found.bound == found.score
    assert proven > 20


def test_plain_roundings_alone_keep_the_guarantee():
    search = Partitioner("max_cut_sdp", roundings=200, local_search=False)
    for A in random_tables(36, 60, (3, 9), (2, 5), real=True):
        best = best_partition(A, "squared_gini", "exact").score
        assert best_partition(A, "squared_gini", search, random_state=2).score >= 0.878 * best


def relaxation_by_clarabel(W):
    """Maximise sum of w_ij (1 - Y_ij) / 2 over correlation matrices Y, by an interior point."""
    clarabel = pytest.importorskip("clarabel", reason="the test extra brings clarabel")
    sparse = pytest.importorskip("scipy.sparse")
    n = len(W)
    rows, columns = np.array([(i, j) for j in range(n) for i in range(j + 1)]).T
    size = len(rows)  # upper triangle, column by column, off-diagonal entries times sqrt(2)
    diagonal = np.flatnonzero(rows == columns)
    objective = np.where(rows == columns, 0.0, W[rows, columns] / (2 * np.sqrt(2)))
    unit_diagonal = sparse.csc_matrix((np.ones(n), (np.arange(n), diagonal)), shape=(n, size))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((size, size)),
        objective,
        sparse.vstack([unit_diagonal, -sparse.identity(size)], format="csc"),
        np.concatenate([np.ones(n), np.zeros(size)]),
        [clarabel.ZeroConeT(n), clarabel.PSDTriangleConeT(n)],
        settings,
    )
    solution = solver.solve()
    assert "Solved" in str(solution.status)
    return W.sum() / 4 - solution.obj_val


@pytest.mark.parametrize("criterion", CUTS)
def test_the_bound_is_the_value_of_the_semidefinite_relaxation(criterion):
    open_gaps = 0
    for A in random_tables(37, 12, (5, 15), (2, 5), real=True):
        value = relaxation_by_clarabel(twin.weight_matrix(A, criterion))
        found = best_partition(A, criterion, "max_cut_sdp", random_state=0)
        assert found.score <= value * (1 + 1e-7)
        if found.exact:
            assert found.bound == pytest.approx(value, rel=1e-5)
        else:
            open_gaps += 1
            assert value * (1 - 1e-7) <= found.bound <= value * (1 + 1e-5)
    assert open_gaps >= 4


@pytest.mark.parametrize("criterion", ["gini", "squared_gini"])
def test_scores_with_costs_are_those_of_the_reference(criterion):
    rng = np.random.default_rng(38)
    for A in random_tables(38, 100, (2, 7), (2, 5)):
        costs = random_costs(rng, A.shape[1])
        left = rng.random(len(A)) < 0.5
        left[:2] = True, False
        groups = [np.flatnonzero(left), np.flatnonzero(~left)]
        found = score_partition(A, groups, criterion, cost_matrix=costs)
        expected = twin.score(A, left, criterion, costs)
        assert found.score == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_the_cut_with_costs_is_that_of_the_reference():
    rng = np.random.default_rng(39)
    for A in random_tables(39, 80, (2, 10), (2, 5), real=True):
        costs = random_costs(rng, A.shape[1])
        W = twin.weight_matrix(A, "squared_gini", costs)
        left, _ = twin.max_cut(W)
        found = best_partition(A, "squared_gini", "max_cut", cost_matrix=costs)
        assert found.score == pytest.approx(cut_weight(W, left), rel=1e-9, abs=TINY)


@pytest.mark.parametrize("criterion", ["gini", "squared_gini"])
def test_exact_search_with_costs_equals_brute_force(criterion):
    """Any symmetric costs, also those for which the Gini gain is not convex."""
    rng = np.random.default_rng(40)
    for A in random_tables(40, 150, (2, 6), (2, 5)):
        costs = random_costs(rng, A.shape[1])
        found = best_partition(A, criterion, "exact", cost_matrix=costs)
        expected = twin.brute_force(A, criterion, costs)
        assert found.exact
        assert found.score == pytest.approx(expected, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("partitioner", ["exact", "max_cut", "max_cut_sdp", "sliq_ext", "auto"])
@pytest.mark.parametrize("criterion", ["gini", "squared_gini"])
def test_unit_costs_are_no_costs(criterion, partitioner):
    for A in random_tables(41, 30, (2, 9), (2, 5), real=True):
        unit = 1 - np.eye(A.shape[1])
        plain = best_partition(A, criterion, partitioner, random_state=0)
        found = best_partition(A, criterion, partitioner, random_state=0, cost_matrix=unit)
        assert found.groups == plain.groups
        assert found.score == pytest.approx(plain.score, rel=1e-9, abs=TINY)


def test_costs_of_classes_without_weight_do_not_matter():
    A = random_table(np.random.default_rng(42), 5, 3)
    costs = np.array([[0.0, 1, 3], [1, 0, 2], [3, 2, 0]])
    wide = np.insert(A, 1, 0.0, axis=1)
    wide_costs = np.insert(np.insert(costs, 1, 7.0, axis=0), 1, 7.0, axis=1)
    wide_costs[1, 1] = 0
    found = best_partition(wide, "gini", "exact", cost_matrix=wide_costs)
    assert found.score == best_partition(A, "gini", "exact", cost_matrix=costs).score


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ([[0, 1, 2], [1, 0, 1], [3, 1, 0]], ValueError, r"\[0, 2\] is 2 but.*\(costs \+ c"),
        ([[0, -1, 1], [-1, 0, 1], [1, 1, 0]], ValueError, "finite and zero or more"),
        ([[0, np.nan, 1], [np.nan, 0, 1], [1, 1, 0]], ValueError, "finite and zero or more"),
        ([[0, np.inf, 1], [np.inf, 0, 1], [1, 1, 0]], ValueError, "finite and zero or more"),
        (np.ones((3, 3)), ValueError, "must be 0 on the diagonal"),
        ([[0, 1], [1, 0]], ValueError, r"shape \(3, 3\); got \(2, 2\)"),
        ([0, 1, 1], ValueError, r"shape \(3, 3\); got \(3,\)"),
        ([["a"] * 3] * 3, TypeError, "cost_matrix must be a table of numbers.*got list"),
        ([[0], [1, 0]], TypeError, "cost_matrix must be a table of numbers.*got list"),
    ],
)
def test_bad_costs_are_refused(costs, error, message):
    with pytest.raises(error, match=message):
        best_partition(np.ones((4, 3)), "gini", cost_matrix=costs)


@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio", "twoing", "chi2", "pearson_chi2"])
def test_a_criterion_without_costs_says_which_take_them(criterion):
    with pytest.raises(
        ValueError, match=f"'{criterion}' takes no cost_matrix.*'gini' or 'squared_gini'"
    ):
        best_partition(np.ones((4, 3)), criterion, cost_matrix=1 - np.eye(3))


@pytest.mark.parametrize(
    ("criterion", "partitioner"),
    [("squared_gini", "max_cut"), ("squared_gini", "max_cut_sdp"), ("chi2", "auto")],
)
def test_too_many_values_to_weigh_all_pairs(criterion, partitioner):
    A = np.ones((10_001, 2))
    A[::3, 0] = 2
    with pytest.raises(ValueError, match=r"10001 values.*at most 10000.*'gini'.*'principal_ext'"):
        best_partition(A, criterion, partitioner)


def test_tiny_weights_do_not_keep_the_relaxation_busy():
    """Cuts so light that their rounding underflows; the time limit only ends a failing test."""
    A = [[0, 5e-324], [5e-324, 0], [1, 5e-324]]
    found = best_partition(A, "squared_gini", "max_cut_sdp", random_state=0, time_limit=60)
    assert found.complete
