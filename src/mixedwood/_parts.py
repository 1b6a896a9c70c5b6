"""The exchangeable parts of an estimator: criteria, and parts that are a name with options.

A criterion scores a grouping of values, a partitioner searches groupings, a screener decides
whether a nominal column may be split at a node, and a pruner cuts a tree back. Parts are known by
name. Their options, defaults and ranges are read from the native registry.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core

__all__ = [
    "Criterion",
    "Option",
    "Part",
    "PartInfo",
    "Partitioner",
    "Screener",
    "criteria",
    "native_criterion",
    "partitioners",
    "read_criterion",
    "screeners",
    "takes_costs",
]


class Criterion(ABC):
    """Base class of criteria that are written in Python; subclasses define ``score``.

    This is meant for trying out ideas: each score costs some microseconds for the call, a native
    one a few nanoseconds. A criterion that proves useful becomes one small file of the core (see
    CONTRIBUTING).

    Attributes
    ----------
    name : str
        Its name in results and messages; by default the name of the class.
    convex : bool, default=False
        Set to True only if the score is a convex function of the left group's class weights, as
        gains of concave impurities are. Fast searches are then known to be exact.
    many_groups : bool, default=False
        Whether more than two groups can be scored (``partitioner="multiway"``).
    impurity : {"gini", "entropy"}, default="gini"
        The impurity reported beside the score.

    Examples
    --------
    >>> import mixedwood as mw
    >>> class Accuracy(mw.splits.Criterion):
    ...     '''Gain in accuracy when each group predicts its most frequent class.'''
    ...
    ...     convex = True
    ...     many_groups = True
    ...
    ...     def score(self, groups):
    ...         return (groups.max(axis=1).sum() - groups.sum(axis=0).max()) / groups.sum()
    >>> counts = [[10, 2, 3], [1, 8, 6], [4, 4, 9], [7, 7, 1]]
    >>> partition = mw.splits.best_partition(counts, criterion=Accuracy())
    >>> partition.left, partition.right, round(partition.score, 3)
    ((0, 3), (1, 2), 0.161)
    """

    name: ClassVar[str] = ""
    convex: ClassVar[bool] = False
    many_groups: ClassVar[bool] = False
    impurity: ClassVar[str] = "gini"

    @abstractmethod
    def score(self, groups: NDArray[np.float64]) -> float:
        """Score a partition; more is better.

        Parameters
        ----------
        groups : ndarray of shape (n_groups, n_classes)
            Class weights of each group. Groups may be empty; classes without weight are left out.
        """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in cls.__dict__:  # not inherited: the name identifies the class that scored
            cls.name = cls.__name__
        if cls.impurity not in ("gini", "entropy"):
            raise ValueError(
                f"The 'impurity' attribute of {cls.__name__} must be 'gini' or 'entropy'. Got "
                f"{cls.impurity!r} instead."
            )

    def native(self) -> _core.PythonCriterion:
        """Return the criterion for the native core."""
        return _core.PythonCriterion(
            self.score, self.convex, self.many_groups, self.impurity == "entropy"
        )


def read_criterion(criterion: object) -> tuple[str, _core.PythonCriterion | None]:
    """Accept a name or a `Criterion`; return its name, and the native object if it is Python's."""
    if isinstance(criterion, Criterion):
        return criterion.name, criterion.native()
    if isinstance(criterion, str) and criterion in criteria():
        return criterion, None
    hint = ""
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        hint = f" Pass an instance: criterion={criterion.__name__}()."
    wrong = ValueError if isinstance(criterion, str) else TypeError
    raise wrong(
        f"The 'criterion' parameter must be a str among {_set_of(criteria())} or an instance of "
        f"'mixedwood.splits.Criterion'. Got {criterion!r} instead.{hint}"
    )


def native_criterion(
    criterion: object, costs: NDArray[np.float64] | None = None
) -> _core.Criterion:
    """Return the criterion for the native core; accepts a name or a `Criterion`."""
    name, custom = read_criterion(criterion)
    return custom or _core.make_criterion(name, costs)


def takes_costs(criterion: object) -> bool:
    """Whether a criterion uses misclassification costs."""
    return isinstance(criterion, str) and criterion in ("gini", "squared_gini")


