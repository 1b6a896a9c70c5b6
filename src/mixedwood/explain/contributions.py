"""What each column adds to the sum of a linear test, for one row."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, inf, isinf, isnan

from mixedwood.data import MISSING, Table
from mixedwood.explain.conditions import LinearTerm
from mixedwood.explain.linear import value_words
from mixedwood.explain.spelling import Style, name_words, number_words

__all__ = ["Contribution", "add_up", "contribution_lines", "contributions", "why_no_answer"]


@dataclass(frozen=True)
class Contribution:
    """What a term, or a column whose values have weights, adds to a sum for one row.

    Attributes
    ----------
    column : str
        Name of the column.
    amount : float
        What is added; NaN for a missing number that nothing stands in for.
    value : str
        What the row has: ``"known"``, ``"missing"`` or ``"unknown"``.
    text : str
        The row's value, and what stood in for it if it had none.
    """

    column: str
    amount: float
    value: str
    text: str


def contributions(terms: tuple[LinearTerm, ...], one: Table, style: Style) -> list[Contribution]:
    """Say what a table of one row adds to a sum, the largest first.

    Examples
    --------
    >>> from mixedwood.data import read_table
    >>> table = read_table({"age": [None], "colour": ["red"]})
    >>> terms = LinearTerm(table.schema["age"], 0.5, fill=40.0), LinearTerm(
    ...     table.schema["colour"], -30.0, code=0
    ... )
    >>> for part in contributions(terms, table, Style()):
    ...     print(part.amount, part.text)
    -30.0 colour = red
    20.0 age missing, taken as 40, times 0.5
    """
    found = [_number(term, one, style) for term in terms if term.code is None]
    weights: dict[str, dict[int, float]] = {}
    for term in terms:
        if term.code is not None:
            weights.setdefault(term.column.name, {})[term.code] = term.weight
    found += [_value(name, of_code, one, style) for name, of_code in weights.items()]
    return sorted(found, key=lambda part: -inf if isnan(part.amount) else -abs(part.amount))


def contribution_lines(parts: tuple[Contribution, ...], style: Style, most: int) -> list[str]:
    """Write contributions below each other, and count those that are too many."""
    amounts = [_signed(part.amount, style) for part in parts[:most]]
    room = max(map(len, amounts), default=0)
    lines = [f"{a:>{room}}  {part.text}" for a, part in zip(amounts, parts, strict=False)]
    return [*lines, f"... and {len(parts) - most} more"] if len(parts) > most else lines


def add_up(parts: list[Contribution], otherwise: float) -> float:
    """Add up contributions; what overflows on the way is what the tree makes of it."""
    try:
        return fsum(part.amount for part in parts)
    except (OverflowError, ValueError):
        return otherwise


def why_no_answer(parts: list[Contribution]) -> str:
    """Say why a sum has no answer for a row."""
    gaps = [part.text for part in parts if isnan(part.amount)]
    if gaps:
        return " and ".join(gaps)
    pulling = [part.text for part in parts if isinf(part.amount)]
    return f"{' and '.join(pulling)} pull to opposite sides"


def _number(term: LinearTerm, one: Table, style: Style) -> Contribution:
    name = name_words(term.column.name, style)
    x = one[term.column.name][0].item()
    coded = not term.column.is_numeric
    value = "known"
    if isnan(x) or (coded and x < 0):
        value = "unknown" if coded and x != MISSING else "missing"
        words = f"{name} {'unknown' if value == 'unknown' else 'missing'}"
        if term.fill is None:
            return Contribution(term.column.name, float("nan"), value, words)
        x = term.fill
        words += f", taken as {number_words(x, style.linear_digits)}"
    elif coded:
        words = f"{name} = {value_words(term.column, x, style)}, place {x}"
    else:
        words = f"{name} = {number_words(x)}"
    # A weight of zero counts for nothing, even of an infinite number.
    amount = term.weight * x if term.weight != 0 else 0.0
    words += f", times {number_words(term.weight, style.linear_digits)}"
    return Contribution(term.column.name, amount, value, words)


def _value(name: str, weights: dict[int, float], one: Table, style: Style) -> Contribution:
    code = one[name][0].item()
    told = name_words(name, style)
    if code < 0:
        missing = code == MISSING
        words = f"{told} {'missing' if missing else 'unknown'}, counts for nothing"
        return Contribution(name, 0.0, "missing" if missing else "unknown", words)
    words = f"{told} = {value_words(one.schema[name], code, style)}"
    return Contribution(name, weights.get(code, 0.0), "known", words)


def _signed(amount: float, style: Style) -> str:
    text = number_words(amount, style.linear_digits)
    return f"+{text}" if amount > 0 else text
