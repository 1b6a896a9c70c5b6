"""Predict rows with a model that mixedwood exported; this file imports nothing.

predict(row) gives the class or number of a dict from column name to value, and
predict_proba(row) the class probabilities, in the order of CLASSES. Missing values are None or NaN.
"""


def _codes(row, columns):
    found = []
    for column in columns:
        if column["sources"]:
            sources = [found[s] for s in column["sources"]]
            if -1 in sources:
                found.append(-1)
            else:
                found.append(column["lookup"].get(tuple(sources), -2))
            continue
        x = row.get(column["name"])
        if x is None or x != x:
            found.append(None if column["kind"] == "numeric" else -1)
        elif column["kind"] == "numeric":
            found.append(float(x))
        else:
            found.append(column["lookup"].get(x, -2))
    return found


def _branch(node, row):
    if node["split"] == "linear":
        total = node["intercept"]
        for term in node["terms"]:
            x = row[term["column"]]
            if "codes" in term:
                if x in term["place"]:
                    total += term["weights"][term["place"][x]]
                continue
            if x is None or (x == -1 and not term["numeric"]) or (x == -2 and not term["numeric"]):
                x = term["fill"]
                if x is None:
                    return node["missing"]
            total += term["weight"] * x
        return 0 if total > 0 else 1 if total <= 0 else node["missing"]
    x = row[node["column"]]
    if node["split"] == "interval":
        if x is None or (node["coded"] and x == -1):
            return node["missing"]
        if node["coded"] and x == -2:
            return node["unknown"]
        low, high = node["low"], node["high"]
        return 0 if (low is None or x > low) and (high is None or x <= high) else 1
    if x == -1:
        return node["missing"]
    return node["lookup"].get(x, node["unknown"])


def _ends(nodes, row):
    """Nodes that a row reaches, with the fraction that arrives at each."""
    pending, ends = [(0, 1.0)], []
    while pending:
        i, part = pending.pop()
        node = nodes[i]
        side = "stop" if node["split"] == "leaf" else _branch(node, row)
        if side == "fractional":
            weights = [nodes[c]["weight"] for c in node["children"]]
            total = 0.0
            for w in weights:
                total += w
            if total > 0:
                for c, w in zip(node["children"], weights, strict=False):
                    if w / total > 0:
                        pending.append((c, part * (w / total)))
                continue
            side = "stop"
        if side == "stop":
            ends.append((node, part))
        else:
            pending.append((node["children"][side], part))
    return ends


def _add_scaled(terms, row, totals):
    """Add the terms of a linear model of standardized numbers and categories."""
    for term in terms:
        x, weights = row[term["column"]], term["weights"]
        if "codes" in term:
            if x in term["place"]:
                for k, w in enumerate(weights[term["place"][x]]):
                    totals[k] += w
            continue
        if x is None or (x < 0 and not term["numeric"]):
            continue
        z = (x * term["factor"] - term["mean"]) * term["scale"]
        limit = term["limit"]
        if limit is not None:
            z = min(max(z, -limit), limit)
        for k, w in enumerate(weights):
            totals[k] += z * w


def _value_of_formula(formula, row):
    totals = [0.0]
    _add_scaled(formula["terms"], row, totals)
    return [min(max(totals[0] + formula["intercept"], formula["low"]), formula["high"])]


def _value(ends):
    if len(ends) == 1 and ends[0][1] == 1.0:
        return ends[0][0]["value"]
    total = [0.0] * len(ends[0][0]["value"])
    for node, part in ends:
        for k, v in enumerate(node["value"]):
            total[k] += part * v
    return total


def _sum(values):
    """Add in the order of numpy, so that the last digit is the same."""
    n = len(values)
    if n < 8:
        total = 0.0
        for v in values:
            total += v
        return total
    if n > 128:
        half = n // 2
        half -= half % 8
        return _sum(values[:half]) + _sum(values[half:])
    r = list(values[:8])
    i = 8
    while i + 8 <= n:
        for k in range(8):
            r[k] += values[i + k]
        i += 8
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for v in values[i:]:
        total += v
    return total


def _exp(x):
    if x > 709.782712893384:
        return 1e999
    if x < -745.2:
        return 0.0
    k = int(x * 1.4426950408889634 + (0.5 if x > 0 else -0.5))
    r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    total, i = 1.0, 24
    while i:
        total = 1.0 + total * r / i
        i -= 1
    half = k // 2
    return total * 2.0**half * 2.0 ** (k - half)


