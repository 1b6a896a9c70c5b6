"""`evaluate`: scores as in scikit-learn, intervals as by resampling, and bad input."""

import json
import math

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression, LogisticRegression

import mixedwood as mw
from mixedwood.comparison.metrics import bounded_log_loss
from mixedwood.datasets import make_mixed
from mixedwood.evaluation.intervals import auc, wilson


class Given:
    """Predicts what it is given."""

    def __init__(self, p, classes):
        self.p, self.classes_ = np.asarray(p), np.asarray(classes)

    def predict(self, X):
        return self.classes_[self.p.argmax(axis=1)]

    def predict_proba(self, X):
        return self.p


class Numbers:
    def __init__(self, given):
        self.given = np.asarray(given, dtype=float)

    def predict(self, X):
        return self.given


def random_case(seed, n=80, k=3):
    rng = np.random.default_rng(seed)
    classes = np.array(["a", "b", "c", "d"][:k])
    y = classes[rng.integers(k, size=n)]
    p = rng.dirichlet(np.ones(k), size=n).round(1) + 0.01
    p[np.arange(n), np.searchsorted(classes, y)] += 0.3
    weights = rng.integers(0, 3, size=n).astype(float) if seed % 2 else None
    return Given(p / p.sum(axis=1, keepdims=True), classes), y, weights


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_scores_of_classes_are_those_of_scikit_learn(seed, k):
    model, y, w = random_case(seed, k=k)
    found = mw.evaluate(model, y, y, sample_weight=w)
    predicted = model.predict(None)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, predicted, sample_weight=w))
    balanced = metrics.balanced_accuracy_score(y, predicted, sample_weight=w)
    assert found.balanced_accuracy == pytest.approx(balanced)
    scores = model.p[:, 1] if k == 2 else model.p
    area = metrics.roc_auc_score(y, scores, sample_weight=w, multi_class="ovr")
    assert found.auc == pytest.approx(area)
    kept = np.ones(len(y), bool) if w is None else w > 0
    if w is None:
        assert found.log_loss == pytest.approx(bounded_log_loss(model.p, model.classes_, y))
    onehot = (y[:, None] == model.classes_).astype(float)
    brier = ((model.p - onehot) ** 2).sum(axis=1) / (2 if k == 2 else 1)
    assert found.brier == pytest.approx(np.average(brier, weights=w))
    assert found.n_rows == kept.sum()
    matrix = metrics.confusion_matrix(y[kept], predicted[kept], labels=model.classes_)
    assert found.confusion_matrix.tolist() == matrix.tolist()
    for which, one in enumerate(found.per_class):
        label = model.classes_[which]
        precision, recall, f1, _ = (
            value[0]
            for value in metrics.precision_recall_fscore_support(
                y, predicted, labels=[label], sample_weight=w, zero_division=np.nan
            )
        )
        assert [one.precision.value, one.recall.value, one.f1] == pytest.approx(
            [precision, recall, f1], nan_ok=True
        )


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_numbers_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=90)
    model = Numbers(y + rng.normal(size=90))
    w = rng.random(90) if seed % 2 else None
    found = mw.evaluate(model, y, y, sample_weight=w)
    kw = {"sample_weight": w}
    assert found.rmse == pytest.approx(metrics.root_mean_squared_error(y, model.given, **kw))
    assert found.mae == pytest.approx(metrics.mean_absolute_error(y, model.given, **kw))
    assert found.r2 == pytest.approx(metrics.r2_score(y, model.given, **kw))
    if w is None:
        assert found.median_error == pytest.approx(metrics.median_absolute_error(y, model.given))


def slow_auc(scores, positive, weights):
    """All pairs of a positive and a negative row."""
    total = won = 0.0
    for s, p, w in zip(scores, positive, weights, strict=True):
        for t, q, v in zip(scores, positive, weights, strict=True):
            if p and not q:
                total += w * v
                won += w * v * (1.0 if s > t else 0.5 if s == t else 0.0)
    return won / total


@pytest.mark.parametrize("seed", range(10))
def test_auc_is_that_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    scores, positive = rng.integers(0, 5, 25).astype(float), rng.random(25) < 0.4
    weights = rng.integers(1, 4, 25).astype(float)
    area, influences = auc(scores, positive, weights)
    assert area == pytest.approx(slow_auc(scores, positive, weights))
    # An influence is the derivative by the weight of a row.
    for row in range(25):
        more = weights.copy()
        more[row] += 1e-5
        change = (slow_auc(scores, positive, more) - area) / 1e-5
        assert influences[row] / weights.sum() == pytest.approx(change, abs=1e-4)


@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_intervals_are_about_those_of_the_bootstrap(kind):
    rng = np.random.default_rng(3)
    if kind == "numbers":
        y = rng.normal(size=400)
        given = y + rng.normal(size=400) * 0.7

        def of(rows):
            return mw.evaluate(Numbers(given[rows]), y[rows], y[rows])

        names = ["rmse", "mae", "r2", "median_error"]
    else:
        model, y, _ = random_case(0, n=400, k=2 if kind == "two classes" else 3)

        def of(rows):
            return mw.evaluate(Given(model.p[rows], model.classes_), y[rows], y[rows])

        names = ["accuracy", "balanced_accuracy", "auc", "log_loss", "brier"]
    whole = of(np.arange(400))
    samples = [of(rng.integers(400, size=400)) for _ in range(400)]
    for name in names:
        score = whole.scores[name]
        drawn = [getattr(sample, name) for sample in samples]
        width = np.subtract(*np.quantile(drawn, [0.975, 0.025]))
        assert score.low < score.value < score.high
        assert 0.8 < (score.high - score.low) / width < 1.25, name


