"""What must hold of every grown tree, on tables too large for the twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from mixedwood.data import Column, Schema, Table, Target, read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.tree import SplitKind
from reference.tree import shares
from support.cases import cases
from support.strategies import problems

MISSING = ["learned", "fractional", "category"]


def mixed_table(seed, n=400, n_classes=3, missing=0.05, n_labels=12):
    """Numbers, an order and labels that all tell something; hardly any ties."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n)
    number = rng.normal(classes, 1.5)
    rough = np.round(rng.normal(-classes, 2.0), 1)
    place = np.clip(classes + rng.integers(-1, 3, n), 0, 4).astype(np.int32)
    profile = rng.dirichlet(np.ones(n_labels), n_classes)
    label = np.array([rng.choice(n_labels, p=profile[c]) for c in classes], dtype=np.int32)
    for cells in (number, rough):
        cells[rng.random(n) < missing] = np.nan
    for cells in (place, label):
        cells[rng.random(n) < missing] = -1
    schema = Schema(
        (
            Column("number", "numeric"),
            Column("rough", "numeric"),
            Column("place", "ordinal", tuple("abcde")),
            Column("label", "nominal", tuple(f"v{i:02}" for i in range(n_labels))),
        )
    )
    target = Target(np.arange(n_classes), classes.astype(np.int32), None)
    return Table(schema, (number, rough, place, label)), target


def answers(tree, table):
    return tree.predict_proba(table)


def assert_equal_trees(a, b, counts=True):
    for name in (
        "split_kind",
        "column",
        "high",
        "children",
        "category_code",
        "category_child",
        "missing_child",
    ):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    if counts:
        np.testing.assert_allclose(a.statistics, b.statistics, rtol=1e-12)
        np.testing.assert_allclose(a.score, b.score, rtol=1e-9, atol=1e-12)


@settings(max_examples=cases(200))
@given(problems(), st.sampled_from(MISSING), st.sampled_from(["auto", "multiway"]))
def test_counts_are_those_of_the_rows_that_arrive(problem, missing, partitioner):
    table, target = problem
    tree = grow(table, target, GrowSettings(handle_missing=missing, partitioner=partitioner))
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    found = np.zeros_like(tree.statistics)
    for row in range(table.n_rows):
        if weights[row] == 0:
            continue
        cells = [array[row].item() for array in table.arrays]
        for leaf, share in shares(tree, cells).items():
            assert tree.split_kind[leaf] == SplitKind.LEAF  # training rows never stop on the way
            node = leaf
            while node >= 0:
                found[node, target.codes[row]] += share * weights[row]
                node = tree.parent[node]
    np.testing.assert_allclose(tree.statistics, found, rtol=1e-6, atol=1e-6 * weights.max())
    np.testing.assert_allclose(tree.weighted_n_node_samples, tree.statistics.sum(axis=1))
    inner = tree.split_kind != SplitKind.LEAF
    assert (tree.score[~inner] == 0).all()
    for node in np.flatnonzero(inner):
        children = tree.children_of(node)
        assert len(children) >= 2
        assert (tree.weighted_n_node_samples[children] > 0).all()


@pytest.mark.parametrize("missing", ["learned", "category"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "twoing", "chi2"])
def test_grown_in_full_nothing_is_left_to_tell(criterion, missing):
    table, target = mixed_table(1)
    tree = grow(table, target, GrowSettings(criterion=criterion, handle_missing=missing))
    assert (tree.predict(table) == target.classes[target.codes]).mean() > 0.999


