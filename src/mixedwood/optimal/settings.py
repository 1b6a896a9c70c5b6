"""What tree is sought, and among which tests."""

from __future__ import annotations

from dataclasses import dataclass

from mixedwood.preprocessing.cutting import Cutting

__all__ = ["NO_TIME_LIMIT", "OptimalSettings"]

NO_TIME_LIMIT = 1e18


@dataclass(frozen=True)
class OptimalSettings:
    """What tree is sought, and among which tests. Checked by who makes it.

    Attributes
    ----------
    max_depth : int
        Most tests in a row.
    max_nodes : int
        Most tests in all; -1 for as many as the depth has room for.
    min_samples_leaf : int
        Fewest rows of a leaf.
    leaf_cost : float
        Of each leaf, as a share of all weight.
    splits : {"binary", "all"}
        Among binary columns, or all thresholds and all groups of values.
    cutting, encoding, max_subset_values, binarize
        How binary columns are made.
    upper_bound : float
        Only trees of this cost or less are wanted.
    memory_limit : int
        Bytes that may be remembered.
    work_limit : float
        Steps that the search may take.
    unseen : str
        What a tree does with values it has never met.
    """

    max_depth: int
    max_nodes: int
    min_samples_leaf: int
    leaf_cost: float
    splits: str
    cutting: Cutting
    encoding: str
    max_subset_values: int
    binarize: str
    upper_bound: float
    memory_limit: int
    work_limit: float
    unseen: str

    def most_leaves(self, n_rows: int) -> int:
        """No tree of so many rows has more leaves."""
        most = min(1 << self.max_depth, max(n_rows, 1))
        return most if self.max_nodes < 0 else min(most, self.max_nodes + 1)
