"""The path of one row through a tree, with the row's values at each split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import fsum, inf, isinf, isnan, nan
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mixedwood.data import MISSING, Column, Table
from mixedwood.explain.conditions import (
    LinearTerm,
    RangeCondition,
    branch_conditions,
    linear_terms,
)
from mixedwood.explain.format import (
    DEFAULT,
    Style,
    format_condition,
    format_equality,
    format_float,
    format_fraction,
    format_label,
    format_name,
    format_number,
    format_sum,
)
from mixedwood.explain.text import format_prediction
from mixedwood.tree import FRACTIONAL, STOP, SplitKind, Tree

_MAX_LINES = 50  # of each kind in str()


class Visit(NamedTuple):
    """A row, or a fraction of it, at a node.

    Attributes
    ----------
    node : int
        The node.
    fraction : float
        Fraction of the row that reached the node.
    value : str
        The row's value at the split: ``"known"``, ``"missing"`` or ``"unknown"``; empty at a leaf.
    child : int
        Position of the child that the row goes to, or `STOP`, or `FRACTIONAL`.
    goes_to : tuple of (int, float)
        Child nodes that receive the row, and their fractions of it; empty if the row ends here.
    """

    node: int
    fraction: float
    value: str
    child: int
    goes_to: tuple[tuple[int, float], ...]


def choose_row(table: Table, row: int) -> tuple[Table, int]:
    """Give one row of a table as a table, and its non-negative position.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> one, row = choose_row(read_table({"age": [3.0, 9.0]}), -1)
    >>> one["age"].tolist(), row
    ([9.0], 1)
    """
    try:
        place = index(row)
    except TypeError as error:
        raise TypeError(f"row must be an int, counted from 0. Got {row!r} instead.") from error
    if not -table.n_rows <= place < table.n_rows:
        raise IndexError(f"There is no row {place}; the table has {table.n_rows} rows.")
    place %= table.n_rows
    return table.take([place]), place


def visits(tree: Tree, one: Table) -> Iterator[Visit]:
    """Follow a table of one row from the root, depth first.

    The core routes rows to leaves only; here the path matters.
    """
    stack = [(0, 1.0)]
    while stack:
        node, fraction = stack.pop()
        if int(tree.split_kind[node]) == SplitKind.LEAF:
            yield Visit(node, fraction, "", STOP, ())
            continue
        value, child = _find_child(tree, one, node)
        below = tree.children_of(node)
        parts: tuple[tuple[int, float], ...] = ()
        if child >= 0:
            parts = ((int(below[child]), fraction),)
        elif child == FRACTIONAL:
            weights = tree.weighted_n_node_samples[below]
            if (total := float(weights.sum())) > 0:
                fractions = (fraction * weights / total).tolist()
                pairs = zip(below.tolist(), fractions, strict=True)
                parts = tuple(pair for pair in pairs if pair[1] > 0)
        stack.extend(reversed(parts))
        yield Visit(node, fraction, value, child, parts)


def _find_child(tree: Tree, one: Table, node: int) -> tuple[str, int]:
    """Kind of the row's value at a split, and the position of the child that it leads to."""
    kind = int(tree.split_kind[node])  # comparing numpy scalars with enum members is slow
    if kind == SplitKind.LINEAR:
        result = float(tree.linear_sums(node, one)[0])
        if isnan(result):
            return "missing", int(tree.missing_child[node])
        return "known", 0 if result > 0 else 1
    place = int(tree.column[node])
    x = one.arrays[place][0].item()
    value = _kind_of(tree.schema.columns[place], x)
    if value == "known" and kind == SplitKind.INTERVAL:
        return value, 0 if tree.low[node] < x <= tree.high[node] else 1
    if value == "known":
        codes, positions = tree.categories_of(node)
        found = int(np.searchsorted(codes, x))
        if found < len(codes) and codes[found] == x:
            return value, int(positions[found])
        value = "unknown"
    children = tree.missing_child if value == "missing" else tree.unknown_child
    return value, int(children[node])


def _kind_of(column: Column, x: float) -> str:
    """Whether a value of a column is known, missing or unknown."""
    if isnan(x) or (not column.is_numeric and x == MISSING):
        return "missing"
    return "unknown" if not column.is_numeric and x < 0 else "known"