class Option(NamedTuple):
    """An option of a part; its values have the type `kind`, or are among the choices."""

    name: str
    default: bool | int | float | str
    kind: type
    summary: str = ""
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    closed: str = "both"  # ends of the range that belong to it: "both", "left", "right", "neither"

    def read(self, value: object, owner: str) -> bool | int | float | str:
        """Return the value as a plain Python object; `owner` is the part in messages."""
        if isinstance(value, str) and value in self.choices:
            return str(value)
        if self.kind is bool and isinstance(value, (bool, np.bool_)):
            return bool(value)
        if not isinstance(value, (bool, np.bool_)):
            if self.kind is int and isinstance(value, (int, np.integer)) and self._in_range(value):
                return int(value)
            is_number = isinstance(value, (int, float, np.integer, np.floating))
            if self.kind is float and is_number and self._in_range(value):
                return float(value)  # type: ignore[arg-type]
        raise ValueError(
            f"The {self.name!r} option of {owner} must be {self._accepted()}. Got {value!r} "
            "instead."
        )

    def _in_range(self, value: Any) -> bool:
        above = value >= self.low if self.closed in ("both", "left") else value > self.low
        below = value <= self.high if self.closed in ("both", "right") else value < self.high
        return bool(above and below)

    def _accepted(self) -> str:
        accepted = [f"a str among {_set_of(self.choices)}"] if self.choices else []
        if self.kind is bool:
            accepted.append("a bool")
        elif self.kind in (int, float):
            left = "[" if self.closed in ("both", "left") else "("
            right = "]" if self.closed in ("both", "right") else ")"
            kind = "an int" if self.kind is int else "a float"
            accepted.append(f"{kind} in the range {left}{self.low:.7g}, {self.high:.7g}{right}")
        return " or ".join(accepted)

    def __str__(self) -> str:
        others: list[object] = [choice for choice in self.choices if choice != self.default]
        if self.kind is bool:
            others = [not self.default]
        default = f"{self.default:.3g}" if isinstance(self.default, float) else repr(self.default)
        return f"{self.name}={' or '.join([default, *map(repr, others)])}"


class _JointOption(Option):
    """A bool, or groups of column names."""

    def read(self, value: Any, owner: str) -> Any:
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        given: list[Any] = list(value) if isinstance(value, (list, tuple)) else [None]
        if not all(
            isinstance(group, (list, tuple)) and all(isinstance(name, str) for name in group)
            for group in given
        ):
            raise ValueError(
                f"The 'joint' option of {owner} must be a bool or a list of groups of column "
                f"names, such as [['city', 'country']]. Got {value!r} instead."
            )
        names = [name for group in given for name in group]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(
                f"The 'joint' option of {owner} contains the column {twice!r} twice. A column can "
                "be in one group only."
            )
        return tuple(tuple(group) for group in given if len(group) > 1)


_JOINT = _JointOption("joint", False, bool, "whether orders of columns are drawn together")


class PartInfo(NamedTuple):
    """What is known of a part: one line about it, and its options."""

    summary: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, repr=False)
