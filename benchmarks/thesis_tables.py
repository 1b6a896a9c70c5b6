"""Published accuracies of trees that split nominal columns in two, beside ours.

Tables A, D and F of the dissertation "Binary Splitting Criteria for Large Categorical Attributes
in Decision Trees": nominal columns only, trees of depth 16 or 5, repetitions of stratified
three-fold cross-validation. The folds are those of the dissertation: its seeds, its shuffle, its
way to deal the rows, so that a cell can agree to the last digit where the rows of the set are in
the same order. Every cell is also compared in standard errors.

    python benchmarks/thesis_tables.py --page docs/results/thesis-nominal.md
    python benchmarks/thesis_tables.py --quick --sets Cars Cars-Ext --tables A
    python benchmarks/thesis_tables.py --results kept.json    # keeps what was run, goes on from it
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import platform
import random
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

import mixedwood
from mixedwood import TreeClassifier, datasets
from mixedwood.estimators import UnseenValueWarning
from mixedwood.splits import Partitioner

PUBLISHED = Path(__file__).parent / "published" / "thesis_nominal.csv"
SEEDS = (
    65537, 986112772, 580170418, 897083807, 1286664107, 899169460, 1728505703, 423232363,
    1576030107, 1102706565, 756372267, 1041481669, 500571641, 1196189230, 49471178, 827006267,
    1581871235, 1249719834, 1281093615, 603059048,
)  # fmt: skip
FOLDS = 3
DEPTHS = {"A": 16, "D": 16, "F": 5}
# The semidefinite relaxation as published: one random rounding, and no local search after it.
ONE_ROUNDING = Partitioner("max_cut_sdp", roundings=1, local_search=False)
# What the dissertation calls a method -> our criterion and partitioner.
METHODS: dict[str, tuple[str, str | Partitioner]] = {
    "Twoing": ("twoing", "twoing"),
    "GLSG": ("squared_gini", "max_cut"),
    "GL-chi2": ("chi2", "max_cut"),
    "GWSG": ("squared_gini", ONE_ROUNDING),
    "GW-chi2": ("chi2", ONE_ROUNDING),
    # Not published: ours, the best of many roundings, then local search. Shown, not judged.
    "GWSG*": ("squared_gini", "max_cut_sdp"),
    "GW-chi2*": ("chi2", "max_cut_sdp"),
}


@dataclass(frozen=True)
class Source:
    """Where a set of the dissertation comes from."""

    name: str
    variant: str | None = None
    left_out: tuple[str, ...] = ()  # columns
    joined: tuple[str, ...] = ()  # columns of 0/1; the first becomes 1 where any of them is
    most_classes: int | None = None  # the rarest ones become one class, "others"
    missing_is_value: bool = False  # else rows with a missing cell are left out
    first_rows: int | None = None
    descending: tuple[str, ...] = ()  # numeric columns that the published file is sorted by


LAST_AREAS = ("Wilderness_Area=W3", "Wilderness_Area=W4")
SETS = {
    # adult.data alone, in the order of the copy on Kaggle.
    "Adult": Source("adult", first_rows=32561, descending=("capital-loss", "capital-gain")),
    "Cars": Source("car"),
    "Cars-Ext": Source("car-aggreg"),
    "Contraceptive": Source("contraceptive"),
    "Contraceptive-Ext": Source("contraceptive-aggreg"),
    "CoverType": Source("covertype", "binary"),
    "CoverType-Ext": Source("covertype", "aggregated"),
    # The file of table F: one column tells areas 3 and 4 from the others. See REMARKS.
    "CoverType/joined": Source("covertype", "binary", joined=LAST_AREAS),
    "Mushroom": Source("mushroom"),
    # The published file has three values of `form`, like the set with the added columns.
    "Nursery": Source("nursery-aggreg", left_out=("employ", "struct_finan", "soc_health")),
    "Nursery-Ext": Source("nursery-aggreg"),
    "Poker": Source("poker", "nominal"),
    "Phonemes-15": Source("reuters-phonemes"),
    "Shelter-22": Source("shelter-animal-outcomes", missing_is_value=True),
    "Shelter-10": Source("shelter-animal-outcomes", most_classes=10, missing_is_value=True),
    "Shelter-15": Source("shelter-animal-outcomes-15", missing_is_value=True),
}
NOT_AVAILABLE = "KDD98-2, -3, -5 and -9, SFCrime-39, -10 and -15, Phonemes-10"


def merge_rare(classes: np.ndarray, most: int | None) -> np.ndarray:
    """Keep the `most - 1` most frequent classes; all others become one."""
    if most is None:
        return classes
    names, counts = np.unique(classes, return_counts=True)
    kept = names[np.argsort(-counts, kind="stable")[: most - 1]]
    return np.where(np.isin(classes, kept), classes, "others")


def order_of_rows(source: Source, data: datasets.Dataset) -> np.ndarray:
    """Rows in the order of the published file."""
    rows = np.arange(data.n_rows)[: source.first_rows]
    keys = [-data.X[name].to_numpy()[rows] for name in reversed(source.descending)]
    return rows[np.lexsort(keys)] if keys else rows


def read_set(source: Source) -> tuple[pd.DataFrame, np.ndarray]:
    """Read the nominal columns and the class of a set, numbered as the published program does.

    Labels are numbered as they appear. A row is left at its first missing cell, so that labels in
    the columns before it are numbered even if they are only met in rows that are left out.
    """
    data = datasets.load(source.name, variant=source.variant, frame="pandas")
    rows = order_of_rows(source, data)
    classes, _ = pd.factorize(merge_rare(np.asarray(data.y, str)[rows], source.most_classes))
    complete = np.ones(len(classes), bool)
    columns = {}
    for name in data.nominal:
        if name in (*source.left_out, *source.joined[1:]):
            continue
        cells = data.X[name].iloc[rows]
        if name in source.joined:
            cells = data.X[list(source.joined)].iloc[rows].eq("1").any(axis=1)
        if not source.missing_is_value:
            complete &= cells.notna().to_numpy()
        columns[name] = np.full(len(cells), -1)
        columns[name][complete], _ = pd.factorize(cells[complete], use_na_sentinel=False)
    table = pd.DataFrame(columns)[complete].reset_index(drop=True).astype("category")
    return table, classes[complete]


def deal(classes: np.ndarray, seed: int) -> np.ndarray:
    """Give each row its fold, as the published program does.

    Rows are shuffled by Python's generator; then each class is cut into three runs, as
    scikit-learn's StratifiedKFold did it until version 0.21.
    """
    order = list(range(len(classes)))
    random.Random(seed).shuffle(order)
    shuffled = np.array(order)
    fold = np.empty(len(classes), int)
    for of_class in range(int(classes.max()) + 1):
        rows = shuffled[classes[shuffled] == of_class]
        for number, run in enumerate(np.array_split(rows, FOLDS)):
            fold[run] = number
    return fold


@dataclass
class Outcome:
    """One repetition of one method: sums over the folds."""

    rows: int = 0
    right: int = 0
    unknown: int = 0  # rows that met a value which the test of a node does not know
    right_unknown: int = 0
    nodes: int = 0
    depth: int = 0
    seconds: float = 0.0

    def add(self, model: TreeClassifier, table: pd.DataFrame, classes: np.ndarray) -> None:
        """Test a tree."""
        tree = model.tree_
        reached = model.apply(table)
        right = model.classes_[tree.label[reached]] == classes
        unknown = np.diff(tree.child_offset)[reached] > 0  # it stopped above the leaves
        self.rows += len(right)
        self.right += int(right.sum())
        self.unknown += int(unknown.sum())
        self.right_unknown += int(right[unknown].sum())
        self.nodes += tree.n_nodes
        self.depth += tree.depth

    def figures(self) -> dict[str, float]:
        """Percentages of all rows, and means of the folds; named as in the published file."""
        return {
            "accuracy": 100 * self.right / self.rows,
            "accuracy_known": 100 * (self.right - self.right_unknown) / (self.rows - self.unknown),
            "unknown": 100 * self.unknown / self.rows,
            "nodes": self.nodes / FOLDS,
            "depth": self.depth / FOLDS,
            "seconds": self.seconds,
        }


Task = tuple[str, int]  # method and depth


def repetition(
    table: pd.DataFrame, classes: np.ndarray, tasks: Sequence[Task], seed: int
) -> list[Outcome]:
    """Cross-validate once; the same folds for all tasks."""
    warnings.simplefilter("ignore", UnseenValueWarning)
    fold = deal(classes, seed)
    outcomes = [Outcome() for _ in tasks]
    for number in range(FOLDS):
        train, test = fold != number, fold == number
        learned, tested = table[train], table[test]
        for (method, depth), outcome in zip(tasks, outcomes, strict=True):
            start = time.perf_counter()
            model = TreeClassifier.nominal_splits(
                *METHODS[method], max_depth=depth, random_state=seed
            )
            model.fit(learned, classes[train])
            outcome.add(model, tested, classes[test])
            outcome.seconds += time.perf_counter() - start
    return outcomes


# Outcomes of all repetitions: set -> "method depth" -> seed -> Outcome
Results = dict[str, dict[str, dict[str, Outcome]]]


def load_results(path: Path | None) -> Results:
    """Read what earlier runs kept."""
    if path is None or not path.exists():
        return {}
    return {
        name: {task: {s: Outcome(**o) for s, o in seeds.items()} for task, seeds in tasks.items()}
        for name, tasks in json.loads(path.read_text()).items()
    }


def save_results(results: Results, path: Path | None) -> None:
    """Keep what was run."""
    if path is None:
        return
    plain = {
        name: {task: {s: asdict(o) for s, o in seeds.items()} for task, seeds in tasks.items()}
        for name, tasks in results.items()
    }
    path.write_text(json.dumps(plain, indent=0))


def run_set(
    name: str, tasks: Sequence[Task], seeds: Sequence[int], jobs: int, kept: dict
) -> Iterator[int]:
    """Add what `kept` lacks of one set, seed by seed; give each seed when it is done."""
    lacking = {}
    for seed in seeds:
        missing = [t for t in tasks if str(seed) not in kept.get(f"{t[0]} {t[1]}", {})]
        if missing:
            lacking[seed] = missing
    if not lacking:
        return
    table, classes = read_set(SETS[name])
    found = joblib.Parallel(jobs, return_as="generator")(
        joblib.delayed(repetition)(table, classes, missing, seed)
        for seed, missing in lacking.items()
    )
    for (seed, missing), outcomes in zip(lacking.items(), found, strict=True):
        for (method, depth), outcome in zip(missing, outcomes, strict=True):
            kept.setdefault(f"{method} {depth}", {})[str(seed)] = outcome
        yield seed


def note(text: str) -> None:
    """Tell how far it is; the tables go to standard output."""
    print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Cell:
    """One method on one set: ours and published, in percent."""

    table: str
    set: str
    method: str
    ours: dict[str, float]
    published: dict[str, float]
    error: float  # standard error of our mean accuracy
    repetitions: int

    @property
    def published_method(self) -> bool:
        """Whether it is a published method, not one of ours beside it."""
        return not self.method.endswith("*")

    @property
    def rebuilt(self) -> bool:
        """Whether the file of the set was rebuilt until the published figures came out."""
        return self.set.endswith("/joined")

    @property
    def judged(self) -> bool:
        """Whether it counts when the rebuilt file stands for the one we have."""
        other_data = self.table == "F" and f"{self.set}/joined" in SETS
        return self.published_method and not other_data

    @property
    def gap(self) -> float:
        """Difference of the accuracies in standard errors of the difference."""
        theirs = self.published["accuracy_sd"] / math.sqrt(self.published["repetitions"])
        difference = self.ours["accuracy"] - self.published["accuracy"]
        if abs(difference) <= PRECISION:
            return 0.0
        error = math.hypot(self.error, theirs)
        return difference / error if error > 0 else math.copysign(math.inf, difference)

    @property
    def same_accuracies(self) -> bool:
        """Whether both accuracies agree in all published digits."""
        return self._same(("accuracy", "accuracy_known"), PRECISION)

    @property
    def same_trees(self) -> bool:
        """Whether the numbers of nodes and the depths agree as well."""
        return self.same_accuracies and self._same(("nodes", "depth"), 10 * PRECISION)

    def _same(self, names: tuple[str, ...], precision: float) -> bool:
        return all(abs(self.ours[n] - self.published[n]) <= precision for n in names)


PRECISION = 5.1e-5  # half of the last published digit


def read_published() -> dict[tuple[str, str, str], dict[str, float]]:
    """Read the published figures: table, set and method -> figures."""
    with PUBLISHED.open() as file:
        lines = csv.DictReader(line for line in file if not line.startswith("#"))
        return {
            (line.pop("table"), line.pop("set"), line.pop("method")): {
                name: float(value) for name, value in line.items()
            }
            for line in lines
        }


def methods_of(published: dict, table: str, name: str) -> list[str]:
    """Methods to run: the published ones, and ours that stand beside one of them."""
    methods = [m for m in METHODS if (table, *published_as(name, m)) in published]
    if name.endswith("/joined"):
        return [m for m in methods if table == "F" and not m.endswith("*")]
    return methods


def published_as(name: str, method: str) -> tuple[str, str]:
    """What set and method are called in the published file."""
    return name.removesuffix("/joined"), method.rstrip("*")


def make_cells(
    results: Results, published: dict, tables: Sequence[str], names: Sequence[str], seeds: list[int]
) -> list[Cell]:
    """Put ours beside the published, in the order of the tables."""
    cells = []
    for table in tables:
        for name in names:
            for method in methods_of(published, table, name):
                theirs = published[table, *published_as(name, method)]
                kept = results[name][f"{method} {DEPTHS[table]}"]
                used = [s for s in seeds[: int(theirs["repetitions"])] if str(s) in kept]
                figures = [kept[str(seed)].figures() for seed in used]
                ours = {key: float(np.mean([f[key] for f in figures])) for key in figures[0]}
                accuracies = [f["accuracy"] for f in figures]
                # Few repetitions say little about their spread.
                few = len(used) < 5
                spread = theirs["accuracy_sd"] if few else float(np.std(accuracies, ddof=1))
                error = spread / math.sqrt(len(used))
                cells.append(Cell(table, name, method, ours, theirs, error, len(used)))
    return cells


TITLES = {
    "A": "## A: depth at most 16",
    "D": "## D: running time, depth at most 16",
    "F": "## F: depth at most 5, with the semidefinite relaxation",
}


def accuracy_lines(cells: Sequence[Cell]) -> list[str]:
    """One line per cell; published figures in brackets."""
    lines = [
        "| set | method | accuracy % | standard error | gap in standard errors "
        "| without unknown values % | nodes | depth |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for c in cells:
        gap = "-" if not c.published_method else "same" if c.same_accuracies else f"{c.gap:+.1f}"

        def pair(name: str, digits: int, c: Cell = c) -> str:
            return f"{c.ours[name]:.{digits}f} ({c.published[name]:.{digits}f})"

        lines.append(
            f"| {c.set} | {c.method} | {pair('accuracy', 4)} | {c.error:.3f} | {gap} "
            f"| {pair('accuracy_known', 4)} | {pair('nodes', 2)} | {pair('depth', 2)} |"
        )
    return lines


def time_lines(cells: Sequence[Cell]) -> list[str]:
    """Seconds of a whole three-fold run, one line per set."""
    methods = [m for m in METHODS if any(c.method == m for c in cells)]
    lines = [
        "| set | " + " | ".join(f"{m}, seconds" for m in methods) + " | Twoing / GL-chi2 |",
        "|---|" + "---:|" * (len(methods) + 1),
    ]
    for name in dict.fromkeys(c.set for c in cells):
        of_set = {c.method: c for c in cells if c.set == name}
        shown = [
            f"{of_set[m].ours['seconds']:.3f} ({of_set[m].published['seconds']:.2f})"
            if m in of_set
            else "-"
            for m in methods
        ]
        ours, theirs = (
            getattr(of_set["Twoing"], of)["seconds"] / getattr(of_set["GL-chi2"], of)["seconds"]
            for of in ("ours", "published")
        )
        lines.append(f"| {name} | " + " | ".join(shown) + f" | {ours:.2f} ({theirs:.2f}) |")
    return lines


def verdict(cells: Sequence[Cell]) -> list[str]:
    """Counts over the judged cells of tables A and F; D repeats half of A."""
    judged = [c for c in cells if c.judged and c.table != "D"]
    without_draws = [c for c in judged if not c.method.startswith("GW")]
    drawn = [c for c in judged if c.method.startswith("GW")]
    as_found = [c for c in cells if c.published_method and c.table != "D" and not c.rebuilt]
    far = [c for c in as_found if abs(c.gap) > 3]
    lines = []
    for what, some in [
        ("cells on the data as they are", as_found),
        ("cells with CoverType in F on a file rebuilt by search (see below)", judged),
        (
            "of the latter with Twoing, GLSG and GL-chi2, which draw nothing at random",
            without_draws,
        ),
        ("of the latter with GWSG and GW-chi2, which round at random", drawn),
    ]:
        if not some:
            continue
        lines.append(
            f"- {len(some)} {what}: {sum(abs(c.gap) <= 2 for c in some)} within two standard "
            f"errors, {sum(abs(c.gap) <= 3 for c in some)} within three; "
            f"{sum(c.same_accuracies for c in some)} agree in every published digit of both "
            f"accuracies, {sum(c.same_trees for c in some)} of them also in nodes and depth"
        )
    names = ", ".join(f"{c.table} {c.set} {c.method} ({c.gap:+.1f})" for c in far)
    lines.append(f"- further than three standard errors, data as they are: {names or 'none'}")
    if repeated := [c for c in cells if c.table == "D"]:
        same = sum(c.same_accuracies for c in repeated)
        lines.append(
            f"- D, the first ten repetitions of A: {same} of {len(repeated)} cells agree so"
        )
    short = [c for c in cells if c.repetitions < c.published["repetitions"]]
    if short:
        names = ", ".join(f"{c.table} {c.set} {c.method} ({c.repetitions})" for c in short)
        lines.append(f"- fewer repetitions than published: {names}")
    return lines


def report(cells: Sequence[Cell]) -> list[str]:
    """All tables, as Markdown."""
    lines = []
    for table, title in TITLES.items():
        some = [c for c in cells if c.table == table]
        if some:
            lines += [title, "", *(time_lines if table == "D" else accuracy_lines)(some), ""]
    return lines[:-1]


def page(cells: Sequence[Cell], command: str, minutes: float) -> list[str]:
    """The page of the documentation."""
    import sklearn

    return [
        "# Trees that split nominal columns in two: a dissertation's tables",
        "",
        'Tables A, D and F of "Binary Splitting Criteria for Large Categorical Attributes in',
        'Decision Trees": nominal columns only, up to 20 repetitions of stratified three-fold',
        "cross-validation, on the very folds of the dissertation. Cells are ours, published ones",
        "in brackets; a gap is in standard errors of the difference, `same` means that both",
        "accuracies agree in all four published decimals.",
        "",
        f"- command: `{command}`",
        f"- {minutes:.1f} minutes of fitting and testing in all",
        f"- mixedwood {mixedwood.__version__}, numpy {np.__version__}, pandas {pd.__version__}, "
        f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}",
        *verdict(cells),
        "",
        *report(cells),
        "",
        *REMARKS,
    ]


REMARKS = f"""## How it is done

