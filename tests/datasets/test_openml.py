"""Fetching from OpenML, with scikit-learn's downloader replaced."""

import logging
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pytest

from mixedwood import datasets
from mixedwood.datasets import openml

ENTRY = {
    "name": "fruit",
    "openml_id": 4711,
    "original": "Fruit",
    "rows": 4,
    "class_counts": {"n": 1, "y": 3},
    "classes": {"nay": "n", "yea": "y"},
    "drop": ["id"],
    "columns": [
        {"name": "color", "type": "nominal", "n_values": 2},
        {"name": "size", "type": "ordinal", "n_values": 2, "natural_order": ["1", "2", "3"]},
        {"name": "weight", "type": "numeric"},
    ],
}


def answer(**changes):
    """What fetch_openml gives for plain arrays: nominal cells as codes, missing as NaN."""
    content = {
        "feature_names": ["id", "V1", "V2", "V3"],
        "data": np.array([[1, 0, 1, 0.5], [2, 1, 3, np.nan], [3, np.nan, 1, 2], [4, 1, 3, 2]]),
        "categories": {"V1": ["red", "green"]},
        "target": np.array(["yea", "nay", "yea", "yea"], dtype=object),
    }
    return SimpleNamespace(**(content | changes))


@pytest.fixture
def online(monkeypatch):
    """Let OpenML answer, and count how often it is asked."""
    calls = []
    monkeypatch.setattr(openml, "catalogue", lambda: {"fruit": ENTRY})
    monkeypatch.setattr("mixedwood.datasets.sources.catalogue", lambda: {"fruit": ENTRY})

    def answers(reply):
        def fetch(**options):
            calls.append(options)
            if isinstance(reply, Exception):
                raise reply
            return reply

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
        return calls

    return answers


def test_a_fetched_set_is_spelled_as_the_catalogue_says(online):
    online(answer())
    data = datasets.load("fruit", frame="dict", source="openml")
    assert data.source == "openml"
    assert data.X["color"].tolist() == ["red", "green", None, "green"]
    assert data.X["size"].tolist() == ["1", "3", "1", "3"]
    assert np.array_equal(data.X["weight"], [0.5, np.nan, 2, 2], equal_nan=True)
    assert data.y.tolist() == ["y", "n", "y", "y"]
    assert data.ordinal_features == ("size",)
    assert "id 4711" in data.notes


def test_it_is_asked_for_by_id_and_only_once(online):
    calls = online(answer())
    first = datasets.load("fruit", frame="dict")
    second = datasets.load("fruit", frame="dict")
    assert [call["data_id"] for call in calls] == [4711]
    # scikit-learn checks its options only in the real function.
    assert calls[0]["n_retries"] >= 1
    assert (first.source, second.source) == ("openml", "cache")
    assert first.columns == second.columns
    assert np.array_equal(first.y, second.y)
    assert second.X["color"].tolist() == first.X["color"].tolist()


def test_a_column_that_openml_calls_nominal_may_be_numeric_here(online):
    online(answer(categories={"V1": ["red", "green"], "V3": ["7", "8", "9.5"]}, data=np.array(
        [[1, 0, 1, 0], [2, 1, 3, np.nan], [3, np.nan, 1, 2], [4, 1, 3, 2]]
    )))  # fmt: skip
    weight = datasets.load("fruit", frame="dict").X["weight"]
    assert np.array_equal(weight, [7, np.nan, 9.5, 9.5], equal_nan=True)


def test_classes_given_as_numbers_become_text(online, monkeypatch):
    entry = ENTRY | {"classes": {}, "class_counts": {"0": 1, "1": 3}}
    online(answer(target=np.array([1.0, 0.0, 1.0, 1.0])))
    monkeypatch.setattr(openml, "catalogue", lambda: {"fruit": entry})
    assert datasets.load("fruit", frame="dict").class_counts == {"0": 1, "1": 3}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": np.array(["yea", "nay", "nay", "yea"], dtype=object)}, "4 rows in the classes"),
        ({"target": np.array(["yea", "nay", "yea", "eh"], dtype=object)}, "'eh': 1"),
        ({"feature_names": ["V0", "V1", "V2", "V3"]}, "4 columns instead of 3"),
        ({"categories": {"V1": ["red", "red"]}}, "1 values instead of 2"),
        ({"categories": {"V1": ["red", "green"], "V2": ["", "a", "", "b"]}}, "unexpected values"),
    ],
)
def test_what_is_not_as_catalogued_is_refused_and_not_kept(online, changes, message):
    online(answer(**changes))
    with pytest.raises(datasets.DamagedDatasetError, match=message):
        datasets.load("fruit")
    assert datasets.names(available_only=True).get("fruit") is None


@pytest.mark.parametrize(
    "error", [URLError("no route"), TimeoutError("timed out"), ConnectionResetError("reset")]
)
def test_offline_says_all_three_ways(online, error, tmp_path):
    online(error)
    with pytest.raises(datasets.DatasetNotFoundError) as caught:
        datasets.load("fruit")
    message = str(caught.value)
    assert "MIXEDWOOD_DATA" in message
    assert str(tmp_path / "cache") in message
    assert "go online" in message
    assert "could not be reached" in message


def test_a_download_that_scikit_learn_refuses_is_refused(online):
    online(ValueError("md5 checksum does not match"))
    with pytest.raises(datasets.DamagedDatasetError, match="did not provide 'fruit': md5"):
        datasets.load("fruit")


def test_data_is_given_even_if_the_cache_cannot_be_written(online, monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MIXEDWOOD_CACHE", str(tmp_path / "file" / "cache"))
    online(answer())
    with caplog.at_level(logging.WARNING):
        assert datasets.load("fruit", frame="dict").n_samples == 4
    assert "Could not store 'fruit'" in caplog.text


def test_the_shipped_catalogue_is_consistent():
    for name, entry in openml.catalogue().items():
        assert entry["openml_id"] > 0
        assert sum(entry["class_counts"].values()) == entry["rows"], name
        assert len({column["name"] for column in entry["columns"]}) == len(entry["columns"])
        assert set(entry.get("classes", {}).values()) <= set(entry["class_counts"])
        for column in entry["columns"]:
            openml.column_from_json(column)
            assert ("n_values" in column) == (column["type"] != "numeric")
    ids = [entry["openml_id"] for entry in openml.catalogue().values()]
    assert len(set(ids)) == len(ids)
