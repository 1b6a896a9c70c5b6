"""What stands at the end of the page: what went wrong, and what was done."""

from __future__ import annotations

import numpy as np

from mixedwood import report
from mixedwood.comparison.page_glance import protocol_in_words
from mixedwood.comparison.page_view import View
from mixedwood.comparison.table import is_expected

__all__ = ["making_of", "troubles_of"]


def troubles_of(view: View) -> list[report.Section]:
    """Make the section on failures and warnings, if there were any."""
    found = view.comparison
    parts = []
    alike: dict[tuple[str, str, str, str], list[int]] = {}
    for f in found.failures:
        alike.setdefault((f.dataset, f.method, f.error, f.traceback), []).append(f.fold + 1)
    n_folds = {facts.name: len(facts.n_test) for facts in found.datasets}
    for (set_name, method, error, traceback), folds in alike.items():
        title = f"{method} on {set_name}: {error.partition(chr(10))[0]}"
        where = f"failed on {len(folds)} of {n_folds[set_name]} folds"
        body = report.paragraph(f"Folds: {', '.join(map(str, folds))}.") + report.trace(traceback)
        parts.append(report.fold_away(title, body, where))
    lines = [(is_expected(n), f"{n.method} on {n.n_folds} folds of {n.dataset}: {n.message}")
             for n in found.warnings]  # fmt: skip
    told = [line for usual, line in lines if not usual]
    usual = [line for usual, line in lines if usual]
    if told:
        parts.append("<h3>Warnings</h3>" + report.bullets(told))
    if usual:
        parts.append(
            report.fold_away("Values that a fold did not teach", report.bullets(usual),
                             f"{len(usual)} warnings; to be expected when rows are divided")
        )  # fmt: skip
    title = "Failures and warnings" if found.failures or told else "Warnings"
    return [report.Section(title, "\n".join(parts))] if parts else []


def making_of(view: View) -> str:
    """List data sets, protocol, versions and settings."""
    found = view.comparison
    rows = [
        report.TableRow(
            facts.name,
            [
                _count(facts.n_rows),
                _count(facts.n_columns),
                _count(len(facts.classes)),
                _count(round(float(np.mean(facts.n_train)))),
                _count(round(float(np.mean(facts.n_test)))),
            ],
        )
        for facts in found.datasets
    ]
    header = ["data set", "rows", "columns", "classes", "rows to learn from", "rows to test on"]
    facts = {
        "protocol": protocol_in_words(view),
        "seed": str(found.random_state),
        "versions": ", ".join(f"{name} {version}" for name, version in found.versions.items()),
    }
    return (
        report.make_table(header, rows, about="Data sets", sortable=len(rows) > 1)
        + report.pairs(facts)
        + "<h3>Settings of the methods</h3>"
        + report.pairs({name: found.settings.get(name, "") for name in found.methods}, code=True)
    )


def _count(n: int) -> report.TableCell:
    return report.TableCell(str(n), float(n))
