"""What is told of a model that was fitted."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mixedwood.cli.printing import say

if TYPE_CHECKING:
    from mixedwood.data import Table
    from mixedwood.data.file_tables import FileTable

__all__ = ["facts_of", "size_of", "size_words", "tell"]


def facts_of(
    estimator: Any, typed: Table, table: FileTable, target: str, path: Path, seconds: float
) -> dict[str, Any]:
    """Collect what is told, printed as JSON and kept in the model file."""
    import numpy as np

    labels, counts = np.unique(table.y, return_counts=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = float((estimator.predict(table.X) != table.y).mean())
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "target": target,
        "data": path.name if str(path) != "-" else "standard input",
        "rows": len(table.y),
        "columns": {column.name: str(column.kind) for column in typed.schema},
        "classes": {str(k): int(n) for k, n in zip(labels.tolist(), counts, strict=True)},
        "training_error": wrong,
        "seconds": round(seconds, 3),
    }
    return facts | size_of(estimator)


def size_of(estimator: Any) -> dict[str, Any]:
    """Leaves and depth of a tree, or how many trees there are."""
    if hasattr(estimator, "tree_"):
        return {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    if hasattr(estimator, "trees_"):
        trees = estimator.trees_
        mean = sum(tree.n_leaves for tree in trees) / len(trees)
        size = {"trees": len(trees), "mean_leaves": round(mean, 2)}
        return size | _chosen(estimator)
    return {"planes": len(estimator.objective_value_)}


def _chosen(estimator: Any) -> dict[str, Any]:
    """What of an ensemble is the forest's and what is boosting's, which `fit` may have chosen."""
    if not hasattr(estimator, "boosted_"):
        return {}
    return {
        "forest_trees": len(estimator.forest_.trees_),
        "boosted_rounds": estimator.boosted_.n_iter_,
        "boosted_depth": max(tree.depth for tree in estimator.boosted_.trees_),
        "boosted_share": float(estimator.weights_[1]),
    }


def size_words(facts: dict[str, Any]) -> str:
    """Say how large a model is."""
    if "leaves" in facts:
        n = facts["leaves"]
        return f"{n} {'leaf' if n == 1 else 'leaves'}, depth {facts['depth']}"
    if "boosted_share" in facts:
        share = facts["boosted_share"]
        return (
            f"{facts['trees']} trees: forest of {facts['forest_trees']} trees (weight "
            f"{1 - share:.2f}), gradient boosting with {facts['boosted_rounds']} iterations and "
            f"depth {facts['boosted_depth']} (weight {share:.2f})"
        )
    if "trees" in facts:
        return f"{facts['trees']} trees, {facts['mean_leaves']:g} leaves on average"
    return f"{facts['planes']} linear model{'s' * (facts['planes'] > 1)}"


def tell(facts: dict[str, Any], estimator: Any, verbose: bool) -> None:
    """Sum up a fit on stderr."""
    classes = ", ".join(f"{name} {n}" for name, n in list(facts["classes"].items())[:10])
    classes += ", ..." if len(facts["classes"]) > 10 else ""
    lines = [
        f"{facts['rows']} rows, {len(facts['classes'])} classes: {classes}",
        facts["model"],
        f"{size_words(facts)}; training error {100 * facts['training_error']:.2f} %; "
        f"fitted in {facts['seconds']:.2f} s",
    ]
    if verbose:
        lines += [f"  {name} = {v!r}" for name, v in estimator.get_params(deep=False).items()]
    lines.append(f"Written to {facts['file']}.")
    say("\n".join(lines), err=True)
