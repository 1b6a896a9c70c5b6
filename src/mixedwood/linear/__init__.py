"""Linear models over tables: the matrix of a table, hyperplanes, ridge and logistic regression."""

from mixedwood.linear.design import Design
from mixedwood.linear.logistic import PENALTIES, LogisticModel, fit_logistic
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
    "PENALTIES",
    "Design",
    "GaussianKernel",
    "LogisticModel",
    "Machines",
    "Pairing",
    "RidgeModel",
    "SvmSettings",
    "count_terms",
    "fit_logistic",
    "fit_machines",
    "fit_ridge",
    "tune_c",
]
