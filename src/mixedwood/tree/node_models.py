"""Models of nodes that are no hyperplanes: what decides a split is a function of several columns.

They stand beside the arrays of a tree: a split with the column ``len(schema) + k`` reads the
decisions of model k as if they were one more numeric column. Kernel machines and neural networks
are plain arrays. Their sums are added in a fixed order, so that a row gets the same decision alone
and among others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood import _kinds as kinds
from mixedwood.data import Column, ColumnKind, Schema

__all__ = ["NODE_MODELS", "KeptModel", "KernelModel", "NetworkModel", "NodeDesign", "NodeModel"]

Matrix: TypeAlias = NDArray[np.float64]

NUMBER_TERM = -2
"""In place of the category of a column of the matrix: it is a number."""

_FARTHEST = 1e9  # standard deviations; powers and products of such numbers are finite
_CHUNK = 4_000_000  # numbers of a matrix of kernel values
_MAX_NAMES = 3


@dataclass(frozen=True, eq=False)
class NodeDesign:
    """How the rows of a node become a matrix; one entry for each column of the matrix.

    Attributes
    ----------
    column : ndarray of int32
        The column of the table.
    category : ndarray of int32
        The category that the column of the matrix indicates, or -2 for a number.
    size, mean, spread : ndarray of float64
        The scale of a number: (x / size - mean) / spread. Missing numbers are 0.
    fill : ndarray of float64
        The indicators of a missing value, and of a category that the node had no row of.
    """

    column: NDArray[np.int32]
    category: NDArray[np.int32]
    size: Matrix
    mean: Matrix
    spread: Matrix
    fill: Matrix

    _fitted: ClassVar[kinds.Fitted] = {
        "column": kinds.array(np.int32),
        "category": kinds.array(np.int32),
        "size": kinds.array(np.float64, 1, kinds.POSITIVE),
        "mean": kinds.array(np.float64, 1, kinds.FINITE),
        "spread": kinds.array(np.float64, 1, kinds.POSITIVE),
        "fill": kinds.array(np.float64, 1, kinds.FRACTIONS),
    }

    @property
    def width(self) -> int:
        """Number of columns of the matrix."""
        return len(self.column)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns of the table, in order."""
        return tuple(np.unique(self.column).tolist())

    def check(self, schema: Schema) -> None:
        """Raise a ValueError if this does not fit the columns of a table."""
        lists = [getattr(self, name) for name in self._fitted]
        if len({len(array) for array in lists}) != 1 or not len(self.column):
            raise ValueError("not a tree: the lists of a node model differ in length.")
        if not ((self.column >= 0) & (self.column < len(schema))).all():
            raise ValueError("not a tree: a column of a node model is not one of the schema.")
        for c, category in zip(self.column.tolist(), self.category.tolist(), strict=True):
            column = schema.columns[c]
            nominal = column.kind == ColumnKind.NOMINAL
            if nominal != (category != NUMBER_TERM) or not -2 <= category < max(
                column.n_categories, 1
            ):
                raise ValueError("not a tree: a node model has a category that is not there.")

    def matrix(self, arrays: Sequence[NDArray[Any]], rows: NDArray[Any]) -> Matrix:
        """Matrix of some rows of a table; all numbers are finite."""
        found = np.zeros((len(rows), self.width))
        numbers = np.flatnonzero(self.category == NUMBER_TERM)
        if len(numbers):
            _core.scale_columns(
                [_as_numbers(arrays[c][rows]) for c in self.column[numbers].tolist()],
                np.stack([self.size, self.mean, self.spread], axis=1)[numbers],
                numbers.astype(np.int64),
                found,
            )
            np.clip(found, -_FARTHEST, _FARTHEST, out=found)
        for c in np.unique(self.column[self.category != NUMBER_TERM]).tolist():
            places = np.flatnonzero(self.column == c)
            listed, given = self.category[places], arrays[c][rows]
            met = np.flatnonzero(np.isin(given, listed[listed >= 0]))
            found[:, places] = self.fill[places]
            found[met[:, None], places] = given[met][:, None] == listed
        return found

    def in_columns(self, columns: NDArray[np.int32]) -> NodeDesign:
        """Renumber the columns of a design that was made for some columns of a table."""
        return replace(self, column=columns[self.column])

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    __hash__ = None  # type: ignore[assignment]


