"""Ensembles where the order of categories decides: groups, exclusive or, many and rare categories.

The tables are drawn from the laws of `order_tables.py`. Tables of up to 50,000 rows are divided by
two-fold cross-validation, larger ones once in 80 and 20 %. All methods are those of
`ensemble_tables.py`, see the same rows and have one thread; the time is that of the processor, of
`fit` alone. *Behind* is the mean difference to the ensemble over the test rows, with its standard
error: positive where the method is worse.

    python benchmarks/ensemble_laws.py [--half judge] [--laws xor amazon] [--rows amazon=9000]
        [--methods ensemble,LightGBM] [--page docs/results/ensemble-laws.md]

To install: `pip install lightgbm xgboost catboost`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import order_tables
from ensemble_tables import LEAST, METHODS, command
from sklearn.model_selection import StratifiedKFold

MANY_ROWS = 50_000
DEFAULT_METHODS = (
    "ensemble,boosted trees,forest,LightGBM,XGBoost,CatBoost,HistGradientBoosting,sklearn forest"
)


def folds(y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to learn from and to judge by."""
    large = len(y) > MANY_ROWS
    parts = list(StratifiedKFold(5 if large else 2, shuffle=True, random_state=0).split(y, y))
    return parts[:1] if large else parts


def measure(method: str, X, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Mistakes and log losses of all test rows, and the seconds of the fits."""
    wrong, losses, seconds = [], [], 0.0
    for train, test in folds(y):
        model = METHODS[method]()
        learn = X.iloc[train].reset_index(drop=True)
        started = time.process_time()
        model.fit(learn, y[train])
        seconds += time.process_time() - started
        shares = model.predict_proba(X.iloc[test].reset_index(drop=True))
        place = {label: j for j, label in enumerate(np.asarray(model.classes_).tolist())}
        code = np.array([place[label] for label in y[test].tolist()])
        wrong.append(shares.argmax(axis=1) != code)
        losses.append(-np.log(np.clip(shares[np.arange(len(code)), code], LEAST, 1)))
    return np.concatenate(wrong).astype(float), np.concatenate(losses), seconds


def behind(its: np.ndarray, ours: np.ndarray, scale: float, digits: int) -> str:
    """How much worse than ours a method is, with the standard error of the difference."""
    difference = its - ours
    error = difference.std() / np.sqrt(len(difference))
    return f"{scale * difference.mean():+.{digits}f} ± {scale * error:.{digits}f}"


def verdict(found: dict[str, tuple[np.ndarray, np.ndarray, float]], first: str) -> str:
    """Whether the first method is within two standard errors of the best of all."""
    told = []
    for place, name in enumerate(("error", "log loss")):
        best = min(found, key=lambda method: found[method][place].mean())
        difference = found[first][place] - found[best][place]
        error = difference.std() / np.sqrt(len(difference))
        if best == first:
            told.append(f"{first} has the lowest {name}")
        else:
            inside = difference.mean() <= 2 * error
            told.append(
                f"{name}: {'within' if inside else 'not within'} two standard errors of {best}"
            )
    return "; ".join(told) + "."


def main() -> None:
    """Measure, print and, if asked, write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--half", choices=("choice", "judge"), default="judge")
    parser.add_argument("--laws", nargs="+", choices=list(order_tables.LAWS))
    parser.add_argument("--rows", nargs="*", default=[], help="of a law, as many-values=1000000")
    parser.add_argument("--methods", default=DEFAULT_METHODS)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = {law: int(n) for law, n in (given.split("=") for given in args.rows)}
    methods = args.methods.split(",")
    lines: list[str] = []
    for law in args.laws or order_tables.LAWS:
        X, y = order_tables.load(law, args.half, rows.get(law))
        found = {}
        for method in methods:
            try:
                found[method] = measure(method, X, y)
            except Exception as failed:
                print(f"{law}, {method}: {failed}", file=sys.stderr, flush=True)
                continue
            wrong, losses, seconds = found[method]
            told = f"{100 * wrong.mean():.2f} % {losses.mean():.4f} {seconds:.1f} s"
            print(law, method, told, file=sys.stderr, flush=True)
        ours = found[methods[0]]
        lines += [
            "",
            f"## {law}: {len(y):,} rows",
            "",
            "| method | error % | behind | log loss | behind | fit, s |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        for method, (wrong, losses, seconds) in found.items():
            further = (
                ("", "")
                if method == methods[0]
                else (behind(wrong, ours[0], 100, 2), behind(losses, ours[1], 1, 4))
            )
            lines.append(
                f"| {method} | {100 * wrong.mean():.2f} | {further[0]} | {losses.mean():.4f} "
                f"| {further[1]} | {seconds:.1f} |"
            )
        lines += ["", verdict(found, methods[0])]
    print("\n".join(lines))
    if args.page:
        about = (__doc__ or "").split("\n\n    python")[0].split("\n\n", 1)[1]
        used = []
        for package in ("lightgbm", "xgboost", "catboost", "scikit-learn"):
            try:
                used.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                continue
        head = ["# Ensembles on generated tables of categories", "", about, ""]
        facts = [f"- command: `{command()}`", f"- {', '.join(used)}"]
        args.page.write_text("\n".join([*head, *facts, *lines, ""]))


if __name__ == "__main__":
    main()
