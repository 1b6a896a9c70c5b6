"""Planes in growth: against slow twins, against other programs, and laws that hold for any table."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

from mixedwood import ModelTreeClassifier
from mixedwood.tree import TestKind
from reference import model_tree as twin
from reference import smooth_svm


def mixed_rows(seed, n_rows=None, weighted=False):
    """Numbers, codes of nominal columns and classes 0 and 1 that depend on both."""
    rng = np.random.default_rng(seed)
    n = n_rows or int(rng.integers(4, 60))
    numbers = rng.normal(size=(n, rng.integers(1, 4))) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.3:
        numbers = np.column_stack([numbers, np.full(n, 3.7)])  # constant
    if rng.random() < 0.3:
        numbers = np.column_stack([numbers, 2 * numbers[:, 0] - 1])  # collinear
    nominal = [rng.integers(0, rng.integers(2, 5), n) for _ in range(rng.integers(0, 4))]
    pull = numbers @ rng.normal(size=numbers.shape[1]) / np.abs(numbers).max()
    for codes in nominal:
        pull = pull + rng.normal(size=5)[codes] * rng.random()
    y = (pull + rng.normal(size=n) * rng.choice([0.0, 0.3, 1.0]) > np.median(pull)).astype(int)
    y[:2] = 0, 1
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    if weighted:
        weights[:2] = 1.0
    return numbers, nominal, y, weights


def as_table(numbers, nominal):
    """Numbers come first: ties go to nominal columns all the same."""
    X = {f"x{j}": numbers[:, j] for j in range(numbers.shape[1])}
    return X | {f"a{k}": np.array([f"v{c}" for c in codes]) for k, codes in enumerate(nominal)}


def compare(node, tree, place, n_numbers, labels, seen):
    """The twin's node and the tree's; below a node where rounding decides nothing is compared."""
    np.testing.assert_allclose(tree.counts[place], node.counts)
    assert tree.label[place] == node.label
    if not node.sure:
        seen["unsure"] += 1
        return
    kind = tree.kind[place]
    if node.test is None:
        seen["leaf"] += 1
        assert kind == TestKind.LEAF
        return
    assert tree.score[place] == pytest.approx(node.score, rel=1e-9)
    if node.test == "plane":
        seen["plane"] += 1
        assert kind == TestKind.LINEAR
    else:
        seen["nominal"] += 1
        assert kind == TestKind.MULTIWAY
        assert tree.column[place] == n_numbers + node.test
        codes, positions = tree.values_of(place)
        values = [labels[node.test][code] for code in codes]
        assert values == [f"v{value}" for value in node.values]
        assert positions.tolist() == list(range(len(codes)))
    children = tree.children_of(place)
    assert len(children) == len(node.children)
    for child, below in zip(children, node.children, strict=True):
        compare(below, tree, int(child), n_numbers, labels, seen)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_published_tree_is_that_of_the_twin(weighted):
    seen = dict.fromkeys(["unsure", "leaf", "plane", "nominal"], 0)
    for seed in range(150):
        numbers, nominal, y, weights = mixed_rows(seed, weighted=weighted)
        size = int(np.random.default_rng(seed).choice([2, 5, 12]))
        cost = float(np.random.default_rng(seed).choice([0.1, 1.0, 10.0]))
        X = as_table(numbers, nominal)
        model = ModelTreeClassifier.published(C=cost, min_instances=size)
        tree = model.fit(X, y, weights).tree_
        labels = [tree.schema[f"a{k}"].values for k in range(len(nominal))]
        expected = twin.grow(numbers, nominal, y, weights, cost=cost, min_instances=size)
        compare(expected, tree, 0, numbers.shape[1], labels, seen)
    assert seen["leaf"] > 300
    assert seen["plane"] > 150
    assert seen["nominal"] > 60
    assert seen["unsure"] < 30


def test_nominal_columns_alone_give_the_twin_as_well():
    seen = dict.fromkeys(["unsure", "leaf", "plane", "nominal"], 0)
    for seed in range(60):
        numbers, nominal, y, _ = mixed_rows(seed)
        if not nominal:
            continue
        none = np.empty((len(y), 0))
        with pytest.warns(UserWarning, match="no numeric or ordinal column"):
            model = ModelTreeClassifier.published(min_instances=2).fit(as_table(none, nominal), y)
        labels = [model.schema_[f"a{k}"].values for k in range(len(nominal))]
        compare(twin.grow(none, nominal, y), model.tree_, 0, 0, labels, seen)
    assert seen["nominal"] > 60


def plane_of(tree, node=0):
    """Weights of a linear test by column, or by column and label of a value; fills; constant."""
    weights, fills = {}, {}
    for column, value, weight, fill in zip(*tree.terms_of(node), strict=True):
        described = tree.schema.columns[column]
        if value < 0:
            weights[described.name] = weight
            fills[described.name] = fill
        else:
            weights[described.name, described.values[value]] = weight
    return weights, fills, tree.intercept[node]


def only_plane(X, y, weights=None, **settings):
    """A single plane, whatever it is worth."""
    settings = {"C": 1.0, "max_depth": 1, "pruning": None, "min_linear": 2, **settings}
    model = ModelTreeClassifier(thresholds=False, min_gain=-1.0, **settings).fit(X, y, weights)
    return model


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("gaps", [False, True])
def test_planes_through_values_are_those_of_the_twin(weighted, gaps):
    checked = 0
    for seed in range(40):
        numbers, nominal, y, weights = mixed_rows(seed, n_rows=50, weighted=weighted)
        rng = np.random.default_rng(seed)
        X = as_table(numbers, nominal)
        if gaps:
            for k, codes in enumerate(nominal):
                codes[rng.random(50) < 0.15] = -1
                X[f"a{k}"] = [None if c < 0 else f"v{c}" for c in codes]
        tree = only_plane(X, y, weights, partitioner="one_vs_rest").tree_
        if tree.kind[0] != TestKind.LINEAR:
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
            np.testing.assert_allclose(tree.counts[1:], groups)
            assert tree.score[0] == pytest.approx(twin.gain(groups), rel=1e-9)
            checked += 1
    assert checked > 20


def sides(distances):
    return distances > 0, distances <= 0


# Machines


@pytest.fixture(scope="module")
def two_groups():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4)) + 5
    y = (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=120) > 0).astype(int)
    weights = rng.uniform(0.2, 3, 120)
    return X, y, weights


def scaled_plane(X, y, weights=None, **settings):
    """Weights of the scaled columns, then the constant, of a plane through numbers."""
    Z, mean, deviation = twin.scaled(X, weights)
    tree = only_plane(X, y, weights, **settings).tree_
    assert tree.kind[0] == TestKind.LINEAR
    found, _, intercept = plane_of(tree)
    raw = np.array([found.get(f"x{j}", 0.0) for j in range(X.shape[1])])
    return Z, np.append(raw * deviation, intercept + raw @ mean)


LOSSES = {
    "svm": lambda m: np.maximum(1 - m, 0) ** 2 / 2,
    "smooth": lambda m: smooth_svm.p(1 - m, 5.0) ** 2 / 2,
    "logistic": lambda m: np.logaddexp(0, -m),
}


@pytest.mark.parametrize("cost", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("machine", LOSSES)
def test_machines_find_the_minimum_of_their_loss(machine, weighted, cost, two_groups):
    X, y, weights = two_groups
    weights = weights if weighted else None
    chosen = {"machine": "svm", "alpha": 5.0} if machine == "smooth" else {"machine": machine}
    Z, found = scaled_plane(X, y, weights, C=cost, **chosen)
    signs = np.where(y == 1, 1.0, -1.0)
    w = np.ones(len(y)) if weights is None else weights

    def objective(z):
        margins = signs * (Z @ z[:-1] + z[-1])
        return cost * np.sum(w * LOSSES[machine](margins)) + z @ z / 2

    best = minimize(objective, found + 0.3, method="BFGS", options={"gtol": 1e-7})
    assert objective(found) == pytest.approx(best.fun, rel=1e-8)
    np.testing.assert_allclose(found, best.x, atol=1e-4)


def test_machines_agree_with_scikit_learn(two_groups):
    X, y, _ = two_groups
    Z, svm = scaled_plane(X, y, C=2.0)
    other = LinearSVC(C=1.0, dual=False, tol=1e-10, max_iter=100_000).fit(Z, y)  # no half there
    np.testing.assert_allclose(svm, np.append(other.coef_, other.intercept_), atol=1e-4)
    Z, logistic = scaled_plane(X, y, C=0.7, machine="logistic")
    # A column of ones is penalised as the constant is.
    one = np.ones((len(y), 1))
    other = LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(logistic, other.fit(np.hstack([Z, one]), y).coef_[0], atol=1e-4)


def test_fishers_direction_and_his_cut(two_groups):
    X, y, _ = two_groups
    Z, found = scaled_plane(X, y, C=1e6, machine="fisher")
    direction = LinearDiscriminantAnalysis(solver="lsqr").fit(Z, y).coef_[0]
    cosine = found[:-1] @ direction / np.linalg.norm(found[:-1]) / np.linalg.norm(direction)
    assert cosine == pytest.approx(1, abs=1e-9)
    middle = (Z[y == 0].mean(axis=0) + Z[y == 1].mean(axis=0)) / 2
    assert found[:-1] @ middle + found[-1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("cost", [0.02, 0.1, 1.0])
def test_the_sparse_machine_is_that_of_scikit_learn(cost):
    """Each row comes with its mirror image, so that the constant is 0 in both."""
    rng = np.random.default_rng(5)
    half = rng.normal(size=(80, 12))
    signs = np.where(half[:, :3] @ [2.0, -1.0, 0.7] + rng.normal(size=80) > 0, 1.0, -1.0)
    X, signs = np.vstack([half, -half]), np.concatenate([signs, -signs])
    Z, found = scaled_plane(X, (signs > 0).astype(int), C=cost, machine="sparse_svm")
    assert found[-1] == pytest.approx(0, abs=1e-6)

    def objective(w):
        return cost / 2 * np.sum(np.maximum(1 - signs * (Z @ w), 0) ** 2) + np.abs(w).sum()

    other = LinearSVC(penalty="l1", dual=False, C=cost / 2, fit_intercept=False, tol=1e-9)
    other = other.set_params(max_iter=100_000).fit(Z, signs).coef_[0]
    assert objective(found[:-1]) == pytest.approx(objective(other), rel=1e-2)
    np.testing.assert_allclose(found[:-1], other, atol=0.02 * np.abs(other).max())
    # A weight is 0 where the loss pulls by less than 1; where it is nearly 1, little may be left.
    pull = np.abs(cost * Z.T @ (np.maximum(1 - signs * (Z @ other), 0) * signs))
    assert (pull < 0.9).any() == (cost < 1)
    assert (found[:-1][pull < 0.9] == 0).all()
    assert (found[:-1][np.abs(other) > 0.02 * np.abs(other).max()] != 0).all()


def test_the_sparse_machine_uses_few_of_many_columns():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 30))
    y = (X[:, 3] - X[:, 7] + 0.2 * rng.normal(size=300) > 0).astype(int)
    few = only_plane(X, y, C=0.1, machine="sparse_svm").tree_
    assert {3, 7} <= set(few.term_column.tolist())
    assert len(few.term_column) < 12
    assert len(only_plane(X, y, C=0.1).tree_.term_column) == 30


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "machine",
    [
        LogisticRegression(C=3.0),
        RidgeClassifier(),
        LinearSVC(penalty="l1", dual=False, tol=1e-6, max_iter=10**5, random_state=0),
        LogisticRegression(fit_intercept=False),
    ],
    ids=["logistic", "ridge", "sparse", "no constant"],
)
def test_any_linear_classifier_may_make_the_planes(machine, weighted, two_groups):
    X, y, weights = two_groups
    weights = weights if weighted else None
    settings = {"C": 3.0} if "C" in machine.get_params() else {}
    Z, found = scaled_plane(X, y, weights, machine=machine, **settings)
    before = machine.get_params()
    other = machine.set_params(**settings).fit(Z, y, sample_weight=weights)
    assert machine.get_params() == before | settings
    constant = np.ravel(other.intercept_)
    np.testing.assert_allclose(found, np.append(other.coef_, constant), rtol=1e-3, atol=1e-4)


def test_a_classifier_sees_values_as_zeros_and_ones():
    rng = np.random.default_rng(0)
    seen = []

    class Watching(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append((X.copy(), y.copy(), sample_weight))
            return super().fit(X, y, sample_weight)

    codes = rng.integers(0, 3, 60)
    X = {"x": rng.normal(3, 2, 60), "a": np.array(list("pqr"))[codes]}
    y = (X["x"] + codes > 4).astype(int)
    only_plane(X, y, machine=Watching(), partitioner="one_vs_rest")
    rows, signs, weights = seen[-1]
    assert rows.shape == (60, 4)
    np.testing.assert_allclose(rows[:, 0], (X["x"] - X["x"].mean()) / X["x"].std())
    np.testing.assert_array_equal(rows[:, 1:], np.eye(3)[codes])
    np.testing.assert_array_equal(signs, np.where(y == 1, 1, -1))
    assert weights is None


def test_discriminants_without_weights_are_refused_only_with_weights(two_groups):
    X, y, weights = two_groups
    model = ModelTreeClassifier(machine=LinearDiscriminantAnalysis(), pruning=None, max_depth=2)
    assert TestKind.LINEAR in model.fit(X, y).tree_.kind
    with pytest.raises(ValueError, match=r"rows have weights, but LinearDiscriminant\w+ takes none"):
        model.fit(X, y, weights)


class NotLinear(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self


class TooShort(NotLinear):
    def fit(self, X, y, sample_weight=None):
        self.coef_, self.intercept_ = np.zeros(1), 0.0
        return self


class Failing(NotLinear):
    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("no luck")


class NoAnswer(NotLinear):
    def fit(self, X, y, sample_weight=None):
        self.coef_, self.intercept_ = np.full(X.shape[1], np.nan), 0.0
        return self


@pytest.mark.parametrize(
    ("machine", "error", "words"),
    [
        (NotLinear(), ValueError, "NotLinear has no coef_ after fit: it is not linear"),
        (TooShort(), ValueError, "one weight for each column, and a constant"),
        (Failing(), RuntimeError, "no luck"),
    ],
)
def test_classifiers_that_make_no_plane_are_errors(machine, error, words, two_groups):
    X, y, _ = two_groups
    model = ModelTreeClassifier(machine=machine)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert not hasattr(model, "tree_")


def test_planes_that_are_no_numbers_do_not_count(two_groups):
    X, y, _ = two_groups
    tree = ModelTreeClassifier(machine=NoAnswer(), pruning=None).fit(X, y).tree_
    assert TestKind.LINEAR not in tree.kind
    assert tree == ModelTreeClassifier(min_linear=10**6, pruning=None).fit(X, y).tree_


def test_of_several_machines_the_best_wins(two_groups):
    X, y, _ = two_groups
    names = ["svm", "logistic", "fisher", LogisticRegression(C=0.001)]
    alone = [only_plane(X, y, machine=name).tree_.score[0] for name in names]
    together = only_plane(X, y, machine=names).tree_
    assert together.score[0] == max(alone)
    assert len(set(alone)) > 1


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


@settings(max_examples=120, deadline=None)
@given(mixed_problems(), st.data())
def test_training_rows_reach_the_leaves_that_counted_them(problem, data):
    X, y, weights = problem
    draw = data.draw
    missing = draw(st.sampled_from(["learned", "category", "fractional"]))
    model = ModelTreeClassifier(
        draw(st.sampled_from(["gini", "entropy", "gain_ratio", "chi2", "twoing"])),
        machine=draw(st.sampled_from(["svm", "fisher", "sparse_svm", ["svm", "logistic"]])),
        linear_columns=draw(st.sampled_from(["all", "numeric"])),
        C=draw(st.sampled_from([1.0, "tune"])),
        cut=draw(st.sampled_from(["machine", "best"])),
        evidence=draw(st.sampled_from(["training", "validation"])),
        tuning_folds=draw(st.sampled_from([1, 3])),
        multi_class=draw(st.sampled_from(["one_vs_rest", "largest", "balanced", "every"])),
        thresholds=draw(st.booleans()),
        min_linear=draw(st.sampled_from([2, 10])),
        selection=draw(st.sampled_from(["score", "average_gain"])),
        min_samples_leaf=draw(st.sampled_from([1, 3])),
        max_leaf_nodes=draw(st.sampled_from([None, 4])),
        max_depth=draw(st.sampled_from([None, 2])),
        max_features=draw(st.sampled_from([None, 1, 2])),
        missing=missing,
        pruning=None,
        ordinal={name: list("abcdef") for name in X if name.startswith("ordinal")},
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is no numeric or ordinal column")
        model.fit(X, y, weights)
    tree = model.tree_
    leaves = tree.kind == TestKind.LEAF
    w = np.ones(len(y)) if weights is None else weights
    assert tree.depth <= (model.max_depth or 1000)
    assert tree.n_leaves <= (model.max_leaf_nodes or 1000)
    codes = np.searchsorted(model.classes_, y)
    np.testing.assert_allclose(tree.weight, tree.counts.sum(axis=1))
    np.testing.assert_allclose(tree.weight[leaves].sum(), w.sum(), rtol=1e-5)
    if missing == "fractional":
        return
    reached = model.apply(X)
    assert leaves[reached[w > 0]].all()
    counts = np.zeros_like(tree.counts)
    np.add.at(counts, (reached, codes), w)
    np.testing.assert_allclose(counts[leaves], tree.counts[leaves], rtol=1e-9)
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
            cut="best", C=1.0, thresholds=False, min_linear=2, pruning=None,
            min_samples_leaf=int(rng.integers(1, 4)),
        ).fit(X, y)  # fmt: skip
        tree = model.tree_
        n_planes += np.count_nonzero(tree.kind == TestKind.LINEAR)
        assert (tree.weight >= model.min_samples_leaf).all()
        groups = tree.counts[tree.children_of(0)] if tree.n_nodes > 1 else None
        if groups is not None:
            assert tree.score[0] == pytest.approx(twin.gain(groups), abs=1e-12)
    assert n_planes > 300


def numbers_problem(n=240, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    pull = X @ [1.0, 1.0, -0.5, 0.0] + 0.4 * rng.normal(size=n)
    return X, np.digitize(pull, np.quantile(pull, np.arange(1, n_classes) / n_classes))


@pytest.mark.parametrize("folds", [1, 3])
def test_left_out_rows_need_not_fill_leaves(folds):
    """A third of the rows is left out, and less than a leaf must have may be on a side of them."""
    X, y = numbers_problem()
    settings = {"evidence": "validation", "tuning_folds": folds, "max_depth": 1, "pruning": None}
    free = ModelTreeClassifier(**settings).fit(X, y).tree_
    assert free.kind[0] == TestKind.LINEAR
    assert free.weight.min() > 70
    assert ModelTreeClassifier(min_samples_leaf=70, **settings).fit(X, y).tree_ == free


def test_scores_that_grow_with_weight_are_made_comparable():
    """Chi-squared of the third that was left out stands for that of all rows."""
    X, y = numbers_problem()
    model = ModelTreeClassifier("chi2", evidence="validation", max_depth=1, pruning=None)
    tree = model.fit(X, y).tree_
    assert tree.kind[0] == TestKind.LINEAR
    training = model.set_params(evidence="training").fit(X, y).tree_
    assert tree.score[0] == pytest.approx(training.score[0], rel=0.5)


@pytest.mark.parametrize("selection", ["score", "average_gain"])
@pytest.mark.parametrize("thresholds", [True, False])
def test_planes_go_through_the_columns_drawn(thresholds, selection):
    X, y = numbers_problem(n=600)
    drawn = set()
    for seed in range(12):
        model = ModelTreeClassifier(
            max_features=2, thresholds=thresholds, selection=selection, random_state=seed,
            pruning=None, max_depth=1, C=1.0,
        )  # fmt: skip
        tree = model.fit(X, y).tree_
        if tree.kind[0] == TestKind.LINEAR:
            columns = frozenset(tree.term_column.tolist())
            assert len(columns) <= 2
            drawn.add(columns)
    assert len(drawn) >= 2


def test_where_the_columns_drawn_have_no_test_others_are_asked():
    X, y = numbers_problem()
    X = np.column_stack([X, np.ones((len(y), 20))])
    for seed in range(5):
        model = ModelTreeClassifier(max_features=1, thresholds=False, random_state=seed)
        assert model.set_params(pruning=None, C=1.0).fit(X, y).tree_.n_leaves > 1


def test_a_light_row_changes_nothing():
    X, y = numbers_problem()
    weights = np.full(len(y), 3.0)
    heavy = only_plane(X, y, weights).tree_
    weights[0] = 1e-12
    light = only_plane(X, y, weights).tree_
    np.testing.assert_allclose(light.term_weight, heavy.term_weight, rtol=0.05)
    gone = only_plane(X[1:], y[1:], weights[1:]).tree_
    np.testing.assert_allclose(light.term_weight, gone.term_weight, rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_weights_of_any_size(scale):
    X, y = numbers_problem()
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 2, len(y))
    model = ModelTreeClassifier(pruning=None, C=1.0, max_depth=2).fit(X, y, weights * scale)
    tree = model.tree_
    assert TestKind.LINEAR in tree.kind
    assert tree.weight[0] == pytest.approx(weights.sum() * scale)
    np.testing.assert_allclose(
        tree.counts[0], np.bincount(y, weights) * scale, rtol=1e-9
    )
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("cut", ["machine", "best"])
@pytest.mark.parametrize("machine", ["svm", "sparse_svm", "logistic", "fisher"])
def test_weight_two_is_a_row_twice(machine, cut):
    X, y = numbers_problem(seed=2)
    X = {f"x{j}": X[:, j] for j in range(4)} | {"a": np.array(list("pqr"))[np.arange(240) % 3]}
    times = np.random.default_rng(0).integers(1, 4, 240)
    settings = {"C": 1.0, "machine": machine, "cut": cut, "pruning": None, "max_depth": 3}
    weighted = ModelTreeClassifier(**settings).fit(X, y, times.astype(float)).tree_
    again = {name: np.repeat(column, times) for name, column in X.items()}
    repeated = ModelTreeClassifier(**settings).fit(again, np.repeat(y, times)).tree_
    np.testing.assert_array_equal(weighted.kind[:3], repeated.kind[:3])
    assert weighted.kind[0] == TestKind.LINEAR
    np.testing.assert_allclose(weighted.counts[:3], repeated.counts[:3])
    np.testing.assert_allclose(
        sorted(weighted.terms_of(0).weight), sorted(repeated.terms_of(0).weight), rtol=1e-4
    )


@pytest.mark.parametrize("machine", ["svm", "logistic", "fisher", "sparse_svm"])
def test_the_order_of_rows_does_not_matter_where_none_are_left_out(machine):
    X, y = numbers_problem(n=150, seed=4, n_classes=3)
    settings = {"C": 1.0, "machine": machine, "pruning": None, "max_depth": 3}
    model = ModelTreeClassifier(**settings).fit(X, y)
    order = np.random.default_rng(0).permutation(150)
    other = ModelTreeClassifier(**settings).fit(X[order], y[order])
    np.testing.assert_array_equal(other.tree_.kind, model.tree_.kind)
    np.testing.assert_array_equal(other.tree_.counts, model.tree_.counts)
    np.testing.assert_array_equal(other.apply(X), model.apply(X))


@pytest.mark.parametrize("cut", ["machine", "best"])
def test_powers_of_two_change_no_side(cut):
    X, y = numbers_problem(n=200, seed=5)
    settings = {"pruning": None, "cut": cut, "max_depth": 4}
    model = ModelTreeClassifier(**settings).fit(X, y)
    scale = 2.0 ** np.array([-300, 40, 0, 250])
    other = ModelTreeClassifier(**settings).fit(X * scale, y)
    np.testing.assert_array_equal(other.tree_.kind, model.tree_.kind)
    np.testing.assert_array_equal(other.tree_.counts, model.tree_.counts)
    np.testing.assert_array_equal(other.apply(X * scale), model.apply(X))
    np.testing.assert_array_equal(
        other.tree_.term_weight, model.tree_.term_weight / scale[model.tree_.term_column]
    )


# Choice of C, evidence, groups of classes


def test_c_is_chosen_by_left_out_rows():
    """Few rows and many columns of noise: small values are better, and are taken."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    lengths = {}
    for cost in ("tune", [0.001], [1000.0], [1000.0, 0.001]):
        tree = only_plane(X, y, C=cost, tuning_folds=5).tree_
        lengths[str(cost)] = np.linalg.norm(tree.term_weight)
    assert lengths["[0.001]"] < lengths["[1000.0]"]
    assert lengths["tune"] < lengths["[1000.0]"]
    assert any(
        lengths["[1000.0, 0.001]"] == pytest.approx(lengths[one], rel=1e-3)
        for one in ("[0.001]", "[1000.0]")
    )


