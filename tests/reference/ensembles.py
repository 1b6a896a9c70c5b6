"""Slow twins of ensembles: one tree after the other, one row after the other."""

from fractions import Fraction
from itertools import combinations

import numpy as np

EQUAL = 1e-9


def first_of_largest(shares):
    best = 0
    for place in range(1, len(shares)):
        if shares[place] > max(shares[:place]) + EQUAL and shares[place] > shares[best] + EQUAL:
            best = place
    return best


def bootstrap_of(seed, number, n_rows, n_drawn):
    """Seed and rows of one tree of a forest whose trees see all columns."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    tree_seed = int(rng.integers(2**63))
    return tree_seed, np.sort(rng.integers(0, n_rows, n_drawn))


def shares_of_votes(trees, table, vote):
    """Shares of the classes, for each row by itself."""
    classes = trees[0].classes.tolist()
    found = []
    for row in range(table.n_rows):
        alone = table.take([row])
        sums = [0.0] * len(classes)
        for tree in trees:
            if vote == "hard":
                sums[classes.index(tree.predict(alone)[0])] += 1
            else:
                for place, p in enumerate(tree.predict_proba(alone)[0]):
                    sums[place] += p
        found.append([s / sum(sums) for s in sums])
    return np.array(found)


def out_of_bag(trees, samples, table, vote):
    found = np.full((table.n_rows, len(trees[0].classes)), np.nan)
    for row in range(table.n_rows):
        strangers = [t for t, rows in zip(trees, samples, strict=True) if row not in rows]
        if strangers:
            found[row] = shares_of_votes(strangers, table.take([row]), vote)[0]
    return found


def disagreement_and_kappa(answers):
    """Means over pairs of columns, by counting."""
    n_rows, n_members = answers.shape
    disagreements, kappas = [], []
    for i, j in combinations(range(n_members), 2):
        a, b = answers[:, i].tolist(), answers[:, j].tolist()
        agreed = Fraction(sum(x == y for x, y in zip(a, b, strict=True)), n_rows)
        chance = sum(Fraction(a.count(c) * b.count(c), n_rows**2) for c in set(a) | set(b))
        disagreements.append(1 - agreed)
        kappas.append(Fraction(1) if chance == 1 else (agreed - chance) / (1 - chance))
    return float(np.mean(disagreements)), float(np.mean(kappas))


def margin(shares, right):
    of_right = shares[right] if right >= 0 else 0.0
    return of_right - max(s for place, s in enumerate(shares) if place != right)
