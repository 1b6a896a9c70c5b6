"""Try a criterion of your own, written in Python.

The idea: a criterion is one method from the class weights of the groups to a number, more being
better. Every search takes it. Say `convex = True` only if the score is a convex function of the
left group's weights: the fast searches are then exact for it, and the result says so.
"""

import numpy as np

import mixedwood as mw


def rows_gained(groups):
    """Accuracy if each group predicts its most frequent class."""
    return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()


class Accuracy(mw.splits.Criterion):
    """Rows gained. A maximum of linear functions is convex, and so is a sum of two."""

    convex = True

    def score(self, groups):
        return rows_gained(groups)


class TenthOnEachSide(mw.splits.Criterion):
    """Rows gained, but nothing for a partition that leaves less than a tenth on one side.

    The jump to 0 makes it not convex, so only trying every partition proves anything.
    """

    def score(self, groups):
        if groups.sum(axis=1).min() < groups.sum() / 10:
            return 0.0
        return rows_gained(groups)


def main() -> None:
    rng = np.random.default_rng(0)
    small = rng.integers(0, 12, (9, 4))
    large = rng.integers(0, 12, (60, 3))
    for name, counts in [("9 values, 4 classes", small), ("60 values, 3 classes", large)]:
        print(name)
        for criterion in [Accuracy(), TenthOnEachSide()]:
            found = mw.splits.best_partition(counts, criterion)
            print(
                f"  {criterion.name:15} score {found.score:.4f} by {found.partitioner}, "
                f"proven best: {found.exact}"
            )


if __name__ == "__main__":
    main()
