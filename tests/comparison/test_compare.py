"""Whole comparisons: the same figures however they are made, failures, chosen methods and sets."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import joblib
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import mixedwood as mw
from mixedwood.comparison import encoded
from mixedwood.comparison import methods as known_methods
from mixedwood.comparison.compare import read_pairs
from mixedwood.comparison.methods import prepare, read_methods
from support.problems import mixed_problem

FIGURES = ["error", "balanced_error", "log_loss", "leaves"]


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails where the first row of its training part is not the first of the table."""

    def fit(self, X, y):
        if X["size"].iloc[0] != mixed_problem(90)[0]["size"].iloc[0]:
            raise ArithmeticError("not today")
        self.classes_ = np.unique(y)
        self.answer_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


@pytest.fixture(scope="module")
def problem():
    return mixed_problem(90)


def figures(problem, methods, cv="2x2cv", **options):
    return mw.compare(*problem, methods, cv, metrics=FIGURES, **options)


def test_figures_do_not_depend_on_workers_or_order(problem):
    lines = {
        "tree": "tree",
        "forest": mw.ForestClassifier(n_estimators=5),
        "other forest": encoded(RandomForestClassifier(5)),
        "boosting": encoded(HistGradientBoostingClassifier(max_iter=5)),
    }
    names = list(lines)
    one = figures(problem, lines)
    assert one.failures == ()
    two = figures(problem, lines, n_jobs=2)
    back = figures(problem, {name: lines[name] for name in names[::-1]}).select(methods=names)
    with joblib.parallel_config(backend="threading"):
        threads = figures(problem, lines, n_jobs=2)
    for other in (two, back, threads):
        np.testing.assert_array_equal(other.scores, one.scores)
    assert not np.array_equal(figures(problem, lines, random_state=1).scores, one.scores)


def test_figures_are_those_of_a_fit_by_hand(problem):
    X, y = problem
    found = figures(problem, {"mine": mw.TreeClassifier(random_state=5)})
    for f, fold in enumerate(found.cv.split(y, 0)):
        model = mw.TreeClassifier(random_state=5).fit(X.iloc[fold.train], y[fold.train])
        answers, truth = model.predict(X.iloc[fold.test]), y[fold.test]
        shares = model.predict_proba(X.iloc[fold.test])
        given = shares[np.arange(len(truth)), np.searchsorted(model.classes_, truth)]
        want = [
            np.mean(answers != truth),
            1 - balanced_accuracy_score(truth, answers),
            -np.log(np.maximum(given, 0.001)).mean(),
            model.get_n_leaves(),
        ]
        np.testing.assert_allclose(found.scores[0, 0, f], want)


def test_every_kind_of_table_gives_the_same_figures(problem):
    X, y = problem
    dictionary = {name: X[name].tolist() for name in X.columns}
    dictionary["colour"] = [c if isinstance(c, str) else None for c in dictionary["colour"]]
    want = figures(problem, ["c45", "sklearn_tree"]).scores
    arrow = pa.Table.from_pandas(X)
    encoded = {name: arrow[name] for name in X.columns}
    encoded["colour"] = encoded["colour"].dictionary_encode()
    for other in (pl.from_pandas(X), arrow, dictionary, encoded):
        np.testing.assert_array_equal(figures((other, y), ["c45", "sklearn_tree"]).scores, want)


def test_a_method_that_fails_is_recorded_and_the_rest_goes_on(problem):
    found = figures(problem, {"fragile": Fragile(), "tree": "tree"}, "2x3cv")
    failed = [f.fold for f in found.failures]
    assert 0 < len(failed) < 6
    first = found.failures[0]
    assert (first.dataset, first.method, first.error) == (
        "data",
        "fragile",
        "ArithmeticError: not today",
    )
    assert first.traceback.startswith("Traceback")
    assert "in fit" in first.traceback
    errors = found.scores[0, :, :, 0]
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(errors[0])), failed)
    assert not np.isnan(errors[1]).any()
    assert np.isnan(found.means()[0, 0])
    assert found.table()[0]["failed"] == len(failed)
    assert f"fragile failed on {len(failed)} of 6 folds of data: ArithmeticError" in str(found)
    (difference,) = found.pairwise_tests(baseline="tree")
    assert difference.test is None
    assert difference.sentence == f"No test: fragile has no error on {len(failed)} of 6 folds."
    assert difference.mark == ""


