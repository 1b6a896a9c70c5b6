"""Splits into groups of categories: more than two, with several categories each."""

import numpy as np
import pytest
from sklearn.base import clone

import mixedwood as mw
from mixedwood.data import read_table, read_target
from mixedwood.grow import GrowSettings, grow
from mixedwood.tree import SplitKind
from reference import splits as twin

COLORS = np.array(["blue", "cyan", "gray", "green", "pink", "red"], dtype=object)


def colored(n=300, seed=0, noise=0.1):
    """Three pairs of colors, one for each class, and a column of noise."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 6, n)
    y = np.where(rng.random(n) < noise, rng.integers(0, 3, n), code % 3)
    shape = np.array(["round", "square"], dtype=object)[rng.integers(0, 2, n)]
    return {"color": COLORS[code], "shape": shape}, np.array(["a", "b", "c"])[y]


MODELS = [
    mw.C45TreeClassifier(group_values=True),
    mw.TreeClassifier(criterion="gain_ratio", partitioner="c45_groups"),
    mw.TreeClassifier(partitioner="c45_groups", handle_missing="fractional", pruning=None),
]


@pytest.mark.parametrize("model", MODELS)
def test_categories_of_a_group_share_a_branch(model, tmp_path):
    X, y = colored(noise=0.0)
    model = clone(model).fit(X, y)
    tree = model.tree_
    assert tree.split_kind[0] == SplitKind.MULTIWAY
    codes, children = tree.categories_of(0)
    assert codes.tolist() == [0, 1, 2, 3, 4, 5]
    assert children.tolist() == [0, 1, 2, 0, 1, 2]
    assert len(tree.children_of(0)) == 3
    text = tree.to_text()
    for pair in ("{blue, green}", "{cyan, pink}", "{gray, red}"):
        assert f"color in {pair}" in text
    assert any("color in {blue, green}" in str(rule) for rule in tree.to_rules())
    assert "blue, green" in tree.to_svg()
    assert "blue, green" in tree.to_dot()
    path = str(model.explain(X, row=int(np.argmax(y == "a"))))
    assert "color = green in {blue, green}" in path
    file = tmp_path / "model.json"
    mw.save_model(model, file)
    again = mw.load_model(file)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert model.score(X, y) == 1


def test_categories_that_a_node_has_not_seen_are_in_no_group():
    X, y = colored()
    X["color"] = np.where(np.arange(len(y)) < 299, X["color"], "violet").astype(object)
    seen = {name: cells[:299] for name, cells in X.items()}
    tree = mw.C45TreeClassifier(group_values=True).fit(seen, y[:299])
    with pytest.warns(mw.UnknownCategoryWarning):
        proba = tree.predict_proba({name: cells[299:] for name, cells in X.items()})
    root = tree.tree_.statistics[0]
    np.testing.assert_allclose(proba[0], root / root.sum())


def test_fewer_leaves_than_with_one_branch_per_category():
    X, y = colored(noise=0.3)
    leaves = [
        mw.C45TreeClassifier(pruned=False, group_values=grouped).fit(X, y).get_n_leaves()
        for grouped in (True, False)
    ]
    assert leaves[0] < leaves[1]


@pytest.mark.parametrize("min_samples_leaf", [1, 20, 60])
def test_at_least_two_branches_have_the_minimum_of_rows(min_samples_leaf):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        code = np.sort(rng.geometric(0.3, 150).clip(max=9) - 1)
        y = rng.integers(0, 3, 150)
        A = np.array([np.bincount(y[code == v], minlength=3) for v in np.unique(code)], float)
        groups, _ = twin.c45_groups(A, A.sum(1), min_samples_leaf)
        settings = GrowSettings(
            criterion="gain_ratio",
            partitioner="c45_groups",
            min_samples_leaf=min_samples_leaf,
            max_depth=1,
        )
        table = read_table({"x": np.array(list("abcdefghi"), dtype=object)[code]})
        tree = grow(table, read_target(y), settings)
        sizes = [A[group].sum() for group in groups]
        if sorted(sizes)[-2] < min_samples_leaf:
            assert tree.n_nodes == 1
            continue
        found = tree.weighted_n_node_samples[tree.children_of(0)]
        assert found.tolist() == sizes


def test_a_missing_value_can_be_in_a_group():
    X, y = colored(noise=0.0)
    X["color"] = np.where(X["color"] == "red", None, X["color"])
    for handle_missing in ("learned", "category"):
        model = mw.TreeClassifier(
            criterion="gain_ratio", partitioner="c45_groups", handle_missing=handle_missing
        )
        tree = model.fit(X, y).tree_
        assert tree.missing_child[0] == 2
        assert tree.categories_of(0)[1].tolist() == [0, 1, 2, 0, 1]
        assert model.score(X, y) == 1


def test_a_criterion_for_two_groups_is_refused():
    X, y = colored(30)
    with pytest.raises(ValueError, match="'c45_groups' make more than two groups"):
        mw.TreeClassifier(criterion="twoing", partitioner="c45_groups").fit(X, y)


def test_an_identifier_is_not_chosen():
    X, y = colored()
    X["id"] = np.array([f"row {i}" for i in range(len(y))], dtype=object)
    with pytest.warns(mw.IdentifierWarning):
        tree = mw.TreeClassifier(partitioner="c45_groups").fit(X, y).tree_
    assert tree.column_of(0).name == "color"
