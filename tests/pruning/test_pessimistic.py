"""Pessimistic pruning and collapsing: against twins, against WEKA's answers, and by laws."""

import numpy as np
import pytest

from mixedwood.data import Column, Schema, Table, Target, read_table, read_target
from mixedwood.pruning import collapse, pessimistic
from mixedwood.pruning.pessimistic import _Estimate
from mixedwood.tree import FRACTIONAL, STOP, SplitKind, TreeBuilder
from reference.c45 import J48
from reference.pessimistic import Pessimistic, extra_errors
from support.strategies import random_rows, random_tree

# Answers of WEKA 3.6.14 (options -U, none, and -S): leaves, nodes, classes of the training rows and
# of new ones. `columns` has the number of values of each column, 0 for numbers. In the second,
# raising brings rows to branches that were empty; in the third, two branches are equally large.

RAISED = {
    "columns": [3, 0, 3],
    "classes": 3,
    "rows": (
        "0,0.0212,1,b; 2,0.0022,0,a; 2,0.0107,1,b; 2,0.0993,1,a; 1,0.0735,1,c; 0,-0.1356,0,b; "
        "0,0.2563,0,c; 0,-0.1621,1,b; 0,0.1085,0,b; 2,0.0722,0,c; 1,-0.0639,0,c; 1,-0.1829,1,c; "
        "1,0.0029,0,c; 2,0.1291,1,a; 1,-0.1489,0,c; 0,0.0174,1,b; 2,-0.1607,0,c; 2,0.0123,0,a; "
        "0,0.1832,0,a; 1,0.1188,1,a; 2,-0.0619,0,b"
    ),
    "questions": (
        "2,0.1579,1; 1,0.1627,2; 1,-0.0669,1; 0,0.0508,2; 0,0.064,2; 0,-0.1922,2; 2,-0.0139,0; "
        "1,0.0666,2; 1,0.0941,1; 1,0.0939,2; 0,0.1122,1; 0,0.0563,0; 1,0.0041,1; 0,0.0614,2; "
        "0,-0.305,1; 1,-0.1756,2; 0,-0.0984,1; 2,0.1727,0; 2,-0.0493,2; 0,-0.0697,1; "
        "1,-0.0236,0; 2,0.1264,2; 1,-0.1285,1; 0,-0.024,1; 0,0.0504,1; 0,-0.0694,2; "
        "1,-0.0078,1; 1,-0.0106,2; 1,-0.1404,0; 0,0.0747,1"
    ),
    "weka": {
        "unpruned": (
            7,
            11,
            "baaacbabbacccacbbaacb",
            "accbbbacccbbcbbcbaabcacbbbcccb",
        ),
        "pruned": (
            5,
            8,
            "baaacbabbacccacbbaacb",
            "accbbbacccbbcbbcbaabcacbbbcccb",
        ),
        "no raising": (
            4,
            6,
            "baaacbabbacccacbaaaca",
            "accbbbacccbbcbbcbaabcacbbbcccb",
        ),
    },
}
FILLED = {
    "columns": [3, 5, 4, 4],
    "classes": 4,
    "rows": (
        "0,?,2,0,c; 2,4,3,3,a; 2,0,3,3,c; 1,4,0,2,b; ?,4,0,1,d; 1,4,?,1,b; 1,2,3,3,b; "
        "0,2,0,0,d; 1,2,?,1,d; ?,3,2,1,b; 2,2,3,3,c; 1,?,0,0,d; ?,0,?,2,c; 2,2,2,2,a; "
        "0,0,2,0,b; 1,1,1,2,a; 0,3,1,1,d; 1,4,3,1,d; 1,2,1,2,b; 2,1,1,2,a; 2,2,?,2,c; "
        "0,1,0,?,c; 1,1,0,2,c; ?,0,3,0,d; 2,4,3,2,a; 1,2,?,2,b; ?,3,2,0,b; 2,1,2,?,a; "
        "?,2,3,1,d; 0,0,2,1,c; 2,0,3,3,b"
    ),
    "questions": (
        "0,?,0,1; 0,?,0,0; 2,3,2,?; 0,4,1,2; 1,2,3,1; 2,4,1,0; 2,2,2,2; ?,4,3,2; ?,0,?,1; "
        "2,0,3,3; ?,2,?,0; 1,4,0,2; 2,4,0,0; ?,?,3,0; 2,4,2,0; 2,1,3,3; 2,1,?,3; 1,2,3,3; "
        "1,4,?,?; 0,4,2,2; 0,1,0,1; 2,4,1,?; 1,1,0,2; 1,4,1,3; 0,0,0,?; 1,2,1,2; 2,0,3,?; "
        "2,0,0,0; 0,1,1,1; 0,4,?,0"
    ),
    "weka": {
        "unpruned": (
            21,
            27,
            "babaddbddbbdcababdbaaaadabbadcb",
            "ddbaddaacbdaddbaabaaaaaacbcdad",
        ),
        "pruned": (
            9,
            12,
            "bccbddcdddcdaabbddbaacbdabbaddc",
            "ddacddaadcdbddbcccbcdabccbdddd",
        ),
        "no raising": (
            7,
            9,
            "bccaddcdddcdaabaddaaadadaabbddc",
            "ddbaddaadcdaddbcccbadbacdadddd",
        ),
    },
}


