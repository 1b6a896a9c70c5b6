"""Load datasets by name, and generate random ones.

>>> from mixedwood import datasets
>>> data = datasets.load("tic-tac-toe")
>>> data.n_samples, data.n_features, data.source
(958, 9, 'generated')
"""

from mixedwood.datasets.dataset import (
    DamagedDatasetError,
    Dataset,
    DatasetColumn,
    DatasetError,
    DatasetNotFoundError,
)
from mixedwood.datasets.generators import (
    make_categorical,
    make_mixed,
    make_mixed_regression,
    make_waveform,
)
from mixedwood.datasets.sources import load, names, variants

__all__ = [
    "DamagedDatasetError",
    "Dataset",
    "DatasetColumn",
    "DatasetError",
    "DatasetNotFoundError",
    "load",
    "make_categorical",
    "make_mixed",
    "make_mixed_regression",
    "make_waveform",
    "names",
    "variants",
]
