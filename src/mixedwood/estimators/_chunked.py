"""Fitting a tree to a table in chunks, and predicting chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from mixedwood._limits import Deadline, read_time_limit, warn_time_limit
from mixedwood._parts import Partitioner
from mixedwood._random import MEMBER, REPETITION, seed_of, spawn, spawn_seed
from mixedwood.data import read_cost_matrix
from mixedwood.data.chunks import Chunks
from mixedwood.data.pieces import ChunkedTable, Layout
from mixedwood.data.row_draws import RowDraws
from mixedwood.data.row_folds import RowFolds
from mixedwood.data.summary import summarize
from mixedwood.grow.counted import (
    Sample,
    count_ends,
    count_number_ends,
    drawn_samples,
    fold_samples,
    grow_counted,
    squared_deviations,
    whole_sample,
)
from mixedwood.pruning import CrossValidatedPath
from mixedwood.pruning.collapse import collapse, merge_equal_leaves
from mixedwood.pruning.cost_complexity import HeldOut, cross_validated_counts
from mixedwood.pruning.pruner import SHRINKAGE, Pruned, Pruner, folds_for, repeats_for
from mixedwood.tree import Tree

if TYPE_CHECKING:
    from mixedwood.estimators.forest import ForestClassifier
    from mixedwood.estimators.tree import GreedyTree, TreeClassifier

__all__ = ["fit_chunks", "fit_forest_chunks", "predict_chunks"]

_PRUNERS = {"collapse": collapse, "merge_equal": merge_equal_leaves}


def fit_chunks(
    model: GreedyTree, X: Any, y: str, sample_weight: Any
) -> tuple[Layout, NDArray[np.float64] | None]:
    """Fit a tree; what else the estimator can do needs all rows at once."""
    model._check_parameters()
    _check_supported(model, sample_weight)
    pruners = model._pruners()
    validated = any(pruner.name == "cost_complexity" for pruner in pruners)
    table = summarize(
        Chunks.of(X),
        y,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
        weight=sample_weight,
        class_weight=getattr(model, "class_weight", None),
        copies=validated,
        loss=model.criterion if is_regressor(model) else None,
    )
    costs = read_cost_matrix(getattr(model, "cost_matrix", None), table.layout.classes)
    deadline = Deadline.after(read_time_limit(model.time_limit))
    fit = _fit_validated if validated else _fit_one
    found = fit(model, table, pruners, costs, deadline)
    model.tree_, model.pruning_path_ = found.tree, found.path
    return table.layout, costs


def fit_forest_chunks(
    model: ForestClassifier, X: Any, y: str, sample_weight: Any
) -> tuple[Layout, NDArray[np.float64] | None]:
    """Fit a forest: all open nodes of all trees are counted in the same passes."""
    model._check_parameters()
    member = _check_forest(model, sample_weight)
    deadline = Deadline.after(read_time_limit(model.time_limit))
    draws_rows = bool(model.bootstrap) or model.max_samples is not None
    table = summarize(
        Chunks.of(X),
        y,
        categorical_features=model.categorical_features,
        ordinal_features=model.ordinal_features,
        weight=sample_weight,
        class_weight=model.class_weight,
        copies=draws_rows,
    )
    layout = table.layout
    costs = read_cost_matrix(model.cost_matrix, layout.classes)
    seed = seed_of(model.random_state)
    streams = [spawn(seed, MEMBER, number) for number in range(model.n_estimators)]
    seeds = [int(stream.integers(2**63)) for stream in streams]
    n_drawn = model._sample_size(layout.n_rows) if draws_rows else None
    samples: list[Sample] | None = [replace(whole_sample(layout), seed=s) for s in seeds]
    draws = None
    if n_drawn is not None:
        copies = RowFolds.of(table, 1, (0,), deadline)
        if copies is not None:
            draws = RowDraws(
                copies,
                n_drawn / layout.n_rows,
                bool(model.bootstrap),
                tuple(int(stream.integers(2**63)) for stream in streams),
            )
        samples = None if draws is None else drawn_samples(table, draws, seeds, deadline)
    if samples is None:
        samples, draws = [whole_sample(layout)], None  # there is no time for more than leaves
    grown = grow_counted(
        table,
        lambda n_rows: member._settings(n_rows, len(layout.schema)),
        samples,
        draws=draws,
        cost_matrix=costs,
        deadline=deadline,
    )
    if not grown.complete:
        warn_time_limit(
            "The time limit came before the trees were complete; nodes that were not reached are "
            "leaves."
        )
    trees = [_pruned(tree, member._pruners()) for tree in grown.trees]
    for tree in trees:
        object.__setattr__(tree, "schema", layout.schema)
        object.__setattr__(tree, "classes", trees[0].classes)
    model.trees_, model._seed = trees, seed
    model._sampling = (layout.n_rows, n_drawn, bool(model.bootstrap), None, "pieces")
    for name in model._optional:
        model.__dict__.pop(name, None)  # of an earlier fit
    return layout, costs


def _check_forest(model: ForestClassifier, sample_weight: Any) -> TreeClassifier:
    """Raise an error for what needs rows, and give the tree; before anything is read."""
    from mixedwood.estimators.tree import TreeClassifier

    member = model._member()
    if not isinstance(member, TreeClassifier):
        raise TypeError(
            f"A forest that is read in pieces has trees of TreeClassifier. Got {member!r} instead."
        )
    _check_supported(member, sample_weight)
    refused = {
        "oob_score": bool(model.oob_score),
        "warm_start": model.warm_start and hasattr(model, "trees_"),
        "colsample_bytree": model.colsample_bytree is not None,
        "crossed_features": model.crossed_features is not None,
        "monotonic_cst": model.monotonic_cst is not None,
        "pruning='cost_complexity' of the estimator": any(
            pruner.name == "cost_complexity" for pruner in member._pruners()
        ),
    }
    _refuse([name for name, is_set in refused.items() if is_set])
    return member


def _fit_one(
    model: GreedyTree,
    table: ChunkedTable,
    pruners: Sequence[Pruner],
    costs: NDArray[np.float64] | None,
    deadline: Deadline,
) -> Pruned:
    grown = grow_counted(
        table,
        lambda n_rows: model._settings(n_rows, len(table.layout.schema)),
        cost_matrix=costs,
        seed=model._seeds()[0],
        deadline=deadline,
    )
    if not grown.complete:
        _warn_incomplete()
    return Pruned(_pruned(grown.trees[0], pruners))


def _fit_validated(
    model: GreedyTree,
    table: ChunkedTable,
    pruners: Sequence[Pruner],
    costs: NDArray[np.float64] | None,
    deadline: Deadline,
) -> Pruned:
    """Grow the trees of cross-validation beside the tree of all rows, and choose its size."""
    place = next(i for i, pruner in enumerate(pruners) if pruner.name == "cost_complexity")
    before, options, after = pruners[:place], pruners[place].settings(), pruners[place + 1 :]
    seed, choice_seed = model._seeds()
    layout = table.layout
    n_divisions = repeats_for(layout.n_rows, options["n_repeats"])
    seeds = tuple(spawn_seed(choice_seed, REPETITION, i) for i in range(n_divisions))
    folds = RowFolds.of(table, folds_for(layout.n_rows, options["cv"]), seeds, deadline)
    parts = None
    # A table of one class, or of equal numbers, is not divided.
    if folds is not None and _varies(layout):
        parts = fold_samples(table, folds, deadline)
    elif folds is not None:
        parts = []
    grown = grow_counted(
        table,
        lambda n_rows: model._settings(n_rows, len(layout.schema)),
        [whole_sample(layout), *(parts or [])],
        folds=folds,
        cost_matrix=costs,
        seed=seed,
        deadline=deadline,
    )
    tree, *others = [_pruned(tree, before) for tree in grown.trees]
    ends: Any = None
    if grown.complete and parts is not None and folds is not None:
        count: Any = count_ends if layout.numbers is None else count_number_ends
        ends = count(table, others, parts, folds, deadline) if parts else []
    if ends is None:
        if not grown.complete:
            _warn_incomplete()
        warn_time_limit("The time limit was reached before the tree was pruned.")
        return Pruned(grown.trees[0])
    path: CrossValidatedPath = cross_validated_counts(
        tree,
        [HeldOut(*pair) for pair in zip(others, ends, strict=True)],
        layout.n_effective,
        n_divisions=n_divisions,
        se_rule=options["se_rule"],
        risk=options["risk"],
        strengths=SHRINKAGE if options["shrinkage"] else (0.0,),
    )
    return Pruned(_pruned(path.tree(), after), path)


def _varies(layout: Layout) -> bool:
    if layout.numbers is None:
        return int(np.count_nonzero(layout.class_counts)) > 1
    return squared_deviations(layout.numbers.sums) > 0


def _pruned(tree: Tree, pruners: Sequence[Pruner]) -> Tree:
    for pruner in pruners:
        tree = _PRUNERS[pruner.name](tree)
    return tree


def _warn_incomplete() -> None:
    warn_time_limit(
        "The time limit came before the tree was complete; nodes that were not reached are leaves."
    )


def predict_chunks(model: Any, X: Any, method: str) -> Iterator[Any]:
    """Predict the rows of each chunk by a method of the model."""
    predict = getattr(model, method)
    for name, frame in Chunks.of(X):
        if frame.num_rows == 0:
            continue
        try:
            yield predict(frame)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{name}: {error}") from error


def _check_supported(model: GreedyTree, sample_weight: Any) -> None:
    """Raise an error for what needs rows; before anything is read."""
    names = [pruner.name for pruner in model._pruners()]
    rows = [name for name in names if name not in ("cost_complexity", *_PRUNERS)]
    if rows:
        raise ValueError(
            f"pruning={rows[0]!r} needs all rows at once, which a table in pieces does not have. "
            "Use 'cost_complexity', 'collapse', 'merge_equal' or None."
        )
    if names.count("cost_complexity") > 1:
        raise ValueError(
            "pruning has 'cost_complexity' more than once, which a table in pieces cannot be "
            "pruned by: each division would be divided again."
        )
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise TypeError(
            "sample_weight must be the name of a column if the table is read in pieces. Got "
            f"{type(sample_weight).__name__} instead."
        )
    given = model.partitioner
    options = given.options if isinstance(given, Partitioner) else {}
    refused = {
        "criterion='absolute_error', which is no sum over rows,": (
            model.criterion == "absolute_error"
        ),
        "crossed_features": model.crossed_features is not None,
        "monotonic_cst": model.monotonic_cst is not None,
        "max_leaf_nodes with growth='depth_first'": (
            model.max_leaf_nodes is not None and getattr(model, "growth", "") == "depth_first"
        ),
        "selection='average_gain'": model.selection == "average_gain",
        "handle_missing='fractional'": model.handle_missing == "fractional",
        "a partitioner with per='tree'": options.get("per") == "tree",
    }
    _refuse([name for name, is_set in refused.items() if is_set])


def _refuse(wrong: list[str]) -> None:
    if wrong:
        raise ValueError(
            f"{' and '.join(wrong)} cannot be used with a table that is read in pieces. Leave "
            f"{'it' if len(wrong) == 1 else 'them'} out, or fit to a part of the rows in memory."
        )
