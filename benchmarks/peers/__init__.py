"""Single trees of other libraries, for comparison: one module per family.

Each module has

- ``METHODS``: names of its methods, each with what it does in a line;
- ``version()``: what would be run, or `MissingPeer` with the package to install;
- ``run(table, folds, methods)``: yields ``(method, fold, Score)``.
"""

from peers import r_trees, sklearn_trees, weka_trees, ydf_trees

FAMILIES = {
    "scikit-learn": sklearn_trees,
    "YDF": ydf_trees,
    "WEKA": weka_trees,
    "R": r_trees,
}
