"""Growing a tree in pieces beside growing it in memory: CPU time and peak memory.

python benchmarks/chunks.py [--rows 1000000] [--depth 8] [--page docs/results/chunks.md]

One table is written as Parquet: ten numbers and ten nominal columns of 2 to 10,000 categories, and
two classes. Every way runs in a process of its own, whose peak memory is its own. In memory,
the time is given with reading the file and without. One thread. Trees are grown without pruning,
and with the default, which validates as many further trees as there are folds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

N_NUMBERS = 10
SIZES = (2, 3, 5, 10, 30, 100, 300, 1000, 3000, 10_000)
PIECE = 250_000  # rows made at a time, and in a file

PAGE = """# Trees in pieces and in memory

`python benchmarks/chunks.py --rows {rows} --depth {depth} --page docs/results/chunks.md`

A Parquet table of {rows:,} rows, ten numbers and ten nominal columns of 2 to 10,000 categories,
two classes; `TreeClassifier(max_depth={depth})`, without pruning or with the default. CPU seconds of
one process and its peak memory, of which {base:.0f} MB are Python and the libraries. The columns take
{arrow:,.0f} MB as Arrow.

| way | pruning | CPU s, reading or first pass | CPU s, growing | passes | peak MB | accuracy |
|---|---|---|---|---|---|---|
{lines}

A table in pieces takes one pass for the summary and one for each level of the tree, or more where
the counts of a level exceed 512 MB; validation takes two more. Accuracy is on {tested:,} other
rows. The numbers of this table are nearly all different, so that the tree in pieces has thresholds
between bins and is not the tree of memory; the tests compare trees where they must be equal.

What is not measured here: tables that exceed the memory of the machine, several processes, and
other libraries.
"""  # noqa: E501


def make(folder: Path, n_rows: int, seed: int) -> None:
    """Write the files."""
    for i, start in enumerate(range(0, n_rows, PIECE)):
        rng = np.random.default_rng([seed, i])
        n = min(PIECE, n_rows - start)
        numbers = rng.normal(size=(N_NUMBERS, n))
        codes = [rng.integers(0, size, n) for size in SIZES]
        score = numbers[0] + numbers[1] * (codes[2] == 0) + np.sin(codes[9]) + np.cos(codes[5])
        y = np.where(score + rng.normal(size=n) > 0, "yes", "no")
        columns: dict[str, Any] = {f"x{j}": x for j, x in enumerate(numbers)}
        for j, (size, code) in enumerate(zip(SIZES, codes, strict=True)):
            labels = np.array([f"v{v:04}" for v in range(size)])
            columns[f"c{j}"] = labels[code]
        pq.write_table(pa.table({**columns, "y": y}), folder / f"{i:04}.parquet")


def run(way: str, folder: Path, depth: int, pruning: str | None) -> dict[str, Any]:
    """Fit in this process."""
    import mixedwood as mw
    from mixedwood.data.chunks import Chunks
    from mixedwood.data.summary import summarize

    model = mw.TreeClassifier(max_depth=depth, pruning=pruning)
    facts: dict[str, Any] = {"base": _peak(), "passes": ""}
    started = time.process_time()
    if way == "memory":
        table = pq.read_table(folder / "train", use_threads=False)
        X, y = table.drop_columns("y"), table["y"]
        facts["arrow"] = X.nbytes / 2**20
        facts["first"] = time.process_time() - started
        model.fit(X, y)
        facts["growing"] = time.process_time() - started - facts["first"]
    else:
        summarize(Chunks(folder / "train", max_bins=int(way)), "y")
        facts["first"] = time.process_time() - started
        started = time.process_time()
        chunks = Chunks(folder / "train", max_bins=int(way))
        passes = [0]
        read = chunks.run

        def counted(*given: Any, **options: Any) -> Any:
            passes[0] += 1
            return read(*given, **options)

        chunks.run = counted  # type: ignore[method-assign]
        model.fit(chunks, "y")
        facts["passes"] = str(passes[0])
        facts["growing"] = time.process_time() - started - facts["first"]
    facts["peak"] = _peak()
    test = pq.read_table(folder / "test")
    right = model.predict(test.drop_columns("y")) == test["y"].to_numpy(zero_copy_only=False)
    facts["accuracy"] = float(right.mean())
    return facts


def _peak() -> float:
    # That of resource.getrusage begins with the peak of the parent process.
    status = Path("/proc/self/status").read_text()
    return float(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure, print and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--pruned", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.way:
        pruning = "cost_complexity" if args.pruned else None
        print(json.dumps(run(args.way, args.folder, args.depth, pruning)))
        return
    tested = max(1000, min(args.rows // 10, PIECE))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, n, seed in (("train", args.rows, 0), ("test", tested, 1)):
            (folder / part).mkdir()
            make(folder / part, n, seed)
        lines, facts = [], {}
        for pruned in (False, True):
            for way in ("memory", "255") if pruned else ("memory", "255", "63"):
                command = [sys.executable, __file__, "--way", way, "--folder", name]
                command += ["--depth", str(args.depth), *(["--pruned"] if pruned else [])]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                facts |= json.loads(done.stdout)
                lines.append(
                    f"| {'in memory' if way == 'memory' else f'in pieces, {way} bins'} | "
                    f"{'default' if pruned else 'None'} | {facts['first']:.1f} | "
                    f"{facts['growing']:.1f} | {facts['passes']} | {facts['peak']:,.0f} | "
                    f"{facts['accuracy']:.4f} |"
                )
                print(lines[-1], flush=True)
    if args.page:
        args.page.write_text(
            PAGE.format(
                rows=args.rows, depth=args.depth, tested=tested, base=facts["base"],
                arrow=facts["arrow"], lines="\n".join(lines),
            )
        )  # fmt: skip


if __name__ == "__main__":
    main()
