"""CPU time of the prediction of one row: native, Python, C, ONNX, and LightGBM beside them.

    python benchmarks/latency.py

The table has 5 categorical and 5 numeric columns, 4,000 rows and two classes. Native prediction
reads a dict of columns, as a user of the library would. C is called through ctypes, whose part is
shown as an empty call; LightGBM predicts a row of numbers that are encoded already.
"""

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import mixedwood as mw


def make_table(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = {f"c{i}": [f"v{v}" for v in rng.integers(0, 20, n_rows)] for i in range(5)}
    X |= {f"x{i}": rng.normal(size=n_rows).tolist() for i in range(5)}
    score = np.array([int(v[1:]) % 5 for v in X["c0"]]) - 2 + np.array(X["x0"]) * 2
    y = np.where(score + rng.normal(size=n_rows) > 0, "yes", "no")
    return X, y


def milliseconds(call, repeats):
    """Median over five rounds of the CPU time of a call."""
    call()
    rounds = []
    for _ in range(5):
        start = time.process_time()
        for _ in range(repeats):
            call()
        rounds.append((time.process_time() - start) / repeats * 1e3)
    return float(np.median(rounds))


def c_call(model, row, folder):
    if shutil.which("gcc") is None:
        return None
    mw.export(model, folder / "model.c")
    library = folder / f"model{id(model)}.so"
    subprocess.run(
        ["gcc", "-O2", "-std=c99", "-shared", "-fPIC", folder / "model.c", "-o", library, "-lm"],
        check=True,
    )
    kinds = [ctypes.c_char_p if isinstance(v, str) else ctypes.c_double for v in row.values()]
    fields = [(f"f{i}", kind) for i, kind in enumerate(kinds)]
    struct = type("Row", (ctypes.Structure,), {"_fields_": fields})
    given = ctypes.byref(struct(*(v.encode() if isinstance(v, str) else v for v in row.values())))
    out = ctypes.byref((ctypes.c_double * 2)())
    predict = ctypes.CDLL(library).model_predict_proba
    return lambda: predict(given, out)


def onnx_call(model, row):
    try:
        import onnxruntime
    except ImportError:
        return None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    content = mw.export(model, to="onnx")
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    feed = {
        name: np.array([[v]], dtype=object if isinstance(v, str) else np.float64)
        for name, v in row.items()
    }
    return lambda: session.run(None, feed)


def lightgbm_call(X, y, n_trees):
    try:
        import lightgbm
    except ImportError:
        return None
    matrix = np.column_stack(
        [[int(v[1:]) for v in X[c]] if c[0] == "c" else X[c] for c in X]
    ).astype(float)
    model = lightgbm.LGBMClassifier(n_estimators=n_trees, verbosity=-1, n_jobs=1)
    model.fit(matrix, y, categorical_feature=list(range(5)))
    one = matrix[:1].copy()
    return lambda: model.booster_.predict(one, num_threads=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=300)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    X, y = make_table(4000, 0)
    row = {name: values[0] for name, values in X.items()}
    columns = {name: [value] for name, value in row.items()}
    models = {
        "tree": mw.TreeClassifier(random_state=0),
        "forest of 100": mw.ForestClassifier(n_estimators=100, random_state=0),
        "boosted, 100": mw.BoostedTreesClassifier(n_estimators=100, early_stopping=False),
    }
    print("milliseconds of CPU for one row")
    print(f"{'model':<16}{'trees':>6}{'native':>9}{'Python':>9}{'C':>9}{'ONNX':>9}{'LightGBM':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            model.fit(X, y)
            space = {}
            exec(mw.export(model, to="python"), space)
            calls = {
                "native": lambda model=model: model.predict(columns),
                "python": lambda space=space: space["predict"](row),
                "c": c_call(model, row, Path(folder)),
                "onnx": onnx_call(model, row),
                "lightgbm": lightgbm_call(X, y, len(model.predictor_.trees)),
            }
            found = [
                f"{milliseconds(call, repeats):.4f}" if call is not None else "-"
                for call in calls.values()
            ]
            widths = [9, 9, 9, 9, 10]
            shown = "".join(f"{x:>{w}}" for x, w in zip(found, widths, strict=True))
            print(f"{name:<16}{len(model.predictor_.trees):>6}{shown}", flush=True)


if __name__ == "__main__":
    main()
