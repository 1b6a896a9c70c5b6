"""The methods that are compared: by name, as estimators, or a line-up of ours and others."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mixedwood._catalogue import CATALOGUE
from mixedwood.comparison.encoded import EncodedClassifier

__all__ = ["methods", "prepared", "read_methods"]


def _sklearn_tree() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return EncodedClassifier(DecisionTreeClassifier())


def _sklearn_forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return EncodedClassifier(RandomForestClassifier())


def _sklearn_boosting() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return EncodedClassifier(HistGradientBoostingClassifier(), encoding="codes")


def _sklearn_logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return EncodedClassifier(LogisticRegression(max_iter=1000), scale=True)


_OTHERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "sklearn_tree": ("scikit-learn's DecisionTreeClassifier, one-hot", _sklearn_tree),
    "sklearn_forest": ("scikit-learn's RandomForestClassifier, one-hot", _sklearn_forest),
    "sklearn_boosting": ("scikit-learn's HistGradientBoostingClassifier", _sklearn_boosting),
    "sklearn_logistic": ("scikit-learn's LogisticRegression, one-hot, scaled", _sklearn_logistic),
}

_LINE_UP = (
    "tree",
    "model_tree",
    "optimal_tree",
    "forest",
    "random_ordinality",
    "ensemble",
    "sklearn_tree",
    "sklearn_forest",
    "sklearn_boosting",
    "sklearn_logistic",
)


def methods() -> dict[str, str]:
    """Name the methods that `compare` knows, with a line about each.

    Examples
    --------
    >>> methods()["tree"]
    'TreeClassifier()'
    """
    ours = {name: entry.call for name, entry in CATALOGUE.items()}
    return ours | {name: line for name, (line, _) in _OTHERS.items()}


def read_methods(chosen: Any) -> dict[str, Any]:
    """Make estimators, by the name they have in the table, of whatever was asked for."""
    if chosen is None:
        chosen = _LINE_UP
    if isinstance(chosen, str) or hasattr(chosen, "fit"):
        chosen = [chosen]
    if isinstance(chosen, Mapping):
        found = {str(name): _one(method) for name, method in chosen.items()}
    elif isinstance(chosen, Iterable):
        found = _listed(chosen)
    else:
        raise TypeError(f"methods must be names or estimators; got {type(chosen).__name__}.")
    if not found:
        raise ValueError("methods is empty; name at least one, or pass None for the line-up.")
    return found


def _listed(chosen: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for entry in chosen:
        if isinstance(entry, Mapping):
            pairs = [(str(name), _one(method)) for name, method in entry.items()]
        else:
            name = entry if isinstance(entry, str) else " ".join(repr(entry).split())
            pairs = [(name, _one(entry))]
        for name, method in pairs:
            if name in found:
                raise ValueError(
                    f"Two methods are called {name!r}. Give them names of their own, "
                    "as in {'a': ..., 'b': ...}."
                )
            found[name] = method
    return found


def _one(method: Any) -> Any:
    if isinstance(method, str):
        return _named(method)
    if isinstance(method, type):
        raise TypeError(f"{method.__name__} is a class; pass an estimator: {method.__name__}().")
    if not all(hasattr(method, name) for name in ("fit", "predict", "get_params")):
        raise TypeError(
            f"A method must be a name or a scikit-learn estimator; got {type(method).__name__}."
        )
    return method


def _named(name: str) -> Any:
    """Make what a name stands for: a method, or a preset such as ``forest.bagging_c45``."""
    if name in _OTHERS:
        return _OTHERS[name][1]()
    if name in CATALOGUE:
        return CATALOGUE[name].make()
    stem, _, preset = name.partition(".")
    if stem in CATALOGUE and preset in CATALOGUE[stem].presets:
        return getattr(CATALOGUE[stem].load(), preset)()
    known = [*CATALOGUE, *_OTHERS]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(
        f"Unknown method {name!r}.{hint} Use one of {', '.join(known)}, a preset of one of them, "
        "such as forest.bagging_c45, or an estimator."
    )


def prepared(method: Any, seed: int, time_limit: float | None) -> Any:
    """Copy a method, with a seed and a time limit where it has none of its own."""
    from sklearn.base import clone

    model = clone(method)
    wanted: dict[str, Any] = {}
    for name, value in model.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if value is not None:
            continue
        if last == "random_state":
            wanted[name] = seed
        elif name == "time_limit" and time_limit is not None:
            wanted[name] = time_limit
    return model.set_params(**wanted)
