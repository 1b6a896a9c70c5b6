"""Kept results, computed again: data sets that are defined by a rule are generated and refitted."""

import pytest

import mixedwood as mw
from mixedwood import study
from mixedwood.study.datasets import read_dataset
from mixedwood.study.grid import expand
from mixedwood.study.runner import execute
from mixedwood.study.saved import read_results
from support.paper_pages import KEPT, papers

RULES = {
    "random_ordinality": {
        "orders": {},
        "concepts": {"repetition": [0, 1]},
        "nominal": {
            "dataset": ["monks1", "monks2", "monks3", "balance", "tic_tac_toe"],
            "repetition": [0],
        },
        "members": {"dataset": ["monks1", "tic_tac_toe"], "repetition": [0]},
    },
    "grow_and_prune": {
        "divisions": {"dataset": ["waveform"], "repetition": [0]},
        "sizes": {"train": [50], "repetition": [0]},
    },
    "binarization": {
        "cuts": {"dataset": ["iris", "iris_virginica"]},
        "files": {"dataset": ["tic_tac_toe"], "depth": [1, 2]},
        "benchmark": {
            "dataset": ["balance_l", "iris_versicolor", "wine_1"],
            "ranges": ["own", 3],
            "mode": ["offline", "online"],
            "cut_from": ["training rows"],
            "depth": [2],
        },
    },
    "split_searches": {
        "single": {"size": ["n=6,k=3", "n=12,k=5", "n=30,k=50", "n=200,k=100"], "part": [0]},
        "random": {"part": [0]},
        "cuts": {"size": ["n=10,k=5", "n=30,k=5"], "part": [0]},
    },
}


def approx(value):
    """Ten significant digits are kept."""
    return pytest.approx(value, rel=1e-9, abs=1e-9)


class Sent:
    """A data set in this process."""

    def __init__(self, problem):
        self._problem = problem

    def get(self):
        return self._problem


def tasks_of(name):
    chosen = study.read_study(name)
    for experiment, where in RULES[name].items():
        for task in expand(chosen, chosen.experiments[experiment]):
            if all(task.point[axis] in values for axis, values in where.items()):
                yield task


@pytest.mark.parametrize("name", [name for name in RULES if name in KEPT])
def test_what_is_kept_comes_out_again(name):
    found = read_results(study.read_study(name), papers.SAVED / f"{name}.json")
    data, compared = {}, 0
    for task in tasks_of(name):
        key = repr(task.dataset)
        if task.dataset and key not in data:
            data[key] = Sent(read_dataset(str(task.point["dataset"]), task.dataset))
        record = execute(task, data.get(key))
        assert record.metrics is not None, record.traceback
        kept = found.records[task.key].metrics
        for metric, value in kept.items():
            if "seconds" not in metric:
                assert record.metrics[metric] == approx(value), task.label
                compared += 1
    assert compared >= 20


def test_the_data_sets_of_these_tests_need_no_folder():
    available = mw.datasets.names(available_only=True)
    assert available["monks-1"] == available["tic-tac-toe"] == available["balance-scale"]
