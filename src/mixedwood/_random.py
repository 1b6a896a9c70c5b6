"""Seeds: what `random_state` means, and which random numbers come of it.

Everything random is drawn from a *stream*, which is found by a seed, the name of the stream and
some numbers. A member of an ensemble, a round of boosting and a repetition of folds therefore have
the same random numbers whatever is drawn for others, in whichever order.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "FOLDS",
    "HALVES",
    "LANDMARKS",
    "LINEAR",
    "MEMBER",
    "METHOD",
    "ORDERS",
    "REPETITION",
    "ROUND",
    "STUDY",
    "VALIDATION",
    "RandomState",
    "Stream",
    "choice_seed_of",
    "seed_of",
    "seeds_of",
    "spawn",
    "spawn_seed",
]

RandomState: TypeAlias = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None


class Stream(NamedTuple):
    """The name of a stream, and the numbers that its spawn key begins with."""

    name: str
    key: tuple[int, ...] = ()


# Streams with the same key and numbers are the same numbers for one seed. A key of its own for each
# would be cleaner, and other trees for the same `random_state`.
FOLDS = Stream("rows into folds, and rows held out to choose by")
HALVES = Stream("rows into the halves of growing and pruning")
LANDMARKS = Stream("rows that a kernel is compared with")
ORDERS = Stream("random orders of values")
MEMBER = Stream("members of an ensemble, by number")
ROUND = Stream("rounds of boosting, by number")
REPETITION = Stream("repeated divisions into folds, by number")
STUDY = Stream("tasks of a study, by repetition and further numbers")
METHOD = Stream("methods of a comparison, by fold", (2**20,))
VALIDATION = Stream("rows held out for early stopping", (2**31,))
LINEAR = Stream("rows that a linear model is fitted on", (2**31 + 1,))


def seed_of(random_state: RandomState) -> int:
    """Turn whatever scikit-learn calls a random state into one integer seed; None is a new one.

    Examples
    --------
    >>> seed_of(7)
    7
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state must be zero or more; got {random_state}.")
        return int(random_state) % 2**64
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    raise TypeError(
        "random_state must be None, a whole number, a numpy Generator or a RandomState; "
        f"got {type(random_state).__name__}."
    )


def choice_seed_of(random_state: RandomState) -> int:
    """Like `seed_of`, but None is 0: for divisions of rows that only choose something.

    Folds of pruning and tuning and rows that are held out to choose a parameter are the same every
    time, as scikit-learn's ``cv=5`` is. Only what makes a model random is fresh without a seed.

    Examples
    --------
    >>> choice_seed_of(None)
    0
    """
    return seed_of(0 if random_state is None else random_state)


def seeds_of(random_state: RandomState) -> tuple[int, int]:
    """Give the seed of what is random in a model, and that of divisions that only choose.

    Examples
    --------
    >>> seeds_of(7), seeds_of(None)[1]
    ((7, 7), 0)
    """
    seed = seed_of(random_state)
    return seed, 0 if random_state is None else seed


def spawn(seed: int, stream: Stream, *numbers: int) -> np.random.Generator:
    """Give the random numbers of a stream.

    Examples
    --------
    >>> spawn(0, MEMBER, 3).integers(100) == spawn(0, MEMBER, 3).integers(100)
    np.True_
    """
    return np.random.default_rng(_sequence(seed, stream, numbers))


def spawn_seed(seed: int, stream: Stream, *numbers: int) -> int:
    """Give a seed from a stream; it has 31 bits, as many as scikit-learn takes.

    Examples
    --------
    >>> spawn_seed(0, METHOD, 1) == spawn_seed(0, METHOD, 2)
    False
    """
    return int(_sequence(seed, stream, numbers).generate_state(1, np.uint32)[0] >> 1)


def _sequence(seed: int, stream: Stream, numbers: tuple[int, ...]) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(*stream.key, *numbers))
