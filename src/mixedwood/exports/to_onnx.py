"""A model as an ONNX graph: one input per column by its name, text included; doubles throughout.

The trees are a TreeEnsemble (ai.onnx.ml 5) that gives the leaf of a row in each tree. Values are
looked up and added in double precision by ordinary operators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.exports.describe import ExportError
from mixedwood.exports.limits import (
    Model,
    check_not_fractional,
    check_text,
    kind_of_labels,
    used_columns,
)
from mixedwood.exports.onnx_trees import SHIFT, TreeNodes

__all__ = ["to_onnx"]

_LIMITS = ("intercept", "low", "high")
OPSET, ML_OPSET, IR_VERSION = 18, 5, 10


def to_onnx(model: Model) -> dict[str, str | bytes]:
    """Write an ONNX graph.

    Inputs have the shape (rows, 1): text for columns whose categories are text, doubles for others.
    A missing number is NaN. Missing text is the empty text or, if that is a category, the first of
    ``<missing>``, ``<missing>1``, ... that is not; the metadata ``missing_text`` of the model has
    it for each column.
    """
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "to='onnx' needs the package onnx: pip install mixedwood[onnx]"
        ) from error
    del onnx
    check_not_fractional(model, "ONNX")
    return {".onnx": _Graph(model).write()}


class _Graph:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.missing_text: dict[str, str] = {}
        inputs = [c for c in model["columns"] if not c["sources"]]
        names = [column["name"] for column in inputs]
        check_text(names, "The name")
        self.names = [name or f"column_{i}" for i, name in enumerate(names)]
        outputs = {"label", "probabilities", "prediction"}
        taken = (outputs & set(self.names)) | (set() if all(names) else {"column_"})
        if len(set(self.names)) < len(self.names) or outputs & set(self.names):
            raise ExportError(
                f"A column has the name of an output, or an empty name: {sorted(taken)}. Rename it."
            )
        self.prefix = "mixedwood/"
        while any(name.startswith(self.prefix) for name in self.names):
            self.prefix += "/"

    # Building blocks

    def constant(self, array: NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        name = output or f"{self.prefix}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def cast(self, x: str, to: str) -> str:
        from onnx import TensorProto

        return self.op("Cast", x, to=getattr(TensorProto, to))

    def number(self, x: float) -> str:
        return self.constant(np.array(x, np.float64))

    def integer(self, *x: int) -> str:
        return self.constant(np.array(x, np.int64))

    # Columns

    def code(self, place: int) -> str:
        """Code of a column plus `SHIFT`, as an integer."""
        column = self.model["columns"][place]
        if column["sources"]:
            return self.crossed(column)
        labels, name = column["categories"], self.names[place]
        kind = self.kind(place)
        codes = [code + SHIFT for code in range(len(labels))]
        if kind == "text":
            check_text(labels, "The category", null=True)
            missing, n = "", 0
            while missing in labels:
                missing, n = "<missing>" + (str(n) if n else ""), n + 1
            self.missing_text[name] = missing
            return self.op(
                "LabelEncoder",
                name,
                domain="ai.onnx.ml",
                keys_strings=[*labels, missing],
                values_int64s=[*codes, 1],
                default_int64=0,
            )
        keys = self.constant(np.array([labels], np.float64))
        equal = self.cast(self.op("Equal", name, keys), "DOUBLE")
        found = self.op("MatMul", equal, self.constant(np.array(codes, np.float64)[:, None]))
        absent = self.cast(self.op("IsNaN", name), "DOUBLE")
        return self.cast(self.op("Add", found, absent), "INT64")

    def kind(self, place: int) -> str:
        column = self.model["columns"][place]
        if column["kind"] == "numeric":
            return "numeric"
        return kind_of_labels(column["categories"], f"The column {column['name']!r}")

    def crossed(self, column: dict[str, Any]) -> str:
        sizes = [len(self.model["columns"][s]["categories"]) + SHIFT for s in column["sources"]]
        if np.prod([float(size) for size in sizes]) > 2**62:
            raise ExportError(f"The crossed column {column['name']!r} has too many combinations.")
        key = absent = ""
        for source, size in zip(column["sources"], sizes, strict=True):
            its = self.codes[source]
            key = self.op("Add", self.op("Mul", key, self.integer(size)), its) if key else its
            missing = self.op("Equal", its, self.integer(1))
            absent = self.op("Or", absent, missing) if absent else missing
        keys, codes = [], []
        for code, group in enumerate(column["combinations"]):
            for combination in group:
                packed = 0
                for part, size in zip(combination, sizes, strict=True):
                    packed = packed * size + part + SHIFT
                keys.append(packed)
                codes.append(code + SHIFT)
        found = self.op(
            "LabelEncoder",
            key,
            domain="ai.onnx.ml",
            keys_int64s=keys,
            values_int64s=codes,
            default_int64=0,
        )
        return self.op("Where", absent, self.integer(1), found)

    def feature(self, place: int, what: str, *numbers: float) -> str:
        if what.startswith("sum"):
            (node,) = numbers
            if node not in self.sums:
                self.sums[node] = self.linear_split(self.trees.linear[int(node)])
            name, absent = self.sums[node], self.op("IsNaN", self.sums[node])
            if what == "sum flag":
                return self.cast(absent, "DOUBLE")
            infinite = self.number(np.inf if what == "sum high" else -np.inf)
            return self.op("Where", absent, infinite, name)
        if what == "code":
            return self.cast(self.codes[place], "DOUBLE")
        name = self.names[place]
        absent = self.op("IsNaN", name)
        if what == "flag":
            return self.cast(absent, "DOUBLE")
        if what == "inside":
            low, high, otherwise = numbers
            above = self.op("Greater", name, self.number(low))
            below = self.op("LessOrEqual", name, self.number(high))
            inside = self.cast(self.op("And", above, below), "DOUBLE")
            return self.op("Where", absent, self.number(otherwise), inside)
        infinite = self.number(np.inf if what == "high" else -np.inf)
        return self.op("Where", absent, infinite, name)

    # Linear models and splits, whose terms are added in the order of the library

    def column(self, place: int) -> tuple[str, str]:
        """Numbers of a column, or places of an ordinal one, and whether they are missing."""
        if self.kind(place) == "numeric":
            return self.names[place], self.op("IsNaN", self.names[place])
        code = self.codes[place]
        number = self.cast(self.op("Sub", code, self.integer(SHIFT)), "DOUBLE")
        return number, self.op("Less", code, self.integer(SHIFT))

    def weights(self, term: dict[str, Any], width: int) -> NDArray[np.float64]:
        """The weights of a term for each code plus `SHIFT`; 0 for codes without one."""
        n = len(self.model["columns"][term["column"]]["categories"])
        found = np.zeros((n + SHIFT, width))
        found[np.array(term["codes"]) + SHIFT] = np.reshape(term["weights"], (-1, width))
        return found

    def add(self, total: str, more: str) -> str:
        return self.op("Add", total, more) if total else more

    def scaled(self, term: dict[str, Any]) -> str:
        """A standardized number; 0 if it is missing."""
        x, absent = self.column(term["column"])
        x = self.op("Mul", x, self.number(term["factor"]))
        z = self.op("Sub", x, self.number(term["mean"]))
        z = self.op("Mul", z, self.number(term["scale"]))
        if (limit := term["limit"]) is not None:
            z = self.op("Min", self.op("Max", z, self.number(-limit)), self.number(limit))
        return self.op("Where", absent, self.number(0.0), z)

    def linear_part(self, part: dict[str, Any]) -> str:
        """Sums of a linear member, one column for each output."""
        width, total = len(part["baseline"]), ""
        for term in part["terms"]:
            if "codes" in term:
                code = self.op("Squeeze", self.codes[term["column"]], self.integer(1))
                table = self.constant(self.weights(term, width))
                added = self.op("Gather", table, code, axis=0)
            else:
                weights = self.constant(np.array([term["weights"]]))
                added = self.op("Mul", self.scaled(term), weights)
            total = self.add(total, added)
        return self.op("Add", total, self.constant(np.array([part["baseline"]])))

    def formulas(self, nodes: list[Any], ends: str) -> str:
        """Numbers that linear models predict at the nodes where rows end: (rows, 1)."""
        formulas = [node["formula"] for node in nodes]
        n_terms = max(1, *(len(formula["terms"]) for formula in formulas))
        features: dict[tuple[Any, ...], tuple[int, str]] = {}
        which = np.zeros((len(nodes), n_terms), np.int64)  # feature of each term of a node
        wanted = np.full((len(nodes), n_terms), np.nan)  # code of a category; NaN for a number
        weights = np.zeros((len(nodes), n_terms))
        for i, formula in enumerate(formulas):
            for j, term in enumerate(formula["terms"]):
                is_code = "codes" in term
                key = (term["column"], *(term.get(x) for x in ("factor", "mean", "scale", "limit")))
                if key not in features:
                    column = term["column"]
                    made = self.feature(column, "code") if is_code else self.scaled(term)
                    features[key] = len(features), made
                which[i, j] = features[key][0]
                weights[i, j] = term["weights"][0][0] if is_code else term["weights"][0]
                if is_code:
                    wanted[i, j] = term["codes"][0] + SHIFT
        node = self.op("Squeeze", ends, self.integer(1))

        def of_node(table: NDArray[Any]) -> str:
            return self.op("Gather", self.constant(table), node, axis=0)

        total = self.number(0.0)
        if features:
            matrix = self.op("Concat", *(made for _, made in features.values()), axis=1)
            found = self.op("GatherElements", matrix, of_node(which), axis=1)
            codes = of_node(wanted)
            same = self.cast(self.op("Equal", found, codes), "DOUBLE")
            found = self.op("Where", self.op("IsNaN", codes), found, same)
            added = self.op("Mul", found, of_node(weights))
            for j in range(n_terms):
                its = self.op("Gather", added, self.integer(j), axis=1)
                total = self.op("Add", total, its)
        intercept, low, high = (of_node(np.array([[f[x]] for f in formulas])) for x in _LIMITS)
        total = self.op("Add", total, intercept)
        return self.op("Min", self.op("Max", total, low), high)

    def linear_split(self, node: dict[str, Any]) -> str:
        """The sum of a linear split; NaN leads to the side of missing values."""
        total = ""
        for term in node["terms"]:
            if "codes" in term:
                table = self.constant(self.weights(term, 1)[:, 0])
                added = self.op("Gather", table, self.codes[term["column"]], axis=0)
            else:
                x, absent = self.column(term["column"])
                fill = np.nan if term["fill"] is None else term["fill"]
                x = self.op("Where", absent, self.number(fill), x)
                added = self.op("Mul", x, self.number(term["weight"]))
            total = self.op("Add", total or self.number(node["intercept"]), added)
        return total

    # Trees

    def leaves(self, trees: TreeNodes) -> str:
        """Node that each row reaches in each tree, as an integer: (rows, trees)."""
        from onnx import TensorProto, helper

        def doubles(name: str, values: list[float]) -> Any:
            return helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)

        features = [self.feature(*feature) for feature in trees.features]
        matrix = self.op("Concat", *features, axis=1)
        modes = helper.make_tensor("modes", TensorProto.UINT8, [len(trees.mode)], trees.mode)
        sets = {"membership_values": doubles("members", trees.members)} if trees.members else {}
        found = self.op(
            "TreeEnsemble",
            matrix,
            domain="ai.onnx.ml",
            n_targets=len(trees.roots),
            aggregate_function=1,
            post_transform=0,
            tree_roots=trees.roots,
            nodes_featureids=trees.feature,
            nodes_splits=doubles("splits", trees.split),
            nodes_modes=modes,
            nodes_truenodeids=trees.yes,
            nodes_trueleafs=trees.yes_leaf,
            nodes_falsenodeids=trees.no,
            nodes_falseleafs=trees.no_leaf,
            leaf_targetids=trees.leaf_tree,
            leaf_weights=doubles("leaves", [float(i) for i in trees.leaf_node]),
            **sets,
        )
        return self.cast(found, "INT64")

    def write(self) -> bytes:
        from onnx import TensorProto, helper

        model = self.model
        self.trees = trees = TreeNodes(model)
        self.sums: dict[float, str] = {}
        for part in model["parts"]:
            for tree in part["trees"]:
                trees.add(tree["nodes"])
        self.codes: dict[int, str] = {}
        wanted = {*used_columns(model), *(feature[0] for feature in trees.features)}
        for place in sorted(wanted):
            if model["columns"][place]["kind"] != "numeric":
                self.codes[place] = self.code(place)
        ends = self.leaves(trees)
        classes = model["target"]["classes"]
        first, outputs, label = 0, [], ""
        for part in model["parts"]:
            values, label = self.part(part, ends, first)
            first += len(part["trees"])
            outputs.append(values)
        total = outputs[0]
        parts = model["parts"]
        if len(parts) > 1 or parts[0]["weight"] != 1.0:
            label = ""
            for i, (part, values) in enumerate(zip(parts, outputs, strict=True)):
                its = self.op("Mul", values, self.number(part["weight"]))
                total = its if i == 0 else self.op("Add", total, its)
        if model["target"]["kind"] == "numbers":
            self.op("Identity", total, output="prediction")
            shown = [helper.make_tensor_value_info("prediction", TensorProto.DOUBLE, ["rows", 1])]
        else:
            names, of = self.class_labels()
            self.op("Gather", names, label or self.decide(total), output="label")
            self.op("Identity", total, output="probabilities")
            shown = [
                helper.make_tensor_value_info("label", of, ["rows"]),
                helper.make_tensor_value_info(
                    "probabilities", TensorProto.DOUBLE, ["rows", len(classes)]
                ),
            ]
        inputs = [
            helper.make_tensor_value_info(
                name,
                TensorProto.STRING if self.kind(place) == "text" else TensorProto.DOUBLE,
                ["rows", 1],
            )
            for place, name in enumerate(self.names)
        ]
        graph = helper.make_graph(self.nodes, "mixedwood", inputs, shown, self.constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        made = helper.make_model(graph, opset_imports=opsets, producer_name="mixedwood")
        made.ir_version = IR_VERSION
        helper.set_model_props(made, {"missing_text": _json(self.missing_text)})
        return bytes(made.SerializeToString(deterministic=True))

    def part(self, part: dict[str, Any], ends: str, first: int) -> tuple[str, str]:
        """Values of a part, and the position of the class of a single tree."""
        trees, target = part["trees"], self.model["target"]
        if part["aggregate"] == "linear":
            return self.link(part, self.linear_part(part), len(part["baseline"])), ""
        if "formula" in trees[0]["nodes"][0]:
            return self.formulas(trees[0]["nodes"], ends), ""
        n_outputs = max(1, len(target["classes"]))
        single = part["aggregate"] == "label"
        width = n_outputs if single else len(part["baseline"])
        rows: list[NDArray[np.float64]] = []
        labels: list[int] = []
        offsets: list[int] = []
        for tree in trees:
            offsets.append(len(rows))
            for node in tree["nodes"]:
                row = np.zeros(width)
                if part["aggregate"] == "vote":
                    row[node["label"]] = tree["weight"]
                else:
                    begin = tree["first_output"]
                    value = np.array(node["value"])
                    row[begin : begin + len(value)] = value if single else tree["weight"] * value
                rows.append(row)
                labels.append(node["label"])
        columns = self.integer(*range(first, first + len(trees)))
        its = self.op("Gather", ends, columns, axis=1)
        its = self.op("Add", its, self.integer(*offsets))
        values = self.op("Gather", self.constant(np.array(rows)), its, axis=0)
        total = self.op("ReduceSum", values, self.integer(1), keepdims=0)
        if single:
            label = ""
            if target["kind"] == "classes":
                flat = self.op("Reshape", its, self.integer(-1))
                label = self.op("Gather", self.constant(np.array(labels, np.int64)), flat)
            return total, label
        total = self.op("Add", total, self.constant(np.array(part["baseline"], np.float64)))
        return self.link(part, total, width), ""

    def link(self, part: dict[str, Any], total: str, width: int) -> str:
        if self.model["target"]["kind"] == "numbers":
            if part["aggregate"] not in ("sum", "linear"):
                return self.op("Div", total, self.number(part["total_weight"]))
            return self.op("Exp", total) if part["link"] == "log" else total
        one = self.integer(1)
        if part["link"] == "identity":
            sums = self.op("ReduceSum", total, one, keepdims=1)
            empty = self.op("Equal", sums, self.number(0.0))
            safe = self.op("Where", empty, self.number(1.0), sums)
            return self.op("Where", empty, self.number(1.0 / width), self.op("Div", total, safe))
        if width == 1:
            zero = self.op("Mul", total, self.number(0.0))
            total = self.op("Concat", zero, total, axis=1)
        largest = self.op("ReduceMax", total, one, keepdims=1)
        odds = self.op("Exp", self.op("Sub", total, largest))
        return self.op("Div", odds, self.op("ReduceSum", odds, one, keepdims=1))

    def decide(self, values: str) -> str:
        target = self.model["target"]
        tolerance = target["tolerance"]
        if (costs := target["cost_matrix"]) is not None:
            tolerance *= max(map(max, costs))
            values = self.op("Neg", self.op("MatMul", values, self.constant(np.array(costs))))
        largest = self.op("ReduceMax", values, self.integer(1), keepdims=1)
        least = self.op("Sub", largest, self.number(tolerance))
        near = self.cast(self.op("GreaterOrEqual", values, least), "INT32")
        return self.op("ArgMax", near, axis=1, keepdims=0)

    def class_labels(self) -> tuple[str, int]:
        from onnx import TensorProto

        classes = self.model["target"]["classes"]
        kind = kind_of_labels(classes, "The target")
        if kind == "text":
            check_text(classes, "The class", null=True)
            return self.constant(np.array(classes, dtype=object)), TensorProto.STRING
        if kind == "boolean":
            return self.constant(np.array(classes, bool)), TensorProto.BOOL
        if all(isinstance(label, int) for label in classes):
            return self.constant(np.array(classes, np.int64)), TensorProto.INT64
        return self.constant(np.array(classes, np.float64)), TensorProto.DOUBLE


def _json(content: dict[str, str]) -> str:
    import json

    return json.dumps(content)
