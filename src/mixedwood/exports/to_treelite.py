"""A model for treelite and the runtimes that read it, such as FIL on graphics processors.

Treelite supports numbers only: `encode_rows` makes them of a table.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.exports.describe import ExportError
from mixedwood.exports.limits import (
    Model,
    branches,
    check_no_formulas,
    check_not_fractional,
    check_not_linear,
    places,
    target_of,
)

__all__ = ["encode_rows", "to_treelite"]


def encode_rows(table: Table) -> NDArray[np.float64]:
    """Make the matrix that a treelite model of these columns reads.

    Parameters
    ----------
    table : Table
        Rows, read with ``mixedwood.data.read_table(X, schema=model.schema_)``.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        Numbers and codes of categories; NaN for missing values. The code of unknown categories is
        the number of categories.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"c": ["b", "a"], "x": [1.5, None]})
    >>> encode_rows(read_table({"c": ["b", "z"], "x": [1.5, None]}, schema=table.schema)).tolist()
    [[1.0, 1.5], [2.0, nan]]
    """
    found = np.empty((table.n_rows, len(table.schema.columns)))
    for place, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
        found[:, place] = array
        if not column.is_numeric:
            found[array == -1, place] = np.nan
            found[array == -2, place] = column.n_categories
    return found


def to_treelite(model: Model) -> dict[str, str | bytes]:
    """Write a serialized treelite model, in double precision; its input is `encode_rows`.

    It gives probabilities or numbers; the class of least cost is not part of it.
    """
    try:
        from treelite.model_builder import (
            Metadata,
            ModelBuilder,
            PostProcessorFunc,
            TreeAnnotation,
        )
    except ImportError as error:
        raise ImportError(
            "to='treelite' needs the package treelite: pip install mixedwood[treelite]"
        ) from error
    check_not_fractional(model, "treelite")
    check_not_linear(model, "treelite")
    check_no_formulas(model, "treelite")
    if len(model["parts"]) > 1 or model["parts"][0]["weight"] != 1.0:
        raise ExportError(
            "A mean of several models cannot be written as treelite; export its members, or use "
            "to='onnx'."
        )
    part = model["parts"][0]
    n_classes = len(model["target"]["classes"])
    is_sum = part["aggregate"] == "sum"
    if is_sum and n_classes and part["link"] == "identity":
        raise ExportError(
            "Scores that are divided by their sum cannot be written as treelite; use to='onnx'."
        )
    scale = 1.0 if is_sum or part["aggregate"] == "label" else 1.0 / part["total_weight"]
    widths = {len(tree["nodes"][0]["value"]) for tree in part["trees"]}
    vector = n_classes > 1 and (not is_sum or max(widths) > 1)
    if is_sum and len(widths) > 1:
        raise ExportError("Trees of different outputs cannot be written as treelite.")
    if not n_classes:
        task, classes = "kRegressor", 1
        function = "exponential" if is_sum and part["link"] == "log" else "identity"
    elif is_sum and len(part["baseline"]) == 1:
        task, classes, function = "kBinaryClf", 1, "sigmoid"
    else:
        task, classes = "kMultiClf", n_classes
        function = "softmax" if is_sum else "identity_multiclass"
    trees = part["trees"]
    class_of = [-1 if vector else (t["first_output"] if classes > 1 else 0) for t in trees]
    baseline = part["baseline"] if part["aggregate"] != "label" else [0.0] * classes
    if len(baseline) != classes:
        raise ExportError("Models of a single class cannot be written as treelite.")
    builder = ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=Metadata(
            num_feature=len(model["columns"]),
            task_type=task,
            average_tree_output=False,
            num_target=1,
            num_class=[classes],
            leaf_vector_shape=(1, classes if vector else 1),
        ),
        tree_annotation=TreeAnnotation(
            num_tree=len(trees), target_id=[0] * len(trees), class_id=class_of
        ),
        postprocessor=PostProcessorFunc(name=function),
        base_scores=[b * (scale if not is_sum else 1.0) for b in baseline],
    )
    for tree in trees:
        weight = scale if part["aggregate"] == "label" else scale * tree["weight"]
        _Tree(model, tree["nodes"], weight, part["aggregate"] == "vote").build(builder, vector)
    return {".tl": bytes(builder.commit().serialize_bytes())}


class _Tree:
    """Calls of the builder for the nodes of a tree; node 0 is the root."""

    def __init__(self, model: Model, nodes: list[Any], weight: float, votes: bool) -> None:
        self.model = model
        self.nodes = nodes
        self.weight = weight
        self.votes = votes
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def build(self, builder: Any, vector: bool) -> None:
        place: list[int] = [0] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):  # children come after their parents
            place[i] = self._node(i, place, vector)
        root = place[0]
        builder.start_tree()
        for key in [root, *(k for k in range(len(self.calls)) if k != root)]:
            name, given, named = self.calls[key]
            builder.start_node(key)
            getattr(builder, name)(*given, **named)
            builder.end_node()
        builder.end_tree()

    def _leaf(self, i: int, vector: bool) -> int:
        node = self.nodes[i]
        values = [self.weight * value for value in node["value"]]
        if self.votes:
            values = [
                self.weight * float(k == node["label"])
                for k in range(len(self.model["target"]["classes"]))
            ]
        return self._call("leaf", values if vector else values[0])

    def _call(self, name: str, *given: Any, **named: Any) -> int:
        self.calls.append((name, given, named))
        return len(self.calls) - 1

    def _node(self, i: int, place: list[int], vector: bool) -> int:
        node = self.nodes[i]
        if node["split"] == "leaf":
            return self._leaf(i, vector)

        def to(target: int) -> int:
            return self._leaf(i, vector) if target == -1 else place[target]

        column = node["column"]
        missing = target_of(node, node["missing"])
        if self.model["columns"][column]["kind"] == "numeric":
            return self._number(node, to, missing)
        n_codes = len(self.model["columns"][column]["categories"])
        is_interval = node["split"] == "interval"
        lists, other = places(node, n_codes) if is_interval else branches(node)
        found = to(other)
        for target, codes in lists.items():
            listed = [n_codes if code == -2 else code for code in codes if code != -1]
            if not listed:
                found = self._if_missing(column, to(target), found)
                continue
            found = self._call(
                "categorical_test",
                column,
                default_left=-1 in codes,
                category_list=sorted(listed),
                category_list_right_child=False,
                left_child_key=to(target),
                right_child_key=found,
            )
        return found

    def _number(self, node: dict[str, Any], to: Any, missing: int) -> int:
        yes, no = node["children"]
        low, high = node["low"], node["high"]
        if low is not None and high is not None:
            raise ExportError(
                "A split between two numbers cannot be written as treelite; use to='onnx'."
            )
        if low is None and high is None:
            rest = to(yes)
            return rest if missing == yes else self._if_missing(node["column"], to(missing), rest)
        left, right = (no, yes) if high is None else (yes, no)
        found = self._call(
            "numerical_test",
            node["column"],
            low if high is None else high,
            default_left=missing == left,
            opname="<=",
            left_child_key=to(left),
            right_child_key=to(right),
        )
        if missing in (yes, no):
            return found
        return self._if_missing(node["column"], to(missing), found)

    def _if_missing(self, column: int, missing: int, rest: int) -> int:
        return self._call(
            "numerical_test",
            column,
            sys.float_info.max,
            default_left=False,
            opname="<=",
            left_child_key=rest,
            right_child_key=missing,
        )
