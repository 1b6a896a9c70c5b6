"""OptimalTreeRegressor: scikit-learn's checks, limits, bounds, bad input and views."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mixedwood as mw
from mixedwood import InfeasibleError, OptimalTreeRegressor
from mixedwood.preprocessing import FeatureBinarizer, MDLPDiscretizer
from support.excuses import BINS, ROWS, checks_of

WIDTH = FeatureBinarizer(discretizer="equal_width")
CHECKED = [
    (OptimalTreeRegressor(max_depth=3), {}),
    (OptimalTreeRegressor(max_depth=2, binarizer=WIDTH, min_samples_leaf=10), ROWS),
    (OptimalTreeRegressor(max_depth=2, binarizer=WIDTH), {}),
    (OptimalTreeRegressor(max_depth=2, tune=True, cv=3), BINS),
    (OptimalTreeRegressor(max_depth=2, binarizer="passthrough", work_limit=1e7), {}),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def problem():
    """Text, numbers and gaps, and a number that two of the columns tell together."""
    rng = np.random.default_rng(5)
    n = 150
    color = rng.choice(["red", "green", "blue", "grey"], n).astype(object)
    size = rng.normal(size=n)
    size[rng.random(n) < 0.15] = np.nan
    y = np.where((np.nan_to_num(size) > 0.3) != (color == "red"), 5.0, 1.0)
    color[rng.random(n) < 0.1] = None
    return {"color": color, "size": size, "on": rng.random(n) < 0.5}, y + rng.normal(size=n)


def squared_error(model, X, y, weights=1.0):
    return float((weights * (model.predict(X) - y) ** 2).sum())


@pytest.mark.parametrize("binarizer", [None, "passthrough"])
def test_the_objective_is_that_of_the_tree(problem, binarizer):
    X, y = problem
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    model = OptimalTreeRegressor(max_depth=2, ccp_alpha=0.01, binarizer=binarizer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.UnknownCategoryWarning)
        model.fit(X, y, sample_weight=weights)
        spread = float((weights * (y - np.average(y, weights=weights)) ** 2).sum())
        error = squared_error(model, X, y, weights)
    penalty = 0.01 * spread * model.get_n_leaves()
    assert model.optimal_ and model.gap_ < 1e-9
    assert model.objective_value_ == pytest.approx(error + penalty, rel=1e-9)
    assert model.lower_bound_ <= model.objective_value_
    assert (model.candidates_ is None) == (binarizer == "passthrough")
    greedy = mw.TreeRegressor.cart(max_depth=2).fit(X, y, sample_weight=weights)
    if binarizer == "passthrough":
        worse = squared_error(greedy, X, y, weights) + 0.01 * spread * greedy.get_n_leaves()
        assert model.objective_value_ <= worse * (1 + 1e-9)


def test_deeper_trees_and_more_leaves_are_never_worse(problem):
    X, y = problem
    errors = [
        OptimalTreeRegressor(max_depth=d, max_leaf_nodes=n, ccp_alpha=0).fit(X, y).objective_value_
        for d, n in [(0, None), (1, None), (2, 3), (2, None), (3, 5), (3, None), (4, 8), (4, None)]
    ]
    assert errors == sorted(errors, reverse=True)


def test_leaves_have_enough_rows(problem):
    X, y = problem
    for binarizer in (None, "passthrough"):
        model = OptimalTreeRegressor(
            max_depth=2, ccp_alpha=0, min_samples_leaf=12, binarizer=binarizer
        ).fit(X, y)
        assert np.unique(model.apply(X), return_counts=True)[1].min() >= 12


@pytest.mark.parametrize("binarizer", [None, "passthrough"])
def test_limits_end_the_search_with_a_tree_and_a_bound(binarizer):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 20))
    y = X[:, 0] * X[:, 1] + rng.normal(size=2000)
    trees = []
    for _ in range(2):
        model = OptimalTreeRegressor(max_depth=6, ccp_alpha=0, work_limit=3e7, binarizer=binarizer)
        with pytest.warns(mw.TimeLimitWarning, match="The work limit ended the search"):
            trees.append(model.fit(X, y).tree_)
        assert model.proof_.status == "work_limit"
        assert 0 < model.gap_ <= 1 and not model.optimal_
        assert 0 < model.lower_bound_ < model.objective_value_
    assert trees[0] == trees[1]


@pytest.mark.parametrize("binarizer", [None, "passthrough"])
@pytest.mark.parametrize("limits", [{"time_limit": 1e-9}, {"work_limit": 3e7}, {"work_limit": 1e8}])
def test_a_stopped_search_uses_the_depth_that_was_asked_for(binarizer, limits):
    # A product of two columns: the best tree of depth 2 is better than a greedy one of depth 6.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 20))
    y = X[:, 0] * X[:, 1] + rng.normal(size=2000)
    asked = {"ccp_alpha": 0, "binarizer": binarizer, "work_limit": None}
    model = OptimalTreeRegressor(max_depth=6, **asked | limits)
    with pytest.warns(mw.TimeLimitWarning, match="ended the search"):
        model.fit(X, y)
    assert model.get_depth() == 6
    assert model.get_n_leaves() > 2**3
    few = OptimalTreeRegressor(max_depth=6, max_leaf_nodes=7, **asked | limits)
    with pytest.warns(mw.TimeLimitWarning, match="ended the search"):
        assert few.fit(X, y).get_n_leaves() == 7


def test_too_little_memory_still_gives_a_tree():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 10)), rng.normal(size=300)
    model = OptimalTreeRegressor(max_depth=3, ccp_alpha=0, memory_limit=1000)
    with pytest.warns(ConvergenceWarning, match="memory limit"):
        model.fit(X, y)
    assert model.get_n_leaves() > 1
    small = OptimalTreeRegressor(max_depth=3, ccp_alpha=0, memory_limit=400_000).fit(X, y)
    full = OptimalTreeRegressor(max_depth=3, ccp_alpha=0).fit(X, y)
    assert small.objective_value_ == full.objective_value_


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("binarizer", [None, "passthrough"])
def test_control_c_keeps_the_best_tree(binarizer):
    code = f"""
        import numpy as np, os, signal, threading, time, warnings
        from mixedwood import OptimalTreeRegressor
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(800, 30)), rng.normal(size=800)
        pressed = []
        def press():
            time.sleep(1.0)
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        OptimalTreeRegressor(max_depth=1).fit(X, y)  # all that is loaded late
        threading.Thread(target=press).start()
        model = OptimalTreeRegressor(
            max_depth=8, ccp_alpha=0, work_limit=None, binarizer={binarizer!r}
        ).fit(X, y)
        print(model.proof_.status, model.get_n_leaves() > 4, model.optimal_)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=250
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["interrupted", "True", "False"]


