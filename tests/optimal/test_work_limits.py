"""A limit of work ends a search at the same place every time, and says so."""

from itertools import pairwise

import numpy as np
import pytest

from mixedwood import OptimalTreeClassifier, TimeLimitWarning, _core
from mixedwood.preprocessing import FeatureBinarizer
from support.optimal_instances import filled, limits_of

HOW = {"binary": {}, "all": {"binarizer": "passthrough"}, "node": {"binarize_at": "node"}}
searches = pytest.mark.parametrize("how", HOW.values(), ids=HOW)
PROVEN = ("status", "objective_value", "lower_bound", "n_explored", "n_cached")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8)).round(1)
    return X, (X[:, 0] * X[:, 1] > 0) ^ (rng.random(400) < 0.2)


def known(model):
    """What is known of a tree, but for the time it took."""
    return [getattr(model.proof_, name) for name in PROVEN], model.tree_.to_text()


@searches
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_tree_every_time(problem, how, weighted):
    X, y = problem
    weights = np.random.default_rng(1).random(400) if weighted else None
    found = []
    for steps in (1, 10**4, 10**5, 3 * 10**5, 10**6):
        model = OptimalTreeClassifier(max_depth=4, ccp_alpha=0.0, work_limit=steps, **how)
        with pytest.warns(TimeLimitWarning, match="The work limit ended the search"):
            first = known(model.fit(X, y, sample_weight=weights))
        assert not model.optimal_ and model.proof_.status == "work_limit"
        assert 0 <= model.lower_bound_ < model.objective_value_
        with pytest.warns(TimeLimitWarning):
            assert known(model.fit(X, y, sample_weight=weights)) == first
        found.append((model.objective_value_, model.proof_.n_explored))
    assert all(late[0] <= early[0] for early, late in pairwise(found))
    assert found[0][1] < found[-1][1]


@searches
def test_enough_work_is_a_proof(problem, how):
    X, y = problem
    sure = OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01, work_limit=None, **how).fit(X, y)
    model = OptimalTreeClassifier(max_depth=2, ccp_alpha=0.01, work_limit=1e12, **how).fit(X, y)
    assert model.optimal_ and known(model) == known(sure)


def test_registers_make_no_difference():
    rng = np.random.default_rng(3)
    matrix = (rng.random((500, 60)) < 0.5).astype(np.uint8)
    classes = (matrix[:, 0] ^ matrix[:, 1] ^ (rng.random(500) < 0.3)).astype(np.int32)
    for steps in (10**5, 10**6, 10**7):
        results = []
        for wide in (True, False):
            switches = filled(_core.BinarySwitches(), wide_registers=wide)
            solver = _core.binary_solver(matrix, classes, None, 2, switches=switches)
            results.append(solver.solve(limits_of(4), work_limit=steps))
        assert results[0].status == "work_limit"
        for name in ("objective_value", "lower_bound", "n_explored", "work"):
            assert getattr(results[0], name) == getattr(results[1], name)
        assert results[0].tree.splits() == results[1].tree.splits()


@searches
def test_tuning_keeps_to_it(problem, how):
    X, y = problem
    settings = {"ccp_alpha": 0.0, "tune": True, "cv": 3, **how}
    with pytest.warns(TimeLimitWarning) as caught:
        few = OptimalTreeClassifier(max_depth=4, work_limit=10**5, **settings).fit(X, y)
        again = OptimalTreeClassifier(max_depth=4, work_limit=10**5, **settings).fit(X, y)
    words = "A limit ended the search before all sizes were tried"
    assert sum(str(warning.message).startswith(words) for warning in caught) == 2
    np.testing.assert_equal(few.cv_results_, again.cv_results_)
    assert known(few) == known(again)
    assert 0 < len(few.cv_results_["mean_test_score"]) < 25  # of all sizes


@pytest.mark.parametrize("value", [0, -1, "x", True, np.nan])
def test_what_is_no_limit_is_refused(problem, value):
    with pytest.raises(
        ValueError,
        match=r"'work_limit' parameter of OptimalTreeClassifier must be a float in the range "
        r"\[1.0, inf\] or None",
    ):
        OptimalTreeClassifier(max_depth=2, work_limit=value).fit(*problem)


def test_a_time_limit_is_named_too(problem):
    X, y = problem
    with pytest.warns(TimeLimitWarning, match="The time limit ended the search"):
        OptimalTreeClassifier(
            max_depth=6,
            ccp_alpha=0.0,
            binarizer=FeatureBinarizer(n_bins=30),
            time_limit=0.05,
            work_limit=None,
        ).fit(X, y)
