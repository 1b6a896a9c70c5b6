"""How many cases a test tries: two fifths by default, all of them in `make test-long`."""

import os

LONG = os.environ.get("MIXEDWOOD_TESTS") == "long"


def cases(n: int) -> int:
    """The number of examples or seeds, of `n` in the long run."""
    return n if LONG else -(-2 * n // 5)
