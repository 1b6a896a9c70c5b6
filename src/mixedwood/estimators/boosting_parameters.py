"""Parameters of boosting: checked before any work, with words that help."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from joblib import effective_n_jobs

from mixedwood._limits import read_time_limit
from mixedwood._parts import Partitioner, read_criterion
from mixedwood._random import seed_of
from mixedwood.boosting import AdaBoostPlan, GradientPlan
from mixedwood.data import Table
from mixedwood.estimators.learner import Learner
from mixedwood.estimators.parameters import (
    HANDLE_UNKNOWN,
    check_choice,
    check_flag,
    check_jobs,
    count_columns,
    count_share_of_rows,
    read_limit,
    read_number,
    read_rows_or_share,
    read_whole,
    unknown_in_core,
)
from mixedwood.estimators.sampled import read_member
from mixedwood.estimators.tree import TreeClassifier
from mixedwood.growers.gradient import GradientSettings

__all__ = ["BoostingParameters", "read_boosting_parameters"]

# Searches that find the two groups with the largest gain, which the sorted order has.
_BEST = ("auto", "exact", "two_class_order")


@dataclass(frozen=True)
class BoostingParameters:
    """Parameters of one fit, read.

    Attributes
    ----------
    learner : Learner or None
        Grows trees as `TreeClassifier` does; None for gradient trees.
    order : str
        Of the values in gradient trees.
    """

    model: Any
    n_rounds: int
    learner: Learner | None
    order: str
    early_stopping: bool
    seed: int
    time_limit: float

    @property
    def adaboost_plan(self) -> AdaBoostPlan:
        """How to boost by weights."""
        learner = self.learner if self.learner is not None else _tree_of(self.model)._learner()
        return AdaBoostPlan(
            learner=learner,
            samme=self.model.method == "samme",
            resample=bool(self.model.resample),
            learning_rate=float(self.model.learning_rate),
        )

    def gradient_plan(self, table: Table) -> GradientPlan:
        """How to boost by gradients, with shares turned into numbers."""
        model = self.model
        max_leaves = read_limit(model, "max_leaf_nodes", 1)
        settings = GradientSettings(
            order=self.order,
            max_depth=read_limit(model, "max_depth", 0),
            max_leaf_nodes=max_leaves,
            best_first=max_leaves > 0,
            min_samples_leaf=count_share_of_rows(model.min_samples_leaf, table.n_rows, 1),
            min_hessian=float(model.min_hessian),
            l2=float(model.l2),
            nominal_l2=float(model.nominal_l2),
            smoothing=float(model.smoothing),
            min_gain=float(model.min_split_gain),
            max_columns=count_columns(model.max_features, table.n_columns),
            adjusted=model.selection == "adjusted",
            unseen=unknown_in_core(model),
            n_threads=effective_n_jobs(model.n_jobs),
        )
        return GradientPlan(
            settings=settings,
            learner=self.learner,
            learning_rate=float(model.learning_rate),
            subsample=float(model.subsample),
            n_columns=count_columns(model.colsample_bytree, table.n_columns, "colsample_bytree"),
            multi_output=model.trees_per_round == "one",
            max_bins=int(model.max_bins),
            n_iter_no_change=int(model.patience) if self.early_stopping else None,
            validation_fraction=float(model.validation_fraction),
        )


def read_boosting_parameters(model: Any) -> BoostingParameters:
    """Check the parameters of a `BoostedTreesClassifier`."""
    check_choice(model, "method", ("gradient", "adaboost", "samme"))
    check_choice(model, "trees_per_round", ("one", "per_class"))
    check_choice(model, "selection", ("adjusted", "score"))
    check_choice(model, "handle_unknown", HANDLE_UNKNOWN)
    for name in ("resample", "early_stopping", "warm_start"):
        check_flag(model, name)
    check_jobs(model)
    n_rounds = read_whole(model, "n_estimators", 1)
    for name, least, most in (
        ("learning_rate", 0, math.inf),
        ("min_hessian", 0, math.inf),
        ("l2", 0, math.inf),
        ("nominal_l2", 0, math.inf),
        ("smoothing", 0, math.inf),
        ("min_split_gain", 0, math.inf),
        ("subsample", 0, 1),
        ("validation_fraction", 0, 1),
    ):
        if math.isinf(read_number(model, name, least, most)):
            raise ValueError(f"{name} must be a finite number; got {getattr(model, name)!r}.")
    for name in ("learning_rate", "subsample", "validation_fraction"):
        if getattr(model, name) == 0:
            raise ValueError(f"{name} must be above 0; got 0.")
    if model.validation_fraction >= 1:
        raise ValueError(f"validation_fraction must be below 1; got {model.validation_fraction!r}.")
    read_limit(model, "max_depth", 0)
    read_limit(model, "max_leaf_nodes", 1)
    read_rows_or_share(model, "min_samples_leaf")
    read_whole(model, "patience", 1)
    if read_whole(model, "max_bins", 2) > 65_535:
        raise ValueError(f"max_bins must be at most 65535; got {model.max_bins!r}.")
    count_columns(model.max_features, 1)
    count_columns(model.colsample_bytree, 1, "colsample_bytree")
    learner = _read_learner(model)
    if model.early_stopping and model.method != "gradient":
        raise ValueError(
            f"early_stopping goes with method='gradient'; got method={model.method!r}, which stops "
            "by itself."
        )
    if model.warm_start and model.method != "gradient":
        raise ValueError(f"warm_start goes with method='gradient'; got method={model.method!r}.")
    _check_samples(model, learner)
    return BoostingParameters(
        model=model,
        n_rounds=n_rounds,
        learner=learner,
        order=_order(model),
        early_stopping=bool(model.early_stopping),
        seed=seed_of(model.random_state),
        time_limit=read_time_limit(model.time_limit),
    )


def _check_samples(model: Any, learner: Learner | None) -> None:
    """Refuse samples of rows and columns where there would be none."""
    if model.resample and model.method == "gradient":
        raise ValueError(
            "resample goes with method='adaboost' or 'samme'; got method='gradient', which draws "
            "rows with subsample."
        )
    if model.subsample < 1 and model.method != "gradient":
        raise ValueError(
            f"subsample goes with method='gradient'; got method={model.method!r}, which draws rows "
            "with resample=True."
        )
    if model.colsample_bytree is not None and learner is not None:
        raise ValueError(
            "colsample_bytree goes with gradient trees, those with partitioner='random_order' or "
            f"'auto'; got {model.colsample_bytree!r}. Other trees draw columns at each node: use "
            "max_features, here or of estimator."
        )


def _order(model: Any) -> str:
    partitioner = Partitioner.read(model.partitioner)
    if partitioner.name == "random_order":
        return "random_per_tree" if partitioner.options.get("per") == "tree" else "random_per_node"
    return "sorted"


def _read_learner(model: Any) -> Learner | None:
    read_criterion(model.criterion)
    partitioner = Partitioner.read(model.partitioner)
    if model.estimator is not None:
        learner = read_member(model.estimator)
        if (
            model.method == "gradient"
            and getattr(model.estimator, "handle_missing", "") == "fractional"
        ):
            raise ValueError(
                "estimator with handle_missing='fractional' shares rows out among leaves, which "
                "have one step each. Use handle_missing='learned' or 'category', or "
                "method='adaboost'."
            )
        return learner
    if model.method == "gradient" and partitioner.name in (*_BEST, "random_order"):
        return None
    return _tree_of(model)._learner()


def _tree_of(model: Any) -> TreeClassifier:
    return TreeClassifier(
        criterion=model.criterion,
        partitioner=model.partitioner,
        selection=model.selection,
        max_depth=model.max_depth,
        max_leaf_nodes=model.max_leaf_nodes,
        min_samples_leaf=model.min_samples_leaf,
        max_features=model.max_features,
        handle_unknown=model.handle_unknown,
        pruning=None,
    )
