"""Data sets, methods and tasks from what a file says."""

import math

import numpy as np
import pytest

from mixedwood import TreeClassifier, datasets, study
from mixedwood.data import Table, read_table
from mixedwood.study import TaskContext
from mixedwood.study.datasets import fingerprint, read_dataset
from mixedwood.study.tasks import cross_validation, in_bins, make, tree_sizes, without_unused_values


def test_methods_are_made_of_plain_words():
    tree = make({"title": "T", "model": "TreeClassifier", "max_depth": 3})
    assert isinstance(tree, TreeClassifier)
    assert tree.max_depth == 3
    assert make({"model": "TreeClassifier.cart", "cv": 3}, random_state=5).random_state == 5
    forest = make(
        {"model": "ForestClassifier", "estimator": {"model": "TreeClassifier", "max_depth": 2}}
    )
    assert forest.estimator.max_depth == 2
    foreign = make({"model": "sklearn.naive_bayes.GaussianNB"}, random_state=3)
    assert type(foreign).__name__ == "GaussianNB"
    search = make({"model": "splits.Partitioner", "name": "max_cut_sdp", "roundings": 1})
    assert search.name == "max_cut_sdp"


@pytest.mark.parametrize(
    ("definition", "words"),
    [
        ({}, "needs a model"),
        ({"model": "NoSuchTree"}, "no 'NoSuchTree'"),
        ({"model": "nowhere:Thing"}, "no 'nowhere:Thing'"),
        ({"model": "TreeClassifier", "depth": 3}, "cannot be made"),
    ],
)
def test_methods_that_are_not_there(definition, words):
    with pytest.raises(study.StudyError, match=words):
        make(definition)


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "d.csv"
    lines = ["size,color,price,kind"]
    lines += ["S,red,1,a", "M,,2,b", "L,blue,,a", "S,red,4,c", "M,blue,4,a", "S,blue,9,b"]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return {"file": str(path), "target": "kind"}


def columns(problem):
    return {name: problem.X.labels(name).tolist() for name in problem.X.schema.names}


def test_sets_are_prepared_in_steps(csv):
    whole = read_dataset("d", csv)
    assert isinstance(whole.X, Table)
    assert whole.labels.tolist() == ["a", "b", "a", "c", "a", "b"]
    assert columns(read_dataset("d", {**csv, "columns": "nominal"})).keys() == {"size", "color"}
    assert columns(read_dataset("d", {**csv, "drop": ["size", "color"]})).keys() == {"price"}
    assert len(read_dataset("d", {**csv, "missing": "drop_rows"}).codes) == 4
    kept = read_dataset("d", {**csv, "drop": ["price", "color"], "missing": "drop_rows"})
    assert len(kept.codes) == 6  # only the columns that are left count
    filled = columns(read_dataset("d", {**csv, "missing": "most_common"}))
    assert filled["color"] == ["red", "blue", "blue", "red", "blue", "blue"]
    assert filled["price"] == [1, 2, 4, 4, 4, 9]
    valued = columns(read_dataset("d", {**csv, "missing": "value"}))
    assert valued["color"] == ["red", "(missing)", "blue", "red", "blue", "blue"]
    assert math.isnan(valued["price"][2])
    assert read_dataset("d", {**csv, "most_classes": 2}).labels.tolist() == [
        "a", "others", "a", "others", "a", "others",
    ]  # fmt: skip
    assert read_dataset("d", {**csv, "one_against_all": "b"}).labels.tolist().count("others") == 4
    assert columns(read_dataset("d", {**csv, "first_rows": 2}))["size"] == ["S", "M"]
    numbers = read_dataset("d", {**csv, "nominal": True, "numbers": ["price"]})
    assert [column.is_numeric for column in numbers.X.schema] == [False, False, True]
    assert np.array_equal(columns(numbers)["price"], [1, 2, np.nan, 4, 4, 9], equal_nan=True)
    order = ["9", "4", "2", "1"]
    places = read_dataset("d", {**csv, "nominal": True, "numbers": {"price": order}})
    assert np.array_equal(columns(places)["price"], [4, 3, np.nan, 2, 2, 1], equal_nan=True)
    with pytest.raises(study.StudyError, match="'price' are not numbers"):
        read_dataset("d", {**csv, "nominal": True, "numbers": {"price": order[1:]}})
    nominal = read_dataset("d", {**csv, "nominal": True})
    assert not any(column.is_numeric for column in nominal.X.schema)
    ordered = read_dataset("d", {**csv, "drop": ["color"], "sort_descending": ["price"]})
    prices = columns(ordered)["price"]
    assert prices[:5] == [9, 4, 4, 2, 1]
    assert columns(ordered)["size"][1:3] == ["S", "M"]  # equal ones stay in order


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"colums": "nominal"}, "'colums', which is not known"),
        ({"columns": "odd"}, "columns must be"),
        ({"missing": "odd"}, "missing must be"),
        ({"drop": ["odd"]}, "no column 'odd'"),
        ({"numbers": ["odd"]}, "no column 'odd'"),
        ({"numbers": ["size"]}, "'size' are not numbers"),
        ({"one_against_all": "odd"}, "no class 'odd'"),
    ],
)
def test_mistakes_in_sets_are_named(csv, change, words):
    with pytest.raises(study.StudyError, match=words):
        read_dataset("d", {**csv, **change})


