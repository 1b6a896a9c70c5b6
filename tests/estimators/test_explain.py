"""Ensembles say why a row is answered as it is: sums that come out, whatever the row holds."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import mixedwood as mw
from mixedwood.data import read_table
from mixedwood.explain import EnsembleExplanation
from reference.explanation import answer, row_of, sum_of
from support.cases import cases
from support.problems import mixed_problem

TREE = {"pruning": None, "max_depth": 5}


def small_blend(vote="soft", method="gradient", share=0.6):
    boosted = mw.BoostedTreesClassifier(n_estimators=5)
    if method == "adaboost":
        boosted = mw.AdaBoostTreesClassifier(mw.TreeClassifier(**TREE), 5)
    return mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=5, voting=vote),
        boosted=boosted,
        tune=False, weights=(1 - share, share), random_state=0,
    )  # fmt: skip


MODELS = {
    "forest": lambda: mw.ForestClassifier(n_estimators=6, random_state=0),
    "forest, plurality": lambda: mw.ForestClassifier.bagging_cart(3, cv=3, random_state=0),
    "forest, shares of rows": lambda: mw.ForestClassifier.bagging_c45(5, random_state=0),
    "forest, linear": lambda: mw.ForestClassifier(
        mw.ModelTreeClassifier(), n_estimators=3, random_state=0
    ),
    "forest, some columns": lambda: mw.ForestClassifier(
        mw.TreeClassifier(handle_unknown="majority", **TREE), 6, colsample_bytree=2, random_state=0
    ),
    "random ordinality": lambda: mw.RandomOrdinalityClassifier(n_estimators=5, random_state=0),
    "random ordinality, probability": lambda: mw.RandomOrdinalityClassifier.random_tree(
        5, voting="soft", random_state=0
    ),
    "grow and prune": lambda: mw.GrowPruneForestClassifier(n_estimators=5, random_state=0),
    "boosted": lambda: mw.BoostedTreesClassifier(n_estimators=8, random_state=0),
    "boosted, one tree per class": lambda: mw.BoostedTreesClassifier(
        n_estimators=6, multi_strategy="one_output_per_tree", random_state=0
    ),
    "boosted, unseen as missing": lambda: mw.BoostedTreesClassifier(
        n_estimators=6, handle_unknown="missing", early_stopping=True, random_state=0
    ),
    "boosted, trees of classes": lambda: mw.BoostedTreesClassifier(
        n_estimators=5,
        estimator=mw.TreeClassifier(handle_unknown="missing", **TREE),
        random_state=0,
    ),
    "adaboost": lambda: mw.AdaBoostTreesClassifier.c45(5, random_state=0),
    "samme": lambda: mw.AdaBoostTreesClassifier(
        mw.TreeClassifier(max_depth=2, pruning=None),
        5,
        variant="samme",
        learning_rate=0.1,
        random_state=0,
    ),
    "blend": small_blend,
    "blend of votes": lambda: small_blend("hard", "adaboost", 0.3),
}


@cache
def fitted(name, n_classes):
    X, y = mixed_problem(120, n_classes=n_classes)
    return MODELS[name]().fit(X, y)


rows = st.fixed_dictionaries(
    {
        "colour": st.sampled_from(["red", "green", "blue", "white", "black", None, "mauve"]),
        "size": st.floats(-4, 6) | st.none(),
        "noise": st.floats(-4, 4) | st.none(),
        "shape": st.sampled_from(["round", "square", "star", None, "heart"]),
    }
)


def frame(row):
    X = pd.DataFrame([row])
    return X.astype({"size": float, "noise": float, "colour": object, "shape": object})


def parts_of(why):
    return [why.forest, why.boosted] if isinstance(why, EnsembleExplanation) else [why]


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_contributions_add_up_to_the_prediction(name, n_classes):
    model = fitted(name, n_classes)

    @settings(max_examples=cases(20))  # of each model
    @given(rows)
    def check(row):
        X = frame(row)
        why = model.explain(X)
        np.testing.assert_array_equal(why.classes, model.classes_)
        np.testing.assert_allclose(why.probabilities, model.predict_proba(X)[0], atol=1e-12)
        assert why.prediction == model.predict(X)[0]
        for part in parts_of(why):
            sums = part.bias + part.contributions.sum(axis=0) + part.vote_adjustment
            np.testing.assert_allclose(sums, part.total, rtol=1e-11, atol=1e-11)
            assert part.columns[:4] == ("colour", "size", "noise", "shape")
            assert len(part.columns) == len(part.values) == len(part.contributions)
            assert len(str(part).splitlines()) < 20
        assert len(str(why).splitlines()) < 25
        assert_scale(model, why, X)
        json.dumps(why.to_dict(), allow_nan=False)

    check()


def assert_scale(model, why, X):
    """What is explained is what the model says elsewhere."""
    if isinstance(why, EnsembleExplanation):
        assert_scale(model.forest_, why.forest, X)
        assert_scale(model.boosted_, why.boosted, X)
        mean = model.weights_[0] * why.forest.probabilities + (
            model.weights_[1] * why.boosted.probabilities
        )
        np.testing.assert_allclose(why.probabilities, mean, atol=1e-15)
        assert why.votes is why.forest.votes
        return
    if hasattr(model, "baseline_"):
        scores = model.decision_function(X)[0]
        total = why.total[1] if len(why.classes) == 2 else why.total
        np.testing.assert_allclose(total, scores, atol=1e-12)
        assert why.votes is None
        assert not why.vote_adjustment.any()
        return
    np.testing.assert_allclose(why.total, model.predict_proba(X)[0], atol=1e-12)
    said = model.predict_members(X)[0].tolist()
    assert why.votes.tolist() == [said.count(label) for label in model.classes_.tolist()]
    assert why.vote_adjustment.any() <= (model.voting == "hard")


@pytest.mark.parametrize("name", ["forest", "random ordinality", "grow and prune", "adaboost"])
def test_votes_are_those_of_the_reference(name):
    model, (X, _) = fitted(name, 4), mixed_problem(40, seed=1, n_classes=4)
    table = read_table(X, schema=model.schema_)
    weights = getattr(model, "estimator_weights_", np.ones(len(model.trees_)))
    members = [
        (tree, tree.probabilities, weight)
        for tree, weight in zip(model.trees_, weights / weights.sum(), strict=True)
    ]
    for row in range(len(X)):
        assert_agrees(model.explain(X, row), *sum_of(members, row_of(table, row)))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_those_of_the_reference(n_classes):
    model = fitted("boosted", n_classes)
    X, _ = mixed_problem(40, seed=1, n_classes=n_classes)
    table = read_table(X, schema=model.schema_)
    of = model.predictor_
    for row in range(len(X)):
        values = row_of(table, row)
        members = zip(of.trees, of.values, np.ones(len(of.trees)), strict=True)
        bias, found = sum_of(members, values)
        why = model.explain(X, row)
        steps = zip(of.trees, of.values, strict=True)
        end = of.baseline + sum(answer(t, values, s) for t, s in steps)
        if n_classes == 2:
            bias, end = np.array([-1, 1]) * (bias + of.baseline), np.array([-1, 1]) * end
            found = {columns: np.array([-1, 1]) * change for columns, change in found.items()}
        else:
            bias = bias + of.baseline
        np.testing.assert_allclose(why.total, end, atol=1e-12)
        assert_agrees(why, bias, found)


def assert_agrees(why, bias, found):
    np.testing.assert_allclose(why.bias, bias, atol=1e-12)
    expected = np.zeros_like(why.contributions)
    for (column,), change in found.items():
        expected[column] = change
    np.testing.assert_allclose(why.contributions, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["forest", "boosted", "blend"])
def test_which_row(name):
    model, (X, _) = fitted(name, 2), mixed_problem(120, n_classes=2)
    last, same = model.explain(X, 119), model.explain(X, row=-1)
    assert last.row == same.row == 119
    assert str(last) == str(same)
    assert str(last).startswith("Row 119: ")
    assert [part.row for part in parts_of(last)] == [119] * len(parts_of(last))
    assert str(model.explain(X[119:])) == str(last).replace("Row 119:", "Row 0:")
    for row in (120, -121):
        with pytest.raises(IndexError, match=f"There is no row {row}; the table has 120 rows"):
            model.explain(X, row)
    for row in (1.5, "3", None):
        with pytest.raises(TypeError, match=r"row must be an int, counted from 0\. Got"):
            model.explain(X, row)


@pytest.mark.parametrize("name", ["forest", "random ordinality", "boosted", "blend"])
def test_not_fitted(name):
    with pytest.raises(NotFittedError):
        MODELS[name]().explain(mixed_problem()[0])


def test_unseen_values_are_reported_and_refused_as_elsewhere():
    X, y = mixed_problem(60, n_classes=2)
    new = X[:1].assign(colour="mauve")
    with pytest.warns(mw.UnknownCategoryWarning, match=r"column 'colour' \(1 row\)"):
        why = fitted("forest", 2).explain(new)
    assert "colour unknown" in why.values
    strict = mw.BoostedTreesClassifier(n_estimators=3, handle_unknown="error", random_state=0).fit(
        X, y
    )
    with pytest.raises(ValueError, match="Found unknown categories"):
        strict.explain(new)


@pytest.mark.parametrize("name", ["forest", "random ordinality", "boosted", "adaboost", "blend"])
def test_one_class_and_classes_of_numbers(name):
    X, y = mixed_problem(60, n_classes=2)
    why = MODELS[name]().fit(X, ["ash"] * 60).explain(X)
    assert (why.prediction, why.probabilities.tolist()) == ("ash", [1.0])
    assert "ash 100 %" in str(why)
    why = MODELS[name]().fit(X, np.where(y == "ash", 7, 3)).explain(X)
    assert type(why.prediction) is int
    assert why.prediction in (3, 7)
    assert why.to_text(label=3)


def test_a_part_that_counts_nothing_is_not_reported():
    X, y = mixed_problem(60, n_classes=2)
    only = str(small_blend(share=0.0).fit(X, y).explain(X))
    assert "1.00 * " in only
    assert "boosted" not in only
    only = str(small_blend(share=1.0).fit(X, y).explain(X))
    assert "forest" not in only
    assert "Log odds" in only
