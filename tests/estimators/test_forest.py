"""Forests: scikit-learn's checks, their trees, votes and out-of-bag answers, and errors."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV

from mixedwood import (
    C45TreeClassifier,
    ForestClassifier,
    RandomOrdinalityClassifier,
    TreeClassifier,
    UnknownCategoryWarning,
    compare,
)
from mixedwood.data import read_table, read_target
from mixedwood.datasets import make_mixed, make_waveform
from mixedwood.explain.importance import impurity_importance
from mixedwood.pruning import Pruner
from mixedwood.splits import Criterion
from mixedwood_studies.random_ordinality.methods import weka_random_forest
from reference import ensembles as slow
from support.excuses import PURE, SAMPLES, checks_of
from support.problems import mixed_problem

CHECKED = [
    (ForestClassifier(n_estimators=5), SAMPLES | PURE),
    (ForestClassifier(n_estimators=3, bootstrap=False, voting="hard"), PURE),
    (ForestClassifier(n_estimators=15, max_samples=0.7, colsample_bytree=0.8), SAMPLES | PURE),
    (ForestClassifier.bagging_c45(3), SAMPLES),
    (ForestClassifier.bagging_cart(3), SAMPLES),
    (weka_random_forest(3), SAMPLES),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


RECIPES = {
    "default": ForestClassifier(n_estimators=7),
    "random_forest": ForestClassifier.random_forest(7),
    "bagging_c45": ForestClassifier.bagging_c45(7),
    "bagging_cart": ForestClassifier.bagging_cart(4),
    "random_subsets": ForestClassifier.random_subsets(7),
    "weka_random_forest": weka_random_forest(7),
    "samples": ForestClassifier(
        TreeClassifier(pruning="merge_equal"), 7, max_samples=50, colsample_bytree=2
    ),
}


def test_random_subsets_are_baselines_of_the_searches():
    """Groups of 20 categories tell the class: a search finds them at once, chance slowly."""
    rng = np.random.default_rng(0)
    code = rng.integers(0, 20, 600)
    X = {"code": np.array([f"c{c:02}" for c in code], dtype=object)}
    y = rng.permutation(20)[code] % 2
    searched = TreeClassifier(pruning=None).fit(X, y)
    drawn = TreeClassifier.random_subsets(random_state=0).fit(X, y)
    assert searched.get_n_leaves() == 2 < drawn.get_n_leaves()
    assert drawn.score(X, y) == 1
    again = TreeClassifier.random_subsets(random_state=1).fit(X, y)
    assert again.tree_.to_text() != drawn.tree_.to_text()
    shallow = TreeClassifier(partitioner="random_subset", max_depth=1, pruning=None)
    forest = ForestClassifier(shallow, 40, random_state=0).fit(X, y)
    assert len({tree.to_text() for tree in forest.trees_}) > 30
    assert forest.score(X, y) > 0.8  # the mean of many random splits
    names = ["tree.random_subsets", "forest.random_subsets"]  # of `compare` and of study files
    result = compare(X, y, names, cv=2, metrics="error")
    assert result.methods == tuple(names)
    assert not result.failures


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_learn_and_copies_predict_the_same(name):
    X, y = mixed_problem()
    model = clone(RECIPES[name]).set_params(random_state=3).fit(X, y)
    assert len(model.trees_) == model.n_estimators
    assert all(tree.schema is model.schema_ for tree in model.trees_)
    assert model.score(X, y) > 0.6
    want = model.predict_proba(X[:30])
    np.testing.assert_allclose(want.sum(axis=1), 1)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X[:30])), want)
    for twin in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        clone(model).fit(X, y),
    ):
        np.testing.assert_array_equal(twin.predict_proba(X[:30]), want)
        assert twin.trees_ == model.trees_
    other = clone(model).set_params(random_state=4).fit(X, y)
    assert other.trees_ != model.trees_


def test_the_default_is_the_random_forest():
    X, y = mixed_problem()
    default = ForestClassifier(random_state=0, n_estimators=5).fit(X, y)
    assert default.trees_ == ForestClassifier.random_forest(5, random_state=0).fit(X, y).trees_
    again = [ForestClassifier(n_estimators=2).fit(X, y).trees_ for _ in range(2)]
    assert again[0] != again[1]  # no seed: another forest every time


def test_trees_are_those_of_the_estimator_on_bootstrap_samples():
    X, y = mixed_problem(90)
    table, target = read_table(X), read_target(y)
    tree = TreeClassifier(
        criterion="gini",
        selection="score",  # adjusted scores know which rows are copies
        max_features=2,
        pruning="merge_equal",
        min_samples_leaf=0.05,
    )
    model = ForestClassifier(tree, 5, random_state=11, max_samples=0.5).fit(X, y)
    for number, grown in enumerate(model.trees_):
        seed, rows = slow.bootstrap_of(11, number, 90, 45)
        sample, classes = table.take(rows), target.take(rows)
        alone = clone(tree).set_params(random_state=seed)
        twin = alone._fit_encoded(sample, classes, seed=seed)
        assert grown == twin
        assert grown.weighted_n_node_samples[0] == 45


def test_without_bootstrap_trees_see_all_rows_or_some_once():
    X, y = mixed_problem(80)
    model = ForestClassifier(n_estimators=4, bootstrap=False, random_state=0).fit(X, y)
    want = np.bincount(read_target(y).codes)
    assert all((tree.statistics[0] == want).all() for tree in model.trees_)
    model.set_params(max_samples=30).fit(X, y)
    assert all(tree.weighted_n_node_samples[0] == 30 for tree in model.trees_)
    assert all((tree.statistics[0] <= want).all() for tree in model.trees_)
    model.set_params(max_samples=1.0).fit(X, y)
    assert all((tree.statistics[0] == want).all() for tree in model.trees_)


@pytest.mark.parametrize("vote", ["soft", "hard"])
@pytest.mark.parametrize("tree", [TreeClassifier(pruning=None), C45TreeClassifier(pruned=False)])
def test_without_any_chance_a_forest_is_its_tree(tree, vote):
    X, y = mixed_problem(90)
    new, _ = mixed_problem(90, seed=1)
    alone = clone(tree).fit(X, y)
    model = ForestClassifier(tree, 3, bootstrap=False, voting=vote).fit(X, y)
    assert model.trees_ == [alone.tree_] * 3
    np.testing.assert_array_equal(model.predict(new), alone.predict(new))
    assert model.diversity(new).disagreement == 0
    assert model.diversity(new).kappa == pytest.approx(1)
    if vote == "soft":
        np.testing.assert_allclose(model.predict_proba(new), alone.predict_proba(new))
    model.set_params(voting="plurality")
    with pytest.raises(ValueError, match="'voting' parameter of ForestClassifier must be"):
        model.predict(new)


def test_columns_are_drawn_once_per_tree():
    X, y = mixed_problem()
    model = ForestClassifier(n_estimators=30, colsample_bytree=2, random_state=0).fit(X, y)
    used = [frozenset(tree.column[tree.column >= 0].tolist()) for tree in model.trees_]
    assert all(len(columns) <= 2 for columns in used)
    assert len({columns for columns in used if len(columns) == 2}) == 6  # every pair of the four
    assert all(tree.schema == model.schema_ for tree in model.trees_)
    assert model.score(X, y) > 0.6


def test_rows_without_weight_are_never_seen():
    X, y = mixed_problem(120)
    weights = np.ones(120)
    weights[60:] = 0
    y_lost = np.where(weights > 0, y, "ash")
    model = ForestClassifier(n_estimators=6, random_state=0).fit(X, y_lost, weights)
    assert all(tree.weighted_n_node_samples[0] == 60 for tree in model.trees_)
    # The sixty rows alone, with the places of their categories kept.
    same = ForestClassifier(n_estimators=6, random_state=0).fit(X[:60], y_lost[:60])
    assert [tree.n_nodes for tree in same.trees_] == [tree.n_nodes for tree in model.trees_]
    np.testing.assert_array_equal(same.predict_proba(X[:60]), model.predict_proba(X[:60]))


def test_class_weights_reach_every_tree():
    X, y = mixed_problem()
    heavy = ForestClassifier(n_estimators=5, random_state=0, class_weight={"ash": 3.0}).fit(X, y)
    plain = ForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    for a, b in zip(heavy.trees_, plain.trees_, strict=True):
        np.testing.assert_array_equal(a.statistics[0], b.statistics[0] * [3, 1, 1])
    weighted = ForestClassifier(n_estimators=5, random_state=0)
    weighted.fit(X, y, np.where(y == "ash", 3.0, 1.0))
    assert weighted.trees_ == heavy.trees_


@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_out_of_bag_predictions_agree_with_their_reference(vote):
    X, y = mixed_problem(40)
    model = ForestClassifier(n_estimators=6, voting=vote, oob_score=True, random_state=2)
    with pytest.warns(UserWarning, match="rows are in the sample of every tree"):
        model.fit(X, y)
    samples = [slow.bootstrap_of(2, i, 40, 40)[1].tolist() for i in range(6)]
    table = read_table(X)
    want = slow.out_of_bag(model.trees_, samples, table, vote)
    np.testing.assert_allclose(model.oob_decision_function_, want, atol=1e-12)
    judged = ~np.isnan(want[:, 0])
    assert 0 < judged.sum() < 40
    answers = model.classes_[[slow.first_of_largest(r) for r in want[judged].tolist()]]
    assert model.oob_score_ == pytest.approx((answers == y[judged]).mean())
    model.set_params(oob_score=False).fit(X, y)
    assert not hasattr(model, "oob_score_")


def test_rows_without_weight_have_no_say_in_the_out_of_bag_score():
    X, y = mixed_problem(100)
    weights = np.ones(100)
    weights[:50] = 0
    wrong = np.where(weights == 0, "ash", y)
    model = ForestClassifier(n_estimators=30, oob_score=True, random_state=0)
    model.fit(X, wrong, weights)
    answers = model.classes_[model.oob_decision_function_.argmax(axis=1)]
    assert model.oob_score_ == pytest.approx((answers == wrong)[50:].mean())
    assert not np.isnan(model.oob_decision_function_[:50]).any()


@pytest.mark.parametrize("kind", [ForestClassifier, RandomOrdinalityClassifier])
def test_an_out_of_bag_score_of_ones_own(kind):
    X, y = mixed_problem(100)
    weights = np.where(np.arange(100) < 20, 0.0, 1.0)
    asked = []

    def recall_of_ash(right, said):
        asked.append((right, said))
        return recall_score(right, said, labels=["ash"], average="macro")

    model = kind(n_estimators=30, bootstrap=True, oob_score=recall_of_ash, random_state=0)
    model.fit(X, y, weights)
    plain = clone(model).set_params(oob_score=True).fit(X, y, weights)
    assert model.trees_ == plain.trees_
    np.testing.assert_array_equal(model.oob_decision_function_, plain.oob_decision_function_)
    ((right, said),) = asked
    np.testing.assert_array_equal(right, y[20:])
    assert (right == said).mean() == pytest.approx(plain.oob_score_)
    found = (said[right == "ash"] == "ash").mean()
    assert type(model.oob_score_) is float
    assert model.oob_score_ == pytest.approx(found) != plain.oob_score_


def test_an_out_of_bag_score_that_is_no_number_changes_nothing():
    X, y = mixed_problem(100)
    model = ForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    before = model.trees_
    with pytest.raises(TypeError, match=r"function that returns a number, .* returned 'good'"):
        model.set_params(oob_score=lambda right, said: "good").fit(X, y)
    assert model.trees_ is before
    assert not hasattr(model, "oob_score_")


@pytest.mark.parametrize("name", ["oob_score_", "oob_decision_function_"])
def test_an_out_of_bag_score_that_was_not_asked_for(name):
    X, y = mixed_problem(30)
    model = ForestClassifier(n_estimators=2, random_state=0)
    words = rf"^{name} is set by a fit with oob_score=True; this ForestClassifier "
    with pytest.raises(AttributeError, match=words + "is not fitted yet"):
        getattr(model, name)
    with pytest.raises(AttributeError, match=words + "was fitted without it"):
        getattr(model.fit(X, y), name)
    assert not hasattr(model, name)
    orders = RandomOrdinalityClassifier(n_estimators=2, bootstrap=False).fit(X, y)
    with pytest.raises(AttributeError, match="oob_score=True and bootstrap=True; this Random"):
        getattr(orders, name)


def test_the_out_of_bag_score_is_near_that_of_new_rows():
    X, y = mixed_problem(600)
    new = mixed_problem(600, seed=1)
    model = ForestClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    assert model.oob_score_ == pytest.approx(model.score(*new), abs=0.06)
    assert model.oob_score_ < model.score(X, y) - 0.1


def test_stages_are_the_forests_of_the_first_trees():
    X, y = mixed_problem(120)
    new, right = mixed_problem(80, seed=1)
    model = ForestClassifier(n_estimators=6, random_state=0).fit(X, y)
    errors = 1 - model.staged_score(new, right)
    weights = np.linspace(1, 2, 80)
    weighted = 1 - model.staged_score(new, right, weights)
    stages = zip(model.staged_predict(new), model.staged_predict_proba(new), strict=True)
    for n, (answers, proba) in enumerate(stages, start=1):
        smaller = ForestClassifier(n_estimators=n, random_state=0).fit(X, y)
        assert smaller.trees_ == model.trees_[:n]
        np.testing.assert_array_equal(proba, smaller.predict_proba(new))
        np.testing.assert_array_equal(answers, smaller.predict(new))
        assert errors[n - 1] == pytest.approx(1 - smaller.score(new, right))
        assert weighted[n - 1] == pytest.approx(1 - smaller.score(new, right, weights))
    assert len(errors) == n == 6
    assert len(set(errors)) > 2


def test_votes_margins_and_diversity():
    X, y = mixed_problem(100)
    model = ForestClassifier(n_estimators=9, voting="hard", random_state=0).fit(X, y)
    votes = model.predict_members(X)
    assert votes.shape == (100, 9)
    shares = np.stack([(votes == label).mean(axis=1) for label in model.classes_], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), shares)
    margins = model.margins(X, y)
    right = np.array(
        [slow.margin(s, list(model.classes_).index(c)) for s, c in zip(shares, y, strict=True)]
    )
    np.testing.assert_allclose(margins, right)
    answers = model.predict(X)
    assert (margins[answers != y] <= 0).all()
    assert (margins[answers == y] >= 0).all()
    found = model.diversity(X, y)
    disagreement, kappa = slow.disagreement_and_kappa(votes)
    assert found.disagreement == pytest.approx(disagreement)
    assert found.kappa == pytest.approx(kappa)
    assert found.member_error == pytest.approx((votes != y[:, None]).mean())
    assert found.mean_leaves == np.mean([t.n_leaves for t in model.trees_])
    assert model.diversity(X).member_error is None
    # A class that the forest has never met is never right.
    strange = np.where(y == "ash", "elm", y)
    assert (model.margins(X, strange)[y == "ash"] < 0).all()
    assert 1 - model.staged_score(X, strange)[-1] >= (y == "ash").mean()


def test_a_tied_vote_goes_to_the_first_class():
    # Two trees of one column each, which say the opposite.
    X = {"a": [0.0, 1.0] * 8, "b": [1.0, 0.0] * 8}
    y = ["no", "yes"] * 8
    model = ForestClassifier(
        TreeClassifier(pruning=None), 2, bootstrap=False, colsample_bytree=1, voting="hard"
    )
    for seed in range(20):
        model.set_params(random_state=seed).fit(X, y)
        if len({tree.column[0] for tree in model.trees_}) == 2:
            break
    asked = {"a": [0.0, 1.0], "b": [0.0, 1.0]}
    assert sorted(model.predict_members(asked)[0].tolist()) == ["no", "yes"]
    np.testing.assert_array_equal(model.predict_proba(asked), 0.5)
    assert model.predict(asked).tolist() == ["no", "no"]


def test_importances_are_means_over_the_trees():
    X, y = mixed_problem()
    for tree, impurity in ((None, "gini"), (C45TreeClassifier(pruned=False), "entropy")):
        model = ForestClassifier(tree, 8, random_state=0).fit(X, y)
        mean = np.mean([impurity_importance(t, impurity) for t in model.trees_], axis=0)
        np.testing.assert_allclose(model.feature_importances_, mean / mean.sum())
    assert model.feature_importances_[:2].sum() > 0.5
    constant = ForestClassifier(n_estimators=3).fit({"x": [1, 1, 1]}, ["a", "b", "a"])
    assert constant.feature_importances_.tolist() == [0.0]


def test_bagged_cart_trees_are_small_because_copies_share_a_fold():
    data = make_waveform(300, random_state=2)
    table, target = read_table(data.X), read_target(data.y)
    model = ForestClassifier.bagging_cart(10, random_state=0).fit(data.X, data.y)
    leaking = []
    for number in range(10):
        seed, rows = slow.bootstrap_of(0, number, 300, 300)
        learner = TreeClassifier.cart()
        leaking.append(
            learner._fit_encoded(table.take(rows), target.take(rows), seed=seed).n_leaves
        )
    mean_leaves = np.mean([tree.n_leaves for tree in model.trees_])
    assert 4 < mean_leaves < 12
    assert np.mean(leaking) > 2 * mean_leaves


def test_copies_stay_on_one_side_of_reduced_error_pruning():
    X, y = mixed_problem(60)
    table, target = read_table(X), read_target(y)
    rows = np.sort(np.random.default_rng(0).integers(0, 60, 60)).astype(np.int32)
    seen = []

    def grow_it(sample, classes):
        seen.append(sample)
        return TreeClassifier(pruning=None)._fit_encoded(sample, classes, seed=0)

    sample = table.take(rows)
    Pruner("reduced_error").prune(grow_it, sample, target.take(rows), seed=3, copies_of=rows)
    grown_on = {tuple(r) for r in zip(*(a.tolist() for a in seen[0].arrays), strict=True)}
    everyone = list(zip(*(a.tolist() for a in sample.arrays), strict=True))
    aside = [r for r in everyone if r not in grown_on]
    assert len(aside) + seen[0].n_rows == 60  # no row is on both sides
    assert 5 < len(aside) < 40


def test_near_scikit_learn_on_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 6))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.3, size=600) > 0).astype(int)
    new = rng.normal(size=(2000, 6))
    right = (new[:, 0] + new[:, 1] * new[:, 2] > 0).astype(int)
    ours = ForestClassifier(n_estimators=50, random_state=0).fit(X, y).score(new, right)
    theirs = RandomForestClassifier(50, random_state=0).fit(X, y).score(new, right)
    assert ours == pytest.approx(theirs, abs=0.02)


def test_values_that_no_row_had():
    X, y = mixed_problem()
    model = ForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    new = X[:4].assign(colour="mauve")
    with pytest.warns(UnknownCategoryWarning, match=r"column 'colour' \(4 rows\)") as caught:
        model.predict(new)
    assert len(caught) == 1  # once, not once per tree
    model.set_params(estimator=TreeClassifier(handle_unknown="error", pruning=None)).fit(X, y)
    with pytest.raises(ValueError, match="Found unknown categories"):
        model.predict(new)


def test_parameters_of_the_tree_are_searched_from_outside():
    X, y = mixed_problem()
    grid = GridSearchCV(
        ForestClassifier(TreeClassifier(pruning=None), 3, random_state=0),
        {"estimator__max_depth": [1, 4], "voting": ["soft", "hard"]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert grid.best_params_["estimator__max_depth"] == 4


class Accuracy(Criterion):
    convex = True

    def score(self, groups):
        return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()


def test_a_criterion_written_in_python_works_in_threads():
    X, y = mixed_problem(60)
    tree = TreeClassifier(criterion=Accuracy(), max_depth=2, pruning=None)
    models = [ForestClassifier(tree, 4, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2)]
    assert models[0].trees_ == models[1].trees_
    assert any(t.n_nodes > 1 for t in models[0].trees_)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"n_estimators": 0}, ValueError, "must be an int in the range .1, inf.. Got 0"),
        ({"n_estimators": 2.5}, ValueError, "'n_estimators' parameter of ForestClassifier must be"),
        ({"voting": "plurality"}, ValueError, "a str among {'soft', 'hard'}. Got 'plurality'"),
        ({"bootstrap": "yes"}, ValueError, "must be a bool. Got 'yes' instead"),
        ({"max_samples": 1.5}, ValueError, "'max_samples' parameter of ForestClassifier"),
        ({"max_samples": 0}, ValueError, "'max_samples' parameter of ForestClassifier"),
        ({"max_samples": True}, ValueError, "'max_samples' parameter of ForestClassifier"),
        ({"colsample_bytree": "half"}, ValueError, "Got 'half' instead"),
        ({"oob_score": "f1"}, ValueError, "must be a bool or a callable"),
        ({"oob_score": True, "bootstrap": False}, ValueError, "oob_score needs samples that leave"),
        (
            {"oob_score": True, "bootstrap": False, "max_samples": 1.0},
            ValueError,
            "less than all rows. Got bootstrap=False and max_samples=1.0",
        ),
        (
            {"oob_score": True, "bootstrap": False, "max_samples": 30},
            ValueError,
            "oob_score needs samples that leave",
        ),
        ({"n_jobs": 0}, ValueError, "'n_jobs' parameter of ForestClassifier must"),
        ({"n_jobs": "many"}, ValueError, "n_jobs.* Got 'many' instead"),
        ({"n_jobs": 1.5}, ValueError, "n_jobs.* Got 1.5 instead"),
        ({"estimator": TreeClassifier}, TypeError, "got the class TreeClassifier"),
        ({"estimator": "tree"}, TypeError, "estimator must be None or a tree of mixedwood"),
        ({"estimator": RandomForestClassifier()}, TypeError, "or a tree of mixedwood"),
        (
            {"estimator": TreeClassifier(class_weight="balanced")},
            ValueError,
            "class_weight of estimator must be None",
        ),
        (
            {"estimator": TreeClassifier(max_depth=-1)},
            ValueError,
            "'max_depth' parameter of TreeClassifier",
        ),
        ({"random_state": -1}, ValueError, "random_state must be zero or more"),
        ({"time_limit": 0}, ValueError, "time_limit"),
        ({"class_weight": {"oak": 2}}, ValueError, "which are not in y"),
    ],
)
def test_bad_parameters_are_refused_and_change_nothing(parameters, error, words):
    X, y = mixed_problem(30)
    model = ForestClassifier(n_estimators=2, random_state=0).fit(X, y)
    before = model.trees_
    model.set_params(**parameters)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert model.trees_ is before
    unfitted = ForestClassifier(**parameters)
    with pytest.raises(error, match=words):
        unfitted.fit(X, y)
    with pytest.raises(NotFittedError):
        unfitted.predict(X)


def test_nodes_where_rows_end():
    X, y = mixed_problem(60)
    forest = ForestClassifier(n_estimators=4, random_state=0).fit(X, y)
    nodes = forest.apply(X)
    assert nodes.shape == (60, 4)
    table = read_table(X, schema=forest.schema_)
    for place, tree in enumerate(forest.trees_):
        np.testing.assert_array_equal(nodes[:, place], tree.apply(table))
        votes = tree.classes[tree.label[nodes[:, place]]]
        np.testing.assert_array_equal(forest.predict_members(X)[:, place], votes)


def test_a_tree_says_how_to_read_a_frame():
    X, y = mixed_problem(60)
    tree = ForestClassifier(n_estimators=1, random_state=0).fit(X, y).trees_[0]
    for ask in (tree.apply, tree.predict, tree.predict_proba, tree.explain):
        with pytest.raises(TypeError, match=r"got \w+. Read it with .*read_table"):
            ask(X)


def test_a_number_in_place_of_a_tree():
    X, y = mixed_problem(20)
    with pytest.raises(TypeError, match="For 100 trees, pass n_estimators=100"):
        ForestClassifier(100).fit(X, y)


def test_rows_that_are_divided_have_no_single_node():
    data = make_mixed(200, missing_rate=0.2, random_state=0)
    model = ForestClassifier.bagging_c45(3, random_state=0).fit(data.X, data.y)
    assert any(tree.is_fractional for tree in model.trees_)
    with pytest.raises(ValueError, match=r"distributes some of these rows .* predict_proba"):
        model.apply(data.X)
    known = data.X.dropna()
    assert model.apply(known).shape == (len(known), 3)
