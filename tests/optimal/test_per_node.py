"""Best trees whose tests are made at every node: brute force, published optima, laws and limits."""

import os
import signal
import threading
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import _core, datasets
from mixedwood._limits import CancelledError, StopFlag
from mixedwood.data import Column, Schema, Table, Target, read_table, read_target
from mixedwood.optimal.problem import IntegerObjective, OptimalSettings
from mixedwood.optimal.solvers import PerNodeSolver
from mixedwood.preprocessing.binarizer import ENCODINGS, Binarization, BinarySplit
from mixedwood.preprocessing.discretizers import RULES, Discretization
from reference import rebinarise as twin
from support.cases import cases
from support.optimal_instances import filled


@dataclass(frozen=True)
class Wanted:
    """What a tree may look like, and how long to look for it; penalties are integers."""

    discretization: Discretization
    encoding: str = "multi_hot"
    binarize_at: str = "node"
    max_subset_values: int = 8
    min_bins_per_side: int = 1
    min_samples_binarize: int = 1
    max_depth_binarize: int | None = None
    max_depth: int = 62
    max_leaf_nodes: int | None = None
    leaf_penalty: int = 0
    min_samples_leaf: int = 1
    upper_bound: int | None = None
    time_limit: float = np.inf
    memory_limit: int = 2**60


def find(table, target, wanted, weights=None, stop=None):
    """The best tree by integer weights: its splits and children, and what is proven."""
    binarization = Binarization(
        wanted.discretization,
        wanted.encoding,
        wanted.max_subset_values,
        wanted.min_bins_per_side,
    )
    settings = OptimalSettings(
        max_depth=0, max_leaf_nodes=None, min_samples_leaf=wanted.min_samples_leaf, ccp_alpha=0.0,
        binarization=binarization, binarize_at=wanted.binarize_at, upper_bound=np.inf,
        memory_limit=wanted.memory_limit, work_limit=np.inf, unknown="node",
        min_samples_binarize=wanted.min_samples_binarize,
        max_depth_binarize=wanted.max_depth_binarize,
    )  # fmt: skip
    integer = IntegerObjective(
        weights, 1, wanted.leaf_penalty, 1, 0, table.n_rows, 0, exact=True, multiples=True
    )
    limits = filled(
        _core.SearchLimits(),
        max_depth=wanted.max_depth,
        max_leaf_nodes=wanted.max_leaf_nodes,
        upper_bound=wanted.upper_bound,
        memory_limit=wanted.memory_limit,
    )
    solver = PerNodeSolver(table, target, settings)
    tree, result = solver.search(integer, limits, wanted.time_limit, stop=stop)
    return SimpleNamespace(
        status=result.status, cost=result.objective_value, lower_bound=result.lower_bound,
        splits=[None if split is None else BinarySplit(*split) for split in tree.splits()],
        yes=tree.if_true, no=tree.if_false,
    )  # fmt: skip


def random_problem(rng, max_rows=18):
    least = 1 if rng.random() < 0.2 else max_rows // 2
    n, k = int(rng.integers(least, max_rows + 1)), int(rng.integers(1, 4))
    kinds = "".join(rng.choice(list("nnco"), rng.integers(1, 4)))
    columns, arrays = [], []
    for place, kind in enumerate(kinds):
        gaps = rng.random(n) < (0.25 if rng.random() < 0.3 else 0)
        if kind == "n":
            array = rng.integers(0, rng.integers(2, 12), n) / 2
            array[gaps] = np.nan
            columns.append(Column(f"c{place}", "numeric"))
        else:
            values = tuple("abcde"[: rng.integers(1, 6)])
            array = rng.integers(0, len(values), n).astype(np.int32)
            array[gaps] = -1
            columns.append(Column(f"c{place}", "nominal" if kind == "c" else "ordinal", values))
        arrays.append(array)
    table = Table(Schema(tuple(columns)), tuple(arrays))
    target = Target(np.arange(k), rng.integers(0, k, n).astype(np.int32))
    weights = rng.integers(1, 4, n).astype(np.int64) if rng.random() < 0.5 else None
    return kinds, table, target, weights


