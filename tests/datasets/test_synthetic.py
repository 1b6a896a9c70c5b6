"""Made-up tables: the signal is there, and it is the documented one."""

import numpy as np
import pytest

from mixedwood.datasets import make_categorical, make_mixed


def group_votes(labels, y, classes):
    """Guess each value's hidden group: the class most frequent among its rows."""
    votes = np.empty(len(y), dtype=int)
    for value in set(labels):
        rows = labels == value
        votes[rows] = np.argmax([np.sum(y[rows] == label) for label in classes])
    return votes


def test_without_noise_the_class_is_the_one_with_most_votes():
    data = make_categorical(
        6000, 6, 9, 3, n_informative=3, flip_y=0.0, random_state=0, frame="dict"
    )
    classes = sorted(data.class_counts)
    votes = [group_votes(data.X[name], data.y, classes) for name in ("c1", "c2", "c3")]
    for row in range(data.n_samples):
        cast = [int(vote[row]) for vote in votes]
        winner = max(cast, key=lambda k: (cast.count(k), -cast.index(k)))
        assert data.y[row] == classes[winner]


def test_only_the_informative_columns_tell_something_about_the_class():
    data = make_categorical(5000, 8, 10, 2, random_state=1, frame="dict")

    def gain(name):
        votes = group_votes(data.X[name], data.y, ["class1", "class2"])
        right = np.where(votes == 0, "class1", "class2") == data.y
        return right.mean() - max(data.class_counts.values()) / data.n_samples

    gains = [gain(name) for name in data.nominal_features]
    assert min(gains[:4]) > 0.08 > 0.05 > max(gains[4:])


def test_classes_are_about_balanced():
    counts = make_categorical(9000, 5, 9, 3, random_state=2, frame="dict").class_counts
    assert all(2000 < count < 4000 for count in counts.values())


def test_label_noise_changes_about_the_fraction_given():
    options = {"n_samples": 10_000, "n_classes": 3, "random_state": 3, "frame": "dict"}
    clean, noisy = (make_categorical(flip_y=share, **options) for share in (0.0, 0.2))
    assert abs(np.mean(clean.y != noisy.y) - 0.2) < 0.02


def test_numbers_vote_by_intervals():
    data = make_mixed(
        4000,
        n_categorical=1,
        n_numeric=2,
        n_informative=(0, 1),
        n_classes=4,
        flip_y=0.0,
        random_state=4,
        frame="dict",
    )
    in_order = data.y[np.argsort(data.X["x1"])]
    # Four classes in four intervals: the class changes three times from the least to the greatest.
    assert np.sum(in_order[1:] != in_order[:-1]) == 3
    assert all(abs(count - 1000) < 150 for count in data.class_counts.values())


def test_missing_cells_come_in_both_kinds_of_columns():
    data = make_mixed(5000, missing_rate=0.1, random_state=5, frame="dict")
    for name in data.nominal_features:
        assert abs(np.mean([cell is None for cell in data.X[name]]) - 0.1) < 0.03
    for name in data.numeric_features:
        assert abs(np.isnan(data.X[name]).mean() - 0.1) < 0.03


def test_columns_may_have_different_numbers_of_values():
    data = make_categorical(500, 3, n_categories=[2, 30, 300], random_state=6, frame="dict")
    assert [len(column.categories) for column in data.columns] == [2, 30, 300]
    assert data.columns[2].categories[:2] == ("v000", "v001")


def test_the_same_seed_gives_the_same_table():
    first, again, other = (make_mixed(100, random_state=s, frame="dict") for s in (1, 1, 2))
    assert np.array_equal(first.y, again.y)
    assert all(np.array_equal(first.X[name], again.X[name]) for name in first.X)
    assert not np.array_equal(first.X["x1"], other.X["x1"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "at least 1 and n_classes at least 2"),
        ({"n_classes": 1}, "at least 1 and n_classes at least 2"),
        ({"n_categories": 2, "n_classes": 3}, "at least n_classes=3"),
        ({"n_categories": [3, 3]}, "one number per column"),
        ({"n_informative": 9}, "must not exceed"),
        ({"n_informative": 0}, "must be at least 1"),
        ({"flip_y": 1.0}, r"\[0, 1\)"),
        ({"missing_rate": -0.1}, r"\[0, 1\)"),
    ],
)
def test_impossible_wishes_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_categorical(**options)
