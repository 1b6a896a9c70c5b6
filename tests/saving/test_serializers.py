"""Other people's serializers: what comes back is the same model, or there is an error."""

import copy
import io
import pickle
import warnings
from functools import cache

import cloudpickle
import joblib
import numpy as np
import pytest
import skops.io
from sklearn.base import clone

import mixedwood as mw
from mixedwood import preprocessing
from mixedwood.data import Column, ColumnKind, Schema, read_table
from mixedwood.pruning import Pruner
from mixedwood.saving.writer import estimator_classes, parameter_classes
from mixedwood.splits import Partitioner, Screener
from saving.models import MODELS, answers, fitted, make_table, same

X, Y = make_table()
NEW = make_table(seed=1)[0]


def by_joblib(value):
    out = io.BytesIO()
    joblib.dump(value, out)
    return joblib.load(io.BytesIO(out.getvalue()))


def by_skops(value):
    content = skops.io.dumps(value)
    return skops.io.loads(content, trusted=skops.io.get_untrusted_types(data=content))


SERIALIZERS = {
    "pickle": lambda v: pickle.loads(pickle.dumps(v)),
    "pickle protocol 2": lambda v: pickle.loads(pickle.dumps(v, protocol=2)),
    "cloudpickle": lambda v: cloudpickle.loads(cloudpickle.dumps(v)),
    "joblib": by_joblib,
    "deepcopy": copy.deepcopy,
    "skops": by_skops,
}


@cache
def fitted_once(name):
    return fitted(MODELS[name], X, Y)


def without_numpy(value):
    """Numbers as Python's own: skops does not keep the type of a numpy number."""
    return value.item() if isinstance(value, np.generic) else value


def check_answers(again, model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert same(answers(again, NEW), answers(model, NEW))
        if hasattr(model, "explain"):
            assert str(again.explain(NEW, 3)) == str(model.explain(NEW, 3))


@pytest.mark.parametrize("serializer", SERIALIZERS)
@pytest.mark.parametrize("name", MODELS)
def test_models(name, serializer, tmp_path):
    model = fitted_once(name)
    fresh = SERIALIZERS[serializer](model)
    check_answers(fresh, model)
    used = SERIALIZERS[serializer](model)  # what was made for prediction is no part of the state
    check_answers(used, model)
    mw.save_model(model, tmp_path / "a.mw")
    mw.save_model(used, tmp_path / "b.mw")
    if serializer != "skops":
        assert (tmp_path / "a.mw").read_bytes() == (tmp_path / "b.mw").read_bytes()
    assert type(used) is type(model)
    assert set(vars(used)) == set(vars(fresh))
    assert [c.kind for c in used.schema_] == [c.kind for c in model.schema_]
    assert all(type(c.kind) is ColumnKind for c in used.schema_)
    for key, value in clone(model).get_params().items():
        if not hasattr(value, "get_params"):
            assert same(without_numpy(used.get_params()[key]), without_numpy(value)), key
    unfitted = SERIALIZERS[serializer](clone(model))
    assert same(
        answers(fitted(unfitted, X, Y), NEW)["predict"], answers(model, NEW)["predict"]
    )  # fitting again needs no more than the parameters


def test_every_public_classifier_has_a_model_here():
    assert {type(model).__name__ for model in MODELS.values()} == set(estimator_classes())


TRANSFORMERS = sorted(set(parameter_classes()) - set(estimator_classes()))


@pytest.mark.parametrize("serializer", SERIALIZERS)
@pytest.mark.parametrize("name", TRANSFORMERS)
def test_transformers(name, serializer):
    kind = getattr(preprocessing, name)
    keep = X[["colour", "size", "grade"]].dropna()
    model = kind().fit(keep, Y[keep.index])
    again = SERIALIZERS[serializer](model)
    expected, found = model.transform(keep), SERIALIZERS[serializer](again).transform(keep)
    assert type(found) is type(expected)
    assert same(np.asarray(found, object).tolist(), np.asarray(expected, object).tolist())


@pytest.mark.parametrize("serializer", SERIALIZERS)
@pytest.mark.parametrize("name", ["forest", "boosted", "grow_prune_forest", "random_ordinality"])
def test_growing_goes_on_after_the_round_trip(name, serializer):
    model = fitted(clone(MODELS[name]).set_params(warm_start=True), X, Y)
    again = SERIALIZERS[serializer](model)
    for one in (model, again):
        one.set_params(n_estimators=6, **({"oob_score": False} if name == "forest" else {}))
        one.fit(X, Y)
    assert len(again.trees_) == len(model.trees_)
    assert all(a == b for a, b in zip(again.trees_, model.trees_, strict=True))
    check_answers(again, model)


VALUES = [
    Column("size", "ordinal", ("S", "M", 3), 2),
    Schema((Column("a", "numeric"), Column("b", "nominal", ("x", "y"), 0)), True),
    Partitioner("max_cut_sdp", roundings=10, local_search=False),
    Screener("chi2", alpha=0.05),
    Pruner("cost_complexity", se_rule=1.0),
]


@pytest.mark.parametrize("serializer", SERIALIZERS)
@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_values(value, serializer):
    again = SERIALIZERS[serializer](value)
    assert (again, repr(again)) == (value, repr(value))
    assert hash(again) == hash(value)


SPOILED = [
    (VALUES[0], {"kind": "nominal"}, "not sorted"),
    (VALUES[0], {"kind": "unheard of"}, "not a valid ColumnKind"),
    (VALUES[0], {"categories": ("S", "S")}, "twice"),
    (VALUES[0], {"n_missing": -1}, "missing"),
    (VALUES[1], {"columns": VALUES[1].columns * 2}, "distinct"),
    (VALUES[2], {"options": {"roundings": 0}}, "roundings"),
    (VALUES[3], {"options": {"alpha": 7.0}}, "alpha"),
    (VALUES[4], {"name": "unheard of"}, "must be a str among"),
]


@pytest.mark.parametrize(("value", "change", "words"), SPOILED, ids=lambda v: str(v)[:30])
def test_a_state_that_is_not_sound_is_an_error(value, change, words):
    """Whatever a serializer makes of a state, what is rebuilt from it is checked."""
    spoiled = type(value).__new__(type(value))
    with pytest.raises((ValueError, TypeError), match=words):
        spoiled.__setstate__({**value.__getstate__(), **change})


@pytest.mark.parametrize("serializer", SERIALIZERS)
def test_tables(serializer):
    table = read_table(X)
    again = SERIALIZERS[serializer](table)
    assert again.schema == table.schema
    assert all(map(same, again.arrays, table.arrays))
    assert again.n_rows == table.n_rows


def test_codes_of_a_table_are_checked_again():
    table = read_table({"a": ["x", "y"]})
    spoiled = type(table).__new__(type(table))
    with pytest.raises(ValueError, match="codes from 0 to 9"):
        spoiled.__setstate__({**vars(table), "arrays": (np.array([0, 9], np.int32),)})


def test_states_are_plain_data():
    """No enumerations, mapping proxies or caches: types that a serializer may not know."""
    plain = (str, int, bool, float, type(None))
    for value in VALUES:
        for part in value.__getstate__().values():
            items = part.values() if type(part) is dict else part if type(part) is tuple else [part]
            assert all(type(i) in plain or isinstance(i, Column) for i in items)
