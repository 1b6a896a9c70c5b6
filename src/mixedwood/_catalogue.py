"""The one list of estimators: plain name, class, task and presets.

It holds paths as text, so that reading it imports no estimator. The names of the package, model
files, `compare` and the command line are made from it; a new estimator is one entry here. What an
estimator is for is said once, by the first line of its docstring.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

__all__ = ["CATALOGUE", "PUBLIC", "Entry", "estimators", "find_public", "first_line"]


class Entry(NamedTuple):
    """A name of `compare` and of the command line, and the estimator that it makes.

    Attributes
    ----------
    name : str
        The plain name.
    path : str
        Module and class, as ``"package.module:Class"``.
    task : {"classification"}
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
    task: Literal["classification"] = "classification"
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
        kind = self.load()
        maker = kind if self.preset is None else getattr(kind, self.preset)
        return maker(**{**self.parameters, **parameters})


_TREE = "mixedwood.estimators.tree:TreeClassifier"
_SVC = "mixedwood.estimators.smooth_svc:SmoothSVC"

CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "tree",
            _TREE,
            presets=("c45", "cart", "conditional_inference", "random_tree", "nominal_splits"),
        ),
        Entry(
            "model_tree",
            "mixedwood.estimators.model_tree:ModelTreeClassifier",
            presets=("published",),
        ),
        Entry("optimal_tree", "mixedwood.estimators.optimal:OptimalTreeClassifier"),
        Entry("grow_prune_tree", "mixedwood.estimators.grow_prune:GrowPruneTreeClassifier"),
        Entry("c45", _TREE, preset="c45"),
        Entry("cart", _TREE, preset="cart"),
        Entry("conditional_inference", _TREE, preset="conditional_inference"),
        Entry(
            "forest",
            "mixedwood.estimators.forest:ForestClassifier",
            presets=("random_forest", "bagging_c45", "bagging_cart", "weka_random_forest"),
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
        Entry("smooth_svc", _SVC),
        Entry("svm", _SVC, parameters={"C": "tune"}),
    )
}
"""Entries by plain name, in the order in which they are listed."""


def estimators() -> dict[str, Entry]:
    """Give one entry for each class, by its plain name.

    Examples
    --------
    >>> estimators()["forest"].class_name
    'ForestClassifier'
    """
    return {name: entry for name, entry in CATALOGUE.items() if not entry.is_short}


PUBLIC: dict[str, str] = {entry.class_name: entry.path for entry in estimators().values()} | {
    "IdentifierWarning": "mixedwood._warnings:IdentifierWarning",
    "NoTreeError": "mixedwood.estimators.optimal:NoTreeError",
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
