"""Trees of one kind, each grown on its own sample of rows or columns."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mixedwood import _kinds as kinds
from mixedwood._limits import Deadline, read_time_limit, user_stacklevel
from mixedwood._parallel import grow_members
from mixedwood._random import seed_of
from mixedwood.data import Table, Target, read_table
from mixedwood.ensembles import VOTES, first_of_largest, out_of_bag_shares
from mixedwood.estimators._ensemble import TreeEnsembleClassifier
from mixedwood.estimators.learner import Learner
from mixedwood.estimators.member_plan import MemberPlan, count_rows
from mixedwood.estimators.parameters import (
    check_choice,
    check_flag,
    check_jobs,
    count_columns,
    read_whole,
)
from mixedwood.growers import CodedTable
from mixedwood.tree import Tree

__all__ = ["SampledTreesClassifier", "read_member"]


class _OutOfBag:
    """What only a fit with `oob_score` makes; until then, words that say so.

    An attribute that a fit has set is found before this one.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: SampledTreesClassifier | None, owner: type) -> Any:
        if model is None:
            return self
        if "oob_score" not in model.get_params(deep=False):
            words = f"{owner.__name__!r} object has no attribute {self.name!r}"
        else:
            sampled = model.bootstrap or model.max_samples is not None
            also = "" if sampled else " and bootstrap=True"
            fitted = "was fitted without it" if "trees_" in vars(model) else "is not fitted yet"
            words = (
                f"{self.name} is made by a fit with oob_score=True{also}; this {owner.__name__} "
                f"{fitted}."
            )
        raise AttributeError(words, name=self.name, obj=model)


