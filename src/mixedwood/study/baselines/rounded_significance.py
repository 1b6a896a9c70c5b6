"""Conditional inference as a published program has it: significance rounded to a float."""

from __future__ import annotations

from scipy.special import gammainc

from mixedwood.data import Table
from mixedwood.splits import Partitioner, best_partition, conditional_inference_test
from mixedwood.study.baselines.plain_tree import NO_GAIN, Choice, Node, PlainTreeClassifier

__all__ = ["RoundedSignificanceClassifier"]


class RoundedSignificanceClassifier(PlainTreeClassifier):
    """A tree that takes the column whose chi-square CDF is largest, first come, first served.

    The CDF is exactly 1.0 for every column of some significance at a node of many rows, so that
    the first of these columns is taken. That is a fault: a correct program compares logarithms of
    p-values, as ``TreeClassifier(selection="significance")`` does. This one is here to show that
    published figures come from it. Nominal columns only.

    Parameters
    ----------
    criterion, partitioner
        Which split of the column is taken; see `mixedwood.splits.best_partition`.
    max_depth : int, default=5
        Most tests in a row.
    max_p : float, default=0.1
        A column is used at a node if its chi-square test has a smaller p-value.
    min_second : int, default=15
        Fewest rows of a column's second most frequent value.

    Attributes
    ----------
    tree_ : Tree
        The tree; splits that change no answer are undone.
    classes_ : ndarray
        The classes.

    Examples
    --------
    Both columns are significant beyond what a float between 0 and 1 can tell.

    >>> rows = ["a"] * 500 + ["b"] * 500
    >>> weak = ["a"] * 400 + ["b"] * 500 + ["a"] * 100
    >>> model = RoundedSignificanceClassifier("gini").fit({"weak": weak, "strong": rows}, rows)
    >>> model.tree_.schema.columns[int(model.tree_.column[0])].name
    'weak'
    """

    def __init__(
        self,
        criterion: str = "gini",
        partitioner: str | Partitioner = "auto",
        *,
        max_depth: int = 5,
        max_p: float = 0.1,
        min_second: int = 15,
    ) -> None:
        self.criterion = criterion
        self.partitioner = partitioner
        self.max_depth = max_depth
        self.max_p = max_p
        self.min_second = min_second

    def _check(self, table: Table) -> None:
        if numeric := [column.name for column in table.schema if column.is_numeric]:
            raise ValueError(
                f"X has numeric columns ({', '.join(numeric)}); only nominal ones are taken. "
                "Leave them out, or use TreeClassifier."
            )

    def _choose(self, node: Node) -> Choice | None:
        best, largest = None, -1.0
        for column in range(node.table.n_columns):
            counts = node.counts(column)
            if not self._accepts(counts):
                continue
            test = conditional_inference_test(counts)
            rounded = float(gammainc(test.degrees_of_freedom / 2, test.statistic / 2))
            if rounded > largest:
                best, largest = (column, counts), rounded
        if best is None:
            return None
        found = best_partition(best[1], self.criterion, self.partitioner)
        if found.n_groups < 2 or found.score <= NO_GAIN:
            return None
        return Choice(best[0], group=found.group)
