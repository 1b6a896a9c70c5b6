"""Made-up tables with a hidden structure of the kind trees over categories should find.

Every informative column votes for a class. The values of a nominal column fall into hidden groups,
one group per class; the range of a numeric column is cut into as many intervals, equally likely,
each belonging to a class. A row's class is the one with most votes; of tied classes the one voted
for by the earliest column wins. So a good test on a nominal column is a *subset* of its values that
no order of their names reveals, every informative column helps on its own, and no single column
decides.
"""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.coded import CodedTable, DatasetColumn
from mixedwood.datasets.dataset import Dataset, make_dataset

_NOTES = (
    "Values of an informative column belong to hidden groups (intervals, for numbers), one per "
    "class. A row's class is the one most of its informative columns vote for."
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
    """Draw a table of categories whose classes depend on hidden groups of values.

    Parameters
    ----------
    n_samples, n_features : int
        Size of the table.
    n_categories : int or sequence of int, default=8
        Values per column; a sequence gives each column its own number. At least `n_classes` for
        an informative column, so that every class has a group.
    n_classes : int, default=2
    n_informative : int or None, default=None
        The first so many columns vote; the rest are noise. None means half of them, rounded up.
    flip_y : float, default=0.05
        Chance that a row gets one of the other classes instead.
    missing_rate : float, default=0.0
        Chance of each cell to be missing, drawn after the classes.
    random_state : int, numpy.random.Generator or None, default=None
        The same integer gives the same data.
    frame : str, default="auto"
        As in `load`.

    Returns
    -------
    Dataset

    See Also
    --------
    make_mixed : The same with numeric columns beside the categories.

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
    """Draw a table of categories and numbers whose classes depend on both.

    Parameters
    ----------
    n_samples, n_categorical, n_numeric : int
        Size of the table; nominal columns come first. Numbers are standard normal.
    n_categories, n_classes, flip_y, missing_rate, random_state, frame
        As in `make_categorical`.
    n_informative : tuple of two int or None, default=None
        How many nominal and how many numeric columns vote, the first of each kind. None means
        half of each, rounded up. Ties between classes go to the vote of the earliest column.

    Returns
    -------
    Dataset

    See Also
    --------
    make_categorical : Categories only.

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


def _half(n_features: int) -> int:
    return (n_features + 1) // 2


def _values_per_column(n_categories: int | Sequence[int], n_features: int) -> list[int]:
    values = [n_categories] * n_features if isinstance(n_categories, int) else list(n_categories)
    if len(values) != n_features:
        raise ValueError(
            f"n_categories gives the values of {len(values)} columns, but there are {n_features} "
            "nominal columns. Give one number for all of them, or one for each."
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
) -> CodedTable:
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
    return CodedTable(tuple(columns), (*codes, *numbers), classes, target)


def _hidden_groups(
    n_categories: int, n_classes: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Give each value a class: groups of equal size up to one, unrelated to the values' names."""
    # The random start decides which classes get the larger groups, lest it always be the first.
    start = rng.integers(n_classes)
    groups: NDArray[np.int64] = rng.permutation((np.arange(n_categories) + start) % n_classes)
    return groups


def _most_votes(votes: list[NDArray[np.int64]], n_classes: int) -> NDArray[np.int64]:
    n_samples = len(votes[0])
    score = np.zeros((n_samples, n_classes))
    for j, vote in enumerate(votes):
        # The extra 2 ** -(j + 1) orders tied classes by their earliest vote and, since all of
        # them together stay below 1, never outweighs a whole vote.
        score[np.arange(n_samples), vote] += 1.0 + 2.0 ** -(j + 1)
    best: NDArray[np.int64] = np.argmax(score, axis=1)
    return best


def _nominal_column(name: str, n_categories: int) -> DatasetColumn:
    # Padded, so that sorting the labels gives v00, v01, ... in this order.
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
        raise ValueError(f"n_samples={n_samples} and n_classes={n_classes}: need at least 1 and 2.")
    n_categorical = len(n_categories)
    if not (0 <= informative[0] <= n_categorical and 0 <= informative[1] <= n_numeric):
        raise ValueError(
            f"n_informative={informative} (categorical, numeric) must not exceed the "
            f"{n_categorical} categorical and {n_numeric} numeric columns."
        )
    if sum(informative) == 0:
        raise ValueError("n_informative is 0: with no informative column there are no classes.")
    if (
        min(n_categories, default=1) < 1
        or min(n_categories[: informative[0]], default=n_classes) < n_classes
    ):
        raise ValueError(
            f"n_categories={n_categories}: an informative column needs at least "
            f"n_classes={n_classes} categories, one group for each class. Raise n_categories or "
            "lower n_classes."
        )
    if not all(0.0 <= chance < 1.0 for chance in chances):
        raise ValueError(f"flip_y and missing_rate must be in [0, 1), but are {chances}.")
