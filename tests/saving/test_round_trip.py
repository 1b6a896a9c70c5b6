"""What is read back from a model file is what was written."""

import copy
import json
import math
import os
import subprocess
import sys
import warnings
import zipfile
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import mixedwood as mw
from mixedwood.saving import ModelFileError, read_model
from mixedwood.saving.writer import estimator_classes
from mixedwood.splits import Criterion
from saving.models import MODELS, answers, fitted, make_table, same, trees_of
from support.cases import cases


def save_and_load(model, folder):
    path = folder / "model.mw"
    mw.save_model(model, path)
    return mw.load_model(path)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_comes_back_as_it_was(name, tmp_path):
    X, y = make_table()
    new = make_table(seed=1)[0]
    new.loc[0, "colour"] = "never met"
    model = fitted(MODELS[name], X, y)
    again = save_and_load(model, tmp_path)
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    assert set(vars(again)) == set(vars(model))
    for attribute, value in vars(model).items():
        if attribute == "proof_":
            value = replace(value, seconds=math.nan, trace=())
        assert same(vars(again)[attribute], value), attribute
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.UnknownCategoryWarning)
        assert same(answers(again, new), answers(model, new))
    assert repr(clone(again)) == repr(clone(model))
    with pytest.raises(NotFittedError):
        check_is_fitted(clone(again))


def test_nothing_that_is_learned_is_forgotten():
    """Whoever adds an attribute to an estimator adds it to the list of the format."""
    X, y = make_table()
    follows = {"schema_", "classes_", "_costs", "n_features_in_", "feature_names_in_"}
    follows |= {"coef_names_", "objective_value_", "n_iter_"}
    seen = set()
    for model in MODELS.values():
        model = fitted(model, X, y)
        learned = set(vars(model)) - set(model.get_params(deep=False)) - follows
        name = type(model).__name__
        assert learned <= set(model._fitted), name
        seen.add(name)
    assert seen == set(estimator_classes())


