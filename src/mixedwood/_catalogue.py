"""The one list of estimators: name, class, task and presets.

Paths are text, so that reading the list imports no estimator. The names of the package, of model
files, of `compare`, of study files and of the command line come from it; a new estimator is one
entry here. Its description is the first line of its docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = [
    "BASELINES",
    "CATALOGUE",
    "NOT_PUBLIC",
    "PUBLIC",
    "Entry",
    "estimators",
    "find_maker",
    "find_public",
    "first_line",
    "name_of_task",
]


class Entry(NamedTuple):
    """A name of `compare` and of the command line, and the estimator that it makes.

    Attributes
    ----------
    name : str
        The plain name.
    path : str
        Module and class, as ``"package.module:Class"``.
    task : {"classification", "regression"}
        What the estimator predicts.
    presets : tuple of str
        Class methods that make an estimator with other defaults.
    preset : str or None
        The preset that a short name stands for.
    parameters : mapping
        The parameters that a short name stands for.
    """

    name: str
    path: str
    task: Literal["classification", "regression"] = "classification"
    presets: tuple[str, ...] = ()
    preset: str | None = None
    parameters: Mapping[str, Any] = MappingProxyType({})

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.path.rpartition(":")[2]

    @property
    def is_short(self) -> bool:
        """Whether the name stands for a preset or for parameters of another entry's class."""
        return self.preset is not None or bool(self.parameters)

    @property
    def call(self) -> str:
        """The call that makes the estimator, as text."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.class_name}{f'.{self.preset}' if self.preset else ''}({given})"

    def load(self) -> Any:
        """Import the class."""
        module, _, name = self.path.partition(":")
        return getattr(import_module(module), name)

    def make(self, **parameters: Any) -> Any:
        """Make an estimator; further parameters come before those of the entry."""
        return self.maker()(**parameters)

    def maker(self) -> Callable[..., Any]:
        """Give the function that makes an estimator: the class, a preset, or one with defaults."""
        kind = self.load()
        maker = kind if self.preset is None else getattr(kind, self.preset)
        return partial(maker, **self.parameters) if self.parameters else maker


_TREE = "mixedwood.estimators.tree:TreeClassifier"

CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "tree",
            _TREE,
            presets=("cart", "conditional_inference", "random_subsets"),
        ),
        Entry("c45", "mixedwood.estimators.c45:C45TreeClassifier"),
        Entry("cart", _TREE, preset="cart"),
        Entry("conditional_inference", _TREE, preset="conditional_inference"),
        Entry("grow_prune", "mixedwood.estimators.grow_prune:GrowPruneTreeClassifier"),
        Entry("optimal", "mixedwood.estimators.optimal:OptimalTreeClassifier"),
        Entry("model_tree", "mixedwood.estimators.model_tree:ModelTreeClassifier"),
        Entry(
            "forest",
            "mixedwood.estimators.forest:ForestClassifier",
            presets=("random_forest", "bagging_c45", "bagging_cart", "random_subsets"),
        ),
        Entry(
            "random_ordinality",
            "mixedwood.estimators.random_ordinality:RandomOrdinalityClassifier",
            presets=("c45", "random_tree"),
        ),
        Entry(
            "grow_prune_forest",
            "mixedwood.estimators.grow_prune_forest:GrowPruneForestClassifier",
        ),
        Entry("boosted", "mixedwood.estimators.boosted:BoostedTreesClassifier"),
        Entry(
            "adaboost", "mixedwood.estimators.adaboost:AdaBoostTreesClassifier", presets=("c45",)
        ),
        Entry("ensemble", "mixedwood.estimators.ensemble:EnsembleClassifier"),
        Entry("svm", "mixedwood.estimators.smooth_svc:SmoothSVC", parameters={"C": "tune"}),
        Entry(
            "tree_regressor",
            "mixedwood.estimators.tree_regressor:TreeRegressor",
            task="regression",
            presets=("cart", "conditional_inference"),
        ),
        Entry(
            "optimal_regressor",
            "mixedwood.estimators.optimal_regressor:OptimalTreeRegressor",
            task="regression",
        ),
        Entry(
            "grow_prune_regressor",
            "mixedwood.estimators.grow_prune:GrowPruneTreeRegressor",
            task="regression",
        ),
        Entry(
            "model_tree_regressor",
            "mixedwood.estimators.model_tree_regressor:ModelTreeRegressor",
            task="regression",
        ),
        Entry(
            "forest_regressor",
            "mixedwood.estimators.forest_regressor:ForestRegressor",
            task="regression",
            presets=("random_forest", "bagging"),
        ),
        Entry(
            "random_ordinality_regressor",
            "mixedwood.estimators.forest_regressor:RandomOrdinalityRegressor",
            task="regression",
        ),
        Entry(
            "grow_prune_forest_regressor",
            "mixedwood.estimators.grow_prune_forest:GrowPruneForestRegressor",
            task="regression",
        ),
        Entry(
            "boosted_regressor",
            "mixedwood.estimators.boosted_regressor:BoostedTreesRegressor",
            task="regression",
        ),
        Entry(
            "ensemble_regressor",
            "mixedwood.estimators.ensemble_regressor:EnsembleRegressor",
            task="regression",
        ),
    )
}
"""Entries by name, in the order in which they are listed."""

NOT_PUBLIC = (Entry("random_tree", "mixedwood.estimators.c45:RandomTreeClassifier"),)
"""Estimators that model files may contain besides those of the catalogue."""

_BASELINES: dict[str, Literal["classification", "regression"]] = {
    "sklearn_tree": "classification",
    "sklearn_forest": "classification",
    "sklearn_boosting": "classification",
    "sklearn_logistic": "classification",
    "sklearn_tree_regressor": "regression",
    "sklearn_forest_regressor": "regression",
    "sklearn_boosting_regressor": "regression",
    "sklearn_ridge": "regression",
}
BASELINES: dict[str, Entry] = {
    name: Entry(name, f"mixedwood.comparison.methods:{name}", task=task)
    for name, task in _BASELINES.items()
}
"""scikit-learn's estimators behind an encoder, which have names in `compare` and study files."""


