"""Are our C4.5 trees those of J48 of the WEKA workbench 3.6? Sizes and every answer, side by side.

Random tables (2 to 4 classes, nominal and numeric columns, half of them with 15 % missing values,
with declared values and classes that no training row has) are asked their own rows and new ones;
tables of the data folder their own rows. Each is grown unpruned, with the default pruning, and
without subtree raising; a fourth variant prunes hard. An answer agrees when its class is the same
and its probability within 1e-6. J48 sends numbers up to 1e-6 above a threshold to the left, our
trees do not: random numbers have four decimals, so that this plays no part. Needs Java and the
workbench; on Debian, `apt install weka default-jdk-headless`.

    MIXEDWOOD_DATA=folder python benchmarks/weka_j48.py [--tables 200] [--rows 50000] [--sets car]

`--write FILE` keeps what WEKA says of tables that are generated, for a test that needs no WEKA:

    python benchmarks/weka_j48.py --write tests/golden/weka_j48.json
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mixedwood import C45TreeClassifier, datasets
from mixedwood.data import Column, Schema, Table, Target, read_table, read_target
from mixedwood.data.schema import sort_labels
from mixedwood.grow import grow as grow_greedily
from mixedwood.pruning import collapse, pessimistic
from mixedwood.tree import Tree

HERE = Path(__file__).parent


def grow(table: Table, target: Target) -> Tree:
    """Grow the full tree with the settings of `C45TreeClassifier`."""
    settings = C45TreeClassifier()._settings(table.n_rows, table.n_columns)
    return grow_greedily(table, target, settings)


VARIANTS = {
    "unpruned": "-U -M 2",
    "pruned": "-C 0.25 -M 2",
    "no raising": "-S -C 0.25 -M 2",
    "hard": "-C 0.05 -M 2",
}


def pruned(tree: Tree, variant: str, table: Table, target: Target) -> Tree:
    """Prune a full tree as the options of the variant say."""
    tree = collapse(tree)
    if variant == "unpruned":
        return tree
    return pessimistic(
        tree,
        table,
        target,
        confidence=0.05 if variant == "hard" else 0.25,
        subtree_raising=variant != "no raising",
    )


@dataclass
class Case:
    """Training rows and the rows to ask."""

    name: str
    table: Table
    target: Target
    questions: Table


# Tables


def random_case(seed: int) -> Case:
    """Classes follow hidden rules on some of the columns, with noise.

    Every other table has missing values. Some nominal columns follow another one, so that values
    are absent in some branches; every tenth table is larger, which raises J48's least branch.
    """
    rng = np.random.default_rng(seed)
    n, n_new = int(rng.integers(15, 160)) if seed % 10 else 400, 60
    columns, arrays, signal = [], [], np.zeros(n + n_new)
    leader = rng.random(n + n_new)
    for c in range(int(rng.integers(2, 7))):
        useful = rng.random() < 0.6
        if rng.random() < 0.6:
            values = tuple(f"v{v}" for v in range(rng.integers(2, 7)))
            used = len(values) - (rng.random() < 0.3 and len(values) > 2)
            codes = rng.integers(0, used, n + n_new).astype(np.int32)
            if rng.random() < 0.4:
                near = leader + rng.normal(0, 0.1, n + n_new)
                codes = np.clip(near * used, 0, used - 1).astype(np.int32)
            codes[n:] = rng.integers(0, len(values), n_new)
            signal += useful * rng.normal(size=len(values))[codes]
            columns.append(Column(f"c{c}", "nominal", values))
            arrays.append(codes)
        else:
            numbers = np.round(rng.normal(size=n + n_new) * 10.0 ** rng.integers(-2, 3), 4)
            if rng.random() < 0.5:
                numbers = rng.integers(0, 8, n + n_new).astype(float)
            signal += useful * np.sin(numbers / numbers.std() * rng.uniform(0.5, 3))
            columns.append(Column(f"c{c}", "numeric"))
            arrays.append(numbers)
    n_classes = int(rng.integers(2, 5))
    signal += rng.normal(size=n + n_new) * rng.choice([0.1, 0.5, 1.5])
    classes = np.searchsorted(np.quantile(signal, np.arange(1, n_classes) / n_classes), signal)
    if seed % 2:
        for array in arrays:
            array[rng.random(n + n_new) < 0.15] = np.nan if array.dtype == np.float64 else -1
    declared = np.array([f"k{k}" for k in range(n_classes + max(0, rng.integers(-3, 4)))])
    table = Table(Schema(tuple(columns)), tuple(arrays))
    target = Target(declared, classes[:n].astype(np.int32))
    return Case(f"random {seed}", table.take(np.arange(n)), target, table)


def folder_cases(names: list[str] | None, most_rows: int) -> Iterator[Case]:
    """Give the tables of the data folder; ordinal columns count as nominal, for both sides."""
    for name in names or sorted(datasets.names()):
        data = datasets.load(name)
        if not names and data.n_samples > most_rows:
            continue
        table, target = read_table(data.X), read_target(data.y)
        columns, arrays = zip(*map(without_order, table.schema, table.arrays), strict=True)
        table = Table(Schema(columns), arrays)
        yield Case(name, table, target, table)


def without_order(column: Column, array: np.ndarray) -> tuple[Column, np.ndarray]:
    """Make an ordinal column nominal; its values are sorted as labels then."""
    if column.kind != "ordinal":
        return column, array
    values = list(sort_labels(column.categories))
    new_code = np.array([*map(values.index, column.categories), -1], np.int32)  # -1: missing
    return replace(column, kind="nominal", categories=tuple(values)), new_code[array]


RULES = ("monks-1", "monks-2", "monks-3", "balance-scale", "tic-tac-toe")
KEPT_RANDOM = range(20)
WAVEFORM_ROWS = 300


def generated_cases() -> list[Case]:
    """Tables that need no folder: random ones, sets defined by a rule, and a sample of waveform."""
    data = datasets.make_waveform(WAVEFORM_ROWS, random_state=1)
    table, target = read_table(data.X), read_target(data.y)
    cases = [random_case(seed) for seed in KEPT_RANDOM]
    return [*cases, *folder_cases(list(RULES), 0), Case("waveform", table, target, table)]


def to_keep(cases: list[Case], answers: Iterator[dict[str, tuple]]) -> dict[str, dict[str, list]]:
    """WEKA's sizes and answers; an answer is the place of its class and probability in a list."""
    kept: dict[str, dict[str, list]] = {}
    for case, weka in zip(cases, answers, strict=True):
        kept[case.name] = {}
        for variant, (leaves, nodes, classes, shares) in weka.items():
            given = [(int(k), round(float(p), 7)) for k, p in zip(classes, shares, strict=True)]
            pairs = sorted(set(given))
            places = " ".join(str(pairs.index(pair)) for pair in given)
            kept[case.name][variant] = [leaves, nodes, pairs, places]
    return kept


