"""Predictions of Dask frames: a column for each partition, computed where the partition is."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixedwood.data.partitions import is_dask_frame, map_frame

__all__ = ["predict_frame"]


def predict_frame(model: Any, name: str, frame: Any, args: Any, kwargs: Any) -> Any:
    """Predict a frame of Dask by the method of this name, when the result is computed."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    if not is_dask_frame(frame):
        raise TypeError(
            f"X is of type {type(frame).__name__}. Of Dask, {name} takes a DataFrame; call "
            "compute() on other objects first."
        )
    if args or kwargs:
        raise TypeError(
            f"{name} of a Dask frame takes no further argument. Use X.map_partitions(model.{name}, "
            "...) for one with options."
        )
    if set(model.schema_.inputs.names) <= set(frame.columns):
        frame = frame[list(model.schema_.inputs.names)]  # so that no other column is read
    return map_frame(frame, _predict_partition, (model, name), _wrap(model, name, frame._meta))


def _predict_partition(part: Any, sent: tuple[Any, str]) -> Any:
    model, name = sent
    return _wrap(model, name, part, getattr(model, name)(part) if len(part) else None)


def _wrap(model: Any, name: str, part: Any, found: Any = None) -> Any:
    """Give predictions the index of the rows; without predictions, a frame of no rows."""
    import pandas as pd

    classes = getattr(model, "classes_", None)
    if name == "predict":
        if found is None:
            part, found = part[:0], np.empty(0) if classes is None else classes[:0]
        return pd.Series(found, index=part.index, name="prediction")
    if found is None:
        part, found = part[:0], np.empty((0, len(model.classes_)))
    return pd.DataFrame(found, index=part.index, columns=list(map(str, model.classes_.tolist())))