def random_settings(rng):
    depth = int(rng.choice([0, 1, 2, 2, 3, 3]))
    return Wanted(
        Discretization(str(rng.choice(RULES)), int(rng.integers(2, 6))),
        encoding=str(rng.choice(ENCODINGS)),
        binarize_at=str(rng.choice(["node", "node", "node_encoding"])),
        max_subset_values=int(rng.integers(2, 5)),
        max_depth=depth,
        max_leaf_nodes=1 + int(rng.integers(0, 8)) if rng.random() < 0.5 else None,
        leaf_penalty=int(rng.integers(0, 3)) if rng.random() < 0.4 else 0,
        min_samples_leaf=int(rng.integers(1, 4)) if rng.random() < 0.4 else 1,
    )


def brute_force(kinds, table, target, weights, wanted):
    return twin.best_cost(
        table.arrays,
        kinds,
        target.codes.tolist(),
        [1] * table.n_rows if weights is None else weights.tolist(),
        {
            "method": wanted.discretization.rule,
            "n_bins": wanted.discretization.n_bins,
            "encoding": wanted.encoding,
            "max_subset_values": wanted.max_subset_values,
            "binarize_at": wanted.binarize_at,
            "min_bins_per_side": wanted.min_bins_per_side,
            "min_samples_binarize": wanted.min_samples_binarize,
            "max_depth_binarize": wanted.max_depth_binarize,
        },
        wanted.max_depth,
        2**wanted.max_depth if wanted.max_leaf_nodes is None else wanted.max_leaf_nodes - 1,
        wanted.leaf_penalty,
        wanted.min_samples_leaf,
    )


def cost_by_tests(found, table, target, weights, wanted):
    """What the tree costs, by sending rows through its tests."""

    def walk(node, rows, depth):
        test = found.splits[node]
        if test is None:
            assert len(rows) >= min(wanted.min_samples_leaf, table.n_rows)
            weight = None if weights is None else weights[rows]
            sums = np.bincount(target.codes[rows], weights=weight)
            return int(sums.sum() - sums.max()) + wanted.leaf_penalty
        assert depth < wanted.max_depth
        yes = test.evaluate(table)[rows]
        below = walk(found.yes[node], rows[yes], depth + 1)
        return below + walk(found.no[node], rows[~yes], depth + 1)

    n_leaves = sum(test is None for test in found.splits)
    assert wanted.max_leaf_nodes is None or n_leaves <= wanted.max_leaf_nodes
    return walk(0, np.arange(table.n_rows), 0)


def changed(wanted, **changes):
    return Wanted(**{**vars(wanted), **changes})


@pytest.mark.parametrize("part", range(10))
def test_the_best_of_all_trees(part):
    rng = np.random.default_rng(part)
    split = 0
    for _ in range(60):
        kinds, table, target, weights = random_problem(rng)
        wanted = random_settings(rng)
        want = brute_force(kinds, table, target, weights, wanted)
        found = find(table, target, wanted, weights)
        assert (found.cost, found.lower_bound, found.status) == (want, want, "optimal")
        assert cost_by_tests(found, table, target, weights, wanted) == want
        split += len(found.splits) > 3
        # The bound is inclusive, and without a cache the result is the same.
        within = find(table, target, changed(wanted, upper_bound=want), weights)
        assert (within.cost, within.status) == (want, "optimal")
        none = find(table, target, changed(wanted, upper_bound=want - 1), weights)
        assert (none.splits, none.status, none.lower_bound) == ([], "infeasible", want)
        forgetful = changed(wanted, memory_limit=0)
        assert find(table, target, forgetful, weights).cost == want
    assert split > 5


def test_the_best_of_all_trees_with_limits_of_binning():
    rng = np.random.default_rng(1)
    n_changed = 0
    for _ in range(320):
        kinds, table, target, weights = random_problem(rng)
        plain = changed(random_settings(rng), binarize_at="node")
        wanted = changed(
            plain,
            min_bins_per_side=int(rng.integers(1, 4)),
            min_samples_binarize=int(rng.integers(1, 16)) if rng.random() < 0.5 else 1,
            max_depth_binarize=int(rng.integers(0, 3)) if rng.random() < 0.5 else None,
        )
        want = brute_force(kinds, table, target, weights, wanted)
        found = find(table, target, wanted, weights)
        assert (found.cost, found.lower_bound, found.status) == (want, want, "optimal")
        assert cost_by_tests(found, table, target, weights, wanted) == want
        n_changed += find(table, target, plain, weights).cost != want
    assert n_changed > 10


