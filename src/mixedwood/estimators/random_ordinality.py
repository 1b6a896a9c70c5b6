"""Random Ordinality Ensembles (Ahmad 2014): trees that differ by a random order of the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from mixedwood._parts import Partitioner
from mixedwood.data import ColumnKind, Target
from mixedwood.estimators._ensemble import Vote
from mixedwood.estimators._single import SingleTreeClassifier
from mixedwood.estimators.c45 import C45TreeClassifier, RandomTreeClassifier
from mixedwood.estimators.member_plan import MemberPlan
from mixedwood.estimators.sampled import SampledTreesClassifier, read_member
from mixedwood.estimators.tree import GreedyTreeClassifier, TreeClassifier
from mixedwood.growers import CodedTable

__all__ = ["RandomOrdinalityClassifier"]

_PER_TREE = Partitioner("random_order", per="tree")
_BASES = ("c45", "random_tree")


class RandomOrdinalityClassifier(SampledTreesClassifier):
    """Trees that see the values of nominal columns in random orders, and their vote.

    For each tree and each nominal column an order of the values is drawn, and the column is then
    split by thresholds. Every tree sees all rows; chance in the orders makes the trees different.
    Trees are read, drawn and used in the original values: a threshold in a random order is a group
    of values.

    Parameters
    ----------
    estimator : {"c45", "random_tree"}, C45TreeClassifier or TreeClassifier, default="c45"
        The tree to grow many of: an unpruned C4.5 tree; or a random tree that looks at half of the
        columns at each node; or one of your own, whose partitioner, if it is "auto" or "multiway",
        becomes a random order drawn once per tree. With ``partitioner="random_order"`` it is drawn
        at each node.
    n_estimators : int, default=50
        Number of trees.
    joint : bool or sequence of sequences of str, default=False
        Whether orders of different columns are drawn together, so that values which occur together
        get near places; or the groups of columns for which they are. Each order alone is uniformly
        random either way.
    voting : {"soft", "hard"}, default="hard"
        Whether class probabilities of the trees are averaged, or each tree has one vote. Of
        classes with equal shares the first in ``classes_`` wins.
    bootstrap : bool, default=False
        Whether each tree sees a sample of the rows drawn with replacement.
    max_samples, colsample_bytree, oob_score, class_weight, categorical_features, ordinal_features
        As in `ForestClassifier`.
    n_jobs, random_state, warm_start, verbose, time_limit
        As in `ForestClassifier`.

    Attributes
    ----------
    trees_ : list of Tree
        The trees; print or draw them.
    classes_, schema_, oob_score_, oob_decision_function_, n_features_in_, feature_names_in_
        As in `ForestClassifier`.

    See Also
    --------
    RandomOrdinalityClassifier.c45, RandomOrdinalityClassifier.random_tree : The paper's two.
    mixedwood.preprocessing.RandomOrdinalEncoder : The same idea for any other classifier.

    Notes
    -----
    A label that no training row had has no place in an order. The paper's two trees treat it as
    missing: the row goes to all children, in proportion to their weights.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"shape": list("abcdef") * 4, "size": [1, 2, 3, 4] * 6}
    >>> y = ["yes", "yes", "no", "no", "yes", "no"] * 4
    >>> model = mw.RandomOrdinalityClassifier(random_state=0).fit(X, y)
    >>> model.predict({"shape": ["e", "f"], "size": [1, 1]}).tolist()
    ['yes', 'no']
    >>> print(model.trees_[0].to_text(max_depth=1))  # doctest: +ELLIPSIS
    [0] root (24)
    ...
    """

    def __init__(
        self,
        estimator: str | GreedyTreeClassifier = "c45",
        n_estimators: int = 50,
        *,
        joint: bool | Sequence[Sequence[str]] = False,
        voting: Vote = "hard",
        bootstrap: bool = False,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        oob_score: bool | Callable[[Any, Any], float] = False,
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.joint = joint
        self.voting = voting
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit

    # Recipes

    @classmethod
    def c45(cls, n_estimators: int = 50, **parameters: Any) -> RandomOrdinalityClassifier:
        """The paper's first ensemble: unpruned C4.5 trees, plurality vote.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        **parameters
            Further parameters of `RandomOrdinalityClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.RandomOrdinalityClassifier.c45().estimator
        'c45'
        """
        return cls(**{"estimator": "c45", "n_estimators": n_estimators, **parameters})

    @classmethod
    def random_tree(cls, n_estimators: int = 50, **parameters: Any) -> RandomOrdinalityClassifier:
        """The paper's second ensemble: random trees on half of the columns at each node.

        Half of an odd number of columns is rounded down, to at least 1.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        **parameters
            Further parameters of `RandomOrdinalityClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.RandomOrdinalityClassifier.random_tree().estimator
        'random_tree'
        """
        return cls(**{"estimator": "random_tree", "n_estimators": n_estimators, **parameters})

    # What the trees are

    def _default_part(self, name: str, given: Any) -> Any:
        return _named(given) if name == "estimator" else None

    def _member(self) -> GreedyTreeClassifier:
        given = _named(self.estimator) or self.estimator
        if isinstance(given, (C45TreeClassifier, RandomTreeClassifier)):
            member: GreedyTreeClassifier = clone(given)
            member._overrides = {"partitioner": _PER_TREE}
            return member
        if not isinstance(given, TreeClassifier):
            raise ValueError(
                f"The 'estimator' parameter of {type(self).__name__} must be a str among "
                f"{{{', '.join(map(repr, _BASES))}}}, a C45TreeClassifier or a TreeClassifier. Got "
                f"{given!r} instead."
            )
        partitioner = Partitioner.read(given.partitioner)
        tree: TreeClassifier = clone(given)
        if partitioner.name == "random_order":
            return tree
        if partitioner.name not in ("auto", "multiway"):
            raise ValueError(
                f"estimator has partitioner={given.partitioner!r}, but a random order is "
                "to take its place. Leave it at 'auto', or use ForestClassifier with this tree."
            )
        return tree.set_params(partitioner=_PER_TREE)

    def _member_learner(self) -> SingleTreeClassifier:
        member = self._member()
        read_member(member)
        joint = _read_joint(self.joint)
        if not joint:
            return member
        used = member._overrides.get("partitioner") or Partitioner.read(member.partitioner)
        if used.options.get("per") != "tree":
            raise ValueError(
                f"joint={self.joint!r} needs orders that are drawn once per tree, but estimator "
                f"has partitioner={member.partitioner!r}. Leave it at 'auto', or set joint=False."
            )
        member._overrides = {**member._overrides, "joint": joint}
        return member

    def _plan(
        self, coded: CodedTable, target: Target, learner: SingleTreeClassifier, seed: int
    ) -> MemberPlan:
        joint = _read_joint(self.joint)
        if not isinstance(joint, bool):
            nominal = [c.name for c in coded.table.schema if c.kind == ColumnKind.NOMINAL]
            unknown = [name for group in joint for name in group if name not in nominal]
            if unknown:
                raise ValueError(
                    f"joint names {', '.join(map(repr, unknown))}; the nominal columns are "
                    f"{', '.join(map(repr, nominal)) or 'none'}."
                )
        return super()._plan(coded, target, learner, seed)


def _named(base: Any) -> GreedyTreeClassifier | None:
    """Make one of the paper's trees by its name; None if it is no such name."""
    if isinstance(base, str) and base == "c45":
        return C45TreeClassifier(pruned=False, handle_unknown="missing")
    if isinstance(base, str) and base == "random_tree":
        return RandomTreeClassifier(max_features=0.5, handle_unknown="missing")
    return None


def _read_joint(joint: Any) -> bool | tuple[tuple[str, ...], ...]:
    if isinstance(joint, bool):
        return joint
    is_list = isinstance(joint, (list, tuple))
    groups: list[Any] = list(joint) if is_list else []
    are_names = (
        isinstance(group, (list, tuple)) and all(isinstance(name, str) for name in group)
        for group in groups
    )
    if not is_list or not all(are_names):
        raise ValueError(
            "joint must be True, False, or a list of groups of column names, such as "
            f"[['city', 'country']]; got {joint!r}."
        )
    names = [name for group in groups for name in group]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"joint names the column {twice!r} twice; a column is in one group only.")
    return tuple(tuple(group) for group in groups if len(group) > 1)
