"""Costs of mistakes in learning, decisions, files and explanations of all classifiers of trees."""

import pickle
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import mixedwood as mw
from mixedwood.data import read_cost_matrix, read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.pruning import Pruner, cost_complexity_path, path_errors, reduced_error
from mixedwood.splits import Criterion, partitioners
from mixedwood.tree import TargetSpec

COSTS = np.array([[0.0, 1.0, 6.0], [2.0, 0.0, 1.0], [0.5, 3.0, 0.0]])
LABELS = ["low", "mid", "top"]
MODELS = {
    "tree": mw.TreeClassifier(),
    "cart": mw.TreeClassifier.cart(),
    "reduced_error": mw.TreeClassifier(pruning="reduced_error", random_state=0),
    "fractional": mw.TreeClassifier(handle_missing="fractional"),
    "c45": mw.C45TreeClassifier(),
    "grow_prune": mw.GrowPruneTreeClassifier(random_state=0),
    "refitted": mw.GrowPruneTreeClassifier(random_state=0, refit_leaves=True),
    "optimal": mw.OptimalTreeClassifier(max_depth=2),
    "model_tree": mw.ModelTreeClassifier(),
    "forest": mw.ForestClassifier(n_estimators=7, random_state=0),
    "hard_forest": mw.ForestClassifier(n_estimators=7, voting="hard", random_state=0),
    "random_ordinality": mw.RandomOrdinalityClassifier(n_estimators=7, random_state=0),
    "grow_prune_forest": mw.GrowPruneForestClassifier(n_estimators=7, random_state=0),
    "boosted": mw.BoostedTreesClassifier(n_estimators=7, random_state=0),
    "adaboost": mw.AdaBoostTreesClassifier(n_estimators=7, random_state=0),
    "ensemble": mw.EnsembleClassifier(
        forest=mw.ForestClassifier(n_estimators=7),
        boosted=mw.BoostedTreesClassifier(n_estimators=7),
        tune=False,
        random_state=0,
    ),
}


def make_data(seed=0, n=160, n_classes=3):
    rng = np.random.default_rng(seed)
    number, letter = rng.normal(size=n), rng.integers(0, 4, n)
    score = number + 0.7 * (letter % 2) + rng.normal(size=n)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    X = {"number": number, "letter": np.array(list("abcd"))[letter]}
    X["number"] = np.where(rng.random(n) < 0.1, np.nan, number)
    return X, np.array(LABELS[:n_classes])[np.searchsorted(cuts, score)]


def with_costs(model, costs=COSTS):
    return clone(model).set_params(cost_matrix=costs)


NAMED_COSTS = {
    true: dict(zip(LABELS, row, strict=True))
    for true, row in zip(LABELS, COSTS.tolist(), strict=True)
}


@cache
def fitted(name):
    """A model of the data of `make_data` and the costs; tests do not change it."""
    return with_costs(MODELS[name], NAMED_COSTS).fit(*make_data())


@pytest.mark.parametrize("name", MODELS)
def test_the_class_of_least_expected_cost_is_predicted(name):
    (X, _), model = make_data(), fitted(name)
    expected = model.predict_proba(X) @ COSTS
    chosen = np.searchsorted(model.classes_, model.predict(X))
    least = expected.min(axis=1)
    assert np.allclose(expected[np.arange(len(chosen)), chosen], least, atol=1e-5)
    clear = np.sort(expected, axis=1)[:, 1] > least + 1e-5
    assert clear.sum() > 50
    assert (chosen[clear] == expected.argmin(axis=1)[clear]).all()


@pytest.mark.parametrize("name", MODELS)
def test_two_classes_have_a_threshold(name):
    X, y = make_data(n_classes=2)
    model = with_costs(MODELS[name], [[0, 1], [5, 0]]).fit(X, y)  # c01 = 1, c10 = 5
    second = model.predict_proba(X)[:, 1]
    clear = np.abs(second - 1 / 6) > 1e-5
    assert ((model.predict(X) == "mid") == (second > 1 / 6))[clear].all()