class Part(ABC):
    """A name with options; the name alone, as a string, stands for it with its defaults."""

    name: str
    options: Mapping[str, Any]

    parameter: ClassVar[str]  # of estimators that take such a part

    def __init__(self, name: str, **options: Any) -> None:
        options = {key: _hashable(value) for key, value in options.items()}
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(options))
        self.settings()  # raises here, not at first use

    @classmethod
    @abstractmethod
    def known(cls) -> Mapping[str, PartInfo]:
        """Return the parts of this kind by name."""

    @classmethod
    def summaries(cls) -> dict[str, str]:
        """Return one line per part: what it does, and its options with their defaults."""
        return {
            name: "; ".join([info.summary, *map(str, info.options)])
            for name, info in cls.known().items()
        }

    @classmethod
    def read(cls, given: object) -> Self:
        """Accept a name for the part with its defaults."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str) and given in cls.known():
            return cls(given)
        wrong = ValueError if isinstance(given, str) else TypeError
        raise wrong(
            f"The {cls.parameter!r} parameter must be a str among {_set_of(cls.known())} or an "
            f"instance of {cls.__name__!r}. Got {given!r} instead."
        )

    @classmethod
    def read_all(cls, given: object) -> tuple[Self, ...]:
        """Accept None, a name, a part, or a list of these."""
        if given is None:
            return ()
        return tuple(map(cls.read, given if isinstance(given, (list, tuple)) else [given]))

    def settings(self) -> dict[str, Any]:
        """Return all options, checked, with defaults for those that were not given."""
        if self.name not in self.known():
            raise ValueError(
                f"The 'name' of a {type(self).__name__} must be a str among "
                f"{_set_of(self.known())}. Got {self.name!r} instead."
            )
        known = {option.name: option for option in self.known()[self.name].options}
        owner = f"{type(self).__name__}({self.name!r})"
        for key in self.options:
            if key not in known:
                has = f"It has {', '.join(map(repr, known))}." if known else "It has none."
                raise ValueError(f"{owner} has no option {key!r}. {has}")
        return {
            key: option.read(self.options[key], owner) if key in self.options else option.default
            for key, option in known.items()
        }

    def __repr__(self) -> str:
        options = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"{type(self).__name__}({self.name!r}{options})"

    def __hash__(self) -> int:
        return hash((type(self), self.name, tuple(sorted(self.options.items()))))

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "options": dict(self.options)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["name"], **state["options"])  # type: ignore[misc]


class Partitioner(Part):
    """A search for groupings, with options.

    The name alone, as a string, stands for the search with its defaults.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.Partitioner("max_cut_sdp", roundings=10, local_search=False)
    Partitioner('max_cut_sdp', roundings=10, local_search=False)
    """

    parameter = "partitioner"

    @classmethod
    @cache
    def known(cls) -> Mapping[str, PartInfo]:
        """Return the partitioners by name."""
        known = _native_parts(_core.partitioners())
        order = known["random_order"]
        return {**known, "random_order": order._replace(options=(*order.options, _JOINT))}

    def settings(self) -> dict[str, Any]:
        """Return all options, checked, with defaults for those that were not given."""
        settings = super().settings()
        if settings.get("joint") and settings["per"] != "tree":
            raise ValueError(
                "The 'joint' option of Partitioner('random_order') needs orders that are drawn "
                f"once per tree: set per='tree'. Got per={settings['per']!r} instead."
            )
        return settings

    def native(self) -> _core.Partitioner:
        """Return the partitioner for the native core."""
        settings = self.settings()
        settings.pop("joint", None)  # orders of trees are drawn in Python
        return _core.make_partitioner(self.name, settings)


class Screener(Part):
    """A condition that a nominal column must meet before it is split at a node.

    The name alone, as a string, stands for the condition with its defaults.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.Screener("chi2", alpha=0.05)
    Screener('chi2', alpha=0.05)
    """

    parameter = "screener"

    @classmethod
    @cache
    def known(cls) -> Mapping[str, PartInfo]:
        """Return the screeners by name."""
        return _native_parts(_core.screeners())

    def native(self) -> _core.Screener:
        """Return the screener for the native core."""
        return _core.make_screener(self.name, self.settings())


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, (list, tuple)) else value


def _native_parts(listed: list[Any]) -> Mapping[str, PartInfo]:
    def option(
        name: str, default: Any, summary: str, choices: tuple[str, ...], low: float, high: float
    ) -> Option:
        closed = "right" if isinstance(default, float) else "both"
        return Option(name, default, type(default), summary, choices, low, high, closed)

    return {
        name: PartInfo(line, tuple(option(*o) for o in options)) for name, line, options in listed
    }


def criteria() -> dict[str, str]:
    """Names of the criteria, with one line each.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.criteria()["entropy"]
    'information gain, in bits'
    """
    return {name: summary for name, summary, _ in _core.criteria()}


def partitioners() -> dict[str, str]:
    """Names of the partitioners, with one line each and their options.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.partitioners()["largest_alone"]
    "order by the fraction of the most frequent class; scored_by='criterion' or 'superclasses'"
    """
    return Partitioner.summaries()


def screeners() -> dict[str, str]:
    """Names of the screeners, with one line each and their options.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.screeners()["second_value"]
    'the second most frequent value has at least min_weight rows; min_weight=15'
    """
    return Screener.summaries()


def _set_of(names: Any) -> str:
    return "{" + ", ".join(map(repr, names)) + "}"
