"""Decision trees, forests and boosting for tables with categorical and numeric columns."""

from importlib import import_module
from typing import TYPE_CHECKING

from mixedwood._catalogue import PUBLIC, find_public

__version__ = "0.1.0"

_PACKAGES = (
    "comparison",
    "data",
    "datasets",
    "evaluation",
    "preprocessing",
    "pruning",
    "saving",
    "splits",
    "stats",
    "study",
)
_FUNCTIONS = {
    "Comparison": "comparison",
    "compare": "comparison",
    "evaluate": "evaluation",
    "export": "exports",
    "load_model": "saving",
    "save_model": "saving",
}

__all__ = sorted([*PUBLIC, *_PACKAGES, *_FUNCTIONS])

if TYPE_CHECKING:  # for editors and type checkers, which cannot read the catalogue
    from mixedwood import comparison as comparison
    from mixedwood import data as data
    from mixedwood import datasets as datasets
    from mixedwood import evaluation as evaluation
    from mixedwood import preprocessing as preprocessing
    from mixedwood import pruning as pruning
    from mixedwood import saving as saving
    from mixedwood import splits as splits
    from mixedwood import stats as stats
    from mixedwood import study as study
    from mixedwood.comparison import Comparison as Comparison
    from mixedwood.comparison.compare import compare as compare
    from mixedwood.estimators import AdaBoostTreesClassifier as AdaBoostTreesClassifier
    from mixedwood.estimators import BoostedTreesClassifier as BoostedTreesClassifier
    from mixedwood.estimators import BoostedTreesRegressor as BoostedTreesRegressor
    from mixedwood.estimators import C45TreeClassifier as C45TreeClassifier
    from mixedwood.estimators import EnsembleClassifier as EnsembleClassifier
    from mixedwood.estimators import EnsembleRegressor as EnsembleRegressor
    from mixedwood.estimators import ForestClassifier as ForestClassifier
    from mixedwood.estimators import ForestRegressor as ForestRegressor
    from mixedwood.estimators import GrowPruneForestClassifier as GrowPruneForestClassifier
    from mixedwood.estimators import GrowPruneForestRegressor as GrowPruneForestRegressor
    from mixedwood.estimators import GrowPruneTreeClassifier as GrowPruneTreeClassifier
    from mixedwood.estimators import GrowPruneTreeRegressor as GrowPruneTreeRegressor
    from mixedwood.estimators import IdentifierWarning as IdentifierWarning
    from mixedwood.estimators import InfeasibleError as InfeasibleError
    from mixedwood.estimators import ModelTreeClassifier as ModelTreeClassifier
    from mixedwood.estimators import ModelTreeRegressor as ModelTreeRegressor
    from mixedwood.estimators import OptimalTreeClassifier as OptimalTreeClassifier
    from mixedwood.estimators import OptimalTreeRegressor as OptimalTreeRegressor
    from mixedwood.estimators import RandomOrdinalityClassifier as RandomOrdinalityClassifier
    from mixedwood.estimators import RandomOrdinalityRegressor as RandomOrdinalityRegressor
    from mixedwood.estimators import SmoothSVC as SmoothSVC
    from mixedwood.estimators import TimeLimitWarning as TimeLimitWarning
    from mixedwood.estimators import TreeClassifier as TreeClassifier
    from mixedwood.estimators import TreeRegressor as TreeRegressor
    from mixedwood.estimators import UnknownCategoryWarning as UnknownCategoryWarning
    from mixedwood.evaluation.scores import evaluate as evaluate
    from mixedwood.exports.export import export as export
    from mixedwood.saving import load_model as load_model
    from mixedwood.saving import save_model as save_model


def __getattr__(name: str) -> object:
    # Packages are imported on first use, so that `import mixedwood` stays quick.
    if name in PUBLIC:
        return find_public(name)
    if name in _FUNCTIONS:
        return getattr(import_module(f"mixedwood.{_FUNCTIONS[name]}"), name)
    if name in _PACKAGES:
        return import_module(f"mixedwood.{name}")
    raise AttributeError(f"module 'mixedwood' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
