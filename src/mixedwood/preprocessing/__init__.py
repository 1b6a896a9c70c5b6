"""Transformers: bins, binary columns, crossed columns, parts of dates, random ordinal codes."""

from mixedwood.preprocessing.binarizer import BinarySplit, FeatureBinarizer
from mixedwood.preprocessing.crosser import FeatureCrosser
from mixedwood.preprocessing.dates import DateFeatures
from mixedwood.preprocessing.discretizers import (
    CAIMDiscretizer,
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLPDiscretizer,
)
from mixedwood.preprocessing.random_ordinal import RandomOrdinalEncoder

__all__ = [
    "BinarySplit",
    "CAIMDiscretizer",
    "DateFeatures",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "FeatureBinarizer",
    "FeatureCrosser",
    "MDLPDiscretizer",
    "RandomOrdinalEncoder",
]
