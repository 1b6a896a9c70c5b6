"""An estimator that is added to the catalogue can be saved: nothing in `saving` names it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import mixedwood as mw
from mixedwood import _catalogue, _kinds
from mixedwood.saving import ModelFileError, writer


@dataclass(frozen=True)
class Range:
    low: float
    high: float

    _fitted: ClassVar = {"low": _kinds.REAL, "high": _kinds.REAL}

    def _check_fitted(self):
        if self.low > self.high:
            raise ValueError("the range is empty")


class RangeTreeClassifier(mw.TreeClassifier):
    _fitted: ClassVar = {
        **mw.TreeClassifier._fitted,
        "ranges_": _kinds.list_of(_kinds.instance(Range)),
    }

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.ranges_ = [Range(float(np.min(c)), float(np.max(c))) for c in X.values()]
        return self


@pytest.fixture
def catalogue(monkeypatch):
    entry = _catalogue.Entry("range_tree", f"{__name__}:RangeTreeClassifier")
    monkeypatch.setitem(_catalogue.CATALOGUE, "range_tree", entry)
    found = (writer.estimator_classes, writer.parameter_classes, writer.value_classes)
    for function in found:
        function.cache_clear()
    yield
    for function in found:
        function.cache_clear()


def test_it_is_saved_and_checked(catalogue, tmp_path):
    X, y = {"a": np.arange(6.0), "b": np.arange(6.0) % 2}, [0, 0, 0, 1, 1, 1]
    model = RangeTreeClassifier(max_depth=1, pruning=None).fit(X, y)
    path = tmp_path / "model.mw"
    mw.save_model(model, path)
    again = mw.load_model(path)
    assert type(again) is RangeTreeClassifier
    assert again.ranges_ == [Range(0.0, 5.0), Range(0.0, 1.0)]
    assert again.predict(X).tolist() == y
    model.ranges_ = [Range(1.0, 0.0)]
    with pytest.raises(ModelFileError, match="the range is empty"):
        mw.save_model(model, path)
    model.ranges_ = [Range(1.0, np.inf)]
    with pytest.raises(ModelFileError, match=r"ranges_\[0\].high is not a number, finite"):
        mw.save_model(model, path)