@pytest.mark.parametrize("name", MODELS)
def test_files_and_pickles_keep_costs(name, tmp_path):
    (X, _), model = make_data(), fitted(name)
    mw.save_model(model, tmp_path / "x.mw")
    for again in (mw.load_model(tmp_path / "x.mw"), pickle.loads(pickle.dumps(model))):
        assert (again.predict(X) == model.predict(X)).all()
        assert again.get_params()["cost_matrix"] == NAMED_COSTS
        for row in (0, 5):
            assert again.explain(X, row).prediction == model.predict(X)[row]


@pytest.mark.parametrize(
    "name", ["forest", "hard_forest", "random_ordinality", "grow_prune_forest", "adaboost"]
)
def test_explanations_of_votes_add_up(name):
    (X, _), model = make_data(), fitted(name)
    for row in range(8):
        why = model.explain(X, row)
        total = why.bias + why.contributions.sum(axis=0) + why.vote_adjustment
        assert np.allclose(total, model.predict_proba(X)[row])
    votes = model.predict_members(X)
    if model.voting == "hard" and name != "adaboost":
        shares = [(votes == label).mean(axis=1) for label in model.classes_]
        assert np.allclose(np.transpose(shares), model.predict_proba(X))


# The Gini criterion of three classes with costs is searched otherwise.
GINI = {"cart", "grow_prune", "refitted", "forest", "hard_forest", "grow_prune_forest", "ensemble"}


@pytest.mark.parametrize("name", sorted(MODELS.keys() - GINI))
def test_no_costs_and_equal_costs(name):
    X, y = make_data()
    plain, equal = clone(MODELS[name]).fit(X, y), with_costs(MODELS[name], 1 - np.eye(3)).fit(X, y)
    near = np.sort(plain.predict_proba(X), axis=1)
    clear = near[:, -1] > near[:, -2] + 1e-5
    assert np.allclose(plain.predict_proba(X), equal.predict_proba(X))
    assert (plain.predict(X) == equal.predict(X))[clear].all()


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1, 1], [1, 0, 1]], "one row for each true class"),
        ([[0, 1], [1]], "one row for each true class"),
        ([0, 1, 2], "one row for each true class"),
        ("cheap", "one row for each true class"),
        ([["0", "1"], ["1", "0"]], "one row for each true class"),
        ([[0, -1, 1], [1, 0, 1], [1, 1, 0]], "not negative"),
        ([[0, np.nan, 1], [1, 0, 1], [1, 1, 0]], "finite"),
        ([[0, np.inf, 1], [1, 0, 1], [1, 1, 0]], "finite"),
        ([[1, 1, 1], [1, 0, 1], [1, 1, 0]], "diagonal must be 0"),
        ([[0, 1e200, 1], [1, 0, 1], [1, 1, 0]], "at most 1e"),
        ({"low": {"low": 1}}, "diagonal must be 0"),
        ({"low": 5}, "mapping of predicted classes"),
        ({"low": {"mid": "5"}}, "must be numbers"),
    ],
)
def test_bad_costs_are_errors_before_data_are_read(costs, words):
    for name in ("tree", "forest", "boosted", "ensemble", "optimal", "grow_prune", "c45"):
        with pytest.raises(ValueError, match=words) as caught:
            with_costs(MODELS[name], costs).fit(None, None)
        assert f"'cost_matrix' parameter of {type(MODELS[name]).__name__}" in str(caught.value)


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1], [1, 0]], r"shape \(2, 2\), but y has 3 classes, 'low', 'mid', 'top'"),
        ({"low": {"mid": 1, "high": 2}}, "names the class 'high', which is not in y"),
        ({"none": {"mid": 1}}, "names the class 'none'"),
        ({"low": {"mid": 1, "top": 1}, "mid": {"low": 1, "top": 1}},
         "no cost of predicting 'low' if 'top' is true"),
    ],
)  # fmt: skip
def test_costs_of_other_classes_are_errors(costs, words):
    X, y = make_data()
    for name in ("tree", "hard_forest", "adaboost", "optimal"):
        with pytest.raises(ValueError, match=words):
            with_costs(MODELS[name], costs).fit(X, y)


