"""Random tables, shared by the tests."""

import numpy as np
from hypothesis import strategies as st


def random_table(rng, n, k, high=8, real=False):
    """Counts 0..high-1, or real weights, without an empty row or column."""
    A = np.zeros((n, k))
    while not (A.sum(0) > 0).all() or not (A.sum(1) > 0).all():
        # Only empty rows are drawn again: a large table would hardly ever come out whole.
        empty = A.sum(1) == 0 if (A.sum(0) > 0).all() else np.ones(n, bool)
        A[empty] = rng.integers(0, high, (empty.sum(), k))
        if real:
            A[empty] *= rng.random((empty.sum(), k))
    return A


def random_tables(seed, count, n_range=(2, 7), k_range=(2, 5), **kwargs):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, k = rng.integers(*n_range, endpoint=True), rng.integers(*k_range, endpoint=True)
        yield random_table(rng, n, k, **kwargs)


@st.composite
def tables(draw, max_values=7, max_classes=5, real=None):
    """Small tables by hypothesis: counts or real weights, empty rows and columns allowed."""
    n = draw(st.integers(1, max_values))
    k = draw(st.integers(1, max_classes))
    if real is None:
        real = draw(st.booleans())
    entry = (
        st.floats(0, 100, allow_subnormal=False).map(lambda x: x if x > 1e-3 else 0.0)
        if real
        else st.integers(0, 9).map(float)
    )
    rows = draw(st.lists(st.lists(entry, min_size=k, max_size=k), min_size=n, max_size=n))
    return np.array(rows)
