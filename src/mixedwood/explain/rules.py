"""The leaves of a tree as rules: if this and that, then this class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mixedwood.explain.conditions import Condition, RangeCondition, add_condition, branch_conditions
from mixedwood.explain.spelling import Style, label_words, share_words, weight_words
from mixedwood.explain.words import condition_words
from mixedwood.tree import Tree

__all__ = ["Rule", "to_rules"]


@dataclass(frozen=True)
class Rule:
    """What leads to one leaf, and what the leaf says.

    Attributes
    ----------
    node : int
        The leaf, as in `Tree.apply`.
    conditions : tuple of Condition
        What a row must fulfil, as data; one for each column that is asked for, in the order of
        the way to the leaf, and one for each linear test.
    label : object
        The class.
    confidence : float
        Share of the class among the training weight of the leaf.
    coverage : float
        Share of the training weight of the whole tree that came to the leaf.
    weight : float
        Training weight of the leaf.
    """

    node: int
    conditions: tuple[Condition, ...]
    label: Any
    confidence: float
    coverage: float
    weight: float

    def describe_conditions(self, *, all_values: bool = False) -> list[str]:
        """Say the conditions in words, on request with every value of long lists.

        With `all_values`, linear tests are told in full too: all terms, and exact numbers.

        Examples
        --------
        >>> from mixedwood.data import Column
        >>> from mixedwood.explain.conditions import SetCondition
        >>> column = Column("n", "nominal", tuple(range(12)))
        >>> rule = Rule(1, (SetCondition(column, frozenset(range(11))),), "no", 1.0, 0.5, 8.0)
        >>> rule.describe_conditions()
        ['n in {0, 1, 2, 3, 4, 5, 6, 7, ... 3 more}']
        >>> rule.describe_conditions(all_values=True)
        ['n in {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}']
        """
        in_full = Style(max_values=None, max_label=None, linear_digits=None, max_terms=None)
        style = in_full if all_values else Style()
        return [condition_words(condition, style) for condition in self.conditions]

    def __str__(self) -> str:
        share = f"{share_words(self.confidence)} of {weight_words(self.weight)}"
        answer = f"{label_words(self.label, Style())} ({share})"
        if not self.conditions:
            return f"Always {answer}"
        # "a or b" beside an "and" would be read wrongly
        parts = [
            f"({text})" if _has_pieces(condition) else text
            for condition, text in zip(self.conditions, self.describe_conditions(), strict=True)
        ]
        return f"If {' and '.join(parts)} then {answer}"


def to_rules(tree: Tree) -> list[Rule]:
    """Turn a tree into rules, one for each leaf.

    Several tests of one column on the way to a leaf become one condition. A row without missing
    or unseen values fulfils exactly one rule. Rows that stop at an inner node, as missing values
    may, are answered by no rule.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    list of Rule
        The ones of most training weight first, then by number of the leaf.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"colour": ["red", "blue", "red"], "age": [3.0, 4.0, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [3, 4])
    >>> young, _ = builder.split_interval(0, "age", [[3, 2], [0, 2]], high=5.0)
    >>> _ = builder.split_interval(young, "age", [[3, 1], [0, 1]], high=1.5, missing=0)
    >>> for rule in to_rules(builder.build()):
    ...     print(rule)
    If age <= 1.5 then no (75 % of 4)
    If age > 5 then yes (100 % of 2)
    If 1.5 < age <= 5 then yes (100 % of 1)
    """
    total = float(tree.weighted_n_node_samples[0])
    found = []
    waiting: list[tuple[int, dict[object, Condition]]] = [(0, {})]
    while waiting:
        node, path = waiting.pop()
        children = tree.children_of(node).tolist()
        for child, condition in zip(children, branch_conditions(tree, node), strict=True):
            longer = dict(path)  # conditions are shared, only their list is copied
            add_condition(longer, condition)
            waiting.append((child, longer))
        if not children:
            place, weight = int(tree.label[node]), float(tree.weighted_n_node_samples[node])
            confidence = float(tree.probabilities[node, place])
            coverage = weight / total if total > 0 else 0.0
            label = tree.classes[place]
            label = label.item() if hasattr(label, "item") else label
            found.append(Rule(node, tuple(path.values()), label, confidence, coverage, weight))
    return sorted(found, key=lambda rule: (-rule.weight, rule.node))


def _has_pieces(condition: Condition) -> bool:
    """Whether the words for a condition are joined by "or"."""
    return (
        isinstance(condition, RangeCondition)
        and condition.column.is_numeric
        and len(condition.pieces) > 1
    )
