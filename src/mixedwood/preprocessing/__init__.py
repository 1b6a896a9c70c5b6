"""Transformers that turn columns of categories into what other classifiers take."""

from mixedwood.preprocessing.random_ordinal import RandomOrdinalEncoder

__all__ = ["RandomOrdinalEncoder"]
