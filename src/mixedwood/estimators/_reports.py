"""Importances and a report of a fitted estimator, and its display in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from mixedwood.evaluation import Importances
    from mixedwood.report.model import ModelReport

__all__ = ["WithReports"]


class WithReports(BaseEstimator):  # type: ignore[misc]
    """Methods of all estimators; the packages that do the work are imported on first use."""

    def _repr_html_inner(self) -> str:
        """Show scikit-learn's box and, once fitted, interactive trees."""
        return str(super()._repr_html_inner()) + self._trees_html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Give a notebook the same as HTML and text."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._trees_html()
        return bundle

    def _trees_html(self) -> str:
        if not hasattr(self, "schema_"):
            return ""
        from mixedwood.plot.models import notebook_html

        return notebook_html(self)

    def importances(
        self,
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
        """Measure how much worse predictions get when a column is shuffled.

        Parameters
        ----------
        X : table
            Rows, preferably not the training rows: on these, columns that only fit noise look
            useful. A model stores no rows.
        y : array-like of shape (n_rows,)
            Their classes or numbers.
        metric : str, optional
            The score: ``"accuracy"``, ``"balanced_accuracy"``, ``"auc"`` or ``"log_loss"`` for
            classes, ``"r2"``, ``"rmse"`` or ``"mae"`` for numbers. By default the accuracy or R².
        n_repeats : int, default=10
            Number of times that each column is shuffled.
        groups : iterable of sequence of str
            Further groups of columns to shuffle together, such as columns with the same
            information.
        out_of_bag : bool, default=False
            For forests: X and y are the training rows, in the same order, and each tree predicts
            the rows that are not in its sample.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of rows.
        random_state : int, Generator, RandomState or None, default=None
            Seed of the shuffles.
        n_jobs : int or None, default=None
            Number of threads.

        Returns
        -------
        mixedwood.evaluation.Importances
            Mean and spread for each column, beside the gain. Print or plot it.
        """
        from mixedwood.evaluation import permutation_importances

        return permutation_importances(
            self,
            X,
            y,
            metric=metric,
            n_repeats=n_repeats,
            groups=groups,
            out_of_bag=out_of_bag,
            sample_weight=sample_weight,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    def report(
        self,
        X: Any,
        y: Any,
        *,
        title: str | None = None,
        target: str = "y",
        data: str = "",
        notes: Mapping[str, str] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> ModelReport:
        """Make a report of the model: one page that works offline, and a model card.

        Parameters
        ----------
        X : table
            Rows, preferably not the training rows.
        y : array-like of shape (n_rows,)
            Their classes or numbers.
        title : str, optional
            Title; by default the class of the model.
        target : str, default="y"
            Name of the target.
        data : str, default=""
            Name of the rows, such as that of a file.
        notes : mapping of str to str, optional
            Further sections of the model card, such as ``{"Intended use": "..."}``.
        random_state : int, Generator, RandomState or None, default=0
            Seed for the rows that are shown, and for shuffling.
        n_jobs : int or None, default=None
            Number of threads.

        Returns
        -------
        mixedwood.report.model.ModelReport
            With ``save(path)``, ``to_html()`` and ``to_markdown()``.
        """
        from mixedwood.report.model import make_report

        return make_report(
            self,
            X,
            y,
            title=title,
            target=target,
            data=data,
            notes=notes,
            random_state=random_state,
            n_jobs=n_jobs,
        )
