"""Tables for planes to go through, and what a plane of a tree says, for tests of linear tests."""

import numpy as np

from mixedwood import ModelTreeClassifier


def mixed_rows(seed, n_rows=None, weighted=False):
    """Numbers, codes of nominal columns and classes 0 and 1 that depend on both."""
    rng = np.random.default_rng(seed)
    n = n_rows or int(rng.integers(4, 60))
    numbers = rng.normal(size=(n, rng.integers(1, 4))) * 10.0 ** rng.integers(-3, 4)
    if rng.random() < 0.3:
        numbers = np.column_stack([numbers, np.full(n, 3.7)])  # constant
    if rng.random() < 0.3:
        numbers = np.column_stack([numbers, 2 * numbers[:, 0] - 1])  # collinear
    nominal = [rng.integers(0, rng.integers(2, 5), n) for _ in range(rng.integers(0, 4))]
    pull = numbers @ rng.normal(size=numbers.shape[1]) / np.abs(numbers).max()
    for codes in nominal:
        pull = pull + rng.normal(size=5)[codes] * rng.random()
    y = (pull + rng.normal(size=n) * rng.choice([0.0, 0.3, 1.0]) > np.median(pull)).astype(int)
    y[:2] = 0, 1
    weights = rng.integers(0, 4, n).astype(float) if weighted else None
    if weighted:
        weights[:2] = 1.0
    return numbers, nominal, y, weights


def as_table(numbers, nominal):
    """Numbers come first: ties go to nominal columns all the same."""
    X = {f"x{j}": numbers[:, j] for j in range(numbers.shape[1])}
    return X | {f"a{k}": np.array([f"v{c}" for c in codes]) for k, codes in enumerate(nominal)}


def plane_of(tree, node=0):
    """Weights of a linear test by column, or by column and label of a value; fills; constant."""
    weights, fills = {}, {}
    for column, value, weight, fill in zip(*tree.terms_of(node), strict=True):
        described = tree.schema.columns[column]
        if value < 0:
            weights[described.name] = weight
            fills[described.name] = fill
        else:
            weights[described.name, described.categories[value]] = weight
    return weights, fills, tree.intercept[node]


def only_plane(X, y, weights=None, **settings):
    """A single plane, whatever it is worth."""
    settings = {"C": 1.0, "max_depth": 1, "pruning": None, "min_samples_model": 2, **settings}
    return ModelTreeClassifier(axis_aligned=False, min_split_gain=-1.0, **settings).fit(
        X, y, weights
    )


def sides(distances):
    return distances > 0, distances <= 0


def numbers_problem(n=240, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    pull = X @ [1.0, 1.0, -0.5, 0.0] + 0.4 * rng.normal(size=n)
    return X, np.digitize(pull, np.quantile(pull, np.arange(1, n_classes) / n_classes))
