"""Methods whose choice of columns is studied, by name: ours and those of other libraries.

Used by `identifier_columns.py` and `selection_bias.py`. All are told which columns are nominal and
see the values of the training rows only; a value that comes up later is new to them. Ours are as
they come but for the `selection` that is asked for; a name like `tree:fair` asks for one, and
where an ensemble has no such parameter its trees get it, if they have. The others are as they come:

- LightGBM has pandas categories for nominal columns.
- YDF is told which columns are categories; it sets rare ones aside (`min_vocab_frequency` = 5).
- ctree of R's partykit branches by value at nominal columns, with branches of one row and more: its
  search for two groups takes time exponential in the values, and is refused from 31 on. Its test
  takes the cube of the values times the classes, so that columns of many hundreds of values are out
  of its reach; it is given up after some seconds.

To install: `pip install lightgbm ydf`; `apt install r-base-core r-cran-partykit`.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mixedwood
from mixedwood.estimators.forest import default_tree

DRIVER = Path(__file__).parent / "peers" / "ctree.R"
THREADS = 1
PATIENCE = 30.0  # seconds for one fit of ctree

OURS: dict[str, Callable[[], Any]] = {
    "tree": mixedwood.TreeClassifier,
    "tree-gini": lambda: mixedwood.TreeClassifier(criterion="gini"),
    "tree-twoing": lambda: mixedwood.TreeClassifier(criterion="twoing"),
    "model-tree": mixedwood.ModelTreeClassifier,
    "forest": mixedwood.ForestClassifier,
    "boosted": mixedwood.BoostedTreesClassifier,
    "ensemble": mixedwood.EnsembleClassifier,
    "c45": mixedwood.C45TreeClassifier,
}
PEERS = ["lightgbm", "ydf-gbt", "ydf-forest", "ydf-cart", "ctree"]


class FitFailed(Exception):  # noqa: N818 - it is counted, not raised further
    """A method gave up on a table; the message says why."""


def is_nominal(column: pd.Series) -> bool:
    """Whether it has text."""
    return not pd.api.types.is_numeric_dtype(column)


def make_ours(name: str) -> Any:
    """Our estimator of this name, such as `tree` or `forest:significance`."""
    kind, _, selection = name.partition(":")
    model = OURS[kind]()
    given = model.get_params(deep=False)
    model.set_params(**{k: v for k, v in (("random_state", 0), ("n_jobs", THREADS)) if k in given})
    return with_selection(model, selection) if selection else model


def has_selection(kind: str) -> bool:
    """Whether a method of ours can be told how columns are chosen; C4.5 says it itself."""
    if kind not in OURS or kind == "c45":
        return False
    model = OURS[kind]()
    inside = (mixedwood.ForestClassifier, mixedwood.EnsembleClassifier)
    return "selection" in model.get_params(deep=False) or isinstance(model, inside)


def with_selection(model: Any, selection: str) -> Any:
    """The model with this `selection`, in itself or else in its trees."""
    given = model.get_params(deep=False)
    if "selection" in given:
        return model.set_params(selection=selection)
    if isinstance(model, mixedwood.ForestClassifier):
        return model.set_params(estimator=default_tree().set_params(selection=selection))
    if isinstance(model, mixedwood.EnsembleClassifier):
        return model.set_params(
            forest=with_selection(mixedwood.ForestClassifier(), selection),
            boosted=_if_it_has(mixedwood.BoostedTreesClassifier(), selection),
        )
    raise ValueError(f"{type(model).__name__} has no selection")


def _if_it_has(model: Any, selection: str) -> Any:
    return with_selection(model, selection) if "selection" in model.get_params() else model


def check(names: list[str]) -> None:
    """Complain about names and packages that are not there, before any work is done."""
    for name in names:
        kind = name.partition(":")[0]
        if kind in OURS:
            make_ours(name)
        elif kind.startswith("ydf"):
            importlib.import_module("ydf")
        elif kind == "lightgbm":
            importlib.import_module("lightgbm")
        elif kind == "ctree":
            if shutil.which("Rscript") is None:
                raise SystemExit("ctree needs Debian's r-base-core and r-cran-partykit")
        elif kind not in {"sklearn", "guide"}:
            raise SystemExit(f"{name!r} is no method; there are {', '.join([*OURS, *PEERS])}")


# Answers


def predict(name: str, X: pd.DataFrame, y: np.ndarray, asked: pd.DataFrame) -> np.ndarray:
    """Learn from X and y, and give the classes of the rows asked."""
    kind = name.partition(":")[0]
    if kind in OURS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.asarray(make_ours(name).fit(X, y).predict(asked))
    plain = [f"x{j}" for j in range(X.shape[1])]  # some names trouble LightGBM
    X, asked = X.set_axis(plain, axis=1), asked.set_axis(plain, axis=1)
    labels, codes = np.unique(y.astype(str), return_inverse=True)
    if kind == "lightgbm":
        return labels[_lightgbm(X, codes).predict(_as_categories(asked, X))]
    if kind.startswith("ydf"):
        return _ydf_predict(kind, X, codes, labels, asked)
    return labels[_ctree_predict(X, codes, asked)]


def _as_categories(X: pd.DataFrame, training: pd.DataFrame) -> pd.DataFrame:
    """Text as categories of the training rows; others are missing."""
    return pd.DataFrame(
        {
            name: pd.Categorical(X[name], categories=training[name].dropna().unique())
            if is_nominal(X[name])
            else X[name].to_numpy()
            for name in X
        }
    )


def _lightgbm(X: pd.DataFrame, codes: np.ndarray, **options: Any) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=THREADS, random_state=0, verbose=-1, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(_as_categories(X, X), codes)


def _ydf_columns(X: pd.DataFrame) -> dict[str, np.ndarray]:
    return {
        name: X[name].fillna("").to_numpy(dtype=str)
        if is_nominal(X[name])
        else X[name].to_numpy(float)
        for name in X
    }


def _ydf(kind: str, X: pd.DataFrame, target: np.ndarray, **options: Any) -> Any:
    import ydf

    ydf.verbose(0)
    learner = {
        "ydf-gbt": ydf.GradientBoostedTreesLearner,
        "ydf-forest": ydf.RandomForestLearner,
        "ydf-cart": ydf.CartLearner,
    }[kind]
    features = [
        (name, ydf.Semantic.CATEGORICAL if is_nominal(X[name]) else ydf.Semantic.NUMERICAL)
        for name in X
    ]
    made = learner(label="class", features=features, num_threads=THREADS, random_seed=0, **options)
    return made.train({**_ydf_columns(X), "class": target})


def _ydf_predict(
    kind: str, X: pd.DataFrame, codes: np.ndarray, labels: np.ndarray, asked: pd.DataFrame
) -> np.ndarray:
    model = _ydf(kind, X, np.array([f"v{code}" for code in codes]))
    found = model.predict_class(_ydf_columns(asked))
    return labels[np.array([int(str(answer)[1:]) for answer in found])]


def _write_csv(X: pd.DataFrame, path: Path, codes: np.ndarray | None = None) -> None:
    plain = {f"{name}_text" if is_nominal(X[name]) else name: X[name].to_numpy() for name in X}
    if codes is not None:
        plain["class"] = codes
    pd.DataFrame(plain).to_csv(path, index=False)


def run_ctree(folder: str, seconds: float) -> list[str]:
    """Lines that R prints for the tables of a folder."""
    words = ["Rscript", "--vanilla", str(DRIVER), folder, str(seconds)]
    count = len(list(Path(folder).glob("*-train.csv")))
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=True, timeout=15 + seconds * count
        )
    except subprocess.TimeoutExpired:  # a step that cannot be interrupted
        return ["failed: time limit"] * count
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"Rscript failed: {error.stderr}") from error
    return done.stdout.splitlines()


def _ctree_predict(X: pd.DataFrame, codes: np.ndarray, asked: pd.DataFrame) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        _write_csv(X, Path(folder, "0-train.csv"), codes)
        _write_csv(asked, Path(folder, "0-test.csv"))
        (line,) = run_ctree(folder, PATIENCE)
    if line.startswith("failed:"):
        raise FitFailed(line)
    return np.array([int(word) for word in line.split(",")])


# Columns tested at the root


def roots(name: str, tables: list[tuple[pd.DataFrame, np.ndarray]]) -> list[str]:
    """The column that each table's tree of one test asks for; "none" without a test."""
    kind = name.partition(":")[0]
    if kind == "ctree":
        return _ctree_roots(tables)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [_root(name, kind, X, codes) for X, codes in tables]


