"""Callbacks of estimators: functions, and scikit-learn's protocol where it has one."""

import importlib.util
import io
import pickle
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import mixedwood as mw
from mixedwood._progress import Progress, stage
from mixedwood.cli import _bar
from mixedwood.datasets import make_mixed

HAS_PROTOCOL = importlib.util.find_spec("sklearn.callback") is not None


@pytest.fixture(scope="module")
def data():
    return make_mixed(150, random_state=0, frame="dict")


MODELS = {
    "tree": (lambda: mw.TreeClassifier(), None, 0),
    "regressor": (lambda: mw.TreeRegressor(), None, 0),
    "forest": (lambda: mw.ForestClassifier(n_estimators=4, random_state=0), "trees", 4),
    "random orders": (
        lambda: mw.RandomOrdinalityClassifier(n_estimators=4, random_state=0), "trees", 4,
    ),
    "boosted": (
        lambda: mw.BoostedTreesClassifier(n_estimators=4, random_state=0), "iterations", 4,
    ),
    "adaboost": (lambda: mw.AdaBoostTreesClassifier(n_estimators=4, random_state=0), "trees", 4),
}  # fmt: skip


def target_of(data, name):
    return [float(i % 7) for i in range(150)] if name == "regressor" else data.y


@pytest.mark.parametrize("name", MODELS)
def test_a_function_is_called_at_every_step(data, name):
    make, what, total = MODELS[name]
    steps = []
    model = make().set_callbacks(steps.append)
    model.fit(data.X, target_of(data, name))
    assert all(isinstance(step, Progress) for step in steps)
    whole = [step.done for step in steps if step.what == "fit"]
    assert whole == [0, 1]
    inner = [step for step in steps if step.what == what]
    assert [step.done for step in inner] == ([*range(total + 1)] if total else [])
    assert all(step.total == total for step in inner)
    if inner:
        assert inner[-1].seconds_left == 0 and inner[0].seconds_left is None
    # A callback changes nothing, and is no part of the model.
    plain = make().fit(data.X, target_of(data, name))
    assert (plain.predict(data.X) == model.predict(data.X)).all()
    assert "_functions" not in vars(clone(model))
    n_steps = len(steps)
    model.set_callbacks().fit(data.X, target_of(data, name))
    assert len(steps) == n_steps


def test_members_of_an_ensemble_are_counted(data):
    steps = []
    model = mw.EnsembleClassifier(tune=False, random_state=0).set_callbacks(steps.append)
    model.fit(data.X, data.y)
    assert {"fit", "trees", "iterations"} <= {step.what for step in steps}


def test_threads_count_upwards(data):
    steps = []
    model = mw.ForestClassifier(n_estimators=30, n_jobs=4, random_state=0)
    model.set_callbacks(steps.append).fit(data.X, data.y)
    done = [step.done for step in steps if step.what == "trees"]
    assert done == sorted(done) and done[-1] == 30


def test_an_error_of_a_callback_ends_the_fit(data):
    def fail(progress):
        if progress.what == "trees":
            raise RuntimeError("enough")

    model = mw.ForestClassifier(n_estimators=3).set_callbacks(fail)
    with pytest.raises(RuntimeError, match="enough"):
        model.fit(data.X, data.y)
    model.set_callbacks().fit(data.X, data.y)
    assert "_is_reporting" not in vars(model)


@pytest.mark.parametrize("bad", [3, "f", object(), dict])
def test_other_things_are_not_callbacks(bad):
    with pytest.raises(TypeError, match="callbacks must be functions"):
        mw.TreeClassifier().set_callbacks(bad)


class Recorder:
    """A callback by scikit-learn's protocol."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append(("setup", context.task_name))

    def teardown(self, estimator, context):
        self.calls.append(("teardown", context.task_name))

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator, context):
        self.calls.append(("end", context.task_name))


@pytest.mark.skipif(not HAS_PROTOCOL, reason="scikit-learn has callbacks since 1.9")
@pytest.mark.parametrize("name", MODELS)
def test_the_protocol_of_scikit_learn(data, name):
    make, what, total = MODELS[name]
    recorder = Recorder()
    model = make().set_callbacks(recorder).fit(data.X, target_of(data, name))
    one = [("begin", "one"), ("end", "one")]
    inner = [("begin", what), *one * total, ("end", what)] if total else []
    assert recorder.calls == [
        ("setup", "fit"), ("begin", "fit"), *inner, ("end", "fit"), ("teardown", "fit"),
    ]  # fmt: skip
    pickle.loads(pickle.dumps(model.set_callbacks()))


@pytest.mark.skipif(not HAS_PROTOCOL, reason="scikit-learn has callbacks since 1.9")
def test_functions_and_callbacks_of_scikit_learn_together(data):
    recorder, steps = Recorder(), []
    model = mw.ForestClassifier(n_estimators=2).set_callbacks(recorder, steps.append)
    model.fit(data.X, data.y)
    assert recorder.calls and [step.done for step in steps] == [0, 1, 2]
    search = GridSearchCV(mw.TreeClassifier().set_callbacks(recorder), {"max_depth": [1, 2]}, cv=2)
    X = np.column_stack([np.asarray(column, dtype=object) for column in data.X.values()])
    n_calls = len(recorder.calls)
    search.fit(X, data.y)
    assert len(recorder.calls) > n_calls


# The bar of the command line


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown_by(monkeypatch, seconds, patience):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_bar, "_PATIENCE", patience)
    with _bar.bar_after_two_seconds("fit"), stage("trees", 3) as advance:
        for i in range(3):
            time.sleep(seconds / 3)
            advance(i + 1)
    return terminal.getvalue()


def test_the_bar_comes_late_and_names_the_stage(monkeypatch):
    pytest.importorskip("rich")
    shown = shown_by(monkeypatch, 0.9, 0.05)
    assert "trees" in shown and "left" in shown
    assert shown_by(monkeypatch, 0.02, 5.0) == ""


def test_without_a_terminal_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.setattr(_bar, "_PATIENCE", 0.0)
    with _bar.bar_after_two_seconds("fit"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
