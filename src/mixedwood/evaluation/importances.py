"""Permutation importance: how much worse predictions get when a column is shuffled."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood._random import seed_of
from mixedwood._warnings import UnknownCategoryWarning
from mixedwood.data import Schema, Table, check_same_length, read_numbers, read_table, read_target
from mixedwood.evaluation.intervals import Numbers, auc
from mixedwood.evaluation.scores import MIN_PROBABILITY

if TYPE_CHECKING:
    from mixedwood.data import Target

__all__ = ["METRICS", "Importances", "permutation_importances"]

METRICS = {
    "accuracy": "fraction of rows that are predicted correctly",
    "balanced_accuracy": "mean over the classes of the fraction predicted correctly",
    "auc": "area under the ROC curve; of more classes, the mean of one against the rest",
    "log_loss": "mean of -log(probability of the true class), at least 0.001",
    "r2": "1 - squared error relative to that of the mean",
    "rmse": "square root of the mean squared error",
    "mae": "mean absolute error",
}
_OF_CLASSES = ("accuracy", "balanced_accuracy", "auc", "log_loss")
_LOSSES = ("log_loss", "rmse", "mae")
_MAX_SHOWN = 20


@dataclass(frozen=True, eq=False)
class Importances:
    """Importance of columns by permutation, beside that by gain; print or plot it.

    Attributes
    ----------
    columns : tuple of str or tuple of str
        Input columns in the order of the table, then groups of columns that are shuffled together:
        the sources of crossed columns, and the groups that were asked for.
    mean, std : ndarray of shape (len(columns),)
        Mean and standard deviation, over the repetitions, of how much worse the score gets.
    repeats : ndarray of shape (len(columns), n_repeats)
        The differences of each repetition; positive if the score gets worse.
    gain : ndarray of shape (len(columns),)
        ``feature_importances_``: total gain of the splits on the column in training, with a sum of
        1 over all columns. That of a group is the gain of the crossed column, or the sum of the
        group. NaN if the model has none.
    metric : str
        The score.
    score : float
        Its value with unshuffled columns.
    n_rows : int
        Number of rows.
    out_of_bag : bool
        Whether each tree predicted only rows that it was not trained on.
    """

    columns: tuple[str | tuple[str, ...], ...]
    mean: Numbers
    std: Numbers
    repeats: Numbers = field(repr=False)
    gain: Numbers
    metric: str
    score: float
    n_rows: int
    out_of_bag: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, with groups joined by &."""
        return tuple(c if isinstance(c, str) else " & ".join(c) for c in self.columns)

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of the columns, the most important first."""
        return np.argsort(-self.mean, kind="stable")

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, in the order of `columns`."""
        return {
            "metric": self.metric,
            "score": self.score,
            "rows": self.n_rows,
            "out_of_bag": self.out_of_bag,
            "importances": [
                {
                    "columns": [column] if isinstance(column, str) else list(column),
                    "mean": float(mean),
                    "std": float(std),
                    "gain": None if math.isnan(gain) else float(gain),
                    "repeats": repeats,
                }
                for column, mean, std, gain, repeats in zip(
                    self.columns, self.mean, self.std, self.gain, self.repeats.tolist(), strict=True
                )
            ],
        }

    def __str__(self) -> str:
        order, names = self.order.tolist(), self.names
        has_gain = not np.isnan(self.gain).all()
        cells = [["column", "permutation", "±", *(["gain"] if has_gain else [])]]
        for i in order[:_MAX_SHOWN]:
            gain = "" if math.isnan(self.gain[i]) else f"{self.gain[i]:.3f}"
            row = [names[i], f"{self.mean[i]:.4f}", f"{self.std[i]:.4f}"]
            cells.append([*row, *([gain] if has_gain else [])])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        rows = "out-of-bag rows" if self.out_of_bag else "rows"
        n = self.repeats.shape[1]
        lines = [
            f"How much worse the {self.metric} of {self.score:.4f} gets if a column is shuffled "
            f"({self.n_rows} {rows}, {n} repetition{'s' * (n > 1)})"
        ]
        lines += [
            "  ".join(
                cell.rjust(width) if k else cell.ljust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        ]
        if len(order) > _MAX_SHOWN:
            lines.append(f"... and {len(order) - _MAX_SHOWN} more columns")
        return "\n".join(lines)

    def plot(self, ax: Any = None, *, max_columns: int = 20) -> Any:
        """Draw the importances with matplotlib: bars with standard deviations, beside the gain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default, new axes.
        max_columns : int, default=20
            Maximum number of columns, the most important first.

        Returns
        -------
        Axes
            The axes.
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError(
                "Plots need matplotlib: pip install 'mixedwood[plot]', or print the importances."
            ) from None
        order = self.order[:max_columns][::-1]
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 0.8 + 0.3 * len(order)), layout="constrained")
        places = np.arange(len(order))
        label = f"permutation: loss of {self.metric}"
        ax.barh(places + 0.2, self.mean[order], 0.38, xerr=self.std[order], label=label)
        if not np.isnan(self.gain).all():
            scale = np.nanmax(self.mean) / np.nanmax(self.gain) if np.nanmax(self.gain) > 0 else 1
            ax.barh(places - 0.2, self.gain[order] * scale, 0.38, alpha=0.45, label="gain, scaled")
        ax.set_yticks(places, [self.names[i].replace("$", r"\$") for i in order])
        ax.set_xlabel(f"how much worse the {self.metric} gets")
        ax.legend(loc="lower right")
        return ax


def permutation_importances(
    model: Any,
    X: Any,
    y: Any,
    *,
    metric: str | None = None,
    n_repeats: int = 10,
    groups: Iterable[Sequence[str]] = (),
    out_of_bag: bool = False,
    sample_weight: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Importances:
    """Measure the importance of each column by shuffling it (Breiman 2001, Fisher et al. 2019).

    Parameters
    ----------
    model : fitted estimator of mixedwood
        The model.
    X : table
        Rows, preferably not the training rows: on these, columns that only fit noise look useful.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    metric : str, optional
        The score: ``"accuracy"``, ``"balanced_accuracy"``, ``"auc"`` or ``"log_loss"`` for classes,
        ``"r2"``, ``"rmse"`` or ``"mae"`` for numbers. By default the accuracy or R², as ``score``.
    n_repeats : int, default=10
        Number of times that each column is shuffled.
    groups : iterable of sequence of str
        Further groups of columns to shuffle together, such as columns with the same information.
    out_of_bag : bool, default=False
        For forests: X and y are the training rows, and each tree predicts the rows that are not in
        its sample. Rows are divided as in training, so they must be the same in the same order.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of rows.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the shuffles. If None, they differ from call to call.
    n_jobs : int or None, default=None
        Number of threads; the result does not depend on it.

    Returns
    -------
    Importances
        Mean and spread for each column, beside the gain. A crossed column changes with each of its
        sources; it also has an entry of its own, for which all of its sources are shuffled.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"size": [1, 2, 3, 4] * 25, "noise": [f"v{i % 7}" for i in range(100)]}
    >>> y = ["no", "no", "yes", "yes"] * 25
    >>> model = mw.TreeClassifier().fit(X, y)
    >>> print(permutation_importances(model, X, y, random_state=0))
    How much worse the accuracy of 1.0000 gets if a column is shuffled (100 rows, 10 repetitions)
    column  permutation       ±   gain
    size         0.5120  0.0329  1.000
    noise        0.0000  0.0000  0.000
    """
    check_is_fitted(model)
    if not isinstance(n_repeats, int | np.integer) or n_repeats < 1:
        raise ValueError(f"n_repeats must be an int of at least 1. Got {n_repeats!r} instead.")
    schema: Schema = model.schema_
    inputs = schema.inputs
    table = read_table(X, schema=inputs, estimator=type(model).__name__)
    target, codes = _read_y(model, y, sample_weight)
    check_same_length(table, target)
    if target.weights is not None and (target.weights == 0).any():
        kept = target.weights > 0
        if out_of_bag:
            raise ValueError("out_of_bag needs the rows that were fitted: leave out weight 0.")
        table, target, codes = table.take(kept), target.take(kept), codes[kept]
    measure = _Measure(model, metric, target, codes, out_of_bag, table)
    places = [*((i,) for i in range(len(inputs))), *_read_groups(schema, groups)]
    seed = seed_of(random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnknownCategoryWarning)
        score = measure(table)
        used = _used(model, schema)

        def one(number: int, group: tuple[int, ...]) -> list[float]:
            if not used & {inputs.names[i] for i in group}:
                return [0.0] * int(n_repeats)
            changes = []
            for repeat in range(int(n_repeats)):
                rng = np.random.default_rng([seed, number, repeat])
                rows = rng.permutation(table.n_rows)
                arrays: list[NDArray[Any]] = list(table.arrays)
                for i in group:
                    arrays[i] = np.ascontiguousarray(arrays[i][rows])
                changed = measure(Table(inputs, tuple(arrays), table.unknown))
                changes.append(changed - score if measure.is_loss else score - changed)
            return changes

        found = Parallel(n_jobs=n_jobs, backend="threading")(
            delayed(one)(number, group) for number, group in enumerate(places)
        )
    repeats = np.array(found, dtype=np.float64).reshape(len(places), int(n_repeats))
    columns = tuple(
        inputs.names[g[0]] if len(g) == 1 else tuple(inputs.names[i] for i in g) for g in places
    )
    spread = repeats.std(axis=1, ddof=1) if n_repeats > 1 else np.full(len(places), math.nan)
    return Importances(
        columns, repeats.mean(axis=1), spread, repeats, _gains(model, schema, places),
        measure.metric, score, table.n_rows, out_of_bag,
    )  # fmt: skip


def _read_y(model: Any, y: Any, sample_weight: Any) -> tuple[Target, NDArray[Any]]:
    """Read y; classes are positions in the classes of the model, -1 for unknown ones."""
    if not hasattr(model, "classes_"):
        target = read_numbers(y, sample_weight)
        return target, target.numbers
    target = read_target(y, sample_weight)
    place = {label: i for i, label in enumerate(model.classes_.tolist())}
    known = np.array([place.get(label, -1) for label in target.classes.tolist()], dtype=np.int64)
    if (known < 0).all():
        raise ValueError(
            "y has none of the classes of the model; use labels of the same type as in training."
        )
    return target, known[target.codes]


def _read_groups(schema: Schema, groups: Iterable[Sequence[str]]) -> list[tuple[int, ...]]:
    """Positions of the columns of groups: the sources of crossed columns, and those asked for."""
    names = schema.inputs
    found = [tuple(names.position(n) for n in column.sources) for column in schema.derived]
    for group in groups:
        if isinstance(group, str) or len(group) < 2:
            raise ValueError(f"groups must be lists of two or more columns. Got {group!r}.")
        missing = [name for name in group if name not in names]
        if missing:
            raise ValueError(f"groups has {missing[0]!r}, which is not a column of the model.")
        found.append(tuple(names.position(name) for name in group))
    return found


def _used(model: Any, schema: Schema) -> set[str]:
    """Input columns that predictions can depend on."""
    trees = [model.tree_] if hasattr(model, "tree_") else getattr(model, "trees_", None)
    if trees is None or hasattr(model, "leaf_terms_"):  # linear models use further columns
        return set(schema.inputs.names)
    used: set[str] = set()
    for tree in trees:
        for number in np.unique(np.concatenate([tree.column, tree.term_column])).tolist():
            if number >= 0:
                column = schema.columns[number]
                used |= set(column.sources or (column.name,))
    return used


def _gains(model: Any, schema: Schema, places: list[tuple[int, ...]]) -> Numbers:
    gain = getattr(model, "feature_importances_", None)
    if gain is None:
        return np.full(len(places), math.nan)
    n, derived = len(schema.inputs), len(schema.derived)
    found = [float(gain[schema.position(name)]) for name in schema.inputs.names]
    found += [float(gain[schema.position(column.name)]) for column in schema.derived]
    found += [sum(found[i] for i in group) for group in places[n + derived :]]
    return np.array(found)


class _Measure:
    """Scores a model on a table of its input columns."""

    def __init__(
        self,
        model: Any,
        metric: str | None,
        target: Target,
        truth: NDArray[Any],
        out_of_bag: bool,
        table: Table,
    ) -> None:
        is_classifier = hasattr(model, "classes_")
        known = [m for m in METRICS if (m in _OF_CLASSES) == is_classifier]
        self.metric = metric or ("accuracy" if is_classifier else "r2")
        if self.metric not in known:
            raise ValueError(f"metric must be one of {', '.join(known)}. Got {metric!r} instead.")
        if self.metric in ("auc", "log_loss") and not hasattr(model, "predict_proba"):
            raise ValueError(
                f"{type(model).__name__} predicts no probabilities; use metric='accuracy'."
            )
        self.is_loss = self.metric in _LOSSES
        self._model, self._truth = model, truth
        self._weights = np.ones(len(truth)) if target.weights is None else target.weights
        self._samples = _samples(model, table) if out_of_bag else None
        if self._samples is not None:  # rows that every tree was grown on have no prediction
            everywhere = np.ones(table.n_rows, dtype=bool)
            for rows in self._samples:
                everywhere &= np.bincount(rows, minlength=table.n_rows) > 0
            self._weights = np.where(everywhere, 0.0, self._weights)
            if not (self._weights > 0).any():
                raise ValueError("There are no out-of-bag rows; grow more trees.")
        self._function: Callable[[Any], float] = getattr(self, f"_{self.metric}")

    def __call__(self, table: Table) -> float:
        return self._function(table)

    def _out_of_bag(self, table: Table) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Predictions of the trees that were grown without each row, and which rows have any."""
        model = self._model
        whole = read_table(table, schema=model.schema_)
        found = model._out_of_bag_predictor(list(model.trees_)).out_of_bag(whole, self._samples)
        return found, ~np.isnan(found[:, 0])

    def _classes(self, table: Table) -> NDArray[Any]:
        """Whether each row is right."""
        if self._samples is None:
            labels = self._model.classes_
            known = np.where(self._truth < 0, 0, self._truth)
            right = np.asarray(self._model.predict(table) == labels[known])
            return right & (self._truth >= 0)
        p, rows = self._out_of_bag(table)
        decided = self._model._target_spec.decide(np.where(rows[:, None], p, 0.0))
        return np.asarray(decided == self._truth) & rows

    def _probabilities(self, table: Table) -> NDArray[Any]:
        if self._samples is None:
            return np.asarray(self._model.predict_proba(table))
        p, rows = self._out_of_bag(table)
        return np.where(rows[:, None], p, 1 / p.shape[1])

    def _numbers(self, table: Table) -> NDArray[Any]:
        if self._samples is None:
            return np.asarray(self._model.predict(table))
        found, rows = self._out_of_bag(table)
        return np.where(rows, found[:, 0], np.average(self._truth, weights=self._weights))

    def _accuracy(self, table: Table) -> float:
        return float(np.average(self._classes(table), weights=self._weights))

    def _balanced_accuracy(self, table: Table) -> float:
        right = self._classes(table)
        rows = [self._truth == k for k in np.unique(self._truth)]
        return float(np.mean([np.average(right[r], weights=self._weights[r]) for r in rows]))

    def _auc(self, table: Table) -> float:
        p = self._probabilities(table)
        classes = [1] if p.shape[1] == 2 else range(p.shape[1])
        areas = [auc(p[:, k], self._truth == k, self._weights)[0] for k in classes]
        known = [area for area in areas if not math.isnan(area)]
        if not known:
            raise ValueError("The AUC needs rows of at least two classes; use another metric.")
        return float(np.mean(known))

    def _log_loss(self, table: Table) -> float:
        p, known = self._probabilities(table), self._truth >= 0
        of_true = np.where(known, p[np.arange(len(p)), np.where(known, self._truth, 0)], 0.0)
        return float(np.average(-np.log(np.clip(of_true, MIN_PROBABILITY, 1)), None, self._weights))

    def _squares(self, table: Table) -> float:
        return float(np.average((self._numbers(table) - self._truth) ** 2, weights=self._weights))

    def _rmse(self, table: Table) -> float:
        return math.sqrt(self._squares(table))

    def _mae(self, table: Table) -> float:
        errors = np.abs(self._numbers(table) - self._truth)
        return float(np.average(errors, weights=self._weights))

    def _r2(self, table: Table) -> float:
        mean = np.average(self._truth, weights=self._weights)
        total = float(np.average((self._truth - mean) ** 2, weights=self._weights))
        if not total > 0:
            raise ValueError("R² needs rows with different numbers; use metric='rmse'.")
        return 1 - self._squares(table) / total


def _samples(model: Any, table: Table) -> list[NDArray[np.int32]]:
    """The rows of each tree of a forest, drawn again as in training."""
    find = getattr(model, "_training_samples", None)
    if find is None:
        raise ValueError(
            f"out_of_bag is for forests; {type(model).__name__} has no samples of rows. Pass rows "
            "that were not used in training."
        )
    samples: list[NDArray[np.int32]] = find(table)
    return samples
