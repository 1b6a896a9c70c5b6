"""Planes in growth: the slow twin's trees and planes, and rows that go where they were counted."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixedwood import ModelTreeClassifier
from mixedwood.data import read_table
from mixedwood.tree import SplitKind
from mixedwood_studies.model_trees.methods import model_tree as published
from reference import model_tree as twin
from reference import tree as routing
from support.cases import cases
from support.planes import as_table, mixed_rows, only_plane, plane_of, sides


def compare(node, tree, place, n_numbers, labels, seen):
    """The twin's node and the tree's; below a node where rounding decides nothing is compared."""
    np.testing.assert_allclose(tree.statistics[place], node.counts)
    assert tree.label[place] == node.label
    if not node.sure:
        seen["unsure"] += 1
        return
    kind = tree.split_kind[place]
    if node.test is None:
        seen["leaf"] += 1
        assert kind == SplitKind.LEAF
        return
    assert tree.score[place] == pytest.approx(node.score, rel=1e-9)
    if node.test == "plane":
        seen["plane"] += 1
        assert kind == SplitKind.LINEAR
    else:
        seen["nominal"] += 1
        assert kind == SplitKind.MULTIWAY
        assert tree.column[place] == n_numbers + node.test
        codes, positions = tree.categories_of(place)
        values = [labels[node.test][code] for code in codes]
        assert values == [f"v{value}" for value in node.values]
        assert positions.tolist() == list(range(len(codes)))
    children = tree.children_of(place)
    assert len(children) == len(node.children)
    for child, below in zip(children, node.children, strict=True):
        compare(below, tree, int(child), n_numbers, labels, seen)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_published_tree_is_that_of_the_reference(weighted):
    seen = dict.fromkeys(["unsure", "leaf", "plane", "nominal"], 0)
    for seed in range(150):
        numbers, nominal, y, weights = mixed_rows(seed, weighted=weighted)
        size = int(np.random.default_rng(seed).choice([2, 5, 12]))
        cost = float(np.random.default_rng(seed).choice([0.1, 1.0, 10.0]))
        X = as_table(numbers, nominal)
        model = published(C=cost, min_samples_split=size)
        tree = model.fit(X, y, weights).tree_
        labels = [tree.schema[f"a{k}"].categories for k in range(len(nominal))]
        expected = twin.grow(numbers, nominal, y, weights, cost=cost, min_instances=size)
        compare(expected, tree, 0, numbers.shape[1], labels, seen)
    assert seen["leaf"] > 300
    assert seen["plane"] > 150
    assert seen["nominal"] > 60
    assert seen["unsure"] < 30


def test_nominal_columns_alone_give_the_reference_as_well():
    seen = dict.fromkeys(["unsure", "leaf", "plane", "nominal"], 0)
    for seed in range(60):
        _, nominal, y, _ = mixed_rows(seed)
        if not nominal:
            continue
        none = np.empty((len(y), 0))
        with pytest.warns(UserWarning, match="no numeric or ordinal column"):
            model = published(min_samples_split=2).fit(as_table(none, nominal), y)
        labels = [model.schema_[f"a{k}"].categories for k in range(len(nominal))]
        compare(twin.grow(none, nominal, y), model.tree_, 0, 0, labels, seen)
    assert seen["nominal"] > 60


def test_hyperplanes_leave_out_values_that_are_noise():
    rng = np.random.default_rng(3)
    n = 200
    codes = rng.integers(0, 3, n)
    X = {
        "x": rng.normal(size=n),
        "z": rng.normal(size=n),
        "told": [f"v{c}" for c in codes],
        "noise": [f"v{c}" for c in rng.integers(0, 20, n)],
    }
    y = (X["x"] + X["z"] + codes > 1).astype(int)
    for selection, used in (("adjusted", {"told"}), ("score", {"told", "noise"})):
        tree = only_plane(X, y, None, selection=selection).tree_
        assert tree.split_kind[0] == SplitKind.LINEAR
        found, *_ = plane_of(tree)
        assert {term[0] for term in found if isinstance(term, tuple)} == used


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_hyperplanes_through_values_are_those_of_the_reference(weighted, gaps):
    checked = 0
    for seed in range(40):
        numbers, nominal, y, weights = mixed_rows(seed, n_rows=50, weighted=weighted)
        rng = np.random.default_rng(seed)
        X = as_table(numbers, nominal)
        if gaps:
            for k, codes in enumerate(nominal):
                codes[rng.random(50) < 0.15] = -1
                X[f"a{k}"] = [None if c < 0 else f"v{c}" for c in codes]
        # By adjusted scores, planes would leave out columns that look like noise.
        tree = only_plane(X, y, weights, partitioner="one_vs_rest", selection="score").tree_
        if tree.split_kind[0] != SplitKind.LINEAR:
            continue
        kept = np.arange(50) if weights is None else np.flatnonzero(weights)
        w = np.ones(50) if weights is None else weights
        signs = np.where(y == 1, 1.0, -1.0)
        varying = [k for k, codes in enumerate(nominal) if len(np.unique(codes[kept])) > 1]
        of_numbers, of_values, constant, mean, deviation = twin.mixed_plane(
            numbers[kept], [nominal[k][kept] for k in varying], signs[kept], w[kept], 1.0
        )
        found, fills, intercept = plane_of(tree)
        expected = {}
        for j, weight in enumerate(of_numbers):
            if np.ptp(numbers[kept, j]) > 0:
                expected[f"x{j}"] = weight / deviation[j]
                constant -= weight / deviation[j] * mean[j]
                assert fills[f"x{j}"] == pytest.approx(mean[j], abs=1e-9 * deviation[j])
        for k, its in zip(varying, of_values, strict=True):
            present = np.unique(nominal[k][kept])
            shares = np.array([w[kept][nominal[k][kept] == v].sum() for v in present])
            # Rows without a value add nothing: their weight, or the average, is in the constant.
            nothing = its[0] if present[0] < 0 else its @ shares / shares.sum()
            constant += nothing
            for value, weight in zip(present, its - nothing, strict=True):
                if value >= 0:
                    expected[f"a{k}", f"v{value}"] = weight
        assert set(found) == {key for key in expected if key in found or abs(expected[key]) > 1e-9}
        for key, weight in found.items():
            assert weight == pytest.approx(expected[key], rel=1e-4, abs=1e-5 * abs(weight) + 1e-6)
        distances = np.full(50, constant)
        for key, weight in expected.items():
            if isinstance(key, str):
                distances += weight * numbers[:, int(key[1:])]
            else:
                codes = nominal[int(key[0][1:])]
                distances += weight * (codes == int(key[1][1:]))
        scale = max(1.0, abs(constant))
        assert intercept == pytest.approx(constant, abs=1e-4 * scale)
        if np.abs(distances[kept]).min() > 1e-3:
            groups = [twin.counts_of(y, w, kept[side]) for side in sides(distances[kept])]
            np.testing.assert_allclose(tree.statistics[1:], groups)
            assert tree.score[0] == pytest.approx(twin.gain(groups), rel=1e-9)
            checked += 1
    assert checked > 20


# How rows are dealt


@st.composite
def mixed_problems(draw):
    """Small tables of every kind of column, with gaps, weights and up to four classes."""
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    n, k = draw(st.integers(2, 60)), draw(st.integers(2, 4))
    y = rng.integers(0, k, n)
    X = {}
    for j in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["numeric", "rounded", "nominal", "ordinal", "offset"]))
        x = rng.normal(size=n) + y * rng.choice([0.0, 0.7])
        if kind == "rounded":
            x = x.round()
        if kind == "offset":  # cuts next to which rounding tells
            x = 1e11 + np.where(rng.random(n) < 0.1, x * 1e3, rng.integers(0, 4, n) * 1e-4)
        gaps = rng.random(n) < draw(st.sampled_from([0.0, 0.2]))
        if kind in ("nominal", "ordinal"):
            codes = np.clip(x.round().astype(int) + 2, 0, 5)
            X[f"{kind}{j}"] = [None if g else "abcdef"[c] for c, g in zip(codes, gaps, strict=True)]
        else:
            X[f"{kind}{j}"] = np.where(gaps, np.nan, x)
    weights = None
    if draw(st.booleans()):
        weights = rng.choice([0.0, 1.0, 2.0, 0.3, 1e-9], n)
        weights[rng.integers(n)] = 1.0
    return X, y, weights


@pytest.mark.filterwarnings("ignore::mixedwood.UnknownCategoryWarning")  # values of weightless rows
@settings(max_examples=cases(120))
@given(mixed_problems(), st.data())
def test_training_rows_reach_the_leaves_that_counted_them(problem, data):
    X, y, weights = problem
    draw = data.draw
    missing = draw(st.sampled_from(["learned", "category", "fractional"]))
    model = ModelTreeClassifier(
        criterion=draw(st.sampled_from(["gini", "entropy", "gain_ratio", "chi2", "twoing"])),
        node_model=draw(st.sampled_from(["svm", "fisher", "sparse_svm", ["svm", "logistic"]])),
        node_features=draw(st.sampled_from(["all", "numeric"])),
        C=draw(st.sampled_from([1.0, "tune"])),
        intercept=draw(st.sampled_from(["model", "best"])),
        score_on=draw(st.sampled_from(["train", "validation"])),
        node_cv=draw(st.sampled_from([1, 3])),
        multi_class=draw(st.sampled_from(["ovr", "largest", "balanced", "exhaustive"])),
        axis_aligned=draw(st.booleans()),
        min_samples_model=draw(st.sampled_from([2, 10])),
        selection=draw(st.sampled_from(["score", "average_gain"])),
        min_samples_leaf=draw(st.sampled_from([1, 3])),
        max_leaf_nodes=draw(st.sampled_from([None, 4])),
        max_depth=draw(st.sampled_from([None, 2])),
        max_features=draw(st.sampled_from([None, 1, 2])),
        handle_missing=missing,
        pruning=None,
        ordinal_features={name: list("abcdef") for name in X if name.startswith("ordinal")},
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There are no numeric or ordinal columns")
        model.fit(X, y, weights)
    tree = model.tree_
    leaves = tree.split_kind == SplitKind.LEAF
    w = np.ones(len(y)) if weights is None else weights
    assert tree.depth <= (model.max_depth or 1000)
    assert tree.n_leaves <= (model.max_leaf_nodes or 1000)
    codes = np.searchsorted(model.classes_, y)
    np.testing.assert_allclose(tree.weighted_n_node_samples, tree.statistics.sum(axis=1))
    np.testing.assert_allclose(tree.weighted_n_node_samples[leaves].sum(), w.sum(), rtol=1e-5)
    if missing == "fractional":
        return
    reached = model.apply(X)
    assert leaves[reached[w > 0]].all()
    counts = np.zeros_like(tree.statistics)
    np.add.at(counts, (reached, codes), w)
    np.testing.assert_allclose(counts[leaves], tree.statistics[leaves], rtol=1e-9)
    if tree.n_leaves > 1:
        rows = np.bincount(reached[w > 0], minlength=tree.n_nodes)
        assert (rows[leaves] >= model.min_samples_leaf).all()


def test_rounding_next_to_a_cut_leaves_no_empty_side():
    """Numbers that differ by little beside their size: the cut lies between neighbours."""
    n_planes = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, size = int(rng.integers(12, 60)), 10.0 ** rng.integers(8, 12)
        steps = 10.0 ** -rng.integers(1, 6, 3)
        far = np.where(rng.random((n, 3)) < 0.1, rng.normal(size=3) * size * 1e-8, 0.0)
        X = size + rng.integers(0, 4, (n, 3)) * steps + far
        y = rng.integers(0, 2, n)
        model = ModelTreeClassifier(
            intercept="best", C=1.0, axis_aligned=False, min_samples_model=2, pruning=None,
            min_samples_leaf=int(rng.integers(1, 4)),
        ).fit(X, y)  # fmt: skip
        tree = model.tree_
        n_planes += np.count_nonzero(tree.split_kind == SplitKind.LINEAR)
        assert (tree.weighted_n_node_samples >= model.min_samples_leaf).all()
        groups = tree.statistics[tree.children_of(0)] if tree.n_nodes > 1 else None
        if groups is not None:
            assert tree.score[0] == pytest.approx(twin.gain(groups), abs=1e-12)
    assert n_planes > 300


def test_rows_divided_reach_the_leaves_in_the_parts_that_were_counted():
    n_planes = n_shared = 0
    for seed in range(25):
        numbers, nominal, y, weights = mixed_rows(seed, n_rows=50, weighted=seed % 2 == 1)
        rng = np.random.default_rng(seed)
        numbers[rng.random(numbers.shape) < 0.15] = np.nan
        X = as_table(numbers, nominal)
        for name in [name for name in X if name.startswith("a")]:
            X[name] = np.where(rng.random(50) < 0.2, None, X[name].astype(object))
        model = ModelTreeClassifier(C=1.0, handle_missing="fractional", pruning=None).fit(
            X, y, weights
        )
        tree = model.tree_
        table = read_table(X, schema=model.schema_)
        counts = np.zeros_like(tree.statistics)
        for row, cls in enumerate(y):
            cells = [array[row] for array in table.arrays]
            parts = routing.shares(tree, cells)
            n_shared += len(parts) > 1
            for node, part in parts.items():
                counts[node, cls] += part * (1.0 if weights is None else weights[row])
        leaves = tree.split_kind == SplitKind.LEAF
        np.testing.assert_allclose(counts[leaves], tree.statistics[leaves], rtol=1e-6, atol=1e-4)
        n_planes += np.count_nonzero(tree.split_kind == SplitKind.LINEAR)
    assert n_planes > 20
    assert n_shared > 100
