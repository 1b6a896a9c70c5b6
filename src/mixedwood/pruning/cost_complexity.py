"""Cost-complexity pruning (Breiman et al. 1984): the path of trees, and the choice of one of them.

The link of an inner node t is as strong as the risk it avoids per additional leaf,
g(t) = (R(t) - R(leaves below t)) / (leaves below t - 1). Cutting the node with the smallest g first
gives nested trees, each the smallest that minimizes R(tree) + alpha * leaves for its alphas.
Cross-validation chooses among them: trees grown without one fold of the rows and pruned at the same
alphas estimate the error on new rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _core, _folds
from mixedwood import _kinds as kinds
from mixedwood.data import Table, Target, check_same_length
from mixedwood.pruning.losses import path_losses, path_losses_of_sums
from mixedwood.pruning.shrinkage import (
    shrink,
    shrunk_labels,
    shrunk_probabilities,
    shrunk_values,
)
from mixedwood.tree import Tree
from mixedwood.tree.tree import LOSS

__all__ = [
    "CostComplexityPath",
    "CrossValidatedPath",
    "HeldOut",
    "check_same_classes",
    "cost_complexity_path",
    "cross_validated_alpha",
    "cross_validated_counts",
    "node_counts",
    "path_errors",
    "stratified_folds",
]

RandomState: TypeAlias = int | np.random.Generator | None
Risk: TypeAlias = Literal["error", "impurity"]

_EQUAL = 1e-9  # errors closer than this are equal: sums of weights are rounded


@dataclass(frozen=True)
class CostComplexityPath:
    """The nested trees of cost-complexity pruning.

    Attributes
    ----------
    full : Tree
        The tree that is pruned.
    ccp_alphas : ndarray of float64
        The alphas at which the tree changes, ascending from 0: ``tree(alpha)`` is the same for all
        alphas from one entry up to the next.
    n_leaves : ndarray of int64
        Number of leaves of the tree at each alpha.
    risks : ndarray of float64
        Training risk of the tree at each alpha, per unit of weight.
    cut_at : ndarray of float64
        For each node of `full`, the alpha from which it is a leaf. Infinite for the leaves of
        `full`, and for nodes that never become one because a node above them is pruned first.
    """

    full: Tree
    ccp_alphas: NDArray[np.float64]
    n_leaves: NDArray[np.int64]
    risks: NDArray[np.float64]
    cut_at: NDArray[np.float64]

    _fitted: ClassVar[kinds.Fitted] = {
        "full": kinds.instance(Tree),
        "ccp_alphas": kinds.array(np.float64, 1, kinds.NONNEGATIVE),
        "n_leaves": kinds.array(np.int64, 1, kinds.AT_LEAST_ONE),
        "risks": kinds.array(np.float64, 1, kinds.FINITE),
        "cut_at": kinds.array(np.float64, 1, kinds.NOT_NEGATIVE),
    }

    def _check_fitted(self) -> None:
        if not len(self.ccp_alphas) == len(self.n_leaves) == len(self.risks):
            raise ValueError("the arrays of the pruning path differ in length")
        if (np.diff(self.ccp_alphas) < 0).any() or (np.diff(self.n_leaves) > 0).any():
            raise ValueError("the pruning path does not go from large trees to small ones")
        if len(self.cut_at) != self.full.n_nodes:
            raise ValueError("cut_at of the pruning path has not one number for each node")

    def tree(self, alpha: float) -> Tree:
        """Return the smallest tree that minimizes risk plus `alpha` per leaf.

        Examples
        --------
        >>> import mixedwood.pruning, mixedwood.tree as build
        >>> from mixedwood.data import Column, Schema
        >>> builder = build.TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
        >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
        >>> path = mixedwood.pruning.cost_complexity_path(builder.build())
        >>> path.ccp_alphas.round(6).tolist(), path.tree(0.2).n_leaves, path.tree(0.4).n_leaves
        ([0.0, 0.3], 2, 1)
        """
        if not alpha >= 0:
            raise ValueError(f"alpha must be in the range [0, inf]. Got {alpha!r} instead.")
        return self.full.prune_at(np.flatnonzero(self.cut_at <= alpha))


@dataclass(frozen=True)
class CrossValidatedPath:
    """The trees of a path with their cross-validated errors, and the one that was chosen.

    Attributes
    ----------
    path : CostComplexityPath
        The path of the tree that was grown on all rows.
    errors : ndarray of float64
        For each alpha of the path, with the chosen strength of shrinkage, the fraction of the
        held-out weight that was misclassified, the mean cost of the predictions if the tree has
        costs, or the mean loss if numbers are predicted; NaN if no rows were held out.
    standard_errors : ndarray of float64
        Standard error of each error.
    best : int
        Position of the smallest error; of equal errors, the one with the smaller tree.
    chosen : int
        Position of the tree that was chosen.
    shrinkage : float
        Strength of the shrinkage that was chosen with it; 0 if none.
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
        """The complexity parameter of the chosen tree."""
        return float(self.path.ccp_alphas[self.chosen])

    def tree(self) -> Tree:
        """Return the chosen tree."""
        return shrink(self.path.tree(self.ccp_alpha), self.shrinkage)


