"""Print how large the code is and how long its walks are, for this checkout or another.

    python tools/code_figures.py                  # src/mixedwood beside this script
    python tools/code_figures.py --root OTHER     # another checkout, with its module built
    python tools/code_figures.py --json

Lines of code are lines that are neither blank nor only a comment or docstring. A walk runs the
public function in this process on a small table and counts the modules of the library it calls,
and how many of them are on the stack at once; modules that are only imported do not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tempfile
import threading
import tokenize
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

NATIVE = ("core/include", "core/src", "bindings")
# Modules that a walk passes with values only (schemas, encoded tables, parts with their options,
# seeds, deadlines), so that a reader need not open them. Both numbers are printed, with them and
# without; the second line has their names before the packages were rearranged.
HOLDING_VALUES = {
    *("data/schema", "grow/encoded", "_parts", "_random", "_limits"),
    *("data/table", "growers/coded", "parts", "growers/stopping", "growers/limits"),
}
# Least length of a run of equal lines that counts as a duplicate.
DUPLICATE_LINES = 6


def python_lines(path: Path) -> int:
    """Lines of code of a Python file."""
    source = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in skipped and token.type != tokenize.ENDMARKER:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                lines -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def native_lines(path: Path) -> int:
    """Lines of code of a C++ file."""
    source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return sum(bool(re.sub(r"//.*", "", line).strip()) for line in source.splitlines())


def sizes(root: Path) -> dict[str, tuple[int, int, int]]:
    """Modules, lines and lines of code by package, native folders among them."""
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    package = root / "src" / "mixedwood"
    for path in sorted(package.rglob("*.py")):
        inside = path.relative_to(package).parts
        count(found[inside[0] if len(inside) > 1 else "(top)"], path, python_lines)
    for folder in NATIVE:
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            count(found[folder], path, native_lines)
    return {name: (a, b, c) for name, (a, b, c) in found.items()}


def count(total: list[int], path: Path, code: Callable[[Path], int]) -> None:
    """Add a file to the totals."""
    total[0] += 1
    total[1] += len(path.read_text(encoding="utf-8").splitlines())
    total[2] += code(path)


def names_of_two(root: Path) -> dict[str, list[str]]:
    """Public classes and functions that are defined in more than one module."""
    package = root / "src" / "mixedwood"
    where: dict[str, list[str]] = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                where[node.name].append(path.relative_to(package).as_posix())
    return {name: files for name, files in sorted(where.items()) if len(files) > 1}


def duplicate_runs(root: Path) -> int:
    """How many runs of equal lines of code there are in two places, each counted once."""
    places: dict[tuple[str, ...], int] = Counter()
    files = [*(root / "src" / "mixedwood").rglob("*.py")]
    files += [path for folder in NATIVE for path in (root / folder).rglob("*.[ch]pp")]
    runs = 0
    for path in sorted(files):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line and not line.startswith(("#", "//"))]
        lines = [line for line in lines if not line.startswith(("import ", "from "))]
        inside = False
        for at in range(len(lines) - DUPLICATE_LINES + 1):
            window = tuple(lines[at : at + DUPLICATE_LINES])
            runs += places[window] > 0 and not inside
            inside = places[window] > 0
            places[window] += 1
    return runs


@contextmanager
def followed(package: Path) -> Iterator[tuple[set[str], list[int]]]:
    """Collect the modules of the package that are called, and the most that are on the stack."""
    modules: set[str] = set()
    deepest = [0]
    known: dict[str, str | None] = {}
    prefix = str(package)

    def module_of(filename: str) -> str | None:
        if filename not in known:
            inside = filename.startswith(prefix) and filename.endswith(".py")
            known[filename] = filename[len(prefix) + 1 : -3] if inside else None
        return known[filename]

    def watch(frame: Any, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name == "<module>":
            return
        module = module_of(frame.f_code.co_filename)
        if module is None:
            return
        modules.add(module)
        stack = set()
        while frame is not None:
            stack.add(module_of(frame.f_code.co_filename))
            frame = frame.f_back
        deepest[0] = max(deepest[0], len(stack - {None}))

    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield modules, deepest
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


STUDY = """
title = "One tree"
paper = "None"
about = "The shortest study there is."
[methods]
tree = {{ title = "tree", model = "TreeClassifier", max_depth = 2 }}
[datasets]
{name} = {{ load = "{name}" }}
[experiments.trees]
task = "cross_validation"
axes = {{ dataset = "all", method = "all", repetition = 1 }}
settings = {{ folds = 2 }}
"""


def study_text(package: Path) -> str:
    """The study in the words that the checkout reads."""
    text = STUDY.format(name="tic-tac-toe")
    if "experiments" in "".join(path.read_text() for path in (package / "study").glob("*.py")):
        return text
    for new, old in (("datasets", "sets"), ("experiments", "runs"), ("dataset =", "set =")):
        text = text.replace(new, old)
    return text


def walks(root: Path) -> dict[str, tuple[list[str], int]]:
    """Modules and depth of the usual calls."""
    # A checkout whose module is not built beside its sources may be installed.
    if any((root / "src" / "mixedwood").glob("_core.*.so")):
        sys.path.insert(0, str(root / "src"))
    import mixedwood as mw
    import mixedwood.explain  # running a module on import is no part of a walk
    from mixedwood.cli import main

    package = Path(mw.__file__).parent
    colors = ["red", "green", "blue"] * 20
    X = {"color": colors, "size": [float(i % 7) for i in range(60)]}
    y = [("yes", "no")[(c == "red") ^ (i % 5 == 0)] for i, c in enumerate(colors)]
    with tempfile.TemporaryDirectory() as folder:
        data, study = Path(folder, "data.csv"), Path(folder, "one.toml")
        rows = zip(X["color"], X["size"], y, strict=True)
        data.write_text("color,size,y\n" + "".join(f"{c},{s},{a}\n" for c, s, a in rows))
        study.write_text(study_text(package))

        def command(*words: str) -> None:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                main(list(words), standalone_mode=False)

        model = mw.TreeClassifier()
        calls: dict[str, Callable[[], Any]] = {
            "fit": lambda: model.fit(X, y),
            "predict": lambda: model.predict(X),
            "explain": lambda: str(model.explain(X, 0)),
            "compare": lambda: command("compare", str(data), "--target", "y", "--methods", "tree"),
            "study run": lambda: command(
                "study", "run", str(study), "--store", f"{folder}/store.sqlite", "-q"
            ),
        }
        found = {}
        for name, call in calls.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with followed(package) as (modules, deepest):
                    call()
            found[name] = (sorted(modules), deepest[0])
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true", help="name the modules of each walk")
    args = parser.parse_args()
    root = args.root.resolve()
    by_package, by_walk = sizes(root), walks(root)
    python = [row for name, row in by_package.items() if name not in NATIVE]
    native = [row for name, row in by_package.items() if name in NATIVE]
    twice, runs = names_of_two(root), duplicate_runs(root)
    if args.json:
        lists = {
            name: {
                "modules": modules,
                "holding_values": sorted(HOLDING_VALUES.intersection(modules)),
                "depth": depth,
            }
            for name, (modules, depth) in by_walk.items()
        }
        facts = {"packages": by_package, "walks": lists, "names": twice, "duplicates": runs}
        print(json.dumps(facts, indent=1))
        return
    print("| package | modules | lines | lines of code |\n|---|---:|---:|---:|")
    totals = {"**Python**": python, "**native**": native, "**all**": python + native}
    for name, row in by_package.items():
        print(f"| {name} | {row[0]} | {row[1]:,} | {row[2]:,} |")
    for name, rows in totals.items():
        print(
            "| "
            + " | ".join([name, *(f"{sum(column):,}" for column in zip(*rows, strict=True))])
            + " |"
        )
    print("\n| walk | modules | without those that only hold values | depth |")
    print("|---|---:|---:|---:|")
    for name, (modules, depth) in by_walk.items():
        print(f"| {name} | {len(modules)} | {len(set(modules) - HOLDING_VALUES)} | {depth} |")
        if args.list:
            print("\n".join(f"|   {module} | | | |" for module in modules))
    print(f"\nPublic names defined in more than one module: {len(twice)}")
    print("\n".join(f"- `{name}`: {', '.join(files)}" for name, files in twice.items()))
    print(f"\nRuns of {DUPLICATE_LINES} or more equal lines: {runs}")


if __name__ == "__main__":
    main()
