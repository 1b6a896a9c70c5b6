"""Support vector machines over tables: the matrix of a table, and hyperplanes."""

from mixedwood.linear.design import Design
from mixedwood.linear.svm import (
    GaussianKernel,
    Machines,
    Pairing,
    SvmSettings,
    fit_machines,
    tune_c,
)

__all__ = [
    "Design",
    "GaussianKernel",
    "Machines",
    "Pairing",
    "SvmSettings",
    "fit_machines",
    "tune_c",
]
