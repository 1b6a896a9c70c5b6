"""Decision trees: one class for all estimators, and a builder that makes trees node by node."""

from mixedwood.tree.builder import TreeBuilder
from mixedwood.tree.decide import TargetSpec, argmax_with_ties
from mixedwood.tree.monotonic import in_order
from mixedwood.tree.predictor import Mixture, Predictor
from mixedwood.tree.shap import ShapValues, shap_values
from mixedwood.tree.tree import ARRAY_TYPES, FRACTIONAL, NUMBER, STOP, SplitKind, Terms, Tree

__all__ = [
    "ARRAY_TYPES",
    "FRACTIONAL",
    "NUMBER",
    "STOP",
    "Mixture",
    "Predictor",
    "ShapValues",
    "SplitKind",
    "TargetSpec",
    "Terms",
    "Tree",
    "TreeBuilder",
    "argmax_with_ties",
    "in_order",
    "shap_values",
]
