"""Small problems whose weights differ by far, against every tree there is, in exact fractions."""

import warnings
from fractions import Fraction

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mixedwood import OptimalTreeClassifier, UnknownCategoryWarning
from mixedwood.preprocessing import FeatureBinarizer
from reference import optimal_all, rebinarise
from reference.exact_trees import two_least

SEARCHES = ["binary", "all", "every_split"]
STEP = Fraction(1, 10**9)  # costs that differ by more of all weight are told apart


def any_table(rng, n_rows):
    """Columns as users have them, and as the twins want them: kind, values, None for a gap."""
    X, columns = {}, []
    for j in range(rng.integers(1, 4)):
        nominal = rng.random() < 0.4
        values = rng.integers(0, 3 if nominal else 4, n_rows)
        gaps = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.0, 0.25])
        known = [None if gap else int(v) for v, gap in zip(values, gaps, strict=True)]
        columns.append(("nominal" if nominal else "number", known))
        X[f"c{j}"] = (
            np.array([None if v is None else "abc"[v] for v in known], dtype=object)
            if nominal
            else np.array([np.nan if v is None else float(v) for v in known])
        )
    return X, columns


def any_weights(rng, n_rows):
    """Mostly from 1e-12 to 1e12 on a logarithmic scale; also alike, in clusters, and zeros."""
    kind = rng.choice(["far", "far", "far", "alike", "clusters", "whole"])
    if kind == "whole":
        weights = rng.integers(1, 10 ** int(rng.integers(1, 13)), n_rows).astype(float)
    elif kind == "alike":
        weights = rng.random(n_rows) + 0.1
    elif kind == "clusters":
        weights = 10.0 ** (rng.integers(-2, 3, n_rows) * 6) * (1 + 1e-9 * rng.random(n_rows))
    else:
        weights = 10.0 ** rng.uniform(-12, 12, n_rows)
    if rng.random() < 0.15:
        weights[rng.random(n_rows) < 0.3] = 0.0
        weights[0] = 1.0
    return weights


def divisions(search, X, columns, classes, kept, parts):
    """How tests divide rows, as the reference of each search does it."""
    if search == "all":
        return lambda rows: {
            yes for kind, values in columns for yes in optimal_all.sides(kind, values, rows)
        }
    if search == "binary":
        inside = {name: cells[kept] for name, cells in X.items()}
        matrix = FeatureBinarizer(**parts).fit_transform(inside, classes[kept])
        members = np.flatnonzero(kept)
        yes = [frozenset(members[column].tolist()) for column in matrix.T]
        return lambda rows: {rows & answer for answer in yes}
    place = {int(row): i for i, row in enumerate(np.flatnonzero(kept))}
    rows_of = {i: row for row, i in place.items()}
    arrays, kinds = [], ""
    for kind, values in columns:
        inside = [v for v, there in zip(values, kept, strict=True) if there]
        kinds += "c" if kind == "nominal" else "n"
        arrays.append(
            np.array([-1 if v is None else v for v in inside], dtype=np.int32)
            if kind == "nominal"
            else np.array([np.nan if v is None else v for v in inside], dtype=float)
        )
    settings = {
        "method": parts["discretizer"],
        "n_bins": parts["n_bins"],
        "encoding": parts["encoding"],
        "max_subset_values": 8,
        "binarize_at": "node",
    }
    codes = np.unique(classes[kept], return_inverse=True)[1].tolist()
    fixed = rebinarise.fixed_cuts(arrays, kinds, codes, settings)

    def divide(rows):
        inside = sorted(place[row] for row in rows)
        found = rebinarise.sides_of(inside, arrays, kinds, codes, settings, fixed)
        return {frozenset(rows_of[i] for i in yes) for yes in found}

    return divide


def check(seed, search):
    """Compare one random problem with all its trees.

    Returns whether the two least costs differ by more than a step, and whether a proof was found.
    """
    rng = np.random.default_rng([seed, SEARCHES.index(search)])
    n_rows = int(rng.integers(2, 9))
    X, columns = any_table(rng, n_rows)
    y = rng.integers(0, rng.integers(2, 4), n_rows)
    weights = any_weights(rng, n_rows)
    ccp_alpha = float(rng.choice([0.0, 0.0, 0.01, 0.1, 1e-6, 10 ** rng.uniform(-12, -1)]))
    depth, nodes = int(rng.choice([0, 1, 2, 2, 3])), rng.choice([None, None, 0, 1, 2, 3])
    min_leaf = int(rng.choice([1, 1, 1, 2, 3]))
    parts = {
        "discretizer": "equal_frequency",
        "n_bins": int(rng.integers(2, 5)),
        "encoding": str(rng.choice(["thresholds", "one_hot", "subsets"])),
    }
    how = {"all": {"binarizer": "passthrough"}, "every_split": {"binarize_at": "node"}}.get(
        search, {}
    )
    model = OptimalTreeClassifier(
        max_depth=depth,
        max_leaf_nodes=None if nodes is None else int(nodes) + 1,
        ccp_alpha=ccp_alpha,
        min_samples_leaf=min_leaf,
        **({"binarizer": FeatureBinarizer(**parts)} | how),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=weights)

    exact = [Fraction(w) for w in weights]
    total = sum(exact)
    leaf = Fraction(ccp_alpha) * total
    divide = divisions(search, X, columns, y, weights > 0, parts)
    most = 2**depth - 1 if nodes is None else int(nodes)
    costs = two_least(divide, y.tolist(), exact, depth, most, leaf, min_leaf)
    with warnings.catch_warnings():
        # Rows without weight are not learned from, and may hold categories of their own.
        warnings.simplefilter("ignore", UnknownCategoryWarning)
        answers = model.predict(X)
    wrong = sum(w for w, bad in zip(exact, answers != y, strict=True) if bad)
    cost = wrong + leaf * model.get_n_leaves()
    assert model.objective_value_ == float(cost), "the cost is not that of the tree"
    assert cost >= costs[0], "the twin has missed a tree"
    if model.optimal_:
        assert cost == costs[0], f"false proof: {float(cost)}, and {float(costs[0])} is best"
        assert model.lower_bound_ == model.objective_value_ and model.gap_ == 0
    else:
        assert Fraction(model.lower_bound_) <= costs[0], "false bound"
        assert model.lower_bound_ < model.objective_value_ and 0 < model.gap_ <= 1
        assert cost - costs[0] <= STEP * total, "far from the best"
    apart = len(costs) == 1 or costs[1] - costs[0] > STEP * total
    return apart, model.optimal_
