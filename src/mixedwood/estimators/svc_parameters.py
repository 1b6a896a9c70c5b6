"""Parameters of support vector machines, checked before any work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mixedwood._limits import read_time_limit
from mixedwood._random import seeds_of
from mixedwood.estimators.parameters import check_choice, check_flag, is_number, is_whole
from mixedwood.linear import SvmSettings

__all__ = ["SvcParameters", "read_svc_parameters"]


@dataclass(frozen=True)
class SvcParameters:
    """Parameters of one fit, read; without a C it is tuned."""

    settings: SvmSettings
    c: float | None
    seed: int  # of the landmarks
    choice_seed: int  # of the rows held out to tune C
    time_limit: float


def read_svc_parameters(model: Any) -> SvcParameters:
    """Check the parameters of a `SmoothSVC`."""
    check_choice(model, "kernel", ("linear", "rbf"))
    check_choice(model, "multi_class", ("ovr", "ovo"))
    check_flag(model, "standardize")
    for name, least in (("n_components", 1), ("max_iter", 1)):
        value = getattr(model, name)
        if not is_whole(value) or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    settings = SvmSettings(
        alpha=0.0 if model.smoothing is None else _positive(model, "smoothing", "or None"),
        gaussian=model.kernel == "rbf",
        gamma=_or_word(model, "gamma", "scale"),
        n_landmarks=int(model.n_components),
        by_pairs=model.multi_class == "ovo",
        standardize=bool(model.standardize),
        tolerance=_positive(model, "tol"),
        max_iterations=min(int(model.max_iter), 2**31 - 1),
    )
    c = _or_word(model, "C", "tune")
    seed, choice_seed = seeds_of(model.random_state)
    return SvcParameters(
        settings=settings,
        c=None if isinstance(c, str) else c,
        seed=seed,
        choice_seed=choice_seed,
        time_limit=read_time_limit(model.time_limit),
    )


def _or_word(model: Any, name: str, word: str) -> float | str:
    if getattr(model, name) == word:
        return word
    return _positive(model, name, f"or {word!r}")


def _positive(model: Any, name: str, other: str = "") -> float:
    value = getattr(model, name)
    if not is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a positive number {other}".rstrip() + f"; got {value!r}.")
    return float(value)
