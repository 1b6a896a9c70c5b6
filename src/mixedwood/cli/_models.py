"""Models by plain names with parameters from text, and summaries of fitted models."""

from __future__ import annotations

import ast
import difflib
import inspect
import json
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood._catalogue import CATALOGUE, estimators, first_line, name_of_task
from mixedwood.cli._output import echo

if TYPE_CHECKING:
    from mixedwood.data import Table
    from mixedwood.data.file_tables import FileTable

__all__ = [
    "format_size",
    "list_models",
    "make_model",
    "model_of_task",
    "model_size",
    "model_summary",
    "print_summary",
    "read_value",
]


def list_models() -> dict[str, str]:
    """Name all models and presets, with the first line of their docstrings."""
    found = {}
    for name, entry in estimators().items():
        kind = entry.load()
        found[name] = first_line(kind)
        for preset in entry.presets:
            found[f"{name}.{preset}"] = first_line(getattr(kind, preset))
    return found


def model_of_task(name: str, task: str) -> str:
    """Find the model of a task that a name stands for: "tree" is "tree_regressor" for numbers.

    Examples
    --------
    >>> model_of_task("forest.random_forest", "regression")
    'forest_regressor.random_forest'
    """
    if (found := name_of_task(name, task)) is not None:
        return found
    of_task = {e.name for e in estimators().values() if e.task == task}
    verb = {"regression": "classes", "classification": "numbers"}[task]
    what = {"regression": "numbers", "classification": "classes"}[task]
    raise click.UsageError(
        f"The model {name!r} predicts {verb}, but the target has {what}. Models for {what}: "
        f"{', '.join(sorted(of_task))}. Choose one with --model, or set --task."
    )


def make_model(name: str, params: Sequence[str]) -> Any:
    """Make an estimator from its name and ``name=value`` texts; problems are usage errors."""
    kind, make = _find(name)
    own, nested = _read_params(params)
    preset = inspect.signature(make).parameters if make is not kind else {}
    known = [*(p for p in preset if p != "parameters"), *kind._get_param_names()]
    for parameter in own:
        if parameter not in known:
            inside = [
                f"{owner}__{parameter}"
                for owner, part in _parts(make()).items()
                if parameter in part.get_params(deep=False)
            ]
            raise click.UsageError(
                _unknown("parameter", parameter, known, f"Parameters of {name}", inside=inside)
            )
    try:
        model = make(**own)
        _set_nested(model, nested)
    except (TypeError, ValueError) as error:
        raise click.UsageError(str(error)) from error
    return model


def _find(name: str) -> tuple[Any, Any]:
    """Find the class of a name, and what to call: the class, or one of its presets."""
    known = estimators()
    if name in CATALOGUE and CATALOGUE[name].is_short:
        # Names of `mixedwood compare` mean the same here.
        model = CATALOGUE[name].make()
        kind, given = type(model), model.get_params(deep=False)
        return kind, lambda **more: kind(**{**given, **more})
    stem, _, preset = name.partition(".")
    if stem not in known:
        longer = [one for one in known if one.startswith(f"{stem}_")]
        if len(longer) != 1:
            raise click.UsageError(_unknown("model", name, list_models(), "Models", "See --list."))
        stem = longer[0]
    kind = known[stem].load()
    if not preset:
        return kind, kind
    if preset not in known[stem].presets:
        has = [f"{stem}.{one}" for one in known[stem].presets]
        raise click.UsageError(_unknown("preset", name, has, f"Presets of {stem}", "See --list."))
    return kind, getattr(kind, preset)


