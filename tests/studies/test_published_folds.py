"""Folds from published seeds, data sets as a published program reads them, and its trees."""

import random

import numpy as np
import pytest

from mixedwood import study
from mixedwood.study import TaskContext
from mixedwood.study.datasets import read_dataset
from mixedwood_studies.nominal_splits.methods import nominal_splits
from mixedwood_studies.nominal_splits.tasks import SEEDS, assign_folds, published_folds
from support.real_data import needs


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return {"file": str(path), "target": "kind"}


@pytest.fixture
def gaps(tmp_path):
    """A file with missing cells in two rows."""
    return write(
        tmp_path / "g.csv",
        ["a,b,n,kind", "x,p,1,late", "y,,2,early", "z,q,3,late", ",r,4,never", "y,q,5,early"],
    )


def test_values_are_numbered_as_a_reader_of_rows_meets_them(gaps):
    found = read_dataset("g", {**gaps, "number_as_met": "drop_rows"})
    # The second row is left at b, after its a was read: y has the number 1.
    assert found.X.labels("a").tolist() == [0, 2, 1]
    # The fourth is left at a: its r never gets a number.
    assert found.X.schema["b"].categories == (0, 1)
    assert found.X.labels("b").tolist() == [0, 1, 1]
    assert found.X["n"].tolist() == [1, 3, 5]
    # Classes are numbered over all rows, in their order.
    assert found.labels.tolist() == [0, 0, 1]


def test_a_missing_cell_may_be_a_value(gaps):
    found = read_dataset("g", {**gaps, "number_as_met": "value"})
    assert found.X.labels("a").tolist() == [0, 1, 2, 3, 1]
    assert found.X.labels("b").tolist() == [0, 1, 2, 3, 2]
    assert found.labels.tolist() == [0, 1, 0, 2, 1]


def test_columns_of_0_and_1_are_joined(tmp_path):
    file = write(tmp_path / "j.csv", ["u,v,w,kind", "0,0,1,a", "1,0,0,b", "0,1,0,a", "0,0,0,b"])
    joined = read_dataset("j", {**file, "nominal": True, "join": ["v", "w"]})
    assert joined.X.schema.names == ("u", "v")
    assert joined.X.labels("v").tolist() == ["1", "0", "1", "0"]


@pytest.mark.parametrize(
    ("change", "words"),
    [({"number_as_met": "odd"}, "number_as_met must be"), ({"join": ["odd"]}, "no column 'odd'")],
)
def test_mistakes_in_these_steps_are_named(gaps, change, words):
    with pytest.raises(study.StudyError, match=words):
        read_dataset("g", {**gaps, **change})


def test_each_class_is_cut_into_runs_of_the_shuffled_rows():
    codes = np.array([0, 1, 0, 0, 1, 2, 0, 1, 0, 2, 0], dtype=np.int32)
    fold = assign_folds(codes, 3, seed=65537)
    order = list(range(len(codes)))
    random.Random(65537).shuffle(order)
    for of_class, sizes in ((0, [2, 2, 2]), (1, [1, 1, 1]), (2, [1, 1, 0])):
        rows = [row for row in order if codes[row] == of_class]
        expected = [number for number, size in enumerate(sizes) for _ in range(size)]
        assert fold[rows].tolist() == expected


def test_seeds_have_twenty_repetitions():
    assert len(set(SEEDS["nominal_splits"])) == 20


def test_one_repetition_is_what_a_plain_loop_finds():
    problem = read_dataset("t", {"load": "tic-tac-toe", "number_as_met": "drop_rows"})
    method = {
        "model": "mixedwood_studies.nominal_splits.methods:nominal_splits",
        "criterion": "chi2",
    }
    settings = {"seeds": [7, 11], "folds": 3, "max_depth": 4}
    found = published_folds(TaskContext({"repetition": 1}, settings, method, problem))
    fold = assign_folds(problem.codes, 3, 11)
    right = nodes = 0
    for number in range(3):
        X, y = problem.take(np.flatnonzero(fold != number))
        model = nominal_splits("chi2", max_depth=4).fit(X, y)
        X, y = problem.take(np.flatnonzero(fold == number))
        right += int((model.predict(X) == y).sum())
        nodes += model.tree_.n_nodes
    assert found["accuracy"] == pytest.approx(100 * right / 958)
    assert found["nodes"] == pytest.approx(nodes / 3)
    assert found["accuracy_known"] == found["accuracy"]  # all values are met in every fold
    assert found["unknown"] == 0


def test_rows_with_strange_values_are_distinguished(tmp_path):
    lines = ["a,kind", *["x,1", "y,2"] * 30, "z,1"]
    problem = read_dataset("s", {**write(tmp_path / "s.csv", lines), "number_as_met": "drop_rows"})
    method = {"model": "mixedwood_studies.nominal_splits.methods:nominal_splits"}
    found = published_folds(TaskContext({"repetition": 0}, {"seeds": [3]}, method, problem))
    assert found["unknown"] == pytest.approx(100 / 61)
    assert found["accuracy_known"] == 100


@needs("car")
@pytest.mark.parametrize(
    ("method", "accuracy", "nodes"),
    [
        ({"criterion": "twoing", "partitioner": "twoing"}, 92.8241, 32.0),
        ({"criterion": "squared_gini", "partitioner": "max_cut"}, 90.5122, 34.8333),
        ({"criterion": "chi2", "partitioner": "max_cut"}, 92.8791, 33.0667),
    ],
)
def test_cars_agree_with_the_dissertation_in_every_digit(method, accuracy, nodes):
    problem = read_dataset("c", {"load": "car", "number_as_met": "drop_rows"})
    settings = {"seeds": "nominal_splits", "folds": 3, "max_depth": 16}
    definition = {"model": "mixedwood_studies.nominal_splits.methods:nominal_splits", **method}
    found = [
        published_folds(TaskContext({"repetition": r}, settings, definition, problem))
        for r in range(20)
    ]
    assert np.mean([f["accuracy"] for f in found]) == pytest.approx(accuracy, abs=5e-5)
    assert np.mean([f["nodes"] for f in found]) == pytest.approx(nodes, abs=5e-5)