def test_warnings_are_kept_and_shown(problem):
    X, y = problem
    numbers = X[["noise"]].to_numpy()
    grid = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 0]}, cv=2)
    found = figures((numbers, y), {"grid": grid})
    assert {n.message.partition(":")[0] for n in found.warnings} >= {"FitFailedWarning"}
    assert all(n.n_folds == 4 and n.method == "grid" for n in found.warnings)
    assert "FitFailedWarning" in str(found)
    assert not np.isnan(found.means("leaves")).any()  # the tree inside is found


def test_the_line_up_runs_on_a_mixed_table(problem):
    found = mw.compare(*problem, cv="2x1/3", metrics="error", n_jobs=2)
    assert found.failures == ()
    assert set(found.methods) < set(known_methods())
    assert found.scores.shape == (1, len(found.methods), 2, 1)


@pytest.mark.parametrize("name", known_methods())
def test_every_named_method_takes_text_and_gaps(name, problem):
    found = figures(problem, name, "1x2cv")
    assert found.failures == (), found.failures[0].traceback
    assert found.means()[0, 0] < 0.67
    model = read_methods(name)[name]
    has_one_tree = name == "sklearn_tree" or hasattr(model, "get_n_leaves")
    assert np.isnan(found.means("leaves")[0, 0]) != has_one_tree
    assert np.isnan(found.means("log_loss")[0, 0]) != hasattr(model, "predict_proba")


def test_several_sets_as_pairs_and_as_data_sets():
    sets = [mw.datasets.make_categorical(60, n_features=3, random_state=s) for s in range(3)]
    by_name = {f"set {s}": (data.X, data.y) for s, data in enumerate(sets)}
    found = mw.compare(by_name, methods=["tree", "c45", "cart"], cv="1x2cv", metrics="error")
    assert [facts.name for facts in found.datasets] == list(by_name)
    assert found.friedman_test().names == found.nemenyi_test().names == ("tree", "c45", "cart")
    assert found.win_tie_loss().n_datasets == 3
    assert "Friedman test" in str(found)
    alone = mw.compare(sets[1], methods=["tree", "c45", "cart"], cv="1x2cv", metrics="error")
    np.testing.assert_array_equal(alone.scores[0], found.scores[1])
    one = found.select(datasets=["set 1"], methods=["cart"])
    np.testing.assert_array_equal(one.scores[0, 0], found.scores[1, 2])


