"""Generators of datasets: random tables with hidden groups, waveforms, and complete tables.

In `make_categorical` and `make_mixed`, every informative column votes for a class. The categories
of a column fall into hidden groups, one per class; the range of a numeric column is divided into as
many intervals of equal probability, each belonging to a class. A row gets the class with most
votes; ties are resolved by the first column that votes for one of them. A good split of a
categorical column is therefore a *subset* of its categories that no order of their names reveals,
and every informative column helps, but none is sufficient alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.dataset import (
    Dataset,
    DatasetColumn,
    RawTable,
    categorical_table,
    make_dataset,
    numeric_table,
)

_NOTES = (
    "The categories of an informative column belong to hidden groups (intervals, if numeric), one "
    "per class. The class of a row has most votes of its informative columns."
)


_SUM_NOTES = (
    "The categories of an informative column belong to three hidden groups with different effects; "
    "a numeric column has a threshold and a slope. The target is the sum of the effects and noise."
)


def make_categorical(
    n_samples: int = 1000,
    n_features: int = 8,
    n_categories: int | Sequence[int] = 8,
    n_classes: int = 2,
    *,
    n_informative: int | None = None,
    flip_y: float = 0.05,
    missing_rate: float = 0.0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Generate categorical data whose classes depend on hidden groups of categories.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the table.
    n_categories : int or sequence of int, default=8
        Number of categories of each column, at least `n_classes` for an informative column. A
        sequence sets the number for each column.
    n_classes : int, default=2
        Number of classes.
    n_informative : int or None, default=None
        Number of informative columns, which come first; the others are noise. If None, half of
        the columns, rounded up.
    flip_y : float, default=0.05
        Probability that the class of a row is replaced by another one.
    missing_rate : float, default=0.0
        Probability that a cell is missing, independent of the class.
    random_state : int, numpy.random.Generator or None, default=None
        The same integer gives the same data.
    frame : str, default="auto"
        Type of `X`, as in `load`.

    Returns
    -------
    Dataset

    See Also
    --------
    make_mixed : The same with additional numeric columns.

    Examples
    --------
    >>> from mixedwood.datasets import make_categorical
    >>> data = make_categorical(200, 6, n_categories=10, n_classes=3, random_state=0, frame="dict")
    >>> data.n_samples, len(data.nominal_features), data.columns[0].categories[:3]
    (200, 6, ('v00', 'v01', 'v02'))
    """
    table = _draw(
        n_samples,
        _values_per_column(n_categories, n_features),
        n_numeric=0,
        informative=(_half(n_features) if n_informative is None else n_informative, 0),
        n_classes=n_classes,
        chances=(flip_y, missing_rate),
        rng=np.random.default_rng(random_state),
    )
    return make_dataset(table, name="categorical", source="generated", notes=_NOTES, frame=frame)


