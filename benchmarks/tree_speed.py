"""Time and memory of one tree, ours and the peers', on the same rows to the same depth.

    python benchmarks/tree_speed.py [--sets adult covertype nominal] [--depths 6 10 none]
    python benchmarks/tree_speed.py --scaling [--plot out/tree_scaling.png]
    python benchmarks/tree_speed.py --page docs/results/tree-speed.md

Times are processor time: the best of several runs, in turns, so that a busy moment hits all alike.
What is in a step and how the peers are set is written at the top of `tree_contenders.py`. A
combination that needs more than two minutes is left out, and said so. Peak memory is that of a
process of its own: what encoding, growing and answering need at most above what was there with the
frame loaded. A page has both in it: the comparison and how our cost grows.
"""

from __future__ import annotations

import argparse
import io
import json
import platform
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path

import numpy as np
from tree_contenders import ALL, Contender, Data, Mixedwood, load_data

MOST_SECONDS = 120
PAGE = "docs/results/tree-speed.md"
SETS, DEPTHS, ROUNDS = ["adult", "covertype", "nominal"], ["6", "10", "none"], 5


def memory_in_kb(field: str) -> int:
    """A line of the process's status: VmRSS now, VmHWM at its peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"no {field} here; peak memory needs Linux.")


def probe(set_name: str, contender: str, depth: int | None) -> None:
    """In a process of its own: run all steps once and print the peak memory."""
    data = load_data(set_name)
    kind = next(kind for kind in ALL if kind.name == contender)
    warm_up(kind)
    before = memory_in_kb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    runner = kind(data)
    start = time.process_time()
    limit = int(start) + MOST_SECONDS  # of processor time, so that a busy machine does not matter
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
    runner.predict(runner.fit(depth))
    print(json.dumps({"peak_kb": memory_in_kb("VmHWM") - before}))


def warm_up(kind: type[Contender]) -> None:
    """Pay for imports on a table of a few rows."""
    small = load_data("tic-tac-toe")
    runner = kind(small)
    runner.predict(runner.fit(2))


def probe_apart(set_name: str, kind: type[Contender], depth: int | None) -> dict:
    """Start a probe; what it found, or why it found nothing."""
    command = [sys.executable, __file__, "--probe", set_name, kind.name, str(depth)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return {"left_out": f"more than {MOST_SECONDS} s"}
    if done.returncode:
        return {"left_out": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def timed(call, *args):
    """Seconds and result."""
    start = time.process_time()
    result = call(*args)
    return time.process_time() - start, result


def best_times(runners: list[Contender], depth: int | None, rounds: int) -> dict[str, dict]:
    """Best of several runs, in turns; slow ones get fewer turns."""
    found = {r.name: {"fit": np.inf, "predict": np.inf, "turns": 0, "spent": 0.0} for r in runners}
    for _ in range(rounds):
        for runner in runners:
            mine = found[runner.name]
            if mine["turns"] and mine["spent"] > 60.0:
                continue
            fit, model = timed(runner.fit, depth)
            mine["leaves"] = runner.leaves(model)
            for _ in range(3):
                predict, _ = timed(runner.predict, model)
                mine["predict"] = min(mine["predict"], predict)
            mine["fit"] = min(mine["fit"], fit)
            mine["turns"] += 1
            mine["spent"] += fit
    return found


def encoded(data: Data, kinds: list[type[Contender]], rounds: int) -> list[Contender]:
    """Encode in turns; the last of each is kept, with the best seconds."""
    best: dict[str, dict[str, float]] = {kind.name: {} for kind in kinds}
    for _ in range(rounds):
        runners = []
        for kind in kinds:
            runners.append(kind(data))
            for step, seconds in runners[-1].steps.items():
                best[kind.name][step] = min(seconds, best[kind.name].get(step, np.inf))
    for runner in runners:
        runner.steps = best[runner.name]
    return runners


def show_ratios(found: dict[str, dict], encode: dict[str, float]) -> None:
    """Ours against the best peer in each column."""
    if Mixedwood.name not in found or len(found) < 2:
        return
    totals = {name: encode[name] + times["fit"] for name, times in found.items()}
    columns = {
        "fit": {name: times["fit"] for name, times in found.items()},
        "encode + fit": totals,
        "predict": {name: times["predict"] for name, times in found.items()},
    }
    for what, seconds in columns.items():
        ours = seconds.pop(Mixedwood.name)
        peer = min(seconds, key=seconds.__getitem__)
        print(f"  {what}: {ours / seconds[peer]:.2f} x the best peer ({peer})")


def compare(set_name: str, depths: list[int | None], rounds: int) -> None:
    """All tables of one set."""
    data = load_data(set_name)
    kinds = [kind for kind in ALL if kind.suits(data)]
    for kind in kinds:
        warm_up(kind)
    runners = encoded(data, kinds, min(rounds, 3))
    print(f"\n{data.name}: {len(data.y)} rows, {data.X.shape[1]} columns, {data.n_classes} classes")
    print("  encoding, ms")
    for runner in runners:
        steps = ", ".join(f"{step} {1e3 * s:.0f}" for step, s in runner.steps.items())
        print(f"    {runner.name:<28} {steps}")
    encode = {runner.name: sum(runner.steps.values()) for runner in runners}
    for depth in depths:
        print(f"  depth {'not limited' if depth is None else depth}")
        probes = {kind.name: probe_apart(set_name, kind, depth) for kind in kinds}
        quick = [runner for runner in runners if "left_out" not in probes[runner.name]]
        found = best_times(quick, depth, rounds)
        print(f"    {'':<28} {'fit ms':>9} {'predict ms':>10} {'peak MB':>8}  leaves")
        for runner in runners:
            if runner.name not in found:
                print(f"    {runner.name:<28} left out: {probes[runner.name]['left_out']}")
                continue
            times, peak = found[runner.name], probes[runner.name]["peak_kb"] / 1e3
            row = f"{1e3 * times['fit']:>9.1f} {1e3 * times['predict']:>10.2f} {peak:>8.0f}"
            print(f"    {runner.name:<28} {row}  {times['leaves']}", flush=True)
            if isinstance(runner, Mixedwood):
                whole = min(timed(runner.fit_frame, depth)[0] for _ in range(rounds))
                share = 1e6 * peak / runner.table_bytes
                print(f"      from the frame {1e3 * whole:.1f} ms; peak {share:.1f} x the table")
        show_ratios(found, encode)


class Tee(io.StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        """Keep and print."""
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def printed(call: Callable[[], None]) -> list[str]:
    """Run and give the lines that it printed."""
    tee = Tee()
    with redirect_stdout(tee):
        call()
    return tee.getvalue().strip("\n").splitlines()


def versions() -> str:
    """What is compared."""
    import mixedwood

    found = [f"mixedwood {mixedwood.__version__}"]
    for package, name in {
        "scikit-learn": "scikit-learn",
        "lightgbm": "LightGBM",
        "ydf": "YDF",
    }.items():
        try:
            found.append(f"{name} {version(package)}")
        except ImportError:
            continue  # its lines are not there either
    return ", ".join([*found, f"Python {platform.python_version()}"])


def page(comparison: list[str], scaling: list[str], command: str) -> list[str]:
    """The page of the documentation."""
    return [
        "# Speed of one tree",
        "",
        "Time to grow one tree and to predict, ours and the peers', on the same rows to the",
        "same depth, one thread each. Processor time, the best of several runs in turns. Encoding",
        "is counted apart: for us it is reading the frame into a typed table; ranking the numbers",
        "of a column is part of our fit. LightGBM grows one tree per class. How each peer is set",
        "is written at the top of `benchmarks/tree_contenders.py`.",
        "",
        f"- command: `{command}`",
        f"- {versions()}",
        "",
        "```",
        *comparison,
        "```",
        "",
        "## Where the time goes",
        "",
        "- Counting is an increment at a random place per row and column. Two tables in turn for",
        "  columns with few cells, and the largest child by subtraction, keep the increments few.",
        "- A numeric column with more than 1,024 different numbers is counted in 256 buckets. The",
        "  best cut in a bucket is bounded by the counts at its ends, and only buckets that could",
        "  beat the best test so far are looked into. The result is that of the plain sweep.",
        "- A nominal column of a node with few rows costs what its rows cost, not what its values",
        "  do.",
        "",
        "## Cost against the size of the table",
        "",
        "One size is changed at a time; the last line of each group is the power of a law through",
        "the upper half of the group.",
        "",
        "```",
        *scaling,
        "```",
    ]


def shown_command(args: argparse.Namespace) -> str:
    """The command; a page has the scaling in it, so it is named."""
    words = ["python benchmarks/tree_speed.py"]
    words += ["--sets " + " ".join(args.sets)] if args.sets != SETS else []
    words += ["--depths " + " ".join(args.depths)] if args.depths != DEPTHS else []
    words += [f"--rounds {args.rounds}"] if args.rounds != ROUNDS else []
    return " ".join([*words, f"--page {PAGE}"])


def compare_sets(args: argparse.Namespace) -> None:
    """Compare on all sets."""
    depths = [None if depth.lower() == "none" else int(depth) for depth in args.depths]
    for set_name in args.sets:
        compare(set_name, depths, args.rounds)


def main() -> None:
    """Compare, or show how our cost grows, or both for the page."""
    from tree_scaling import show_scaling

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--depths", nargs="+", default=DEPTHS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--probe", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.probe:
        set_name, contender, depth = args.probe
        probe(set_name, contender, None if depth == "None" else int(depth))
        return
    if args.page:
        comparison = printed(lambda: compare_sets(args))
        scaling = printed(lambda: show_scaling(args.plot))
        lines = page(comparison, scaling, shown_command(args))
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(lines) + "\n")
    elif args.scaling:
        show_scaling(args.plot)
    else:
        compare_sets(args)


if __name__ == "__main__":
    main()
