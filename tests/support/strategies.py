"""Random tables and trees, shared by the tests."""

import numpy as np
from hypothesis import strategies as st

from mixedwood.data import Column, Schema, Table, Target
from mixedwood.tree import TreeBuilder


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


SCHEMA = Schema(
    (
        Column("colour", "nominal", ("blue", "green", "red", "white")),
        Column("size", "ordinal", ("S", "M", "L")),
        Column("age", "numeric"),
        Column("income", "numeric"),
    )
)


def random_tree(rng, n_splits=6, fractional=False):
    """A tree over SCHEMA with tests of every kind, sides drawn at random."""
    classes = ["no", "maybe", "yes"]
    builder = TreeBuilder(SCHEMA, classes, rng.integers(0, 9, 3))
    leaves = [0]

    def side(n_children):
        low = -2 if fractional else -1
        return int(rng.integers(low, n_children))

    def counts(n_children):
        return [rng.integers(0, 9, 3) for _ in range(n_children)]

    for _ in range(n_splits):
        node = leaves.pop(int(rng.integers(len(leaves))))
        kind = rng.integers(5)
        if kind == 0:
            cut = float(rng.normal())
            new = builder.split_interval(
                node, "age", counts(2), high=cut, low=cut - rng.choice([0.7, np.inf]),
                missing=side(2), unknown=side(2),
            )  # fmt: skip
        elif kind == 1:
            new = builder.split_interval(
                node, "size", counts(2), high=float(rng.integers(0, 2)),
                missing=side(2), unknown=side(2),
            )  # fmt: skip
        elif kind == 2:
            weights, fill = random_sum(rng)
            new = builder.split_linear(
                node, weights, rng.normal(), counts(2), fill=fill, missing=side(2)
            )
        else:
            n_groups = 2 if kind == 3 else 3
            labels = list(rng.permutation(SCHEMA["colour"].categories)[: rng.integers(3, 5)])
            groups = [labels[g::n_groups] for g in range(n_groups)]
            new = builder.split_categories(
                node, "colour", counts(n_groups), groups,
                missing=side(n_groups), unknown=side(n_groups),
            )  # fmt: skip
        leaves += new
    return builder.build()


def random_sum(rng):
    """Weights for a linear test over SCHEMA, and what stands in for missing numbers."""
    asked = ["age", "income", "size"]
    asked += [(name, v) for name in ("colour", "size") for v in SCHEMA[name].categories]
    chosen = [asked[i] for i in rng.permutation(len(asked))[: rng.integers(0, 7)]]
    weights = {key: float(rng.normal() * (rng.random() < 0.9)) for key in chosen}
    fill = {key: float(rng.normal()) for key in chosen if isinstance(key, str)}
    return weights, {key: x for key, x in fill.items() if rng.random() < 0.6}


def random_rows(rng, n_rows):
    """A table over SCHEMA with missing, unseen and infinite values."""
    age, income = rng.normal(size=(2, n_rows))
    age[rng.random(n_rows) < 0.1] = np.nan
    for array in (age, income):
        odd = rng.random(n_rows) < 0.05
        array[odd] = rng.choice([-np.inf, np.inf], odd.sum())
    return Table(
        SCHEMA,
        (
            rng.integers(-2, 4, n_rows).astype(np.int32),
            rng.integers(-2, 3, n_rows).astype(np.int32),
            age,
            income,
        ),
    )


_LABELS = {"nominal": tuple("abcd"), "ordinal": ("low", "mid", "high", "top")}


@st.composite
def problems(draw, kinds=("nominal", "ordinal", "numeric"), missing=True, max_rows=14, real=None):
    """Small tables with classes to be learned: few different cells, so that much is equal.

    With `real`, weights are fractions that no sums make equal; else whole numbers or none.
    """
    n = draw(st.integers(1, max_rows))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3))
    columns, arrays = [], []
    for place, kind in enumerate(chosen):
        least = -1 if missing and draw(st.booleans()) else 0
        cells = draw(st.lists(st.integers(least, 3), min_size=n, max_size=n))
        if kind == "numeric":
            numbers = np.array([np.nan, -1.5, 0.0, 0.25, 7.0])
            arrays.append(numbers[np.array(cells) + 1])
        else:
            arrays.append(np.array(cells, dtype=np.int32))
        columns.append(Column(f"c{place}", kind, _LABELS.get(kind, ())))
    n_classes = draw(st.integers(2, 3))
    codes = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    if real is None:
        real = draw(st.booleans())
    if real:
        weights = np.random.default_rng(draw(st.integers(0, 2**32))).uniform(0.2, 3, n)
    elif draw(st.booleans()):
        weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), float)
        weights[0] = max(weights[0], 1.0)
    else:
        weights = None
    table = Table(Schema(tuple(columns)), tuple(arrays))
    target = Target(
        np.array(["no", "perhaps", "yes"])[:n_classes], np.array(codes, np.int32), weights
    )
    return table, target