def row_value(column: Column, one: Table, digits: int | None = None) -> str:
    """Describe the value of a column in a table of one row.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"color": ["red"], "age": [None]})
    >>> [row_value(column, table) for column in table.schema]
    ['color = red', 'age missing']
    """
    x = one[column.name][0].item()
    kind, name = _kind_of(column, x), format_name(column.name)
    if kind != "known":
        return f"{name} {kind}"
    if column.is_numeric:
        return f"{name} = {format_float(x, digits)}"
    return format_equality(column, x)


@dataclass(frozen=True)
class Contribution:
    """What a column adds to the sum of a linear split for one row.

    Attributes
    ----------
    column : str
        Name of the column.
    amount : float
        The number added; NaN for a missing number without a fill.
    value : str
        The row's value: ``"known"``, ``"missing"`` or ``"unknown"``.
    text : str
        The row's value, and the number used in its place if it is missing.
    """

    column: str
    amount: float
    value: str
    text: str


def term_contributions(
    terms: tuple[LinearTerm, ...], one: Table, style: Style = DEFAULT
) -> list[Contribution]:
    """Contributions of a table of one row to a sum, largest first.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"age": [None], "color": ["red"]})
    >>> terms = LinearTerm(table.schema["age"], 0.5, fill=40.0), LinearTerm(
    ...     table.schema["color"], -30.0, code=0
    ... )
    >>> for part in term_contributions(terms, table):
    ...     print(part.amount, part.text)
    -30.0 color = red
    20.0 age missing, taken as 40, times 0.5
    """
    parts = [_number_contribution(term, one, style) for term in terms if term.code is None]
    weights: dict[str, dict[int, float]] = {}
    for term in terms:
        if term.code is not None:
            weights.setdefault(term.column.name, {})[term.code] = term.weight
    for name, of_code in weights.items():
        code, text = one[name][0].item(), row_value(one.schema[name], one)
        kind = _kind_of(one.schema[name], code)
        text += "" if kind == "known" else ", counts for nothing"
        parts.append(Contribution(name, of_code.get(code, 0.0), kind, text))
    return sorted(parts, key=lambda part: -inf if isnan(part.amount) else -abs(part.amount))


def _number_contribution(term: LinearTerm, one: Table, style: Style) -> Contribution:
    x = one[term.column.name][0].item()
    kind, text = _kind_of(term.column, x), row_value(term.column, one)
    if kind != "known":
        if term.fill is None:
            return Contribution(term.column.name, nan, kind, text)
        x = term.fill
        text += f", taken as {format_float(x, style.linear_digits)}"
    elif not term.column.is_numeric:
        text += f", place {x}"
    # A weight of zero counts for nothing, even of an infinite number.
    amount = term.weight * x if term.weight != 0 else 0.0
    text += f", times {format_float(term.weight, style.linear_digits)}"
    return Contribution(term.column.name, amount, kind, text)


def _contribution_lines(parts: tuple[Contribution, ...]) -> list[str]:
    """Contributions as aligned lines, and the number of those beyond the limit."""
    amounts = [
        ("+" if part.amount > 0 else "") + format_float(part.amount, DEFAULT.linear_digits)
        for part in parts[:_MAX_LINES]
    ]
    width = max(map(len, amounts), default=0)
    lines = [f"{a:>{width}}  {part.text}" for a, part in zip(amounts, parts, strict=False)]
    n_more = len(parts) - _MAX_LINES
    return [*lines, f"... and {n_more} more"] if n_more > 0 else lines


@dataclass(frozen=True)
class PathStep:
    """One split on the path of a row.

    Attributes
    ----------
    node : int
        The node.
    fraction : float
        Fraction of the row that reached the node; 1 unless a split above sent it to several
        children.
    child : int
        Position of the child that the row goes to, or `STOP`, or `FRACTIONAL`.
    value : str
        The row's value: ``"known"``, ``"missing"`` or ``"unknown"``. A linear split is
        ``"missing"`` if its sum is undefined, and ``"known"`` otherwise.
    text : str
        The split with the row's value.
    contributions : tuple of Contribution
        Contributions to the sum of a linear split, largest first; empty for other splits.
    total : float or None
        The sum of the contributions, without the intercept of the split; None if it is undefined.
    """

    node: int
    fraction: float
    child: int
    value: str
    text: str
    contributions: tuple[Contribution, ...] = ()
    total: float | None = None

    def __str__(self) -> str:
        return _prefix(self.fraction) + self.text


