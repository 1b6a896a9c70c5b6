"""Slow, obvious twins of the split searches, for tables without empty rows and columns.

Sides are boolean arrays, True = left. Nothing here is incremental or clever.
"""

from itertools import combinations

import numpy as np


def gini(u):
    return 1 - np.sum((u / u.sum()) ** 2) if u.sum() > 0 else 0.0


def entropy(u):
    if u.sum() == 0:
        return 0.0
    p = u[u > 0] / u.sum()
    return -np.sum(p * np.log2(p))


def children(A, left, impurity):
    on_left, on_right = A[left].sum(0), A[~left].sum(0)
    inside = on_left.sum() * impurity(on_left) + on_right.sum() * impurity(on_right)
    return inside / A.sum()


def pearson(groups):
    """Pearson's statistic of groups and classes, for any number of groups."""
    groups = groups[:, groups.sum(0) > 0]
    expected = np.outer(groups.sum(1), groups.sum(0)) / groups.sum()
    return np.sum((groups - expected) ** 2 / expected)


def chi2_weight(a, b):
    return pearson(np.array([a, b]))


def squared_gini_weight(a, b, total, costs=None):
    costs = 1 - np.eye(len(a)) if costs is None else costs
    return 2 / total**2 * a @ costs @ b


def score(A, left, criterion, costs=None):
    on_left, on_right, total = A[left].sum(0), A[~left].sum(0), A.sum()
    if criterion == "gini":
        if costs is not None:

            def cost(u):
                return u @ costs @ u / u.sum() ** 2

            return cost(A.sum(0)) - children(A, left, cost)
        return gini(A.sum(0)) - children(A, left, gini)
    if criterion == "entropy":
        return entropy(A.sum(0)) - children(A, left, entropy)
    if criterion == "gain_ratio":
        sizes = np.array([on_left.sum(), on_right.sum()])
        return score(A, left, "entropy") / entropy(sizes)
    if criterion == "twoing":
        gap = np.abs(on_left / on_left.sum() - on_right / on_right.sum()).sum()
        return on_left.sum() / total * on_right.sum() / total / 4 * gap**2
    if criterion == "pearson_chi2":
        return pearson(np.array([on_left, on_right]))
    pairs = [(i, j) for i in np.flatnonzero(left) for j in np.flatnonzero(~left)]
    if criterion == "squared_gini":
        return sum(squared_gini_weight(A[i], A[j], total, costs) for i, j in pairs)
    if criterion == "chi2":
        return sum(chi2_weight(A[i], A[j]) for i, j in pairs) / (len(A) - 1)
    raise ValueError(criterion)


def all_partitions(n):
    """Every two-way partition once: value 0 on the left."""
    for code in range(2 ** (n - 1) - 1):
        yield np.array([True] + [bool(code >> i & 1) for i in range(n - 1)])


def brute_force(A, criterion, costs=None):
    """Best score over all partitions."""
    return max(score(A, left, criterion, costs) for left in all_partitions(len(A)))


def best_prefix(A, order, criterion):
    """Best score over the prefixes of an order, and its left side."""
    best, best_left = -np.inf, None
    for t in range(1, len(order)):
        left = np.isin(np.arange(len(A)), order[:t])
        s = score(A, left, criterion)
        if s > best + 1e-12:
            best, best_left = s, left
    return best, best_left