def best_on_matrix(matrix, codes, depth):
    """Errors of the best tree over binary columns."""

    @cache
    def best(rows, d):
        sums = np.bincount(codes[list(rows)])
        least = int(sums.sum() - sums.max())
        if d == 0 or least == 0:
            return least
        for column in matrix.T:
            yes = frozenset(r for r in rows if column[r])
            if 0 < len(yes) < len(rows):
                least = min(least, best(yes, d - 1) + best(rows - yes, d - 1))
        return least

    return best(frozenset(range(len(codes))), depth)


@given(st.integers(0, 2**32))
@settings(max_examples=cases(100))
def test_encoding_again_gains_nothing_over_ranges_made_once(seed):
    """Windows that skip absent ranges are windows of all ranges: the two searches are one."""
    rng = np.random.default_rng(seed)
    _, table, target, _ = random_problem(rng, 14)
    rule_and_bins, encoding = Discretization(str(rng.choice(RULES)), 4), str(rng.choice(ENCODINGS))
    matrix, _ = Binarization(rule_and_bins, encoding).fit(table, target)
    wanted = Wanted(rule_and_bins, encoding, "node_encoding", max_depth=2)
    assert find(table, target, wanted).cost == best_on_matrix(matrix, target.codes, 2)


def test_subsets_of_what_is_left_at_a_node():
    """A column with too many values for all subsets may have few enough below its first test."""
    letter = Column("letter", "nominal", tuple("abcdefghi"))
    schema = Schema((letter, Column("side", "nominal", ("l", "r"))))
    table = Table(schema, (np.arange(9, dtype=np.int32), np.array([0] * 6 + [1] * 3, np.int32)))
    target = Target(np.arange(2), np.array([0, 1, 0, 1, 0, 1, 1, 1, 1], np.int32))
    rule_and_bins = Discretization("equal_width")
    for limit, want in ((6, 0), (5, 1)):
        wanted = Wanted(
            rule_and_bins, "subsets", "node_encoding", max_subset_values=limit, max_depth=2
        )
        found = find(table, target, wanted)
        assert found.cost == want
    once, _ = Binarization(rule_and_bins, "subsets", 6).fit(table, target)
    assert best_on_matrix(once, target.codes, 2) == 1


@pytest.mark.parametrize("rule", RULES)
def test_more_depth_and_more_nodes_cost_no_more(rule):
    rng = np.random.default_rng(4)
    x, z = rng.normal(size=(2, 60)).round(1)
    target = read_target((np.sin(3 * x) + z > 0).astype(int))
    table = read_table({"x": x, "z": z})
    by_depth, by_nodes = [], []
    for size in range(4):
        wanted = Wanted(Discretization(rule, 3), max_depth=size)
        by_depth.append(find(table, target, wanted).cost)
        wanted = Wanted(Discretization(rule, 3), max_depth=3, max_leaf_nodes=2 * size + 1)
        by_nodes.append(find(table, target, wanted).cost)
    assert by_depth == sorted(by_depth, reverse=True)
    assert by_nodes == sorted(by_nodes, reverse=True)
    assert by_depth[3] < by_depth[0]


BANKNOTE = {
    ("mdlp", 5, "one_hot"): (358, 166, 107),
    ("mdlp", 5, "multi_hot"): (201, 105, 74),
    ("caim", 5, "one_hot"): (201, 140, 137),
    ("equal_width", 3, "one_hot"): (341, 162, 86),
    ("equal_width", 4, "multi_hot"): (214, 141, 65),
    ("equal_width", 5, "one_hot"): (362, 235, 89),
    ("equal_frequency", 4, "one_hot"): (335, 152, 65),
    ("equal_frequency", 5, "multi_hot"): (212, 144, 77),
}


@pytest.mark.parametrize("how", BANKNOTE, ids=str)
def test_published_optima_of_banknote(how):
    """With ranges made once; encoding them again at every split gives the same."""
    if not os.environ.get("MIXEDWOOD_DATA") or datasets.names().get("banknote") is None:
        pytest.skip("no folder of data sets, or none with banknote")
    data = datasets.load("banknote")
    table, target = read_table(data.X), read_target(data.y)
    rule, n_bins, encoding = how
    rule_and_bins = Discretization(rule, n_bins)
    for depth, want in enumerate(BANKNOTE[how], start=1):
        wanted = Wanted(rule_and_bins, encoding, "node_encoding", max_depth=depth)
        found = find(table, target, wanted)
        assert (found.cost, found.status) == (want, "optimal")