@dataclass(frozen=True)
class PathEnd:
    """A node that makes the prediction for a row, or for a fraction of it.

    Attributes
    ----------
    node : int
        A leaf, or the node where the row stopped.
    fraction : float
        Fraction of the row.
    text : str
        What the node predicts.
    """

    node: int
    fraction: float
    text: str

    def __str__(self) -> str:
        return f"-> {_prefix(self.fraction)}[{self.node}] {self.text}"


@dataclass(frozen=True, eq=False)
class DecisionPath:
    """The path of one row through a tree, and its prediction; ``str(path)`` is readable text.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    steps : tuple of PathStep
        The splits, from the root on.
    ends : tuple of PathEnd
        The nodes that predict, largest fraction first. There is one, unless the tree sends rows
        with missing values to several children.
    prediction : object
        The class or number, as in `Tree.predict`.
    classes, probabilities : ndarray
        The classes and their probabilities, as in `Tree.predict_proba`; empty for numbers.
    spread : float
        For numbers, the standard deviation of the target in training, which decides about decimals.
    """

    row: int
    steps: tuple[PathStep, ...]
    ends: tuple[PathEnd, ...]
    prediction: Any
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]
    spread: float = 0.0

    def __str__(self) -> str:
        if len(self.classes):
            head = format_probabilities(self.classes, self.probabilities, _MAX_LINES)
            lines = [f"Row {self.row}: {format_label(self.prediction)} ({head})"]
        else:
            lines = [f"Row {self.row}: {format_number(self.prediction, self.spread)}"]
        for step in self.steps[:_MAX_LINES]:
            below = _contribution_lines(step.contributions)
            lines += [f"  {step}", *(f"    {line}" for line in below)]
        lines += _count_more(len(self.steps))
        lines += [f"  {end}" for end in self.ends[:_MAX_LINES]]
        return "\n".join([*lines, *_count_more(len(self.ends))])


def format_probabilities(
    classes: NDArray[Any], probabilities: NDArray[np.float64], max_classes: int
) -> str:
    """Format class probabilities, largest first.

    Examples
    --------
    >>> format_probabilities(np.array(["no", "yes", "maybe"]), np.array([0.2, 0.7, 0.1]), 2)
    'yes 70 %, no 20 %, ... 1 more'
    """
    order = np.argsort(-probabilities, kind="stable").tolist()
    texts = [
        f"{format_label(classes[k])} {format_fraction(float(probabilities[k]))}"
        for k in order[:max_classes]
    ]
    n_more = len(order) - max_classes
    return ", ".join(texts + [f"... {n_more} more"] * (n_more > 0))


def explain_row(tree: Tree, table: Table, row: int = 0) -> DecisionPath:
    """Follow one row through a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    table : Table
        A table with the columns of the tree.
    row : int, default=0
        Position of the row, counted from 0.

    Returns
    -------
    DecisionPath
        The splits with the row's values, the branches taken by missing values and unknown
        categories, and the prediction.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> from mixedwood.tree import TreeBuilder
    >>> table = read_table({"color": ["red", "blue", "red"], "age": [3.0, None, 9.0]})
    >>> builder = TreeBuilder(table.schema, ["no", "yes"], [1, 2])
    >>> young, _ = builder.split_interval(0, "age", [[1, 1], [0, 1]], high=5.0, missing=0)
    >>> _ = builder.split_categories(young, "color", [[0, 1], [1, 0]], [["blue"], ["red"]])
    >>> print(explain_row(builder.build(), table, row=1))
    Row 1: yes (yes 100 %, no 0 %)
      age missing, goes with age <= 5
      color = blue
      -> [3] yes (100 % of 1)
    """
    tree._check_table(table)
    one, row = choose_row(table, row)
    steps: list[PathStep] = []
    ends: list[PathEnd] = []
    for visit in visits(tree, one):
        if visit.value:
            step = _column_step
            if tree.split_kind[visit.node] == SplitKind.LINEAR:
                step = _linear_step if tree.model_of(visit.node) is None else _model_step
            steps.append(step(tree, one, visit))
        if not visit.goes_to:
            ends.append(PathEnd(visit.node, visit.fraction, format_prediction(tree, visit.node)))
    ends.sort(key=lambda end: (-end.fraction, end.node))
    label = tree.predict(one).tolist()[0]
    if tree.is_numeric:
        return DecisionPath(
            row, tuple(steps), tuple(ends), label, tree.classes, np.empty(0),
            float(tree.deviation[0]),
        )  # fmt: skip
    probabilities = tree.predict_proba(one)[0]
    return DecisionPath(row, tuple(steps), tuple(ends), label, tree.classes, probabilities)