def cost_complexity_path(tree: Tree, risk: Risk = "error") -> CostComplexityPath:
    """Find the nested trees of cost-complexity pruning.

    Takes time n log n for n nodes. Alphas that differ by no more than 1e-12 of the root's risk are
    merged.

    Parameters
    ----------
    tree : Tree
        The tree to prune.
    risk : {"error", "impurity"}, default="error"
        Risk of a leaf: the training weight that its label misclassifies, as in CART, times the
        costs of these mistakes if the tree has costs; or its weight times its Gini impurity, as in
        scikit-learn's ``ccp_alpha``. The risk of a tree that predicts numbers is its loss.

    Returns
    -------
    CostComplexityPath
        The alphas where the tree changes, and the trees.

    See Also
    --------
    cross_validated_alpha : Chooses one of the trees.

    Examples
    --------
    >>> from mixedwood.data import Column, Schema
    >>> from mixedwood.tree import TreeBuilder
    >>> builder = TreeBuilder(Schema((Column("x", "numeric"),)), ["a", "b"], [6, 4])
    >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> path = cost_complexity_path(builder.build())
    >>> path.n_leaves.tolist(), path.risks.tolist()
    ([2, 1], [0.1, 0.4])
    """
    total = float(tree.statistics[0, 0] if tree.is_numeric else tree.statistics[0].sum())
    if not 0 < total < np.inf:
        raise ValueError(
            "Cost-complexity pruning needs a tree whose root has a positive, finite weight."
        )
    # Dividing by the weight last keeps the risks of unweighted rows integers, and the path exact.
    alphas, n_leaves, risks, cut_at = _core.cost_complexity(tree.parent, _node_risks(tree, risk))
    return CostComplexityPath(tree, alphas / total, n_leaves, risks / total, cut_at / total)


