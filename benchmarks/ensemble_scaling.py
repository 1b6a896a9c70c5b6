"""How the cost of an ensemble grows with the number of trees and of rows.

    python benchmarks/ensemble_scaling.py [--plot docs/results/ensemble_scaling.png] [--page PAGE]

Along each line one size changes and the other stays at its base: a nominal table of 10 columns with
100 categories and five classes. The exponent is that of a power law through the upper half of the
line, in wall-clock time with two threads; 1 means proportional. scikit-learn's forest and LightGBM
are there to compare the slopes.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from accuracy import write_page
from ensemble_contenders import (
    Ensemble,
    LightGBMBoosting,
    OurBoosting,
    OurForest,
    SklearnForest,
)
from tree_contenders import make_nominal_table
from tree_scaling import exponent

BASE = {"trees": 20, "rows": 20_000}
LINES = {
    "trees": [10, 20, 50, 100, 200],
    "rows": [3000, 10_000, 30_000, 100_000],
}
KINDS = [OurForest, OurBoosting, SklearnForest, LightGBMBoosting]
MOST_SECONDS = 60.0  # a line ends when one fit takes longer

# contender and size that changes -> values, seconds to fit, seconds to answer
Lines = dict[tuple[str, str], tuple[list[int], list[float], list[float]]]


def label(kind: type[Ensemble]) -> str:
    """A name that says the task, too."""
    return f"{kind.name}, {kind.task}"


def seconds_for(kind: type[Ensemble], sizes: dict[str, int]) -> tuple[float, float]:
    """Best of three to fit and to answer, or one when it is slow."""
    runner = kind(make_nominal_table(sizes["rows"], 10, 100, 5))
    best = (float("inf"), float("inf"))
    for _ in range(3):
        fit, model = runner.timed_fit(sizes["trees"])
        best = (min(best[0], fit), min(best[1], runner.timed_predict(model)))
        if best[0] > 5.0:
            break
    return best


def measure() -> Lines:
    """Every line of every contender that is there."""
    small = make_nominal_table(300, 10, 100, 5)
    lines: Lines = {}
    for kind in KINDS:
        if not kind.suits(small):
            continue
        runner = kind(small)
        runner.timed_predict(runner.timed_fit(2)[1])  # pays for imports
        for what, values in LINES.items():
            done: list[int] = []
            fits: list[float] = []
            answers: list[float] = []
            for value in values:
                fit, answer = seconds_for(kind, {**BASE, what: value})
                done.append(value)
                fits.append(fit)
                answers.append(answer)
                if fit > MOST_SECONDS:
                    break
            lines[label(kind), what] = (done, fits, answers)
    return lines


def scaling(plot: Path | None, page: Path | None) -> list[str]:
    """A table of seconds and exponents for each size, and the plot if asked."""
    lines = measure()
    text = [
        f"Nominal table of 10 columns with 100 categories and five classes; {BASE['rows']} rows "
        f"and {BASE['trees']} trees unless said otherwise. Seconds to fit; the power is that of a "
        "law through the upper half of the line.",
    ]
    for what, values in LINES.items():
        text += ["", f"| {what} | " + " | ".join(map(str, values)) + " | power, fit | predict |"]
        text += ["|---|" + "---:|" * (len(values) + 2)]
        for (name, size), (done, fits, answers) in lines.items():
            if size != what:
                continue
            cells = [f"{fit:.3f}" for fit in fits] + [""] * (len(values) - len(fits))
            powers = [exponent(done, fits), exponent(done, answers)]
            text.append(f"| {name} | " + " | ".join([*cells, *powers]) + " |")
    if plot:
        draw(lines, plot)
        shown = os.path.relpath(plot, page.parent) if page else str(plot)
        text += ["", f"![Seconds to fit against trees and rows]({shown})"]
    return text


def draw(lines: Lines, path: Path) -> None:
    """One chart per size, on logarithmic axes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, charts = plt.subplots(1, len(LINES), figsize=(4.2 * len(LINES), 3.6), sharey=True)
    for chart, what in zip(charts, LINES, strict=True):
        for (name, size), (done, fits, _) in lines.items():
            if size == what:
                chart.loglog(done, fits, "-o", ms=3, label=name)
        chart.set_xlabel(what)
        chart.grid(alpha=0.3)
    charts[0].set_ylabel("seconds to fit")
    charts[0].legend(fontsize=7)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, print the tables, draw the plot and write the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--plot", type=Path, help="draw it")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    text = scaling(args.plot, args.page)
    print("\n".join(text))
    if args.page:
        command = "- command: `python benchmarks/ensemble_scaling.py`"
        write_page(args.page, ["# Cost of ensembles", "", command, "", *text])


if __name__ == "__main__":
    main()