`TreeClassifier.nominal_splits(criterion, partitioner, max_depth=...)`: a column is used at a node
if its chi-square test has p < 0.10 and its second most frequent value 15 rows; no least number of
rows; a row whose value the test has never seen is answered by the node where it stops; splits
that change no answer are undone. Numeric columns are left out, and so are rows with a missing cell.

| published | criterion | partitioner |
|---|---|---|
| Twoing | `twoing` | `twoing` |
| GLSG | `squared_gini` | `max_cut` |
| GL-chi2 | `chi2` | `max_cut` |
| GWSG | `squared_gini` | `max_cut_sdp`, one rounding, no local search |
| GW-chi2 | `chi2` | `max_cut_sdp`, one rounding, no local search |

`GWSG*` and `GW-chi2*` are `max_cut_sdp` with its defaults (the best of many roundings, then local
search) beside the published GWSG and GW-chi2: another search, shown and not judged.

To agree to the last digit, four things must be as in the published program, beyond the recipe:

- the seeds, Python's `random.shuffle`, and the folds of scikit-learn up to 0.21;
- values and classes numbered by first appearance in the file: the greedy cut goes through the
  values in this order, and ties of labels go to the class met first;
- the order of the rows: that of the published files, which is that of UCI but for Adult (the copy
  on Kaggle is sorted by capital loss and gain);
