"""Cells of the tables of the paper on model trees: ours beside the published, and what follows."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from model_tree_paper_methods import AVERAGE, DEFAULT, METHODS, PLAIN

import mixedwood

SETS = {"Heart": "heart-statlog", "Australian": "australian", "German": "german"}
BLOCKS = {
    "nominal": "Table 2, nominal columns only",
    "numeric": "Table 2, numeric columns only",
    "all": "Table 3, all columns",
}
PUBLISHED = json.loads(
    Path(__file__).with_name("published").joinpath("model_trees.json").read_text()
)
# Of the paper's six methods one way to run each; the others are there to explain a difference.
AS_PUBLISHED = ["naive Bayes", "k-NN", "C4.5", "linear SSVM", "kernel SSVM"]
TREES = [PLAIN, AVERAGE, DEFAULT]


class Cell(NamedTuple):
    """Our errors in percent, one row of ten folds per repetition, and the published one."""

    block: str
    set: str
    method: str
    errors: np.ndarray
    published: float | None

    @property
    def mean(self) -> float:
        """Our error."""
        return float(self.errors.mean())

    @property
    def over_folds(self) -> float:
        """Standard error, as if all folds were drawn apart."""
        return float(self.errors.std(ddof=1) / np.sqrt(self.errors.size))

    @property
    def over_repetitions(self) -> float:
        """Standard error of the mean of repetitions: what other shuffles would change."""
        means = self.errors.mean(axis=1)
        return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else float("nan")

    @property
    def gap(self) -> float:
        """Difference from the published in standard errors over folds."""
        assert self.published is not None
        return (self.mean - self.published) / max(self.over_folds, 1e-9)

    @property
    def shuffled_gap(self) -> float:
        """The same in standard errors over repetitions."""
        assert self.published is not None
        return (self.mean - self.published) / max(self.over_repetitions, 1e-9)

    @property
    def is_near(self) -> bool:
        """Within two standard errors."""
        return abs(self.gap) <= 2.0


def make_cells(errors: Mapping[Any, Sequence[float]]) -> list[Cell]:
    """Join the repetitions of each method; tasks are in the order of the tables."""
    joined: dict[tuple[str, str, str], list[Sequence[float]]] = {}
    for task, folds in errors.items():
        joined.setdefault((task.block, task.set, task.method), []).append(folds)
    cells = []
    for (block, name, method), rows in joined.items():
        published = PUBLISHED[block][name].get(METHODS[method].published)
        cells.append(Cell(block, name, method, np.array(rows), published))
    return cells


def look_up(cells: Sequence[Cell], block: str, name: str, method: str) -> Cell | None:
    """The cell, if it was run."""
    wanted = (block, name, method)
    return next((cell for cell in cells if (cell.block, cell.set, cell.method) == wanted), None)


def near_lines(cells: Sequence[Cell]) -> list[str]:
    """How many cells are near, by block: baselines and model trees apart."""
    lines = []
    for block, title in BLOCKS.items():
        ours = [c for c in cells if c.block == block and c.published is not None]
        for what, those in [
            ("baselines", [c for c in ours if c.method in AS_PUBLISHED]),
            ("plain model tree", [c for c in ours if c.method == PLAIN]),
        ]:
            if those:
                near = sum(cell.is_near for cell in those)
                lines.append(f"- {title}, {what}: {near} of {len(those)} cells within two")
    for method in METHODS:
        if method not in [*AS_PUBLISHED, PLAIN]:
            those = [c for c in cells if c.published is not None and c.method == method]
            near = sum(cell.is_near for cell in those)
            lines.append(f"- another way, {method}: {near} of {len(those)} cells within two")
    those = [c for c in cells if c.published is not None and c.method in [*AS_PUBLISHED, PLAIN]]
    near = sum(cell.is_near for cell in those)
    return [*lines, f"- all but other ways: {near} of {len(those)} cells within two"]


def far_lines(cells: Sequence[Cell]) -> list[str]:
    """Cells that are not near, with the direction."""
    return [
        f"- {cell.set}, {cell.block} columns, {cell.method}: {cell.mean:.2f}, published "
        f"{cell.published:.2f}, {'above' if cell.gap > 0 else 'below'} by {abs(cell.gap):.1f}"
        for cell in cells
        if cell.published is not None and not cell.is_near
    ]


def claims(cells: Sequence[Cell]) -> list[str]:
    """A verdict for each claim, in words."""
    return [
        *claim_of_both_kinds(cells),
        *claim_of_rank(cells),
        *claim_of_figures(cells, PLAIN, "c", "The plain reading reaches the published errors."),
        *claim_of_figures(
            cells, AVERAGE, "c", "The plain reading with C4.5's rule of average gain reaches them."
        ),
        *claim_of_figures(cells, DEFAULT, "d", "Our default reaches or beats them."),
        *beside_the_machine(cells),
    ]


def claim_of_both_kinds(cells: Sequence[Cell]) -> list[str]:
    """All columns against the better of the two kinds, method by method."""
    ours: dict[str, list[bool]] = {}
    theirs, lost = [], []
    for method in METHODS:
        for name in SETS:
            found = [look_up(cells, block, name, method) for block in BLOCKS]
            if None in found:
                continue
            nominal, numeric, both = (cell.mean for cell in found if cell)
            ours.setdefault(method, []).append(both < min(nominal, numeric))
            if not ours[method][-1]:
                one = min(nominal, numeric)
                lost.append(f"{method} on {name} ({both:.2f}, one kind {one:.2f})")
            printed = [PUBLISHED[block][name].get(method) for block in BLOCKS]
            if None not in printed:
                theirs.append(printed[2] < min(printed[:2]))
    always = [method for method, found in ours.items() if all(found)]
    pairs = [better for found in ours.values() for better in found]
    return [
        "- (a) *Both kinds of columns are better than one.* With us in "
        f"{sum(pairs)} of {len(pairs)} pairs of method and set, in the paper in {sum(theirs)} of "
        f"{len(theirs)}. It holds on every set for {'; '.join(always) or 'none'}."
        + (f" It does not for {'; '.join(lost)}." if lost else "")
    ]


def claim_of_rank(cells: Sequence[Cell]) -> list[str]:
    """The place of each model tree among the paper's methods, all columns."""
    lines = []
    for tree in TREES:
        places, words = [], []
        for name in SETS:
            mine = look_up(cells, "all", name, tree)
            others = [look_up(cells, "all", name, method) for method in AS_PUBLISHED]
            if mine is None or None in others:
                continue
            better = [cell for cell in others if cell and cell.mean < mine.mean]
            places.append(len(better) + 1)
            before = ", ".join(f"{c.method} {c.mean:.2f}" for c in better)
            words.append(f"{name} {places[-1]}" + (f" (after {before})" if better else ""))
        holds = "holds" if places and max(places) <= 2 else "does not hold"
        lines.append(
            f"- (b) *Best or second best on each set.* {tree}: {'; '.join(words)}. It {holds}."
        )
    printed = {name: PUBLISHED["all"][name] for name in SETS}
    at = [f"{n} {sorted(row.values()).index(row['model tree']) + 1}" for n, row in printed.items()]
    return [*lines, f"- (b) In the paper: {', '.join(at)}."]


