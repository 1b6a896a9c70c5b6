"""Why an ensemble answers one row as it does: as numbers that add up, and as a short table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.explain.spelling import Style, label_words, share_words
from mixedwood.explain.sums import sum_lines

__all__ = ["EnsembleExplanation", "Explanation"]

_STYLE = Style()
_MOST_CLASSES = 10  # that str() names

_TITLES = {
    "probability": "Probability of {label}, the mean of {trees}",
    "votes": "Share of {label} in the votes of {trees}",
    "weighted votes": "Share of {label} in the weighted votes of {trees}",
    "log odds": "Log odds of {label}, the sum of {trees}",
    "scores": "Score of {label}, the sum of {trees}",
}


@dataclass(frozen=True, eq=False)
class Explanation:
    """The answer of many trees to one row as a sum over columns; ``str()`` is for reading.

    ``bias + contributions.sum(axis=0) + vote_adjustment`` equals `total` up to rounding, for rows
    with missing values and unknown categories too.

    Attributes
    ----------
    row : int
        Which row of the table.
    prediction : object
        The class, as ``predict`` gives it.
    classes, probabilities : ndarray of shape (n_classes,)
        The classes and their probabilities, as ``predict_proba`` gives them.
    scale : str
        What is added up. ``"probability"``: class probabilities of nodes, the mean over trees.
        ``"votes"`` and ``"weighted votes"``: the same, though each tree then has one vote, see
        `vote_adjustment`.
        ``"scores"``: steps of gradient boosting, one score per class. ``"log odds"``: the same for
        two classes, with the log odds of either class, which are opposite numbers.
    bias : ndarray of shape (n_classes,)
        Base values: the predictions of the roots of the trees.
    columns : tuple of str or tuple of str
        What contributions are of: all columns of the table, in their order, and after them the
        groups of columns that linear tests ask for.
    values : tuple of str
        The row's values of these, in words.
    contributions : ndarray of shape (len(columns), n_classes)
        What tests of the column changed on the way of the row.
    vote_adjustment : ndarray of shape (n_classes,)
        What is added because a tree gives its vote to one class in place of its probabilities: the
        share of the votes less the mean of the probabilities. Zero where probabilities count.
    total : ndarray of shape (n_classes,)
        What is explained: `probabilities`, but for ``"scores"`` and ``"log odds"``, from which
        these are made.
    votes : ndarray of int and shape (n_classes,), or None
        Number of trees that answer each class; None for gradient boosting, whose trees do not.
    n_trees : int
        Number of trees.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.ForestClassifier(n_estimators=10, random_state=0)
    >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
    >>> print(why)
    Row 0: yes (yes 100 %, no 0 %)
    Probability of yes, the mean of 10 trees
       0.510  base value
      +0.345  size = 1
      +0.145  colour = red
       1.000  total
    Votes of 10 trees: yes 10
    >>> dict(zip(why.columns, why.contributions[:, 1].round(3).tolist()))
    {'colour': 0.145, 'size': 0.345}
    """

    row: int
    prediction: Any
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    scale: str
    bias: NDArray[np.float64]
    columns: tuple[str | tuple[str, ...], ...]
    values: tuple[str, ...]
    contributions: NDArray[np.float64]
    vote_adjustment: NDArray[np.float64]
    total: NDArray[np.float64]
    votes: NDArray[np.int64] | None
    n_trees: int

    def to_text(self, label: Any = None, *, max_columns: int = 8) -> str:
        """Write the sum for one class as text.

        Parameters
        ----------
        label : object, optional
            The class; by default the answer.
        max_columns : int, default=8
            Columns told one by one, those that count most first; the others are added up.

        Returns
        -------
        str
            The prediction, and a line for each column: positive numbers speak for the class.
        """
        place = _place(self.classes, self.prediction if label is None else label)
        head = _head(self.row, self.prediction, self.classes, self.probabilities)
        return "\n".join([head, *self._body(place, max_columns)])

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers, texts, lists and dicts, with classes as text."""
        return {
            "row": self.row,
            "prediction": self.prediction,
            **self._sum_to_dict(),
        }

    def _sum_to_dict(self) -> dict[str, Any]:
        entries = zip(self.columns, self.values, self.contributions, strict=True)
        return {
            "probabilities": _by_class(self.classes, self.probabilities),
            "scale": self.scale,
            "bias": _by_class(self.classes, self.bias),
            "contributions": [
                {
                    "columns": [columns] if isinstance(columns, str) else list(columns),
                    "value": value,
                    "amounts": _by_class(self.classes, amounts),
                }
                for columns, value, amounts in entries
                if amounts.any()
            ],
            "vote_adjustment": _by_class(self.classes, self.vote_adjustment),
            "total": _by_class(self.classes, self.total),
            "votes": None if self.votes is None else _by_class(self.classes, self.votes),
            "trees": self.n_trees,
        }

    def _body(self, place: int, max_columns: int, trees: str = "{n} tree{s}") -> list[str]:
        trees = trees.format(n=self.n_trees, s="s" * (self.n_trees != 1))
        label = label_words(self.classes[place], _STYLE)
        lines = [_TITLES[self.scale].format(label=label, trees=trees)]
        ending = "total"
        if self.votes is None:
            ending += f", for a probability of {self.probabilities[place]:.3f}"
        lines += sum_lines(
            float(self.bias[place]),
            self.values,
            self.contributions[:, place].tolist(),
            float(self.vote_adjustment[place]) if self.scale.endswith("votes") else None,
            (float(self.total[place]), ending),
            max_columns,
        )
        if self.votes is not None:
            lines.append(f"Votes of {trees}: {self._vote_words(self.votes)}")
        return lines

    def _vote_words(self, votes: NDArray[np.int64]) -> str:
        order = np.argsort(-votes, kind="stable")
        named = [k for k in order.tolist() if votes[k] > 0]
        words = [f"{label_words(self.classes[k], _STYLE)} {votes[k]}" for k in named]
        return _listed(words)


