"""How SQL is written for each database: names, text, numbers and a few functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["DIALECTS", "Dialect"]


def _standard_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _standard_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escaped(text: str, quote: str) -> str:
    """Escape as BigQuery does in text and names."""
    found = []
    for char in text:
        if char in ("\\", quote):
            found.append("\\" + char)
        elif char.isprintable():
            found.append(char)
        else:
            found.append(f"\\U{ord(char):08x}")
    return quote + "".join(found) + quote


def _approximate(x: float) -> str:
    """Write a double as an approximate literal: others are decimals in many databases."""
    text = repr(x)
    return text if "e" in text else text + "e0"


@dataclass(frozen=True)
class Dialect:
    """The SQL of a database.

    Attributes
    ----------
    name : str
        Its name.
    double, text_type : str
        Types; without a `text_type`, text is not cast.
    materialized : str
        What keeps a common table expression from being copied into those that use it: copies of
        copies would grow exponentially.
    longest_name : int
        Most bytes of the name of a column.
    plain_names : bool
        Whether names of columns may only have letters, digits and underscores.
    most_columns : int
        Most columns of a result.
    longest_sum : int
        Most terms that are added in one expression.
    """

    name: str
    double: str = "DOUBLE"
    text_type: str | None = None
    materialized: str = ""
    longest_name: int = 10_000
    plain_names: bool = False
    most_columns: int = 10_000
    longest_sum: int = 500

    def quote(self, name: str) -> str:
        """Write a name."""
        return _escaped(name, "`") if self.name == "bigquery" else _standard_name(name)

    def text(self, text: str) -> str:
        """Write text."""
        if self.name == "bigquery":
            return _escaped(text, "'")
        if self.name == "postgresql" and "\\" in text:  # also without standard_conforming_strings
            return "E" + _standard_text(text.replace("\\", "\\\\"))
        return _standard_text(text)

    def real(self, x: float) -> str:
        """Write a number with double precision, exactly."""
        if self.name == "postgresql":
            return f"float8 '{x!r}'"
        return _sqlite_real(x) if self.name == "sqlite" else _approximate(x)

    def largest(self, expressions: Sequence[str]) -> str:
        """Write the largest of some numbers."""
        found = list(expressions)
        function = "max" if self.name == "sqlite" else "GREATEST"
        while len(found) > 1:  # functions have no more than 100 arguments
            parts = [found[i : i + 50] for i in range(0, len(found), 50)]
            found = [f"{function}({', '.join(p)})" if len(p) > 1 else p[0] for p in parts]
        return found[0]

    def among(self, x: str, codes: Sequence[int]) -> str:
        """Write that a code, which is -2 or more, is one of some."""
        if len(codes) == 1:
            return f"{x} = {codes[0]}"
        if self.name == "duckdb" and len(codes) > 3:  # it makes a join of each list of constants
            bits = ["0"] * (max(codes) + 4)  # the last is for all codes above
            for code in codes:
                bits[code + 2] = "1"
            place = f"LEAST({x} + 2, {len(bits) - 1})"
            return f"get_bit(CAST('{''.join(bits)}' AS BIT), {place}) = 1"
        return f"{x} IN ({', '.join(map(str, codes))})"

    def without_nan(self, x: str) -> str:
        """Write a number, or NULL if it is not one."""
        if self.name in ("sqlite", "ansi"):  # there is none
            return x
        if self.name == "bigquery":
            return f"IF(IS_NAN({x}), NULL, {x})"
        return f"NULLIF({x}, CAST('NaN' AS {self.double}))"

    def exp(self, x: str) -> str:
        """Write an exponential."""
        if self.name == "postgresql":  # where it is an error if the result is too small
            return f"CASE WHEN {x} < {self.real(-700.0)} THEN {self.real(0.0)} ELSE exp({x}) END"
        return f"exp({x})"


def _sqlite_real(x: float) -> str:
    """Write a number for SQLite, which reads up to 15 digits exactly, and more of whole numbers."""
    text = repr(x)
    mantissa, _, exponent = text.lstrip("-").partition("e")
    n_digits = len(mantissa.replace(".", "").strip("0"))
    if n_digits <= 15 and abs(int(exponent or 0)) <= 20 and abs(x) < 1e20:
        return text if "." in text or "e" in text else text + ".0"
    mantissa_of_one, exponent_of_two = math.frexp(x)
    whole, power = int(mantissa_of_one * 2**53), exponent_of_two - 53
    steps = ""
    while power:  # powers of two are exact, in steps that are whole numbers of few digits
        step = min(abs(power), 60)
        steps += f"{'*' if power > 0 else '/'}{2**step}.0"
        power -= step if power > 0 else -step
    return f"({whole}.0{steps})"


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect("duckdb", text_type="VARCHAR"),
        Dialect(
            "sqlite",
            double="REAL",
            text_type="TEXT",
            materialized="MATERIALIZED ",
            most_columns=1900,
        ),
        Dialect(
            "postgresql",
            double="DOUBLE PRECISION",
            text_type="TEXT",
            materialized="MATERIALIZED ",
            longest_name=63,
            most_columns=1600,
        ),
        Dialect("bigquery", double="FLOAT64", text_type="STRING", plain_names=True),
        Dialect("ansi", double="DOUBLE PRECISION"),
    )
}
"""The dialects by name."""
