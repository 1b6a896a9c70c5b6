"""Parameters of parts, as in ``estimator__max_depth``, where the part is left to its default."""

import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from mixedwood import (
    BoostedTreesClassifier,
    EnsembleClassifier,
    ForestClassifier,
    RandomOrdinalityClassifier,
    TreeClassifier,
)
from support.problems import mixed_problem


def test_one_parameter_of_the_default_tree_is_changed():
    forest = ForestClassifier().set_params(estimator__max_depth=2, n_estimators=3)
    assert repr(forest.estimator) == repr(
        TreeClassifier(criterion="gini", max_depth=2, max_features="sqrt", pruning=None)
    )
    assert forest.n_estimators == 3


def test_the_default_made_for_it_gives_the_same_trees():
    X, y = mixed_problem(80)
    plain = ForestClassifier(n_estimators=3, random_state=0)
    named = clone(plain).set_params(estimator__max_features="sqrt")  # as it was
    assert plain.fit(X, y).trees_ == named.fit(X, y).trees_


def test_parts_of_parts():
    model = EnsembleClassifier().set_params(
        boosted__learning_rate=0.3, forest__estimator__max_depth=4
    )
    assert repr(model.boosted) == repr(BoostedTreesClassifier(learning_rate=0.3))
    assert model.forest.estimator.max_depth == 4


def test_the_default_tree_of_random_ordinality():
    X, y = mixed_problem(80)
    plain = RandomOrdinalityClassifier(n_estimators=3, random_state=0)
    named = clone(plain).set_params(estimator__max_depth=None)  # as it was
    assert type(named.estimator).__name__ == "TreeClassifier"
    assert plain.fit(X, y).trees_ == named.fit(X, y).trees_
    named.set_params(estimator__max_depth=1)
    assert {tree.depth for tree in named.fit(X, y).trees_} == {1}


def test_a_part_that_is_given_at_once_is_taken():
    tree = TreeClassifier(min_samples_leaf=7)
    forest = ForestClassifier().set_params(estimator__max_depth=2, estimator=tree)
    assert (forest.estimator.min_samples_leaf, forest.estimator.max_depth) == (7, 2)
    anew = ForestClassifier(tree).set_params(estimator=None, estimator__max_depth=2)
    assert (anew.estimator.min_samples_leaf, anew.estimator.max_features) == (1, "sqrt")


def test_grid_search_inside():
    X, y = mixed_problem(90)
    grid = {"estimator__max_depth": [1, 4]}
    search = GridSearchCV(ForestClassifier(n_estimators=3, random_state=0), grid, cv=3).fit(X, y)
    assert search.best_estimator_.estimator.max_depth in (1, 4)
    assert {tree.depth <= 4 for tree in search.best_estimator_.trees_} == {True}


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        (BoostedTreesClassifier(), "estimator__max_depth", r"Did you mean \'max_depth\'\?"),
        (BoostedTreesClassifier(), "estimator__max_features", "'estimator' of Boosted.* is None"),
        (
            RandomOrdinalityClassifier("c46"),
            "estimator__max_depth",
            "is 'c46'. Set 'estimator' to an estimator with the parameter 'max_depth' first",
        ),
        (
            TreeClassifier(),
            "criterion__depth",
            "Set 'criterion' to an estimator with the parameter 'depth' first",
        ),
        (ForestClassifier(), "tree__max_depth", "Invalid parameter 'tree'"),
        (ForestClassifier(), "estimator__depth", "Invalid parameter 'depth'"),
    ],
)
def test_where_there_is_no_part(model, name, words):
    with pytest.raises(ValueError, match=words):
        model.set_params(**{name: 1})
