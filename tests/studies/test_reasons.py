"""Tasks behind single claims: members of ensembles, stability, cuts, times and joined columns."""

import itertools

import numpy as np
import pytest

from mixedwood import study
from mixedwood.study import TaskContext
from mixedwood.study.datasets import read_dataset
from mixedwood_studies.model_trees.methods import TunedC45Classifier
from mixedwood_studies.model_trees.tasks import bootstrap_pairs, facts
from mixedwood_studies.nominal_splits.tasks import joined_columns
from mixedwood_studies.random_ordinality.tasks import concept_rows, members
from mixedwood_studies.split_searches.tasks import cut_weights, random_tables, search_times

ROE = {"model": "RandomOrdinalityClassifier.random_tree", "n_estimators": 7}


def monks():
    return read_dataset("monks", {"load": "monks-1", "nominal": True})


def test_concepts_are_rules_of_the_rows():
    rules = {"a1 = a2": lambda a, b: a == b, "a1 = 0 or a2 = 0": lambda a, b: not a * b}
    for concept, rule in rules.items():
        table, y = concept_rows(concept)
        assert table.n_rows == 432
        pairs = zip(table["a1"].tolist(), table["a2"].tolist(), strict=True)
        assert y.tolist() == [int(rule(a, b)) for a, b in pairs]
    with pytest.raises(study.StudyError, match="concept must be one of"):
        concept_rows("a1 > a2")


def test_members_differ_by_the_pairs_that_differ():
    point = {"concept": "a1 = a2", "repetition": 1, "method": "m"}
    found = members(TaskContext(point, {}, ROE))
    assert {len(values) for values in found.values()} == {2}
    # Pairs of trees, by hand.
    table, y = concept_rows("a1 = a2")
    model = TaskContext(point, {}, ROE).model(3).fit(table, y)
    codes = np.array([tree.predict(table) for tree in model.trees_])
    slow = np.mean([np.mean(a != b) for a, b in itertools.combinations(codes, 2)])
    seen = model.diversity(table, y)
    assert seen.disagreement == pytest.approx(slow)
    assert seen.member_error == pytest.approx(np.mean(codes != y))


def test_facts_are_those_of_the_table():
    found = facts(TaskContext({"dataset": "monks"}, {}, {}, monks()))
    assert found == {"rows": 432, "nominal": 6, "numeric": 0, "majority error": 50}


def test_trees_of_two_samples_are_compared_on_the_other_rows():
    point = {"dataset": "monks", "repetition": 0}
    found = bootstrap_pairs(TaskContext(point, {}, {"model": "C45TreeClassifier"}, monks()))
    assert 0 < found["disagreement"] < 1
    # Without splits, two trees differ by their class or not at all.
    stump = {"model": "TreeClassifier", "max_depth": 0}
    constant = bootstrap_pairs(TaskContext(point, {}, stump, monks()))
    assert constant["disagreement"] in (0, 1)
    assert constant["leaves"] == 0


def test_tuned_c45_takes_what_is_best_on_inner_folds():
    problem = monks()
    rows = np.random.default_rng(0).permutation(432)[:200]
    X, y = problem.take(rows)
    model = TunedC45Classifier(random_state=3).fit(X, y)
    assert model.confidence_ in (0.05, 0.1, 0.25, 0.5)
    assert model.min_samples_leaf_ in (2, 5, 10, 20)
    assert np.mean(model.predict(X) == y) > 0.7
    noise = np.random.default_rng(1).integers(0, 2, 200)
    assert TunedC45Classifier().fit(X, noise).confidence_ == 0.05  # pruned as hard as can be


def test_cuts_are_scored_by_their_weight():
    point = {"size": "n=6,k=3", "criterion": "squared_gini", "part": 0}
    found = cut_weights(TaskContext(point, {"tables": 5}))
    assert found["GL"] >= found["GW"] - 1e-12 > 0  # of six values local search misses nothing
    assert found["GL seconds"] > 0
    assert found["GW seconds"] > 0


def test_times_are_left_out_where_a_search_has_too_many_classes():
    searches = {"Twoing": {"partitioner": "hypercube_cover", "up_to_classes": 3}}
    searches["PC"] = {"partitioner": "principal"}
    given = {"tables": 2, "searches": searches}
    assert set(search_times(TaskContext({"size": "n=5,k=3"}, given))) == {"Twoing", "PC"}
    assert set(search_times(TaskContext({"size": "n=5,k=4"}, given))) == {"PC"}


def test_a_random_partition_is_random():
    searches = {"Random": {"partitioner": "random"}, "Exact": {"partitioner": "exact"}}
    given = {"tables": 50, "searches": searches, "pairs": [["Exact", "Random"]]}
    found = random_tables(TaskContext({"size": "n=6,k=3", "impurity": "gini"}, given))
    assert found["Exact"] < found["Random"] < found["no split"]
    assert found["Exact < Random"] > 80
    assert found["Random < Exact"] == 0


def test_joined_columns_are_found_by_name(tmp_path):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 300))
    lines = ["a,b,both,kind"]
    kinds = ("even", "odd")
    lines += [f"u{x},v{y},w{x}{y},{kinds[(x + y) % 2]}" for x, y in zip(a, b, strict=True)]
    (tmp_path / "j.csv").write_text("\n".join(lines) + "\n", "utf-8")
    problem = read_dataset("j", {"file": str(tmp_path / "j.csv"), "target": "kind"})
    method = {"model": "mixedwood_studies.nominal_splits.methods:nominal_splits"}
    point = {"dataset": "j", "repetition": 0}
    given = {"joined": {"j": ["both"]}, "seeds": "nominal_splits", "max_depth": 4}
    found = joined_columns(TaskContext(point, given, method, problem))
    assert found == {"used": 1.0, "at_root": 1.0, "first": 0.0}
    given["joined"] = {"j": ["none"]}
    assert joined_columns(TaskContext(point, given, method, problem)) == {"used": 0, "at_root": 0}
