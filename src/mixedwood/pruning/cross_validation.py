"""Choose one of the trees of cost-complexity pruning by cross-validation (Breiman et al. 1984).

A tree is grown on all rows, and its path holds the candidates. Trees grown without one part of the
rows, pruned for the same prices, say how candidates do on rows that were not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _folds
from mixedwood import _kinds as kinds
from mixedwood.data import Table, Target, check_same_length
from mixedwood.pruning.cost_complexity import (
    CostComplexityPath,
    cost_complexity_path,
    path_errors,
)
from mixedwood.pruning.shrinkage import shrink
from mixedwood.tree import Tree

__all__ = ["CrossValidatedPath", "cross_validated_alpha", "stratified_folds"]

RandomState: TypeAlias = int | np.random.Generator | None

_EQUAL = 1e-9  # errors closer than this are equal: sums of weights are rounded


@dataclass(frozen=True)
class CrossValidatedPath:
    """The trees of a path with their cross-validated errors, and the one that was chosen.

    Attributes
    ----------
    path : CostComplexityPath
        The path of the tree that was grown on all rows.
    errors : ndarray of float64
        For each alpha of the path, with the chosen strength of shrinkage, the share of the weight
        that was misclassified while it was left out; NaN if nothing was left out.
    standard_errors : ndarray of float64
        Of each error.
    best : int
        Position of the smallest error; of equal errors, that of the smaller tree.
    chosen : int
        Position of the tree that the rule chose.
    shrinkage : float
        Strength of the shrinkage that was chosen with it; 0 for none.
    """

    path: CostComplexityPath
    errors: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    best: int
    chosen: int
    shrinkage: float = 0.0

    _fitted: ClassVar[kinds.Fitted] = {
        "path": kinds.instance(CostComplexityPath),
        "errors": kinds.array(np.float64, 1, kinds.MISSING_OR_NONNEGATIVE),
        "standard_errors": kinds.array(np.float64, 1, kinds.MISSING_OR_NONNEGATIVE),
        "best": kinds.COUNT,
        "chosen": kinds.COUNT,
        "shrinkage": kinds.number(kinds.NONNEGATIVE),
    }

    def _check_fitted(self) -> None:
        n = len(self.path.ccp_alphas)
        if (
            not len(self.errors) == len(self.standard_errors) == n
            or max(self.best, self.chosen) >= n
        ):
            raise ValueError("the errors of the pruning path do not fit its trees")

    @property
    def ccp_alpha(self) -> float:
        """Price per leaf of the chosen tree."""
        return float(self.path.ccp_alphas[self.chosen])

    def tree(self) -> Tree:
        """Return the chosen tree."""
        return shrink(self.path.tree(self.ccp_alpha), self.shrinkage)


def cross_validated_alpha(
    grow: Callable[[Table, Target], Tree],
    table: Table,
    target: Target,
    *,
    n_folds: int = 10,
    se_rule: float = 1.0,
    cost: Literal["error", "impurity"] = "error",
    random_state: RandomState = None,
    n_repeats: int = 1,
    folds: ArrayLike | None = None,
    copies_of: ArrayLike | None = None,
    strengths: Sequence[float] = (0.0,),
) -> CrossValidatedPath:
    """Grow a tree, and prune it as far as cross-validation allows.

    The candidates are the trees of the full tree's path. The one for alphas from ``alphas[k]`` to
    ``alphas[k + 1]`` is judged by trees grown without one fold each and pruned for
    ``sqrt(alphas[k] * alphas[k + 1])``; the last one by their roots. Chosen is the smallest tree
    whose error is at most `se_rule` standard errors above the smallest error.

    Parameters
    ----------
    grow : callable
        Takes a table and a target, and returns a tree with the table's schema and the target's
        classes. It is called once with all rows and once for each fold of each repetition; a fold
        may lack some class.
    table, target : Table, Target
        All rows.
    n_folds : int, default=10
        Number of folds, at least 2; never more than there are rows with weight.
    se_rule : float, default=1.0
        How many standard errors above the smallest error the chosen tree may be. 0 chooses the
        smallest error.
    cost : {"error", "impurity"}, default="error"
        What a leaf costs on the path; see `cost_complexity_path`. Errors are counted either way.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the folds.
    n_repeats : int, default=1
        Errors are averaged over this many divisions into folds, which makes the choice depend less
        on chance. Standard errors stay those of one: there are no more rows than before.
    folds : array-like of int, one per row, optional
        The fold of each row, in place of `n_folds` and `random_state`. Copies of a row belong in
        the same fold.
    copies_of : array-like of int, one per row, optional
        In a sample with repetition, which row each is a copy of; see `stratified_folds`.
    strengths : sequence of float, default=(0.0,)
        Strengths of shrinkage to choose from along with the tree; see `shrink`. Of those that the
        rule allows for the chosen tree, the one with the least error; the weakest of equals.

    Returns
    -------
    CrossValidatedPath
        All candidates, and the chosen tree.

    Notes
    -----
    With R the share of misclassified weight, the standard error is ``sqrt(R * (1 - R) / N)``. N is
    the number of rows or, for weighted rows, Kish's effective number
    ``sum(weights)**2 / sum(weights**2)``: rows of weight 0 do not count, and the scale of the
    weights does not matter.

    With less than two rows or one class there is nothing to validate: the full tree is chosen, and
    the errors are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> def stump(table, target):
    ...     builder = TreeBuilder(table.schema, target.classes, np.bincount(target.codes))
    ...     low = table["x"] <= 4.5
    ...     counts = [np.bincount(target.codes[side], minlength=2) for side in (low, ~low)]
    ...     _ = builder.split_interval(0, "x", counts, high=4.5)
    ...     return builder.build()
    >>> table, target = read_table({"x": np.arange(9.0)}), read_target(list("aaaababbb"))
    >>> found = cross_validated_alpha(stump, table, target, n_folds=3, random_state=0)
    >>> found.path.n_leaves.tolist(), found.errors.round(3).tolist(), found.tree().n_leaves
    ([2, 1], [0.222, 0.444], 2)
    """
    check_same_length(table, target)
    if not 0 <= se_rule < np.inf:
        raise ValueError(f"se_rule is a number of standard errors, zero or more; got {se_rule!r}.")
    divisions = _divisions(target, folds, n_folds, n_repeats, random_state, copies_of)
    path = cost_complexity_path(_grown(grow, table, target), cost)
    weights = _weights(target)
    if np.count_nonzero(weights) < 2 or np.ptp(target.codes[weights > 0]) == 0:
        unknown = np.full(len(path.ccp_alphas), np.nan)
        return CrossValidatedPath(path, unknown, unknown.copy(), 0, 0)

    prices = np.append(np.sqrt(path.ccp_alphas[:-1] * path.ccp_alphas[1:]), np.inf)
    tried = sorted({float(strength) for strength in strengths})
    wrong = np.zeros((len(tried), len(prices)))
    n_divisions = 0
    for division in divisions:
        wrong += _left_out_errors(grow, table, target, division, prices, cost, tried)
        n_divisions += 1
    by_strength = np.minimum(wrong / (n_divisions * weights.sum()), 1.0)
    relative = weights / weights.max()  # squares of extreme weights are not numbers any more
    n_effective = relative.sum() ** 2 / (relative**2).sum()
    least = by_strength.min()
    limit = least + se_rule * np.sqrt(least * (1 - least) / n_effective) + _EQUAL
    chosen = _last((by_strength <= limit).any(axis=0))
    place = int(np.argmax(by_strength[:, chosen] <= by_strength[:, chosen].min() + _EQUAL))
    errors = by_strength[place]
    standard_errors = np.sqrt(errors * (1 - errors) / n_effective)
    best = _last(errors <= errors.min() + _EQUAL)
    return CrossValidatedPath(path, errors, standard_errors, best, chosen, tried[place])


def stratified_folds(
    target: Target,
    n_folds: int = 10,
    random_state: RandomState = None,
    *,
    copies_of: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Divide rows at random into folds of nearly equal size and class distribution.

    The rows of one class after the other are shuffled and dealt out in turn, so that sizes and
    class counts differ by at most one. Rows of weight 0 come last, as if they were a class.

    Parameters
    ----------
    target : Target
        The rows.
    n_folds : int, default=10
        Number of folds, at least 2; never more than there are rows with weight.
    random_state : int, numpy.random.Generator or None, default=None
        Seed.
    copies_of : array-like of int, one per row, optional
        In a sample with repetition, which row each is a copy of. The distinct rows are then
        divided, and copies stay together: a tree that was grown on a row knows its copy.

    Returns
    -------
    ndarray of int64
        The fold of each row, from 0.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> folds = stratified_folds(read_target(list("aaaabb")), 2, random_state=0)
    >>> sorted(zip(folds.tolist(), "aaaabb"))
    [(0, 'a'), (0, 'a'), (0, 'b'), (1, 'a'), (1, 'a'), (1, 'b')]
    """
    return _folds.stratified_folds(
        target.codes,
        n_folds,
        np.random.default_rng(random_state),
        weights=target.weights,
        copies_of=copies_of,
    )


