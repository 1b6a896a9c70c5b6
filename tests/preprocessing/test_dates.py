"""DateFeatures: parts of dates from every container, against pandas."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import mixedwood as mw
from mixedwood.data.dates import DATE_PARTS, date_parts
from mixedwood.preprocessing import DateFeatures


@parametrize_with_checks([DateFeatures()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


moments = st.datetimes(datetime.datetime(1600, 1, 1), datetime.datetime(2200, 1, 1))


@given(st.lists(moments | st.none(), min_size=1, max_size=30))
def test_parts_are_those_of_the_calendar(dates):
    found = date_parts(np.array(dates, "datetime64[us]"), DATE_PARTS)
    for row, date in enumerate(dates):
        parts = {part: values[row] for part, values in found.items()}
        if date is None:
            assert parts.pop("weekday") is None
            assert np.isnan(list(parts.values())).all()
            continue
        assert parts == {
            "year": date.year,
            "month": date.month,
            "weekday": date.strftime("%a"),
            "days": (date.date() - datetime.date(1970, 1, 1)).days,
            "hour": date.hour,
        }


WHEN = [datetime.datetime(2024, 2, 29, 18, 30), None, datetime.datetime(1969, 12, 31)]
EXPECTED = {"when month": [2.0, None, 12.0], "when weekday": ["Thu", None, "Wed"], "n": [1, 2, 3]}
CONTAINERS = {
    "pandas": pd.DataFrame({"when": pd.to_datetime(WHEN), "n": [1, 2, 3]}),
    "pandas, other index": pd.DataFrame({"when": pd.to_datetime(WHEN), "n": [1, 2, 3]}, [7, 3, 5]),
    "pandas, time zone": pd.DataFrame(
        {"when": pd.to_datetime(WHEN).tz_localize("Asia/Tokyo"), "n": [1, 2, 3]}
    ),
    "polars": pl.DataFrame({"when": WHEN, "n": [1, 2, 3]}),
    "polars, dates": pl.DataFrame({"when": [d and d.date() for d in WHEN], "n": [1, 2, 3]}),
    "pyarrow": pa.table({"when": WHEN, "n": [1, 2, 3]}),
    "dict": {"when": WHEN, "n": [1, 2, 3]},
    "dict of arrays": {"when": np.array(WHEN, "datetime64[s]"), "n": np.array([1, 2, 3])},
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_the_same(name):
    X = CONTAINERS[name]
    features = DateFeatures(parts=["month", "weekday"]).fit(X)
    found = features.transform(X)
    assert isinstance(found, type(X))
    assert features.columns_ == ["when"]
    names = features.get_feature_names_out().tolist()
    assert names == list(EXPECTED)
    for column, expected in EXPECTED.items():
        values = found[column]
        values = list(values.to_pylist() if hasattr(values, "to_pylist") else values)
        assert [None if v is None or v != v else v for v in values] == expected
    if isinstance(X, pd.DataFrame):
        assert found.index.equals(X.index)


def test_text_is_read_where_it_is_named():
    X = {"when": ["2024-02-29", " 1969-12-31 10:00 ", ""], "n": [1, 2, 3]}
    assert DateFeatures().fit(X).columns_ == []
    found = DateFeatures(["when"], parts=["days"]).fit_transform(X)
    np.testing.assert_array_equal(found["when days"], [19782, -1, np.nan])


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        ({"a": ["2024-02-30"]}, {"columns": ["a"]}, "'a' has '2024-02-30' in row 0.*not a date"),
        ({"a": [3]}, {"columns": ["a"]}, "'a' has 3 in row 0"),
        ({"a": [3]}, {"columns": ["b"]}, "X has no column 'b'"),
        ({"a": [3]}, {"parts": ["week"]}, "The 'parts' parameter of DateFeatures must be"),
        (
            {"a": WHEN, "a year": [1, 2, 3]},
            {},
            "name of a part of a date",
        ),
    ],
)
def test_what_is_no_date_is_an_error(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        DateFeatures(**parameters).fit(X)


def test_a_pipeline_splits_on_parts():
    when = pd.date_range("2022-01-01", periods=300)
    X = pd.DataFrame({"when": when})
    y = np.where(when.day_of_week >= 5, "weekend", "week")
    model = make_pipeline(DateFeatures(), mw.TreeClassifier()).fit(X, y)
    assert model.score(X, y) == 1
    assert "when weekday in {Sat, Sun}" in model[-1].tree_.to_text()
    with pytest.raises(TypeError, match="DateFeatures"):
        mw.TreeClassifier().fit(X, y)
