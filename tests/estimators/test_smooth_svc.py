"""SmoothSVC: among scikit-learn's tools, on mixed tables, with odd and bad input, stopped."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from mixedwood import SmoothSVC, TimeLimitWarning
from mixedwood.estimators import UnknownCategoryWarning
from mixedwood.linear import svm
from support.excuses import HELD_OUT, checks_of

CHECKED = [
    (SmoothSVC(), {}),
    (SmoothSVC(smoothing=5.0), {}),
    (SmoothSVC(kernel="rbf"), {}),
    (SmoothSVC(multi_class="ovo"), {}),
    (SmoothSVC(C="tune"), HELD_OUT),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def problem():
    """Text, numbers and gaps; three classes."""
    rng = np.random.default_rng(0)
    n = 240
    y = rng.integers(0, 3, n)
    colour = np.array(["red", "green", "blue"], dtype=object)[(y + rng.integers(0, 2, n)) % 3]
    colour[rng.random(n) < 0.05] = None
    X = pd.DataFrame({"colour": colour, "size": rng.normal(y, 1.0), "noise": rng.normal(size=n)})
    X.loc[rng.random(n) < 0.05, "size"] = np.nan
    return X, np.array(["ash", "birch", "cedar"])[y]


# Against scikit-learn


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_machines_are_those_of_scikit_learn(multi_class):
    X, y = load_iris(return_X_y=True)
    model = SmoothSVC(C=2.0, multi_class=multi_class, standardize=False).fit(X, y)
    rival = LinearSVC(C=1.0, dual=False, tol=1e-12, max_iter=100_000)
    many = (OneVsRestClassifier if multi_class == "ovr" else OneVsOneClassifier)(rival).fit(X, y)
    np.testing.assert_allclose(model.coef_, [m.coef_[0] for m in many.estimators_], atol=1e-6)
    np.testing.assert_allclose(
        model.intercept_, [m.intercept_[0] for m in many.estimators_], atol=1e-6
    )
    np.testing.assert_allclose(model.decision_function(X), many.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), many.predict(X))


def test_standardising_is_the_same_as_a_scaler():
    X, y = load_iris(return_X_y=True)
    y = y == 2
    model = SmoothSVC().fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    plain = SmoothSVC(standardize=False).fit(scaled, y)
    np.testing.assert_allclose(model.objective_value_, plain.objective_value_)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(scaled))
    np.testing.assert_allclose(
        X @ model.coef_[0] + model.intercept_[0], model.decision_function(X), atol=1e-10
    )
    assert ((model.decision_function(X) > 0) == model.predict(X)).all()


def test_a_kernel_bends_the_boundary():
    X, y = make_moons(400, noise=0.2, random_state=0)
    new, truth = make_moons(400, noise=0.2, random_state=1)
    plane = SmoothSVC().fit(X, y).score(new, truth)
    whole = SmoothSVC(kernel="rbf").fit(X, y)
    reduced = SmoothSVC(kernel="rbf", n_components=30, random_state=0).fit(X, y)
    rival = SVC().fit(StandardScaler().fit_transform(X), y)
    best = rival.score(StandardScaler().fit(X).transform(new), truth)
    assert plane < 0.9
    assert whole.score(new, truth) >= best - 0.01
    assert reduced.score(new, truth) >= best - 0.02
    assert whole.dual_coef_.shape == (1, 400)
    assert reduced.dual_coef_.shape == (1, 30)
    with pytest.raises(AttributeError, match="dual_coef_"):
        _ = reduced.coef_
    with pytest.raises(AttributeError, match="coef_"):
        _ = SmoothSVC().fit(X, y).dual_coef_


# Among scikit-learn's tools


def test_in_a_pipeline_a_grid_and_a_calibration(problem):
    X, y = problem
    grid = GridSearchCV(
        SmoothSVC(),
        {"C": [0.1, "tune"], "smoothing": [None, 5.0], "kernel": ["linear", "rbf"],
         "multi_class": ["ovr", "ovo"]},
        cv=3, error_score="raise",
    ).fit(X, y)  # fmt: skip
    assert grid.best_score_ > 0.6
    calibrated = CalibratedClassifierCV(SmoothSVC(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.6
    two = CalibratedClassifierCV(SmoothSVC(), cv=3, method="isotonic").fit(X, y == "ash")
    assert two.score(X, y == "ash") > 0.75
    numbers = X[["size", "noise"]].fillna(0)
    pipe = make_pipeline(StandardScaler(), SmoothSVC(standardize=False))
    np.testing.assert_array_equal(
        cross_val_score(pipe, numbers, y, cv=3), cross_val_score(SmoothSVC(), numbers, y, cv=3)
    )


def test_copies_and_frames_predict_the_same(problem):
    X, y = problem
    for parameters in ({}, {"kernel": "rbf"}, {"multi_class": "ovo", "smoothing": 5.0}):
        model = SmoothSVC(**parameters).fit(X, y)
        want = model.decision_function(X)
        assert want.shape == (240, 3)
        for twin in (pickle.loads(pickle.dumps(model)), clone(model).fit(pl.from_pandas(X), y)):
            np.testing.assert_array_equal(twin.decision_function(X), want)
            assert (twin.predict(X) == model.predict(X)).all()


def test_what_a_fit_leaves(problem):
    X, y = problem
    model = SmoothSVC(C="tune").fit(X, y)
    assert model.coef_names_ == ("colour = blue", "colour = green", "colour = red", "size", "noise")
    assert model.coef_.shape == (3, 5)
    assert model.intercept_.shape == model.objective_value_.shape == model.n_iter_.shape == (3,)
    assert model.C_ in 2.0 ** np.arange(-6, 7, 2)
    assert model.feature_names_in_.tolist() == ["colour", "size", "noise"]
    assert model.score(X, y) > 0.6
    assert SmoothSVC(C=0.5).fit(X, y).C_ == 0.5
    fresh = SmoothSVC()
    assert not hasattr(fresh, "coef_")
    with pytest.raises(NotFittedError):
        fresh.predict(X)


def test_weights_of_rows_and_classes(problem):
    X, y = problem
    times = np.arange(len(y)) % 3
    rows = np.repeat(np.arange(len(y)), times)
    for parameters in ({}, {"multi_class": "ovo"}, {"kernel": "rbf", "smoothing": 5.0}):
        model = SmoothSVC(**parameters)
        once = clone(model).fit(X, y, sample_weight=times)
        twice = clone(model).fit(X.iloc[rows], y[rows])
        np.testing.assert_allclose(once.decision_function(X), twice.decision_function(X), atol=1e-7)
    by_class = SmoothSVC(standardize=False, class_weight={"ash": 3.0}).fit(X, y)
    by_row = SmoothSVC(standardize=False).fit(X, y, sample_weight=np.where(y == "ash", 3.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_)
    few = np.where(y == "ash", np.arange(240) % 10 == 0, True)
    plain = SmoothSVC().fit(X[few], y[few]).predict(X)
    balanced = SmoothSVC(class_weight="balanced").fit(X[few], y[few]).predict(X)
    assert (balanced == "ash").sum() > (plain == "ash").sum()


def test_the_same_seed_gives_the_same_machine():
    X, y = make_moons(300, noise=0.3, random_state=0)
    models = [
        SmoothSVC(C="tune", kernel="rbf", n_components=20, random_state=s).fit(X, y)
        for s in (0, 0, 1)
    ]
    first, again, other = (m.decision_function(X) for m in models)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


# Odd and bad input


def test_one_class_and_nothing_to_learn_from():
    x = np.arange(6.0)[:, None]
    for kernel in ("linear", "rbf"):
        model = SmoothSVC(kernel=kernel).fit(x, ["only"] * 6)
        assert model.predict(x).tolist() == ["only"] * 6
        assert model.decision_function(x).shape == (6,)
        far = np.array([[-1e300], [-1e3], [1e3], [1e300]])
        for standardize in (True, False):
            model = SmoothSVC(kernel=kernel, standardize=standardize).fit(x + 5, ["only"] * 6)
            assert model.predict(far).tolist() == ["only"] * 4
            assert (model.decision_function(far) <= 0).all()
        for table in (
            np.ones((6, 1)),
            np.full((6, 1), np.nan),
            {"a": [None] * 6},
            {"a": ["s"] * 6},
        ):
            model = SmoothSVC(kernel=kernel).fit(table, [0, 0, 0, 0, 1, 1])
            assert model.predict(table).tolist() == [0] * 6


@pytest.mark.parametrize("power", [-300, -150, 0, 150, 300])
def test_any_scale_of_numbers(power):
    X, y = load_iris(return_X_y=True)
    want = SmoothSVC().fit(X, y)
    scale = 10.0 ** np.array([power, 0, -power, power / 2])
    model = SmoothSVC().fit(X * scale, y)
    np.testing.assert_allclose(
        model.decision_function(X * scale), want.decision_function(X), atol=1e-8
    )
    np.testing.assert_allclose(model.coef_ * scale, want.coef_, rtol=1e-7)


def test_numbers_that_overflow_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"overflow.*standardize=True"):
        SmoothSVC(standardize=False).fit(X * 1e200, y)
    with pytest.raises(ValueError, match="overflow"):
        SmoothSVC(C=1e300).fit(X, y, sample_weight=np.full(150, 1e200))


@pytest.mark.parametrize("power", [-310, -200, -155, 155, 200, 307])
@pytest.mark.parametrize("c", [1.0, "tune"])
def test_a_kernel_whose_distances_overflow_is_refused(power, c):
    X, y = load_iris(return_X_y=True)
    X = X * 10.0**power
    size = "large" if power > 0 else "small"
    with pytest.raises(ValueError, match=f"too {size}.*Use standardize=True"):
        SmoothSVC(C=c, kernel="rbf", standardize=False).fit(X, y)
    assert SmoothSVC(C=c, kernel="rbf").fit(X, y).score(X, y) > 0.9
    given = SmoothSVC(C=c, kernel="rbf", standardize=False, gamma=1.0).fit(X, y)
    assert np.isfinite(given.decision_function(X)).all()
    with pytest.raises(ValueError, match="gamma = 1e-310 is too small"):
        SmoothSVC(C=c, kernel="rbf", standardize=False, gamma=1e-310).fit(X, y)


@pytest.mark.parametrize("power", [-145, 0, 145])
def test_a_kernel_follows_the_scale_of_the_numbers(power):
    X, y = load_iris(return_X_y=True)
    want = SmoothSVC(kernel="rbf", standardize=False).fit(X, y).decision_function(X)
    model = SmoothSVC(kernel="rbf", standardize=False).fit(X * 2.0 ** (3 * power), y)
    np.testing.assert_allclose(model.decision_function(X * 2.0 ** (3 * power)), want, atol=1e-7)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_decisions_of_extreme_rows_are_finite(kernel, standardize, multi_class):
    X, y = load_iris(return_X_y=True)
    most = np.finfo(float).max
    far = np.array([[most] * 4, [-most] * 4, [most, -most] * 2, [5e-324] * 4])
    for target in (y, y == 1, y * 0):
        model = SmoothSVC(kernel=kernel, standardize=standardize, multi_class=multi_class)
        model.fit(X * 100, target)
        assert np.isfinite(model.decision_function(far)).all()
        assert set(model.predict(far)) <= set(target)


def test_an_extreme_row_is_on_the_side_where_the_exact_sum_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * 1e-3
    model = SmoothSVC(C=1e9, standardize=False).fit(X, X @ [3.0, -2.0, 1.0] > 0)
    far = rng.uniform(-1, 1, size=(200, 3)) * np.finfo(float).max
    weights = [Fraction(w) for w in model.coef_[0]]
    sums = [
        sum(w * Fraction(x) for w, x in zip(weights, row, strict=True))
        + Fraction(model.intercept_[0])
        for row in far.tolist()
    ]
    assert min(model.coef_[0].min(), -model.coef_[0].max()) < -10  # so that products overflow
    np.testing.assert_array_equal(model.predict(far), [s > 0 for s in sums])
    assert (np.abs(model.decision_function(far)) == np.finfo(float).max).any()


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning:sklearn")
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_of_extreme_rows(method):
    X, y = load_iris(return_X_y=True)
    model = CalibratedClassifierCV(SmoothSVC(standardize=False), cv=3, method=method)
    model.fit(X, y)
    most = np.finfo(float).max
    shares = model.predict_proba(np.array([[most] * 4, [most, -most] * 2]))
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_collinear_columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 2))
    y = x[:, 0] > 0
    model = SmoothSVC().fit(np.column_stack([x, x, x[:, :1] + x[:, 1:]]), y)
    assert model.score(np.column_stack([x, x, x[:, :1] + x[:, 1:]]), y) > 0.95
    np.testing.assert_allclose(model.coef_[0, :2], model.coef_[0, 2:4], rtol=1e-6)


def test_values_that_no_training_row_had(problem):
    X, y = problem
    model = SmoothSVC().fit(X, y)
    new = X.iloc[:2].assign(colour="mauve")
    with pytest.warns(UnknownCategoryWarning, match="mauve.*treated as missing"):
        found = model.decision_function(new)
    np.testing.assert_array_equal(found, model.decision_function(new.assign(colour=None)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "The 'C' parameter of SmoothSVC must be .* among {'tune'}. Got 0 instead"),
        ({"C": "best"}, "'best'"),
        ({"C": np.nan}, "'C' parameter"),
        ({"C": True}, "'C' parameter"),
        (
            {"smoothing": -1.0},
            r"'smoothing' .* a float in the range \(0.0, inf\) or None. Got -1.0",
        ),
        ({"kernel": "poly"}, "'kernel' .* a str among {'linear', 'rbf'}. Got 'poly'"),
        (
            {"gamma": "auto"},
            r"'gamma' .* a float in the range \(0.0, inf\) or a str among {'scale'}",
        ),
        ({"n_components": 0}, r"'n_components' .* an int in the range \[1, inf\)"),
        ({"n_components": 2.5}, "n_components"),
        ({"multi_class": "crammer_singer"}, "'multi_class' .* must be a str among"),
        ({"standardize": "yes"}, "'standardize' .* must be a bool. Got 'yes'"),
        ({"tol": 0.0}, "'tol' .* Got 0.0 instead"),
        ({"max_iter": 0}, "max_iter"),
        ({"random_state": -1}, "random_state"),
        ({"time_limit": 0.0}, "time_limit"),
        ({"class_weight": {7: 1.0}}, "not in y"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SmoothSVC(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [np.inf]], [0, 1], "infinity"),
        ([[0.0], [1.0]], [np.nan, 1], "NaN"),
        ([[0.0], [1.0]], [0.5, 1], "continuous"),
        ([[0.0], [1.0]], [0], "inconsistent"),
        (np.empty((0, 1)), [], "0 sample"),
    ],
)
def test_tables_that_are_refused(X, y, message):
    with pytest.raises(ValueError, match=message):
        SmoothSVC().fit(X, y)


def test_a_fit_that_fails_changes_nothing(problem):
    X, y = problem
    model = SmoothSVC().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="kernel"):
        model.set_params(kernel="none").fit(X[["size"]], y == "ash")
    np.testing.assert_array_equal(model.decision_function(X), before)


# Stopping


def test_too_few_steps_warn_with_the_line_of_the_caller(problem):
    X, y = problem
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations") as caught:
        model = SmoothSVC(max_iter=1).fit(X, y)
    assert caught[0].filename == __file__
    assert model.score(X, y) > 0.5


def test_the_time_limit(problem, monkeypatch):
    X, y = problem
    large = np.random.default_rng(0).normal(size=(3000, 40))
    with pytest.raises(TimeoutError, match="reached before the first iteration"):
        SmoothSVC(time_limit=1e-9).fit(large, large[:, 0] > 0)
    whole = svm._core.fit_smooth_svm

    def cut_short(*arguments):
        return {**whole(*arguments), "timed_out": True, "converged": False}

    monkeypatch.setattr(svm._core, "fit_smooth_svm", cut_short)
    with pytest.warns(
        TimeLimitWarning, match="before 3 of 3 support vector machines had converged"
    ) as caught:
        model = SmoothSVC(time_limit=100.0).fit(X, y)
    assert caught[0].filename == __file__
    assert model.score(X, y) > 0.6
    with pytest.warns(TimeLimitWarning) as caught:
        model = SmoothSVC(C="tune", time_limit=100.0).fit(X, y)
    assert "while tuning C; C = 1 is" in str(caught[0].message)
    assert model.C_ == 1.0


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_ctrl_c_ends_a_fit():
    code = textwrap.dedent("""
        import numpy as np, mixedwood as mw
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20000, 40)), rng.integers(0, 2, 20000)
        print("ready", flush=True)
        try:
            mw.SmoothSVC(C="tune", kernel="rbf", n_components=4000, gamma=2.0).fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=250)
    assert output == "interrupted\n"
