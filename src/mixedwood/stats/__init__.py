"""Honest statistics, which say whether methods differ or whether it may be luck.

Functions take plain arrays of errors (less is better) and return small records with the statistic,
the p-value and a sentence in plain words.
"""

from mixedwood.stats.counting import WinDrawLoss, win_draw_loss
from mixedwood.stats.diagram import critical_difference_diagram
from mixedwood.stats.five_by_two import five_by_two_cv_f_test, five_by_two_cv_t_test
from mixedwood.stats.paired_test import PairedTest
from mixedwood.stats.rank_tests import FriedmanTest, NemenyiTest
from mixedwood.stats.ranks import friedman_test, nemenyi_test, rank_methods
from mixedwood.stats.signed_ranks import wilcoxon_signed_rank
from mixedwood.stats.t_tests import corrected_resampled_t_test, paired_t_test

__all__ = [
    "FriedmanTest",
    "NemenyiTest",
    "PairedTest",
    "WinDrawLoss",
    "corrected_resampled_t_test",
    "critical_difference_diagram",
    "five_by_two_cv_f_test",
    "five_by_two_cv_t_test",
    "friedman_test",
    "nemenyi_test",
    "paired_t_test",
    "rank_methods",
    "wilcoxon_signed_rank",
    "win_draw_loss",
]
