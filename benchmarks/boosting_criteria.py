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

from collections.abc import Sequence

import numpy as np
from boosting_parts import (
    ALL,
    CRITERIA,
    DEPTH,
    EVERYWHERE,
    IN_TWO,
    IN_TWO_USUAL,
    MANY_GROUPS,
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
    TWO_GROUPS,
    USUAL,
    Errors,
    Part,
    name_of,
    work,
)
from ensemble_study import (
    circumstances,
    command_line,
    is_clear,
    mean_and_error,
    plus_minus,
    run,
)
from scipy.stats import friedmanchisquare, rankdata, spearmanr


def effects(names: Sequence[str], found: dict[str, np.ndarray]) -> list[str]:
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
        for title, parts in [
            (f"all {len(ALL)}", ALL),
            (f"{len(IN_TWO)} with two groups", IN_TWO),
            (f"{len(IN_TWO_USUAL)} of them with {', '.join(USUAL)}", IN_TWO_USUAL),
        ]:
            found = errors.parts(setting, parts)
            names = [", ".join(p) for p in parts]
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
    single = errors.parts("tree", IN_TWO)
    found = {}
    for setting in SETTINGS[1:]:
        here = errors.parts(setting, IN_TWO)
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


def clear_words(names: Sequence[str], errors: np.ndarray) -> str:
    """Which columns are clearly better or worse than the first."""
    words = []
    for j, name in enumerate(names[1:], 1):
        gap = mean_and_error(errors[:, j] - errors[:, 0])
        if is_clear(gap):
            words.append(f"`{name}` {'better' if gap[0] < 0 else 'worse'} ({plus_minus(gap)})")
    return ", ".join(words) if words else "none is clearly different"


def boosting_verdict(errors: Errors, setting: str, title: str, parts: list[Part]) -> str:
    """How far parts are apart in boosting, beside single trees and beside chance."""
    here = errors.parts(setting, parts)
    ends, deviation = here.mean(axis=0), here.std(axis=1, ddof=1)
    single = mean_and_error(deviation - errors.parts("tree", parts).std(axis=1, ddof=1))
    chance = mean_and_error(deviation - errors.chance(setting).std(axis=1, ddof=1))

    def kind(gap: tuple[float, float]) -> str:
        return ("less" if gap[0] < 0 else "more") if is_clear(gap) else "not clearly other"

    return (
        f"- **{setting}**: {title} err between {ends.min():.1f} and {ends.max():.1f} % in the "
        f"mean; on one table they deviate by {deviation.mean():.2f}, {kind(single)} than in "
        f"single trees ({plus_minus(single)}), {kind(chance)} than seeds do ({plus_minus(chance)})."
    )


def in_short(errors: Errors) -> str:
    """The answer in three sentences."""
    apart, more, best = [], [], []
    for setting in SETTINGS:
        usual = errors.parts(setting, IN_TWO_USUAL)
        others = errors.parts(setting, [p for p in IN_TWO if p not in IN_TWO_USUAL])
        ranks = rankdata(errors.searches(setting, TWO_GROUPS, USUAL), axis=1).mean(axis=0)
        apart.append(f"{np.ptp(usual.mean(axis=0)):.1f} ({setting})")
        more.append(
            f"{plus_minus(mean_and_error(others.mean(axis=1) - usual.mean(axis=1)), 1)} ({setting})"
        )
        best.append(f"{TWO_GROUPS[int(np.argmin(ranks))]} ({setting})")
    return (
        f"In short: with {', '.join(USUAL)} and any search for two groups, the mean errors of the "
        f"best and the worst part differ in points by {', '.join(apart)}. The other criteria "
        f"err more, or less, than these by {', '.join(more)}. With these criteria the search of "
        f"the lowest mean rank is {', '.join(best)}."
    )


def verdict(errors: Errors) -> list[str]:
    """What the figures say, in words."""
    lines = [in_short(errors), ""]
    for title, parts in [
        (f"the {len(IN_TWO)} parts with two groups", IN_TWO),
        (f"those {len(IN_TWO_USUAL)} with {', '.join(USUAL)}", IN_TWO_USUAL),
    ]:
        single = errors.parts("tree", parts)
        ends = single.mean(axis=0)
        lines.append(
            f"- **tree**: {title} err between {ends.min():.1f} and {ends.max():.1f} % in the mean; "
            f"on one table they deviate by {single.std(axis=1, ddof=1).mean():.2f}."
        )
        lines += [boosting_verdict(errors, setting, title, parts) for setting in SETTINGS[1:]]
    lines += [
        f"- **{setting}**, criteria, beside `{CRITERIA[0]}`: "
        f"{clear_words(CRITERIA, errors.criteria(setting))}. Searches, beside "
        f"`{EVERYWHERE[0]}`: "
        f"{clear_words(EVERYWHERE, errors.searches(setting))}."
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
        "Twoing's search is not among these parts; multiway is not among those with two groups.",
        "",
        *spreads(errors),
        "",
        "## Criteria",
        "",
        f"Mean over the searches {', '.join(TWO_GROUPS)}; differences from `{CRITERIA[0]}`.",
        "",
        *effects(CRITERIA, {s: errors.criteria(s) for s in SETTINGS}),
        "",
        "## Searches",
        "",
        f"Mean over the criteria {', '.join(MANY_GROUPS)}; differences from `{EVERYWHERE[0]}`.",
        "",
        *effects(EVERYWHERE, {s: errors.searches(s) for s in SETTINGS}),
        "",
        f"With {', '.join(USUAL)} only:",
        "",
        *effects(TWO_GROUPS, {s: errors.searches(s, TWO_GROUPS, USUAL) for s in SETTINGS}),
        "",
        f"On the {len(few)} tables with at most {MOST_CLASSES} classes, with twoing's search:",
        "",
        *effects(SEARCHES, {s: errors.searches(s, SEARCHES, tables=few) for s in SETTINGS}),
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
        f"rate {RATE}, where a tree is grown on rows weighted by how wrong their predictions "
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
