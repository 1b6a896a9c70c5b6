"""Parts of an ensemble whose parameters were set, but are replaced: said, not passed over."""

from __future__ import annotations

import warnings
from typing import Any

from mixedwood._limits import user_stacklevel

__all__ = ["warn_of_what_is_not_used"]


def warn_of_what_is_not_used(model: Any, *, tunes: bool) -> None:
    """Warn once of parameters of `forest` and `boosted` that an ensemble does not look at.

    Parameters
    ----------
    model : EnsembleClassifier
        The ensemble, with its parts as they were given.
    tunes : bool
        Whether depth and rounds are chosen.
    """
    said = [
        f"{parameter}={value!r} of {name} is not used: set {parameter} of the ensemble, which both "
        "parts have."
        for name in ("forest", "boosted")
        for parameter, value in _set_by_hand(getattr(model, name), ("n_jobs", "verbose")).items()
        if value != getattr(model, parameter)
    ]
    chosen = _set_by_hand(model.boosted, ("max_depth", "n_estimators")) if tunes else {}
    if chosen:
        given = " and ".join(f"{parameter}={value!r}" for parameter, value in chosen.items())
        said.append(
            f"{given} of boosted {'is' if len(chosen) == 1 else 'are'} not used: with tune=True "
            "the depth is chosen from depths, and the rounds up to max_rounds. Set tune=False to "
            "use boosted as it is."
        )
    if said:
        warnings.warn(" ".join(said), UserWarning, stacklevel=user_stacklevel())


def _set_by_hand(part: Any, parameters: tuple[str, ...]) -> dict[str, Any]:
    """Give those parameters of a part that are not its defaults."""
    if part is None:
        return {}
    default = type(part)()
    values = {parameter: getattr(part, parameter) for parameter in parameters}
    return {p: value for p, value in values.items() if value != getattr(default, p)}
