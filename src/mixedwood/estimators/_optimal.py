"""What optimal trees for classes and for numbers share: limits, the search and its proof."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mixedwood import _kinds as kinds
from mixedwood._limits import (
    Deadline,
    StopFlag,
    TimeLimitError,
    read_time_limit,
    user_stacklevel,
    warn_time_limit,
)
from mixedwood._parallel import show_status
from mixedwood._params import (
    CROSSED_FEATURES,
    FLAG,
    HANDLE_UNKNOWN,
    NONE,
    RANDOM_STATE,
    TIME_LIMIT,
    VERBOSE,
    Constraint,
    Float,
    HasMethod,
    InstanceOf,
    Int,
    OneOf,
    RowsOrFraction,
    count_rows,
    native_limit,
)
from mixedwood._random import choice_seed_of
from mixedwood._warnings import TimeLimitWarning
from mixedwood.data import Table, Target
from mixedwood.estimators._single import Rows, SingleTree
from mixedwood.estimators.base import unknown_in_core
from mixedwood.grow import EncodedTable
from mixedwood.optimal import (
    FRACTION_OF_LIMITS,
    OptimalSettings,
    Proof,
    choose_size,
    find_best_tree,
    kept_folds,
)
from mixedwood.preprocessing import BinarySplit, FeatureBinarizer
from mixedwood.preprocessing.binarizer import Binarization
from mixedwood.tree import Tree

__all__ = ["InfeasibleError", "OptimalTree"]

_MAX_DEPTH = 30
_FOLDS = Constraint(
    "an iterable", test=lambda value: isinstance(value, Iterable) and not isinstance(value, str)
)


class InfeasibleError(ValueError):
    """It is proven that no tree within the limits has an objective as small as `upper_bound`."""


class OptimalTree(SingleTree):
    """A ``tree_`` that is the best within limits, and a ``proof_``."""

    max_depth: int
    max_leaf_nodes: int | None
    min_samples_leaf: float
    ccp_alpha: float
    binarizer: Any
    binarize_at: str = "root"
    min_samples_binarize: float = 1
    max_depth_binarize: int | None = None
    upper_bound: float | None
    tune: bool
    cv: Any
    random_state: Any
    verbose: int
    time_limit: float | None
    work_limit: float | None
    memory_limit: int

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        "max_depth": Int(0, _MAX_DEPTH).with_hint(
            "For trees of unlimited depth use a greedy tree."
        ),
        "max_leaf_nodes": Int(1) | NONE,
        "min_samples_leaf": RowsOrFraction(),
        "ccp_alpha": Float(0, 1),
        "binarizer": InstanceOf(FeatureBinarizer) | OneOf("passthrough") | NONE,
        "upper_bound": Float(0) | NONE,
        "tune": FLAG,
        "cv": Int(2) | HasMethod("split", "a splitter") | _FOLDS | OneOf("holdout"),
        "handle_unknown": HANDLE_UNKNOWN,
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
        "time_limit": TIME_LIMIT,
        "crossed_features": CROSSED_FEATURES,
        "work_limit": Float(1) | NONE,
        "memory_limit": Int(1),
    }

    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "proof_": kinds.instance(Proof),
        "candidates_": kinds.optional(kinds.list_of(kinds.instance(BinarySplit))),
        "cv_results_": kinds.optional(
            kinds.arrays(
                {
                    "param_max_depth": kinds.COUNTS,
                    "param_max_leaf_nodes": kinds.COUNTS,
                    "mean_test_score": kinds.array(np.float64, 1, kinds.FINITE),
                    "rank_test_score": kinds.COUNTS,
                    "optimal": kinds.array(np.bool_),
                }
            )
        ),
    }

    proof_: Proof
    candidates_: list[BinarySplit] | None
    cv_results_: dict[str, NDArray[Any]] | None

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        cv = self.cv if self.tune else None
        if kept is not None and not isinstance(cv, str) and isinstance(cv, Iterable):
            cv = kept_folds(cv, kept)
        seed = choice_seed_of(self.random_state)
        with show_status(self.verbose) as log:
            found = self._search(table, target, cv, seed=seed, log=log)
        _warn_of_end(found.proof)
        if found.cv_results and not found.all_tried and found.proof.status != "interrupted":
            n_tried = len(found.cv_results["mean_test_score"])
            warn_time_limit(
                f"A limit ended the search before all sizes were tried: the tree has the best of "
                f"the first {n_tried}. Raise the limit, or lower max_depth."
            )
        self.tree_, self.proof_, self.candidates_ = found.tree, found.proof, found.candidates
        self.cv_results_ = found.cv_results

    @property
    def optimal_(self) -> bool:
        """Whether the tree is proven to be optimal."""
        return self._proven.optimal

    @property
    def objective_value_(self) -> float:
        """Weight of the misclassified rows plus the penalty of the leaves."""
        return self._proven.objective_value

    @property
    def lower_bound_(self) -> float:
        """Lower bound of the objective of all trees within the limits."""
        return self._proven.lower_bound

    @property
    def gap_(self) -> float:
        """Relative optimality gap; 0 if the tree is proven to be optimal."""
        return self._proven.gap

    @property
    def _proven(self) -> Proof:
        # An AttributeError, so that an unfitted estimator has no such attribute.
        if not hasattr(self, "proof_"):
            raise AttributeError(f"This {type(self).__name__} is not fitted yet.")
        return self.proof_

    def _impurity(self) -> Literal["gini", "entropy"]:
        return "gini"

    def _default_part(self, name: str, given: Any) -> Any:
        return FeatureBinarizer() if name == "binarizer" and given is None else None

    def _check_fitted(self) -> None:
        if self.cv_results_ is not None:
            self._check_scores(self.cv_results_["mean_test_score"])
        for split in self.candidates_ or ():
            if split.column >= len(self.schema_):
                raise ValueError("a candidate split has a column that does not exist")
            codes, n = split.codes or (), self.schema_.columns[split.column].n_categories
            ascending = list(codes) == sorted(set(codes)) and all(code < n for code in codes)
            if not ascending or not split.low < split.high:
                raise ValueError("a candidate split has categories that its column does not have")

    def _check_scores(self, scores: NDArray[np.float64]) -> None:
        """Raise an error for scores that no cross-validation gives."""
        if self._costs is None and not kinds.FRACTIONS.contains(scores).all():
            raise ValueError("mean_test_score of cv_results_ is not from 0 to 1")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._binarization()

    def _settings(self, n_rows: int) -> OptimalSettings:
        """Give the settings of the search for a table of this size."""
        return OptimalSettings(
            max_depth=int(self.max_depth),
            max_leaf_nodes=native_limit(self.max_leaf_nodes),
            min_samples_leaf=math.ceil(count_rows(self.min_samples_leaf, n_rows)),
            ccp_alpha=float(self.ccp_alpha),
            binarization=self._binarization(),
            binarize_at=self.binarize_at,
            min_samples_binarize=math.ceil(count_rows(self.min_samples_binarize, n_rows)),
            max_depth_binarize=None
            if self.max_depth_binarize is None
            else min(int(self.max_depth_binarize), _MAX_DEPTH),
            upper_bound=math.inf if self.upper_bound is None else float(self.upper_bound),
            memory_limit=int(self.memory_limit),
            work_limit=math.inf if self.work_limit is None else float(self.work_limit),
            unknown=unknown_in_core(self.handle_unknown),
        )

    def _binarization(self) -> Binarization | None:
        binarizer = self.binarizer
        if isinstance(binarizer, str) and binarizer == "passthrough":
            if self.binarize_at != "root":
                raise ValueError(
                    "binarizer='passthrough' makes no binary features, so "
                    f"binarize_at={self.binarize_at!r} cannot be used with it. Set "
                    "binarize_at='root', or set a binarizer."
                )
            return None
        if binarizer is None:
            binarizer = FeatureBinarizer()
        for name in ("categorical_features", "ordinal_features"):
            if getattr(binarizer, name) is not None:
                raise ValueError(
                    f"The binarizer of {type(self).__name__} must not set {name!r}, since the "
                    f"estimator reads the table. Set {name!r} of {type(self).__name__} instead."
                )
        found: Binarization = binarizer._binarization()
        return found

    def _search(
        self,
        table: Table,
        target: Target,
        cv: Any,
        *,
        seed: int,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
        log: Callable[[str], None] = lambda message: None,
    ) -> _Found:
        """Find a tree and its proof; the size is chosen by `cv` unless it is None."""
        limit = min(time_limit, read_time_limit(self.time_limit))
        deadline = Deadline.after(limit)
        settings = self._settings(target.n_rows)
        cv_results, all_tried, interrupted, work = None, True, False, 0
        n_rows = target.n_rows if target.weights is None else np.count_nonzero(target.weights)
        if cv is not None and n_rows > 1:
            chosen = choose_size(
                table,
                target,
                settings,
                cv=cv,
                seed=seed % 2**32,
                time_limit=limit * FRACTION_OF_LIMITS,
                stop=stop,
                log=log,
            )
            settings, cv_results, all_tried = chosen.settings, chosen.cv_results, chosen.complete
            interrupted, work = chosen.interrupted, chosen.work
        left = deadline.left(0.05)
        if interrupted:  # a tree of the best size so far, but soon
            left = min(left, 0.5)
        log(f"searching the best tree of depth {settings.max_depth}")
        tree, proof, candidates = find_best_tree(
            table, target, settings, time_limit=left, work_done=work, stop=stop
        )
        if interrupted:
            proof = replace(proof, status="interrupted")
        log(f"objective {proof.objective_value:g}, lower bound {proof.lower_bound:g} "
            f"({proof.status})")  # fmt: skip
        if tree is None:
            raise _without_tree(settings, proof)
        return _Found(tree, proof, candidates, cv_results, all_tried)

    def _fit_encoded(
        self,
        table: Table | EncodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        choice_seed: int | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        plain = table.table if isinstance(table, EncodedTable) else table
        if rows is not None:
            plain, target = plain.take(rows), target.take(rows)
        found = self._search(
            plain,
            target,
            self.cv if self.tune else None,
            seed=seed if choice_seed is None else choice_seed,
            time_limit=time_limit,
            stop=stop,
        )
        if found.proof.status == "interrupted":  # ensembles stop as well
            raise KeyboardInterrupt
        return found.tree


@dataclass(frozen=True)
class _Found:
    """The result of a search."""

    tree: Tree
    proof: Proof
    candidates: list[BinarySplit] | None
    cv_results: dict[str, NDArray[Any]] | None
    all_tried: bool  # no limit ended the choice of the size


def _without_tree(settings: OptimalSettings, proof: Proof) -> BaseException:
    """The exception if there is no tree; only a completed search has proven anything."""
    wanted = f"an objective of {settings.upper_bound:g} or less"
    if proof.status == "infeasible":
        return InfeasibleError(
            f"No tree of depth {settings.max_depth} has {wanted}: {proof.lower_bound:g} is a lower "
            "bound. Raise upper_bound or max_depth, or offer more candidate splits."
        )
    if proof.status == "interrupted":
        return KeyboardInterrupt()
    if proof.status == "rounding":
        return ValueError(
            f"The sample weights differ too much to decide whether a tree has {wanted}: the lower "
            f"bound is {proof.lower_bound:g}. Raise upper_bound a little, or set it to None."
        )
    limit = proof.status.replace("_", " ")
    return TimeLimitError(
        f"The {limit} ended the search before a tree with {wanted} was found. There may be one: "
        f"the lower bound is {proof.lower_bound:g}. Raise the limit or upper_bound."
    )


def _warn_of_end(proof: Proof) -> None:
    """Warn if a tree is not proven to be optimal."""
    if proof.optimal:
        return
    reasons = {
        "time_limit": "The time limit ended the search",
        "work_limit": "The work limit ended the search",
        "memory_limit": "The memory limit ended the search",
        "interrupted": "The search was interrupted",
        "rounding": "The sample weights differ too much to be added exactly",
    }
    limited = proof.status in ("time_limit", "work_limit")
    warnings.warn(
        f"{reasons[proof.status]}: the objective of the tree is {proof.objective_value:g}, and the "
        f"lower bound is {proof.lower_bound:g}."
        + (" Raise the limit, or lower max_depth or max_leaf_nodes." if limited else ""),
        TimeLimitWarning if limited else ConvergenceWarning,
        stacklevel=user_stacklevel(),
    )
