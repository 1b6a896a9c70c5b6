"""Decision trees for real tables: columns of categories and numbers side by side."""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_ESTIMATORS = (
    "BoostedTreesClassifier",
    "EnsembleClassifier",
    "ForestClassifier",
    "GrowPruneForestClassifier",
    "GrowPruneTreeClassifier",
    "IdentifierWarning",
    "ModelTreeClassifier",
    "NoTreeError",
    "OptimalTreeClassifier",
    "RandomOrdinalityClassifier",
    "SmoothSVC",
    "TreeClassifier",
    "TimeLimitWarning",
    "UnseenValueWarning",
)

__all__ = [
    "BoostedTreesClassifier",
    "Comparison",
    "EnsembleClassifier",
    "ForestClassifier",
    "GrowPruneForestClassifier",
    "GrowPruneTreeClassifier",
    "IdentifierWarning",
    "ModelTreeClassifier",
    "NoTreeError",
    "OptimalTreeClassifier",
    "RandomOrdinalityClassifier",
    "SmoothSVC",
    "TimeLimitWarning",
    "TreeClassifier",
    "UnseenValueWarning",
    "compare",
    "comparison",
    "data",
    "datasets",
    "load",
    "preprocessing",
    "pruning",
    "save",
    "saving",
    "splits",
    "stats",
    "study",
]

if TYPE_CHECKING:
    from mixedwood import (
        comparison,
        data,
        datasets,
        preprocessing,
        pruning,
        saving,
        splits,
        stats,
        study,
    )
    from mixedwood.comparison import Comparison, compare
    from mixedwood.estimators import (
        BoostedTreesClassifier,
        EnsembleClassifier,
        ForestClassifier,
        GrowPruneForestClassifier,
        GrowPruneTreeClassifier,
        IdentifierWarning,
        ModelTreeClassifier,
        NoTreeError,
        OptimalTreeClassifier,
        RandomOrdinalityClassifier,
        SmoothSVC,
        TimeLimitWarning,
        TreeClassifier,
        UnseenValueWarning,
    )
    from mixedwood.saving import load, save


def __getattr__(name: str) -> object:
    # Rooms are entered on first use, so that `import mixedwood` stays quick.
    if name in _ESTIMATORS:
        return getattr(import_module("mixedwood.estimators"), name)
    if name in ("Comparison", "compare"):
        return getattr(import_module("mixedwood.comparison"), name)
    if name in ("load", "save"):
        return getattr(import_module("mixedwood.saving"), name)
    if name in __all__:
        return import_module(f"mixedwood.{name}")
    raise AttributeError(f"module 'mixedwood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