- ties between sums of weights, which are whole numbers there. Our weights are scaled; sums that
  are equal but for rounding count as equal. (`max_cut` was changed for this: GLSG on Shelter-22 had
  46.5106 before, 0.3 standard errors away.)

Nursery is the published copy, in which `form` has three values instead of four. Shelter-10 was
made by the rule of Shelter-15: the rarest classes become one. The data of these sets could not be
had: {NOT_AVAILABLE}.

## Where we differ

- F, CoverType: with the file of A, which agrees there in every digit, all five cells of F are far
  off. The log of F counts 42 usable columns at the root, that of A 43: another file, of which no
  copy is known. It was searched for: about 100 sets of columns (each column left out, each subset
  of the wilderness areas, three columns out of the seven ways to part the areas in two) were tried
  on one fold until the trees of GLSG and GL-chi2 had the published sizes. One did: a single column
  that tells areas 3 and 4 from the others (`CoverType/joined`). Chosen so, its agreement in GLSG
  and GL-chi2 proves little; Twoing, which took no part in choosing it, agrees in every digit too.
  CoverType-Ext, also one column short in F, agrees in Twoing, GLSG and GL-chi2 as it is.
- GWSG and GW-chi2 round a relaxation at random: no two runs agree, and only the gaps can be
  judged. Their published numbers of nodes on Mushroom, Nursery and Nursery-Ext are larger than
  ours at the same accuracy. By its text, the published program does not stop at nodes of one
  class; a rounding that leaves one side of such a node empty makes a child without rows, whose
  label is the first class of the file, so that the split is not undone afterwards. No row ever
  gets there.
