"""A forest and boosted trees together: the mean of its parts, their checks, and refusals."""

import copy
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood import (
    BoostedTreesClassifier,
    EnsembleClassifier,
    ForestClassifier,
    TreeClassifier,
    UnseenValueWarning,
)
from mixedwood.boosting import make_folds
from mixedwood.data import read_table, read_target
from mixedwood.estimators.blend import _smoothed
from problems import mixed_problem


def small(n_trees=6, n_rounds=8, **parameters):
    parts = {
        "forest": ForestClassifier(n_estimators=n_trees),
        "boosted": BoostedTreesClassifier(n_rounds),
        "random_state": 5,
        "tune": False,
    }
    return EnsembleClassifier(**{**parts, **parameters})


def tuned(**parameters):
    few = {"tune": True, "depths": (1, 2), "max_rounds": 4, "patience": 2, "n_folds": 2}
    return small(**{**few, **parameters})


SAMPLES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "the forest's samples of rows with weights are not those of the same rows repeated"
    )
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([small(5, 5), tuned()], expected_failed_checks=lambda model: SAMPLES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.6, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_answer_is_the_weighted_mean_of_the_parts(share, n_classes):
    X, y = mixed_problem(n_classes=n_classes)
    new, _ = mixed_problem(50, seed=1, n_classes=n_classes)
    model = small(share=share).fit(X, y)
    forest = ForestClassifier(n_estimators=6, random_state=5).fit(X, y)
    boosted = BoostedTreesClassifier(8, random_state=6).fit(X, y)
    assert model.forest_.trees_ == forest.trees_
    assert model.boosted_.trees_ == boosted.trees_
    assert model.trees_ == [*forest.trees_, *boosted.trees_]
    want = (1 - share) * forest.predict_proba(new) + share * boosted.predict_proba(new)
    np.testing.assert_allclose(model.predict_proba(new), want, atol=1e-15)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(new)), want)
    np.testing.assert_array_equal(model.predict(new), model.classes_[want.argmax(axis=1)])
    importances = (1 - share) * forest.feature_importances_ + share * boosted.feature_importances_
    np.testing.assert_allclose(model.feature_importances_, importances)
    if share in (0.0, 1.0):
        alone = boosted if share else forest
        np.testing.assert_array_equal(model.predict_proba(new), alone.predict_proba(new))


def test_without_tuning_the_default_is_a_hundred_trees_and_two_hundred_rounds():
    X, y = mixed_problem(60)
    model = EnsembleClassifier(tune=False, random_state=0).fit(X, y)
    assert (len(model.forest_.trees_), model.boosted_.n_rounds_) == (100, 200)
    assert model.share_ == model.share
    assert not hasattr(model, "choices_")
    again = [small(2, 2, random_state=None).fit(X, y) for _ in range(2)]
    assert again[0].trees_ != again[1].trees_  # no seed: others every time


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_folds", [1, 3])
def test_the_choice_is_that_of_models_fitted_one_by_one(n_classes, n_folds):
    X, y = mixed_problem(90, n_classes=n_classes)
    X = X[["colour", "shape"]]  # cuts of numbers depend on rows of weight 0
    model = tuned(n_folds=n_folds, depths=(1, 3), max_rounds=6, patience=6).fit(X, y)
    table, target = read_table(X), read_target(y)
    folds = make_folds(target, n_folds, model.random_state)
    assert set(folds) == ({-1, 0} if n_folds == 1 else set(range(n_folds)))
    judged = np.flatnonzero(folds >= 0)
    forest = _smoothed(model.forest_.oob_decision_function_, target)
    losses = {}
    for depth in (1, 3):
        answers = np.zeros((6, len(y), target.n_classes))
        for fold in set(folds) - {-1}:
            rows = folds != fold
            part = BoostedTreesClassifier(6, max_depth=depth, random_state=5)
            part.fit(X, y, rows.astype(float))
            answers[:, ~rows] = np.array(list(part.staged_predict_proba(X)))[:, ~rows]
        for n_rounds, boosted in enumerate(answers, 1):
            for share in (0.0, 0.25, 0.5, 0.75, 1.0):
                mean = (1 - share) * forest + share * boosted
                right = mean[judged, target.codes[judged]]
                losses[depth, n_rounds, share] = -np.log(right).mean()
    for found in model.choices_:
        of_depth = {key: loss for key, loss in losses.items() if key[0] == found.depth}
        assert found.loss == pytest.approx(min(of_depth.values()), rel=1e-9)
        assert losses[found.depth, found.n_rounds, found.share] == pytest.approx(found.loss)
    best = min(model.choices_, key=lambda choice: choice.loss)
    assert model.share_ == best.share
    assert (model.boosted_.max_depth, model.boosted_.n_rounds_) == (best.depth, best.n_rounds)
    assert table.n_rows == len(y)


