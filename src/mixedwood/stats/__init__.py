"""Statistical tests for comparing methods on the same folds or datasets, and calibration.

Functions take arrays of errors (lower is better) and return results with the statistic, the p-value
and a sentence.
"""

from mixedwood.stats.calibration import ReliabilityCurve, reliability_curve
from mixedwood.stats.diagram import critical_difference_diagram
from mixedwood.stats.five_by_two import five_by_two_cv_f_test, five_by_two_cv_t_test
from mixedwood.stats.paired import (
    PairedTest,
    corrected_resampled_t_test,
    paired_t_test,
    wilcoxon_signed_rank,
)
from mixedwood.stats.ranks import (
    FriedmanTest,
    NemenyiTest,
    friedman_test,
    nemenyi_test,
    rank_methods,
)
from mixedwood.stats.win_tie_loss import WinTieLoss, win_tie_loss

__all__ = [
    "FriedmanTest",
    "NemenyiTest",
    "PairedTest",
    "ReliabilityCurve",
    "WinTieLoss",
    "corrected_resampled_t_test",
    "critical_difference_diagram",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_test",
    "nemenyi_test",
    "paired_t_test",
    "rank_methods",
    "reliability_curve",
    "wilcoxon_signed_rank",
    "win_tie_loss",
]
