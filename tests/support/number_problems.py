"""Small problems with numbers and weights of all sizes, against every tree there is."""

import warnings
from fractions import Fraction

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mixedwood import InfeasibleError, OptimalTreeRegressor, UnknownCategoryWarning
from mixedwood.preprocessing import FeatureBinarizer
from reference.exact_number_trees import least, objective, squared_error
from support.weighted_problems import any_table, any_weights, divisions

SEARCHES = ["binary", "all"]
CLOSE = Fraction(1, 10**8)  # of the squares about the mean: what rounding may leave open


def any_numbers(rng, n_rows):
    """Whole numbers, fractions, far from 0, far apart, alike, huge and tiny."""
    kind = rng.choice(["whole", "normal", "normal", "offset", "far", "constant", "huge", "tiny"])
    if kind == "whole":
        return rng.integers(-3, 4, n_rows).astype(float)
    if kind == "constant":
        return np.full(n_rows, rng.normal())
    values = rng.normal(size=n_rows)
    if kind == "offset":
        return 1e6 + np.round(values, 2)
    if kind == "far":
        return values * 10.0 ** rng.integers(-6, 7, n_rows)
    return values * {"normal": 1.0, "huge": 1e140, "tiny": 1e-140}[kind]


def moderate_weights(rng, n_rows):
    """None, whole numbers with zeros, or fractions; sometimes far apart."""
    kind = rng.choice(["none", "whole", "fractions", "any"])
    if kind == "none":
        return None
    if kind == "any":
        return any_weights(rng, n_rows)
    weights = rng.integers(0, 4, n_rows) if kind == "whole" else rng.random(n_rows) + 0.01
    weights = weights.astype(float)
    weights[0] += 1
    return weights


def check(seed, search):
    """Compare one random problem with all its trees; whether a proof was found."""
    rng = np.random.default_rng([seed, SEARCHES.index(search), 7])
    n_rows = int(rng.integers(2, 9))
    X, columns = any_table(rng, n_rows)
    if rng.random() < 0.3:  # rows with equal cells
        again = rng.integers(0, n_rows, n_rows)
        X = {name: cells[again] for name, cells in X.items()}
        columns = [(kind, [values[i] for i in again]) for kind, values in columns]
    y, weights = any_numbers(rng, n_rows), moderate_weights(rng, n_rows)
    ccp_alpha = float(rng.choice([0.0, 0.0, 0.01, 0.1, 1e-6]))
    depth, nodes = int(rng.choice([0, 1, 2, 2, 3, 3, 4])), rng.choice([None, None, 0, 1, 2, 3, 4])
    min_leaf = int(rng.choice([1, 1, 1, 2, 3]))
    parts = {
        "n_bins": int(rng.integers(2, 5)),
        "encoding": str(rng.choice(["thresholds", "one_hot", "multi_hot", "subsets"])),
    }
    model = OptimalTreeRegressor(
        max_depth=depth,
        max_leaf_nodes=None if nodes is None else int(nodes) + 1,
        ccp_alpha=ccp_alpha,
        min_samples_leaf=min_leaf,
        binarizer="passthrough" if search == "all" else FeatureBinarizer(**parts),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=weights)

    values = [Fraction(v) for v in y]
    exact = [Fraction(1)] * n_rows if weights is None else [Fraction(w) for w in weights]
    kept = np.ones(n_rows, dtype=bool) if weights is None else weights > 0
    total = squared_error(np.flatnonzero(kept), values, exact)
    leaf = Fraction(ccp_alpha) * total
    codes = np.arange(n_rows)  # of the twins for classes, which do not look at them here
    divide = divisions(search, X, columns, codes, kept, parts)
    most = 2**depth - 1 if nodes is None else int(nodes)
    lowest = least(divide, values, exact, depth, most, leaf, min_leaf)
    with warnings.catch_warnings():
        # Rows without weight are not learned from, and may hold categories of their own.
        warnings.simplefilter("ignore", UnknownCategoryWarning)
        leaves = model.apply(X).tolist()
    cost = objective(leaves, values, exact, leaf)
    assert model.objective_value_ == float(cost), "the cost is not that of the tree"
    assert cost >= lowest, "the twin has missed a tree"
    assert Fraction(model.lower_bound_) <= lowest or model.lower_bound_ == float(lowest), (
        "false bound"
    )
    assert model.proof_.status in ("optimal", "rounding")
    if model.optimal_:
        assert cost - lowest <= CLOSE * total, "false proof"
    counts = np.bincount(np.array(leaves)[kept])
    assert counts[counts > 0].min() >= min(min_leaf, kept.sum())
    if lowest > 0 and seed % 3 == 0:
        _check_bounds(model, X, y, weights, lowest, cost)
    return model.optimal_


def _check_bounds(model, X, y, weights, lowest, cost):
    """No tree is promised below the least cost, and one above it is found."""
    try:
        model.set_params(upper_bound=float(lowest) * 0.9).fit(X, y, sample_weight=weights)
    except InfeasibleError:
        pass
    except ValueError as error:
        assert "differ too much" in str(error)
    else:
        raise AssertionError("a tree that does not exist")
    if model.optimal_:
        model.set_params(upper_bound=float(cost) * 1.1).fit(X, y, sample_weight=weights)
        assert model.objective_value_ <= float(cost) * 1.1
