"""The study of model trees for tables of categories and numbers."""

import json

import pytest

from mixedwood import datasets, study

PUBLISHED = json.loads(
    study.studies()["model_trees"].with_name("published.json").read_text("utf-8")
)
THERE = set(datasets.names(available_only=True))


@pytest.fixture(scope="module", params=[False, True], ids=["full", "quick"])
def chosen(request):
    return study.read_study("model_trees", quick=request.param)


def test_all_42_published_cells_are_there(chosen):
    counts = {t.name: sum(len(row) for row in t.published.values()) for t in chosen.tables}
    expected = {"table 1": 12, "table 2, nominal": 9, "table 2, numeric": 15, "table 3": 18}
    assert {name: count for name, count in counts.items() if count} == expected
    found = study.Results(chosen, {}, dict.fromkeys(chosen.experiments, ()))
    for filled in found.tables:
        for row, entry in filled.spec.published.items():
            assert row in filled.rows
            assert set(entry) <= set(filled.columns)


def test_every_published_figure_is_used(chosen):
    used = [table.published for table in chosen.tables]
    assert all(part in used for name, part in PUBLISHED.items() if name != "paper")


def test_every_column_that_a_claim_names_is_there(chosen):
    found = study.Results(chosen, {}, dict.fromkeys(chosen.experiments, ()))
    for verdict in found.verdicts:
        claimed = verdict.claim.source != "proposal"
        assert verdict.verdict == ("not decided" if claimed else "nothing claimed")


@pytest.mark.skipif("heart-statlog" not in THERE, reason="the table is not on this machine")
def test_a_small_part_runs_from_end_to_end():
    chosen = study.read_study("model_trees", quick=True)
    methods = ["naive_bayes", "unscaled_neighbors", "linear"]
    experiments = ["all", "nominal", "numeric"]
    only = {
        "dataset": ["heart", "heart_nominal", "heart_numeric"],
        "method": methods,
        "experiment": experiments,
    }
    with study.Store(":memory:") as store:
        report = study.run(chosen, store, only=only)
        found = study.results(chosen, store)
    assert (report.done, report.failed) == (7, 0)  # unscaled only with all columns
    table = found.table("table 3")
    assert table.cells["Heart", "naive Bayes"].near
    assert table.cells["Heart", "linear SSVM"].near
    # As it came, cholesterol decides who is near.
    assert table.cells["Heart", "k-NN, unscaled"].ours > 25
    seen = {v.verdict for v in found.verdicts if v.claim.source != "proposal"}
    assert seen == {"not decided"}  # one repetition
