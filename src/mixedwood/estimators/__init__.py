"""Estimators with scikit-learn's manners: any frame in, classes or probabilities out."""

from typing import TYPE_CHECKING, Any

from mixedwood._catalogue import PUBLIC, find_public

__all__ = sorted(PUBLIC)

if TYPE_CHECKING:  # for editors and type checkers, which cannot read the catalogue
    from mixedwood._warnings import IdentifierWarning as IdentifierWarning
    from mixedwood._warnings import TimeLimitWarning as TimeLimitWarning
    from mixedwood._warnings import UnknownCategoryWarning as UnknownCategoryWarning
    from mixedwood.estimators.adaboost import AdaBoostTreesClassifier as AdaBoostTreesClassifier
    from mixedwood.estimators.boosted import BoostedTreesClassifier as BoostedTreesClassifier
    from mixedwood.estimators.boosted_regressor import (
        BoostedTreesRegressor as BoostedTreesRegressor,
    )
    from mixedwood.estimators.c45 import C45TreeClassifier as C45TreeClassifier
    from mixedwood.estimators.ensemble import EnsembleClassifier as EnsembleClassifier
    from mixedwood.estimators.ensemble_regressor import EnsembleRegressor as EnsembleRegressor
    from mixedwood.estimators.forest import ForestClassifier as ForestClassifier
    from mixedwood.estimators.forest_regressor import ForestRegressor as ForestRegressor
    from mixedwood.estimators.forest_regressor import (
        RandomOrdinalityRegressor as RandomOrdinalityRegressor,
    )
    from mixedwood.estimators.grow_prune import GrowPruneTreeClassifier as GrowPruneTreeClassifier
    from mixedwood.estimators.grow_prune import GrowPruneTreeRegressor as GrowPruneTreeRegressor
    from mixedwood.estimators.grow_prune_forest import (
        GrowPruneForestClassifier as GrowPruneForestClassifier,
    )
    from mixedwood.estimators.grow_prune_forest import (
        GrowPruneForestRegressor as GrowPruneForestRegressor,
    )
    from mixedwood.estimators.model_tree import ModelTreeClassifier as ModelTreeClassifier
    from mixedwood.estimators.model_tree_regressor import (
        ModelTreeRegressor as ModelTreeRegressor,
    )
    from mixedwood.estimators.optimal import InfeasibleError as InfeasibleError
    from mixedwood.estimators.optimal import OptimalTreeClassifier as OptimalTreeClassifier
    from mixedwood.estimators.optimal_regressor import OptimalTreeRegressor as OptimalTreeRegressor
    from mixedwood.estimators.random_ordinality import (
        RandomOrdinalityClassifier as RandomOrdinalityClassifier,
    )
    from mixedwood.estimators.smooth_svc import SmoothSVC as SmoothSVC
    from mixedwood.estimators.tree import TreeClassifier as TreeClassifier
    from mixedwood.estimators.tree_regressor import TreeRegressor as TreeRegressor


def __getattr__(name: str) -> Any:
    if name in PUBLIC:
        found = globals()[name] = find_public(name)
        return found
    raise AttributeError(f"module 'mixedwood.estimators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