def test_upper_bounds(problem):
    X, y = problem
    best = OptimalTreeRegressor(max_depth=2).fit(X, y)
    again = clone(best).set_params(upper_bound=best.objective_value_).fit(X, y)
    assert again.objective_value_ == best.objective_value_
    with pytest.raises(InfeasibleError, match="No tree of depth 2"):
        clone(best).set_params(upper_bound=best.objective_value_ * 0.99).fit(X, y)
    X, y = np.random.default_rng(1).normal(size=(500, 8)), np.arange(500.0)
    bounded = OptimalTreeRegressor(max_depth=5, ccp_alpha=0, work_limit=1e6, upper_bound=1e5)
    with pytest.raises(TimeoutError, match="work limit"):
        bounded.fit(X, y)


def test_sizes_are_chosen_by_cross_validation(problem):
    X, y = problem
    model = OptimalTreeRegressor(max_depth=3, ccp_alpha=0, tune=True, random_state=0).fit(X, y)
    scores = model.cv_results_["mean_test_score"]
    assert (scores < 0).all() and model.cv_results_["optimal"].all()
    best = int(np.argmax(scores))
    assert model.get_n_leaves() <= model.cv_results_["param_max_leaf_nodes"][best]
    assert model.get_n_leaves() > 1


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_depth": 31}, "max_depth.*30"),
        ({"ccp_alpha": -0.1}, "ccp_alpha"),
        ({"binarizer": "raw"}, "binarizer.*passthrough"),
        (
            {"binarizer": FeatureBinarizer(discretizer=MDLPDiscretizer())},
            "needs classes.*equal_frequency",
        ),
        ({"binarizer": FeatureBinarizer(n_bins="tune")}, "needs classes"),
        ({"binarizer": FeatureBinarizer(categorical_features="all")}, "must not set"),
        ({"memory_limit": 0}, "memory_limit"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_bad_parameters_are_errors(problem, parameters, words):
    with pytest.raises(ValueError, match=words):
        OptimalTreeRegressor(**parameters).fit(*problem)


@pytest.mark.parametrize("binarizer", [None, "passthrough"])
@pytest.mark.parametrize(
    "y", [[3.0] * 6, [1e140, -1e140] * 3, [1e-300, 2e-300] * 3, [0.0] * 6, [1e9, 1e9 + 1] * 3]
)
def test_numbers_of_any_size(y, binarizer):
    X = {"a": [0, 1] * 3, "c": list("xyxyzz")}
    model = OptimalTreeRegressor(max_depth=1, binarizer=binarizer).fit(X, y)
    assert model.optimal_
    assert model.predict(X) == pytest.approx(y, rel=1e-12)


def test_one_row_and_no_columns_to_split():
    model = OptimalTreeRegressor().fit({"a": [1.0]}, [2.5])
    assert model.predict({"a": [7.0]}).tolist() == [2.5] and model.optimal_
    model = OptimalTreeRegressor(binarizer="passthrough").fit({"a": [1, 1, 1]}, [1.0, 2.0, 6.0])
    assert model.get_n_leaves() == 1 and model.predict({"a": [1]}).tolist() == [3.0]


def test_subsets_above_the_last_splits_need_not_be_prefixes_of_the_means():
    """The only good root is {p, q} against {r, s}, and the means of the values are mixed."""
    X = {"c": list("ppqqrrss") * 3, "x": [0, 1] * 12}
    of = {"p": (0, 10), "q": (10, 20), "r": (10, 0), "s": (20, 10)}
    y = [float(of[c][x] % 20) for c, x in zip(X["c"], X["x"], strict=True)]
    best = OptimalTreeRegressor(max_depth=2, ccp_alpha=0, binarizer="passthrough").fit(X, y)
    one_hot = OptimalTreeRegressor(max_depth=2, ccp_alpha=0).fit(X, y)
    assert best.optimal_ and best.objective_value_ < one_hot.objective_value_


def test_views_work(problem):
    X, y = problem
    model = OptimalTreeRegressor(max_depth=2).fit(X, y)
    assert "mean" in model.tree_.to_text()
    assert "<svg" in model.tree_.to_svg()
    assert len(model.to_rules()) == model.get_n_leaves()
    assert "->" in str(model.explain(X, row=3))
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    forest = mw.ForestRegressor(OptimalTreeRegressor(max_depth=2), n_estimators=3, random_state=0)
    assert forest.fit(X, y).score(X, y) > 0
