"""Native core of mixedwood. Use the public modules instead."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class TimeLimitError(TimeoutError):
    pass

sanitized: bool = False

def instruction_set() -> str:
    """The instruction set of the kernels: 'scalar', 'vector' or 'avx2'."""

class Criterion:
    """Scores the groups of a partition."""

class PythonCriterion(Criterion):
    """A criterion whose score is computed in Python."""

    def __init__(self, score: object, convex: bool, many_groups: bool, entropy: bool) -> None: ...

class Partitioner:
    """Searches the groupings of the values of a column."""

class Screener:
    """Decides whether a nominal column may be used at a node."""

def make_criterion(name: str) -> Criterion:
    """The criterion with unit costs."""

def make_partitioner(name: str, options: dict[str, bool | int | float | str]) -> Partitioner: ...

def make_screener(name: str, options: dict[str, bool | int | float | str]) -> Screener: ...

def criteria() -> list[tuple[str, str, list[tuple[str, bool | int | float | str, str, tuple[str, ...], float, float]]]]:
    """Name, summary and options (none) of each criterion."""

def partitioners() -> list[tuple[str, str, list[tuple[str, bool | int | float | str, str, tuple[str, ...], float, float]]]]:
    """
    Name, summary and options (name, default, summary, choices, range) of each partitioner.
    """

def screeners() -> list[tuple[str, str, list[tuple[str, bool | int | float | str, str, tuple[str, ...], float, float]]]]:
    """Likewise of each screener."""

def best_split(counts: NDArray[numpy.float64], criterion: str, custom: PythonCriterion | None, partitioner: Partitioner, cost_matrix: NDArray[numpy.float64] | None, seed: int, ordered: bool, time_limit: float) -> dict[str, Any]:
    """Best grouping of the rows of a table of counts."""

def score_grouping(counts: NDArray[numpy.float64], group: NDArray[numpy.int32], criterion: str, custom: PythonCriterion | None, cost_matrix: NDArray[numpy.float64] | None, ordered: bool) -> dict[str, Any]:
    """Score of a given grouping."""

def log_upper_gamma(a: float, z: float) -> float:
    """Logarithm of the upper regularised incomplete gamma function."""

def log_chi2_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Logarithm of the tail probability of the chi-square distribution."""

def pearson_test(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""

def conditional_test(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""

def conditional_test_numeric(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""

tree_layout_version: int = 3

def check_tree(tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None:
    """ValueError unless the arrays are a tree over such columns."""

def linear_sums(tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32], node: int, rows: NDArray[numpy.int32]) -> NDArray[numpy.float64]:
    """
    What a linear test compares with zero, for some rows; NaN where it has no answer.
    """

class Router:
    """A tree laid out for routing rows."""

    def __init__(self, tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None: ...

    def route(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]]) -> NDArray[numpy.int32]:
        """The node that answers each row."""

    def distribute(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], answers: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """Answers of the nodes, weighted by the share of the row that each gets."""

    def answered(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64], n_classes: int) -> NDArray[numpy.float64]:
        """
        Class weights of the rows that each node answers, by shares; no weights: 1 each.
        """

def add_up(trees: list[tuple[Router, NDArray[numpy.float64], NDArray[numpy.int32], int, float]], columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], plurality: bool, first: int, last: int, out: NDArray[numpy.float64]) -> None:
    """
    Add the answers of trees (router, answers, labels, first output, weight) to some rows.
    """

class StopFlag:
    """Stops growth that is under way on other threads."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    def is_set(self) -> bool: ...

class CodedTable:
    """A table made ready for growing many trees."""

    def __init__(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32], kinds: str, n_rows: int) -> None: ...

    def reordered(self, places: NDArray[numpy.int32], columns: list[NDArray[numpy.int32]]) -> CodedTable:
        """The table with some of its columns of codes as places in some order."""

    def selected(self, places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> CodedTable:
        """The table of some of the columns."""

def grow(table: CodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, settings: dict[str, Any], time_limit: float, rows: NDArray[numpy.int32] | None = None, starts: NDArray[numpy.int64] | None = None, stop: StopFlag | None = None) -> dict[str, Any]:
    """Arrays of a tree grown from the root down, or of several side by side."""

def grow_prune(table: CodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, settings: dict[str, Any], time_limit: float, halves: NDArray[numpy.int8], max_iterations: int, relabel: bool, stop: StopFlag | None = None) -> tuple[dict[str, Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]:
    """
    Arrays of a tree grown and pruned in turns; leaves each time, and whether it ended.
    """

class BinnedTable:
    """A coded table in bins, for gradient boosting."""

    def __init__(self, table: CodedTable, max_bins: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

def gradient_tree(table: BinnedTable, gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, rows: NDArray[numpy.int32], others: NDArray[numpy.int32], columns: NDArray[numpy.int32] | None, settings: dict[str, Any], time_limit: float) -> dict[str, Any]:
    """
    Arrays of a tree whose answers are Newton steps, and the node of each row.
    """

def log_loss_derivatives(scores: NDArray[numpy.float64], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64], n_threads: int = 1) -> None:
    """First and second derivatives of the log loss, written into two arrays."""

def add_steps(scores: NDArray[numpy.float64], first: int, steps: NDArray[numpy.float64], nodes: NDArray[numpy.int32]) -> None:
    """
    Add to each row's scores, from the first output on, the step of its node.
    """

def cost_complexity(parent: NDArray[numpy.int32], costs: NDArray[numpy.float64]) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Alphas, leaves and cost at each, and where each node is cut."""

