"""Optimal regression trees: processor time beside STreeD and OSRT, at equal objectives.

    python benchmarks/optimal_regression.py --data DIR --peer-python PYTHON [--limit 60]

Each table of the folder becomes one 0/1 matrix that all solvers get: "at most t" for five quantiles
of a number, one column per category of at least 2 % of the rows. A cell is a table, a depth and a
penalty. Each solver runs in a process of its own; one that takes longer than the limit is
ended, and the cell counts as "at least" so many times. The page is
docs/results/optimal-regression.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from regression_accuracy import load

from mixedwood.preprocessing import FeatureBinarizer

SETS = [
    "mpg",
    "carseats",
    "hitters",
    "computers",
    "cps1988",
    "wage",
    "saratoga-houses",
    "doctor-visits",
    "txhousing",
    "diamonds",
    "gss-wages",
    "ames",
]
DEPTHS = (2, 3, 4)
N_BINS = 6
LEAST_SHARE = 0.02
OSRT_CELLS = (("hitters", 2), ("carseats", 2), ("mpg", 2), ("wage", 2), ("doctor-visits", 2))
OSRT_PENALTY = 0.01
SOLVER = Path(__file__).parent / "peers" / "optimal_regression_solvers.py"


def matrix_of(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The 0/1 matrix of a table, and its numbers."""
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))
    entry = next(entry for entry in listed if entry["name"] == name)
    X, y, _ = load(entry, folder)
    cells = FeatureBinarizer(n_bins=N_BINS).fit_transform(X).astype(np.uint8)
    share = cells.mean(axis=0)
    cells = cells[:, (share >= LEAST_SHARE) & (share <= 1 - LEAST_SHARE)]
    _, first = np.unique(cells, axis=1, return_index=True)  # in the order of the table
    return np.ascontiguousarray(cells[:, np.sort(first)]), y


def run(python: str, solver: str, path: Path, depth: int, penalty: float, limit: float) -> Any:
    """What a solver prints, or None if it takes too long or fails."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    call = [python, str(SOLVER), solver, str(path), str(depth), repr(penalty)]
    # Processor time, as this machine may be busy with other things.
    done = subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    while True:
        try:
            output, errors = done.communicate(timeout=0.5)
            break
        except subprocess.TimeoutExpired:
            if processor_seconds(done.pid) > limit:
                done.kill()
                done.communicate()
                return None
    if done.returncode != 0 or not output.strip():
        print(f"{solver} failed: {errors.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(output.strip().splitlines()[-1])


def processor_seconds(process: int) -> float:
    """Of a running process."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(arguments: argparse.Namespace) -> list[dict]:
    cells = [(name, depth, 0.0) for name in arguments.sets for depth in arguments.depths]
    cells += [(n, d, OSRT_PENALTY) for n, d in OSRT_CELLS if n in arguments.osrt]
    rows, made, slow = [], {}, set()
    with tempfile.TemporaryDirectory() as folder:
        for name, depth, penalty in cells:
            if name not in made:
                bits, y = matrix_of(arguments.data, name)
                made[name] = Path(folder) / f"{name}.npz", bits.shape
                np.savez(made[name][0], cells=bits, y=y)
            path, shape = made[name]
            row = {"set": name, "depth": depth, "penalty": penalty, "shape": shape, "peers": {}}
            row["ours"] = run(sys.executable, "mixedwood", path, depth, penalty, 600)
            peers = ["pystreed kmeans", "pystreed equivalent"] + ["osrt"] * (penalty > 0)
            for peer in peers:
                if (name, peer, penalty) in slow:  # it was too slow at a smaller depth
                    row["peers"][peer] = None
                    continue
                found = run(arguments.peer_python, peer, path, depth, penalty, arguments.limit)
                row["peers"][peer] = found
                if found is None:
                    slow.add((name, peer, penalty))
                elif peer != "osrt" or found["proven"]:
                    ours, theirs = row["ours"]["cost"], found["cost"]
                    # No tree of a peer is better; a proven one is as good.
                    assert ours <= theirs * (1 + 1e-9), (name, depth, peer, ours, theirs)
                    row["equal"] = abs(ours - theirs) <= 1e-9 * theirs
                    assert row["equal"] or not found["proven"], (name, depth, peer, ours, theirs)
            rows.append(row)
            print(line_of(row, arguments.limit), flush=True)
    return rows


def ratio_of(row: dict, limit: float, osrt: bool = False) -> tuple[float, bool] | None:
    """Time of the fastest peer over ours, and whether all peers were ended at the limit."""
    peers = {k: v for k, v in row["peers"].items() if (k == "osrt") == osrt}
    if not peers:
        return None
    times = [found["seconds"] for found in peers.values() if found]
    return (min(times, default=limit)) / row["ours"]["seconds"], not times


def line_of(row: dict, limit: float) -> str:
    n, m = row["shape"]
    found = ["ended" if f is None else f"{f['seconds']:.4f}" for f in row["peers"].values()] + [
        "-"
    ] * (3 - len(row["peers"]))
    ratio, ended = ratio_of(row, limit)
    shown = f"{'≥ ' if ended else ''}{ratio:.1f}"
    return (
        f"| {row['set']} | {n} x {m} | {row['depth']} | {row['penalty']:g} | "
        f"{row['ours']['seconds']:.4f} | {' | '.join(found)} | {shown} |"
    )


def summary(rows: list[dict], limit: float) -> list[str]:
    lines = []
    done = [(ratio_of(row, limit), row) for row in rows]
    for title, chosen in (
        ("cells that a STreeD finished", [(r, row) for (r, ended), row in done if not ended]),
        (
            "all cells, a search that was ended counted with its limit",
            [(r, w) for (r, _), w in done],
        ),
    ):
        if chosen:
            ratios = np.array([r for r, _ in chosen])
            worst = chosen[int(ratios.argmin())][1]
            lines.append(
                f"{title}: {len(ratios)}, fastest STreeD takes {np.exp(np.log(ratios).mean()):.1f} "
                f"times our processor time (geometric mean); least {ratios.min():.1f} "
                f"({worst['set']}, depth {worst['depth']})"
            )
    osrt = [r for r in (ratio_of(row, limit, osrt=True) for row in rows) if r]
    if osrt:
        lines.append(
            f"OSRT: {sum(not ended for _, ended in osrt)} of {len(osrt)} cells finished; it takes "
            f"at least {min(r for r, _ in osrt):.0f} times our processor time"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds of a peer")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--depths", nargs="*", type=int, default=list(DEPTHS))
    parser.add_argument("--osrt", nargs="*", default=[name for name, _ in OSRT_CELLS])
    arguments = parser.parse_args()
    print("| set | rows x columns | depth | penalty | mixedwood | STreeD, kmeans | STreeD, "
          "equivalent | OSRT | ratio |")  # fmt: skip
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for line in summary(measure(arguments), arguments.limit):
        print(line)


if __name__ == "__main__":
    main()
