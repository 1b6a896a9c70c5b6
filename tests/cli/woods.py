"""A small table in a file, and a short way to call the command."""

import numpy as np
from click.testing import CliRunner

from mixedwood.cli import main


def run(*args, stdin=None):
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def ok(*args, stdin=None):
    result = run(*args, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result


def woods_csv(path, n=60, seed=0):
    """Text, numbers, gaps, codes with leading zeros, ordered labels and three classes."""
    rng = np.random.default_rng(seed)
    lines = ["id,color,size,zip,grade,wood"]
    for i in range(n):
        kind = int(rng.integers(3))
        color = ("red", "blue", "white", "?")[min(3, kind + int(rng.integers(2)))]
        grade = "SML"[(kind + int(rng.integers(2))) % 3]
        wood = ("ash", "birch", "cedar")[kind]
        lines.append(f"{i + 1},{color},{rng.normal(kind, 0.5):.2f},0{i % 5},{grade},{wood}")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
