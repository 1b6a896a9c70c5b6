"""Many trees that vote: bagging and random forests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mixedwood.estimators._ensemble import Vote
from mixedwood.estimators.c45 import C45TreeClassifier
from mixedwood.estimators.sampled import SampledTreesClassifier
from mixedwood.estimators.tree import TreeClassifier

__all__ = ["ForestClassifier", "default_tree"]


def default_tree() -> TreeClassifier:
    """Give the tree that a forest grows many of unless told otherwise."""
    return TreeClassifier(criterion="gini", max_features="sqrt", pruning=None)


class ForestClassifier(SampledTreesClassifier):
    """Trees grown on random parts of the data, and their vote.

    Any tree of the library may be inside. Random forests and bagging are settings of it, to be had
    by name: see the recipes.

    Parameters
    ----------
    estimator : TreeClassifier or None, default=None
        The tree to grow many of; its parameters are those of every tree, but for `random_state`,
        which is the forest's. By default a tree that is not pruned and looks at the square root of
        the number of columns at each node.
    n_estimators : int, default=100
        Number of trees.
    bootstrap : bool, default=True
        Whether each tree sees a sample of the rows drawn with replacement.
    max_samples : int, float or None, default=None
        Size of the sample: a number of rows, a share of them, or as many as there are. Without
        `bootstrap` so many rows are drawn without replacement.
    colsample_bytree : None, int, float, "sqrt" or "log2", default=None
        How many columns each tree may use, drawn once for the tree; all by default. The
        estimator's `max_features` draws columns at each node.
    voting : {"soft", "hard"}, default="soft"
        Whether class probabilities of the trees are averaged, or each tree has one vote. Of
        classes with equal shares the first in ``classes_`` wins.
    oob_score : bool or callable, default=False
        Whether to score the forest on rows that trees have not seen: by the share that is right, or
        by a function of the classes and the answers, such as `sklearn.metrics.f1_score`.
    class_weight : mapping, "balanced" or None, default=None
        Factors by which the rows of a class weigh more or less. Leaves of one class answer the
        same whatever it weighs: it counts where trees have a `min_samples_leaf` or are pruned.
    categorical_features : None, "from_dtype", "all", or array of str, int or bool, default=None
        Columns to read as nominal whatever their type.
    ordinal_features : mapping of str to sequence, optional
        Columns with an order, and their labels in order.
    n_jobs : int or None, default=None
        Number of threads, -1 for all processors. Any number gives the same forest. Other backends
        of joblib are chosen around `fit` with ``joblib.parallel_config``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the forest; None gives another forest every time.
    warm_start : bool, default=False
        Whether `fit` keeps the trees that are there and grows only those that are missing. The
        result is the same as that of one fit.
    verbose : int, default=0
        Whether to show on the standard error how far `fit` is.
    time_limit : float or None, default=None
        Seconds that `fit` may take. Trees that are not begun by then are left out, with a warning,
        and those that are being grown are cut short; there is always one.

    Attributes
    ----------
    trees_ : list of Tree
        The trees; print or draw them.
    classes_ : ndarray
        The classes.
    schema_ : Schema
        What the columns are.
    oob_score_ : float
        With `oob_score`: the share of rows that are classified rightly by trees that have not seen
        them, or what the function says.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `oob_score`: what these trees say; NaN for rows that every tree has seen.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ForestClassifier.random_forest, ForestClassifier.bagging_c45, ForestClassifier.bagging_cart :
        Presets.
    RandomOrdinalityClassifier : Trees that differ by a random order of the values.

    Notes
    -----
    Tree number i is made of the seed and its number alone: it is the same for any `n_jobs`, in any
    larger forest, and when it is added by `warm_start`.

    When `fit` is interrupted, the forest is what it was before: unfitted, or as an earlier fit left
    it.

    Examples
    --------
    >>> import mixedwood as mw
    >>> X = {"colour": ["red", "blue", "green", "blue"] * 5, "size": [1, 2, 3, 4] * 5}
    >>> model = mw.ForestClassifier(n_estimators=10, random_state=0)
    >>> model.fit(X, ["yes", "no", "yes", "no"] * 5).predict({"colour": ["red"], "size": [1]})
    array(['yes'], dtype='<U3')
    """

    def __init__(
        self,
        estimator: TreeClassifier | None = None,
        n_estimators: int = 100,
        *,
        bootstrap: bool = True,
        max_samples: float | None = None,
        colsample_bytree: float | str | None = None,
        voting: Vote = "soft",
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
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.colsample_bytree = colsample_bytree
        self.voting = voting
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
    def random_forest(cls, n_estimators: int = 100, **parameters: Any) -> ForestClassifier:
        """Random forest (Breiman 2001) with searched groups of values; the default, by its name.

        Parameters
        ----------
        n_estimators : int, default=100
            Number of trees.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.random_forest().estimator.max_features
        'sqrt'
        """
        return cls(**{"estimator": default_tree(), "n_estimators": n_estimators, **parameters})

    @classmethod
    def bagging_c45(cls, n_estimators: int = 50, **parameters: Any) -> ForestClassifier:
        """Bagging (Breiman 1996) of unpruned C4.5 trees, as in WEKA: probabilities averaged.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.bagging_c45().estimator
        C45TreeClassifier(pruned=False)
        """
        tree = C45TreeClassifier(pruned=False)
        return cls(**{"estimator": tree, "n_estimators": n_estimators, **parameters})

    @classmethod
    def bagging_cart(
        cls, n_estimators: int = 50, *, se_rule: float = 1.0, cv: int = 10, **parameters: Any
    ) -> ForestClassifier:
        """Bagging of CART trees, each pruned by cross-validation on its own sample; plurality vote.

        The folds divide the distinct rows of a sample. With copies of a row in several folds,
        pruned trees would come out several times too large.

        Parameters
        ----------
        n_estimators : int, default=50
            Number of trees.
        se_rule, cv
            As in `TreeClassifier.cart`.
        **parameters
            Further parameters of `ForestClassifier`.

        Examples
        --------
        >>> import mixedwood as mw
        >>> mw.ForestClassifier.bagging_cart().estimator.pruning.options["cv"]
        10
        """
        recipe: dict[str, Any] = {
            "estimator": TreeClassifier.cart(se_rule=se_rule, cv=cv),
            "n_estimators": n_estimators,
            "voting": "hard",
        }
        return cls(**{**recipe, **parameters})

    # What the trees are

    def _member(self) -> Any:
        return default_tree() if self.estimator is None else self.estimator

    def _default_part(self, name: str, given: Any) -> Any:
        return default_tree() if name == "estimator" and given is None else None