- Nodes, where accuracies are the same: in A, Cars-Ext, Nursery-Ext and Phonemes-15 differ by two to
  eight nodes in the sum of all 60 trees. Traced on Cars-Ext, to one tree: the three values of a
  node have the classes (0, 16), (8, 8) and (16, 0), and two splits have exactly the same Twoing
  gain. We and the published program take the first one met, but go through the values from
  different ends. The others are not traced.
- D: seconds of one three-fold run, reading, learning and testing, first ten repetitions of A, on
  a machine with other work. The published program is interpreted Python. Ours spends most of the
  time of the smaller sets on reading the table, so the ratios are nearer to one.
""".splitlines()


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS), metavar="SET")
    parser.add_argument("--tables", nargs="+", default=list(DEPTHS), choices=list(DEPTHS))
    parser.add_argument("--repetitions", type=int, default=len(SEEDS), help="at most twenty")
    parser.add_argument("--quick", action="store_true", help="two repetitions")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, help="keep outcomes here, and use those kept")
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    return parser.parse_args()


def shown_command(args: argparse.Namespace) -> str:
    """The command without what is only about files."""
    words = ["python benchmarks/thesis_tables.py", *(["--quick"] if args.quick else [])]
    if args.repetitions != len(SEEDS):
        words.append(f"--repetitions {args.repetitions}")
    for option, default in [("sets", SETS), ("tables", DEPTHS)]:
        if getattr(args, option) != list(default):
            words.append(f"--{option} {' '.join(getattr(args, option))}")
    return " ".join(words)


def main() -> None:
    """Run, print the tables, and write the page if asked."""
    args = parse_arguments()
    published = read_published()
    seeds = list(SEEDS[: 2 if args.quick else args.repetitions])
    results = load_results(args.results)
    available = []
    for name in args.sets:
        tasks = {(m, DEPTHS[t]): None for t in args.tables for m in methods_of(published, t, name)}
        kept = results.setdefault(name, {})
        try:
            for seed in run_set(name, list(tasks), seeds, args.jobs, kept):
                note(f"{name}, seed {seed}: done at {time.strftime('%H:%M:%S')}")
                save_results(results, args.results)
        except datasets.DatasetNotFoundError as error:
            note(f"{name} is left out: {error}")
            continue
        available.append(name)
    cells = make_cells(results, published, args.tables, available, seeds)
    print("\n".join([*verdict(cells), "", *report(cells)]))
    if args.page:
        minutes = sum(c.ours["seconds"] * c.repetitions for c in cells if c.table != "D") / 60
        args.page.parent.mkdir(parents=True, exist_ok=True)
        args.page.write_text("\n".join(page(cells, shown_command(args), minutes)) + "\n")


if __name__ == "__main__":
    main()
