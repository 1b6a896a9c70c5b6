"""Slow reference of regression trees: every threshold and every partition, scored row by row."""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np


def loss_of(criterion, y, w):
    """Total loss of predicting one number for these rows."""
    if len(y) == 0:
        return 0.0
    if criterion == "absolute_error":
        return min(float(np.sum(w * np.abs(y - value))) for value in y)
    mean = float(np.average(y, weights=w))
    if criterion == "squared_error":
        return float(np.sum(w * (y - mean) ** 2))
    logs = np.array([v * math.log(v / mean) if v > 0 else 0.0 for v in y])
    return float(np.sum(w * (logs - y + mean)))


def gain_of(criterion, y, w, left):
    """How much a split lowers the loss, per weight."""
    parts = loss_of(criterion, y[left], w[left]) + loss_of(criterion, y[~left], w[~left])
    return (loss_of(criterion, y, w) - parts) / w.sum()


def splits_of(column, nominal):
    """Give every split of a column: whether each row goes left. Missing values are None or NaN."""
    missing = np.array([v is None or v != v for v in column])
    if nominal:
        values = sorted({v for v in column if v is not None})
        values += [None] if missing.any() else []
        for size in range(1, len(values)):
            for chosen in combinations(values, size):
                if values[0] in chosen:
                    yield np.array([v in chosen for v in column])
        return
    numbers = sorted(set(column[~missing]))
    sides = [True, False] if missing.any() else [True]
    for place, number in enumerate(numbers):
        for missing_left in sides:
            last = place == len(numbers) - 1
            if last and (missing_left or not missing.any()):
                continue
            yield np.where(missing, missing_left, column.astype(float) <= number)


@dataclass
class Best:
    """The best split of a node and what it is worth."""

    gain: float
    column: int
    left: np.ndarray


def best_split(criterion, columns, nominal, y, w, min_samples_leaf=1):
    """Find the best split of all columns, or None."""
    best = None
    for number, (column, is_nominal) in enumerate(zip(columns, nominal, strict=True)):
        for left in splits_of(column, is_nominal):
            if min(left.sum(), (~left).sum()) < min_samples_leaf:
                continue
            gain = gain_of(criterion, y, w, left)
            if best is None or gain > best.gain + 1e-9 * abs(best.gain):
                best = Best(gain, number, left)
    return best
