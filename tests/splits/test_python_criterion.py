"""Criteria written in Python: the same searches, the caller's own score."""

import gc
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mixedwood.splits import Criterion, best_partition, best_threshold, score_partition
from support.strategies import random_table, random_tables

TABLE = np.array([[10.0, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]])


class PythonGini(Criterion):
    """Gini gain, to be compared with the native one."""

    convex = True
    many_groups = True

    def score(self, groups):
        def impurity(u):
            return 1 - np.sum((u / u.sum()) ** 2) if u.sum() > 0 else 0.0

        inside = sum(g.sum() * impurity(g) for g in groups) / groups.sum()
        return impurity(groups.sum(axis=0)) - inside


class Accuracy(Criterion):
    """The example of the docstring."""

    convex = True
    many_groups = True

    def score(self, groups):
        return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()


class Returning(Criterion):
    """Gives back whatever it was made with."""

    def __init__(self, value):
        self.value = value

    def score(self, groups):
        return self.value


class Recording(Criterion):
    """Remembers what it was asked."""

    many_groups = True

    def __init__(self):
        self.seen = []

    def score(self, groups):
        self.seen.append(groups.copy())
        return -abs(groups[0].sum() - groups[1:].sum())


def test_the_example_of_the_docstring():
    found = best_partition(TABLE, Accuracy())
    assert (found.left, found.right) == ((0, 3), (1, 2))
    assert found.score == pytest.approx(10 / 62)
    assert found.exact
    assert best_partition(TABLE, Accuracy(), "multiway").score == pytest.approx(12 / 62)


@pytest.mark.parametrize(
    "partitioner",
    [
        "exact",
        "hypercube_cover",
        "sliq",
        "sliq_ext",
        "principal_ext",
        "largest_alone",
        "flip_flop",
        "max_cut",
        "one_vs_rest",
        "random_order",
        "multiway",
    ],
)
def test_gini_in_python_is_gini(partitioner):
    for A in random_tables(61, 200 if partitioner == "exact" else 40, (2, 6), (2, 4), real=True):
        native = best_partition(A, "gini", partitioner, random_state=0)
        found = best_partition(A, PythonGini(), partitioner, random_state=0)
        assert found.groups == native.groups
        assert found.score == pytest.approx(native.score, rel=1e-9, abs=1e-12)
        assert found.impurity == pytest.approx(native.impurity)
        assert found.exact == native.exact


def test_gini_in_python_scores_and_cuts_numbers_the_same():
    rng = np.random.default_rng(62)
    groups = [[0, 2], [1, 3]]
    assert score_partition(TABLE, groups, PythonGini()).score == pytest.approx(
        score_partition(TABLE, groups, "gini").score
    )
    x, y = rng.normal(size=50), rng.integers(0, 3, 50)
    assert best_threshold(x, y, PythonGini()).value == best_threshold(x, y, "gini").value


def test_the_impurity_beside_the_score_is_the_one_asked_for():
    class InBits(PythonGini):
        impurity = "entropy"

    found = best_partition(TABLE, InBits(), "exact")
    expected = score_partition(TABLE, found.groups, "entropy").impurity
    assert found.impurity == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"must be 'gini' or 'entropy'\. Got 'variance'"):

        class Wrong(Criterion):
            impurity = "variance"


def test_a_criterion_is_called_by_its_class_unless_it_says_otherwise():
    class Below(PythonGini):
        pass

    class Named(PythonGini):
        name = "my gini"

    assert (PythonGini.name, Below.name, Named.name) == ("PythonGini", "Below", "my gini")


def test_score_must_be_written():
    class Unfinished(Criterion):
        pass

    with pytest.raises(TypeError, match="score"):
        Unfinished()


class OwnError(Exception):
    pass


@pytest.mark.parametrize("partitioner", ["exact", "sliq", "principal_ext", "multiway", "max_cut"])
def test_an_exception_inside_comes_out_unchanged(partitioner):
    thrown = OwnError("in the middle of it")

    class Failing(PythonGini):
        def score(self, groups):
            raise thrown

    with pytest.raises(OwnError) as caught:
        best_partition(TABLE, Failing(), partitioner)
    assert caught.value is thrown
    with pytest.raises(OwnError):
        score_partition(TABLE, [[0, 1], [2, 3]], Failing())
    assert best_partition(TABLE).is_split  # the next search is none the worse for it


