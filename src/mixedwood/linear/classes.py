"""Many classes from machines for two: each class against the rest, or each pair of classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _kinds as kinds
from mixedwood.data.schema import CodeArray

__all__ = ["Pairing"]

Rows = NDArray[np.intp]
Signs = NDArray[np.int8]


@dataclass(frozen=True)
class Pairing:
    """Which two sides the machines tell apart.

    Attributes
    ----------
    n_classes : int
        Number of classes.
    by_pairs : bool
        Whether there is a machine for each pair of classes, or one for each class against the rest.
        Two classes, or one, have a single machine; class 1 is its positive side.
    """

    n_classes: int
    by_pairs: bool

    _fitted: ClassVar[kinds.Fitted] = {"n_classes": kinds.integer(1), "by_pairs": kinds.FLAG}

    @property
    def n_machines(self) -> int:
        """Count the machines.

        Examples
        --------
        >>> Pairing(2, False).n_machines, Pairing(4, False).n_machines, Pairing(4, True).n_machines
        (1, 4, 6)
        """
        if self.n_classes <= 2:
            return 1
        return self.n_classes * (self.n_classes - 1) // 2 if self.by_pairs else self.n_classes

    def sides(self, codes: CodeArray) -> Iterator[tuple[Rows | None, Signs]]:
        """For each machine its rows, None for all, and their signs."""
        if self.n_classes <= 2:
            yield None, np.where(codes == 1, 1, -1).astype(np.int8)
        elif self.by_pairs:
            for first, second in combinations(range(self.n_classes), 2):
                rows = np.flatnonzero((codes == first) | (codes == second))
                yield rows, np.where(codes[rows] == second, 1, -1).astype(np.int8)
        else:
            for one in range(self.n_classes):
                yield None, np.where(codes == one, 1, -1).astype(np.int8)

    def scores(self, decisions: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score for each class from the decisions of the machines; of two classes only one.

        Pairs of classes vote. The sum of a class's decisions, squeezed to less than a third of a
        vote, decides between equal numbers of votes, as in scikit-learn. With one class the score
        is never positive: there is no second class.
        """
        if self.n_classes == 1:
            return np.minimum(decisions[:, 0], 0.0)
        if self.n_classes == 2:
            return decisions[:, 0]
        if not self.by_pairs:
            return decisions
        votes = np.zeros((len(decisions), self.n_classes))
        sums = np.zeros_like(votes)
        # The sums of decisions like 1e308 stay finite.
        limit = np.finfo(np.float64).max / (4 * self.n_classes)
        decisions = np.clip(decisions, -limit, limit)
        for machine, (first, second) in enumerate(combinations(range(self.n_classes), 2)):
            decision = decisions[:, machine]
            votes[:, first] += decision <= 0
            votes[:, second] += decision > 0
            sums[:, first] -= decision
            sums[:, second] += decision
        votes += sums / (3 * (np.abs(sums) + 1))
        return votes

    def winners(self, decisions: NDArray[np.float64]) -> NDArray[np.intp]:
        """Place of the class of each row; a decision of 0 is the negative side's."""
        scores = self.scores(decisions)
        return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