EQUAL = {
    "columns": [4, 0, 0],
    "classes": 2,
    "rows": (
        "1,5.0,?,b; 2,0.0,1.0,b; 0,?,3.0,a; 1,?,3.0,a; ?,4.0,2.0,b; 2,?,6.0,b; 0,4.0,0.0,a; "
        "?,0.0,1.0,b; ?,7.0,2.0,b; 2,3.0,1.0,b; 2,7.0,7.0,a; 0,?,?,a; 1,7.0,5.0,a; 1,7.0,1.0,b; "
        "2,4.0,2.0,b; 1,?,0.0,a"
    ),
    "questions": (
        "0,4.0,6.0; ?,0.0,2.0; 2,3.0,6.0; 2,?,0.0; 3,3.0,?; 2,7.0,2.0; 0,6.0,0.0; 1,?,5.0; "
        "?,2.0,4.0; 2,?,1.0; 1,3.0,1.0; 1,6.0,?; 2,0.0,3.0; 3,2.0,6.0; 1,2.0,2.0; 1,6.0,3.0; "
        "1,3.0,5.0; 3,4.0,2.0; 3,1.0,3.0; 1,2.0,7.0; 1,0.0,?; 0,7.0,?; ?,0.0,1.0; ?,0.0,5.0; "
        "0,?,?; 3,7.0,4.0; ?,?,?; 0,7.0,?; 1,0.0,7.0; 1,2.0,2.0"
    ),
    "weka": {
        "unpruned": (
            5,
            7,
            "bbaabbabbbbaabbb",
            "abbbbbaaabbbbbbaabbababaabbaab",
        ),
        "pruned": (
            5,
            7,
            "bbaabbabbbbaabbb",
            "abbbbbaaabbbbbbaabbababaabbaab",
        ),
        "no raising": (
            5,
            7,
            "bbaabbabbbbaabbb",
            "abbbbbaaabbbbbbaabbababaabbaab",
        ),
    },
}


def parsed(rows, columns):
    """A table from text."""
    cells = [row.split(",")[: len(columns)] for row in rows.split("; ")]
    specs, arrays = [], []
    for place, n_values in enumerate(columns):
        texts = [row[place] for row in cells]
        if n_values:
            specs.append(Column(f"c{place}", "nominal", tuple(f"v{v}" for v in range(n_values))))
            arrays.append(np.array([-1 if t == "?" else int(t) for t in texts], np.int32))
        else:
            specs.append(Column(f"c{place}", "numeric"))
            arrays.append(np.array([np.nan if t == "?" else float(t) for t in texts]))
    return Table(Schema(tuple(specs)), tuple(arrays))