def test_boosting_gets_its_time_beside_a_good_forest():
    """The first rounds are worth nothing beside the forest; that is no reason to give up."""
    rng = np.random.default_rng(0)
    X = {name: rng.integers(0, 5, 400).astype(str) for name in "abcd"}
    y = sum(np.array(X[name], int) for name in "abcd") > 8  # additive, which stumps learn slowly
    model = EnsembleClassifier(
        ForestClassifier(n_estimators=30), depths=(1,), max_rounds=200, patience=5, random_state=0
    ).fit(X, y)
    assert model.boosted_.n_rounds_ > 50


def test_what_cannot_be_tuned_is_taken_as_it_is():
    X, y = mixed_problem(60)
    for boosted in (
        BoostedTreesClassifier(3, method="samme"),
        BoostedTreesClassifier(3, estimator=TreeClassifier(max_depth=1, pruning=None)),
    ):
        model = tuned(boosted=boosted).fit(X, y)
        assert not hasattr(model, "choices_")
        assert model.share_ == model.share
    few = tuned().fit({"x": [1, 2, 3, 4]}, [0, 1, 0, 1])  # too few rows to hold any out
    assert not hasattr(few, "choices_")
    # Without samples there are no answers out of bag: boosting alone is judged.
    alone = tuned(forest=ForestClassifier(n_estimators=3, bootstrap=False)).fit(X, y)
    assert {choice.share for choice in alone.choices_} == {1.0}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tune": 1}, "tune must be True or False; got 1"),
        ({"share": 1.5}, "share must be a number from 0 to 1; got 1.5"),
        ({"depths": ()}, r"depths must be one or more whole numbers.*got \(\)"),
        ({"depths": (0, 2)}, r"depths must be one or more whole numbers.*got \(0, 2\)"),
        ({"max_rounds": 0}, "max_rounds must be"),
        ({"patience": None}, "patience must be a whole number of at least 1; got None"),
        ({"n_folds": 0}, "n_folds must be None or a whole number of at least 1; got 0"),
    ],
)
def test_bad_words_about_tuning_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        small(**parameters).fit(*mixed_problem(60))


def test_copies_answer_the_same():
    X, y = mixed_problem()
    model = small().fit(X, y)
    want = model.predict_proba(X)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), clone(model).fit(X, y)):
        np.testing.assert_array_equal(twin.predict_proba(X), want)
        assert twin.trees_ == model.trees_
    assert model.score(X, y) > 0.8
    # The parts that were given are not touched.
    assert not hasattr(model.forest, "trees_")
    assert model.forest.random_state is None


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_change_nothing(n_jobs):
    X, y = mixed_problem()
    alone, model = small().fit(X, y), small(n_jobs=n_jobs).fit(X, y)
    assert model.trees_ == alone.trees_
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_what_belongs_to_the_whole_reaches_both_parts():
    X, y = mixed_problem()
    heavy = small(class_weight={"ash": 3.0}).fit(X, y)
    weighted = small().fit(X, y, np.where(y == "ash", 3.0, 1.0))
    assert heavy.trees_ == weighted.trees_ != small().fit(X, y).trees_
    nominal = small(categorical_features=["size"]).fit(X, y)
    assert nominal.schema_["size"].kind == "nominal"
    for part in (nominal.forest_, nominal.boosted_):
        assert part.schema_ is nominal.schema_
    ordinal = small(ordinal={"shape": ["round", "square", "star"]}).fit(X, y)
    assert ordinal.boosted_.schema_["shape"].kind == "ordinal"


def test_rows_without_weight_do_not_count():
    X, y = mixed_problem(160)
    weights = np.ones(160)
    weights[100:] = 0
    model, same = small().fit(X, y, weights), small().fit(X[:100], y[:100])
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X))


def test_parts_of_any_kind():
    X, y = mixed_problem()
    model = small(
        forest=ForestClassifier.bagging_c45(4), boosted=BoostedTreesClassifier.adaboost_c45(4)
    ).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.8


