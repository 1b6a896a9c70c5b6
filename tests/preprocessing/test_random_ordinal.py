"""RandomOrdinalEncoder: scikit-learn's checks, a plain twin, and ensembles made of it by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood.datasets import load
from mixedwood.preprocessing import RandomOrdinalEncoder
from support.cases import cases
from support.problems import mixed_problem


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [RandomOrdinalEncoder(), RandomOrdinalEncoder(handle_unknown="use_encoded_value")]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


CELLS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"]))


@given(st.lists(CELLS, min_size=1, max_size=12), st.lists(CELLS, min_size=1), st.integers(0, 99))
@settings(max_examples=cases(80))
def test_values_become_their_places_in_an_order(column, new, seed):
    numbers = list(map(float, range(len(column))))
    X = pd.DataFrame({"c": pd.Series(column, dtype=object), "x": numbers})
    encoder = RandomOrdinalEncoder(random_state=seed, categorical_features=["c"])
    found = encoder.fit_transform(X)
    order = list(encoder.categories_["c"])
    assert sorted(order) == sorted({v for v in column if v is not None})
    want = [np.nan if v is None else order.index(v) + 1.0 for v in column]
    np.testing.assert_array_equal(found, np.column_stack([want, numbers]))
    back = encoder.inverse_transform(found)
    assert [None if pd.isna(v) else v for v in column] == back[:, 0].tolist()
    assert back[:, 1].tolist() == numbers
    # Rows that come later: what was not there is NaN, or -1.
    asked = pd.DataFrame({"c": pd.Series(new, dtype=object), "x": 0.0})
    later = encoder.transform(asked)[:, 0]
    told = (
        clone(encoder).set_params(handle_unknown="use_encoded_value").fit(X).transform(asked)[:, 0]
    )
    for value, number, other in zip(new, later, told, strict=True):
        if value in order:
            assert number == other == order.index(value) + 1
        else:
            assert np.isnan(number)
            assert np.isnan(other) if value is None else other == -1


def test_orders_differ_by_seed_and_by_column():
    values = [f"v{i}" for i in range(9)]
    X = pd.DataFrame(dict.fromkeys("abc", values))
    orders = [
        RandomOrdinalEncoder(random_state=s).fit(X).categories_ for s in (0, 0, 1, None, None)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert orders[3] != orders[4]
    assert len(set(orders[0].values())) == 3
    # Every order is as likely as any other: each value is first about equally often.
    first = [RandomOrdinalEncoder(random_state=s).fit(X).categories_["b"][0] for s in range(900)]
    counts = np.unique(first, return_counts=True)[1]
    assert len(counts) == 9
    assert ((counts > 60) & (counts < 140)).all()


def test_ordinal_columns_keep_their_order():
    X = {"size": ["L", "S", "M", None], "colour": ["red", "blue", "red", "blue"]}
    encoder = RandomOrdinalEncoder(ordinal_features={"size": ["S", "M", "L"]}, random_state=0)
    found = encoder.fit_transform(X)
    np.testing.assert_array_equal(found[:, 0], [3, 1, 2, np.nan])
    assert set(encoder.categories_) == {"colour"}
    assert encoder.inverse_transform(found)[:, 0].tolist() == ["L", "S", "M", None]


def test_names_and_frames():
    X, _ = mixed_problem(20)
    encoder = RandomOrdinalEncoder(random_state=0)
    plain = encoder.fit_transform(X)
    np.testing.assert_array_equal(clone(encoder).fit_transform(pl.from_pandas(X)), plain)
    assert encoder.get_feature_names_out().tolist() == list(X)
    frame = clone(encoder).set_output(transform="pandas").fit_transform(X)
    assert list(frame) == list(X)
    np.testing.assert_array_equal(frame.to_numpy(), plain)
    nameless = RandomOrdinalEncoder().fit(X.to_numpy(dtype=object))
    assert nameless.get_feature_names_out().tolist() == ["x0", "x1", "x2", "x3"]
    assert nameless.get_feature_names_out(["p", "q", "r", "s"]).tolist() == ["p", "q", "r", "s"]
    with pytest.raises(ValueError, match="input_features should have length"):
        nameless.get_feature_names_out(["p"])


def test_an_ensemble_by_hand_beats_its_members():
    data = load("tic-tac-toe")
    half = np.arange(958) % 2 == 0
    X, y, new, right = data.X[half], data.y[half], data.X[~half], data.y[~half]
    member = make_pipeline(RandomOrdinalEncoder(), DecisionTreeClassifier(random_state=0))
    members = [
        (f"m{seed}", clone(member).set_params(randomordinalencoder__random_state=seed))
        for seed in range(25)
    ]
    vote = VotingClassifier(members, voting="hard").fit(X, y)
    coded = np.searchsorted(vote.classes_, right)  # as it tells its members
    alone = [m.score(new, coded) for m in vote.estimators_]
    assert vote.score(new, right) > np.mean(alone) + 0.03
    assert len({str(m[0].categories_) for m in vote.estimators_}) == 25


def test_refusals():
    X, _ = mixed_problem(20)
    with pytest.raises(NotFittedError):
        RandomOrdinalEncoder().transform(X)
    with pytest.raises(
        ValueError, match=r"must be a str among \{'missing', 'use_encoded_value', 'error'\}"
    ):
        RandomOrdinalEncoder(handle_unknown=-1).fit(X)
    encoder = RandomOrdinalEncoder(handle_unknown="error", random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"column 'colour' \(20 rows\): 'mauve'"):
        encoder.transform(X.assign(colour="mauve"))
    with pytest.raises(ValueError, match="X must have 4 columns"):
        encoder.inverse_transform([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"numbers 1 to .* Got 2\.5 in row 0 instead"):
        encoder.inverse_transform([[2.5, 0.0, 0.0, 1.0]])
