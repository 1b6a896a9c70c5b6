"""The prediction of an ensemble for one row as a sum over columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import Table
from mixedwood.explain.contributions import ColumnContributions, contribution_table
from mixedwood.explain.format import format_float, format_label
from mixedwood.explain.path import choose_row, format_probabilities
from mixedwood.tree import Predictor, TargetSpec
from mixedwood.tree.predictor import probabilities

__all__ = ["EnsembleExplanation", "Explanation", "explain_linear", "explain_prediction"]

Numbers = NDArray[np.float64]

_MAX_CLASSES = 10  # in str()

_TITLES = {
    "probability": "Probability of {label}, the mean of {trees}",
    "votes": "Share of {label} in the votes of {trees}",
    "weighted votes": "Share of {label} in the weighted votes of {trees}",
    "log odds": "Log odds of {label}, the sum of {trees}",
    "scores": "Score of {label}, the sum of {trees}",
    "number": "The mean of {trees}",
    "sum": "The sum of {trees}",
    "logarithm": "The logarithm, the sum of {trees}",
}


@dataclass(frozen=True, eq=False)
class Explanation:
    """The prediction of many trees for one row as a sum over columns; ``str()`` is readable text.

    ``bias + contributions.sum(axis=0) + vote_adjustment`` equals `total` up to rounding, also for
    rows with missing values and unknown categories.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    prediction : object
        The class or number, as in ``predict``.
    classes, probabilities : ndarray of shape (n_classes,)
        The classes and their probabilities, as in ``predict_proba``; empty for numbers, whose
        other arrays have one column.
    scale : str
        Unit of the sum:

        - ``"probability"``: class probabilities of nodes, averaged over the trees.
        - ``"votes"``, ``"weighted votes"``: the same, corrected by `vote_adjustment`.
        - ``"scores"``: leaf values of gradient boosting, one score per class.
        - ``"log odds"``: the same for two classes; the log odds of one class are the negative log
          odds of the other.
        - ``"number"``: predicted numbers, averaged over the trees; ``"sum"``: added up;
          ``"logarithm"``: added up to the logarithm of the prediction.
    bias : ndarray of shape (n_classes,)
        Base values: the predictions of the roots of the trees.
    columns : tuple of str or tuple of str
        Names for the rows of `contributions`: all columns of the table, in order, then the groups
        of columns used by linear splits.
    values : tuple of str
        The row's values of these columns, as text.
    contributions : ndarray of shape (len(columns), n_classes)
        Change of the prediction by splits on the column along the path of the row.
    vote_adjustment : ndarray of shape (n_classes,)
        Difference between the fraction of votes and the mean of the probabilities, if each tree
        votes for one class. Zero if probabilities are averaged.
    total : ndarray of shape (n_classes,)
        The sum: `probabilities`, or for ``"scores"`` and ``"log odds"`` the scores that they are
        computed from.
    votes : ndarray of int and shape (n_classes,), or None
        Number of trees that predict each class; None for gradient boosting.
    n_trees : int
        Number of trees.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.ForestClassifier(n_estimators=10, random_state=0)
    >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
    >>> print(why)
    Row 0: yes (yes 100 %, no 0 %)
    Probability of yes, the mean of 10 trees
       0.510  base value
      +0.345  size = 1
      +0.145  color = red
       1.000  total
    Votes of 10 trees: yes 10
    >>> dict(zip(why.columns, why.contributions[:, 1].round(3).tolist()))
    {'color': 0.145, 'size': 0.345}
    """

    row: int
    prediction: Any
    classes: NDArray[Any]
    probabilities: Numbers
    scale: str
    bias: Numbers
    columns: tuple[str | tuple[str, ...], ...]
    values: tuple[str, ...]
    contributions: Numbers
    vote_adjustment: Numbers
    total: Numbers
    votes: NDArray[np.int64] | None
    n_trees: int

    def to_text(self, label: Any = None, *, max_columns: int = 8) -> str:
        """Format the sum for one class.

        Parameters
        ----------
        label : object, optional
            The class. By default the predicted class.
        max_columns : int, default=8
            Maximum number of columns listed, largest contributions first; the rest is summed.

        Returns
        -------
        str
            The prediction, and a line for each column. Positive numbers favor the class.
        """
        place = 0
        if len(self.classes):
            place = _position(self.classes, self.prediction if label is None else label)
        elif label is not None:
            raise ValueError("label must be None for a prediction of a number.")
        return "\n".join([_head(self), *self._lines(place, max_columns)])

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain numbers, texts, lists and dicts, with classes as text."""
        return {"row": self.row, "prediction": self.prediction, **self._sum_to_dict()}

    def _sum_to_dict(self) -> dict[str, Any]:
        rows = zip(self.columns, self.values, self.contributions, strict=True)
        return {
            "probabilities": dict(
                zip(map(str, self.classes.tolist()), self.probabilities.tolist(), strict=True)
            ),
            "scale": self.scale,
            "bias": _by_class(self.classes, self.bias),
            "contributions": [
                {
                    "columns": [columns] if isinstance(columns, str) else list(columns),
                    "value": value,
                    "amounts": _by_class(self.classes, amounts),
                }
                for columns, value, amounts in rows
                if amounts.any()
            ],
            "vote_adjustment": _by_class(self.classes, self.vote_adjustment),
            "total": _by_class(self.classes, self.total),
            "votes": None if self.votes is None else _by_class(self.classes, self.votes),
            "trees": self.n_trees,
        }

    def _lines(self, place: int, max_columns: int, trees: str = "{n} tree{s}") -> list[str]:
        trees = trees.format(n=self.n_trees, s="s" * (self.n_trees != 1))
        numeric = len(self.classes) == 0
        label = "" if numeric else format_label(self.classes[place])
        total = "total"
        if numeric:
            total += f", for {format_float(self.prediction, 4)}" * (self.scale == "logarithm")
        elif self.votes is None:
            total += f", for a probability of {self.probabilities[place]:.3f}"
        lines = contribution_table(
            float(self.bias[place]),
            self.values,
            self.contributions[:, place].tolist(),
            float(self.vote_adjustment[place]) if self.scale.endswith("votes") else None,
            (float(self.total[place]), total),
            max_columns,
        )
        if (votes := self.votes) is not None:
            order = [k for k in np.argsort(-votes, kind="stable").tolist() if votes[k] > 0]
            counts = [f"{format_label(self.classes[k])} {votes[k]}" for k in order]
            lines.append(f"Votes of {trees}: {_join(counts)}")
        return [_TITLES[self.scale].format(label=label, trees=trees), *lines]


