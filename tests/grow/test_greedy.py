"""The grower against its slow twin: same tests, same counts, same sides, node by node."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mixedwood.data import Target, read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.splits import Screener, criteria
from mixedwood.tree import STOP, SplitKind
from reference.greedy import Greedy, Settings, UnclearError, assert_same
from support.cases import cases
from support.strategies import problems

CRITERIA = list(criteria())
MISSING = ["learned", "fractional", "category"]
UNSEEN = ["stop", "missing", "majority"]


def grown(table, target, ours):
    """The library's tree for the twin's settings."""
    screener = []
    if ours.chi2_p is not None:
        screener.append(Screener("chi2", alpha=ours.chi2_p))
    if ours.second_value is not None:
        screener.append(Screener("second_value", min_weight=ours.second_value))
    exact = "exact" if ours.criterion in ("gini", "entropy") else "auto"
    return grow(
        table,
        target,
        GrowSettings(
            criterion=ours.criterion,
            partitioner="multiway" if ours.multiway else exact,
            screener=screener or None,
            selection=ours.selection,
            alpha=ours.alpha,
            bonferroni=ours.bonferroni,
            min_split_gain=ours.min_gain,
            max_depth=None if ours.max_depth == math.inf else ours.max_depth,
            min_samples_split=ours.min_samples_split,
            min_samples_leaf=ours.min_samples_leaf,
            max_leaf_nodes=None if ours.max_leaf_nodes == math.inf else ours.max_leaf_nodes,
            best_first=ours.best_first,
            handle_missing=ours.missing,
            handle_unknown=ours.unseen,
        ),
    )


def compare(table, target, ours):
    try:
        twin = Greedy(table, target, ours).grow()
    except UnclearError:
        assume(False)
    assert_same(grown(table, target, ours), twin)


ways = {"missing": st.sampled_from(MISSING), "unseen": st.sampled_from(UNSEEN)}


@settings(max_examples=cases(400))
@given(problems(), st.builds(Settings, criterion=st.sampled_from(CRITERIA[:4]), **ways))
def test_whole_trees(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(200))
@given(
    problems(kinds=("numeric", "ordinal")),
    st.builds(
        Settings,
        criterion=st.sampled_from(CRITERIA),
        min_samples_leaf=st.sampled_from([1, 2, 2.5, 4]),
        min_samples_split=st.sampled_from([1, 2, 5, 7.5]),
        max_depth=st.sampled_from([0, 1, 2, math.inf]),
        min_gain=st.sampled_from([-1.0, 0.0, 0.05, 0.3]),
        **ways,
    ),
)
def test_limits_on_thresholds(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(150))
@given(
    problems(),
    st.builds(
        Settings,
        criterion=st.sampled_from(["gini", "entropy"]),
        min_samples_leaf=st.sampled_from([1, 2]),
        max_depth=st.sampled_from([1, 3, math.inf]),
        max_leaf_nodes=st.integers(1, 6),
        best_first=st.booleans(),
        **ways,
    ),
)
def test_growth_ends_with_the_leaves_allowed(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(150))
@given(
    problems(kinds=("nominal", "nominal", "numeric")),
    st.builds(
        Settings,
        criterion=st.sampled_from(["gini", "entropy", "gain_ratio"]),
        multiway=st.just(True),
        min_samples_leaf=st.sampled_from([1, 2]),
        max_leaf_nodes=st.sampled_from([3, 5, math.inf]),
        best_first=st.booleans(),
        **ways,
    ),
)
def test_one_branch_per_value(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(150))
@given(
    problems(kinds=("nominal", "nominal", "numeric"), max_rows=25),
    st.builds(
        Settings,
        chi2_p=st.sampled_from([None, 0.1, 0.4]),
        second_value=st.sampled_from([None, 2.0, 3.5]),
        **ways,
    ),
)
def test_screeners(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(250))
@given(
    problems(max_rows=25),
    st.builds(
        Settings,
        selection=st.just("significance"),
        alpha=st.sampled_from([0.05, 0.3, 1.0]),
        bonferroni=st.booleans(),
        min_gain=st.sampled_from([0.0, 0.1]),
        **ways,
    ),
)
def test_selection_by_significance(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(400))
@given(
    problems(max_rows=25),
    st.builds(Settings, selection=st.just("adjusted"), criterion=st.sampled_from(CRITERIA), **ways),
)
def test_selection_by_adjusted_scores(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(150))
@given(
    problems(kinds=("nominal", "nominal", "numeric"), max_rows=25),
    st.builds(
        Settings,
        selection=st.just("adjusted"),
        criterion=st.sampled_from(["gini", "entropy", "gain_ratio"]),
        multiway=st.just(True),
        **ways,
    ),
)
def test_selection_of_branches_by_adjusted_scores(problem, ours):
    compare(*problem, ours)


@settings(max_examples=cases(200))
@given(problems(max_rows=10), st.sampled_from(CRITERIA[:2]), st.sampled_from(MISSING))
def test_the_root_has_the_best_score_even_where_tests_are_equal(problem, criterion, missing):
    table, target = problem
    ours = Settings(criterion=criterion, missing=missing, max_depth=1)
    twin = Greedy(table, target, ours)
    scores = []
    for column in range(table.n_columns):
        try:
            scores += [test.score for test in twin.tests(column, twin.everyone)]
        except UnclearError:
            groups = twin.groups(column, twin.everyone)
            assume(missing != "fractional")
            names = list(groups)
            for code in range(1, 2 ** len(names) - 1):
                left = [bool(code >> i & 1) for i in range(len(names))]
                scores.append(twin.score(groups.values(), left))
    tree = grown(table, target, ours)
    if np.count_nonzero(tree.statistics[0]) < 2 or len(twin.everyone) < 2 or not scores:
        assume(missing != "fractional")
        assert tree.n_nodes == 1
    elif tree.split_kind[0] != SplitKind.LEAF:
        assert tree.score[0] == pytest.approx(max(scores), rel=1e-9, abs=1e-11)
    else:
        assert twin.size(twin.everyone) < 2  # by weight


@pytest.mark.parametrize("criterion", CRITERIA)
def test_equal_tests_the_lowest_column_then_the_lowest_threshold(criterion):
    from mixedwood.data import read_table, read_target

    x = [1.0, 2.0, 3.0, 4.0]
    table = read_table({"a": [5.0] * 4, "b": x, "c": x, "d": list("wxyz")})
    tree = grow(table, read_target([0, 1, 0, 1]), GrowSettings(criterion=criterion))
    assert tree.column_of(0).name == ("d" if criterion != "chi2" else tree.column_of(0).name)
    tree = grow(
        read_table({"a": [5.0] * 4, "b": x, "c": x}),
        read_target([0, 1, 1, 0]),
        GrowSettings(criterion=criterion),
    )
    assert (tree.column_of(0).name, tree.high[0]) == ("b", 1.5)


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_one_ordered_column_left_is_cut_in_its_order(criterion, n_classes):
    """Rows that all weigh 1 are put in the column's order; weights, though 1 too, are not."""
    rng = np.random.default_rng(n_classes)
    n = 900
    x = rng.permutation(n) // rng.integers(1, 3)
    signal = x * n_classes // n
    noisy = np.where(rng.random(n) < 0.4, rng.integers(0, n_classes, n), signal)
    for y in (x % n_classes, noisy):
        for columns in (
            {"x": x.astype(float)},
            {"c": np.zeros(n), "x": x.astype(float)},
            {"x": x.astype(float), "half": (x > n // 2).astype(float)},  # not below the root
        ):
            table, settings = read_table(columns), GrowSettings(criterion=criterion)
            quick = grow(table, read_target(y), settings)
            slow = grow(table, Target(np.unique(y), read_target(y).codes, np.ones(n)), settings)
            assert quick.n_leaves > 20
            for field in (
                "split_kind",
                "column",
                "high",
                "children",
                "statistics",
                "score",
                "label",
            ):
                assert np.array_equal(getattr(quick, field), getattr(slow, field)), field


def test_a_row_of_weight_zero_is_not_there():
    from mixedwood.data import read_table, read_target

    table = read_table({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]})
    tree = grow(table, read_target([0, 1, 1], [1, 1, 0]))
    assert tree.high[0] == 1.5
    assert tree.statistics.tolist() == [[1, 1], [1, 0], [0, 1]]
    tree = grow(
        table.take([0, 1, 2]),
        read_target([0, 1, 2], [1, 0, 1]),
        GrowSettings(handle_unknown="stop"),
    )
    assert tree.high[0] == 2.0


def test_a_value_that_a_node_never_met_stops_there():
    from mixedwood.data import read_table, read_target

    table = read_table({"a": ["p", "p", "q", "q", "r", "r"], "b": ["x", "y", "x", "y", "z", "z"]})
    target = read_target([0, 1, 0, 1, 0, 0])
    tree = grow(table, target, GrowSettings(max_depth=3))
    assert tree.column_of(0).name == "b"
    new = read_table({"a": ["p"], "b": ["never"]}, schema=tree.schema)
    assert tree.apply(new).tolist() == [0]
    tree = grow(table, target, GrowSettings(handle_unknown="majority"))
    assert tree.unknown_child[0] == tree.statistics[tree.children_of(0)].sum(axis=1).argmax()
    assert grow(table, target).unknown_child[0] == STOP
