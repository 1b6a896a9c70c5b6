"""What a result says about itself."""

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from mixedwood.splits import Partitioner, best_partition, score_partition

TABLE = [[10, 2, 3], [0, 0, 0], [1, 8, 6], [4, 4, 9], [7, 7, 1]]
NAMES = ["ash", "birch", "cedar", "date", "elm"]


def test_groups_are_row_numbers_and_leave_out_values_without_weight():
    found = best_partition(TABLE)
    assert found.groups == ((0, 4), (2, 3))
    assert (found.left, found.right) == ((0, 4), (2, 3))
    assert found.group.tolist() == [0, -1, 1, 1, 0]
    assert found.n_groups == 2
    assert found.is_split
    assert all(type(value) is int for group in found.groups for value in group)


def test_group_and_groups_say_the_same():
    rng = np.random.default_rng(0)
    for _ in range(20):
        A = rng.integers(0, 3, (9, 3))
        found = best_partition(A, "gini", "multiway")
        for g, members in enumerate(found.groups):
            assert members == tuple(np.flatnonzero(found.group == g).tolist())


def test_many_groups_have_a_left_but_no_right():
    found = best_partition(TABLE, "gini", "multiway")
    assert found.groups == ((0,), (2,), (3,), (4,))
    assert found.left == (0,)
    with pytest.raises(ValueError, match=r"into 4 groups has no right side\. Use groups"):
        _ = found.right


def test_nothing_to_split_has_no_right():
    one = best_partition([[0, 0], [3, 4]])
    assert (one.left, one.right, one.is_split) == ((1,), (), False)
    none = best_partition([[0, 0], [0, 0]])
    assert (none.left, none.right, none.groups, none.is_split) == ((), (), (), False)
    assert str(none) == "no value has weight"


def test_labels_by_the_names_given():
    found = best_partition(TABLE)
    assert found.labels(NAMES) == (("ash", "elm"), ("cedar", "date"))
    assert found.labels(np.array(NAMES)) == (("ash", "elm"), ("cedar", "date"))
    with pytest.raises(ValueError, match="The values have no labels"):
        found.labels()
    with pytest.raises(ValueError, match=r"names must have length 5\. Got 4"):
        found.labels(NAMES[:4])


def test_labels_by_the_names_that_came():
    found = best_partition(pd.DataFrame(TABLE, index=NAMES))
    assert found.labels() == (("ash", "elm"), ("cedar", "date"))
    assert found.labels("abcde") == (("a", "e"), ("c", "d"))
    assert str(found) == "{ash, elm} | {cedar, date}"


def test_its_text():
    found = best_partition(TABLE)
    assert str(found) == "{0, 4} | {2, 3}"
    assert repr(found) == (
        "<Partition {0, 4} | {2, 3}: score 0.0715682, impurity 0.593884 (before 0.665453), "
        "exact, exact>"
    )
    assert "largest_alone, not proven best>" in repr(best_partition(TABLE, "gini", "largest_alone"))
    assert "given, not proven best>" in repr(score_partition(TABLE, [[0, 2], [3, 4]]))


def test_long_groups_are_shortened():
    A = np.array([[9, 1]] * 6 + [[1, 9]] * 7)
    assert str(best_partition(A)) == ("{0, 1, 2, 3, 4, 5} | {6, 7, 8, 9, 10, 11, ... 1 more}")
    assert len(repr(best_partition(np.arange(4000).reshape(2000, 2)))) < 250


def test_what_was_found_can_be_scored_again():
    found = best_partition(TABLE, "entropy")
    again = score_partition(TABLE, found.groups, "entropy")
    assert (again.groups, again.score) == (found.groups, found.score)
    assert again.partitioner == "given"
    assert not again.exact
    assert again.bound is None


def test_an_exact_result_is_its_own_bound():
    assert best_partition(TABLE).bound == best_partition(TABLE).score
    assert best_partition(TABLE, "gini", "largest_alone").bound is None
    many = best_partition(TABLE, "gain_ratio", "multiway")  # two groups may score more
    assert many.bound is None
    assert not many.exact


def test_the_superclass_names_columns_of_the_counts():
    wide = np.insert(np.array(TABLE), 0, 0, axis=1)  # a class without weight comes first
    assert best_partition(TABLE, "gini", "largest_alone").superclass == (0,)
    assert best_partition(wide, "gini", "largest_alone").superclass == (1,)
    assert best_partition(TABLE, "gini", Partitioner("max_cut")).superclass is None


def test_a_result_is_not_changed_by_accident():
    found = best_partition(TABLE)
    with pytest.raises(FrozenInstanceError):
        found.score = 1.0


def test_a_result_can_be_pickled():
    found = best_partition(pd.DataFrame(TABLE, index=NAMES))
    back = pickle.loads(pickle.dumps(found))
    assert repr(back) == repr(found)
    np.testing.assert_array_equal(back.group, found.group)
    assert back.labels() == found.labels()


def test_a_result_outlives_what_it_came_from():
    A = np.array(TABLE, float)
    found = best_partition(A)
    del A
    assert found.group.tolist() == [0, -1, 1, 1, 0]