def test_members_have_no_costs_of_their_own():
    X, y = make_data()
    with pytest.raises(ValueError, match=r"cost_matrix of estimator must be None"):
        mw.ForestClassifier(mw.TreeClassifier(cost_matrix=COSTS)).fit(X, y)
    with pytest.raises(ValueError, match=r"cost_matrix of forest must be None"):
        mw.EnsembleClassifier(forest=mw.ForestClassifier(cost_matrix=COSTS)).fit(X, y)


def test_labels_of_numbers_may_be_text():
    costs = read_cost_matrix({"0": {"1": 5}, 1: {"0": 2}}, np.array([0, 1]))
    assert costs.tolist() == [[0.0, 5.0], [2.0, 0.0]]


def test_ties_are_the_first_class():
    spec = TargetSpec(np.array(list("abc")), cost_matrix=COSTS)
    rng = np.random.default_rng(0)
    for scores in rng.dirichlet([0.5] * 3, 200):
        by_hand = [sum(scores[i] * COSTS[i, j] for i in range(3)) for j in range(3)]
        assert spec.decide(scores[None])[0] == int(np.argmin(by_hand))
    assert spec.decide(np.array([[1 / 6, 0.0, 5 / 6]]))[0] == 0
    even = TargetSpec(np.array(list("ab")), cost_matrix=np.array([[0.0, 1.0], [4.0, 0.0]]))
    assert even.decide(np.array([[0.8, 0.2], [0.79, 0.21]])).tolist() == [0, 1]


# Pruning


def test_the_path_of_pruning_is_that_of_costs():
    X, y = make_data(3)
    table, target = read_table(X), read_target(y, cost_matrix=COSTS)
    tree = grow(table, target, GrowSettings(criterion="entropy"))
    path = cost_complexity_path(tree)
    for alpha, n_leaves, risk in zip(path.ccp_alphas, path.n_leaves, path.risks, strict=True):
        pruned = path.tree(alpha)
        cost = target.total_cost(pruned.predict_codes(table))
        assert pruned.n_leaves == n_leaves
        assert np.isclose(cost / target.n_rows, risk)
    new, new_y = make_data(4)
    new, new_target = read_table(new, schema=table.schema), read_target(new_y, cost_matrix=COSTS)
    found = path_errors(path, new, new_target)
    by_hand = [new_target.total_cost(path.tree(a).predict_codes(new)) for a in path.ccp_alphas]
    assert np.allclose(found, by_hand)
    shrunk = path_errors(path, new, new_target, strengths=[0.0, 20.0])
    assert np.allclose(shrunk[0], found) and not np.allclose(shrunk[1], found)


def test_standard_errors_are_those_of_costs():
    X, y = make_data(5, n=300)
    pruner = Pruner("cost_complexity", shrinkage=False, n_repeats=1)
    model = mw.TreeClassifier(pruning=pruner, cost_matrix=COSTS).fit(X, y)
    path = model.pruning_path_
    assert (path.errors <= COSTS.max()).all() and (path.errors > 0).all()
    # Of the root alone all costs are known: one label for all rows.
    label = path.path.tree(np.inf).label[0]
    costs = COSTS[np.searchsorted(model.classes_, y), label]
    assert np.isclose(path.errors[-1], costs.mean(), rtol=0.3)
    assert np.isclose(path.standard_errors[-1], costs.std() / np.sqrt(len(y)), rtol=0.3)


