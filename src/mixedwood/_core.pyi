"""Native core of mixedwood. Use the public modules instead."""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class TimeLimitError(TimeoutError):
    pass

sanitized: bool = False

def instruction_set() -> str:
    """The instruction set of the kernels: 'scalar', 'vector' or 'avx2'."""

def read_arrays(arrays: list[NDArray[Any]], missing: list[NDArray[numpy.bool_] | None], wanted: list[Any]) -> list[Any]:
    """Read arrays of booleans or numbers; None for those that are left out."""

def read_dictionaries(codes: list[NDArray[Any]], labels: list[list[Any]], wanted: list[Any]) -> list[Any]:
    """Read codes of labels; None for columns that are left out."""

def read_distinct(cells: NDArray[numpy.uint8]) -> tuple[NDArray[numpy.int32], NDArray[numpy.int64]]:
    """
    Number cells of equal width by their bytes; also give the row where each is first.
    """

def read_objects(columns: list[Any], wanted: list[Any], absent: tuple[Any, ...]) -> list[Any]:
    """Read lists of Python objects; None for columns that are left out."""

def read_arrow(stream: Any, wanted: list[Any]) -> list[Any]:
    """Read the columns of an Arrow stream; None for those that are left out."""

class CountedTable:
    """Columns of a table whose rows are counted elsewhere."""

    def __init__(self, numbers: list[NDArray[numpy.float64] | None], n_values: NDArray[numpy.int32], kinds: str, n_classes: int) -> None: ...

    @property
    def length(self) -> int: ...

    @property
    def offset(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

def add_counts(table: CountedTable, columns: list[NDArray[numpy.int32]], classes: NDArray[numpy.int32], slots: NDArray[numpy.int32], histograms: NDArray[numpy.uint32]) -> None:
    """Add rows to the histograms of their nodes."""

def add_sums(table: CountedTable, columns: list[NDArray[numpy.int32]], classes: NDArray[numpy.int32], slots: NDArray[numpy.int32], terms: NDArray[numpy.int64], sums: NDArray[numpy.int64]) -> None:
    """
    Add whole numbers of rows, one or more each, to the cells of their nodes.
    """

def hash_numbers(hashes: NDArray[numpy.uint64], numbers: NDArray[numpy.float64]) -> None:
    """Mix numbers into the hashes of their rows."""

def hash_codes(hashes: NDArray[numpy.uint64], codes: NDArray[numpy.int32], hash_of: NDArray[numpy.uint64]) -> None:
    """
    Mix the hashes of codes into those of their rows; the last is that of missing values.
    """

def find_bins(edges: NDArray[numpy.float64], numbers: NDArray[numpy.float64]) -> NDArray[numpy.int32]:
    """The bin of each number; -1 for NaN."""

def choose_split(table: CountedTable, settings: GrowSettings, histogram: NDArray[numpy.uint32], classes: NDArray[numpy.float64], seed: int, columns: NDArray[numpy.int32], time_limit: float) -> dict[str, Any]:
    """The split of a node, from its counts alone."""

def choose_weighed_split(table: CountedTable, settings: GrowSettings, weights: NDArray[numpy.float64], rows: NDArray[numpy.float64], n_rows: int, whole_weights: bool, classes: NDArray[numpy.float64], seed: int, columns: NDArray[numpy.int32], time_limit: float) -> dict[str, Any]:
    """The split of a node, from the weights and numbers of its rows."""

def choose_number_split(table: CountedTable, settings: RegressSettings, cells: NDArray[numpy.float64], node: NDArray[numpy.float64], whole_weights: bool, seed: int, columns: NDArray[numpy.int32], time_limit: float) -> dict[str, Any]:
    """
    The split of a node that predicts a number: cells have rows, weights, sums and squares; the node rows, weight, sum, mean, squared deviations and loss.
    """

class Criterion:
    """Scores the groups of a partition."""

class PythonCriterion(Criterion):
    """A criterion whose score is computed in Python."""

    def __init__(self, score: object, convex: bool, many_groups: bool, entropy: bool) -> None: ...

class Partitioner:
    """Searches the groupings of the values of a column."""

class Screener:
    """Decides whether a nominal column may be used at a node."""

def make_criterion(name: str, costs: NDArray[numpy.float64] | None = None) -> Criterion:
    """
    The criterion, with symmetric costs of mistakes if it takes them; none: 1 each.
    """

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

def tree_arrays() -> list[tuple[str, str, str]]:
    """
    Name, type and list (what it has an entry for) of each array of a tree.
    """

def check_tree(tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None:
    """ValueError unless the arrays are a tree over such columns."""

def linear_sums(tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32], node: int, rows: NDArray[numpy.int32]) -> NDArray[numpy.float64]:
    """
    What a linear split compares with zero, for some rows; NaN where it has no value.
    """

class Router:
    """A tree laid out for routing rows."""

    def __init__(self, tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32]) -> None: ...

    def route(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]]) -> NDArray[numpy.int32]:
        """The node that each row reaches."""

    def distribute(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], values: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """
        Values of the nodes, weighted by the fraction of the row that each gets.
        """

    def class_weights(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64], n_classes: int) -> NDArray[numpy.float64]:
        """
        Class weights of the rows that stop at each node, by fractions; no weights: 1 each.
        """

