"""Parameters of tree estimators: checked before any work, with words that help."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mixedwood._limits import read_time_limit
from mixedwood._parts import Partitioner, Screener, read_criterion
from mixedwood._random import seed_of, seeds_of
from mixedwood.growers import GrowSettings
from mixedwood.pruning.pruner import Pruner

__all__ = [
    "HANDLE_UNKNOWN",
    "GrowPruneParameters",
    "TreeParameters",
    "check_choice",
    "check_flag",
    "check_jobs",
    "count_columns",
    "count_share_of_rows",
    "is_number",
    "is_whole",
    "read_grow_prune_parameters",
    "read_limit",
    "read_number",
    "read_parameters",
    "read_rows_or_share",
    "read_whole",
    "unknown_in_core",
]

HANDLE_UNKNOWN = ("stop", "missing", "majority", "error")

# What the named rules need: the recipes set these.
_RULES: dict[str, dict[str, Any]] = {
    "parts": {},
    "c45": {
        "criterion": "gain_ratio",
        "partitioner": "multiway",
        "handle_missing": "fractional",
        "selection": "score",
        "screener": None,
        "max_features": None,
    },
    "random_tree": {
        "criterion": "entropy",
        "partitioner": "multiway",
        "handle_missing": "fractional",
        "selection": "score",
        "screener": None,
    },
}
_RANDOM_PARTITIONERS = ("max_cut_sdp", "random_order", "random_subset")
_CHOICES = {
    "rules": tuple(_RULES),
    "selection": ("adjusted", "score", "average_gain", "significance"),
    "growth": ("auto", "depth_first", "best_first"),
    "handle_missing": ("learned", "fractional", "category"),
    "handle_unknown": HANDLE_UNKNOWN,
}


@dataclass(frozen=True)
class TreeParameters:
    """Parameters of one fit, read."""

    settings: GrowSettings
    max_features: Any
    min_samples_split: float
    min_samples_leaf: float
    pruning: tuple[Pruner, ...]
    seed: int
    choice_seed: int  # of folds that only choose
    time_limit: float

    def settings_for(self, n_rows: int, n_columns: int) -> GrowSettings:
        """Settings with shares of rows and columns turned into numbers of them."""
        return replace(
            self.settings,
            max_columns=(
                int(math.log2(n_columns)) + 1
                if _is_weka_default(self.settings.rules, self.max_features)
                else count_columns(self.max_features, n_columns)
            ),
            min_samples_split=count_share_of_rows(self.min_samples_split, n_rows, 2),
            min_samples_leaf=count_share_of_rows(self.min_samples_leaf, n_rows, 1),
        )


def read_parameters(model: Any) -> TreeParameters:
    """Check the parameters of a tree estimator."""
    for name, accepted in _CHOICES.items():
        check_choice(model, name, accepted)
    read_criterion(model.criterion)
    Partitioner.read(model.partitioner)
    Screener.read_all(model.screener)
    _check_rules(model)
    check_flag(model, "bonferroni")
    if not _is_weka_default(model.rules, model.max_features):
        count_columns(model.max_features, 1)
    max_leaves = read_limit(model, "max_leaf_nodes", 1)
    best_first = model.growth == "best_first" or (model.growth == "auto" and max_leaves > 0)
    settings = GrowSettings(
        criterion=model.criterion,
        partitioner=model.partitioner,
        screener=model.screener,
        rules=model.rules,
        selection=model.selection,
        alpha=read_number(model, "alpha", 0, 1),
        bonferroni=bool(model.bonferroni),
        min_gain=read_number(model, "min_split_gain", -math.inf, math.inf),
        max_depth=read_limit(model, "max_depth", 0),
        max_leaf_nodes=max_leaves,
        best_first=best_first,
        missing=model.handle_missing,
        unseen=unknown_in_core(model),
    )
    seed, choice_seed = seeds_of(model.random_state)
    # What the core chooses by rows that it leaves out is a choice as well.
    is_random = model.max_features is not None
    is_random |= Partitioner.read(model.partitioner).name in _RANDOM_PARTITIONERS
    return TreeParameters(
        settings=settings,
        max_features=model.max_features,
        min_samples_split=read_rows_or_share(model, "min_samples_split"),
        min_samples_leaf=read_rows_or_share(model, "min_samples_leaf"),
        pruning=Pruner.read_all(model.pruning),
        seed=seed if is_random else choice_seed,
        choice_seed=choice_seed,
        time_limit=read_time_limit(model.time_limit),
    )


@dataclass(frozen=True)
class GrowPruneParameters:
    """Parameters of growing and pruning in turns, read."""

    settings: GrowSettings
    min_samples_split: float
    max_iterations: int
    relabel: bool
    seed: int
    time_limit: float

    def settings_for(self, n_rows: int) -> GrowSettings:
        """Settings with shares of rows turned into numbers of them."""
        return replace(
            self.settings, min_samples_split=count_share_of_rows(self.min_samples_split, n_rows, 2)
        )


def read_grow_prune_parameters(model: Any) -> GrowPruneParameters:
    """Check the parameters that trees grown and pruned in turns have, alone or in a forest."""
    choices = {"handle_missing": ("learned", "category"), "handle_unknown": HANDLE_UNKNOWN}
    for name, accepted in choices.items():
        value = getattr(model, name)
        if not isinstance(value, str) or value not in accepted:
            why = ""
            if name == "handle_missing" and value == "fractional":
                why = " Rows that are shared out among children cannot prune."
            raise ValueError(f"{name} must be {_either(accepted)}; got {value!r}.{why}")
    read_criterion(model.criterion)
    Partitioner.read(model.partitioner)
    check_flag(model, "refit_leaves")
    return GrowPruneParameters(
        settings=GrowSettings(
            criterion=model.criterion,
            partitioner=model.partitioner,
            missing=model.handle_missing,
            unseen=unknown_in_core(model),
        ),
        min_samples_split=read_rows_or_share(model, "min_samples_split"),
        max_iterations=read_whole(model, "max_iter", 1),
        relabel=bool(model.refit_leaves),
        seed=seed_of(model.random_state),
        time_limit=read_time_limit(model.time_limit),
    )


def unknown_in_core(model: Any) -> str:
    """Name what the core does with unknown categories; an error is raised before it sees them."""
    known: str = model.handle_unknown
    return "node" if known in ("stop", "error") else known


def _is_weka_default(rules: str, max_features: Any) -> bool:
    """Whether so many columns are drawn as WEKA's RandomTree does if it is given 0."""
    return rules == "random_tree" and is_whole(max_features) and max_features == 0


