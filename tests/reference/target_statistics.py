"""Slow twin of cuts by target statistics: every statistic is added up from its rows.

All numbers of a column in one go over lists of rows; nothing is kept from one to the next.
"""

import math
from itertools import pairwise

import numpy as np

N_PARTS = 8
N_PLACES = 512
AGREEMENT = 2.0
ROWS_PER_CATEGORY = 3  # fewer are not cut in a random order
MASK = 2**64 - 1


def parts_of_rows(n, seed):
    """The part of each of the rows, by the generator of the core."""
    state, parts = (seed ^ (0x9E3779B97F4A7C15 * (2**40 + 1))) & MASK, []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        parts.append((z ^ z >> 31) % N_PARTS)
    return np.array(parts)


class StatisticsTwin:
    """Cuts of one nominal column at one node; every row weighs 1."""

    def __init__(self, codes, parts, g, h, rows, how):
        self.codes, self.parts, self.g, self.h = codes, parts, g, h
        self.rows, self.how = sorted(rows), how
        self.output, self.agreement = self.most_agreed()

    def node_step(self, d):
        return sum(self.g[i, d] for i in self.rows) / sum(self.h[i, d] for i in self.rows)

    def most_agreed(self):
        """The output about which the parts agree most, and by how many standard deviations."""
        found = []
        for d in range(self.g.shape[1]):
            step, products, variance = self.node_step(d), 0.0, 0.0
            for category in {self.codes[i] for i in self.rows}:
                of = [i for i in self.rows if self.codes[i] == category]
                for p in range(N_PARTS):
                    for q in range(N_PARTS):
                        if p == q:
                            continue
                        a = [i for i in of if self.parts[i] == p]
                        b = [i for i in of if self.parts[i] == q]
                        residual = [
                            sum(self.g[i, d] - step * self.h[i, d] for i in x) for x in (a, b)
                        ]
                        products += residual[0] * residual[1]
                        variance += sum(self.h[i, d] for i in a) * sum(self.h[i, d] for i in b)
            if variance > 0:
                found.append((products / math.sqrt(2 * variance), -d))
        most, d = max(found, default=(-math.inf, 0))
        return -d, most

    def statistic(self, others):
        """The step of some rows, drawn to that of the node; that of the node if there are none."""
        d, smooth = self.output, self.how.cat_smooth
        if not others:
            return self.node_step(d)
        g, h = sum(self.g[i, d] for i in others), sum(self.h[i, d] for i in others)
        return (g + smooth * self.node_step(d)) / (h + smooth)

    def of_training_row(self, row):
        """From the rows of its category in earlier parts."""
        return self.statistic(
            [
                i
                for i in self.rows
                if self.codes[i] == self.codes[row] and self.parts[i] < self.parts[row]
            ]
        )

    def of_category(self, category):
        """From all of its rows."""
        return self.statistic([i for i in self.rows if self.codes[i] == category])

    def cuts(self):
        """(gain, training rows to the left, categories to the left) of every cut."""
        statistics = {i: self.of_training_row(i) for i in self.rows}
        low, high = min(statistics.values()), max(statistics.values())
        if not high > low:
            return
        width = (high - low) / N_PLACES

        def place(x):
            return int(min(max((x - low) / width, 0), N_PLACES - 1))

        met = sorted({place(x) for x in statistics.values()})
        for a, b in pairwise(met):
            left = {i for i in self.rows if place(statistics[i]) <= a}
            end = a + (b - a + 1) // 2
            categories = {self.codes[i] for i in self.rows}
            named = {c for c in categories if place(self.of_category(c)) < end}
            yield self.gain(left), left, named, categories

    def gain(self, left):
        return self.worth(left) + self.worth(set(self.rows) - left) - self.worth(self.rows)

    def worth(self, rows):
        l2, total = self.how.l2_regularization, 0.0
        for d in range(self.g.shape[1]):
            total += sum(self.g[i, d] for i in rows) ** 2 / (sum(self.h[i, d] for i in rows) + l2)
        return total
