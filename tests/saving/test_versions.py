"""Files of every version so far are read, and their models answer as they did."""

import json
from pathlib import Path

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.saving import read_model
from mixedwood.saving.writer import estimator_classes

FOLDERS = sorted((Path(__file__).parents[1] / "golden" / "models").glob("version*"))
# Defaults that were others when a version was written; a repr leaves out what is the default.
DEFAULTS = {
    "version1": {
        mw.TreeClassifier: {"selection": "score"},
        mw.ModelTreeClassifier: {"selection": "score"},
    }
}
FILES = [file for folder in FOLDERS for file in sorted(folder.glob("*.mw"))]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}-{f.stem}")
def test_a_file_of_another_version_answers_as_it_did(file, monkeypatch):
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
        assert repr(model) == expected["parameters"]
    assert model.predict(rows).tolist() == expected["predict"]
    tell = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
    # The last digits of exponentials and of sums over planes depend on the processor.
    tolerance = 1e-9 if isinstance(model, mw.SmoothSVC) else 1e-14
    np.testing.assert_allclose(tell(rows), expected["numbers"], rtol=tolerance, atol=tolerance)


def test_there_is_a_file_of_every_kind():
    for folder in FOLDERS:
        kinds = {type(mw.load_model(file)).__name__ for file in folder.glob("*.mw")}
        assert kinds == set(estimator_classes())
