"""Pages of the papers' studies, from results that are kept in the repository.

    python tools/papers.py save NAME --store FILE [--store FILE]   keep what stores have of a study
    python tools/papers.py load NAME --store FILE                  put it back, to run only the rest
    python tools/papers.py page [NAME ...]                         write docs/results/<page>.md
    python tools/papers.py summary         write docs/results/papers.md and the counts of the README

`save` also draws the figures of the study. Pages are made of the saved results alone, so that a
test can compare them.
"""

from __future__ import annotations

import argparse
import re
from functools import cache
from pathlib import Path

from mixedwood.study import Store, draw_figures, read_study, results, to_markdown
from mixedwood.study.results import Results
from mixedwood.study.saved import read_results, write_results
from mixedwood.study.tables import COUNTED

ROOT = Path(__file__).resolve().parents[1]
SAVED = ROOT / "tests" / "studies" / "results"
PAGES = ROOT / "docs" / "results"
SUMMARY = PAGES / "papers.md"
PAGE_OF = {
    "random_ordinality": "random-ordinality",
    "model_trees": "model-trees-study",
    "binarization": "binarization",
    "grow_and_prune": "grow-and-prune",
    "nominal_splits": "nominal-splits",
    "split_searches": "split-searches",
}


IN_PART = {
    "binarization": """\
**Run in part:** everything offline with cut points from training rows; online
all strategies at depth 2, and at depth 3 all but one-hot with equal width and equal frequency. Not
run again: combined, online at depth 4, and cut points from all rows of the benchmark (banknote
has them). No claim of the paper rests on these.""",
    "split_searches": """\
**Run in part:** the Monte Carlo study in full; trees of the six data sets whose
trees are quick to grow, with all twenty repetitions. Trees of Phonemes-15, Shelter-15 and
CoverType-Ext were not run again. No claim of the paper rests on these.""",
}
"""What was run of studies that were not run in full: chosen by time, before results were seen."""


def saved(name: str) -> Results | None:
    """Results of a study that are kept here; None if there are none."""
    path = SAVED / f"{name}.json"
    return _read(name, path) if path.exists() else None


@cache  # tables are filled once for all pages
def _read(name: str, path: Path) -> Results:
    return read_results(read_study(name), path)


def merged(name: str, stores: list[str]) -> Results:
    """Results of a study from several stores."""
    study = read_study(name)
    records, tasks = {}, {}
    for path in stores:
        with Store(path) as store:
            found = results(study, store)
        records |= found.records
        tasks = found.tasks
    return Results(study, records, tasks)


def save(name: str, stores: list[str]) -> None:
    """Keep the results of a study, and draw its figures."""
    found = merged(name, stores)
    write_results(found, SAVED / f"{name}.json")
    draw_figures(found, PAGES)


def load(name: str, store: str) -> None:
    """Put saved results into a store; metrics that no table shows are not in them."""
    found = saved(name)
    if found is None:
        raise SystemExit(f"No results of {name} are kept in {SAVED}.")
    with Store(store) as kept:
        known = kept.records(found.records)
        for key, record in found.records.items():
            if key not in known:
                kept.add(record)


def page(name: str) -> str:
    """The page of a study whose results are kept."""
    found = saved(name)
    assert found is not None
    figures = {
        figure.name: path.name
        for figure in found.study.figures
        if (path := PAGES / _figure_file(name, figure.name)).exists()
    }
    text = to_markdown(found, command=f"mixedwood study run {name}", figures=figures)
    if name in IN_PART and len(found.records) < found.n_tasks:
        text = text.replace("\n- command:", f"\n{IN_PART[name]}\n\n- command:", 1)
    return text


def _figure_file(name: str, figure: str) -> str:
    parts = ("".join(c if c.isalnum() else "-" for c in part) for part in (name, figure))
    return "_".join(parts).lower() + ".png"


def summary() -> str:
    """The page of all studies: a row for each, and a row for each claim."""
    rows, claims, details = [], [], []
    for name, slug in PAGE_OF.items():
        found = saved(name)
        counts = counts_on_page(slug)
        rows.append([f"[{slug}]({slug}.md)", *(counts.get(k, "-") for k in COUNTED)])
        rows[-1] += [verdict_counts(name), tasks_run(name)]
        study = read_study(name) if found is None else found.study
        if found is None:
            claims += [
                [claim.id, claim.text, "not run again by this rule", slug]
                for claim in study.claims
                if claim.source == "paper"
            ]
            continue
        for verdict in found.verdicts:
            if verdict.claim.source == "paper":
                claims.append([verdict.claim.id, verdict.claim.text, verdict.verdict, slug])
                details.append((verdict, slug))
    return _SUMMARY.format(
        studies=_table(["study", *COUNTED.values(), "claims of the paper", "tasks run"], rows),
        claims=_claims(claims, details),
    )


