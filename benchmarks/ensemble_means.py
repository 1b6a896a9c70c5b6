"""Tables of `ensemble_variants.py` about means of a forest and boosting."""

from __future__ import annotations

import numpy as np
from ensemble_choices import BLENDED_BOOSTED, BLENDED_FORESTS, BLENDS, SHARES, UNTUNED
from ensemble_study import Comparison, mean_and_error, plus_minus
from scipy.stats import rankdata


def matrix(found: Comparison, what: np.ndarray, digits: int, share: float) -> list[str]:
    """Means of what, one line per forest, one column per boosting."""
    lines = [
        "| | " + " | ".join(BLENDED_BOOSTED) + " |",
        "|---|" + "---:|" * len(BLENDED_BOOSTED),
    ]
    for forest in BLENDED_FORESTS:
        cells = [
            f"{found.of(f'{forest} + {boosted}, share {share}', what).mean():.{digits}f}"
            for boosted in BLENDED_BOOSTED
        ]
        lines.append(f"| {forest} | " + " | ".join(cells) + " |")
    return lines


def means(found: Comparison, share: float = 0.6) -> list[str]:
    """The means of a forest and boosting."""
    by_both = np.argsort(found.rank + found.loss_rank, kind="stable")
    best = [found.methods[j] for j in by_both[:10]]
    chosen = [*best, *([] if UNTUNED in best else [UNTUNED])]
    lines = [
        *marginals(found),
        "",
        f"All {len(found.methods)} pairs and weights are ranked together by error and by log loss. "
        "The ten with the",
        "least sum of both ranks, and the recommended one:",
        "",
        "| mean of | error % | difference | rank | log loss | difference | its rank |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for method in chosen:
        error = found.difference(method, UNTUNED, found.error)
        loss = found.difference(method, UNTUNED, found.loss)
        lines.append(
            f"| {method} | {found.of(method, found.error).mean():.2f} | {plus_minus(error)} "
            f"| {found.of(method, found.rank):.1f} | {found.of(method, found.loss).mean():.3f} "
            f"| {plus_minus(loss, 3)} | {found.of(method, found.loss_rank):.1f} |"
        )
    for title, what, digits in [
        ("Error in percent", found.error, 2),
        ("Log loss", found.loss, 3),
        ("Rank by error", found.rank, 0),
        ("Rank by log loss", found.loss_rank, 0),
    ]:
        lines += ["", f"{title}, share of boosting {share}:", ""]
        lines += matrix(found, what, digits, share)
    return lines


def marginals(found: Comparison) -> list[str]:
    """Each forest, boosting and share by its mean over all means that it is part of."""
    lines = [
        "One at a time, by the mean over all others; differences from what is recommended, ranks",
        "among those of one kind:",
        "",
        "| part | error % | difference | rank | log loss | difference | its rank |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    kept = BLENDS[UNTUNED]
    for place, levels in enumerate((BLENDED_FORESTS, BLENDED_BOOSTED, SHARES)):
        chosen = [[m for m in found.methods if BLENDS[m][place] == level] for level in levels]
        error, loss = (
            np.stack(
                [np.mean([found.of(m, what) for m in some], axis=0) for some in chosen], axis=1
            ).round(9)
            for what in (found.error, found.loss)
        )
        base = list(levels).index(kept[place])
        for j, level in enumerate(levels):
            gaps = ["", ""]
            if j != base:
                gaps = [
                    plus_minus(mean_and_error(error[:, j] - error[:, base])),
                    plus_minus(mean_and_error(loss[:, j] - loss[:, base]), 3),
                ]
            lines.append(
                f"| {f'share {level}' if place == 2 else level} | {error[:, j].mean():.2f} "
                f"| {gaps[0]} | {rankdata(error, axis=1).mean(axis=0)[j]:.2f} "
                f"| {loss[:, j].mean():.3f} | {gaps[1]} "
                f"| {rankdata(loss, axis=1).mean(axis=0)[j]:.2f} |"
            )
    return lines
