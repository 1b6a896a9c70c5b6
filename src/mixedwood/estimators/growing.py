"""Grow the members of an ensemble, in threads or wherever joblib is told to.

Member i is made of the ensemble's seed and its number alone. It is therefore the same for any
number of workers, however many other members there are, and whether it is grown now or by a later
fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, TypeVar

from joblib import delayed

from mixedwood._limits import Deadline, StopFlag, warn_time_limit
from mixedwood._parallel import ProgressParallel, show_progress

__all__ = ["MakeMember", "grow_members"]

Member = TypeVar("Member", covariant=True)


class MakeMember(Protocol[Member]):
    """Makes one member; it is sent to other processes, so it can be pickled."""

    def __call__(self, number: int, time_limit: float, stop: StopFlag) -> Member:
        """Make the member of that number within the time limit, or until stopped."""


def grow_members(
    make_member: MakeMember[Member],
    numbers: Sequence[int],
    *,
    n_jobs: int | None = None,
    verbose: int = 0,
    time_limit: float = math.inf,
    what: str = "trees",
) -> list[Member]:
    """Make members through joblib, in threads unless another backend is chosen.

    Parameters
    ----------
    make_member : callable
        Takes a number, the seconds that are left and a flag to stop by; it can be pickled.
    numbers : sequence of int
        The members wanted.
    n_jobs : int or None, default=None
        Number of workers.
    verbose : int, default=0
        Whether to show how far it is.
    time_limit : float, default=inf
        Members that are not begun by then are left out, with a warning. The first is always made.
    what : str, default="trees"
        What to call them.

    Returns
    -------
    list
        Members in the order of their numbers.
    """
    stop = StopFlag()
    deadline = Deadline.after(time_limit)

    make = delayed(make_member)

    def tasks() -> Iterator[Any]:
        for place, number in enumerate(numbers):
            left = deadline.left()
            if place and left <= 0:
                return
            yield make(number, max(left, 1e-3), stop)

    with show_progress(len(numbers), verbose, what) as advance:
        # With a time limit, members wait for a free worker here, where the clock is looked at.
        ahead = "2*n_jobs" if math.isinf(time_limit) else "n_jobs"
        parallel = ProgressParallel(
            advance, stop=stop, n_jobs=n_jobs, prefer="threads", pre_dispatch=ahead
        )
        try:
            members: list[Member] = parallel(tasks())
        except BaseException:
            stop.set()
            # Threads that are still in the core when Python ends would take it down with them.
            stop.wait(1.0)
            raise
    if len(members) < len(numbers):
        warn_time_limit(
            f"The time limit came after {len(members)} of {len(numbers)} {what}; the others are "
            "left out."
        )
    return members
