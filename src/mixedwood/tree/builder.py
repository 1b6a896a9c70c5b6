"""Makes a tree node by node: for growers written in Python, and for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood.data import Schema
from mixedwood.tree.tree import NUMBER, STOP, SplitKind, Tree

__all__ = ["TreeBuilder"]


@dataclass
class _Node:
    statistics: NDArray[np.float64]
    label: int
    split_kind: SplitKind = SplitKind.LEAF
    column: int = -1
    low: float = -np.inf
    high: float = np.inf
    intercept: float = 0.0
    children: list[int] = field(default_factory=list)
    categories: list[tuple[int, int]] = field(default_factory=list)  # code, child position
    # column, category, weight, fill
    terms: list[tuple[int, int, float, float]] = field(default_factory=list)
    missing: int = STOP
    unknown: int = STOP
    score: float = 0.0


class TreeBuilder:
    """A tree under construction. Nodes start as leaves; a split gives a node children.

    Parameters
    ----------
    schema : Schema
        The columns that splits may use.
    classes : array-like
        Class labels.
    statistics : array-like of shape (n_classes,)
        Class weights of the root; for numbers, the statistics of a node, see `Tree`.
    loss : str or None, default=None
        The loss of a tree that predicts numbers; `classes` is then empty.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, old = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0)
    >>> _ = builder.split_categories(young, "colour", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> tree = builder.build()
    >>> tree
    <Tree: 5 nodes, 3 leaves, depth 2, 2 columns, 2 classes>
    >>> tree.predict(table).tolist()
    ['no', 'yes', 'yes']
    """

    def __init__(
        self,
        schema: Schema,
        classes: ArrayLike,
        statistics: ArrayLike,
        *,
        loss: str | None = None,
    ) -> None:
        self.schema = schema
        self.loss = loss
        self.classes = np.asarray(classes)
        self._nodes: list[_Node] = []
        self._add(statistics)

    def _add(self, statistics: ArrayLike) -> int:
        array = np.asarray(statistics, dtype=np.float64)
        self._nodes.append(_Node(array, int(np.argmax(array)) if self.loss is None else 0))
        return len(self._nodes) - 1

    def split_interval(
        self,
        node: int,
        column: str,
        statistics: Sequence[ArrayLike],
        *,
        low: float = -np.inf,
        high: float = np.inf,
        missing: int = STOP,
        unknown: int = STOP,
        score: float = 0.0,
    ) -> list[int]:
        """Split a node by ``low < x <= high``, and return its two children."""
        return self._split(
            node, SplitKind.INTERVAL, statistics, missing, unknown, score,
            column=self.schema.position(column), low=low, high=high,
        )  # fmt: skip

    def split_categories(
        self,
        node: int,
        column: str,
        statistics: Sequence[ArrayLike],
        groups: Sequence[Sequence[Any]],
        *,
        missing: int = STOP,
        unknown: int = STOP,
        score: float = 0.0,
    ) -> list[int]:
        """Split a node by groups of categories, one child per group, and return the children."""
        codes: Mapping[Any, int] = self.schema[column].codes
        pairs = sorted((codes[label], g) for g, labels in enumerate(groups) for label in labels)
        kind = SplitKind.SUBSET if len(groups) == 2 else SplitKind.MULTIWAY
        return self._split(
            node, kind, statistics, missing, unknown, score,
            column=self.schema.position(column), categories=pairs,
        )  # fmt: skip

    def split_linear(
        self,
        node: int,
        weights: Mapping[str | tuple[str, Any], float],
        intercept: float,
        statistics: Sequence[ArrayLike],
        *,
        fill: Mapping[str, float] | None = None,
        missing: int = STOP,
        score: float = 0.0,
    ) -> list[int]:
        """Split a node by ``intercept + sum of weight * x > 0``, and return its two children.

        Parameters
        ----------
        node : int
            A leaf.
        weights : mapping
            Weights of numeric and ordinal columns by name; weights of categories by pairs of name
            and category. The most important come first.
        intercept : float
            The intercept.
        statistics : sequence of array-like
            Class weights of the children.
        fill : mapping, optional
            Numbers that replace missing ones, by name of the column. Without one, the sum is
            undefined for such rows.
        missing : int, default=STOP
            Position of the child for rows whose sum is undefined.
        score : float, default=0.0
            The score of the split by the criterion.

        Returns
        -------
        list of int
            The two children.

        Examples
        --------
        >>> from mixedwood.data import read_table
        >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, 4.0, None]})
        >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
        >>> weights = {"age": 1.0, ("colour", "red"): -2.0}
        >>> _ = builder.split_linear(0, weights, -3.5, [[1, 1], [0, 1]], fill={"age": 6.0})
        >>> builder.build().apply(table).tolist()
        [2, 1, 1]
        """
        fills = dict(fill or {})
        terms = [self._term(key, float(weight), fills) for key, weight in weights.items()]
        if fills:
            raise ValueError(
                f"fill has {', '.join(map(repr, fills))}, but can only have columns whose numbers "
                "have a weight."
            )
        return self._split(
            node, SplitKind.LINEAR, statistics, missing, STOP, score,
            terms=terms, intercept=intercept,
        )  # fmt: skip

    def _term(
        self, key: str | tuple[str, Any], weight: float, fills: dict[str, float]
    ) -> tuple[int, int, float, float]:
        if isinstance(key, str):
            fill = float(fills.pop(key, np.nan))
            return self.schema.position(key), NUMBER, weight, fill
        name, label = key
        return self.schema.position(name), self.schema[name].codes[label], weight, np.nan

    def _split(
        self,
        node: int,
        kind: SplitKind,
        statistics: Sequence[ArrayLike],
        missing: int,
        unknown: int,
        score: float,
        **split: Any,
    ) -> list[int]:
        here = self._nodes[node]
        if here.split_kind is not SplitKind.LEAF:
            raise ValueError(f"node {node} is already split.")
        here.split_kind, here.missing, here.unknown, here.score = kind, missing, unknown, score
        for name, value in split.items():
            setattr(here, name, value)
        here.children = [self._add(row) for row in statistics]
        return here.children

    def build(self) -> Tree:
        """Check everything and freeze it."""
        nodes = self._nodes

        def offsets(lists: list[Any]) -> NDArray[np.int32]:
            return np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int32)

        def flat(lists: list[Any], place: int | None = None) -> list[Any]:
            return [x if place is None else x[place] for inner in lists for x in inner]

        def per_node(name: str) -> NDArray[Any]:
            return np.array([getattr(node, name) for node in nodes])

        children = [n.children for n in nodes]
        categories = [n.categories for n in nodes]
        terms = [n.terms for n in nodes]
        statistics = per_node("statistics")
        return Tree(
            schema=self.schema,
            classes=self.classes,
            split_kind=per_node("split_kind"),
            column=per_node("column"),
            low=per_node("low"),
            high=per_node("high"),
            child_offset=offsets(children),
            children=np.array(flat(children)),
            category_offset=offsets(categories),
            category_code=np.array(flat(categories, 0)),
            category_child=np.array(flat(categories, 1)),
            term_offset=offsets(terms),
            term_column=np.array(flat(terms, 0)),
            term_category=np.array(flat(terms, 1)),
            term_weight=np.array(flat(terms, 2)),
            term_fill=np.array(flat(terms, 3)),
            intercept=per_node("intercept"),
            missing_child=per_node("missing"),
            unknown_child=per_node("unknown"),
            weighted_n_node_samples=np.array(
                [n.statistics.sum() if self.loss is None else n.statistics[0] for n in nodes]
            ),
            statistics=statistics,
            loss=self.loss,
            label=per_node("label"),
            score=per_node("score"),
        )
