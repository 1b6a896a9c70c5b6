"""Optimal trees as users meet them: tables in, the best tree and its proof out."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from tests.reference.optimal import solve

import mixedwood as mw
from mixedwood import ForestClassifier, InfeasibleError, OptimalTreeClassifier, TreeClassifier
from mixedwood.preprocessing import FeatureBinarizer, MDLPDiscretizer
from support.excuses import BINS, ROWS, checks_of
from support.optimal_instances import free_leaves

CHECKED = [
    (OptimalTreeClassifier(), {}),
    (
        OptimalTreeClassifier(
            max_depth=2,
            binarizer=FeatureBinarizer(discretizer="equal_width"),
            ccp_alpha=0.01,
            min_samples_leaf=10,
        ),
        ROWS,
    ),
    (
        OptimalTreeClassifier(
            max_depth=2, binarizer=FeatureBinarizer(discretizer="equal_width"), ccp_alpha=0.01
        ),
        {},
    ),
    (OptimalTreeClassifier(max_depth=2, tune=True, cv=3), BINS),
    (
        OptimalTreeClassifier(
            max_depth=2, tune=True, cv=3, binarizer=FeatureBinarizer(discretizer="equal_width")
        ),
        {},
    ),
    (OptimalTreeClassifier(max_depth=2, binarizer="passthrough"), {}),
    (
        OptimalTreeClassifier(
            max_depth=2, binarize_at="node", binarizer=FeatureBinarizer(discretizer="mdlp")
        ),
        {},
    ),
]


@pytest.mark.filterwarnings("ignore")
@checks_of(CHECKED)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def problem():
    """Text, numbers and gaps; three classes."""
    rng = np.random.default_rng(5)
    n = 120
    colour = rng.choice(["red", "green", "blue", "grey"], n).astype(object)
    size = rng.normal(size=n)
    size[rng.random(n) < 0.15] = np.nan
    on = rng.random(n) < 0.5
    y = np.where(np.nan_to_num(size, nan=2.0) > 0.5, "a", np.where(colour == "red", "b", "c"))
    wrong = rng.random(n) < 0.15
    y[wrong] = rng.choice(["a", "b", "c"], wrong.sum())
    colour[rng.random(n) < 0.1] = None
    return {"colour": colour, "size": size, "on": on}, y


def wrong_rows(model, X, y):
    return int((model.predict(X) != y).sum())


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("encoding", ["thresholds", "one_hot", "multi_hot", "subsets"])
def test_the_tree_is_the_best_over_its_binary_columns(problem, encoding, depth):
    X, y = problem
    model = free_leaves(depth, binarizer__encoding=encoding, binarizer__n_bins=4).fit(X, y)
    binarizer = FeatureBinarizer(encoding=encoding, discretizer="equal_frequency", n_bins=4)
    matrix = binarizer.fit_transform(X, y).astype(int)
    codes = np.unique(y, return_inverse=True)[1]
    assert model.objective_value_ == solve(matrix, codes, None, 3, depth)
    assert model.optimal_ and model.lower_bound_ == model.objective_value_ and model.gap_ == 0
    # What the tree answers in original terms is what was counted on bits, gaps included.
    assert wrong_rows(model, X, y) == model.objective_value_
    assert model.get_depth() <= depth
    assert len(model.candidates_) == matrix.shape[1]


@pytest.mark.parametrize("binarize_at", ["node", "node_encoding"])
@pytest.mark.parametrize("encoding", ["one_hot", "multi_hot", "subsets"])
def test_binary_columns_may_be_made_anew(problem, encoding, binarize_at):
    X, y = problem
    binarizer = FeatureBinarizer(encoding=encoding, n_bins=4)
    settings = {"binarizer": binarizer, "binarize_at": binarize_at}
    model = free_leaves(2, **settings).fit(X, y)
    assert model.optimal_ and wrong_rows(model, X, y) == model.objective_value_
    once = free_leaves(2, binarizer__encoding=encoding, binarizer__n_bins=4).fit(X, y)
    if binarize_at == "node_encoding":
        # A window over the ranges of a node is a window over all ranges.
        assert model.objective_value_ == once.objective_value_
    else:
        assert model.candidates_ is None
    dear = free_leaves(2, ccp_alpha=0.03, min_samples_leaf=5, **settings).fit(X, y)
    leaves = dear.get_n_leaves()
    assert dear.objective_value_ == pytest.approx(wrong_rows(dear, X, y) + 0.03 * len(y) * leaves)
    assert np.unique(dear.apply(X), return_counts=True)[1].min() >= 5


def test_all_splits_beat_any_choice_of_columns(problem):
    X, y = problem
    model = free_leaves(2, binarizer="passthrough").fit(X, y)
    assert model.optimal_ and wrong_rows(model, X, y) == model.objective_value_
    for encoding in ("thresholds", "subsets"):
        for discretizer in ("mdlp", "caim", "equal_frequency", "equal_width"):
            other = free_leaves(
                2, binarizer__encoding=encoding, binarizer__discretizer=discretizer
            ).fit(X, y)
            assert model.objective_value_ <= other.objective_value_
    weight = np.where(y == "b", 2.5, 0.5)
    heavy = free_leaves(2, binarizer="passthrough", ccp_alpha=0.01).fit(X, y, sample_weight=weight)
    wrong = weight[heavy.predict(X) != y].sum()
    assert heavy.objective_value_ == pytest.approx(
        wrong + 0.01 * weight.sum() * heavy.get_n_leaves()
    )
    with pytest.raises(InfeasibleError):
        free_leaves(2, binarizer="passthrough", upper_bound=model.objective_value_ - 1).fit(X, y)
    tuned = free_leaves(2, binarizer="passthrough", tune=True, cv=3).fit(X, y)
    assert len(tuned.cv_results_["mean_test_score"]) == 4


def test_it_is_never_worse_than_a_greedy_tree_on_the_same_columns(problem):
    X, y = problem
    model = free_leaves(3).fit(X, y)
    columns = FeatureBinarizer(discretizer="equal_frequency", n_bins=8, encoding="thresholds")
    matrix = columns.fit_transform(X, y)
    for criterion in ("gini", "entropy"):
        greedy = TreeClassifier(criterion=criterion, max_depth=3, pruning=None).fit(matrix, y)
        assert model.objective_value_ <= wrong_rows(greedy, matrix, y)


def test_budgets_and_costs_are_kept(problem):
    X, y = problem
    costs = {}
    for nodes in range(8):
        model = free_leaves(3, max_leaf_nodes=nodes + 1).fit(X, y)
        costs[nodes] = model.objective_value_
        assert model.tree_.n_leaves - 1 <= nodes
    assert list(costs.values()) == sorted(costs.values(), reverse=True)
    for share in (0.004, 0.02, 0.1, 1 / 3):
        model = free_leaves(3, ccp_alpha=share).fit(X, y)
        leaves = model.get_n_leaves()
        assert model.objective_value_ == pytest.approx(
            wrong_rows(model, X, y) + share * len(y) * leaves, 1e-4
        )
        best = min(cost + share * len(y) * (nodes + 1) for nodes, cost in costs.items())
        assert model.objective_value_ == pytest.approx(best, rel=1e-4)


def test_leaves_have_their_rows(problem):
    X, y = problem
    model = free_leaves(3, min_samples_leaf=15).fit(X, y)
    assert np.unique(model.apply(X), return_counts=True)[1].min() >= 15
    share = free_leaves(3, min_samples_leaf=0.125).fit(X, y)
    assert share.objective_value_ == model.objective_value_


def test_weights_count(problem):
    X, y = problem
    weight = np.where(y == "b", 2.5, 0.5)
    model = free_leaves(2).fit(X, y, sample_weight=weight)
    assert model.objective_value_ == pytest.approx(weight[model.predict(X) != y].sum())
    by_class = free_leaves(2, class_weight={"a": 0.5, "b": 2.5, "c": 0.5}).fit(X, y)
    assert by_class.objective_value_ == pytest.approx(model.objective_value_)
    # Rows of weight 0 are not there, not even for the ranges.
    kept = np.arange(len(y)) % 3 > 0
    part = free_leaves(2).fit({k: np.asarray(v)[kept] for k, v in X.items()}, y[kept])
    zeros = free_leaves(2).fit(X, y, sample_weight=kept.astype(float))
    assert zeros.objective_value_ == part.objective_value_
    assert zeros.tree_.to_text() == part.tree_.to_text()


def test_an_upper_bound_is_inclusive_and_its_failure_a_proof(problem):
    X, y = problem
    best = free_leaves(2).fit(X, y).objective_value_
    assert free_leaves(2, upper_bound=best).fit(X, y).objective_value_ == best
    model = free_leaves(2, upper_bound=best - 1)
    with pytest.raises(
        InfeasibleError, match=r"No tree of depth 2 has an objective of \d+ or less"
    ):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_tuning_chooses_the_smallest_of_the_best(problem):
    X, y = problem
    model = free_leaves(3, tune=True, random_state=1).fit(X, y)
    results = model.cv_results_
    scores, n_leaves = results["mean_test_score"], results["param_max_leaf_nodes"]
    best = int(np.argmax(scores))
    assert model.get_depth() <= results["param_max_depth"][best]
    assert model.tree_.n_leaves <= n_leaves[best]
    assert list(zip(results["param_max_depth"], n_leaves, strict=True)) == [
        (0, 1), (1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8)
    ]  # fmt: skip
    again = clone(model).fit(X, y)
    assert again.cv_results_["mean_test_score"].tolist() == scores.tolist()
    # By hand: the same folds, one budget.
    limited = free_leaves(3, max_leaf_nodes=3, tune=True, random_state=1).fit(X, y)
    assert limited.cv_results_["mean_test_score"].tolist() == scores[:3].tolist()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_frames_of_any_kind(problem, frame):
    X, y = problem
    given = frame({k: list(v) for k, v in X.items()}) if frame is pl.DataFrame else frame(X)
    model = free_leaves(2).fit(given, y)
    assert (model.predict(given) == free_leaves(2).fit(X, y).predict(X)).all()


def test_tables_of_booleans_go_straight_through():
    rng = np.random.default_rng(1)
    X = rng.random((60, 5)) < 0.5
    y = (X[:, 0] ^ X[:, 3]).astype(int)
    model = free_leaves(2).fit(X, y)
    assert model.objective_value_ == 0 and len(model.candidates_) == 5
    assert free_leaves(2).fit(X.astype(int), y).objective_value_ == 0


def test_one_class_one_row_no_useful_column():
    assert free_leaves().fit({"a": [1, 2, 3]}, ["x"] * 3).get_n_leaves() == 1
    assert free_leaves().fit({"a": [1]}, ["x"]).objective_value_ == 0
    same = free_leaves().fit({"a": ["k"] * 4}, ["x", "y", "x", "x"])
    assert same.objective_value_ == 1 and same.optimal_ and same.get_n_leaves() == 1
    with pytest.raises(ValueError, match="0 feature"):
        free_leaves().fit(np.empty((3, 0)), [0, 1, 0])


def test_equal_rows_of_different_classes():
    X = {"a": [0, 0, 0, 1, 1, 1]}
    model = free_leaves(2).fit(X, [0, 0, 1, 1, 1, 0])
    assert model.objective_value_ == 2 and model.optimal_
    assert model.proof_.n_explored < 5


def test_a_new_value_goes_where_handle_unknown_says(problem):
    X, y = problem
    new = {"colour": ["violet"], "size": [-1.0], "on": [True]}
    for unknown in ("stop", "missing", "majority"):
        model = free_leaves(3, handle_unknown=unknown).fit(X, y)
        with pytest.warns(mw.UnknownCategoryWarning):
            assert model.predict(new)[0] in "abc"
    with pytest.raises(ValueError, match="Found unknown categories"):
        free_leaves(3, handle_unknown="error").fit(X, y).predict(new)


def test_in_forests_searches_and_pickles(problem):
    X, y = problem
    forest = ForestClassifier(free_leaves(2), n_estimators=5, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.6
    frame = pd.DataFrame(X)
    search = GridSearchCV(free_leaves(), {"max_depth": [1, 2]}, cv=3).fit(frame, y)
    assert search.best_params_["max_depth"] in (1, 2)
    assert cross_val_score(free_leaves(2), frame, y, cv=3).min() > 0.4
    model = free_leaves(2).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict_proba(X) == model.predict_proba(X)).all()
    assert copy.proof_ == model.proof_


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_depth": None}, r"'max_depth' parameter .* must be an int in the range \[0, 30\]"),
        ({"max_depth": 2.5}, r"'max_depth' parameter .* must be an int in the range \[0, 30\]"),
        ({"max_leaf_nodes": 0}, "'max_leaf_nodes' parameter of"),
        ({"min_samples_leaf": 0}, "'min_samples_leaf' parameter of"),
        ({"ccp_alpha": -0.1}, r"'ccp_alpha' parameter .* a float in the range \[0.0, 1.0\]"),
        (
            {"binarizer": "all"},
            "must be an instance of 'FeatureBinarizer', a str among {'passthrough'} or None",
        ),
        ({"binarizer": FeatureBinarizer(discretizer="quantile")}, "'discretizer' parameter of"),
        ({"binarizer": FeatureBinarizer(encoding="onehot")}, "'encoding' parameter of Feature"),
        ({"binarizer": FeatureBinarizer(categorical_features="all")}, "must not set 'categorical"),
        ({"binarize_at": "always"}, "'binarize_at' parameter of"),
        ({"binarizer": "passthrough", "binarize_at": "node"}, "makes no binary features"),
        ({"upper_bound": -1}, "'upper_bound' parameter of"),
        ({"tune": "yes"}, "'tune' parameter of OptimalTreeClassifier must be a bool"),
        ({"cv": 1}, "'cv' parameter of OptimalTreeClassifier must be an int"),
        ({"cv": 2.5}, "'cv' parameter of OptimalTreeClassifier must be an int"),
        ({"cv": "loo"}, "'cv' parameter of OptimalTreeClassifier must be an int"),
        ({"memory_limit": 0}, "'memory_limit' parameter of"),
        ({"time_limit": 0}, "'time_limit' parameter of"),
        ({"handle_unknown": "drop"}, "'handle_unknown' parameter of"),
    ],
)
def test_bad_parameters_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        OptimalTreeClassifier(**parameters).fit({"a": [1, 2]}, [0, 1])


def test_a_discretizer_may_be_given(problem):
    X, y = problem
    named = free_leaves(2, binarizer__discretizer="mdlp").fit(X, y)
    given = free_leaves(2, binarizer__discretizer=MDLPDiscretizer()).fit(X, y)
    assert named.tree_.to_text() == given.tree_.to_text()


@pytest.fixture
def hard():
    """Too much to prove in a moment."""
    rng = np.random.default_rng(3)
    return rng.random((600, 120)) < 0.5, rng.integers(0, 2, 600)


def test_a_time_limit_gives_the_best_so_far_and_an_honest_gap(hard):
    X, y = hard
    with pytest.warns(ConvergenceWarning, match="The time limit ended the search"):
        model = free_leaves(5, time_limit=0.3).fit(X, y)
    assert model.proof_.status == "time_limit" and not model.optimal_
    assert 0 <= model.lower_bound_ < model.objective_value_ and 0 < model.gap_ <= 1
    assert wrong_rows(model, X, y) == model.objective_value_
    greedy = TreeClassifier(criterion="gini", max_depth=5, pruning=None).fit(X, y)
    assert model.objective_value_ <= wrong_rows(greedy, X, y)
    costs = [cost for _, cost in model.proof_.trace]
    assert costs == sorted(costs, reverse=True) and costs[-1] == model.objective_value_


def test_little_memory_changes_nothing_but_time():
    rng = np.random.default_rng(4)
    X, y = rng.random((300, 20)) < 0.5, rng.integers(0, 2, 300)
    model = free_leaves(4, memory_limit=50_000).fit(X, y)
    free = free_leaves(4).fit(X, y)
    assert model.objective_value_ == free.objective_value_ and model.optimal_
    assert model.proof_.cache_bytes < free.proof_.cache_bytes
    assert model.proof_.n_explored > free.proof_.n_explored


@pytest.mark.parametrize(
    "parameters", [{}, {"binarizer": "passthrough"}, {"binarize_at": "node"}], ids=str
)
def test_a_limit_is_no_proof_that_there_is_no_tree(hard, parameters):
    model = free_leaves(5, upper_bound=1, time_limit=0.2, **parameters)
    with pytest.raises(TimeoutError, match="There may be one"):
        model.fit(*hard)
    with pytest.raises(NotFittedError):
        model.predict(hard[0])


def after_control_c(lines):
    """The output of code that is interrupted by Ctrl-C and would otherwise run for hours."""
    code = """
        import numpy as np, os, signal, threading, time, warnings
        from mixedwood import ForestClassifier, OptimalTreeClassifier
        warnings.simplefilter("ignore")
        rng = np.random.default_rng(3)
        X, y = rng.random((600, 120)) < 0.5, rng.integers(0, 2, 600)
        def press():
            time.sleep(1.0)
            os.kill(os.getpid(), signal.SIGINT)
        OptimalTreeClassifier(max_depth=1, tune=True).fit(X, y)  # all that is loaded late
        threading.Thread(target=press).start()
    """
    code = textwrap.dedent(code) + textwrap.dedent(lines)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("tune", [False, True])
def test_control_c_keeps_the_best_tree(tune):
    lines = f"""
        model = OptimalTreeClassifier(ccp_alpha=0, work_limit=None, tune={tune}).fit(X, y)
        print(model.proof_.status, model.objective_value_ < 300, model.optimal_)
    """
    assert after_control_c(lines) == ["interrupted", "True", "False"]


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize(
    "model",
    [
        "OptimalTreeClassifier(max_depth=5, ccp_alpha=0, upper_bound=1, work_limit=None)",
        "ForestClassifier(OptimalTreeClassifier(ccp_alpha=0, work_limit=None), n_estimators=3)",
    ],
)
def test_control_c_where_no_tree_can_be_given(model):
    output = after_control_c(f"""
        try:
            {model}.fit(X, y)
        except KeyboardInterrupt:
            print("interrupted")
    """)
    assert output == ["interrupted"]


def test_other_signals_are_not_swallowed(hard):
    if not hasattr(signal, "setitimer"):
        pytest.skip("no timers")

    def ring(*_):
        raise TimeoutError("the alarm")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    model = free_leaves(5)
    try:
        with pytest.raises(TimeoutError, match="the alarm"):
            model.fit(*hard)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(NotFittedError):
        model.predict(hard[0])


def test_a_long_search_says_what_it_does(problem, capsys):
    free_leaves(1).fit(*problem)
    assert capsys.readouterr().err == ""
    model = free_leaves(1, tune=True, cv=2, verbose=1).fit(*problem)
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == [
        "mixedwood: trying depth 0 with 1 leaves in 2 folds",
        "mixedwood: trying depth 1 with 2 leaves in 2 folds",
    ]
    value = f"{model.objective_value_:g}"
    assert said[-1] == f"mixedwood: objective {value}, lower bound {value} (optimal)"


def test_ten_thousand_columns():
    rng = np.random.default_rng(6)
    X = (rng.random((60, 10_000)) < 0.5).astype(np.int8)
    y = X[:, 77] ^ X[:, 9_000]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = free_leaves(2, time_limit=20).fit(X, y)
    assert model.objective_value_ == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_default_is_no_larger_than_the_data_is_worth(seed):
    """Noise is worth a leaf, and the parity of three columns eight."""
    rng = np.random.default_rng(seed)
    X = {f"c{j}": rng.integers(0, 4, 400) for j in range(6)}
    noise = rng.random(400) < 0.25
    assert OptimalTreeClassifier().fit(X, noise).get_n_leaves() <= 2
    parity = ((X["c0"] > 1) ^ (X["c1"] > 1) ^ (X["c2"] > 1)) ^ (rng.random(400) < 0.05)
    model = OptimalTreeClassifier().fit(X, parity)
    assert model.optimal_ and model.get_n_leaves() == 8
