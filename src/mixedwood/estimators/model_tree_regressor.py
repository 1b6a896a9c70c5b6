"""A regression tree with linear models in the leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import _kinds as kinds
from mixedwood._folds import fold_numbers
from mixedwood._limits import Deadline, read_time_limit, warn_time_limit
from mixedwood._parallel import one_blas_thread
from mixedwood._params import NONE, Constraint, Float, Int, OneOf
from mixedwood._random import seeds_of
from mixedwood.data import Column, Table, Target
from mixedwood.estimators._single import SingleTreeRegressor
from mixedwood.estimators.base import columns_used, unknown_in_core
from mixedwood.estimators.tree import GREEDY_PARAMETERS
from mixedwood.grow.leaf_models import LeafModels, NodeMatrix, add_columns, grow_models
from mixedwood.grow.numbers import NumberSettings
from mixedwood.tree import NUMBER, Predictor, Tree
from mixedwood.tree.tree import LOSS

if TYPE_CHECKING:
    from mixedwood.explain import DecisionPath

__all__ = ["ModelTreeRegressor"]

_ALPHAS = np.concatenate([[0.0], np.geomspace(1e-5, 1.0, 26)])  # fractions of the loss of the root
_FINITE = kinds.array(np.float64, 1, kinds.FINITE)
_CODES = kinds.array(np.int32)
_SHARED = ("max_depth", "min_samples_leaf", "handle_unknown", "random_state", "time_limit")


class ModelTreeRegressor(SingleTreeRegressor):
    """Regression tree with a linear model in every leaf.

    A node is split where intercept or slopes of its linear model differ most. The model of a child
    is that of its parent plus a ridge model of the parent's residuals, over standardized numbers
    and indicators of categories; its penalty is chosen by generalized cross-validation. The size of
    the tree is chosen by cross-validation. Predictions stay within the range of the targets of the
    leaf, extended by a tenth.

    Parameters
    ----------
    max_depth : int or None, default=6
        Maximum depth of the tree before pruning.
    min_samples_leaf : int or float, default=10
        Minimum number of rows in a leaf. A float in (0, 1) is a fraction of the training rows.
    cv : int or None, default=5
        Number of folds to choose the size of the tree. If None, it is not pruned.
    smoothing : float or None, default=None
        Strength of smoothing in rows, as in M5, where it is 15: the model of a leaf is averaged
        with those of the nodes above it. If None, models are not averaged; those of a leaf are
        shrunk towards its parent's by the ridge penalty in any case.
    handle_missing : {"learned", "category"}, default="learned"
        How splits treat missing values; see `TreeRegressor`. In the linear models a missing number
        is the mean of the training rows, and a missing category has no indicator.
    handle_unknown : {"stop", "missing", "majority", "error"}, default="stop"
        What happens to a category that a split has not seen; see `TreeRegressor`. A row that stops
        receives the prediction of the linear model of that node. In the linear models an unknown
        category has no indicator.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal regardless of their dtype.
    ordinal_features : mapping of str to sequence, optional
        Ordered categories of ordinal columns, which linear models use by rank.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the folds. With None they are the same in every fit.
    time_limit : float or None, default=None
        Maximum number of seconds of `fit`, without reading the table.

    Attributes
    ----------
    tree_ : Tree
        The splits; the mean and standard deviation of the target in each node.
    leaf_terms_ : dict of ndarray
        The terms of all linear models in original units, with the layout of linear splits: node,
        column, category (-1 for a number), weight, and the fill of missing numbers.
    leaf_ranges_ : dict of ndarray
        For each node the intercept, and the lowest and highest prediction.
    schema_ : Schema
        Names, types and categories of the columns.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    TreeRegressor : A number in each leaf.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"carat": [0.2, 0.4, 0.5, 0.7, 0.9, 1.0] * 5}
    >>> model = mw.ModelTreeRegressor().fit(X, [100 + 1000 * c for c in X["carat"]])
    >>> print(model.leaf_formula(0, "price"))
    price = 100.1 + 999.9 x carat
    """

    criterion = "squared_error"  # of the importances
    leaf_terms_: dict[str, NDArray[Any]]
    leaf_ranges_: dict[str, NDArray[np.float64]]

    _parameters: ClassVar[Mapping[str, Constraint]] = {
        **{name: GREEDY_PARAMETERS[name] for name in _SHARED},
        "cv": Int(2) | NONE,
        "smoothing": Float(0, math.inf, "neither") | NONE,
        "handle_missing": OneOf("learned", "category"),
    }
    _fitted: ClassVar[kinds.Fitted] = {
        "tree_": kinds.instance(Tree),
        "leaf_terms_": kinds.arrays(
            {
                "node": _CODES,
                "column": _CODES,
                "category": _CODES,
                "weight": _FINITE,
                "fill": kinds.array(np.float64, 1, kinds.MISSING_OR_FINITE),
            }
        ),
        "leaf_ranges_": kinds.arrays({"intercept": _FINITE, "low": _FINITE, "high": _FINITE}),
    }

    def __init__(
        self,
        *,
        max_depth: int | None = 6,
        min_samples_leaf: float = 10,
        cv: int | None = 5,
        smoothing: float | None = None,
        handle_missing: Literal["learned", "category"] = "learned",
        handle_unknown: Literal["stop", "missing", "majority", "error"] = "stop",
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.cv = cv
        self.smoothing = smoothing
        self.handle_missing = handle_missing
        self.handle_unknown = handle_unknown
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.random_state = random_state
        self.time_limit = time_limit

    def _check_fitted(self) -> None:
        nodes, n = self.leaf_terms_["node"], self.tree_.n_nodes
        if len(self.leaf_ranges_["low"]) != n or ((nodes < 0) | (nodes >= n)).any():
            raise ValueError("linear models and nodes of the tree differ in number.")
        sizes = [0 if c.is_numeric else c.n_categories for c in self.tree_.schema]
        for c, v, fill in zip(
            *(self.leaf_terms_[name] for name in ("column", "category", "fill")), strict=True
        ):
            nominal = 0 <= c < len(sizes) and self.tree_.schema.columns[c].kind == "nominal"
            known = 0 <= v < sizes[c] if nominal else v == NUMBER and np.isfinite(fill)
            if not 0 <= c < len(sizes) or not known:
                raise ValueError("a term of a linear model is not of a column of the tree.")
        self._show_formulas()

    def _fit(self, table: Table, target: Target, kept: NDArray[np.bool_] | None) -> None:
        with one_blas_thread():
            self._fit_models(table, target)

    def _fit_models(self, table: Table, target: Target) -> None:
        deadline = Deadline.after(read_time_limit(self.time_limit))
        fewest = self.min_samples_leaf
        if fewest < 1:
            fewest = int(np.ceil(fewest * table.n_rows))
        settings = NumberSettings(
            selection="adjusted",
            max_depth=1,
            min_samples_leaf=float(fewest),
            handle_missing=self.handle_missing,
            handle_unknown=unknown_in_core(self.handle_unknown),
        )
        limits: dict[str, Any] = {
            "max_depth": 10**6 if self.max_depth is None else self.max_depth,
            "deadline": deadline,
        }
        tree, models = grow_models(table, target, settings, **limits)
        if self.cv is not None and tree.n_nodes > 1 and table.n_rows >= 2 * self.cv:
            _, seed = seeds_of(self.random_state)
            w = np.ones(table.n_rows) if target.weights is None else target.weights
            folds = fold_numbers(np.zeros(table.n_rows, np.int32), self.cv, seed)
            errors = np.zeros(len(_ALPHAS))
            for fold in range(self.cv):
                train, test = folds != fold, folds == fold
                rows = table.take(train), target.take(train)
                grown, fitted = grow_models(*rows, settings, **limits)
                held_out = table.take(test)
                X, ends = fitted.matrix.matrix(held_out), grown.apply(held_out)
                for place, alpha in enumerate(_ALPHAS):
                    leaf = _ends_after_pruning(grown, alpha)[ends]
                    off = target.numbers[test] - fitted.predict(leaf, X)
                    errors[place] += w[test] @ (off * off)
            best = float(_ALPHAS[len(errors) - 1 - int(np.argmin(errors[::-1]))])
            tree, models = _pruned(tree, models, best)
        if deadline.is_over():
            warn_time_limit(
                "The time limit came before the tree was complete; nodes that were not reached are "
                "leaves."
            )
        if self.smoothing is not None:
            models = _smoothed(tree, models, float(self.smoothing))
        self.tree_ = tree
        self.leaf_terms_, self.leaf_ranges_ = _original_units(models)
        self._show_formulas()

    def _show_formulas(self) -> None:
        """Show the formulas in texts, rules and drawings of the tree."""
        columns = self.tree_.schema.columns
        formulas = [self._formula(node, columns, "y", 6) for node in range(self.tree_.n_nodes)]
        self.tree_ = self.tree_.with_formulas(formulas)

    @property
    def predictor_(self) -> Predictor:
        """Not available: a predictor has one number per node, and these have linear models."""
        raise AttributeError("ModelTreeRegressor has no predictor_: its leaves are linear models.")

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row."""
        table = self._read(X)
        terms, ranges = self.leaf_terms_, self.leaf_ranges_
        nodes = self.tree_.apply(table)
        found = np.empty(table.n_rows)
        for node in np.unique(nodes):
            rows = np.flatnonzero(nodes == node)
            part = table.take(rows)
            here = terms["node"] == node
            matrix = NodeMatrix(
                terms["column"][here],
                terms["category"][here],
                terms["fill"][here],
                np.ones(int(here.sum())),
            )
            # Terms are centered at their fills, as the intercept is.
            sums = add_columns(matrix.matrix(part), terms["weight"][here])
            sums += ranges["intercept"][node]
            found[rows] = np.clip(sums, ranges["low"][node], ranges["high"][node])
        return found

    def linear_terms(self, X: Any, row: int = 0) -> list[tuple[str, float]]:
        """Give what each term adds to the prediction of one row, largest first.

        The first entry is the intercept of the row's node, at the means of numbers. If the
        prediction is cut off at the range of the node, an entry "range" has the difference.
        """
        table = self._read(X).take(np.array([row]))
        node = int(self.tree_.apply(table)[0])
        here = np.flatnonzero(self.leaf_terms_["node"] == node)
        terms = {name: array[here] for name, array in self.leaf_terms_.items()}
        matrix = NodeMatrix(terms["column"], terms["category"], terms["fill"], np.ones(len(here)))
        added = matrix.matrix(table)[0] * terms["weight"]
        first = float(self.leaf_ranges_["intercept"][node])
        found = [("intercept", first)]
        order = np.argsort(-np.abs(added), kind="stable")
        found += [(self._term_name(here[j]), float(added[j])) for j in order if added[j]]
        total = first + float(added.sum())
        low, high = self.leaf_ranges_["low"][node], self.leaf_ranges_["high"][node]
        if not low <= total <= high:
            found.append(("range", float(np.clip(total, low, high)) - total))
        return found

    def explain(self, X: Any, row: int = 0) -> DecisionPath:
        """Explain the prediction of one row by its path through the tree.

        The number of each node on the path is what its linear model predicts for the row;
        `linear_terms` has the terms of the last one.
        """
        table = self._read(X)
        ranges, terms = self.leaf_ranges_, self.leaf_terms_
        matrix = NodeMatrix(
            terms["column"], terms["category"], terms["fill"], np.ones(len(terms["fill"]))
        )
        added = matrix.matrix(table.take(np.array([row])))[0] * terms["weight"]
        sums = ranges["intercept"] + np.bincount(terms["node"], added, self.tree_.n_nodes)
        values = np.clip(sums, ranges["low"], ranges["high"])
        return self.tree_.with_values(values).explain(table, row)

    def _read(self, X: Any) -> Table:
        check_is_fitted(self)

        def used() -> set[str]:
            columns = self.schema_.columns
            return columns_used([self.tree_]) | {
                columns[int(c)].name for c in np.unique(self.leaf_terms_["column"])
            }

        return self._read_new(X, used, self.handle_unknown)

    def to_text(self, target: str = "y", max_terms: int | None = 6) -> str:
        """Write the splits, and the formula of each leaf."""
        nodes = range(self._fitted_tree.n_nodes)
        formulas = [self.leaf_formula(node, target, max_terms) for node in nodes]
        return self.tree_.with_formulas(formulas).to_text()

    def _term_name(self, place: int, columns: Sequence[Column] | None = None) -> str:
        columns = self.schema_.columns if columns is None else columns
        column = columns[int(self.leaf_terms_["column"][place])]
        category = int(self.leaf_terms_["category"][place])
        if category == NUMBER:
            return column.name
        return f"[{column.name}={column.categories[category]}]"

    def leaf_formula(self, node: int, target: str = "y", max_terms: int | None = None) -> str:
        """Write the linear model of a node in original units, the largest typical terms first."""
        check_is_fitted(self)
        return self._formula(node, self.schema_.columns, target, max_terms)

    def _formula(
        self, node: int, columns: Sequence[Column], target: str, max_terms: int | None
    ) -> str:
        here = np.flatnonzero(self.leaf_terms_["node"] == node)
        terms = {name: array[here] for name, array in self.leaf_terms_.items()}
        numbers = terms["category"] == NUMBER
        constant = self.leaf_ranges_["intercept"][node]
        constant -= float(terms["weight"][numbers] @ terms["fill"][numbers])
        text = f"{target} = {constant:.4g}"
        for place in range(len(here))[:max_terms]:
            weight, times = float(terms["weight"][place]), "x " * bool(numbers[place])
            sign = "-" if weight < 0 else "+"
            text += f" {sign} {abs(weight):.4g} {times}{self._term_name(here[place], columns)}"
        return text


