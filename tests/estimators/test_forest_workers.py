"""Growing many trees: any number and kind of workers, warm starts, limits, progress, Ctrl-C."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from dask.distributed import Client, LocalCluster
from sklearn.base import clone

from mixedwood import (
    ForestClassifier,
    GrowPruneForestClassifier,
    RandomOrdinalityClassifier,
    TimeLimitWarning,
    TreeClassifier,
)
from mixedwood._limits import CancelledError, StopFlag
from mixedwood._parallel import grow_members
from mixedwood._random import MEMBER, spawn
from mixedwood.splits import Partitioner
from support.problems import mixed_problem

MODELS = {
    "forest": ForestClassifier(n_estimators=8, random_state=5, colsample_bytree=3),
    "cart": ForestClassifier.bagging_cart(3, random_state=5),
    "orders": RandomOrdinalityClassifier.random_tree(8, random_state=5).set_params(
        partitioner=Partitioner("random_order", per="tree", joint=True)
    ),
}


@pytest.fixture(scope="module")
def problem():
    return mixed_problem(150)


@pytest.fixture(scope="module")
def cluster():
    # Two processes that talk to this one over sockets, as on several machines.
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as here,
        Client(here) as client,
    ):
        yield client


def fit_in(backend, model, problem, n_jobs=2, **options):
    with joblib.parallel_config(backend=backend, n_jobs=n_jobs, **options):
        return clone(model).fit(*problem)


@pytest.mark.parametrize("name", MODELS)
def test_threads_change_nothing(name, problem):
    alone = clone(MODELS[name]).fit(*problem)
    for n_jobs in (1, 2, 5, -1):
        assert clone(MODELS[name]).set_params(n_jobs=n_jobs).fit(*problem).trees_ == alone.trees_


@pytest.mark.parametrize("name", MODELS)
def test_processes_change_nothing(name, problem):
    alone = clone(MODELS[name]).fit(*problem)
    elsewhere = fit_in("loky", MODELS[name], problem)
    assert elsewhere.trees_ == alone.trees_
    # Trees that come from other processes share one schema again.
    assert all(tree.schema is elsewhere.schema_ for tree in elsewhere.trees_)
    np.testing.assert_array_equal(
        elsewhere.predict_proba(problem[0]), alone.predict_proba(problem[0])
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_dask_cluster_changes_nothing(name, problem, cluster):
    elsewhere = fit_in("dask", MODELS[name], problem, n_jobs=-1)
    assert elsewhere.trees_ == clone(MODELS[name]).fit(*problem).trees_

    def where(number, time_limit, stop):
        return __import__("os").getpid()

    with joblib.parallel_config(backend="dask", n_jobs=-1):
        processes = set(grow_members(where, range(20)))
    assert processes <= set(cluster.run(os.getpid).values())
    assert os.getpid() not in processes


def test_a_member_depends_on_seed_and_number_only():
    draws = {(s, n): int(spawn(s, MEMBER, n).integers(2**63)) for s in (0, 1) for n in range(50)}
    assert len(set(draws.values())) == 100
    assert draws[1, 7] == int(spawn(1, MEMBER, 7).integers(2**63))


# Warm starts


@pytest.mark.parametrize("name", MODELS)
def test_a_warm_start_is_the_same_as_one_go(name, problem):
    whole = clone(MODELS[name]).fit(*problem)
    model = clone(MODELS[name]).set_params(n_estimators=1, warm_start=True).fit(*problem)
    first = model.trees_[0]
    for n in range(2, whole.n_estimators + 1):
        model.set_params(n_estimators=n).fit(*problem)
        assert len(model.trees_) == n
    assert model.trees_[0] is first
    assert model.trees_ == whole.trees_


@pytest.mark.parametrize("model", [ForestClassifier(), GrowPruneForestClassifier()])
def test_a_warm_start_keeps_its_own_seed(model, problem):
    model = clone(model).set_params(n_estimators=2, warm_start=True).fit(*problem)
    seed = model._seed
    model.set_params(n_estimators=4).fit(*problem)
    assert model._seed == seed
    whole = clone(model).set_params(random_state=seed).fit(*problem)
    assert model.trees_ == whole.trees_
    # It has not drawn the trees that it had once more.
    assert all(a != b for i, a in enumerate(model.trees_) for b in model.trees_[:i])
    cold = clone(model).set_params(warm_start=False)
    assert cold.fit(*problem).fit(*problem).trees_ != model.trees_


def test_a_warm_start_updates_the_out_of_bag_predictions(problem):
    model = ForestClassifier(n_estimators=15, oob_score=True, warm_start=True, random_state=1).fit(
        *problem
    )
    before = model.oob_decision_function_
    model.set_params(n_estimators=30).fit(*problem)
    whole = ForestClassifier(n_estimators=30, oob_score=True, random_state=1).fit(*problem)
    np.testing.assert_array_equal(model.oob_decision_function_, whole.oob_decision_function_)
    assert not np.array_equal(model.oob_decision_function_, before)


def test_warm_starts_that_make_no_sense(problem):
    X, y = problem
    model = ForestClassifier(n_estimators=4, warm_start=True, random_state=0).fit(X, y)
    before = list(model.trees_)
    with pytest.raises(ValueError, match=r"n_estimators=3 must be larger or equal to the 4 trees"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.set_params(n_estimators=4).fit(X, y)
    with pytest.raises(ValueError, match="their categories or the classes have changed"):
        model.set_params(n_estimators=5).fit(X[["colour"]], y)
    with pytest.raises(ValueError, match="their categories or the classes have changed"):
        model.fit(X, y == "ash")
    weights = np.ones(len(y))
    weights[0] = 0
    for change in ({"max_samples": 0.5}, {"colsample_bytree": 2}):
        model = clone(model).set_params(n_estimators=4, oob_score=False).fit(X, y)
        before = list(model.trees_)
        model.set_params(n_estimators=5, oob_score=True, **change)
        with pytest.raises(ValueError, match="number of rows or their sampling has changed"):
            model.fit(X, y)
        model.set_params(max_samples=None, colsample_bytree=None)
        with pytest.raises(ValueError, match="number of rows or their sampling has changed"):
            model.fit(X, y, weights)
    assert model.trees_ == before


# Time limits


def test_a_time_limit_leaves_trees_out():
    X, y = mixed_problem(3000)
    model = ForestClassifier(n_estimators=100_000, random_state=0, time_limit=0.3)
    with pytest.warns(TimeLimitWarning, match="time limit came") as caught:
        model.fit(X, y)
    said = " ".join(str(w.message) for w in caught)
    assert f"after {len(model.trees_)} of 100000 trees" in said
    assert caught[-1].filename == __file__  # where fit was called
    assert 1 <= len(model.trees_) < 100_000
    # What was complete is what there would have been.
    if len(model.trees_) > 1:
        first = ForestClassifier(n_estimators=1, random_state=0).fit(X, y)
        assert model.trees_[0] == first.trees_[0]
    # A warm start grows on from there.
    n = len(model.trees_)
    model.set_params(warm_start=True, n_estimators=n + 2, time_limit=None).fit(X, y)
    assert len(model.trees_) == n + 2


def test_there_is_always_one_tree():
    model = ForestClassifier(n_estimators=5, time_limit=1e-9, random_state=0)
    with pytest.warns(TimeLimitWarning, match="after 1 of 5 trees"):
        model.fit(*mixed_problem(30))
    assert len(model.trees_) == 1


# Progress


def test_progress_is_shown_only_when_asked_for(problem, capfd):
    ForestClassifier(n_estimators=20, random_state=0).fit(*problem)
    assert capfd.readouterr() == ("", "")
    for n_jobs in (1, 2):
        ForestClassifier(n_estimators=20, random_state=0, verbose=1, n_jobs=n_jobs).fit(*problem)
        out, err = capfd.readouterr()
        assert out == ""
        assert "mixedwood: 20 of 20 trees in" in err
        assert 5 <= len(err.splitlines()) <= 12


def test_progress_on_a_terminal_is_a_bar(problem, monkeypatch, capfd):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    ForestClassifier(n_estimators=4, random_state=0, verbose=1).fit(*problem)
    assert "of 4 trees in" not in capfd.readouterr().err


# Failures and Ctrl-C


def fail_at_three(number, time_limit, stop):
    if number == 3:
        raise ArithmeticError("three")
    stopped_after = time.monotonic() + 60
    while number > 3 and not stop.is_set():
        assert time.monotonic() < stopped_after
        time.sleep(0.001)
    return number


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_member_that_fails_stops_the_others(n_jobs):
    with pytest.raises(ArithmeticError, match="three"):
        grow_members(fail_at_three, range(8), n_jobs=n_jobs)


def test_a_member_stops_when_it_must(problem):
    from mixedwood.data import read_table, read_target

    stop = StopFlag()
    table, target = read_table(problem[0]), read_target(problem[1])
    learner = TreeClassifier(pruning=None)
    assert learner._fit_encoded(table, target, seed=0, stop=stop).n_nodes > 1
    stop.set()
    with pytest.raises(CancelledError):
        learner._fit_encoded(table, target, seed=0, stop=stop)


INTERRUPTED = """
    import signal, sys, threading, time
    import joblib
    import mixedwood as mw
    sys.path.insert(0, {tests!r})
    from support.problems import mixed_problem

    X, y = mixed_problem(4000)
    model = mw.ForestClassifier(n_estimators=1_000_000, random_state=0, n_jobs={n_jobs})
    {before}
    def interrupt():
        time.sleep(1.5)
        signal.raise_signal(signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with joblib.parallel_config(backend={backend!r}):
            model.fit(X, y)
    except KeyboardInterrupt:
        print("interrupted yes")
    print("fitted", hasattr(model, "trees_"), hasattr(model, "classes_"))
    {after}
    model.set_params(n_estimators=3, warm_start=False).fit(X[:200], y[:200])
    print("usable", len(model.predict(X[:5])))
"""


def run_interrupted(**parts):
    code = textwrap.dedent(INTERRUPTED).format(
        **{"tests": str(Path(__file__).parents[1]), "before": "", "after": "", **parts}
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    assert run.returncode == 0, run.stderr
    return dict(line.split(" ", 1) for line in run.stdout.splitlines())


@pytest.mark.parametrize(("n_jobs", "backend"), [(1, "threading"), (2, "threading"), (2, "loky")])
def test_an_interrupted_fit_leaves_an_unfitted_and_usable_forest(n_jobs, backend):
    said = run_interrupted(n_jobs=n_jobs, backend=backend)
    assert said["interrupted"] == "yes"  # long before a million trees
    assert said["fitted"] == "False False"
    assert said["usable"] == "5"


def test_an_interrupted_warm_start_leaves_the_forest_as_it_was():
    said = run_interrupted(
        n_jobs=2,
        backend="threading",
        before=(
            "model.set_params(n_estimators=3, warm_start=True).fit(X, y)"
            ".set_params(n_estimators=1_000_000)"
        ),
        after="print('kept', len(model.trees_), len(model.predict(X[:7])))",
    )
    assert said["kept"] == "3 7"
    assert said["fitted"] == "True True"