def claim_of_figures(cells: Sequence[Cell], method: str, letter: str, text: str) -> list[str]:
    """Whether a model tree reaches the published figures: lower, or higher by at most two."""
    found = [look_up(cells, "all", name, method) for name in SETS]
    those = [cell for cell in found if cell is not None]
    words = [
        f"{cell.set} {cell.mean:.2f} for {cell.published:.2f} ({cell.gap:+.1f} standard errors "
        f"over folds, {cell.shuffled_gap:+.1f} over repetitions)"
        for cell in those
    ]
    near = sum(cell.gap <= 2.0 for cell in those)
    shuffled = sum(cell.shuffled_gap <= 2.0 for cell in those)
    lower = sum(cell.gap < 0.0 for cell in those)
    holds = (
        "Yes"
        if near == shuffled == len(those)
        else "Only by the wider yardstick"
        if near == len(those)
        else "In part"
        if near
        else "No"
    )
    return [
        f"- ({letter}) *{text}* {'; '.join(words)}. {holds}: of {len(those)}, {near} are reached "
        f"(lower, or above by at most two) over folds, {shuffled} over repetitions; {lower} are "
        "lower."
    ]


def beside_the_machine(cells: Sequence[Cell]) -> list[str]:
    """The default against the linear machine alone, fold by fold: what the tree adds to it."""
    words = []
    for name in SETS:
        tree = look_up(cells, "all", name, DEFAULT)
        machine = look_up(cells, "all", name, "linear SSVM")
        if tree is not None and machine is not None:
            gaps = tree.errors - machine.errors
            error = gaps.std(ddof=1) / np.sqrt(gaps.size)
            words.append(f"{name} {gaps.mean():+.2f} (s.e. {error:.2f})")
    return [
        "- What the tree adds to one machine over all columns: our default minus linear SSVM, fold "
        f"by fold, is {'; '.join(words)} points."
    ]


