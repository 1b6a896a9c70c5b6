"""A proof is one for the weights that were given."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mixedwood import InfeasibleError
from mixedwood.data import read_table, read_target
from mixedwood.optimal.build import apply_splits
from mixedwood.optimal.solvers import make_solver
from mixedwood.preprocessing import FeatureBinarizer
from support.cases import cases
from support.optimal_instances import free_leaves
from support.weighted_problems import SEARCHES, check

HOW = {"binary": {}, "all": {"binarizer": "passthrough"}, "node": {"binarize_at": "node"}}
FOUR_BINS = {"binarizer": FeatureBinarizer(n_bins=4)}
searches = pytest.mark.parametrize("how", HOW.values(), ids=HOW)


@pytest.mark.parametrize("search", SEARCHES)
def test_no_false_proof_among_all_trees(search):
    """`tools/check_proofs.py` tries many more."""
    found = [check(seed, search) for seed in range(cases(400))]
    apart = [proven for is_apart, proven in found if is_apart]
    assert len(apart) > len(found) / 2 and np.mean(apart) > 0.99


@searches
def test_light_rows_decide_where_a_heavy_one_does_not(how):
    X, y = {"a": [0, 1, 0, 0], "b": [0, 0, 1, 1]}, [0, 1, 1, 1]
    weights = [1000, 9e-3, 1e-3, 1e-3]
    model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    assert model.optimal_ and model.gap_ == 0
    assert model.objective_value_ == model.lower_bound_ == 2e-3


@searches
@pytest.mark.parametrize("ccp_alpha", [0.0, 0.01])
@pytest.mark.parametrize(
    "kind", ["none", "equal", "whole", "large", "balanced", "tenths", "float32"]
)
def test_weights_of_common_kinds_are_proven(how, ccp_alpha, kind):
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
    model = free_leaves(2, ccp_alpha=ccp_alpha, **(FOUR_BINS | how))
    model.set_params(class_weight="balanced" if kind == "balanced" else None)
    model.fit(X, y, sample_weight=weights)
    assert model.optimal_ and model.lower_bound_ == model.objective_value_
    if kind == "balanced":
        weights = (n_rows / (3 * np.bincount(y)))[y]
    given = [Fraction(1)] * n_rows if weights is None else [Fraction(float(w)) for w in weights]
    wrong = sum(w for w, bad in zip(given, model.predict(X) != y, strict=True) if bad)
    cost = wrong + Fraction(ccp_alpha) * sum(given) * model.get_n_leaves()
    assert model.objective_value_ == float(cost)


@searches
def test_a_bound_where_no_proof_is_possible_is_close(how):
    """Two rows that no sum can tell apart: as heavy as the rest, and one part in 1e20 more."""
    X = {"a": [0, 0, 1, 1, 0], "b": [0, 1, 0, 1, 1]}
    y, weights = [0, 0, 1, 0, 1], [1 / 3, 1 / 7, 2 / 3, 1 / 11, 1e-20 / 3]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    wrong = model.predict(X) != y
    assert model.objective_value_ == pytest.approx(np.sum(np.array(weights)[wrong]), rel=1e-15)
    assert model.lower_bound_ <= model.objective_value_ and model.gap_ < 1e-12
    assert model.optimal_ == (not caught)


@searches
def test_a_proof_that_rounding_forbids_is_not_given(how):
    """Columns a and b err on rows of equal weight, but for what is lost beside a heavy row."""
    X = {"a": [0, 0, 1, 1, 0, 1], "b": [0, 0, 1, 0, 1, 1], "c": [0, 1, 1, 0, 1, 0]}
    y = [0, 0, 1, 1, 1, 1]
    weights = [1e30, 1e30, 1e30, 1e-3 / 3, 1e-3 / 3 + 1e-12, 1e30]
    with pytest.warns(ConvergenceWarning, match="differ too much to be added exactly"):
        model = free_leaves(1, **how).fit(X, y, sample_weight=weights)
    assert not model.optimal_ and model.proof_.status == "rounding"
    assert 0 <= model.lower_bound_ < model.objective_value_ < 1e-3


@searches
@pytest.mark.parametrize("tune", [False, True])
@pytest.mark.parametrize("ccp_alpha", [0.0, 0.01])
@pytest.mark.parametrize("weight", [5e-324, 1e-320, 1e-300, 1e300])
def test_weights_at_the_ends_of_floats(how, tune, ccp_alpha, weight):
    X = {"a": [0, 1, 0, 1, 0, 1, 0, 1] * 2, "b": ["x", "y", "y", "x"] * 4}
    y = [0, 1, 1, 1, 0, 1, 0, 0] * 2
    plain = free_leaves(2, ccp_alpha=ccp_alpha, tune=tune, cv=3, **how).fit(X, y)
    model = free_leaves(2, ccp_alpha=ccp_alpha, tune=tune, cv=3, **how)
    model.fit(X, y, sample_weight=np.full(16, weight))
    assert model.optimal_ and model.tree_.to_text().count("\n") == plain.tree_.to_text().count("\n")
    assert model.objective_value_ == float(
        Fraction(weight) * Fraction(plain.objective_value_).limit_denominator(10**6)
    )
    if tune:
        scores = [one.cv_results_["mean_test_score"].tolist() for one in (model, plain)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-15)


@searches
def test_an_upper_bound_is_one_for_the_weights_given(how):
    rng = np.random.default_rng(3)
    X = {"a": rng.integers(0, 3, 40), "b": rng.integers(0, 4, 40)}
    y, weights = rng.integers(0, 2, 40), 10.0 ** rng.uniform(-5, 5, 40)
    best = free_leaves(2, ccp_alpha=1e-4, **how).fit(X, y, sample_weight=weights)
    assert best.optimal_
    model = free_leaves(2, ccp_alpha=1e-4, upper_bound=best.objective_value_, **how)
    assert model.fit(X, y, sample_weight=weights).objective_value_ == best.objective_value_
    for below in (1 - 1e-9, 0.5, 0):
        model = free_leaves(2, ccp_alpha=1e-4, upper_bound=best.objective_value_ * below, **how)
        with pytest.raises(InfeasibleError):
            model.fit(X, y, sample_weight=weights)


@searches
@pytest.mark.parametrize("seconds", [0.0, 1e-4, 1e-3, 5e-3])
def test_a_search_that_is_stopped_gives_bounds_for_the_weights_given(how, seconds):
    rng = np.random.default_rng(5)
    table = read_table(rng.normal(size=(150, 5)).round(1))
    target = read_target(rng.integers(0, 3, 150), rng.lognormal(0, 2, 150))
    model = free_leaves(3, ccp_alpha=0.001, **(FOUR_BINS | how))
    settings = model._settings(150)
    _, sure = make_solver(table, target, settings).solve(3, None)
    splits, proof = make_solver(table, target, settings).solve(3, None, time_limit=seconds)
    assert sure.optimal and (seconds > 0 or proof.status == "time_limit")
    assert 0 <= proof.lower_bound <= sure.objective_value <= proof.objective_value
    leaves = apply_splits(splits, table)
    counts = np.zeros((len(splits), 3))
    np.add.at(counts, (leaves, target.codes), target.weights)
    wrong = (counts.sum(1) - counts.max(1)).sum()
    price = 0.001 * target.weights.sum() * len(np.unique(leaves))
    assert proof.objective_value == pytest.approx(wrong + price, rel=1e-13)


def test_weights_too_different_to_decide_about_an_upper_bound_are_named():
    X, y = {"a": [0, 1, 0, 1, 0], "b": [0, 1, 1, 0, 1]}, [0, 1, 1, 1, 0]
    weights = [1e30, 1e30, 1e-3 / 3, 1e-3 / 7, 1e-3 / 11]
    with pytest.raises(
        ValueError, match="differ too much to decide whether a tree has an objective of"
    ):
        free_leaves(1, upper_bound=1e-6).fit(X, y, sample_weight=weights)