def as_asked(entry: list) -> tuple:
    """An entry that was kept, in the form of `ask_weka`."""
    leaves, nodes, pairs, places = entry
    given = [pairs[int(place)] for place in places.split()]
    classes, shares = zip(*given, strict=True)
    return leaves, nodes, np.array(classes, int), np.array(shares, float)


# WEKA


def java_class_path(folder: Path) -> str:
    """Compile the runner; leave with advice if something is missing."""
    jar = Path(os.environ.get("WEKA_JAR", "/usr/share/java/weka.jar"))
    missing = [tool for tool in ("java", "javac") if shutil.which(tool) is None]
    if not jar.exists():
        missing.append(str(jar))
    if missing:
        sys.exit(
            f"{' and '.join(missing)} not found. On Debian: apt install weka default-jdk-headless; "
            "elsewhere get WEKA 3.6 and set WEKA_JAR to its weka.jar."
        )
    source = HERE / "J48Runner.java"
    subprocess.run(["javac", "-cp", str(jar), "-d", str(folder), str(source)], check=True)
    return os.pathsep.join([str(jar), str(folder)])


def write_arff(path: Path, table: Table, codes: np.ndarray, n_classes: int) -> None:
    """Write numbers exactly and values by their codes, which need no quotes."""

    def listed(letter: str, n: int) -> str:
        return "{" + ",".join(f"{letter}{i}" for i in range(n)) + "}"

    lines, cells = ["@relation t"], []
    for place, (column, array) in enumerate(zip(table.schema, table.arrays, strict=True)):
        if column.is_numeric:
            lines.append(f"@attribute a{place} numeric")
            cells.append(["?" if np.isnan(x) else repr(float(x)) for x in array])
        else:
            lines.append(f"@attribute a{place} {listed('v', column.n_categories)}")
            cells.append([f"v{code}" if code >= 0 else "?" for code in array])
    lines += [f"@attribute class {listed('k', n_classes)}", "@data"]
    cells.append([f"k{code}" for code in codes])
    lines += map(",".join, zip(*cells, strict=True))
    path.write_text("\n".join(lines) + "\n")


