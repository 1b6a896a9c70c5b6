"""Gradient boosting of rows in a spool: passes over blocks, with the trees and sums of memory.

An iteration with trees of depth d takes d passes that add up gradients, and one that moves rows to
their leaves, changes their scores and looks at the derivatives of the next iteration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood import _core
from mixedwood._folds import hold_out
from mixedwood._limits import Deadline
from mixedwood._random import ROUND, spawn
from mixedwood.boosting.gradient import GradientPlan, Rounds, dispersion
from mixedwood.boosting.losses import LogLoss
from mixedwood.data import Target
from mixedwood.data.row_pieces import SpooledRows
from mixedwood.data.spool import Spool
from mixedwood.grow.encoded import fill
from mixedwood.grow.gradient import (
    Moments,
    gradient_tree_of_classes,
    gradient_tree_of_numbers,
)
from mixedwood.tree import Tree, in_order

__all__ = ["SpooledRounds", "bytes_per_row"]

Numbers = NDArray[np.float64]
Flags = NDArray[np.uint8]

_MEMORY = 1 << 29  # bytes of the sums of one pass


def bytes_per_row(rows: SpooledRows, plan: GradientPlan, n_outputs: int) -> int:
    """Size of all temporary files."""
    n_copies = 1 if plan.multi_output or n_outputs == 1 else 2
    return rows.bytes_per_row + 8 * n_outputs * n_copies + 4


class SpooledRounds(Rounds):
    """The trees so far, and the raw scores of the rows in files.

    Parameters
    ----------
    rows : SpooledRows
        Training data, copied to the spool.
    spool : Spool
        Where further files are.
    plan : GradientPlan
        Parameters of boosting.
    seed : int
        Seed of the random parts.
    hold_out_rows : bool, default=False
        Whether to hold out a fraction of the rows for early stopping.
    """

    def __init__(
        self,
        rows: SpooledRows,
        spool: Spool,
        plan: GradientPlan,
        seed: int,
        *,
        hold_out_rows: bool = False,
    ) -> None:
        super().__init__(plan, seed, rows.schema, rows.classes)
        self.rows, self.spool = rows, spool
        self.held_out = self._hold_out() if hold_out_rows else None
        # Which rows are for training; None for all.
        self.training: Flags | None = None
        if self.held_out is not None:
            self.training = (~self.held_out).view(np.uint8)
        self._n_training = rows.n_rows if self.training is None else int(self.training.sum())
        self.baseline = self._find_baseline()
        self.n_outputs = len(self.baseline)
        self.n_trees = 1 if plan.multi_output else self.n_outputs
        self._nodes = spool.arrays([np.int32])
        self._scores = self._next_scores = spool.arrays([np.float64], self.n_outputs)
        if self.n_trees > 1:
            self._next_scores = spool.arrays([np.float64], self.n_outputs)
        self._begin(0)
        facts = _Facts(self)
        for block in spool.blocks():
            target = rows.target(block)
            scores = np.tile(self.baseline, (target.n_rows, 1))
            self._scores.write(block, [scores])
            facts.add(block, target, scores)
        self._facts = facts

    def _hold_out(self) -> NDArray[np.bool_]:
        codes = np.empty(self.rows.n_rows, dtype=np.int32)
        for block in self.spool.blocks():
            codes[self.spool.rows(block)] = self.rows.target(block).codes
        return hold_out(codes, self.plan.validation_fraction, self.seed)

    def _find_baseline(self) -> Numbers:
        classes = self.rows.classes
        k = 1 if classes is None else len(classes)
        counts, weights = np.zeros(k, dtype=np.int64), _core.ExactSums(k)
        sums, smallest, largest, weighted = _core.ExactSums(1), np.inf, -np.inf, False
        for block in self.spool.blocks():
            target = self._of_training(block, self.rows.target(block))
            counts += np.bincount(target.codes, minlength=k)
            if target.weights is not None:
                weighted = True
                weights.add(target.weights, target.codes)
            if target.is_numeric and target.n_rows:
                y = target.numbers
                smallest = min(smallest, float(y.min()))
                largest = max(largest, float(y.max()))
                sums.add(y if target.weights is None else target.weights * y)
        if isinstance(self.loss, LogLoss):
            return self.loss.best_scores(weights.values() if weighted else counts)
        total = weights.values()[0] if weighted else counts[0]
        best = float(sums.values()[0] / total)
        found: Numbers = self.loss.best_score(best, smallest, largest, self.rows.largest)  # type: ignore[attr-defined]
        return found

    def _of_training(self, block: int, target: Target) -> Target:
        flags = self.flags(self.training, block)
        return target if flags is None else target.take(flags.view(np.bool_))

    def flags(self, flags: Flags | None, block: int) -> Flags | None:
        """Marks of the rows of a block."""
        return None if flags is None else flags[self.spool.rows(block)]

    def _begin(self, number: int) -> None:
        """Draw the rows of an iteration."""
        self.rng = spawn(self.seed, ROUND, number)
        self.learns, self.n_learns = self.training, self._n_training
        if self.plan.subsample >= 1:
            return
        n = max(1, round(self.plan.subsample * self._n_training))
        drawn = np.zeros(self._n_training, dtype=np.uint8)
        drawn[self.rng.choice(self._n_training, n, replace=False)] = 1
        if self.training is not None:
            everywhere = np.zeros(self.rows.n_rows, dtype=np.uint8)
            everywhere[self.training.view(np.bool_)] = drawn
            drawn = everywhere
        self.learns, self.n_learns = drawn, n

    def derivatives(self, target: Target, scores: Numbers) -> tuple[Numbers, Numbers]:
        """First and second derivatives of the rows of a block."""
        gradients, hessians = np.empty_like(scores), np.empty_like(scores)
        all_rows = np.arange(0, dtype=np.int32)  # only for losses that are not used here
        n_threads = self.plan.settings.n_threads
        self.loss.derivatives(scores, target, all_rows, gradients, hessians, n_threads)
        return gradients, hessians

    def iterate(self, time_limit: float) -> None:
        """Grow the trees of one iteration, and add their values to the scores."""
        deadline = Deadline.after(time_limit)
        width = self.n_outputs // self.n_trees
        for number in range(self.n_trees):
            seed = int(self.rng.integers(2**63))
            columns = self.draw_columns(self.rng)
            outputs = slice(number * width, (number + 1) * width)
            grower, n_passes = self._grow(outputs, columns, seed, deadline)
            self._settle(grower, n_passes, outputs)
        self._scores, self._next_scores = self._next_scores, self._scores
        self.stage_ends.append(len(self.trees))

    def _grow(
        self, outputs: slice, columns: NDArray[np.int32] | None, seed: int, deadline: Deadline
    ) -> tuple[_core.BlockGrower, int]:
        """Grow a tree; also give the number of passes that moved no or all rows."""
        settings, facts = self.plan.settings, self._facts
        if self.rows.classes is None:
            settings = replace(settings, dispersion=facts.dispersion)
        grower = _core.BlockGrower(
            self.rows.n_bins,
            self.rows.thresholds,
            fill(_core.GradientSettings(), settings, seed=seed),
            outputs.stop - outputs.start,
            self.n_learns,
            float(facts.gradient[outputs].max()),
            float(facts.hessian[outputs].max()),
            facts.row_weight,
            columns,
            _MEMORY,
        )
        n_passes = 0
        while (n_passes == 0 or not deadline.is_over()) and grower.begin_pass():
            if not self._pass(grower, n_passes, outputs, deadline):
                break
            grower.end_pass(max(deadline.left(), 1e-3))
            n_passes += 1
        grower.finish()
        return grower, n_passes

    def _pass(
        self, grower: _core.BlockGrower, number: int, outputs: slice, deadline: Deadline
    ) -> bool:
        """Add up the gradients in open nodes; False if the deadline passes before the end."""
        what = f"rows of iteration {self.n_iter + 1}, pass {number + 1}"
        for block in self.spool.blocks(what):
            if number and deadline.is_over():  # the first pass is needed for any tree
                return False
            target = self.rows.target(block)
            gradients, hessians = self.derivatives(target, self._scores.read(block)[0])
            nodes = self._read_nodes(block, number)
            grower.add(
                self.rows.bins(block),
                self.flags(self.learns, block),
                nodes,
                np.ascontiguousarray(gradients[:, outputs]),
                np.ascontiguousarray(hessians[:, outputs]),
            )
            if number:
                self._nodes.write(block, [nodes])
        return True

    def _read_nodes(self, block: int, n_passes: int) -> NDArray[np.int32]:
        """Where rows are; up to the second pass at the root."""
        if n_passes > 1:
            return self._nodes.read(block)[0]
        rows = self.spool.rows(block)
        return np.zeros(rows.stop - rows.start, dtype=np.int32)

    def _settle(self, grower: _core.BlockGrower, n_passes: int, outputs: slice) -> None:
        """Move rows to their leaves, change their scores, and begin the next iteration."""
        classes, rows = self.rows.classes, self.rows
        n_nodes, k = grower.n_nodes, 1 if classes is None else len(classes)
        sketch = grower.tree(np.zeros(n_nodes * k), k)
        steps = sketch["values"].reshape(n_nodes, -1)
        values = self._leaf_values(sketch, steps)
        is_last = outputs.stop == self.n_outputs
        learns, held_out = self.learns, self.held_out
        if is_last:
            self._begin(self.n_iter + 1)
        facts = _Facts(self)
        losses = _Losses()
        counts, weights = np.zeros(n_nodes * k), _core.ExactSums(n_nodes * k)
        moments = Moments(n_nodes)
        for block in self.spool.blocks(f"rows of iteration {self.n_iter + 1}, leaves"):
            nodes = self._read_nodes(block, n_passes)
            flags = self.flags(learns, block)
            grower.settle(rows.bins(block), flags, nodes)
            target = rows.target(block)
            leaf, mine = nodes, target
            if flags is not None:
                leaf, mine = nodes[flags.view(np.bool_)], target.take(flags.view(np.bool_))
            cell = leaf * np.int32(k) + mine.codes
            if mine.weights is None:
                counts += np.bincount(cell, minlength=n_nodes * k)
            else:
                weights.add(mine.weights, cell)
            if classes is None:
                self._nodes.write(block, [nodes])
                moments.add(leaf, mine.numbers, mine.weights)
            scores = (self._scores if outputs.start == 0 else self._next_scores).read(block)[0]
            _core.add_steps(scores, outputs.start, values, nodes)
            self._next_scores.write(block, [scores])
            if is_last:
                facts.add(block, target, scores)
                if held_out is not None:
                    out = held_out[self.spool.rows(block)]
                    losses.add(self, scores[out], target.take(out))
        arrays = grower.tree(counts + weights.values(), k)
        arrays.pop("values")
        self.trees.append(self._tree(arrays, moments, learns))
        self.values.append(values)
        self.first_output.append(outputs.start)
        if is_last:
            self._facts = facts
            if held_out is not None:
                self.validation_loss.append(losses.mean)

    def _leaf_values(self, sketch: dict[str, Any], steps: Numbers) -> Numbers:
        classes = self.rows.classes
        arrays = {name: array for name, array in sketch.items() if name != "values"}
        if classes is not None:
            tree = gradient_tree_of_classes(arrays, self.schema, classes)
        else:
            tree = gradient_tree_of_numbers(arrays, self.schema, Moments(len(steps)))
        none = np.zeros(0, dtype=np.int32)
        # Losses whose values need the rows of the leaves are refused before.
        values = self.loss.leaf_values(steps, tree, none, steps, Target(none, none), none)
        signs = self.plan.settings.monotonic_cst
        if len(signs):
            values = in_order(tree, values[:, 0], signs)[:, None]
        return np.ascontiguousarray(self.plan.learning_rate * values)

    def _tree(self, arrays: dict[str, Any], moments: Moments, learns: Flags | None) -> Tree:
        if self.rows.classes is not None:
            return gradient_tree_of_classes(arrays, self.schema, self.rows.classes)
        for block in self.spool.blocks():
            leaf, target = self._nodes.read(block)[0], self.rows.target(block)
            flags = self.flags(learns, block)
            if flags is not None:
                leaf, target = leaf[flags.view(np.bool_)], target.take(flags.view(np.bool_))
            moments.add_deviations(leaf, target.numbers, target.weights)
        return gradient_tree_of_numbers(arrays, self.schema, moments)


class _Losses:
    """The mean loss of rows that come in pieces."""

    def __init__(self) -> None:
        self._sums, self._weights, self._n = _core.ExactSums(1), _core.ExactSums(1), 0

    def add(self, state: SpooledRounds, scores: Numbers, target: Target) -> None:
        found = np.ascontiguousarray(state.loss.values(scores, target))
        if target.weights is None:
            self._n += target.n_rows
        else:
            self._weights.add(target.weights)
            found = target.weights * found
        self._sums.add(found)

    @property
    def mean(self) -> float:
        return float(self._sums.values()[0] / (self._n + self._weights.values()[0]))


class _Facts:
    """What an iteration needs to know of all derivatives before it begins."""

    def __init__(self, state: SpooledRounds) -> None:
        self.state = state
        self.gradient, self.hessian = np.zeros(state.n_outputs), np.zeros(state.n_outputs)
        self._squares, self._hessians = _core.ExactSums(1), _core.ExactSums(1)
        self._weights, self._is_whole, self._is_weighted = _core.ExactSums(2), True, False

    def add(self, block: int, target: Target, scores: Numbers) -> None:
        """Add a block."""
        state = self.state
        gradients, hessians = state.derivatives(target, scores)
        learns = state.flags(state.learns, block)
        chosen = slice(None) if learns is None else learns.view(np.bool_)
        g, h = np.abs(gradients[chosen]), hessians[chosen]
        if not (np.isfinite(g).all() and np.isfinite(h).all() and (h >= 0).all()):
            raise ValueError("derivatives must be finite, hessians zero or more")
        np.maximum(self.gradient, g.max(axis=0, initial=0.0), out=self.gradient)
        np.maximum(self.hessian, h.max(axis=0, initial=0.0), out=self.hessian)
        if target.weights is not None:
            self._is_weighted = True
            weights = target.weights[chosen]
            self._is_whole = self._is_whole and bool((weights == np.floor(weights)).all())
            zero = np.zeros(len(weights), dtype=np.int32)
            self._weights.add(weights, zero)
            self._weights.add(weights * weights, zero + np.int32(1))
        if target.is_numeric:
            self._add_dispersion(block, target, gradients[:, 0], hessians[:, 0])

    def _add_dispersion(self, block: int, target: Target, g: Numbers, h: Numbers) -> None:
        """Add the rows of all iterations, also those that this one does not learn from."""
        state = self.state
        flags = state.flags(state.training, block)
        chosen = slice(None) if flags is None else flags.view(np.bool_)
        weights = 1.0 if target.weights is None else target.weights[chosen]
        with np.errstate(over="ignore", invalid="ignore"):
            self._squares.add(np.ascontiguousarray(g[chosen] ** 2 / weights))
            self._hessians.add(np.ascontiguousarray(h[chosen]))

    @property
    def dispersion(self) -> float:
        return dispersion(float(self._squares.values()[0]), float(self._hessians.values()[0]))

    @property
    def row_weight(self) -> float:
        """Weight of a row, weighed by itself; whole weights are numbers of rows."""
        if not self._is_weighted or self._is_whole:
            return 1.0
        total, squares = self._weights.values()
        return float(squares / total) if total > 0 and np.isfinite(squares) else 1.0
