"""Optimal trees with costs of mistakes, against every tree there is."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mixedwood import OptimalTreeClassifier
from mixedwood.data import read_target
from mixedwood.optimal.problem import ExactObjective
from mixedwood.preprocessing import FeatureBinarizer
from reference.exact_trees import two_least
from support.weighted_problems import SEARCHES, any_table, divisions


def any_costs(rng, n_classes):
    """Integers with zeros among them, tenths, or any numbers; sometimes a class costs nothing."""
    kind = rng.choice(["integers", "integers", "tenths", "any"])
    if kind == "any":
        costs = rng.random((n_classes, n_classes)) * 10.0 ** rng.integers(-3, 4)
    else:
        costs = rng.integers(0, 10, (n_classes, n_classes)) / (10 if kind == "tenths" else 1)
    if rng.random() < 0.1:
        costs[rng.integers(n_classes)] = 0.0
    np.fill_diagonal(costs, 0.0)
    return costs


def check(seed, search):
    """Compare one random problem with all its trees."""
    rng = np.random.default_rng([seed, SEARCHES.index(search)])
    n_rows = int(rng.integers(2, 11))
    X, columns = any_table(rng, n_rows)
    y = np.unique(rng.integers(0, rng.integers(2, 5), n_rows), return_inverse=True)[1]
    n_classes = int(y.max()) + 1
    costs = any_costs(rng, n_classes)
    weights = {"none": np.ones(n_rows), "whole": rng.integers(1, 5, n_rows).astype(float)}.get(
        str(rng.choice(["none", "whole", "any"])), rng.random(n_rows) + 0.1
    )
    ccp_alpha = float(rng.choice([0.0, 0.0, 0.01, 0.1, rng.random() / 10]))
    depth, splits = int(rng.choice([0, 1, 2, 2, 3])), rng.choice([None, None, 1, 2, 3])
    min_leaf = int(rng.choice([1, 1, 2, 3]))
    parts = {
        "discretizer": "equal_frequency",
        "n_bins": int(rng.integers(2, 5)),
        "encoding": str(rng.choice(["thresholds", "one_hot", "subsets"])),
    }
    how = {"all": {"binarizer": "passthrough"}, "every_split": {"binarize_at": "node"}}
    model = OptimalTreeClassifier(
        max_depth=depth,
        max_leaf_nodes=None if splits is None else int(splits) + 1,
        ccp_alpha=ccp_alpha,
        min_samples_leaf=min_leaf,
        cost_matrix=costs,
        **({"binarizer": FeatureBinarizer(**parts)} | how.get(search, {})),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=weights)
    exact = [Fraction(w) for w in weights]
    mistakes = [[Fraction(c) for c in row] for row in costs.tolist()]
    leaf = Fraction(ccp_alpha) * sum(w * max(mistakes[i]) for w, i in zip(exact, y, strict=True))
    divide = divisions(search, X, columns, y, weights > 0, parts)
    most = 2**depth - 1 if splits is None else int(splits)
    least = two_least(divide, y.tolist(), exact, depth, most, leaf, min_leaf, mistakes)[0]
    predicted = model.predict(X)
    cost = sum(w * mistakes[i][j] for w, i, j in zip(exact, y, predicted, strict=True))
    cost += leaf * model.get_n_leaves()
    unit = sum(exact) * Fraction(costs.max()) + cost
    assert abs(Fraction(model.objective_value_) - cost) <= unit / 10**12
    assert cost >= least, "the twin has missed a tree"
    assert cost - least <= unit / 10**9, f"{float(least)} is best, not {float(cost)}"
    if model.optimal_:
        # Costs such as tenths are taken as the fractions that they approximate.
        assert cost - least <= unit / 10**12, f"false proof: {float(cost)}, {float(least)} is best"
        assert model.lower_bound_ == model.objective_value_
    else:
        assert Fraction(model.lower_bound_) <= least, "false bound"
    return model.optimal_


@pytest.mark.parametrize("search", SEARCHES)
def test_every_tree_is_tried(search):
    proven = [check(seed, search) for seed in range(100)]
    assert np.mean(proven) > 0.95


@pytest.mark.long
@pytest.mark.parametrize("search", SEARCHES)
def test_every_tree_is_tried_at_length(search):
    proven = [check(seed, search) for seed in range(100, 800)]
    assert np.mean(proven) > 0.95


@pytest.mark.parametrize("seed", range(10))
def test_costs_of_two_classes_are_weights(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60)
    model = OptimalTreeClassifier(max_depth=3, cost_matrix=[[0, 2], [7, 0]])
    weighted = OptimalTreeClassifier(max_depth=3, class_weight={0: 2, 1: 7})
    assert model.fit(X, y).objective_value_ == weighted.fit(X, y).objective_value_
    assert (model.predict(X) == weighted.predict(X)).all()


def test_unit_costs_are_errors():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (80, 4)), rng.integers(0, 3, 80)
    for how in ({}, {"binarizer": "passthrough"}, {"binarize_at": "node"}):
        plain = OptimalTreeClassifier(max_depth=2, min_samples_leaf=5, **how)
        costly = OptimalTreeClassifier(
            max_depth=2, min_samples_leaf=5, cost_matrix=1 - np.eye(3), **how
        )
        assert plain.fit(X, y).objective_value_ == costly.fit(X, y).objective_value_


def test_copies_of_rows_add_up_to_costs():
    costs = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    target = read_target([0, 1, 2, 1], [1.0, 0.5, 3.0, 1.0], cost_matrix=costs)
    for equal_copies in (False, True):
        objective = ExactObjective(target, 0.25, equal_copies=equal_copies)
        assert objective.leaf == Fraction(1, 4) * (4 + Fraction(3, 2) + 3)
        if equal_copies:
            assert set(np.bincount(objective.rows)) == {objective.n_copies}
        # A leaf for rows 0 and 1, which predicts class 0 or 1 at the same cost, and one for others.
        found = objective.of(np.array([0, 0, 1, 1])).value - objective.offset
        assert found == Fraction(1) + 2 * objective.leaf


def test_upper_bounds_are_costs():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 3, (60, 3)), rng.integers(0, 3, 60)
    costs = [[0, 1, 5], [2, 0, 1], [9, 3, 0]]
    model = OptimalTreeClassifier(max_depth=2, ccp_alpha=0.0, cost_matrix=costs).fit(X, y)
    least = model.objective_value_
    model.set_params(upper_bound=least).fit(X, y)
    assert model.optimal_ and model.objective_value_ == least
    with pytest.raises(ValueError, match=r"No tree of depth 2"):
        model.set_params(upper_bound=least - 1).fit(X, y)


def test_sizes_are_chosen_by_cost():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (90, 3)), rng.integers(0, 3, 90)
    costs = np.array([[0, 1, 9], [1, 0, 9], [1, 1, 0.0]])
    model = OptimalTreeClassifier(max_depth=2, tune=True, cv=3, cost_matrix=costs).fit(X, y)
    scores = model.cv_results_["mean_test_score"]
    assert (scores <= 0).all() and (scores >= -9).all()
    assert model.cv_results_["rank_test_score"][np.argmax(scores)] == 1
