"""Machines that make planes: each against its own definition and against other programs."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.svm import LinearSVC

from mixedwood import ModelTreeClassifier
from mixedwood.tree import SplitKind
from reference import model_tree as twin
from reference import smooth_svm
from support.planes import only_plane, plane_of


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
    assert tree.split_kind[0] == SplitKind.LINEAR
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
    chosen = (
        {"node_model": "svm", "smoothing": 5.0} if machine == "smooth" else {"node_model": machine}
    )
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
    Z, logistic = scaled_plane(X, y, C=0.7, node_model="logistic")
    # A column of ones is penalised as the constant is.
    one = np.ones((len(y), 1))
    other = LogisticRegression(C=0.7, fit_intercept=False, tol=1e-10, max_iter=10_000)
    np.testing.assert_allclose(logistic, other.fit(np.hstack([Z, one]), y).coef_[0], atol=1e-4)


def test_fishers_direction_and_his_cut(two_groups):
    X, y, _ = two_groups
    Z, found = scaled_plane(X, y, C=1e6, node_model="fisher")
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
    Z, found = scaled_plane(X, (signs > 0).astype(int), C=cost, node_model="sparse_svm")
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
    few = only_plane(X, y, C=0.1, node_model="sparse_svm").tree_
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
def test_any_linear_classifier_may_make_the_hyperplanes(machine, weighted, two_groups):
    X, y, weights = two_groups
    weights = weights if weighted else None
    settings = {"C": 3.0} if "C" in machine.get_params() else {}
    Z, found = scaled_plane(X, y, weights, node_model=machine, **settings)
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
    only_plane(X, y, node_model=Watching(), partitioner="one_vs_rest")
    rows, signs, weights = seen[-1]
    assert rows.shape == (60, 4)
    np.testing.assert_allclose(rows[:, 0], (X["x"] - X["x"].mean()) / X["x"].std())
    np.testing.assert_array_equal(rows[:, 1:], np.eye(3)[codes])
    np.testing.assert_array_equal(signs, np.where(y == 1, 1, -1))
    assert weights is None


def test_discriminants_without_weights_are_refused_only_with_weights(two_groups):
    X, y, weights = two_groups
    model = ModelTreeClassifier(node_model=LinearDiscriminantAnalysis(), pruning=None, max_depth=2)
    assert SplitKind.LINEAR in model.fit(X, y).tree_.split_kind
    with pytest.raises(
        ValueError, match=r"rows have weights, but LinearDiscriminant\w+ takes none"
    ):
        model.fit(X, y, weights)


def test_rows_divided_have_weights_too(two_groups):
    X, y, _ = two_groups
    X = np.where(np.arange(len(y))[:, None] % 9 == 0, np.nan, X)
    model = ModelTreeClassifier(
        node_model=LinearDiscriminantAnalysis(), handle_missing="fractional"
    )
    with pytest.raises(ValueError, match=r"takes none.*fit without .*handle_missing='fractional'"):
        model.fit(X, y)


def test_machines_that_shuffle_give_the_same_tree_every_time(two_groups):
    X, y, _ = two_groups
    for machine in (LinearSVC(max_iter=5), SGDClassifier(max_iter=5)):
        model = ModelTreeClassifier(node_model=machine, C=1.0, pruning=None, max_depth=2)
        first = model.fit(X, y).tree_
        assert SplitKind.LINEAR in first.split_kind
        assert all(model.fit(X, y).tree_ == first for _ in range(3))
        assert machine.random_state is None


class NotLinear(ClassifierMixin, BaseEstimator):
    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.full(len(X), np.nan)


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
        (TooShort(), ValueError, "one weight for each column, and a constant"),
        (Failing(), RuntimeError, "no luck"),
    ],
)
def test_classifiers_that_make_no_hyperplane_are_errors(machine, error, words, two_groups):
    X, y, _ = two_groups
    model = ModelTreeClassifier(node_model=machine)
    with pytest.raises(error, match=words):
        model.fit(X, y)
    assert not hasattr(model, "tree_")


def test_hyperplanes_that_are_no_numbers_do_not_count(two_groups):
    X, y, _ = two_groups
    tree = ModelTreeClassifier(node_model=NoAnswer(), pruning=None).fit(X, y).tree_
    assert SplitKind.LINEAR not in tree.split_kind
    assert tree == ModelTreeClassifier(min_samples_model=10**6, pruning=None).fit(X, y).tree_


def test_of_several_machines_the_best_wins(two_groups):
    X, y, _ = two_groups
    names = ["svm", "logistic", "fisher", LogisticRegression(C=0.001)]
    alone = [only_plane(X, y, node_model=name).tree_.score[0] for name in names]
    together = only_plane(X, y, node_model=names).tree_
    assert together.score[0] == max(alone)
    assert len(set(alone)) > 1
