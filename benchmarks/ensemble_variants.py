"""Which way of using random orders lowers the error? Ensembles side by side, on many tables.

Random Ordinality as published and with other votes, rows and orders; forests; boosting; and the
mean of a forest and boosting. Stratified two-fold cross-validation, repeated, with the same folds
for all. None of the tables is one of those on which mixedwood is compared with other libraries:
what is recommended is not chosen where it is judged. What is compared is in `ensemble_choices.py`.

    python benchmarks/ensemble_variants.py [--page docs/results/ensemble-variants.md]
        [--scores file.json] [--jobs 2]
"""

from __future__ import annotations

import numpy as np
from ensemble_choices import (
    AS_THEY_COME,
    BLENDS,
    IN_BINS,
    METHODS,
    NUMBERS,
    RECOMMENDED,
    SHARES,
    SINGLE,
    SOURCES,
    UNTUNED,
    work,
)
from ensemble_means import means
from ensemble_study import (
    LEAST,
    Comparison,
    Scores,
    circumstances,
    command_line,
    is_clear,
    plus_minus,
    run,
)

BY_SHARE = [f"forest + boosted, share {share}" for share in SHARES]
SHOWN = [*SINGLE, *BY_SHARE]

# What is tried, and what it is tried instead of.
QUESTIONS: dict[str, list[tuple[str, str]]] = {
    "Random Ordinality": [
        ("c45", "c45, 50 trees, as published"),
        ("random_tree", "random_tree, 50 trees, as published"),
        ("c45, probabilities", "c45"),
        ("random_tree, probabilities", "random_tree"),
        ("random_tree, probabilities, bootstrap", "random_tree, probabilities"),
        ("c45, probabilities, joint", "c45, probabilities"),
        ("random_tree, probabilities, joint", "random_tree, probabilities"),
        (
            "random_tree, probabilities, bootstrap, joint",
            "random_tree, probabilities, bootstrap",
        ),
    ],
    "Forests": [
        ("forest, order per node", "forest"),
        ("forest, order per node, entropy", "forest, entropy"),
        ("forest, entropy", "forest"),
        ("forest, order per node, entropy", "forest, order per node"),
        ("forest, order per tree", "forest, order per node"),
        ("forest, joint orders", "forest, order per tree"),
        ("forest, half of the columns", "forest"),
        ("forest, order per node, half of the columns", "forest, order per node"),
        ("forest, order per node, no bootstrap", "forest, order per node"),
        ("forest, order per node", "random_tree, 50 trees, as published"),
    ],
    "Boosting": [
        ("boosted", "boosted, sorted values"),
        ("boosted", "boosted, order per tree"),
        ("boosted", "boosted, all columns"),
        ("boosted, sorted values", "boosted, sorted values, all columns"),
        ("boosted, 70 % of the rows", "boosted"),
        ("boosted, a tree per class", "boosted"),
        ("boosted, depth 3", "boosted"),
        ("boosted, depth 6", "boosted"),
        ("boosted, 100 rounds", "boosted"),
        ("boosted, 400 rounds", "boosted"),
        ("boosted", "AdaBoost over random orders"),
        ("boosted", "AdaBoost.M1 of C4.5 trees"),
    ],
    "Both together, tuned": [
        (RECOMMENDED, "forest"),
        (RECOMMENDED, "boosted"),
        (RECOMMENDED, UNTUNED),
        (RECOMMENDED, "random_tree, 50 trees, as published"),
        (RECOMMENDED, "c45, 50 trees, as published"),
    ],
}
KEY = [
    "c45, 50 trees, as published",
    "random_tree, 50 trees, as published",
    "random_tree, probabilities, bootstrap",
    "forest",
    "forest, order per node",
    "boosted",
    "boosted, sorted values",
    UNTUNED,
    RECOMMENDED,
]