def make_mixed(
    n_samples: int = 1000,
    n_categorical: int = 5,
    n_numeric: int = 5,
    n_categories: int | Sequence[int] = 8,
    n_classes: int = 2,
    *,
    n_informative: tuple[int, int] | None = None,
    flip_y: float = 0.05,
    missing_rate: float = 0.0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Generate data with categorical and numeric columns.

    Parameters
    ----------
    n_samples, n_categorical, n_numeric : int
        Size of the table; categorical columns come first. Numbers are standard normal.
    n_categories, n_classes, flip_y, missing_rate, random_state, frame
        As in `make_categorical`.
    n_informative : tuple of two int or None, default=None
        Number of informative categorical and numeric columns, the first of each kind. If None,
        half of each, rounded up.

    Returns
    -------
    Dataset

    See Also
    --------
    make_categorical : The same without numeric columns.

    Examples
    --------
    >>> from mixedwood.datasets import make_mixed
    >>> data = make_mixed(200, n_categorical=3, n_numeric=2, random_state=0, frame="dict")
    >>> data.nominal_features, data.numeric_features
    (('c1', 'c2', 'c3'), ('x1', 'x2'))
    """
    table = _draw(
        n_samples,
        _values_per_column(n_categories, n_categorical),
        n_numeric=n_numeric,
        informative=(_half(n_categorical), _half(n_numeric))
        if n_informative is None
        else n_informative,
        n_classes=n_classes,
        chances=(flip_y, missing_rate),
        rng=np.random.default_rng(random_state),
    )
    return make_dataset(table, name="mixed", source="generated", notes=_NOTES, frame=frame)


def make_mixed_regression(
    n_samples: int = 1000,
    n_categorical: int = 5,
    n_numeric: int = 5,
    n_categories: int | Sequence[int] = 8,
    *,
    n_informative: tuple[int, int] | None = None,
    noise: float = 1.0,
    missing_rate: float = 0.0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Generate data with categorical and numeric columns and a numeric target.

    The target is a sum over the informative columns, plus noise. The categories of a column fall
    into three hidden groups with the effects 0, 3 and 6; a numeric column adds 3 above a hidden
    threshold, and its own value.

    Parameters
    ----------
    n_samples, n_categorical, n_numeric : int
        Size of the table; categorical columns come first. Numbers are standard normal.
    n_categories : int or sequence of int, default=8
        Number of categories of each column, at least 3 for an informative column. A sequence sets
        the number for each column.
    n_informative : tuple of two int or None, default=None
        Number of informative categorical and numeric columns, the first of each kind. If None,
        half of each, rounded up.
    noise : float, default=1.0
        Standard deviation of the noise.
    missing_rate, random_state, frame
        As in `make_categorical`.

    Returns
    -------
    Dataset
        With numbers in `y`.

    Examples
    --------
    >>> from mixedwood.datasets import make_mixed_regression
    >>> make_mixed_regression(200, n_categorical=3, n_numeric=2, random_state=0, frame="dict")
    Dataset 'mixed-regression': 200 rows, 5 columns (3 nominal, 2 numeric), source: generated
    target: mean 7.001, sd 4.335
    """
    if not 0 <= noise < float("inf"):
        raise ValueError(f"noise must be a float in the range [0.0, inf). Got {noise!r} instead.")
    rng = np.random.default_rng(random_state)
    values = _values_per_column(n_categories, n_categorical)
    informative = (
        (_half(n_categorical), _half(n_numeric)) if n_informative is None else n_informative
    )
    table = _draw(
        n_samples,
        values,
        n_numeric=n_numeric,
        informative=informative,
        n_classes=3,
        chances=(0.0, 0.0),
        rng=rng,
    )
    y = noise * rng.standard_normal(n_samples)
    for j in range(informative[0]):
        y += 3.0 * _hidden_groups(values[j], 3, rng)[table.data[j]]
    for j in range(informative[1]):
        numbers = table.data[n_categorical + j]
        y += numbers + 3.0 * (numbers > rng.normal(0, 0.5))
    for cells in table.data:
        cells[rng.random(n_samples) < missing_rate] = np.nan if cells.dtype.kind == "f" else -1
    made = make_dataset(
        table, name="mixed-regression", source="generated", notes=_SUM_NOTES, frame=frame
    )
    return replace(made, y=y)


def _half(n_features: int) -> int:
    return (n_features + 1) // 2


def _values_per_column(n_categories: int | Sequence[int], n_features: int) -> list[int]:
    values = [n_categories] * n_features if isinstance(n_categories, int) else list(n_categories)
    if len(values) != n_features:
        raise ValueError(
            f"n_categories has {len(values)} elements, but there are {n_features} categorical "
            "columns. Pass an int, or one number per column."
        )
    return values


def _draw(
    n_samples: int,
    n_categories: list[int],
    *,
    n_numeric: int,
    informative: tuple[int, int],
    n_classes: int,
    chances: tuple[float, float],
    rng: np.random.Generator,
) -> RawTable:
    _check(n_samples, n_categories, n_numeric, informative, n_classes, chances)
    flip_y, missing_rate = chances
    codes = [rng.integers(n, size=n_samples, dtype=np.int32) for n in n_categories]
    numbers = [rng.standard_normal(n_samples) for _ in range(n_numeric)]

    votes = [
        _hidden_groups(n_categories[j], n_classes, rng)[codes[j]] for j in range(informative[0])
    ]
    cuts = [NormalDist().inv_cdf(k / n_classes) for k in range(1, n_classes)]
    votes += [
        rng.permutation(n_classes)[np.searchsorted(cuts, numbers[j])] for j in range(informative[1])
    ]

    wrong = rng.random(n_samples) < flip_y
    shift = np.where(wrong, rng.integers(1, n_classes, size=n_samples), 0)
    target = ((_most_votes(votes, n_classes) + shift) % n_classes).astype(np.int32)

    columns = [_nominal_column(f"c{j + 1}", n) for j, n in enumerate(n_categories)]
    columns += [DatasetColumn(f"x{j + 1}", "numeric") for j in range(n_numeric)]
    for cells in codes:
        cells[rng.random(n_samples) < missing_rate] = -1
    for values in numbers:
        values[rng.random(n_samples) < missing_rate] = np.nan
    classes = tuple(f"class{k + 1}" for k in range(n_classes))
    return RawTable(tuple(columns), (*codes, *numbers), classes, target)


def _hidden_groups(
    n_categories: int, n_classes: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Assign a class to each category at random, with group sizes that differ by at most one."""
    # The random start determines which classes have the larger groups.
    start = rng.integers(n_classes)
    groups: NDArray[np.int64] = rng.permutation((np.arange(n_categories) + start) % n_classes)
    return groups


def _most_votes(votes: list[NDArray[np.int64]], n_classes: int) -> NDArray[np.int64]:
    n_samples = len(votes[0])
    score = np.zeros((n_samples, n_classes))
    for j, vote in enumerate(votes):
        # 2 ** -(j + 1) resolves ties in favor of the first vote. The sum of all stays below 1, so
        # it never outweighs a vote.
        score[np.arange(n_samples), vote] += 1.0 + 2.0 ** -(j + 1)
    best: NDArray[np.int64] = np.argmax(score, axis=1)
    return best


def _nominal_column(name: str, n_categories: int) -> DatasetColumn:
    # Padded with zeros, so that sorted labels are in this order.
    width = max(2, len(str(n_categories - 1)))
    return DatasetColumn(name, "nominal", tuple(f"v{i:0{width}d}" for i in range(n_categories)))


def _check(
    n_samples: int,
    n_categories: list[int],
    n_numeric: int,
    informative: tuple[int, int],
    n_classes: int,
    chances: tuple[float, float],
) -> None:
    if n_samples < 1 or n_classes < 2:
        raise ValueError(
            f"n_samples must be at least 1 and n_classes at least 2. Got {n_samples} and "
            f"{n_classes}."
        )
    n_categorical = len(n_categories)
    if not (0 <= informative[0] <= n_categorical and 0 <= informative[1] <= n_numeric):
        raise ValueError(
            f"n_informative must not exceed the {n_categorical} categorical and {n_numeric} "
            f"numeric columns. Got {informative}."
        )
    if sum(informative) == 0:
        raise ValueError("n_informative must be at least 1. Got 0 informative columns.")
    if (
        min(n_categories, default=1) < 1
        or min(n_categories[: informative[0]], default=n_classes) < n_classes
    ):
        raise ValueError(
            f"n_categories must be at least n_classes={n_classes} for informative columns. Got "
            f"{n_categories}."
        )
    if not all(0.0 <= chance < 1.0 for chance in chances):
        raise ValueError(f"flip_y and missing_rate must be in the range [0, 1). Got {chances}.")


_POSITIONS = np.arange(1, 22)
# h1, h2, h3: height 6 at positions 7, 15 and 11.
TRIANGLES: NDArray[np.float64] = np.array(
    [np.maximum(6.0 - np.abs(_POSITIONS - peak), 0.0) for peak in (7, 15, 11)]
)
# Class 1 mixes h1 and h2, class 2 h1 and h3, class 3 h2 and h3.
MIXES = ((0, 1), (0, 2), (1, 2))

WAVEFORM_NOTES = (
    "Class 1 mixes the triangles peaking at 7 and 15, class 2 those at 7 and 11, class 3 those at "
    "15 and 11; unit normal noise on every column. The Bayes error is about 14 %."
)


def make_waveform(
    n_samples: int = 5000,
    *,
    n_noise_features: int = 0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Generate data of the waveform problem.

    A row is `u * h_a + (1 - u) * h_b + e` over 21 positions, where `h_a` and `h_b` are the two
    triangles of its class, `u` is uniform on (0, 1) and `e` is standard normal noise.

    Parameters
    ----------
    n_samples : int, default=5000
        Number of rows. Classes are drawn with equal probability, so their counts vary.
    n_noise_features : int, default=0
        Number of additional columns of standard normal noise; 19 in the version with 40 columns.
    random_state : int, numpy.random.Generator or None, default=None
        The same integer gives the same data. Columns 1 to 21 and the classes do not depend on
        `n_noise_features`.
    frame : str, default="auto"
        Type of `X`, as in `load`.

    Returns
    -------
    Dataset

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees",
       1984, section 2.6.1.

    Examples
    --------
    >>> from mixedwood.datasets import make_waveform
    >>> make_waveform(300, n_noise_features=19, random_state=0)
    Dataset 'waveform': 300 rows, 40 columns (40 numeric), source: generated
    classes: 1 90, 2 95, 3 115
    """
    if n_samples < 1 or n_noise_features < 0:
        raise ValueError(
            f"make_waveform needs n_samples >= 1 and n_noise_features >= 0, "
            f"but got n_samples={n_samples} and n_noise_features={n_noise_features}."
        )
    table = waveform_table(n_samples, n_noise_features, np.random.default_rng(random_state))
    return make_dataset(
        table, name="waveform", source="generated", notes=WAVEFORM_NOTES, frame=frame
    )


def waveform_table(n_samples: int, n_noise_features: int, rng: np.random.Generator) -> RawTable:
    """Generate the data as a raw table."""
    target = rng.integers(3, size=n_samples)
    weight = rng.uniform(size=(n_samples, 1))
    first, second = TRIANGLES[np.array(MIXES)[target].T]
    curves = weight * first + (1.0 - weight) * second + rng.standard_normal((n_samples, 21))
    # Drawn last, so that the other columns do not depend on their number.
    numbers = np.hstack([curves, rng.standard_normal((n_samples, n_noise_features))])
    names = [f"x{j + 1}" for j in range(numbers.shape[1])]
    return numeric_table(names, numbers, [str(label + 1) for label in target])


# Number of categories of a1..a6 in the three Monk's problems.
_MONKS_VALUES = (3, 3, 2, 3, 4, 2)

_MONKS_RULES: dict[int, Callable[[tuple[int, ...]], bool]] = {
    1: lambda a: a[0] == a[1] or a[4] == 1,
    2: lambda a: sum(value == 1 for value in a) == 2,
    3: lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
}

_SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = (
    *((i, i + 1, i + 2) for i in (0, 3, 6)),
    *((i, i + 3, i + 6) for i in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


def monks(problem: int) -> RawTable:
    """All 432 cases of Monk's problem 1, 2 or 3, each with its true class.

    Rows are in counting order, a6 fastest: the order of the classic test files.

    References
    ----------
    .. [1] S. Thrun et al., "The MONK's problems: a performance comparison of different learning
       algorithms", CMU-CS-91-197, 1991.
    """
    rule = _MONKS_RULES[problem]
    cases = list(product(*(range(1, n + 1) for n in _MONKS_VALUES)))
    cells = {f"a{j + 1}": [str(case[j]) for case in cases] for j in range(6)}
    return categorical_table(cells, [str(int(rule(case))) for case in cases])


def balance_scale() -> RawTable:
    """All 625 loads of a balance: which side goes down, L, R, or B for neither.

    The side with the greater weight times distance goes down. Rows are in counting order, right
    distance fastest, as in the UCI file.
    """
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    cases = list(product(range(1, 6), repeat=4))
    cells = {name: [str(case[j]) for case in cases] for j, name in enumerate(names)}
    torques = [left * left_at - right * right_at for left, left_at, right, right_at in cases]
    target = ["B" if torque == 0 else "L" if torque > 0 else "R" for torque in torques]
    return categorical_table(cells, target, kind="ordinal", order=["1", "2", "3", "4", "5"])


def tic_tac_toe() -> RawTable:
    """All 958 boards at the end of a game that x began; positive when x has won.

    Row order of the UCI file: boards won by x, then by o, then draws; within each, squares read
    from the top left and compared with x before o before b (blank).
    """
    boards = sorted(_end_boards(), key=lambda board: (_outcome(board), _reading_order(board)))
    cells = {name: [board[j] for board in boards] for j, name in enumerate(_SQUARES)}
    target = ["positive" if _wins(board, "x") else "negative" for board in boards]
    return categorical_table(cells, target)


def _wins(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in _LINES)


def _outcome(board: str) -> int:
    return 0 if _wins(board, "x") else 1 if _wins(board, "o") else 2


def _reading_order(board: str) -> tuple[int, ...]:
    return tuple("xob".index(square) for square in board)


def _end_boards() -> set[str]:
    """Play every game to its end; different games may end in the same board."""
    ends: set[str] = set()
    seen: set[str] = set()
    # Whose turn it is follows from the board, so a board needs visiting once only.
    open_boards = ["b" * 9]
    while open_boards:
        board = open_boards.pop()
        if _wins(board, "x") or _wins(board, "o") or "b" not in board:
            ends.add(board)
            continue
        player = "x" if board.count("x") == board.count("o") else "o"
        for i, square in enumerate(board):
            after = board[:i] + player + board[i + 1 :]
            if square == "b" and after not in seen:
                seen.add(after)
                open_boards.append(after)
    return ends