def _root(name: str, kind: str, X: pd.DataFrame, codes: np.ndarray) -> str:
    if kind in OURS:
        model = make_ours(name).set_params(max_depth=1, pruning=None)
        tree = model.fit(X, codes).tree_
        if tree.n_nodes == 1:
            return "none"
        return str(X.columns[tree.column[0]]) if tree.column[0] >= 0 else "linear"
    if kind == "guide":
        return _guide_root(X, codes)
    if kind == "sklearn":
        return _sklearn_root(X, codes)
    if kind == "lightgbm":
        return _lightgbm_root(X, codes)
    if kind == "ydf-cart":
        return _ydf_root(X, codes)
    raise SystemExit(f"{name} has no single tree")


def _guide_root(X: pd.DataFrame, codes: np.ndarray) -> str:
    """GUIDE's idea: the least p of chi-square tests of values, or quartiles, by classes."""
    from scipy.stats import chi2_contingency

    logs = {}
    for column in X:
        cells = X[column] if is_nominal(X[column]) else pd.qcut(X[column], 4, labels=False)
        counts = pd.crosstab(cells, codes).to_numpy()
        logs[column] = chi2_contingency(counts, correction=False).pvalue
    return str(min(logs, key=lambda column: logs[column]))


def _sklearn_root(X: pd.DataFrame, codes: np.ndarray) -> str:
    """On codes of the sorted labels, as if they were amounts."""
    from sklearn.tree import DecisionTreeClassifier

    numbers = np.column_stack(
        [np.unique(X[c], return_inverse=True)[1] if is_nominal(X[c]) else X[c] for c in X]
    )
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(numbers, codes).tree_
    return "none" if tree.node_count == 1 else str(X.columns[tree.feature[0]])


