"""Tests whose figures are those of a public data set, which the library does not carry."""

import pytest

from mixedwood import datasets


def needs(name):
    """Skip a test where a data set is not on this machine."""
    there = name in datasets.names(available_only=True)
    return pytest.mark.skipif(not there, reason=f"{name} is not here: MIXEDWOOD_DATA is not set")
