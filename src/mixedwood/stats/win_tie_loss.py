"""Counts of the datasets on which one method is better than, equal to or worse than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats._inputs import (
    as_numbers,
    read_alpha,
    read_errors,
    read_method_names,
    rounding_of,
)
from mixedwood.stats.paired import format_p_value

__all__ = ["WinTieLoss", "win_tie_loss"]


@dataclass(frozen=True, eq=False)
class WinTieLoss:
    """Wins, ties and losses of all pairs of methods over datasets.

    Attributes
    ----------
    wins, ties, losses : ndarray of shape (n_methods, n_methods)
        Numbers of datasets on which the method of the row is better than, no different from, or
        worse than that of the column.
    p_values : ndarray of shape (n_methods, n_methods)
        For each pair, of the sign test: wins against losses, without the ties, two-sided. Not
        corrected for multiple comparisons.
    n_datasets : int
        Number of datasets.
    names : tuple of str
        Names of the methods.
    by_test : bool
        Whether a win needs a significant difference on the dataset.
    alpha : float
        Level of significance.
    """

    wins: NDArray[np.int64]
    ties: NDArray[np.int64]
    losses: NDArray[np.int64]
    p_values: NDArray[np.float64]
    n_datasets: int
    names: tuple[str, ...]
    by_test: bool
    alpha: float = 0.05

    @property
    def statistic(self) -> int:
        """Wins minus losses of the pair that differs most."""
        i, j = self._most_different()
        return int(self.wins[i, j] - self.losses[i, j])

    @property
    def p_value(self) -> float:
        """P-value of that pair's sign test, multiplied by the number of pairs (Bonferroni)."""
        n_pairs = len(self.names) * (len(self.names) - 1) // 2
        return min(1.0, n_pairs * float(self.p_values[self._most_different()]))

    @property
    def is_significant(self) -> bool:
        """Whether any pair differs at the level alpha, for all pairs at once."""
        return self.p_value <= self.alpha

    @property
    def sentence(self) -> str:
        """The result as a sentence."""
        if self.statistic == 0:
            return "win/tie/loss: no method wins more often than it loses against any other."
        i, j = self._most_different()
        wins, ties, losses = self.wins[i, j], self.ties[i, j], self.losses[i, j]
        how = "significantly better" if self.by_test else "better"
        verdict = "significant" if self.is_significant else "not significant"
        note = "" if len(self.names) == 2 else " (the largest difference of all pairs)"
        return (
            f"win/tie/loss: {self.names[i]} is {how} than {self.names[j]} on {wins} of "
            f"{self.n_datasets} datasets, no different on {ties} and worse on {losses}{note}; "
            f"{verdict} by the sign test ({format_p_value(self.p_value)})."
        )

    def to_text(self) -> str:
        """Show all pairs as a table of wins/ties/losses: the row's method against the column's.

        Returns
        -------
        str
            The table.
        """
        n = len(self.names)
        cells = [
            [
                "-" if i == j else f"{self.wins[i, j]}/{self.ties[i, j]}/{self.losses[i, j]}"
                for j in range(n)
            ]
            for i in range(n)
        ]
        rows = [["", *self.names], *([self.names[i], *cells[i]] for i in range(n))]
        widths = [max(len(row[j]) for row in rows) for j in range(n + 1)]
        return "\n".join(
            "  ".join(
                [row[0].ljust(widths[0]), *(row[j].rjust(widths[j]) for j in range(1, n + 1))]
            ).rstrip()
            for row in rows
        )

    def _most_different(self) -> tuple[int, int]:
        """The pair with the smallest p-value, the better method first."""
        n = len(self.names)
        pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
        surplus = self.wins - self.losses
        return min(pairs, key=lambda pair: (self.p_values[pair], -surplus[pair]))


def win_tie_loss(
    errors: ArrayLike,
    p_values: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> WinTieLoss:
    """Count on how many datasets each method is better, equal or worse than each other.

    Parameters
    ----------
    errors : array-like of shape (n_datasets, n_methods)
        Errors, one row per dataset, one column per method; lower is better.
    p_values : array-like of shape (n_datasets, n_methods, n_methods), optional
        For each dataset, p-values of tests of all pairs, such as those of
        `five_by_two_cv_f_test`. A lower error then counts as a win if the p-value is at
        most alpha, and as a tie otherwise. By default every lower error is a win; errors that
        differ only by rounding are ties. The diagonal is ignored.
    names : sequence of str, optional
        Names of the methods.
    alpha : float, default=0.05
        Level of significance, of the given p-values and of the sentence.

    Returns
    -------
    WinTieLoss
        The counts, sign tests of all pairs, and a sentence.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.05], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.win_tie_loss(errors, names=["forest", "tree", "stump"])
    >>> print(result.to_text())
            forest   tree  stump
    forest       -  4/0/0  3/1/0
    tree     0/0/4      -  3/0/1
    stump    0/1/3  1/0/3      -
    >>> float(result.p_values[0, 1])
    0.125
    """
    table = read_errors(errors)
    n_datasets, n_methods = table.shape
    level = read_alpha(alpha)
    rounding = np.array([rounding_of(row) for row in table])[:, None, None]
    gaps = table[:, :, None] - table[:, None, :]
    gaps = np.where(np.abs(gaps) <= rounding, 0.0, gaps)
    if p_values is not None:
        gaps[_read_p_values(p_values, n_datasets, n_methods) > level] = 0.0
    wins = np.sum(gaps < 0, axis=0)
    losses = np.sum(gaps > 0, axis=0)
    tests = _sign_test(wins, losses)
    ties = n_datasets - wins - losses
    for array in (wins, ties, losses, tests):
        array.setflags(write=False)
    return WinTieLoss(
        wins=wins,
        ties=ties,
        losses=losses,
        p_values=tests,
        n_datasets=n_datasets,
        names=read_method_names(names, n_methods),
        by_test=p_values is not None,
        alpha=level,
    )


def _read_p_values(p_values: ArrayLike, n_datasets: int, n_methods: int) -> NDArray[np.float64]:
    shape = (n_datasets, n_methods, n_methods)
    given = as_numbers(p_values, "p_values")
    if given.shape != shape:
        raise ValueError(
            f"p_values has the shape {given.shape}; one table of all pairs of methods for each "
            f"dataset is needed: {shape}."
        )
    given[:, np.arange(n_methods), np.arange(n_methods)] = 1.0
    n_missing = int(np.sum(np.isnan(given)))
    if n_missing:
        raise ValueError(
            f"p_values has {n_missing} missing values outside its diagonals. Give 1 where there "
            "was no test."
        )
    if given.min() < 0.0 or given.max() > 1.0:
        raise ValueError(f"p_values must be from 0 to 1; got {given.min():g} to {given.max():g}.")
    if not np.array_equal(given, given.transpose(0, 2, 1)):
        raise ValueError(
            "p_values must be the same for a pair in either order: p_values[:, i, j] and "
            "p_values[:, j, i]. Give two-sided p-values."
        )
    return given


def _sign_test(wins: NDArray[np.int64], losses: NDArray[np.int64]) -> NDArray[np.float64]:
    """Twice the probability of at most the smaller count if each side were as likely."""
    rounds = wins + losses
    tail = special.bdtr(np.minimum(wins, losses).astype(float), rounds, 0.5)
    return np.asarray(np.where(rounds == 0, 1.0, np.minimum(1.0, 2.0 * tail)))
