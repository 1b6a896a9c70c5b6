"""Orders of categories in boosting: error and log loss, with peers in the same run.

Every method has 200 iterations at rate 0.1 and is otherwise as it comes; ours differ in the order
of the categories. Tables are those of `order_tables.py` and of `more_tables.py` (of at least one
nominal column of five or more categories), of the half `choice`, by which the default was chosen,
or `judge`. Small tables are divided by two-fold cross-validation, those of more than 50,000 rows
once in 80 and 20 %. All methods see the same rows.

    python benchmarks/boosting_orders.py [--half judge] [--tables xor amazon] [--rows N]
        [--page docs/results/boosting-orders.md]

To install: `pip install lightgbm xgboost catboost`; for tables of packages see `more_tables.py`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import more_tables
import numpy as np
import order_tables
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

import mixedwood as mw

ROUNDS = 200
MANY_ROWS = 50_000
ORDERS: dict[str, dict[str, Any]] = {
    "target statistics": {},
    "random order": {"partitioner": "random_order", "max_features": 0.5},
    "random order, all columns": {"partitioner": "random_order", "max_features": None},
    "auto, all columns": {"partitioner": "auto", "max_features": None},
}
PEERS = ["LightGBM", "XGBoost", "CatBoost"]
Scores = dict[str, dict[str, tuple[float, float, float]]]  # table -> method -> error, loss, seconds


def _is_nominal(column: pd.Series) -> bool:
    return not pd.api.types.is_numeric_dtype(column)


def _categories(X: pd.DataFrame) -> dict[str, pd.CategoricalDtype]:
    return {
        str(name): pd.CategoricalDtype(sorted(X[name].dropna().astype(str).unique()))
        for name in X
        if _is_nominal(X[name])
    }


def _as_categories(X: pd.DataFrame, known: dict[str, pd.CategoricalDtype]) -> pd.DataFrame:
    """Values that no training row had are missing."""
    text = {name: X[name].astype(str).where(X[name].notna()) for name in known}
    return X.assign(**{name: text[name].astype(kind) for name, kind in known.items()})


def _probabilities(
    method: str, X: pd.DataFrame, y: np.ndarray, new: pd.DataFrame
) -> tuple[np.ndarray, float]:
    """Probabilities of new rows, and the seconds of the processor to fit."""
    if method in ORDERS:
        model = mw.BoostedTreesClassifier(
            n_estimators=ROUNDS, random_state=0, n_jobs=1, **ORDERS[method]
        )
    elif method == "CatBoost":
        from catboost import CatBoostClassifier

        nominal = [name for name in X if _is_nominal(X[name])]
        X, new = (x.assign(**{name: x[name].astype(str) for name in nominal}) for x in (X, new))
        model = CatBoostClassifier(
            iterations=ROUNDS,
            learning_rate=0.1,
            cat_features=nominal,
            thread_count=1,
            verbose=0,
            allow_writing_files=False,
        )
    else:
        known = _categories(X)
        X, new = _as_categories(X, known), _as_categories(new, known)
        if method == "LightGBM":
            from lightgbm import LGBMClassifier

            model = LGBMClassifier(n_estimators=ROUNDS, n_jobs=1, verbose=-1)
        else:
            from xgboost import XGBClassifier

            model = XGBClassifier(
                n_estimators=ROUNDS, learning_rate=0.1, enable_categorical=True, n_jobs=1
            )
    started = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - started
    return np.asarray(model.predict_proba(new)), seconds


def load(name: str, half: str, rows: int | None) -> tuple[pd.DataFrame, np.ndarray]:
    """The table, with classes 0, 1, ..."""
    if name in order_tables.LAWS:
        X, y = order_tables.load(name, half, rows)
    else:
        table = more_tables.load(name)
        X, y = table.X, table.y
    return X, np.unique(y, return_inverse=True)[1]


def folds(y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and to judge by."""
    large = len(y) > MANY_ROWS
    parts = list(StratifiedKFold(5 if large else 2, shuffle=True, random_state=0).split(y, y))
    return parts[:1] if large else parts


def names_of(half: str) -> list[str]:
    """Tables of a half with a nominal column of five or more categories, generated ones first."""

    def fits(name: str) -> bool:
        X = more_tables.load(name).X
        return any(_is_nominal(X[column]) and X[column].nunique() > 4 for column in X)

    return [*order_tables.LAWS, *filter(fits, more_tables.names(half))]


def measure(table: str, half: str, rows: int | None) -> dict[str, tuple[float, float, float]]:
    """Error in percent, log loss and seconds of every method."""
    X, y = load(table, half, rows)
    found = {}
    for method in [*ORDERS, *PEERS]:
        wrong, losses, seconds = [], [], 0.0
        for train, test in folds(y):
            learn = X.iloc[train].reset_index(drop=True)
            p, taken = _probabilities(method, learn, y[train], X.iloc[test])
            wrong.append(np.argmax(p, axis=1) != y[test])
            losses.append(-np.log(np.maximum(p[np.arange(len(test)), y[test]], 1e-6)))
            seconds += taken
        error, loss = np.mean(np.concatenate(wrong)), np.mean(np.concatenate(losses))
        found[method] = (100 * float(error), float(loss), seconds)
    return found


def report(scores: Scores) -> list[str]:
    """Tables in Markdown: error and log loss of each table, means and mean ranks."""
    methods = [*ORDERS, *PEERS]
    lines: list[str] = []
    shown: list[tuple[str, int, Callable[[float], str]]] = [
        ("Error, %", 0, lambda x: f"{x:.2f}"),
        ("Log loss", 1, lambda x: f"{x:.4f}"),
        ("Seconds of the processor to fit", 2, lambda x: f"{x:.1f}"),
    ]
    for title, place, text in shown:
        values = np.array([[by[m][place] for m in methods] for by in scores.values()])
        lines += ["", f"### {title}", "", f"| table | {' | '.join(methods)} |"]
        lines += ["|---|" + "---:|" * len(methods)]
        for name, row in zip(scores, values, strict=True):
            lines.append(f"| {name} | {' | '.join(map(text, row))} |")
        lines.append(f"| **mean** | {' | '.join(map(text, values.mean(axis=0)))} |")
        ranks = rankdata(values, axis=1).mean(axis=0)
        lines.append(f"| **mean rank** | {' | '.join(f'{r:.2f}' for r in ranks)} |")
    return lines


def main() -> None:
    """Measure and print, and write the page if asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--half", choices=more_tables.HALVES, default="judge")
    parser.add_argument("--tables", nargs="+", help="in place of all of the half")
    parser.add_argument("--rows", type=int, help="of generated tables, in place of their sizes")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    scores: Scores = {}
    for name in args.tables or names_of(args.half):
        scores[name] = measure(name, args.half, args.rows)
        row = " ".join(f"{m}={e:.2f}/{q:.4f}" for m, (e, q, _) in scores[name].items())
        print(name, row, flush=True)
    lines = report(scores)
    print("\n".join(lines))
    if args.page:
        head = (__doc__ or "").split("\n    python")[0].strip()
        facts = [f"- command: `python benchmarks/boosting_orders.py --half {args.half}`", "- "]
        facts[1] += ", ".join(f"{p} {version(p)}" for p in ("mixedwood", *map(str.lower, PEERS)))
        args.page.write_text(
            "\n".join(["# Orders of categories", "", head, "", *facts, *lines, ""])
        )


if __name__ == "__main__":
    main()
