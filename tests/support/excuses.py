"""Checks of scikit-learn that an estimator cannot pass, and why no change of it would.

Two equal rows of a table are two observations, and a division into rows to learn from and rows to
judge by may part them: were equal rows kept together, a table of few values would lose every row
of a kind at once (docs/decisions/0032-weights-and-copies.md has figures). A row of weight 2 is one
observation that counts double, and is never on both sides: it would be judged by what has seen it.
So what divides or draws rows cannot be the same for both. scikit-learn asks its own estimators with
cross-validation inside only about weights that lie in one fold, and excuses its forests.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"
CLASS_WEIGHT = "check_class_weight_classifiers"

FOLDS = {EQUIVALENCE: "a row of weight 2 is in one fold, two equal rows may be in two"}
HALVES = {EQUIVALENCE: "a row of weight 2 is in one half, two equal rows may be in two"}
HELD_OUT = {EQUIVALENCE: "a row of weight 2 is held out or not, of two equal rows one may be"}
SAMPLES = {EQUIVALENCE: "a row of weight 2 is drawn or not, of two equal rows one may be"}
# docs/decisions/0014-rows-count.md; scikit-learn's trees count rows as well.
ROWS = {EQUIVALENCE: "limits on rows count a row of weight 2 once, and two equal rows twice"}
BINS = {EQUIVALENCE: "bins count a row of weight 2 once, and two equal rows twice"}
# scikit-learn's own trees pass because the check gives them min_weight_fraction_leaf=0.01.
PURE = {CLASS_WEIGHT: "a leaf whose rows are of one class answers it, whatever classes weigh"}


def checks_of(checked):
    """Parametrize a test by scikit-learn's checks of estimators, each with what it cannot pass."""

    def excuses(model):
        return next(excused for known, excused in checked if repr(known) == repr(model))

    return parametrize_with_checks([model for model, _ in checked], expected_failed_checks=excuses)