def large_problem(n=4000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 12))
    y = (np.sin(X).sum(axis=1) + rng.normal(size=n) > 0).astype(int)
    return read_table(X), read_target(y)


def test_no_time_gives_the_greedy_tree_and_an_honest_bound():
    table, target = large_problem()
    wanted = Wanted(Discretization("equal_frequency", 4), max_depth=4, time_limit=0.0)
    found = find(table, target, wanted)
    assert found.status == "time_limit"
    assert 0 <= found.lower_bound <= found.cost
    assert cost_by_tests(found, table, target, None, wanted) == found.cost
    leaf = np.bincount(target.codes).min()
    assert found.cost < leaf
    small = find(table, target, changed(wanted, max_depth=1, time_limit=np.inf))
    assert small.status == "optimal"
    assert found.cost <= small.cost


@pytest.mark.skipif(os.name == "nt", reason="signals are sent another way there")
def test_an_interrupt_gives_the_best_tree_so_far():
    table, target = large_problem()
    wanted = Wanted(Discretization("equal_frequency", 5), max_depth=5)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    found = find(table, target, wanted)
    timer.join()
    assert found.status == "interrupted"
    assert cost_by_tests(found, table, target, None, wanted) == found.cost
    assert found.lower_bound <= found.cost


def test_another_thread_may_end_it():
    table, target = large_problem()
    wanted = Wanted(Discretization("equal_frequency", 5), max_depth=5)
    flag = StopFlag()
    timer = threading.Timer(0.3, flag.set)
    timer.start()
    with pytest.raises(CancelledError):
        find(table, target, wanted, stop=flag)
    timer.join()


def test_odd_tables():
    rule_and_bins = Discretization("mdlp")
    one = read_table({"x": [1.0]}), read_target([0])
    same = read_table({"x": [1.0, 1.0, 1.0]}), read_target([0, 1, 1])
    absent = read_table({"x": np.full(3, np.nan)}), read_target([0, 1, 1])
    for (table, target), cost in ((one, 0), (same, 1), (absent, 1)):
        found = find(table, target, Wanted(rule_and_bins, max_depth=3))
        assert (found.cost, found.status, found.splits) == (cost, "optimal", [None])
    nothing = Table(Schema(()), ())
    wanted = Wanted(rule_and_bins, max_depth=2)
    found = find(nothing, read_target([0, 1, 1]), wanted)
    assert (found.cost, found.splits) == (1, [None])
    without_depth = Wanted(Discretization("equal_width", 2))
    rng = np.random.default_rng(0)
    table, target = read_table({"x": rng.random(12)}), read_target(rng.integers(0, 2, 12))
    assert find(table, target, without_depth).cost == 0


def test_refusals():
    table, target = read_table({"x": [1.0, 2.0]}), read_target([0, 1])
    wanted = Wanted(Discretization("mdlp"), max_depth=1)
    with pytest.raises(ValueError, match="weights must be positive"):
        find(table, target, wanted, np.array([1, 0]))
    with pytest.raises(ValueError, match="each row needs one weight"):
        find(table, target, wanted, np.array([1]))
    with pytest.raises(ValueError, match="weights are too large"):
        find(table, target, wanted, np.array([2**62, 2**62]))
    with pytest.raises(TypeError):
        find(table, target, changed(wanted, encoding="two_hot"))
    with pytest.raises(ValueError, match="max_depth must not be negative"):
        find(table, target, changed(wanted, max_depth=-1))
    with pytest.raises(ValueError, match="columns differ in length"):
        find(table, read_target([0, 1, 1]), wanted)


def test_small_and_deep_nodes_have_the_bins_of_the_root():
    """If every node but the root is small or deep, bins are made once, as for all rows."""
    rng = np.random.default_rng(3)
    changed = 0
    for _ in range(40):
        _, table, target, weights = random_problem(rng)
        wanted = Wanted(Discretization("equal_width", 3), "multi_hot", max_depth=3)
        never = replace(wanted, min_samples_binarize=table.n_rows + 1)
        shallow = replace(wanted, max_depth_binarize=0)
        once = replace(wanted, binarize_at="node_encoding")
        often, fixed, at_root, encoded = (
            find(table, target, w, weights) for w in (wanted, never, shallow, once)
        )
        assert fixed.cost == at_root.cost == encoded.cost
        changed += often.cost != fixed.cost
    assert changed > 5
