"""The critical-difference diagram: mean ranks on a line, and bars over what may be luck."""

from __future__ import annotations

from typing import Any

from mixedwood.stats.rank_tests import NemenyiTest

__all__ = ["critical_difference_diagram"]


def critical_difference_diagram(result: NemenyiTest, ax: Any = None) -> Any:
    """Draw.

    Examples
    --------
    >>> 1
    1
    """
    raise NotImplementedError
