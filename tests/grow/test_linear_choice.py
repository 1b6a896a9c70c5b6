"""Which plane is taken: left-out rows, columns drawn, weights, groups of classes, C4.5's rule."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from mixedwood import ModelTreeClassifier, TreeClassifier
from mixedwood.tree import SplitKind
from mixedwood_studies.model_trees.methods import model_tree as published
from reference import model_tree as twin
from reference import smooth_svm
from support.planes import as_table, mixed_rows, numbers_problem, only_plane, sides


@pytest.mark.parametrize("folds", [1, 3])
def test_left_out_rows_need_not_fill_leaves(folds):
    """A third of the rows is left out, and less than a leaf must have may be on a side of them."""
    X, y = numbers_problem()
    settings = {"score_on": "validation", "node_cv": folds, "max_depth": 1, "pruning": None}
    free = ModelTreeClassifier(**settings).fit(X, y).tree_
    assert free.split_kind[0] == SplitKind.LINEAR
    assert free.weighted_n_node_samples.min() > 70
    assert ModelTreeClassifier(min_samples_leaf=70, **settings).fit(X, y).tree_ == free


def test_scores_that_grow_with_weight_are_made_comparable():
    """Chi-squared of the third that was left out stands for that of all rows."""
    X, y = numbers_problem()
    model = ModelTreeClassifier(criterion="chi2", score_on="validation", max_depth=1, pruning=None)
    tree = model.fit(X, y).tree_
    assert tree.split_kind[0] == SplitKind.LINEAR
    training = model.set_params(score_on="train").fit(X, y).tree_
    assert tree.score[0] == pytest.approx(training.score[0], rel=0.5)


@pytest.mark.parametrize("selection", ["score", "average_gain"])
@pytest.mark.parametrize("thresholds", [True, False])
def test_hyperplanes_go_through_the_columns_drawn(thresholds, selection):
    X, y = numbers_problem(n=600)
    drawn = set()
    for seed in range(12):
        model = ModelTreeClassifier(
            max_features=2, axis_aligned=thresholds, selection=selection, random_state=seed,
            pruning=None, max_depth=1, C=1.0,
        )  # fmt: skip
        tree = model.fit(X, y).tree_
        if tree.split_kind[0] == SplitKind.LINEAR:
            columns = frozenset(tree.term_column.tolist())
            assert len(columns) <= 2
            drawn.add(columns)
    assert len(drawn) >= 2


def test_where_the_columns_drawn_have_no_test_others_are_asked():
    X, y = numbers_problem()
    X = np.column_stack([X, np.ones((len(y), 20))])
    for seed in range(5):
        model = ModelTreeClassifier(max_features=1, axis_aligned=False, random_state=seed)
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
    assert SplitKind.LINEAR in tree.split_kind
    assert tree.weighted_n_node_samples[0] == pytest.approx(weights.sum() * scale)
    np.testing.assert_allclose(tree.statistics[0], np.bincount(y, weights) * scale, rtol=1e-9)
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("cut", ["model", "best"])
@pytest.mark.parametrize("machine", ["svm", "sparse_svm", "logistic", "fisher"])
def test_weight_two_is_a_row_twice(machine, cut):
    X, y = numbers_problem(seed=2)
    X = {f"x{j}": X[:, j] for j in range(4)} | {"a": np.array(list("pqr"))[np.arange(240) % 3]}
    times = np.random.default_rng(0).integers(1, 4, 240)
    settings = {"C": 1.0, "node_model": machine, "intercept": cut, "pruning": None, "max_depth": 3}
    weighted = ModelTreeClassifier(**settings).fit(X, y, times.astype(float)).tree_
    again = {name: np.repeat(column, times) for name, column in X.items()}
    repeated = ModelTreeClassifier(**settings).fit(again, np.repeat(y, times)).tree_
    np.testing.assert_array_equal(weighted.split_kind[:3], repeated.split_kind[:3])
    assert weighted.split_kind[0] == SplitKind.LINEAR
    np.testing.assert_allclose(weighted.statistics[:3], repeated.statistics[:3])
    np.testing.assert_allclose(
        sorted(weighted.terms_of(0).weight), sorted(repeated.terms_of(0).weight), rtol=1e-4
    )


@pytest.mark.parametrize("machine", ["svm", "logistic", "fisher", "sparse_svm"])
def test_the_order_of_rows_does_not_matter_where_none_are_left_out(machine):
    X, y = numbers_problem(n=150, seed=4, n_classes=3)
    settings = {"C": 1.0, "node_model": machine, "pruning": None, "max_depth": 3}
    model = ModelTreeClassifier(**settings).fit(X, y)
    order = np.random.default_rng(0).permutation(150)
    other = ModelTreeClassifier(**settings).fit(X[order], y[order])
    np.testing.assert_array_equal(other.tree_.split_kind, model.tree_.split_kind)
    np.testing.assert_array_equal(other.tree_.statistics, model.tree_.statistics)
    np.testing.assert_array_equal(other.apply(X), model.apply(X))


@pytest.mark.parametrize("cut", ["model", "best"])
def test_powers_of_two_change_no_side(cut):
    X, y = numbers_problem(n=200, seed=5)
    settings = {"pruning": None, "intercept": cut, "max_depth": 4}
    model = ModelTreeClassifier(**settings).fit(X, y)
    scale = 2.0 ** np.array([-300, 40, 0, 250])
    other = ModelTreeClassifier(**settings).fit(X * scale, y)
    np.testing.assert_array_equal(other.tree_.split_kind, model.tree_.split_kind)
    np.testing.assert_array_equal(other.tree_.statistics, model.tree_.statistics)
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
        tree = only_plane(X, y, C=cost, node_cv=5).tree_
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


def test_hyperplanes_of_noise_lose_on_left_out_rows():
    """As many columns as rows: on training rows a plane is perfect, on others it is nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), rng.integers(0, 2, 60)
    settings = {"C": 100.0, "max_depth": 1, "pruning": None, "axis_aligned": False}
    assert ModelTreeClassifier(**settings).fit(X, y).score(X, y) == 1
    tree = ModelTreeClassifier(score_on="validation", node_cv=5, **settings).fit(X, y).tree_
    assert tree.score[0] < 0.2