@pytest.mark.parametrize("value", [1, True, np.float32(1), np.int64(1), np.array(1.0)])
def test_any_number_is_a_score(value):
    assert best_partition(TABLE, Returning(value)).score == 1.0


@pytest.mark.parametrize("value", ["high", None, [1.0], np.ones(2), 1j])
def test_a_score_that_is_no_number(value):
    with pytest.raises(TypeError, match="score"):
        best_partition(TABLE, Returning(value))


@pytest.mark.parametrize("value", [float("nan"), -float("inf")])
def test_no_partition_with_a_number(value):
    with pytest.raises(
        ValueError, match=r"gave no number for any partition.*check its score method"
    ):
        best_partition(TABLE, Returning(value))


def test_partitions_without_a_number_are_passed_over():
    class Picky(PythonGini):
        convex = False

        def score(self, groups):
            return super().score(groups) if groups[0].sum() == 32 else float("nan")

    assert best_partition(TABLE, Picky(), "exact").left == (0, 2)


def test_two_groups_only_unless_it_says_otherwise():
    class TwoGroups(PythonGini):
        many_groups = False

    with pytest.raises(ValueError, match="'TwoGroups' scores two groups, but 4"):
        best_partition(TABLE, TwoGroups(), "multiway")
    with pytest.raises(ValueError, match="'TwoGroups' scores two groups, but 3"):
        score_partition(TABLE, [[0], [1], [2, 3]], TwoGroups())


def test_costs_are_not_silently_ignored():
    with pytest.raises(ValueError, match="takes no cost_matrix; weigh errors in its score"):
        best_partition(TABLE, PythonGini(), cost_matrix=1 - np.eye(3))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_it_sees_the_weights_as_they_are_and_only_classes_present(scale):
    wide = np.zeros((6, 5))
    wide[np.ix_([0, 2, 3, 5], [1, 2, 4])] = TABLE * scale
    criterion = Recording()
    best_partition(wide, criterion, "exact")
    assert len(criterion.seen) >= 7
    for groups in criterion.seen:
        assert groups.shape == (2, 3)
        np.testing.assert_allclose(groups.sum(axis=0), TABLE.sum(axis=0) * scale, rtol=1e-12)
    sizes = {round(g[0].sum() / scale) for g in criterion.seen}
    assert sizes == {15, 30, 32, 45, 47}


def test_it_gets_an_array_of_its_own():
    kept = []

    class Vandal(PythonGini):
        def score(self, groups):
            score = super().score(groups.copy())
            kept.append((groups, groups.copy()))
            groups[:] *= 2
            return score

    found = best_partition(TABLE, Vandal(), "exact")
    assert found.score == pytest.approx(best_partition(TABLE, "gini").score)
    for groups, before in kept:  # still there after the search, and nobody else wrote to it
        np.testing.assert_array_equal(groups, 2 * before)


def test_many_threads_at_once():
    tables = [random_table(np.random.default_rng(s), 7, 3, real=True) for s in range(24)]
    expected = [best_partition(A, "gini", "exact").groups for A in tables]
    shared = PythonGini()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda A: best_partition(A, shared, "exact").groups, tables))
    assert found == expected


def test_a_search_within_a_score():
    class Nested(PythonGini):
        def score(self, groups):
            return best_partition(groups + 1, "gini").score

    assert best_partition(TABLE, Nested(), "exact").is_split


def test_a_criterion_that_keeps_its_error_is_freed():
    class Keeping(PythonGini):
        def score(self, groups):
            self.error = OwnError()  # its traceback leads back to the criterion
            raise self.error

    criterion = Keeping()
    seen = weakref.ref(criterion)
    with pytest.raises(OwnError):
        best_partition(TABLE, criterion)
    del criterion
    gc.collect()
    assert seen() is None


def test_a_slow_criterion_keeps_to_the_time_limit():
    class Slow(PythonGini):
        convex = False
        n_scores = 0

        def score(self, groups):
            self.n_scores += 1
            time.sleep(0.004)
            return super().score(groups)

    A = random_table(np.random.default_rng(0), 12, 3)  # 2,047 scores: 8 seconds
    slow = Slow()
    found = best_partition(A, slow, "exact", time_limit=0.1)
    assert slow.n_scores < 500
    assert not found.complete
