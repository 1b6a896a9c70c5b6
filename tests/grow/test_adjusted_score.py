"""Columns are compared by what their splits can be expected to score on new rows."""

import math
from itertools import permutations

import numpy as np
import pytest

from mixedwood import ForestClassifier, TreeClassifier
from mixedwood.data import Column, Schema, Table, Target
from mixedwood.grow import GrowSettings, grow
from mixedwood.splits import best_partition
from mixedwood.tree import SplitKind
from reference.adjusted_score import (
    FITTED,
    adjusted_multiway,
    adjusted_nominal,
    adjusted_threshold,
    beyond_chance,
    direction,
    expected_gain,
    gini_share,
)
from support.cases import cases
from support.planes import only_plane

# Columns that identify rows are what this is about.
pytestmark = pytest.mark.filterwarnings("ignore::mixedwood.IdentifierWarning")

CLEAR = 1e-4  # the library looks up the normal distribution in a table
PARTITIONERS = ["auto", "principal_ext", "one_vs_rest", "random_order", "random_subset", "multiway"]
PARTITIONERS += ["c45_groups"]
CRITERIA = ["gini", "entropy", "gain_ratio", "twoing", "chi2", "pearson_chi2"]
MANY_GROUPS = ("multiway", "c45_groups")
PARTS = [
    (partitioner, criterion)
    for partitioner in PARTITIONERS
    for criterion in CRITERIA
    if partitioner not in MANY_GROUPS or criterion not in ("twoing", "chi2")  # for two groups only
]


def random_problem(rng, n_classes, most_values):
    """Three columns of which the first may tell something; with weights, gaps and copies or not."""
    n = int(rng.integers(8, 61))
    y = rng.integers(0, n_classes, n).astype(np.int32)
    columns, arrays = [], []
    for place in range(3):
        n_values = int(rng.integers(2, most_values + 1))
        codes = rng.integers(0, n_values, n)
        if place == 0:
            codes = np.where(rng.random(n) < 0.4, y % n_values, codes)
        if rng.random() < 0.3:
            codes[rng.random(n) < 0.2] = -1
        if rng.random() < 0.3:
            columns.append(Column(f"c{place}", "numeric"))
            arrays.append(np.where(codes < 0, np.nan, codes.astype(float)))
        else:
            names = tuple(f"v{v:02}" for v in range(n_values))
            columns.append(Column(f"c{place}", "nominal", names))
            arrays.append(codes.astype(np.int32))
    weights = [None, rng.integers(1, 4, n).astype(float), rng.uniform(0.2, 3, n)]
    target = Target(np.arange(n_classes), y, weights[rng.integers(3)])
    rows = np.sort(rng.integers(0, n, n)).astype(np.int32) if rng.random() < 0.4 else None
    return Table(Schema(tuple(columns)), tuple(arrays)), target, rows


def alone(table, place):
    """The table with all other columns constant: what this one offers, by the library's search."""
    arrays = [array if c == place else array * 0 for c, array in enumerate(table.arrays)]
    arrays = [np.nan_to_num(a) if c != place else a for c, a in enumerate(arrays)]
    return Table(table.schema, tuple(arrays))


