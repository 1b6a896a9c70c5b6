"""Random trees over a small schema, with every kind of test, and random tables for them."""

import numpy as np

from mixedwood.data import Column, Schema, Table
from mixedwood.tree import FRACTIONAL, STOP, Tree, TreeBuilder

SCHEMA = Schema(
    (
        Column("colour", "nominal", ("blue", "green", "pink", "red", "teal")),
        Column("size", "ordinal", ("S", "M", "L", "XL")),
        Column("age", "numeric"),
        Column("income", "numeric"),
    )
)
CLASSES = ["maybe", "no", "yes"]


def random_tree(seed, n_tests=12, fractional=False, all_values=False):
    """Grow at random leaves; counts are random and do not add up."""
    rng = np.random.default_rng(seed)
    builder = TreeBuilder(SCHEMA, CLASSES, rng.integers(1, 30, 3))
    leaves = [0]
    for _ in range(n_tests):
        node = leaves.pop(rng.integers(len(leaves)))
        leaves += _split(builder, node, rng, fractional, all_values)
    return builder.build()


def _split(builder, node, rng, fractional, all_values):
    kind = rng.integers(4)
    n = int(rng.integers(2, 5)) if kind == 2 else 2
    counts = rng.integers(0, 30, (n, 3))
    sides = [STOP, *range(n), *([FRACTIONAL] * fractional)]
    missing, unseen = int(rng.choice(sides)), int(rng.choice(sides))
    if kind == 3:
        weights = {"income": float(rng.normal()), "age": float(rng.normal())}
        weights |= {
            ("colour", v): float(rng.normal(0, 9)) for v in rng.permutation(["red", "blue"])
        }
        weights |= {"size": float(rng.normal())}
        keep = rng.random(5) < 0.6
        weights = {key: w for (key, w), kept in zip(weights.items(), keep, strict=True) if kept}
        fill = {n: 7.0 for n in ("income", "size") if n in weights and rng.random() < 0.5}
        sides = {"missing": missing, "fill": fill}
        return builder.split_linear(node, weights, float(rng.normal()), counts, **sides)
    sides = {"missing": missing, "unknown": unseen}
    if kind in (1, 2):
        column = SCHEMA["colour"] if rng.random() < 0.8 else SCHEMA["size"]
        known = list(column.categories)
        if not all_values:
            known = [v for v in known if rng.random() < 0.8]
        place = rng.integers(0, n, len(known))
        groups = [[v for v, p in zip(known, place, strict=True) if p == g] for g in range(n)]
        return builder.split_categories(node, column.name, counts, groups, **sides)
    name = str(rng.choice(["age", "income", "size", "age"]))
    step = 1 if name == "size" else 10
    low, high = sorted(rng.integers(-1, 5, 2) * float(step))
    low = -np.inf if rng.random() < 0.5 else low
    high = np.inf if rng.random() < 0.2 else high
    return builder.split_interval(node, name, counts, low=low, high=high, **sides)


def random_table(seed, n_rows=60, gaps=False):
    """Rows on and between the thresholds; with `gaps`, missing and unseen values too."""
    rng = np.random.default_rng(seed)
    least = -2 if gaps else 0
    numbers = [rng.integers(-10, 46, n_rows).astype(float) for _ in range(2)]
    if gaps:
        for array in numbers:
            array[rng.random(n_rows) < 0.2] = np.nan
            array[rng.random(n_rows) < 0.1] = np.inf
    codes = [rng.integers(least, n, n_rows).astype(np.int32) for n in (5, 4)]
    return Table(SCHEMA, (*codes, *numbers))


def chain_tree(depth):
    """A tree of one test below the other, made of arrays."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    children = np.arange(1, n)
    offsets = np.concatenate([[0], np.cumsum(np.where(inner, 2, 0))])
    none, minus = np.zeros(n + 1), np.full(n, -1)
    counts = np.column_stack([np.ones(n), n - np.arange(n)])
    return Tree(
        schema=Schema((Column("x", "numeric"),)), classes=np.array(["no", "yes"]),
        split_kind=inner, column=np.where(inner, 0, -1), low=np.full(n, -np.inf),
        high=np.arange(n) / 2, child_offset=offsets, children=children, category_offset=none,
        category_code=[], category_child=[], missing_child=minus, unknown_child=minus,
        weighted_n_node_samples=counts.sum(1), statistics=counts, label=np.ones(n),
        score=np.zeros(n),
    )  # fmt: skip
