"""Regression trees with a ridge model in every node (M5, Quinlan 1992; GUIDE, Loh 2002).

The root has a ridge model of all columns. Candidates of splits are the best splits of the residuals
of the node's model, and of the residuals times a column, which differ in the mean where intercepts
and slopes do (Zeileis et al. 2008); linear models on both sides choose among them. The model of a
child is its parent's plus a ridge model of the residuals of the parent on the rows of the child: a
strong penalty keeps the parent's model, as the smoothing of M5 does. Penalties minimize the
generalized cross-validation error (Golub et al. 1979).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._limits import Deadline
from mixedwood.data import ColumnKind, Table, Target
from mixedwood.grow.encoded import EncodedTable
from mixedwood.grow.numbers import NumberSettings, grow_numbers
from mixedwood.tree import NUMBER, Tree
from mixedwood.tree.tree import STOP

__all__ = ["LeafModels", "NodeMatrix", "grow_models", "ridge"]

Floats = NDArray[np.float64]

MOST_INDICATORS = 256  # categories with a coefficient, the most frequent ones
_SLOPES = 8  # terms whose slopes are compared between the sides of a split, numbers first
_SCORED = 24  # terms of the models that candidates of splits are compared by
_MARGIN = 0.1  # predictions may leave the range of the node's targets by this fraction of it
_PENALTIES = 10.0 ** np.arange(-4.0, 5.0, 0.5)  # per row, of standardized columns


@dataclass(frozen=True)
class NodeMatrix:
    """The columns of the linear models: standardized numbers, and indicators of categories.

    Attributes
    ----------
    column, category : ndarray of int32
        For each term, the column and the category, or `NUMBER`.
    fill, spread : ndarray of float64
        Mean and standard deviation of the numbers in training; NaN and 1 for categories.
    """

    column: NDArray[np.int32]
    category: NDArray[np.int32]
    fill: Floats
    spread: Floats

    @classmethod
    def of(cls, table: Table, weights: Floats) -> NodeMatrix:
        """Choose the terms of a table; constant columns have none."""
        terms: list[tuple[int, int, float, float]] = []
        counts: list[tuple[float, int, int]] = []
        for c, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
            if column.kind == ColumnKind.NOMINAL:
                codes = np.asarray(array)
                known = (codes >= 0) & (weights > 0)  # type: ignore[operator]
                sums = np.bincount(codes[known], weights[known], column.n_categories)
                # The indicator of a single row says nothing of other rows; identifiers have many.
                often = np.bincount(codes[known], minlength=column.n_categories) > 1
                often &= sums < weights.sum()
                counts += [(-float(sums[v]), c, int(v)) for v in np.flatnonzero(often)]
                continue
            x = _numbers(array)
            here = np.isfinite(x)
            if not here.any():
                continue
            mean = float(np.average(x[here], weights=weights[here]))
            spread = float(np.sqrt(np.average((x[here] - mean) ** 2, weights=weights[here])))
            if spread > 1e-12 * max(abs(mean), 1e-300) and np.isfinite(spread):
                terms.append((c, NUMBER, mean, spread))
        terms += [(c, v, np.nan, 1.0) for _, c, v in sorted(counts)[:MOST_INDICATORS]]
        columns = list(zip(*terms, strict=True)) if terms else [(), (), (), ()]
        return cls(
            np.array(columns[0], np.int32),
            np.array(columns[1], np.int32),
            np.array(columns[2], np.float64),
            np.array(columns[3], np.float64),
        )

    def matrix(self, table: Table) -> Floats:
        """Missing and infinite numbers become 0, the mean; unknown categories have no indicator."""
        out = np.zeros((table.n_rows, len(self.column)), order="F")
        for j, (c, v) in enumerate(zip(self.column, self.category, strict=True)):
            if v == NUMBER:
                x = _numbers(table.arrays[c])
                x = np.where(np.isfinite(x), x, self.fill[j])
                out[:, j] = (x - self.fill[j]) / self.spread[j]
            else:
                out[:, j] = table.arrays[c] == v
        return out


def _numbers(array: NDArray[Any]) -> Floats:
    if array.dtype.kind == "f":
        return np.asarray(array, np.float64)
    return np.where(array >= 0, array, np.nan)


def add_columns(X: Floats, weights: Floats) -> Floats:
    """Add up weighted columns from left to right.

    The sums of a matrix product depend on the processor and on how many rows are predicted at once.
    """
    return sum((X[:, j] * weight for j, weight in enumerate(weights)), start=np.zeros(len(X)))


def ridge(X: Floats, y: Floats, w: Floats) -> tuple[Floats, float, float, float]:
    """Fit a ridge model; the penalty has the least generalized cross-validation error.

    Returns
    -------
    tuple
        Coefficients, intercept, penalty, and the generalized cross-validation error, as a sum over
        rows. A penalty of infinity leaves the intercept only.
    """
    n, total = len(y), float(w.sum())
    mean_x, mean_y = w @ X / total, float(w @ y / total)
    r = y - mean_y
    squares = float(w @ (r * r))
    none = squares * (n / (n - 1.0)) ** 2 if n > 1 else squares
    if n < 3 or not X.shape[1] or squares <= 0:
        return np.zeros(X.shape[1]), mean_y, np.inf, none
    # In a small node most indicators are constant, and have no coefficient.
    varying = np.flatnonzero(X.min(axis=0) < X.max(axis=0))
    root = np.sqrt(w)
    Z = (X[:, varying] - mean_x[varying]) * root[:, None]
    # Rows and columns have the same eigenvalues but for zeros: the shorter side costs less.
    by_rows = n < len(varying)
    d, V = np.linalg.eigh(Z @ Z.T if by_rows else Z.T @ Z)
    d = np.maximum(d, 0.0)
    if by_rows:
        large = d > 1e-12 * d.max()
        d, V = d[large], V[:, large]
        g = np.sqrt(d) * (V.T @ (root * r))
    else:
        g = V.T @ (Z.T @ (root * r))
    penalties = _PENALTIES * total
    keep = d[None, :] / (d[None, :] + penalties[:, None])
    # SSE(penalty) = r'r - 2 b'g + b'Db with b = g / (d + penalty)
    b = g[None, :] / (d[None, :] + penalties[:, None])
    errors = np.maximum(squares - 2 * b @ g + (b * b) @ d, 0.0)
    free = n - 1.0 - keep.sum(axis=1)
    with np.errstate(divide="ignore"):
        gcv = np.where(free > 0.5, errors * (n / np.maximum(free, 0.5)) ** 2, np.inf)
    best = int(np.argmin(gcv))
    if not gcv[best] < none:
        return np.zeros(X.shape[1]), mean_y, np.inf, none
    beta = np.zeros(X.shape[1])
    beta[varying] = Z.T @ (V @ (b[best] / np.sqrt(d))) if by_rows else V @ b[best]
    return beta, mean_y - float(mean_x @ beta), float(penalties[best]), float(gcv[best])


@dataclass
class _Node:
    rows: NDArray[np.int32]
    beta: Floats
    intercept: float
    loss: float
    low: float
    high: float
    penalty: float
    stump: Tree | None = None
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class LeafModels:
    """The linear model of every node of a tree, for standardized columns."""

    matrix: NodeMatrix
    beta: Floats
    intercept: Floats
    low: Floats
    high: Floats

    def predict(self, node: NDArray[np.int32], X: Floats) -> Floats:
        """Predict rows that end in some nodes."""
        found = np.empty(len(node))
        for leaf in np.unique(node):
            rows = np.flatnonzero(node == leaf)
            sums = add_columns(X[rows], self.beta[leaf]) + self.intercept[leaf]
            found[rows] = np.clip(sums, self.low[leaf], self.high[leaf])
        return found


def grow_models(
    table: Table,
    target: Target,
    settings: NumberSettings,
    *,
    max_depth: int,
    deadline: Deadline | None = None,
    seed: int = 0,
) -> tuple[Tree, LeafModels]:
    """Grow a tree with a model in every node; the loss of a node is that of its model."""
    y = target.numbers
    w = np.ones(len(y)) if target.weights is None else target.weights / target.weights.mean()
    matrix = NodeMatrix.of(table, w)
    X = matrix.matrix(table)
    coded = EncodedTable(table)
    nodes: list[_Node] = []

    def add(rows: NDArray[np.int32], beta: Floats, intercept: float) -> int:
        here = X[rows]
        more, shift, penalty, loss = ridge(here, y[rows] - here @ beta - intercept, w[rows])
        low, high = float(y[rows].min()), float(y[rows].max())
        margin = _MARGIN * (high - low)
        nodes.append(
            _Node(rows, beta + more, intercept + shift, loss, low - margin, high + margin, penalty)
        )
        return len(nodes) - 1

    everything = np.arange(len(y), dtype=np.int32)
    open_nodes = [(add(everything, np.zeros(X.shape[1]), 0.0), 0)]
    while open_nodes:
        number, depth = open_nodes.pop(0)
        node = nodes[number]
        if depth >= max_depth or len(node.rows) < 2 * settings.min_samples_leaf:
            continue
        if deadline is not None and deadline.is_over():
            continue
        here, part = X[node.rows], table.take(node.rows)
        residuals = y[node.rows] - here @ node.beta - node.intercept
        best = np.inf
        for j in range(-1, min(_SLOPES, len(matrix.column))):
            scores = np.zeros(len(y))  # derivatives of the loss by the intercept or a slope
            scores[node.rows] = residuals if j < 0 else residuals * here[:, j]
            of_scores = Target(target.classes, target.codes, target.weights, None, scores)
            stump = grow_numbers(coded, of_scores, settings, rows=node.rows, seed=seed)
            if stump.n_nodes != 3:
                continue
            found = stump.apply(part)
            loss = sum(
                ridge(here[found == c, :_SCORED], residuals[found == c], w[node.rows[found == c]])[
                    3
                ]
                for c in (1, 2)
            )
            if loss < best:
                best, ends, node.stump = loss, found, stump
        if node.stump is None:
            continue
        for child in (1, 2):
            node.children.append(add(node.rows[ends == child], node.beta, node.intercept))
        open_nodes += [(child, depth + 1) for child in node.children]
    return _as_tree(table, y, w, nodes), LeafModels(
        matrix,
        np.array([node.beta for node in nodes]).reshape(len(nodes), -1),
        np.array([node.intercept for node in nodes]),
        np.array([node.low for node in nodes]),
        np.array([node.high for node in nodes]),
    )


def _as_tree(table: Table, y: Floats, w: Floats, nodes: Sequence[_Node]) -> Tree:
    statistics = []
    for node in nodes:
        here, weights = y[node.rows], w[node.rows]
        mean = float(np.average(here, weights=weights))
        squares = float(weights @ (here - mean) ** 2)
        statistics.append((float(weights.sum()), mean, squares, node.loss))

    def of(name: str, blank: float) -> NDArray[Any]:
        stumps = [node.stump for node in nodes]
        return np.array([blank if s is None else getattr(s, name)[0] for s in stumps])

    categories = [
        (np.empty(0), np.empty(0)) if node.stump is None else node.stump.categories_of(0)
        for node in nodes
    ]

    def offsets(lengths: list[int]) -> NDArray[np.int32]:
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)

    moments = np.array(statistics)
    return Tree(
        schema=table.schema,
        classes=np.empty(0),
        loss="squared_error",
        split_kind=of("split_kind", 0),
        column=of("column", -1),
        low=of("low", -np.inf),
        high=of("high", np.inf),
        child_offset=offsets([len(node.children) for node in nodes]),
        children=np.array([child for node in nodes for child in node.children], np.int32),
        category_offset=offsets([len(codes) for codes, _ in categories]),
        category_code=np.concatenate([codes for codes, _ in categories]),
        category_child=np.concatenate([child for _, child in categories]),
        missing_child=of("missing_child", STOP),
        unknown_child=of("unknown_child", STOP),
        weighted_n_node_samples=moments[:, 0],
        statistics=moments,
        label=np.zeros(len(nodes), np.int32),
        score=of("score", 0.0),
    )