def _column_step(tree: Tree, one: Table, visit: Visit) -> PathStep:
    """Describe a split on one column."""
    node, fraction, child = visit.node, visit.fraction, visit.child
    column = tree.column_of(node)
    found = row_value(column, one)
    if visit.value != "known":
        x = one[column.name][0].item()
        found += ", unknown at this node" if visit.value == "unknown" and x >= 0 else ""
        return PathStep(node, fraction, child, visit.value, _with_branch(tree, visit, found))
    condition = branch_conditions(tree, node)[child]
    if column.is_numeric and isinstance(condition, RangeCondition):
        x = one[column.name][0].item()
        here = tuple(piece for piece in condition.pieces if piece[0] < x <= piece[1])
        condition = replace(condition, pieces=here)  # only the range that the value is in
    text = format_condition(condition, name=found, show_missing=False)
    value = found.removeprefix(format_name(column.name))  # " = red"
    if text in (f"any {found}", found + value):
        text = found  # the condition adds nothing
    return PathStep(node, fraction, child, "known", text)


def _linear_step(tree: Tree, one: Table, visit: Visit) -> PathStep:
    """Describe a linear split. The tree decides: its sum may differ in the last digits."""
    node, fraction, child = visit.node, visit.fraction, visit.child
    terms, threshold = linear_terms(tree, node), -float(tree.intercept[node])
    parts = term_contributions(terms, one)
    if visit.value == "missing":
        text = _with_branch(tree, visit, _why_undefined(parts))
        return PathStep(node, fraction, child, "missing", text, tuple(parts))
    result = float(tree.linear_sums(node, one)[0])
    try:
        total = fsum(part.amount for part in parts)
    except (OverflowError, ValueError):
        total = result + threshold
    text = f"{format_sum(terms)} = {_format_comparison(total, threshold, result > 0)}"
    return PathStep(node, fraction, child, "known", text, tuple(parts), total)


def _model_step(tree: Tree, one: Table, visit: Visit) -> PathStep:
    """Describe a split by a model: its decision, and the values that it is made of."""
    node, fraction, child = visit.node, visit.fraction, visit.child
    columns = tree.columns_of_split(node)
    values = [row_value(tree.schema.columns[c], one) for c in columns]
    name = format_sum(linear_terms(tree, node))
    if visit.value == "missing":
        text = _with_branch(tree, visit, f"{name} is beyond all numbers")
        return PathStep(node, fraction, child, "missing", text)
    threshold = -float(tree.intercept[node])
    result = float(tree.linear_sums(node, one)[0])
    decision = _format_comparison(result + threshold, threshold + 0.0, result > 0)
    more = [f"... and {len(values) - _MAX_LINES} more"] * (len(values) > _MAX_LINES)
    text = f"{name} = {decision}, from {', '.join([*values[:_MAX_LINES], *more])}"
    return PathStep(node, fraction, child, "known", text)


def _why_undefined(parts: list[Contribution]) -> str:
    missing = [part.text for part in parts if isnan(part.amount)]
    if missing:
        return " and ".join(missing)
    infinite = [part.text for part in parts if isinf(part.amount)]
    return f"{' and '.join(infinite)} pull to opposite sides"


def _format_comparison(total: float, threshold: float, is_above: bool) -> str:
    """Format two numbers with enough digits to distinguish them, and which is larger."""
    for digits in (DEFAULT.linear_digits, 8, None):
        left, right = format_float(total, digits), format_float(threshold, digits)
        if left != right:
            break
    close = "" if (total > threshold) == is_above else ", but for rounding"
    return f"{left}{close} {'>' if is_above else '<='} {right}"


def _with_branch(tree: Tree, visit: Visit, found: str) -> str:
    """Add the branch that a missing or unknown value takes."""
    if visit.child == STOP:
        return f"{found}, stops here"
    if visit.child == FRACTIONAL:
        return f"{found}, goes to all branches by weight"
    condition = branch_conditions(tree, visit.node)[visit.child]
    return f"{found}, goes with {format_condition(condition, show_missing=False)}"


def _prefix(fraction: float) -> str:
    return "" if fraction == 1.0 else f"({format_fraction(fraction)}) "


def _count_more(number: int) -> list[str]:
    return [f"  ... {number - _MAX_LINES} more"] if number > _MAX_LINES else []
