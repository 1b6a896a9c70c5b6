"""Finding a data set by name."""

import subprocess
import sys

import numpy as np
import pytest

from mixedwood import datasets


@pytest.mark.parametrize(
    ("name", "rows", "columns", "classes"),
    [
        ("iris", 150, 4, 3),
        ("wine", 178, 13, 3),
        ("breast-cancer-wisconsin-diagnostic", 569, 30, 2),
        ("digits", 1797, 64, 10),
    ],
)
def test_scikit_learn_sets_are_found_by_name(name, rows, columns, classes):
    data = datasets.load(name, frame="dict")
    assert data.source == "scikit-learn"
    assert (data.n_samples, len(data.numeric_features), len(data.class_counts)) == (
        rows,
        columns,
        classes,
    )


def test_names_say_where_each_set_would_come_from(write_folder, monkeypatch):
    monkeypatch.setenv("MIXEDWOOD_DATA", str(write_folder()))
    found = datasets.names()
    assert list(found) == sorted(found)
    assert (found["monks-3"], found["iris"], found["toy"], found["car"]) == (
        "generated",
        "scikit-learn",
        "folder",
        "openml",
    )


def test_available_only_leaves_out_what_would_be_downloaded():
    assert "openml" not in datasets.names(available_only=True).values()
    assert "car" not in datasets.names(available_only=True)


def test_every_available_name_loads():
    for name, source in datasets.names(available_only=True).items():
        assert datasets.load(name, frame="dict").source == source


def test_the_generated_set_is_used_unless_the_folder_is_asked_for(write_folder, monkeypatch):
    monkeypatch.setenv("MIXEDWOOD_DATA", str(write_folder(name="monks-1")))
    assert datasets.load("monks-1").n_samples == 432
    assert datasets.load("monks-1", source="folder").n_samples == 4


def test_a_mistyped_name_gets_close_names():
    with pytest.raises(datasets.DatasetNotFoundError, match=r"Did you mean 'tic-tac-toe'\?"):
        datasets.load("tictactoe")


def test_an_unknown_name_says_all_three_ways():
    with pytest.raises(LookupError, match=r"MIXEDWOOD_DATA.*cache.*OpenML.*not in the catalogue"):
        datasets.load("qqqq")


def test_a_name_is_never_a_path(tmp_path):
    with pytest.raises(datasets.DatasetNotFoundError):
        datasets.load("../toy")


def test_an_unknown_source_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'folder', 'cache', 'openml'"):
        datasets.load("iris", source="web")


def test_a_source_that_lacks_the_set_is_named():
    with pytest.raises(datasets.DatasetNotFoundError, match="in source 'folder'"):
        datasets.load("monks-1", source="folder")


def test_repr_is_readable():
    assert repr(datasets.load("digits", frame="dict")) == (
        "Dataset 'digits': 1797 rows, 64 columns (64 numeric), source: scikit-learn\n"
        "classes: 0 178, 1 182, 2 177, 3 183, 4 181, 5 182, and 4 more"
    )


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_the_schema_is_what_the_trees_read_from_the_frame(write_folder, monkeypatch, frame):
    pytest.importorskip(frame)
    reading = pytest.importorskip("mixedwood.data")
    monkeypatch.setenv("MIXEDWOOD_DATA", str(write_folder()))
    data = datasets.load("toy", frame=frame)
    assert reading.read_table(data.X).schema == data.schema


def test_importing_is_light_and_offline():
    code = (
        "import sys, mixedwood.datasets as d; d.names();"
        "print([m for m in ('sklearn', 'pandas', 'polars', 'pyarrow') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_data_set_cannot_be_changed_by_accident():
    data = datasets.load("iris", frame="dict")
    with pytest.raises(AttributeError):
        data.y = np.array([])
