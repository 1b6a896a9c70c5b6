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
    n_samples: int = 5000,
    *,
    n_noise_features: int = 0,
    random_state: int | np.random.Generator | None = None,
    frame: str = "auto",
) -> Dataset:
    """Draw rows of the waveform problem.

    A row is `u * h_a + (1 - u) * h_b + e` over 21 positions, where `h_a` and `h_b` are the two
    triangles of its class, `u` is uniform on (0, 1) and `e` is standard normal noise.

    Parameters
    ----------
    n_samples : int, default=5000
        Classes are drawn independently with equal chance, so their counts vary.
    n_noise_features : int, default=0
        Further columns of pure standard normal noise; 19 gives the classic 40-column version.
    random_state : int, numpy.random.Generator or None, default=None
        The same integer gives the same data. Columns 1 to 21 and the classes do not depend on
        `n_noise_features`.
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
    return make_dataset(table, name="waveform", source="generated", notes=NOTES, frame=frame)


def waveform_table(n_samples: int, n_noise_features: int, rng: np.random.Generator) -> CodedTable:
    """Draw the rows as a coded table."""
    target = rng.integers(3, size=n_samples)
    share = rng.uniform(size=(n_samples, 1))
    first, second = TRIANGLES[np.array(MIXES)[target].T]
    curves = share * first + (1.0 - share) * second + rng.standard_normal((n_samples, 21))
    # Drawn last, so that the curves are the same with and without them.
    numbers = np.hstack([curves, rng.standard_normal((n_samples, n_noise_features))])
    names = [f"x{j + 1}" for j in range(numbers.shape[1])]
    return numeric_table(names, numbers, [str(label + 1) for label in target])
