"""Numbers in model files are checked as structure is: none that no learner makes gets in."""

import io
import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier
from sklearn.utils.validation import has_fit_parameter

import mixedwood as mw
from mixedwood.saving import ModelFileError
from mixedwood.saving.container import _write_npy
from saving.models import MODELS, fitted, make_table, target_of
from saving.test_hostile import entries_of, places, replaced, zipped

X, Y = make_table(n=60)

# Where numbers that are not finite have a meaning: open ends, gaps, and prices never paid.
MEANT = {
    "oob_prediction_": (np.nan,),  # rows in every sample
    "low": {-np.inf},
    "high": {np.inf},
    "term_fill": {np.nan},
    "cut_at": {np.inf},
    "errors": {np.nan},
    "standard_errors": {np.nan},
    "spread": {np.inf},
    "objective": {np.inf},
    "oob_score_": {np.nan, np.inf, -np.inf},  # of a function of one's own
}
ODD = (np.nan, np.inf, -np.inf)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forged")
    found = {}
    for name, model in MODELS.items():
        mw.save_model(fitted(model, X, Y), folder / name)
        found[name] = entries_of((folder / name).read_bytes())
    return found


def refused(entries, path):
    path.write_bytes(zipped(entries))
    try:
        mw.load_model(path)
    except ModelFileError as error:
        assert str(path) in str(error)
        return True
    return False


def means(name, odd):
    return any(odd == value or (odd != odd and value != value) for value in MEANT.get(name, ()))


def names_of_arrays(document):
    """The attribute or field that each array is, by its name in the archive."""
    found = {}
    for place in places(document):
        if not place or place[-1] != "name":
            continue
        value = document
        for key in place:
            value = value[key]
        if isinstance(value, str) and value.startswith("arrays/"):
            found[value] = next(k for k in reversed(place[:-1]) if isinstance(k, str))
    return found


@pytest.mark.parametrize("name", MODELS)
def test_arrays_with_a_number_that_is_not_finite(name, files, tmp_path):
    entries, rng = files[name], np.random.default_rng(0)
    document = json.loads(entries["model.json"])
    called = names_of_arrays(document)
    tried = 0
    for entry in [e for e in entries if e.endswith(".npy")]:
        array = np.load(io.BytesIO(entries[entry]))
        if array.dtype.kind != "f" or np.isnan(array).all():
            continue
        field = called.get(entry) or entry.rpartition("/")[2].removesuffix(".npy")
        for odd in ODD:
            if means(field, odd):
                continue
            forged = array.copy()
            forged.ravel()[rng.choice(np.flatnonzero(~np.isnan(array)))] = odd
            assert refused({**entries, entry: _write_npy(forged)}, tmp_path / "x.mw"), (field, odd)
            tried += 1
    assert tried


@pytest.mark.parametrize("name", MODELS)
def test_single_numbers_that_are_not_finite(name, files, tmp_path):
    entries = files[name]
    document = json.loads(entries["model.json"])
    for place in places(document["model"]):
        if "learned" not in place or "parameters" in place or "schema" in place:
            continue
        value = document["model"]
        for key in place:
            value = value[key]
        field = next(
            k for k in reversed(place) if isinstance(k, str) and k not in ("items", "value")
        )
        if type(value) is not float:
            continue
        for odd in ODD:
            if means(field, odd):
                continue
            forged = replaced(document, ("model", *place), {"is": "float", "value": repr(odd)})
            changed = {**entries, "model.json": json.dumps(forged).encode()}
            assert refused(changed, tmp_path / "x.mw"), (place, odd)


def spoil(array, change):
    forged = array.copy()
    change(forged)
    return forged


def set_to(value, where=0):
    def change(array):
        array.ravel()[where] = value

    return change


def times(factor):
    def change(array):
        array *= factor

    return change


# Finite numbers that no learner makes: the entry of the archive, what is done, the words.
WEIGHT = "trees/0/weighted_n_node_samples"

