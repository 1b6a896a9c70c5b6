"""Optimal trees on tables of all kinds against their slow twins, through the estimator.

What a tree answers in original terms must cost what the search counted, gaps and weights included.
"""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mixedwood import InfeasibleError, UnknownCategoryWarning
from mixedwood.optimal import Proof
from mixedwood.preprocessing import FeatureBinarizer
from reference.optimal import solve
from reference.optimal_all import best_cost
from support.optimal_instances import free_leaves

ENCODINGS = ["thresholds", "one_hot", "multi_hot", "subsets"]
DISCRETIZERS = ["equal_frequency", "equal_width", "mdlp", "caim"]
UNIT = 1 / 840  # all weights and leaf costs below are whole numbers of it, or nearly


def any_column(rng, n_rows):
    """A column as users have them, and as the twin wants it: kind and values, None for a gap."""
    kind = str(rng.choice(["number", "nominal", "ordinal", "bool"]))
    gaps = rng.random(n_rows) < rng.choice([0.0, 0.0, 0.2])
    if kind == "number":
        cells = (
            rng.normal(size=n_rows).round(int(rng.integers(0, 2))).astype(rng.choice(["f4", "f8"]))
        )
        cells[gaps] = np.nan
        return cells, (
            "number",
            [None if gap else float(x) for x, gap in zip(cells, gaps, strict=True)],
        )
    codes = rng.integers(0, 2 if kind == "bool" else 4, n_rows)
    names = [False, True] if kind == "bool" else list("abcd")
    known = [None if gap else int(code) for code, gap in zip(codes, gaps, strict=True)]
    cells = np.array([None if code is None else names[code] for code in known], dtype=object)
    return cells, ("nominal" if kind == "bool" else kind, known)


def any_weights(rng, n_rows):
    kind = rng.choice(["none", "whole", "parts", "zeros"])
    if kind == "none":
        return None
    return {
        "whole": rng.integers(1, 300, n_rows).astype(float),
        "parts": rng.choice([0.1, 0.25, 1 / 3, 2.5], n_rows),
        "zeros": np.maximum(rng.integers(0, 3, n_rows), np.arange(n_rows) == 0).astype(float),
    }[str(kind)]


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")  # values of weightless rows
@pytest.mark.parametrize("seed", range(150))
def test_the_cost_is_the_reference_and_that_of_the_predictions(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 20))
    made = [any_column(rng, n_rows) for _ in range(rng.integers(1, 4))]
    X = {f"c{j}": cells for j, (cells, _) in enumerate(made)}
    columns = [column for _, column in made]
    ordinal = {f"c{j}": list("abcd") for j, (kind, _) in enumerate(columns) if kind == "ordinal"}
    y = rng.integers(0, rng.integers(1, 4), n_rows)
    codes = np.unique(y, return_inverse=True)[1]
    given = any_weights(rng, n_rows)
    weights = np.ones(n_rows) if given is None else given
    whole = np.rint(weights / UNIT * 1e4).astype(np.int64)
    ccp_alpha, min_leaf = float(rng.choice([0, 0, 0.01, 1 / 7])), int(rng.choice([1, 1, 2, 3]))
    depth, nodes = int(rng.integers(0, 3)), rng.choice([None, 0, 1, 2])
    limits = {
        "max_leaf_nodes": None if nodes is None else int(nodes) + 1,
        "ccp_alpha": ccp_alpha,
        "min_samples_leaf": min_leaf,
        "ordinal_features": ordinal,
    }
    whole_leaf = round(ccp_alpha * whole.sum())

    def check(model, least):
        model.fit(X, y, sample_weight=given)
        wrong = weights[model.predict(X) != y].sum()
        cost = wrong + ccp_alpha * weights.sum() * model.get_n_leaves()
        assert model.optimal_
        assert model.objective_value_ == pytest.approx(cost, rel=1e-6, abs=1e-6)
        assert model.objective_value_ == pytest.approx(least * UNIT / 1e4, rel=1e-6, abs=1e-6)
        assert model.get_depth() <= depth
        assert nodes is None or model.get_n_leaves() - 1 <= nodes
        there = {name: cells[weights > 0] for name, cells in X.items()}
        smallest = np.unique(model.apply(there), return_counts=True)[1].min()
        assert smallest >= min(min_leaf, int((weights > 0).sum()))

    everything = free_leaves(depth, binarizer="passthrough", **limits)
    most = 3 if nodes is None else int(nodes)
    check(everything, best_cost(columns, codes.tolist(), whole.tolist(), depth, most, whole_leaf,
                                min_leaf))  # fmt: skip
    parts = {
        "encoding": str(rng.choice(ENCODINGS)),
        "discretizer": str(rng.choice(DISCRETIZERS)),
        "n_bins": int(rng.integers(2, 6)),
    }
    kept = weights > 0
    matrix = FeatureBinarizer(ordinal_features=ordinal, **parts).fit_transform(
        {name: cells[kept] for name, cells in X.items()}, y[kept]
    )
    least = solve(np.asarray(matrix).astype(int), codes[kept], whole[kept], int(codes.max()) + 1,
                  depth, None if nodes is None else int(nodes), whole_leaf, min_leaf)  # fmt: skip
    check(free_leaves(depth, binarizer=FeatureBinarizer(**parts), **limits), least)


