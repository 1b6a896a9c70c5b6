"""A reader of exported JSON, written from docs/reference/export.md and not from the library.

It is recursive and uses numpy's sums, where the library's own interpreter has loops.
"""

import json
import math

import numpy as np


class Model:
    def __init__(self, text):
        content = json.loads(text)
        assert content["format"] == "mixedwood"
        assert content["version"] == 1
        self.target = content["target"]
        self.columns = content["columns"]
        self.parts = content["parts"]

    def encode(self, row):
        """A number or None of numeric columns; otherwise a code, "missing" or "unknown"."""
        cells = []
        for column in self.columns:
            if column["sources"]:
                its = [cells[source] for source in column["sources"]]
                if "missing" in its:
                    cells.append("missing")
                    continue
                found = [c for c, group in enumerate(column["combinations"]) if its in group]
                cells.append(found[0] if found else "unknown")
                continue
            value = row[column["name"]]
            absent = value is None or (isinstance(value, float) and math.isnan(value))
            if column["kind"] == "numeric":
                cells.append(None if absent else float(value))
            elif absent:
                cells.append("missing")
            else:
                known = value in column["categories"]
                cells.append(column["categories"].index(value) if known else "unknown")
        return cells

    def side(self, node, cells):
        """Position of a child, "stop" or "fractional"."""
        if node["split"] == "linear":
            return self.side_of_sum(node, cells)
        cell = cells[node["column"]]
        if cell is None or cell == "missing":
            return node["missing"]
        if cell == "unknown":
            return node["unknown"]
        if node["split"] == "interval":
            low = -math.inf if node["low"] is None else node["low"]
            high = math.inf if node["high"] is None else node["high"]
            return 0 if low < cell <= high else 1
        for child, codes in enumerate(node["categories"]):
            if cell in codes:
                return child
        return node["unknown"]

    def side_of_sum(self, node, cells):
        total = node["intercept"]
        for term in node["terms"]:
            cell = cells[term["column"]]
            if "codes" in term:
                total += dict(zip(term["codes"], term["weights"], strict=True)).get(cell, 0.0)
                continue
            if cell in (None, "missing", "unknown"):
                cell = math.nan if term["fill"] is None else term["fill"]
            total += term["weight"] * cell
        if math.isnan(total):
            return node["missing"]
        return 0 if total > 0 else 1

    def ends(self, nodes, i, fraction, cells):
        """Nodes at which a row ends, with the fraction that does."""
        node = nodes[i]
        side = "stop" if node["split"] == "leaf" else self.side(node, cells)
        if isinstance(side, int):
            return self.ends(nodes, node["children"][side], fraction, cells)
        weights = [nodes[c]["weight"] for c in node.get("children", ())]
        if side == "stop" or not sum(weights) > 0:
            return [(node, fraction)]
        found = []
        for child, weight in zip(node["children"], weights, strict=True):
            found += self.ends(nodes, child, fraction * weight / sum(weights), cells)
        return found

    def largest(self, scores, tolerance):
        return int(np.flatnonzero(np.asarray(scores) >= max(scores) - tolerance)[0])

    def decide(self, p, tolerance):
        costs = self.target["cost_matrix"]
        if costs is None:
            return self.largest(p, tolerance)
        return self.largest(-(np.asarray(p) @ np.array(costs)), tolerance * np.max(costs))

    def sums(self, terms, cells, n_sums):
        """Sums of a linear model; missing and unknown values add nothing."""
        totals = np.zeros(n_sums)
        for term in terms:
            cell = cells[term["column"]]
            if "codes" in term:
                weights = dict(zip(term["codes"], term["weights"], strict=True))
                totals += np.array(weights.get(cell, [0.0] * n_sums))
            elif cell not in (None, "missing", "unknown"):
                z = (cell * term["factor"] - term["mean"]) * term["scale"]
                if term["limit"] is not None:
                    z = np.clip(z, -term["limit"], term["limit"])
                totals += z * np.array(term["weights"])
        return totals

    def part(self, part, cells):
        """Values of a part, and the class of a single tree or None."""
        classes = self.target["kind"] == "classes"
        if part["aggregate"] == "label":
            ends = self.ends(part["trees"][0]["nodes"], 0, 1.0, cells)
            if "formula" in ends[0][0]:
                formula = ends[0][0]["formula"]
                total = self.sums(formula["terms"], cells, 1) + formula["intercept"]
                return np.clip(total, formula["low"], formula["high"]), None
            value = sum(f * np.array(node["value"]) for node, f in ends)
            fractional = any(
                "fractional" in (n.get("missing"), n.get("unknown"))
                for n in part["trees"][0]["nodes"]
            )
            if not classes:
                return value, None
            return value, self.decide(value, 1e-6) if fractional else ends[0][0]["label"]
        scores = np.array(part["baseline"], float)
        if part["aggregate"] == "linear":
            scores += self.sums(part["terms"], cells, len(scores))
        for tree in part["trees"]:
            ends = self.ends(tree["nodes"], 0, 1.0, cells)
            if part["aggregate"] == "vote":
                value = sum(f * np.array(node["value"]) for node, f in ends)
                whole = len(ends) == 1
                label = ends[0][0]["label"] if whole else self.largest(value, 1e-6)
                scores[label] += tree["weight"]
                continue
            value = sum(f * np.array(node["value"]) for node, f in ends)
            first = tree["first_output"]
            scores[first : first + len(value)] += tree["weight"] * value
        if not classes:
            if part["aggregate"] not in ("sum", "linear"):
                return scores / part["total_weight"], None
            return np.exp(scores) if part["link"] == "log" else scores, None
        if part["link"] == "identity":
            total = scores.sum()
            return scores / total if total else np.full(len(scores), 1 / len(scores)), None
        logs = np.append(0.0, scores) if len(scores) == 1 else scores
        odds = np.exp(logs - logs.max())
        return odds / odds.sum(), None

    def predict(self, row):
        cells = self.encode(row)
        found = [self.part(part, cells) for part in self.parts]
        values, label = found[0]
        if len(self.parts) > 1 or self.parts[0]["weight"] != 1.0:
            label = None
            weights = [part["weight"] for part in self.parts]
            values = sum(w * v for w, (v, _) in zip(weights, found, strict=True))
        if self.target["kind"] == "numbers":
            return float(values[0]), values.tolist()
        if label is None:
            label = self.decide(values, self.target["tolerance"])
        return self.target["classes"][label], values.tolist()
