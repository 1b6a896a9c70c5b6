"""Tasks of the study: gain ratios of random orders, by counting all of them."""

from __future__ import annotations

import itertools
import math

import numpy as np

from mixedwood.study import TaskContext
from mixedwood.study.tasks import Metrics

__all__ = ["gain_ratios"]


def gain_ratios(context: TaskContext) -> Metrics:
    """Return mean and spread of the gain ratio over all orders and splits of a column.

    The axis `values` is the number of values, all equally frequent; half of them belong to one
    class, half to the other. A random split assigns each value to a side with equal probability;
    both sides have values.
    """
    n = int(context.point["values"])
    half = n // 2
    best = []
    for firsts in itertools.combinations(range(n), half):
        on_left = np.cumsum(np.isin(np.arange(n), firsts))[:-1]
        best.append(max(_ratio(t, int(a), n) for t, a in enumerate(on_left, 1)))
    splits = [
        (_ratio(a + b, a, n), math.comb(half, a) * math.comb(half, b))
        for a in range(half + 1)
        for b in range(half + 1)
        if 0 < a + b < n
    ]
    ratios, counts = (np.array(part) for part in zip(*splits, strict=True))
    mean = float(np.average(ratios, weights=counts))
    return {
        "ro_mean": float(np.mean(best)),
        "ro_sd": float(np.std(best)),
        "split_mean": mean,
        "split_sd": float(np.sqrt(np.average((ratios - mean) ** 2, weights=counts))),
        "multiway": 1 / math.log2(n),
    }


def _ratio(t: int, a: int, n: int) -> float:
    """Gain ratio of a cut with t of n values on its left, a of them of the first class."""
    half = n // 2
    left, right = _entropy(a, t - a), _entropy(half - a, half - (t - a))
    return (1 - t / n * left - (1 - t / n) * right) / _entropy(t, n - t)


def _entropy(a: int, b: int) -> float:
    return -sum(x / (a + b) * math.log2(x / (a + b)) for x in (a, b) if x)
