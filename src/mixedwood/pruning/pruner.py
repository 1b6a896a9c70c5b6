"""Pruners by name with options, and growing a tree that one or more of them prune."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from mixedwood._folds import hold_out_per_class
from mixedwood._parts import Option, Part, PartInfo
from mixedwood.data import Table, Target
from mixedwood.pruning.collapse import collapse, merge_equal_leaves
from mixedwood.pruning.cost_complexity import CrossValidatedPath, cross_validated_alpha
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.reduced_error import reduced_error
from mixedwood.tree import Tree

__all__ = [
    "SHRINKAGE",
    "Pruned",
    "Pruner",
    "folds_for",
    "grow_and_prune",
    "pruners",
    "repeats_for",
]

Grow = Callable[[Table, Target], Tree]

SHRINKAGE = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0)

_KNOWN = {
    "cost_complexity": PartInfo(
        "prune the weakest links; the size is chosen by cross-validation",
        (
            Option("cv", "auto", int, choices=("auto",), low=2, closed="left"),
            Option("n_repeats", "auto", int, choices=("auto",), low=1, closed="left"),
            Option("se_rule", 0.25, float, low=0, closed="left"),
            Option("risk", "error", str, choices=("error", "impurity")),
            Option("shrinkage", True, bool),
        ),
    ),
    "pessimistic": PartInfo(
        "prune by an upper limit of the error, with subtree raising (C4.5)",
        (
            Option("confidence", 0.25, float, low=0, high=0.5, closed="right"),
            Option("subtree_raising", True, bool),
        ),
    ),
    "reduced_error": PartInfo(
        "hold out rows, and prune splits that do not reduce their error",
        (Option("validation_fraction", 1 / 3, float, low=0, high=1, closed="neither"),),
    ),
    "collapse": PartInfo("undo splits that do not lower the training error"),
    "merge_equal": PartInfo("undo splits that change no prediction"),
}


def pruners() -> dict[str, str]:
    """Names of the pruners, with one line each and their options.

    Examples
    --------
    >>> from mixedwood.pruning import pruners
    >>> pruners()["reduced_error"]
    'hold out rows, and prune splits that do not reduce their error; validation_fraction=0.333'
    """
    return Pruner.summaries()


class Pruner(Part):
    """A method of pruning, with options.

    The name alone, as a string, stands for the pruner with its defaults; `pruners` lists them.

    Examples
    --------
    >>> from mixedwood.pruning import Pruner
    >>> Pruner("cost_complexity", se_rule=1.0)
    Pruner('cost_complexity', se_rule=1.0)
    """

    parameter = "pruning"

    @classmethod
    def known(cls) -> Mapping[str, PartInfo]:
        """Return the pruners by name."""
        return _KNOWN

    @property
    def needs_rows(self) -> bool:
        """Whether it uses the training rows, and not only the tree that was grown on them."""
        return self.name not in ("collapse", "merge_equal")

    def prune(
        self,
        grow: Grow,
        table: Table,
        target: Target,
        *,
        seed: int,
        copies_of: NDArray[Any] | None = None,
    ) -> Pruned:
        """Grow a tree and prune it; see `grow_and_prune`."""
        return grow_and_prune(grow, [self], table, target, seed=seed, copies_of=copies_of)


class Pruned(NamedTuple):
    """A pruned tree, and the path if cross-validation chose it."""

    tree: Tree
    path: CrossValidatedPath | None = None


def grow_and_prune(
    grow: Grow,
    pruners: Sequence[Pruner],
    table: Table,
    target: Target,
    *,
    seed: int,
    copies_of: NDArray[Any] | None = None,
) -> Pruned:
    """Grow a tree and apply pruners one after the other.

    Parameters
    ----------
    grow : callable
        Takes a table and a target, and returns a tree.
    pruners : sequence of Pruner
        Each prunes the trees that were grown and pruned by those before it, including the trees
        that it needs for cross-validation.
    table, target : Table, Target
        The training rows.
    seed : int
        Seed of the folds and of held-out rows.
    copies_of : ndarray of int, optional
        In a sample with replacement, the original row of each row. Copies of a row are never
        divided between growing and evaluation.

    Returns
    -------
    Pruned
        The tree, and the path of the last pruner that has one.
    """
    if not pruners:
        return Pruned(grow(table, target))
    *before, pruner = pruners

    def grow_before(rows: Table, classes: Target) -> Pruned:
        # In the folds of this pruner, rows have other numbers.
        copies = copies_of if rows is table else None
        return grow_and_prune(grow, before, rows, classes, seed=seed, copies_of=copies)

    options = pruner.settings()
    if pruner.name == "cost_complexity":
        found = cross_validated_alpha(
            lambda rows, classes: grow_before(rows, classes).tree,
            table,
            target,
            cv=folds_for(table.n_rows, options["cv"]),
            n_repeats=repeats_for(table.n_rows, options["n_repeats"]),
            se_rule=options["se_rule"],
            risk=options["risk"],
            strengths=SHRINKAGE if options["shrinkage"] else (0.0,),
            random_state=seed % 2**63,
            copies_of=copies_of,
        )
        return Pruned(found.tree(), found)
    if pruner.name == "reduced_error":
        fraction = options["validation_fraction"]
        out = hold_out_per_class(
            target.codes, lambda n: round(fraction * n), seed, copies_of=copies_of
        )
        if out.all() or not out.any():
            return grow_before(table, target)
        tree, path = grow_before(table.take(~out), target.take(~out))
        return Pruned(reduced_error(tree, table.take(out), target.take(out)), path)
    tree, path = grow_before(table, target)
    if pruner.name == "pessimistic":
        # It counts errors, not costs; the labels have costs.
        pruned = pessimistic(tree, table, target, **options)
        return Pruned(pruned.with_costs(target.cost_matrix), path)
    return Pruned(collapse(tree) if pruner.name == "collapse" else merge_equal_leaves(tree), path)


# With many rows, few folds and no repetition suffice to compare the trees of the path.
def folds_for(n_rows: int, cv: int | str) -> int:
    """Number of folds, given the option."""
    if cv != "auto":
        return int(cv)
    return 10 if n_rows <= 20_000 else 5 if n_rows <= 100_000 else 3


def repeats_for(n_rows: int, n_repeats: int | str) -> int:
    """Number of divisions into folds, given the option."""
    if n_repeats != "auto":
        return int(n_repeats)
    return 3 if n_rows <= 1_000 else 2 if n_rows <= 5_000 else 1