FORGED = {
    "leaf values without norm": ("tree", "trees/0/statistics", times(3.0), "add up to its weight"),
    "one leaf value": ("forest", "trees/0/statistics", set_to(1e9, -1), "add up to its weight"),
    "leaf values overflow": ("boosted", "trees/0/statistics", set_to(1e308, slice(None)), "add up"),
    "negative leaf value": ("tree", "trees/0/statistics", set_to(-1.0), "class weights"),
    "negative weight": ("tree", WEIGHT, set_to(-1.0), "below zero"),
    "weight of a node": ("model_tree", WEIGHT, set_to(7.25, -1), "add up to its weight"),
    "interval without inside": ("cart", "trees/0/low", set_to(np.inf, slice(None)), "is empty"),
    "weight of all nodes": ("tree", WEIGHT, set_to(1e308, slice(None)), "add up to its"),
    "scores": ("forest", "trees/0/score", set_to(1e308), "too large"),
    "values": ("boosted", "_values", set_to(1e308, slice(None)), "too large"),
    "baseline": ("boosted", "baseline_", set_to(1e308, slice(None)), "too large"),
    "weights of members": ("ensemble", "weights_", set_to(-1.0), "not negative"),
    "sum of weights": ("ensemble", "weights_", set_to(0.7), "do not add up to 1"),
    "weights of trees": ("adaboost", "estimator_weights_", set_to(-1.0), "not negative"),
    "weights that overflow": (
        "adaboost",
        "estimator_weights_",
        set_to(1e308, slice(None)),
        "too large",
    ),
    "out of bag": ("forest", "oob_decision_function_", set_to(5.0, slice(None)), "add up to 1"),
    "below zero out of bag": ("forest", "oob_decision_function_", set_to(-0.5), "add up to 1"),
    "prices": ("tree", "ccp_alphas", set_to(-1.0), "not negative"),
    "prices that fall": ("tree", "ccp_alphas", set_to(9.0), "large trees to small"),
    "leaves": ("tree", "n_leaves", set_to(0, slice(None)), "1 or more"),
    "coefficients": ("svm", "z", set_to(1e308, slice(None)), "too large"),
    "iterations": ("svm", "iterations", set_to(-1), "not negative"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_finite_numbers_that_no_fit_makes(case, files, tmp_path):
    name, field, change, words = FORGED[case]
    entries = files[name]
    called = names_of_arrays(json.loads(entries["model.json"]))
    chosen = [e for e in entries if e == f"{field}.npy" or called.get(e) == field]
    changed = {e: _write_npy(spoil(np.load(io.BytesIO(entries[e])), change)) for e in chosen}
    assert changed
    path = tmp_path / "x.mw"
    path.write_bytes(zipped({**entries, **changed}))
    with pytest.raises(ModelFileError, match=words):
        mw.load_model(path)


SINGLE = {
    "C": ("svm", "C_", 0.0, "above 0"),
    "gamma": ("svm_kernel", "gamma", -1.0, "not negative"),
    "size of a column": ("svm", "size", 5e-324, "power of two"),
    "odd size of a column": ("svm", "size", 3.0, "power of two"),
    "spread of a column": ("svm", "spread", -1.0, "above 0"),
    "cost": ("optimal", "objective_value", -1.0, "not negative"),
    "bound above the cost": ("optimal", "lower_bound", 1e9, "below its lower bound"),
    "status": ("optimal", "status", "perfect", "cannot have ended"),
    "codes of a test": ("optimal", "column", 99, "does not exist"),
    "leaves of an iteration": ("grow_prune_tree", "grown", 0, "at least 1"),
    "seed": ("forest", "_seed", -1, "at least 0"),
    "shrinkage": ("tree", "shrinkage", -1.0, "not negative"),
    "smallest leaf": ("model_tree", "min_samples_split_", -1.0, "not negative"),
    "number of missing values": ("tree", "n_missing", -3, "missing"),
}


@pytest.mark.parametrize("case", SINGLE)
def test_single_numbers_that_no_fit_makes(case, files, tmp_path):
    name, field, value, words = SINGLE[case]
    entries = files[name]
    document = json.loads(entries["model.json"])
    chosen = [p for p in places(document) if p and p[-1] == field and "parameters" not in p]
    assert chosen
    forged = replaced(document, chosen[0], value)
    path = tmp_path / "x.mw"
    path.write_bytes(zipped({**entries, "model.json": json.dumps(forged).encode()}))
    with pytest.raises(ModelFileError, match=words):
        mw.load_model(path)


@pytest.mark.parametrize(
    ("forged", "words"),
    [([-0.5], "from 0 to 1"), ([1.5], "from 0 to 1"), ([], "one length")],
)
def test_scores_of_sizes_that_no_fit_makes(forged, words, files, tmp_path):
    document = json.loads(files["optimal_tuned"]["model.json"])
    results = dict(document["model"]["learned"]["cv_results_"]["items"])
    scores = results["mean_test_score"]
    scores["items"][-1:] = forged
    scores["shape"] = [len(scores["items"])]
    path = tmp_path / "x.mw"
    entries = files["optimal_tuned"] | {"model.json": json.dumps(document).encode()}
    path.write_bytes(zipped(entries))
    with pytest.raises(ModelFileError, match=words):
        mw.load_model(path)


def test_what_load_would_refuse_is_not_written(tmp_path):
    model = fitted(MODELS["adaboost"], X, Y)
    model.estimator_weights_ = -model.estimator_weights_
    with pytest.raises(ModelFileError, match=r"estimator_weights_ is not .* not negative"):
        mw.save_model(model, tmp_path / "x.mw")
    assert list(tmp_path.iterdir()) == []


def test_models_of_extreme_weights_and_numbers_are_saved(tmp_path):
    """The checks hold what learners make, also where it is hard to compute."""
    rng = np.random.default_rng(0)
    saved = set()
    for scale in (1e-300, 1e-12, 1e12, 1e280):
        weights = 10 ** rng.uniform(-8, 0, len(Y)) * scale
        frame = X.assign(size=X["size"] * scale)
        for name, model in MODELS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    model = clone(model).fit(frame, target_of(model, Y), weights)
                except (ValueError, ZeroDivisionError):
                    continue
            mw.save_model(model, tmp_path / name)
            again = mw.load_model(tmp_path / name)
            assert again.predict(frame).tolist() == model.predict(frame).tolist(), (name, scale)
            saved.add(name)
    if not has_fit_parameter(MLPClassifier(), "sample_weight"):  # before scikit-learn 1.7
        saved.add("model_tree_network")
    assert saved == set(MODELS)
