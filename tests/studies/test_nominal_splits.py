"""The two studies of the dissertation on nominal splits: their files, and a small run of each."""

import json

import pytest

from mixedwood import study
from support.real_data import needs

NAMES = ("nominal_splits", "split_searches")


def leaves(content, path=()):
    """Every published figure, by its address."""
    if isinstance(content, dict):
        return {k: v for name, c in content.items() for k, v in leaves(c, (*path, name)).items()}
    return {path: content}


def published(name):
    content = json.loads(study.studies()[name].with_name("published.json").read_text("utf-8"))
    assert content.pop("source")
    return content


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [True, False])
def test_both_forms_can_be_read(name, quick):
    loaded = study.read_study(name, quick=quick)
    assert loaded.quick == quick
    tables = {table.name for table in loaded.tables}
    for claim in loaded.claims:
        assert {check["table"] for check in claim.checks} <= tables
    for remark in loaded.remarks:
        assert remark.split(" / ")[0] in tables


@pytest.mark.parametrize("name", NAMES)
def test_every_published_figure_stands_in_a_cell(name):
    loaded = study.read_study(name)
    with study.Store(":memory:") as store:
        found = study.results(loaded, store)
    for filled in found.tables:
        rows, columns = set(filled.rows), set(filled.columns) | {filled.spec.relative_to}
        for row, figures in filled.spec.published.items():
            assert row in rows, (filled.spec.name, row)
            assert set(figures) <= columns, (filled.spec.name, row)
        # What is published of a table is one block of the file.
        ours = {"A and B", "F and G", "joined", "random", "random, purer", "cuts", "growth"}
        assert filled.spec.published or filled.spec.name in ours
    blocks = [t.published for t in loaded.tables if t.published]
    there = leaves(published(name))
    assert sum(len(leaves(block)) for block in {id(b): b for b in blocks}.values()) == len(there)


def test_as_many_cells_are_published_as_the_reference_has_for_these_sets():
    content = published("nominal_splits")
    counts = {letter: len(leaves(content[letter]["accuracy"])) for letter in "ABCFGH"}
    assert counts == {"A": 44, "B": 37, "C": 23, "F": 55, "G": 33, "H": 27}
    assert len(leaves(content["D"]["seconds"])) == 39
    content = published("split_searches")
    assert {letter: len(leaves(content[letter]["accuracy"])) for letter in "IJ"} == {
        "I": 36, "J": 36,
    }  # fmt: skip
    for impurity in ("gini", "entropy"):
        assert len(content[impurity]["mean"]) == 26
        assert len(leaves(content[impurity]["mean"])) == 301


@needs("car")
def test_a_few_repetitions_of_a_set_fill_their_rows():
    loaded = study.read_study("nominal_splits", quick=True)
    with study.Store(":memory:") as store:
        only = {"dataset": ["cars"], "repetition": [0, 1], "experiment": ["depth_16", "rounded_16"]}
        report = study.run(loaded, store, only=only)
        found = study.results(loaded, store)
    assert (report.done, report.failed) == (12, 0)
    cell = found.table("A").cells["Cars", "GLSG"]
    assert cell.values[0] == pytest.approx(90.625)
    assert cell.near
    assert found.table("B, first").cells["Cars", "first+GLSG"].published.value == 87.1933
    ratios = found.table("D, ratios")
    assert ratios.columns == ("Twoing", "GLSG")
    assert ratios.cells["Cars", "Twoing"].near is None


def test_a_part_of_the_random_tables_fills_a_row():
    loaded = study.read_study("split_searches", quick=True)
    with study.Store(":memory:") as store:
        only = {"size": ["n=6,k=3"], "part": [0, 1], "experiment": ["single"]}
        report = study.run(loaded, store, only=only)
        found = study.results(loaded, store)
    assert (report.done, report.failed) == (4, 0)
    means = found.table("K, gini, means")
    assert means.cells["n=6,k=3", "Exact"].near
    assert means.cells["n=6,k=3", "Exact"].published.error > 0
    excess = found.table("K, gini, excess over the best").cells[
        "n=6,k=3", "LargestAlone over Exact"
    ]
    assert len(excess.values) == 1
    assert excess.near is None