def twin_rank(tree, table, target, rows, place, settings):
    """Adjusted score of the root of a tree; None where rounding decides."""
    rows = np.arange(target.n_rows) if rows is None else rows
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    whole = (weights == np.floor(weights)).all()
    times = np.bincount(rows)
    copies = (times**2).sum() / len(rows)

    def counts(chosen):
        return np.bincount(target.codes[chosen], weights[chosen], minlength=target.n_classes)

    def n_rows(chosen):
        return weights[chosen].sum() if whole else len(chosen)

    cells, score = table.arrays[place], float(tree.score[0])
    if tree.split_kind[0] == SplitKind.INTERVAL:
        on_left = cells[rows] <= tree.high[0]
        on_left[np.isnan(cells[rows])] = tree.missing_child[0] == 0
        sides = np.array([counts(rows[on_left]), counts(rows[~on_left])])
        n_values = len(np.unique(cells[rows][~np.isnan(cells[rows])]))
        adjusted = adjusted_threshold(
            sides, counts(rows), score, settings.criterion, n_values, n_rows(rows) / copies
        )
        return min(score, adjusted)
    groups = [rows[cells[rows] == value] for value in np.unique(cells[rows])]
    A = np.array([counts(group) for group in groups])
    codes, children = tree.categories_of(0)
    child_of = dict(zip(codes.tolist(), children.tolist(), strict=True))
    child_of[-1] = tree.missing_child[0]
    if tree.split_kind[0] == SplitKind.MULTIWAY:
        child = np.array([child_of[int(cells[group[0]])] for group in groups])
        merged = np.array([A[child == c].sum(0) for c in np.unique(child)])
        return min(score, adjusted_multiway(A, score, n_rows(rows) / copies, merged))
    left = np.array([child_of[int(cells[group[0]])] == 0 for group in groups])
    if np.abs(direction(np.array([A[left].sum(0), A[~left].sum(0)]))[A.sum(0) > 0]).min() < 1e-8:
        return None
    distinct = [len(np.unique(group)) if copies > 1 else n_rows(group) for group in groups]
    fitted = FITTED.get(settings.partitioner, "sides")
    adjusted = adjusted_nominal(
        A, left, score, settings.criterion, distinct, n_rows(rows) / copies, fitted
    )
    return min(score, adjusted)


@pytest.mark.parametrize(("partitioner", "criterion"), PARTS)
def test_the_column_of_the_root_is_that_of_the_reference(partitioner, criterion):
    rng = np.random.default_rng([PARTITIONERS.index(partitioner), CRITERIA.index(criterion)])
    settings = GrowSettings(
        criterion=criterion, partitioner=partitioner, selection="adjusted", max_depth=1
    )
    n_clear = n_changed = 0
    for _ in range(cases(200)):
        n_classes = int(rng.integers(2, 5))
        # More than 8 values of more than two classes are compared by another search than the last.
        table, target, rows = random_problem(rng, n_classes, 40 if n_classes == 2 else 8)
        ranks, scores = {}, {}
        for place in range(3):
            tree = grow(alone(table, place), target, settings, rows=rows)
            if tree.n_nodes > 1:
                ranks[place] = twin_rank(tree, table, target, rows, place, settings)
                scores[place] = tree.score[0]
        if not ranks or None in ranks.values():
            continue
        found = grow(table, target, settings, rows=rows)
        first, *others = sorted(ranks.values(), reverse=True)
        if others and first - others[0] < CLEAR * max(abs(first), abs(others[0]), 1e-2):
            continue
        n_clear += 1
        assert found.column[0] == max(ranks, key=ranks.get)
        n_changed += max(ranks, key=ranks.get) != max(scores, key=scores.get)
    assert n_clear > 0.6 * cases(200)
    assert n_changed > 0 or partitioner == "random_subset"


def read(columns, y, weights=None):
    """A table of lists of codes (nominal) or of numbers."""
    schema, arrays = [], []
    for name, values in columns.items():
        values = np.asarray(values)
        if values.dtype.kind == "f":
            schema.append(Column(name, "numeric"))
            arrays.append(values)
        else:
            labels = tuple(f"v{v:05}" for v in range(int(values.max()) + 1))
            schema.append(Column(name, "nominal", labels))
            arrays.append(values.astype(np.int32))
    y = np.asarray(y, np.int32)
    weights = None if weights is None else np.asarray(weights, float)
    return Table(Schema(tuple(schema)), tuple(arrays)), Target(
        np.arange(int(y.max()) + 1), y, weights
    )


