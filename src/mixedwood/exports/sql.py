"""A model as one SELECT, in steps that no database finds too deep or too long.

Each common table expression does one step for all rows: codes of categories, some levels of some
trees, their sum, probabilities, the class. Sums are added in the order of the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from mixedwood.exports.describe import ExportError
from mixedwood.exports.dialects import DIALECTS, Dialect
from mixedwood.exports.limits import (
    Model,
    branches,
    check_not_fractional,
    check_text,
    kind_of_labels,
    target_of,
    used_columns,
)

__all__ = ["to_sql"]

_LEVELS = 8  # of a tree in one expression: some databases have a small stack for parsing
_TREES = 50  # in one step
_CASES = 8  # of a look-up before it is divided
_MOST_TERMS = 900  # SQLite's expressions have a depth of 1,000


def to_sql(
    model: Model,
    *,
    table: str | Sequence[str] = "data",
    dialect: str = "duckdb",
    keep: Sequence[str] = (),
) -> dict[str, str | bytes]:
    """Write a SELECT with the prediction, and the probability of each class.

    Parameters
    ----------
    model : dict
        A description.
    table : str or sequence of str, default="data"
        Name of the table. Dots divide the names of schema and table; a sequence has the parts of a
        name that contains dots.
    dialect : {"duckdb", "sqlite", "postgresql", "bigquery", "ansi"}, default="duckdb"
        The database.
    keep : sequence of str, default=()
        Columns of the table to copy, such as its key.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {', '.join(DIALECTS)}; got {dialect!r}.")
    parts = table.split(".") if isinstance(table, str) else list(table)
    if not parts or not all(isinstance(part, str) and part for part in parts):
        raise ValueError(f"table must be a name, or the parts of one; got {table!r}.")
    if isinstance(keep, str):
        raise TypeError(f"keep must be a list of names; got {keep!r}.")
    check_not_fractional(model, "SQL")
    return {".sql": _Query(model, DIALECTS[dialect], parts, list(keep)).write()}