@pytest.mark.parametrize("case", [RAISED, FILLED, EQUAL], ids=["raised", "filled", "equal"])
@pytest.mark.parametrize("variant", ["unpruned", "pruned", "no raising"])
def test_the_trees_are_those_of_weka(case, variant):
    table = parsed(case["rows"], case["columns"])
    letters = np.array(list("abcd"[: case["classes"]]))
    classes = [row[-1] for row in case["rows"].split("; ")]
    target = Target(letters, np.searchsorted(letters, classes).astype(np.int32))
    tree = collapse(J48(table, target).grow(collapse=False))
    if variant != "unpruned":
        tree = pessimistic(tree, table, target, subtree_raising=variant == "pruned")
    leaves, nodes, of_rows, of_new = case["weka"][variant]
    assert (tree.n_leaves, tree.n_nodes) == (leaves, nodes)
    assert "".join(tree.predict(table)) == of_rows
    assert "".join(tree.predict(parsed(case["questions"], case["columns"]))) == of_new


# Twins


def random_case(seed, weighted=False):
    """Rows with signal and noise; nominal columns that go together, so that branches are empty."""
    rng = np.random.default_rng(seed)
    n, leader = int(rng.integers(15, 60)), rng.random(60)
    columns, arrays, signal = [], [], np.zeros(n)
    for c in range(int(rng.integers(2, 5))):
        if rng.random() < 0.6:
            k = int(rng.integers(2, 6))
            near = leader[:n] + rng.normal(0, rng.choice([0.1, 2.0]), n)
            codes = np.clip(near * k, 0, k - 1).astype(np.int32)
            signal += rng.normal(size=k)[codes]
            codes[rng.random(n) < 0.15 * (seed % 2)] = -1
            columns.append(Column(f"c{c}", "nominal", tuple(f"v{v}" for v in range(k))))
            arrays.append(codes)
        else:
            numbers = rng.integers(0, 12, n).astype(float)
            signal += np.sin(numbers)
            numbers[rng.random(n) < 0.15 * (seed % 2)] = np.nan
            columns.append(Column(f"c{c}", "numeric"))
            arrays.append(numbers)
    signal += rng.normal(size=n)
    codes = np.searchsorted(np.quantile(signal, [0.4, 0.8]), signal).astype(np.int32)
    weights = rng.uniform(0.2, 3, n) if weighted else None
    table = Table(Schema(tuple(columns)), tuple(arrays))
    return table, Target(np.array(["a", "b", "c"]), codes, weights)


def told(tree, origin):
    """A tree as the twin tells it; a test is known by what it asks."""
    asked = [question(origin, node) for node in range(origin.n_nodes)]

    def of(node):
        counts = np.round(tree.statistics[node], 9).tolist()
        test = question(tree, node)
        assert test is None or test in asked
        return test, counts, [of(child) for child in tree.children_of(node)]

    return of(0)


def question(tree, node):
    if tree.split_kind[node] == SplitKind.LEAF:
        return None
    return (
        int(tree.column[node]), float(tree.low[node]), float(tree.high[node]),
        float(tree.intercept[node]), str(tree.terms_of(node)),
        len(tree.children_of(node)), int(tree.missing_child[node]), int(tree.unknown_child[node]),
    )  # fmt: skip


def with_questions(tree, twin):
    test, counts, branches = twin
    asked = None if test is None else question(tree, test)
    return asked, counts, [with_questions(tree, branch) for branch in branches]


def close(ours, twins):
    assert ours[0] == twins[0]
    np.testing.assert_allclose(ours[1], twins[1], atol=1e-6)
    assert len(ours[2]) == len(twins[2])
    for a, b in zip(ours[2], twins[2], strict=True):
        close(a, b)


@pytest.mark.parametrize("raising", [True, False])
def test_pruning_of_grown_trees_agrees_with_its_reference(raising):
    changed = 0
    for seed in range(60):
        table, target = random_case(seed, weighted=seed % 3 == 0)
        tree = J48(table, target).grow(collapse=seed % 5 > 0)
        confidence = [0.25, 0.1, 0.5][seed % 3]
        pruned = pessimistic(tree, table, target, confidence=confidence, subtree_raising=raising)
        twin = Pessimistic(tree, table, target, confidence, raising).pruned()
        close(told(pruned, tree), with_questions(tree, twin))
        changed += pruned.n_nodes < tree.n_nodes
    assert changed > 15


