"""A comparison as one HTML page that needs nothing else."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mixedwood import report
from mixedwood.comparison import page_over_sets, page_sets
from mixedwood.comparison.dividing import protocols
from mixedwood.comparison.formats import to_content
from mixedwood.comparison.grid import expected
from mixedwood.comparison.page_view import View
from mixedwood.comparison.scores import METRICS
from mixedwood.comparison.significance import name_of_test

if TYPE_CHECKING:
    from mixedwood.comparison.results import Comparison

__all__ = ["to_html"]


def to_html(
    comparison: Comparison,
    *,
    title: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
) -> str:
    """Make the page."""
    view = View.of(comparison, baseline, alpha)
    is_one = len(comparison.sets) == 1
    sections = _of_one_set(view) if is_one else _of_sets(view)
    sections += _troubles(view)
    sections += [
        report.Section("How it was made", _making(view)),
        report.Section("How to read this page", report.bullets(_reading(view))),
    ]
    return report.make_page(
        _title(view) if title is None else title,
        sections,
        lead=_lead(view),
        opening=report.tiles(_glance_at_set(view) if is_one else _glance_at_sets(view)),
        footer=f"Made by mixedwood {comparison.versions.get('mixedwood', '')}. "
        "The page holds all its figures as JSON and loads nothing.",
        data=to_content(comparison),
    )


def _of_one_set(view: View) -> list[report.Section]:
    tests = page_sets.tests_of_set(view, 0)
    sections = [
        report.Section("All figures", page_sets.table_of_set(view, 0) + _marks(view)),
        report.Section("Charts", _legend(view) + page_sets.charts_of_set(view, 0)),
    ]
    if tests:
        sections.append(report.Section(f"Against {view.baseline}", _about_tests(view) + tests))
    return sections


def _of_sets(view: View) -> list[report.Section]:
    name = view.caption(view.metric)
    sections = [
        report.Section(f"{name} on all sets", page_over_sets.tables_over_sets(view, _marks(view)))
    ]
    if len(view.comparison.methods) > 1:
        sections += [
            report.Section("Ranks over the sets", page_over_sets.ranks_over_sets(view)),
            report.Section("Pair by pair", page_over_sets.wins_over_sets(view)),
        ]
    sections.append(
        report.Section(
            "Over all sets",
            report.legend(view.legend, ["small points: data sets"])
            + page_over_sets.sums_over_sets(view),
        )
    )
    sections.append(
        report.Section(f"{name} set by set", _legend(view) + page_over_sets.chart_of_each_set(view))
    )
    sections.append(
        report.Section(
            "Every set in detail",
            "".join(_detail(view, s) for s in range(len(view.comparison.sets))),
        )
    )
    return sections


def _detail(view: View, s: int) -> str:
    facts = view.comparison.sets[s]
    tests = page_sets.tests_of_set(view, s)
    body = page_sets.table_of_set(view, s) + page_sets.charts_of_set(view, s, without_first=True)
    if tests:
        body += f"<h3>{report.safe(f'Against {view.baseline}')}</h3>{tests}"
    return report.fold_away(facts.name, body, f"{view.size(facts)}; {_lowest(view, s)}")


# Words at the top


def _title(view: View) -> str:
    n = len(view.comparison.methods)
    who = view.comparison.methods[0] if n == 1 else f"{n} methods"
    sets = view.comparison.sets
    return f"{who} on {sets[0].name if len(sets) == 1 else f'{len(sets)} data sets'}"


def _lead(view: View) -> str:
    found = view.comparison
    n, sets = len(found.methods), found.sets
    who = "One method was" if n == 1 else f"{n} methods were"
    if len(sets) == 1:
        where = f"{sets[0].name} ({view.size(sets[0])})"
    else:
        rows = [facts.n_rows for facts in sets]
        size = f"{min(rows)} to {max(rows)}" if min(rows) < max(rows) else f"{rows[0]}"
        where = f"{len(sets)} data sets of {size} rows"
    same = "" if n == 1 else " All methods saw the same folds."
    return (
        f"{who} measured on {where} by {_protocol(view)}, with the seed {found.random_state}.{same}"
    )


def _protocol(view: View) -> str:
    protocol = view.comparison.protocol
    known = protocols().get(protocol.name, "").partition(";")[0]
    if not known and protocol.kind == "cross_validation":
        times = "" if protocol.repetitions == 1 else f"{protocol.repetitions} times "
        known = f"{times}{protocol.folds}-fold cross-validation"
    elif not known and protocol.kind == "hold_out":
        known = f"a share of the rows left out for testing, {protocol.repetitions} times"
    return f"{protocol.name} ({known})" if known else protocol.name


def _lowest(view: View, s: int) -> str:
    """Which method is first on a set."""
    means = view.comparison.means(view.metric)[s]
    if np.isnan(means).all():
        return "no figures"
    m = int(np.nanargmin(means))
    what = view.caption(view.metric).lower()
    return f"lowest {what}: {view.comparison.methods[m]}, {view.words(view.metric, means[m])}"


def _glance_at_set(view: View) -> list[tuple[str, str, str]]:
    found = view.comparison
    titles = {"leaves": "Smallest single tree", "fit_seconds": "Fastest to fit"}
    tiles = []
    for name in dict.fromkeys([view.metric, "leaves", "fit_seconds"]):
        if name not in view.metrics_of(0):
            continue
        means, errors = found.means(name)[0], found.errors_of_means(name)[0]
        m = int(np.nanargmin(means))
        is_first = name == view.metric
        error = errors[m] if METRICS[name].tested and is_first else math.nan
        line = view.words(name, means[m], error) + (" leaves" if name == "leaves" else "")
        if not is_first:
            first = view.words(view.metric, found.means(view.metric)[0, m])
            line += f"; {view.caption(view.metric).lower()} {first}"
        title = titles.get(name, f"Lowest {view.caption(name).lower()}")
        tiles.append((title, found.methods[m], line))
    return tiles


def _glance_at_sets(view: View) -> list[tuple[str, str, str]]:
    found, tiles = view.comparison, []
    ranks = view.ranks.mean(axis=0)
    n_sets, what = len(found.sets), view.caption(view.metric).lower()
    if not np.isnan(ranks).all():
        m = int(np.nanargmin(ranks))
        ranked = int((~np.isnan(ranks)).sum())
        tiles.append(("Best mean rank", found.methods[m], f"{ranks[m]:.2f} of {ranked}"))
    means = found.means(view.metric)
    if len(found.methods) > 1 and not np.isnan(means).all(axis=1).any():
        firsts = (means == np.nanmin(means, axis=1, keepdims=True)).sum(axis=0)
        m = int(np.argmax(firsts))
        tiles.append(
            (f"Most often lowest {what}", found.methods[m], f"on {firsts[m]} of {n_sets} sets")
        )
    try:
        friedman = found.friedman(view.metric, alpha=view.alpha)
    except ValueError:
        return tiles
    answer = "yes" if friedman.is_significant else "not by more than luck"
    from mixedwood.stats.paired_test import in_words

    tiles.append(("Do the methods differ?", answer, f"Friedman test, {in_words(friedman.p_value)}"))
    return tiles


# Words about charts and tables


def _legend(view: View) -> str:
    others = []
    if view.comparison.protocol.kind != "seven_sets":
        others = ["bar: standard error", "small points: folds"]
    if len(view.comparison.methods) > 1:
        others.append(f"dashed line: {view.baseline}")
    return report.legend(view.legend, others)


def _marks(view: View) -> str:
    if len(view.comparison.methods) < 2:
        return ""
    test = name_of_test(view.comparison)
    words = "Bold: lowest mean. A click on the name of a column sorts by it."
    if test and view.tested:
        words += (
            f" + and \u2212: significantly better and worse than {view.baseline} by {test}, at the "
            f"level of {100 * view.alpha:g} %."
        )
    return report.paragraph(words, "soft")


def _about_tests(view: View) -> str:
    test = name_of_test(view.comparison)
    if not test:
        return ""
    level = f"{100 * view.alpha:g}"
    return report.paragraph(
        f"Each method is tested against {view.baseline} by {test}. Pairs are tested one by one: of "
        f"methods that are in truth equal, about {level} in 100 are called different by luck.",
        "soft",
    )


def _reading(view: View) -> list[str]:
    protocol = view.comparison.protocol.kind
    lines = ["Less is better in every figure."]
    if protocol == "seven_sets":
        lines.append(
            "Each figure is of one model, on the rows of set 7: the one of six with the least "
            "error on the set left out for choosing. One figure cannot be tested, and how far it "
            "would be off on other rows is not known."
        )
    else:
        lines += [
            "± is the standard error: the deviation over the folds by the root of their number. "
            "Folds share rows, so that the truth is less certain than the bars look. The tests "
            "allow for that; eyes do not.",
            "Two bars that overlap may still belong to methods that differ: all methods had the "
            "same folds, and the tests look at differences fold by fold.",
            "No mark does not mean equal. It means that these rows and folds do not show it.",
        ]
    if len(view.comparison.sets) > 1:
        lines.append(
            "Errors on different sets cannot be averaged in earnest; ranks can. The mean below a "
            "table is there for completeness."
        )
    lines += [
        "Times are of this machine and of one core; those taken with several workers disturb each "
        "other. They are not tested.",
        "A method that failed on a fold has no mean and no rank: the folds on which it did not "
        "fail may be the easy ones.",
        "Methods ran with the settings listed above. Another choice of settings is another method.",
    ]
    return lines


# What went wrong, and what was done


def _troubles(view: View) -> list[report.Section]:
    found = view.comparison
    parts = []
    alike: dict[tuple[str, str, str, str], list[int]] = {}
    for f in found.failures:
        alike.setdefault((f.set, f.method, f.error, f.traceback), []).append(f.fold + 1)
    n_folds = {facts.name: len(facts.n_test) for facts in found.sets}
    for (set_name, method, error, traceback), folds in alike.items():
        title = f"{method} on {set_name}: {error.partition(chr(10))[0]}"
        where = f"failed on {len(folds)} of {n_folds[set_name]} folds"
        body = report.paragraph(f"Folds: {', '.join(map(str, folds))}.") + report.trace(traceback)
        parts.append(report.fold_away(title, body, where))
    lines = [(expected(n), f"{n.method} on {n.n_folds} folds of {n.set}: {n.words}")
             for n in found.notices]  # fmt: skip
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


def _making(view: View) -> str:
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
        for facts in found.sets
    ]
    header = ["data set", "rows", "columns", "classes", "rows to learn from", "rows to test on"]
    facts = {
        "protocol": _protocol(view),
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
