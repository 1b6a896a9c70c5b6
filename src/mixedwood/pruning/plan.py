"""Pruners as values: a name, its options, and how a training table is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood._folds import hold_out_per_class
from mixedwood.data import Table, Target
from mixedwood.pruning.collapse import collapse
from mixedwood.pruning.cross_validation import CrossValidatedPath, cross_validated_alpha
from mixedwood.pruning.merge_equal import merge_equal_leaves
from mixedwood.pruning.pessimistic import pessimistic
from mixedwood.pruning.reduced_error import reduced_error
from mixedwood.tree import Tree

__all__ = ["Pruner", "pruners"]

Grow = Callable[[Table, Target], Tree]

_SUMMARIES = {
    "cost_complexity": "cut the weakest links, as far as cross-validation says",
    "pessimistic": "C4.5: cut where an upper limit of the error says so; may raise subtrees",
    "reduced_error": "keep a share of the rows aside, and cut what does not help on them",
    "collapse": "undo splits that do not lower the training error",
    "merge_equal": "undo splits that change no answer",
}

_STRENGTHS = (0.0, 1.0, 2.0, 5.0, 10.0, 25.0, 50.0, 100.0)

_DEFAULTS: dict[str, dict[str, Any]] = {
    "cost_complexity": {
        "n_folds": "auto",
        "n_repeats": "auto",
        "se_rule": 0.25,
        "cost": "error",
        "shrinkage": True,
    },
    "pessimistic": {"confidence": 0.25, "subtree_raising": True},
    "reduced_error": {"share": 1 / 3},
    "collapse": {},
    "merge_equal": {},
}


def pruners() -> dict[str, str]:
    """Names of the pruners, with one line each and their options.

    Examples
    --------
    >>> from mixedwood.pruning import pruners
    >>> pruners()["reduced_error"]
    'keep a share of the rows aside, and cut what does not help on them; share=0.333'
    """
    return {
        name: summary + "".join(f"; {key}={_show(v)}" for key, v in _DEFAULTS[name].items())
        for name, summary in _SUMMARIES.items()
    }


def _show(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else repr(value)


@dataclass(frozen=True)
class Pruner:
    """A way to prune, with options.

    The name alone, as a string, stands for the pruner with its defaults; `pruners` lists them.

    Examples
    --------
    >>> from mixedwood.pruning import Pruner
    >>> Pruner("cost_complexity", se_rule=1.0)
    Pruner('cost_complexity', se_rule=1.0)
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __init__(self, name: str, **options: Any) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(options))
        self._settings()  # says now what is wrong, not at first use

    def __repr__(self) -> str:
        settings = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"Pruner({self.name!r}{settings})"

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options.items()))))

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "options": dict(self.options)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["name"], **state["options"])  # type: ignore[misc]

    @property
    def needs_rows(self) -> bool:
        """Whether it looks at rows again, and not only at the tree that was grown on them."""
        return self.name not in ("collapse", "merge_equal")

    def _settings(self) -> dict[str, Any]:
        """Options with defaults filled in, checked."""
        if self.name not in _DEFAULTS:
            raise ValueError(
                f"pruning={self.name!r} is not known. Use None or one of "
                f"{', '.join(map(repr, _DEFAULTS))}."
            )
        defaults = _DEFAULTS[self.name]
        for key in self.options:
            if key not in defaults:
                has = f"It has {', '.join(map(repr, defaults))}." if defaults else "It has none."
                raise ValueError(f"pruning={self.name!r} has no option {key!r}. {has}")
        settings = {**defaults, **self.options}
        for key, value in settings.items():
            accepted, fits = _ACCEPTED[key]
            if not fits(value):
                raise ValueError(
                    f"option {key!r} of pruning={self.name!r} must be {accepted}; got {value!r}."
                )
        return settings

    def prune(
        self,
        grow: Grow,
        table: Table,
        target: Target,
        *,
        seed: int,
        copies_of: NDArray[Any] | None = None,
    ) -> tuple[Tree, CrossValidatedPath | None]:
        """Grow a tree and prune it; the path is there where cross-validation chose on it.

        In a sample with repetition, `copies_of` says which row each is a copy of. Copies are never
        on both sides of a division into rows to grow on and rows to judge by.
        """
        options = self._settings()
        if self.name == "cost_complexity":
            found = cross_validated_alpha(
                grow,
                table,
                target,
                n_folds=_folds_for(table.n_rows, options["n_folds"]),
                n_repeats=_repeats_for(table.n_rows, options["n_repeats"]),
                se_rule=options["se_rule"],
                cost=options["cost"],
                strengths=_STRENGTHS if options["shrinkage"] else (0.0,),
                random_state=seed % 2**63,
                copies_of=copies_of,
            )
            return found.tree(), found
        if self.name == "reduced_error":
            return _grow_and_test(grow, table, target, options["share"], seed, copies_of), None
        tree = grow(table, target)
        if self.name == "pessimistic":
            return pessimistic(tree, table, target, **options), None
        return (collapse(tree) if self.name == "collapse" else merge_equal_leaves(tree)), None


# Many rows tell good prices from bad ones with few folds, and without repetition.
def _folds_for(n_rows: int, n_folds: int | str) -> int:
    if n_folds != "auto":
        return int(n_folds)
    return 10 if n_rows <= 20_000 else 5 if n_rows <= 100_000 else 3


def _repeats_for(n_rows: int, n_repeats: int | str) -> int:
    if n_repeats != "auto":
        return int(n_repeats)
    return 3 if n_rows <= 1_000 else 2 if n_rows <= 5_000 else 1


def _grow_and_test(
    grow: Grow,
    table: Table,
    target: Target,
    share: float,
    seed: int,
    copies_of: NDArray[Any] | None,
) -> Tree:
    aside = hold_out_per_class(target.codes, lambda n: round(share * n), seed, copies_of=copies_of)
    if aside.all() or not aside.any():
        return grow(table, target)
    tree = grow(table.take(~aside), target.take(~aside))
    return reduced_error(tree, table.take(aside), target.take(aside))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


_ACCEPTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "n_folds": (
        "'auto' or a whole number of at least 2",
        lambda v: (isinstance(v, str) and v == "auto") or (_is_whole(v) and v >= 2),
    ),
    "n_repeats": (
        "'auto' or a whole number of at least 1",
        lambda v: (isinstance(v, str) and v == "auto") or (_is_whole(v) and v >= 1),
    ),
    "shrinkage": ("True or False", lambda v: isinstance(v, (bool, np.bool_))),
    "se_rule": ("a number of at least 0", lambda v: _is_number(v) and 0 <= v < np.inf),
    "cost": ("'error' or 'impurity'", lambda v: isinstance(v, str) and v in ("error", "impurity")),
    "confidence": ("a number above 0 and at most 0.5", lambda v: _is_number(v) and 0 < v <= 0.5),
    "subtree_raising": ("True or False", lambda v: isinstance(v, (bool, np.bool_))),
    "share": ("a number between 0 and 1", lambda v: _is_number(v) and 0 < v < 1),
}


def read_pruning(pruning: object) -> tuple[Pruner, ...]:
    """Accept None, a name, a Pruner, or a list of them that are applied in turn."""
    if pruning is None:
        return ()
    many = pruning if isinstance(pruning, (list, tuple)) else (pruning,)
    read = []
    for one in many:
        if isinstance(one, str):
            one = Pruner(one)
        if not isinstance(one, Pruner):
            raise TypeError(
                "pruning must be None, a name, a mixedwood.pruning.Pruner, or a list of these; "
                f"got {type(one).__name__}."
            )
        read.append(one)
    return tuple(read)
