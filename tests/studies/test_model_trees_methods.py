"""Methods that papers compare with: each beside an obvious version of itself."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood import datasets
from mixedwood.data import read_table
from mixedwood_studies.model_trees.methods import (
    MixedNaiveBayes,
    MixedNeighborsClassifier,
    _numeric_matrix,
)
from support.problems import mixed_problem


def problem(n_rows=120, seed=0):
    """A table without gaps, its classes, codes of its categories and its numbers."""
    data = datasets.make_mixed(n_rows, random_state=seed, frame="dict")
    table = read_table(data.X, categorical_features=list(data.nominal_features))
    nominal = [a for c, a in zip(table.schema, table.arrays, strict=True) if not c.is_numeric]
    return table, np.asarray(data.y), np.array(nominal).T, _numeric_matrix(table)


@pytest.mark.parametrize("seed", range(4))
def test_naive_bayes_is_two_models_of_scikit_learn_joined(seed):
    table, y, codes, numbers = problem(seed=seed)
    assert codes.shape[1]
    assert numbers.shape[1]
    train, test = np.arange(80), np.arange(80, 120)
    nominal = CategoricalNB(min_categories=codes.max(axis=0) + 1).fit(codes[train], y[train])
    normal = GaussianNB().fit(numbers[train], y[train])
    joint = nominal.predict_joint_log_proba(codes[test])
    joint += normal.predict_joint_log_proba(numbers[test])
    joint -= np.log(normal.class_prior_)  # else it counts twice
    model = MixedNaiveBayes().fit(table.take(train), y[train])
    np.testing.assert_allclose(model._scores(table.take(test)), joint, rtol=1e-6)
    np.testing.assert_array_equal(
        model.predict(table.take(test)), nominal.classes_[joint.argmax(axis=1)]
    )


def test_cells_that_are_missing_or_never_seen_say_nothing():
    X = {"color": ["red", "red", "blue", "blue", None], "size": [1.0, 2.0, 8.0, 9.0, np.nan]}
    y = ["small", "small", "large", "large", "large"]
    model = MixedNaiveBayes().fit(X, y)
    new = {"color": ["mauve", None, "red"], "size": [np.nan, 1.5, np.nan]}
    assert model.predict(new).tolist() == ["large", "small", "small"]
    nothing = {"color": [None, None], "size": [1.0, 1.0]}
    assert MixedNaiveBayes().fit(nothing, ["b", "a"]).predict(nothing).tolist() == ["a", "a"]


def distances(table, rows, others):
    found = np.zeros((len(rows), len(others)))
    for i, a in enumerate(rows):
        for j, b in enumerate(others):
            for column, cells in zip(table.schema, table.arrays, strict=True):
                gap = cells[a] - cells[b] if column.is_numeric else cells[a] != cells[b]
                found[i, j] += float(gap) ** 2
    return np.sqrt(found)


@pytest.mark.parametrize("n_neighbors", [1, 4, 9])
def test_neighbors_are_those_of_a_loop(n_neighbors):
    table, y, _, _ = problem(60)
    train, test = np.arange(40), np.arange(40, 60)
    model = MixedNeighborsClassifier(n_neighbors).fit(table.take(train), y[train])
    slow = KNeighborsClassifier(n_neighbors, metric="precomputed")
    slow.fit(distances(table, train, train), y[train])
    expected = slow.predict(distances(table, test, train))
    np.testing.assert_array_equal(model.predict(table.take(test)), expected)


def test_the_number_of_neighbors_is_tuned_inside():
    table, y, _, _ = problem(150, seed=1)
    model = MixedNeighborsClassifier(random_state=3).fit(table, y)
    candidates = {"n_neighbors": [1, 3, 5, 7, 9, 11, 15, 21, 31, 41]}
    inner = StratifiedKFold(5, shuffle=True, random_state=3)
    slow = GridSearchCV(KNeighborsClassifier(metric="precomputed"), candidates, cv=inner)
    everything = np.arange(150)
    slow.fit(distances(table, everything, everything), y)
    assert model.n_neighbors_ == slow.best_params_["n_neighbors"]


@pytest.mark.parametrize("scale", ["variance", "range"])
def test_numbers_of_any_size_count_alike_once_scaled(scale):
    table, y, _, _ = problem(100, seed=2)
    large = {
        c.name: 1024 * cells + 4096 if c.is_numeric else cells.astype(str)
        for c, cells in zip(table.schema, table.arrays, strict=True)
    }
    fitted = [MixedNeighborsClassifier(5, scale=scale).fit(X, y) for X in (table, large)]
    np.testing.assert_array_equal(fitted[0].predict(table), fitted[1].predict(large))
    plain = [MixedNeighborsClassifier(5).fit(X, y) for X in (table, large)]
    assert (plain[0].predict(table) != plain[1].predict(large)).any()


def test_divided_by_their_range_numbers_differ_like_categories():
    X = {"color": ["red", "blue", "blue"], "size": [0.0, 500.0, 1000.0]}
    y = ["a", "b", "c"]
    new = {"color": ["red"], "size": [500.0]}
    assert MixedNeighborsClassifier(1).fit(X, y).predict(new).tolist() == ["b"]
    assert MixedNeighborsClassifier(1, scale="range").fit(X, y).predict(new).tolist() == ["a"]


def test_what_neighbors_cannot_do_is_said():
    with pytest.raises(ValueError, match=r"n_neighbors must be an int >= 1 or 'tune'\. Got 0"):
        MixedNeighborsClassifier(0).fit(*mixed_problem(20))
    with pytest.raises(ValueError, match=r"scale must be None, 'variance' or 'range'\. Got 'inch'"):
        MixedNeighborsClassifier(1, scale="inch").fit(*mixed_problem(20))
    with pytest.raises(ValueError, match="Column 'size' has missing values"):
        MixedNeighborsClassifier(1).fit({"size": [1.0, np.nan]}, ["a", "b"])


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([MixedNaiveBayes(), MixedNeighborsClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
