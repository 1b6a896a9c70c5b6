"""From parameters and a typed table to a proven tree, or to the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import Deadline, StopFlag, TimeLimitError
from mixedwood.data import Table, Target
from mixedwood.estimators.optimal_parameters import OptimalParameters
from mixedwood.growers import CodedTable
from mixedwood.optimal import (
    SHARE_OF_LIMITS,
    OptimalSettings,
    Proof,
    TriedBudget,
    choose_budget,
    find_best_tree,
)
from mixedwood.preprocessing import BinaryTest
from mixedwood.tree import Tree

__all__ = ["NoTreeError", "OptimalFit", "OptimalLearner"]


class NoTreeError(ValueError):
    """It is proven that no tree within the budget costs as little as was asked for."""


@dataclass(frozen=True)
class OptimalFit:
    """What a fit has found."""

    tree: Tree
    proof: Proof
    tests: list[BinaryTest] | None
    tried: list[TriedBudget] | None
    all_tried: bool  # no limit came while the budget was chosen


@dataclass(frozen=True)
class OptimalLearner:
    """Finds trees as an `OptimalTreeClassifier` with these parameters does."""

    parameters: OptimalParameters

    def run(
        self,
        table: Table,
        target: Target,
        *,
        seed: int,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
        tell: Callable[[str], None] = lambda words: None,
    ) -> OptimalFit:
        """Find a tree; the result says what is proven, and `tell` hears how far the search is."""
        limit = min(time_limit, self.parameters.time_limit)
        deadline = Deadline.after(limit)
        settings = self.parameters.settings_for(target.n_rows)
        tried, all_tried, interrupted, work = None, True, False, 0
        n_rows = target.n_rows if target.weights is None else np.count_nonzero(target.weights)
        if self.parameters.n_folds > 0 and n_rows > 1:
            chosen = choose_budget(
                table,
                target,
                settings,
                n_folds=self.parameters.n_folds,
                seed=seed % 2**32,
                time_limit=limit * SHARE_OF_LIMITS,
                stop=stop,
                tell=tell,
            )
            settings, tried, all_tried = chosen.settings, chosen.tried, chosen.complete
            interrupted, work = chosen.interrupted, chosen.work
        left = deadline.left(0.05)
        if interrupted:  # a tree of the best budget so far, but soon
            left = min(left, 0.5)
        tell(f"searching the best tree of depth {settings.max_depth}")
        tree, proof, tests = find_best_tree(
            table, target, settings, time_limit=left, work_done=work, stop=stop
        )
        if interrupted:
            proof = replace(proof, status="interrupted")
        tell(f"cost {proof.cost:g}, at least {proof.lower_bound:g} ({proof.status})")
        if tree is None:
            raise _no_tree(settings, proof)
        return OptimalFit(tree, proof, tests, tried, all_tried)

    def learn(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: NDArray[Any] | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        """Learn a tree from some rows, whose numbers may repeat, or from all."""
        whole = table.table if isinstance(table, CodedTable) else table
        if rows is not None:
            whole, target = whole.take(rows), target.take(rows)
        found = self.run(whole, target, seed=seed, time_limit=time_limit, stop=stop)
        if found.proof.status == "interrupted":  # whoever wants many trees wants no further one
            raise KeyboardInterrupt
        return found.tree


def _no_tree(settings: OptimalSettings, proof: Proof) -> BaseException:
    """What to raise without a tree: only a search that came to its end has proven anything."""
    wanted = f"a cost of {settings.upper_bound:g} or less"
    if proof.status == "no_tree":
        return NoTreeError(
            f"No tree of depth {settings.max_depth} has {wanted}: {proof.lower_bound:g} is a lower "
            "bound. Raise upper_bound or max_depth, or offer more tests."
        )
    if proof.status == "interrupted":
        return KeyboardInterrupt()
    if proof.status == "rounding":
        return ValueError(
            f"The weights are too different to tell whether a tree has {wanted}: no tree costs "
            f"less than {proof.lower_bound:g}. Raise upper_bound a little, or leave it out."
        )
    words = proof.status.replace("_", " ")
    return TimeLimitError(
        f"The {words} came before a tree with {wanted} was found; there may be one, as only "
        f"{proof.lower_bound:g} is proven to be a lower bound. Raise the limit, or upper_bound."
    )