def ensembles(found: Comparison) -> list[str]:
    """One line per ensemble, beside the recommended one."""
    lines = [
        "| ensemble | error % | less that of the recommended | tables better, worse | rank "
        "| log loss | less that of the recommended | its rank | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for j, method in enumerate(found.methods):
        compared = ["", "", ""]
        if method != RECOMMENDED:
            better, worse = found.wins(method, RECOMMENDED)
            compared = [
                plus_minus(found.difference(method, RECOMMENDED, found.error)),
                f"{better}, {worse}",
                plus_minus(found.difference(method, RECOMMENDED, found.loss), 3),
            ]
        lines.append(
            f"| {method} | {found.error[:, j].mean():.2f} | {compared[0]} | {compared[1]} "
            f"| {found.rank[j]:.1f} | {found.loss[:, j].mean():.3f} | {compared[2]} "
            f"| {found.loss_rank[j]:.1f} | {found.seconds[:, j].mean():.2f} |"
        )
    return lines


def word(pair: tuple[float, float]) -> str:
    """What a difference says."""
    return ("better" if pair[0] < 0 else "worse") if is_clear(pair) else "not clear"


def questions(found: Comparison) -> list[str]:
    """Each choice beside what it replaces."""
    lines = []
    for topic, pairs in QUESTIONS.items():
        lines += [
            f"### {topic}",
            "",
            "| choice | instead of | error, difference | tables better, worse | "
            "| log loss, difference | |",
            "|---|---|---:|---:|---|---:|---|",
        ]
        for method, other in pairs:
            error = found.difference(method, other, found.error)
            loss = found.difference(method, other, found.loss)
            better, worse = found.wins(method, other)
            lines.append(
                f"| {method} | {other} | {plus_minus(error)} | {better}, {worse} | {word(error)} "
                f"| {plus_minus(loss, 3)} | {word(loss)} |"
            )
        lines.append("")
    return lines


def by_kind(scores: Scores, repetitions: int) -> list[str]:
    """Whether it depends on the tables."""
    kinds = {"as they come": AS_THEY_COME, "in bins": IN_BINS, "numbers": NUMBERS}
    found = {k: Comparison(scores, sources, KEY, repetitions) for k, sources in kinds.items()}
    lines = [
        "| | " + " | ".join(f"{k}: error % | rank | log loss" for k in kinds) + " |",
        "|---|" + "---:|" * 3 * len(kinds),
    ]
    for j, method in enumerate(KEY):
        cells = [
            f"{f.error[:, j].mean():.2f} | {f.rank[j]:.1f} | {f.loss[:, j].mean():.3f}"
            for f in found.values()
        ]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def by_table(scores: Scores, repetitions: int) -> list[str]:
    """Error of some ensembles on each table."""
    found = Comparison(scores, SOURCES, KEY, repetitions)
    lines = ["| | " + " | ".join(KEY) + " |", "|---|" + "---:|" * len(KEY)]
    for table, errors in zip(found.tables, found.error, strict=True):
        lines.append(f"| {table} | " + " | ".join(f"{e:.1f}" for e in errors) + " |")
    return lines


def verdict(found: Comparison) -> list[str]:
    """What the figures say of the recommended ensemble."""
    clear = {"better": [], "worse": [], "error only": [], "log loss only": []}
    for method in found.methods:
        if method == RECOMMENDED:
            continue
        error = word(found.difference(method, RECOMMENDED, found.error))
        loss = word(found.difference(method, RECOMMENDED, found.loss))
        if error == loss and error != "not clear":
            clear[error].append(method)
        elif error == "better":
            clear["error only"].append(method)
        elif loss == "better":
            clear["log loss only"].append(method)

    def some(names: list[str]) -> str:
        more = f" and {len(names) - 6} more" if len(names) > 6 else ""
        return "; ".join(f"*{n}*" for n in names[:6]) + more if names else "none"

    place = found.of(RECOMMENDED, rank_of(found.rank))
    loss_place = found.of(RECOMMENDED, rank_of(found.loss_rank))
    n_blends = sum(m in BLENDS for m in found.methods)
    lowest = min(BLENDS, key=lambda m: found.of(m, found.rank) + found.of(m, found.loss_rank))
    beside = [
        f"- It less *{other}*: "
        f"error {plus_minus(found.difference(RECOMMENDED, other, found.error))}, "
        f"log loss {plus_minus(found.difference(RECOMMENDED, other, found.loss), 3)}."
        for other in ["forest", "boosted", UNTUNED, *KEY[:2], lowest]
        if other != RECOMMENDED
    ]
    return [
        f"The recommended ensemble, *{RECOMMENDED}*, is number {place:.0f} of "
        f"{len(found.methods)} by mean rank of the error and number {loss_place:.0f} by that of "
        f"the log loss; {n_blends} of them are means of a forest and boosting, and differ little. "
        f"Of these *{lowest}* has the least sum of both ranks.",
        "",
        *beside,
        f"- Clearly better than it in error and in log loss: {some(clear['better'])}.",
        f"- Clearly better in error only: {some(clear['error only'])}.",
        f"- Clearly better in log loss only: {some(clear['log loss only'])}.",
        f"- Clearly worse in both: {len(clear['worse'])} of {len(found.methods) - 1}, of which "
        f"{sum(m in SINGLE for m in clear['worse'])} of the {len(SINGLE)} that are no mean.",
    ]


def rank_of(ranks: np.ndarray) -> np.ndarray:
    """Places by mean rank, from 1."""
    return np.argsort(np.argsort(ranks, kind="stable"), kind="stable") + 1


def report(scores: Scores, repetitions: int) -> list[str]:
    """All tables, as Markdown."""
    every = Comparison(scores, SOURCES, METHODS, repetitions)
    shown = Comparison(scores, SOURCES, SHOWN, repetitions)
    return [
        "## Verdict",
        "",
        *verdict(every),
        "",
        f"## All ensembles, and the recommended one with other weights ({len(SHOWN)} are ranked)",
        "",
        *ensembles(shown),
        "",
        "## What each choice does",
        "",
        *questions(every),
        "## The mean of a forest and boosting",
        "",
        *means(Comparison(scores, SOURCES, BLENDS, repetitions)),
        "",
        f"## Kinds of tables ({len(KEY)} are ranked)",
        "",
        *by_kind(scores, repetitions),
        "",
        "## Error in percent on each table",
        "",
        *by_table(scores, repetitions),
    ]


def page(scores: Scores, repetitions: int, command: str) -> list[str]:
    """The page of the documentation."""
    return [
        "# Which ensemble",
        "",
        "Ways of using random orders, of voting and of boosting, side by side. Means over",
        f"{len(SOURCES)} tables and, on each, {2 * repetitions} folds: stratified two-fold "
        f"cross-validation, {repetitions} times, the same folds for",
        "all. Less is better everywhere. A difference is the first minus the second, with its",
        "standard error over the tables; it is clear, better or worse, if it is more than two of",
        "them. With so many comparisons one in twenty is beyond that by chance alone, and the best",
        "of many that differ little is the best by chance. Rank 1 is the least of all that are",
        f"compared. For the log loss, probabilities below {LEAST} count as {LEAST}. Seconds are",
        "those of the processor for one fit.",
        "",
        "None of the tables is among the 14 of `benchmarks/ensemble_accuracy.py`, on which",
        "mixedwood is compared with other libraries. Numbers in bins are tables of numbers whose",
        "columns are cut into parts of equal width, the parts being values without an order. A",
        "sample leaves out classes with fewer than four rows. The training files of the monks'",
        "problems are a part of the 432 rows of which monks-1 and monks-2 consist.",
        "",
        "Unless it says otherwise: Random Ordinality has 100 trees and one vote for each of them",
        "(its paper has 50); a forest has 100 trees by Gini's criterion, on bootstrapped rows, the",
        "square root of the columns at each node, the best two groups of values, and votes by",
        "probability; boosting has 200 rounds at rate 0.1, depth 4, half of the columns at each",
        "node, a new random order of the values at each node, and one tree for all classes. A mean",
        "is that of probabilities; its weight is that of boosting. It is computed from its",
        "two parts, with the seeds that `EnsembleClassifier` gives them, which gives the same.",
        "*ensemble, tuned* is `EnsembleClassifier` by default: depth, rounds and weight are",
        "chosen on the training rows.",
        "",
        *circumstances(command, SOURCES),
        "",
        *report(scores, repetitions),
    ]


def main() -> None:
    """Run what is not kept, print the tables, and write the page if asked."""
    args = command_line(__doc__.split("\n")[0], repetitions=2)
    scores = run(SOURCES, METHODS, work, args)
    print("\n".join(report(scores, args.repetitions)))
    if args.page:
        command = "python benchmarks/ensemble_variants.py"
        command += f" --repetitions {args.repetitions}" if args.repetitions != 2 else ""
        args.page.write_text("\n".join(page(scores, args.repetitions, command)) + "\n")


if __name__ == "__main__":
    main()
