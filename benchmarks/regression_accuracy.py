"""RMSE of regression methods, relative to the standard deviation of the target, fold by fold.

Repeats of two-fold cross-validation on the sets of ``MIXEDWOOD_DATA/regression`` (one repeat above
20,000 rows), the same folds for all methods of `regression_contenders.py`. Every result is a line
of a file, and what is in the file is not run again, so that the runs can be done in pieces.
`regression_report.py` writes the page.

    MIXEDWOOD_DATA=<folder> python benchmarks/regression_accuracy.py [--sets mpg wage]
        [--methods TreeRegressor ridge] [--repeats 5] [--seconds 600]
    python benchmarks/regression_report.py
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

MOST_ROWS = 20_000  # of sets that are divided more than once


def load(entry: dict[str, Any], folder: Path) -> tuple[pd.DataFrame, np.ndarray, dict[str, Any]]:
    """Read a set; text columns stay text, also where their values look like numbers."""
    columns = {c["name"]: c for c in entry["columns"]}
    types = {name: str for name, c in columns.items() if c["type"] != "numeric"}
    frame = pd.read_csv(
        folder / entry["file"], dtype=types, keep_default_na=False, na_values={"": ""}
    )
    for name in types:
        frame[name] = frame[name].where(frame[name] != "", None)
    for name in frame.columns.difference(list(types)):
        frame[name] = pd.to_numeric(frame[name])
    y = frame.pop(entry["target"]).to_numpy(dtype=float)
    orders = {n: c["order"] for n, c in columns.items() if c["type"] == "ordinal"}
    return frame, y, orders


def one_hot(model: Any) -> Any:
    """Put scikit-learn's encoders in front of a model."""
    text = make_column_selector(dtype_exclude=np.number)
    numbers = make_column_selector(dtype_include=np.number)
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text),
        (SimpleImputer(), numbers),
    )
    return make_pipeline(columns, model)


class PrunedTree:
    """scikit-learn's tree; `ccp_alpha` is chosen among 20 of its path by 5 folds."""

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> PrunedTree:
        encoder = one_hot(DecisionTreeRegressor(random_state=0))
        encoded = encoder[:-1].fit_transform(X)
        path = DecisionTreeRegressor(random_state=0).cost_complexity_pruning_path(encoded, y)
        alphas = np.unique(np.quantile(path.ccp_alphas, 1 - np.geomspace(1e-3, 1, 20)))
        search = GridSearchCV(
            one_hot(DecisionTreeRegressor(random_state=0)),
            {"decisiontreeregressor__ccp_alpha": np.maximum(alphas, 0)},
            cv=KFold(5, shuffle=True, random_state=0),
            scoring="neg_mean_squared_error",
        )
        self.model = search.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.model.predict(X))


def tasks(entries: list[dict[str, Any]], names: list[str], repeats: int) -> Any:
    """List set, repeat, fold and method: first repeats of all sets first, small sets first."""
    for repeat in range(repeats):
        for entry in sorted(entries, key=lambda entry: entry["rows"]):
            if repeat and entry["rows"] > MOST_ROWS:
                continue
            for fold in (0, 1):
                for name in names:
                    yield entry, repeat, fold, name


def main() -> None:
    """Run what is not in the file yet."""
    from regression_contenders import METHODS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("out/regression.jsonl"))
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--methods", nargs="*", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10**9, help="leave out larger sets")
    parser.add_argument("--seconds", type=float, default=np.inf, help="CPU time to spend")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = Path(os.environ["MIXEDWOOD_DATA"], "regression")
    entries = json.loads((folder / "manifest.json").read_text("utf-8"))
    entries = [e for e in entries if not given.sets or e["name"] in given.sets]
    entries = [e for e in entries if e["rows"] <= given.rows]
    given.results.parent.mkdir(parents=True, exist_ok=True)
    kept = given.results.with_suffix(".predictions")
    kept.mkdir(exist_ok=True)
    done = set()
    if given.results.exists():
        for line in given.results.read_text("utf-8").splitlines():
            record = json.loads(line)
            done.add((record["set"], record["repeat"], record["fold"], record["method"]))
    loaded: dict[str, Any] = {}
    for entry, repeat, fold, name in tasks(entries, given.methods, given.repeats):
        used = time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        if used > given.seconds:
            break
        if (entry["name"], repeat, fold, name) in done:
            continue
        if entry["name"] not in loaded:
            loaded = {entry["name"]: load(entry, folder)}
        X, y, orders = loaded[entry["name"]]
        train, test = list(KFold(2, shuffle=True, random_state=repeat).split(X))[fold]
        record = {"set": entry["name"], "repeat": repeat, "fold": fold, "method": name}
        try:
            new, truth = X.iloc[test].reset_index(drop=True), y[test]
            predicted, facts = METHODS[name](
                X.iloc[train].reset_index(drop=True), y[train], new, truth, orders
            )
        except Exception as error:  # a peer may refuse a table; that is a result
            record["error"] = f"{type(error).__name__}: {error}"[:300]
        else:
            record["rmse"] = float(np.sqrt(np.mean((predicted - truth) ** 2)) / y.std())
            record |= facts
            place = f"{entry['name']}-{repeat}-{fold}-{name.replace(' ', '_').replace(',', '')}.npy"
            np.save(kept / place, predicted.astype(np.float32))
        with given.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
