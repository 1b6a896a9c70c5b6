"""Tests of methods on each dataset, chosen by the cross-validation scheme, and over datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mixedwood import stats

if TYPE_CHECKING:
    from mixedwood.comparison.result import Comparison, DatasetInfo
    from mixedwood.stats import PairedTest, WinTieLoss

__all__ = [
    "TESTS",
    "PairwiseTest",
    "Test",
    "complete_means",
    "count_wins",
    "pairwise_tests",
    "read_baseline",
    "test_name",
]

Test: TypeAlias = Literal["auto", "5x2cv_f", "5x2cv_t", "corrected_t", "paired_t"]
TESTS = get_args(Test)
_MIN_FOLDS = 5  # for a test of equal differences
_MIN_DATASETS = 3


@dataclass(frozen=True)
class PairwiseTest:
    """A test of a method against the baseline on one dataset.

    Attributes
    ----------
    dataset, method, baseline : str
        Their names.
    test : PairedTest or None
        Result of the test; None if there is none.
    sentence : str
        The result as a sentence, or the reason why there is none.
    """

    dataset: str
    method: str
    baseline: str
    test: PairedTest | None
    sentence: str

    @property
    def mark(self) -> str:
        """``"+"`` if the method is significantly better, ``"-"`` if worse, else an empty text."""
        winner = None if self.test is None else self.test.winner
        return "" if winner is None else "+" if winner == self.method else "-"


def test_name(comparison: Comparison) -> str:
    """Name the test that is used for the cross-validation scheme."""
    return "5x2cv F test" if _is_five_by_two(comparison) else "corrected resampled t test"


def read_baseline(comparison: Comparison, baseline: str | None) -> str:
    """Return the name of the method that others are tested against: the first if None."""
    name = comparison.methods[0] if baseline is None else baseline
    if name not in comparison.methods:
        raise ValueError(
            f"baseline={name!r} is not one of the methods: {', '.join(comparison.methods)}."
        )
    return name


def pairwise_tests(
    comparison: Comparison,
    metric: str,
    baseline: str | None,
    alpha: float,
    test: Test = "auto",
) -> tuple[PairwiseTest, ...]:
    """Test every other method against the baseline on each dataset."""
    chosen = _read_test(comparison, test)
    name = read_baseline(comparison, baseline)
    found = []
    b = comparison.methods.index(name)
    for s, dataset in enumerate(comparison.datasets):
        for m, method in enumerate(comparison.methods):
            if m != b:
                result, sentence = _test_pair(comparison, metric, s, m, b, alpha, chosen)
                found.append(PairwiseTest(dataset.name, method, name, result, sentence))
    return tuple(found)


def _read_test(comparison: Comparison, test: str) -> str:
    """Check the name of a test; "auto" is the one for the cross-validation scheme."""
    if test not in TESTS:
        raise ValueError(f"Unknown test {test!r}; use one of {', '.join(TESTS)}.")
    five_by_two = _is_five_by_two(comparison)
    if test.startswith("5x2cv") and not five_by_two:
        raise ValueError(
            f"test={test!r} requires cv='5x2cv'; the comparison used cv={str(comparison.cv)!r}. "
            "Use test='corrected_t'."
        )
    return ("5x2cv_f" if five_by_two else "corrected_t") if test == "auto" else test


def _test_pair(
    comparison: Comparison, metric: str, s: int, m: int, b: int, alpha: float, test: str
) -> tuple[PairedTest | None, str]:
    """Test two methods on one dataset, or give the reason why that is impossible."""
    n = comparison.n_folds(s)
    values = comparison.values(metric)[s, :, :n]
    for method in (m, b):
        if (lacking := int(np.isnan(values[method]).sum())) > 0:
            name = comparison.methods[method]
            return None, f"No test: {name} has no {metric} on {lacking} of {n} folds."
    if n < 2:
        return None, f"No test: {comparison.cv} has a single fold."
    names = comparison.methods[m], comparison.methods[b]
    options = {"names": names, "metric": metric.replace("_", " "), "alpha": alpha}
    found = _make_test(test, values[m], values[b], comparison.datasets[s], options)
    # Errors are counts of rows: on two or three folds a difference may be the same by chance.
    if np.isinf(found.statistic) and n < _MIN_FOLDS:
        return (
            None,
            f"No test: {names[0]} and {names[1]} differ by the same amount on all {n} folds, and "
            f"{n} folds are too few to exclude chance.",
        )
    return found, found.sentence


def _make_test(
    test: str,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    dataset: DatasetInfo,
    options: dict[str, Any],
) -> PairedTest:
    if test == "paired_t":
        return stats.paired_t_test(a, b, **options)
    if test == "corrected_t":
        sizes = float(np.mean(dataset.n_train)), float(np.mean(dataset.n_test))
        return stats.corrected_resampled_t_test(a, b, *sizes, **options)
    five_by_two = stats.five_by_two_cv_f_test if test == "5x2cv_f" else stats.five_by_two_cv_t_test
    return five_by_two(a.reshape(5, 2), b.reshape(5, 2), **options)


def _is_five_by_two(comparison: Comparison) -> bool:
    cv = comparison.cv
    return cv.kind == "k_fold" and (cv.n_repeats, cv.n_splits) == (5, 2)


def count_wins(comparison: Comparison, metric: str, alpha: float) -> WinTieLoss:
    """Count significant differences of all pairs."""
    means, kept = _complete(comparison, metric)
    names = [comparison.methods[m] for m in kept]
    chosen = _read_test(comparison, "auto")
    p_values = np.ones((len(comparison.datasets), len(kept), len(kept)))
    for s in range(len(comparison.datasets)):
        for i, m in enumerate(kept):
            for j, b in enumerate(kept[:i]):
                test, _ = _test_pair(comparison, metric, s, m, b, alpha, chosen)
                if test is not None:
                    p_values[s, i, j] = p_values[s, j, i] = test.p_value
    return stats.win_tie_loss(means, p_values, names=names, alpha=alpha)


def complete_means(comparison: Comparison, metric: str) -> tuple[NDArray[np.float64], list[str]]:
    """Return means and names of the methods that have a score on every dataset, to be ranked."""
    means, kept = _complete(comparison, metric)
    # Over two datasets Nemenyi's critical difference at 5 % exceeds any difference of mean ranks,
    # whatever the number of methods.
    n = len(comparison.datasets)
    if n < _MIN_DATASETS:
        raise ValueError(
            f"Mean ranks are not tested: {n} dataset{'s are' if n > 1 else ' is'} too few for the "
            "Friedman and Nemenyi tests, so there is no critical difference. Use at least "
            f"{_MIN_DATASETS} datasets, better 10 or more, or the tests on each dataset."
        )
    return means, [comparison.methods[m] for m in kept]


def _complete(comparison: Comparison, metric: str) -> tuple[NDArray[np.float64], list[int]]:
    """Means of the methods that have one on every dataset, and their positions."""
    means = comparison.means(metric)
    kept = np.flatnonzero(~np.isnan(means).any(axis=0)).tolist()
    if len(kept) < 2:
        raise ValueError(
            f"{len(kept)} of {len(comparison.methods)} methods have a {metric} on every "
            "dataset; at least two are required. See `failures`."
        )
    return means[:, kept], kept
