"""Comparisons with the real data, where a developer has it.

Nothing here is needed to trust the code: it guards the folder and the generators against one
another.
"""

import os

import numpy as np
import pytest

from mixedwood import datasets

pytestmark = pytest.mark.skipif(
    not os.environ.get("MIXEDWOOD_DATA"),
    reason="MIXEDWOOD_DATA is not set: no real data to compare with",
)


@pytest.fixture
def real_data():
    def load(name, **options):
        if datasets.names().get(name) is None:
            pytest.skip(f"the folder has no {name!r}")
        return datasets.load(name, frame="dict", **options)

    return load


@pytest.mark.parametrize(
    ("generated", "stored"),
    [
        ("monks-1", "monks-1-test"),
        ("monks-2", "monks-2-test"),
        ("monks-3", "monks-3-test"),
        ("balance-scale", "balance-scale"),
        ("tic-tac-toe", "tic-tac-toe"),
    ],
)
def test_a_generated_set_equals_the_file_row_by_row(real_data, generated, stored):
    made, kept = real_data(generated), real_data(stored, source="folder")
    assert made.columns == kept.columns
    assert np.array_equal(made.y, kept.y)
    for name in made.X:
        assert np.array_equal(made.X[name], kept.X[name])


def test_iris_differs_from_the_uci_file_in_three_cells(real_data):
    fisher, uci = real_data("iris"), real_data("iris", source="folder")
    pairs = zip(fisher.X.values(), uci.X.values(), strict=True)
    assert sum(int(np.sum(a != b)) for a, b in pairs) == 3


@pytest.mark.parametrize(
    ("name", "variant", "rows", "classes"),
    [
        ("splice", "unambiguous", 3175, 3),
        ("soybean-large", "complete", 562, 15),
        ("adult", "train-complete", 30162, 2),
        ("mushroom", "complete", 5644, 2),
        ("breast-cancer-wisconsin-original", "complete", 683, 2),
        ("poker", "nominal", 25010, 10),
        ("credit-default", "numeric", 30000, 2),
    ],
)
def test_variants_have_the_rows_of_the_papers(real_data, name, variant, rows, classes):
    data = real_data(name, variant=variant)
    assert (data.n_samples, len(data.class_counts)) == (rows, classes)


def test_aggregated_labels_stay_labels(real_data):
    data = real_data("car-aggreg")
    assert data.numeric_features == ()
    assert "2_2_small" in data.columns[7].categories