CLASSES = {
    "text": np.array(["no", "yes, of course"]),
    "objects": np.array(["no", "ja"], object),
    "whole": np.array([-3, 10**12]),
    "small": np.array([1, 7], np.int8),
    "flags": np.array([False, True]),
    "wide": np.array(["a", "b"], "<U40"),
}
FRAMES = {
    "pandas": lambda X: X,
    "polars": lambda X: pl.DataFrame(
        {n: X[n].astype(object).where(X[n].notna(), None).tolist() for n in X}
    ),
    "dict": lambda X: {n: X[n].tolist() for n in X},
    "array": lambda X: X[["size", "count"]].to_numpy(float),
    "rows": lambda X: X[["colour", "flag"]].astype(object).to_numpy(),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("name", ["tree", "ensemble", "svm"])
def test_classes_and_tables_of_every_kind(name, classes, frame, tmp_path):
    X, y = make_table(n=40)
    labels = CLASSES[classes][(y == "ash").astype(int)]
    table = FRAMES[frame](X)
    model = fitted(MODELS[name], table, labels)
    again = save_and_load(model, tmp_path)
    assert same(again.classes_, model.classes_)
    assert again.schema_.to_dict() == model.schema_.to_dict()
    assert again.schema_.names_generated == (frame in ("array", "rows"))
    assert same(answers(again, table), answers(model, table))


names = st.text(min_size=1, max_size=8)
labels = st.one_of(st.none(), st.text(max_size=5), st.booleans(), st.integers(-5, 5))
# Text of numpy ends where zeros begin.
words = st.text(st.characters(exclude_characters="\0"), max_size=3)
numbers = st.one_of(st.none(), st.floats(width=64))


@given(st.data())
@settings(max_examples=cases(60))
def test_any_table_any_names(tmp_path_factory, data):
    n = data.draw(st.integers(1, 12))
    columns = data.draw(st.lists(names, min_size=1, max_size=4, unique=True))
    X = {
        c: data.draw(
            st.lists(data.draw(st.sampled_from([labels, numbers])), min_size=n, max_size=n)
        )
        for c in columns
    }
    y = data.draw(
        st.sampled_from([words, st.integers(-4, 4), st.booleans()]).flatmap(
            lambda s: st.lists(s, min_size=n, max_size=n)
        )
    )
    model = data.draw(
        st.sampled_from(
            [
                mw.TreeClassifier(pruning=None, handle_missing="category"),
                mw.C45TreeClassifier(),
                mw.ForestClassifier(n_estimators=2, random_state=0),
                mw.BoostedTreesClassifier(n_estimators=2, random_state=0),
                mw.SmoothSVC(),
            ]
        )
    )
    try:
        model = fitted(model, X, y)
    except (ValueError, TypeError):
        return  # infinities, or numbers whose squares overflow
    again = save_and_load(model, tmp_path_factory.mktemp("any"))
    assert again.schema_.to_dict() == model.schema_.to_dict()
    assert same(answers(again, X), answers(model, X))


def test_parameters_of_every_kind(tmp_path):
    X, y = make_table()
    model = mw.TreeClassifier(
        pruning=None,
        class_weight={"ash": 2, "birch": np.float64(0.5)},
        categorical_features=np.array(["count"]),
        ordinal_features={"colour": ["red", "grün", "blue, dark", "white"]},
        min_samples_leaf=np.int32(2),
        min_split_gain=float("-inf"),
        time_limit=float("inf"),
        random_state=2**40,
    ).fit(X, y)
    again = save_and_load(model, tmp_path)
    before, after = model.get_params(), again.get_params()
    assert set(before) == set(after)
    for name, value in before.items():
        assert same(after[name], value), name


def test_growing_goes_on_where_it_was(tmp_path):
    X, y = make_table()
    for name in ("forest", "boosted", "grow_prune_forest", "random_ordinality"):
        model = fitted(clone(MODELS[name]).set_params(warm_start=True), X, y)
        again = save_and_load(model, tmp_path)
        for one in (model, again):
            one.set_params(n_estimators=6, **({"oob_score": False} if name == "forest" else {}))
            one.fit(X, y)
        assert len(again.trees_) == len(model.trees_)
        assert all(a == b for a, b in zip(again.trees_, model.trees_, strict=True)), name


def test_forests_know_again_which_rows_had_no_weight(tmp_path):
    X, y = make_table()
    weights = np.ones(len(y))
    weights[:7] = 0
    grown = {"oob_score": True, "warm_start": True, "n_estimators": 20}
    model = clone(MODELS["forest"]).set_params(**grown).fit(X, y, weights)
    again = save_and_load(model, tmp_path)
    for one in (model, again):
        one.set_params(n_estimators=30).fit(X, y, weights)
    assert again.oob_score_ == model.oob_score_
    assert all(a == b for a, b in zip(again.trees_, model.trees_, strict=True))
    weights[7] = 0
    with pytest.raises(ValueError, match="their sampling has changed"):
        again.set_params(n_estimators=40).fit(X, y, weights)


def saved_bytes(model, folder):
    mw.save_model(model, folder / "model.mw")
    return (folder / "model.mw").read_bytes()


# Parts of an ensemble get parameters of their own, which say how they run as well.
RUNNING = {"n_jobs": [None, 1, 2, 3], "verbose": [0, 1]}


@pytest.mark.parametrize("name", MODELS)
def test_equal_fits_give_equal_bytes(name, tmp_path, capsys):
    """However often it is fitted, by however many threads or processes, and read in between."""
    X, y = make_table()
    model = MODELS[name]
    expected = saved_bytes(fitted(model, X, y), tmp_path)
    assert saved_bytes(fitted(model, X, y), tmp_path) == expected
    assert saved_bytes(mw.load_model(tmp_path / "model.mw"), tmp_path) == expected
    for parameter, values in RUNNING.items():
        named = [key for key in model.get_params() if key.rpartition("__")[2] == parameter]
        for value in values if named else ():
            again = fitted(clone(model).set_params(**dict.fromkeys(named, value)), X, y)
            assert saved_bytes(again, tmp_path) == expected, (parameter, value)
    if "n_jobs" in model.get_params():
        for backend in ("threading", "loky"):
            with joblib.parallel_config(backend=backend, n_jobs=2):
                assert saved_bytes(fitted(model, X, y), tmp_path) == expected, backend
    again = fitted(model, X, y)
    again.predict(X)
    assert saved_bytes(again, tmp_path) == expected


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if "n_jobs" in m.get_params()])
def test_bytes_of_tables_whose_rows_are_divided_among_threads(name, tmp_path):
    X, y = make_table(n=12_000)
    one, many = (fitted(clone(MODELS[name]).set_params(n_jobs=n), X, y) for n in (1, 3))
    assert saved_bytes(one, tmp_path) == saved_bytes(many, tmp_path)