def path_errors(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], counts: NDArray[numpy.float64], cut_at: NDArray[numpy.float64], alphas: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """
    Weight of the wrong rows at each alpha, by the rows that each node answers.
    """

def reduced_error(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], counts: NDArray[numpy.float64], inherited: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
    """
    1 for each node that is better as a leaf, by the rows that each node answers.
    """

def optimal_switches() -> list[str]:
    """Parts of the search for optimal trees that tests may switch off."""

class OptimalSolver:
    """Best trees over binary columns; what one call learns helps the next."""

    def __init__(self, matrix: NDArray[numpy.uint8], classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, leaf_cost: int = 0, min_leaf: int = 1, switches: dict[str, bool] = {}, error_cost: int = 1) -> None: ...

    def solve(self, max_depth: int, max_nodes: int = -1, upper_bound: int | None = None, time_limit: float = 1e18, memory_limit: int = -1, stop: StopFlag | None = None, work_limit: int | None = None) -> dict[str, Any]: ...

def cut_points(numbers: NDArray[numpy.float64], classes: NDArray[numpy.int32] | None, n_classes: int, rule: str, n_bins: int) -> NDArray[numpy.float64]:
    """Ascending cut points of one column; NaN is left out."""

def rebinarised_tree(columns: list[Any], kinds: str, n_values: NDArray[numpy.int32], cuts: list[Any], n_bins: NDArray[numpy.int64], classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, settings: dict[str, Any], time_limit: float, stop: StopFlag | None, work_limit: int | None = None) -> dict[str, Any]:
    """Best tree over tests made anew from the rows of every node."""

def optimal_all(table: CodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, settings: dict[str, int], time_limit: float, stop: StopFlag | None = None, work_limit: int | None = None) -> dict[str, Any]:
    """
    The best tree over all thresholds and subsets: its arrays, its cost and the proof.
    """

def fit_smooth_svm(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], weights: NDArray[numpy.float64] | None, c: float, alpha: float, tolerance: float, max_iterations: int, start: NDArray[numpy.float64] | None, seconds: float) -> dict[str, Any]:
    """The plane of a smooth support vector machine. alpha 0: limit form."""

def measure_column(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[float, float, float]:
    """
    A power of two near the largest number; mean and spread of the numbers divided by it.
    """

def scale_columns(columns: list[NDArray[numpy.float64]], scales: NDArray[numpy.float64], places: NDArray[numpy.int64], matrix: NDArray[numpy.float64]) -> None:
    """Writes columns, each on its scale, into their places in a matrix."""

def svm_decisions(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """w.x + b of each row."""

def svm_derivatives(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], weights: NDArray[numpy.float64] | None, c: float, alpha: float, z: NDArray[numpy.float64]) -> dict[str, Any]:
    """Objective, gradient and Hessian (row by row) at z."""

class RegressSettings:
    """Settings of a regression tree."""

    def __init__(self) -> None: ...

    @property
    def min_split_gain(self) -> float: ...

    @min_split_gain.setter
    def min_split_gain(self, arg: float, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def bonferroni(self) -> bool: ...

    @bonferroni.setter
    def bonferroni(self, arg: bool, /) -> None: ...

    @property
    def max_depth(self) -> int | None: ...

    @max_depth.setter
    def max_depth(self, arg: int | None, /) -> None: ...

    @property
    def min_samples_split(self) -> float: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: float, /) -> None: ...

    @property
    def min_samples_leaf(self) -> float: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: float, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int | None: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int | None, /) -> None: ...

    @property
    def best_first(self) -> bool: ...

    @best_first.setter
    def best_first(self, arg: bool, /) -> None: ...

    @property
    def max_features(self) -> int | None: ...

    @max_features.setter
    def max_features(self, arg: int | None, /) -> None: ...

    @property
    def missing_is_value(self) -> bool: ...

    @missing_is_value.setter
    def missing_is_value(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def criterion(self) -> str: ...

    @criterion.setter
    def criterion(self, arg: str, /) -> None: ...

    @property
    def partitioner(self) -> str: ...

    @partitioner.setter
    def partitioner(self, arg: str, /) -> None: ...

    @property
    def selection(self) -> str: ...

    @selection.setter
    def selection(self, arg: str, /) -> None: ...

    @property
    def handle_unknown(self) -> str: ...

    @handle_unknown.setter
    def handle_unknown(self, arg: str, /) -> None: ...

def regress(table: CodedTable, target: NDArray[numpy.float64], weights: NDArray[numpy.float64] | None, settings: RegressSettings, time_limit: float, rows: NDArray[numpy.int32] | None = None, stop: StopFlag | None = None) -> dict[str, Any]:
    """
    Arrays of a regression tree. Statistics of a node: weight, predicted number, sum of squared deviations, loss.
    """