@pytest.mark.parametrize("partitioner", ["auto", "multiway"])
@pytest.mark.parametrize("missing", MISSING)
@settings(max_examples=cases(60))
@given(problems(real=False))
def test_a_weight_is_a_number_of_copies(partitioner, missing, problem):
    table, target = problem
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    copies = np.repeat(np.arange(target.n_rows), weights.astype(int))
    ours = GrowSettings(handle_missing=missing, partitioner=partitioner)
    once = grow(table, target, ours)
    again = grow(
        table.take(copies), Target(target.classes, target.codes[copies].copy(), None), ours
    )
    if missing == "fractional" or once.split_kind[0] != SplitKind.LEAF:
        assert_equal_trees(once, again)
    else:  # one row, however heavy, is not split
        assert np.count_nonzero(weights) < 2 or again.n_nodes == 1


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_every_way_of_counting_counts_the_same(criterion, missing):
    """Histograms kept and handed down, weights added up, and rows sorted."""
    table, target = mixed_table(2, n=900)
    ours = GrowSettings(criterion=criterion, handle_missing=missing, min_samples_leaf=2)
    tree = grow(table, target, ours)
    ones = Target(target.classes, target.codes, np.ones(target.n_rows))
    assert_equal_trees(tree, grow(table, ones, ours))
    twos = Target(target.classes, target.codes, np.full(target.n_rows, 2.0))
    if missing != "fractional":  # there min_samples_leaf is a weight
        double = grow(table, twos, ours)
        assert_equal_trees(tree, double, counts=False)
        np.testing.assert_allclose(double.statistics, 2 * tree.statistics, rtol=1e-12)
    # A column that declares values beyond all measure is never counted by histogram.
    many = tuple(f"v{i:05}" for i in range(20_000))
    columns = (*table.schema.columns[:3], Column("label", "nominal", many))
    wide = Table(Schema(columns), table.arrays)
    assert_equal_trees(tree, grow(wide, target, ours))
    # Neither do classes that no row has.
    more = Target(np.arange(50), target.codes, None)
    lonely = grow(table, more, ours)
    assert_equal_trees(tree, lonely, counts=False)
    np.testing.assert_allclose(lonely.statistics[:, :3], tree.statistics, rtol=1e-12)


@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize(
    "partitioner", ["auto", "exact", "multiway", "principal_ext", "list_scheduling"]
)
def test_the_order_of_rows_does_not_matter(partitioner, missing):
    table, target = mixed_table(3)
    ours = GrowSettings(handle_missing=missing, partitioner=partitioner)
    order = np.random.default_rng(0).permutation(table.n_rows)
    tree = grow(table, target, ours)
    assert_equal_trees(tree, grow(table.take(order), target.take(order), ours))


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
@pytest.mark.parametrize("missing", MISSING)
def test_names_and_order_of_values_do_not_matter(criterion, missing):
    table, target = mixed_table(4)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, table.n_rows)  # no ties
    target = Target(target.classes, target.codes, weights)
    ours = GrowSettings(criterion=criterion, handle_missing=missing, max_depth=6)
    tree = grow(table, target, ours)
    codes = table["label"]
    turned = np.random.default_rng(1).permutation(12).astype(np.int32)
    renamed = np.where(codes < 0, codes, turned[codes]).astype(np.int32)
    other = Table(table.schema, (*table.arrays[:3], renamed))
    again = grow(other, target, ours)
    np.testing.assert_allclose(answers(tree, table), answers(again, other), rtol=1e-9, atol=1e-12)
    assert tree.n_nodes == again.n_nodes
    # And the classes: answers move along.
    flipped = Target(np.arange(3), (2 - target.codes).astype(np.int32), weights)
    mirrored = answers(grow(table, flipped, ours), table)
    np.testing.assert_allclose(answers(tree, table), mirrored[:, ::-1], rtol=1e-9, atol=1e-12)


def test_a_column_in_between_that_says_nothing_changes_nothing():
    table, target = mixed_table(5)
    schema = Schema(
        (Column("same", "numeric"), *table.schema.columns, Column("void", "nominal", ("a",)))
    )
    empty = np.full(table.n_rows, -1, np.int32)
    wider = Table(schema, (np.full(table.n_rows, 3.0), *table.arrays, empty))
    tree, again = grow(table, target), grow(wider, target)
    np.testing.assert_array_equal(np.where(tree.column >= 0, tree.column + 1, -1), again.column)