def test_parameters_of_the_parts_are_searched_from_outside():
    X, y = mixed_problem(100)
    grid = GridSearchCV(
        small(3, 3), {"share": [0.2, 0.8], "boosted__max_depth": [1, 3]}, cv=2, error_score="raise"
    ).fit(X, y)
    assert grid.best_score_ > 0.5


def test_values_that_no_row_had():
    X, y = mixed_problem()
    new = X[:4].assign(colour="mauve")
    with pytest.warns(UnseenValueWarning, match="'colour' in 4 rows") as caught:
        small().fit(X, y).predict(new)
    assert len(caught) == 1
    for strict in (
        {"boosted": BoostedTreesClassifier(4, unseen="error")},
        {"forest": ForestClassifier(TreeClassifier(unseen="error", pruning=None), 4)},
    ):
        model = small(**strict).fit(X, y)
        with pytest.raises(ValueError, match="values that no training row had"):
            model.predict(new)


def test_one_class():
    model = small().fit({"x": [1, 2, 3]}, ["only"] * 3)
    assert model.predict_proba({"x": [5]}).tolist() == [[1.0]]


def test_a_time_limit_leaves_a_model_that_works():
    X, y = mixed_problem(3000)
    model = small(10**6, 10**6, time_limit=1.0)
    with pytest.warns(RuntimeWarning) as caught:
        model.fit(X, y)
    said = [str(w.message) for w in caught]
    assert any("1000000 trees" in words for words in said)
    assert any("1000000 rounds" in words for words in said)
    assert model.score(X, y) > 0.6


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_the_model_unfitted():
    """While the forest grows, and while boosting goes on."""
    script = textwrap.dedent("""
        import threading, _thread, time
        import numpy as np
        import mixedwood as mw
        from sklearn.exceptions import NotFittedError
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(30_000, 10)), rng.integers(0, 5, 30_000)
        for trees, rounds in ((10**6, 10), (1, 10**6)):
            model = mw.EnsembleClassifier(
                mw.ForestClassifier(n_estimators=trees), mw.BoostedTreesClassifier(rounds)
            )
            def interrupt():
                time.sleep(2.5)
                global started
                started = time.monotonic()
                _thread.interrupt_main()
            threading.Thread(target=interrupt).start()
            try:
                model.fit(X, y)
            except KeyboardInterrupt:
                assert time.monotonic() - started < 2, "one second, and a busy machine"
            try:
                model.predict(X)
            except NotFittedError:
                print("unfitted", flush=True)
    """)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=90
    )
    assert done.stdout == "unfitted\nunfitted\n", done.stderr


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"forest": BoostedTreesClassifier()}, TypeError, "forest must be None or a ForestClass"),
        ({"forest": ForestClassifier}, TypeError, "forest must be None or a ForestClassifier"),
        ({"boosted": RandomForestClassifier()}, TypeError, "boosted must be None or a BoostedTree"),
        ({"share": -0.1}, ValueError, "share must be a number from 0 to 1"),
        ({"share": 1.1}, ValueError, "share must be a number from 0 to 1"),
        ({"share": "half"}, ValueError, "share must be a number from 0 to 1"),
        (
            {"forest": ForestClassifier(class_weight="balanced")},
            ValueError,
            "class_weight belongs to the ensemble",
        ),
        (
            {"boosted": BoostedTreesClassifier(random_state=0)},
            ValueError,
            "leave random_state of boosted at None",
        ),
        (
            {"boosted": BoostedTreesClassifier(time_limit=5)},
            ValueError,
            "time_limit belongs to the ensemble",
        ),
        ({"boosted": BoostedTreesClassifier(l2=-1)}, ValueError, "l2 must be a number"),
        ({"forest": ForestClassifier(vote="soft")}, ValueError, "vote must be"),
        ({"random_state": -1}, ValueError, "random_state must be zero or more"),
        ({"time_limit": 0}, ValueError, "time_limit"),
        ({"class_weight": {"oak": 2}}, ValueError, "which are not in y"),
        ({"categorical_features": ["weight"]}, ValueError, "weight"),
    ],
)
def test_bad_parameters_are_refused_and_change_nothing(parameters, error, words):
    X, y = mixed_problem(30)
    model = small(2, 2).fit(X, y)
    before = model.forest_, model.boosted_
    model.set_params(**parameters)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert (model.forest_, model.boosted_) == before
    unfitted = EnsembleClassifier(**parameters)
    with pytest.raises(error, match=words):
        unfitted.fit(X, y)
    with pytest.raises(NotFittedError):
        unfitted.predict(X)