def _as_numbers(array: NDArray[Any]) -> Matrix:
    if array.dtype == np.float64:
        return np.ascontiguousarray(array)
    return np.where(array >= 0, array, np.nan)


@dataclass(frozen=True, eq=False)
class NodeModel:
    """A function of the rows of a node; its sign decides.

    Attributes
    ----------
    name : str
        The class of the classifier.
    design : NodeDesign
        How rows become numbers.
    """

    name: str
    design: NodeDesign

    _fitted: ClassVar[kinds.Fitted] = {
        "name": kinds.TEXT,
        "design": kinds.instance(NodeDesign),
    }

    def check(self, schema: Schema) -> None:
        """Raise a ValueError if the parts do not fit together."""
        for field, kind in self._fitted.items():
            if not kind.accepts(getattr(self, field)):
                raise ValueError(f"not a tree: {field} of a node model is not {kind.text}.")
        self.design.check(schema)
        self._check_shapes()

    def _check_shapes(self) -> None:
        """Raise a ValueError if the arrays differ in length."""

    def decide(self, arrays: Sequence[NDArray[Any]], rows: NDArray[Any]) -> Matrix:
        """Compute the decisions of some rows of a table; NaN where one is beyond all numbers."""
        step = max(1, _CHUNK // max(self._width, 1))
        found = np.empty(len(rows))
        with np.errstate(all="ignore"):
            for begin in range(0, len(rows), step):
                part = slice(begin, begin + step)
                found[part] = self.decide_matrix(self.design.matrix(arrays, rows[part]))
        found[~np.isfinite(found)] = np.nan
        return found

    def decide_matrix(self, matrix: Matrix) -> Matrix:
        """Compute the decision of each row of a matrix."""
        raise NotImplementedError

    @property
    def _width(self) -> int:
        """Numbers that are needed for each row."""
        return self.design.width

    def title(self, schema: Schema) -> str:
        """Name the columns that the model uses."""
        names = [schema.columns[c].name for c in self.design.columns]
        more = len(names) - _MAX_NAMES
        if more > 1:
            return f"{', '.join(names[:_MAX_NAMES])} and {more} more"
        return ", ".join(names)

    def in_columns(self, columns: NDArray[np.int32]) -> NodeModel:
        """Renumber the columns of a model that was fitted to some columns of a table."""
        return replace(self, design=self.design.in_columns(columns))

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    __hash__ = None  # type: ignore[assignment]


KERNELS = ("rbf", "poly", "sigmoid", "linear")


@dataclass(frozen=True, eq=False)
class KernelModel(NodeModel):
    """A kernel machine: a weighted sum of the kernel's values beside some training rows.

    Attributes
    ----------
    kernel : {"rbf", "poly", "sigmoid", "linear"}
        The kernel, with scikit-learn's definition.
    gamma, coef0 : float
        Its parameters.
    degree : int
        The degree of "poly".
    support : ndarray of shape (n_support, width)
        Support rows.
    weights : ndarray of shape (n_support,)
        Their dual weights, with signs.
    intercept : float
        Constant of the sum.
    """

    kernel: str
    gamma: float
    degree: int
    coef0: float
    support: Matrix
    weights: Matrix
    intercept: float

    _fitted: ClassVar[kinds.Fitted] = {
        **NodeModel._fitted,
        "kernel": kinds.TEXT,
        "gamma": kinds.number(kinds.NONNEGATIVE),
        "degree": kinds.integer(0),
        "coef0": kinds.REAL,
        "support": kinds.array(np.float64, 2, kinds.FINITE),
        "weights": kinds.array(np.float64, 1, kinds.FINITE),
        "intercept": kinds.REAL,
    }

    def _check_shapes(self) -> None:
        if self.support.shape != (len(self.weights), self.design.width):
            raise ValueError("not a tree: the support rows of a node model have another shape.")
        if self.kernel not in KERNELS:
            raise ValueError(f"not a tree: there is no kernel {self.kernel!r}.")

    @property
    def _width(self) -> int:
        return self.design.width + 2 * len(self.weights)

    def decide_matrix(self, matrix: Matrix) -> Matrix:
        """Compute the decision of each row of a matrix."""
        values = np.zeros((len(self.weights), len(matrix)))
        for j in range(self.design.width):
            beside = self.support[:, j, None]
            values += (
                (matrix[:, j] - beside) ** 2 if self.kernel == "rbf" else matrix[:, j] * beside
            )
        if self.kernel == "rbf":
            values = np.exp(-self.gamma * values)
        elif self.kernel == "poly":
            values = (self.gamma * values + self.coef0) ** self.degree
        elif self.kernel == "sigmoid":
            values = np.tanh(self.gamma * values + self.coef0)
        found = np.full(len(matrix), self.intercept)
        for weight, value in zip(self.weights.tolist(), values, strict=True):
            found += weight * value
        return found


ACTIVATIONS = ("identity", "logistic", "tanh", "relu")


@dataclass(frozen=True, eq=False)
class NetworkModel(NodeModel):
    """A neural network with one output, the log odds of the positive side.

    Attributes
    ----------
    activation : {"identity", "logistic", "tanh", "relu"}
        The function of the hidden layers.
    weights : tuple of ndarray of shape (n_inputs, n_outputs)
        Weights of each layer.
    intercepts : tuple of ndarray of shape (n_outputs,)
        Constants of each layer.
    """

    activation: str
    weights: tuple[Matrix, ...]
    intercepts: tuple[Matrix, ...]

    _fitted: ClassVar[kinds.Fitted] = {
        **NodeModel._fitted,
        "activation": kinds.TEXT,
        "weights": kinds.tuple_of(kinds.array(np.float64, 2, kinds.FINITE)),
        "intercepts": kinds.tuple_of(kinds.array(np.float64, 1, kinds.FINITE)),
    }

    def _check_shapes(self) -> None:
        widths = [self.design.width, *(len(constants) for constants in self.intercepts)]
        shapes = [layer.shape for layer in self.weights]
        if widths[-1] != 1 or shapes != list(pairwise(widths)):
            raise ValueError("not a tree: the layers of a node model do not fit together.")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"not a tree: there is no activation {self.activation!r}.")

    @property
    def _width(self) -> int:
        return self.design.width + 2 * max(len(constants) for constants in self.intercepts)

    def decide_matrix(self, matrix: Matrix) -> Matrix:
        """Compute the decision of each row of a matrix."""
        rows = matrix
        for number, (layer, constants) in enumerate(
            zip(self.weights, self.intercepts, strict=True), start=1
        ):
            found = np.tile(constants, (len(rows), 1))
            for j in range(len(layer)):
                found += rows[:, j, None] * layer[j]
            rows = found if number == len(self.weights) else _activate(self.activation, found)
        return np.ascontiguousarray(rows[:, 0])


