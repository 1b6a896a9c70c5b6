"""Credits of columns: the slow twin, sums that come out, and words, on trees with every test."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explain.random_trees import SCHEMA, random_table, random_tree
from mixedwood.data import Column, Schema, Table
from mixedwood.explain import explain_prediction
from mixedwood.explain.contributions import contribution_table
from mixedwood.tree import Predictor, TreeBuilder
from reference.explanation import answer, row_of, sum_of

NAMES = SCHEMA.names
seeds = st.integers(0, 2**32 - 1)


def explained(trees, one, vote="soft", weights=None):
    aggregate = "vote" if vote == "hard" else "mean"
    model = Predictor.of_trees(trees, weights=weights, aggregate=aggregate)
    return explain_prediction(model, one)


def assert_same_sum(why, bias, found):
    np.testing.assert_allclose(why.bias, bias, atol=1e-12)
    told = dict(zip(why.columns, why.contributions, strict=True))
    assert list(told)[: len(NAMES)] == list(NAMES)
    for columns, change in found.items():
        names = tuple(NAMES[place] for place in columns)
        key = names[0] if len(names) == 1 else names
        np.testing.assert_allclose(told.pop(key), change, atol=1e-12)
    assert not any(change.any() for change in told.values())


def assert_adds_up(why):
    sums = why.bias + why.contributions.sum(axis=0) + why.vote_adjustment
    np.testing.assert_allclose(sums, why.total, rtol=1e-12, atol=1e-12)


@given(seeds, st.integers(1, 4), st.booleans(), st.booleans(), st.sampled_from([0, 1, 12]))
def test_votes_agree_with_the_reference_and_add_up(seed, n_trees, fractional, weighted, n_tests):
    trees = [random_tree([seed, i], n_tests, fractional) for i in range(n_trees)]
    table = random_table(seed, n_rows=3, gaps=True)
    weights = np.random.default_rng(seed).random(n_trees) + 0.1 if weighted else None
    parts = np.full(n_trees, 1 / n_trees) if weights is None else weights / weights.sum()
    members = [(t, t.probabilities, part) for t, part in zip(trees, parts, strict=True)]
    for row in range(table.n_rows):
        one = table.take([row])
        why = explained(trees, one, "soft", weights)
        assert_same_sum(why, *sum_of(members, row_of(table, row)))
        assert not why.vote_adjustment.any()
        assert_adds_up(why)
        voted = explained(trees, one, "hard", weights)
        np.testing.assert_array_equal(voted.contributions, why.contributions)
        assert_adds_up(voted)
        assert voted.votes.tolist() == [
            sum(tree.predict(one)[0] == label for tree in trees) for label in trees[0].classes
        ]


@given(seeds, st.integers(1, 4), st.booleans(), st.sampled_from(["two", "one each", "together"]))
def test_scores_agree_with_the_reference_and_add_up(seed, n_trees, fractional, kind):
    rng = np.random.default_rng(seed)
    trees = [random_tree([seed, i], 12, fractional) for i in range(n_trees)]
    width = 3 if kind == "together" else 1
    n_outputs = 1 if kind == "two" else 3
    steps = [rng.normal(size=(tree.n_nodes, width)) for tree in trees]
    first = [int(rng.integers(n_outputs)) if kind == "one each" else 0 for _ in trees]
    start = rng.normal(size=n_outputs)
    if kind == "two":
        trees = [two_classes(tree) for tree in trees]
    table = random_table(seed, n_rows=3, gaps=True)
    wide = []
    for step, place in zip(steps, first, strict=True):
        wide.append(np.zeros((len(step), n_outputs)))
        wide[-1][:, place : place + width] = step
    link = "logistic" if kind == "two" else "softmax"
    model = Predictor.of_trees(
        trees, values=tuple(steps), first_output=tuple(first), baseline=start, aggregate="sum",
        link=link,
    )  # fmt: skip
    for row in range(table.n_rows):
        values = row_of(table, row)
        scores = start + sum(answer(t, values, w) for t, w in zip(trees, wide, strict=True))
        why = explain_prediction(model, table, row)
        want = [-scores[0], scores[0]] if kind == "two" else scores
        np.testing.assert_allclose(why.total, want, rtol=1e-12, atol=1e-12)
        bias, found = sum_of([(t, w, 1.0) for t, w in zip(trees, wide, strict=True)], values)
        if kind == "two":
            found = {columns: np.array([-c[0], c[0]]) for columns, c in found.items()}
            assert_same_sum(why, np.array([-1, 1]) * (bias + start), found)
        else:
            assert_same_sum(why, bias + start, found)
        assert_adds_up(why)
        assert why.votes is None
        assert why.scale == ("log odds" if kind == "two" else "scores")


def two_classes(tree):
    return replace(
        tree,
        classes=np.array(["no", "yes"]),
        statistics=tree.statistics[:, :2],
        label=tree.label % 2,
    )


def small(method, *args, **kwargs):
    builder = TreeBuilder(SCHEMA, ["no", "yes"], [6, 2])
    getattr(builder, method)(0, *args, **kwargs)
    return builder.build()


def one_row(colour=0, size=0, age=0.0, income=0.0):
    codes = [np.array([code], dtype=np.int32) for code in (colour, size)]
    return Table(SCHEMA, (*codes, np.array([float(age)]), np.array([float(income)])))


def test_a_row_that_goes_to_all_children_or_stops():
    groups = [["blue", "green"], ["red"]]
    counts = [[5, 0], [1, 2]]
    both = small("split_categories", "colour", counts, groups, missing=-2, unknown=-1)
    assert explained([both], one_row(colour=0)).contributions[0].tolist() == [0.25, -0.25]
    # Five eighths of the row get (1, 0), the others (1/3, 2/3): in the mean, what the root says.
    gone = explained([both], one_row(colour=-1))
    np.testing.assert_allclose(gone.contributions, 0, atol=1e-15)
    assert gone.values[0] == "colour missing"
    stopped = explained([both], one_row(colour=-2))
    assert not stopped.contributions.any()
    assert stopped.values[0] == "colour unknown"
    assert stopped.probabilities.tolist() == stopped.bias.tolist() == [0.75, 0.25]


def test_columns_of_a_linear_test_are_credited_together():
    weights = {"income": -2.0, "age": 0.5}
    pair = small("split_linear", weights, 3.0, [[6, 0], [0, 2]])
    why = explained([pair], one_row(age=31, income=4))
    assert why.columns == (*NAMES, ("age", "income"))
    assert why.contributions[-1].tolist() == [0.25, -0.25]
    assert "+0.250  age = 31 with income = 4" in str(why)
    alone = small("split_linear", {"age": 0.5, "income": 0.0}, 3.0, [[6, 0], [0, 2]])
    why = explained([alone], one_row(age=31, income=4))
    assert why.columns == NAMES
    assert why.contributions[2].tolist() == [0.25, -0.25]
    everything = {"income": -2.0, "age": 0.5, ("colour", "red"): 1.0, "size": 1.0}
    why = explained([small("split_linear", everything, 3.0, [[6, 0], [0, 2]])], one_row())
    assert why.values[-1] == "all 4 columns together"
    nothing = small("split_linear", {"age": 0.0}, 3.0, [[6, 0], [0, 2]])
    why = explained([nothing], one_row())
    assert why.columns[-1] == ()
    assert_adds_up(why)


def test_votes_are_shown_beside_the_sum():
    tree = small("split_interval", "age", [[3, 2], [3, 0]], high=5.0)
    lines = str(explained([tree], one_row(age=3), "hard")).splitlines()
    assert lines == [
        "Row 0: no (no 100 %, yes 0 %)",
        "Share of no in the votes of 1 tree",
        "   0.750  base value",
        "  -0.150  age = 3",
        "  +0.400  as each tree votes for one class",
        "   1.000  total",
        "Votes of 1 tree: no 1",
    ]


def test_text_for_another_class():
    tree = small("split_interval", "age", [[3, 2], [3, 0]], high=5.0)
    why = explained([tree], one_row(age=3))
    assert "+0.150  age = 3" in why.to_text("yes")
    with pytest.raises(ValueError, match=r"one of the classes, 'no', 'yes'\. Got 'maybe'"):
        why.to_text("maybe")
    with pytest.raises(ValueError, match=r"at least 0\. Got -1 instead"):
        why.to_text(max_columns=-1)


def test_text_is_short_whatever_the_number_of_columns_and_classes():
    n = 200
    schema = Schema(tuple(Column(f"a column of name {i}", "numeric") for i in range(n)))
    classes = [f"class {k}" for k in range(n)]
    trees = []
    for i in range(n):
        counts = np.ones((3, n))
        counts[1, 0] += i
        counts[2, i] += 5
        builder = TreeBuilder(schema, classes, counts[0])
        builder.split_interval(0, schema.names[i], counts[1:], high=0.5)
        trees.append(builder.build())
    why = explained(trees, Table(schema, tuple(np.zeros((n, 1)))))
    lines = str(why).splitlines()
    assert len(lines) == 14
    assert max(map(len, lines)) < 250
    assert "191 others" in str(why)  # the first column changes nothing
    sizes = [abs(float(line.split()[0])) for line in lines[3:11]]
    assert sizes == sorted(sizes, reverse=True)
    assert why.to_text(max_columns=0).count("\n") == 5


def test_small_numbers_keep_their_digits():
    assert contribution_table(0.0012, ["x = 1"], [-0.00034], None, (0.00086, "total"), 8) == [
        "   0.00120  base value",
        "  -0.00034  x = 1",
        "   0.00086  total",
    ]
    zeros = contribution_table(0.0, ["x = 1"], [0.0], None, (0.0, "total"), 8)
    assert zeros == ["  0.000  base value", "  0.000  total"]


@given(seeds)
def test_plain_facts_survive_json(seed):
    trees = [random_tree([seed, i], fractional=True) for i in range(2)]
    why = explained(trees, random_table(seed, 1, gaps=True), "hard")
    facts = json.loads(json.dumps(why.to_dict()))
    for k, label in enumerate(why.classes.tolist()):
        parts = [part["amounts"][label] for part in facts["contributions"]]
        total = facts["bias"][label] + sum(parts) + facts["vote_adjustment"][label]
        assert total == pytest.approx(facts["total"][label], abs=1e-12)
        assert facts["votes"][label] == why.votes[k]
