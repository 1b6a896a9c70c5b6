"""What a model file may hold: estimators with what they learned, and the values inside.

These lists are the format. Nothing else is written, and nothing else is made of what is read: a
file names a kind, and a kind that is not listed is an error. What is kept here must stay readable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mixedwood.data import Schema
from mixedwood.tree import Tree

__all__ = [
    "Learned",
    "Spec",
    "estimator_kinds",
    "learned_by",
    "parameter_kinds",
    "part_kinds",
    "value_kinds",
]


class Spec(NamedTuple):
    """What a value must be, and the words for it."""

    words: str
    fits: Callable[[Any], bool]


def _one(kind: Any, words: str) -> Spec:
    return Spec(words, lambda v: isinstance(v, kind))


def _optional(spec: Spec) -> Spec:
    return Spec(f"{spec.words} or nothing", lambda v: v is None or spec.fits(v))


def _all(kind: Any, spec: Spec) -> Spec:
    words = f"a {kind.__name__} of which each is {spec.words}"
    return Spec(words, lambda v: type(v) is kind and all(map(spec.fits, v)))


def _array(dtype: Any, ndim: int = 1) -> Spec:
    words = f"an array of {np.dtype(dtype).name} with {ndim} dimensions"
    return Spec(words, lambda v: isinstance(v, np.ndarray) and v.dtype == dtype and v.ndim == ndim)


_WHOLE = Spec("a whole number", lambda v: type(v) is int)
_NUMBER = Spec("a number", lambda v: type(v) in (int, float) or isinstance(v, np.floating))
_TEXT = Spec("text", lambda v: type(v) is str)
_FLAG = Spec("true or false", lambda v: type(v) is bool)
_TREE = _one(Tree, "a tree")
_TREES = Spec(
    "one or more trees",
    lambda v: type(v) is list and len(v) > 0 and all(isinstance(t, Tree) for t in v),
)
_PAIR = Spec(
    "a pair of numbers", lambda v: type(v) is tuple and len(v) == 2 and all(map(_NUMBER.fits, v))
)
_NUMBERS, _MATRIX = _array(np.float64), _array(np.float64, 2)


@dataclass(frozen=True)
class Learned:
    """An attribute that `fit` makes, and whether it is always there."""

    spec: Spec
    always: bool = True


@cache
def value_kinds() -> dict[str, tuple[type, dict[str, Spec]]]:
    """Values that are made of named fields."""
    from mixedwood.boosting.gradient import BoostedScores
    from mixedwood.boosting.tuning import Choice
    from mixedwood.growers.grow_prune import Iteration
    from mixedwood.linear.classes import Pairing
    from mixedwood.linear.design import Design, Scale
    from mixedwood.linear.kernel import GaussianKernel
    from mixedwood.linear.machine import Features, Machines
    from mixedwood.optimal.proof import Proof
    from mixedwood.optimal.tuning import TriedBudget
    from mixedwood.preprocessing import BinaryTest
    from mixedwood.pruning import CostComplexityPath, CrossValidatedPath

    listed: dict[type, dict[str, Spec]] = {
        BinaryTest: {
            "column": _WHOLE,
            "low": _NUMBER,
            "high": _NUMBER,
            "codes": _optional(_all(tuple, _WHOLE)),
            "missing": _FLAG,
        },
        BoostedScores: {
            "start": _NUMBERS,
            "trees": _TREES,
            "steps": _all(list, _MATRIX),
            "first_output": _all(list, _WHOLE),
            "rounds": _all(list, _WHOLE),
            "validation_loss": _all(list, _NUMBER),
        },
        Choice: {"depth": _WHOLE, "n_rounds": _WHOLE, "share": _NUMBER, "loss": _NUMBER},
        CostComplexityPath: {
            "full": _TREE,
            "alphas": _NUMBERS,
            "n_leaves": _array(np.int64),
            "costs": _NUMBERS,
            "cut_at": _NUMBERS,
        },
        CrossValidatedPath: {
            "path": _one(CostComplexityPath, "a path of pruning"),
            "errors": _NUMBERS,
            "standard_errors": _NUMBERS,
            "best": _WHOLE,
            "chosen": _WHOLE,
            "strength": _NUMBER,
        },
        Design: {
            "schema": _one(Schema, "a schema"),
            "scales": _all(tuple, _optional(_one(Scale, "a scale"))),
            "centred": _FLAG,
        },
        Features: {
            "design": _one(Design, "a design"),
            "kernel": _optional(_one(GaussianKernel, "a kernel")),
        },
        GaussianKernel: {"landmarks": _MATRIX, "gamma": _NUMBER},
        Iteration: {"grown": _WHOLE, "pruned": _WHOLE},
        Machines: {
            "features": _one(Features, "features"),
            "pairing": _one(Pairing, "a pairing of classes"),
            "z": _MATRIX,
            "objective": _NUMBERS,
            "iterations": _array(np.int64),
            "converged": _array(np.bool_),
            "timed_out": _array(np.bool_),
        },
        Pairing: {"n_classes": _WHOLE, "by_pairs": _FLAG},
        Proof: {
            "status": _TEXT,
            "cost": _NUMBER,
            "lower_bound": _NUMBER,
            "n_explored": _WHOLE,
            "n_cached": _WHOLE,
            "cache_bytes": _WHOLE,
            "seconds": _NUMBER,
            "trace": _all(tuple, _PAIR),
        },
        Scale: {"size": _NUMBER, "mean": _NUMBER, "spread": _NUMBER},
        TriedBudget: {
            "max_depth": _WHOLE,
            "max_nodes": _WHOLE,
            "error": _NUMBER,
            "proven": _FLAG,
        },
    }
    return {kind.__name__: (kind, fields) for kind, fields in listed.items()}


@cache
def part_kinds() -> dict[str, Any]:
    """Parts that are a name with options."""
    from mixedwood.parts import Acceptor, Partitioner
    from mixedwood.pruning import Pruner

    return {kind.__name__: kind for kind in (Acceptor, Partitioner, Pruner)}


@cache
def estimator_kinds() -> dict[str, type]:
    """Every public classifier, by its name."""
    from mixedwood import estimators

    listed = [getattr(estimators, name) for name in estimators.__all__]
    return {kind.__name__: kind for kind in listed if hasattr(kind, "fit")}


@cache
def parameter_kinds() -> dict[str, type]:
    """Estimators that may be parameters of another; not fitted, or saved as if they were not."""
    from mixedwood import preprocessing

    transformers = [getattr(preprocessing, name) for name in preprocessing.__all__]
    return estimator_kinds() | {k.__name__: k for k in transformers if hasattr(k, "fit")}


_ONE_TREE = {"tree_": Learned(_TREE)}
_PRUNED = {
    "pruning_path_": Learned(
        _optional(Spec("a path", lambda v: type(v).__name__ == "CrossValidatedPath"))
    )
}
_SAMPLED = {
    "trees_": Learned(_TREES),
    "_seed": Learned(_WHOLE),
    "_sampling": Learned(
        Spec(
            "the number of rows and how they were drawn",
            lambda v: type(v) is tuple and all(type(e) in (int, bool, str, type(None)) for e in v),
        )
    ),
    "oob_score_": Learned(_NUMBER, always=False),
    "oob_decision_function_": Learned(_MATRIX, always=False),
}


def _named(name: str) -> Spec:
    return Spec(f"a {name}", lambda v: type(v).__name__ == name)


_LEARNED: dict[str, dict[str, Learned]] = {
    "TreeClassifier": _ONE_TREE | _PRUNED,
    "ModelTreeClassifier": _ONE_TREE | _PRUNED | {"min_instances_": Learned(_NUMBER)},
    "GrowPruneTreeClassifier": _ONE_TREE
    | {"iterations_": Learned(_all(list, _named("Iteration")))},
    "OptimalTreeClassifier": _ONE_TREE
    | {
        "proof_": Learned(_named("Proof")),
        "tests_": Learned(_optional(_all(list, _named("BinaryTest")))),
        "tried_": Learned(_optional(_all(list, _named("TriedBudget")))),
    },
    "ForestClassifier": _SAMPLED,
    "RandomOrdinalityClassifier": _SAMPLED,
    "GrowPruneForestClassifier": {
        "trees_": Learned(_TREES),
        "_seed": Learned(_WHOLE),
        "iterations_": Learned(_all(list, _all(tuple, _named("Iteration")))),
    },
    "BoostedTreesClassifier": {
        "trees_": Learned(_TREES),
        "scores_": Learned(_named("BoostedScores"), always=False),
        "tree_weights_": Learned(_NUMBERS, always=False),
        "n_rounds_": Learned(_WHOLE),
        "validation_loss_": Learned(_all(list, _NUMBER), always=False),
        "_seed": Learned(_WHOLE, always=False),
        "_gains_tell": Learned(_FLAG),
        "_held_out": Learned(_FLAG, always=False),
    },
    "EnsembleClassifier": {
        "forest_": Learned(_named("ForestClassifier")),
        "boosted_": Learned(_named("BoostedTreesClassifier")),
        "share_": Learned(_NUMBER),
        "choices_": Learned(_all(list, _named("Choice")), always=False),
    },
    "SmoothSVC": {
        "machines_": Learned(_named("Machines")),
        "C_": Learned(_NUMBER),
    },
}


def learned_by(name: str) -> dict[str, Learned]:
    """What a classifier learns, besides columns and classes and what follows from the rest."""
    return _LEARNED[name]
