"""The trees of a fitted model to walk in: one tree with its proof, or a list of many with sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mixedwood.plot.walk import NOTEBOOK_NODES, Walk, describe_size
from mixedwood.tree import Tree

__all__ = ["model_walk", "notebook_html", "proof_facts"]

_MAX_LISTED = 500  # trees in the list


def model_walk(
    model: Any, *, scores: Sequence[str] = (), max_nodes: int = NOTEBOOK_NODES
) -> Walk | None:
    """Collect the trees of a fitted model; None if it has none.

    Parameters
    ----------
    model : estimator
        An estimator with a ``tree_`` or with ``trees_``.
    scores : sequence of str, optional
        A note for each of many trees.
    max_nodes : int, default=3000
        Number of nodes in all. Trees beyond it are listed, but cannot be walked in.

    Examples
    --------
    >>> from mixedwood import TreeClassifier
    >>> walk = model_walk(TreeClassifier().fit({"x": [1, 2]}, ["a", "b"]))
    >>> [title for title, note, tree in walk.trees]
    ['1 leaf, depth 0']
    """
    name = type(model).__name__
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        notes = {}
        if hasattr(model, "leaf_formula"):
            leaves = np.flatnonzero(np.diff(tree.child_offset) == 0).tolist()
            notes = {int(n): model.leaf_formula(n, "y", 8) for n in leaves}
        size = describe_size(tree)
        return Walk([(size, "", tree)], proof_facts(model), notes, max_nodes, f"{name}: {size}")
    trees = getattr(model, "trees_", None)
    if not trees:
        return None
    listed: list[tuple[str, str, Tree | None]] = []
    left = max_nodes
    for number, one in enumerate(trees[:_MAX_LISTED]):
        fits = number == 0 or one.n_nodes <= left
        left -= min(one.n_nodes, max_nodes) if fits else 0
        note = describe_size(one) + (f", {scores[number]}" if number < len(scores) else "")
        listed.append((f"Tree {number + 1} of {len(trees)}", note, one if fits else None))
    return Walk(listed, {}, {}, max_nodes, f"{name} of {len(trees)} trees")


def proof_facts(model: Any) -> dict[str, str]:
    """Describe the proof of an optimal tree; empty for others."""
    proof = getattr(model, "proof_", None)
    if proof is None or not hasattr(proof, "lower_bound"):
        return {}
    facts = {
        "Proof": "No tree within the same limits has a smaller objective."
        if proof.optimal
        else f"Not proven to be optimal: the search ended by {proof.status.replace('_', ' ')}.",
        "Objective": f"{proof.objective_value:g}",
        "Lower bound": f"{proof.lower_bound:g}"
        + (f", a gap of {100 * proof.gap:.3g} %" if proof.gap > 0 else ""),
        "Subproblems searched": f"{proof.n_explored:,}",
    }
    if not math.isnan(proof.seconds):
        facts["Time"] = f"{proof.seconds:.2f} s"
    return facts


def notebook_html(model: Any) -> str:
    """The trees of a model for a notebook; an empty text for a model without trees."""
    walk = model_walk(model)
    return "" if walk is None else walk.fragment()
