"""Ensembles of ours and of others on tables of `more_tables.py`: error, log loss and time of `fit`.

All methods see the same rows of 2 x 2 folds (`--folds` computes fewer), with one thread each. The
time is that of the processor, of `fit` alone. Choose by the half `choice`, judge by `judge`.

- *LightGBM*: up to 1,000 rounds, stopped by a tenth of the training rows after 20 rounds without
  gain; pandas categories. *LightGBM fixed*: 100 rounds of all rows, its default.
- *XGBoost*: the same with its native categories, rate 0.1. *CatBoost*: its defaults, 1,000 rounds.
- *sklearn forest*: 100 trees on ordinal codes. *HistGradientBoosting*: its defaults.
- *logistic regression*: scikit-learn's with C = 1, one-hot codes and standardized numbers.

    python benchmarks/ensemble_tables.py --half choice --methods ensemble,LightGBM --scores x.json

Scores that are kept are not computed again; `--again` names methods that are.
To install: `pip install lightgbm xgboost catboost`, and what `more_tables.py` names.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import more_tables
import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold, train_test_split

import mixedwood as mw
from mixedwood import datasets

LEAST = 1e-3  # smaller probabilities count as this in the log loss, as in `mixedwood compare`
EXTRA = ("demo-mixed", "xor")  # generated tables of the library, for either half

Fit = Callable[[pd.DataFrame, np.ndarray], Any]


def load(name: str, most: int | None) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns and classes of a table; at most so many rows of it."""
    if name == "demo-mixed":
        made = datasets.make_mixed(1_000, random_state=1)
        X, y = pd.DataFrame(made.X), np.asarray(made.y)
    elif name == "xor":
        rng = np.random.default_rng(0)
        a, b = rng.integers(0, 12, (2, 1_000))
        side = rng.permutation(12) % 2
        label = (side[a] ^ side[b]) ^ (rng.random(1_000) < 0.03)
        X = pd.DataFrame({"a": [f"a{v}" for v in a], "b": [f"b{v}" for v in b]}, dtype=object)
        X["noise"] = rng.normal(size=1_000)
        y = np.where(label, "yes", "no")
    elif name in more_tables.names():
        table = more_tables.load(name)
        X, y = table.X, np.asarray(table.y)
    else:
        found = datasets.load(name, frame="pandas")
        X, y = found.X, np.asarray(found.y)
    if most and len(y) > most:
        drawn = np.random.default_rng(0).permutation(len(y))[:most]
        X, y = X.iloc[drawn], y[drawn]
        _, code, size = np.unique(y, return_inverse=True, return_counts=True)
        X, y = X[size[code] >= 4], y[size[code] >= 4]
    return X.reset_index(drop=True), y


def nominal(X: pd.DataFrame) -> list[str]:
    """Columns that are not numbers."""
    return [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]