def _ends_after_pruning(tree: Tree, alpha: float) -> NDArray[np.int32]:
    """For each node, the leaf above it, or itself, in the tree of least loss + alpha x leaves."""
    losses = tree.statistics[:, LOSS]
    price = alpha * losses[0]
    cost = losses + price
    leaf = np.ones(tree.n_nodes, dtype=bool)
    for node in range(tree.n_nodes - 1, -1, -1):
        children = tree.children_of(node)
        if len(children) and cost[children].sum() < cost[node]:
            cost[node], leaf[node] = cost[children].sum(), False
    ends = np.arange(tree.n_nodes, dtype=np.int32)
    for node in range(1, tree.n_nodes):
        parent = tree.parent[node]
        if leaf[ends[parent]]:
            ends[node] = ends[parent]
    return ends


def _pruned(tree: Tree, models: LeafModels, alpha: float) -> tuple[Tree, LeafModels]:
    ends = _ends_after_pruning(tree, alpha)
    keep = ends == np.arange(tree.n_nodes)
    stops = np.unique(ends[~keep])
    kept = LeafModels(
        models.matrix, models.beta[keep], models.intercept[keep], models.low[keep],
        models.high[keep],
    )  # fmt: skip
    return (tree.prune_at(stops) if len(stops) else tree), kept


