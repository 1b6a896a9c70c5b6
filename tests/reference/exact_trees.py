"""The two least costs of trees on a few rows, in fractions: every tree is tried.

`divide` gives, for a set of rows, every set of them that some test sends to yes.
"""

from functools import cache


def two_least(divide, classes, weights, depth, tests, leaf_cost=0, min_leaf=1, mistakes=None):
    """The least cost of any tree and the next larger one, if there is one.

    Weights are fractions, and so is the cost of each leaf. Rows of weight 0 are not there.
    ``mistakes[i][j]`` is the cost of predicting class j for a row of class i; 1 by default.
    """
    divisions = cache(divide)

    @cache
    def least(rows, depth, tests):
        sums = {}
        for row in rows:
            sums[classes[row]] = sums.get(classes[row], 0) + weights[row]
        # A leaf may answer any class, also a wrong one: those trees are no better than others.
        if mistakes is None:
            costs = {sum(sums.values()) - max(sums.values()) + leaf_cost}
        else:
            labels = range(len(mistakes))
            costs = {min(sum(w * mistakes[i][j] for i, w in sums.items()) for j in labels)}
            costs = {cost + leaf_cost for cost in costs}
        if depth == 0 or tests == 0:
            return sorted(costs)
        most = 2 ** (depth - 1) - 1
        for yes in divisions(rows):
            no = rows - yes
            if min(len(yes), len(no)) < max(min_leaf, 1):
                continue
            for given in range(tests):
                for left in least(yes, depth - 1, min(given, most)):
                    for right in least(no, depth - 1, min(tests - 1 - given, most)):
                        costs.add(left + right)
        return sorted(costs)[:2]

    rows = frozenset(row for row in range(len(classes)) if weights[row] > 0)
    return least(rows, depth, min(tests, 2**depth - 1))