def test_too_few_rows_to_choose_take_the_c_nearest_to_one():
    X, y = numbers_problem(n=9, seed=1)
    tuned = only_plane(X, y, C=[0.01, 0.9, 50.0]).tree_
    np.testing.assert_allclose(
        tuned.term_weight, only_plane(X, y, C=0.9).tree_.term_weight, rtol=1e-4
    )


def test_planes_of_noise_are_seen_through_on_left_out_rows():
    """As many columns as rows: on training rows a plane is perfect, on others it is nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), rng.integers(0, 2, 60)
    settings = {"C": 100.0, "max_depth": 1, "pruning": None, "thresholds": False}
    assert ModelTreeClassifier(**settings).fit(X, y).score(X, y) == 1
    tree = ModelTreeClassifier(evidence="validation", tuning_folds=5, **settings).fit(X, y).tree_
    assert tree.score[0] < 0.2


@pytest.mark.parametrize("n_classes", [3, 5, 6, 8])
@pytest.mark.parametrize("multi_class", ["one_vs_rest", "largest", "balanced", "every"])
def test_many_classes(multi_class, n_classes):
    X, y = numbers_problem(n=400, seed=n_classes, n_classes=n_classes)
    settings = {"C": 1.0, "pruning": None, "thresholds": False, "multi_class": multi_class}
    model = ModelTreeClassifier(**settings).fit(X, y)
    if multi_class in ("one_vs_rest", "every"):
        assert model.score(X, y) > 0.6
    tree = model.set_params(max_depth=1).fit(X, y).tree_
    Z, _, _ = twin.scaled(X, None)
    sizes = np.bincount(y)
    everyone = range(n_classes)
    if multi_class == "largest":
        groups = [{int(np.argmax(sizes))}]
    elif multi_class == "balanced":
        dealt, weight = [set(), set()], [0, 0]
        for cls in sorted(everyone, key=lambda c: -sizes[c]):
            side = int(weight[0] > weight[1])
            dealt[side].add(cls)
            weight[side] += sizes[cls]
        groups = [dealt[0]]
    elif multi_class == "every" and n_classes <= 5:
        groups = [{c for c in everyone if bits >> c & 1} for bits in range(1, 2 ** (n_classes - 1))]
    else:
        groups = [{c} for c in everyone]
    best = 0.0  # where all rows are on one side of each plane
    for group in groups:
        signs = np.where(np.isin(y, list(group)), 1.0, -1.0)
        z, _, _ = smooth_svm.fit(Z, signs, 1.0, None)
        above = Z @ z[:-1] + z[-1] > 0
        if 0 < above.sum() < len(y):
            best = max(best, twin.gain([np.bincount(y[side], minlength=n_classes)
                                        for side in (above, ~above)]))  # fmt: skip
    assert tree.score[0] == pytest.approx(best, rel=1e-9)


def test_at_most_ten_classes_are_set_apart():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(14), np.arange(14, 0, -1) + 4)
    X = np.column_stack([rng.normal(size=len(y)), np.cos(y), np.sin(y)])
    fits = []

    class Counting(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            fits.append((y > 0).sum())
            return super().fit(X, y, sample_weight)

    only_plane(X, y, machine=Counting())
    assert fits == np.bincount(y)[:10].tolist()  # one machine for each of the largest


# C4.5's rule


@pytest.mark.parametrize("machine_too", [False, True])
def test_only_tests_of_average_gain_compete(machine_too):
    """Multiway tests, and a plane, by gain ratio among those of at least average gain."""
    differs = checked = 0
    for seed in range(80):
        numbers, nominal, y, _ = mixed_rows(seed, n_rows=40)
        rare = np.zeros(40, int)  # little gain, but a large ratio
        rare[np.flatnonzero(y)[:2]] = 1
        nominal = [*nominal, rare]
        numbers = numbers if machine_too else np.empty((40, 0))
        X = as_table(numbers, nominal)
        settings = {"selection": "average_gain", "max_depth": 1, "C": 1.0, "min_instances": 2}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There is no numeric or ordinal column")
            tree = ModelTreeClassifier.published(**settings).fit(X, y).tree_
        branches = [[codes == v for v in np.unique(codes)] for codes in nominal]
        if machine_too:
            distances = twin.svm_distances(numbers, np.where(y == 1, 1.0, -1.0), np.ones(40), 1.0)
            if np.abs(distances).min() < 1e-3:
                continue
            branches.append(sides(distances))
        found = []
        for place, sides_of in enumerate(branches):
            if sum(side.sum() >= 2 for side in sides_of) < 2:
                continue
            groups = [np.bincount(y[side], minlength=2) for side in sides_of]
            found.append((twin.gain(groups), twin.gain_ratio(groups), place))
        average = np.mean([gain for gain, _, _ in found])
        rivals = [(ratio, -place) for gain, ratio, place in found if gain >= average - 1e-12]
        ratio, place = max((round(ratio, 10), place) for ratio, place in rivals)
        differs += ratio < max(round(ratio, 10) for _, ratio, _ in found)
        checked += 1
        if -place == len(nominal):
            assert tree.kind[0] == TestKind.LINEAR
        else:
            assert tree.column[0] == numbers.shape[1] - place
        assert tree.score[0] == pytest.approx(ratio, rel=1e-6)
    assert checked > 30
    assert differs > 3
