"""Best trees over tests that are made anew at every node: every test of every node is tried."""

from functools import cache
from itertools import chain, combinations

import numpy as np

from reference.discretize import cut_points, halfway


def sets_of_groups(m, encoding, nominal, missing, max_subset_values):
    """Sets of groups 0..m-1 that answer yes."""
    if nominal:
        if encoding == "subsets" and m <= max_subset_values:
            sizes = range(1, m)
            return list(chain.from_iterable(combinations(range(m), size) for size in sizes))
        return [(g,) for g in range(m)] if m > 1 else []
    prefixes = [tuple(range(j)) for j in range(1, m)]
    if encoding in ("thresholds", "subsets"):
        suffixes = [tuple(range(j, m)) for j in range(1, m)]
        return prefixes + (suffixes if missing else [])
    if encoding == "one_hot":
        return [(g,) for g in range(m)] if m > 1 else []
    # Without missing values the complement of a window may stand for it, so all of them do.
    return [tuple(range(a, b)) for a in range(m) for b in range(a + 1, m + 1) if b - a < m]


def groups_of(column, values, classes, method, n_bins, cuts):
    """The group of each known value of one column at one node."""
    if column != "n":
        return [int(v) for v in values]
    if cuts is None:
        cuts = cut_points(method, values, classes, n_bins)
    return [sum(v > c for c in cuts) for v in values]


def at_least(sets, m, least):
    """Sets with so many groups on each side, or with half of the groups if there are fewer."""
    least = min(least, m // 2)
    return [chosen for chosen in sets if least <= len(chosen) <= m - least]


def sides_of(rows, columns, kinds, classes, settings, fixed, depth=0):
    """All ways in which a test made from these rows divides them."""
    found = set()
    deepest = settings.get("max_depth_binarize")
    small = len(rows) < settings.get("min_samples_binarize", 1)
    small |= deepest is not None and depth > deepest
    for place, kind in enumerate(kinds):
        cuts = fixed[place]
        if kind == "n" and cuts is None and small:
            whole = columns[place].tolist()
            known = [r for r, v in enumerate(whole) if v == v]
            cuts = cut_points(
                settings["method"], [whole[r] for r in known], [classes[r] for r in known],
                settings["n_bins"],
            )  # fmt: skip
        array = columns[place]
        # -1 is missing as a code, and a number like others.
        known = [r for r in rows if not (array[r] != array[r] or (kind != "n" and array[r] == -1))]
        missing = len(known) < len(rows)
        groups = groups_of(
            kind, [array[r].item() for r in known], [classes[r] for r in known],
            settings["method"], settings["n_bins"], cuts,
        )  # fmt: skip
        present = sorted(set(groups))
        asked = sets_of_groups(
            len(present), settings["encoding"], kind == "c", missing, settings["max_subset_values"]
        )
        if kind != "c":
            asked = at_least(asked, len(present), settings.get("min_bins_per_side", 1))
        if missing:
            asked.append(tuple(range(len(present))))
        for chosen in asked:
            yes = frozenset(
                r for r, g in zip(known, groups, strict=True) if g in {present[i] for i in chosen}
            )
            if 0 < len(yes) < len(rows):
                found.add(yes)
    return found


def fixed_cuts(columns, kinds, classes, settings):
    """Cuts made once, for all columns of numbers or for those with two distinct numbers."""
    fixed = []
    for array, kind in zip(columns, kinds, strict=True):
        cuts = None
        if kind == "n":
            known = sorted({v for v in array.tolist() if v == v})
            if len(known) == 2:
                cuts = [halfway(*known)]
            elif settings["binarize_at"] == "node_encoding":
                cuts = cut_points(settings["method"], array.tolist(), classes, settings["n_bins"])
        fixed.append(cuts)
    return fixed


def best_cost(columns, kinds, classes, weights, settings, depth, nodes, leaf_cost=0, min_leaf=1):
    fixed = fixed_cuts(columns, kinds, classes, settings)

    @cache
    def divisions(rows, at):
        return sides_of(sorted(rows), columns, kinds, classes, settings, fixed, at)

    @cache
    def best(rows, at, d, s):
        sums = np.zeros(max(classes) + 1, dtype=int)
        for r in rows:
            sums[classes[r]] += weights[r]
        least = int(sums.sum() - sums.max()) + leaf_cost
        if d == 0 or s == 0:
            return least
        for yes in divisions(rows, at):
            no = rows - yes
            if min(len(yes), len(no)) < min_leaf:
                continue
            for share in range(s):
                below = best(no, at + 1, d - 1, s - 1 - share)
                cost = best(yes, at + 1, d - 1, share) + below
                least = min(least, cost)
        return least

    return best(frozenset(range(len(classes))), 0, depth, min(nodes, 2**depth - 1))
