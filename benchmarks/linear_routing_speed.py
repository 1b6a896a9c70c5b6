"""Speed of answering with linear tests, beside numpy's matrix product on one-hot columns.

    python benchmarks/linear_routing_speed.py [--rows 200000] [--depth 5]

Full trees with random weights over numbers and nominal columns of eight values. numpy adds up the
tests of all nodes at once and then walks level by level; making its one-hot columns is not timed.
Both must give the same answers. Processor time, best of several runs, in turns.
"""

from __future__ import annotations

import argparse

import numpy as np
from routing_speed import best_of

from mixedwood.data import Column, Schema, Table
from mixedwood.tree import Tree, TreeBuilder

VALUES = tuple("abcdefgh")


def random_tree(schema: Schema, depth: int, rng: np.random.Generator) -> Tree:
    """A full tree whose tests weigh every number and every value."""
    builder = TreeBuilder(schema, ["no", "yes"], [1, 1])
    for node in range(2**depth - 1):  # children are numbered level by level
        weights = {}
        for column in schema:
            keys = [column.name] if column.is_numeric else [(column.name, v) for v in VALUES]
            weights |= {key: float(rng.normal()) for key in keys}
        builder.split_linear(node, weights, 0.0, [[1, 1], [1, 1]])
    return builder.build()


def one_hot(table: Table) -> np.ndarray:
    """Numbers, and a column of zeros and ones for each value, in the order of the terms."""
    parts = [a[:, None] if c.is_numeric else np.eye(len(VALUES))[a]
             for c, a in zip(table.schema, table.arrays, strict=True)]  # fmt: skip
    return np.hstack(parts)


def walk(X: np.ndarray, W: np.ndarray, depth: int) -> np.ndarray:
    """The node that answers each row, with numpy."""
    right = X @ W.T <= 0
    node, rows = np.zeros(len(X), np.int64), np.arange(len(X))
    for _ in range(depth):
        node = 2 * node + 1 + right[rows, node]
    return node


def main() -> None:
    """Print one table per mixture of columns."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--depth", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    for n_numbers, n_nominal in [(10, 0), (50, 0), (0, 10), (20, 10)]:
        numbers = [Column(f"x{i}", "numeric") for i in range(n_numbers)]
        nominal = [Column(f"c{i}", "nominal", VALUES) for i in range(n_nominal)]
        schema = Schema((*numbers, *nominal))
        arrays = [rng.normal(size=args.rows) for _ in numbers]
        arrays += [rng.integers(0, len(VALUES), args.rows).astype(np.int32) for _ in nominal]
        table, tree = Table(schema, tuple(arrays)), random_tree(schema, args.depth, rng)
        X, W = one_hot(table), tree.term_weight.reshape(2**args.depth - 1, -1)
        # Sums in another order may differ in the last digit: hardly ever on another side of zero.
        assert (tree.apply(table) == walk(X, W, args.depth)).mean() > 1 - 1e-6
        print(f"{n_numbers} numbers, {n_nominal} nominal, {args.rows} rows: {tree!r}")
        calls = {
            "mixedwood apply": lambda tree=tree, table=table: tree.apply(table),
            "numpy": lambda X=X, W=W: walk(X, W, args.depth),
        }
        for name, ms in best_of(calls, args.rounds).items():
            print(
                f"  {name:<18} {ms:>8.1f} ms, {1e6 * ms / args.rows:>6.0f} ns per row", flush=True
            )


if __name__ == "__main__":
    main()
