"""Random Ordinality Ensembles (Ahmad and Brown 2009): trees with random orders of categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from mixedwood._parts import Partitioner
from mixedwood.data import ColumnKind, Table
from mixedwood.estimators._ensemble import Vote
from mixedwood.estimators.c45 import C45TreeClassifier, RandomTreeClassifier
from mixedwood.estimators.forest import BaseForestClassifier
from mixedwood.estimators.tree import GreedyTreeClassifier, TreeClassifier

__all__ = ["RandomOrdinalityClassifier"]

_PER_TREE = Partitioner("random_order", per="tree")
_PUBLISHED: dict[str, Any] = {"bootstrap": False, "voting": "hard"}


class RandomOrdinalityClassifier(BaseForestClassifier):
    """A forest whose trees see the categories of nominal columns in random orders.

    The categories of each nominal column are put in a random order, at each node or for each tree,
    and the column is then split by thresholds. A threshold in a random order is stored as a group
    of categories, so trees refer to the original categories. The published methods, whose trees
    differ by the orders alone and vote for one class, are presets; the defaults are more accurate.

    Parameters
    ----------
    estimator : TreeClassifier, C45TreeClassifier, str or None, default="forest_tree"
        The tree. "forest_tree" is a tree as in a random forest, with half of the columns and new
        orders at each node and at least two rows in a leaf. None is an unpruned C4.5 tree, and
        "random_tree" the random tree of WEKA with half of the columns at each node. The partitioner
        of a `TreeClassifier` must be "auto", "multiway", which `partitioner` replaces, or
        "random_order".
    n_estimators : int, default=100
        Number of trees.
    partitioner : str, Partitioner or None, default=None
        The random order. If None, the partitioner of `estimator` if it is a "random_order", which
        draws orders at each node, otherwise ``Partitioner("random_order", per="tree")``. With the
        option ``joint=True``, orders of columns are drawn together, so that categories which occur
        together get near places; with ``joint=[["city", "country"]]``, those of some columns.
    bootstrap : bool, default=True
        Whether each tree is grown on a sample of the rows drawn with replacement.
    voting : {"soft", "hard"}, default="soft"
        Whether class probabilities of the trees are averaged, or the votes of the trees are
        counted.
    max_samples, colsample_bytree, oob_score, class_weight, cost_matrix, categorical_features
        As in `ForestClassifier`.
    ordinal_features, crossed_features, n_jobs, random_state, warm_start, verbose, time_limit
        As in `ForestClassifier`.

    Attributes
    ----------
    trees_, predictor_, classes_, schema_, oob_score_, oob_decision_function_
        As in `ForestClassifier`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RandomOrdinalityClassifier.c45, RandomOrdinalityClassifier.random_tree : The published methods.
    mixedwood.preprocessing.RandomOrdinalEncoder : The same idea for any other classifier.

    Notes
    -----
    A category that is not in the training data has no place in an order. The trees of the presets
    treat it as missing: the row goes to all children, in proportion to their weights.

    References
    ----------
    .. [1] A. Ahmad and G. Brown, "Random Ordinality Ensembles", MCS 2009.

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
        estimator: TreeClassifier | C45TreeClassifier | str | None = "forest_tree",
        n_estimators: int = 100,
        *,
        partitioner: str | Partitioner | None = None,
        bootstrap: bool = True,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        voting: Vote = "soft",
        oob_score: bool | Callable[[Any, Any], float] = False,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        categorical_features: Any = None,
        ordinal_features: Mapping[str, Sequence[Any]] | None = None,
        crossed_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        time_limit: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.voting = voting
        self.oob_score = oob_score
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.crossed_features = crossed_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.partitioner = partitioner

    def _default_tree(self) -> Any:
        if self.estimator is None:
            return C45TreeClassifier(pruned=False, handle_unknown="missing")
        if self.estimator == "forest_tree":
            return TreeClassifier(
                criterion="gini",
                partitioner="random_order",
                max_features=0.5,
                min_samples_leaf=2,
                pruning=None,
            )
        return RandomTreeClassifier(max_features=0.5, handle_unknown="missing")

    def _default_part(self, name: str, given: Any) -> Any:
        known = name == "estimator" and _is_named(given)
        return type(self)(given)._default_tree() if known else None

    def _member(self) -> GreedyTreeClassifier:
        given = self.estimator
        tree: Any = self._default_tree() if _is_named(given) else given
        if not isinstance(tree, (C45TreeClassifier, RandomTreeClassifier, TreeClassifier)):
            raise TypeError(
                "The 'estimator' parameter of RandomOrdinalityClassifier must be an instance of "
                "'TreeClassifier' or 'C45TreeClassifier', 'forest_tree', 'random_tree' or None. "
                f"Got {given!r} instead."
            )
        member: GreedyTreeClassifier = clone(tree)
        order = self._order(tree)
        if isinstance(member, TreeClassifier):
            member.set_params(partitioner=order)
        elif isinstance(member, (C45TreeClassifier, RandomTreeClassifier)):
            member._partitioner = order
        return member

    def _order(self, tree: Any) -> Partitioner:
        """The partitioner of the trees."""
        own = Partitioner.read(getattr(tree, "partitioner", "multiway"))
        if own.name not in ("auto", "multiway", "random_order"):
            raise ValueError(
                "The partitioner of estimator must be 'auto', 'multiway' or 'random_order'. Got "
                f"{tree.partitioner!r} instead. Use ForestClassifier for other partitioners."
            )
        if self.partitioner is None:
            return own if own.name == "random_order" else _PER_TREE
        order = Partitioner.read(self.partitioner)
        if order.name != "random_order":
            raise ValueError(
                "The 'partitioner' parameter of RandomOrdinalityClassifier must be 'random_order', "
                f"a Partitioner('random_order') or None. Got {self.partitioner!r} instead."
            )
        return order

    def _check_table(self, table: Table) -> None:
        super()._check_table(table)
        named = _is_named(self.estimator)
        tree = self._default_tree() if named else self.estimator
        joint = self._order(tree).settings()["joint"]
        nominal = [c.name for c in table.schema if c.kind == ColumnKind.NOMINAL]
        for group in () if isinstance(joint, bool) else joint:
            for name in group:
                if name not in nominal:
                    raise ValueError(
                        f"The 'joint' option of the partitioner contains {name!r}, but the nominal "
                        f"columns are {', '.join(map(repr, nominal)) or 'none'}."
                    )

    # Presets

    @classmethod
    def c45(cls, n_estimators: int = 50, **parameters: Any) -> RandomOrdinalityClassifier:
        """The first published method: unpruned C4.5 trees, hard voting.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        **parameters
            Further parameters of `RandomOrdinalityClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.RandomOrdinalityClassifier.c45().voting
        'hard'
        """
        return cls(**{**_PUBLISHED, "estimator": None, "n_estimators": n_estimators, **parameters})

    @classmethod
    def random_tree(cls, n_estimators: int = 50, **parameters: Any) -> RandomOrdinalityClassifier:
        """The second published method: random trees on half of the columns at each node.

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
        preset = {**_PUBLISHED, "estimator": "random_tree", "n_estimators": n_estimators}
        return cls(**{**preset, **parameters})


def _is_named(estimator: Any) -> bool:
    return estimator is None or (
        isinstance(estimator, str) and estimator in ("forest_tree", "random_tree")
    )
