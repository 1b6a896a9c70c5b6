"""Trees as text and rules, and explanations of single predictions.

Most functions are also methods of a tree: ``print(tree)``, ``tree.to_rules()``,
``tree.explain(table, row)``. Ensembles have ``explain(X, row)``, which sums over their trees.
"""

from mixedwood.explain.conditions import (
    Condition,
    LinearCondition,
    LinearTerm,
    RangeCondition,
    SetCondition,
    branch_conditions,
)
from mixedwood.explain.explanation import (
    EnsembleExplanation,
    Explanation,
    explain_prediction,
)
from mixedwood.explain.format import Style, format_branches, format_condition
from mixedwood.explain.path import Contribution, DecisionPath, PathEnd, PathStep, explain_row
from mixedwood.explain.text import Rule, to_rules, tree_text

__all__ = [
    "Condition",
    "Contribution",
    "DecisionPath",
    "EnsembleExplanation",
    "Explanation",
    "LinearCondition",
    "LinearTerm",
    "PathEnd",
    "PathStep",
    "RangeCondition",
    "Rule",
    "SetCondition",
    "Style",
    "branch_conditions",
    "explain_prediction",
    "explain_row",
    "format_branches",
    "format_condition",
    "to_rules",
    "tree_text",
]
