"""What formats cannot express, and what columns and classes are in other languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from mixedwood.exports.describe import ExportError

__all__ = [
    "LabelKind",
    "branches",
    "check_no_formulas",
    "check_not_fractional",
    "check_not_linear",
    "check_text",
    "kind_of_labels",
    "places",
    "scaled_terms",
    "target_of",
    "used_columns",
]

LabelKind: TypeAlias = Literal["text", "number", "boolean"]

Model: TypeAlias = dict[str, Any]


def _nodes(model: Model) -> Any:
    for part in model["parts"]:
        for tree in part["trees"]:
            yield from tree["nodes"]


def check_not_fractional(model: Model, title: str) -> None:
    """Refuse trees that send rows with missing values to several children."""
    if any("fractional" in (n.get("missing"), n.get("unknown")) for n in _nodes(model)):
        raise ExportError(
            f"Trees that send rows with missing values to several children, as C4.5 does, cannot "
            f"be written as {title}. Use to='json' or to='python', or fit with "
            "handle_missing='learned'."
        )


def check_not_linear(model: Model, title: str) -> None:
    """Refuse splits on a weighted sum of columns."""
    if any(node["split"] == "linear" for node in _nodes(model)):
        raise ExportError(
            f"Linear splits cannot be written as {title}. Use to='onnx', to='sql', to='c', "
            "to='json' or to='python'."
        )


def check_no_formulas(model: Model, title: str) -> None:
    """Refuse linear models in the leaves of trees."""
    if any("formula" in node for node in _nodes(model)):
        raise ExportError(
            f"Linear models in leaves cannot be written as {title}. Use to='onnx', to='sql', "
            "to='c', to='json' or to='python'."
        )


def scaled_terms(model: Model) -> Iterator[dict[str, Any]]:
    """Give the terms of linear members, and of linear models in leaves."""
    for part in model["parts"]:
        yield from part.get("terms", ())
    for node in _nodes(model):
        yield from node.get("formula", {}).get("terms", ())


def kind_of_labels(labels: Sequence[Any], what: str) -> LabelKind:
    """Find the one type of categories or classes; an error if they have several.

    Examples
    --------
    >>> kind_of_labels(["a", "b"], "it"), kind_of_labels([1, 2.5, True], "it")
    ('text', 'number')
    """
    kinds = {type(label) for label in labels}
    if kinds <= {str}:
        return "text"
    if str in kinds:
        raise ExportError(
            f"{what} has text and numbers as labels, which this format cannot tell apart; use "
            "to='json' or to='python'."
        )
    if kinds == {bool}:
        return "boolean"
    for label in labels:
        if int(label) == label and int(float(label)) != int(label):
            raise ExportError(
                f"{what} has the label {label!r}, which a double cannot hold; use to='json' or "
                "to='python'."
            )
    return "number"


def check_text(texts: Sequence[str], what: str, *, null: bool = False) -> None:
    """Refuse text that is not valid Unicode or, without `null`, has a null character."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ExportError(
                f"{what} {text!r} is not valid Unicode; use to='json' or to='python'."
            ) from None
        if not null and "\0" in text:
            raise ExportError(
                f"{what} {text!r} contains a null character, which this format cannot hold; use "
                "to='json' or to='python'."
            )


def used_columns(model: Model) -> list[int]:
    """Positions of the columns that the model uses, and of the sources of crossed ones."""
    used = set()
    for node in _nodes(model):
        if "column" in node:
            used.add(node["column"])
        used |= {term["column"] for term in node.get("terms", ())}
    used |= {term["column"] for term in scaled_terms(model)}
    for place in sorted(used, reverse=True):
        used |= set(model["columns"][place]["sources"])
    return sorted(used)


def branches(node: dict[str, Any]) -> tuple[dict[int, list[int]], int]:
    """Say where the codes of a nominal split go: codes by target, and the target of all others.

    Missing values are the code -1. A target is a node, or -1 if the row stops. The target of all
    others has no codes.

    Examples
    --------
    >>> branches({"categories": [[0, 2], [1]], "children": [5, 8], "missing": 0, "unknown": "stop"})
    ({5: [-1, 0, 2], 8: [1]}, -1)
    """
    other = target_of(node, node["unknown"])
    found: dict[int, list[int]] = {}
    for child, codes in zip(node["children"], node["categories"], strict=True):
        if codes and child != other:
            found.setdefault(child, []).extend(codes)
    missing = target_of(node, node["missing"])
    if missing != other:
        found.setdefault(missing, []).append(-1)
    return {target: sorted(codes) for target, codes in found.items()}, other


def target_of(node: dict[str, Any], side: int | str) -> int:
    """Node that a side leads to; -1 if rows stop there."""
    return -1 if side == "stop" else int(node["children"][side])


def places(node: dict[str, Any], n_codes: int) -> tuple[dict[int, list[int]], int]:
    """Say of an interval of places in an order what `branches` says of codes; unknown is -2.

    Examples
    --------
    >>> node = {"low": None, "high": 1, "children": [5, 8], "missing": 0, "unknown": "stop"}
    >>> places(node, 4)
    ({-1: [-2], 5: [-1, 0, 1]}, 8)
    """
    yes, no = node["children"]
    low = float("-inf") if node["low"] is None else node["low"]
    high = float("inf") if node["high"] is None else node["high"]
    found: dict[int, list[int]] = {}
    for code, side in ((-2, node["unknown"]), (-1, node["missing"])):
        if (target := target_of(node, side)) != no:
            found.setdefault(target, []).append(code)
    if inside := [code for code in range(n_codes) if low < code <= high]:
        found.setdefault(yes, []).extend(inside)
    return found, no
