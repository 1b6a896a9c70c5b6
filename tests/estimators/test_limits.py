"""Large, deep and endless: nothing overflows or takes for ever, and everything can be stopped."""

import copy
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest

from mixedwood import C45TreeClassifier, TimeLimitWarning, TreeClassifier
from mixedwood.data import Column, Schema, Table, Target
from mixedwood.estimators.c45 import RandomTreeClassifier
from mixedwood.grow import GrowSettings, grow
from mixedwood.pruning import Pruner

DEEP = 3000  # far beyond Python's limit of calls within calls


@pytest.fixture(scope="module")
def alternating():
    """Each test peels off one row."""
    X = np.arange(float(DEEP))[:, None]
    y = np.arange(DEEP) % 2
    return X, y, TreeClassifier(pruning=None).fit(X, y)


def test_a_very_deep_tree_predicts(alternating):
    X, y, model = alternating
    assert model.get_depth() == DEEP - 1
    assert model.predict(X).tolist() == y.tolist()
    np.testing.assert_allclose(model.predict_proba(X).max(axis=1), 1)
    assert model.feature_importances_.tolist() == [1.0]
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.tree_ == model.tree_


def test_a_very_deep_tree_can_be_read(alternating):
    X, _, model = alternating
    assert len(model.tree_.to_text()) < 1_000_000
    assert model.tree_.to_svg().startswith("<svg")
    assert model.tree_._repr_html_()
    assert len(model.to_rules()) == DEEP
    assert str(model.explain(X, DEEP - 1))
    figure = pytest.importorskip("matplotlib.figure")
    assert model.tree_.plot(ax=figure.Figure().subplots()) is not None


@pytest.mark.parametrize(
    "pruning",
    ["merge_equal", "collapse", "pessimistic", "reduced_error",
     Pruner("cost_complexity", cv=2, n_repeats=1)],
)  # fmt: skip
def test_a_very_deep_tree_can_be_pruned(alternating, pruning):
    X, y, _ = alternating
    model = TreeClassifier(pruning=pruning).fit(X, y)
    assert model.predict(X).shape == y.shape


def test_uninformative_values_are_not_split_off_one_by_one():
    """All values have the same classes: halves, so the depth is a logarithm."""
    codes = np.repeat(np.arange(4096, dtype=np.int32), 2)
    schema = Schema((Column("a", "nominal", tuple(f"v{i:04}" for i in range(4096))),))
    for n_classes in (2, 3):
        classes = np.tile(np.arange(2, dtype=np.int32), 4096)
        if n_classes == 3:
            codes = np.repeat(np.arange(4096, dtype=np.int32), 3)
            classes = np.tile(np.arange(3, dtype=np.int32), 4096)
        target = Target(np.arange(n_classes), classes, None)
        tree = grow(Table(schema, (codes,)), target)
        assert tree.depth == 12
        assert tree.n_leaves == 4096
        least = grow(Table(schema, (codes,)), target, GrowSettings(min_samples_leaf=100))
        assert (least.weighted_n_node_samples >= 100).all()


def test_a_problem_that_needs_a_split_without_gain_is_solved():
    table = {"a": list("pqpq") * 5, "b": list("rrss") * 5}
    y = [
        (a == "p" and b == "r") or (a == "q" and b == "s")
        for a, b in zip(*table.values(), strict=True)
    ]
    assert TreeClassifier(pruning=None).fit(table, y).score(table, y) == 1


@pytest.mark.parametrize("n_classes", [2, 20])
def test_a_million_values(n_classes):
    rng = np.random.default_rng(0)
    n = 1_000_000
    schema = Schema((Column("a", "nominal", tuple(f"{i:06}" for i in range(n))),))
    target = Target(np.arange(n_classes), rng.integers(0, n_classes, n).astype(np.int32), None)
    entropy = GrowSettings(criterion="entropy")
    own = grow(Table(schema, (rng.permutation(n).astype(np.int32),)), target, entropy)
    assert own.n_leaves == n_classes  # a value per row: each group of values is pure
    shared = Table(schema, (rng.integers(0, n, n).astype(np.int32),))
    tree = grow(shared, target, GrowSettings(criterion="entropy", max_depth=4))
    assert tree.depth == 4