def _activate(activation: str, values: Matrix) -> Matrix:
    if activation == "relu":
        return np.maximum(values, 0.0)
    if activation == "tanh":
        return np.tanh(values)
    return 1.0 / (1.0 + np.exp(-values)) if activation == "logistic" else values


@dataclass(frozen=True, eq=False)
class KeptModel(NodeModel):
    """A fitted classifier as an object, which can be pickled but not saved as data.

    Attributes
    ----------
    classifier : estimator
        The classifier; its classes are -1 and 1.
    """

    classifier: Any

    def check(self, schema: Schema) -> None:
        """Raise a ValueError if the parts do not fit together."""
        self.design.check(schema)

    def decide_matrix(self, matrix: Matrix) -> Matrix:
        """Compute the decision of each row of a matrix."""
        if hasattr(self.classifier, "decision_function"):
            return np.asarray(self.classifier.decision_function(matrix), np.float64).ravel()
        chances = np.asarray(self.classifier.predict_proba(matrix), np.float64)
        return chances[:, np.flatnonzero(self.classifier.classes_ == 1)[0]] - 0.5


NODE_MODELS: tuple[type[Any], ...] = (NodeDesign, KernelModel, NetworkModel)
"""What a model file may contain."""


def model_columns(schema: Schema, models: Sequence[NodeModel]) -> tuple[Column, ...]:
    """Describe the decisions of models as numeric columns."""
    return tuple(
        Column(f"{model.name}_{number}({model.title(schema)})", ColumnKind.NUMERIC)
        for number, model in enumerate(models, start=1)
    )


def _equal(one: object, other: object) -> bool:
    return type(one) is type(other) and all(
        _same(value, vars(other)[name]) for name, value in vars(one).items()
    )


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a is b or a == b)