def test_intervals_cover_as_often_as_they_say():
    """Of many samples, about 95 in 100 have the true value inside."""
    rng = np.random.default_rng(0)
    inside = {"accuracy": 0, "auc": 0, "balanced_accuracy": 0}
    n_samples, n = 300, 150
    truth = {"accuracy": 0.0, "auc": 0.0, "balanced_accuracy": 0.0}

    def draw(size):
        positive = rng.random(size) < 0.3
        score = rng.normal(size=size) + 1.2 * positive
        p = 1 / (1 + np.exp(-score))
        y = np.where(positive, "b", "a")
        return mw.evaluate(Given(np.column_stack([1 - p, p]), ["a", "b"]), y, y)

    large = draw(200_000)
    truth = {name: getattr(large, name) for name in inside}
    for _ in range(n_samples):
        found = draw(n)
        for name in inside:
            score = found.scores[name]
            inside[name] += score.low <= truth[name] <= score.high
    for name, times in inside.items():
        assert 0.91 <= times / n_samples <= 0.985, name


def test_perfect_predictions_are_not_proof_of_perfection():
    model = Given(np.eye(2)[[0, 1, 0, 1, 1]], ["a", "b"])
    found = mw.evaluate(model, [0] * 5, ["a", "b", "a", "b", "b"])
    assert found.auc == found.accuracy == 1.0
    for name in ("accuracy", "balanced_accuracy", "auc"):
        assert found.scores[name].low < 0.9
        assert found.scores[name].high == 1.0
    assert wilson(0.0, 10, 0.95)[0] == 0.0


def test_calibration_counts_every_row_once():
    model, y, _ = random_case(0, n=200, k=2)
    found = mw.evaluate(model, y, y).calibration
    assert found.n_rows.sum() == 200
    assert found.label == "b"
    weighted = np.average(found.predicted, weights=found.n_rows)
    assert weighted == pytest.approx(model.p[:, 1].mean())
    assert np.average(found.observed, weights=found.n_rows) == pytest.approx((y == "b").mean())
    assert (np.diff(found.predicted) > 0).all()
    assert ((found.low <= found.observed) & (found.observed <= found.high)).all()
    constant = mw.evaluate(Given(np.full((4, 2), 0.5), ["a", "b"]), [0] * 4, list("aabb"))
    assert constant.calibration.n_rows.tolist() == [4]
    assert constant.calibration.error == 0.0


def test_any_estimator_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    y = (X[:, 0] > 0).astype(int)
    found = mw.evaluate(LogisticRegression().fit(X, y), X, y)
    assert found.accuracy > 0.9 and found.auc > 0.95
    assert mw.evaluate(LinearRegression().fit(X, X[:, 1]), X, X[:, 1]).r2 == pytest.approx(1)
    svc = mw.SmoothSVC().fit(X, y)
    assert mw.evaluate(svc, X, y).auc > 0.95


def test_labels_that_the_model_does_not_know():
    model = Given(np.eye(2)[[0, 1, 0]], ["a", "b"])
    found = mw.evaluate(model, [0] * 3, ["a", "b", "new"])
    assert found.unknown_classes == ("new",)
    assert found.confusion_matrix.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert found.accuracy == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="none of the classes"):
        mw.evaluate(model, [0] * 3, [0, 1, 0])


def test_costs_are_a_score():
    data = make_mixed(200, random_state=0, frame="dict")
    costs = {"class1": {"class2": 5}, "class2": {"class1": 1}}
    model = mw.TreeClassifier(cost_matrix=costs, max_depth=2).fit(data.X, data.y)
    found = mw.evaluate(model, data.X, data.y)
    wrong = found.confusion_matrix
    assert found.cost == pytest.approx((5 * wrong[0, 1] + wrong[1, 0]) / 200)


def test_plain_values_go_into_json():
    data = make_mixed(120, random_state=0, frame="pandas")
    model = mw.TreeClassifier().fit(data.X, data.y)
    found = mw.evaluate(model, data.X, data.y)
    facts = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert facts["scores"]["accuracy"]["value"] == found.accuracy
    assert facts["per_class"][0]["class"] == "class1"
    numbers = mw.evaluate(Numbers([1, 2, 3]), [0] * 3, [2, 2, 2])
    assert math.isnan(numbers.r2)
    assert json.loads(json.dumps(numbers.to_dict()))["scores"]["r2"]["value"] is None
    assert "R²" not in str(numbers)
    with pytest.raises(AttributeError, match="no attribute or score 'f2'"):
        _ = found.f2


def test_bad_input():
    model = Numbers([1.0, 2.0])
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        mw.evaluate(model, [0, 0], [1, 2], level=95)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        mw.evaluate(model, [0, 0], [1, 2, 3])
    with pytest.raises(ValueError, match=r"missing|NaN|None"):
        mw.evaluate(model, [0, 0], [1, None])