@pytest.mark.parametrize("raising", [True, False])
def test_pruning_of_any_tree_with_any_rows_agrees_with_its_reference(raising):
    """Tests of every kind, missing and unseen values that go anywhere or stop."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        tree = random_tree(rng, 8, fractional=bool(rng.integers(2)))
        table = random_rows(rng, 60)
        # Classes follow the tree, mostly: else nothing would be left of it.
        codes = rng.integers(0, 3, 60)
        codes[:50] = np.argmax(tree.predict_proba(table), axis=1)[:50]
        target = Target(tree.classes, codes.astype(np.int32), None)
        pruned = pessimistic(tree, table, target, confidence=0.5, subtree_raising=raising)
        twin = Pessimistic(tree, table, target, 0.5, raising).pruned()
        close(told(pruned, tree), with_questions(tree, twin))


@pytest.mark.parametrize("seed", range(30))
def test_collapsing_agrees_with_its_reference(seed):
    table, target = random_case(seed)
    full = J48(table, target).grow(collapse=False)
    tree = collapse(full)
    assert tree == J48(table, target).grow()
    assert collapse(tree) == tree
    leaves = [t.statistics[t.split_kind == SplitKind.LEAF] for t in (full, tree)]
    wrong = [(c.sum(axis=1) - c.max(axis=1)).sum() for c in leaves]
    assert wrong[1] == pytest.approx(wrong[0], abs=0.1)


# The estimate


def test_the_estimate_is_quinlans_for_pure_leaves():
    """C4.5, p. 41: limits at 25 % for no errors among 6, 9 and 1 rows."""
    estimate = _Estimate(0.25)
    for n, limit in [(6, 0.206), (9, 0.143), (1, 0.750)]:
        assert estimate.errors(np.array([n, 0.0])) / n == pytest.approx(limit, abs=6e-4)


def test_the_estimate_has_no_jumps_and_agrees_with_its_reference():
    for confidence in (0.25, 0.01, 0.5):
        estimate = _Estimate(confidence)
        for n in (1.5, 4, 30.25):
            for wrong in (0, 1e-9, 0.3, 1 - 1e-9, 1, 1.4, n / 2):
                assert estimate.extra(n, wrong) == extra_errors(n, wrong, confidence)
            assert estimate.extra(n, 1 - 1e-9) == pytest.approx(estimate.extra(n, 1), abs=1e-6)
    assert estimate.errors(np.zeros(3)) == 0
    assert 5 < _Estimate(1e-9).errors(np.array([6.0, 3.0])) <= 9  # no single-precision number


# Laws


@pytest.mark.parametrize("seed", range(20))
def test_pruning_again_changes_nothing(seed):
    table, target = random_case(seed)
    tree = pessimistic(J48(table, target).grow(), table, target)
    assert pessimistic(tree, table, target) == tree


@pytest.mark.parametrize("seed", range(0, 20, 2))
def test_without_raising_a_tree_is_only_cut(seed):
    table, target = random_case(seed)
    tree = J48(table, target).grow()
    pruned = pessimistic(tree, table, target, subtree_raising=False)
    waiting = [(0, 0)]
    while waiting:
        ours, theirs = waiting.pop()
        np.testing.assert_allclose(pruned.statistics[ours], tree.statistics[theirs])
        if pruned.split_kind[ours] != SplitKind.LEAF:
            children = pruned.children_of(ours), tree.children_of(theirs)
            waiting += list(zip(*(c.tolist() for c in children), strict=True))

    def wrong(t):
        return int((t.predict(table) != target.classes[target.codes]).sum())

    assert wrong(pruned) >= wrong(tree)


@pytest.mark.parametrize("seed", range(6))
def test_rows_with_weight_two_count_as_two_rows(seed):
    table, target = random_case(seed)
    tree = J48(table, target).grow()
    weights = np.random.default_rng(seed).integers(1, 4, table.n_rows)
    weighted = Target(target.classes, target.codes, weights.astype(float))
    repeated = np.repeat(np.arange(table.n_rows), weights)
    many = Target(target.classes, target.codes[repeated])
    a = pessimistic(tree, table, weighted)
    b = pessimistic(tree, table.take(repeated), many)
    close(told(a, tree), told(b, tree))


def test_class_weights_add_up_after_raising():
    for seed in range(1, 40, 2):
        table, target = random_case(seed)
        tree = pessimistic(J48(table, target).grow(), table, target)
        for node in np.flatnonzero(tree.split_kind != SplitKind.LEAF):
            below = tree.statistics[tree.children_of(node)].sum(axis=0)
            np.testing.assert_allclose(below, tree.statistics[node])
        np.testing.assert_allclose(tree.weighted_n_node_samples, tree.statistics.sum(axis=1))


def test_an_empty_branch_that_gets_rows_by_raising_predicts_its_value():
    """Under the larger branch no row is blue; when it is raised, there are blue ones."""
    colours, sizes = ("blue", "green", "red"), ("L", "S")
    rows = [("red", "S", "a")] * 6 + [("green", "S", "b")] * 6 + [("blue", "L", "c")] * 3
    table = read_table({"colour": [r[0] for r in rows], "size": [r[1] for r in rows]})
    target = read_target([r[2] for r in rows])
    builder = TreeBuilder(table.schema, target.classes, [6, 6, 3])
    assert table.schema["colour"].categories == colours
    branches = {"missing": FRACTIONAL, "unknown": STOP}
    _, small = builder.split_categories(
        0, "size", [[0, 0, 3], [6, 6, 0]], [[size] for size in sizes], **branches
    )
    builder.split_categories(
        small, "colour", [[0, 0, 0], [0, 6, 0], [6, 0, 0]], [[], ["green"], ["red"]], **branches
    )
    pruned = pessimistic(builder.build(), table, target)
    assert pruned.column_of(0).name == "colour"
    assert pruned.n_nodes == 4
    assert pruned.categories_of(0)[0].tolist() == [0, 1, 2]
    assert pruned.predict(table).tolist() == [r[2] for r in rows]


def test_an_empty_branch_stays_a_leaf_and_its_value_is_predicted_above():
    table = parsed("; ".join(["0,x"] * 5 + ["1,x"] * 6), [3])
    codes = np.repeat([0, 1], [5, 6]).astype(np.int32)
    target = Target(np.array(["a", "b"]), codes)
    tree = pessimistic(J48(table, target).grow(), table, target)
    assert (tree.n_leaves, tree.n_nodes) == (3, 4)
    assert tree.predict(parsed("2", [3])).tolist() == ["b"]
    np.testing.assert_allclose(tree.predict_proba(parsed("2", [3])), [[5 / 11, 6 / 11]])


def test_deep_trees_need_no_deep_stack():
    n = 2000
    codes = np.random.default_rng(0).integers(0, 2, n).astype(np.int32)
    schema = Schema((Column("x", "numeric"),))
    builder, node = TreeBuilder(schema, [0, 1], np.bincount(codes)), 0
    for i in range(n - 1):
        parts = [np.bincount(part, minlength=2) for part in (codes[i : i + 1], codes[i + 1 :])]
        _, node = builder.split_interval(node, "x", parts, high=float(i))
    tree = builder.build()
    table, target = Table(schema, (np.arange(n, dtype=float),)), Target(np.arange(2), codes)
    assert collapse(tree).n_nodes < tree.n_nodes
    assert pessimistic(tree, table, target, confidence=0.5).n_nodes < tree.n_nodes


def test_what_does_not_fit_is_refused():
    table, target = random_case(0)
    tree = J48(table, target).grow()
    for confidence in (0, -1, 0.51, np.nan):
        with pytest.raises(ValueError, match=r"confidence must be in the range \(0, 0\.5\]"):
            pessimistic(tree, table, target, confidence=confidence)
    with pytest.raises(ValueError, match="other classes"):
        pessimistic(tree, table, Target(np.array(["a", "b"]), target.codes % 2))
    with pytest.raises(ValueError, match="another schema"):
        pessimistic(tree, random_rows(np.random.default_rng(0), 5), target)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        pessimistic(tree, table.take([0, 1]), target)