class SampledTreesClassifier(TreeEnsembleClassifier):
    """Grows trees on samples and lets them vote; subclasses say which trees, and have parameters.

    Their parameters are those of `ForestClassifier` but for `estimator`; `_member` says what a
    member is.
    """

    n_estimators: int
    bootstrap: bool
    max_samples: float | None
    colsample_bytree: float | str | None
    oob_score: bool | Callable[[NDArray[Any], NDArray[Any]], float]
    class_weight: Any
    categorical_features: Any
    ordinal_features: Any
    n_jobs: int | None
    random_state: Any
    warm_start: bool
    verbose: int
    time_limit: float | None

    oob_score_: Any = _OutOfBag()
    oob_decision_function_: Any = _OutOfBag()
    _seed: int
    _sampling: tuple[Any, ...]

    _fitted: ClassVar[kinds.Fitted] = {
        "trees_": kinds.list_of(kinds.instance(Tree), 1),
        "_seed": kinds.COUNT,
        "_sampling": kinds.tuple_of(
            kinds.Kind(
                "an int, bool, str or None", lambda v: type(v) in (int, bool, str, type(None))
            )
        ),
        "oob_score_": kinds.sometimes(kinds.number()),
        "oob_decision_function_": kinds.sometimes(kinds.array(np.float64, 2)),
    }

    def _check_fitted(self) -> None:
        shares = vars(self).get("oob_decision_function_")
        if shares is None:
            return
        if shares.shape[1] != len(self.classes_):
            raise ValueError("its out-of-bag probabilities are not one for each class")
        known = shares[~np.isnan(shares).all(axis=1)]  # not of a row that was in every sample
        off = np.abs(known.sum(axis=1, keepdims=True) - 1)
        if not ((known >= 0) & (off <= kinds.ROUNDING)).all():
            raise ValueError("its out-of-bag probabilities do not add up to 1")

    def _member(self) -> Any:
        """Give the estimator of one tree."""
        raise NotImplementedError

    def _unseen(self) -> str:
        return str(getattr(self._member(), "handle_unknown", "stop"))

    def _impurity(self) -> Literal["gini", "entropy"]:
        measure = getattr(self._member(), "_impurity", None)
        return "gini" if measure is None else measure()

    def _member_learner(self) -> Learner:
        """Give what grows one tree, with all parameters checked."""
        return read_member(self._member())

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | float | None = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : table
            pandas, polars or pyarrow frame, dict of columns, two-dimensional array or list of rows.
        y : array-like of shape (n_rows,)
            Class of each row: text, booleans or whole numbers.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows; rows of weight 0 do not count.

        Returns
        -------
        estimator
            The fitted estimator itself.
        """
        self._check_parameters()
        self._member_learner()
        deadline = Deadline.after(read_time_limit(self.time_limit))
        table, target, kept = self._read_kept(
            X,
            y,
            sample_weight,
            class_weight=self.class_weight,
            categorical_features=self.categorical_features,
            ordinal_features=self.ordinal_features,
        )
        self._fit_table(CodedTable(table), target, deadline.left(), kept)
        if self.oob_score and kept is not None:
            # No tree has seen the others, so that all of them answer.
            others = read_table(X, schema=self.schema_).take(~kept)
            shares = np.empty((len(kept), target.n_classes))
            shares[kept], shares[~kept] = self.oob_decision_function_, self._shares(others)
            self.oob_decision_function_ = shares
        return self

    def _fit_table(
        self,
        coded: CodedTable,
        target: Target,
        time_limit: float,
        kept: NDArray[np.bool_] | None = None,
    ) -> Self:
        self._check_parameters()
        learner = self._member_learner()
        seed = seed_of(self.random_state)
        table = coded.table
        trees: list[Tree] = []
        warm = self.warm_start and hasattr(self, "trees_")
        if warm:
            trees, seed = list(self.trees_), self._seed
        plan = replace(self._plan(coded, target, learner, seed), kept=kept)
        if warm:
            self._check_warm_start(table, target, plan.sampling)
        trees += grow_members(
            plan,
            range(len(trees), self.n_estimators),
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            time_limit=time_limit,
        )
        share_schema(trees, table)
        out_of_bag = _judge_out_of_bag(self, plan, trees) if self.oob_score else None
        self._remember(table, target)
        self.trees_, self._seed = trees, seed
        self._sampling = plan.sampling
        for name in ("oob_score_", "oob_decision_function_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if out_of_bag is not None:
            self.oob_score_, self.oob_decision_function_ = out_of_bag
        return self

    def _plan(self, coded: CodedTable, target: Target, learner: Learner, seed: int) -> MemberPlan:
        table = coded.table
        self._check_out_of_bag(table.n_rows)
        n_rows = count_rows(self.max_samples, table.n_rows)
        return MemberPlan(
            coded=coded,
            target=target,
            learner=learner,
            seed=seed,
            n_columns=count_columns(self.colsample_bytree, table.n_columns, "colsample_bytree"),
            bootstrap=bool(self.bootstrap),
            n_rows=n_rows if self.bootstrap or self.max_samples is not None else None,
        )

    def _check_parameters(self) -> None:
        """Check what is not checked by those who use it."""
        read_whole(self, "n_estimators", 1)
        check_choice(self, "voting", VOTES)
        for name in ("bootstrap", "warm_start"):
            check_flag(self, name)
        check_jobs(self)
        if not isinstance(self.oob_score, (bool, np.bool_)) and not callable(self.oob_score):
            raise ValueError(
                "oob_score must be True, False, or a function of the classes and the answers that "
                f"gives a number, such as sklearn.metrics.f1_score; got {self.oob_score!r}."
            )
        count_rows(self.max_samples, 1)
        count_columns(self.colsample_bytree, 1, "colsample_bytree")
        if self.max_samples is None:
            self._check_out_of_bag(1)

    def _leaves_rows_out(self, n_rows: int) -> bool:
        """Whether trees see samples of so many rows that may leave some out."""
        return bool(self.bootstrap) or count_rows(self.max_samples, n_rows) < n_rows

    def _check_out_of_bag(self, n_rows: int) -> None:
        if self.oob_score and not self._leaves_rows_out(n_rows):
            raise ValueError(
                "oob_score needs rows that a tree has not seen: set bootstrap=True, or max_samples "
                f"to less than all rows. Got bootstrap=False and max_samples={self.max_samples!r}."
            )

    def _check_warm_start(self, table: Table, target: Target, sampling: Any = None) -> None:
        n_there = len(self.trees_)
        if self.n_estimators < n_there:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {n_there} trees "
                "that are there when warm_start=True. Set warm_start=False to begin anew."
            )
        if self.n_estimators == n_there:
            warnings.warn(
                "Warm-start fitting without increasing n_estimators does not fit new trees.",
                UserWarning,
                stacklevel=user_stacklevel(),
            )
        if table.schema != self.schema_ or not np.array_equal(target.classes, self.classes_):
            raise ValueError(
                "warm_start adds trees to those that are there, but the columns, their values or "
                "the classes are others than before. Fit the same table, or set warm_start=False."
            )
        if self.oob_score and self._sampling != sampling:
            raise ValueError(
                "oob_score needs to know which rows the trees that are there have seen, but the "
                "number of rows or their sampling has changed. Set oob_score=False, or "
                "warm_start=False to begin anew."
            )


def read_member(estimator: Any) -> Learner:
    """Check the estimator of one tree, and give what grows such trees."""
    if isinstance(estimator, type) or not hasattr(estimator, "_learner"):
        came = f"the class {estimator.__name__}" if isinstance(estimator, type) else repr(estimator)
        number = isinstance(estimator, (int, np.integer))
        hint = f" For {came} trees, pass n_estimators={came}." if number else ""
        raise TypeError(
            "estimator must be None or a tree of mixedwood, such as TreeClassifier(max_depth=5); "
            f"got {came}.{hint}"
        )
    for name in ("class_weight", "categorical_features", "ordinal_features"):
        if getattr(estimator, name, None) is not None:
            raise ValueError(
                f"{name} belongs to the ensemble, which reads the table once for all its trees: "
                f"leave {name} of estimator at None, and set it beside estimator."
            )
    learner: Learner = estimator._learner()
    return learner


def share_schema(trees: list[Tree], table: Table) -> None:
    """Let all trees have one and the same schema; those from other processes bring their own."""
    for tree in trees:
        if tree.schema is not table.schema:
            object.__setattr__(tree, "schema", table.schema)
            object.__setattr__(tree, "classes", trees[0].classes)


def _judge_out_of_bag(
    model: SampledTreesClassifier, plan: MemberPlan, trees: list[Tree]
) -> tuple[float, NDArray[np.float64]]:
    """Score on rows that trees have not seen, and their shares of the classes."""
    samples = (plan.draw(number).rows for number in range(len(trees)))
    shares = out_of_bag_shares(trees, samples, plan.table, model.voting)  # type: ignore[arg-type]
    judged = ~np.isnan(shares[:, 0])
    if not judged.all():
        warnings.warn(
            f"{int((~judged).sum())} of {len(judged)} rows were seen by every tree and have no "
            "out-of-bag answer; grow more trees.",
            UserWarning,
            stacklevel=user_stacklevel(),
        )
    if not judged.any():
        return math.nan, shares
    right, said = plan.target.codes[judged], first_of_largest(shares[judged])
    if not callable(model.oob_score):
        return float((said == right).mean()), shares
    classes = plan.target.classes
    score: Any = model.oob_score(classes[right], classes[said])
    if not isinstance(score, (int, float, np.integer, np.floating)):
        raise TypeError(
            "oob_score must give a number for the classes and the answers that it is called with; "
            f"{model.oob_score!r} gave {score!r}."
        )
    return float(score), shares
