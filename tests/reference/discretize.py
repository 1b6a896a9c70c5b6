"""Cut points as the papers write them down: every cut is tried, nothing is kept between steps."""

from fractions import Fraction
from itertools import pairwise
from math import log2

SAME = 1e-12


def halfway(a, b):
    middle = a / 2 + b / 2
    return middle if a <= middle < b else a


def entropy(classes):
    n = len(classes)
    return -sum(classes.count(c) / n * log2(classes.count(c) / n) for c in sorted(set(classes)))


def known_rows(numbers, classes):
    return sorted((x, c) for x, c in zip(numbers, classes, strict=True) if x == x)


def mdlp_step(rows):
    """Best cut of sorted rows: cut, gain, delta, threshold."""
    labels = [c for _, c in rows]
    n, h, k = len(rows), entropy(labels), len(set(labels))
    best = None
    for i in range(1, n):
        if rows[i - 1][0] == rows[i][0]:
            continue
        left, right = labels[:i], labels[i:]
        e = i / n * entropy(left) + (n - i) / n * entropy(right)
        if best is None or e < best[0] - SAME:
            best = e, i, left, right
    if best is None:
        return None
    e, i, left, right = best
    parts = len(set(left)) * entropy(left) + len(set(right)) * entropy(right)
    delta = log2(3**k - 2) - (k * h - parts)
    return i, h - e, delta, (log2(n - 1) + delta) / n


def mdlp(numbers, classes):
    def cuts(rows):
        found = mdlp_step(rows) if len(rows) > 1 else None
        if found is None or not found[1] - found[3] > SAME:
            return []
        i = found[0]
        return [*cuts(rows[:i]), halfway(rows[i - 1][0], rows[i][0]), *cuts(rows[i:])]

    return cuts(known_rows(numbers, classes))


def caim_value(rows, cuts):
    """The measure, as a fraction: it is one."""
    edges = [float("-inf"), *sorted(cuts), float("inf")]
    total = Fraction(0)
    for low, high in pairwise(edges):
        inside = [c for x, c in rows if low < x <= high]
        total += Fraction(max(map(inside.count, set(inside))) ** 2, len(inside))
    return total / (len(cuts) + 1)


def caim(numbers, classes):
    rows = known_rows(numbers, classes)
    values = sorted({x for x, _ in rows})
    candidates = [halfway(a, b) for a, b in pairwise(values)]
    chosen, best, k = [], Fraction(0), 1
    while left := [c for c in candidates if c not in chosen]:
        value, cut = max(((caim_value(rows, [*chosen, c]), c) for c in left), key=lambda p: p[0])
        if not (value > best or k < len({c for _, c in rows})):
            break
        chosen.append(cut)
        best, k = value, k + 1
    return sorted(chosen)


def equal_width(numbers, _classes, m):
    values = [x for x in numbers if x == x]
    if not values or min(values) == max(values):
        return []
    low, high = min(values), max(values)
    cuts = {low + (high - low) * i / m for i in range(1, m)}
    return sorted(c for c in cuts if c < high)


def equal_frequency(numbers, _classes, m):
    s = sorted(x for x in numbers if x == x)
    cuts = []
    for i in range(1, m):
        place = i * len(s) // m  # rows left of the boundary
        while 0 < place < len(s) and s[place - 1] == s[place]:
            place += 1
        if 0 < place < len(s) and (cut := halfway(s[place - 1], s[place])) not in cuts:
            cuts.append(cut)
    return cuts


def cut_points(method, numbers, classes, m=None):
    if method == "mdlp":
        return mdlp(numbers, classes)
    if method == "caim":
        return caim(numbers, classes)
    return {"equal_width": equal_width, "equal_frequency": equal_frequency}[method](
        numbers, classes, m
    )
