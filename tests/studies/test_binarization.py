"""The binarization study: its file, its figures, its tasks."""

import json
import os

import numpy as np
import pytest

from mixedwood import InfeasibleError, OptimalTreeClassifier, datasets, study
from mixedwood.comparison.run import Problem
from mixedwood.data import read_table, read_target
from mixedwood.preprocessing import EqualWidthDiscretizer, FeatureBinarizer, MDLPDiscretizer
from mixedwood.study import TaskContext
from mixedwood.study.datasets import read_dataset
from mixedwood_studies.binarization.methods import EncodedAtEverySplit
from mixedwood_studies.binarization.tasks import (
    best_tree,
    cut_points,
    divide_in_seven,
    in_ranges,
    seven_sets,
)

REFERENCE = json.loads(
    study.studies()["binarization"].with_name("published.json").read_text("utf-8")
)


def method(discretizer, encoding):
    parts = {"discretizer": discretizer, "encoding": encoding}
    binarizer = {"model": "mixedwood.preprocessing.FeatureBinarizer", **parts}
    return {"model": "OptimalTreeClassifier", "binarizer": binarizer}


def problem(X, y):
    target = read_target(y)
    table = read_table(X)
    return Problem("made", table, target.classes, target.codes, table.n_columns)


@pytest.fixture(scope="module")
def versicolor():
    return read_dataset("iris", {"load": "iris", "one_against_all": "versicolor"})


@pytest.fixture(scope="module")
def banknote():
    if not os.environ.get("MIXEDWOOD_DATA") or datasets.names().get("banknote") is None:
        pytest.skip("no folder of data sets, or none with banknote")
    return read_dataset("banknote", {"load": "banknote"})


def count(entry):
    return sum(map(count, entry.values())) if isinstance(entry, dict) else 1


@pytest.mark.parametrize("quick", [True, False])
def test_the_study_loads(quick):
    loaded = study.read_study("binarization", quick=quick)
    assert len(loaded.experiments) == 6
    assert len(loaded.figures) >= 11  # the paper has eleven
    ids = {claim.id for claim in loaded.claims}
    assert {f"B{number}" for number in range(1, 13)} <= ids
    with study.Store(":memory:") as store:
        found = study.results(loaded, store)
    seen = {v.verdict for v in found.verdicts if v.claim.source != "proposal"}
    assert seen == {"not decided"}


def test_every_reference_figure_is_in_a_table():
    loaded = study.read_study("binarization")
    assert {name: count(part) for name, part in REFERENCE.items()} == {
        "cuts": 104,
        "banknote": 128,
        "seven_sets": 56,
        "files": 56,
        "files_columns": 12,
    }
    assert sum(count(table.check) for table in loaded.tables) == count(REFERENCE)
    title = loaded.title_of
    for table in loaded.tables:
        axes = loaded.experiments[table.experiment].axes
        for kind, of_row in (("rows", table.check), ("columns", None)):
            axis = getattr(table, kind)
            known = table.metrics if axis == "metric" else axes[axis]
            titles = {title(axis, value) for value in known}
            named = set(of_row) if of_row is not None else set().union(*table.check.values())
            assert named <= titles, table.name


def test_names_in_claims_are_names_of_tables():
    loaded = study.read_study("binarization")
    tables = {table.name: table for table in loaded.tables}
    for claim in loaded.claims:
        for check in claim.checks:
            table = tables[check["table"]]
            values = loaded.experiments[table.experiment].axes[table.columns]
            titles = {loaded.title_of(table.columns, value) for value in values}
            assert {check[key] for key in ("a", "b") if key in check} <= titles


def test_seven_sets_are_filled_in_file_order():
    divisions = divide_in_seven(np.array([0, 1] * 10))
    assert len(divisions) == 6
    for number, (train, validation, test) in enumerate(divisions):
        assert test.tolist() == [6, 13]
        assert validation.tolist() == list(range(number, 20, 7))
        assert sorted([*train, *validation, *test]) == list(range(20))


@pytest.mark.parametrize(
    ("codes", "words"),
    [([0, 1] * 3, "at least 7 rows; there are 6"), ([0] * 6 + [1], "has no training row")],
)
def test_rows_that_cannot_be_divided_in_seven(codes, words):
    with pytest.raises(study.StudyError, match=words):
        divide_in_seven(np.array(codes))