def path_errors(
    path: CostComplexityPath,
    table: Table,
    target: Target,
    alphas: ArrayLike | None = None,
    strengths: Sequence[float] | None = None,
    *,
    cost_matrix: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Count the errors on some rows of every tree of a path at once, or add up their costs.

    Rows are routed once through the full tree, which gives the predictions of all smaller trees.
    A tree that divides rows among children has to predict again for each alpha.

    Parameters
    ----------
    path : CostComplexityPath
        The trees.
    table, target : Table, Target
        The rows, with the tree's schema and classes.
    alphas : array-like of float, optional
        Complexity parameters in ascending order; may be infinite. By default those of the path.
    strengths : sequence of float, optional
        Strengths of shrinkage (`shrink`) of the trees; the result then has one row for each.
    cost_matrix : ndarray of shape (n_classes, n_classes), optional
        Costs of mistakes in place of those of the trees. The predictions do not depend on it.

    Returns
    -------
    ndarray of float64
        For each alpha, the weight of the rows that ``path.tree(alpha)`` misclassifies, times the
        costs of these mistakes.

    Examples
    --------
    >>> from mixedwood.data import read_table, read_target
    >>> from mixedwood.tree import TreeBuilder
    >>> table, target = read_table({"x": [1.0, 2.0, 3.0]}), read_target(["a", "b", "b"])
    >>> builder = TreeBuilder(table.schema, ["a", "b"], [6, 4])
    >>> _ = builder.split_interval(0, "x", [[6, 1], [0, 3]], high=2.5)
    >>> path = cost_complexity_path(builder.build())
    >>> path_errors(path, table, target).tolist()
    [1.0, 2.0]
    """
    tree = path.full
    grid = np.ascontiguousarray(path.ccp_alphas if alphas is None else alphas, dtype=np.float64)
    if grid.ndim != 1 or not (grid >= 0).all() or not (grid[1:] >= grid[:-1]).all():
        raise ValueError("alphas must be non-negative and in ascending order.")
    if strengths is None:
        return np.asarray(
            path_errors(path, table, target, grid, (0.0,), cost_matrix=cost_matrix)[0]
        )
    costs = tree.cost_matrix if cost_matrix is None else cost_matrix
    if tree.is_fractional:
        return np.array(
            [_errors_one_by_one(path, table, target, grid, s, costs) for s in strengths]
        )
    return _errors_of_counts(path, node_counts(tree, table, target), grid, strengths, costs)


def _errors_of_counts(
    path: CostComplexityPath,
    counts: NDArray[np.float64],
    grid: NDArray[np.float64],
    strengths: Sequence[float],
    costs: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Errors on rows of which only the class weights that end in each node are known."""
    tree = path.full
    # Probabilities of a node depend on the nodes above it only, so pruning does not change them.
    labels = [
        tree.label if s == 0 else shrunk_labels(tree, shrunk_probabilities(tree, s))
        for s in strengths
    ]
    return np.array(
        [
            _core.path_errors(tree.parent, label, counts, path.cut_at, grid, costs)
            for label in labels
        ]
    )


def _errors_one_by_one(
    path: CostComplexityPath,
    table: Table,
    target: Target,
    grid: NDArray[np.float64],
    strength: float,
    costs: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Errors of trees that divide rows among children, where a row has no single path."""
    check_same_classes(path.full, target)
    check_same_length(table, target)
    steps = np.searchsorted(path.ccp_alphas, grid, side="right") - 1  # same step, same tree
    errors = np.empty(len(grid))
    for step in np.unique(steps):
        tree = shrink(path.tree(path.ccp_alphas[step]), strength)
        errors[steps == step] = target.total_cost(tree.predict_codes(table), costs)
    return errors


def _node_risks(tree: Tree, risk: Risk) -> NDArray[np.float64]:
    if tree.is_numeric:
        return np.ascontiguousarray(tree.statistics[:, LOSS])
    if risk == "error":
        return tree.node_costs
    if risk == "impurity":
        weights = tree.statistics.sum(axis=1)
        return np.asarray(weights * np.maximum(1 - (tree.probabilities**2).sum(axis=1), 0.0))
    raise ValueError(f"risk must be 'error' or 'impurity'. Got {risk!r} instead.")


def cross_validated_alpha(
    grow: Callable[[Table, Target], Tree],
    table: Table,
    target: Target,
    *,
    cv: int = 10,
    se_rule: float = 1.0,
    risk: Risk = "error",
    random_state: RandomState = None,
    n_repeats: int = 1,
    folds: ArrayLike | None = None,
    copies_of: ArrayLike | None = None,
    strengths: Sequence[float] = (0.0,),
) -> CrossValidatedPath:
    """Grow a tree, and choose a tree of its path by cross-validation.

    The candidates are the trees of the full tree's path. The one for alphas from ``alphas[k]`` to
    ``alphas[k + 1]`` is evaluated by trees grown without one fold each and pruned at
    ``sqrt(alphas[k] * alphas[k + 1])``; the last one by their roots. The smallest tree whose error
    is at most `se_rule` standard errors above the smallest error is chosen.

    Parameters
    ----------
    grow : callable
        Takes a table and a target, and returns a tree with the table's schema and the target's
        classes. It is called once with all rows and once for each fold of each repetition; classes
        may be absent from a fold.
    table, target : Table, Target
        All rows.
    n_folds : int, default=10
        Number of folds, at least 2; never more than there are rows with weight.
    se_rule : float, default=1.0
        Maximum number of standard errors between the error of the chosen tree and the smallest
        error. 0 chooses the smallest error.
    risk : {"error", "impurity"}, default="error"
        Risk of a leaf on the path; see `cost_complexity_path`. Trees are compared by their errors
        in either case.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the folds.
    n_repeats : int, default=1
        Number of times that rows are divided into folds. Errors are averaged, which makes the
        choice less random. Standard errors are those of one division.
    folds : array-like of int, one per row, optional
        The fold of each row, instead of `cv` and `random_state`. Copies of a row belong in
        the same fold.
    copies_of : array-like of int, one per row, optional
        In a sample with replacement, the original row of each row; see `stratified_folds`.
    strengths : sequence of float, default=(0.0,)
        Candidate strengths of shrinkage; see `shrink`. The strength with the smallest error of the
        chosen tree is used, the weakest of equal ones.

    Returns
    -------
    CrossValidatedPath
        All candidates, and the chosen tree.

    Notes
    -----
    With R the fraction of misclassified weight, the standard error is ``sqrt(R * (1 - R) / N)``. N
    is the number of rows or, for weighted rows, Kish's effective number
    ``sum(weights)**2 / sum(weights**2)``: rows of weight 0 do not count, and the scale of the
    weights does not matter. With costs or numbers, R is the mean cost or loss of held-out rows, and
    R * (1 - R) their variance.

    With less than two rows, one class or a constant target the full tree is chosen, and the errors
    are NaN.

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
    >>> found = cross_validated_alpha(stump, table, target, cv=3, random_state=0)
    >>> found.path.n_leaves.tolist(), found.errors.round(3).tolist(), found.tree().n_leaves
    ([2, 1], [0.222, 0.444], 2)
    """
    check_same_length(table, target)
    if not 0 <= se_rule < np.inf:
        raise ValueError(f"se_rule must be in the range [0, inf). Got {se_rule!r} instead.")
    divisions = _divisions(target, folds, cv, n_repeats, random_state, copies_of)
    path = cost_complexity_path(_grown(grow, table, target), risk)
    weights = _weights(target)
    truth = target.codes if target.values is None else target.values
    if np.count_nonzero(weights) < 2 or np.ptp(truth[weights > 0]) == 0:
        return _undivided(path)
    alphas, tried = _grid(path), _tried(strengths)
    # Sums of costs or losses, and of their squares; both are the errors if every mistake costs 1.
    costs = target.cost_matrix
    measured = target.is_numeric or costs is not None
    powers = _powers(costs)
    wrong = np.zeros((2 if measured else 1, len(tried), len(alphas)))
    n_divisions = 0
    for division in divisions:
        wrong += _left_out_errors(grow, table, target, division, alphas, risk, tried, powers)
        n_divisions += 1
    relative = weights / 2.0 ** np.floor(np.log2(weights.max()))  # squares must not overflow
    return _choose(
        path,
        wrong / (n_divisions * weights.sum()),
        float(relative.sum() ** 2 / (relative**2).sum()),
        se_rule,
        tried,
        costs,
        is_numeric=target.is_numeric,
    )


def _grid(path: CostComplexityPath) -> NDArray[np.float64]:
    """Alphas at which trees of other rows are compared with those of a path."""
    return np.append(np.sqrt(path.ccp_alphas[:-1] * path.ccp_alphas[1:]), np.inf)


def _tried(strengths: Sequence[float]) -> list[float]:
    return sorted({float(strength) for strength in strengths})


def _powers(costs: NDArray[np.float64] | None) -> list[NDArray[np.float64] | None]:
    return [None] if costs is None else [costs, costs**2]


def _choose(
    path: CostComplexityPath,
    means: NDArray[np.float64],
    n_effective: float,
    se_rule: float,
    tried: list[float],
    costs: NDArray[np.float64] | None,
    *,
    is_numeric: bool,
) -> CrossValidatedPath:
    """Choose by mean errors, losses or costs, and their squares, of each strength and alpha."""
    measured = is_numeric or costs is not None
    by_strength = means[0] if measured else np.minimum(means[0], 1.0)
    equal = _EQUAL
    if is_numeric:  # losses have the unit of the target
        equal *= float(by_strength[:, -1].max())
    elif costs is not None:
        equal *= max(float(costs.max()), np.finfo(float).tiny)
    least = by_strength.min()
    variances = by_strength * (1 - by_strength)
    if measured:
        variances = np.maximum(means[1] - by_strength**2, 0.0)
    spread = np.sqrt(variances / n_effective)
    limit = least + se_rule * spread.flat[int(by_strength.argmin())] + equal
    chosen = _last((by_strength <= limit).any(axis=0))
    place = int(np.argmax(by_strength[:, chosen] <= by_strength[:, chosen].min() + equal))
    errors, standard_errors = by_strength[place], spread[place]
    best = _last(errors <= errors.min() + equal)
    return CrossValidatedPath(path, errors, standard_errors, best, chosen, tried[place])


class HeldOut(NamedTuple):
    """A tree that was grown without some rows, and where these end.

    Attributes
    ----------
    tree : Tree
        The tree.
    counts : ndarray of shape (n_nodes, n_classes), or list of sums
        Class weights of those rows that end in each node; for numbers, the sums that
        `path_losses_of_sums` takes.
    """

    tree: Tree
    counts: Any


def cross_validated_counts(
    tree: Tree,
    held_out: Sequence[HeldOut],
    n_effective: float,
    *,
    n_divisions: int = 1,
    se_rule: float = 1.0,
    risk: Risk = "error",
    strengths: Sequence[float] = (0.0,),
) -> CrossValidatedPath:
    """Choose as `cross_validated_alpha` does, from trees and counts that were made before.

    Parameters
    ----------
    tree : Tree
        The tree of all rows.
    held_out : sequence of HeldOut
        For each fold, the tree of all others; none if the table cannot be divided.
    n_effective : float
        Effective number of rows.
    n_divisions, se_rule, risk, strengths
        As for `cross_validated_alpha`.
    """
    path = cost_complexity_path(tree, risk)
    if not held_out:
        return _undivided(path)
    alphas, tried, costs = _grid(path), _tried(strengths), tree.cost_matrix
    powers = _powers(costs)
    wrong = np.zeros((2 if tree.is_numeric else len(powers), len(tried), len(alphas)))
    for fold in held_out:
        found = cost_complexity_path(fold.tree, risk)
        if tree.is_numeric:
            values = [shrunk_values(fold.tree, s)[:, 0] for s in tried]
            sums = path_losses_of_sums(fold.tree, found.cut_at, fold.counts, alphas, values)
            wrong += np.stack([sums.losses, sums.squares])
            continue
        for errors, power in zip(wrong, powers, strict=True):
            matrix = fold.tree.cost_matrix if power is None else power
            errors += _errors_of_counts(found, fold.counts, alphas, tried, matrix)
    root = tree.statistics[0]
    means = wrong / (n_divisions * (root[0] if tree.is_numeric else root.sum()))
    return _choose(path, means, n_effective, se_rule, tried, costs, is_numeric=tree.is_numeric)


def _undivided(path: CostComplexityPath) -> CrossValidatedPath:
    unknown = np.full(len(path.ccp_alphas), np.nan)
    return CrossValidatedPath(path, unknown, unknown.copy(), 0, 0)


def stratified_folds(
    target: Target,
    n_folds: int = 10,
    random_state: RandomState = None,
    *,
    copies_of: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """Divide rows at random into folds of nearly equal size and class distribution.

    The rows of each class are shuffled and assigned to the folds in turn, so that sizes and class
    counts differ by at most one. Rows of weight 0 are treated as one more class.

    Parameters
    ----------
    target : Target
        The rows.
    n_folds : int, default=10
        Number of folds, at least 2; never more than there are rows with weight.
    random_state : int, numpy.random.Generator or None, default=None
        Seed.
    copies_of : array-like of int, one per row, optional
        In a sample with replacement, the original row of each row. All copies of a row are then in
        the same fold, since a tree fitted to a row has seen its copies.

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
    cv: int,
    n_repeats: int,
    random_state: RandomState,
    copies_of: ArrayLike | None,
) -> Iterable[NDArray[Any]]:
    """Divisions into folds, checked now and made one by one."""
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1. Got {n_repeats!r} instead.")
    if folds is None:
        if cv < 2:
            raise ValueError(f"cv must be at least 2. Got {cv!r} instead.")
        rng = np.random.default_rng(random_state)
        return (stratified_folds(target, cv, rng, copies_of=copies_of) for _ in range(n_repeats))
    if n_repeats != 1:
        raise ValueError(f"n_repeats must be 1 if folds are given. Got {n_repeats!r} instead.")
    given = np.asarray(folds)
    if given.shape != (target.n_rows,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"folds must be {target.n_rows} integers, one per row. Got {given.dtype} of "
            f"shape {given.shape} instead."
        )
    reached = given[_weights(target) > 0]
    if len(reached) > 1 and (reached == reached[0]).all():
        raise ValueError("All rows with weight are in one fold. Pass at least two folds.")
    return [given]


def _left_out_errors(
    grow: Callable[[Table, Target], Tree],
    table: Table,
    target: Target,
    folds: NDArray[Any],
    alphas: NDArray[np.float64],
    risk: Risk,
    strengths: list[float],
    cost_matrices: Sequence[NDArray[np.float64] | None],
) -> NDArray[np.float64]:
    """Costs on every fold of the trees grown without it, for each matrix, strength and alpha.

    For numbers: losses and their squares.
    """
    n_sums = 2 if target.is_numeric else len(cost_matrices)
    wrong = np.zeros((n_sums, len(strengths), len(alphas)))
    for fold in np.unique(folds):
        out = folds == fold
        tree = _grown(grow, table.take(~out), target.take(~out))
        path = cost_complexity_path(tree, risk)
        left_out = table.take(out), target.take(out)
        if target.is_numeric:
            values = [shrunk_values(tree, s)[:, 0] for s in strengths]
            sums = path_losses(tree, path.cut_at, *left_out, alphas, values)
            wrong += np.stack([sums.losses, sums.squares])
            continue
        for errors, costs in zip(wrong, cost_matrices, strict=True):
            errors += path_errors(path, *left_out, alphas, strengths, cost_matrix=costs)
    return wrong


def _grown(grow: Callable[[Table, Target], Tree], table: Table, target: Target) -> Tree:
    tree = grow(table, target)
    if not np.array_equal(tree.classes, target.classes):
        raise ValueError(
            "grow must return a tree with target.classes, including classes without rows."
        )
    return tree


def _weights(target: Target) -> NDArray[np.float64]:
    return np.ones(target.n_rows) if target.weights is None else target.weights


def _last(marked: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(marked)[-1])


def node_counts(tree: Tree, table: Table, target: Target) -> NDArray[np.float64]:
    """Give the class weights of the rows that end in each node, one row per node.

    Rows end in leaves, or in an inner node if a missing value or an unknown category stops them. A
    row that a split divides among the children counts in each by its part.
    """
    check_same_classes(tree, target)
    check_same_length(table, target)
    return tree.class_weights(table, target.codes, target.weights)


def check_same_classes(tree: Tree, target: Target) -> None:
    """Raise a ValueError unless tree and target have the same classes."""
    if not np.array_equal(target.classes, tree.classes):
        raise ValueError("The rows have other classes than the tree.")