def superclasses(k):
    """Each grouping of the classes into two superclasses, once."""
    for size in range(1, k // 2 + 1):
        for chosen in combinations(range(k), size):
            if 2 * size == k and 0 not in chosen:
                continue
            yield list(chosen)


def share_order(A, superclass):
    return np.argsort(A[:, superclass].sum(1) / A.sum(1), kind="stable")


def hypercube_cover(A, criterion):
    return max(best_prefix(A, share_order(A, s), criterion)[0] for s in superclasses(A.shape[1]))


def twoing_search(A):
    """Largest two-class Gini gain over superclasses and prefixes."""
    best = 0.0
    for s in superclasses(A.shape[1]):
        inside = A[:, s].sum(1)
        two = np.column_stack([inside, A.sum(1) - inside])
        best = max(best, best_prefix(two, share_order(A, s), "gini")[0])
    return best


def largest_alone(A):
    return [int(np.argmax(A.sum(0)))]


def list_scheduling(A):
    totals = A.sum(0)
    a, load_a, load_b = [], 0.0, 0.0
    for cls in sorted(range(A.shape[1]), key=lambda c: (-totals[c], c)):
        if not a or load_a < load_b:
            a.append(cls)
            load_a += totals[cls]
        else:
            load_b += totals[cls]
    return sorted(a)


def supervalues(A):
    """Values with equal class shares, in groups."""
    groups = {}
    for i, row in enumerate(A / A.sum(1, keepdims=True)):
        groups.setdefault(tuple(np.round(row, 9)), []).append(i)
    return list(groups.values())


def principal_axis(A):
    """Eigenvalues of the covariance of the class shares, and the first axis; by numpy."""
    P, N = A / A.sum(1, keepdims=True), A.sum(1)
    centred = P - A.sum(0) / A.sum()
    values, vectors = np.linalg.eigh((centred * N[:, None]).T @ centred / (A.sum() - 1))
    axis = vectors[:, -1]
    return values, axis * np.sign(axis[np.argmax(np.abs(axis))])


def principal(A, criterion, exchange, counts=False):
    """Best score along the principal component; values with equal shares are merged first."""
    groups = supervalues(A)
    if len(groups) == 1:
        return 0.0
    M = np.array([A[g].sum(0) for g in groups])
    _, axis = principal_axis(M)
    order = np.argsort((M if counts else M / M.sum(1, keepdims=True)) @ axis, kind="stable")
    best = -np.inf
    for t in range(1, len(order)):
        prefixes = [list(order[:t])]
        if exchange:
            prefixes.append([*order[: t - 1], order[t]])
        for prefix in prefixes:
            left = np.zeros(len(A), bool)
            for g in prefix:
                left[groups[g]] = True
            best = max(best, score(A, left, criterion))
    return best


def sliq(A, criterion, go_on):
    """Best score met, and the moves with the children's impurity after each."""
    impurity = entropy if criterion == "entropy" else gini
    left = np.ones(len(A), bool)
    best, moves = -np.inf, []
    while left.sum() > 1:
        steps = []
        for v in np.flatnonzero(left):
            trial = left.copy()
            trial[v] = False
            steps.append((score(A, trial, criterion), v))
        top = max(s for s, _ in steps)
        if top <= best and not go_on:
            break
        best = max(best, top)
        value = next(v for s, v in steps if s >= top - 1e-12)
        left[value] = False
        moves.append((int(value), children(A, left, impurity)))
    return best, moves


def flip_flop(A, impurity, left):
    """Rounds of (superclass, left side, k-class impurity), from a first partition."""
    history = []
    while len(history) < 100:
        sides = np.column_stack([A[left].sum(0), A[~left].sum(0)])  # classes x sides
        _, superclass = _best_two_class_prefix(sides, impurity)
        inside = A[:, superclass].sum(1)
        two = np.column_stack([inside, A.sum(1) - inside])
        _, members = _best_two_class_prefix(two, impurity)
        following = np.isin(np.arange(len(A)), members)
        history.append((sorted(superclass), following, children(A, following, impurity)))
        same = (following == left).all() or (following != left).all()
        if same or (len(history) > 1 and history[-2][2] == history[-1][2]):
            break
        left = following
    return history


def _best_two_class_prefix(table, impurity):
    order = np.argsort(table[:, 0] / table.sum(1), kind="stable")
    best, members = np.inf, None
    for t in range(1, len(order)):
        left = np.isin(np.arange(len(table)), order[:t])
        if children(table, left, impurity) < best - 1e-12:
            best, members = children(table, left, impurity), order[:t].tolist()
    return best, members


def weight_matrix(A, weights, costs=None):
    n, total = len(A), A.sum()
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            if weights == "squared_gini":
                w = squared_gini_weight(A[i], A[j], total, costs)
            elif weights == "chi2":
                w = chi2_weight(A[i], A[j]) / (n - 1)
            else:  # the score of the two rows alone
                w = max(0, score(A[[i, j]], np.array([True, False]), weights, costs))
            W[i, j] = W[j, i] = w
    return W


def max_cut(W, local_search=True):
    """Greedy, then first-improvement moves and exchanges.

    Returns the left side and the steps taken, each with the cut after it.
    """
    n = len(W)
    left = np.zeros(n, bool)
    left[0] = True
    for v in range(1, n):
        left[v] = not W[v, :v][left[:v]].sum() >= W[v, :v][~left[:v]].sum()
    least, steps = 1e-12 * W.sum() / 2, []

    def cut(side):
        return W[side][:, ~side].sum()

    def first_improvement(moves):
        for values in moves:
            trial = left.copy()
            trial[list(values)] ^= True
            if cut(trial) - cut(left) >= least:
                return values, trial
        return None

    while local_search:
        found = first_improvement([(v,) for v in range(n)])
        if found is None:
            pairs = [(a, b) for a, b in combinations(range(n), 2) if left[a] != left[b]]
            found = first_improvement(pairs)
        if found is None:
            break
        values, left = found
        steps.append(["move" if len(values) == 1 else "swap", *values, cut(left)])
    return left, steps


def c45_groups(A, sizes=None, min_size=0.0, missing=0.0):
    """Merge values as C4.5 does; returns the groups, by first values, and the ratio of each step.

    Every ratio is computed from scratch. Of pairs that are equal but for rounding, the first.
    """
    sizes = np.full(len(A), np.inf) if sizes is None else sizes
    total = A.sum() + missing

    def information(weights):
        p = np.array([w for w in weights if w > 0]) / total
        return -np.sum(p * np.log2(p))

    def ratio(groups):
        weights = [A[g].sum() for g in groups]
        rest = sum(w * entropy(A[g].sum(0)) for g, w in zip(groups, weights, strict=True))
        gain = (A.sum() * entropy(A.sum(0)) - rest) / total
        return max(0, gain / information([*weights, missing]))

    groups, pure = [], {}
    for value, row in enumerate(A):
        cls = int(np.argmax(row)) if (row > 0).sum() < 2 and (A.sum(0) > 0).sum() > 1 else None
        if cls in pure:
            pure[cls].append(value)
        else:
            groups.append([value])
            if cls is not None:
                pure[cls] = groups[-1]
    steps = [ratio(groups)]
    while len(groups) > 2:
        large = sum(sizes[g].sum() >= min_size for g in groups)
        heaviest = int(np.argmax([A[g].sum() for g in groups])) if large < 3 else None
        best, merged = -1.0, None
        for a, b in combinations(range(len(groups)), 2):
            if heaviest in (a, b):
                continue
            trial = [g for i, g in enumerate(groups) if i not in (a, b)]
            trial.insert(a, groups[a] + groups[b])
            worth = ratio(trial)
            if worth > best * (1 + 1e-9):
                best, merged = worth, trial
        if large >= 2 and best < steps[-1] + 1e-5:
            break
        groups = merged
        steps.append(best)
    return [sorted(g) for g in groups], steps


def c_quad_parts(A):
    """Expectation and covariance of vec(A), column-major, under permutation of the classes."""
    N, rows, p = A.sum(), A.sum(1), A.sum(0) / A.sum()
    V = np.diag(p) - np.outer(p, p)
    sigma = N / (N - 1) * np.kron(V, np.diag(rows)) - np.kron(V, np.outer(rows, rows)) / (N - 1)
    return np.outer(p, rows).ravel(), sigma


def c_quad(A):
    """The definition, with a pseudo-inverse; statistic and rank."""
    mu, sigma = c_quad_parts(A)
    gap = A.T.ravel() - mu
    rank = np.linalg.matrix_rank(sigma, tol=1e-8)
    return gap @ np.linalg.pinv(sigma, rcond=1e-10) @ gap, rank
