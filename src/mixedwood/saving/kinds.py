"""What a model file may hold: estimators with what they learned, and the values inside.

These lists are the format. Nothing else is written, and nothing else is made of what is read: a
file names a kind, and a kind that is not listed is an error. What is kept here must stay readable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mixedwood._catalogue import estimators
from mixedwood.data import Schema
from mixedwood.tree import Tree

__all__ = [
    "HOW_IT_RUNS",
    "NOT_KEPT",
    "Learned",
    "Spec",
    "estimator_kinds",
    "learned_by",
    "parameter_kinds",
    "part_kinds",
    "value_kinds",
]


HOW_IT_RUNS = ("n_jobs", "verbose")
"""Parameters that say how a fit runs, not what comes out: they are not written."""

NOT_KEPT = {"Proof": ("seconds", "trace")}
"""Fields that tell how long something took; older files have them. They get their defaults."""


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


def _array(dtype: Any, ndim: int = 1, of: Numbers | None = None) -> Spec:
    words = f"an array of {np.dtype(dtype).name} with {ndim} dimensions"
    words += "" if of is None else f", all {of.words}"
    return Spec(
        words,
        lambda v: (
            isinstance(v, np.ndarray)
            and v.dtype == dtype
            and v.ndim == ndim
            and (of is None or bool(of.fit(v).all()))
        ),
    )


def _arrays(specs: dict[str, Spec]) -> Spec:
    """A mapping of names to arrays of one length."""
    return Spec(
        "a mapping with arrays of one length: "
        + ", ".join(f"{name}, {spec.words}" for name, spec in specs.items()),
        lambda v: (
            type(v) is dict
            and set(v) == set(specs)
            and all(spec.fits(v[name]) for name, spec in specs.items())
            and len({len(array) for array in v.values()}) == 1
        ),
    )


class Numbers(NamedTuple):
    """What numbers must be, and the words for them; NaN fits nowhere unless it is said."""

    words: str
    fit: Callable[[Any], Any]


_FINITE = Numbers("finite", np.isfinite)
_AMOUNTS = Numbers("finite and not negative", lambda v: np.isfinite(v) & (v >= 0))
_PRICES = Numbers("not negative", lambda v: v >= 0)  # infinite for what is never bought
_AMOUNTS_OR_NAN = Numbers(
    "NaN, or finite and not negative", lambda v: np.isnan(v) | (v < np.inf) & (v >= 0)
)
_FRACTIONS = Numbers("from 0 to 1", lambda v: (v >= 0) & (v <= 1))
_AT_LEAST_ONE = Numbers("1 or more", lambda v: v >= 1)


def _whole(least: int) -> Spec:
    return Spec(f"a whole number of at least {least}", lambda v: type(v) is int and v >= least)


def _number(of: Numbers) -> Spec:
    return Spec(f"a number, {of.words}", lambda v: _NUMBER.fits(v) and bool(of.fit(float(v))))


_WHOLE, _COUNT = Spec("a whole number", lambda v: type(v) is int), _whole(0)
_NUMBER = Spec("a number", lambda v: type(v) in (int, float) or isinstance(v, np.floating))
_REAL, _AMOUNT = _number(_FINITE), _number(_AMOUNTS)
_SIZE = _number(Numbers("finite and above 0", lambda v: math.isfinite(v) and v > 0))
_POWER = _number(
    Numbers(
        "a power of two from 2^-1000 to 2^1000",
        lambda v: 2.0**-1000 <= v <= 2.0**1000 and math.frexp(v)[0] == 0.5,
    )
)
_SPREAD = _number(Numbers("above 0", lambda v: v > 0))  # infinite for a constant column
_SHARE = _number(Numbers("from 0 to 1", lambda v: 0 <= v <= 1))
_END = _number(Numbers("not NaN", lambda v: not math.isnan(v)))  # of a range
_TEXT = Spec("text", lambda v: type(v) is str)
_FLAG = Spec("true or false", lambda v: type(v) is bool)
_TREE = _one(Tree, "a tree")
_RESULTS = Spec(
    "a dict of arrays of finite numbers, all of the same length",
    lambda v: (
        type(v) is dict
        and all(type(key) is str for key in v)
        and all(isinstance(a, np.ndarray) and a.dtype.kind in "if" for a in v.values())
        and all(np.isfinite(a).all() for a in v.values())
        and len({a.shape for a in v.values()}) == 1
    ),
)
_TREES = Spec(
    "one or more trees",
    lambda v: type(v) is list and len(v) > 0 and all(isinstance(t, Tree) for t in v),
)
_NUMBERS, _MATRIX = _array(np.float64, 1, _FINITE), _array(np.float64, 2, _FINITE)
_COUNTS = _array(np.int64, 1, _PRICES)


@dataclass(frozen=True)
class Learned:
    """An attribute that `fit` makes, and whether it is always there."""

    spec: Spec
    always: bool = True


@cache
def value_kinds() -> dict[str, tuple[type, dict[str, Spec]]]:
    """Values that are made of named fields."""
    from mixedwood.boosting.gradient import BoostedScores
    from mixedwood.growers.grow_prune import Iteration
    from mixedwood.linear.classes import Pairing
    from mixedwood.linear.design import Design, Scale
    from mixedwood.linear.kernel import GaussianKernel
    from mixedwood.linear.machine import Features, Machines
    from mixedwood.optimal.proof import Proof
    from mixedwood.preprocessing import BinarySplit
    from mixedwood.pruning import CostComplexityPath, CrossValidatedPath

    listed: dict[type, dict[str, Spec]] = {
        BinarySplit: {
            "column": _COUNT,
            "low": _END,
            "high": _END,
            "codes": _optional(_all(tuple, _COUNT)),
            "missing": _FLAG,
        },
        BoostedScores: {
            "start": _NUMBERS,
            "trees": _TREES,
            "steps": _all(list, _MATRIX),
            "first_output": _all(list, _COUNT),
            "rounds": _all(list, _COUNT),
            "validation_loss": _all(list, _REAL),
        },
        CostComplexityPath: {
            "full": _TREE,
            "ccp_alphas": _array(np.float64, 1, _AMOUNTS),
            "n_leaves": _array(np.int64, 1, _AT_LEAST_ONE),
            "risks": _NUMBERS,
            "cut_at": _array(np.float64, 1, _PRICES),
        },
        CrossValidatedPath: {
            "path": _one(CostComplexityPath, "a path of pruning"),
            "errors": _array(np.float64, 1, _AMOUNTS_OR_NAN),
            "standard_errors": _array(np.float64, 1, _AMOUNTS_OR_NAN),
            "best": _COUNT,
            "chosen": _COUNT,
            "shrinkage": _AMOUNT,
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
        GaussianKernel: {"landmarks": _MATRIX, "gamma": _AMOUNT},
        Iteration: {"grown": _whole(1), "pruned": _whole(1)},
        Machines: {
            "features": _one(Features, "features"),
            "pairing": _one(Pairing, "a pairing of classes"),
            "z": _MATRIX,
            "objective": _array(np.float64, 1, _PRICES),
            "iterations": _COUNTS,
            "converged": _array(np.bool_),
            "timed_out": _array(np.bool_),
        },
        Pairing: {"n_classes": _whole(1), "by_pairs": _FLAG},
        Proof: {
            "status": _TEXT,
            "objective_value": _AMOUNT,
            "lower_bound": _AMOUNT,
            "n_explored": _COUNT,
            "n_cached": _COUNT,
            "cache_bytes": _COUNT,
        },
        Scale: {"size": _POWER, "mean": _REAL, "spread": _SPREAD},
    }
    return {kind.__name__: (kind, fields) for kind, fields in listed.items()}


@cache
def part_kinds() -> dict[str, Any]:
    """Parts that are a name with options."""
    from mixedwood._parts import Partitioner, Screener
    from mixedwood.pruning import Pruner

    return {kind.__name__: kind for kind in (Partitioner, Pruner, Screener)}


@cache
def estimator_kinds() -> dict[str, type]:
    """Every public classifier, by its name."""
    return {entry.class_name: entry.load() for entry in estimators().values()}


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
    "_seed": Learned(_COUNT),
    "_sampling": Learned(
        Spec(
            "the number of rows and how they were drawn",
            lambda v: type(v) is tuple and all(type(e) in (int, bool, str, type(None)) for e in v),
        )
    ),
    "oob_score_": Learned(_NUMBER, always=False),
    "oob_decision_function_": Learned(_array(np.float64, 2), always=False),
}


def _named(*names: str) -> Spec:
    return Spec(f"a {' or '.join(names)}", lambda v: type(v).__name__ in names)


_LEARNED: dict[str, dict[str, Learned]] = {
    "TreeClassifier": _ONE_TREE | _PRUNED,
    "ModelTreeClassifier": _ONE_TREE | _PRUNED | {"min_samples_split_": Learned(_AMOUNT)},
    "GrowPruneTreeClassifier": _ONE_TREE
    | {"iterations_": Learned(_all(list, _named("Iteration")))},
    "OptimalTreeClassifier": _ONE_TREE
    | {
        "proof_": Learned(_named("Proof")),
        "candidates_": Learned(_optional(_all(list, _named("BinarySplit")))),
        "cv_results_": Learned(
            _optional(
                _arrays(
                    {
                        "param_max_depth": _COUNTS,
                        "param_max_leaf_nodes": _COUNTS,
                        "mean_test_score": _array(np.float64, 1, _FRACTIONS),
                        "rank_test_score": _COUNTS,
                        "optimal": _array(np.bool_),
                    }
                )
            )
        ),
    },
    "ForestClassifier": _SAMPLED,
    "RandomOrdinalityClassifier": _SAMPLED,
    "GrowPruneForestClassifier": _SAMPLED
    | {
        "_sampling": Learned(_SAMPLED["_sampling"].spec, always=False),  # not in version 1
        "iterations_": Learned(_all(list, _all(tuple, _named("Iteration")))),
    },
    "AdaBoostTreesClassifier": {
        "trees_": Learned(_TREES),
        "estimator_weights_": Learned(_array(np.float64, 1, _AMOUNTS)),
        "n_iter_": Learned(_COUNT),
    },
    "BoostedTreesClassifier": {
        "trees_": Learned(_TREES),
        "scores_": Learned(_named("BoostedScores"), always=False),
        "n_iter_": Learned(_COUNT),
        "validation_loss_": Learned(_all(list, _REAL), always=False),
        "_seed": Learned(_COUNT, always=False),
        "_gain_importances": Learned(_FLAG),
        "_held_out": Learned(_FLAG, always=False),
    },
    "EnsembleClassifier": {
        "forest_": Learned(_named("ForestClassifier")),
        "boosted_": Learned(_named("BoostedTreesClassifier", "AdaBoostTreesClassifier")),
        "weights_": Learned(_array(np.float64, 1, _AMOUNTS)),
        "cv_results_": Learned(_RESULTS, always=False),
    },
    "SmoothSVC": {
        "_machines": Learned(_named("Machines")),
        "C_": Learned(_SIZE),
    },
}


def learned_by(name: str) -> dict[str, Learned]:
    """What a classifier learns, besides columns and classes and what follows from the rest."""
    return _LEARNED[name]
