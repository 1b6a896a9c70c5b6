"""Statistics of methods from their definitions, slowly."""

from itertools import combinations, product

import numpy as np


def ranks(row):
    """1 + how many are lower, and half of those that are equal."""
    return [
        1 + sum(other < value for other in row) + (sum(other == value for other in row) - 1) / 2
        for value in row
    ]


def signed_rank_p_value(differences):
    """Share of all ways to give signs to the differences that are at least as one-sided."""
    sizes = [abs(d) for d in differences if d != 0]
    places = ranks(sizes)
    total = sum(places)

    def smaller(signs):
        above = sum(place for place, sign in zip(places, signs, strict=True) if sign)
        return min(above, total - above)

    found = smaller([d > 0 for d in differences if d != 0])
    all_signs = list(product([False, True], repeat=len(sizes)))
    return found, sum(smaller(signs) <= found for signs in all_signs) / len(all_signs)


def friedman_chi_square(errors):
    """Conover's form: the variance of rank sums that ties leave."""
    table = np.array([ranks(row) for row in errors])
    n, k = table.shape
    squares = float(np.sum(table**2))
    centre = n * k * (k + 1) ** 2 / 4
    if squares == centre:
        return 0.0
    sums = table.sum(axis=0)
    return (k - 1) * sum((s - n * (k + 1) / 2) ** 2 for s in sums) / (squares - centre)


def groups_of(mean_ranks, critical_difference):
    """All largest sets of two or more methods of which no two are further apart than allowed."""
    methods = range(len(mean_ranks))
    close = [
        set(chosen)
        for size in range(2, len(mean_ranks) + 1)
        for chosen in combinations(methods, size)
        if all(
            abs(mean_ranks[i] - mean_ranks[j]) <= critical_difference
            for i, j in combinations(chosen, 2)
        )
    ]
    return [group for group in close if not any(group < other for other in close)]


def count_wins(errors, p_values=None, alpha=0.05):
    """Wins and losses of each method against each other, one data set at a time."""
    n_sets, k = np.shape(errors)
    wins, losses = np.zeros((k, k), int), np.zeros((k, k), int)
    for s, i, j in product(range(n_sets), range(k), range(k)):
        if i != j and (p_values is None or p_values[s][i][j] <= alpha):
            wins[i, j] += errors[s][i] < errors[s][j]
            losses[i, j] += errors[s][i] > errors[s][j]
    return wins, losses
