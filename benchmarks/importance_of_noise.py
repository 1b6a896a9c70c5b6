"""Whether a noise column of many categories looks important: by gain, and by permutation.

Each table gets one more nominal column, whose categories are drawn at random, a number of them for
every few rows. An unpruned tree and a forest are grown on two thirds of the rows, with the choice
of columns by score (``selection="score"``, as in CART) and with the default. Gain is taken from
training, permutation importance from the other rows. All is repeated with other rows and other
noise: by chance, a column of noise does fit some test rows, which shuffling cannot know. Printed:
the rank of the noise column by the mean over the draws, 1 for the most important.

    MIXEDWOOD_DATA=... python benchmarks/importance_of_noise.py --page docs/results/importances.md
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import mixedwood as mw

TABLES = ("generated", "adult", "german", "credit-default", "shelter-animal-outcomes", "mushroom")
MAX_ROWS = 2000
NOISE = "noise"
MODELS = {
    "tree": lambda **more: mw.TreeClassifier(pruning=None, random_state=0, **more),
    "forest": lambda **more: mw.ForestClassifier(
        mw.TreeClassifier(pruning=None, max_features="sqrt", **more),
        n_estimators=50,
        random_state=0,
    ),
}


def every_column_matters(rng):
    """Two numbers and two columns of four categories, whose sum decides; 10 % are wrong."""
    numbers = rng.normal(size=(MAX_ROWS, 2))
    codes = rng.integers(4, size=(MAX_ROWS, 2))
    total = numbers.sum(axis=1) + np.array([-1.5, -0.5, 0.5, 1.5])[codes].sum(axis=1)
    y = (total > 0) ^ (rng.random(MAX_ROWS) < 0.1)
    columns = {f"x{i}": numbers[:, i] for i in range(2)}
    columns |= {f"c{i}": np.array(list("abcd"))[codes[:, i]] for i in range(2)}
    return pd.DataFrame(columns), np.where(y, "yes", "no")


def load(name, rng):
    """Columns and classes of some rows of a table, with the column of noise."""
    if name == "generated":
        X, y = every_column_matters(rng)
    else:
        data = mw.datasets.load(name, frame="pandas")
        rows = rng.permutation(len(data.X))[:MAX_ROWS]
        X, y = data.X.iloc[rows].reset_index(drop=True), np.asarray(data.y)[rows]
    X[NOISE] = [f"v{k}" for k in rng.integers(len(X) // 4, size=len(X))]
    return X, y


def rank_of_noise(values):
    """Rank of the last column, 1 for the largest; ties get the middle."""
    return float(rankdata(-np.asarray(values))[-1])


def measure(name, n_draws, n_repeats):
    for kind, make in MODELS.items():
        for selection in ("score", "adjusted"):
            gains, means = [], []
            for draw in range(n_draws):
                rng = np.random.default_rng(draw)
                X, y = load(name, rng)
                train = np.arange(len(y)) % 3 > 0
                model = make(selection=selection).fit(X[train], y[train])
                found = model.importances(
                    X[~train], y[~train], n_repeats=n_repeats, random_state=draw
                )
                gains.append(found.gain)
                means.append(found.mean)
            gain, mean = np.mean(gains, axis=0), np.mean(means, axis=0)
            of_noise = np.array(means)[:, -1]
            yield {
                "table": name,
                "columns": X.shape[1],
                "model": kind,
                "selection": selection,
                "gain": gain[-1],
                "gain_rank": rank_of_noise(gain),
                "mean": mean[-1],
                "error": of_noise.std(ddof=1) / np.sqrt(n_draws),
                "rank": rank_of_noise(mean),
            }


HEAD = """# Importance of a column of noise

A column that has nothing to do with the class, with one category for every four rows, is added to each table. An
unpruned tree and a forest of 50 trees are grown on two thirds of at most 2,000 rows. *Gain* is `feature_importances_`, from
training; *permutation* is `model.importances(X, y)` on the other rows: the loss of accuracy when the column is shuffled.
All figures are means over eight draws of rows and noise, with the standard error over the draws. Ranks are from 1, the most
important, to the number of columns; equal columns share the mean of their ranks.

`selection="score"` chooses columns by their score, as CART does: then the column of noise has the largest gain, since many
categories separate the training rows by chance. By permutation it is worth nothing, up to chance: predictions of new rows get
no worse without it. In the generated table all other columns matter, and it is the last. Where it is not, other columns are
worth nothing as well, and the order of such columns is chance. With the default, [the fair choice of columns](fair-choice.md), trees hardly use it in the first place.

| table | columns | model | selection | gain of the noise | rank by gain | permutation | rank by permutation |
|---|---:|---|---|---:|---:|---:|---:|
"""  # noqa: E501


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--page", type=Path)
    args = parser.parse_args()
    lines = []
    for name in args.tables:
        for row in measure(name, args.draws, args.repeats):
            lines.append(
                f"| {row['table']} | {row['columns']} | {row['model']} | `{row['selection']}` | "
                f"{row['gain']:.3f} | {row['gain_rank']:g} | "
                f"{row['mean']:+.4f} ± {row['error']:.4f} | {row['rank']:g} |"
            )
            print(lines[-1], flush=True)
    if args.page:
        end = "\n\nCommand: `python benchmarks/importance_of_noise.py --page PAGE.md`\n"
        args.page.write_text(HEAD + "\n".join(lines) + end, "utf-8")


if __name__ == "__main__":
    main()