def _lightgbm_root(X: pd.DataFrame, codes: np.ndarray) -> str:
    """Of one round with trees of one test; of many classes that of the largest gain."""
    model = _lightgbm(X, codes, n_estimators=1, max_depth=1, num_leaves=2)
    trees = [info["tree_structure"] for info in model.booster_.dump_model()["tree_info"]]
    tests = [tree for tree in trees if "split_feature" in tree]
    if not tests:
        return "none"
    return str(X.columns[max(tests, key=lambda test: test["split_gain"])["split_feature"]])


def _ydf_root(X: pd.DataFrame, codes: np.ndarray) -> str:
    """Without validation rows, hence not pruned; its depth counts the root as 1."""
    target = np.array([f"v{code}" for code in codes])
    model = _ydf("ydf-cart", X, target, max_depth=2, validation_ratio=0.0)
    root = model.get_tree(0).root
    if root.is_leaf:
        return "none"
    return str(model.data_spec().columns[root.condition.attribute].name)


def _ctree_roots(tables: list[tuple[pd.DataFrame, np.ndarray]]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for place, (X, codes) in enumerate(tables):
            _write_csv(X, Path(folder, f"{place:06d}-train.csv"), codes)
        lines = run_ctree(folder, PATIENCE)
    return [line.removesuffix("_text") for line in lines]
