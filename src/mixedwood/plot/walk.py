"""An interactive tree: a part of an HTML page with its data, style and script, or a whole page.

Python writes the nodes as data, and `walk.js` draws those that are open and in view. Without
scripts, the tree is there as text. Nothing is loaded from anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from mixedwood.explain.conditions import branch_conditions
from mixedwood.explain.format import (
    DEFAULT,
    Style,
    format_category,
    format_condition,
    format_label,
    format_name,
)
from mixedwood.explain.text import center_of, describe_number, tree_text, visible_nodes
from mixedwood.plot.drawing import COLORS, OTHERS, color_of
from mixedwood.plot.page import content_policy, embed_json, read_script
from mixedwood.tree import SplitKind, Tree

__all__ = ["SCRIPT", "STYLE", "Walk", "tree_html"]

_FOLDER = Path(__file__).parent
SCRIPT = _FOLDER / "walk.js"
STYLE = _FOLDER / "walk.css"
_IN_FULL = Style(max_values=None, max_label=200, max_terms=None)
_MAX_VALUES = 2000  # listed for one branch; the number of others is stated
NOTEBOOK_NODES = 3000  # of all trees that a notebook shows at once
_TEXT_NODES = 60  # shown without scripts


@dataclass(frozen=True, eq=False)
class Walk:
    """Interactive trees, one at a time, with facts about them.

    Parameters
    ----------
    trees : sequence of (str, str, Tree or None)
        Title, note and tree; None for a tree that is listed only.
    facts : mapping of str to str
        Names and texts to show beside the tree, such as a proof.
    notes : mapping of int to str
        Texts for nodes of the first tree, such as the linear models of leaves.
    max_nodes : int or None
        Maximum number of nodes of each tree, nearest to the root first.
    label : str
        Accessible name.
    """

    trees: Sequence[tuple[str, str, Tree | None]]
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    max_nodes: int | None = None
    label: str = "Decision tree"

    def data(self) -> dict[str, Any]:
        """Make the data for the script."""
        return {
            "label": self.label,
            "facts": list(self.facts.items()),
            "trees": [
                {"title": title, "note": note}
                | ({} if tree is None else tree_data(tree, self.max_nodes))
                | ({"notes": {str(k): v for k, v in self.notes.items()}} if i == 0 else {})
                for i, (title, note, tree) in enumerate(self.trees)
            ],
        }

    def element(self) -> str:
        """Make the element alone, for a page that has the style and the script."""
        first = next((tree for _, _, tree in self.trees if tree is not None), None)
        text = "" if first is None else tree_text(first, max_nodes=_TEXT_NODES)
        facts = "".join(
            f"<p>{_safe(name)}: {_safe(value)}</p>" for name, value in self.facts.items()
        )
        return (
            f"<div class=\"mw-walk\" data-walk='{embed_json(self.data())}'>"
            f'<div class="mw-plain">{facts}<pre>{_safe(text)}</pre></div></div>'
        )

    def fragment(self) -> str:
        """Make the element with style and script, for a notebook."""
        return (
            f"<style>{read_script(STYLE)}</style>{self.element()}"
            f"<script>{read_script(SCRIPT)}</script>"
        )

    def page(self, title: str) -> str:
        """Make a page that contains everything and may load nothing."""
        style, script = read_script(STYLE) + _PAGE_STYLE, read_script(SCRIPT)
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" '
            f'content="{escape(content_policy(style, script), quote=False)}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{_safe(title)}</title>\n<style>{style}</style>\n</head>\n"
            f'<body class="mw-page">\n<main>\n<h1>{_safe(title)}</h1>\n{self.element()}\n</main>\n'
            f"<script>{script}</script>\n</body>\n</html>\n"
        )


_PAGE_STYLE = """
.mw-page { margin: 0; padding: 1rem; background: #fff; color: #1d242b; color-scheme: light dark;
font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.mw-page h1 { font-size: 1.3rem; margin: 0 0 0.8rem; overflow-wrap: anywhere; }
.mw-page .mw-view { height: calc(100vh - 11rem); }
.mw-page .mw-side { max-height: calc(100vh - 11rem); }
@media (prefers-color-scheme: dark) { .mw-page { background: #14181c; color: #e4e8ec; } }
@media (max-width: 40rem) { .mw-page .mw-view { height: 65vh; }
.mw-page .mw-side { max-height: none; } }
"""


def tree_html(tree: Tree, *, title: str = "", max_nodes: int | None = None) -> str:
    """Make a page with an interactive tree.

    Nodes open and close, the picture moves and zooms, a click marks a path and writes it as a rule,
    and columns can be searched for; keys work as in any tree view.

    Parameters
    ----------
    tree : Tree
        The tree.
    title : str, default=""
        Title of the page; by default the size of the tree.
    max_nodes : int or None, default=None
        Maximum number of nodes in the page, nearest to the root first. If None, all.

    Returns
    -------
    str
        A page without external resources.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> tree = TreeBuilder(read_table({"age": [1.0]}).schema, ["no", "yes"], [3, 1]).build()
    >>> "<title>Decision tree with 1 leaf, depth 0</title>" in tree_html(tree)
    True
    """
    size = describe_size(tree)
    walk = Walk(
        [(size, "", tree)], max_nodes=max_nodes, label=title or f"Decision tree with {size}"
    )
    return walk.page(walk.label)


def describe_size(tree: Tree) -> str:
    """Describe the size of a tree."""
    return f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"


def tree_data(tree: Tree, max_nodes: int | None = None) -> dict[str, Any]:
    """Describe the nodes of a tree for the script, in the order of a walk from left to right."""
    visible = visible_nodes(tree, None, max_nodes)
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(reversed(visible.children[node]))
    place = {node: i for i, node in enumerate(order)}
    columns = _Columns(tree)
    nodes = [
        {
            "p": place[int(tree.parent[node])] if node else -1,
            "n": node,
            "w": _short(float(tree.weighted_n_node_samples[node])),
            **_prediction(tree, node),
            **({"more": visible.left_out[node]} if node in visible.left_out else {}),
            **(_split(tree, node, columns) if visible.children[node] else {}),
        }
        for node in order
    ]
    return {
        "nodes": nodes,
        "columns": columns.found,
        **_target(tree),
    }


def _target(tree: Tree) -> dict[str, Any]:
    if tree.is_numeric:
        return {"classes": None, "colors": [], "center": center_of(tree)}
    ranks = np.argsort(-tree.statistics[0], kind="stable")
    chosen = sorted(ranks[: len(COLORS)].tolist())
    colors = [OTHERS] * len(tree.classes)
    for k, color in zip(chosen, COLORS, strict=False):
        colors[k] = color
    return {"classes": [_text(format_label(c)) for c in tree.classes.tolist()], "colors": colors}


def _prediction(tree: Tree, node: int) -> dict[str, Any]:
    if tree.is_numeric:
        number, spread, _ = describe_number(tree, node)
        return {"t": number, "sd": spread, "c": color_of(tree, node)}
    counts = tree.statistics[node]
    held = np.flatnonzero(counts)
    held = held[np.argsort(-counts[held], kind="stable")]
    flat = [x for k in held.tolist() for x in (k, _short(float(counts[k])))]
    p = float(tree.probabilities[node, tree.label[node]])
    return {"k": int(tree.label[node]), "f": round(p, 4), "d": flat}


class _Columns:
    """Columns that splits use, with the categories that the script must name."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._places: dict[int, int] = {}
        self.found: list[dict[str, Any]] = []

    def place(self, number: int) -> int:
        """Position of a column among those found."""
        if number not in self._places:
            self._places[number] = len(self.found)
            column = self._tree.schema.columns[number]
            values = (
                [_text(format_category(column, code)) for code in range(column.n_categories)]
                if not column.is_numeric
                else []
            )
            used = _used_categories(self._tree, number) if len(values) > 200 else None
            if used is not None:
                values = [v if code in used else 0 for code, v in enumerate(values)]  # type: ignore[misc]
            self.found.append(
                {
                    "name": _text(format_name(column.name)),
                    "kind": str(column.kind),
                    "values": values,
                }
            )
        return self._places[number]


def _used_categories(tree: Tree, number: int) -> set[int]:
    """Categories that splits on a nominal column name."""
    used: set[int] = set()
    for node in np.flatnonzero(tree.column == number).tolist():
        used.update(tree.categories_of(node)[0].tolist())
        if tree.split_kind[node] == SplitKind.INTERVAL:
            return set(range(tree.schema.columns[number].n_categories))
    return used


def _split(tree: Tree, node: int, columns: _Columns) -> dict[str, Any]:
    """Describe the split of a node: what the script needs to merge conditions of a path."""
    kind = SplitKind(tree.split_kind[node])
    sides = {"m": int(tree.missing_child[node]), "u": int(tree.unknown_child[node])}
    conditions = branch_conditions(tree, node)
    if kind is SplitKind.LINEAR:
        return {
            **sides,
            "linear": [_text(format_condition(c, DEFAULT)) for c in conditions],
            "full": [_text(format_condition(c, _IN_FULL)) for c in conditions],
            "uses": [columns.place(int(c)) for c in dict.fromkeys(tree.terms_of(node).column)],
        }
    column = tree.column_of(node)
    found = {"col": columns.place(int(tree.column[node])), **sides}
    if kind is SplitKind.INTERVAL and column.is_numeric:
        low, high = float(tree.low[node]), float(tree.high[node])
        return {**found, "cut": [_end(low), _end(high)]}
    if kind is SplitKind.INTERVAL:
        low, high = float(tree.low[node]), float(tree.high[node])
        ranks = range(column.n_categories)
        inside = [r for r in ranks if low < r <= high]
        return {**found, "sets": [inside, [r for r in ranks if not low < r <= high]]}
    codes, positions = tree.categories_of(node)
    sets: list[list[int]] = [[] for _ in tree.children_of(node)]
    for code, position in zip(codes.tolist(), positions.tolist(), strict=True):
        sets[position].append(code)
    cut = {i: len(s) - _MAX_VALUES for i, s in enumerate(sets) if len(s) > _MAX_VALUES}
    return {
        **found,
        "sets": [s[:_MAX_VALUES] for s in sets],
        **({"cut_sets": cut} if cut else {}),
    }


def _end(number: float) -> float | None:
    return None if math.isinf(number) else number


def _short(number: float) -> float | int:
    rounded = float(f"{number:.6g}")
    return int(rounded) if rounded.is_integer() else rounded


def _text(text: str) -> str:
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _safe(text: str) -> str:
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text))
