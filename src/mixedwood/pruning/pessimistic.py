"""Pessimistic pruning (Quinlan 1993, ch. 4), as J48 of the WEKA workbench 3.6 does it.

Training errors flatter a tree. A leaf of weight N with E errors is charged an upper limit of the
binomial error rate instead, at a level of confidence: N times that limit. Bottom up, a node keeps
its subtree, becomes a leaf, or gives its place to the subtree of its largest branch, whichever is
estimated to make the fewest errors; J48 takes the simpler form unless it is worse by more than 0.1.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table, Target, check_same_length
from mixedwood.pruning.dealing import EQUAL, Dealer, Rows
from mixedwood.pruning.grafting import grafted
from mixedwood.tree import Tree

__all__ = ["pessimistic"]

_SIMPLER = 0.1  # estimated errors that a simpler tree may cost


def pessimistic(
    tree: Tree,
    table: Table,
    target: Target,
    *,
    confidence: float = 0.25,
    subtree_raising: bool = True,
) -> Tree:
    """Prune by C4.5's estimate of errors, and raise subtrees.

    No row is set aside: the estimate is made from the training rows themselves. Give the function
    the rows that the tree was grown with. They are dealt out along its tests again, so the class
    weights and labels of the result are theirs; a row that a test cannot place, because its
    value is missing or new there, counts in every branch in proportion.

    Parameters
    ----------
    tree : Tree
        The tree to prune. C4.5 prunes after `collapse`.
    table, target : Table, Target
        The training rows, with the tree's schema and classes.
    confidence : float, default=0.25
        Above 0 and at most 0.5; smaller values prune more.
    subtree_raising : bool, default=True
        Whether the subtree of a node's largest branch may take the place of the node. All rows
        of the node are then dealt out along the raised tests, and pruning is tried again.

    Returns
    -------
    Tree
        The pruned tree.

    See Also
    --------
    collapse : What C4.5 does first.
    reduced_error : Pruning with rows that were set aside.

    Notes
    -----
    Same trees as J48 of WEKA 3.6, its tie rules included: the largest branch is the last of
    equals, comparisons allow for 1e-6. Its minimum number of rows plays no part in pruning.
    Time grows with rows times depth; raising deals rows only through nodes where they change.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]})
    >>> target = read_target(list("aaabbbba"))
    >>> builder = TreeBuilder(table.schema, target.classes, [4, 4])
    >>> left, right = builder.split_interval(0, "x", [[3, 0], [1, 4]], high=3.0)
    >>> _ = builder.split_interval(right, "x", [[0, 2], [1, 2]], high=5.0)
    >>> tree = builder.build()
    >>> tree.n_leaves, pessimistic(tree, table, target).n_leaves
    (3, 2)
    """
    if not np.array_equal(target.classes, tree.classes):
        raise ValueError("the rows have other classes than the tree.")
    if table.schema is not tree.schema and table.schema != tree.schema:
        raise ValueError("the rows have another schema than the tree.")
    check_same_length(table, target)
    if not 0 < confidence <= 0.5:
        raise ValueError(f"confidence must be above 0 and at most 0.5; got {confidence!r}.")
    pruning = _Pruning(tree, table, target, _Estimate(confidence))
    pruning.prune(subtree_raising)
    return grafted(tree, pruning.test, pruning.children, pruning.counts)


class _Estimate:
    """Errors that a leaf is expected to make on new rows."""

    def __init__(self, confidence: float) -> None:
        # J48 keeps it in single precision; so do we, to the bit.
        self.level = float(np.float32(confidence))
        upper = float(np.float32(1) - np.float32(confidence))
        self.z = NormalDist().inv_cdf(upper) if upper < 1 else -NormalDist().inv_cdf(confidence)

    def errors(self, counts: NDArray[np.float64]) -> float:
        total = float(counts.sum())
        if total < EQUAL:
            return 0.0
        wrong = total - float(counts.max())
        return wrong + self.extra(total, wrong)

    def extra(self, total: float, wrong: float) -> float:
        """What is added to the training errors."""
        if wrong < 1:  # exact for none, then a straight line to one
            none = total * (1 - math.pow(self.level, 1 / total))
            return none if wrong == 0 else none + wrong * (self.extra(total, 1.0) - none)
        if wrong + 0.5 >= total:
            return max(total - wrong, 0.0)
        z, rate = self.z, (wrong + 0.5) / total  # normal approximation, corrected for continuity
        spread = math.sqrt(rate / total - rate * rate / total + z * z / (4 * total * total))
        limit = (rate + z * z / (2 * total) + z * spread) / (1 + z * z / total)
        return limit * total - wrong


def _no_more(a: float, b: float) -> bool:
    return a <= b + EQUAL


class _Pruning:
    """A tree under the knife: nodes keep their numbers; their tests and children change."""

    def __init__(self, tree: Tree, table: Table, target: Target, estimate: _Estimate) -> None:
        n = tree.n_nodes
        self.tree, self.dealer, self.estimate = tree, Dealer(tree, table), estimate
        self.codes, self.n_classes = target.codes, target.n_classes
        self.test = list(range(n))  # whose test a node has
        self.children: list[list[int]] = [tree.children_of(i).tolist() for i in range(n)]
        self.here: list[Rows | None] = [None] * n
        self.counts = np.zeros((n, self.n_classes))
        self.expected = [0.0] * n  # errors of the subtree, by the estimate
        weights = np.ones(target.n_rows) if target.weights is None else target.weights
        self.found = self.place(0, Rows(np.arange(target.n_rows), weights))

    def count(self, here: Rows) -> NDArray[np.float64]:
        counts = np.bincount(self.codes[here.rows], here.weights, minlength=self.n_classes)
        return np.asarray(counts, np.float64)  # without rows they are integers

    def place(self, top: int, rows: Rows) -> list[int]:
        """Put rows into a subtree. Returns the nodes where they changed, parents first."""
        changed = []
        waiting = [(top, rows)]
        while waiting:
            node, here = waiting.pop()
            before = self.here[node]
            if node != top and before is not None and before.same_as(here):
                continue
            changed.append(node)
            self.here[node], self.counts[node] = here, self.count(here)
            if self.children[node]:
                dealt = self.dealer.deal(self.test[node], here)
                waiting += zip(self.children[node], dealt, strict=True)
        for node in reversed(changed):
            self.expect(node)
        return changed

    def expect(self, node: int) -> None:
        if self.children[node]:
            self.expected[node] = sum(self.expected[child] for child in self.children[node])
        else:
            self.expected[node] = self.estimate.errors(self.counts[node])

    def prune(self, subtree_raising: bool) -> None:
        waiting = self.found
        while waiting:  # from the end: children before their parents
            node = waiting.pop()
            if not self.children[node]:
                continue
            self.expect(node)
            as_tree, as_leaf = self.expected[node], self.estimate.errors(self.counts[node])
            leaf_will_do = _no_more(as_leaf, as_tree + _SIMPLER)
            as_branch, largest = math.inf, self.largest_branch(node)
            if subtree_raising:
                # Beyond this, the branch can change nothing.
                limit = as_leaf - _SIMPLER if leaf_will_do else as_tree + _SIMPLER
                as_branch = self.errors_as_branch(largest, node, limit + 2 * EQUAL)
            if leaf_will_do and _no_more(as_leaf, as_branch + _SIMPLER):
                self.children[node], self.expected[node] = [], as_leaf
            elif _no_more(as_branch, as_tree + _SIMPLER):
                self.test[node], self.children[node] = self.test[largest], self.children[largest]
                here = self.here[node]
                assert here is not None
                # Where rows are as before, so would be the outcome.
                waiting += self.place(node, here)

    def largest_branch(self, node: int) -> int:
        largest, most = -1, 0.0
        for child in self.children[node]:
            weight = self.counts[child].sum()
            if weight > most - EQUAL:
                largest, most = child, weight
        return largest

    def errors_as_branch(self, branch: int, node: int, limit: float) -> float:
        """Estimated errors of a branch if it had all rows of the node; infinite above a limit."""
        here = self.here[node]
        assert here is not None
        errors = 0.0
        waiting = [(branch, here)]
        while waiting:
            below, here = waiting.pop()
            before = self.here[below]
            if before is not None and before.same_as(here):
                errors += self.expected[below]
            elif not self.children[below]:
                errors += self.estimate.errors(self.count(here))
            else:
                dealt = self.dealer.deal(self.test[below], here)
                waiting += zip(self.children[below], dealt, strict=True)
            if errors > limit:
                return math.inf
        return errors
