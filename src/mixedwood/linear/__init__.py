"""Linear and kernel machines over tables: how a table becomes a matrix, and planes through it."""

from mixedwood.linear.classes import Pairing
from mixedwood.linear.design import Design
from mixedwood.linear.kernel import GaussianKernel
from mixedwood.linear.machine import Machines, SvmSettings, learn_machines
from mixedwood.linear.tuning import tune_c

__all__ = [
    "Design",
    "GaussianKernel",
    "Machines",
    "Pairing",
    "SvmSettings",
    "learn_machines",
    "tune_c",
]
