"""Transformers: categories as numbers, numbers as ranges, and everything as yes or no."""

from mixedwood.preprocessing.binarizer import Binarizer
from mixedwood.preprocessing.binary_test import BinaryTest
from mixedwood.preprocessing.discretizers import (
    CAIMDiscretizer,
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLPDiscretizer,
)
from mixedwood.preprocessing.random_ordinal import RandomOrdinalEncoder

__all__ = [
    "Binarizer",
    "BinaryTest",
    "CAIMDiscretizer",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "MDLPDiscretizer",
    "RandomOrdinalEncoder",
]