def _check_rules(model: Any) -> None:
    for name, needed in _RULES[model.rules].items():
        value = getattr(model, name)
        if name == "partitioner" and Partitioner.read(value).options.get("per") == "tree":
            continue  # columns in a random order have thresholds, and nothing to branch
        if value != needed:
            raise ValueError(
                f"rules={model.rules!r} goes with {name}={needed!r}; got {value!r}. Use the recipe "
                f"TreeClassifier.{model.rules}(), or rules='parts'."
            )


def count_columns(max_features: Any, n_columns: int, name: str = "max_features") -> int:
    """Turn a number, a share or a name into a number of columns; -1 for all."""
    if max_features is None:
        return -1
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, math.isqrt(n_columns))
        if max_features == "log2":
            return max(1, int(math.log2(n_columns)))
    elif is_whole(max_features) and max_features >= 1:
        return min(int(max_features), n_columns)
    elif is_number(max_features) and not is_whole(max_features) and 0 < max_features <= 1:
        return max(1, int(max_features * n_columns))
    raise ValueError(
        f"{name} must be None, a whole number of at least 1, a share above 0 and at most 1.0, "
        f"'sqrt' or 'log2'; got {max_features!r}."
    )


def check_choice(model: Any, name: str, accepted: tuple[str, ...]) -> None:
    """Refuse what is not one of the words accepted."""
    value = getattr(model, name)
    if not isinstance(value, str) or value not in accepted:
        raise ValueError(f"{name} must be {_either(accepted)}; got {value!r}.")


def check_flag(model: Any, name: str) -> None:
    """Refuse what is neither True nor False."""
    value = getattr(model, name)
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False; got {value!r}.")


def check_jobs(model: Any) -> None:
    """Refuse what is not a number of workers, in words that joblib does not have."""
    value = model.n_jobs
    if value is not None and not (is_whole(value) and value != 0):
        raise ValueError(
            "n_jobs must be None, -1 for all processors, or a number of workers of at least 1; "
            f"got {value!r}."
        )


def is_number(value: object) -> bool:
    """Whether a value is a number, and not True or False."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, and not True or False."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _either(accepted: tuple[str, ...]) -> str:
    names = [repr(a) for a in accepted]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def read_number(model: Any, name: str, least: float, most: float) -> float:
    """Read a number within limits."""
    value = getattr(model, name)
    if not is_number(value) or not least <= value <= most:
        limits = f" from {least:g} to {most:g}" if math.isfinite(most) else ""
        raise ValueError(f"{name} must be a number{limits}; got {value!r}.")
    return float(value)


def read_limit(model: Any, name: str, least: int) -> int:
    """Read a whole number; -1 where there is no limit."""
    value = getattr(model, name)
    if value is None:
        return -1
    if not is_whole(value) or value < least:
        raise ValueError(
            f"{name} must be None or a whole number of at least {least}; got {value!r}."
        )
    return min(int(value), 2**31 - 1)


def read_whole(model: Any, name: str, least: int) -> int:
    """Read a whole number that has to be there."""
    value = getattr(model, name)
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return min(int(value), 2**31 - 1)


def read_rows_or_share(model: Any, name: str) -> float:
    """Read a number of rows, or a share of them."""
    value = getattr(model, name)
    if not is_number(value) or not 0 < value < math.inf or (is_whole(value) and value < 1):
        raise ValueError(
            f"{name} must be a number of rows, at least 1, or a share of them between 0.0 and 1.0; "
            f"got {value!r}."
        )
    return value if is_whole(value) or value >= 1 else float(value)


def count_share_of_rows(value: float, n_rows: int, least: int) -> float:
    """Turn a share of rows into a number of them; numbers stay."""
    if value >= 1:
        return value
    return max(float(least), math.ceil(value * n_rows))