def _divisions(
    target: Target,
    folds: ArrayLike | None,
    n_folds: int,
    n_repeats: int,
    random_state: RandomState,
    copies_of: ArrayLike | None,
) -> Iterable[NDArray[Any]]:
    """Divisions into folds, checked now and made one by one."""
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1; got {n_repeats!r}.")
    if folds is None:
        if n_folds < 2:
            raise ValueError(f"n_folds must be at least 2; got {n_folds!r}.")
        rng = np.random.default_rng(random_state)
        return (
            stratified_folds(target, n_folds, rng, copies_of=copies_of) for _ in range(n_repeats)
        )
    if n_repeats != 1:
        raise ValueError("with given folds there is one division; leave n_repeats at 1.")
    given = np.asarray(folds)
    if given.shape != (target.n_rows,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be {target.n_rows} whole numbers, one per row; got {given.dtype} of "
            f"shape {given.shape}."
        )
    reached = given[_weights(target) > 0]
    if len(reached) > 1 and (reached == reached[0]).all():
        raise ValueError("all rows with weight are in one fold; give at least two folds.")
    return [given]


def _left_out_errors(
    grow: Callable[[Table, Target], Tree],
    table: Table,
    target: Target,
    folds: NDArray[Any],
    prices: NDArray[np.float64],
    cost: Literal["error", "impurity"],
    strengths: list[float],
) -> NDArray[np.float64]:
    """Errors on every fold of the trees grown without it, for each strength and price."""
    wrong = np.zeros((len(strengths), len(prices)))
    for fold in np.unique(folds):
        out = folds == fold
        tree = _grown(grow, table.take(~out), target.take(~out))
        path = cost_complexity_path(tree, cost)
        wrong += path_errors(path, table.take(out), target.take(out), prices, strengths)
    return wrong


def _grown(grow: Callable[[Table, Target], Tree], table: Table, target: Target) -> Tree:
    tree = grow(table, target)
    if not np.array_equal(tree.classes, target.classes):
        raise ValueError(
            "grow returned a tree with other classes than its target's; make the tree with "
            "target.classes, whether or not all of them have rows."
        )
    return tree


def _weights(target: Target) -> NDArray[np.float64]:
    return np.ones(target.n_rows) if target.weights is None else target.weights


def _last(marked: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(marked)[-1])
