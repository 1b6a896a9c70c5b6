"""Which table had a part in which choice: writes docs/results/tables.md.

The parts are read from the lists of the studies themselves, so that the page cannot disagree with
them. Needs the tables of the data folder (`MIXEDWOOD_DATA`) and those of `more_tables.py`.

    python benchmarks/tables_page.py --page docs/results/tables.md
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

import accuracy
import boosting_parts
import ensemble_choices
import model_tree_defaults
import model_trees
import more_tables
import numpy as np
import optimal_defaults
import tree_defaults

STUDIES = Path(__file__).parents[1] / "src" / "mixedwood_studies"

# For each subject: tables that took part in choosing, and tables on which the chosen is judged.
PARTS: dict[str, tuple[list[str], list[str]]] = {
    "tree": (list(tree_defaults.SETS), list(accuracy.SETS)),
    "ensemble": ([source.name for source in ensemble_choices.SOURCES], list(accuracy.SETS)),
    "parts of boosting": ([], [source.name for source in boosting_parts.SOURCES]),
    "model tree": (list(model_tree_defaults.SETS), list(model_trees.SETS)),
    "optimal tree": (list(optimal_defaults.CHOICE), list(optimal_defaults.JUDGE)),
    "columns": ([], list(accuracy.SETS)),
}
ABOUT = """\
# Tables, and the choices they had a part in

A choice looks better than it is on the tables it was made on. This page says which tables
had a part in which choice, so that the next one can be made on some and judged on others.

*choice*: the table was among those by which a default or a rule was chosen. *judged*: the
chosen is compared with others on it. Both, where the same table did both. What is chosen:

- *tree*: [defaults of one tree](tree-defaults.md), judged [beside other trees](tree-accuracy.md).
- *ensemble*: [which ensemble](ensemble-variants.md), judged [beside other
  ensembles](ensemble-accuracy.md). First trials on some of the latter suggested what was
  tried on the former ([decision 18](../decisions/0018-which-ensemble.md)).
- *parts of boosting*: [criteria and searches inside boosting](boosting-criteria.md) were compared.
- *model tree*: [its defaults](model-tree-defaults.md), judged [on tables of categories and
  numbers](model-trees.md). Three of these (heart-statlog, australian, german) were in a first
  trial.
- *optimal tree*: [its defaults](optimal-defaults.md).
- *columns*: which column a tree tests, fair to columns of few and of many values. The tables
  of the data folder that are judged here were in first trials as well, and so were kr-vs-kp,
  titanic, vote, solar-flare and lymphography: only the half *judge* of the other tables is blind.
- Tuning and members of the ensemble, and the defaults of Random Ordinality
  ([decisions 68](../decisions/0068-tuning-that-costs-little.md) and
  [70](../decisions/0070-random-ordinality-defaults.md)): the half *choice* of the other tables;
  judged on every second table of the half *judge*, as far as it was
  [computed](ensemble-tables.md). They have no column here. Nor has the crossing of columns by the
  ensemble: every second table of the half *choice*, and draws of [laws](ensemble-laws.md).
- *papers*: [studies](index.md) of published results; they choose nothing.

Pages about speed choose nothing by error and are not counted.
"""
SHARED = """
## Tables of the data folder

Monks: the 432 cases of a problem are counted under its test file.
"""
MORE = """
## More tables

Those of `benchmarks/more_tables.py`, where it is written what is done to each, which columns are
left out, and by which rule a table belongs to a half. The half *choice* may be looked at
while choosing the rule for columns; the half *judge* is looked at when the choice is made.
Tuning of the ensemble and the defaults of Random Ordinality were chosen and judged by the same
halves; they had no part in anything else. *Values* are those of the nominal columns,
the largest five. The first {packages} come with packages, the other {generated} are generated. """


def folder_name(name: str) -> str:
    """The file of the data folder that has the table."""
    return f"{name}-test" if name in {"monks-1", "monks-2", "monks-3"} else name


def part(name: str, chosen: Iterable[str], judged: Iterable[str]) -> str:
    """The cell of a table in the column of a choice."""
    words = [("choice", chosen), ("judged", judged)]
    return ", ".join(word for word, sets in words if name in map(folder_name, sets))


def papers(name: str) -> str:
    """The studies that use it."""
    found = []
    for path in sorted(STUDIES.glob("*/study.toml")):
        sets = tomllib.loads(path.read_text()).get("sets", {})
        loaded = {entry.get("load") for entry in sets.values() if isinstance(entry, dict)}
        if name in {folder_name(word) for word in loaded if word}:
            found.append(path.parent.name)
    return ", ".join(found)


def largest(sizes: list[int]) -> str:
    """The numbers of values, largest first."""
    shown = ", ".join(map(str, sorted(sizes, reverse=True)[:5]))
    return shown + (", ..." if len(sizes) > 5 else "")


def shared_lines() -> list[str]:
    """One line for each table of the data folder."""
    manifest = Path(os.environ["MIXEDWOOD_DATA"], "manifest.json")
    heads = ["table", "rows", "nominal", "values", "numeric", "classes", "source", *PARTS, "papers"]
    lines = [
        f"| {' | '.join(heads)} |",
        f"|---|---:|---:|---|---:|---:|---|{'---|' * len(PARTS)}---|",
    ]
    for entry in json.loads(manifest.read_text()):
        columns = [c for c in entry["columns"] if c.get("role") != "class"]
        sizes = [c["n_values"] for c in columns if c["type"] != "numeric" and "n_values" in c]
        parts = [part(entry["name"], *sets) for sets in PARTS.values()]
        cells = [
            entry["name"],
            str(entry["rows"]),
            str(entry["n_nominal"] + entry["n_ordinal"]),
            largest(sizes),
            str(entry["n_numeric"]),
            str(entry["n_classes"]),
            entry["original"],
            *parts,
            papers(entry["name"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def more_lines() -> list[str]:
    """One line for each of the other tables."""
    lines = [
        "| table | rows | nominal | values | numeric | classes | what | source | columns |",
        "|---|---:|---:|---|---:|---:|---|---|---|",
    ]
    for name in more_tables.names():
        table = more_tables.load(name)
        nominal = table.nominal
        cells = [
            name,
            str(len(table.y)),
            str(len(nominal)),
            largest([int(table.X[column].nunique()) for column in nominal]),
            str(table.X.shape[1] - len(nominal)),
            str(len(np.unique(table.y))),
            table.description,
            table.source,
            {"choice": "choice", "judge": "judged"}[table.half],
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Write or print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--page", type=Path, help="file to write")
    args = parser.parse_args()
    counts = {"packages": len(more_tables.PACKAGES), "generated": len(more_tables.GENERATORS)}
    command = "\n- command: `python benchmarks/tables_page.py --page docs/results/tables.md`\n"
    text = "\n".join([ABOUT + command + SHARED, *shared_lines()])
    text += "\n" + "\n".join([MORE.format(**counts), *more_lines()]) + "\n"
    if args.page:
        args.page.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
