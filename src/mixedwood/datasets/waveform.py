"""Breiman's waveform: three classes of noisy curves, each a random mix of two triangles."""

import numpy as np
from numpy.typing import NDArray

from mixedwood.datasets.coded import CodedTable, numeric_table
from mixedwood.datasets.dataset import Dataset, make_dataset

_POSITIONS = np.arange(1, 22)
# h1, h2, h3: height 6 at positions 7, 15 and 11.
TRIANGLES: NDArray[np.float64] = np.array(
    [np.maximum(6.0 - np.abs(_POSITIONS - peak), 0.0) for peak in (7, 15, 11)]
)
# Class 1 mixes h1 and h2, class 2 h1 and h3, class 3 h2 and h3.
MIXES = ((0, 1), (0, 2), (1, 2))

NOTES = (
    "Class 1 mixes the triangles peaking at 7 and 15, class 2 those at 7 and 11, class 3 those at "
    "15 and 11; unit normal noise on every column. The best possible error is about 14 %."
)


def make_waveform(
    n_rows: int = 5000,
    *,
    noise_columns: int = 0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Draw rows of the waveform problem.

    A row is `u * h_a + (1 - u) * h_b + e` over 21 positions, where `h_a` and `h_b` are the two
    triangles of its class, `u` is uniform on (0, 1) and `e` is standard normal noise.

    Parameters
    ----------
    n_rows : int, default=5000
        Classes are drawn independently with equal chance, so their counts vary.
    noise_columns : int, default=0
        Further columns of pure standard normal noise; 19 gives the classic 40-column version.
    random_state : int, numpy.random.Generator or None, default=None
        The same integer gives the same data. Columns 1 to 21 and the classes do not depend on
        `noise_columns`.
    frame : str, default="auto"
        As in `load`.

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
    >>> make_waveform(300, noise_columns=19, random_state=0)
    Dataset 'waveform': 300 rows, 40 columns (40 numeric), source: generated
    classes: 1 90, 2 95, 3 115
    """
    if n_rows < 1 or noise_columns < 0:
        raise ValueError(
            f"make_waveform needs n_rows >= 1 and noise_columns >= 0, "
            f"but got n_rows={n_rows} and noise_columns={noise_columns}."
        )
    table = waveform_table(n_rows, noise_columns, np.random.default_rng(random_state))
    return make_dataset(table, name="waveform", source="generated", notes=NOTES, frame=frame)


def waveform_table(n_rows: int, noise_columns: int, rng: np.random.Generator) -> CodedTable:
    """Draw the rows as a coded table."""
    target = rng.integers(3, size=n_rows)
    share = rng.uniform(size=(n_rows, 1))
    first, second = TRIANGLES[np.array(MIXES)[target].T]
    curves = share * first + (1.0 - share) * second + rng.standard_normal((n_rows, 21))
    # Drawn last, so that the curves are the same with and without them.
    numbers = np.hstack([curves, rng.standard_normal((n_rows, noise_columns))])
    names = [f"x{j + 1}" for j in range(numbers.shape[1])]
    return numeric_table(names, numbers, [str(label + 1) for label in target])
