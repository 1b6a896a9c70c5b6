"""Callbacks of estimators: scikit-learn's protocol where it has one (1.9), and plain functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Self

from mixedwood._progress import FunctionListener, Progress, listening, stage

__all__ = ["WithCallbacks"]


def _protocol() -> Any:
    """scikit-learn's module of callbacks, or None before 1.9; it takes long to import."""
    try:
        from sklearn import callback
    except ImportError:
        return None
    return callback


class WithCallbacks:
    """Gives `set_callbacks` to an estimator, and calls them during `fit`.

    scikit-learn finds this method, not a base class; its module is imported on first use only.
    """

    _is_reporting: bool
    _functions: Sequence[Callable[[Progress], object]] = ()

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set what is called during `fit`.

        Parameters
        ----------
        *callbacks : callable or sklearn.callback.FitCallback
            Functions, which are called with a `Progress`: what is counted (``what``), ``done``,
            ``total``, ``seconds`` and ``seconds_left``. From scikit-learn 1.9 on also its
            callbacks, such as ``sklearn.callback.ProgressBar()``. They replace earlier ones; pass
            none to remove them.

        Returns
        -------
        estimator
            The estimator itself.

        Examples
        --------
        >>> import mixedwood as mw
        >>> steps = []
        >>> model = mw.ForestClassifier(n_estimators=3).set_callbacks(steps.append)
        >>> _ = model.fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"])
        >>> [(step.what, step.done, step.total) for step in steps]
        [('fit', 0, 1), ('trees', 0, 3), ('trees', 1, 3), ('trees', 2, 3), ('trees', 3, 3), \
('fit', 1, 1)]
        """
        others, functions = [], []
        for callback in callbacks:
            protocol = _protocol() if hasattr(callback, "on_fit_task_begin") else None
            is_instance = not isinstance(callback, type)
            if protocol is not None and is_instance and isinstance(callback, protocol.FitCallback):
                others.append(callback)
            elif callable(callback) and is_instance:
                functions.append(callback)
            else:
                raise TypeError(
                    "callbacks must be functions or, from scikit-learn 1.9 on, FitCallback "
                    f"objects. Got {callback!r} instead."
                )
        # A meta-estimator adds its own callbacks to those that there are, and removes them again.
        is_propagated = hasattr(self, "_parent_callback_ctx")
        for name, found in (("_skl_callbacks", others), ("_functions", functions)):
            if found:
                setattr(self, name, found)
            elif not (is_propagated and name == "_functions"):
                self.__dict__.pop(name, None)
        return self

    def _fit_with_callbacks(self, fit: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call `fit` and the callbacks, once if it calls the `fit` of a base class."""
        if vars(self).get("_is_reporting"):
            return fit(self, *args, **kwargs)
        self._is_reporting = True
        try:
            with ExitStack() as stack:
                for function in self._functions:
                    stack.enter_context(listening(FunctionListener(function)))
                if "_skl_callbacks" in vars(self):
                    return _fit_in_context(fit, self, args, kwargs)
                with stage("fit", 1) as advance:
                    result = fit(self, *args, **kwargs)
                    if advance is not None:
                        advance(1)
                return result
        finally:
            del self._is_reporting


def _fit_in_context(fit: Any, estimator: Any, args: Any, kwargs: Any) -> Any:
    """Fit with a tree of scikit-learn's contexts: the fit, its stages, and each tree of a stage."""
    protocol = _protocol()
    begin_context = protocol.CallbackSupportMixin._init_callback_context

    def run(self: Any) -> Any:
        root = begin_context(self, max_subtasks=None)
        root.call_on_fit_task_begin(estimator=self)
        with listening(_ContextListener(self, root)):
            result = fit(self, *args, **kwargs)
        root.call_on_fit_task_end(estimator=self)
        return result

    return protocol.with_callbacks(run)(estimator)


class _ContextListener:
    """Turns stages into contexts of scikit-learn."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator, self._contexts = estimator, [root]
        self._done = [0]

    def begin(self, what: str, total: int) -> None:
        context = self._contexts[-1].subcontext(task_name=what, max_subtasks=total)
        context.call_on_fit_task_begin(estimator=self._estimator)
        self._contexts.append(context)
        self._done.append(0)

    def advance(self, n_done: int) -> None:
        for _ in range(self._done[-1], n_done):
            leaf = self._contexts[-1].subcontext(task_name="one")
            leaf.call_on_fit_task_begin(estimator=self._estimator)
            leaf.call_on_fit_task_end(estimator=self._estimator)
        self._done[-1] = n_done

    def end(self) -> None:
        self._contexts.pop().call_on_fit_task_end(estimator=self._estimator)
        self._done.pop()
