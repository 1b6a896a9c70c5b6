"""The study of Random Ordinality Ensembles: its tasks and methods."""

import itertools
import math

import numpy as np
import pytest

from mixedwood import ForestClassifier
from mixedwood.study import TaskContext
from mixedwood_studies.random_ordinality.methods import weka_random_forest
from mixedwood_studies.random_ordinality.tasks import gain_ratios
from support.problems import mixed_problem


def slow_gain_ratio(left, right):
    """From the rows of both sides, by the definition."""

    def entropy(labels):
        shares = [labels.count(label) / len(labels) for label in set(labels)]
        return -sum(p * math.log2(p) for p in shares)

    everything = left + right
    n = len(everything)
    gain = entropy(everything) - sum(len(s) / n * entropy(s) for s in (left, right))
    return gain / entropy(["left"] * len(left) + ["right"] * len(right))


@pytest.mark.parametrize(
    ("n", "ro_mean", "ro_sd", "split_mean", "split_sd"),
    [
        (4, 0.589126, 0.290532, 0.362108, 0.309611),
        (6, 0.467457, 0.202421, 0.209587, 0.235256),
        (8, 0.395006, 0.154381, 0.139431, 0.180833),
    ],
)
def test_gain_ratios_are_the_worked_ones_and_those_of_the_definition(
    n, ro_mean, ro_sd, split_mean, split_sd
):
    found = gain_ratios(TaskContext({"values": n}, {}))
    names = ("ro_mean", "ro_sd", "split_mean", "split_sd")
    worked = (ro_mean, ro_sd, split_mean, split_sd)
    assert [found[name] for name in names] == pytest.approx(worked, abs=1e-6)
    assert found["multiway"] == pytest.approx(1 / math.log2(n))
    labels = ["+"] * (n // 2) + ["-"] * (n // 2)
    orders = set(itertools.permutations(labels)) if n < 8 else set()
    if orders:
        best = [max(slow_gain_ratio(list(o[:t]), list(o[t:])) for t in range(1, n)) for o in orders]
        assert np.mean(best) == pytest.approx(found["ro_mean"])
        assert np.std(best) == pytest.approx(found["ro_sd"])
        splits = [
            slow_gain_ratio(*sides)
            for coins in itertools.product((True, False), repeat=n)
            if all(sides := (
                [x for x, c in zip(labels, coins, strict=True) if c],
                [x for x, c in zip(labels, coins, strict=True) if not c],
            ))
        ]  # fmt: skip
        assert np.mean(splits) == pytest.approx(found["split_mean"])
        assert np.std(splits) == pytest.approx(found["split_sd"])


def test_presets_take_further_parameters():
    forest = weka_random_forest(3, random_state=1)
    assert isinstance(forest, ForestClassifier)
    assert forest.get_params()["estimator__max_features"] == 0
    X, y = mixed_problem(60)
    assert len(forest.fit(X, y).trees_) == 3
