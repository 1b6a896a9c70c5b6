"""Pruners as values: a name, its options, and how a training table is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from mixedwood._folds import hold_out_per_class
from mixedwood._parts import Option, Part, PartInfo
from mixedwood.data import Table, Target
from mixedwood.pruning.collapse import collapse
from mixedwood.pruning.cross_validation import CrossValidatedPath, cross_validated_alpha
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.reduced_error import reduced_error
from mixedwood.tree import Tree

__all__ = ["Pruner", "pruners"]

Grow = Callable[[Table, Target], Tree]

_SHRINKAGE = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0)

_KNOWN = {
    "cost_complexity": PartInfo(
        "cut the weakest links, as far as cross-validation says",
        (
            Option("cv", "auto", int, choices=("auto",), low=2, closed="left"),
            Option("n_repeats", "auto", int, choices=("auto",), low=1, closed="left"),
            Option("se_rule", 0.25, float, low=0, closed="left"),
            Option("risk", "error", str, choices=("error", "impurity")),
            Option("shrinkage", True, bool),
        ),
    ),
    "pessimistic": PartInfo(
        "C4.5: cut where an upper limit of the error says so; may raise subtrees",
        (
            Option("confidence", 0.25, float, low=0, high=0.5, closed="right"),
            Option("subtree_raising", True, bool),
        ),
    ),
    "reduced_error": PartInfo(
        "keep some rows aside, and cut what does not help on them",
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
    'keep some rows aside, and cut what does not help on them; validation_fraction=0.333'
    """
    return Pruner.summaries()


class Pruner(Part):
    """A way to prune, with options.

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
        """Whether it looks at rows again, and not only at the tree that was grown on them."""
        return self.name not in ("collapse", "merge_equal")

    def prune(
        self,
        grow: Grow,
        table: Table,
        target: Target,
        *,
        seed: int,
        copies_of: NDArray[Any] | None = None,
    ) -> tuple[Tree, CrossValidatedPath | None]:
        """Grow a tree and prune it; the path is there where cross-validation chose on it.

        In a sample with repetition, `copies_of` says which row each is a copy of. Copies are never
        on both sides of a division into rows to grow on and rows to judge by.
        """
        options = self.settings()
        if self.name == "cost_complexity":
            found = cross_validated_alpha(
                grow,
                table,
                target,
                n_folds=_folds_for(table.n_rows, options["cv"]),
                n_repeats=_repeats_for(table.n_rows, options["n_repeats"]),
                se_rule=options["se_rule"],
                cost=options["risk"],
                strengths=_SHRINKAGE if options["shrinkage"] else (0.0,),
                random_state=seed % 2**63,
                copies_of=copies_of,
            )
            return found.tree(), found
        if self.name == "reduced_error":
            return _grow_and_test(
                grow, table, target, options["validation_fraction"], seed, copies_of
            ), None
        tree = grow(table, target)
        if self.name == "pessimistic":
            return pessimistic(tree, table, target, **options), None
        return (collapse(tree) if self.name == "collapse" else merge_equal_leaves(tree)), None


# Many rows tell good prices from bad ones with few folds, and without repetition.
def _folds_for(n_rows: int, cv: int | str) -> int:
    if cv != "auto":
        return int(cv)
    return 10 if n_rows <= 20_000 else 5 if n_rows <= 100_000 else 3


def _repeats_for(n_rows: int, n_repeats: int | str) -> int:
    if n_repeats != "auto":
        return int(n_repeats)
    return 3 if n_rows <= 1_000 else 2 if n_rows <= 5_000 else 1


def _grow_and_test(
    grow: Grow,
    table: Table,
    target: Target,
    validation_fraction: float,
    seed: int,
    copies_of: NDArray[Any] | None,
) -> Tree:
    aside = hold_out_per_class(
        target.codes, lambda n: round(validation_fraction * n), seed, copies_of=copies_of
    )
    if aside.all() or not aside.any():
        return grow(table, target)
    tree = grow(table.take(~aside), target.take(~aside))
    return reduced_error(tree, table.take(aside), target.take(aside))
