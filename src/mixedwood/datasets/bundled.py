"""The data sets that come with scikit-learn; imported when one is asked for."""

from importlib import import_module

import numpy as np

from mixedwood.datasets.coded import CodedTable, numeric_table

# Our name -> scikit-learn's loader, and what to know about its copy.
BUNDLED: dict[str, tuple[str, str]] = {
    "iris": (
        "load_iris",
        "scikit-learn's copy, which is Fisher's: three cells differ from the UCI file.",
    ),
    "wine": ("load_wine", "UCI Wine, as shipped by scikit-learn."),
    "breast-cancer-wisconsin-diagnostic": (
        "load_breast_cancer",
        "UCI Breast Cancer Wisconsin (Diagnostic), as shipped by scikit-learn.",
    ),
    "digits": ("load_digits", "8 x 8 images of digits; 1797 rows of the UCI test part."),
}


def read_bundled(name: str) -> tuple[CodedTable, str] | None:
    """Read a data set of scikit-learn's; None if it is not one of them."""
    if name not in BUNDLED:
        return None
    loader, notes = BUNDLED[name]
    bunch = getattr(import_module("sklearn.datasets"), loader)()
    labels = [str(bunch.target_names[k]) for k in bunch.target]
    names = [str(feature) for feature in bunch.feature_names]
    return numeric_table(names, np.asarray(bunch.data, dtype=np.float64), labels), notes