def _smoothed(tree: Tree, models: LeafModels, strength: float) -> LeafModels:
    """Average the model of each node with those above it, as M5 averages their predictions.

    From a node up, the prediction p of the path so far becomes (n p + k q) / (n + k) at the next
    node, where q is that node's own, n the rows of the node below it, and k the strength.
    """
    n_rows = tree.weighted_n_node_samples
    parts = [models.beta, models.intercept, models.low, models.high]
    smoothed = [np.array(part) for part in parts]
    for node in range(tree.n_nodes):
        below, above = node, int(tree.parent[node])
        while above >= 0:
            share = n_rows[below] / (n_rows[below] + strength)
            for part, found in zip(parts, smoothed, strict=True):
                found[node] = share * found[node] + (1.0 - share) * part[above]
            below, above = above, int(tree.parent[above])
    return LeafModels(models.matrix, *smoothed)


def _original_units(
    models: LeafModels,
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[np.float64]]]:
    matrix = models.matrix
    nodes, places = [], []
    for node, beta in enumerate(models.beta):
        order = np.argsort(-np.abs(beta), kind="stable")
        order = order[beta[order] != 0]
        nodes.append(np.full(len(order), node, np.int32))
        places.append(order)
    of, place = np.concatenate(nodes), np.concatenate(places)
    terms = {
        "node": of,
        "column": matrix.column[place],
        "category": matrix.category[place],
        "weight": models.beta[of, place] / matrix.spread[place],
        "fill": matrix.fill[place],
    }
    ranges = {"intercept": models.intercept, "low": models.low, "high": models.high}
    return terms, ranges
