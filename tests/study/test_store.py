"""The store: whole records, once each, and for one run at a time."""

import sqlite3

import numpy as np
import pytest

from mixedwood.study import Store, StoreError, TaskRecord


def record(key, **changes):
    fields = {"task": "t", "label": f"point {key}", "metrics": {"error": 0.25, "list": [1.0, 2.0]}}
    return TaskRecord(key, **{**fields, "seconds": 1.5, "version": "1", **changes})


def test_what_is_added_is_there_for_another(tmp_path):
    path = tmp_path / "deep" / "s.sqlite"
    failed = record("b", metrics=None, error="E: no", traceback="lines", warnings=("w", "v"))
    with Store(path) as store:
        store.add(record("a"))
        store.add(failed)
        with Store(path) as reader:
            assert reader.records() == {"a": record("a"), "b": failed}
            found = reader.records(["a", "b", "c"])
            assert found["a"].metrics == {"error": 0.25, "list": [1.0, 2.0]}
            assert found["b"].metrics is None
            assert list(reader.records(["b", "c"])) == ["b"]


def test_nothing_is_written_twice(tmp_path):
    with Store(tmp_path / "s") as store:
        store.add(record("a"))
        with pytest.raises(StoreError, match="already has the task 'point a'"):
            store.add(record("a", seconds=9.0))
        assert store.records()["a"].seconds == 1.5
        assert store.delete(["a", "b"]) == 1
        store.add(record("a", seconds=9.0))
        assert store.records()["a"].seconds == 9.0


def test_a_changed_data_set_is_noticed(tmp_path):
    with Store(tmp_path / "s") as store:
        store.register_dataset("k", "car", "aa", {"rows": 3})
        store.register_dataset("k", "car", "aa", {"rows": 3})
        assert store.datasets() == {"k": {"rows": 3}}
        with pytest.raises(StoreError, match="'car' has changed"):
            store.register_dataset("k", "car", "bb", {"rows": 3})


def test_one_run_at_a_time(tmp_path):
    with Store(tmp_path / "s") as one, Store(tmp_path / "s") as two:
        with one.lock():
            with pytest.raises(StoreError, match="Another run is using"), two.lock():
                pass
            two.records()  # reading is free
        with two.lock():
            pass


def test_what_is_not_a_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database at all, just some words" * 100)
    with pytest.raises(StoreError, match=r"Cannot use the store .*not a store: restore a backup"):
        Store(tmp_path / "text")
    with pytest.raises(StoreError, match="nothing has been run yet"):
        Store(tmp_path / "absent", create=False)
    assert not (tmp_path / "absent").exists()
    with Store(tmp_path / "new"):
        pass
    other = sqlite3.connect(tmp_path / "new")
    with other:
        other.execute("UPDATE about SET value = '99'")
    other.close()
    with pytest.raises(StoreError, match="has format 99"):
        Store(tmp_path / "new")


def filled(path, n=30):
    with Store(path) as store:
        for i in range(n):
            store.add(record(f"k{i}", traceback="lines " * 100))
        store.register_dataset("s", "car", "aa", {"rows": 3})
    return path.read_bytes()


def use(path):
    """Everything that a study does with a store."""
    with Store(path) as store, store.lock():
        store.records()
        store.records(["k0", "k1"])
        store.datasets()
        store.register_dataset("s", "car", "aa", {"rows": 3})
        store.delete(["k3"])
        store.add(record("new"))


def sql(path, command, *values):
    other = sqlite3.connect(path)
    with other:
        other.execute(command, values)
    other.close()


@pytest.mark.parametrize(
    "command",
    [
        "DROP TABLE tasks",
        "DROP TABLE sets",
        "ALTER TABLE tasks DROP COLUMN words",
        "ALTER TABLE tasks RENAME COLUMN key TO name",
        "ALTER TABLE sets RENAME COLUMN facts TO others",
        "UPDATE tasks SET figures = 'no JSON'",
        "UPDATE tasks SET figures = '[1]'",
        "UPDATE tasks SET warnings = 'null'",
        "UPDATE tasks SET seconds = 'long'",
        "UPDATE tasks SET words = CAST(X'FFFE' AS TEXT)",
        "UPDATE sets SET facts = X'00FF'",
        "DELETE FROM about",
        "CREATE TRIGGER no BEFORE INSERT ON tasks BEGIN SELECT RAISE(ABORT, 'no'); END",
    ],
)
def test_a_changed_store_is_used_or_one_kind_of_error(command, tmp_path):
    path = tmp_path / "s"
    filled(path)
    sql(path, command)
    try:
        use(path)
    except StoreError as error:
        assert str(path) in str(error)
        assert str(error).endswith((".",))


def test_a_damaged_store_is_one_kind_of_error(tmp_path):
    path = tmp_path / "s"
    whole = filled(path)
    rng = np.random.default_rng(0)
    errors = 0
    for case in range(60):
        content = bytearray(whole)
        if case % 3 == 0:
            del content[int(rng.integers(1, len(whole))) :]
        elif case % 3 == 1:
            begin = int(rng.integers(0, len(whole)))
            content[begin : begin + 4096] = bytes(len(content[begin : begin + 4096]))
        else:
            for at in rng.integers(0, len(whole), 50):
                content[at] = rng.integers(256)
        for old in tmp_path.iterdir():
            old.unlink()
        path.write_bytes(content)
        try:
            use(path)
        except StoreError as error:
            errors += 1
            assert str(path) in str(error)
    assert errors > 10


def test_a_full_disk_keeps_what_is_done(tmp_path):
    path = tmp_path / "s"
    with Store(path) as store:
        store.add(record("a"))
        pages = store._file.execute("PRAGMA page_count").fetchone()[0]
        store._file.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="disk is full: free some space and run the same"):
            store.add(record("b", traceback="long " * 10_000))
    with Store(path) as store:
        assert list(store.records()) == ["a"]
        store.add(record("b"))


def test_a_store_that_cannot_be_written_says_so(tmp_path):
    path = tmp_path / "s"
    filled(path)
    with Store(path) as store:
        store._file.execute("PRAGMA query_only = 1")
        with pytest.raises(StoreError, match="check the permissions"):
            store.add(record("b"))
    (tmp_path / "s.lock").mkdir()
    with Store(path) as store, pytest.raises(StoreError, match=r"s\.lock"), store.lock():
        pass
