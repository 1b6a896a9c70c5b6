"""Fitting a tree to a table in chunks, and predicting chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mixedwood._limits import read_time_limit
from mixedwood._parts import Partitioner
from mixedwood.data.chunks import Chunks
from mixedwood.data.pieces import Layout
from mixedwood.data.summary import summarize
from mixedwood.grow.counted import grow_counted
from mixedwood.pruning.collapse import collapse, merge_equal_leaves
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.estimators.tree import TreeClassifier

__all__ = ["fit_chunks", "predict_chunks"]

_PRUNERS = {"collapse": collapse, "merge_equal": merge_equal_leaves}


def fit_chunks(model: TreeClassifier, X: Any, y: str, sample_weight: Any) -> Layout:
    """Fit a tree of classes; what else the estimator can do needs all rows at once."""
    model._check_parameters()
    _check_supported(model, sample_weight)
    table = summarize(
        Chunks.of(X),
        y,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
    )
    layout = table.layout
    seed, _ = model._seeds()
    tree: Tree = grow_counted(
        table,
        model._settings(layout.n_rows, len(layout.schema)),
        seed=seed,
        time_limit=read_time_limit(model.time_limit),
    )
    for pruner in model._pruners():
        tree = _PRUNERS[pruner.name](tree)
    model.tree_, model.pruning_path_ = tree, None
    return layout


def predict_chunks(model: Any, X: Any) -> Iterator[Any]:
    """Predict the rows of each chunk."""
    for name, frame in Chunks.of(X):
        if frame.num_rows == 0:
            continue
        try:
            yield model.predict(frame)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error


def _check_supported(model: TreeClassifier, sample_weight: Any) -> None:
    """Raise an error for what needs rows; before anything is read."""
    rows = [pruner.name for pruner in model._pruners() if pruner.needs_rows]
    if rows:
        raise ValueError(
            f"pruning={rows[0]!r} needs all rows at once, which a table in pieces does not have. "
            "Use pruning=None, 'collapse' or 'merge_equal', and limit the tree by max_depth, "
            "max_leaf_nodes or min_samples_leaf."
        )
    partitioner = Partitioner.read(model.partitioner)
    refused = {
        "sample_weight": sample_weight is not None,
        "class_weight": model.class_weight is not None,
        "cost_matrix": model.cost_matrix is not None,
        "crossed_features": model.crossed_features is not None,
        "monotonic_cst": model.monotonic_cst is not None,
        "max_leaf_nodes with growth='depth_first'": (
            model.max_leaf_nodes is not None and model.growth == "depth_first"
        ),
        "selection='average_gain'": model.selection == "average_gain",
        "handle_missing='fractional'": model.handle_missing == "fractional",
        "a partitioner with per='tree'": partitioner.options.get("per") == "tree",
    }
    wrong = [name for name, is_set in refused.items() if is_set]
    if wrong:
        raise ValueError(
            f"{' and '.join(wrong)} cannot be used with a table that is read in pieces. Leave "
            f"{'it' if len(wrong) == 1 else 'them'} out, or fit to a part of the rows in memory."
        )
