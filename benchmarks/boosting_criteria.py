"""Criteria and searches for groups of values: do they matter inside boosting? A study.

The thesis on binary splits of nominal columns compares them in single trees, and leaves boosting
open. Every criterion is crossed with every search here, in single trees, in AdaBoost and in
gradient boosting of trees of the same depth, on tables with nominal columns. Printed are, as
Markdown, errors and ranks, how far the parts are from each other, differences with their standard
errors over the tables, and Friedman's test. What is compared is in `boosting_parts.py`.

    python benchmarks/boosting_criteria.py [--page docs/results/boosting-criteria.md]
        [--scores file.json] [--jobs 2]
"""

from __future__ import annotations

import numpy as np
from boosting_parts import (
    CRITERIA,
    DEPTH,
    METHODS,
    MOST_CLASSES,
    NATIVE,
    PARTS,
    RATE,
    ROUNDS,
    SEARCHES,
    SEEDS,
    SETTINGS,
    SOURCES,
    chance_of,
    name_of,
    work,
)
from ensemble_study import (
    Scores,
    Source,
    circumstances,
    command_line,
    is_clear,
    mean_and_error,
    plus_minus,
    run,
)
from scipy.stats import friedmanchisquare, rankdata, spearmanr

EVERYWHERE = [s for s in SEARCHES if s != "twoing"]  # searches that every table allows
TWO_GROUPS = [s for s in EVERYWHERE if s != "multiway"]  # and every criterion
MANY_GROUPS = [c for c in CRITERIA if c != "twoing"]  # criteria that every search allows


class Errors:
    """Errors in percent: means over folds, by table."""

    def __init__(self, scores: Scores, repetitions: int) -> None:
        self._scores, self._folds = scores, range(2 * repetitions)
        self.tables = list(SOURCES)
        self.few_classes = [s for s in SOURCES if not np.isnan(self._mean(s, "tree: gini, twoing"))]

    def of(self, methods: list[str], tables: list[Source] | None = None) -> np.ndarray:
        """One row per table, one column per method."""
        rows = self.tables if tables is None else tables
        return np.array([[self._mean(table, m) for m in methods] for table in rows])

    def _mean(self, table: Source, method: str) -> float:
        folds = self._scores[str(table)][method]
        # Rounded so that ties are ties.
        return round(100 * float(np.mean([folds[str(f)][0] for f in self._folds])), 9)

    def criteria(self, setting: str) -> np.ndarray:
        """One column per criterion: the mean over the searches that all of them allow."""
        return np.stack(
            [
                self.of([name_of(setting, (c, s)) for s in TWO_GROUPS]).mean(axis=1)
                for c in CRITERIA
            ],
            axis=1,
        ).round(9)

    def searches(self, setting: str, searches: list[str], tables: list[Source]) -> np.ndarray:
        """One column per search: the mean over the criteria that all of them allow."""
        return np.stack(
            [
                self.of([name_of(setting, (c, s)) for c in MANY_GROUPS], tables).mean(axis=1)
                for s in searches
            ],
            axis=1,
        ).round(9)

    def parts(self, setting: str, searches: list[str]) -> np.ndarray:
        """One column per pair of criterion and search."""
        return self.of([name_of(setting, p) for p in PARTS if p[1] in searches])

    def chance(self, setting: str) -> np.ndarray:
        """One column per seed of the yardstick."""
        return self.of([chance_of(setting, seed) for seed in range(SEEDS)])


