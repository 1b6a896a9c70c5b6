"""Time and memory of ensembles, ours and the peers', on the same rows with two threads each.

    python benchmarks/ensemble_speed.py [--sets adult nominal] [--size 100] [--page PAGE]

Times are those of the wall's clock: medians of several runs, in turns, so that a busy moment hits
all alike; encoding is timed once. What is in a step and how the peers are set is written at the top
of `ensemble_contenders.py`. What needs more than ten minutes of processor time is left out, and
said so; a tenth of the trees is tried first, so that nobody waits for that. Peak memory is that of
a process of its own: what encoding, fitting and answering need at most above what was there with
the frame loaded; for ranger, what fitting and answering need above the table that R has read.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from accuracy import write_page
from ensemble_contenders import ALL, THREADS, Ensemble, Ours, Ranger
from peers import r_ensembles
from tree_contenders import Data, load_data
from tree_speed import memory_in_kb

import mixedwood
from mixedwood.datasets import make_waveform

MOST_SECONDS = 600
PATIENCE = 90.0  # seconds after which a contender gets no further turn
TASKS = {"forest": "Forests of {} trees", "boosting": "Boosting, {} rounds"}
WAVEFORM_TREES = 101


def find(task: str, name: str) -> type[Ensemble]:
    """A contender by its names."""
    return next(kind for kind in ALL if (kind.task, kind.name) == (task, name))


def warm_up(kind: type[Ensemble]) -> None:
    """Pay for imports on a table of a few rows."""
    runner = kind(load_data("tic-tac-toe"))
    runner.timed_predict(runner.timed_fit(2)[1])
    runner.close()


def probe(set_name: str, task: str, name: str, most: str, size: int) -> None:
    """In a process of its own: run all steps once and print the peak memory."""
    data, kind = load_data(set_name), find(task, name)
    if not issubclass(kind, Ranger):
        warm_up(kind)
    limit = int(time.process_time()) + int(most)  # processes started from here have it, too
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
    started = processor_seconds()
    before = memory_in_kb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    runner = kind(data)
    if isinstance(runner, Ranger):
        runner.ask("mark")
    fit_seconds, model = runner.timed_fit(size)
    predict_seconds = runner.timed_predict(model)
    in_r = isinstance(runner, Ranger)
    peak = runner.ask("peak") if in_r else memory_in_kb("VmHWM") - before
    runner.close()
    found = {
        "peak_kb": peak,
        "cpu_seconds": processor_seconds() - started,
        "fit": fit_seconds,
        "predict": predict_seconds,
        "encode": sum(runner.steps.values()),
    }
    print(json.dumps(found))


def processor_seconds() -> float:
    """Processor time of this process and of those it has started and seen end."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def probe_apart(set_name: str, kind: type[Ensemble], size: int, most: int) -> dict[str, Any]:
    """Start a probe; what it found, or why it found nothing."""
    command = [sys.executable, __file__, "--size", str(size)]
    command += ["--probe", set_name, kind.task, kind.name, str(most)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) or "exit code -24" in done.stderr:
        return {"left_out": f"more than {most} s of processor time"}
    if done.returncode:
        return {"left_out": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def try_apart(set_name: str, kind: type[Ensemble], size: int) -> dict[str, Any]:
    """Probe a tenth of the trees first, and all of them if that promises to end in time."""
    part = max(1, size // 10)
    found = probe_apart(set_name, kind, part, MOST_SECONDS // 5)  # reading the data counts, too
    if "left_out" in found:
        return {"left_out": f"{found['left_out']}, for {part} trees"}
    seconds = found["cpu_seconds"] * size / part
    if seconds > MOST_SECONDS:
        why = f"about {seconds:.0f} s of processor time: {part} trees take"
        return {"left_out": f"{why} {found['cpu_seconds']:.0f} s"}
    return probe_apart(set_name, kind, size, MOST_SECONDS)


def try_and_tell(set_name: str, kind: type[Ensemble], size: int) -> dict[str, Any]:
    """Probe, with a sign of life: a large table takes minutes."""
    found = try_apart(set_name, kind, size)
    print(f"{kind.name}: {found}", file=sys.stderr, flush=True)
    return found


def take_turns(runners: list[Ensemble], size: int, rounds: int) -> dict[str, dict[str, float]]:
    """Medians of seconds to fit and to answer; slow ones get fewer turns."""
    fits: dict[str, list[float]] = {runner.name: [] for runner in runners}
    answers: dict[str, list[float]] = {runner.name: [] for runner in runners}
    for _ in range(rounds):
        for runner in runners:
            if sum(fits[runner.name]) > PATIENCE:
                continue
            seconds, model = runner.timed_fit(size)
            fits[runner.name].append(seconds)
            answers[runner.name] += [runner.timed_predict(model) for _ in range(2)]
    return {
        name: {
            "fit": median(fits[name]),
            "predict": median(answers[name]),
            "turns": len(fits[name]),
        }
        for name in fits
    }


def best_peer(found: dict[str, dict[str, float]], what: str, ours: str | None) -> float:
    """Least seconds of the others."""
    return min(times[what] for name, times in found.items() if name != ours)


def compare(data: Data, set_name: str, task: str, size: int, rounds: int) -> list[str]:
    """One table: encode, fit and predict in seconds, beside the best of the others."""
    kinds = [kind for kind in ALL if kind.task == task and kind.suits(data)]
    probes = {kind.name: try_and_tell(set_name, kind, size) for kind in kinds}
    quick = [kind for kind in kinds if "left_out" not in probes[kind.name]]
    encode = {kind.name: probes[kind.name]["encode"] for kind in quick}
    if rounds:
        for kind in quick:
            warm_up(kind)
        runners = [kind(data) for kind in quick]
        found = take_turns(runners, size, rounds)
        encode = {runner.name: sum(runner.steps.values()) for runner in runners}
        for runner in runners:
            runner.close()
    else:
        found = {kind.name: {**probes[kind.name], "turns": 1} for kind in quick}
    ours = next((kind.name for kind in quick if issubclass(kind, Ours)), None)
    lines = [
        "| | encode s | fit s | x best peer | predict s | x best peer | peak MB | turns |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, times in found.items():
        ratios = [times[what] / best_peer(found, what, ours) for what in ("fit", "predict")]
        encoded = f"{encode[name]:.2f}" if encode[name] else "-"
        lines.append(
            f"| {f'**{name}**' if name == ours else name} | {encoded} | {times['fit']:.2f} | "
            f"{ratios[0]:.2f} | {times['predict']:.3f} | {ratios[1]:.2f} | "
            f"{probes[name]['peak_kb'] / 1e3:.0f} | {times['turns']} |"
        )
    left_out = {name: found["left_out"] for name, found in probes.items() if "left_out" in found}
    return [*lines, "", *[f"- {name} is left out: {why}" for name, why in left_out.items()]]


def compare_waveform(rounds: int) -> list[str]:
    """Grow-and-prune against bagging of CART trees, both ours: 101 trees on 300 rows."""
    data = make_waveform(300, random_state=0, frame="pandas")
    settings = {"n_jobs": THREADS, "random_state": 0}
    try:
        models = {
            "bagging of CART trees": mixedwood.ForestClassifier.bagging_cart,
            "grow and prune": mixedwood.GrowPruneForestClassifier,
        }
    except AttributeError as missing:
        return [f"Left out: {missing}."]
    seconds: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(max(1, rounds)):
        for name, make in models.items():
            model = make(n_estimators=WAVEFORM_TREES, **settings)
            start = time.perf_counter()
            model.fit(data.X, data.y)
            seconds[name].append(time.perf_counter() - start)
    slow, fast = (median(seconds[name]) for name in models)
    lines = ["| | fit s |", "|---|---:|"]
    lines += [f"| {name} | {median(found):.3f} |" for name, found in seconds.items()]
    return [*lines, "", f"Grow-and-prune is {slow / fast:.1f} times as fast."]


def versions() -> str:
    """What is compared."""
    names = {
        "scikit-learn": "scikit-learn",
        "lightgbm": "LightGBM",
        "xgboost": "XGBoost",
        "ydf": "YDF",
    }
    found = [f"mixedwood {mixedwood.__version__}"]
    for package, name in names.items():
        try:
            found.append(f"{name} {version(package)}")
        except ImportError:
            continue
    if Ranger.suits(load_data("tic-tac-toe")):
        found.append(r_ensembles.version())
    return ", ".join([*found, f"Python {platform.python_version()}"])


def page(where: str, sections: list[str], command: str, rounds: int) -> list[str]:
    """The page of the documentation."""
    runs = "medians of several runs in turns" if rounds else "one run each in its own process"
    return [
        f"# Speed of ensembles{where}",
        "",
        "Time to fit and to predict the training rows, ours and the peers', on the same rows, with",
        f"two threads each. Wall-clock time, {runs}. Encoding is counted",
        "apart. Ratios are to the best of the others. How each peer is set and what a step has in",
        "it is written at the top of `benchmarks/ensemble_contenders.py`.",
        "",
        f"- command: `{command}`",
        f"- {versions()}",
        "",
        *sections,
    ]


def shown_command(args: argparse.Namespace) -> str:
    """The command without its page."""
    words = ["python benchmarks/ensemble_speed.py"]
    words += ["--sets " + " ".join(args.sets)] if args.sets != ["adult", "nominal"] else []
    words += ["--tasks " + " ".join(args.tasks)] if args.tasks != list(TASKS) else []
    words += [f"--size {args.size}"] if args.size != 100 else []
    words += [f"--rounds {args.rounds}"] if args.rounds != 5 else []
    return " ".join(words)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=["adult", "nominal"])
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--size", type=int, default=100, help="number of trees or rounds")
    parser.add_argument(
        "--rounds", type=int, default=5, help="turns of each; 0: one, in a process of its own"
    )
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--probe", nargs=4, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Compare, and write the page if asked."""
    args = parse_arguments()
    warnings.simplefilter("ignore")
    if args.probe:
        probe(*args.probe, args.size)
        return
    sections: list[str] = []

    def add(*lines: str) -> None:
        sections.extend(lines)
        print("\n".join(lines), flush=True)

    for task in args.tasks:
        add(f"## {TASKS[task].format(args.size)}", "")
        for set_name in args.sets:
            data = load_data(set_name)
            rows, columns = data.X.shape
            add(f"### {data.name}: {rows} rows, {columns} columns, {data.n_classes} classes", "")
            add(*compare(data, set_name, task, args.size, args.rounds), "")
    if args.sets != ["nominal"]:  # a page of its own: it takes long
        add(f"## Grow-and-prune, {WAVEFORM_TREES} trees on 300 rows of waveform", "")
        add(*compare_waveform(args.rounds))
    if args.page:
        where = " on columns of a thousand values" if args.sets == ["nominal"] else ""
        write_page(args.page, page(where, sections, shown_command(args), args.rounds))


if __name__ == "__main__":
    main()