@pytest.mark.parametrize("scale", [1e-310, 1e-30, 1e30, 1e300])
@pytest.mark.parametrize("alike", [True, False])
def test_weights_of_any_size(scale, alike):
    rng = np.random.default_rng(0)
    X, y = {"a": rng.integers(0, 5, 30)}, rng.integers(0, 2, 30)
    shares = np.ones(30) if alike else rng.random(30) + 0.01
    plain = free_leaves(2).fit(X, y, sample_weight=shares)
    scaled = free_leaves(2).fit(X, y, sample_weight=shares * scale)
    assert scaled.tree_.n_nodes == plain.tree_.n_nodes
    assert scaled.objective_value_ / scale == pytest.approx(plain.objective_value_, rel=1e-3)


def test_many_rows_that_weigh_next_to_nothing_do_not_outvote_others():
    rng = np.random.default_rng(0)
    n_rows = 20_000
    X = {"a": rng.integers(0, 2, n_rows), "b": rng.integers(0, 2, n_rows)}
    weights = np.full(n_rows, 1e-9)
    weights[:10] = rng.random(10) + 0.5
    y = X["a"].copy()
    X["b"][:10], y[:10] = [0, 1] * 5, [0, 1] * 5
    X["a"][:10] = [0, 0, 1, 1, 0, 1, 1, 0, 0, 1]
    model = free_leaves(1).fit(X, y, sample_weight=weights)
    assert weights[model.predict(X) != y].sum() < 1e-3
    assert model.objective_value_ < 0.02


