"""The store: whole records, once each, and for one run at a time."""

import sqlite3

import pytest

from mixedwood.study import Record, Store, StoreError


def record(key, **changes):
    fields = {"task": "t", "words": f"point {key}", "figures": {"error": 0.25, "list": [1.0, 2.0]}}
    return Record(key, **{**fields, "seconds": 1.5, "version": "1", **changes})


def test_what_is_added_is_there_for_another(tmp_path):
    path = tmp_path / "deep" / "s.sqlite"
    failed = record("b", figures=None, error="E: no", traceback="lines", warnings=("w", "v"))
    with Store(path) as store:
        store.add(record("a"))
        store.add(failed)
        with Store(path) as reader:
            assert reader.records() == {"a": record("a"), "b": failed}
            assert reader.figures(["a", "b", "c"]) == {"a": {"error": 0.25, "list": [1.0, 2.0]}}
            assert list(reader.records(["b", "c"])) == ["b"]


def test_nothing_is_written_twice(tmp_path):
    with Store(tmp_path / "s") as store:
        store.add(record("a"))
        with pytest.raises(sqlite3.IntegrityError):
            store.add(record("a", seconds=9.0))
        assert store.records()["a"].seconds == 1.5
        assert store.forget(["a", "b"]) == 1
        store.add(record("a", seconds=9.0))
        assert store.records()["a"].seconds == 9.0


def test_a_changed_data_set_is_noticed(tmp_path):
    with Store(tmp_path / "s") as store:
        store.know_set("k", "car", "aa", {"rows": 3})
        store.know_set("k", "car", "aa", {"rows": 3})
        assert store.set_facts() == {"k": {"rows": 3}}
        with pytest.raises(StoreError, match="'car' is not the one"):
            store.know_set("k", "car", "bb", {"rows": 3})


def test_one_run_at_a_time(tmp_path):
    with Store(tmp_path / "s") as one, Store(tmp_path / "s") as two:
        with one.alone():
            with pytest.raises(StoreError, match="Another run is using"), two.alone():
                pass
            two.records()  # reading is free
        with two.alone():
            pass


def test_what_is_not_a_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("no database at all, just some words" * 100)
    with pytest.raises(StoreError, match="cannot be used to keep results"):
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
    with pytest.raises(StoreError, match="format 99"):
        Store(tmp_path / "new")
