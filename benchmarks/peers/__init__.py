"""Trees and ensembles of other libraries, for comparison: one module per family.

Each module has

- ``METHODS``: names of its methods, each with what it does in a line;
- ``version()``: what would be run, or `MissingPeer` with the package to install;
- ``run(table, folds, methods)``: yields ``(method, fold, Score)``, for ensembles `EnsembleScore`.
"""

from peers import (
    catboost_ensembles,
    lightgbm_ensembles,
    r_ensembles,
    r_trees,
    sklearn_ensembles,
    sklearn_trees,
    weka_ensembles,
    weka_trees,
    xgboost_ensembles,
    ydf_ensembles,
    ydf_trees,
)

TREES = {
    "scikit-learn": sklearn_trees,
    "YDF": ydf_trees,
    "WEKA": weka_trees,
    "R": r_trees,
}
ENSEMBLES = {
    "scikit-learn": sklearn_ensembles,
    "LightGBM": lightgbm_ensembles,
    "XGBoost": xgboost_ensembles,
    "YDF": ydf_ensembles,
    "WEKA": weka_ensembles,
    "ranger": r_ensembles,
    "CatBoost": catboost_ensembles,
}
