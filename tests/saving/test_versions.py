"""Files of every version of the format are read, and their models predict as they did."""

import json
from pathlib import Path

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.saving import ModelFileError, read_model
from mixedwood.saving.writer import VERSION, estimator_classes
from saving.test_hostile import entries_of, zipped

FOLDERS = sorted((Path(__file__).parents[1] / "golden" / "models").glob("version*"))
# Defaults that were others when a version was written; a repr leaves out what is the default.
BOOSTED = {"partitioner": "random_order", "max_features": 0.5, "cat_smooth": 0.0}
DEFAULTS = {
    "version1": {
        mw.TreeClassifier: {"selection": "score"},
        mw.ModelTreeClassifier: {"selection": "score"},
        mw.BoostedTreesClassifier: BOOSTED,
    },
    "version2": {mw.BoostedTreesClassifier: BOOSTED, mw.BoostedTreesRegressor: BOOSTED},
}
FILES = [file for folder in FOLDERS for file in sorted(folder.glob("*.mw"))]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_a_file_of_any_version_predicts_as_it_did(file, monkeypatch):
    kept = json.loads((file.parent / "answers.json").read_text("utf-8"))
    expected = kept["answers"][file.stem]
    found = read_model(file)
    assert found.about == {"target": "wood"}
    assert found.mixedwood == kept["mixedwood"]
    assert f"version{found.version}" == file.parent.name
    model, rows = found.model, kept["rows"]
    with monkeypatch.context() as then:
        for kind, defaults in DEFAULTS.get(file.parent.name, {}).items():
            for name, value in defaults.items():
                then.setitem(kind.__init__.__kwdefaults__, name, value)
        # A default of newer versions of scikit-learn, which older ones print.
        shown = " ".join(repr(model).split()).replace(", probability='deprecated'", "")
        assert shown == " ".join(expected["parameters"].split())
    assert model.predict(rows).tolist() == expected["predict"]
    names = ("predict_proba", "decision_function", "predict")
    numbers = getattr(model, next(name for name in names if hasattr(model, name)))
    # The last digits of exponentials and of sums over terms depend on the processor.
    tolerance = 1e-9 if isinstance(model, mw.SmoothSVC) else 1e-14
    np.testing.assert_allclose(numbers(rows), expected["numbers"], rtol=tolerance, atol=tolerance)


def test_there_is_a_file_of_every_kind():
    """In the current version; tools/make_model_samples.py writes those that are missing."""
    assert [folder.name for folder in FOLDERS] == [f"version{i + 1}" for i in range(VERSION)]
    kinds = {type(mw.load_model(file)).__name__ for file in FOLDERS[-1].glob("*.mw")}
    assert kinds == set(estimator_classes())


def test_no_file_is_lost():
    """Each set of predictions that was kept has its file, and the files of version 1 are 24."""
    counts = []
    for folder in FOLDERS:
        kept = json.loads((folder / "answers.json").read_text("utf-8"))["answers"]
        assert {file.stem for file in folder.glob("*.mw")} == kept.keys()
        counts.append(len(kept))
    assert counts[0] == 24


@pytest.mark.parametrize("pruned", [True, False])
def test_c45_of_a_file_of_version_2(pruned, tmp_path):
    """C4.5 was a value of a parameter of TreeClassifier."""
    X = {"a": list("xyzxyzxy"), "b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}
    model = mw.C45TreeClassifier(pruned=pruned, min_samples_leaf=1).fit(X, list("ppqqppqq"))
    path = tmp_path / "c45.mw"
    mw.save_model(model, path)
    entries = entries_of(path.read_bytes())
    document = json.loads(entries["model.json"])
    pessimistic = {
        "is": "Pruner",
        "name": "pessimistic",
        "options": {"is": "dict", "items": [["confidence", 0.25]]},
    }
    document["model"]["class"] = "TreeClassifier"
    document["model"]["learned"]["pruning_path_"] = None
    document["model"]["parameters"] = {
        "rules": "c45",
        "criterion": "gain_ratio",
        "partitioner": "multiway",
        "min_samples_leaf": 1,
        "pruning": ["collapse", pessimistic] if pruned else "collapse",
        "random_state": None,
    }
    path.write_bytes(zipped({**entries, "model.json": json.dumps(document)}))
    again = mw.load_model(path)
    assert repr(again) == repr(model)
    assert again.tree_ == model.tree_
    document["model"]["parameters"]["rules"] = "c46"
    path.write_bytes(zipped({**entries, "model.json": json.dumps(document)}))
    with pytest.raises(ModelFileError):
        mw.load_model(path)
