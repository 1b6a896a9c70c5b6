"""On how many data sets a method is better, equal or worse than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from mixedwood.stats.paired_test import in_words
from mixedwood.stats.reading import (
    as_numbers,
    read_alpha,
    read_errors,
    read_names,
    rounding_of,
)

__all__ = ["WinDrawLoss", "win_draw_loss"]


@dataclass(frozen=True, eq=False)
class WinDrawLoss:
    """Wins, draws and losses of all pairs of methods over data sets.

    Attributes
    ----------
    wins, draws, losses : ndarray of shape (n_methods, n_methods)
        Numbers of data sets on which the method of the row is better than, no different from, or
        worse than that of the column.
    p_values : ndarray of shape (n_methods, n_methods)
        For each pair, of the sign test: wins against losses, without the draws, two-sided. Each
        stands alone: with many pairs, some are small by luck.
    n_sets : int
        Number of data sets.
    names : tuple of str
        Names of the methods.
    by_test : bool
        Whether a win needs a significant difference on the data set.
    alpha : float
        Level of significance.
    """

    wins: NDArray[np.int64]
    draws: NDArray[np.int64]
    losses: NDArray[np.int64]
    p_values: NDArray[np.float64]
    n_sets: int
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
        """Of that pair's sign test, times the number of pairs that were looked at."""
        n_pairs = len(self.names) * (len(self.names) - 1) // 2
        return min(1.0, n_pairs * float(self.p_values[self._most_different()]))

    @property
    def is_significant(self) -> bool:
        """Whether any pair differs at the level alpha, for all pairs at once."""
        return self.p_value <= self.alpha

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if self.statistic == 0:
            return "win/draw/loss: no method wins more often than it loses against any other."
        i, j = self._most_different()
        wins, draws, losses = self.wins[i, j], self.draws[i, j], self.losses[i, j]
        how = "significantly better" if self.by_test else "better"
        luck = "more than luck explains" if self.is_significant else "but it may be luck"
        most = "" if len(self.names) == 2 else " (the largest difference of all pairs)"
        return (
            f"win/draw/loss: {self.names[i]} is {how} than {self.names[j]} on {wins} of "
            f"{self.n_sets} data sets, no different on {draws} and worse on {losses}{most}, {luck} "
            f"(sign test, {in_words(self.p_value)})."
        )

    def to_text(self) -> str:
        """Show all pairs as a table of wins/draws/losses: the row's method against the column's.

        Returns
        -------
        str
            The table.
        """
        n = len(self.names)
        cells = [
            [
                "-" if i == j else f"{self.wins[i, j]}/{self.draws[i, j]}/{self.losses[i, j]}"
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


def win_draw_loss(
    errors: ArrayLike,
    p_values: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> WinDrawLoss:
    """Count on how many data sets each method is better, equal or worse than each other.

    Parameters
    ----------
    errors : array-like of shape (n_sets, n_methods)
        Errors, one row per data set, one column per method; less is better.
    p_values : array-like of shape (n_sets, n_methods, n_methods), optional
        For each data set, p-values of tests of all pairs, such as `five_by_two_cv_f_test` gives. A
        lower error then counts as a win if the p-value is at most alpha, and else as a draw. By
        default every lower error is a win; errors that differ only by rounding are draws. The
        diagonal is not looked at.
    names : sequence of str, optional
        Names of the methods.
    alpha : float, default=0.05
        Level of significance, of the given p-values and of the sentence.

    Returns
    -------
    WinDrawLoss
        The counts, sign tests of all pairs, and a sentence.

    Examples
    --------
    >>> import mixedwood as mw
    >>> errors = [[0.10, 0.12, 0.15], [0.20, 0.21, 0.25], [0.05, 0.07, 0.05], [0.30, 0.31, 0.35]]
    >>> result = mw.stats.win_draw_loss(errors, names=["forest", "tree", "stump"])
    >>> print(result.to_text())
            forest   tree  stump
    forest       -  4/0/0  3/1/0
    tree     0/0/4      -  3/0/1
    stump    0/1/3  1/0/3      -
    >>> float(result.p_values[0, 1])
    0.125
    """
    table = read_errors(errors)
    n_sets, n_methods = table.shape
    level = read_alpha(alpha)
    rounding = np.array([rounding_of(row) for row in table])[:, None, None]
    gaps = table[:, :, None] - table[:, None, :]
    gaps = np.where(np.abs(gaps) <= rounding, 0.0, gaps)
    if p_values is not None:
        gaps[_read_p_values(p_values, n_sets, n_methods) > level] = 0.0
    wins = np.sum(gaps < 0, axis=0)
    losses = np.sum(gaps > 0, axis=0)
    tests = _sign_test(wins, losses)
    draws = n_sets - wins - losses
    for array in (wins, draws, losses, tests):
        array.setflags(write=False)
    return WinDrawLoss(
        wins=wins,
        draws=draws,
        losses=losses,
        p_values=tests,
        n_sets=n_sets,
        names=read_names(names, n_methods),
        by_test=p_values is not None,
        alpha=level,
    )


def _read_p_values(p_values: ArrayLike, n_sets: int, n_methods: int) -> NDArray[np.float64]:
    shape = (n_sets, n_methods, n_methods)
    given = as_numbers(p_values, "p_values")
    if given.shape != shape:
        raise ValueError(
            f"p_values has the shape {given.shape}; one table of all pairs of methods for each "
            f"data set is needed: {shape}."
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