def test_a_hundred_thousand_labels_through_the_estimator():
    rng = np.random.default_rng(0)
    names = np.array([f"v{i}" for i in rng.integers(0, 10**5, 10**5)])
    y = rng.integers(0, 3, 10**5)
    for model in (TreeClassifier(max_depth=8, pruning=None), C45TreeClassifier()):
        assert model.fit({"name": names}, y).predict({"name": names}).shape == y.shape


def noise(n, seed=0):
    rng = np.random.default_rng(seed)
    X = {f"x{j}": rng.normal(size=n) for j in range(4)}
    X["a"] = np.array([f"v{i:03}" for i in rng.integers(0, 300, n)])
    return X, rng.integers(0, 6, n)


@pytest.mark.parametrize("pruning", [None, "cost_complexity", "pessimistic"])
def test_a_time_limit_leaves_a_tree_that_works(pruning):
    X, y = noise(40_000)
    model = TreeClassifier(pruning=pruning, time_limit=0.05, growth="best_first")
    with pytest.warns(TimeLimitWarning, match="time limit"):
        model.fit(X, y)
    assert model.predict(X).shape == y.shape
    np.testing.assert_allclose(model.tree_.weighted_n_node_samples[0], 40_000)
    leaves = model.tree_.split_kind == 0
    assert model.tree_.weighted_n_node_samples[leaves].sum() == pytest.approx(40_000)


def test_the_smallest_time_limit():
    X, y = noise(20_000)
    with pytest.warns(TimeLimitWarning, match="time limit"):
        model = TreeClassifier(time_limit=1e-9).fit(X, y)
    assert model.predict_proba(X).shape == (20_000, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TreeClassifier(time_limit=1e6, max_depth=2, pruning=None).fit(X, y)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_interrupts_a_fit():
    models = [
        "TreeClassifier()",
        "C45TreeClassifier()",
        "GrowPruneTreeClassifier()",
        "GrowPruneForestClassifier(n_jobs=2)",
    ]
    script = textwrap.dedent(f"""
        import numpy as np
        from mixedwood import *
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(100_000, 12)), rng.integers(0, 8, 100_000)
        for model in [{", ".join(models)}]:
            print("ready", flush=True)
            try:
                while True:  # whatever the speed, the signal comes during a fit
                    model.fit(X, y)
            except KeyboardInterrupt:
                print("stopped", flush=True)
    """)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            for model in models:
                assert child.stdout.readline() == "ready\n", model
                time.sleep(0.3)  # the table is read by then
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == "stopped\n", model
        finally:
            child.kill()


@pytest.mark.parametrize(
    "make",
    [
        lambda: TreeClassifier(random_state=5),
        lambda: TreeClassifier(random_state=5, partitioner="random_order", pruning=None),
        lambda: RandomTreeClassifier(random_state=5),
        lambda: TreeClassifier(random_state=5, pruning="reduced_error"),
    ],
)
def test_the_same_seed_gives_the_same_tree(make):
    X, y = noise(300)
    model = make().fit(X, y)
    assert make().fit(X, y).tree_ == model.tree_
    first = model.tree_
    model.fit(*noise(200, seed=1))
    assert model.fit(X, y).tree_ == first  # nothing is left of other fits
    if getattr(model, "pruning_path_", None) is None:
        others = [make().set_params(random_state=s).fit(X, y).tree_ for s in range(6, 12)]
        assert any(other != first for other in others)
    else:  # other folds, other errors; the tree may well be the same
        other = make().set_params(random_state=6).fit(X, y)
        assert (other.pruning_path_.errors != model.pruning_path_.errors).any()


@pytest.mark.parametrize("limit", [0.002, 0.005, 0.01, 0.02, 0.05])
@pytest.mark.parametrize("partitioner", ["auto", "refined", "max_cut_sdp", "exact"])
def test_a_time_limit_in_the_middle_of_a_partition(partitioner, limit):
    """Searches that have nothing yet when time is up leave the node a leaf."""
    rng = np.random.default_rng(0)
    n = 4000
    X = {name: np.array([f"v{i:03}" for i in rng.integers(0, 25, n)]) for name in "ab"}
    y = rng.integers(0, 5, n)
    model = TreeClassifier(
        criterion="gini", partitioner=partitioner, pruning=None, time_limit=limit
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TimeLimitWarning)
        assert model.fit(X, y).predict(X).shape == y.shape
