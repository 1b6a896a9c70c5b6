"""Native core of mixedwood. Use the public modules instead."""

from collections.abc import Mapping
from typing import Annotated

import numpy
from numpy.typing import NDArray


class TimeLimitError(TimeoutError):
    pass

sanitized: bool = False

class PythonCriterion:
    """A criterion whose score is computed in Python."""

    def __init__(self, score: object, convex: bool, many_groups: bool, entropy: bool) -> None: ...

def best_split(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], criterion: str, custom: PythonCriterion | None, partitioner: str, options: Mapping[str, float], costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, seed: int, ordered: bool, time_limit: float) -> dict:
    """Best grouping of the rows of a table of counts."""

def score_grouping(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], criterion: str, custom: PythonCriterion | None, costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, ordered: bool) -> dict:
    """Score of a given grouping."""

def criteria() -> list:
    """Name, summary and whether it takes costs, of each criterion."""

def partitioners() -> list:
    """Name, summary and options of each partitioner."""

def log_upper_gamma(a: float, z: float) -> float:
    """Logarithm of the upper regularised incomplete gamma function."""

def log_chi2_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Logarithm of the tail probability of the chi-square distribution."""

def pearson_test(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""

def conditional_test(counts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""

def conditional_test_numeric(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int) -> tuple[float, float, float]:
    """Statistic, degrees of freedom, log p."""