def verdict_counts(name: str) -> str:
    """How many claims of a paper hold, in one line."""
    found = saved(name)
    if found is None:
        return "not judged again"
    verdicts = [v.verdict for v in found.verdicts if v.claim.source == "paper"]
    return ", ".join(f"{verdicts.count(what)} {what}" for what in dict.fromkeys(sorted(verdicts)))


def tasks_run(name: str) -> str:
    """How many tasks of a study are kept, of all that it has."""
    found = saved(name)
    return "-" if found is None else f"{len(found.records)} of {found.n_tasks}"


_SUMMARY = """# Five papers: counts and verdicts

Written by `python tools/papers.py summary` from the pages of the studies and the results that are
kept in `tests/studies/results`. A cell is counted as near within two standard errors. *Published
figures* are what a paper prints; a *check run* is another run of the same methods by us; a
*reference program* is an independent one; and by a *rebuilt fault* agree figures that the released
program got by a mistake, which was built again to show it. These are never added up. Verdicts
follow [one rule](../decisions/0067-what-an-interval-decides.md): a claim is not decided while one
of its cells was not run. [What of each paper is built, tested and studied](papers-checklist.md) is
listed apart.

## Studies

{studies}

## Claims of the papers

Intervals are 95 %; each line of evidence begins with what its check says.

{claims}
"""


def readme_lines() -> list[str]:
    """What the README says of each study: its counts, and how many claims hold."""
    lines = []
    for name, slug in PAGE_OF.items():
        counts = counts_on_page(slug)
        shown = ", ".join(f"{COUNTED[kind].lower()} {count}" for kind, count in counts.items())
        claims = verdict_counts(name)
        found = saved(name)
        if found is not None and len(found.records) < found.n_tasks:
            claims += f" (run in part: {tasks_run(name)} tasks)"
        lines.append(f"- [{_TITLES[name]}](docs/results/{slug}.md): {shown}; claims: {claims}")
    return lines


def write_readme() -> None:
    """Put these lines into the README."""
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    old = re.search(r"(?m)(^- \[.*\]\(docs/results/.*; claims: .*\n)+", text)
    assert old, "the README has no list of studies"
    new = "\n".join(readme_lines()) + "\n"
    path.write_text(text.replace(old.group(0), new), encoding="utf-8")


_TITLES = {
    "random_ordinality": "Random Ordinality Ensembles",
    "model_trees": "Model trees for mixed data",
    "binarization": "Binarization for optimal trees",
    "grow_and_prune": "Grow-and-prune ensembles",
    "nominal_splits": "Binary splits of large nominal columns",
    "split_searches": "Its Monte Carlo study",
}


def _claims(claims: list[list[str]], details: list) -> str:
    evidence = {(v.claim.text, slug): "; ".join(v.evidence) for v, slug in details}
    rows = []
    for number, text, verdict, slug in claims:
        shown = evidence.get((text, slug), f"see [the page]({slug}.md)")
        rows.append([number, text, f"**{verdict}**", shown])
    return _table(["", "claim", "verdict", "evidence"], rows)


def _table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def counts_on_page(slug: str) -> dict[str, str]:
    """What a page says of its cells: "88 of 124" by kind."""
    text = (PAGES / f"{slug}.md").read_text(encoding="utf-8")
    found = {}
    for kind, title in COUNTED.items():
        match = re.search(rf"\*\*{title}: (\d+ of \d+) within", text)
        if match:
            exact = re.search(rf"{title}: .*taken as exact: (\d+)\.", text)
            found[kind] = match.group(1)
            found[kind] += f" ({exact.group(1)} if printed means are exact)" if exact else ""
    return found


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["save", "load", "page", "summary"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--store", action="append", default=[])
    given = parser.parse_args()
    for name in given.names or [n for n in PAGE_OF if (SAVED / f"{n}.json").exists()]:
        if given.what == "save":
            save(name, given.store)
        elif given.what == "load":
            load(name, given.store[0])
        elif given.what == "page":
            (PAGES / f"{PAGE_OF[name]}.md").write_text(page(name), encoding="utf-8")
    if given.what == "summary":
        SUMMARY.write_text(summary(), encoding="utf-8")
        write_readme()


if __name__ == "__main__":
    main()