def size_line(leaves: Mapping[str, Sequence[int]]) -> list[str]:
    """How many of the default's trees are one test."""
    words = [
        f"{name} {sum(n == 2 for n in found)} of {len(found)}" for name, found in leaves.items()
    ]
    return [
        "- Trees of our default with two leaves, hence one test, over the folds of the first "
        f"repetition: {'; '.join(words)}. Such a tree is no more than a plane or a single column."
    ]


def table(cells: Sequence[Cell], block: str) -> list[str]:
    """One block of cells."""
    lines = [
        f"## {BLOCKS[block]}",
        "",
        "| set | method | ours | s.e. folds | s.e. repetitions | published | gap |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for cell in (cell for cell in cells if cell.block == block):
        printed = ["", ""]
        if cell.published is not None:
            gap = f"{cell.gap:+.1f}"
            printed = [f"{cell.published:.2f}", gap if cell.is_near else f"**{gap}**"]
        figures = [f"{x:.2f}" for x in (cell.mean, cell.over_folds, cell.over_repetitions)]
        lines.append(f"| {cell.set} | {cell.method} | " + " | ".join([*figures, *printed]) + " |")
    return [*lines, ""]


def page(cells: Sequence[Cell], leaves: Mapping[str, Sequence[int]], command: str) -> list[str]:
    """The page of the documentation."""
    repetitions = len(cells[0].errors)
    return [
        "# Model trees for hybrid data: the paper's tables, and ours",
        "",
        '"Model Trees for Hybrid Data Type Classification", tables 2 and 3: errors in percent,',
        f"stratified ten-fold cross-validation, {repetitions} times. A gap is the difference from",
        "the published figure in standard errors over folds (the deviation of the errors of all",
        "folds divided by the root of their number); those beyond two are bold. The other standard",
        "error is that of the means of the repetitions: it says only how much other shuffles would",
        "change, and is rough with so few. The paper prints no spread; its figures have noise of",
        "their own, which is not counted.",
        "",
        f"- command: `{command}`",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, scikit-learn "
        f"{sklearn.__version__}, Python {platform.python_version()}",
        "",
        "## Verdicts",
        "",
        *claims(cells),
        *size_line(leaves),
        "",
        "## Cells near the published ones",
        "",
        "Within two standard errors over folds. The sum counts one way to run each method; other",
        "ways are in the tables to explain a difference.",
        "",
        *near_lines(cells),
        "",
        *[line for block in BLOCKS for line in table(cells, block)],
        "## Beyond two standard errors",
        "",
        *far_lines(cells),
        "",
        "## Methods",
        "",
        *[f"- {name}: {method.about}" for name, method in METHODS.items()],
    ]