def effects(names: list[str], found: dict[str, np.ndarray]) -> list[str]:
    """Errors, differences from the first, and ranks, for each setting."""
    lines = [
        "| | " + " | ".join(f"{s}: error % | difference | rank" for s in found) + " |",
        "|---|" + "---:|" * 3 * len(found),
    ]
    for j, name in enumerate(names):
        cells = []
        for errors in found.values():
            gap = plus_minus(mean_and_error(errors[:, j] - errors[:, 0])) if j else ""
            rank = rankdata(errors, axis=1).mean(axis=0)[j]
            cells.append(f"{errors[:, j].mean():.2f} | {gap} | {rank:.2f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    tests = [f"p = {friedman(errors):.2g} | | " for errors in found.values()]
    lines.append("| Friedman's test | " + " | ".join(tests) + "|")
    return lines


def friedman(errors: np.ndarray) -> float:
    """How likely such ranks are if all columns are equally good."""
    return float(friedmanchisquare(*errors.T).pvalue)


def spreads(errors: Errors) -> list[str]:
    """How far the parts are from each other."""
    lines = [
        "| | parts | mean error % | best part | worst part | worst less best on a table "
        "| deviation | deviation by chance | Friedman's p |",
        "|---|---|---:|---|---|---:|---:|---:|---:|",
    ]
    for setting in SETTINGS:
        for title, searches in [("all", EVERYWHERE), ("two groups", TWO_GROUPS)]:
            found = errors.parts(setting, searches)
            names = [", ".join(p) for p in PARTS if p[1] in searches]
            means = found.mean(axis=0)
            order = np.argsort(means, kind="stable")
            width, its_error = mean_and_error(found.max(axis=1) - found.min(axis=1))
            deviation = found.std(axis=1, ddof=1).mean()
            chance = errors.chance(setting).std(axis=1, ddof=1).mean()
            lines.append(
                f"| {setting} | {title} | {means.mean():.2f} "
                f"| {names[order[0]]} ({means[order[0]]:.2f}) "
                f"| {names[order[-1]]} ({means[order[-1]]:.2f}) | {width:.2f} ± {its_error:.2f} "
                f"| {deviation:.2f} | {chance:.2f} | {friedman(found):.2g} |"
            )
    return lines


def agreement(errors: Errors) -> dict[str, tuple[float, float, float]]:
    """Whether parts that are good in single trees are good in boosting.

    The rank correlation of mean errors, and the mean of those on each table with its error.
    """
    single = errors.parts("tree", TWO_GROUPS)
    found = {}
    for setting in SETTINGS[1:]:
        here = errors.parts(setting, TWO_GROUPS)
        pairs = [
            (a, b) for a, b in zip(single, here, strict=True) if np.ptp(a) > 0 and np.ptp(b) > 0
        ]
        each = np.array([spearmanr(a, b).statistic for a, b in pairs])
        overall = float(spearmanr(single.mean(axis=0), here.mean(axis=0)).statistic)
        found[setting] = (overall, *mean_and_error(each))
    return found


def native(errors: Errors) -> list[str]:
    """Trees by gradients beside trees by a criterion on weighted rows."""
    lines = [
        "| by gradients | error % | by entropy on weighted rows | error % | difference |",
        "|---|---:|---|---:|---:|",
    ]
    for search in NATIVE:
        ours = errors.of([name_of("gradient", ("by gradients", search))])[:, 0]
        theirs = errors.of([name_of("gradient", ("entropy", search))])[:, 0]
        lines.append(
            f"| {search} | {ours.mean():.2f} | {search} | {theirs.mean():.2f} "
            f"| {plus_minus(mean_and_error(ours - theirs))} |"
        )
    return lines


def crossed(errors: Errors, setting: str) -> list[str]:
    """Mean errors, one line per criterion, one column per search."""
    lines = [
        "| | " + " | ".join(EVERYWHERE) + " |",
        "|---|" + "---:|" * len(EVERYWHERE),
    ]
    for criterion in CRITERIA:
        cells = [
            f"{errors.of([name_of(setting, (criterion, s))]).mean():.2f}"
            if (criterion, s) in PARTS
            else ""
            for s in EVERYWHERE
        ]
        lines.append(f"| {criterion} | " + " | ".join(cells) + " |")
    return lines


def clear_words(names: list[str], errors: np.ndarray) -> str:
    """Which columns are clearly better or worse than the first."""
    words = []
    for j, name in enumerate(names[1:], 1):
        gap = mean_and_error(errors[:, j] - errors[:, 0])
        if is_clear(gap):
            words.append(f"`{name}` {'better' if gap[0] < 0 else 'worse'} ({plus_minus(gap)})")
    return ", ".join(words) if words else "none is clearly different"


def verdict(errors: Errors) -> list[str]:
    """What the figures say, in words."""
    by_table = {s: errors.parts(s, TWO_GROUPS).std(axis=1, ddof=1) for s in SETTINGS}
    by_chance = {s: errors.chance(s).std(axis=1, ddof=1) for s in SETTINGS}
    lines = []
    for setting in SETTINGS[1:]:
        gap = mean_and_error(by_table[setting] - by_table["tree"])
        kind = "about as far apart as" if not is_clear(gap) else "further apart than"
        if is_clear(gap) and gap[0] < 0:
            kind = "nearer to each other than"
        excess = mean_and_error(by_table[setting] - by_chance[setting])
        beyond = "more than" if is_clear(excess) and excess[0] > 0 else "not clearly more than"
        lines.append(
            f"- **{setting}**: the parts with two groups are {kind} in single trees (deviation "
            f"on a table {by_table[setting].mean():.2f}, in single trees "
            f"{by_table['tree'].mean():.2f}, difference {plus_minus(gap)}), and {beyond} seeds "
            f"are ({by_chance[setting].mean():.2f}, difference {plus_minus(excess)})."
        )
    lines += [
        f"- **{setting}**, criteria, beside `{CRITERIA[0]}`: "
        f"{clear_words(list(CRITERIA), errors.criteria(setting))}. Searches, beside "
        f"`{EVERYWHERE[0]}`: "
        f"{clear_words(EVERYWHERE, errors.searches(setting, EVERYWHERE, errors.tables))}."
        for setting in SETTINGS
    ]
    for setting, (overall, mean, error) in agreement(errors).items():
        lines.append(
            f"- **single trees and {setting}**: the rank correlation of the parts' mean errors is "
            f"{overall:.2f}; on a table it is {mean:.2f} ± {error:.2f}."
        )
    return lines


def report(errors: Errors) -> list[str]:
    """All tables, as Markdown."""
    few = errors.few_classes
    return [
        "## Verdict",
        "",
        *verdict(errors),
        "",
        "## How far the parts are from each other",
        "",
        "The deviation is the standard deviation of the parts' errors on one table, that by chance",
        f"the one of {SEEDS} seeds with entropy and random orders; both are means over the tables.",
        "Twoing's search is not among these parts, and with two groups multiway is not either.",
        "",
        *spreads(errors),
        "",
        "## Criteria",
        "",
        f"Mean over the searches {', '.join(TWO_GROUPS)}; differences from `{CRITERIA[0]}`.",
        "",
        *effects(list(CRITERIA), {s: errors.criteria(s) for s in SETTINGS}),
        "",
        "## Searches",
        "",
        f"Mean over the criteria {', '.join(MANY_GROUPS)}; differences from `{EVERYWHERE[0]}`.",
        "",
        *effects(
            EVERYWHERE,
            {s: errors.searches(s, EVERYWHERE, errors.tables) for s in SETTINGS},
        ),
        "",
        f"On the {len(few)} tables with at most {MOST_CLASSES} classes, with twoing's search:",
        "",
        *effects(list(SEARCHES), {s: errors.searches(s, list(SEARCHES), few) for s in SETTINGS}),
        "",
        "## Trees by gradients",
        "",
        "Gradient boosting can search splits by the gradients themselves, without a criterion:",
        "this is what `BoostedTreesClassifier` does by default.",
        "",
        *native(errors),
        "",
        "## Error in percent of every part",
        *(line for s in SETTINGS for line in ["", f"### {s}", "", *crossed(errors, s)]),
    ]


def page(errors: Errors, repetitions: int, command: str) -> list[str]:
    """The page of the documentation."""
    return [
        "# Criteria and searches inside boosting",
        "",
        "The thesis on binary splits of nominal columns compares criteria and searches in single",
        "trees, and leaves open whether they matter inside boosting. Each criterion is crossed",
        f"with each search here. Trees of depth {DEPTH}, not pruned, that look at all columns are",
        "used alone;",
        f"in {ROUNDS} rounds of AdaBoost for many classes (SAMME); and in {ROUNDS} rounds of "
        f"gradient boosting at",
        f"rate {RATE}, where a tree is grown on rows weighted by how wrong their answers still "
        "are, and",
        "its leaves take Newton steps.",
        "",
        f"Means over {len(SOURCES)} tables and, on each, {2 * repetitions} folds: stratified "
        f"two-fold cross-validation, {repetitions} times, the",
        "same folds for all. Differences are given with their standard error over the tables, and",
        "are called clear if they are more than two of them; with so many, one in twenty is by",
        "chance. Rank 1 is the least error. Twoing's search, whose cost doubles with each class,",
        f"is left out on tables with more than {MOST_CLASSES} classes. A sample leaves out classes "
        "with fewer",
        "than four rows. With two classes most searches find the same groups.",
        "",
        *circumstances(command, SOURCES),
        "",
        *report(errors),
    ]


def main() -> None:
    """Run what is not kept, print the tables, and write the page if asked."""
    args = command_line(__doc__.split("\n")[0], repetitions=2)
    errors = Errors(run(SOURCES, METHODS, work, args), args.repetitions)
    print("\n".join(report(errors)))
    if args.page:
        command = "python benchmarks/boosting_criteria.py"
        command += f" --repetitions {args.repetitions}" if args.repetitions != 2 else ""
        args.page.write_text("\n".join(page(errors, args.repetitions, command)) + "\n")


if __name__ == "__main__":
    main()
