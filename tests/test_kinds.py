"""Kinds of fitted attributes: what each accepts, and that every estimator states what it sets."""

import numpy as np
import pytest

from mixedwood import _catalogue, _kinds
from mixedwood._kinds import Kind

ACCEPTED = [
    (_kinds.number(), [1, 2.5, np.float64(np.nan)], ["1", True, None, np.int64(1)]),
    (_kinds.number(_kinds.FRACTIONS), [0, 1.0], [-0.1, 1.1, np.nan]),
    (_kinds.number(_kinds.POSITIVE), [1e-300], [0, np.inf, np.nan]),
    (_kinds.number(_kinds.NOT_NAN), [-np.inf], [np.nan]),
    (_kinds.integer(2), [2], [1, 2.0, True, np.int64(3)]),
    (_kinds.FLAG, [True], [1, np.bool_(True)]),
    (_kinds.TEXT, ["a"], [b"a", None]),
    (
        _kinds.array(np.float64, 2),
        [np.zeros((1, 2))],
        [np.zeros(2), np.zeros((1, 2), "f4"), [[1.0]]],
    ),
    (_kinds.array(np.float64, 1, _kinds.FINITE), [np.ones(2)], [np.array([np.nan])]),
    (_kinds.COUNTS, [np.array([0, 3])], [np.array([-1]), np.array([1.0])]),
    (_kinds.list_of(_kinds.COUNT, 1), [[0]], [[], (0,), [None]]),
    (_kinds.tuple_of(_kinds.COUNT), [(), (1,)], [[1], (-1,)]),
    (_kinds.optional(_kinds.COUNT), [None, 0], ["0"]),
    (_kinds.instance(Kind), [_kinds.COUNT], [Kind]),
    (
        _kinds.arrays({"a": _kinds.COUNTS, "b": _kinds.COUNTS}),
        [{"a": np.array([1]), "b": np.array([2])}],
        [{"a": np.array([1])}, {"a": np.array([1]), "b": np.array([2, 3])}],
    ),
]


@pytest.mark.parametrize(
    ("kind", "accepted", "rejected"), ACCEPTED, ids=lambda k: getattr(k, "text", "")
)
def test_accepted_and_rejected(kind, accepted, rejected):
    assert all(map(kind.accepts, accepted))
    assert not any(map(kind.accepts, rejected))


def test_attributes_that_may_be_unset():
    kind = _kinds.sometimes(_kinds.list_of(_kinds.instance(Kind)))
    assert not kind.required
    assert kind.classes == (Kind,)
    assert kind.accepts([_kinds.COUNT])


@pytest.mark.parametrize("entry", _catalogue.estimators().values(), ids=lambda e: e.name)
def test_every_estimator_has_a_table(entry):
    table = entry.load()._fitted
    assert table
    assert all(isinstance(kind, Kind) for kind in table.values())
