"""Slow twin of the adjusted score: what the split of a column can be expected to score on new rows.

A table has one row per value and one column per class. `rows` is how many rows each value has,
copies of a row counted once; `n_rows` is their number in all.
"""

import math

import numpy as np
from scipy.stats import chi2, norm

KEPT = 0.9  # of the other rows of a value
DOUBT = 0.01  # tail beyond which a nominal column may enter a plane

FITTED = {  # to the classes, by partitioner; all others choose the side of every value
    "one_vs_rest": "value",
    "natural_order": "cut",
    "random_order": "cut",
    "random_subset": "nothing",
    "multiway": "nothing",
}


def gini_mass(counts):
    return counts.sum() - (counts**2).sum() / counts.sum() if counts.sum() > 0 else 0.0


def gini_share(groups):
    """Part of the Gini impurity that the groups take away."""
    together = gini_mass(groups.sum(0))
    return 1 - sum(map(gini_mass, groups)) / together if together > 0 else 0.0


def degrees_of(counts):
    return max(1, np.count_nonzero(counts) - 1)


def excess_of_cuts(n_values, counts):
    x = math.log(max(1, n_values - 1))
    return degrees_of(counts) ** 0.45 * 0.9 * x / (1 + 0.045 * x)


def less_excess(score, criterion, excess, n_rows, share, counts):
    """Score less that of a chi-square statistic."""
    if criterion == "entropy":
        return score - excess / (2 * math.log(2) * n_rows)
    by_chance = excess / (n_rows * degrees_of(counts))  # of the Gini impurity
    if criterion == "gini":
        return score - by_chance * gini_mass(counts) / counts.sum()
    return score - abs(score) * by_chance / share if share > 0 else score


def direction(groups):
    """Of each class: how much a row speaks for the first group."""
    shares = groups / groups.sum(1, keepdims=True)
    slopes = 2 * shares - (shares**2).sum(1, keepdims=True)
    return slopes[0] - slopes[1]


def chance_of_left(entry, cls, rows, on_left, towards, left_of_all):
    """Of a row of this class and value, placed by the other rows of its value."""
    if rows <= 1:
        return left_of_all
    unit = entry.sum() / rows
    vote = abs(entry @ towards) * (1 if on_left else -1)
    own = min(unit, entry[cls]) * towards[cls]
    squares = unit * (entry @ towards**2)
    mean, variance = vote - own, squares - own**2
    if variance <= 1e-12 * squares:
        return left_of_all if mean == 0 else float(mean > 0)
    return norm.cdf(mean * math.sqrt(KEPT / (1 - KEPT) / variance))


def expected_table(A, left, rows):
    """Side by class, each row placed by the others of its value."""
    groups = np.array([A[left].sum(0), A[~left].sum(0)])
    towards, left_of_all = direction(groups), groups[0].sum() / A.sum()
    on_left = np.zeros(A.shape[1])
    for value, cls in np.argwhere(A > 0):
        on_left[cls] += A[value, cls] * chance_of_left(
            A[value], cls, rows[value], left[value], towards, left_of_all
        )
    return np.array([on_left, np.maximum(0, A.sum(0) - on_left)])


def expected_gain(A, left, rows):
    """Of the Gini impurity: its part taken away on new rows, below 0 where they go wrong."""
    expected = expected_table(A, left, rows)
    if expected.sum(1).min() <= 0:
        return 0.0
    shares = expected / expected.sum(1, keepdims=True)
    towards = direction(np.array([A[left].sum(0), A[~left].sum(0)]))
    agrees = (shares[0] - shares[1]) @ towards >= 0
    gain = max(0.0, gini_share(expected))
    return gain if agrees else -gain


def adjusted_nominal(A, left, score, criterion, rows, n_rows, fitted="sides"):
    counts = A.sum(0)
    share = gini_share(np.array([A[left].sum(0), A[~left].sum(0)]))
    excess = 0.0
    if fitted == "sides":
        if share > 0:
            score = score * expected_gain(A, left, rows) / share
        excess = excess_of_cuts(len(A), counts)
    elif fitted == "cut":
        excess = excess_of_cuts(len(A), counts)
    elif fitted == "value":
        excess = 2 * math.log(len(A))
    return less_excess(score, criterion, excess, n_rows, share, counts)


def adjusted_multiway(A, score, n_rows, groups=None):
    """`groups`: class weights of groups of values; the values themselves by default."""
    by_chance = min(1, (len(A) - 1) / max(1, n_rows - 1))
    share = gini_share(A if groups is None else groups)
    return score * (1 - by_chance / share) if share > 0 else score


def adjusted_threshold(sides, counts, score, criterion, n_values, n_rows):
    """`sides`: class weights of both; `counts`: of the node; `n_values`: its different numbers."""
    excess = excess_of_cuts(n_values, counts)
    return less_excess(score, criterion, excess, n_rows, gini_share(sides), counts)


def beyond_chance(rank, score, criterion, n_rows, share, counts):
    """Whether a rank is as large as a chi-square statistic that chance seldom gives."""
    one = score - less_excess(score, criterion, 1.0, n_rows, share, counts)
    return rank > 0 and chi2.sf(rank / one, degrees_of(counts)) <= DOUBT
