"""Data sets by name, and generators of new ones.

>>> from mixedwood import datasets
>>> data = datasets.load("tic-tac-toe")
>>> data.n_samples, data.n_features, data.source
(958, 9, 'generated')
"""

from mixedwood.datasets.coded import DatasetColumn
from mixedwood.datasets.dataset import Dataset
from mixedwood.datasets.errors import DamagedDatasetError, DatasetError, DatasetNotFoundError
from mixedwood.datasets.loading import load, names, variants
from mixedwood.datasets.synthetic import make_categorical, make_mixed
from mixedwood.datasets.waveform import make_waveform

__all__ = [
    "DamagedDatasetError",
    "Dataset",
    "DatasetColumn",
    "DatasetError",
    "DatasetNotFoundError",
    "load",
    "make_categorical",
    "make_mixed",
    "make_waveform",
    "names",
    "variants",
]