@pytest.mark.parametrize("n_classes", [3, 5, 6, 8])
@pytest.mark.parametrize("multi_class", ["ovr", "largest", "balanced", "exhaustive"])
def test_many_classes(multi_class, n_classes):
    X, y = numbers_problem(n=400, seed=n_classes, n_classes=n_classes)
    settings = {"C": 1.0, "pruning": None, "axis_aligned": False, "multi_class": multi_class}
    model = ModelTreeClassifier(**settings).fit(X, y)
    if multi_class in ("ovr", "exhaustive"):
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
    elif multi_class == "exhaustive" and n_classes <= 5:
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

    only_plane(X, y, node_model=Counting())
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
        settings = {"selection": "average_gain", "max_depth": 1, "C": 1.0, "min_samples_split": 2}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "There are no numeric or ordinal columns")
            tree = published(**settings).fit(X, y).tree_
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
            assert tree.split_kind[0] == SplitKind.LINEAR
        else:
            assert tree.column[0] == numbers.shape[1] - place
        assert tree.score[0] == pytest.approx(ratio, rel=1e-6)
    assert checked > 30
    assert differs > 3


def test_average_gain_in_other_trees_and_with_gaps():
    """Rows without a value are shared out: they gain nothing, and the ratio counts for less."""
    differs = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 3, 60)
        nominal = [(y + rng.integers(0, size, 60)) % 4 for size in (2, 3, 4)]
        rare = np.zeros(60, int)
        rare[np.flatnonzero(y == 0)[:2]] = 1
        nominal = [*nominal, rare]
        known = [rng.random(60) > rng.choice([0.0, 0.2, 0.7]) for _ in nominal]
        X = {
            f"a{k}": [f"v{c}" if k_ else None for c, k_ in zip(codes, its, strict=True)]
            for k, (codes, its) in enumerate(zip(nominal, known, strict=True))
        }
        found = []
        for place, (codes, its) in enumerate(zip(nominal, known, strict=True)):
            values = np.unique(codes[its])
            groups = [np.bincount(y[its & (codes == v)], minlength=3) for v in values]
            if sum(group.sum() >= 2 for group in groups) >= 2:
                share = its.mean()
                found.append((share * twin.gain(groups), share * twin.gain_ratio(groups), place))
        average = np.mean([gain for gain, _, _ in found])
        ratio, place = max((ratio, -place) for gain, ratio, place in found if gain >= average)
        differs += ratio < max(ratio for _, ratio, _ in found)
        model = TreeClassifier(
            criterion="gain_ratio",
            partitioner="multiway",
            selection="average_gain",
            max_depth=1,
            handle_missing="fractional",
            pruning=None,
            min_samples_leaf=2,
        )
        tree = model.fit(X, y).tree_
        assert tree.column[0] == -place
        assert tree.score[0] == pytest.approx(ratio, rel=1e-9)
    assert differs > 3
