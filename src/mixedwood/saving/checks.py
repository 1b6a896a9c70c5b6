"""Whether the parts of a model fit together: before it is written, and after it was read.

What the native core is given is checked there once more. These checks say earlier and in better
words that a file is damaged, and that a model cannot be used as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mixedwood.data import ColumnKind
from mixedwood.optimal.proof import STATUSES
from mixedwood.saving.container import ModelFileError
from mixedwood.tree import Tree

__all__ = ["check_model", "check_parameters"]

_MOST_JOBS = 1024
_EQUAL = 1e-6  # sums are rounded
_LARGEST = float(np.finfo(np.float64).max) / 2**20  # a million of them can be added up


def check_model(model: Any) -> None:
    """Raise ModelFileError unless the parts of a fitted model fit together."""
    try:
        check_parameters(model)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"a parameter of the model is not what it may be: {error}") from error
    _check_classes(model)
    with np.errstate(all="ignore"):  # sums that overflow are what is looked for
        for tree in _trees_of(model):
            _check_numbers(tree)
            if tree.schema != model.schema_ or not np.array_equal(tree.classes, model.classes_):
                raise ModelFileError("a tree has other columns or classes than the model")
        for part in _PARTS.get(type(model).__name__, ()):
            part(model)


def check_parameters(model: Any) -> None:
    """Raise what `fit` would raise for parameters that are not what they may be."""
    from mixedwood.estimators.svc_parameters import read_svc_parameters

    jobs: Any = getattr(model, "n_jobs", None)
    is_number = isinstance(jobs, (int, np.integer))
    if jobs is not None and not (is_number and 0 < abs(int(jobs)) <= _MOST_JOBS):
        raise ValueError(
            "n_jobs must be None, -1 for all processors, or a number of workers of at most "
            f"{_MOST_JOBS}; got {jobs!r}."
        )
    name = type(model).__name__
    if name in ("ForestClassifier", "RandomOrdinalityClassifier"):
        model._check_parameters()
        model._member_learner()
    elif name == "SmoothSVC":
        read_svc_parameters(model)
    else:
        model._check_parameters()


def _check_classes(model: Any) -> None:
    classes = model.classes_
    if classes.ndim != 1 or not len(classes):
        raise ModelFileError("it has no classes")
    labels = classes.tolist()
    if not all(type(label) in (str, bool, int) for label in labels) or len(set(labels)) < len(
        labels
    ):
        raise ModelFileError("its classes are not distinct text or whole numbers")


def _trees_of(model: Any) -> list[Tree]:
    if hasattr(model, "forest_"):
        return []  # its parts are models of their own
    if hasattr(model, "_machines"):
        return []
    trees = [model.tree_] if hasattr(model, "tree_") else list(model.trees_)
    path = getattr(model, "pruning_path_", None)
    return trees if path is None else [*trees, path.path.full]


def _check_numbers(tree: Tree) -> None:
    """What a tree itself does not need to be true of its numbers, but every learner makes so."""
    if not (tree.low < tree.high).all():
        raise ModelFileError("an interval of a tree has no inside")
    if not np.abs(tree.score).sum() < _LARGEST:
        raise ModelFileError("the scores of the tests of a tree are not finite, or too large")
    if not np.isfinite(tree.intercept).all():
        raise ModelFileError("the intercept of a test is not finite")
    weight = tree.weighted_n_node_samples
    off = np.abs(tree.statistics.sum(axis=1) - weight)
    if not (off <= _EQUAL * weight + _EQUAL**1.5 * weight[0]).all():
        raise ModelFileError("the class weights of a node do not add up to its weight")


def _check_path(model: Any) -> None:
    found = model.pruning_path_
    if found is None:
        return
    n = len(found.path.ccp_alphas)
    lengths = {len(a) for a in (found.path.n_leaves, found.path.risks, found.errors)}
    inside = 0 <= found.best < n and 0 <= found.chosen < n
    if lengths | {len(found.standard_errors)} != {n} or not inside:
        raise ModelFileError("its path of pruning does not fit together")
    if (np.diff(found.path.ccp_alphas) < 0).any() or (np.diff(found.path.n_leaves) > 0).any():
        raise ModelFileError("its path of pruning does not go from large trees to small ones")
    if len(found.path.cut_at) != found.path.full.n_nodes:
        raise ModelFileError("its path of pruning has not one price for each node")


def _check_weights(model: Any) -> None:
    if len(model.estimator_weights_) != len(model.trees_):
        raise ModelFileError("its trees have not one weight each")
    if not model.estimator_weights_.sum() < _LARGEST:
        raise ModelFileError("the weights of its trees are too large to be added up")


def _check_scores(model: Any) -> None:
    if not hasattr(model, "scores_"):
        if len(model.classes_) > 1 or len(model.trees_) != 1:
            raise ModelFileError("it has no scores")
        return
    scores, n_classes = model.scores_, len(model.classes_)
    n_outputs, n_trees = len(scores.start), len(scores.trees)
    if n_outputs != (1 if n_classes == 2 else n_classes):
        raise ModelFileError("it has not one score for each class")
    if len(scores.steps) != n_trees or len(scores.first_output) != n_trees:
        raise ModelFileError("its trees have not one table of steps each")
    for tree, steps, first in zip(scores.trees, scores.steps, scores.first_output, strict=True):
        if len(steps) != tree.n_nodes or not 0 <= first <= n_outputs - steps.shape[1]:
            raise ModelFileError("the steps of a tree do not fit its nodes or the classes")
    sizes = [np.abs(steps).max(initial=0.0) for steps in (scores.start, *scores.steps)]
    if not sum(sizes) < _LARGEST:
        raise ModelFileError("its steps are too large to be added up")
    ends = [0, *scores.rounds]
    if sorted(ends) != ends or ends[-1] != n_trees:
        raise ModelFileError("its rounds are not numbers of trees, ascending")


def _check_members(model: Any) -> None:
    if len(model.weights_) != 2 or not abs(model.weights_.sum() - 1) <= _EQUAL:
        raise ModelFileError("the weights of its members do not add up to 1")
    for part in (model.forest_, model.boosted_):
        if part.schema_ != model.schema_ or not np.array_equal(part.classes_, model.classes_):
            raise ModelFileError("its parts have other columns or classes than the whole")
        check_model(part)


def _check_out_of_bag(model: Any) -> None:
    shares = getattr(model, "oob_decision_function_", None)
    if shares is not None and shares.shape[1] != len(model.classes_):
        raise ModelFileError("its out-of-bag shares are not one for each class")
    if shares is None:
        return
    known = shares[~np.isnan(shares).all(axis=1)]  # a row that no tree left out has no shares
    if not ((known >= 0) & (np.abs(known.sum(axis=1, keepdims=True) - 1) <= _EQUAL)).all():
        raise ModelFileError("its out-of-bag shares do not add up to 1")


def _check_proof(model: Any) -> None:
    proof = model.proof_
    if proof.status not in STATUSES:
        raise ModelFileError(f"its search cannot have ended by {proof.status[:50]!r}")
    if proof.lower_bound > proof.objective_value * (1 + _EQUAL):
        raise ModelFileError("the objective of its tree is below its lower bound")
    for split in model.candidates_ or ():
        if split.column >= len(model.schema_):
            raise ModelFileError("a candidate split has a column that does not exist")
        codes, n_values = split.codes or (), model.schema_.columns[split.column].n_categories
        known = all(code < n_values for code in codes) and list(codes) == sorted(set(codes))
        if not known or not split.low < split.high:
            raise ModelFileError("a candidate split has categories that its column does not have")


def _check_machines(model: Any) -> None:
    machines, design = model._machines, model._machines.features.design
    kernel, pairing = machines.features.kernel, machines.pairing
    nominal = [column.kind == ColumnKind.NOMINAL for column in model.schema_]
    if design.schema != model.schema_ or [s is None for s in design.scales] != nominal:
        raise ModelFileError("its machines have other columns than the model")
    width = len(design.terms)
    if kernel is not None:
        if kernel.landmarks.shape[1] != width:
            raise ModelFileError("its landmarks have not one number for each term")
        width = len(kernel.landmarks)
    if pairing.n_classes != len(model.classes_):
        raise ModelFileError("its machines tell other classes apart")
    n = pairing.n_machines
    facts = (machines.objective, machines.iterations, machines.converged, machines.timed_out)
    if machines.z.shape != (n, width + 1) or {len(fact) for fact in facts} != {n}:
        raise ModelFileError("its machines have not one coefficient for each term")
    if not (np.abs(machines.z).sum(axis=1) < _LARGEST).all():
        raise ModelFileError("its coefficients are too large to be added up")


_PARTS: dict[str, Any] = {
    "TreeClassifier": (_check_path,),
    "ModelTreeClassifier": (_check_path,),
    "ForestClassifier": (_check_out_of_bag,),
    "RandomOrdinalityClassifier": (_check_out_of_bag,),
    "AdaBoostTreesClassifier": (_check_weights,),
    "BoostedTreesClassifier": (_check_scores,),
    "EnsembleClassifier": (_check_members,),
    "OptimalTreeClassifier": (_check_proof,),
    "SmoothSVC": (_check_machines,),
}
