"""From parameters to a model tree: the size of its nodes tuned, if asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mixedwood._limits import Deadline, StopFlag, warn_time_limit
from mixedwood._parts import Partitioner
from mixedwood.data import Table, Target
from mixedwood.estimators.learner import Rows, TreeLearner
from mixedwood.estimators.parameters import (
    TreeParameters,
    check_choice,
    check_flag,
    is_whole,
    read_parameters,
    read_rows_or_share,
)
from mixedwood.growers import CodedTable, LinearTests, read_machines
from mixedwood.pruning import stratified_folds
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.pruning import CrossValidatedPath

__all__ = ["ModelTreeLearner", "read_model_tree_parameters"]

MIN_SAMPLES_SPLIT = (2, 5, 10, 20, 40, 80)
"""Sizes of nodes that are tried where ``min_samples_split="tune"``."""

_N_FOLDS = 5
_CHOICES = {
    "node_features": ("all", "numeric"),
    "intercept": ("model", "best"),
    "score_on": ("train", "validation"),
    "multi_class": ("ovr", "largest", "balanced", "exhaustive"),
    "selection": ("adjusted", "score", "average_gain"),
}
_SUPERCLASSES = {"ovr": "one_vs_rest", "exhaustive": "every"}  # the core's words for some


@dataclass(frozen=True)
class ModelTreeLearner:
    """Grows and prunes trees as a `ModelTreeClassifier` with these parameters does."""

    parameters: TreeParameters
    tuned: bool  # whether the size of nodes is to be chosen

    def learn(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> Tree:
        """Learn a tree from some rows, whose numbers may repeat, or from all."""
        tree, _, _ = self.learn_with_choice(
            table, target, seed=seed, rows=rows, time_limit=time_limit, stop=stop
        )
        return tree

    def learn_with_choice(
        self,
        table: Table | CodedTable,
        target: Target,
        *,
        seed: int,
        choice_seed: int | None = None,
        rows: Rows | None = None,
        time_limit: float = math.inf,
        stop: StopFlag | None = None,
    ) -> tuple[Tree, CrossValidatedPath | None, float]:
        """Learn a tree; with it go the path of pruning and the size of nodes that was used."""
        deadline = Deadline.after(min(time_limit, self.parameters.time_limit))
        parameters = self.parameters
        if self.tuned:
            coded = table if isinstance(table, CodedTable) else CodedTable(table)
            folds = seed if choice_seed is None else choice_seed
            best = self._choose(coded, target, folds, rows, deadline, stop)
            parameters = replace(parameters, min_samples_split=best)
        tree, path = TreeLearner(parameters).learn_with_path(
            table,
            target,
            seed=seed,
            choice_seed=choice_seed,
            rows=rows,
            time_limit=deadline.left(1e-3),
            stop=stop,
        )
        return tree, path, parameters.min_samples_split

    def _choose(
        self,
        whole: CodedTable,
        target: Target,
        seed: int,
        rows: Rows | None,
        deadline: Deadline,
        stop: StopFlag | None,
    ) -> float:
        """Choose the size of nodes by cross-validation; the largest of the best."""
        drawn = np.arange(target.n_rows, dtype=np.int32) if rows is None else rows
        table, sampled = whole.table.take(drawn), target.take(drawn)
        folds = stratified_folds(sampled, _N_FOLDS, random_state=seed, copies_of=rows)
        weights = np.ones(len(drawn)) if sampled.weights is None else sampled.weights
        best, least = float(MIN_SAMPLES_SPLIT[-1]), math.inf
        for size in reversed(MIN_SAMPLES_SPLIT):
            learner = TreeLearner(replace(self.parameters, min_samples_split=size))
            wrong = 0.0
            for fold in np.unique(folds):
                left = deadline.left()
                if left <= 0:
                    warn_time_limit(
                        "The time limit came while min_samples_split was tuned; the best value so "
                        "far is used."
                    )
                    return best
                out = folds == fold
                if not weights[~out].any():
                    continue  # nobody is left to learn from
                tree = learner.learn(
                    whole, target, rows=drawn[~out], seed=seed, time_limit=left, stop=stop
                )
                guess = tree.predict(table.take(out))
                wrong += float(weights[out][guess != target.classes[sampled.codes[out]]].sum())
            if wrong < least:
                best, least = float(size), wrong
        return best


def read_model_tree_parameters(model: Any) -> ModelTreeLearner:
    """Check the parameters of a model tree."""
    from mixedwood.estimators.tree import TreeClassifier

    for name, accepted in _CHOICES.items():
        check_choice(model, name, accepted)
    check_flag(model, "axis_aligned")
    if not is_whole(model.node_cv) or model.node_cv < 1:
        raise ValueError(
            "node_cv must be a whole number of at least 1, where 1 leaves a third of the rows "
            f"out once; got {model.node_cv!r}."
        )
    tuned = isinstance(model.min_samples_split, str) and model.min_samples_split == "tune"
    if not tuned:
        try:
            read_rows_or_share(model, "min_samples_split")
        except ValueError as error:
            raise ValueError(str(error).replace("must be", "must be 'tune',")) from None
    if not is_whole(model.min_samples_model) or model.min_samples_model < 2:
        raise ValueError(
            "min_samples_model must be a whole number of rows, at least 2; got "
            f"{model.min_samples_model!r}."
        )
    if Partitioner.read(model.partitioner).options.get("per") == "tree":
        raise ValueError(
            "planes go through the values of a column, which partitioner='random_order' replaces "
            "by their places for the whole tree. Use Partitioner('random_order', per='node')."
        )
    linear = LinearTests(
        machines=read_machines(model.node_model, model.C, model.smoothing),
        superclasses=_SUPERCLASSES.get(model.multi_class, model.multi_class),
        nominal=model.node_features == "all",
        best_cut=model.intercept == "best",
        validated=model.score_on == "validation",
        n_folds=int(model.node_cv),
        min_rows=float(model.min_samples_model),
    )
    shared = {name: getattr(model, name) for name in _SHARED}
    size = 2 if tuned else model.min_samples_split
    parameters = read_parameters(TreeClassifier(min_samples_split=size, **shared))
    settings = replace(parameters.settings, linear=linear, thresholds=bool(model.axis_aligned))
    return ModelTreeLearner(replace(parameters, settings=settings), tuned)


# What a model tree and a tree mean by the same name.
_SHARED = (
    "criterion",
    "partitioner",
    "selection",
    "max_depth",
    "min_samples_leaf",
    "max_leaf_nodes",
    "min_split_gain",
    "max_features",
    "handle_missing",
    "handle_unknown",
    "pruning",
    "random_state",
    "time_limit",
)