def add_up(trees: list[tuple[Router, NDArray[numpy.float64], NDArray[numpy.int32], int, float]], columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], plurality: bool, first: int, last: int, out: NDArray[numpy.float64]) -> None:
    """
    Add the values of trees (router, values, labels, first output, weight) to some rows.
    """

def add_shap(tree: object, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32], values: NDArray[numpy.float64], scale: float, first: int, last: int, first_output: int, out: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """
    Add the SHAP values of a tree to some rows; returns its value when no column is known.
    """

class StopFlag:
    """Stops growth that is under way on other threads."""

    def __init__(self) -> None: ...

    def set(self) -> None: ...

    def is_set(self) -> bool: ...

class EncodedTable:
    """A table made ready for growing many trees."""

    def __init__(self, columns: list[NDArray[numpy.int32] | NDArray[numpy.float64]], n_values: NDArray[numpy.int32], kinds: str, n_rows: int) -> None: ...

    def reordered(self, places: NDArray[numpy.int32], columns: list[NDArray[numpy.int32]]) -> EncodedTable:
        """The table with some of its columns of codes as places in some order."""

    def selected(self, places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> EncodedTable:
        """The table of some of the columns."""

class GrowSettings:
    """How a tree is grown, and when to stop."""

    def __init__(self, criterion: Criterion, partitioner: Partitioner, screeners: list[Screener], linear: LinearSettings | None) -> None: ...

    rules: str
    selection: str
    alpha: float
    bonferroni: bool
    min_split_gain: float
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    max_leaf_nodes: int | None
    best_first: bool
    max_features: int | None
    handle_missing: str
    handle_unknown: str
    axis_aligned: bool
    seed: int

    @property
    def costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @costs.setter
    def costs(self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

    @property
    def split_costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @split_costs.setter
    def split_costs(self, arg: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

def grow(table: EncodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, settings: GrowSettings, time_limit: float, rows: NDArray[numpy.int32] | None = None, starts: NDArray[numpy.int64] | None = None, stop: StopFlag | None = None) -> dict[str, Any]:
    """Arrays of a tree grown from the root down, or of several side by side."""

def grow_prune(table: EncodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, settings: GrowSettings, time_limit: float, halves: NDArray[numpy.int8], max_iter: int, refit_leaves: bool, stop: StopFlag | None = None) -> tuple[dict[str, Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]:
    """
    Arrays of a tree grown and pruned in turns; leaves each time, and whether it ended.
    """

class BinnedTable:
    """A coded table in bins, for gradient boosting."""

    def __init__(self, table: EncodedTable, max_bins: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

class GradientSettings:
    """How a gradient tree is grown."""

    def __init__(self) -> None: ...

    max_depth: int | None
    max_leaf_nodes: int | None
    best_first: bool
    min_samples_leaf: float
    min_child_weight: float
    l2_regularization: float
    min_split_gain: float
    max_features: int | None
    half_of_others: bool
    category_order: str
    cat_l2: float
    cat_smooth: float
    selection: str
    dispersion: float
    handle_unknown: str
    seed: int
    n_threads: int

    @property
    def monotonic_cst(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

    @monotonic_cst.setter
    def monotonic_cst(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

def gradient_tree(table: BinnedTable, gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, numbers: NDArray[numpy.float64] | None, rows: NDArray[numpy.int32], others: NDArray[numpy.int32], columns: NDArray[numpy.int32] | None, settings: GradientSettings, time_limit: float) -> dict[str, Any]:
    """
    Arrays of a tree whose values are Newton steps, and the node of each row.
    """

class BlockGrower:
    """Grows a gradient tree of rows that come in blocks."""

    def __init__(self, n_bins: NDArray[numpy.int32], thresholds: list[NDArray[numpy.float64] | None], settings: GradientSettings, n_outputs: int, n_rows: int, max_gradient: float, max_hessian: float, row_weight: float, columns: NDArray[numpy.int32] | None, max_memory: int) -> None: ...

    def begin_pass(self) -> bool: ...

    def add(self, bins: list[NDArray[Any]], learns: NDArray[numpy.uint8] | None, nodes: NDArray[numpy.int32], gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64]) -> None: ...

    def end_pass(self, time_limit: float) -> None: ...

    def finish(self) -> None: ...

    def settle(self, bins: list[NDArray[Any]], learns: NDArray[numpy.uint8] | None, nodes: NDArray[numpy.int32]) -> None: ...

    @property
    def n_nodes(self) -> int: ...

    def tree(self, statistics: NDArray[numpy.float64], n_classes: int) -> dict[str, Any]: ...

class ExactSums:
    """Sums that do not depend on the order of the numbers."""

    def __init__(self, n_sums: int) -> None: ...

    def add(self, values: NDArray[numpy.float64], which: NDArray[numpy.int32] | None = None) -> None: ...

    def values(self) -> NDArray[numpy.float64]: ...

def exact_sum(values: NDArray[numpy.float64]) -> float:
    """
    The sum of numbers without rounding, as ExactSums gives it, in less time.
    """

def log_loss_derivatives(scores: NDArray[numpy.float64], classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, gradients: NDArray[numpy.float64], hessians: NDArray[numpy.float64], n_threads: int = 1) -> None:
    """First and second derivatives of the log loss, written into two arrays."""

def add_steps(scores: NDArray[numpy.float64], first: int, steps: NDArray[numpy.float64], nodes: NDArray[numpy.int32]) -> None:
    """
    Add to each row's scores, from the first output on, the step of its node.
    """

def cost_complexity(parent: NDArray[numpy.int32], costs: NDArray[numpy.float64]) -> tuple[NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Alphas, leaves and cost at each, and where each node is cut."""

def path_errors(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], counts: NDArray[numpy.float64], cut_at: NDArray[numpy.float64], alphas: NDArray[numpy.float64], costs: NDArray[numpy.float64] | None = None) -> NDArray[numpy.float64]:
    """
    Weight, or cost, of the wrong rows at each alpha, by the rows that end in each node.
    """

def reduced_error(parent: NDArray[numpy.int32], label: NDArray[numpy.int32], counts: NDArray[numpy.float64], inherited: NDArray[numpy.uint8], costs: NDArray[numpy.float64] | None = None) -> NDArray[numpy.uint8]:
    """
    1 for each node that is better as a leaf, by the rows that end in each node.
    """

class OptimalObjective:
    """What a tree costs, and which leaves are allowed."""

    def __init__(self) -> None: ...

    error_penalty: int
    leaf_penalty: int
    min_samples_leaf: int

class SearchLimits:
    """Limits of a search; None for no limit."""

    def __init__(self) -> None: ...

    max_depth: int
    max_leaf_nodes: int | None
    upper_bound: int | None
    memory_limit: int | None

class BinarySwitches:
    """Parts of the binary solver, for tests."""

    def __init__(self) -> None: ...

    cache: bool
    similarity: bool
    equivalent_points: bool
    parent_minus_child: bool
    merge_rows: bool
    wide_registers: bool

class BinarizerSettings:
    """How binary features are made at a node."""

    def __init__(self) -> None: ...

    rule: str
    encoding: str
    max_subset_values: int
    min_bins_per_side: int
    min_samples_binarize: int
    max_depth_binarize: int | None

def column_values(columns: list[Any]) -> list[tuple[Any, ...]]:
    """
    Of each column whether values are missing, and the codes that occur; or of numbers the ends, None for no numbers, and whether there are no others.
    """

def evaluate_splits(columns: list[Any], splits: list[Any], varying: bool = False) -> tuple[NDArray[numpy.uint8], list[int]]:
    """
    The branch of each row for each split, row by row, and which splits they are: all, or those with rows on both sides.
    """

class SplitTree:
    """The splits of a tree; an empty one stands for none."""

    def __init__(self, splits: list[Any], if_true: NDArray[numpy.int32], if_false: NDArray[numpy.int32]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def n_leaves(self) -> int: ...

    @property
    def column(self) -> NDArray[numpy.int32]: ...

    @property
    def if_true(self) -> NDArray[numpy.int32]: ...

    @property
    def if_false(self) -> NDArray[numpy.int32]: ...

    def splits(self) -> list[tuple[int, float, float, tuple[int, ...] | None, bool] | None]:
        """
        Column, low, high, codes and branch of missing values of each split; None for leaves.
        """

    def apply(self, columns: list[Any], kinds: str) -> NDArray[numpy.int32]:
        """The leaf of each row."""

    def build(self, columns: list[Any], kinds: str, classes: NDArray[numpy.int32], weights: NDArray[numpy.float64] | None, n_classes: int, unknown: str) -> dict[str, Any]:
        """The arrays of the tree, with the statistics of the training rows."""

class SolverResult:
    """A tree, and what is proven about it."""

    @property
    def status(self) -> str: ...

    @property
    def tree(self) -> SplitTree: ...

    @property
    def objective_value(self) -> int: ...

    @property
    def lower_bound(self) -> int: ...

    @property
    def n_explored(self) -> int: ...

    @property
    def n_cached(self) -> int: ...

    @property
    def cache_bytes(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def work(self) -> int: ...

    @property
    def trace(self) -> list[tuple[float, int]]: ...

class OptimalSolver:
    """Finds best trees of one table, for any limits."""

    def solve(self, limits: SearchLimits, time_limit: float = float('inf'), work_limit: int | None = None, stop: StopFlag | None = None) -> SolverResult: ...

def binary_solver(matrix: NDArray[numpy.uint8], classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, objective: OptimalObjective = ..., switches: BinarySwitches = ...) -> OptimalSolver:
    """
    Splits are the columns of a matrix; what one call learns helps the next.
    """

def all_splits_solver(table: EncodedTable, classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, objective: OptimalObjective) -> OptimalSolver:
    """Splits are all thresholds and all subsets."""

def binary_number_solver(matrix: NDArray[numpy.uint8], weights: NDArray[numpy.float64], sums: NDArray[numpy.float64], ticks: float, objective: OptimalObjective = ...) -> OptimalSolver:
    """
    The same for numbers: trees of the least squared error. Weights, and sums of weight times number, are whole.
    """

def all_splits_number_solver(table: EncodedTable, weights: NDArray[numpy.float64], sums: NDArray[numpy.float64], ticks: float, objective: OptimalObjective) -> OptimalSolver:
    """Splits are all thresholds and all subsets."""

def per_node_solver(columns: list[Any], kinds: str, n_categories: NDArray[numpy.int32], thresholds: list[Any], root_thresholds: list[Any], n_bins: NDArray[numpy.int64], classes: NDArray[numpy.int32], weights: NDArray[numpy.int64] | None, n_classes: int, objective: OptimalObjective, settings: BinarizerSettings, class_weights: NDArray[numpy.int64] | None = None) -> OptimalSolver:
    """Splits are binary features that are made from the rows of each node."""

def cut_points(numbers: NDArray[numpy.float64], classes: NDArray[numpy.int32] | None, n_classes: int, rule: str, n_bins: int) -> NDArray[numpy.float64]:
    """Ascending cut points of one column; NaN is left out."""

class LinearModel:
    """Separates two groups of rows by a hyperplane."""

class PythonLinearModel(LinearModel):
    """A linear model that is fitted in Python."""

    def __init__(self, fit: object, decide: object, n_settings: int, default_setting: int) -> None: ...

def make_linear_model(loss: str, smoothing: float, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> LinearModel:
    """
    A linear model fitted by Newton's method, for one of some values of C, ascending.
    """

class LinearSettings:
    """How linear splits are searched."""

    def __init__(self, models: list[LinearModel]) -> None: ...

    multi_class: str
    max_groupings: int
    node_features: str
    max_terms: int
    intercept: str
    score_on: str
    node_cv: int
    max_tuning_rows: int
    min_samples_model: float

def fit_smooth_svm(x: NDArray[numpy.float64], signs: NDArray[numpy.int8], weights: NDArray[numpy.float64] | None, c: float, alpha: float, tolerance: float, max_iterations: int, start: NDArray[numpy.float64] | None, seconds: float) -> dict[str, Any]:
    """
    The hyperplane of a smooth support vector machine. alpha 0: limit form.
    """

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
    """How a tree of numbers is grown, and when to stop."""

    def __init__(self) -> None: ...

    criterion: str
    partitioner: str
    selection: str
    min_split_gain: float
    alpha: float
    bonferroni: bool
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    max_leaf_nodes: int | None
    best_first: bool
    max_features: int | None
    handle_missing: str
    handle_unknown: str
    seed: int

    @property
    def monotonic_cst(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,))]: ...

    @monotonic_cst.setter
    def monotonic_cst(self, arg: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], /) -> None: ...

def regress(table: EncodedTable, target: NDArray[numpy.float64], weights: NDArray[numpy.float64] | None, settings: RegressSettings, time_limit: float, rows: NDArray[numpy.int32] | None = None, stop: StopFlag | None = None) -> dict[str, Any]:
    """
    Arrays of a tree of numbers. Statistics of a node: weight, predicted number, sum of squared deviations, loss.
    """

def grow_prune_numbers(table: EncodedTable, target: NDArray[numpy.float64], weights: NDArray[numpy.float64] | None, settings: RegressSettings, time_limit: float, halves: NDArray[numpy.int8], max_iter: int, refit_leaves: bool, stop: StopFlag | None = None) -> tuple[dict[str, Any], NDArray[numpy.int64], NDArray[numpy.int64], bool]:
    """
    Arrays of a tree of numbers grown and pruned in turns; leaves each time, and whether it ended.
    """