class _Query:
    """The steps of a query, in order; `columns` are those of the last one."""

    def __init__(self, model: Model, dialect: Dialect, table: list[str], keep: list[str]) -> None:
        self.model = model
        self.dialect = dialect
        self.table = table
        self.keep = keep
        self.steps: list[str] = []
        self.columns: list[str] = []
        self.prefix = "mixedwood_"
        while table[-1].casefold().startswith(self.prefix):
            self.prefix += "_"

    def write(self) -> str:
        model, dialect = self.model, self.dialect
        names = [column["name"] for column in model["columns"]]
        check_text([*names, *self.table, *self.keep], "The name")
        header = self._names_of_results()
        self._read_columns()
        target = model["target"]
        n_outputs = max(1, len(target["classes"]))
        parts = model["parts"]
        single = len(parts) == 1 and parts[0]["weight"] == 1.0
        label = ""
        outputs = []
        for number, part in enumerate(parts):
            values, label = self._part(part, f"p{number}_", n_outputs)
            outputs.append(values)
        if not single:
            outputs = [self._mixture(outputs)]
        prediction = outputs[0][0]
        if target["kind"] == "classes":
            prediction = label if single and label else self._decide(outputs[0])
        shown = [f"k{i}" for i in range(len(self.keep))]
        shown.append(prediction)
        if target["kind"] == "classes":
            shown += outputs[0]
        selected = ",\n  ".join(
            f"{expression} AS {dialect.quote(name)}"
            for expression, name in zip(shown, header, strict=True)
        )
        steps = ",\n".join(self.steps)
        return f"WITH {steps}\nSELECT\n  {selected}\nFROM {self._last()}\n"

    def _names_of_results(self) -> list[str]:
        dialect = self.dialect
        classes = self.model["target"]["classes"]
        names = [f"probability_{label}" for label in classes]
        check_text([n for n in names if isinstance(n, str)], "The class")
        plain = all(n.isascii() and n.isidentifier() for n in names)
        short = all(len(n.encode()) <= dialect.longest_name for n in names)
        if len({n.casefold() for n in names}) < len(names) or not short:
            plain, names = True, [f"probability_{i}" for i in range(len(classes))]
        if dialect.plain_names and not plain:
            names = [f"probability_{i}" for i in range(len(classes))]
        names = [*self.keep, "prediction", *names]
        if len({name.casefold() for name in names}) < len(names):
            raise ValueError(
                f"keep={self.keep!r} has a name twice, or one that the result has anyway."
            )
        return names

    # Steps

    def _last(self) -> str:
        return f"{self.prefix}{len(self.steps)}"

    def _step(self, new: dict[str, str], keep: Sequence[str] | None = None) -> None:
        """Add a step that computes some columns and keeps some of the last step, or all."""
        kept = self.columns if keep is None else list(keep)
        kept = [column for column in kept if column not in new]
        if len(kept) + len(new) > self.dialect.most_columns:
            raise ExportError(
                f"The model needs {len(kept) + len(new)} columns, which is too many for "
                f"{self.dialect.name}; use another dialect, or to='c'."
            )
        source = self._last()
        self.steps.append("")
        selected = ",\n  ".join([*kept, *(f"{x} AS {name}" for name, x in new.items())])
        self._write_step(selected, source)
        self.columns = [*kept, *new]

    def _write_step(self, selected: str, source: str) -> None:
        name = self._last()
        self.steps[-1] = (
            f"{name} AS {self.dialect.materialized}(\n  SELECT\n  {selected}\n  FROM {source}\n)"
        )

    def _read_columns(self) -> None:
        dialect, columns = self.dialect, self.model["columns"]
        used = used_columns(self.model)
        new = {f"k{i}": f"t.{dialect.quote(name)}" for i, name in enumerate(self.keep)}
        crossed = {}
        for place in used:
            column = columns[place]
            if column["sources"]:
                crossed[f"c{place}"] = self._crossed(column)
                continue
            name = f"t.{dialect.quote(column['name'])}"
            new[f"c{place}"] = (
                self._number(name) if column["kind"] == "numeric" else self._code(name, column)
            )
        if not new:
            new["c"] = "1"  # a constant model of no column
        self.steps.append("")
        table = ".".join(map(dialect.quote, self.table))
        selected = ",\n  ".join(f"{x} AS {name}" for name, x in new.items())
        self._write_step(selected, f"{table} AS t")
        self.columns = list(new)
        if crossed:
            self._step(crossed)

    def _number(self, name: str) -> str:
        return self.dialect.without_nan(f"CAST({name} AS {self.dialect.double})")

    def _code(self, name: str, column: dict[str, Any]) -> str:
        """Write the code of a category: -1 if it is missing, -2 if it is unknown."""
        labels = column["categories"]
        kind = kind_of_labels(labels, f"The column {column['name']!r}")
        if kind == "text":
            check_text(labels, "The category")
            if self.dialect.text_type is not None:
                name = f"CAST({name} AS {self.dialect.text_type})"
        elif kind == "number":
            name = self._number(name)
        cases = "".join(
            f" WHEN {self._label(label, kind)} THEN {code}" for code, label in enumerate(labels)
        )
        return f"CASE WHEN {name} IS NULL THEN -1 ELSE {_simple_case(name, cases, '-2')} END"

    def _label(self, label: Any, kind: str) -> str:
        if kind == "text":
            return self.dialect.text(label)
        if kind == "boolean":
            return "TRUE" if label else "FALSE"
        return self.dialect.real(float(label))

    def _crossed(self, column: dict[str, Any]) -> str:
        sizes = [len(self.model["columns"][s]["categories"]) for s in column["sources"]]
        integer = "INTEGER" if self.dialect.name == "sqlite" else "BIGINT"
        if self.dialect.name == "bigquery":
            integer = "INT64"
        key = ""
        for source, size in zip(column["sources"], sizes, strict=True):
            its = f"CAST(c{source} AS {integer})"
            key = f"({key} * {size} + {its})" if key else its
        cases = []
        for code, group in enumerate(column["combinations"]):
            for combination in group:
                packed = 0
                for part, size in zip(combination, sizes, strict=True):
                    packed = packed * size + part
                cases.append(f" WHEN {packed} THEN {code}")
        missing = " OR ".join(f"c{source} = -1" for source in column["sources"])
        unknown = " OR ".join(f"c{source} = -2" for source in column["sources"])
        found = _simple_case(key, "".join(cases), "-2")
        return f"CASE WHEN {missing} THEN -1 WHEN {unknown} THEN -2 ELSE {found} END"

    # Trees

    def _part(self, part: dict[str, Any], prefix: str, n_outputs: int) -> tuple[list[str], str]:
        """Add the steps of a part; return its columns, and that of the label of a single tree."""
        real = self.dialect.real
        if part["aggregate"] == "label":
            self._walk({f"{prefix}n": part["trees"][0]["nodes"]})
            nodes = part["trees"][0]["nodes"]
            node = f"{prefix}n"
            if "formula" in nodes[0]:
                return self._formulas(nodes, node, f"{prefix}0"), ""
            new = {
                f"{prefix}{k}": self._number_of(
                    node, {i: nodes[i]["value"][k] for i in _ends(nodes)}
                )
                for k in range(n_outputs)
            }
            label = ""
            if self.model["target"]["kind"] == "classes":
                label = f"{prefix}label"
                classes = self._class_literals()
                new[label] = _look_up(node, [(i, classes[nodes[i]["label"]]) for i in _ends(nodes)])
            self._step(new, [c for c in self.columns if c != node])
            return [c for c in new if c != label], label
        scores = [f"{prefix}s{k}" for k in range(len(part["baseline"]))]
        before = [column for column in self.columns if column not in scores]
        if part["aggregate"] == "linear":
            self._linear_part(part, scores, prefix)
            return self._link(part, scores, prefix, before), ""
        self._step({s: real(b) for s, b in zip(scores, part["baseline"], strict=True)})
        for first in range(0, len(part["trees"]), _TREES):
            self._add_trees(part, part["trees"][first : first + _TREES], scores, before)
        return self._link(part, scores, prefix, before), ""

    def _add_trees(
        self, part: dict[str, Any], trees: list[Any], scores: list[str], before: list[str]
    ) -> None:
        votes = part["aggregate"] == "vote"
        walked = {
            f"n{i}": tree["nodes"]
            for i, tree in enumerate(trees)
            if len(tree["nodes"]) > 1 and not (self._is_direct(tree, votes))
        }
        self._walk(walked)
        sums = {score: [score] for score in scores}
        for i, tree in enumerate(trees):
            nodes, weight, first = tree["nodes"], tree["weight"], tree["first_output"]
            n_values = len(scores) if votes else len(nodes[0]["value"])
            for k in range(n_values):
                values = {
                    end: weight
                    * (float(nodes[end]["label"] == k) if votes else nodes[end]["value"][k])
                    for end in _ends(nodes)
                }
                if f"n{i}" in walked:
                    term = self._number_of(f"n{i}", values)
                else:
                    literals = {end: self.dialect.real(value) for end, value in values.items()}
                    term = self._subtree(nodes, 0, _LEVELS, literals, literals)
                sums[scores[k if votes else first + k]].append(term)
        self._step(
            {score: "\n  + ".join(terms) for score, terms in sums.items()}, [*before, *scores]
        )

    def _is_direct(self, tree: dict[str, Any], votes: bool) -> bool:
        """Whether the tree is one expression: of a single output, and not deep."""
        return not votes and len(tree["nodes"][0]["value"]) == 1 and _depth(tree) <= _LEVELS

    def _walk(self, trees: dict[str, list[Any]]) -> None:
        """Add steps that find the end of each tree: a node, in a column by its name.

        A row that is not at its end yet has -1 less the number of the node.
        """
        starts: dict[str, list[int]] = {name: [0] for name in trees}
        first = True
        while starts:
            new = {}
            following: dict[str, list[int]] = {}
            for name, begin in starts.items():
                nodes = trees[name]
                more = _far(nodes, begin, _LEVELS)
                ends = {i: str(i) for i in range(len(nodes))}
                leads = {i: str(-1 - i) for i in more}
                inner = {i: self._subtree(nodes, i, _LEVELS, ends, leads) for i in begin}
                if first:
                    new[name] = inner[0]
                else:
                    cases = "".join(f"\n  WHEN {-1 - i} THEN {x}" for i, x in inner.items())
                    new[name] = _simple_case(name, cases, name)
                if more:
                    following[name] = more
            self._step(new)
            starts, first = following, False

    def _subtree(
        self,
        nodes: list[Any],
        i: int,
        levels: int,
        ends: dict[int, str],
        leads: dict[int, str],
    ) -> str:
        """Write some levels below a node: `ends` where rows stop, `leads` where levels are over."""
        node = nodes[i]
        if node["split"] == "leaf":
            return ends[i]
        if levels == 0:
            return leads[i]

        def below(target: int) -> str:
            return (
                ends[i] if target == -1 else self._subtree(nodes, target, levels - 1, ends, leads)
            )

        tests, other = self._tests(node)
        indent = "\n" + " " * (2 * (_LEVELS - levels) + 4)
        cases = "".join(f"{indent}WHEN {test} THEN {below(target)}" for test, target in tests)
        return f"CASE{cases}{indent}ELSE {below(other)} END" if cases else below(other)

    def _tests(self, node: dict[str, Any]) -> tuple[list[tuple[str, int]], int]:
        """Conditions with the nodes they lead to, and where all other rows go; -1 is to stop."""
        missing, unknown = target_of(node, node["missing"]), target_of(node, node["unknown"])
        yes, no = node["children"][:2]
        if node["split"] == "linear":
            total = self._linear(node)
            zero = self.dialect.real(0.0)
            if missing == yes:
                return [(f"{total} <= {zero}", no)], yes
            if missing == no:
                return [(f"{total} > {zero}", yes)], no
            return [(f"{total} > {zero}", yes), (f"{total} <= {zero}", no)], missing
        x = f"c{node['column']}"
        if node["split"] == "interval":
            bounds = [
                f"{x} {sign} {self.dialect.real(bound)}"
                for sign, bound in ((">", node["low"]), ("<=", node["high"]))
                if bound is not None
            ]
            if self.model["columns"][node["column"]]["kind"] != "numeric":
                tests = [(" AND ".join([f"{x} >= 0", *bounds]), yes)]
                for code, target in ((-1, missing), (-2, unknown)):
                    if target != no:
                        tests.append((f"{x} = {code}", target))
                return tests, no
            inside = " AND ".join(bounds) or f"{x} IS NOT NULL"
            if missing == yes:
                return [(f"{x} IS NULL OR {inside}", yes)], no
            if missing == no:
                return [(inside, yes)], no
            return [(inside, yes), (f"{x} IS NOT NULL", no)], missing
        lists, other = branches(node)
        return [(self.dialect.among(x, codes), target) for target, codes in lists.items()], other

    def _linear(self, node: dict[str, Any]) -> str:
        real = self.dialect.real
        if len(node["terms"]) > _MOST_TERMS and self.dialect.name == "sqlite":
            raise ExportError(
                f"A linear split weighs {len(node['terms'])} columns, which is too many for "
                "sqlite; use another dialect, or to='c'."
            )
        terms = [real(node["intercept"])]
        for term in node["terms"]:
            x = f"c{term['column']}"
            if "codes" in term:
                pairs = zip(term["codes"], term["weights"], strict=True)
                cases = "".join(f" WHEN {code} THEN {real(weight)}" for code, weight in pairs)
                terms.append(_simple_case(x, cases, real(0.0)))
                continue
            fill = "NULL" if term["fill"] is None else real(term["fill"])
            if self.model["columns"][term["column"]]["kind"] == "numeric":
                value = x if term["fill"] is None else f"COALESCE({x}, {fill})"
            else:
                value = f"CASE WHEN {x} < 0 THEN {fill} ELSE CAST({x} AS {self.dialect.double}) END"
            terms.append(f"{real(term['weight'])} * {value}")
        return "(" + " + ".join(terms) + ")"

    def _linear_part(self, part: dict[str, Any], scores: list[str], prefix: str) -> None:
        """Add the sums of a linear model, a few terms at a time."""
        real = self.dialect.real
        scaled = {}
        for term in part["terms"]:
            if "codes" not in term:
                scaled[f"{prefix}z{term['column']}"] = self._scaled(term)
        self._step(dict.fromkeys(scores, real(0.0)) | scaled)
        limits = {}
        for name, term in zip(scaled, (t for t in part["terms"] if "codes" not in t), strict=True):
            low, high = real(-term["limit"]), real(term["limit"])
            limits[name] = f"CASE WHEN {name} < {low} THEN {low} "
            limits[name] += f"WHEN {name} > {high} THEN {high} ELSE {name} END"
        if limits:
            self._step(limits)
        before = [column for column in self.columns if column not in scores]
        for first in range(0, len(part["terms"]), _TREES):
            sums = {score: [score] for score in scores}
            for term in part["terms"][first : first + _TREES]:
                x = f"c{term['column']}"
                for k, score in enumerate(scores):
                    if "codes" in term:
                        weights = (weight[k] for weight in term["weights"])
                        sums[score].append(
                            self._weight_of(x, dict(zip(term["codes"], weights, strict=True)))
                        )
                    else:
                        z = f"{prefix}z{term['column']}"
                        sums[score].append(f"{z} * {real(term['weights'][k])}")
            self._step(
                {score: "\n  + ".join(terms) for score, terms in sums.items()}, [*before, *scores]
            )
        self._step(
            {s: f"{s} + {real(b)}" for s, b in zip(scores, part["baseline"], strict=True)},
            [column for column in before if column not in scaled] + scores,
        )

    def _scaled(self, term: dict[str, Any]) -> str:
        """Write a standardized number, or place of an ordinal category; 0 if it is missing."""
        real = self.dialect.real
        x, missing = f"c{term['column']}", f"c{term['column']} IS NULL"
        if self.model["columns"][term["column"]]["kind"] != "numeric":
            x, missing = f"CAST({x} AS {self.dialect.double})", f"{x} < 0"
        if term["factor"] != 1.0:
            x = f"{x} * {real(term['factor'])}"
        z = f"({x} - {real(term['mean'])})"
        if term["scale"] != 1.0:
            z = f"{z} * {real(term['scale'])}"
        return f"CASE WHEN {missing} THEN {real(0.0)} ELSE {z} END"

    def _weight_of(self, x: str, weights: dict[int, float]) -> str:
        """Write the weight of a code; 0 for others, and for missing and unknown categories."""
        real = self.dialect.real
        if len(weights) == 1:
            ((code, weight),) = weights.items()
            return f"CASE WHEN {x} = {code} THEN {real(weight)} ELSE {real(0.0)} END"
        filled = {c: weights.get(c, 0.0) for c in range(-2, max(weights) + 1)}
        if self.dialect.name == "duckdb" and len(filled) > _CASES:
            return self._number_of(f"({x} + 2)", {c + 2: w for c, w in filled.items()})
        return _look_up(x, [(c, real(w)) for c, w in filled.items()])

    def _formulas(self, nodes: list[Any], node: str, result: str) -> list[str]:
        """Add the steps from the node of a row to the prediction of its linear model."""
        real = self.dialect.real
        sums = {}
        for i in _ends(nodes):
            terms = nodes[i]["formula"]["terms"]
            if len(terms) > _MOST_TERMS and self.dialect.name == "sqlite":
                raise ExportError(
                    f"A linear model in a leaf has {len(terms)} terms, which is too many for "
                    "sqlite; use another dialect, or to='c'."
                )
            shown = [real(0.0)]
            for term in terms:
                if "codes" in term:
                    weights = {c: w for c, (w,) in zip(term["codes"], term["weights"], strict=True)}
                    shown.append(self._weight_of(f"c{term['column']}", weights))
                else:
                    shown.append(f"{self._scaled(term)} * {real(term['weights'][0])}")
            shown.append(real(nodes[i]["formula"]["intercept"]))
            sums[i] = "\n  + ".join(shown)
        low, high = (
            {i: nodes[i]["formula"][which] for i in _ends(nodes)} for which in ("low", "high")
        )
        self._step(
            {
                result: _look_up(node, list(sums.items())),
                "low": self._number_of(node, low),
                "high": self._number_of(node, high),
            }
        )
        clipped = f"CASE WHEN {result} < low THEN low WHEN {result} > high THEN high "
        kept = [c for c in self.columns if c not in (node, "low", "high")]
        self._step({result: f"{clipped}ELSE {result} END"}, kept)
        return [result]

    def _number_of(self, x: str, values: dict[int, float]) -> str:
        """Write the number that belongs to a node."""
        if self.dialect.name == "duckdb" and len(values) > _CASES:
            # One constant: planning long expressions takes it longer than running them.
            numbers = [repr(values.get(i, 0.0)) for i in range(max(values) + 1)]
            return f"CAST('[{', '.join(numbers)}]' AS DOUBLE[])[{x} + 1]"
        return _look_up(x, [(i, self.dialect.real(v)) for i, v in sorted(values.items())])

    # From scores to predictions

    def _link(
        self, part: dict[str, Any], scores: list[str], prefix: str, before: list[str]
    ) -> list[str]:
        real, exp = self.dialect.real, self.dialect.exp
        if self.model["target"]["kind"] == "numbers":
            value = scores[0]
            if part["aggregate"] not in ("sum", "linear"):
                value = f"{value} / {real(part['total_weight'])}"
            elif part["link"] == "log":
                value = exp(value)
            self._step({f"{prefix}0": value}, before)
            return [f"{prefix}0"]
        total = f"{prefix}t"
        if part["link"] == "identity":
            self._step({total: _sum(scores)})
            equal = real(1.0 / len(scores))
            new = {
                f"{prefix}{k}": f"CASE WHEN {total} = {real(0.0)} THEN {equal} "
                f"ELSE {score} / {total} END"
                for k, score in enumerate(scores)
            }
        else:
            logs = [real(0.0), scores[0]] if len(scores) == 1 else scores
            self._step({total: self.dialect.largest(logs)})
            odds = {f"{prefix}o{k}": f"({log} - {total})" for k, log in enumerate(logs)}
            self._step({name: exp(x) for name, x in odds.items()})
            self._step({total: _sum(list(odds))})
            new = {f"{prefix}{k}": f"{odd} / {total}" for k, odd in enumerate(odds)}
        self._step(new, before)
        return list(new)

    def _mixture(self, outputs: list[list[str]]) -> list[str]:
        weights = [self.dialect.real(part["weight"]) for part in self.model["parts"]]
        new = {
            f"q{k}": " + ".join(f"{w} * {x}" for w, x in zip(weights, columns, strict=True))
            for k, columns in enumerate(zip(*outputs, strict=True))
        }
        gone = {column for columns in outputs for column in columns}
        self._step(new, [column for column in self.columns if column not in gone])
        return list(new)

    def _class_literals(self) -> list[str]:
        classes = self.model["target"]["classes"]
        kind = kind_of_labels(classes, "The target")
        if kind == "number" and all(isinstance(label, int) for label in classes):
            return [str(int(label)) for label in classes]
        return [self._label(label, kind) for label in classes]

    def _decide(self, values: list[str]) -> str:
        target, real = self.model["target"], self.dialect.real
        scores, tolerance = values, target["tolerance"]
        if (costs := target["cost_matrix"]) is not None:
            tolerance *= max(map(max, costs))
            scores = [f"e{j}" for j in range(len(values))]
            self._step(
                {
                    score: "-("
                    + " + ".join(f"{v} * {real(costs[i][j])}" for i, v in enumerate(values))
                    + ")"
                    for j, score in enumerate(scores)
                }
            )
        self._step({"least": f"{self.dialect.largest(scores)} - {real(tolerance)}"})
        classes = self._class_literals()
        cases = "".join(
            f"\n  WHEN {s} >= least THEN {c}" for s, c in zip(scores, classes, strict=True)
        )
        self._step({"label": f"CASE{cases} END"})
        return "label"


