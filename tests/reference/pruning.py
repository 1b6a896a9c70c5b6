"""Slow twins of the pruners: straight from the definitions, nothing kept from step to step."""

import numpy as np

from mixedwood.pruning import cost_complexity_path
from mixedwood.tree import SplitKind


def node_costs(tree, cost):
    """Cost of each node as a leaf, per unit of weight."""
    weights = tree.statistics.sum(axis=1)
    if cost == "error":
        own = weights - tree.statistics[np.arange(tree.n_nodes), tree.label]
    else:
        own = weights * (1 - (tree.probabilities**2).sum(axis=1))
    return own / weights[0]


def leaves_below(tree, node, stop):
    """Leaves of the subtree of a node, in a tree where some nodes have become leaves."""
    found, waiting = [], [node]
    while waiting:
        here = waiting.pop()
        if here in stop or tree.split_kind[here] == SplitKind.LEAF:
            found.append(here)
        else:
            waiting += tree.children_of(here).tolist()
    return found


def cost_complexity(tree, cost="error"):
    """The path of CART as (alphas, leaves, costs, sets of nodes that are cut)."""
    own = node_costs(tree, cost)
    stop, alpha, steps = set(), 0.0, []

    def note():
        leaves = leaves_below(tree, 0, stop)
        if steps and steps[-1][0] == alpha:
            steps.pop()
        steps.append((alpha, len(leaves), own[leaves].sum(), set(leaves) & stop))

    def strength(node):
        leaves = leaves_below(tree, node, stop)
        if len(leaves) == 1:
            return -np.inf  # a test that leads to one leaf is worth nothing
        return (own[node] - own[leaves].sum()) / (len(leaves) - 1)

    note()
    while 0 not in stop and tree.split_kind[0] != SplitKind.LEAF:
        inner, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if node not in stop and tree.split_kind[node] != SplitKind.LEAF:
                inner.append(node)
                waiting += tree.children_of(node).tolist()
        strengths = {node: strength(node) for node in inner}
        weakest = min(strengths.values())
        if weakest > alpha + 1e-12 * own[0]:
            alpha = weakest
        # One at a time, from below: where strengths are negative, a cut may save nodes above it.
        stop.add(max(node for node in inner if strengths[node] == weakest))
        note()
    alphas, n_leaves, costs, cuts = zip(*steps, strict=True)
    return np.array(alphas), np.array(n_leaves), np.array(costs), list(cuts)


def merge_equal_leaves(tree):
    """Cut where the labels at and below a node are all the same."""
    same = []
    for node in range(tree.n_nodes):
        waiting, labels = [node], set()
        while waiting:
            here = waiting.pop()
            labels.add(int(tree.label[here]))
            waiting += tree.children_of(here).tolist()
        same += [node] if len(labels) == 1 else []
    return tree.prune_at(same)


def reduced_error(tree, table, target, inherited):
    """Bottom-up, by counting the errors of all rows anew for every node."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights

    def errors(pruned):
        return weights[pruned.label[pruned.apply(table)] != target.codes].sum()

    cut = []
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.split_kind[node] != SplitKind.LEAF:
            without, with_it = errors(tree.prune_at([*cut, node])), errors(tree.prune_at(cut))
            if without < with_it - 1e-9 or (without < with_it + 1e-9 and not inherited[node]):
                cut.append(node)
    return tree.prune_at(cut)


def path_errors(path, table, target, alphas):
    """Weight of the rows that each pruned tree gets wrong."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    truth = target.classes[target.codes]
    return np.array([weights[path.tree(a).predict(table) != truth].sum() for a in alphas])


def cross_validated(grow, table, target, folds, se_rule, cost):
    """Errors, and positions of the best and of the chosen tree; for one division into folds."""
    weights = np.ones(target.n_rows) if target.weights is None else target.weights
    path = cost_complexity_path(grow(table, target), cost)
    errors = []
    for k in range(len(path.ccp_alphas)):
        last = k + 1 == len(path.ccp_alphas)
        beta = np.inf if last else (path.ccp_alphas[k] * path.ccp_alphas[k + 1]) ** 0.5
        wrong = 0.0
        for fold in set(folds.tolist()):
            rest, out = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            tree = cost_complexity_path(grow(table.take(rest), target.take(rest)), cost).tree(beta)
            answers = tree.predict(table.take(out))
            truth = target.classes[target.codes[out]]
            wrong += sum(w for w, a, t in zip(weights[out], answers, truth, strict=True) if a != t)
        errors.append(wrong / weights.sum())
    best = max(k for k, r in enumerate(errors) if r <= min(errors) + 1e-9)
    n = weights.sum() ** 2 / (weights**2).sum()
    limit = errors[best] + se_rule * (errors[best] * (1 - errors[best]) / n) ** 0.5
    return errors, best, max(k for k, r in enumerate(errors) if r <= limit + 1e-9)
