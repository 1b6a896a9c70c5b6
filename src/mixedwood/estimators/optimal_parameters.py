"""Parameters of optimal trees, checked before any work."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from mixedwood._limits import read_time_limit
from mixedwood._random import choice_seed_of
from mixedwood.estimators.parameters import (
    HANDLE_UNKNOWN,
    check_choice,
    check_flag,
    count_share_of_rows,
    is_whole,
    read_limit,
    read_number,
    read_rows_or_share,
    unknown_in_core,
)
from mixedwood.optimal import OptimalSettings
from mixedwood.preprocessing.binarizer import read_encoding
from mixedwood.preprocessing.cutting import read_cutting

__all__ = ["OptimalParameters", "read_optimal_parameters"]

_DEEPEST = 30
_CHOICES = {
    "splits": ("binary", "all"),
    "binarize": ("once", "every_split", "encode_every_split"),
    "handle_unknown": HANDLE_UNKNOWN,
}


@dataclass(frozen=True)
class OptimalParameters:
    """Parameters of one fit, read."""

    settings: OptimalSettings
    min_samples_leaf: float
    n_folds: int  # 0: the budget is given
    seed: int
    time_limit: float

    def settings_for(self, n_rows: int) -> OptimalSettings:
        """Settings with a share of rows turned into a number of them."""
        rows = math.ceil(count_share_of_rows(self.min_samples_leaf, n_rows, 1))
        return replace(self.settings, min_samples_leaf=rows)


def read_optimal_parameters(model: Any) -> OptimalParameters:
    """Check the parameters of an optimal tree."""
    for name, accepted in _CHOICES.items():
        check_choice(model, name, accepted)
    check_flag(model, "tune")
    if not is_whole(model.max_depth) or not 0 <= model.max_depth <= _DEEPEST:
        raise ValueError(
            f"max_depth must be a whole number from 0 to {_DEEPEST}; got {model.max_depth!r}. A "
            "best tree of unlimited depth is not sought: use TreeClassifier."
        )
    if not is_whole(model.n_folds) or model.n_folds < 2:
        raise ValueError(f"n_folds must be a whole number of at least 2; got {model.n_folds!r}.")
    if not is_whole(model.memory_limit) or model.memory_limit < 1:
        raise ValueError(
            f"memory_limit must be a number of bytes, at least 1; got {model.memory_limit!r}."
        )
    if model.splits == "all" and model.binarize != "once":
        raise ValueError(
            f"splits='all' makes no binary columns: binarize={model.binarize!r} has no meaning "
            "with it. Use binarize='once', or splits='binary'."
        )
    encoding, most = read_encoding(model.encoding, model.max_subset_values)
    upper = math.inf
    if model.upper_bound is not None:
        upper = read_number(model, "upper_bound", 0, math.inf)
    work = math.inf if model.work_limit is None else model.work_limit
    if isinstance(work, bool) or not isinstance(work, Real) or not float(work) >= 1:
        raise ValueError(
            f"work_limit must be a number of steps, at least 1, or None; got {model.work_limit!r}."
        )
    settings = OptimalSettings(
        max_depth=int(model.max_depth),
        max_nodes=read_limit(model, "max_nodes", 0),
        min_samples_leaf=1,
        leaf_cost=read_number(model, "leaf_cost", 0, 1),
        splits=model.splits,
        cutting=read_cutting(model.discretizer, model.n_bins),
        encoding=encoding,
        max_subset_values=most,
        binarize=model.binarize,
        upper_bound=upper,
        memory_limit=int(model.memory_limit),
        work_limit=float(work),
        unseen=unknown_in_core(model),
    )
    return OptimalParameters(
        settings=settings,
        min_samples_leaf=read_rows_or_share(model, "min_samples_leaf"),
        n_folds=int(model.n_folds) if model.tune else 0,
        seed=choice_seed_of(model.random_state),
        time_limit=read_time_limit(model.time_limit),
    )