def test_reduced_error_pruning_lowers_the_cost():
    X, y = make_data(6)
    table, target = read_table(X), read_target(y, cost_matrix=COSTS)
    tree = grow(table.take(np.arange(80)), target.take(np.arange(80)))
    held_out = table.take(np.arange(80, 160)), target.take(np.arange(80, 160))
    pruned = reduced_error(tree, *held_out)
    assert pruned.n_leaves < tree.n_leaves

    def cost(one):
        return held_out[1].total_cost(one.predict_codes(held_out[0]))

    assert cost(pruned) < cost(tree)
    inner = np.flatnonzero(np.diff(pruned.child_offset) > 0)
    for node in inner:  # no further cut is as good
        assert cost(pruned.prune_at([node])) > cost(pruned)


# Criteria


def gini_with_costs(groups):
    """The slow twin of the criterion: the decrease of sum(costs[x, y] * p[x] * p[y])."""
    costs = (COSTS + COSTS.T) / 2

    def impurity(counts):
        p = counts / counts.sum()
        return p @ costs @ p

    parts = sum(group.sum() / groups.sum() * impurity(group) for group in groups)
    return impurity(groups.sum(axis=0)) - parts


class CostGini(Criterion):
    many_groups = True

    def score(self, groups):
        return gini_with_costs(groups[groups.sum(axis=1) > 0])


@pytest.mark.parametrize("partitioner", ["exact", "natural_order", "multiway"])
def test_gini_with_costs_is_its_formula(partitioner):
    for seed in range(4):
        X, y = make_data(seed, n=60)
        X["number"] = np.nan_to_num(X["number"])
        table, target = read_table(X), read_target(y, cost_matrix=COSTS)
        settings = {"partitioner": partitioner, "selection": "score"}
        fast = grow(table, target, GrowSettings(criterion="gini", **settings))
        inner = np.flatnonzero(np.diff(fast.child_offset) > 0)
        assert len(inner) > 5 and (fast.statistics[inner] == 0).any()  # classes without rows
        for node in inner:
            parts = fast.statistics[fast.children_of(node)]
            assert np.isclose(fast.score[node], gini_with_costs(parts))
        # A criterion written in Python does not see classes without rows: the root only.
        slow = grow(table, target, GrowSettings(criterion=CostGini(), max_depth=1, **settings))
        assert fast.column[0] == slow.column[0] and np.isclose(fast.score[0], slow.score[0])


@pytest.mark.parametrize("partitioner", list(partitioners()))
@pytest.mark.parametrize("criterion", ["gini", "squared_gini"])
def test_all_searches_take_costs(criterion, partitioner):
    X, y = make_data(2, n=120)
    table, target = read_table(X), read_target(y, cost_matrix=COSTS)
    settings = GrowSettings(criterion=criterion, partitioner=partitioner)
    if partitioner == "two_class_order":
        with pytest.raises(ValueError, match="3 classes are present"):
            grow(table, target, settings)
        return
    tree = grow(table, target, settings)
    assert tree.n_leaves > 20
    assert np.isfinite(tree.score).all() and (tree.score >= 0).all()


def test_costs_of_two_classes_do_not_change_gini():
    X, y = make_data(1, n_classes=2)
    table = read_table(X)
    plain = grow(table, read_target(y))
    costly = grow(table, read_target(y, cost_matrix=[[0, 1], [5, 0]]))
    assert np.array_equal(plain.column, costly.column)
    assert np.array_equal(plain.score, costly.score)


def test_growing_and_pruning_uses_costs():
    """Costs are as low as a single split by cost can make them on most samples."""
    costs, plain_cost, cost = np.array([[0, 1.0], [8.0, 0]]), 0.0, 0.0
    new, new_y = make_data(99, n=2000, n_classes=2)
    codes = np.unique(new_y, return_inverse=True)[1]
    for seed in range(8):
        X, y = make_data(seed, n=200, n_classes=2)
        model = mw.GrowPruneTreeClassifier(random_state=0)
        plain_cost += costs[
            codes, np.searchsorted(["low", "mid"], model.fit(X, y).predict(new))
        ].mean()
        model.set_params(cost_matrix=costs).fit(X, y)
        cost += costs[codes, np.searchsorted(["low", "mid"], model.predict(new))].mean()
    assert cost < 0.7 * plain_cost
