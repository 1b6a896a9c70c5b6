"""Split one column of a table, three ways to say the same thing.

The idea: everything that matters about a nominal column at a node is the table of its values
against the classes. Count it yourself, let pandas count it, or let the library do it; then ask for
the best grouping of the values and read off who goes where and whether that is proven best.
"""

import mixedwood as mw


def main() -> None:
    data = mw.datasets.load("tic-tac-toe", frame="dict")
    column = next(iter(data.X))

    # 1. From the column and the classes.
    counts, values, classes = mw.splits.count_values(data.X[column], data.y)
    print(f"column {column!r}: values {values.tolist()}, classes {classes.tolist()}")
    print(counts)

    # 2. From a table you already have; the rows of a pandas crosstab lend their names.
    found = mw.splits.best_partition(counts)
    left, right = found.labels(values.tolist())
    print(f"\nbest split: {left} against {right}")
    print(f"Gini {found.impurity_before:.4f} -> {found.impurity:.4f}, proven best: {found.exact}")

    # 3. Which column is worth splitting? Rank by gain, and test for chance.
    print(f"\n{'column':20}  {'gain':6}  log10(p)")
    ranking = []
    for name, cells in data.X.items():
        counts, _, _ = mw.splits.count_values(cells, data.y)
        gain = mw.splits.best_partition(counts).score
        ranking.append((gain, mw.splits.chi2_test(counts).log10_p, name))
    for gain, log10_p, name in sorted(ranking, reverse=True):
        print(f"{name:20}  {gain:.4f}  {log10_p:8.2f}")


if __name__ == "__main__":
    main()
