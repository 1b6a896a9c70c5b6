"""Estimators from what a study file says about them.

``{ model = "TreeClassifier.c45", pruned = false }`` is ``TreeClassifier.c45(pruned=False)``. A name
without a module is one of this library; ``"sklearn.naive_bayes.GaussianNB"`` is looked up where it
says. A value that is such a table itself is made first.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from mixedwood._catalogue import find_maker
from mixedwood.study.definition import StudyError

__all__ = ["find", "make"]


def make(definition: Mapping[str, Any], **given: Any) -> Any:
    """Make what a definition says; `given` are further parameters, used if it takes them."""
    address = definition.get("model")
    if not isinstance(address, str):
        raise StudyError(f"A method needs a model, such as 'TreeClassifier'; got {definition!r}.")
    parameters = {
        name: _value(value)
        for name, value in definition.items()
        if name not in ("model", "title", "note")
    }
    maker = find(address)
    accepted = inspect.signature(maker).parameters
    free = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    extra = {n: v for n, v in given.items() if n not in parameters and (free or n in accepted)}
    try:
        return maker(**parameters, **extra)
    except TypeError as error:
        raise StudyError(f"{address} cannot be made: {error}.") from error


def find(address: str) -> Any:
    """Find a class, a preset or a function by its name in the catalogue or its address."""
    if (maker := find_maker(address)) is not None:
        return maker
    module, names = _module(address)
    found: Any = import_module(module)
    for name in names:
        if not hasattr(found, name):
            raise StudyError(f"There is no {address!r}: {name!r} is not part of {found!r}.")
        found = getattr(found, name)
    return found


def _module(address: str) -> tuple[str, list[str]]:
    """Divide an address into a module and names in it."""
    if ":" in address:
        module, _, names = address.partition(":")
        try:
            import_module(module)
        except ImportError as error:
            raise StudyError(f"There is no {address!r}: {error}.") from error
        return module, names.split(".")
    words = address.split(".")
    if words[0] in import_module("mixedwood").__all__:
        return "mixedwood", words
    for n in range(len(words) - 1, 0, -1):
        module = ".".join(words[:n])
        try:
            import_module(module)
        except ImportError:
            continue
        return module, words[n:]
    return "mixedwood", words


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "model" in value:
            return make(value)
        return {name: _value(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_value(inner) for inner in value]
    return value
