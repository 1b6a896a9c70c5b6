"""The same table in every frame."""

import numpy as np
import pytest

from mixedwood import datasets
from mixedwood.datasets import dataset


@pytest.fixture
def load_toy(write_folder, monkeypatch):
    monkeypatch.setenv("MIXEDWOOD_DATA", str(write_folder()))
    return lambda frame: datasets.load("toy", frame=frame)


def test_dict_holds_strings_and_numbers(load_toy):
    X = load_toy("dict").X
    assert X["color"].tolist() == ["red", "none", None, "NA"]
    assert X["size"].tolist() == ["small", "large", "medium", None]
    assert X["code"].tolist() == ["2_3", "10", "2_3", "007"]
    assert np.array_equal(X["weight"], [1.5, np.nan, 2.5, 3.0], equal_nan=True)


def test_pandas_holds_strings_and_ordered_categories(load_toy):
    pandas = pytest.importorskip("pandas")
    X = load_toy("pandas").X
    assert pandas.api.types.is_string_dtype(X["code"].dropna())
    assert X["color"].isna().tolist() == [False, False, True, False]
    assert X["size"].cat.ordered
    assert X["size"].cat.categories.tolist() == ["small", "medium", "large"]
    assert X["size"].isna().tolist() == [False, False, False, True]
    assert X["weight"].dtype == np.float64


def test_polars_holds_strings_and_enums(load_toy):
    polars = pytest.importorskip("polars")
    X = load_toy("polars").X
    assert X["color"].to_list() == ["red", "none", None, "NA"]
    assert X["size"].dtype == polars.Enum(["small", "medium", "large"])
    assert X["size"].to_list() == ["small", "large", "medium", None]
    assert X["weight"].to_list() == [1.5, None, 2.5, 3.0]


def test_pyarrow_holds_strings_and_ordered_dictionaries(load_toy):
    pyarrow = pytest.importorskip("pyarrow")
    X = load_toy("pyarrow").X
    assert X["color"].to_pylist() == ["red", "none", None, "NA"]
    assert X.schema.field("size").type.ordered
    assert X["size"].to_pylist() == ["small", "large", "medium", None]
    assert X["weight"].to_pylist() == [1.5, None, 2.5, 3.0]
    assert X.schema.field("weight").type == pyarrow.float64()


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow", "dict"])
def test_classes_are_a_numpy_array_of_text_whatever_the_frame(load_toy, frame):
    if frame != "dict":
        pytest.importorskip(frame)
    y = load_toy(frame).y
    assert isinstance(y, np.ndarray)
    assert y.tolist() == ["yes", "no", "yes", "yes"]


def test_whole_numbers_are_integers_unless_one_is_missing():
    assert dataset.number_array(np.array([1.0, -2.0])).dtype == np.int64
    assert dataset.number_array(np.array([1.0, np.nan])).dtype == np.float64
    assert dataset.number_array(np.array([1.0, 2.5])).dtype == np.float64
    assert dataset.number_array(np.array([1.0, 2.0**60])).dtype == np.float64


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        ({"pandas", "polars", "pyarrow"}, "pandas"),
        ({"polars", "pyarrow"}, "polars"),
        ({"pyarrow"}, "pyarrow"),
        (set(), "dict"),
    ],
)
def test_auto_takes_the_first_library_installed(monkeypatch, installed, chosen):
    monkeypatch.setattr(dataset, "find_spec", lambda name: name in installed or None)
    assert dataset.choose_frame("auto") == chosen


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setattr(dataset, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install polars"):
        dataset.choose_frame("polars")


def test_an_unknown_frame_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="'pyarrow', 'dict'"):
        datasets.load("monks-1", frame="numpy")
