"""The problem that the solvers solve: which tree is sought, and its objective in integers.

The objective is the weight of the misclassified rows plus a penalty for each leaf. Solvers add
integers, without error. Floats are multiples of a power of two, so most weights become integers
exactly, in units of their largest common divisor. Others are rounded, with a known error; see
`proof.py` for what is then proven.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table, Target
from mixedwood.preprocessing.binarizer import Binarization

__all__ = [
    "MAX_TOTAL",
    "ExactObjective",
    "IntegerObjective",
    "OptimalSettings",
    "TreeObjective",
    "as_integers",
    "drop_zero_weights",
    "floor_to_scale",
    "make_integer",
    "round_down",
    "round_nearest",
]

MAX_TOTAL = 2**56
"""The largest sum of all integer weights; the penalty of a leaf is at most a quarter of it."""

_COARSE_TOTAL = 2**30  # the sum of rounded weights in the first search: solvers are faster there
_COARSE_STEPS = 2**6  # steps of the largest weight, where weights are rounded
_MAX_DISTINCT = 1000  # with more distinct weights than this, no common fraction is looked for
_TOLERANCE = Fraction(1, 2**50)  # two floats this close differ by rounding only


@dataclass(frozen=True)
class OptimalSettings:
    """Which tree is sought, and among which splits. The estimator checks the values.

    Attributes
    ----------
    max_depth : int
        Maximum depth of the tree.
    max_leaf_nodes : int or None
        Maximum number of leaves.
    min_samples_leaf : int
        Minimum number of rows of a leaf.
    ccp_alpha : float
        Penalty of each leaf, as a fraction of the total weight.
    binarization : Binarization or None
        How binary features are made; None for all thresholds and all subsets of the raw columns.
    binarize_at : {"root", "node", "node_encoding"}
        Where binary features are made.
    upper_bound : float
        Only trees with an objective of at most this value are accepted.
    memory_limit : int
        Bytes for the caches of the search.
    work_limit : float
        Maximum number of steps of the search.
    unknown : str
        What the tree does with unknown categories.
    min_samples_binarize : int
        Nodes with fewer rows have the bins of all rows, where bins are made at each node.
    max_depth_binarize : int or None
        Deeper nodes have the bins of all rows, likewise.
    """

    max_depth: int
    max_leaf_nodes: int | None
    min_samples_leaf: int
    ccp_alpha: float
    binarization: Binarization | None
    binarize_at: str
    upper_bound: float
    memory_limit: int
    work_limit: float
    unknown: str
    min_samples_binarize: int = 1
    max_depth_binarize: int | None = None

    def max_leaves(self, n_rows: int) -> int:
        """Largest possible number of leaves for this number of rows."""
        most = min(1 << self.max_depth, max(n_rows, 1))
        return most if self.max_leaf_nodes is None else min(most, self.max_leaf_nodes)


def drop_zero_weights(table: Table, target: Target) -> tuple[Table, Target]:
    """Leave out rows of weight 0, which neither count nor change the thresholds."""
    if target.weights is None or target.weights.all():
        return table, target
    rows = np.flatnonzero(target.weights)
    return table.take(rows), target.take(rows)


@dataclass(frozen=True)
class TreeObjective:
    """The exact objective of a tree, and the rows that it misclassifies."""

    value: Fraction
    n_leaves: int
    wrong: NDArray[np.bool_]


class ExactObjective:
    """Weights and the penalty of a leaf as exact numbers.

    Parameters
    ----------
    target : Target
        Classes and weights of rows; no weight is 0.
    ccp_alpha : float
        Penalty of a leaf as a fraction of the total weight or, with costs, of the largest cost that
        is possible: that of the worst prediction for every row.
    equal_copies : bool, default=False
        Whether each row becomes as many copies; see the notes.

    Attributes
    ----------
    numbers : list of int or None
        The weights in units of `number_unit`, a power of two; None if every row has weight 1.
    total, leaf : Fraction
        The total weight, and the penalty of a leaf.
    alpha : Fraction
        The penalty as a fraction of the total weight.
    rows : ndarray of int64 or None
        With costs, the row that each weight and class belongs to; see the notes.
    n_copies : int
        How often each row occurs, if all occur equally often.
    offset : Fraction
        What every tree costs in addition to its costs and penalties; see the notes.

    Notes
    -----
    Costs of mistakes become weights (data space expansion): a row of class i with weight w is
    replaced by copies, one of each class j with the weight w * (max(cost[i]) - cost[i, j]). The
    weight of the misclassified copies is the cost of the prediction plus a number that depends on
    the row only, so that the optimal tree is the same, and all bounds of the solvers are valid. Of
    two classes there is one copy, with the cost of its mistake as a weight.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> objective = ExactObjective(read_target(["a", "b", "b"], [0.5, 1.5, 1.0]), 0.25)
    >>> objective.numbers, objective.total, objective.leaf
    ([1, 3, 2], Fraction(3, 1), Fraction(3, 4))
    >>> objective.of(np.array([0, 0, 1])).value  # a leaf of the first two rows, and one of the last
    Fraction(2, 1)
    """

    def __init__(self, target: Target, ccp_alpha: float, *, equal_copies: bool = False) -> None:
        self.rows: NDArray[np.int64] | None = None
        self.n_copies, self.offset = 1, Fraction(0)
        self.classes = target.codes
        self.n_rows = target.n_rows
        self.alpha = Fraction(ccp_alpha)
        self.number_unit = Fraction(1)
        self.numbers: list[int] | None = None
        total = self.n_rows
        if target.weights is not None:
            self.numbers, self.number_unit = as_integers(target.weights)
            total = sum(self.numbers)
        self.total = total * self.number_unit
        self.leaf = self.alpha * self.total
        if target.cost_matrix is not None:
            self._expand(target.cost_matrix, equal_copies)

    def _expand(self, cost_matrix: NDArray[np.float64], equal_copies: bool) -> None:
        """Replace rows by weighted copies; with `equal_copies`, each by as many."""
        costs = [[Fraction(cost) for cost in row] for row in cost_matrix.tolist()]
        unit = Fraction(1, math.lcm(*(cost.denominator for row in costs for cost in row)))
        most = [max(row) or unit for row in costs]  # a row must not vanish
        gains = [
            [(int((top - cost) / unit), j) for j, cost in enumerate(row) if cost < top]
            for top, row in zip(most, costs, strict=True)
        ]
        present = np.unique(self.classes).tolist()
        if equal_copies:
            self.n_copies = max(len(gains[i]) for i in present)
            # The first copy is divided, into equal integers.
            parts = {i: self.n_copies - len(gains[i]) + 1 for i in present}
            common = math.lcm(*parts.values())
            unit /= common
            for i in present:
                (first, j), *others = [(gain * common, j) for gain, j in gains[i]]
                gains[i] = [(first // parts[i], j)] * parts[i] + others
        codes, given_unit = self.classes.tolist(), self.number_unit
        numbers = [1] * self.n_rows if self.numbers is None else self.numbers
        copies = [
            (row, number * gain, j)
            for row, (i, number) in enumerate(zip(codes, numbers, strict=True))
            for gain, j in gains[i]
        ]
        right = sum(number * int(most[i] / unit) for i, number in zip(codes, numbers, strict=True))
        rows, weights, classes = zip(*copies, strict=True)
        self.rows, self.numbers = np.array(rows, dtype=np.int64), list(weights)
        self.classes = np.array(classes, dtype=np.int32)
        self.number_unit *= unit
        self.n_rows = len(self.numbers)
        self.total = sum(self.numbers) * self.number_unit
        self.offset = self.total - right * self.number_unit
        # A fraction of the largest cost that is possible, so that the unit of costs is arbitrary.
        largest = [max(row) for row in costs]
        self.leaf = (
            self.alpha
            * given_unit
            * sum(
                (number * largest[i] for i, number in zip(codes, numbers, strict=True)), Fraction(0)
            )
        )
        self.alpha = self.leaf / self.total

    def of(self, leaf_of_row: NDArray[np.int32]) -> TreeObjective:
        """Objective of a tree by the leaf of each row; a leaf predicts its heaviest class."""
        if self.rows is not None:
            leaf_of_row = leaf_of_row[self.rows]
        leaves, place = np.unique(leaf_of_row, return_inverse=True)
        n_classes = int(self.classes.max()) + 1
        if self.numbers is None:
            cells = np.bincount(place * n_classes + self.classes, minlength=len(leaves) * n_classes)
            sums = cells.reshape(-1, n_classes).tolist()
        else:
            sums = [[0] * n_classes for _ in leaves]
            rows = zip(place.tolist(), self.classes.tolist(), self.numbers, strict=True)
            for leaf, label, number in rows:
                sums[leaf][label] += number
        predicted = np.array([here.index(max(here)) for here in sums])
        errors = sum(sum(here) - max(here) for here in sums)
        return TreeObjective(
            errors * self.number_unit + len(leaves) * self.leaf,
            len(leaves),
            predicted[place] != self.classes,
        )

    def adjust_scale(self, scale: Fraction) -> Fraction:
        """Enlarge a scale so that the penalty of a leaf becomes an integer, if possible."""
        integer = math.floor(self.leaf / scale)
        return self.leaf / integer if integer > 0 else scale


def as_integers(weights: NDArray[np.float64]) -> tuple[list[int], Fraction]:
    """Floats other than 0 as integers times a power of two, the largest that there is."""
    mantissa, exponent = np.frexp(weights)
    integers = (mantissa * 2.0**53).astype(np.int64)
    zeros = np.frexp((integers & -integers).astype(np.float64))[1].astype(np.int64) - 1  # trailing
    place = exponent.astype(np.int64) - 53 + zeros
    lowest = int(place.min())
    digits = (integers >> zeros).tolist()
    numbers = [d << shift for d, shift in zip(digits, (place - lowest).tolist(), strict=True)]
    return numbers, Fraction(2) ** lowest


@dataclass(frozen=True)
class IntegerObjective:
    """Integers in place of the weights and the penalty of a leaf.

    Attributes
    ----------
    weights : ndarray of int64 or None
        Of each row; None if every row has weight 1.
    error_penalty, leaf_penalty : int
        Penalty of a misclassified weight of 1, and of a leaf.
    scale : Fraction
        What an integer weight of 1 stands for, at least.
    leaf : Fraction
        The penalty of a leaf divided by the scale, before it was rounded.
    max_leaves : int
        No tree has more leaves.
    n_raised : int
        Total by which weights were raised, since a weight below the scale becomes 1.
    exact : bool
        Whether a tree that is optimal for the integers is optimal for the weights given.
    multiples : bool
        Whether the weights are exactly these multiples of the scale.
    """

    weights: NDArray[np.int64] | None
    error_penalty: int
    leaf_penalty: int
    scale: Fraction
    leaf: Fraction
    max_leaves: int
    n_raised: int
    exact: bool
    multiples: bool

    def scaled_weights(self, n_rows: int) -> NDArray[np.int64] | None:
        """Weights times the penalty of an error, for solvers without such a penalty."""
        if self.error_penalty == 1:
            return self.weights
        ones = np.ones(n_rows, dtype=np.int64)
        return (ones if self.weights is None else self.weights) * self.error_penalty

    def lower_bound_of(self, value: int) -> Fraction:
        """Turn a lower bound of the integer objective into one for the weights given."""
        penalty = Fraction(self.leaf_penalty, self.error_penalty)
        lower = Fraction(value, self.error_penalty)
        if penalty > self.leaf:  # the integer penalty is larger: subtract the largest difference
            lower = max(
                lower * self.leaf / penalty, lower - (penalty - self.leaf) * self.max_leaves
            )
        return max(Fraction(0), (lower - self.n_raised) * self.scale)

    def upper_bound_of(self, bound: Fraction) -> int | None:
        """Turn an upper bound for the weights given into one in integers; None for no bound."""
        upper = bound / self.scale + self.n_raised
        penalty = Fraction(self.leaf_penalty, self.error_penalty)
        if penalty > self.leaf:
            upper *= penalty / self.leaf
        value = math.floor(upper * self.error_penalty)
        return None if value >= 2**60 else value


def make_integer(
    objective: ExactObjective, max_leaves: int, *, max_error_penalty: int = 0
) -> IntegerObjective:
    """Write weights and the penalty of a leaf as integers of a common scale.

    Weights with a common divisor are exact. Fractions such as tenths or balanced class weights,
    which floats only approximate, are taken as the fractions they approximate. Others are rounded
    down to steps of 1 / 64 of the largest: finer if many rows weigh less than a step, coarser if
    the sum would exceed 2**30 steps.

    Parameters
    ----------
    objective : ExactObjective
        Weights and the penalty of a leaf as given.
    max_leaves : int
        No tree has more leaves.
    max_error_penalty : int, optional
        The penalty of an error may be as large as this, so that the penalty of a leaf is close to
        the one given. By default it is as small as possible.

    Examples
    --------
    >>> from mixedwood.data import read_target
    >>> target = read_target(["a", "b", "b"], [0.5, 1.5, 1.0])
    >>> make_integer(ExactObjective(target, 0.0), 4).weights.tolist()
    [1, 3, 2]
    """
    exact = _exact(objective, max_leaves, max_error_penalty)
    return exact or _rounded(objective, max_leaves)


def _exact(
    objective: ExactObjective, max_leaves: int, max_error_penalty: int
) -> IntegerObjective | None:
    numbers: list[int] | None
    if objective.numbers is None:
        numbers, scale, multiples = None, Fraction(1), None
    else:
        multiples = _by_common_divisor(objective)
        found = multiples or _as_fractions(objective)
        if found is None:
            return None
        numbers, scale = found
    total = objective.n_rows if numbers is None else sum(numbers)
    leaf = objective.alpha * total
    penalty = Fraction(0)
    if leaf > 0:
        smallest = 2 * max_leaves
        # Sums stay within the solvers' integers, also with one leaf for each row.
        largest = min(
            2**24,
            MAX_TOTAL // total,
            math.floor(MAX_TOTAL // 4 / leaf),
            math.floor(8 * MAX_TOTAL / leaf / (objective.n_rows + 1)),
        )
        found_penalty = _equivalent_fraction(
            leaf, max_leaves - 1, min(largest, max(smallest, max_error_penalty)), smallest
        )
        if found_penalty is None:
            return None
        penalty = found_penalty
    plain = numbers is None or all(number == 1 for number in numbers)
    return IntegerObjective(
        weights=None if plain else np.array(numbers, dtype=np.int64),
        error_penalty=penalty.denominator,
        leaf_penalty=penalty.numerator,
        scale=scale,
        leaf=leaf,
        max_leaves=max_leaves,
        n_raised=0,
        exact=True,
        multiples=numbers is None or multiples is not None,
    )


def _by_common_divisor(objective: ExactObjective) -> tuple[list[int], Fraction] | None:
    """The weights as multiples of their largest common divisor."""
    assert objective.numbers is not None
    divisor = math.gcd(*set(objective.numbers))
    if sum(objective.numbers) > MAX_TOTAL * divisor:
        return None
    return [number // divisor for number in objective.numbers], divisor * objective.number_unit


def _as_fractions(objective: ExactObjective) -> tuple[list[int], Fraction] | None:
    """Weights that are nearly multiples of a common fraction, as these multiples."""
    assert objective.numbers is not None
    distinct = sorted(set(objective.numbers))
    if len(distinct) > _MAX_DISTINCT:
        return None
    largest = distinct[-1]
    max_denominator = max(10_000, objective.n_rows)
    parts = {}
    common = 1
    for number in distinct:
        ratio = Fraction(number, largest)
        part = ratio.limit_denominator(max_denominator)
        if part <= 0 or abs(part / ratio - 1) > _TOLERANCE:
            return None
        parts[number] = part
        common = math.lcm(common, part.denominator)
        if common > MAX_TOTAL:
            return None
    multiple = {number: int(part * common) for number, part in parts.items()}
    numbers = [multiple[number] for number in objective.numbers]
    divisor = math.gcd(*multiple.values())
    if sum(numbers) > MAX_TOTAL * divisor:
        return None
    # No weight is less than its multiple of this.
    unit = min(Fraction(number, multiple[number] // divisor) for number in distinct)
    return [number // divisor for number in numbers], unit * objective.number_unit


def _equivalent_fraction(
    penalty: Fraction, max_difference: int, largest: int, smallest: int
) -> Fraction | None:
    """A fraction of a small denominator that orders trees as the penalty of a leaf does.

    Trees differ by some errors and by at most `max_difference` leaves, so a penalty matters only by
    which fractions of denominators up to that are below it, and which are above.
    """
    max_difference = max(max_difference, 1)
    if largest < 1:
        return None
    near = penalty.limit_denominator(largest)
    if near == penalty:
        return near
    if largest < smallest:
        return None
    # No fraction of a small denominator lies between the penalty and the nearest of all.
    if near.denominator > max_difference:
        return near
    # The penalty is next to one of them and must stay on its side: take the neighbor there.
    over = 1 if penalty > near else -1
    a, b = near.numerator, near.denominator
    rest = 0 if b == 1 else -over * pow(a, -1, b) % b
    d = largest - (largest - rest) % b
    return Fraction((a * d + over) // b, d)


def _rounded(objective: ExactObjective, max_leaves: int) -> IntegerObjective:
    numbers = [1] * objective.n_rows if objective.numbers is None else objective.numbers
    scale = objective.adjust_scale(_coarse_scale(numbers) * objective.number_unit)
    down = floor_to_scale(numbers, scale / objective.number_unit)
    raised = [max(number, 1) for number in down]  # a row with weight must not vanish
    leaf = objective.leaf / scale
    return IntegerObjective(
        weights=np.array(raised, dtype=np.int64),
        error_penalty=1,
        leaf_penalty=math.floor(leaf),
        scale=scale,
        leaf=leaf,
        max_leaves=max_leaves,
        n_raised=sum(raised) - sum(down),
        exact=False,
        multiples=False,
    )


def floor_to_scale(numbers: list[int], scale: Fraction) -> list[int]:
    """Numbers divided by a scale, rounded down."""
    top, bottom = scale.numerator, scale.denominator
    return [number * bottom // top for number in numbers]


def _coarse_scale(numbers: list[int]) -> Fraction:
    """What weights are rounded to in a first search."""
    largest = max(numbers)
    ratios = np.array([number / largest for number in numbers])
    total = float(ratios.sum())
    most = max(1, int((_COARSE_TOTAL - len(ratios)) / total))
    steps = min(_COARSE_STEPS, most)
    # Rows of tiny weight count as one step each: many of them must not outweigh others.
    while 2 * steps <= most and 1000 * np.count_nonzero(ratios * steps < 0.5) > total * steps:
        steps *= 2
    return Fraction(largest, steps)


def round_nearest(number: Fraction) -> float:
    """The nearest float."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def round_down(number: Fraction) -> float:
    """The largest float that is not above."""
    near = min(round_nearest(number), np.finfo(np.float64).max)
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)
