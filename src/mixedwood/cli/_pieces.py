"""Fitting to files that are read in pieces."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import click

from mixedwood.cli._bar import bar_after_two_seconds
from mixedwood.cli._models import model_size
from mixedwood.cli._output import DataError, echo

__all__ = ["check_options", "fit_in_pieces"]

_NEED_ALL_ROWS = {
    "numeric": "--numeric",
    "drop": "--drop",
    "dates": "--dates",
    "n_folds": "--cross-validate",
}


def check_options(estimator: Any, paths: tuple[Path, ...], options: dict[str, Any]) -> None:
    """Raise errors of options and models that need the whole table."""
    named = [flag for name, flag in _NEED_ALL_ROWS.items() if options.get(name)]
    if named:
        raise click.UsageError(
            f"{' and '.join(named)} cannot be used with files that are read in pieces."
        )
    if any(str(path) == "-" for path in paths):
        raise click.UsageError("The standard input can be read only once, and not in pieces.")
    if not hasattr(estimator, "predict_chunks"):
        raise click.UsageError(
            f"{type(estimator).__name__} cannot be fitted to files that are read in pieces; "
            "--model tree can."
        )


def fit_in_pieces(
    estimator: Any, paths: tuple[Path, ...], target: str, categorical: tuple[str, ...], quiet: bool
) -> dict[str, Any]:
    """Fit with a bar for each pass, and give what is printed and saved with the model."""
    from mixedwood.files import FileError

    if categorical:
        estimator.set_params(categorical_features=list(categorical))
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught, bar_after_two_seconds("fit", not quiet):
        warnings.simplefilter("default")
        try:
            estimator.fit(list(paths), target)
        except FileError as error:
            raise DataError(str(error)) from error
        except (TypeError, ValueError) as error:
            raise click.UsageError(str(error)) from error
    lines = list({str(warning.message): None for warning in caught})
    for line in lines:
        echo(f"Warning: {line}", err=True)
    tree = estimator.tree_
    counts = tree.statistics[0]
    right = tree.statistics[tree.split_kind == 0].max(axis=1).sum()
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "target": target,
        "data": paths[0].name if len(paths) == 1 else f"{len(paths)} files",
        "rows": int(counts.sum()),
        "columns": {column.name: str(column.kind) for column in estimator.schema_},
        "classes": {
            str(label): int(n) for label, n in zip(tree.classes.tolist(), counts, strict=True)
        },
        "training_error": float(1.0 - right / counts.sum()),
        "seconds": round(time.perf_counter() - started, 3),
    }
    return facts | model_size(estimator) | {"warnings": lines}