def test_no_tree_is_a_proof_only_if_the_search_was_over():
    rng = np.random.default_rng(3)
    X, y = rng.random((600, 120)) < 0.5, rng.integers(0, 2, 600)
    with pytest.raises(TimeoutError, match="There may be one"):
        free_leaves(5, upper_bound=10, time_limit=0.2).fit(X, y)
    with pytest.raises(InfeasibleError, match="No tree of depth 1 has an objective of 10 or less"):
        free_leaves(1, upper_bound=10).fit(X, y)


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
def test_control_c_in_a_forest_lets_python_end():
    """Workers that are in the core at the end of Python would abort it."""
    code = """
        import numpy as np, os, signal, threading, time
        from mixedwood import ForestClassifier, OptimalTreeClassifier
        rng = np.random.default_rng(3)
        # No tree of depth 6 is without error, so that the search takes hours.
        X, y = rng.random((6000, 120)) < 0.5, rng.integers(0, 2, 6000)
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            tree = OptimalTreeClassifier(max_depth=6, ccp_alpha=0, work_limit=None)
            ForestClassifier(tree, n_estimators=4, n_jobs=2).fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=250
    )
    assert (ran.stdout, ran.returncode) == ("interrupted\n", 0), ran.stderr


def test_thousands_of_different_weights_count():
    """The heavier half of the rows is right with one column, the other half with another."""
    rng = np.random.default_rng(2)
    n_rows = 3000
    X = {"a": rng.integers(0, 2, n_rows), "b": rng.integers(0, 2, n_rows)}
    heavy = np.arange(n_rows) % 3 == 0
    weights = np.where(heavy, 0.9, 0.1) + 0.05 * rng.random(n_rows)
    y = np.where(heavy, X["a"], X["b"])
    for settings in ({}, {"binarizer": "passthrough"}, {"binarize_at": "node"}):
        model = free_leaves(1, **settings).fit(X, y, sample_weight=weights)
        assert model.objective_value_ == pytest.approx(weights[X["a"] != y].sum(), rel=1e-4)
        assert (model.predict(X) == X["a"]).all()


def test_where_a_new_value_goes():
    X = {"colour": ["red"] * 30 + ["green"] * 10 + ["blue"] * 5}
    y = ["a"] * 30 + ["b"] * 15

    def answer(unknown, value):
        model = free_leaves(1, binarizer__encoding="one_hot", handle_unknown=unknown).fit(X, y)
        assert model.objective_value_ == 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnknownCategoryWarning)
            return model.predict_proba({"colour": [value]})[0].tolist()

    assert answer("stop", "violet") == pytest.approx([30 / 45, 15 / 45])
    assert answer("majority", "violet") == [1.0, 0.0]
    # A gap is not red, so that it is with the others.
    assert answer("missing", "violet") == answer("stop", None) == [0.0, 1.0]


@pytest.mark.parametrize("nodes", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "search", [{"binarize_at": "root"}, {"binarize_at": "node"}, {"binarizer": "passthrough"}]
)
def test_every_search_keeps_to_the_number_of_tests(nodes, search):
    rng = np.random.default_rng(4)
    X, y = {"a": rng.normal(size=60), "b": rng.normal(size=60)}, rng.integers(0, 2, 60)
    model = free_leaves(3, max_leaf_nodes=nodes + 1, **search).fit(X, y)
    assert model.get_n_leaves() - 1 == nodes


def test_subsets_of_the_values_that_are_left_at_a_node():
    """Eight values are too many for subsets, the four on each side of the first test are not."""
    values = [f"v{i}" for i in range(8)] * 3
    X = {"side": [int(v[1]) // 4 for v in values], "value": values}
    y = [int(v[1]) % 2 for v in values]
    settings = {"binarizer": FeatureBinarizer(encoding="subsets", max_subset_values=4)}
    assert free_leaves(2, **settings).fit(X, y).objective_value_ > 0
    model = free_leaves(2, binarize_at="node_encoding", **settings).fit(X, y)
    assert model.objective_value_ == 0 and model.score(X, y) == 1


def test_the_memory_of_the_search_over_all_splits_is_limited():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 10)), rng.integers(0, 2, 2000)
    with pytest.warns(ConvergenceWarning, match="The memory limit ended"):
        model = free_leaves(3, binarizer="passthrough", memory_limit=50_000).fit(X, y)
    assert model.lower_bound_ < model.objective_value_ == (model.predict(X) != y).sum()


def test_the_gap_of_a_small_cost_is_a_fraction_of_it():
    assert Proof("time_limit", 0.5, 0.25, 0, 0, 0, 0.0, ()).gap == 0.5
    assert Proof("optimal", 0.0, 0.0, 0, 0, 0, 0.0, ()).gap == 0.0


def test_a_value_is_new_to_a_node_that_no_row_of_it_has_reached():
    """Blue is known, but not where a is 0."""
    X = {"a": [0] * 10 + [1] * 15, "colour": ["red", "green"] * 5 + ["red", "green", "blue"] * 5}
    y = ["p", "q"] * 5 + ["r"] * 15
    model = free_leaves(2, binarizer__encoding="one_hot").fit(X, y)
    assert model.objective_value_ == 0 and model.get_n_leaves() == 3
    assert model.predict_proba({"a": [0], "colour": ["blue"]})[0].tolist() == [0.5, 0.5, 0.0]
