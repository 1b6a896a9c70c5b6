"""Linear models over tables: the matrix of a table, hyperplanes and ridge regression."""

from mixedwood.linear.design import Design
from mixedwood.linear.ridge import ALPHAS, RidgeModel, count_terms, fit_ridge
from mixedwood.linear.svm import (
    GaussianKernel,
    Machines,
    Pairing,
    SvmSettings,
    fit_machines,
    tune_c,
)

__all__ = [
    "ALPHAS",
    "Design",
    "GaussianKernel",
    "Machines",
    "Pairing",
    "RidgeModel",
    "SvmSettings",
    "count_terms",
    "fit_machines",
    "fit_ridge",
    "tune_c",
]
