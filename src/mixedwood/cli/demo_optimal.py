"""The third part of `mixedwood demo`: a small tree that is proven to be the best."""

from __future__ import annotations

from typing import Any

import click

from mixedwood.cli.tables import print_table

_DEPTH = 2
_SECONDS = 5.0  # never met; a demonstration must end


def compare_small_trees(seed: int) -> dict[str, Any]:
    """Fit the best tree of two levels, and a greedy one, to a generated table."""
    from mixedwood import datasets
    from mixedwood.estimators import OptimalTreeClassifier, TreeClassifier

    data = datasets.make_waveform(500, random_state=seed, frame="dict")
    # One decimal is enough for a demonstration, and reads better.
    table = {name: cells.round(1) for name, cells in data.X.items()}
    greedy = TreeClassifier(max_depth=_DEPTH, pruning=None, random_state=seed)
    ranges = OptimalTreeClassifier(_DEPTH, time_limit=_SECONDS)
    every = OptimalTreeClassifier(_DEPTH, splits="all", time_limit=_SECONDS)
    found = []
    for name, model in {
        "greedy": greedy,
        "best over eight ranges per column": ranges,
        "best over every threshold": every,
    }.items():
        model.fit(table, data.y)
        proof = getattr(model, "proof_", None)
        found.append(
            {
                "tree": name,
                "wrong": int((model.predict(table) != data.y).sum()),
                "proven": None if proof is None else proof.optimal,
                "milliseconds": None if proof is None else 1e3 * proof.seconds,
            }
        )
    return {"rows": len(data.y), "trees": found, "text": every.tree_.to_text()}


def show_small_trees(found: dict[str, Any]) -> None:
    """Print the comparison and the best tree."""
    click.echo()
    print_table(
        f"Trees of depth {_DEPTH}: wrong of {found['rows']} training rows",
        ["tree", "wrong", "proven best", "ms"],
        [
            [
                tree["tree"],
                str(tree["wrong"]),
                "yes" if tree["proven"] else "",
                "" if tree["milliseconds"] is None else f"{tree['milliseconds']:.1f}",
            ]
            for tree in found["trees"]
        ],
    )
    click.echo(f"\n{found['text']}")