def root(columns, y, weights=None, **settings):
    """Name of the column chosen at the root; None for a leaf."""
    table, target = read(columns, y, weights)
    chosen = {"criterion": "entropy", "selection": "adjusted", "max_depth": 1, **settings}
    tree = grow(table, target, GrowSettings(**chosen))
    return table.schema.columns[tree.column[0]].name if tree.n_nodes > 1 else None


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_columns_alike_in_size_are_ranked_by_their_scores(criterion, n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(30):
        y = rng.integers(0, n_classes, 1500)
        n_values = int(rng.integers(2, 7))
        shuffled = rng.permutation([0.1, 0.3, 0.5])
        columns = {
            f"c{place}": np.where(rng.random(1500) < told, y, rng.integers(0, n_values, 1500))
            % n_values
            for place, told in enumerate(shuffled)
        }
        by_score = root(columns, y, criterion=criterion, selection="score")
        assert by_score == f"c{np.argmax(shuffled)}"
        assert root(columns, y, criterion=criterion) == by_score


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_an_identifier_never_beats_a_column_that_tells_something(criterion, n_classes):
    rng = np.random.default_rng(n_classes)
    settings = GrowSettings(criterion=criterion, selection="adjusted", max_depth=1)
    n_real = n_fooled = 0
    for _ in range(60):
        n = int(rng.integers(20, 80))
        y = rng.integers(0, n_classes, n)
        weak = np.where(rng.random(n) < 0.3, y, rng.integers(0, 3, n)) % 3
        columns = {"id": rng.permutation(n), "weak": weak}
        table, target = read(columns, y)
        tree = grow(alone(table, 1), target, settings)
        rank = twin_rank(tree, table, target, None, 1, settings)
        if rank is None or rank <= 1e-6:
            continue
        n_real += 1
        n_fooled += root(columns, y, criterion=criterion, selection="score") == "id"
        assert root(columns, y, criterion=criterion) == "weak"
    assert n_real > 10
    assert n_fooled == n_real or criterion == "chi2"


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_values", [20, 100])  # of 200 rows
def test_noise_is_expected_to_gain_what_a_cut_gains_that_is_not_fitted(n_values, n_classes):
    rng = np.random.default_rng(n_values + n_classes)
    raw, expected = [], []
    for _ in range(150):
        values, y = rng.integers(0, n_values, 200), rng.integers(0, n_classes, 200)
        A = np.zeros((n_values, n_classes))
        np.add.at(A, (values, y), 1)
        A = A[A.sum(1) > 0]
        left = np.zeros(len(A), bool)
        left[list(best_partition(A, criterion="gini").groups[0])] = True
        raw.append(gini_share(np.array([A[left].sum(0), A[~left].sum(0)])))
        expected.append(expected_gain(A, left, A.sum(1)))
    # A cut that is not fitted takes a share of 1/200 away, on average.
    assert np.mean(raw) * 200 > 6
    assert abs(np.mean(expected)) * 200 < 2.5
    if n_values == 100:
        assert abs(np.mean(expected)) < 0.1 * np.mean(raw)


@pytest.mark.parametrize("missing", ["learned", "fractional", "category"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_a_whole_weight_is_a_number_of_rows(criterion, missing):
    rng = np.random.default_rng(0)
    no_limits = {"min_samples_split": 1e-9, "min_samples_leaf": 1e-9}  # of weight, with parts
    n_changed = 0
    for _ in range(100):
        n = int(rng.integers(10, 40))
        y = rng.integers(0, 3, n)
        columns = {
            "few": np.where(rng.random(n) < 0.3, y, rng.integers(-1, 3, n)),
            "many": rng.integers(0, n // 2, n),
            "number": rng.normal(size=n).round(1),
        }
        times = rng.integers(1, 5, n)
        found = root(columns, y, times, criterion=criterion, handle_missing=missing)
        rows = np.repeat(np.arange(n), times)
        repeated = {name: values[rows] for name, values in columns.items()}
        assert found == root(repeated, y[rows], criterion=criterion, handle_missing=missing)
        # Weights that are not whole say nothing of the number of rows.
        real = times + 0.5
        free = {"criterion": criterion, "handle_missing": missing, **no_limits}
        at_first = root(columns, y, real, **free)
        for scale in (1e-6, math.pi / 3, 1e5 / 7):
            assert root(columns, y, real * scale, **free) == at_first
        n_changed += at_first != found
    assert n_changed > 0


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_do_not_depend_on_how_values_were_counted(criterion, n_classes):
    """Rows that weigh 1 are counted in kept histograms, buckets and blocks; others one by one."""
    rng = np.random.default_rng(n_classes)
    n = 4000
    y = rng.integers(0, n_classes, n)
    columns = {
        "few": np.where(rng.random(n) < 0.2, y, rng.integers(-1, 5, n)),
        "many": rng.integers(0, n // 4, n),
        "numbers": rng.normal(y * 0.3),
        "rounded": rng.normal(y * 0.3).round(1),
    }
    for drop in ((), ("many",), ("few", "many"), ("few", "many", "rounded")):
        kept = {name: values for name, values in columns.items() if name not in drop}
        settings = {"criterion": criterion, "selection": "adjusted", "min_samples_leaf": 5}
        plain = grow(*read(kept, y), GrowSettings(**settings))
        weighted = grow(*read(kept, y, np.ones(n)), GrowSettings(**settings))
        assert plain.n_nodes > 100
        assert plain == weighted


def test_forests_do_not_depend_on_the_number_of_workers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = {
        "id": [f"r{i}" for i in range(300)],
        "a": np.where(rng.random(300) < 0.4, y, rng.integers(0, 4, 300)).astype(str),
        "x": rng.normal(y),
    }
    trees = [ForestClassifier(n_estimators=8, random_state=0, n_jobs=k).fit(X, y) for k in (1, 2)]
    assert trees[0].trees_ == trees[1].trees_


@pytest.mark.parametrize(("partitioner", "criterion"), PARTS)
def test_extreme_weights_and_odd_columns(criterion, partitioner):
    """An adjusted score that is not a number would win or lose by its place among the columns."""
    rng = np.random.default_rng(0)
    n = 60
    y = np.arange(n) % 3
    good = np.where(np.arange(n) < 54, y, (y + 1) % 3)
    columns = {
        "good": good,
        "id": np.arange(n),
        "gaps": np.where(np.arange(n) % 2 == 0, 0, -1),  # one value, or none
        "noise": rng.integers(-1, 12, n),
        "flat": np.zeros(n, int),
        "number": rng.normal(size=n),
    }
    spread = 10.0 ** rng.uniform(-6, 6, n)
    for weights in (np.full(n, 1e-300), np.full(n, 1e300), np.full(n, 5e-324), None):
        for order in list(permutations(columns))[::60]:
            shuffled = {name: columns[name] for name in order}
            found = root(shuffled, y, weights, criterion=criterion, partitioner=partitioner)
            assert found == "good"
    if partitioner != "random_order":  # whose orders go with the place of a column
        found = {
            root({name: columns[name] for name in order}, y, spread, criterion=criterion,
                 partitioner=partitioner)
            for order in list(permutations(columns))[::60]
        }  # fmt: skip
        assert len(found) == 1
    assert root(columns, np.zeros(n), spread, criterion=criterion, partitioner=partitioner) is None


@pytest.mark.parametrize(
    "tree",
    [
        None,
        TreeClassifier(),
        TreeClassifier(criterion="gini", pruning="pessimistic"),
        TreeClassifier(pruning=["reduced_error", "collapse"]),
        TreeClassifier(pruning=None, handle_missing="fractional"),
        TreeClassifier(pruning=None, partitioner="one_vs_rest"),
    ],
    ids=str,
)
def test_copies_in_a_sample_do_not_make_an_identifier_useful(tree):
    rng = np.random.default_rng(0)
    n = 200
    y = rng.integers(0, 2, n)
    X = {
        "id": [f"r{i}" for i in range(n)],
        "real": np.where(rng.random(n) < 0.7, y, rng.integers(0, 2, n)).astype(str),
    }
    model = ForestClassifier(tree, 12, random_state=0)
    model = model.set_params(estimator__max_features=None) if tree is not None else model
    for grown in model.fit(X, y).trees_:
        assert grown.n_nodes > 1
        if tree is None and grown.column_of(0).name == "id":
            continue  # the only column that was drawn
        assert grown.column_of(0).name == "real"


# Planes


def in_plane(X, y, **settings):
    """Names of the columns that a plane at the root weighs; None if there is none."""
    tree = only_plane(X, y, **settings).tree_
    if tree.split_kind[0] != SplitKind.LINEAR:
        return None
    return {tree.schema.columns[column].name for column in tree.terms_of(0).column}


def labelled(codes):
    return np.array([f"v{code:04}" for code in codes], dtype=object)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "twoing"])
def test_hyperplanes_weigh_nominal_columns_that_are_beyond_chance(criterion):
    rng = np.random.default_rng(CRITERIA.index(criterion))
    settings = GrowSettings(criterion=criterion, selection="adjusted", max_depth=1)
    n_in = n_out = 0
    for _ in range(60):
        n, n_classes = int(rng.integers(40, 120)), int(rng.integers(2, 4))
        y = rng.integers(0, n_classes, n)
        columns = {"x": rng.normal(size=n) + y, "z": rng.normal(size=n) - y}
        for name in ("a", "b"):
            m = int(rng.integers(3, 9 if n_classes > 2 else n // 2))
            told = rng.random() * 0.5
            columns[name] = np.where(rng.random(n) < told, y % m, rng.integers(0, m, n))
            _, columns[name] = np.unique(columns[name], return_inverse=True)
        X = {name: labelled(v) if v.dtype.kind == "i" else v for name, v in columns.items()}
        found = in_plane(X, y, criterion=criterion)
        if found is None:
            continue
        assert {"x", "z"} <= found
        table, target = read(columns, y)
        for place, name in ((2, "a"), (3, "b")):
            tree = grow(alone(table, place), target, settings)
            rank = twin_rank(tree, table, target, None, place, settings)
            codes = columns[name]
            if rank is None or (codes.max() + 1) * 20 <= n:
                continue
            counts, score = np.bincount(y).astype(float), float(tree.score[0])
            share = gini_share(tree.statistics[1:3])
            clear = [
                beyond_chance(rank * c, score, criterion, n, share, counts) for c in (0.999, 1.001)
            ]
            if clear[0] != clear[1]:
                continue
            assert (name in found) == clear[0]
            n_in, n_out = n_in + clear[0], n_out + (not clear[0])
    assert min(n_in, n_out) > 15


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("per_value", [1, 2, 4, 10])
def test_hyperplanes_seldom_weigh_noise(per_value, n_classes):
    rng = np.random.default_rng(per_value)
    n, entered = 200, 0
    for _ in range(50):
        y = rng.integers(0, n_classes, n)
        X = {
            "x": rng.normal(size=n) + y,
            "z": rng.normal(size=n) - y,
            "noise": labelled(rng.integers(0, n // per_value, n)),
        }
        entered += "noise" in (in_plane(X, y) or ())
    assert entered <= 5


@pytest.mark.parametrize("per_value", [4, 10])
def test_hyperplanes_weigh_columns_of_many_values_that_matter(per_value):
    rng = np.random.default_rng(per_value)
    n = 300
    for _ in range(20):
        many = rng.integers(0, n // per_value, n)
        pull = rng.normal(size=n // per_value)[many]
        x = rng.normal(size=n)
        y = (x + pull > 0).astype(int)
        found = in_plane({"x": x, "many": labelled(many)}, y)
        assert found == {"x", "many"}
