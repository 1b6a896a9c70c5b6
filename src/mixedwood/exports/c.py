"""A model as one header and one source of C99: tables, and the little code that reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from mixedwood.exports import c_code as code
from mixedwood.exports.limits import (
    Model,
    branches,
    check_not_fractional,
    check_text,
    kind_of_labels,
    target_of,
)

__all__ = ["to_c"]

_LIMITS = ("intercept", "low", "high")
_RESERVED = set(code.RESERVED.split())
_MACROS = ("M_", "FP_", "HUGE_", "MATH_", "SNAN", "CHAR_", "INT_", "LONG_", "N_C")


def to_c(model: Model, *, prefix: str = "model") -> dict[str, str | bytes]:
    """Write a source of C99 that needs the C library only, and its header.

    Parameters
    ----------
    model : dict
        A description.
    prefix : str, default="model"
        What the names of functions and types begin with.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", prefix) or prefix in _RESERVED:
        raise ValueError(f"prefix must be a name in C; got {prefix!r}.")
    check_not_fractional(model, "C")
    writer = _Writer(model, prefix)
    header = writer.header()
    return {".c": writer.source(header), ".h": header}


class _Writer:
    def __init__(self, model: Model, prefix: str) -> None:
        self.model = model
        self.prefix = prefix
        self.numbers = model["target"]["kind"] == "numbers"
        self.classes = model["target"]["classes"]
        self.fields = _fields([c["name"] for c in model["columns"] if not c["sources"]])
        self.kinds = [
            "numeric"
            if column["kind"] == "numeric"
            else kind_of_labels(column["categories"], f"The column {column['name']!r}")
            for column in model["columns"]
        ]
        if not self.numbers:
            self.class_kind = kind_of_labels(self.classes, "The target")

    def header(self) -> str:
        prefix, guard = self.prefix, f"{self.prefix.upper()}_H"
        rows = []
        for column, kind, field in zip(
            self.model["columns"], self.kinds, self.fields, strict=False
        ):
            words = f"{_comment(column['name'])}, {column['kind']}"
            of = "const char *" if kind == "text" else "double "
            rows.append(f"  {of}{field}; /* {words} */")
        lines = [
            "/* Exported by mixedwood; C99, needs the C library only (link with -lm). For values",
            "   that are equal to the last digit, compile without fused multiplication: the option",
            "   -ffp-contract=off on processors that have it. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            "/* A row. Missing text is NULL, a missing number is NAN. */",
            "typedef struct {",
            *(rows or ["  int unused;"]),
            f"}} {prefix}_row;",
            "",
        ]
        if self.numbers:
            lines += [
                "/* The number that is predicted. */",
                f"double {prefix}_predict(const {prefix}_row *row);",
            ]
        else:
            n = len(self.classes)
            of = "const char *const" if self.class_kind == "text" else "const double"
            lines += [
                f"#define {prefix.upper()}_N_CLASSES {n}",
                f"extern {of} {prefix}_classes[{n}];",
                "",
                "/* Position of the class that is predicted. */",
                f"int {prefix}_predict(const {prefix}_row *row);",
                f"/* Probabilities of the {n} classes. */",
                f"void {prefix}_predict_proba(const {prefix}_row *row, double *probabilities);",
            ]
        lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
        return "\n".join(lines)

    def source(self, header: str) -> str:
        n_columns = max(1, len(self.model["columns"]))
        pieces = [
            header,
            "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n",
            f"#define N_COLUMNS {n_columns}",
            f"#define N_CLASSES {max(1, len(self.classes))}\n",
            code.NODES,
            self._tables(),
            self._encode(),
            code.WALK.format(linear=code.WALK_LINEAR if self.has_terms else ""),
            *self._predict(),
        ]
        return "\n".join(piece.strip("\n") + "\n" for piece in pieces if piece)

    # Tables

    def _tables(self) -> str:
        nodes: list[str] = []
        entry_codes: list[int] = []
        entry_nodes: list[int] = []
        values: list[float] = []
        terms: list[str] = []
        term_codes: list[int] = []
        term_weights: list[float] = []
        roots: list[int] = []
        outputs: list[int] = []
        widths: list[int] = []
        weights: list[float] = []
        scaled: list[str] = []
        scaled_weights: list[float] = []
        formulas: list[str] = []
        self.linear_ends: list[tuple[int, int]] = []  # terms of each part
        for part in self.model["parts"]:
            votes = part["aggregate"] == "vote"
            start_of_part = len(scaled)
            for term in part.get("terms", ()):
                self._scaled(term, scaled, scaled_weights)
            self.linear_ends.append((start_of_part, len(scaled)))
            for tree in part["trees"]:
                root = len(nodes)
                roots.append(root)
                outputs.append(tree["first_output"])
                widths.append(len(tree["nodes"][0]["value"]))
                weights.append(tree["weight"])
                for node in tree["nodes"]:
                    low, high, column, start, n = "0.0", "0.0", 0, 0, 0
                    yes = no = missing = unknown = -1
                    kind = 0
                    if node["split"] != "leaf":
                        yes, no = (root + child for child in node["children"][:2])
                        missing, unknown = (
                            -1 if target < 0 else root + target
                            for target in (
                                target_of(node, node["missing"]),
                                target_of(node, node["unknown"]),
                            )
                        )
                        column = node.get("column", 0)
                    if node["split"] == "interval":
                        kind = 1 if self.kinds[column] == "numeric" else 2
                        low = _number(-math.inf if node["low"] is None else node["low"])
                        high = _number(math.inf if node["high"] is None else node["high"])
                    elif node["split"] == "linear":
                        kind, low = 4, _number(node["intercept"])
                        start, n = len(terms), len(node["terms"])
                        terms += [self._term(t, term_codes, term_weights) for t in node["terms"]]
                    elif kind == 0 and node["split"] != "leaf":
                        kind, start = 3, len(entry_codes)
                        lists, _ = branches(node)
                        pairs = sorted(
                            (c, root + t if t >= 0 else -1)
                            for t, codes in lists.items()
                            for c in codes
                            if c >= 0
                        )
                        n = len(pairs)
                        entry_codes += [pair[0] for pair in pairs]
                        entry_nodes += [pair[1] for pair in pairs]
                    if "formula" in node:
                        first_term = len(scaled)
                        for term in node["formula"]["terms"]:
                            self._scaled(term, scaled, scaled_weights)
                        limits = [_number(node["formula"][x]) for x in _LIMITS]
                        formulas.append(f"{{{', '.join(limits)}, {first_term}, {len(scaled)}}}")
                    place = len(values)
                    if not votes:
                        scale = 1.0 if part["aggregate"] == "label" else tree["weight"]
                        values += [scale * value for value in node["value"]]
                    nodes.append(
                        f"{{{low}, {high}, {column}, {yes}, {no}, {missing}, {unknown}, {start}, "
                        f"{n}, {place}, {node['label']}, {kind}}}"
                    )
        self.has_terms = bool(terms)
        aggregates = {part["aggregate"] for part in self.model["parts"]}
        found = [
            _table("node_t", "nodes", nodes, per_line=1),
            _table("int", "entry_codes", entry_codes),
            _table("int", "entry_nodes", entry_nodes),
        ]
        if not aggregates <= {"vote", "linear"} and not formulas:
            found.append(_table("double", "values", map(_number, values)))
        if aggregates - {"label", "linear"}:
            found.append(_table("int", "tree_roots", roots))
        if aggregates - {"label", "vote", "linear"}:
            found.append(_table("int", "tree_outputs", outputs))
            found.append(_table("int", "tree_widths", widths))
        if "vote" in aggregates:
            found.append(_table("double", "tree_weights", map(_number, weights)))
        if terms:
            found.append(code.LINEAR)
            found.append(_table("term_t", "terms", terms, per_line=1))
            found.append(_table("int", "term_codes", term_codes))
            found.append(_table("double", "term_weights", map(_number, term_weights)))
            found.append(code.ADD_TERMS)
        self.has_formulas = bool(formulas)
        if formulas or "linear" in aggregates:
            found.append(code.SCALED)
            found.append(_table("scaled_t", "scaled", scaled or ["{0}"], per_line=1))
            found.append(_table("double", "scaled_weights", map(_number, scaled_weights)))
            found.append(code.ADD_SCALED)
        if formulas:
            found.append(code.FORMULAS)
            found.append(_table("formula_t", "formulas", formulas, per_line=1))
            found.append(code.VALUE_OF_FORMULA)
        return "\n".join(found)

    def _term(self, term: dict[str, Any], codes: list[int], weights: list[float]) -> str:
        column = term["column"]
        if "codes" in term:
            start = len(codes)
            codes += term["codes"]
            weights += term["weights"]
            return f"{{0.0, 0.0, {column}, {start}, {len(term['codes'])}, 2}}"
        fill = "NAN" if term["fill"] is None else _number(term["fill"])
        kind = 0 if self.kinds[column] == "numeric" else 1
        return f"{{{_number(term['weight'])}, {fill}, {column}, 0, 0, {kind}}}"

    def _scaled(self, term: dict[str, Any], terms: list[str], weights: list[float]) -> None:
        column, place = term["column"], len(weights)
        if "codes" not in term:
            kind = 0 if self.kinds[column] == "numeric" else 1
            limit = math.inf if term["limit"] is None else term["limit"]
            scale = [_number(x) for x in (term["factor"], term["mean"], term["scale"], limit)]
            weights += term["weights"]
            terms.append(f"{{{', '.join(scale)}, {column}, {kind}, 0, 0, {place}}}")
            return
        codes = term["codes"]  # without gaps
        for its in term["weights"]:
            weights += its
        terms.append(f"{{0.0, 0.0, 0.0, 0.0, {column}, 2, {codes[0]}, {len(codes)}, {place}}}")

    # Rows

    def _encode(self) -> str:
        tables, body, finders = [], [], set()
        columns = self.model["columns"]
        fields = iter(self.fields)
        for i, (column, kind) in enumerate(zip(columns, self.kinds, strict=True)):
            if column["sources"]:
                tables.append(self._keys(i, column))
                finders.add(code.FIND_KEY)
                body.append(self._find_crossed(i, column))
                continue
            field = f"row->{next(fields)}"
            if kind == "numeric":
                body.append(f"  to->number[{i}] = {field};\n  to->code[{i}] = 0;")
                continue
            labels = column["categories"]
            if kind == "text":
                check_text(labels, "The category")
                order = sorted(range(len(labels)), key=lambda k: labels[k].encode("utf-8"))
                shown = [_text(labels[k]) for k in order]
                tables.append(_table("char *const", f"labels_{i}", shown, per_line=4))
            else:
                order = sorted(range(len(labels)), key=lambda k: labels[k])
                shown = [_number(float(labels[k])) for k in order]
                tables.append(_table("double", f"labels_{i}", shown))
            tables.append(_table("int", f"codes_{i}", order))
            finders.add(code.FIND_TEXT if kind == "text" else code.FIND_NUMBER)
            finder = "find_text" if kind == "text" else "find_number"
            call = f"{finder}({field}, labels_{i}, codes_{i}, {len(labels)})"
            body.append(f"  to->number[{i}] = 0.0;\n  to->code[{i}] = {call};")
        body = body or ["  (void)row;\n  (void)to;"]
        head = f"static void encode(const {self.prefix}_row *row, encoded_t *to) {{"
        return "\n".join([*tables, *sorted(finders), head, *body, "}"])

    def _sizes(self, column: dict[str, Any]) -> list[int]:
        return [len(self.model["columns"][s]["categories"]) for s in column["sources"]]

    def _keys(self, i: int, column: dict[str, Any]) -> str:
        pairs = []
        for number, group in enumerate(column["combinations"]):
            for combination in group:
                key = 0
                for part, size in zip(combination, self._sizes(column), strict=True):
                    key = key * size + part
                pairs.append((key, number))
        pairs.sort()
        keys = _table("long long", f"keys_{i}", [f"{key}LL" for key, _ in pairs])
        return keys + "\n" + _table("int", f"codes_{i}", [number for _, number in pairs])

    def _find_crossed(self, i: int, column: dict[str, Any]) -> str:
        key = "0LL"
        for source, size in zip(column["sources"], self._sizes(column), strict=True):
            key = f"({key} * {size} + to->code[{source}])"
        missing = " || ".join(f"to->code[{s}] == -1" for s in column["sources"])
        unknown = " || ".join(f"to->code[{s}] == -2" for s in column["sources"])
        n = sum(map(len, column["combinations"]))
        return (
            f"  to->number[{i}] = 0.0;\n"
            f"  if ({missing}) to->code[{i}] = -1;\n"
            f"  else if ({unknown}) to->code[{i}] = -2;\n"
            f"  else to->code[{i}] = find_key({key}, keys_{i}, codes_{i}, {n});"
        )

    # Predictions

    def _predict(self) -> list[str]:
        target, parts = self.model["target"], self.model["parts"]
        aggregates = {part["aggregate"] for part in parts}
        links = {part["link"] for part in parts if part["aggregate"] != "label"}
        pieces = []
        if aggregates - {"label", "vote", "linear"}:
            pieces.append(code.ADD_TREES)
        if "vote" in aggregates:
            pieces.append(code.ADD_VOTES)
        if not self.numbers and links:
            pieces.append(code.SUM)
            pieces += [code.DIVIDE] * ("identity" in links)
            pieces += [code.SOFTMAX] * bool(links - {"identity"})
        single = len(parts) == 1 and parts[0]["weight"] == 1.0
        labeled = single and parts[0]["aggregate"] == "label"
        costs = target["cost_matrix"]
        if not self.numbers and not labeled:
            pieces.append(code.FIRST_LARGEST)
            if costs is not None:
                flat = [_number(cost) for row in costs for cost in row]
                pieces += [_table("double", "costs", flat), code.EXPECTED]
        first = 0
        for number, part in enumerate(parts):
            pieces.append(self._part(number, part, first))
            first += len(part["trees"])
        n = max(1, len(self.classes))
        lines = [f"static void run(const {self.prefix}_row *row, double *out) {{"]
        lines += ["  encoded_t encoded;", "  encode(row, &encoded);"]
        if single:
            lines.append("  part_0(&encoded, out);")
        else:
            lines.append("  double its[N_CLASSES];")
            for number, part in enumerate(parts):
                sign = "=" if number == 0 else "+="
                lines.append(f"  part_{number}(&encoded, its);")
                lines.append(f"  for (int k = 0; k < {n}; ++k) {{")
                lines.append(f"    const double product = {_number(part['weight'])} * its[k];")
                lines.append(f"    out[k] {sign} product;\n  }}")
        pieces.append("\n".join([*lines, "}"]))
        row = f"const {self.prefix}_row *row"
        if self.numbers:
            pieces.append(
                f"double {self.prefix}_predict({row}) {{\n  double out[N_CLASSES];\n"
                "  run(row, out);\n  return out[0];\n}"
            )
            return pieces
        if self.class_kind == "text":
            check_text(self.classes, "The class")
            shown, of = [_text(label) for label in self.classes], "const char *const"
        else:
            shown, of = [_number(float(label)) for label in self.classes], "const double"
        listed = ", ".join(shown)
        pieces.append(f"{of} {self.prefix}_classes[{n}] = {{{listed}}};")
        pieces.append(
            f"void {self.prefix}_predict_proba({row}, double *probabilities) {{\n"
            "  run(row, probabilities);\n}"
        )
        if labeled:
            body = (
                "  encoded_t encoded;\n  encode(row, &encoded);\n  return walk(0, &encoded)->label;"
            )
        else:
            tolerance = target["tolerance"]
            chosen = f"first_largest(p, {_number(tolerance)})"
            if costs is not None:
                chosen = f"least_cost(p, {_number(tolerance * max(map(max, costs)))})"
            body = f"  double p[N_CLASSES];\n  run(row, p);\n  return {chosen};"
        pieces.append(f"int {self.prefix}_predict({row}) {{\n{body}\n}}")
        return pieces

    def _part(self, number: int, part: dict[str, Any], first: int) -> str:
        n = max(1, len(self.classes))
        head = f"static void part_{number}(const encoded_t *row, double *out) {{"
        if part["aggregate"] == "label":
            root = sum(len(t["nodes"]) for p in self.model["parts"][:number] for t in p["trees"])
            if self.has_formulas:
                return f"{head}\n  out[0] = value_of_formula(walk({root}, row), row);\n}}"
            return (
                f"{head}\n  const double *value = values + walk({root}, row)->value;\n"
                f"  for (int k = 0; k < {n}; ++k) out[k] = value[k];\n}}"
            )
        add = "add_votes" if part["aggregate"] == "vote" else "add_trees"
        lines, baseline = [head], list(map(_number, part["baseline"]))
        if part["aggregate"] == "linear":
            start, end = self.linear_ends[number]
            lines += [f"  out[{k}] = 0.0;" for k in range(len(baseline))]
            lines.append(f"  add_scaled({start}, {end}, {len(baseline)}, row, out);")
            lines += [f"  out[{k}] += {b};" for k, b in enumerate(baseline)]
        else:
            lines += [f"  out[{k}] = {b};" for k, b in enumerate(baseline)]
            lines.append(f"  {add}({first}, {first + len(part['trees'])}, row, out);")
        if self.numbers:
            if part["aggregate"] not in ("sum", "linear"):
                lines.append(f"  out[0] /= {_number(part['total_weight'])};")
            elif part["link"] == "log":
                lines.append("  out[0] = exp(out[0]);")
        elif part["link"] == "identity":
            lines.append(f"  divide(out, {n});")
        else:
            if len(part["baseline"]) == 1:
                lines.append("  out[1] = out[0];\n  out[0] = 0.0;")
            lines.append(f"  softmax(out, {n});")
        return "\n".join([*lines, "}"])


def _fields(names: Sequence[str]) -> list[str]:
    """Names of members: those of the columns where C allows it."""
    found = []
    for i, name in enumerate(names):
        fine = re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and name not in _RESERVED
        fine = fine and not name.startswith(_MACROS) and not re.fullmatch(r"column_\d+", name)
        found.append(name if fine else f"column_{i}")
    return found


def _number(x: float) -> str:
    if math.isinf(x):
        return "INFINITY" if x > 0 else "-INFINITY"
    return repr(float(x))


def _text(text: str) -> str:
    shown = (
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8")
    )
    return '"' + "".join(shown) + '"'


def _comment(text: str) -> str:
    shown = "".join(c if c.isascii() and (c.isalnum() or c in " _-.") else "?" for c in text)
    return shown[:60]


def _table(of: str, name: str, items: Iterable[Any], per_line: int = 12) -> str:
    shown = [str(item) for item in items] or ["0"]
    lines = [", ".join(shown[i : i + per_line]) for i in range(0, len(shown), per_line)]
    body = ",\n  ".join(lines)
    return f"static const {of} {name}[] = {{\n  {body}\n}};"