def ask_weka(cases: list[Case], class_path: str, folder: Path) -> Iterator[dict[str, tuple]]:
    """For each case and variant: leaves, nodes, classes and probabilities of the answers."""
    tasks = []
    for i, case in enumerate(cases):
        train, ask = folder / f"{i}-train.arff", folder / f"{i}-ask.arff"
        n_classes, none = case.target.n_classes, np.zeros(case.questions.n_rows, int)
        write_arff(train, case.table, case.target.codes, n_classes)
        write_arff(ask, case.questions, none, n_classes)
        tasks += [f"{train}\t{ask}\t{options}" for options in VARIANTS.values()]
    command = ["java", "-Xss512m", "-cp", class_path, "J48Runner"]
    run = subprocess.run(
        command, input="\n".join(tasks) + "\n", stdout=subprocess.PIPE, text=True, check=True
    )
    lines = iter(run.stdout.splitlines())
    for case in cases:
        answers = {}
        for variant in VARIANTS:
            _, leaves, nodes = next(lines).split()
            pairs = [next(lines).split() for _ in range(case.questions.n_rows)]
            classes, shares = zip(*pairs, strict=True)
            answers[variant] = (
                int(leaves), int(nodes), np.array(classes, int), np.array(shares, float)
            )  # fmt: skip
        yield answers


# Comparing


def answers_of(tree: Tree, questions: Table) -> tuple[np.ndarray, np.ndarray]:
    """Give the codes of the answers and all probabilities."""
    place = {label: code for code, label in enumerate(tree.classes.tolist())}
    codes = np.array([place[label] for label in tree.predict(questions).tolist()])
    return codes, tree.predict_proba(questions)


def compare(case: Case, weka: dict[str, tuple]) -> list[tuple[str, Tree, tuple, int, int]]:
    """Give variant, our tree, WEKA's sizes, answers with another class or probability, and all."""
    full = grow(case.table, case.target)
    found = []
    for variant, (leaves, nodes, classes, shares) in weka.items():
        tree = pruned(full, variant, case.table, case.target)
        ours, proba = answers_of(tree, case.questions)
        other = (ours != classes) | (abs(proba[np.arange(len(ours)), classes] - shares) > 1e-6)
        found.append((variant, tree, (leaves, nodes), int(other.sum()), len(ours)))
    return found


def main() -> None:
    """Compare, print a table, and leave with 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200, help="number of random tables")
    parser.add_argument("--first", type=int, default=0, help="seed of the first random table")
    parser.add_argument("--rows", type=int, default=50_000, help="leave out larger data sets")
    parser.add_argument("--sets", help="names of data sets, or 'none'; default: all in the folder")
    parser.add_argument("--write", type=Path, help="keep WEKA's answers for generated tables")
    options = parser.parse_args()
    if options.write:
        cases = generated_cases()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            kept = to_keep(cases, ask_weka(cases, java_class_path(folder), folder))
        lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(entry)}" for n, entry in kept.items())
        options.write.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
        return
    cases = [random_case(seed) for seed in range(options.first, options.first + options.tables)]
    if options.sets != "none":
        names = options.sets.split(",") if options.sets else None
        cases += folder_cases(names, options.rows)
    agreed: dict[str, list[int]] = {variant: [0, 0, 0, 0] for variant in VARIANTS}
    print(f"{'table':35} {'variant':11} {'ours':>11} {'WEKA':>11} {'other answers':>17}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        class_path = java_class_path(folder)
        for case, weka in zip(cases, ask_weka(cases, class_path, folder), strict=True):
            for variant, tree, theirs, other, asked in compare(case, weka):
                ours = tree.n_leaves, tree.n_nodes
                same = ours == theirs and other == 0
                count = agreed[variant]
                count[:] = np.add(count, [same, 1, asked - other, asked]).tolist()
                if not same or not case.name.startswith("random"):
                    sizes = [f"{leaves}/{nodes}" for leaves, nodes in (ours, theirs)]
                    print(
                        f"{case.name:35} {variant:11} {sizes[0]:>11} {sizes[1]:>11} "
                        f"{other:>7} of {asked:>6}", flush=True,
                    )  # fmt: skip
    for variant, (same, tables, answers, asked) in agreed.items():
        print(f"{variant}: {same} of {tables} tables, {answers} of {asked} answers agree")
    same, tables, answers, asked = np.sum(list(agreed.values()), axis=0)
    print(f"all: {same} of {tables} trees, {answers} of {asked} answers agree with WEKA's J48")
    sys.exit(0 if same == tables else 1)


if __name__ == "__main__":
    main()
