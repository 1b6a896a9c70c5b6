"""Forests: the same for any number of workers, their votes, out-of-bag answers, warm starts."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mixedwood import ForestClassifier

EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"
SAMPLES = {EQUIVALENCE: "a sample of rows with weights is not that of the same rows repeated"}
WHOLE = {
    "check_class_weight_classifiers": "small leaves answer as their rows do, whatever classes weigh"
}
CHECKED = [
    (ForestClassifier(n_estimators=5), SAMPLES | WHOLE),
    (ForestClassifier(n_estimators=3, bootstrap=False, vote="plurality"), WHOLE),
    (ForestClassifier(n_estimators=15, max_samples=0.7, columns_per_tree=0.8), SAMPLES | WHOLE),
    (ForestClassifier.bagging_c45(3), SAMPLES),
    (ForestClassifier.bagging_cart(3), SAMPLES),
    (ForestClassifier.weka_random_forest(3), SAMPLES),
]


def expected(model):
    return next(reasons for known, reasons in CHECKED if repr(known) == repr(model))


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([model for model, _ in CHECKED], expected_failed_checks=expected)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