def estimators() -> dict[str, Entry]:
    """Give one entry for each class, by its name.

    Examples
    --------
    >>> estimators()["forest"].class_name
    'ForestClassifier'
    """
    found: dict[str, Entry] = {}
    for entry in CATALOGUE.values():
        found.setdefault(entry.path, entry)
    return {entry.name: entry for entry in found.values()}


def find_maker(name: str) -> Callable[..., Any] | None:
    """Find what makes the estimator of a name such as "forest" or "forest.bagging_c45".

    Examples
    --------
    >>> find_maker("svm")()
    SmoothSVC(C='tune')
    """
    known = CATALOGUE | BASELINES
    if name in known:
        return known[name].maker()
    stem, _, preset = name.partition(".")
    if stem in known and preset in known[stem].presets:
        maker: Callable[..., Any] = getattr(known[stem].load(), preset)
        return maker
    return None


def name_of_task(name: str, task: str) -> str | None:
    """Find the name that one such as "tree" stands for in a task; None if there is none.

    Examples
    --------
    >>> name_of_task("cart", "regression")
    'tree_regressor.cart'
    >>> name_of_task("sklearn_forest", "regression")
    'sklearn_forest_regressor'
    """
    known = CATALOGUE | BASELINES
    stem, dot, preset = name.partition(".")
    entry = known.get(stem)
    if entry is None or entry.task == task:
        return name
    if task != "regression":
        return None
    if entry.preset is not None:  # "cart" is a preset of "tree"
        stem = next(one.name for one in estimators().values() if one.path == entry.path)
        dot, preset = ".", entry.preset
    regressor = f"{stem}_regressor"
    if regressor in known and (not preset or preset in known[regressor].presets):
        return f"{regressor}{dot}{preset}"
    return None


PUBLIC: dict[str, str] = {entry.class_name: entry.path for entry in estimators().values()} | {
    "IdentifierWarning": "mixedwood._warnings:IdentifierWarning",
    "InfeasibleError": "mixedwood.estimators.optimal:InfeasibleError",
    "TimeLimitWarning": "mixedwood._warnings:TimeLimitWarning",
    "UnknownCategoryWarning": "mixedwood._warnings:UnknownCategoryWarning",
}
"""Names of `mixedwood.estimators`, which `mixedwood` has too, and where each is defined."""


def find_public(name: str) -> Any:
    """Import what a name of `PUBLIC` stands for."""
    module, _, attribute = PUBLIC[name].partition(":")
    return getattr(import_module(module), attribute)


def first_line(documented: Any) -> str:
    """Give the first line of a docstring.

    Examples
    --------
    >>> first_line(first_line)
    'Give the first line of a docstring.'
    """
    import inspect  # not needed to import the package

    return (inspect.getdoc(documented) or "").partition("\n")[0]
