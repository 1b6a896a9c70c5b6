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
from problems import mixed_problem


def small(n_trees=6, n_rounds=8, **parameters):
    parts = {
        "forest": ForestClassifier(n_estimators=n_trees),
        "boosted": BoostedTreesClassifier(n_rounds),
        "random_state": 5,
    }
    return EnsembleClassifier(**{**parts, **parameters})


SAMPLES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "the forest's samples of rows with weights are not those of the same rows repeated"
    )
}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([small(5, 5)], expected_failed_checks=lambda model: SAMPLES)
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


def test_the_default_is_a_hundred_trees_and_two_hundred_rounds():
    X, y = mixed_problem(60)
    model = EnsembleClassifier(random_state=0).fit(X, y)
    assert (len(model.forest_.trees_), model.boosted_.n_rounds_) == (100, 200)
    again = [EnsembleClassifier(*(small(2, 2).forest, small(2, 2).boosted)).fit(X, y)
             for _ in range(2)]  # fmt: skip
    assert again[0].trees_ != again[1].trees_  # no seed: others every time


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
