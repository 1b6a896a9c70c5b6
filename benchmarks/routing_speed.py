"""Speed of answering alone: the same tree in scikit-learn and in mixedwood, and trees of the peers.

    python benchmarks/routing_speed.py [--sets adult covertype nominal] [--depths 6 10 none]

A tree that scikit-learn grew on ordinal codes is copied: a threshold on the codes of a nominal
column becomes a subset test. Both must give the same answers. LightGBM and YDF answer with trees of
their own, to the same depth; see `tree_contenders.py` for their settings. Processor time, best of
several runs, in turns. `one row` is a call with one row. With `--shuffle` rows come in random
order: a data set in an order of its own, as covertype, lets a processor guess where the next row
goes, which helps scikit-learn, and rows as they come in practice may not.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from tree_contenders import Data, LightGBM, SklearnOrdinal, Ydf, load_data

from mixedwood.data import Schema, Table, read_table
from mixedwood.tree import STOP, SplitKind, Tree


def copy_tree(model, schema: Schema, names: list[str]) -> Tree:
    """The same tree over a typed table; `names` are the columns as scikit-learn saw them."""
    its = model.tree_
    leaf = its.children_left < 0
    column = np.array([schema.position(names[f]) if f >= 0 else -1 for f in its.feature])
    nominal = np.array([c >= 0 and not schema.columns[c].is_numeric for c in column])
    codes = [
        np.arange(schema.columns[c].n_categories) if test else np.arange(0)
        for c, test in zip(column, nominal, strict=True)
    ]
    sides = [(c > t).astype(np.int32) for c, t in zip(codes, its.threshold, strict=True)]
    kind = np.where(nominal, SplitKind.SUBSET, SplitKind.INTERVAL)
    counts = its.value[:, 0, :] * its.weighted_n_node_samples[:, None]
    n = its.node_count
    # Missing categories have the code -1 there, below every threshold.
    missing = np.where(nominal, 0, 1 - its.missing_go_to_left)
    return Tree(
        schema=schema,
        classes=model.classes_,
        split_kind=np.where(leaf, SplitKind.LEAF, kind),
        column=column,
        low=np.full(n, -np.inf),
        high=np.where(leaf | nominal, np.inf, its.threshold),
        child_offset=np.concatenate([[0], np.cumsum(np.where(leaf, 0, 2))]),
        children=np.stack([its.children_left, its.children_right], axis=1)[~leaf].ravel(),
        category_offset=np.concatenate([[0], np.cumsum([len(c) for c in codes])]),
        category_code=np.concatenate(codes),
        category_child=np.concatenate(sides),
        missing_child=np.where(leaf, STOP, missing),
        unknown_child=np.where(leaf, STOP, 0),
        weighted_n_node_samples=its.weighted_n_node_samples,
        statistics=counts,
        label=counts.argmax(axis=1),
        score=np.zeros(n),
    )


def best_of(calls: dict, rounds: int) -> dict[str, float]:
    """Least milliseconds of each call, in turns."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], 1e3 * (time.process_time() - start))
    return best


def calls_for(table: Table, its: SklearnOrdinal, model, tree: Tree) -> dict:
    """What is timed of ours and of scikit-learn's."""
    one, its_one = table.take([0]), its.X[:1]
    return {
        "mixedwood apply": lambda: tree.apply(table),
        "mixedwood predict": lambda: tree.predict(table),
        "mixedwood predict_proba": lambda: tree.predict_proba(table),
        "mixedwood, one row": lambda: tree.predict(one),
        "scikit-learn apply": lambda: model.apply(its.X),
        "scikit-learn predict": lambda: its.predict(model),
        "scikit-learn predict_proba": lambda: model.predict_proba(its.X),
        "scikit-learn, one row": lambda: model.predict(its_one),
    }


def main() -> None:
    """Print one table per set and depth."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=["adult", "nominal", "covertype"])
    parser.add_argument("--depths", nargs="+", default=["6", "10", "none"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--shuffle", action="store_true")
    parser.add_argument("--ours-only", action="store_true", help="leave LightGBM and YDF out")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for set_name in args.sets:
        data = load_data(set_name)
        if args.shuffle:
            order = np.random.default_rng(0).permutation(len(data.y))
            data = Data(data.name, data.X.iloc[order], data.y[order], data.nominal)
        table = read_table(data.X)
        its = SklearnOrdinal(data)
        others = [] if args.ours_only else [LightGBM(data), Ydf(data)]
        for depth in [None if d == "none" else int(d) for d in args.depths]:
            model = its.fit(depth)
            tree = copy_tree(model, table.schema, [*data.nominal, *data.numeric])
            assert (tree.predict(table) == its.predict(model)).all()
            calls = calls_for(table, its, model, tree)
            for other in others:
                if depth is None or (set_name == "nominal" and isinstance(other, Ydf)):
                    continue  # takes minutes to grow
                theirs = other.fit(depth)
                calls[f"{other.name} predict"] = lambda o=other, m=theirs: o.predict(m)
            print(f"{data.name}, {len(data.y)} rows, depth {depth}: {tree!r}")
            for name, ms in best_of(calls, args.rounds).items():
                print(f"  {name:<28} {ms:>9.3f} ms", flush=True)


if __name__ == "__main__":
    main()
