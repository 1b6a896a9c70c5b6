"""How the cost of one of our trees grows with rows, columns, categories, classes and depth.

    python benchmarks/tree_speed.py --scaling [--plot out/tree_scaling.png]

Along each line one size changes and the others stay at their base. The exponent is that of a power
law through the upper half of the line, in processor time; 1 means proportional.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from tree_contenders import Data, Mixedwood, make_nominal_table

MOST_SECONDS = 60.0  # a line ends when one fit takes longer


@dataclass(frozen=True)
class Sizes:
    """One table and the depth of the tree."""

    rows: int = 50_000
    columns: int = 10
    categories: int = 100
    classes: int = 5
    depth: int = 8


LINES = {
    "rows": [3000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
    "columns": [3, 10, 30, 100],
    "categories": [3, 10, 30, 100, 300, 1000, 3000],
    "classes": [2, 3, 5, 10, 30, 100],
    "depth": [1, 2, 4, 8, 16],
}
STEPS = ("read", "grow", "predict")


def make_numeric_table(rows: int, columns: int, classes: int) -> Data:
    """Normal numbers, the first half of the columns informative."""
    rng = np.random.default_rng([rows, columns, classes])
    numbers = rng.normal(size=(rows, columns))
    use = (columns + 1) // 2
    score = np.sin(2 * numbers[:, :use]) @ rng.normal(scale=2.0, size=(use, classes))
    y = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    frame = pd.DataFrame({f"x{c}": numbers[:, c] for c in range(columns)})
    return Data(f"numeric {rows}x{columns}", frame, np.unique(y, return_inverse=True)[1], [])


def make_table(kind: str, sizes: Sizes) -> Data:
    """A table of nominal or of numeric columns."""
    if kind == "numeric":
        return make_numeric_table(sizes.rows, sizes.columns, sizes.classes)
    return make_nominal_table(sizes.rows, sizes.columns, sizes.categories, sizes.classes)


def seconds_for(kind: str, sizes: Sizes) -> dict[str, float]:
    """Best of three, or one when it is slow."""
    ours = Mixedwood(make_table(kind, sizes))
    best = {"read": ours.steps["encode"], "grow": np.inf, "predict": np.inf}
    for _ in range(3):
        start = time.process_time()
        tree = ours.fit(sizes.depth)
        grown = time.process_time()
        ours.predict(tree)
        best["grow"] = min(best["grow"], grown - start)
        best["predict"] = min(best["predict"], time.process_time() - grown)
        if best["grow"] > 5.0:
            break
    return best


def exponent(x: list[int], seconds: list[float]) -> str:
    """Slope of the upper half of a line on logarithmic axes."""
    half = len(x) // 2
    if len(x) - half < 2:
        return "-"
    return f"{np.polyfit(np.log(x[half:]), np.log(seconds[half:]), 1)[0]:.2f}"


def show_scaling(plot: Path | None) -> None:
    """Print every line with its exponents; draw if asked."""
    base = Sizes()
    if not Mixedwood.suits(make_table("nominal", replace(base, rows=100))):
        print("This version of mixedwood does not grow trees.")
        return
    print(f"base: {base}")
    lines: dict[tuple[str, str], tuple[list[int], list[dict[str, float]]]] = {}
    for kind in ("nominal", "numeric"):
        for what, values in LINES.items():
            if kind == "numeric" and what == "categories":
                continue
            found: list[dict[str, float]] = []
            for value in values:
                found.append(seconds_for(kind, replace(base, **{what: value})))
                shown = ", ".join(f"{step} {1e3 * found[-1][step]:.1f}" for step in STEPS)
                print(f"  {kind:>8} {what:>10} {value:>8}: {shown} ms", flush=True)
                if found[-1]["grow"] > MOST_SECONDS:
                    break
            done = values[: len(found)]
            laws = [f"{step} {exponent(done, [f[step] for f in found])}" for step in STEPS]
            print(f"{kind} columns, power of {what}: {', '.join(laws)}")
            lines[kind, what] = (done, found)
    if plot:
        draw(lines, plot)
        print(f"plot: {plot}")


def draw(lines: dict, path: Path) -> None:
    """One chart per size, on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, charts = plt.subplots(1, len(LINES), figsize=(3.2 * len(LINES), 3.4), sharey=True)
    for chart, what in zip(charts, LINES, strict=True):
        for kind, style in (("nominal", "-o"), ("numeric", "--s")):
            if (kind, what) not in lines:
                continue
            values, found = lines[kind, what]
            for step, color in zip(STEPS, ("tab:gray", "tab:blue", "tab:orange"), strict=True):
                seconds = [f[step] for f in found]
                chart.loglog(values, seconds, style, color=color, ms=3, label=f"{step}, {kind}")
        chart.set_xlabel(what)
        chart.grid(alpha=0.3)
    charts[0].set_ylabel("seconds")
    charts[0].legend(fontsize=7)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    show_scaling(None)