def _simple_case(x: str, cases: str, other: str) -> str:
    return f"CASE {x}{cases} ELSE {other} END" if cases else other


def _look_up(x: str, pairs: list[tuple[int, str]]) -> str:
    """Write the value that belongs to a number; pairs are sorted."""
    if len({value for _, value in pairs}) == 1:
        return pairs[0][1]
    if len(pairs) <= _CASES:
        cases = "".join(f" WHEN {number} THEN {value}" for number, value in pairs[:-1])
        return f"CASE {x}{cases} ELSE {pairs[-1][1]} END"
    length = -(-len(pairs) // _CASES)
    chunks = [pairs[i : i + length] for i in range(0, len(pairs), length)]
    cases = "".join(
        f" WHEN {x} < {after[0][0]} THEN {_look_up(x, chunk)}" for chunk, after in pairwise(chunks)
    )
    return f"CASE{cases} ELSE {_look_up(x, chunks[-1])} END"


def _sum(terms: list[str]) -> str:
    """Add in the order of numpy, so that the last digit is the same; see `runtime._sum`."""
    n = len(terms)
    if n < 8:
        return " + ".join(terms)
    if n > 128:
        half = n // 2
        half -= half % 8
        return f"({_sum(terms[:half])}) + ({_sum(terms[half:])})"
    r = list(terms[:8])
    last = n - n % 8
    for i in range(8, last):
        r[i % 8] += f" + {terms[i]}"
    r = [f"({x})" for x in r]
    total = f"((({r[0]} + {r[1]}) + ({r[2]} + {r[3]})) + (({r[4]} + {r[5]}) + ({r[6]} + {r[7]})))"
    return " + ".join([total, *terms[last:]])


def _targets(node: dict[str, Any]) -> Iterator[int]:
    yield from node.get("children", ())


def _depth(tree: dict[str, Any]) -> int:
    nodes = tree["nodes"]
    depth = [0] * len(nodes)
    for i in range(len(nodes) - 1, -1, -1):  # children come after their parents
        depth[i] = max((depth[c] + 1 for c in _targets(nodes[i])), default=0)
    return depth[0]


def _far(nodes: list[Any], begin: list[int], levels: int) -> list[int]:
    """Inner nodes that many levels below some nodes."""
    found = begin
    for _ in range(levels):
        found = [c for i in found for c in _targets(nodes[i])]
    return [i for i in found if nodes[i]["split"] != "leaf"]


def _ends(nodes: list[Any]) -> list[int]:
    """Nodes at which rows end: leaves, and inner nodes at which missing or unknown ones stop."""
    return [
        i
        for i, node in enumerate(nodes)
        if node["split"] == "leaf" or "stop" in (node["missing"], node["unknown"])
    ]
