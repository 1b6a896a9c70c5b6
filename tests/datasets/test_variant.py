"""Versions of data sets that papers used."""

import numpy as np
import pytest

from mixedwood import datasets
from mixedwood.datasets.folder import DataFolder
from mixedwood.datasets.variant import VARIANTS, Variant, apply_variant, find_variant


@pytest.fixture
def table(write_folder):
    return DataFolder(write_folder()).read("toy")[0]


def column(table, name):
    position = [c.name for c in table.columns].index(name)
    return table.columns[position], table.data[position]


def test_complete_keeps_full_rows_and_the_labels_that_still_occur(table):
    result = apply_variant(table, Variant("full rows", 1, complete=True))
    assert result.class_counts() == {"yes": 1}
    assert column(result, "color")[0].categories == ("red",)
    # All levels of an ordinal column stay: its order is part of its type.
    assert column(result, "size")[0].categories == ("small", "medium", "large")


def test_first_rows(table):
    result = apply_variant(table, Variant("two rows", 2, first=2))
    assert result.n_rows == 2


def test_only_allowed_labels_drops_rows_with_others(table):
    allowed = frozenset(["red", "NA", "2_3", "007"])
    result = apply_variant(table, Variant("some", 3, allowed=allowed))
    assert column(result, "color")[0].categories == ("NA", "red")


def test_ordinal_columns_become_nominal():
    data = datasets.load("balance-scale", variant="nominal", frame="dict")
    assert data.name == "balance-scale/nominal"
    assert (len(data.nominal_features), len(data.ordinal_features)) == (4, 0)
    assert data.X["left-weight"][0] == "1"


def test_ordinal_columns_become_numbers():
    data = datasets.load("balance-scale", variant="numeric", frame="dict")
    assert len(data.numeric_features) == 4
    plain = datasets.load("balance-scale", frame="dict")
    assert np.array_equal(data.X["right-distance"], plain.X["right-distance"].astype(int))


@pytest.mark.parametrize("keep", [False, True])
def test_indicators_stand_in_the_place_of_their_column(table, keep):
    variant = Variant("0/1", 4, indicators=("color",), keep_originals=keep)
    result = apply_variant(table, variant)
    names = [c.name for c in result.columns]
    assert names[:4] == ["color=NA", "color=none", "color=red", "size"]
    assert (names[-1] == "color") == keep
    described, codes = column(result, "color=red")
    assert described.categories == ("0", "1")
    assert codes.tolist() == [1, 0, -1, 0]


def test_another_number_of_rows_than_the_papers_is_refused(table):
    with pytest.raises(datasets.DamagedDatasetError, match="should have 3 rows"):
        apply_variant(table, Variant("full rows", 3, complete=True))


@pytest.mark.parametrize("name", ["adult", "iris"])
def test_an_unknown_variant_is_refused_before_anything_is_read(name):
    with pytest.raises(ValueError, match=f"{name!r} has no variant 'best'"):
        datasets.load(name, variant="best")


def test_variants_are_listed_with_what_they_are():
    assert list(datasets.variants("adult")) == ["complete", "train-complete"]
    assert datasets.variants("iris") == {}
    assert all(v.summary for known in VARIANTS.values() for v in known.values())
    assert find_variant("splice", "unambiguous").rows == 3175
