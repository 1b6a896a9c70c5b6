"""Small 0/1 problems for the search for the best tree, made to hit what solvers get wrong."""

from math import inf
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from mixedwood import OptimalTreeClassifier, _core

MOST_WEIGHT = {"large": 2**30, "largest": 2**56}  # of all rows: in 32 bits, and at all
KINDS = ["new", "copy", "complement", "constant", "threshold"]


class Instance(NamedTuple):
    """A matrix with classes, what a tree may be, and what a leaf costs."""

    matrix: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None
    n_classes: int
    max_depth: int
    max_nodes: int
    leaf_cost: int
    min_leaf: int

    @property
    def problem(self):
        return self[:4]


def columns_of(rng, n_rows, n_columns):
    """Columns of all kinds: copies, complements, constants, and thresholds of one number."""
    matrix = np.zeros((n_rows, n_columns), np.uint8)
    number = rng.integers(0, 6, n_rows)
    for j in range(n_columns):
        kind = rng.choice(KINDS, p=[0.6, 0.1, 0.1, 0.1, 0.1])
        earlier = matrix[:, rng.integers(0, j)] if j else matrix[:, 0]
        if kind == "copy":
            matrix[:, j] = earlier
        elif kind == "complement":
            matrix[:, j] = 1 - earlier
        elif kind == "constant":
            matrix[:, j] = rng.integers(0, 2)
        elif kind == "threshold":
            matrix[:, j] = number <= rng.integers(0, 6)
        else:
            matrix[:, j] = rng.random(n_rows) < rng.choice([0.1, 0.3, 0.5, 0.8])
    return matrix


def classes_of(rng, matrix, n_classes):
    """Classes that a small tree can tell, but for some of the rows."""
    n_rows, n_columns = matrix.shape
    chosen = matrix[:, rng.integers(0, n_columns, 4)] @ [1, 2, 4, 8]
    known = rng.integers(0, n_classes, 16)[chosen]
    noise = rng.random(n_rows) < rng.choice([0.0, 0.2, 0.5, 1.0])
    return np.where(noise, rng.integers(0, n_classes, n_rows), known).astype(np.int32)


def weights_of(rng, n_rows, kind):
    """Weights: none, small ones with zeros among them, or nearly as large as may be."""
    if kind == "none":
        return None
    if kind == "small":
        return rng.integers(0, 4, n_rows)
    most = MOST_WEIGHT[kind] // (4 * n_rows)
    return rng.integers(1, 4, n_rows) * most + rng.integers(0, 2, n_rows)


@st.composite
def instances(draw, max_rows, max_columns, depths, plain=False):
    """Sizes and limits are drawn one by one, so that a failure shrinks; the cells are a seed's."""
    n_rows = draw(st.integers(1, max_rows))
    n_columns = draw(st.integers(1, max_columns))
    n_classes = draw(st.integers(1, 5))
    max_depth = draw(depths)
    full = 2**max_depth - 1
    max_nodes = draw(st.one_of(st.just(full), st.integers(0, full)))
    leaf_cost, min_leaf, weights = 0, 1, "none"
    if not plain:
        weights = draw(st.sampled_from(["none", "small", *MOST_WEIGHT]))
        leaf_cost = draw(st.sampled_from([0, 0, 1, 2, 7]))
        leaf_cost *= MOST_WEIGHT[weights] // (8 * n_rows) if weights in MOST_WEIGHT else 1
        min_leaf = draw(st.one_of(st.just(1), st.integers(1, 1 + n_rows // 3)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    matrix = columns_of(rng, n_rows, n_columns)
    repeated = rng.integers(0, n_rows, n_rows) if draw(st.booleans()) else np.arange(n_rows)
    matrix = matrix[repeated]  # rows with equal cells may have different classes
    classes = classes_of(rng, matrix, n_classes)
    weights = weights_of(rng, n_rows, weights)
    return Instance(matrix, classes, weights, n_classes, max_depth, max_nodes, leaf_cost, min_leaf)


SWITCHES = sorted(name for name in dir(_core.BinarySwitches) if not name.startswith("_"))


def switchings():
    """Settings of the solver: as it comes, all off, all but one, one alone, or any."""
    names = SWITCHES
    one = st.sampled_from(names)
    return st.one_of(
        st.just({}),
        st.just(dict.fromkeys(names, False)),
        one.map(lambda name: {name: False}),
        one.map(lambda name: dict.fromkeys(names, False) | {name: True}),
        st.fixed_dictionaries({name: st.booleans() for name in names}),
    )


def solver_of(instance, switches, error_penalty=1):
    matrix, classes, weights, n_classes = instance.problem
    matrix = np.ascontiguousarray(matrix)
    weights = None if weights is None else weights.astype(np.int64)
    objective = filled(
        _core.OptimalObjective(),
        leaf_penalty=instance.leaf_cost,
        min_samples_leaf=instance.min_leaf,
        error_penalty=error_penalty,
    )
    chosen = filled(_core.BinarySwitches(), **switches)
    return _core.binary_solver(matrix, classes, weights, n_classes, objective, chosen)


def filled(settings, **values):
    """A struct of settings with some values set."""
    for name, value in values.items():
        setattr(settings, name, value)
    return settings


def limits_of(max_depth, max_splits=None, **others):
    leaves = None if max_splits is None else max_splits + 1
    return filled(_core.SearchLimits(), max_depth=max_depth, max_leaf_nodes=leaves, **others)


def run(solver, instance, *, time_limit=inf, **bounds):
    """One search; the bounds are `upper_bound` and `memory_limit`."""
    return solver.solve(limits_of(instance.max_depth, instance.max_nodes, **bounds), time_limit)


def free_leaves(max_depth=5, **parameters):
    """An optimal tree without a penalty for leaves, and without a limit of work.

    Parameters of the binarizer are called ``binarizer__n_bins`` and the like.
    """
    model = OptimalTreeClassifier(max_depth=max_depth, ccp_alpha=0.0, work_limit=None)
    return model.set_params(**parameters)