def test_a_set_needs_a_source():
    with pytest.raises(study.StudyError, match="needs load"):
        read_dataset("d", {"title": "D"})
    with pytest.raises(study.StudyError, match="no target"):
        read_dataset("d", {"file": "x.csv"})


def test_sets_of_the_library_keep_the_kinds_of_their_columns():
    problem = read_dataset("b", {"load": "balance-scale"})
    assert {column.kind.value for column in problem.X.schema} == {"ordinal"}
    nominal = read_dataset("b", {"load": "balance-scale", "nominal": True})
    assert {column.kind.value for column in nominal.X.schema} == {"nominal"}


def test_a_fingerprint_is_that_of_the_contents(csv):
    first = fingerprint(read_dataset("d", csv))
    assert fingerprint(read_dataset("another name", {**csv, "title": "T"})) == first
    others = [{"first_rows": 5}, {"drop": ["size"]}, {"one_against_all": "b"}]
    assert len({first, *(fingerprint(read_dataset("d", {**csv, **o})) for o in others)}) == 4


def test_cross_validation_is_that_of_compare():
    """The same folds, fit by hand."""
    from mixedwood.comparison import check_cv

    data = datasets.load("monks-1", frame="dict")
    problem = read_dataset("m", {"load": "monks-1"})
    method = {"model": "TreeClassifier", "max_depth": 2}
    for repetition in (0, 2):
        found = cross_validation(
            TaskContext({"repetition": repetition}, {"folds": 3}, method, problem)
        )
        folds = check_cv("3x3cv").split(data.y, 0)[3 * repetition : 3 * repetition + 3]
        for number, fold in enumerate(folds):
            X = [{name: cells[rows] for name, cells in data.X.items()} for rows in
                 (fold.train, fold.test)]  # fmt: skip
            tree = TreeClassifier(max_depth=2).fit(X[0], data.y[fold.train])
            assert found["error"][number] == np.mean(tree.predict(X[1]) != data.y[fold.test])
            assert found["leaves"][number] == tree.get_n_leaves()
            assert found["nodes"][number] == tree.tree_.n_nodes
    assert len(found["fit_seconds"]) == 3


def test_seeds_differ_by_repetition_and_number_and_not_by_method():
    one = TaskContext({"repetition": 1, "method": "a"}, {})
    two = TaskContext({"repetition": 1, "method": "b"}, {})
    assert one.seed(3) == two.seed(3)
    assert len({one.seed(3), one.seed(4), TaskContext({"repetition": 2}, {}).seed(3)}) == 3
    assert TaskContext({}, {"seed": 1}).seed() != TaskContext({}, {"seed": 2}).seed()
    assert two.value("repetition") == 1
    assert TaskContext({}, {"folds": 3}).value("folds") == 3
    model = TaskContext({}, {}, {"model": "TreeClassifier"}).model(9)
    assert model.random_state == 9


def test_values_that_no_row_has_are_forgotten():
    table = read_table({"c": ["x", "y", None, "z"], "n": [1.0, 2.0, 3.0, 4.0]}).take([1, 2])
    assert table.schema["c"].categories == ("x", "y", "z")
    less = without_unused_values(table)
    assert less.schema["c"].categories == ("y",)
    assert less.labels("c").tolist() == ["y", None]
    assert less["n"].tolist() == [2.0, 3.0]


def test_bins_have_equal_width():
    table = in_bins(
        read_table({"n": [0.0, 2.5, 2.6, 5.0, 7.5, 9.9, 10.0, np.nan], "m": [1.0] * 8}), 4
    )
    assert table["n"].tolist() == [0, 0, 1, 1, 2, 3, 3, -1]
    assert table["m"].tolist() == [0] * 8


def test_sizes_are_means_over_trees():
    import mixedwood as mw

    data = datasets.load("monks-1", frame="dict")
    forest = mw.ForestClassifier(n_estimators=3, random_state=0).fit(data.X, data.y)
    assert tree_sizes(forest)["leaves"] == np.mean([tree.n_leaves for tree in forest.trees_])
    assert tree_sizes(object()) == {}