def _read_params(params: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    own: dict[str, Any] = {}
    nested: dict[str, Any] = {}
    for text in params:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise click.UsageError(f"--param {text!r} is not name=value, such as max_depth=5.")
        (nested if "__" in name else own)[name.strip()] = read_value(value.strip())
    return own, nested


def _set_nested(model: Any, nested: dict[str, Any]) -> None:
    # Default parts are made first, so that their parameters are known.
    owners = {name: name.partition("__")[0] for name in nested}
    parts = {owner: part for owner, part in _parts(model).items() if owner in owners.values()}
    model.set_params(**parts)
    known = model.get_params(deep=True)
    for name, owner in owners.items():
        if "__".join(name.split("__")[:2]) not in known and (owner in parts or owner not in known):
            inside = [k for k in known if k.startswith(owner)]
            raise click.UsageError(_unknown("parameter", name, inside or known, "Parameters"))
    model.set_params(**nested)


def _parts(model: Any) -> dict[str, Any]:
    """Find the estimators inside a model by their parameter, default ones included."""
    found = {}
    for owner, part in model.get_params(deep=False).items():
        found[owner] = part if hasattr(part, "set_params") else model._default_part(owner, part)
    return {owner: part for owner, part in found.items() if part is not None}


def _unknown(
    what: str,
    name: str,
    known: Iterable[str],
    lead: str,
    end: str = "",
    inside: Sequence[str] = (),
) -> str:
    listed = list(known)
    close = inside or difflib.get_close_matches(name, listed, n=3)
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    shown = f" {lead}: {', '.join(listed)}." if listed else ""
    return f"Unknown {what} {name!r}.{hint}{shown} {end}".rstrip()


def read_value(text: str) -> Any:
    """Read a value: JSON, a Python literal, a part such as Pruner('collapse'), or plain text.

    Examples
    --------
    >>> [read_value(text) for text in ("5", "0.1", "true", "None", "[1, 2]", "gini", "'5'")]
    [5, 0.1, True, None, [1, 2], 'gini', '5']
    >>> read_value("Pruner('cost_complexity', se_rule=1)")
    Pruner('cost_complexity', se_rule=1)
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        tree = ast.parse(text, mode="eval").body
        return _literal(tree)
    except (SyntaxError, _NotAValueError, RecursionError, MemoryError):
        return text
    except ValueError as error:
        raise click.UsageError(str(error)) from error


class _NotAValueError(Exception):
    """The text is not a literal, but plain text."""


def _literal(node: ast.AST) -> Any:
    """Evaluate literals, and calls of parts and estimators of the library with literals inside."""
    if isinstance(node, ast.Call):
        maker = _maker(node.func)
        keywords = {k.arg: _literal(k.value) for k in node.keywords if k.arg is not None}
        if len(keywords) < len(node.keywords):
            raise _NotAValueError
        try:
            return maker(*map(_literal, node.args), **keywords)
        except TypeError as error:
            raise ValueError(f"{ast.unparse(node)}: {error}") from error
    if isinstance(node, (ast.List, ast.Tuple)):
        items = [_literal(item) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise _NotAValueError from None


def _maker(node: ast.AST) -> Any:
    """Find what a call names: a part, a classifier, or a preset of one; nothing else."""
    from mixedwood import preprocessing, pruning, splits

    parts: dict[str, Any] = {
        "Screener": splits.Screener,
        "Partitioner": splits.Partitioner,
        "Pruner": pruning.Pruner,
    }
    transformers = {name: getattr(preprocessing, name) for name in preprocessing.__all__}
    parts |= {name: kind for name, kind in transformers.items() if hasattr(kind, "fit")}
    entries = {entry.class_name: entry for entry in estimators().values()}
    if isinstance(node, ast.Name):
        if node.id in entries:
            return entries[node.id].load()
        if node.id in parts:
            return parts[node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        entry = entries.get(node.value.id)
        if entry is not None and node.attr in entry.presets:
            return getattr(entry.load(), node.attr)
    raise _NotAValueError


def model_summary(
    estimator: Any, typed: Table, table: FileTable, target: str, path: Path, seconds: float
) -> dict[str, Any]:
    """Collect what is printed and saved with the model."""
    import numpy as np

    if table.is_numeric:
        return _number_summary(estimator, typed, table, target, path, seconds)
    labels, counts = np.unique(table.y, return_counts=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = float((estimator.predict(table.X) != table.y).mean())
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "target": target,
        "data": path.name if str(path) != "-" else "standard input",
        "rows": len(table.y),
        "columns": {column.name: str(column.kind) for column in typed.schema},
        "classes": {str(k): int(n) for k, n in zip(labels.tolist(), counts, strict=True)},
        "training_error": wrong,
        "seconds": round(seconds, 3),
    }
    return facts | model_size(estimator)


def _number_summary(
    estimator: Any, typed: Table, table: FileTable, target: str, path: Path, seconds: float
) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors = estimator.predict(table.X) - table.y
    facts: dict[str, Any] = {
        "model": " ".join(repr(estimator).split()),
        "task": "regression",
        "target": target,
        "data": path.name if str(path) != "-" else "standard input",
        "rows": len(table.y),
        "columns": {column.name: str(column.kind) for column in typed.schema},
        "target_mean": float(table.y.mean()),
        "target_sd": float(table.y.std()),
        "training_rmse": float((errors**2).mean() ** 0.5),
        "seconds": round(seconds, 3),
    }
    return facts | model_size(estimator)


def model_size(estimator: Any) -> dict[str, Any]:
    """Return leaves and depth of a tree, or the number of trees."""
    if hasattr(estimator, "tree_"):
        return {"leaves": estimator.get_n_leaves(), "depth": estimator.get_depth()}
    if hasattr(estimator, "trees_"):
        trees = estimator.trees_
        mean = sum(tree.n_leaves for tree in trees) / len(trees)
        size = {"trees": len(trees), "mean_leaves": round(mean, 2)}
        return size | _chosen(estimator)
    return {"linear_models": len(estimator.objective_value_)}


def _chosen(estimator: Any) -> dict[str, Any]:
    """Return the sizes and weights of the forest and of gradient boosting in an ensemble."""
    if not hasattr(estimator, "boosted_"):
        return {}
    return {
        "forest_trees": len(estimator.forest_.trees_),
        "boosted_rounds": estimator.boosted_.n_iter_,
        "boosted_depth": max(tree.depth for tree in estimator.boosted_.trees_),
        "boosted_weight": float(estimator.weights_[1]),
    }


def format_size(facts: dict[str, Any]) -> str:
    """Format the size of a model."""
    if "leaves" in facts:
        n = facts["leaves"]
        return f"{n} {'leaf' if n == 1 else 'leaves'}, depth {facts['depth']}"
    if "boosted_weight" in facts:
        weight = facts["boosted_weight"]
        return (
            f"{facts['trees']} trees: forest of {facts['forest_trees']} trees (weight "
            f"{1 - weight:.2f}), gradient boosting with {facts['boosted_rounds']} iterations and "
            f"depth {facts['boosted_depth']} (weight {weight:.2f})"
        )
    if "trees" in facts:
        return f"{facts['trees']} trees, {facts['mean_leaves']:g} leaves on average"
    return f"{facts['linear_models']} linear model{'s' * (facts['linear_models'] > 1)}"


def print_summary(facts: dict[str, Any], estimator: Any, verbose: bool) -> None:
    """Print a summary of a fit to stderr."""
    if facts.get("task") == "regression":
        from mixedwood.explain.format import format_number

        spread = facts["target_sd"]
        mean, sd, rmse = (
            format_number(facts[name], spread)
            for name in ("target_mean", "target_sd", "training_rmse")
        )
        lines = [
            f"{facts['rows']} rows; regression, since the target is a number: mean {mean}, sd {sd}",
            facts["model"],
            f"{format_size(facts)}; training RMSE {rmse}; fitted in {facts['seconds']:.2f} s",
        ]
        _print_lines(lines, facts, estimator, verbose)
        return
    classes = ", ".join(f"{name} {n}" for name, n in list(facts["classes"].items())[:10])
    classes += ", ..." if len(facts["classes"]) > 10 else ""
    lines = [
        f"{facts['rows']} rows, {len(facts['classes'])} classes: {classes}",
        facts["model"],
        f"{format_size(facts)}; training error {100 * facts['training_error']:.2f} %; "
        f"fitted in {facts['seconds']:.2f} s",
    ]
    _print_lines(lines, facts, estimator, verbose)


def _print_lines(lines: list[str], facts: dict[str, Any], estimator: Any, verbose: bool) -> None:
    if verbose:
        lines += [f"  {name} = {v!r}" for name, v in estimator.get_params(deep=False).items()]
    lines.append(f"Written to {facts['file']}.")
    echo("\n".join(lines), err=True)