@dataclass(frozen=True, eq=False)
class EnsembleExplanation:
    """The answer of a forest and boosted trees to one row; ``str()`` is for reading.

    Probabilities are ``(1 - share) * forest.probabilities + share * boosted.probabilities``, and
    each part is explained by a sum of its own. Sums of boosted trees are scores, not probabilities:
    there is no honest sum over columns for both together.

    Attributes
    ----------
    row : int
        Which row of the table.
    prediction : object
        The class, as ``predict`` gives it.
    classes, probabilities : ndarray of shape (n_classes,)
        The classes and their probabilities, as ``predict_proba`` gives them.
    share : float
        Weight of the boosted trees in the mean of probabilities.
    forest, boosted : Explanation
        What each part says, and why.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.EnsembleClassifier(random_state=0, tune=False)
    >>> why = model.fit(X, ["yes", "no", "yes", "no"] * 5).explain(X, row=0)
    >>> print(why)
    Row 0: yes (yes 99 %, no 1 %)
    Probability of yes: 0.994 = 0.40 * 0.999 of the forest + 0.60 * 0.992 of the boosted trees
    Probability of yes, the mean of the forest's 100 trees
       0.509  base value
      +0.294  colour = red
      +0.196  size = 1
       0.999  total
    Votes of the forest's 100 trees: yes 100
    Log odds of yes, the sum of the 200 boosted trees
       0.048  base value
      +3.306  colour = red
      +1.409  size = 1
       4.763  total, for a probability of 0.992
    """

    row: int
    prediction: Any
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    share: float
    forest: Explanation
    boosted: Explanation

    @property
    def votes(self) -> NDArray[np.int64] | None:
        """Number of the forest's trees that answer each class."""
        return self.forest.votes

    def to_text(self, label: Any = None, *, max_columns: int = 5) -> str:
        """Write the two sums for one class as text; a part that counts nothing is left out.

        Parameters
        ----------
        label : object, optional
            The class; by default the answer.
        max_columns : int, default=5
            Columns told one by one for each part, those that count most first.

        Returns
        -------
        str
            The prediction, what either part says, and a line for each column.
        """
        place = _place(self.classes, self.prediction if label is None else label)
        named = label_words(self.classes[place], _STYLE)
        parts = [
            (1 - self.share, self.forest, "the forest", "the forest's {n} tree{s}"),
            (self.share, self.boosted, "the boosted trees", "the {n} boosted tree{s}"),
        ]
        parts = [part for part in parts if part[0] > 0]
        lines = [_head(self.row, self.prediction, self.classes, self.probabilities)]
        summed = " + ".join(
            f"{share:.2f} * {part.probabilities[place]:.3f} of {name}"
            for share, part, name, _ in parts
        )
        lines.append(f"Probability of {named}: {self.probabilities[place]:.3f} = {summed}")
        for _, part, _, trees in parts:
            lines += part._body(place, max_columns, trees)
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers, texts, lists and dicts, with classes as text."""
        return {
            "row": self.row,
            "prediction": self.prediction,
            "probabilities": _by_class(self.classes, self.probabilities),
            "share": self.share,
            "votes": None if self.votes is None else _by_class(self.classes, self.votes),
            "forest": self.forest._sum_to_dict(),
            "boosted": self.boosted._sum_to_dict(),
        }


def _head(row: int, prediction: Any, classes: NDArray[Any], shares: NDArray[np.float64]) -> str:
    order = np.argsort(-shares, kind="stable").tolist()
    words = [f"{label_words(classes[k], _STYLE)} {share_words(float(shares[k]))}" for k in order]
    return f"Row {row}: {label_words(prediction, _STYLE)} ({_listed(words)})"


def _listed(words: list[str]) -> str:
    left = len(words) - _MOST_CLASSES
    return ", ".join(words[:_MOST_CLASSES] + [f"... {left} more"] * (left > 0))


def _place(classes: NDArray[Any], label: Any) -> int:
    labels = classes.tolist()
    if label not in labels:
        told = _listed([repr(known) for known in labels])
        raise ValueError(f"label must be one of the classes, {told}; got {label!r}.")
    return int(labels.index(label))


def _by_class(classes: NDArray[Any], numbers: NDArray[Any]) -> dict[str, Any]:
    return dict(zip(map(str, classes.tolist()), numbers.tolist(), strict=True))
