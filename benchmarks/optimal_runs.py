"""Runs of solvers, each in a process of its own, and a file that keeps those of the peers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from optimal_matrices import Matrix

SCRIPT = Path(__file__).with_name("peers") / "optimal_solvers.py"
BESIDES = 30.0  # seconds for imports and for repeating what is short
OUT_OF_MEMORY = "out of memory"

# What is known of one solver on one matrix at one depth: "seconds", "cost", "proven", "version";
# or "left_out" with the reason, and the "limit" if that was it
Cell = dict[str, Any]


def processor_seconds(pid: int) -> float:
    """What a running process has used so far; 0 if it has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_once(python: str, solver: str, path: Path, depth: int, limit: int) -> Cell:
    """Start the solver; what it found, or why it found nothing."""
    command = [python, str(SCRIPT), solver, str(path), str(depth)]
    too_long = {"left_out": f"more than {limit} s", "limit": limit}
    with tempfile.TemporaryFile("w+") as answer, tempfile.TemporaryFile("w+") as words:
        process = subprocess.Popen(command, stdout=answer, stderr=words)
        while process.poll() is None:
            if processor_seconds(process.pid) > limit + BESIDES:
                process.kill()
                process.wait()
                return too_long
            time.sleep(0.02)
        answer.seek(0)
        words.seek(0)
        told, complaints = answer.read(), words.read()
    if process.returncode:
        lines = complaints.strip().splitlines() or [f"exit {process.returncode}"]
        memory = any("bad_alloc" in line or "MemoryError" in line for line in lines)
        return {"left_out": OUT_OF_MEMORY if memory else lines[-1][:200]}
    found = json.loads(told.splitlines()[-1])
    return too_long if found["seconds"] > limit else found


def run(python: str, solver: str, matrix: Matrix, depth: int, limit: int) -> Cell:
    """Hand the matrix over in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "matrix.npz")
        np.savez(path, cells=np.ascontiguousarray(matrix.cells), classes=matrix.classes)
        return run_once(python, solver, path, depth, limit)


def gave_up(cell: Cell) -> bool:
    """Whether it was too much for the solver, so that a deeper tree is too."""
    return "limit" in cell or cell.get("left_out") == OUT_OF_MEMORY


class Store:
    """Cells by set, depth and solver; with a file, those of the peers are kept in it."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.cells: dict[str, Cell] = {}
        if path is not None and path.exists():
            self.cells = json.loads(path.read_text())

    def get(self, name: str, depth: int, solver: str, limit: int = 0) -> Cell | None:
        """What is known; nothing if it was given up earlier than it would be now."""
        found = self.cells.get(f"{name}/{depth}/{solver}")
        return None if found is None or found.get("limit", limit) < limit else found

    def put(self, name: str, depth: int, solver: str, cell: Cell) -> None:
        """Keep a cell, in the file too, so that a run that is broken off loses little."""
        self.cells[f"{name}/{depth}/{solver}"] = cell
        if self.path is not None:
            kept = {key: one for key, one in self.cells.items() if not key.endswith("/mixedwood")}
            written = self.path.with_suffix(".new")
            written.write_text(json.dumps(kept, indent=0, sort_keys=True))
            written.replace(self.path)


def fill(
    store: Store,
    matrices: Mapping[str, Matrix],
    depths: Sequence[int],
    solvers: Mapping[str, str],
    limit: int,
) -> None:
    """Run whatever is not known yet; `solvers` gives the interpreter of each."""
    for solver, python in solvers.items():
        for depth in sorted(depths):
            for name, matrix in matrices.items():
                if store.get(name, depth, solver, limit) is not None:
                    continue
                shallower = store.get(name, depth - 1, solver, limit)
                if shallower is not None and gave_up(shallower):
                    cell = shallower
                else:
                    cell = run(python, solver, matrix, depth, limit)
                store.put(name, depth, solver, cell)
                told = cell.get("left_out") or f"{cell['seconds']:.4f} s, {cell['cost']} wrong"
                print(f"{solver} on {name}, depth {depth}: {told}", file=sys.stderr, flush=True)
