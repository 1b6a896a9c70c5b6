"""What a hostile reader of the split room found, each once broken and now held."""

from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest

from mixedwood.data import read_target
from mixedwood.splits import (
    Criterion,
    best_partition,
    best_threshold,
    conditional_inference_test,
    count_values,
)


def test_masked_counts_and_weights_are_refused():
    counts = np.ma.masked_equal([[1, 2], [3, 4]], 3)
    with pytest.raises(TypeError, match="masked"):
        best_partition(counts)
    assert best_partition(np.ma.array([[1, 2], [3, 4]])).is_split  # nothing is hidden
    with pytest.raises(ValueError, match="masked"):
        read_target([0, 1], sample_weight=np.ma.masked_equal([1.0, 2.0], 2.0))


def test_costs_that_would_overflow_are_refused():
    with pytest.raises(ValueError, match="divide them all"):
        best_partition([[1, 2], [3, 4]], cost_matrix=[[0, 1e200], [1e200, 0]])


def test_a_python_criterion_with_costs_is_refused():
    class Nothing(Criterion):
        def score(self, groups):
            return 0.0

    with pytest.raises(ValueError, match="takes no cost_matrix"):
        best_partition([[1, 2], [3, 4]], Nothing(), cost_matrix=[[0, 1], [1, 0]])


def test_labels_of_different_types_stay_apart():
    _, values, _ = count_values(["1", 1, "a", 2.5], [0, 1, 0, 1])
    assert values.tolist() == [1, 2.5, "1", "a"]
    _, large, _ = count_values([2**53 + 1, 2**53, 0.5], [0, 1, 0])
    assert large.tolist() == [0.5, 2**53, 2**53 + 1]
    _, huge, _ = count_values([2**70, 3], [0, 1])
    assert huge.tolist() == [3, 2**70]
    _, mixed, _ = count_values([2**63 + 1, -1], [0, 1])
    assert mixed.tolist() == [-1, 2**63 + 1]
    _, nul, _ = count_values(["a", "a\0"], [0, 1])
    assert nul.tolist() == ["a", "a\0"]
    assert count_values(["b", "a"], [0, 1])[1].dtype.kind == "U"


def test_a_table_is_no_column():
    with pytest.raises(ValueError, match=r"df\['color'\]"):
        count_values([["a"], ["b"]], [0, 1])


def test_names_can_be_given():
    found = best_partition([[1, 9], [9, 1]], names=["no", "yes"])
    assert str(found) == "{no} | {yes}"
    assert found.labels() == (("no",), ("yes",))
    with pytest.raises(ValueError, match=r"names must have length 2\. Got 3"):
        best_partition([[1, 9], [9, 1]], names=["a", "b", "c"])


def test_a_list_without_any_number_has_no_threshold():
    assert np.isnan(best_threshold([float("nan")] * 3, [0, 1, 0]).value)


def test_a_row_too_light_to_be_felt_does_not_move_a_threshold():
    found = best_threshold([1.0, 2.0, 5.0], [0, 1, 0], sample_weight=[1e300, 1e299, 1e-300])
    assert found.value == 1.5


def test_probabilities_that_are_close_one_by_one_are_not_all_equal():
    counts = [[2_000_000_000 + i, 2_000_000_000 - i] for i in range(5000)]
    expected = best_partition(counts, "gini", "two_class_order")
    for search in ("exact", "auto", "principal"):
        found = best_partition(counts, "gini", search)
        assert found.score == pytest.approx(expected.score, rel=1e-6)
        assert found.exact


def test_rare_classes_keep_their_digits():
    """Against exact arithmetic: gain = pL pR sum of (P(l|L) - P(l|R))^2."""
    counts = [[10**12, rare] for rare in (1, 3, 2, 9, 4)]

    def gain(left):
        sides = [[counts[i] for i in range(5) if (i in left) == side] for side in (True, False)]
        sums = [[Fraction(sum(column)) for column in zip(*side, strict=True)] for side in sides]
        weights = [sum(side) for side in sums]
        shares = [[c / w for c in side] for side, w in zip(sums, weights, strict=True)]
        gap = sum((a - b) ** 2 for a, b in zip(*shares, strict=True))
        return weights[0] * weights[1] / sum(weights) ** 2 * gap

    subsets = chain.from_iterable(combinations(range(5), r) for r in range(1, 5))
    best = max(gain(set(left)) for left in subsets)
    found = best_partition(counts, "gini", "exact")
    assert gain(set(found.left)) == best
    assert found.score == pytest.approx(float(best), rel=1e-3)


@pytest.mark.parametrize("weight", [1e-200, 1.0, 1e200, 1e307])
def test_the_numeric_test_takes_weights_of_any_size(weight):
    found = conditional_inference_test(
        x=[1, 2, 3, 4], y=list("aabb"), sample_weight=[weight * 4] * 4
    )
    expected = max(0.0, weight * 16 - 1) * 0.8
    assert found.statistic == pytest.approx(expected, rel=1e-12)


def test_weights_that_add_up_to_infinity_are_refused():
    with pytest.raises(ValueError, match="divide all of them"):
        conditional_inference_test(x=[1, 2, 3, 4], y=list("aabb"), sample_weight=[1e308] * 4)


def test_multiway_never_says_that_it_is_exact():
    for counts in ([[1, 9], [9, 1]], [[1, 9], [9, 1], [5, 5]]):
        found = best_partition(counts, "entropy", "multiway")
        assert not found.exact
        assert found.bound is None
