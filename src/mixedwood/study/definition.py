"""A study as plain values.

A study has data sets and methods, each defined once; *runs*, which say what is done at every point
of a grid; and *tables*, *figures* and *claims*, which say what the results are put beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Claim", "Figure", "Run", "Study", "StudyError", "Table"]


class StudyError(ValueError):
    """A study file says something that cannot be done."""


@dataclass(frozen=True)
class Run:
    """Something that is done at every point of a grid.

    `task` names what is done; each of the `axes` lists values of one name; `settings` are the same
    for all points. Points that agree with an entry of `leave_out` in all its names are left out; an
    entry gives one value of a name, or a list of them.
    """

    name: str
    task: str
    axes: Mapping[str, tuple[Any, ...]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    leave_out: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Table:
    """Results of a run as rows and columns, beside what is published.

    `rows` and `columns` are names of axes; or ``"figure"``, for the `figures` that the task gives.
    `where` chooses points by the values of other axes; what is left is averaged. `pairs` names two
    columns, `a` and `b`, that are compared row by row, the `published` p-values, and as `overlap`
    the test rows for each training row where repetitions share rows: a number, or the name of a
    figure. If it is not `judged`, what is published is
    only shown: the times of another computer, say.

    `best` says over which axes only the best point counts: ``{over = ["depth"], by = "accuracy"}``
    takes the depth with the highest accuracy, whatever figure is shown; with ``least = true`` the
    lowest. `minus` names values of axes: from each figure that of the same point with these values
    is taken away, and points without such a partner are left out.

    With `relative_to`, the title of a column, every row is divided by its figure there, and the
    published row by the published figure. `summary` may be ``"largest"``, in place of the mean.
    With `same_spread`, published figures without a spread are taken to be as uncertain as ours.
    """

    name: str
    title: str
    run: str
    figures: tuple[str, ...]
    rows: str = "set"
    columns: str = "method"
    where: Mapping[str, Any] = field(default_factory=dict)
    best: Mapping[str, Any] = field(default_factory=dict)
    minus: Mapping[str, Any] = field(default_factory=dict)
    factor: float = 1.0
    digits: int = 1
    published: Mapping[str, Any] = field(default_factory=dict)
    published_runs: int = 0  # over how many runs a published spread goes
    check: Mapping[str, Any] = field(default_factory=dict)
    check_runs: int = 0
    pairs: Mapping[str, Any] = field(default_factory=dict)
    judged: bool = True
    relative_to: str = ""
    summary: str = "mean"  # or "largest"
    same_spread: bool = False
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Results of a run as lines: `y` over the values of the axis `x`, one line per `series`.

    Each value of `panels`, another axis, has a picture of its own. `x` may be ``"place"``: the
    places of a figure that is a list, such as the errors after 1, 2, ... members. With the kind
    ``"points"``, `x` is a figure as `y` is. `best` and `minus` are those of a table; the latter
    changes `y` alone.
    """

    name: str
    title: str
    run: str
    y: str
    x: str
    series: str = "method"
    panels: str = "set"
    where: Mapping[str, Any] = field(default_factory=dict)
    best: Mapping[str, Any] = field(default_factory=dict)
    minus: Mapping[str, Any] = field(default_factory=dict)
    factor: float = 1.0
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False
    kind: str = "lines"  # or "boxes", "bars", "points"
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """What a paper says, and what must be seen for it to hold."""

    text: str
    checks: tuple[Mapping[str, Any], ...]
    note: str = ""


@dataclass(frozen=True)
class Study:
    """A study: what is done, and what its results are put beside. `load` reads one.

    Attributes
    ----------
    name, title, paper, about : str
        What it is called, and what it is about.
    sets, methods : mapping of str to mapping
        Definitions by name.
    runs : mapping of str to Run
        What is done.
    tables : tuple of Table
    figures : tuple of Figure
    claims : tuple of Claim
    remarks : mapping of str to str
        Why a cell of a table is far from the published one, by ``"table / row / column"``.
    quick : bool
        Whether it is the short form.
    folder : str
        Where its file is: modules of its own tasks are looked for there, too.
    """

    name: str
    title: str
    paper: str
    about: str
    sets: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Mapping[str, Any]]
    runs: Mapping[str, Run]
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    remarks: Mapping[str, str]
    quick: bool = False
    folder: str = ""

    def title_of(self, axis: str, value: Any) -> str:
        """What the paper calls a value of an axis."""
        known = {"set": self.sets, "method": self.methods}.get(axis, {})
        return (
            str(known.get(value, {}).get("title", value))
            if axis in ("set", "method")
            else (str(value))
        )
