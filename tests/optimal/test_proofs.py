"""A proof is one for the weights that were given."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mixedwood import NoTreeError
from mixedwood.data import read_table, read_target
from mixedwood.estimators.optimal_parameters import read_optimal_parameters
from mixedwood.optimal.building import answers_of
from mixedwood.optimal.search import make_search
from optimal_instances import free_leaves
from weighted_problems import SEARCHES, check

HOW = {"binary": {}, "all": {"splits": "all"}, "every_split": {"binarize": "every_split"}}
searches = pytest.mark.parametrize("how", HOW.values(), ids=HOW)


@pytest.mark.parametrize("search", SEARCHES)
def test_no_false_proof_among_all_trees(search):
    """`tools/check_proofs.py` tries many more."""
    found = [check(seed, search) for seed in range(400)]
    apart = [proven for is_apart, proven in found if is_apart]
    assert len(apart) > 200 and np.mean(apart) > 0.99


@searches
def test_light_rows_decide_where_a_heavy_one_does_not(how):
    X, y = {"a": [0, 1, 0, 0], "b": [0, 0, 1, 1]}, [0, 1, 1, 1]
    weights = [1000, 9e-3, 1e-3, 1e-3]
    model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    assert model.optimal_ and model.gap_ == 0
    assert model.cost_ == model.lower_bound_ == 2e-3


@searches
@pytest.mark.parametrize("leaf_cost", [0.0, 0.01])
@pytest.mark.parametrize(
    "kind", ["none", "equal", "whole", "large", "balanced", "tenths", "float32"]
)
def test_weights_of_common_kinds_are_proven(how, leaf_cost, kind):
    rng = np.random.default_rng(7)
    n_rows = 120
    X = {"a": rng.integers(0, 4, n_rows), "b": rng.integers(0, 3, n_rows), "c": rng.random(n_rows)}
    y = np.minimum((X["a"] > 1) + 2 * (rng.random(n_rows) < 0.2), 2)
    weights = {
        "equal": np.full(n_rows, 0.3),
        "whole": rng.integers(1, 1000, n_rows),
        "large": rng.integers(1, 10**12, n_rows),
        "tenths": rng.integers(1, 30, n_rows) / 10,
        "float32": rng.random(n_rows).astype(np.float32),
    }.get(kind)
    model = free_leaves(2, leaf_cost=leaf_cost, n_bins=4, **how)
    model.set_params(class_weight="balanced" if kind == "balanced" else None)
    model.fit(X, y, sample_weight=weights)
    assert model.optimal_ and model.lower_bound_ == model.cost_
    if kind == "balanced":
        weights = (n_rows / (3 * np.bincount(y)))[y]
    given = [Fraction(1)] * n_rows if weights is None else [Fraction(float(w)) for w in weights]
    wrong = sum(w for w, bad in zip(given, model.predict(X) != y, strict=True) if bad)
    cost = wrong + Fraction(leaf_cost) * sum(given) * model.get_n_leaves()
    assert model.cost_ == float(cost)


@searches
def test_a_bound_where_no_proof_is_possible_is_close(how):
    """Two rows that no sum can tell apart: as heavy as the rest, and one part in 1e20 more."""
    X = {"a": [0, 0, 1, 1, 0], "b": [0, 1, 0, 1, 1]}
    y, weights = [0, 0, 1, 0, 1], [1 / 3, 1 / 7, 2 / 3, 1 / 11, 1e-20 / 3]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    wrong = model.predict(X) != y
    assert model.cost_ == pytest.approx(np.sum(np.array(weights)[wrong]), rel=1e-15)
    assert model.lower_bound_ <= model.cost_ and model.gap_ < 1e-12
    assert model.optimal_ == (not caught)


@searches
def test_a_proof_that_rounding_forbids_is_not_given(how):
    """Columns a and b err on rows of equal weight, but for what is lost beside a heavy row."""
    X = {"a": [0, 0, 1, 1, 0, 1], "b": [0, 0, 1, 0, 1, 1], "c": [0, 1, 1, 0, 1, 0]}
    y = [0, 0, 1, 1, 1, 1]
    weights = [1e30, 1e30, 1e30, 1e-3 / 3, 1e-3 / 3 + 1e-12, 1e30]
    with pytest.warns(ConvergenceWarning, match="too different to be added up exactly"):
        model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    assert not model.optimal_ and model.proof_.status == "rounding"
    assert 0 <= model.lower_bound_ < model.cost_ < 1e-3


@searches
@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("leaf_cost", [0.0, 0.01])
@pytest.mark.parametrize("weight", [5e-324, 1e-320, 1e-300, 1e300])
def test_weights_at_the_ends_of_floats(how, tune, leaf_cost, weight):
    X = {"a": [0, 1, 0, 1, 0, 1, 0, 1] * 2, "b": ["x", "y", "y", "x"] * 4}
    y = [0, 1, 1, 1, 0, 1, 0, 0] * 2
    plain = free_leaves(2, leaf_cost=leaf_cost, tune=tune, n_folds=3, **how).fit(X, y)
    model = free_leaves(2, leaf_cost=leaf_cost, tune=tune, n_folds=3, **how)
    model.fit(X, y, sample_weight=np.full(16, weight))
    assert model.optimal_ and model.tree_.to_text().count("\n") == plain.tree_.to_text().count("\n")
    assert model.cost_ == float(Fraction(weight) * Fraction(plain.cost_).limit_denominator(10**6))
    if tune:
        assert [t.error for t in model.tried_] == [t.error for t in plain.tried_]


@searches
def test_an_upper_bound_is_one_for_the_weights_given(how):
    rng = np.random.default_rng(3)
    X = {"a": rng.integers(0, 3, 40), "b": rng.integers(0, 4, 40)}
    y, weights = rng.integers(0, 2, 40), 10.0 ** rng.uniform(-5, 5, 40)
    best = free_leaves(2, leaf_cost=1e-4, **how).fit(X, y, sample_weight=weights)
    assert best.optimal_
    model = free_leaves(2, leaf_cost=1e-4, upper_bound=best.cost_, **how)
    assert model.fit(X, y, sample_weight=weights).cost_ == best.cost_
    for below in (1 - 1e-9, 0.5, 0):
        model = free_leaves(2, leaf_cost=1e-4, upper_bound=best.cost_ * below, **how)
        with pytest.raises(NoTreeError):
            model.fit(X, y, sample_weight=weights)


@searches
@pytest.mark.parametrize("seconds", [0.0, 1e-4, 1e-3, 5e-3])
def test_a_search_that_is_stopped_gives_bounds_for_the_weights_given(how, seconds):
    rng = np.random.default_rng(5)
    table = read_table(rng.normal(size=(150, 5)).round(1))
    target = read_target(rng.integers(0, 3, 150), rng.lognormal(0, 2, 150))
    model = free_leaves(3, n_bins=4, leaf_cost=0.001, **how)
    settings = read_optimal_parameters(model).settings_for(150)
    _, sure = make_search(table, target, settings).solve(3, -1)
    skeleton, proof = make_search(table, target, settings).solve(3, -1, time_limit=seconds)
    assert sure.optimal and (seconds > 0 or proof.status == "time_limit")
    assert 0 <= proof.lower_bound <= sure.cost <= proof.cost
    leaves = answers_of(skeleton, table)
    counts = np.zeros((len(skeleton), 3))
    np.add.at(counts, (leaves, target.codes), target.weights)
    wrong = (counts.sum(1) - counts.max(1)).sum()
    price = 0.001 * target.weights.sum() * len(np.unique(leaves))
    assert proof.cost == pytest.approx(wrong + price, rel=1e-13)


def test_weights_too_different_to_decide_about_an_upper_bound_are_named():
    X, y = {"a": [0, 1, 0, 1, 0], "b": [0, 1, 1, 0, 1]}, [0, 1, 1, 1, 0]
    weights = [1e30, 1e30, 1e-3 / 3, 1e-3 / 7, 1e-3 / 11]
    with pytest.raises(ValueError, match="too different to tell whether a tree has a cost of"):
        free_leaves(1, upper_bound=1e-6).fit(X, y, sample_weight=weights)
