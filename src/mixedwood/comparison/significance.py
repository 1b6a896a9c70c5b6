"""Which test goes with which protocol, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mixedwood import stats

if TYPE_CHECKING:
    from mixedwood.comparison.records import SetFacts
    from mixedwood.comparison.results import Comparison
    from mixedwood.stats import FriedmanTest, NemenyiTest, PairedTest, WinDrawLoss

__all__ = [
    "TESTS",
    "Difference",
    "Test",
    "against_baseline",
    "friedman",
    "name_of_test",
    "nemenyi",
    "wins",
]

Test: TypeAlias = Literal["auto", "5x2cv_f", "5x2cv_t", "corrected_t", "paired_t"]
TESTS = get_args(Test)
_FEW_FOLDS = 5
_FEWEST_SETS = 3


@dataclass(frozen=True)
class Difference:
    """A method beside the baseline on one set.

    Attributes
    ----------
    set, method, baseline : str
        Their names.
    test : PairedTest or None
        What the test found; None where none could be made.
    sentence : str
        The same in words, or why there is no test.
    """

    set: str
    method: str
    baseline: str
    test: PairedTest | None
    sentence: str

    @property
    def mark(self) -> str:
        """Give ``"+"`` if the method is significantly better, ``"-"`` if worse, else nothing."""
        winner = None if self.test is None else self.test.winner
        return "" if winner is None else "+" if winner == self.method else "-"


def name_of_test(comparison: Comparison) -> str:
    """Name the test that goes with the protocol; empty if there is none."""
    protocol = comparison.protocol
    if protocol.kind == "seven_sets":
        return ""
    if _is_five_by_two(comparison):
        return "the 5x2cv F test"
    return "the corrected resampled t test"


def against_baseline(
    comparison: Comparison,
    metric: str,
    baseline: str | None,
    alpha: float,
    test: Test = "auto",
) -> tuple[Difference, ...]:
    """Test every other method against the baseline, set by set."""
    chosen = _check_test(comparison, test)
    first = comparison.methods[0] if baseline is None else baseline
    if first not in comparison.methods:
        raise ValueError(
            f"baseline={first!r} is not one of the methods: {', '.join(comparison.methods)}."
        )
    found = []
    b = comparison.methods.index(first)
    for s, facts in enumerate(comparison.sets):
        for m, method in enumerate(comparison.methods):
            if m != b:
                result, words = _pair(comparison, metric, s, m, b, alpha, chosen)
                found.append(Difference(facts.name, method, first, result, words))
    return tuple(found)


def _check_test(comparison: Comparison, test: str) -> str:
    """The test to make; with "auto" the one that goes with the protocol."""
    if test not in TESTS:
        raise ValueError(f"test={test!r} is not known; there are {', '.join(TESTS)}.")
    halves = _is_five_by_two(comparison)
    if test.startswith("5x2cv") and not halves:
        raise ValueError(
            f"test={test!r} is for five times two folds; this is {comparison.protocol}. "
            'Use test="corrected_t", or compare by protocol="5x2cv".'
        )
    return ("5x2cv_f" if halves else "corrected_t") if test == "auto" else test


def _pair(
    comparison: Comparison, metric: str, s: int, m: int, b: int, alpha: float, test: str
) -> tuple[PairedTest | None, str]:
    """Test two methods on one set, or say why that cannot be done."""
    n = comparison.n_folds(s)
    values = comparison.values(metric)[s, :, :n]
    for method in (m, b):
        if (lacking := int(np.isnan(values[method]).sum())) > 0:
            name = comparison.methods[method]
            return None, f"{name} has no {metric} on {lacking} of {n} folds: no test."
    if n < 2:
        return None, f"{comparison.protocol} gives one figure for a set: nothing to test by."
    names = comparison.methods[m], comparison.methods[b]
    words = {"names": names, "measure": metric.replace("_", " "), "alpha": alpha}
    found = _make_test(test, values[m], values[b], comparison.sets[s], words)
    # Errors are counts of rows: on two or three folds a difference may be the same by chance.
    if np.isinf(found.statistic) and n < _FEW_FOLDS:
        return (
            None,
            f"{names[0]} and {names[1]} differ alike on all {n} folds: too few to test by.",
        )
    return found, found.sentence


def _make_test(
    test: str,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    facts: SetFacts,
    words: dict[str, Any],
) -> PairedTest:
    if test == "paired_t":
        return stats.paired_t_test(a, b, **words)
    if test == "corrected_t":
        sizes = float(np.mean(facts.n_train)), float(np.mean(facts.n_test))
        return stats.corrected_resampled_t_test(a, b, *sizes, **words)
    of_halves = stats.five_by_two_cv_f_test if test == "5x2cv_f" else stats.five_by_two_cv_t_test
    return of_halves(a.reshape(5, 2), b.reshape(5, 2), **words)


def _is_five_by_two(comparison: Comparison) -> bool:
    protocol = comparison.protocol
    is_cross_validation = protocol.kind == "cross_validation"
    return is_cross_validation and (protocol.repetitions, protocol.folds) == (5, 2)


def wins(comparison: Comparison, metric: str, alpha: float) -> WinDrawLoss:
    """Count significant differences of all pairs; without a test, differences of means."""
    means, kept = _complete(comparison, metric)
    names = [comparison.methods[m] for m in kept]
    if not name_of_test(comparison):
        return stats.win_draw_loss(means, names=names, alpha=alpha)
    chosen = _check_test(comparison, "auto")
    p_values = np.ones((len(comparison.sets), len(kept), len(kept)))
    for s in range(len(comparison.sets)):
        for i, m in enumerate(kept):
            for j, b in enumerate(kept[:i]):
                test, _ = _pair(comparison, metric, s, m, b, alpha, chosen)
                if test is not None:
                    p_values[s, i, j] = p_values[s, j, i] = test.p_value
    return stats.win_draw_loss(means, p_values, names=names, alpha=alpha)


def friedman(comparison: Comparison, metric: str, alpha: float) -> FriedmanTest:
    """Test the ranks of the methods that have a figure on every set."""
    means, kept = _complete(comparison, metric)
    _check_sets(comparison)
    return stats.friedman_test(means, names=[comparison.methods[m] for m in kept], alpha=alpha)


def nemenyi(comparison: Comparison, metric: str, alpha: float) -> NemenyiTest:
    """Compare the mean ranks of the methods that have a figure on every set."""
    means, kept = _complete(comparison, metric)
    _check_sets(comparison)
    return stats.nemenyi_test(means, names=[comparison.methods[m] for m in kept], alpha=alpha)


def _complete(comparison: Comparison, metric: str) -> tuple[NDArray[np.float64], list[int]]:
    """Means of the methods that have one on every set, and which methods these are."""
    means = comparison.means(metric)
    kept = np.flatnonzero(~np.isnan(means).any(axis=0)).tolist()
    if len(kept) < 2:
        raise ValueError(
            f"{len(kept)} of {len(comparison.methods)} methods have a figure of {metric} on every "
            "set; two are needed. See `failures` for what went wrong."
        )
    return means[:, kept], kept


def _check_sets(comparison: Comparison) -> None:
    # Over two sets Nemenyi's critical difference at 5 % is larger than any difference of mean
    # ranks, whatever the number of methods: a test that cannot find anything says nothing.
    n = len(comparison.sets)
    if n < _FEWEST_SETS:
        raise ValueError(
            f"Mean ranks are not tested: {n} data set{'s are' if n > 1 else ' is'} too few for the "
            "Friedman and Nemenyi tests, so there is no critical difference. Use at least "
            f"{_FEWEST_SETS} data sets, better 10 or more, or the tests on each data set."
        )
