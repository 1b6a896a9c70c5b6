"""The published fault of Twoing with numeric columns."""

import numpy as np
import pytest

from mixedwood import datasets
from mixedwood.data import read_table
from mixedwood.study import TaskContext
from mixedwood.study.datasets import read_dataset
from mixedwood_studies.nominal_splits.methods import (
    TwoScalesClassifier,
    best_threshold,
    nominal_splits,
)
from mixedwood_studies.nominal_splits.tasks import published_folds
from support.real_data import needs

ADDRESS = "mixedwood_studies.nominal_splits.methods:TwoScalesClassifier"


def test_thresholds_are_the_worked_ones():
    x = np.array([1, 1, 2, 3, 3, 4, 5, 5, 6, 7], dtype=float)
    codes = np.array([0, 0, 1, 0, 1, 1, 2, 2, 1, 2], dtype=np.int32)
    score, threshold = best_threshold(x, codes, 3)
    assert (score, threshold) == (pytest.approx(0.135), 4.5)
    assert best_threshold(x[:2], codes[:2], 3)[0] == -np.inf
    assert best_threshold(x[:1], codes[:1], 3)[0] == -np.inf


@pytest.mark.parametrize("seed", range(3))
def test_on_one_scale_it_is_the_tree_of_the_library(seed):
    data = datasets.make_mixed(600, n_categorical=3, n_numeric=2, random_state=seed, frame="dict")
    X = read_table({name: data.X[name] for name in sorted(data.X)})
    y = data.y
    slow = TwoScalesClassifier(factor=1, max_depth=4).fit(X, y)
    fast = nominal_splits("twoing", "twoing", max_depth=4).fit(X, y)
    assert slow.tree_.n_nodes == fast.tree_.n_nodes
    assert np.array_equal(slow.predict_proba(X), fast.predict_proba(X))


@needs("contraceptive")
def test_contraceptive_agrees_with_the_dissertation_in_every_digit():
    """Table H: the published figures are those of the fault."""
    problem = read_dataset("c", {"load": "contraceptive", "number_as_met": "drop_rows"})
    settings = {"seeds": "nominal_splits", "folds": 3, "max_depth": 5}
    found = [
        published_folds(TaskContext({"repetition": r}, settings, {"model": ADDRESS}, problem))
        for r in range(20)
    ]
    assert np.mean([f["accuracy"] for f in found]) == pytest.approx(54.1276, abs=5e-5)
    assert np.mean([f["nodes"] for f in found]) == pytest.approx(31.5667, abs=5e-5)
