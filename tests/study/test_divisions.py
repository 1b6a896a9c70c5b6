"""Divisions of a data set: rows, errors after every number of trees, tree_sizes, and turns."""

import numpy as np
import pytest

import mixedwood as mw
from mixedwood import study
from mixedwood.study.datasets import read_dataset
from mixedwood.study.tasks import divide, divisions

WAVES = {"make": "waveform", "rows": 400, "seed": 3}
FOREST = {"model": "GrowPruneForestClassifier", "n_estimators": 5}
SIZES = {"train": {"waves": 60}, "test": 100}


def context(method, *, repetition=0, definition=WAVES, **settings):
    at = {"dataset": "waves", "repetition": repetition}
    return study.TaskContext(at, {**SIZES, **settings}, method, read_dataset("waves", definition))


def test_a_set_can_be_drawn():
    problem = read_dataset("waves", WAVES)
    drawn = mw.datasets.make_waveform(400, random_state=3, frame="dict")
    np.testing.assert_array_equal(problem.X["x1"], drawn.X["x1"])
    np.testing.assert_array_equal(problem.labels, drawn.y)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"make": "clouds", "rows": 3}, "unknown generator 'clouds'.*waveform"),
        ({"make": "waveform"}, "needs rows"),
        ({"seed": 1}, "needs load"),
    ],
)
def test_what_cannot_be_drawn_is_named(words, message):
    with pytest.raises(study.StudyError, match=message):
        read_dataset("waves", words)


def test_rows_are_shuffled_and_no_row_is_on_both_sides():
    parts = [divide(context(FOREST, repetition=i)) for i in range(2)]
    for train, test, overlap in parts:
        assert (len(train), len(test)) == (60, 100)
        assert len(np.union1d(train, test)) == 160
        assert overlap == pytest.approx(100 / 60)
    assert set(parts[0][0]) != set(parts[1][0])
    again = divide(context({"model": "TreeClassifier"}, repetition=1))
    np.testing.assert_array_equal(again[0], parts[1][0])  # the same for all methods


def test_fresh_rows_belong_to_one_division():
    parts = [divide(context(FOREST, repetition=i, fresh={"waves": 200})) for i in range(2)]
    rows = np.concatenate([part for train, test, _ in parts for part in (train, test)])
    assert len(set(rows.tolist())) == 320
    assert rows.min() == 0
    assert parts[0][2] == 0.0
    # The test rows stay what they are when fewer are learned from.
    fewer = divide(context(FOREST, fresh={"waves": 200}, train=20))
    np.testing.assert_array_equal(fewer[1], parts[0][1])
    np.testing.assert_array_equal(fewer[0], parts[0][0][:20])
    with pytest.raises(study.StudyError, match="has 400 rows, 200 of them for each division"):
        divide(context(FOREST, repetition=2, fresh={"waves": 200}))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"train": 350}, "has 400 rows, too few for 350 training rows and 100"),
        ({"train": {"other": 3}}, "needs 'train', a number of rows; got None"),
        ({"test": 0}, "needs 'test', a number of rows; got 0"),
    ],
)
def test_sizes_that_cannot_be_are_named(settings, message):
    with pytest.raises(study.StudyError, match=message):
        divide(context(FOREST, **settings))


def test_an_ensemble_is_judged_after_every_number_of_trees():
    task = context(FOREST, stages=[1, 3, 101])
    found = divisions(task)
    train, test, _ = divide(task)
    X, y = task.data.take(train)
    model = mw.GrowPruneForestClassifier(n_estimators=5, random_state=task.seed(1)).fit(X, y)
    X, y = task.data.take(test)
    for n in range(1, 6):  # the slow way: a forest of the first trees
        small = mw.GrowPruneForestClassifier(n_estimators=n, random_state=task.seed(1))
        wrong = small.fit(*task.data.take(train)).predict(X) != y
        assert found["errors"][n - 1] == pytest.approx(wrong.mean())
    assert (found["error_1"], found["error_3"]) == (found["errors"][0], found["errors"][2])
    assert found["error"] == found["errors"][4]
    assert "error_101" not in found
    assert len(found["train_errors"]) == 5
    assert np.mean(found["train_errors"]) < np.mean(found["errors"])
    turns = [len(entry) for entry in model.iterations_]
    assert found["iterations"] == pytest.approx(np.mean(turns))
    assert found["most_iterations"] == max(turns)
    assert found["leaves"] == pytest.approx(np.mean([tree.n_leaves for tree in model.trees_]))
    assert found["fit_seconds"] > 0


def test_a_single_tree_is_an_ensemble_of_one():
    found = divisions(context({"model": "TreeClassifier", "max_depth": 2}, stages=[1, 11]))
    assert found["errors"] == [found["error_1"]] == [found["error"]]
    assert "error_11" not in found
    assert "iterations" not in found
    turns = divisions(context({"model": "GrowPruneTreeClassifier"}))
    assert turns["iterations"] == turns["most_iterations"] >= 2
