"""Generated tables on which the order of categories decides what boosting learns.

Each law is drawn with any number of rows and any seed, so that one draw can have a part in a
choice and another judge it. `load("amazon", "choice")` and `load("amazon", "judge")` are the draws
that the pages use: other seeds, and for some laws other sizes.

- `demo`: the mixed table of `mixedwood demo`: hidden groups of 12 categories beside numbers.
- `xor`: exclusive or of two columns of ten categories, beside six columns of noise.
- `many-values`: 20 columns, half of them nominal with 10 to 10,000 categories, each of which has an
  effect of its own, beside numbers; drawn with 200,000 rows (`--rows` of a script for a million).
- `amazon`: two classes 94 : 6 and nine nominal columns of 70 to 7,500 categories of very different
  frequency; effects of single categories and of pairs. Like the requests for access of Amazon's
  employees, which may not be handed on.
- `names`: four columns of weak effects, and two that name rows or nearly so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

Drawn = tuple[pd.DataFrame, np.ndarray]


def _labels(codes: np.ndarray, rng: np.random.Generator) -> pd.Categorical:
    """Categories whose names say nothing about their effects."""
    n = int(codes.max()) + 1
    names = rng.permutation(n)
    return pd.Categorical.from_codes(names[codes], [f"v{i}" for i in range(n)])


def make_demo(n_rows: int, seed: int) -> Drawn:
    """Draw the mixed table of the demo."""
    from mixedwood.datasets import make_mixed

    data = make_mixed(
        n_rows, n_categorical=4, n_numeric=3, n_categories=12, random_state=seed, frame="pandas"
    )
    return data.X, np.asarray(data.y)


def make_xor(n_rows: int, seed: int) -> Drawn:
    """Exclusive or of two columns of ten categories, 5 % of labels flipped, beside noise."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 10, (n_rows, 8))
    X = pd.DataFrame({f"c{j}": [f"v{code}" for code in codes[:, j]] for j in range(8)})
    flipped = rng.random(n_rows) < 0.05
    return X, (codes[:, 0] % 2) ^ (codes[:, 1] % 2) ^ flipped


def make_many_values(n_rows: int, seed: int) -> Drawn:
    """Ten nominal columns of up to 10,000 categories with an effect each, and ten of numbers."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    score = np.zeros(n_rows)
    sizes = [10, 30, 100, 300, 1000, 1000, 3000, 3000, 10_000, 10_000]
    for j, n_values in enumerate(sizes):
        codes = rng.integers(n_values, size=n_rows)
        columns[f"c{j}"] = _labels(codes, rng)
        score += 0.6 * rng.standard_normal(n_values)[codes]
    for j in range(10):
        x = rng.standard_normal(n_rows)
        columns[f"x{j}"] = x.round(3)
        score += 0.3 * (np.sin(2 * x) if j % 2 else x)
    y = rng.random(n_rows) < 1 / (1 + np.exp(-1.5 * score))
    return pd.DataFrame(columns), y.astype(int)


def make_amazon(n_rows: int, seed: int) -> Drawn:
    """Two classes 94 : 6 by effects of categories and of pairs of them; nine nominal columns."""
    rng = np.random.default_rng(seed)
    sizes = [7500, 4200, 2300, 450, 340, 180, 130, 120, 70]
    codes = []
    for n_values in sizes:
        share = rng.permutation(1.0 / np.arange(1, n_values + 1) ** 0.9)
        codes.append(rng.choice(n_values, n_rows, p=share / share.sum()))
    # Some columns follow others, as a manager follows a department.
    parent = rng.integers(0, sizes[3], sizes[0])
    follows = rng.random(n_rows) < 0.7
    codes[3] = np.where(follows, parent[codes[0]], codes[3])
    score = np.zeros(n_rows)
    for code, n_values, size in zip(
        codes, sizes, [1.3, 0.9, 0.4, 0.7, 0.3, 0, 0.5, 0, 0.2], strict=True
    ):
        score += size * rng.standard_normal(n_values)[code]
    for a, b, size in [(1, 3, 0.8), (4, 6, 0.8), (3, 8, 0.5)]:
        score += size * rng.standard_normal((sizes[a], sizes[b]))[codes[a], codes[b]]
    noisy = score + rng.logistic(size=n_rows) * 0.3
    y = np.where(noisy > np.quantile(noisy, 0.94), "denied", "granted")
    return pd.DataFrame({f"c{j}": _labels(code, rng) for j, code in enumerate(codes)}), y


def make_names(n_rows: int, seed: int) -> Drawn:
    """Weak effects of four columns, beside one that names rows and one that nearly does."""
    rng = np.random.default_rng(seed)
    columns: dict[str, object] = {}
    score = np.zeros(n_rows)
    for j, n_values in enumerate([4, 12, 40, 12]):
        codes = rng.integers(n_values, size=n_rows)
        columns[f"c{j}"] = _labels(codes, rng)
        score += 0.5 * rng.standard_normal(n_values)[codes]
    columns["name"] = _labels(rng.permutation(n_rows), rng)
    columns["pair"] = _labels(rng.integers(n_rows // 2, size=n_rows), rng)
    return pd.DataFrame(columns), (rng.random(n_rows) < 1 / (1 + np.exp(-score))).astype(int)


# law -> (its maker, rows and seed of the draw to choose by, of the draw to judge by)
LAWS: dict[str, tuple[Callable[[int, int], Drawn], tuple[int, int], tuple[int, int]]] = {
    "demo": (make_demo, (1500, 5), (1000, 0)),
    "xor": (make_xor, (1500, 11), (1000, 12)),
    "many-values": (make_many_values, (100_000, 1), (200_000, 2)),
    "amazon": (make_amazon, (20_000, 1), (32_769, 2)),
    "names": (make_names, (2000, 1), (3000, 2)),
}


def load(law: str, half: str, n_rows: int | None = None) -> Drawn:
    """Draw a table of a law; `half` is "choice" or "judge"."""
    make, *draws = LAWS[law]
    rows, seed = draws[("choice", "judge").index(half)]
    return make(n_rows or rows, seed)