@pytest.mark.parametrize("mode", ["offline", "online", "combined"])
@pytest.mark.parametrize("ranges", [2, 4])
def test_seven_sets_by_hand(versicolor, mode, ranges):
    how = {"offline": "root", "online": "node", "combined": "node_encoding"}[mode]
    context = TaskContext(
        {"depth": 2, "ranges": ranges, "mode": mode},
        {},
        method("equal_width", "multi_hot"),
        versicolor,
    )
    found = seven_sets(context)
    number = np.arange(150) % 7
    y, trees, errors = versicolor.labels, [], []
    for left_out in range(6):
        train = np.flatnonzero((number != left_out) & (number != 6))
        leaf = min(np.sum(y[train] == label) for label in ("versicolor", "others"))
        model = OptimalTreeClassifier(
            max_depth=2,
            ccp_alpha=0,
            binarizer=FeatureBinarizer(
                discretizer="equal_width", n_bins=ranges, encoding="multi_hot"
            ),
            binarize_at=how,
            upper_bound=leaf - 1,
        )
        try:
            model.fit(versicolor.X.take(train), y[train])
        except InfeasibleError:
            errors.append(leaf)
            continue
        errors.append(model.objective_value_)
        right = model.predict(versicolor.X) == y
        below = [n for n in range(model.tree_.n_nodes) if model.tree_.parent[n] == 0]
        sizes = model.tree_.weighted_n_node_samples[below]
        accuracies = right[number == left_out].mean(), right[number == 6].mean()
        trees.append((*accuracies, min(sizes) / len(train)))
    assert found["errors"] == errors
    assert [found[f"set {i}"] for i in range(1, 7)] == errors
    assert found["trees"] == len(trees)
    of_class = number[y == "versicolor"]
    assert found["leaf"] == [np.sum((of_class != i) & (of_class != 6)) for i in range(6)]
    assert found["proven"] == [1.0] * 6
    assert found["imbalance"] == pytest.approx(1 / 6)
    if mode != "combined":  # of equally good trees it may find another
        best = max(pair[0] for pair in trees)
        first = next(pair for pair in trees if pair[0] == best)
        assert (found["choice_accuracy"], found["accuracy"], found["root"]) == first


def test_a_tree_no_better_than_a_leaf_is_not_counted():
    rng = np.random.default_rng(0)
    noise = problem({"x": rng.choice(["a", "b"], 70)}, np.array([0, 0, 0, 0, 1] * 14))
    found = seven_sets(TaskContext({"depth": 1}, {}, method("mdlp", "one_hot"), noise))
    assert found["trees"] == 0
    assert not {"accuracy", "choice_accuracy"} & set(found)
    assert found["errors"] == found["leaf"]


def test_leaves_without_a_cut_are_counted_by_hand(versicolor):
    """MDLP: trees of one split, their impure leaves discretized once more."""
    context = TaskContext({"depth": 1, "mode": "online"}, {}, method("mdlp", "one_hot"), versicolor)
    found, number, seen = seven_sets(context), np.arange(150) % 7, []
    for left_out in range(6):
        train = np.flatnonzero((number != left_out) & (number != 6))
        X, y = versicolor.take(train)
        model = context.model(0).set_params(max_depth=1, ccp_alpha=0, binarize_at="node").fit(X, y)
        reached = model.apply(X)
        for leaf in np.unique(reached[reached > 0]):
            rows = np.flatnonzero(reached == leaf)
            if len(set(y[rows])) > 1:
                cuts = MDLPDiscretizer().fit(X.take(rows), y[rows]).bin_thresholds_
                seen.append(all(len(of_column) == 0 for of_column in cuts.values()))
    assert found["no cut"] == np.mean(seen)
    assert "no cut" not in seven_sets(TaskContext({"depth": 1}, {}, context.method, versicolor))


def test_cuts_from_all_rows_know_the_rows_to_be_tested():
    """The largest number is in set 7: only with all rows does it move cuts of equal width."""
    x = np.arange(70.0)
    x[69] = 1000.0
    table = problem({"x": x}, np.where(x < 30, "low", "high"))
    how = method("equal_width", "one_hot")
    fair, leaking = (
        seven_sets(TaskContext({"depth": 1, "ranges": 2, "cut_from": source}, {}, how, table))
        for source in ("training rows", "all rows")
    )
    assert max(fair["errors"]) < 10  # cut in the middle of 0 to 68
    assert leaking["trees"] == 0  # all training rows are below the cut