@pytest.mark.parametrize("best_first", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_growth_does_not_change_a_whole_tree(seed, best_first):
    table, target = mixed_table(seed)
    first = grow(table, target, GrowSettings(max_features=2, best_first=False), seed=seed)
    again = grow(table, target, GrowSettings(max_features=2, best_first=best_first), seed=seed)
    np.testing.assert_array_equal(answers(first, table), answers(again, table))
    assert first.n_leaves == again.n_leaves


def test_the_seed_draws_the_columns():
    table, target = mixed_table(6)
    ours = GrowSettings(max_features=1)
    assert grow(table, target, ours, seed=1) == grow(table, target, ours, seed=1)
    roots = {int(grow(table, target, ours, seed=s).column[0]) for s in range(40)}
    assert roots == {0, 1, 2, 3}
    # Every node draws anew.
    tree = grow(table, target, GrowSettings(max_features=1, max_depth=4), seed=1)
    assert len(set(tree.column[tree.column >= 0].tolist())) == 4
    # Columns that cannot be split do not count as drawn.
    table = read_table({"a": [1.0] * 6, "b": [2.0] * 6, "c": [1.0, 2, 3, 4, 5, 6]})
    for seed in range(10):
        tree = grow(table, read_target([0, 0, 0, 1, 1, 1]), ours, seed=seed)
        assert tree.column[0] == 2


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_split_as_scikit_learn_splits_them(criterion, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 5)).astype(np.float32).astype(float)
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=600) > 0).astype(int) + (X[:, 3] > 1)
    w = rng.uniform(0.5, 2, 600)  # no ties, which scikit-learn breaks at random
    peer = DecisionTreeClassifier(
        criterion=criterion, max_depth=6, min_samples_leaf=10, random_state=0
    )
    peer.fit(X, y, w)
    ours = GrowSettings(criterion=criterion, max_depth=6, min_samples_leaf=10)
    tree = grow(read_table(X), read_target(y, w), ours)
    assert tree.n_leaves <= peer.get_n_leaves()  # which now and then splits a pure node
    np.testing.assert_allclose(tree.predict_proba(read_table(X)), peer.predict_proba(X))


@pytest.mark.parametrize(
    "partitioner",
    [
        "auto", "exact", "principal", "principal_ext", "flip_flop", "list_scheduling",
        "largest_alone", "multiway",
    ],
)  # fmt: skip
@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio"])
@pytest.mark.parametrize("n_labels", [6, 60])
def test_leaves_have_the_rows_asked_for(partitioner, criterion, n_labels):
    if partitioner == "exact" and n_labels > 20:
        pytest.skip("exact would take for ever")
    if criterion == "gain_ratio" and partitioner in ("principal", "principal_ext", "exact"):
        pytest.skip("not for this criterion")
    table, target = mixed_table(7, n=600, n_labels=n_labels, n_classes=5)
    table = Table(Schema(table.schema.columns[3:]), table.arrays[3:])
    for missing in MISSING:
        for least in (3, 10 if partitioner == "multiway" else 40):
            ours = GrowSettings(
                criterion=criterion,
                partitioner=partitioner,
                min_samples_leaf=least,
                handle_missing=missing,
            )
            tree = grow(table, target, ours)
            weights = tree.weighted_n_node_samples
            if partitioner != "multiway":
                assert (weights[tree.split_kind == SplitKind.LEAF] >= least - 1e-6).all()
            assert tree.n_nodes > 1
            for node in np.flatnonzero(tree.split_kind != SplitKind.LEAF):
                reached = np.sort(weights[tree.children_of(node)])
                assert (reached[-2:] >= least - 1e-6).all()


def test_the_two_zeros_are_one_number():
    table = read_table({"x": [-0.0, 0.0, -0.0, 0.0]})
    assert grow(table, read_target([0, 1, 0, 1])).n_nodes == 1


def test_halves_have_the_rows_asked_for():
    """No grouping gains anything, and halves in the order of the values are too small."""
    units = np.repeat(np.int32([0, 1, 2]), [1, 8, 1])
    codes = np.repeat(units, 3)
    schema = Schema((Column("c", "nominal", ("p", "q", "r")),))
    target = Target(np.arange(3), np.tile(np.int32([0, 1, 2]), 10), None)
    for least in (3, 6):
        tree = grow(Table(schema, (codes,)), target, GrowSettings(min_samples_leaf=least))
        assert (tree.weighted_n_node_samples >= least).all()