class Peer:
    """An estimator of another library, with the coding of columns that it needs."""

    def __init__(self, make: Callable[[], Any], coding: str, early: str = "") -> None:
        self.make, self.coding, self.early = make, coding, early

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Peer:
        """Code the columns and learn; classes become numbers."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.values = {c: sorted(X[c].dropna().astype(str).unique()) for c in nominal(X)}
        Z = self.code(X)
        self.model = self.make()
        if not self.early:
            options = {"cat_features": list(self.values)} if self.coding == "text" else {}
            self.model.fit(Z, codes, **options)
            return self
        strata = codes if np.bincount(codes).min() > 1 else None
        try:
            parts = train_test_split(Z, codes, test_size=0.1, random_state=0, stratify=strata)
        except ValueError:  # fewer rows than classes in the smaller part
            parts = train_test_split(Z, codes, test_size=0.1, random_state=0)
        train, held, code, held_code = parts
        if len(np.unique(code)) < len(self.classes_):
            train, code = Z, codes
        if self.early == "lightgbm":
            import lightgbm

            stop = lightgbm.early_stopping(20, verbose=False)
            self.model.fit(train, code, eval_set=[(held, held_code)], callbacks=[stop])
        else:
            self.model.fit(train, code, eval_set=[(held, held_code)], verbose=False)
        return self

    def code(self, X: pd.DataFrame) -> Any:
        """Columns as the estimator takes them; unknown values are missing."""
        Z = X.copy()
        for c, values in self.values.items():
            text = X[c].astype(object).where(X[c].notna(), None)
            text = text.map(lambda v: None if v is None else str(v))
            if self.coding == "text":
                Z[c] = text.fillna("missing")
            else:
                Z[c] = pd.Categorical(text, categories=values)
        if self.coding in ("ordinal", "onehot"):
            numbers = {c: Z[c].cat.codes.replace(-1, np.nan) for c in self.values}
            if self.coding == "ordinal":
                return Z.assign(**numbers).astype(float)
            parts = [pd.get_dummies(Z[c], dtype=float) for c in self.values]
            rest = Z.drop(columns=list(self.values)).astype(float)
            if not hasattr(self, "scale"):
                self.scale = (rest.mean(), rest.std().replace(0, 1).fillna(1))
            parts.append(((rest - self.scale[0]) / self.scale[1]).fillna(0.0))
            return np.hstack([part.to_numpy() for part in parts])
        return Z

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        """Probabilities in the order of `classes_`."""
        return np.asarray(self.model.predict_proba(self.code(X)))


def _lightgbm(rounds: int) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_estimators=rounds, n_jobs=1, verbose=-1)


def _xgboost() -> Any:
    import xgboost

    return xgboost.XGBClassifier(
        n_estimators=1_000,
        learning_rate=0.1,
        early_stopping_rounds=20,
        enable_categorical=True,
        tree_method="hist",
        n_jobs=1,
    )


def _catboost() -> Any:
    import catboost

    return catboost.CatBoostClassifier(
        verbose=0, thread_count=1, random_seed=0, allow_writing_files=False
    )


def _sklearn(name: str) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression

    if name == "forest":
        return RandomForestClassifier(random_state=0, n_jobs=1)
    if name == "boosting":
        return HistGradientBoostingClassifier(random_state=0, categorical_features="from_dtype")
    return LogisticRegression(max_iter=1_000)


METHODS: dict[str, Callable[[], Any]] = {
    "ensemble": lambda: mw.EnsembleClassifier(random_state=0, n_jobs=1),
    "ensemble crossed": lambda: mw.EnsembleClassifier(
        random_state=0, n_jobs=1, crossed_features="auto"
    ),
    "ensemble holdout": lambda: mw.EnsembleClassifier(random_state=0, n_jobs=1, cv="holdout"),
    "boosted trees": lambda: mw.BoostedTreesClassifier(random_state=0, n_jobs=1),
    "forest": lambda: mw.ForestClassifier(random_state=0, n_jobs=1),
    "random ordinality": lambda: mw.RandomOrdinalityClassifier(random_state=0, n_jobs=1),
    "random ordinality c45": lambda: mw.RandomOrdinalityClassifier.c45(random_state=0, n_jobs=1),
    "LightGBM": lambda: Peer(lambda: _lightgbm(1_000), "category", "lightgbm"),
    "LightGBM fixed": lambda: Peer(lambda: _lightgbm(100), "category"),
    "XGBoost": lambda: Peer(_xgboost, "category", "xgboost"),
    "CatBoost": lambda: Peer(_catboost, "text"),
    "sklearn forest": lambda: Peer(lambda: _sklearn("forest"), "ordinal"),
    "HistGradientBoosting": lambda: Peer(lambda: _sklearn("boosting"), "category"),
    "logistic regression": lambda: Peer(lambda: _sklearn("logistic"), "onehot"),
}


def judge(shares: np.ndarray, classes: np.ndarray, truth: np.ndarray) -> tuple[float, ...]:
    """Error, log loss, and the calibration error of the predicted class in ten equal parts."""
    place = {label: j for j, label in enumerate(classes.tolist())}
    code = np.array([place.get(c, -1) for c in truth.tolist()])
    best = shares.argmax(axis=1)
    of_truth = np.where(code >= 0, shares[np.arange(len(code)), code], 0.0)
    part = np.argsort(shares.max(axis=1), kind="stable")
    right = best == code
    off = sum(
        abs(right[rows].mean() - shares[rows].max(axis=1).mean()) * len(rows)
        for rows in np.array_split(part, 10)
        if len(rows)
    )
    return (
        float(np.mean(best != code)),
        float(-np.log(np.clip(of_truth, LEAST, 1)).mean()),
        float(off / len(code)),
    )


def measure(name: str, X: Any, y: np.ndarray, fold: int) -> list[float]:
    """Error, log loss, calibration error and seconds of a method on a fold."""
    halves = StratifiedKFold(2, shuffle=True, random_state=fold // 2)
    train, test = list(halves.split(y, y))[fold % 2]
    model = METHODS[name]()
    started = time.process_time()
    model.fit(X.iloc[train].reset_index(drop=True), y[train])
    seconds = time.process_time() - started
    shares = model.predict_proba(X.iloc[test].reset_index(drop=True))
    return [*judge(shares, np.asarray(model.classes_), y[test]), seconds]


def report(scores: dict[str, Any], tables: list[str], methods: list[str], folds: int) -> list[str]:
    """Mean ranks, means and ratios of time, in Markdown."""
    cells = np.array(
        [
            [np.mean([scores[t][m][str(f)] for f in range(folds)], axis=0) for m in methods]
            for t in tables
        ]
    )
    error, loss, off, seconds = (cells[:, :, i] for i in range(4))
    rank, loss_rank = (rankdata(np.round(v, 9), axis=1).mean(axis=0) for v in (error, loss))
    base = methods.index("LightGBM") if "LightGBM" in methods else 0
    lines = [
        f"{len(tables)} tables, {folds} folds. Time: median of the ratio to {methods[base]}.",
        "",
        "| method | rank, error | rank, log loss | error % | log loss | calibration % | time |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for i in np.argsort(loss_rank):
        ratio = np.median(seconds[:, i] / seconds[:, base])
        lines.append(
            f"| {methods[i]} | {rank[i]:.2f} | {loss_rank[i]:.2f} | {100 * error[:, i].mean():.2f} "
            f"| {loss[:, i].mean():.4f} | {100 * off[:, i].mean():.2f} | {ratio:.1f} |"
        )
    if len(methods) < 2:
        return lines
    lines += ["", "Log loss of each table:", "", "| table | " + " | ".join(methods) + " |"]
    lines.append("|---|" + "---:|" * len(methods))
    for t, row in zip(tables, loss, strict=True):
        lines.append(f"| {t} | " + " | ".join(f"{v:.3f}" for v in row) + " |")
    return lines


def command() -> str:
    """The command that is run, without files that keep scores."""
    words = [word for word in sys.argv[1:] if not word.endswith(".json") and word != "--scores"]
    quoted = [f'"{word}"' if " " in word else word for word in words]
    return " ".join(["python", "benchmarks/" + Path(sys.argv[0]).name, *quoted])


def main() -> None:
    """Compute what is lacking, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=more_tables.HALVES, default="choice")
    parser.add_argument("--tables", help="names apart by commas, in place of a half")
    parser.add_argument("--every", type=int, default=1, help="every so many tables of the half")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--again", default="", help="methods whose kept scores are not used")
    parser.add_argument("--label", help="keep the scores of the first method by this name")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--rows", type=int, default=4_000, help="at most so many of a table")
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--page", type=Path, help="write a page of the documentation")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = args.tables.split(",") if args.tables else more_tables.names(args.half)[:: args.every]
    methods = args.methods.split(",")
    kept = json.loads(args.scores.read_text()) if args.scores and args.scores.exists() else {}
    skipped = []
    for number, table in enumerate(tables):
        X, y = load(table, args.rows)
        for method in methods:
            name = args.label if args.label and method == methods[0] else method
            known = kept.setdefault(table, {}).setdefault(name, {})
            if method in args.again.split(","):
                known.clear()
            for fold in range(args.folds):
                if str(fold) in known or (name not in METHODS and method == name):
                    continue
                try:
                    known[str(fold)] = measure(method, X, y, fold)
                except Exception as failed:
                    print(f"{table}, {method}: {failed}", file=sys.stderr)
                    skipped.append(table)
                    break
        if args.scores:
            args.scores.write_text(json.dumps(kept))
        print(f"{number + 1} of {len(tables)}: {table} {X.shape}", file=sys.stderr, flush=True)
    names = [args.label, *methods[1:]] if args.label else methods
    full = [t for t in tables if t not in skipped]
    lines = report(kept, full, names, args.folds)
    print("\n".join(lines))
    if args.page:
        about = __doc__.split("\n\n    python")[0].split("\n\n", 1)[1]
        left = [t for t in tables if t not in full]
        head = ["# Ensembles on tables that had no part in their choices", "", about, ""]
        head += [
            f"At most {args.rows:,} rows of a table. Ours as they come; *before* is the ensemble "
            "of the version before, if it is listed. Calibration is the mean distance between the "
            "probability of the predicted class and how often it is right, in ten parts.",
            "",
        ]
        if left:
            head += ["Left out, as a method failed there: " + ", ".join(left) + ".", ""]
        args.page.write_text("\n".join([*head, *lines, "", f"- command: `{command()}`", ""]))


if __name__ == "__main__":
    main()
