"""Make a tree node by node; for growers written in Python, and for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood.data import Schema
from mixedwood.tree import NUMBER, STOP_HERE, TestKind, Tree

__all__ = ["TreeBuilder"]


@dataclass
class _Node:
    counts: NDArray[np.float64]
    weight: float
    label: int
    kind: TestKind = TestKind.LEAF
    column: int = -1
    low: float = -np.inf
    high: float = np.inf
    intercept: float = 0.0
    children: list[int] = field(default_factory=list)
    values: list[tuple[int, int]] = field(default_factory=list)  # code, child position
    # column, value, weight, fill
    terms: list[tuple[int, int, float, float]] = field(default_factory=list)
    missing: int = STOP_HERE
    unseen: int = STOP_HERE
    score: float = 0.0


class TreeBuilder:
    """A tree under construction. Nodes start as leaves; a split gives one a test and children.

    Parameters
    ----------
    schema : Schema
        The columns that tests may ask for.
    classes : array-like
        Labels of the classes.
    counts : array-like of shape (n_classes,)
        Class weights of the root.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, old = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0)
    >>> _ = builder.split_values(young, "colour", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> tree = builder.build()
    >>> tree
    <Tree: 5 nodes, 3 leaves, depth 2, 2 columns, 2 classes>
    >>> tree.predict(table).tolist()
    ['no', 'yes', 'yes']
    """

    def __init__(self, schema: Schema, classes: ArrayLike, counts: ArrayLike) -> None:
        self.schema = schema
        self.classes = np.asarray(classes)
        self._nodes: list[_Node] = []
        self._add(counts)

    def _add(self, counts: ArrayLike, weight: float | None = None, label: int | None = None) -> int:
        array = np.asarray(counts, dtype=np.float64)
        self._nodes.append(
            _Node(
                array,
                float(array.sum()) if weight is None else weight,
                int(np.argmax(array)) if label is None else label,
            )
        )
        return len(self._nodes) - 1

    def split_interval(
        self,
        node: int,
        column: str,
        counts: Sequence[ArrayLike],
        *,
        low: float = -np.inf,
        high: float = np.inf,
        missing: int = STOP_HERE,
        unseen: int = STOP_HERE,
        score: float = 0.0,
    ) -> list[int]:
        """Give a node the test ``low < x <= high``; returns its two children."""
        return self._split(
            node, TestKind.INTERVAL, counts, missing, unseen, score,
            column=self.schema.position(column), low=low, high=high,
        )  # fmt: skip

    def split_values(
        self,
        node: int,
        column: str,
        counts: Sequence[ArrayLike],
        groups: Sequence[Sequence[Any]],
        *,
        missing: int = STOP_HERE,
        unseen: int = STOP_HERE,
        score: float = 0.0,
    ) -> list[int]:
        """Give a node a test by groups of labels, one child per group; returns the children."""
        codes: Mapping[Any, int] = self.schema[column].codes
        values = sorted((codes[label], g) for g, labels in enumerate(groups) for label in labels)
        kind = TestKind.SUBSET if len(groups) == 2 else TestKind.MULTIWAY
        return self._split(
            node, kind, counts, missing, unseen, score,
            column=self.schema.position(column), values=values,
        )  # fmt: skip

    def split_linear(
        self,
        node: int,
        weights: Mapping[str | tuple[str, Any], float],
        intercept: float,
        counts: Sequence[ArrayLike],
        *,
        fill: Mapping[str, float] | None = None,
        missing: int = STOP_HERE,
        score: float = 0.0,
    ) -> list[int]:
        """Give a node the test ``intercept + sum of weight * x > 0``; returns its two children.

        Parameters
        ----------
        node : int
            A node without a test.
        weights : mapping
            Weights of numbers, or of places in an order, by the name of the column; weights of
            values by the name of the column and the label, as a pair. Those of most importance
            come first.
        intercept : float
            What the sum begins with.
        counts : sequence of array-like
            Class weights of the children.
        fill : mapping, optional
            Numbers that stand in for missing ones, by the name of the column. Without one, the
            test has no answer for such a row.
        missing : int, default=STOP_HERE
            Position of the child for rows without an answer.
        score : float, default=0.0
            What the criterion gave for the test.

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
                f"fill names {', '.join(map(repr, fills))}; it can only name columns that weights "
                "names without a value."
            )
        return self._split(
            node, TestKind.LINEAR, counts, missing, STOP_HERE, score,
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
        kind: TestKind,
        counts: Sequence[ArrayLike],
        missing: int,
        unseen: int,
        score: float,
        **test: Any,
    ) -> list[int]:
        here = self._nodes[node]
        if here.kind is not TestKind.LEAF:
            raise ValueError(f"node {node} has a test already.")
        here.kind, here.missing, here.unseen, here.score = kind, missing, unseen, score
        for name, value in test.items():
            setattr(here, name, value)
        here.children = [self._add(c) for c in counts]
        return here.children

    def build(self) -> Tree:
        """Check everything and freeze it."""
        nodes = self._nodes

        def offsets(lists: list[Any]) -> NDArray[np.int32]:
            return np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int32)

        def flat(lists: list[Any], place: int | None = None) -> list[Any]:
            return [x if place is None else x[place] for inner in lists for x in inner]

        children = [n.children for n in nodes]
        values = [n.values for n in nodes]
        terms = [n.terms for n in nodes]
        return Tree(
            schema=self.schema,
            classes=self.classes,
            kind=np.array([n.kind for n in nodes], dtype=np.uint8),
            column=np.array([n.column for n in nodes], dtype=np.int32),
            low=np.array([n.low for n in nodes]),
            high=np.array([n.high for n in nodes]),
            child_offset=offsets(children),
            children=np.array(flat(children), dtype=np.int32),
            value_offset=offsets(values),
            value_code=np.array(flat(values, 0), dtype=np.int32),
            value_child=np.array(flat(values, 1), dtype=np.int32),
            term_offset=offsets(terms),
            term_column=np.array(flat(terms, 0), dtype=np.int32),
            term_value=np.array(flat(terms, 1), dtype=np.int32),
            term_weight=np.array(flat(terms, 2), dtype=np.float64),
            term_fill=np.array(flat(terms, 3), dtype=np.float64),
            intercept=np.array([n.intercept for n in nodes]),
            missing_child=np.array([n.missing for n in nodes], dtype=np.int32),
            unseen_child=np.array([n.unseen for n in nodes], dtype=np.int32),
            weight=np.array([n.weight for n in nodes]),
            counts=np.array([n.counts for n in nodes]),
            label=np.array([n.label for n in nodes], dtype=np.int32),
            score=np.array([n.score for n in nodes]),
        )
