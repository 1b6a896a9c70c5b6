"""Early stopping by rows of one's own: the same losses as afterwards, warm starts, errors."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score

import mixedwood as mw
from mixedwood import BoostedTreesClassifier, TreeClassifier
from support.problems import mixed_problem

KINDS = {
    "one": {},
    "per_class": {"multi_strategy": "one_output_per_tree"},
    "samples": {"subsample": 0.6, "colsample_bytree": 2, "handle_unknown": "majority"},
    "other_trees": {"estimator": TreeClassifier(max_depth=2, pruning=None)},
}


def stopping(**parameters):
    return BoostedTreesClassifier(
        **{
            "n_estimators": 200,
            "learning_rate": 0.5,
            "early_stopping": True,
            "n_iter_no_change": 6,
            "random_state": 3,
            **parameters,
        }
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_rounds_are_those_without_stopping_and_the_losses_those_of_the_stages(kind, n_classes):
    X, y = mixed_problem(200, n_classes=n_classes)
    new, right = mixed_problem(120, seed=1, n_classes=n_classes)
    model = stopping(**KINDS[kind]).fit(X, y, X_val=new, y_val=right)
    losses = model.validation_loss_
    best = int(np.argmin(losses))
    assert model.n_iter_ == best + 1
    assert len(losses) == best + 1 + 6 < 200
    # All rows are learnt from: the rounds are the first ones of a model that does not stop.
    whole = clone(model).set_params(early_stopping=False, n_estimators=len(losses)).fit(X, y)
    assert model.trees_ == whole.trees_[: len(model.trees_)]
    want = [log_loss(right, shares) for shares in whole.staged_predict_proba(new)]
    np.testing.assert_allclose(losses, want, rtol=1e-9)
    assert log_loss(right, model.predict_proba(new)) == pytest.approx(min(want))
    # The same seed gives the same, on any number of threads; a share held out gives others.
    again = clone(model).set_params(n_jobs=2).fit(X, y, X_val=new, y_val=right)
    assert (again.trees_, again.validation_loss_) == (model.trees_, losses)
    assert clone(model).fit(X, y).trees_ != model.trees_


def test_new_rows_are_read_as_predict_reads_them():
    X, y = mixed_problem(200)
    new, right = mixed_problem(120, seed=1)
    model = stopping().fit(X, y, X_val=new, y_val=right)
    shuffled = new[new.columns[::-1]].assign(other=1)
    twin = stopping().fit(X, y, X_val=shuffled, y_val=list(right))
    assert twin.validation_loss_ == model.validation_loss_
    # Values that no training row had, in every column that has values, and no word about them.
    strange = new.assign(colour="mauve")
    model = stopping().fit(X, y, X_val=strange, y_val=right)
    with pytest.warns(mw.UnknownCategoryWarning):
        shares = model.predict_proba(strange)
    assert min(model.validation_loss_) == pytest.approx(log_loss(right, shares))
    with pytest.raises(
        ValueError, match=r"unknown categories in X_val: column 'colour' \(120 rows\)"
    ):
        stopping(handle_unknown="error").fit(X, y, X_val=strange, y_val=right)
    # A class that the rows to judge by do not have.
    some = right != "ash"
    model = stopping().fit(X, y, X_val=new[some], y_val=right[some])
    shares = model.predict_proba(new[some])
    want = log_loss(right[some], shares, labels=model.classes_)
    assert min(model.validation_loss_) == pytest.approx(want)


@pytest.mark.parametrize("class_weight", [{"ash": 5.0}, "balanced"])
def test_rows_to_judge_by_weigh_what_their_classes_do(class_weight):
    X, y = mixed_problem(200)
    kept = (y != "ash") | (np.arange(200) % 4 == 0)
    X, y = X[kept], y[kept]
    weights = np.linspace(0.0, 2.0, len(y))
    new, right = mixed_problem(120, seed=1)
    model = stopping(class_weight=class_weight)
    model.fit(X, y, weights, X_val=new, y_val=right)
    factors = {"ash": 5.0}
    if class_weight == "balanced":
        factors = {c: weights.sum() / 3 / weights[y == c].sum() for c in np.unique(y)}
    each = np.array([factors.get(c, 1.0) for c in right])
    want = log_loss(right, model.predict_proba(new), sample_weight=each)
    assert min(model.validation_loss_) == pytest.approx(want)
    with pytest.raises(ValueError, match="class_weight gives all rows of X_val weight 0"):
        model.set_params(class_weight={"ash": 0.0}).fit(
            X, y, X_val=new[right == "ash"], y_val=right[right == "ash"]
        )


def test_a_warm_start_is_the_same_as_one_go(tmp_path):
    X, y = mixed_problem(200)
    own = dict(zip(("X_val", "y_val"), mixed_problem(120, seed=1), strict=True))
    whole = stopping().fit(X, y, **own)
    model = stopping(n_estimators=3, warm_start=True).fit(X, y, **own)
    mw.save_model(model, tmp_path / "model.mw")
    for twin in (model, mw.load_model(tmp_path / "model.mw")):
        twin.set_params(n_estimators=200).fit(X, y, **own)
        assert twin.trees_ == whole.trees_
        assert twin.validation_loss_ == whole.validation_loss_
    # Rounds without stopping have learnt from all rows too, and are judged now.
    plain = stopping(n_estimators=3, early_stopping=False, warm_start=True).fit(X, y)
    plain.set_params(n_estimators=200, early_stopping=True).fit(X, y, **own)
    assert plain.validation_loss_ == whole.validation_loss_
    plain.set_params(n_estimators=plain.n_iter_ + 2, early_stopping=False).fit(X, y)
    assert not hasattr(plain, "validation_loss_")
    # A share that is held out now has been learnt from before, and the other way round.
    with pytest.raises(ValueError, match="the rows held out for early stopping have changed"):
        model.fit(X, y)
    held = stopping(n_estimators=3, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="the rows held out for early stopping have changed"):
        held.set_params(n_estimators=9).fit(X, y, **own)


NEW, RIGHT = mixed_problem(20, seed=1)
REFUSED = {
    "no classes": ({"X_val": NEW}, ValueError, "got X_val without y_val"),
    "no rows": ({"y_val": RIGHT}, ValueError, "got y_val without X_val"),
    "lengths": (
        {"X_val": NEW, "y_val": RIGHT[:5]},
        ValueError,
        "same number of rows; got 20 and 5",
    ),
    "empty": ({"X_val": NEW[:0], "y_val": RIGHT[:0]}, ValueError, "X_val cannot be read like X"),
    "columns": (
        {"X_val": NEW.drop(columns="colour"), "y_val": RIGHT},
        ValueError,
        r"X_val cannot be read like X: (?s:.*)colour",
    ),
    "types": (
        {"X_val": NEW.assign(size="large"), "y_val": RIGHT},
        ValueError,
        r"X_val cannot be read like X: .*size",
    ),
    "classes": (
        {"X_val": NEW, "y_val": ["oak"] * 20},
        ValueError,
        "y_val contains classes that are not in y: 'oak'. The classes are 'ash', ",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_and_changes_nothing(name):
    own, error, words = REFUSED[name]
    X, y = mixed_problem(60)
    model = stopping(n_estimators=3)
    with pytest.raises(error, match=words):
        model.fit(X, y, **own)
    with pytest.raises(NotFittedError):
        model.predict(X)
    before = model.fit(X, y).trees_
    with pytest.raises(error, match=words):
        model.fit(X, y, **own)
    assert model.trees_ is before


def test_rows_to_judge_by_need_early_stopping():
    X, y = mixed_problem(60)
    model = BoostedTreesClassifier(n_estimators=3)
    with pytest.raises(
        ValueError, match=r"only used if early_stopping=True; got early_stopping=False"
    ):
        model.fit(X, y, X_val=NEW, y_val=RIGHT)


def test_one_class():
    model = stopping().fit({"x": [1, 2, 3]}, ["a"] * 3, X_val={"x": [4]}, y_val=["a"])
    assert model.predict({"x": [5]}).tolist() == ["a"]


@pytest.mark.parametrize("routing", [False, True])
def test_scikit_learn_hands_the_rows_on(routing):
    X, y = mixed_problem(90)
    own = {"X_val": NEW, "y_val": RIGHT}
    model = stopping(n_estimators=20)
    with sklearn.config_context(enable_metadata_routing=routing):
        if routing:
            model.set_fit_request(X_val=True, y_val=True)
        scores = cross_val_score(model, X, y, cv=3, params=own, error_score="raise")
        search = GridSearchCV(model, {"max_depth": [1, 2]}, cv=2, error_score="raise")
        best = search.fit(X, y, **own).best_estimator_
    assert scores.shape == (3,)
    assert (scores != cross_val_score(stopping(n_estimators=20), X, y, cv=3)).any()
    twin = clone(best).fit(X, y, **own)
    assert twin.validation_loss_ == best.validation_loss_
