"""Trees in words: as text, as rules, and why a single row is answered as it is. Reads trees only.

Most are also methods of a tree: ``print(tree)``, ``tree.to_rules()``, ``tree.explain(table, row)``.
Ensembles have ``explain(X, row)``, which adds up what their trees say.
"""

from mixedwood.explain.conditions import (
    Condition,
    LinearCondition,
    LinearTerm,
    RangeCondition,
    SetCondition,
    branch_conditions,
)
from mixedwood.explain.contributions import Contribution
from mixedwood.explain.ensemble import explain_scores, explain_votes
from mixedwood.explain.explanation import EnsembleExplanation, Explanation
from mixedwood.explain.path import DecisionPath, PathEnd, PathStep, explain_row
from mixedwood.explain.rules import Rule, to_rules
from mixedwood.explain.spelling import Style
from mixedwood.explain.text import tree_text
from mixedwood.explain.words import branch_words, condition_words

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
    "branch_words",
    "condition_words",
    "explain_row",
    "explain_scores",
    "explain_votes",
    "to_rules",
    "tree_text",
]
