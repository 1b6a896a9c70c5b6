"""What all packages stand on: seeds, deadlines, and warnings that name the caller's line."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from mixedwood import TimeLimitWarning, TreeClassifier, _limits, _random
from mixedwood._limits import Deadline, TimeLimitError, warn_time_limit
from mixedwood._random import choice_seed_of, seed_of, spawn, spawn_seed

STREAMS = [value for value in vars(_random).values() if isinstance(value, _random.Stream)]
KEYS = {"METHOD": (2**20,), "VALIDATION": (2**31,), "LINEAR": (2**31 + 1,)}


def test_streams_keep_their_keys():
    """Another key would be another tree for the same seed."""
    assert len(STREAMS) == 11 and len({stream.name for stream in STREAMS}) == 11
    named = {name: v for name, v in vars(_random).items() if isinstance(v, _random.Stream)}
    assert {name: stream.key for name, stream in named.items() if stream.key} == KEYS
    for stream in STREAMS:
        sequence = np.random.SeedSequence(5, spawn_key=(*stream.key, 3))
        expected = np.random.default_rng(sequence).integers(2**63, size=4)
        np.testing.assert_array_equal(spawn(5, stream, 3).integers(2**63, size=4), expected)
        assert spawn_seed(5, stream, 3) == int(sequence.generate_state(1)[0]) // 2


def test_a_stream_without_key_and_number_is_that_of_the_seed():
    drawn = spawn(7, _random.FOLDS).random(5)
    np.testing.assert_array_equal(drawn, np.random.default_rng(7).random(5))


def test_no_seed_is_a_new_one_or_zero():
    assert seed_of(None) != seed_of(None)
    assert choice_seed_of(None) == 0
    assert choice_seed_of(np.int64(3)) == seed_of(3) == 3
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))
    with pytest.raises(ValueError, match="zero or more; got -1"):
        choice_seed_of(-1)
    with pytest.raises(TypeError, match="got bool"):
        seed_of(True)


def test_deadlines_follow_the_clock(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(_limits, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    deadline = Deadline.after(2.0)
    assert deadline.left() == 2.0 and not deadline.is_over()
    clock[0] = 102.0
    assert deadline.is_over() and deadline.left() == 0.0
    clock[0] = 103.0
    assert deadline.left() == -1.0 and deadline.left(at_least=1e-3) == 1e-3
    assert Deadline.after(math.inf) == Deadline() == _limits.NO_DEADLINE


def test_whoever_catches_timeouts_catches_time_limits():
    assert issubclass(TimeLimitError, TimeoutError)
    with pytest.raises(TimeoutError, match="over"):
        raise TimeLimitError("over")


def test_warnings_of_limits_name_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_time_limit("too late")
        x = np.arange(4000) % 997
        TreeClassifier(time_limit=1e-9).fit({"x": x}, x % 2)
    assert {w.category for w in caught} == {TimeLimitWarning}
    assert {w.filename for w in caught} == {__file__}
