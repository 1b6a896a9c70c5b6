"""The parts of a split search as Python values: criteria, partitioners and acceptors.

A criterion says how good a grouping is, a partitioner says which groupings are tried, an acceptor
says whether a nominal column may be used at a node at all. All are known by name; partitioners and
acceptors may carry options, and a criterion may be written in Python.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core

__all__ = ["Acceptor", "Criterion", "Partitioner", "acceptors", "criteria", "partitioners"]

_MOST = 1_000_000  # largest option that is a number, as in the core's registry


class Criterion(ABC):
    """A criterion written in Python; subclass it and write ``score``.

    Use it to try an idea: a score costs some microseconds of calling, a native one a few
    nanoseconds. A criterion that proves its worth becomes one small file of the core (see
    CONTRIBUTING).

    Attributes
    ----------
    name : str
        What results and messages call it; the class's name by default.
    convex : bool, default=False
        Say True only if the score is a convex function of the left group's class weights, as
        gains of concave impurities are. Fast searches are then known to be exact.
    many_groups : bool, default=False
        Whether more than two groups can be scored (``partitioner="multiway"``).
    impurity : {"gini", "entropy"}, default="gini"
        The impurity reported beside the score.

    Examples
    --------
    >>> import mixedwood as mw
    >>> class Accuracy(mw.splits.Criterion):
    ...     '''How many rows more are right when each group answers its commonest class.'''
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
            Class weights of each group. Groups may be empty. Classes are those present.
        """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in cls.__dict__:  # a name is not inherited: it says which class scored
            cls.name = cls.__name__
        if cls.impurity not in ("gini", "entropy"):
            raise ValueError(
                f"{cls.__name__}.impurity is {cls.impurity!r}; use 'gini' or 'entropy'."
            )

    def _native(self) -> _core.PythonCriterion:
        return _core.PythonCriterion(
            self.score, self.convex, self.many_groups, self.impurity == "entropy"
        )


@dataclass(frozen=True)
class _Option:
    """What a caller may set on a partitioner."""

    name: str
    default: object
    summary: str
    choices: tuple[str, ...]

    def encode(self, value: object, owner: str) -> float:
        """Return the number that stands for `value` in the core."""
        if self.choices == ("false", "true"):
            if isinstance(value, (bool, np.bool_)):
                return float(value)
            accepted = "True or False"
        elif self.choices:
            if isinstance(value, str) and value in self.choices:
                return float(self.choices.index(str(value)))
            accepted = " or ".join(map(repr, self.choices))
        else:
            if (
                isinstance(value, (int, np.integer))
                and not isinstance(value, bool)
                and 1 <= value <= _MOST
            ):
                return float(value)
            accepted = f"a whole number from 1 to {_MOST}"
        raise ValueError(
            f"option {self.name!r} of partitioner={owner!r} must be {accepted}; got {value!r}."
        )


@cache
def _known_criteria() -> dict[str, tuple[str, bool]]:
    return {name: (summary, takes_costs) for name, summary, takes_costs in _core.criteria()}


@cache
def _known_partitioners() -> dict[str, tuple[str, dict[str, _Option]]]:
    def option(name: str, default: float, summary: str, choices: list[str]) -> _Option:
        value: object = int(default)
        if choices == ["false", "true"]:
            value = bool(default)
        elif choices:
            value = choices[int(default)]
        return _Option(name, value, summary, tuple(choices))

    return {
        name: (summary, {o[0]: option(*o) for o in options})
        for name, summary, options in _core.partitioners()
    }


def criteria() -> dict[str, str]:
    """Names of the criteria, with one line each.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.criteria()["entropy"]
    'information gain, in bits'
    """
    return {name: summary for name, (summary, _) in _known_criteria().items()}


def partitioners() -> dict[str, str]:
    """Names of the partitioners, with one line each and their options.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.partitioners()["largest_alone"]
    "order by the share of the most frequent class; scored_by='criterion' or 'superclasses'"
    """
    lines = {}
    for name, (summary, options) in _known_partitioners().items():
        for option in options.values():
            values = [option.default]
            if option.choices == ("false", "true"):
                values.append(not option.default)
            else:
                values += [c for c in option.choices if c != option.default]
            summary += f"; {option.name}={' or '.join(map(repr, values))}"
        lines[name] = summary
    return lines


@dataclass(frozen=True)
class Partitioner:
    """A search for groupings, with options.

    The name alone, as a string, stands for the search with its defaults.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.Partitioner("max_cut_sdp", roundings=10, local_search=False)
    Partitioner('max_cut_sdp', roundings=10, local_search=False)
    """

    name: str
    options: Mapping[str, object] = field(default_factory=dict)

    def __init__(self, name: str, **options: object) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(options))
        self._encoded()  # says now what is wrong, not at first use

    def __repr__(self) -> str:
        settings = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"Partitioner({self.name!r}{settings})"

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options.items()))))

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "options": dict(self.options)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["name"], **state["options"])  # type: ignore[misc]

    def _encoded(self) -> dict[str, float]:
        known = _known_partitioners()
        if self.name not in known:
            raise ValueError(
                f"partitioner={self.name!r} is not known. Use one of {', '.join(map(repr, known))}."
            )
        options = known[self.name][1]
        encoded = {}
        for key, value in self.options.items():
            if key not in options:
                has = f"It has {', '.join(map(repr, options))}." if options else "It has none."
                raise ValueError(f"partitioner={self.name!r} has no option {key!r}. {has}")
            encoded[key] = options[key].encode(value, self.name)
        return encoded


def read_partitioner(partitioner: object) -> Partitioner:
    """Accept a name for the search with its defaults."""
    if isinstance(partitioner, Partitioner):
        return partitioner
    if isinstance(partitioner, str):
        return Partitioner(partitioner)
    raise TypeError(
        f"partitioner must be a name or a Partitioner; got {type(partitioner).__name__}. "
        "For options write e.g. Partitioner('largest_alone', scored_by='superclasses')."
    )


def read_criterion(criterion: object) -> tuple[str, _core.PythonCriterion | None]:
    """Accept a name, or a criterion written in Python; return both forms for the core."""
    if isinstance(criterion, Criterion):
        return criterion.name, criterion._native()
    if isinstance(criterion, str):
        if criterion not in _known_criteria():
            raise ValueError(
                f"criterion={criterion!r} is not known. Use one of "
                f"{', '.join(map(repr, _known_criteria()))}, or a subclass of "
                "mixedwood.splits.Criterion."
            )
        return criterion, None
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        raise TypeError(
            f"criterion is the class {criterion.__name__}; pass an instance: "
            f"criterion={criterion.__name__}()."
        )
    raise TypeError(
        f"criterion must be a name or a mixedwood.splits.Criterion; got {type(criterion).__name__}."
    )


@cache
def _known_acceptors() -> dict[str, tuple[str, str, float, float, float]]:
    return {name: tuple(rest) for name, *rest in _core.acceptors()}  # type: ignore[misc]


def acceptors() -> dict[str, str]:
    """Names of the acceptors, with one line each and their option.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.acceptors()["second_value"]
    'the second most frequent value has at least min_weight rows; min_weight=15'
    """
    return {
        name: f"{summary}; {option}={default:g}"
        for name, (summary, option, default, _, _) in _known_acceptors().items()
    }


@dataclass(frozen=True)
class Acceptor:
    """A condition that a nominal column must meet before it is split at a node.

    The name alone, as a string, stands for the condition with its default.

    Examples
    --------
    >>> import mixedwood as mw
    >>> mw.splits.Acceptor("chi2", max_p=0.05)
    Acceptor('chi2', max_p=0.05)
    """

    name: str
    options: Mapping[str, float] = field(default_factory=dict)

    def __init__(self, name: str, **options: float) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", MappingProxyType(options))
        self._value()  # says now what is wrong, not at first use

    def __repr__(self) -> str:
        settings = "".join(f", {key}={value!r}" for key, value in self.options.items())
        return f"Acceptor({self.name!r}{settings})"

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted(self.options.items()))))

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "options": dict(self.options)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["name"], **state["options"])  # type: ignore[misc]

    def _value(self) -> float:
        known = _known_acceptors()
        if self.name not in known:
            raise ValueError(
                f"acceptor={self.name!r} is not known. Use one of {', '.join(map(repr, known))}."
            )
        _, option, default, least, most = known[self.name]
        for key in self.options:
            if key != option:
                raise ValueError(
                    f"acceptor={self.name!r} has no option {key!r}. It has {option!r}."
                )
        value = self.options.get(option, default)
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if not is_number or isinstance(value, bool) or not least < value <= most:
            raise ValueError(
                f"option {option!r} of acceptor={self.name!r} must be a number above {least:g} and "
                f"at most {most:g}; got {value!r}."
            )
        return float(value)


def read_acceptors(acceptor: object) -> list[tuple[str, float]]:
    """Accept None, a name, an Acceptor, or a list of them; all must agree to a column."""
    if acceptor is None:
        return []
    many = acceptor if isinstance(acceptor, (list, tuple)) else [acceptor]
    read = []
    for one in many:
        if isinstance(one, str):
            one = Acceptor(one)
        if not isinstance(one, Acceptor):
            raise TypeError(
                "acceptor must be None, a name, an Acceptor, or a list of these; "
                f"got {type(one).__name__}."
            )
        read.append((one.name, one._value()))
    return read
