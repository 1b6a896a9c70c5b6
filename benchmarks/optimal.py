"""Time to the proven best tree, ours and the peers', on the same 0/1 matrices.

    python benchmarks/optimal.py [--sets german segment] [--depths 3 4 5] [--limit 120]
    python benchmarks/optimal.py --page docs/results/optimal-speed.md

Processor seconds of one thread, each cell in a process of its own; the median of three if short.
All are asked for the fewest wrong rows with as many nodes as the depth allows. What the matrices
are is written at the top of `optimal_matrices.py`, how the solvers are set in
`peers/optimal_solvers.py`. Peers may live in environments of their own: name the interpreters by
`--peers-python PYTHON`, or `--peers-python PYTHON gosdt=OTHER_PYTHON` where one peer needs another.
With `--cache FILE` the results of peers are kept, so that a second run is only about ours; with
`--run ours` no peer is started at all. `--peers` says who is compared: where one of them has not
run yet there is no ratio.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from optimal_matrices import SETS, Matrix, make_matrix
from optimal_runs import Cell, Store, fill
from peers.optimal_solvers import SOLVERS

OURS = "mixedwood"
PAGE = "docs/results/optimal-speed.md"
DEPTHS, LIMIT = [3, 4, 5], 120
PEERS = [name for name in SOLVERS if name != OURS]


def is_right(cell: Cell | None, least: int | None) -> bool:
    """Whether the solver ended with a proof, and of what is the least."""
    return bool(cell and cell.get("proven") and cell["cost"] == least)


def shown(cell: Cell | None, least: int | None) -> str:
    """Seconds, or why there are none."""
    if cell is None:
        return ""
    if "left_out" in cell:
        return f"> {cell['limit']}" if "limit" in cell else "failed"
    text = f"{cell['seconds']:.4f}" if cell["seconds"] < 1 else f"{cell['seconds']:.2f}"
    return text if is_right(cell, least) else f"{text} ({cell['cost']}: wrong)"


class Line:
    """One matrix at one depth."""

    def __init__(self, store: Store, name: str, depth: int, solvers: Iterable[str]) -> None:
        self.cells = {solver: store.get(name, depth, solver) for solver in solvers}
        # Costs are counted from the trees, so the least one is that of a tree that exists.
        costs = [cell["cost"] for cell in self.cells.values() if cell and cell.get("proven")]
        self.least = min(costs, default=None)

    def seconds(self, solver: str) -> float | None:
        """Time to the proven optimum, None if it was not reached."""
        cell = self.cells.get(solver)
        return cell["seconds"] if cell and is_right(cell, self.least) else None

    def fastest_peer(self) -> float | None:
        """The least time of any peer."""
        times = [self.seconds(solver) for solver in self.cells if solver != OURS]
        return min((time for time in times if time is not None), default=None)

    def ratio(self) -> float | None:
        """How many times as long the fastest peer takes as we do."""
        if None in self.cells.values():
            return None  # a peer that has not run yet might be the fastest
        ours, peer = self.seconds(OURS), self.fastest_peer()
        return None if ours is None or peer is None else peer / ours


def table(
    store: Store, matrices: Mapping[str, Matrix], depths: Sequence[int], solvers: Sequence[str]
) -> list[str]:
    """One line per matrix and depth, then the means of the ratios."""
    titles = ["matrix", "rows x columns, classes", "depth", "least wrong", *solvers, "ratio"]
    lines = ["| " + " | ".join(titles) + " |", "|---|---|" + "---:|" * (len(titles) - 2)]
    ratios: dict[str, list[float]] = {"two classes": [], "many classes": []}
    for name, matrix in matrices.items():
        size = "{} x {}, {}".format(*matrix.cells.shape, matrix.n_classes)
        for depth in depths:
            line = Line(store, name, depth, solvers)
            ratio = line.ratio()
            if ratio is not None:
                ratios["two classes" if matrix.n_classes == 2 else "many classes"].append(ratio)
            least = "" if line.least is None else str(line.least)
            row = [name, size, str(depth), least]
            row += [shown(line.cells[solver], line.least) for solver in solvers]
            row.append("" if ratio is None else f"{ratio:.1f}")
            lines.append("| " + " | ".join(row) + " |")
    return [*lines, "", *means(ratios)]


def means(ratios: Mapping[str, Sequence[float]]) -> list[str]:
    """Geometric means of fastest peer / ours."""
    everything = {**ratios, "all": [one for some in ratios.values() for one in some]}
    return [
        f"- fastest peer / ours, {what}: geometric mean {statistics.geometric_mean(found):.1f}, "
        f"least {min(found):.1f}, of {len(found)}"
        for what, found in everything.items()
        if found
    ]


def wrong_claims(store: Store, names: Iterable[str], depths: Sequence[int]) -> list[str]:
    """Where a solver says that its tree is the best, and it is not."""
    lines = []
    for name in names:
        for depth in depths:
            line = Line(store, name, depth, SOLVERS)
            for solver, cell in line.cells.items():
                if cell and cell.get("proven") and not is_right(cell, line.least):
                    told = f"{cell['cost']} wrong rows as the least, not {line.least}"
                    lines.append(f"- {solver} on {name} at depth {depth}: {told}")
    return lines


def failures(store: Store, names: Iterable[str], depths: Sequence[int]) -> list[str]:
    """What kept a solver from an answer, other than the time."""
    reasons: dict[str, list[str]] = {}
    for name in names:
        for depth in depths:
            for solver in SOLVERS:
                cell = store.get(name, depth, solver) or {}
                if "left_out" in cell and "limit" not in cell:
                    reasons.setdefault(f"{solver}: {cell['left_out']}", []).append(
                        f"{name} {depth}"
                    )
    return [f"- {reason} ({', '.join(cells)})" for reason, cells in reasons.items()]


def versions(store: Store) -> str:
    """What is compared."""
    found = {cell["version"] for cell in store.cells.values() if "version" in cell}
    return ", ".join([*sorted(found), f"Python {platform.python_version()}"])


def page(lines: Sequence[str], args: argparse.Namespace, store: Store) -> list[str]:
    """The page of the documentation."""
    command = "python benchmarks/optimal.py"
    command += " --sets " + " ".join(f"'{one}'" for one in args.sets) if args.sets != SETS else ""
    command += " --depths " + " ".join(map(str, args.depths)) if args.depths != DEPTHS else ""
    command += f" --limit {args.limit}" if args.limit != LIMIT else ""
    wrong = wrong_claims(store, args.sets, args.depths)
    failed = failures(store, args.sets, args.depths)
    return [
        "# Time to the proven best tree",
        "",
        "Processor seconds of one thread until a solver has proven that no tree of the depth has",
        "fewer wrong rows: the same 0/1 matrix for all, as many nodes as the depth allows, leaves",
        "of any size. Each cell is a process of its own; handing over the matrix is counted, what",
        "Python does around it is not. Short runs are the median of three. The wrong rows are",
        "counted anew from each solver's tree. A ratio is the time of the fastest peer divided by",
        "ours; a peer that calls a worse tree the best does not count there. How the matrices are",
        "made is written at the top of `benchmarks/optimal_matrices.py`, how each solver is set in",
        "`benchmarks/peers/optimal_solvers.py`.",
        "",
        f"- command: `{command} --page {PAGE}`",
        f"- {versions(store)}",
        "",
        *lines,
        *(["", "## Wrong claims", "", *wrong] if wrong else []),
        *(["", "## Failures", "", *failed] if failed else []),
    ]


def read_pythons(given: Sequence[str]) -> dict[str, str]:
    """The interpreter of each peer."""
    named = dict(one.split("=", 1) for one in given if "=" in one)
    common = next((one for one in given if "=" not in one), sys.executable)
    return {peer: named.get(peer, common) for peer in PEERS}


def main() -> None:
    """Run what is asked for and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS, metavar="SET")
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS)
    parser.add_argument("--limit", type=int, default=LIMIT, help="processor seconds of one run")
    parser.add_argument("--peers", nargs="*", default=PEERS, choices=PEERS, metavar="PEER")
    parser.add_argument("--peers-python", nargs="+", default=[], metavar="[PEER=]PYTHON")
    parser.add_argument("--run", default="all", choices=["all", "ours", "peers", "none"])
    parser.add_argument("--cache", type=Path, help="keep results of the peers in this file")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    args = parser.parse_args()
    store = Store(args.cache)
    matrices = {name: make_matrix(name) for name in args.sets}
    pythons = read_pythons(args.peers_python)
    running = {OURS: sys.executable} if args.run in ("all", "ours") else {}
    running |= {peer: pythons[peer] for peer in args.peers if args.run in ("all", "peers")}
    fill(store, matrices, args.depths, running, args.limit)
    solvers = [OURS, *args.peers]
    lines = table(store, matrices, args.depths, solvers)
    print("\n".join(lines))
    print("\n".join(["", *wrong_claims(store, args.sets, args.depths)]))
    print("\n".join(failures(store, args.sets, args.depths)))
    if args.page:
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(lines, args, store)) + "\n")


if __name__ == "__main__":
    main()
