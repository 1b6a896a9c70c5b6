"""Searches on random tables."""

import itertools

import numpy as np
import pytest

from mixedwood import study
from mixedwood.study import TaskContext
from mixedwood_studies.split_searches.tasks import draw_table, random_tables

SEARCHES = {
    "Exact": {"partitioner": "exact", "up_to_values": 5},
    "PC": {"partitioner": "principal"},
    "GLchi2": {"partitioner": "max_cut", "criterion": "chi2"},
}


def settings(**others):
    pairs = [["Exact", "PC"], ["PC", "GLchi2"]]
    return {"seed": 4, "tables": 30, "searches": SEARCHES, "pairs": pairs, **others}


def impurity(counts, kind):
    share = counts / counts.sum()
    share = share[share > 0]
    return 1 - (share**2).sum() if kind == "gini" else -(share * np.log2(share)).sum()


def best_of_all(table, kind):
    """Every way to part the values in two, by the definition."""
    rows = range(len(table))
    found = []
    for size in range(1, len(table)):
        for left in itertools.combinations(rows, size):
            sides = [table[list(left)], table[[r for r in rows if r not in left]]]
            weights = [side.sum() / table.sum() for side in sides]
            parts = [impurity(side.sum(axis=0), kind) for side in sides]
            found.append(float(np.dot(weights, parts)))
    return min(found)


@pytest.mark.parametrize("kind", ["gini", "entropy"])
def test_the_figures_are_those_of_the_tables(kind):
    found = random_tables(TaskContext({"size": "n=5,k=3", "impurity": kind, "part": 2}, settings()))
    rng = np.random.default_rng([4, 5, 3, 2])
    tables = [draw_table(rng, 5, 3) for _ in range(30)]
    assert found["Exact"] == pytest.approx(np.mean([best_of_all(t, kind) for t in tables]))
    whole = np.mean([impurity(t.sum(axis=0), kind) for t in tables])
    assert found["no split"] == pytest.approx(whole)
    assert found["Exact"] <= found["PC"] <= found["no split"]
    assert found["PC < Exact"] == 0
    assert found["Exact over PC"] == pytest.approx(0)
    assert 0 <= found["Exact < PC"] <= 100
    assert 100 * (found["PC"] / found["Exact"] - 1) <= found["PC over Exact"]


def test_parts_are_other_tables_and_impurities_share_them():
    at = {"size": "n=5,k=3", "impurity": "gini", "part": 0}
    one = random_tables(TaskContext(at, settings()))
    assert random_tables(TaskContext(at, settings())) == one
    assert random_tables(TaskContext({**at, "part": 1}, settings()))["PC"] != one["PC"]


def test_searches_are_left_out_where_tables_are_too_large():
    found = random_tables(TaskContext({"size": "n=6,k=3", "impurity": "gini"}, settings(tables=3)))
    assert not any("Exact" in name for name in found)
    assert "PC < GLchi2" in found


def test_some_sizes_have_fewer_tables():
    at = {"size": "n=5,k=3", "impurity": "gini"}
    few = settings(fewer={"n=5,k=3": 2})
    assert random_tables(TaskContext(at, few)) == random_tables(TaskContext(at, settings(tables=2)))


def test_drawn_tables_have_no_empty_row_or_column():
    rng = np.random.default_rng(1)
    for _ in range(200):
        table = draw_table(rng, 3, 2)
        assert table.any(axis=0).all()
        assert table.any(axis=1).all()
        assert table.min() >= 0
        assert table.max() <= 7


def test_a_size_that_is_none_is_an_error():
    with pytest.raises(study.StudyError, match="A size is written as"):
        random_tables(TaskContext({"size": "6x3", "impurity": "gini"}, settings()))
