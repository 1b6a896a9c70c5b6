"""Methods that papers compare with, where neither this library nor scikit-learn has them as such.

They take tables of categories and numbers.
"""

from mixedwood.study.baselines.naive_bayes import MixedNaiveBayes
from mixedwood.study.baselines.neighbors import MixedNeighborsClassifier

__all__ = ["MixedNaiveBayes", "MixedNeighborsClassifier"]