HASHES = """
import hashlib, sys
from pathlib import Path
import mixedwood as mw
from saving.models import MODELS, fitted, make_table
X, y = make_table()
for name, model in MODELS.items():
    mw.save_model(fitted(model, X, y), sys.argv[1])
    print(name, hashlib.sha256(Path(sys.argv[1]).read_bytes()).hexdigest())
"""


def test_bytes_are_the_same_in_every_process(tmp_path):
    """Sets of text have another order in each process."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    said = {
        subprocess.run(
            [sys.executable, "-c", HASHES, str(tmp_path / "model.mw")],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1
    assert all(name in next(iter(said)) for name in MODELS)


def test_a_loaded_model_does_not_know_how_it_was_fitted(tmp_path):
    X, y = make_table()
    forest = mw.ForestClassifier(n_estimators=3, n_jobs=2)
    model = mw.EnsembleClassifier(
        forest=forest, max_depths=(1,), max_iter=4, cv=2, n_jobs=2, random_state=0
    )
    again = save_and_load(fitted(model, X, y), tmp_path)
    assert (again.n_jobs, again.verbose, again.forest.n_jobs) == (None, 0, None)
    assert (again.forest_.n_jobs, again.boosted_.n_jobs) == (None, None)
    assert same(again.set_params(n_jobs=2).predict(X), again.predict(X))
    best = save_and_load(fitted(MODELS["optimal_all"], X, y), tmp_path)
    assert math.isnan(best.proof_.seconds)
    assert best.proof_.trace == ()
    assert best.optimal_


def test_a_file_is_a_zip_of_json_and_arrays_that_numpy_reads(tmp_path):
    X, y = make_table()
    path = tmp_path / "model.mw"
    model = mw.ForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    mw.save_model(model, path, about={"target": "wood", "rows": [1, 2.5, None]})
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read("model.json"))
    assert document["format"] == "mixedwood model"
    arrays = np.load(path.rename(tmp_path / "model.npz"), allow_pickle=False)
    np.testing.assert_array_equal(
        arrays["trees/0/split_kind"], np.concatenate([tree.split_kind for tree in model.trees_])
    )
    assert len(arrays["trees/0/n_nodes"]) == 3


def test_facts_are_kept(tmp_path):
    X, y = make_table()
    path = tmp_path / "model.mw"
    mw.save_model(
        mw.TreeClassifier().fit(X, y), str(path), about={"target": "wood", "list": [1, "a"]}
    )
    found = read_model(str(path))
    assert found.about == {"target": "wood", "list": [1, "a"]}
    assert (found.version, found.mixedwood) == (2, mw.__version__)
    with pytest.raises(ModelFileError, match="about must be plain"):
        mw.save_model(found.model, path, about={"when": object()})
    with pytest.raises(ModelFileError, match="about must be plain"):
        mw.save_model(found.model, path, about={"pair": (1, 2)})
    assert read_model(path).about == found.about


class Accuracy(Criterion):
    def score(self, groups):
        return groups.max(axis=1).sum()


def one(right, said):
    return 1.0


CANNOT = {
    "oob_score": (
        mw.ForestClassifier(n_estimators=20, oob_score=one, random_state=0),
        r"ForestClassifier.oob_score is a .*function, .*set_params\(oob_score=True\)",
    ),
    "criterion": (
        mw.TreeClassifier(criterion=Accuracy(), pruning=None),
        "TreeClassifier.criterion is a",
    ),
    "machine": (
        mw.ModelTreeClassifier(node_model=["svm", GaussianNB()], pruning=None, max_depth=1),
        r"ModelTreeClassifier.node_model\[1\] is a sklearn.*GaussianNB.*no code.*joblib",
    ),
    "generator": (
        mw.TreeClassifier(random_state=np.random.default_rng(0), pruning=None),
        r"random_state is a .*Generator.*set_params\(random_state=None\)",
    ),
    "nested": (
        mw.ForestClassifier(
            mw.TreeClassifier(criterion=Accuracy(), pruning=None), n_estimators=1, random_state=0
        ),
        "ForestClassifier.estimator.criterion is a",
    ),
}


@pytest.mark.parametrize("name", CANNOT)
def test_what_only_code_can_say_is_refused(name, tmp_path):
    model, words = CANNOT[name]
    X, y = make_table()
    model = clone(model).fit(X[["colour", "size"]].fillna({"size": 0.0}), y)
    with pytest.raises(ModelFileError, match=words):
        mw.save_model(model, tmp_path / "model.mw")
    assert list(tmp_path.iterdir()) == []


def test_an_out_of_bag_score_of_ones_own_is_kept_without_its_function(tmp_path):
    model = clone(CANNOT["oob_score"][0]).fit(*make_table())
    again = save_and_load(model.set_params(oob_score=True), tmp_path)
    assert again.oob_score_ == 1.0


def test_only_fitted_classifiers_of_the_library_are_written(tmp_path):
    X, y = make_table()
    path = tmp_path / "model.mw"
    with pytest.raises(NotFittedError):
        mw.save_model(mw.TreeClassifier(), path)
    with pytest.raises(ModelFileError, match="save the last step alone"):
        mw.save_model(make_pipeline(mw.TreeClassifier()).fit(X, y), path)

    class Mine(mw.TreeClassifier):
        pass

    with pytest.raises(ModelFileError, match=r"Got .*Mine"):
        mw.save_model(Mine().fit(X, y), path)
    spoiled = mw.TreeClassifier().fit(X, y).set_params(handle_unknown="perhaps")
    with pytest.raises(
        ModelFileError, match="'handle_unknown' parameter of TreeClassifier must be"
    ):
        mw.save_model(spoiled, path)
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file(tmp_path):
    X, y = make_table()
    path = tmp_path / "model.mw"
    model = mw.TreeClassifier().fit(X, y)
    mw.save_model(model, path)
    before = path.read_bytes()
    with pytest.raises(ModelFileError):
        mw.save_model(copy.copy(model).set_params(criterion=Accuracy()), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError):
        mw.save_model(model, tmp_path / "nowhere" / "model.mw")


def test_numbers_that_repeat_a_lot_are_still_read(tmp_path):
    """Far more zeros than a packed file may promise are written as they are."""
    n = 400_000
    X = pd.DataFrame({"x": np.zeros(n)})
    model = mw.ForestClassifier(
        mw.TreeClassifier(max_depth=0, pruning=None), n_estimators=2, oob_score=True, random_state=0
    )
    model = fitted(model, X, np.array(["a"] * n))
    again = save_and_load(model, tmp_path)
    assert len(again.oob_decision_function_) == n
    assert trees_of(again) == trees_of(model)