def test_ranges_are_those_of_the_discretizer(versicolor):
    context = TaskContext({"ranges": 4}, {}, method("equal_width", "one_hot"), versicolor)
    table = in_ranges(versicolor, context)
    numbers = EqualWidthDiscretizer(n_bins=4, encode="ordinal").fit_transform(versicolor.X)
    assert np.array_equal(np.column_stack(table.arrays) + 1, numbers)
    assert {column.kind.value for column in table.schema} == {"ordinal"}


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"mode": "later"}, "mode must be"),
        ({"cut_from": "some rows"}, "cut_from must be"),
        ({"cut_from": "all rows", "mode": "online"}, "cannot come from all rows"),
    ],
)
def test_mistakes_in_settings_are_named(versicolor, at, words):
    with pytest.raises(study.StudyError, match=words):
        seven_sets(TaskContext(at, {}, method("mdlp", "one_hot"), versicolor))


def test_seven_sets_are_for_two_classes():
    with pytest.raises(study.StudyError, match="3 classes; seven sets are for two"):
        seven_sets(
            TaskContext({}, {}, method("mdlp", "one_hot"), read_dataset("iris", {"load": "iris"}))
        )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("encoding", ["one_hot", "multi_hot", "thresholds"])
def test_encoding_at_every_split_costs_the_same(seed, encoding):
    rng = np.random.default_rng(seed)
    X = {"a": rng.normal(size=60), "b": rng.integers(0, 6, 60), "c": rng.choice(list("xyz"), 60)}
    y = rng.integers(0, 2, 60)
    binarizer = FeatureBinarizer(n_bins=5, encoding=encoding)
    asked = {"max_depth": 3, "ccp_alpha": 0, "binarizer": binarizer}
    ours, literal = OptimalTreeClassifier(**asked).fit(X, y), EncodedAtEverySplit(**asked).fit(X, y)
    assert literal.objective_value_ == ours.objective_value_ == np.sum(literal.predict(X) != y)
    assert literal.optimal_


@pytest.mark.parametrize(("name", "rule"), [("Iris", "mdlp"), ("Iris: versicolor", "caim")])
def test_cuts_are_those_of_the_reference(name, rule):
    words = {"one_against_all": "versicolor"} if ":" in name else {}
    found = cut_points(
        TaskContext(
            {}, {}, method(rule, "one_hot"), read_dataset("iris", {"load": "iris", **words})
        )
    )
    wanted = {row: cells.get(name) for row, cells in REFERENCE["cuts"][rule.upper()].items()}
    assert found == pytest.approx({row: cut for row, cut in wanted.items() if cut is not None})


def test_banknote_is_that_of_the_reference(banknote):
    for depth in (1, 2):
        context = TaskContext(
            {"depth": depth, "ranges": 5}, {}, method("equal_width", "multi_hot"), banknote
        )
        found = best_tree(context)
        wanted = REFERENCE["banknote"]
        assert found["errors"] == wanted[f"depth {depth}"]["5"]["Equal width, multi-hot"]
        assert found["columns"] == wanted["columns"]["5"]["Equal width, multi-hot"]
    context = TaskContext(
        {"depth": 3, "cut_from": "all rows"}, {}, method("mdlp", "multi_hot"), banknote
    )
    found = seven_sets(context)
    wanted = REFERENCE["seven_sets"]["depth 3"]["MDLP, multi-hot"]
    assert {name: np.mean(found[name]) for name in wanted} == wanted


def test_a_little_of_it_gives_tables_and_verdicts(tmp_path):
    loaded = study.read_study("binarization", quick=True)
    only = {"experiment": ["cuts", "benchmark"], "dataset": ["iris", "iris_setosa"], "depth": [2]}
    only |= {"mode": ["offline", "online"], "cut_from": ["training rows"]}
    with study.Store(":memory:") as store:
        report = study.run(loaded, store, only=only)
        found = study.results(loaded, store)
    assert report.failed == 0
    cuts = found.table("cuts, MDLP")
    assert cuts.n_near == cuts.n_judged == 12 + 9
    row = found.table("smaller sets").cells["Iris: setosa", "MDLP, one-hot"]
    assert row.ours == 100.0
    # One set says nothing about sets.
    seen = {v.verdict for v in found.verdicts if v.claim.source != "proposal"}
    assert seen == {"not decided"}
    page = study.to_markdown(found)
    assert "41 of 41 within two standard errors" in page
    assert study.draw_figures(found, tmp_path)
