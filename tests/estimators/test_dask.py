"""Trees of Dask frames: the same as in memory, for any number of workers, and if some die."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.data import Chunks

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

FAST = {"distributed.comm.timeouts.connect": "2s"}
if "forkserver" in multiprocessing.get_all_start_methods():
    FAST["distributed.worker.multiprocessing-method"] = "forkserver"


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set(FAST),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as here,
        distributed.Client(here),
    ):
        yield here


def frame_of(n_classes=2, n=1500, decimals=1):
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, n))
    if decimals is not None:
        x, z = x.round(decimals), z.round(decimals)
    x[rng.random(n) < 0.1] = np.nan
    letters = rng.choice(list("abcdefgh"), n)
    y = (np.nan_to_num(x) * 2 + (letters == "a") * 2 + z).astype(int) % n_classes
    return pd.DataFrame(
        {
            "x": x,
            "letter": pd.Series(letters).mask(rng.random(n) < 0.1),
            "many": pd.Categorical(rng.integers(0, 100, n).astype(str)),
            "flag": rng.random(n) < 0.3,
            "z": z,
            "y": np.array(list("klmnopqrst"))[y],
        },
        index=rng.permutation(n),
    )


def saved(model, path):
    mw.save_model(model, path)
    content = path.read_bytes()
    path.unlink()
    return content


def tree(**options):
    return mw.TreeClassifier(**{"pruning": None, "max_depth": 5, **options})


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_any_number_of_workers_makes_the_file_of_memory(n_workers, cluster, tmp_path):
    cluster.scale(n_workers)
    client = distributed.get_client()
    client.wait_for_workers(n_workers)
    assert len(set(client.run(os.getpid).values())) == n_workers
    for n_classes, n_partitions in ((2, 3), (10, 11)):
        frame = frame_of(n_classes)
        whole = tree().fit(frame.drop(columns="y"), frame["y"])
        assert whole.tree_.n_leaves > 10
        parts = dd.from_pandas(frame, npartitions=n_partitions, sort=False)
        model = tree().fit(parts, "y")
        assert saved(model, tmp_path / "a.mw") == saved(whole, tmp_path / "a.mw")


def test_bins_are_those_of_pieces(cluster, tmp_path):
    frame = frame_of(3, decimals=None)
    parts = dd.from_pandas(frame, npartitions=5, sort=False).persist()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pieces = Chunks(table.to_batches(max_chunksize=333), max_bins=40)
    one, other = tree().fit(pieces, "y"), tree().fit(Chunks(parts, max_bins=40), "y")
    assert saved(one, tmp_path / "a.mw") == saved(other, tmp_path / "a.mw")


def test_delayed_partitions_and_futures(cluster):
    frame = frame_of()
    whole = tree().fit(frame.drop(columns="y"), frame["y"])
    parts = dd.from_pandas(frame, npartitions=4).to_delayed()
    assert tree().fit(parts, "y").tree_ == whole.tree_
    futures = distributed.get_client().compute(parts)
    assert tree().fit(futures, "y").tree_ == whole.tree_
    assert not any(future.cancelled() for future in futures)
    tables = [dask.delayed(pa.Table.from_pandas)(part, preserve_index=False) for part in parts]
    assert tree().fit(tables, "y").tree_ == whole.tree_


def test_without_a_cluster_dask_works_here():
    frame = frame_of()
    parts = dd.from_pandas(frame, npartitions=4)
    with dask.config.set(scheduler="sync"):
        model = tree(max_depth=3).fit(parts, "y")
    whole = tree(max_depth=3).fit(frame.drop(columns="y"), frame["y"])
    assert model.tree_ == whole.tree_


def test_a_worker_that_dies_in_each_pass_changes_nothing(cluster, tmp_path):
    frame = frame_of()
    cluster.scale(2)
    marks = tmp_path / "marks"
    marks.mkdir()

    # Functions of a function are sent by value: workers cannot import this file.
    def read(number, content, marks, kill):
        """Read a partition; the last one ends its worker once in each pass."""
        if number == 3:
            n_reads = len(list(marks.iterdir()))
            (marks / str(n_reads)).touch()
            if n_reads % 2 == 0:
                os.kill(os.getpid(), kill)
        return pickle.loads(content)

    parts = [
        dask.delayed(read)(i, pickle.dumps(frame[i::4]), marks, signal.SIGTERM.value)
        for i in range(4)
    ]
    model = tree(max_depth=3).fit(parts, "y")
    # A first look and three levels; the partition is read twice in each.
    assert len(list(marks.iterdir())) == 8
    whole = tree(max_depth=3).fit(frame.drop(columns="y"), frame["y"])
    assert model.tree_ == whole.tree_


def test_lazy_predictions(cluster):
    frame = frame_of(3)
    model = tree().fit(frame.drop(columns="y"), frame["y"])
    frame["spare"] = 1
    parts = dd.from_pandas(frame, npartitions=3, sort=False)
    parts = dd.concat([parts, parts.partitions[0].loc[parts["x"] > 1e9]])  # an empty partition
    with dask.config.set(scheduler=lambda *_, **__: pytest.fail("it was computed")):
        classes, shares = model.predict(parts), model.predict_proba(parts)
        both = parts.assign(predicted=classes)
    assert isinstance(classes, dd.Series)
    X = frame.drop(columns=["y", "spare"])
    pd.testing.assert_series_equal(
        classes.compute(), pd.Series(model.predict(X), index=frame.index, name="prediction")
    )
    found = shares.compute()
    assert found.columns.tolist() == list(shares.columns) == ["k", "l", "m"]
    np.testing.assert_array_equal(found.to_numpy(), model.predict_proba(X))
    assert both.compute()["predicted"].tolist() == model.predict(X).tolist()
    assert sum(map(len, model.predict_chunks(parts))) == len(frame)
    numbers = mw.TreeRegressor(max_depth=2, pruning=None).fit(X, frame["z"])
    np.testing.assert_array_equal(numbers.predict(parts).compute(), numbers.predict(X))
    with pytest.raises(TypeError, match="takes no further argument"):
        mw.ForestRegressor(n_estimators=1).fit(X, frame["z"]).predict(parts, quantiles=[0.5])


GOOD = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": list("aabb"), "y": list("klkl")})


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (GOOD.drop(columns="c"), "partition 1 has no column 'c'. All chunks must have the same"),
        (GOOD.assign(d=1), "partition 1 has the further column 'd'"),
        (GOOD.drop(columns="y"), "partition 1 has no column 'y', the target"),
        (GOOD.assign(x=list("pqrs")), "partition 1: column 'x' is nominal, but partition 0"),
        (GOOD.assign(x=pd.Series([1, "p", 2, "q"], dtype=object)), "partition 1: "),
        (GOOD.assign(x=None), "partition 1: column 'x' has no values and no type"),
        (GOOD.assign(y=[1, 2, 1, 2]), "partition 1: the target 'y' has classes such as 1"),
        (GOOD.assign(x=[1.0, np.inf, 2.0, 3.0]), "partition 1: .*inf"),
        (GOOD.rename(columns={"x": 0}), "partition 1: the name of a column is 0"),
        ({"x": [1.0]}, "partition 1 is of type dict"),
    ],
)
def test_partitions_that_do_not_fit_are_named(second, message):
    parts = [dask.delayed(part) for part in (GOOD, second)]
    with (
        dask.config.set(scheduler="sync"),
        pytest.raises((TypeError, ValueError), match=message),
    ):
        tree().fit(parts, "y")


def test_an_error_of_a_worker_comes_here(cluster, caplog):
    parts = [dask.delayed(part) for part in (GOOD, GOOD.drop(columns="c"))]
    with pytest.raises(ValueError, match="partition 1 has no column 'c'"):
        tree().fit(parts, "y")


def test_empty_partitions_other_orders_and_a_class_of_one_partition(cluster):
    frame = frame_of()
    rare = frame[:3].assign(y="zz")
    parts = [frame[:0], frame[:700], frame[700:][frame.columns[::-1]], rare, frame[:0]]
    model = tree().fit([dask.delayed(part) for part in parts], "y")
    assert model.classes_.tolist() == ["k", "l", "zz"]
    both = pd.concat([frame, rare])
    whole = tree().fit(both.drop(columns="y"), both["y"])
    assert model.tree_ == whole.tree_
    with pytest.raises(ValueError, match="The table has no rows"):
        tree().fit([dask.delayed(frame[:0])], "y")


def test_progress_and_the_time_limit(cluster):
    seen = []
    model = tree(max_depth=2)
    model._functions = (seen.append,)
    parts = dd.from_pandas(frame_of(), npartitions=6)
    model.fit(parts, "y")
    passes = [p for p in seen if p.what.startswith("rows of pass")]
    assert {p.what for p in passes} == {"rows of pass 1", "rows of pass 2"}
    assert max(p.done for p in passes) == 1500
    with pytest.warns(mw.TimeLimitWarning, match="time limit"):
        limited = tree(time_limit=1e-9).fit(parts, "y")
    assert limited.tree_.n_leaves == 1


ELSEWHERE = """
    import dask, distributed, sys

    if __name__ == "__main__":
        with dask.config.set({config!r}), distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as cluster:
            print(cluster.scheduler_address, flush=True)
            sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no signal ends a process at once")
def test_a_scheduler_that_goes_away_is_an_error(tmp_path):
    path = tmp_path / "elsewhere.py"
    path.write_text(textwrap.dedent(ELSEWHERE).format(config=FAST))
    frame = frame_of()
    with subprocess.Popen(
        [sys.executable, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        address = process.stdout.readline().strip()

        def read(number, content, mark, pid):
            if number == 1 and mark.exists():  # the second pass
                os.kill(pid, signal.SIGKILL)
            mark.touch()
            return pickle.loads(content)

        with dask.config.set(FAST), distributed.Client(address, set_as_default=False) as client:
            parts = [
                dask.delayed(read)(i, pickle.dumps(frame[i::2]), tmp_path / f"mark{i}", process.pid)
                for i in range(2)
            ]
            model = tree().fit(frame.drop(columns="y"), frame["y"])
            before = pickle.dumps(model)
            with client.as_current(), pytest.raises(ConnectionError, match=r"scheduler .*was lost"):
                model.fit(parts, "y")
            assert pickle.dumps(model) == before
        process.kill()
