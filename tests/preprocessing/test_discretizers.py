"""Discretizers: a slow twin, the worked numbers of the reference, and scikit-learn's checks."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood import TreeClassifier, _core, datasets
from mixedwood.preprocessing import (
    CAIMDiscretizer,
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLPDiscretizer,
)
from reference import discretize as twin
from support.problems import mixed_problem

CLASSES = [CAIMDiscretizer, EqualFrequencyDiscretizer, EqualWidthDiscretizer, MDLPDiscretizer]
RULES = ["caim", "equal_frequency", "equal_width", "mdlp"]
NAMES_ARE_NO_NUMBERS = dict.fromkeys(
    [
        "check_estimators_pickle",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_pipeline_consistency",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
    ],
    "compares numbers, and names of ranges are none; passed with encode='ordinal'",
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [make(encode=encode) for make in CLASSES for encode in ("names", "ordinal")],
    expected_failed_checks=lambda e: NAMES_ARE_NO_NUMBERS if e.encode == "names" else {},
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def cuts_of(rule, numbers, classes, m=5):
    codes = np.unique(list(classes), return_inverse=True)[1].astype(np.int32)
    return _core.cut_points(np.array(numbers), codes, len(set(classes)), rule, m).tolist()


NUMBERS = st.one_of(
    st.integers(-3, 6).map(lambda i: i / 4),
    st.just(float("nan")),
    st.floats(-1e300, 1e300),
)


@given(
    st.lists(st.tuples(NUMBERS, st.integers(0, 3)), min_size=1, max_size=25),
    st.integers(2, 9),
)
def test_cuts_are_those_of_the_reference(rows, m):
    numbers, classes = map(list, zip(*rows, strict=True))
    for rule in RULES:
        assert cuts_of(rule, numbers, classes, m) == twin.cut_points(rule, numbers, classes, m)


def test_cuts_are_those_of_the_reference_where_classes_follow_numbers():
    rng = np.random.default_rng(0)
    n_cuts = 0
    for _ in range(300):
        n, k = int(rng.integers(5, 60)), int(rng.integers(2, 5))
        numbers = rng.integers(0, 40, n) / 4
        classes = np.clip(numbers * k / 10 + rng.normal(0, 0.4, n), 0, k - 1).astype(int).tolist()
        for rule in ("mdlp", "caim"):
            found = cuts_of(rule, numbers, classes)
            assert found == twin.cut_points(rule, numbers.tolist(), classes)
            n_cuts += len(found)
    assert n_cuts > 1000


X16 = [1.0, 1.2, 1.9, 2.3, 2.7, 3.1, 3.4, 3.8, 4.2, 4.5, 5.0, 5.3, 5.9, 6.1, 6.6, 7.2]
TIED = [1.0, 1, 1, 1, 2, 2, 3, 4, 5, 9]


@pytest.mark.parametrize(
    ("labels", "mdlp", "caim"),
    [
        ("aaaaabbbbbbccccc", [2.9, 5.15], [2.9, 5.15]),
        ("aaaaabbbbbbaaaaa", [], [2.9, 5.15]),
        ("aabaabbabbbbabbb", [], [2.9]),
    ],
)
def test_worked_examples_with_classes(labels, mdlp, caim):
    assert cuts_of("mdlp", X16, labels) == pytest.approx(mdlp)
    assert cuts_of("caim", X16, labels) == pytest.approx(caim)


def test_worked_steps():
    """Gain, delta and price of cuts, as the reference prints them."""
    rows = list(zip(X16, "aaaaabbbbbbccccc", strict=True))
    for part, want in [
        (rows, (5, 0.896038, 1.893615, 0.362532)),
        (rows[5:], (6, 0.994030, 0.819294, 0.376475)),
        (list(zip(X16, "aaaaabbbbbbaaaaa", strict=True)), (5, 0.271038, 2.886547, 0.424590)),
        (list(zip(X16, "aabaabbabbbbabbb", strict=True)), (5, 0.258555, 3.710420, 0.476082)),
    ]:
        assert twin.mdlp_step(part) == pytest.approx(want, abs=5e-7)
    assert float(twin.caim_value(rows, [2.95])) == pytest.approx(4.136364, abs=5e-7)
    assert float(twin.caim_value(rows, [2.95, 5.15])) == pytest.approx(5.333333, abs=5e-7)


@pytest.mark.parametrize(
    ("rule", "numbers", "m", "want"),
    [
        ("equal_width", X16, 2, [4.1]),
        ("equal_width", X16, 3, [3.066667, 5.133333]),
        ("equal_width", X16, 4, [2.55, 4.1, 5.65]),
        ("equal_width", X16, 5, [2.24, 3.48, 4.72, 5.96]),
        ("equal_frequency", X16, 2, [4.0]),
        ("equal_frequency", X16, 3, [2.9, 4.75]),
        ("equal_frequency", X16, 4, [2.5, 4.0, 5.6]),
        ("equal_frequency", X16, 5, [2.1, 3.25, 4.35, 5.6]),
        ("equal_width", TIED, 4, [3, 5, 7]),
        ("equal_frequency", TIED, 2, [2.5]),
        ("equal_frequency", TIED, 3, [1.5, 2.5]),
        ("equal_frequency", TIED, 4, [1.5, 2.5, 3.5]),
        ("equal_frequency", TIED, 5, [1.5, 2.5, 4.5]),
    ],
)
def test_worked_examples_without_classes(rule, numbers, m, want):
    assert _core.cut_points(np.array(numbers), None, 1, rule, m) == pytest.approx(want, abs=5e-7)


IRIS = {
    None: (
        [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]],
        [[5.55, 6.25], [2.95, 3.05], [2.45, 4.75], [0.8, 1.75]],
    ),
    "setosa": ([[5.45], [2.95, 3.35], [2.45], [0.8]], [[5.45], [3.35], [2.45], [0.8]]),
    "versicolor": (
        [[5.45, 7.05], [2.95], [2.45, 4.75], [0.8, 1.75]],
        [[5.45], [2.95], [2.45, 4.75], [0.8, 1.75]],
    ),
    "virginica": ([[5.75, 7.05], [], [4.75], [1.35, 1.75]], [[6.15], [3.35], [4.75], [1.75]]),
}


@pytest.mark.parametrize("against", IRIS)
def test_iris(against):
    data = datasets.load("iris")
    y = data.y if against is None else data.y == against
    for model, want in zip((MDLPDiscretizer(), CAIMDiscretizer()), IRIS[against], strict=True):
        found = model.fit(data.X, y).bin_thresholds_
        assert [cuts.tolist() for cuts in found.values()] == [pytest.approx(w) for w in want]


def test_banknote():
    if not os.environ.get("MIXEDWOOD_DATA") or datasets.names().get("banknote") is None:
        pytest.skip("no folder of data sets, or none with banknote")
    data = datasets.load("banknote")
    mdlp = MDLPDiscretizer().fit(data.X, data.y).bin_thresholds_.values()
    want = [
        [-2.7952, -0.4031, 0.320165, 1.7907, 2.3921],
        [-6.94555, -5.62225, -4.9818, -2.3021, 5.21045, 9.61695],
        [-4.42285, 8.83885],
        [],
    ]
    assert [cuts.tolist() for cuts in mdlp] == [pytest.approx(w) for w in want]
    caim = CAIMDiscretizer().fit(data.X, data.y).bin_thresholds_.values()
    want = [[0.320165], [5.1608], [8.6825], [-5.86895]]
    assert [cuts.tolist() for cuts in caim] == [pytest.approx(w) for w in want]


@pytest.mark.parametrize("make", CLASSES)
def test_ranges_hold_their_numbers(make):
    X, y = mixed_problem(120)
    model = make().fit(X, y)
    found = model.transform(X)
    numbered = make(encode="ordinal").fit(X, y).transform(X)
    assert list(model.bin_thresholds_) == ["size", "noise"]
    for place, name in enumerate(X):
        if name not in model.bin_thresholds_:
            assert [None if pd.isna(v) else v for v in X[name]] == found[:, place].tolist()
            continue
        edges = [-np.inf, *model.bin_thresholds_[name], np.inf]
        for number, got, which in zip(X[name], found[:, place], numbered[:, place], strict=True):
            if np.isnan(number):
                assert got is None
                assert np.isnan(which)
            else:
                assert edges[int(which) - 1] < number <= edges[int(which)]
                assert got == model.bin_names_[name][int(which) - 1]


def test_a_bin_number_for_each_column():
    X, _ = mixed_problem(120)
    model = EqualWidthDiscretizer(n_bins={"size": 3}).fit(X)
    assert [len(cuts) for cuts in model.bin_thresholds_.values()] == [2, 4]
    assert [len(c) for c in EqualWidthDiscretizer(n_bins=7).fit(X).bin_thresholds_.values()] == [
        6,
        6,
    ]


def test_columns_that_cannot_be_cut():
    X = {"same": [1.0, 1.0, 1.0], "absent": np.full(3, np.nan)}
    for make in CLASSES:
        model = make().fit(X, [0, 1, 1])
        assert model.bin_names_["same"] == model.bin_names_["absent"] == ("any",)
        assert model.transform(X)[:, :2].tolist() == [["any", None]] * 3
    # Neighbours among doubles, and numbers whose difference is no double.
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    far = np.array([-1.7e308, 1.7e308, 0.0])
    for make in (EqualWidthDiscretizer, EqualFrequencyDiscretizer):
        cuts = make(n_bins=9).fit(close[:, None]).bin_thresholds_["x0"]
        assert cuts.tolist() == [1.0]
        cuts = make(n_bins=2).fit(far[:, None]).bin_thresholds_["x0"]
        assert len(cuts) == 1
        assert np.isfinite(cuts).all()


def test_names_stay_apart():
    X = np.array([[1000000.1], [1000000.2], [1000000.3]])
    model = EqualFrequencyDiscretizer(n_bins=3).fit(X)
    assert len(set(model.bin_names_["x0"])) == 3
    assert len(set(model.transform(X).ravel())) == 3


def test_frames_pipelines_and_names():
    X, y = mixed_problem(100)
    model = MDLPDiscretizer()
    plain = model.fit_transform(X, y)
    assert clone(model).fit(pl.from_pandas(X), y).transform(X).tolist() == plain.tolist()
    frame = clone(model).set_output(transform="pandas").fit_transform(X, y)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == list(X) == model.get_feature_names_out().tolist()
    tree = TreeClassifier(ordinal_features=model.bin_names_).fit(frame, y)
    assert [str(c.kind) for c in tree.tree_.schema][1:3] == ["ordinal", "ordinal"]
    whole = make_pipeline(MDLPDiscretizer(), TreeClassifier(max_depth=3)).fit(X, y)
    assert whole.score(X, y) > 0.5


def test_refusals():
    X, y = mixed_problem(20)
    with pytest.raises(NotFittedError):
        MDLPDiscretizer().transform(X)
    with pytest.raises(ValueError, match="requires y to be passed"):
        CAIMDiscretizer().fit(X)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MDLPDiscretizer().fit(X, y[:5])
    with pytest.raises(
        ValueError, match="'encode' parameter of MDLPDiscretizer must be a str among"
    ):
        MDLPDiscretizer(encode="codes").fit(X, y)
    for wrong in (1, 2.0, True, "many", {"size": 0}):
        with pytest.raises(
            ValueError, match=r"'n_bins' parameter of .* must be an int in the range \[2"
        ):
            EqualWidthDiscretizer(n_bins=wrong).fit(X)
    with pytest.raises(ValueError, match="n_bins lists the column 'weight', which X does not have"):
        EqualWidthDiscretizer(n_bins={"weight": 3}).fit(X)
    with pytest.raises(ValueError, match="'colour', which is nominal"):
        EqualFrequencyDiscretizer(n_bins={"colour": 3}).fit(X)
    with pytest.raises(ValueError, match="one class is needed for each number"):
        _core.cut_points(np.zeros(3), np.zeros(2, np.int32), 1, "mdlp", 2)
    with pytest.raises(ValueError, match="a class is not one of the classes"):
        _core.cut_points(np.zeros(3), np.full(3, 7, np.int32), 2, "mdlp", 2)
