"""A fitted model as plain lists, text and numbers: what every exporter writes out."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixedwood.data import Schema
from mixedwood.tree import FRACTIONAL, NUMBER, STOP, Mixture, Predictor, SplitKind, Tree

__all__ = ["ExportError", "describe"]

VERSION = 1
_LARGEST = (
    1e100  # of a standardized number in linear models, as in core/src/linear/column_scale.cpp
)
_TERM_ARRAYS = ("node", "column", "category", "weight", "fill")


class ExportError(ValueError):
    """The format cannot express the model; nothing was written."""


def describe(model: Any) -> dict[str, Any]:
    """Describe a fitted estimator, `Predictor` or `Mixture`; docs/reference/export.md has the keys.

    Examples
    --------
    >>> import mixedwood as mw
    >>> model = mw.TreeClassifier().fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"])
    >>> describe(model)["target"]["classes"]
    ['a', 'b']
    """
    formulas = getattr(model, "leaf_terms_", None) is not None
    given = model
    if formulas:
        model = Predictor.of_tree(model.tree_)
    elif not isinstance(model, Predictor | Mixture):
        model = _predictor_of(model)
    parts = model.parts if isinstance(model, Mixture) else ((1.0, model),)
    for _, part in parts:
        if not isinstance(part, Predictor):
            continue
        if found := [node_model.name for tree in part.trees for node_model in tree.models]:
            raise ExportError(
                f"A node of a tree is decided by a model of class {found[0]}, which no format can "
                "express. Use a linear node_model to export the tree, or save it with "
                "mixedwood.save_model."
            )
    target = model.target
    costs = target.cost_matrix
    described = [
        _part(float(weight), part)
        if isinstance(part, Predictor)
        else _linear_part(float(weight), part)
        for weight, part in parts
    ]
    if formulas:
        _add_formulas(given, described[0]["trees"][0]["nodes"])
    return {
        "format": "mixedwood",
        "version": VERSION,
        "target": {
            "kind": target.kind,
            "classes": target.classes.tolist(),
            "tolerance": float(target.tolerance),
            "cost_matrix": None if costs is None else costs.tolist(),
        },
        "columns": _columns(model.schema),
        "parts": described,
    }


def _predictor_of(model: Any) -> Any:
    found = getattr(model, "predictor_", None)
    if not isinstance(found, Predictor | Mixture):
        raise ExportError(
            f"{type(model).__name__} has no trees to export. Only fitted trees, forests, boosted "
            "trees and ensembles can be exported, in every format; save others with "
            "mixedwood.save_model."
        )
    return found


def _linear_part(weight: float, part: Any) -> dict[str, Any]:
    """Describe the linear member of an ensemble, whose intercepts are added last."""
    coefficients = np.asarray(part.coefficients, np.float64)
    classes = coefficients.ndim == 2
    coefficients = coefficients if classes else coefficients[:, None]
    baseline = part.intercepts.tolist() if classes else [float(part.intercept)]
    terms: list[dict[str, Any]] = []
    first = 0
    for place, (column, scale) in enumerate(
        zip(part.design.schema, part.design.scales, strict=True)
    ):
        if scale is None:
            n = column.n_categories
            weights = coefficients[first : first + n].tolist()
            terms.append({"column": place, "codes": list(range(n)), "weights": weights})
            first += n
            continue
        if np.isfinite(scale.spread):  # otherwise the column is constant
            terms.append(
                {
                    "column": place,
                    "factor": 1.0 / scale.size,
                    "mean": float(scale.mean),
                    "scale": 1.0 / scale.spread,
                    "limit": _LARGEST,
                    "weights": coefficients[first].tolist(),
                }
            )
        first += 1
    return {
        "weight": weight,
        "aggregate": "linear",
        "link": ("logistic" if len(baseline) == 1 else "softmax") if classes else "identity",
        "baseline": baseline,
        "total_weight": 1.0,
        "trees": [],
        "terms": terms,
    }


def _add_formulas(model: Any, nodes: list[dict[str, Any]]) -> None:
    """Add the linear model of each node of a tree of numbers; its intercept is added last."""
    ranges = model.leaf_ranges_
    for i, node in enumerate(nodes):
        node["formula"] = {
            "intercept": float(ranges["intercept"][i]),
            "low": float(ranges["low"][i]),
            "high": float(ranges["high"][i]),
            "terms": [],
        }
    arrays = (model.leaf_terms_[name].tolist() for name in _TERM_ARRAYS)
    for node_of, column, category, weight, fill in zip(*arrays, strict=True):
        term = {"column": column, "codes": [category], "weights": [[weight]]}
        if category == NUMBER:
            term = {"column": column, "factor": 1.0, "mean": fill, "scale": 1.0, "limit": None}
            term["weights"] = [weight]
        nodes[node_of]["formula"]["terms"].append(term)


def _columns(schema: Schema) -> list[dict[str, Any]]:
    return [
        {
            "name": column.name,
            "kind": str(column.kind),
            "categories": list(column.categories),
            "sources": [schema.position(name) for name in column.sources],
            "combinations": [[list(c) for c in group] for group in column.combinations],
        }
        for column in schema.columns
    ]


def _part(weight: float, part: Predictor) -> dict[str, Any]:
    n = len(part.trees)
    weights = np.ones(n) if part.weights is None else np.asarray(part.weights, np.float64)
    return {
        "weight": weight,
        "aggregate": part.aggregate,
        "link": part.link,
        "baseline": [0.0] * part.n_outputs if part.baseline is None else part.baseline.tolist(),
        "total_weight": part._total_weight(),
        "trees": [
            {
                "weight": float(weights[i]),
                "first_output": 0 if part.first_output is None else int(part.first_output[i]),
                "nodes": _nodes(
                    tree,
                    tree.value if part.values is None else part.values[i],
                    tree._node_votes if part.aggregate == "vote" else tree.label,
                ),
            }
            for i, tree in enumerate(part.trees)
        ],
    }


_SIDES = {STOP: "stop", FRACTIONAL: "fractional"}


def _side(child: int) -> int | str:
    return _SIDES.get(child, child)


def _nodes(tree: Tree, values: Any, labels: Any) -> list[dict[str, Any]]:
    nodes = []
    for i in range(tree.n_nodes):
        kind = SplitKind(tree.split_kind[i])
        node: dict[str, Any] = {
            "split": kind.name.lower(),
            "value": values[i].tolist(),
            "label": int(labels[i]),
            "weight": float(tree.weighted_n_node_samples[i]),
        }
        nodes.append(node)
        if kind == SplitKind.LEAF:
            continue
        node["children"] = tree.children_of(i).tolist()
        node["missing"] = _side(int(tree.missing_child[i]))
        node["unknown"] = _side(int(tree.unknown_child[i]))
        if kind == SplitKind.LINEAR:
            node["intercept"] = float(tree.intercept[i])
            node["terms"] = _terms(tree, i)
            continue
        node["column"] = int(tree.column[i])
        if kind == SplitKind.INTERVAL:
            node["low"] = _finite(tree.low[i])
            node["high"] = _finite(tree.high[i])
            continue
        codes, places = tree.categories_of(i)
        node["categories"] = [codes[places == c].tolist() for c in range(len(node["children"]))]
    return nodes


def _finite(x: Any) -> float | None:
    return float(x) if np.isfinite(x) else None


def _terms(tree: Tree, node: int) -> list[dict[str, Any]]:
    """List terms in the order of addition: numbers, ranks, then one weight per nominal column."""
    columns, categories, weights, fills = tree.terms_of(node)
    terms = []
    weighed = np.flatnonzero(categories == NUMBER).tolist()
    numeric = [tree.schema.columns[columns[t]].is_numeric for t in weighed]
    for wanted in (True, False):
        terms += [
            {
                "column": int(columns[t]),
                "weight": float(weights[t]),
                "fill": _finite(fills[t]),
            }
            for t, is_numeric in zip(weighed, numeric, strict=True)
            if is_numeric == wanted
        ]
    groups: dict[int, dict[str, Any]] = {}
    for t in np.flatnonzero(categories != NUMBER).tolist():
        column = int(columns[t])
        group = groups.setdefault(column, {"column": column, "codes": [], "weights": []})
        group["codes"].append(int(categories[t]))
        group["weights"].append(float(weights[t]))
    return terms + list(groups.values())
