"""Runtimes that read exported ONNX graphs and treelite models."""

import json

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.data import read_table
from mixedwood.exports import encode_rows


def run_onnx(model, X):
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    content = mw.export(model, to="onnx")
    graph = onnx.load_from_string(content)
    onnx.checker.check_model(graph, full_check=True)
    missing = json.loads({p.key: p.value for p in graph.metadata_props}["missing_text"])
    session = runtime.InferenceSession(content, providers=["CPUExecutionProvider"])
    feed = {}
    for given in session.get_inputs():
        values = X[given.name]
        if given.type == "tensor(string)":
            absent = missing.get(given.name, "")
            # A text that marks missing values cannot be an unknown category as well.
            texts = [absent if v is None else "unknown" if v == absent else v for v in values]
            cells = np.array(texts, dtype=object)
        else:
            cells = np.array([np.nan if v is None else v for v in values], np.float64)
        feed[given.name] = cells[:, None]
    found = session.run(None, feed)
    if len(found) == 1:
        return found[0][:, 0].tolist(), found[0].tolist()
    return found[0].tolist(), found[1].tolist()


def run_treelite(model, X):
    treelite = pytest.importorskip("treelite")
    loaded = treelite.Model.deserialize_bytes(mw.export(model, to="treelite"))
    matrix = encode_rows(read_table(X, schema=model.schema_))
    found = treelite.gtil.predict(loaded, matrix).reshape(len(matrix), -1)
    if not hasattr(model, "classes_"):
        return found[:, 0].tolist(), found.tolist()
    if found.shape[1] == 1:
        found = np.hstack([1 - found, found])
    return model._target_spec.labels(found).tolist(), found.tolist()
