"""The methods of `regression_accuracy.py`: ours and those of other packages, as they come.

A method is a function of training rows and test rows that returns predictions, and further numbers
to record. All use one thread.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from regression_accuracy import PrunedTree, one_hot
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import mixedwood as mw

Orders = dict[str, list[str]]
Found = tuple[np.ndarray, dict[str, Any]]
Method = Callable[[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray, Orders], Found]

HERE = Path(__file__).parent
COVERAGES = (0.8, 0.9, 0.95)
ROUNDS = 2000  # at most, with early stopping


def timed(make: Callable[[Orders], Any]) -> Method:
    """Fit and predict."""

    def run(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
        start = time.process_time()
        model = make(orders).fit(X, y)
        seconds = time.process_time() - start
        return np.asarray(model.predict(new)), {"seconds": seconds, **sizes(model)}

    return run


def sizes(model: Any) -> dict[str, Any]:
    """Give the number of leaves of a single tree of ours."""
    return {"leaves": int(model.get_n_leaves())} if hasattr(model, "get_n_leaves") else {}


def ensemble(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    """Our ensemble with its prediction intervals."""
    start = time.process_time()
    model = mw.EnsembleRegressor(ordinal_features=orders or None, random_state=0).fit(X, y)
    facts: dict[str, Any] = {"seconds": time.process_time() - start}
    facts["weights"] = [round(float(w), 3) for w in model.weights_]
    bounds = {c: model.predict_interval(new, coverage=c).T for c in COVERAGES}
    return np.asarray(model.predict(new)), facts | intervals(bounds, truth)


def intervals(bounds: dict[float, Any], truth: Any) -> dict[str, Any]:
    """Coverage and mean width of each level."""
    inside = {c: (low <= truth) & (truth <= high) for c, (low, high) in bounds.items()}
    return {
        "coverage": {str(c): float(found.mean()) for c, found in inside.items()},
        "width": {str(c): float((high - low).mean()) for c, (low, high) in bounds.items()},
    }


# Categories of the training rows as integers from 0; missing and unknown ones are NaN.


def category_codes(
    X: pd.DataFrame, new: pd.DataFrame, orders: Orders
) -> tuple[Any, Any, list[str]]:
    """Codes in the order of ordinal columns, else sorted; and the nominal columns."""
    coded, fresh, nominal = X.copy(), new.copy(), []
    for name in X.columns:
        if pd.api.types.is_numeric_dtype(X[name]):
            continue
        levels = orders.get(name) or sorted(X[name].dropna().unique())
        place = {level: i for i, level in enumerate(levels)}
        coded[name], fresh[name] = (f[name].map(place).astype(float) for f in (X, new))
        if name not in orders:
            nominal.append(name)
    return coded, fresh, nominal


def as_categories(frame: pd.DataFrame, nominal: list[str], codes: pd.DataFrame) -> pd.DataFrame:
    """Nominal columns of codes as pandas categories, the same for all frames."""
    found = frame.copy()
    for name in nominal:
        n = int(codes[name].max()) + 1 if codes[name].notna().any() else 1
        found[name] = pd.Categorical.from_codes(
            frame[name].fillna(-1).astype(int), categories=np.arange(n)
        )
    return found


def lightgbm(stopping: bool) -> Method:
    """LightGBM with its own categories; with early stopping a tenth of the rows is held out."""

    def run(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
        coded, fresh, nominal = category_codes(X, new, orders)
        fresh = as_categories(fresh, nominal, coded)
        coded = as_categories(coded, nominal, coded)
        start = time.process_time()
        model = lightgbm_fit(coded, y, stopping)
        return model.predict(fresh), {"seconds": time.process_time() - start}

    return run


def lightgbm_fit(X: Any, y: Any, stopping: bool) -> Any:
    import lightgbm as lgb

    if not stopping:
        return lgb.LGBMRegressor(n_jobs=1, verbose=-1, random_state=0).fit(X, y)
    X, X_val, y, y_val = train_test_split(X, y, test_size=0.1, random_state=0)
    model = lgb.LGBMRegressor(n_estimators=ROUNDS, n_jobs=1, verbose=-1, random_state=0)
    stop = lgb.early_stopping(30, verbose=False)
    return model.fit(X, y, eval_set=[(X_val, y_val)], callbacks=[stop])


def conformal_lightgbm(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    """Absolute residuals out of five folds around LightGBM with early stopping."""
    coded, fresh, nominal = category_codes(X, new, orders)
    fresh, coded = as_categories(fresh, nominal, coded), as_categories(coded, nominal, coded)
    start = time.process_time()
    residuals = np.empty(len(y))
    for train, test in KFold(5, shuffle=True, random_state=0).split(coded):
        model = lightgbm_fit(coded.iloc[train], y[train], True)
        residuals[test] = np.abs(y[test] - model.predict(coded.iloc[test]))
    center = lightgbm_fit(coded, y, True).predict(fresh)
    facts = {"seconds": time.process_time() - start}
    ordered, n = np.sort(residuals), len(y)
    bounds = {}
    for c in COVERAGES:
        reach = ordered[min(n - 1, int(np.ceil(c * (n + 1))) - 1)]
        bounds[c] = (center - reach, center + reach)
    return center, facts | intervals(bounds, truth)


def xgboost(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    from xgboost import XGBRegressor

    coded, fresh, nominal = category_codes(X, new, orders)
    fresh = as_categories(fresh, nominal, coded)
    coded = as_categories(coded, nominal, coded)
    start = time.process_time()
    model = XGBRegressor(enable_categorical=True, n_jobs=1, random_state=0).fit(coded, y)
    return model.predict(fresh).astype(float), {"seconds": time.process_time() - start}


def catboost(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    from catboost import CatBoostRegressor

    coded, fresh, nominal = category_codes(X, new, orders)
    for frame in (coded, fresh):
        for name in nominal:
            frame[name] = frame[name].fillna(-1).astype(int).astype(str)
    start = time.process_time()
    model = CatBoostRegressor(
        thread_count=1,
        verbose=False,
        random_seed=0,
        allow_writing_files=False,
        cat_features=nominal,
    ).fit(coded, y)
    return model.predict(fresh), {"seconds": time.process_time() - start}


def hist_gradient_boosting(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    """Columns of more than 255 categories, which it refuses, are codes."""
    coded, fresh, nominal = category_codes(X, new, orders)
    chosen = [name for name in nominal if coded[name].nunique() <= 255]
    start = time.process_time()
    model = HistGradientBoostingRegressor(categorical_features=chosen, random_state=0)
    return model.fit(coded, y).predict(fresh), {"seconds": time.process_time() - start}


def ordinal(model: Any) -> Any:
    """Codes of sorted categories in front of a model."""
    text, numbers = (
        make_column_selector(dtype_exclude=np.number),
        make_column_selector(dtype_include=np.number),
    )
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2
    )
    return make_pipeline(
        make_column_transformer((encoder, text), (SimpleImputer(), numbers)), model
    )


def of_r(name: str) -> Method:
    """A method of `peers/regression.R`."""

    def run(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
        with tempfile.TemporaryDirectory() as folder:
            paths = [str(Path(folder, f)) for f in ("train", "test", "types", "found")]
            X.assign(_target=y).to_csv(paths[0], index=False, float_format="%.17g")
            new.assign(_target=0).to_csv(paths[1], index=False, float_format="%.17g")
            kinds = [
                "n" if pd.api.types.is_numeric_dtype(X[c]) else "\t".join(orders.get(c, ["c"]))
                for c in X.columns
            ]
            Path(paths[2]).write_text("\n".join(kinds) + "\n", "utf-8")
            script = str(HERE / "peers" / "regression.R")
            done = subprocess.run(
                ["Rscript", "--vanilla", script, name, *paths], capture_output=True, text=True
            )
            if done.returncode:
                raise RuntimeError(done.stderr[-300:])
            seconds, *found = map(float, Path(paths[3]).read_text().split())
        return np.array(found), {"seconds": seconds}

    return run


def cubist(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    """Rules with linear models, by the package `cubist`: C code of RuleQuest, one committee."""
    from cubist import Cubist

    coded, fresh, nominal = category_codes(X, new, orders)
    for frame in (coded, fresh):
        for name in nominal:  # its files know no numbers as names of categories
            known = frame[name].notna()
            frame[name] = ("c" + frame[name].fillna(-1).astype(int).astype(str)).where(known, None)
    start = time.process_time()
    model = Cubist(random_state=0).fit(coded, y)
    return np.asarray(model.predict(fresh)), {"seconds": time.process_time() - start}


def m5p(X: Any, y: Any, new: Any, truth: Any, orders: Orders) -> Found:
    """Model trees of the WEKA workbench, by `peers/M5PDriver.java`."""
    coded, fresh, nominal = category_codes(X, new, orders)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder, name)) for name in ("train.arff", "test.arff")]
        for path, frame, target in ((paths[0], coded, y), (paths[1], fresh, np.zeros(len(new)))):
            write_arff(path, frame, target, nominal, coded)
        jar = os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar")
        options = ["-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=4"]
        done = subprocess.run(
            ["java", *options, "-cp", jar, str(HERE / "peers" / "M5PDriver.java"), *paths],
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(done.stderr[-300:])
    seconds, *found = map(float, done.stdout.split())
    return np.array(found), {"seconds": seconds}


def write_arff(
    path: str, frame: pd.DataFrame, target: Any, nominal: list[str], codes: pd.DataFrame
) -> None:
    """Write codes of nominal columns as names, and the target last."""
    lines, cells = ["@relation rows"], []
    for i, name in enumerate(frame.columns):
        if name in nominal:
            n = int(codes[name].max()) + 1 if codes[name].notna().any() else 1
            lines.append(f"@attribute x{i} {{{','.join(f'c{c}' for c in range(n))}}}")
            cells.append(["?" if np.isnan(c) else f"c{int(c)}" for c in frame[name]])
        else:
            lines.append(f"@attribute x{i} numeric")
            cells.append(["?" if np.isnan(c) else repr(float(c)) for c in frame[name]])
    lines += ["@attribute target numeric", "@data"]
    cells.append([repr(float(value)) for value in target])
    lines += [",".join(row) for row in zip(*cells, strict=True)]
    Path(path).write_text("\n".join(lines) + "\n", "utf-8")


SINGLE = ("TreeRegressor", "GrowPruneTreeRegressor", "tree, ccp", "rpart")
METHODS: dict[str, Method] = {
    "TreeRegressor": timed(lambda orders: mw.TreeRegressor(ordinal_features=orders or None)),
    "ModelTreeRegressor": timed(
        lambda orders: mw.ModelTreeRegressor(ordinal_features=orders or None)
    ),
    "EnsembleRegressor": ensemble,
    "LightGBM, stopped": lightgbm(True),
    "conformal LightGBM": conformal_lightgbm,
    "ridge": timed(lambda orders: one_hot(RidgeCV(np.geomspace(1e-3, 1e3, 13)))),
    "HistGradientBoosting": hist_gradient_boosting,
    "LightGBM": lightgbm(False),
    "XGBoost": xgboost,
    "rpart": of_r("rpart"),
    "ForestRegressor": timed(
        lambda orders: mw.ForestRegressor(ordinal_features=orders or None, random_state=0)
    ),
    "BoostedTreesRegressor": timed(
        lambda orders: mw.BoostedTreesRegressor(ordinal_features=orders or None, random_state=0)
    ),
    "GrowPruneTreeRegressor": timed(
        lambda orders: mw.GrowPruneTreeRegressor(ordinal_features=orders or None, random_state=0)
    ),
    "tree, ccp": timed(lambda orders: PrunedTree()),
    "Cubist": cubist,
    "M5P": m5p,
    "RF ordinal": timed(lambda orders: ordinal(RandomForestRegressor(random_state=0))),
    "ranger order": of_r("ranger order"),
    "ranger partition": of_r("ranger partition"),
    "ranger ignore": of_r("ranger ignore"),
    "CatBoost": catboost,
    "RF one-hot": timed(lambda orders: one_hot(RandomForestRegressor(random_state=0))),
}