@dataclass(frozen=True, eq=False)
class EnsembleExplanation:
    """The prediction of an ensemble and of its members for one row; ``str()`` is readable text.

    Probabilities are the weighted mean ``weights[0] * forest.probabilities + weights[1] *
    boosted.probabilities``, and ``weights[2] * linear.probabilities`` if there is a linear model.
    Each member is explained by a sum of its own. Sums of boosted trees and of linear models are
    scores, not probabilities, so there is no common sum over columns.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    prediction : object
        The class, as in ``predict``.
    classes, probabilities : ndarray of shape (n_classes,)
        The classes and their probabilities, as in ``predict_proba``.
    weights : tuple of two or three floats
        Weights of the forest, of the boosted trees and of the linear model.
    forest, boosted : Explanation
        Explanations of these members.
    linear : Explanation or None
        Explanation of the linear model, if there is one.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"color": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.EnsembleClassifier(random_state=0, tune=False)
    >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
    >>> print(why)
    Row 0: yes (yes 99 %, no 1 %)
    Probability of yes: 0.994 = 0.40 * 0.998 of the forest + 0.60 * 0.992 of the boosted trees
    Probability of yes, the mean of the forest's 50 trees
       0.510  base value
      +0.284  color = red
      +0.204  size = 1
       0.998  total
    Votes of the forest's 50 trees: yes 50
    Log odds of yes, the sum of the 200 boosted trees
       0.016  base value
      +3.542  color = red
      +1.286  size = 1
       4.844  total, for a probability of 0.992
    """

    row: int
    prediction: Any
    classes: NDArray[Any]
    probabilities: Numbers
    weights: tuple[float, ...]
    forest: Explanation
    boosted: Explanation
    linear: Explanation | None = None

    @property
    def votes(self) -> NDArray[np.int64] | None:
        """Number of trees of the forest that predict each class."""
        return self.forest.votes

    def to_text(self, label: Any = None, *, max_columns: int = 5) -> str:
        """Format the sums for one class; a member of weight 0 is omitted.

        Parameters
        ----------
        label : object, optional
            The class. By default the predicted class.
        max_columns : int, default=5
            Maximum number of columns listed for each member, largest contributions first.

        Returns
        -------
        str
            The prediction, those of the members, and a line for each column.
        """
        place = _position(self.classes, self.prediction if label is None else label)
        members = [
            (self.weights[0], self.forest, "the forest", "the forest's {n} tree{s}"),
            (self.weights[1], self.boosted, "the boosted trees", "the {n} boosted tree{s}"),
        ]
        if self.linear is not None:
            members.append((self.weights[2], self.linear, "the linear model", "the linear model"))
        members = [member for member in members if member[0] > 0]
        mean = " + ".join(
            f"{weight:.2f} * {member.probabilities[place]:.3f} of {name}"
            for weight, member, name, _ in members
        )
        label = format_label(self.classes[place])
        lines = [_head(self), f"Probability of {label}: {self.probabilities[place]:.3f} = {mean}"]
        for _, member, _, trees in members:
            lines += member._lines(place, max_columns, trees)
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain numbers, texts, lists and dicts, with classes as text."""
        return {
            "row": self.row,
            "prediction": self.prediction,
            "probabilities": _by_class(self.classes, self.probabilities),
            "weights": dict(zip(("forest", "boosted", "linear"), self.weights, strict=False)),
            "votes": None if self.votes is None else _by_class(self.classes, self.votes),
            "forest": self.forest._sum_to_dict(),
            "boosted": self.boosted._sum_to_dict(),
            **({} if self.linear is None else {"linear": self.linear._sum_to_dict()}),
        }


def explain_prediction(predictor: Predictor, table: Table, row: int = 0) -> Explanation:
    """Explain the prediction of trees for one row.

    Parameters
    ----------
    predictor : Predictor
        The trees, and how they are combined.
    table : Table
        A table with the columns of the trees.
    row : int, default=0
        Position of the row, counted from 0.

    Returns
    -------
    Explanation
        The prediction as a sum over columns.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import Predictor, TreeBuilder
    >>> table = read_table({"age": [3.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 3])
    >>> _ = builder.split_interval(0, "age", [[0, 2], [1, 1]], high=5.0)
    >>> print(explain_prediction(Predictor.of_trees([builder.build()]), table))
    Row 0: yes (yes 100 %, no 0 %)
    Probability of yes, the mean of 1 tree
       0.750  base value
      +0.250  age = 3
       1.000  total
    Votes of 1 tree: yes 1
    """
    one, row = choose_row(table, row)
    if predictor.target.is_numeric:
        return _explain_number(predictor, one, row)
    classes, trees, is_sum = predictor.target.classes, predictor.trees, predictor.aggregate == "sum"
    scores = predictor.scores(one)
    predicted = predictor.link_scores(scores)
    found, vote_adjustment = ColumnContributions(predictor.n_outputs), np.zeros(len(classes))
    if predictor.baseline is not None:
        found.bias += predictor.baseline
    weights = np.ones(len(trees)) if predictor.weights is None else predictor.weights
    normalized = (weights if is_sum else weights / weights.sum()).tolist()
    codes = predictor.tree_codes(one)[0]
    for member, tree, weight, code in zip(
        predictor.members(), trees, normalized, codes.tolist(), strict=True
    ):
        found.add_tree(tree, one, values=member[1], weight=weight, first=member[3])
        if predictor.aggregate == "vote":
            vote_adjustment[code] += weight
            vote_adjustment -= weight * tree.predict_proba(one)[0]
    columns, values, contributions = found.by_column(one)
    if is_sum:
        scale = "log odds" if predictor.n_outputs == 1 else "scores"
    elif predictor.aggregate == "vote":
        scale = "votes" if predictor.weights is None else "weighted votes"
    else:
        scale = "probability"
    return Explanation(
        row=row,
        prediction=predictor.target.labels(predicted).tolist()[0],
        classes=classes,
        probabilities=predicted[0],
        scale=scale,
        bias=_for_each_class(found.bias, len(classes)),
        columns=columns,
        values=values,
        contributions=_for_each_class(contributions, len(classes)),
        vote_adjustment=vote_adjustment,
        total=_for_each_class(scores[0], len(classes)) if is_sum else predicted[0],
        votes=None if is_sum else np.bincount(codes, minlength=len(classes)),
        n_trees=len(trees),
    )


def _explain_number(predictor: Predictor, one: Table, row: int) -> Explanation:
    trees, is_sum = predictor.trees, predictor.aggregate == "sum"
    found = ColumnContributions(predictor.n_outputs)
    if predictor.baseline is not None:
        found.bias += predictor.baseline
    weights = np.ones(len(trees)) if predictor.weights is None else predictor.weights
    normalized = (weights if is_sum else weights / weights.sum()).tolist()
    for member, tree, weight in zip(predictor.members(), trees, normalized, strict=True):
        found.add_tree(tree, one, values=member[1], weight=weight, first=member[3])
    columns, values, contributions = found.by_column(one)
    scores = predictor.scores(one)
    number = predictor.link_scores(scores)
    scale = "number" if not is_sum else "logarithm" if predictor.link == "log" else "sum"
    return Explanation(
        row=row,
        prediction=float(number[0, 0]),
        classes=predictor.target.classes,
        probabilities=np.empty(0),
        scale=scale,
        bias=found.bias,
        columns=columns,
        values=values,
        contributions=contributions,
        vote_adjustment=np.zeros(1),
        total=scores[0] if is_sum else number[0],
        votes=None,
        n_trees=len(trees),
    )


def explain_linear(target: TargetSpec, one: Table, bias: Numbers, amounts: Numbers) -> Explanation:
    """Explain the prediction of a linear model of log odds for the only row of a table.

    Parameters
    ----------
    target : TargetSpec
        The classes.
    one : Table
        The row.
    bias : ndarray of shape (n_outputs,)
        Scores of an average row.
    amounts : ndarray of shape (n_columns, n_outputs)
        What each column adds to them.
    """
    found = ColumnContributions(len(bias))
    found.bias += bias
    found.amounts.update({(place,): amount for place, amount in enumerate(amounts)})
    columns, values, contributions = found.by_column(one)
    scores = bias + amounts.sum(axis=0)
    predicted, n_classes = probabilities(scores[None]), len(target.classes)
    return Explanation(
        row=0,
        prediction=target.labels(predicted).tolist()[0],
        classes=target.classes,
        probabilities=predicted[0],
        scale="log odds" if len(bias) == 1 else "scores",
        bias=_for_each_class(bias, n_classes),
        columns=columns,
        values=values,
        contributions=_for_each_class(contributions, n_classes),
        vote_adjustment=np.zeros(n_classes),
        total=_for_each_class(scores, n_classes),
        votes=None,
        n_trees=0,
    )


def _for_each_class(numbers: Numbers, n_classes: int) -> Numbers:
    """Log odds of both classes from those of the second; other numbers are unchanged."""
    if numbers.shape[-1] == n_classes:
        return numbers
    return np.concatenate([-numbers, numbers], axis=-1) + 0.0  # no minus before a zero


def _head(why: Explanation | EnsembleExplanation) -> str:
    if len(why.classes) == 0:
        return f"Row {why.row}: {format_float(why.prediction, 6)}"
    probabilities = format_probabilities(why.classes, why.probabilities, _MAX_CLASSES)
    return f"Row {why.row}: {format_label(why.prediction)} ({probabilities})"


def _join(texts: list[str]) -> str:
    n_more = len(texts) - _MAX_CLASSES
    return ", ".join(texts[:_MAX_CLASSES] + [f"... {n_more} more"] * (n_more > 0))


def _position(classes: NDArray[Any], label: Any) -> int:
    labels = classes.tolist()
    if label not in labels:
        known = _join([repr(known) for known in labels])
        raise ValueError(f"label must be one of the classes, {known}. Got {label!r} instead.")
    return int(labels.index(label))


def _by_class(classes: NDArray[Any], numbers: NDArray[Any]) -> Any:
    """Numbers by class; the number alone if no classes are predicted."""
    if len(classes) == 0:
        return numbers.tolist()[0]
    return dict(zip(map(str, classes.tolist()), numbers.tolist(), strict=True))
