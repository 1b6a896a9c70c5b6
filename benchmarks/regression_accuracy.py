"""RMSE of regression trees, relative to the standard deviation of the target.

Two-fold cross-validation on the sets of ``MIXEDWOOD_DATA/regression``, the same folds for all
methods. scikit-learn's tree has one-hot columns, and its ``ccp_alpha`` is chosen by 5 folds. The
table is printed as Markdown.

    MIXEDWOOD_DATA=<folder> python benchmarks/regression_accuracy.py [--rows 7000] [--repeats 1]
        [--sets mpg wage] [--forests]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

import mixedwood as mw


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


def methods(orders: dict[str, Any], forests: bool) -> dict[str, Callable[[], Any]]:
    """Name what is compared."""
    found: dict[str, Callable[[], Any]] = {
        "TreeRegressor": lambda: mw.TreeRegressor(ordinal_features=orders or None),
        "cart": lambda: mw.TreeRegressor.cart(ordinal_features=orders or None),
        "tree, ccp": PrunedTree,
    }
    if forests:
        found |= {
            "ForestRegressor": lambda: mw.ForestRegressor(
                ordinal_features=orders or None, random_state=0
            ),
            "RF one-hot": lambda: one_hot(RandomForestRegressor(random_state=0)),
        }
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=7000, help="leave out larger sets")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--forests", action="store_true", help="compare forests, too")
    given = parser.parse_args()
    folder = Path(os.environ["MIXEDWOOD_DATA"], "regression")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    table: dict[str, dict[str, float]] = {}
    seconds: dict[str, float] = {}
    for entry in manifest:
        if (given.sets and entry["name"] not in given.sets) or entry["rows"] > given.rows:
            continue
        X, y, orders = load(entry, folder)
        for name, make in methods(orders, given.forests).items():
            errors, start = [], time.perf_counter()
            for repeat in range(given.repeats):
                for train, test in KFold(2, shuffle=True, random_state=repeat).split(X):
                    model = make().fit(X.iloc[train], y[train])
                    predicted = model.predict(X.iloc[test])
                    errors.append(np.sqrt(np.mean((predicted - y[test]) ** 2)) / y.std())
            table.setdefault(entry["name"], {})[name] = float(np.mean(errors))
            seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
    names = list(seconds)
    print(f"| set | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for name, row in table.items():
        print(f"| {name} | {' | '.join(f'{row[m]:.3f}' for m in names)} |")
    means = [np.mean([row[m] for row in table.values()]) for m in names]
    print(f"| mean | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    print(f"| seconds | {' | '.join(f'{seconds[m]:.1f}' for m in names)} |")


if __name__ == "__main__":
    main()