def test_sets_may_have_different_numbers_of_folds():
    sets = {}
    for n in (10, 14):
        data = mw.datasets.make_categorical(n, n_features=2, n_classes=2, random_state=n)
        sets[str(n)] = (data.X, np.array(["a", "b"] * (n // 2)))
    found = mw.compare(sets, methods=["tree"], cv=LeaveOneOut(), metrics="error")
    assert found.scores.shape == (2, 1, 14, 1)
    assert not np.isnan(found.means()).any()
    assert len(found.to_csv().splitlines()) == 1 + 24


def test_columns_as_a_dict_are_one_table_when_y_is_given(problem):
    X, y = problem
    assert len(read_pairs({"a": X["size"].to_numpy()}, y)) == 1


def test_seeds_and_limits_go_to_methods_without_their_own():
    forest = mw.ForestClassifier(mw.TreeClassifier(), time_limit=3.0)
    model = prepare(forest, 7, 1.5)
    assert (model.random_state, model.estimator.random_state, model.time_limit) == (7, 7, 3.0)
    assert forest.random_state is None
    assert prepare(mw.TreeClassifier(random_state=1), 7, 1.5).get_params()["random_state"] == 1
    assert prepare(mw.TreeClassifier(), 7, 1.5).time_limit == 1.5
    assert prepare(mw.TreeClassifier(), 7, None).time_limit is None
    pipeline = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert prepare(pipeline, 7, 1.0).steps[1][1].random_state == 7


def test_methods_in_every_form():
    tree, bayes = mw.TreeClassifier(), GaussianNB()
    assert list(read_methods("tree")) == ["tree"]
    assert list(read_methods(bayes)) == ["GaussianNB()"]
    mixed = read_methods(["c45", bayes, {"mine": tree, "svm": "svm"}])
    assert list(mixed) == ["c45", "GaussianNB()", "mine", "svm"]
    assert mixed["mine"] is tree
    assert list(read_methods({"a": "tree"})) == ["a"]


@pytest.mark.parametrize(
    ("methods", "error", "words"),
    [
        ("modeltree", ValueError, r"Unknown method 'modeltree'. Did you mean 'model_tree'\?"),
        ([], ValueError, "methods is empty"),
        (["tree", "tree"], ValueError, "Two methods are called 'tree'"),
        (mw.TreeClassifier, TypeError, r"pass an estimator: TreeClassifier\(\)"),
        ({"a": 3}, TypeError, "a name or a scikit-learn estimator; got int"),
        (3, TypeError, "names or estimators; got int"),
    ],
)
def test_methods_that_are_none(methods, error, words):
    with pytest.raises(error, match=words):
        read_methods(methods)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"X": [[1.0]] * 4}, TypeError, "list of datasets of mixedwood.datasets; got a list with"),
        ({"X": np.ones((4, 1))}, TypeError, "y is missing, and X is ndarray"),
        ({"X": {"a": [1.0] * 4}}, TypeError, r"X\['a'\] is list. If X is one table"),
        ({"X": {}}, ValueError, "X is empty"),
        ({"X": {"s": ([[1.0]] * 4, ["a"] * 3)}}, ValueError, "In s: .*inconsistent numbers"),
        (
            {"X": {"s": ([[1.0]] * 4, ["a"] * 4), "t": ([[1.0]], ["a"])}},
            ValueError,
            "In s: y has only one class",
        ),
        (
            {"metrics": ["accuracy"]},
            ValueError,
            "Unknown metric 'accuracy'. Use one or more of err",
        ),
        ({"metrics": []}, ValueError, "Use one or more"),
        ({"time_limit": 0}, ValueError, "time_limit must be a positive number"),
        ({"random_state": -1}, ValueError, "random_state must be zero or more"),
        ({"cv": "ten"}, ValueError, "cv='ten' is not a known scheme"),
    ],
)
def test_bad_input_is_refused_before_any_work(arguments, error, words):
    class Never(DummyClassifier):
        def fit(self, X, y):
            raise AssertionError("too late")

    if "X" not in arguments:
        arguments = {"X": [[1.0]] * 4, "y": ["a", "b"] * 2, **arguments}
    with pytest.raises(error, match=words):
        mw.compare(**{"methods": {"never": Never()}, **arguments})


def test_figures_cannot_be_changed(problem):
    found = figures(problem, "c45")
    with pytest.raises(ValueError, match="read-only"):
        found.scores[0] = 0


def test_progress_is_shown_on_request(problem, capfd):
    figures(problem, "c45")
    assert capfd.readouterr().err == ""
    figures(problem, "c45", verbose=1)
    err = capfd.readouterr().err
    assert "mixedwood: 1 of 4 fits" in err
    assert "s left" in err
    assert "mixedwood: 4 of 4 fits" in err


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_control_c_ends_it(n_jobs):
    script = textwrap.dedent(f"""
        import numpy as np, mixedwood as mw
        rng = np.random.default_rng(0)
        X = {{f"c{{i}}": rng.integers(0, 9, 3000).astype(str) for i in range(30)}}
        y = rng.integers(0, 2, 3000)
        class Tree(mw.OptimalTreeClassifier):
            def fit(self, X, y):
                print("fits", flush=True)
                return super().fit(X, y)
        try:
            mw.compare(X, y, {{"a": Tree(max_depth=4), "b": Tree(max_depth=5)}}, n_jobs={n_jobs})
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "fits\n"
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=250)
        assert out.splitlines()[-1:] == ["stopped"], err
    finally:
        if process.poll() is None:
            process.kill()