def _first_largest(scores, tolerance):
    least = max(scores) - tolerance
    return [s >= least for s in scores].index(True)


def _decide(values, target, tolerance):
    costs = target["cost_matrix"]
    if costs is None:
        return _first_largest(values, tolerance)
    n = range(len(values))
    expected = [-sum(values[i] * costs[i][j] for i in n) for j in n]
    return _first_largest(expected, tolerance * max(map(max, costs)))


def _run(part, row, target):
    """Values of a part of the model, and the class of a single tree (or None)."""
    numbers = target["kind"] == "numbers"
    if part["aggregate"] == "label":
        ends = _ends(part["trees"][0]["nodes"], row)
        if "formula" in ends[0][0]:
            return _value_of_formula(ends[0][0]["formula"], row), None
        values = _value(ends)
        if numbers:
            return values, None
        if part["fractional"]:
            return values, _decide(values, target, 1e-6)
        return values, ends[0][0]["label"]
    scores = list(part["baseline"])
    if part["aggregate"] == "linear":
        totals = [0.0] * len(scores)
        _add_scaled(part["terms"], row, totals)
        scores = [total + b for total, b in zip(totals, scores, strict=False)]
    for tree in part["trees"]:
        ends = _ends(tree["nodes"], row)
        if part["aggregate"] == "vote":
            whole = len(ends) == 1 and ends[0][1] == 1.0
            label = ends[0][0]["label"] if whole else _first_largest(_value(ends), 1e-6)
            scores[label] += tree["weight"]
        else:
            for k, v in enumerate(_value(ends)):
                scores[tree["first_output"] + k] += tree["weight"] * v
    if numbers:
        if part["aggregate"] not in ("sum", "linear"):
            return [s / part["total_weight"] for s in scores], None
        return [_exp(s) for s in scores] if part["link"] == "log" else scores, None
    if part["link"] == "identity":
        total = _sum(scores)
        return [s / total if total else 1.0 / len(scores) for s in scores], None
    logs = [0.0, scores[0]] if len(scores) == 1 else scores
    odds = [_exp(s - max(logs)) for s in logs]
    total = _sum(odds)
    return [o / total for o in odds], None


def _prepare_terms(terms, model):
    for term in terms:
        term["numeric"] = model["columns"][term["column"]]["kind"] == "numeric"
        if "codes" in term:
            term["place"] = {code: place for place, code in enumerate(term["codes"])}


def prepare(model):
    """Add what makes look-ups quick; the model is a dict as in the JSON file."""
    for column in model["columns"]:
        if column["sources"]:
            column["lookup"] = {
                tuple(c): code for code, group in enumerate(column["combinations"]) for c in group
            }
        else:
            column["lookup"] = {label: code for code, label in enumerate(column["categories"])}
    for part in model["parts"]:
        part["fractional"] = False
        for tree in part["trees"]:
            for node in tree["nodes"]:
                if "fractional" in (node.get("missing"), node.get("unknown")):
                    part["fractional"] = True
                if "categories" in node:
                    node["lookup"] = {
                        code: place
                        for place, codes in enumerate(node["categories"])
                        for code in codes
                    }
                if node["split"] == "interval":
                    node["coded"] = model["columns"][node["column"]]["kind"] != "numeric"
                _prepare_terms(node.get("terms", ()), model)
                _prepare_terms(node.get("formula", {}).get("terms", ()), model)
        _prepare_terms(part.get("terms", ()), model)
    return model


def run(model, row):
    """Values of one row: probabilities of the classes, or a number; and the class or number."""
    target = model["target"]
    codes = _codes(row, model["columns"])
    parts = model["parts"]
    if len(parts) == 1 and parts[0]["weight"] == 1.0:
        values, label = _run(parts[0], codes, target)
    else:
        values = None
        for part in parts:
            its = [part["weight"] * v for v in _run(part, codes, target)[0]]
            values = its if values is None else [a + b for a, b in zip(values, its, strict=False)]
        label = None
    if target["kind"] == "numbers":
        return values, values[0]
    if label is None:
        label = _decide(values, target, target["tolerance"])
    return values, target["classes"][label]
