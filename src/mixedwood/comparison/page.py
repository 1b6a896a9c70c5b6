"""A comparison as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mixedwood import report
from mixedwood.comparison import page_over_sets, page_sets
from mixedwood.comparison.formats import to_content
from mixedwood.comparison.page_glance import (
    glance_at_set,
    glance_at_sets,
    lead_of,
    lowest_on,
    title_of,
)
from mixedwood.comparison.page_making import making_of, troubles_of
from mixedwood.comparison.page_view import View
from mixedwood.comparison.pairwise import test_name

if TYPE_CHECKING:
    from mixedwood.comparison.result import Comparison

__all__ = ["to_html"]


def to_html(
    comparison: Comparison,
    *,
    title: str | None = None,
    baseline: str | None = None,
    alpha: float = 0.05,
    trees: Mapping[str, Any] | None = None,
) -> str:
    """Make the page."""
    view = View.of(comparison, baseline, alpha)
    is_one = len(comparison.datasets) == 1
    sections = [report.Section("Trees", _drawn(trees))] if trees else []
    sections += _of_one_set(view) if is_one else _of_sets(view)
    sections += troubles_of(view)
    sections += [
        report.Section("How it was made", making_of(view)),
        report.Section("How to read this page", report.bullets(_reading(view))),
    ]
    return report.make_page(
        title_of(view) if title is None else title,
        sections,
        lead=lead_of(view),
        opening=report.tiles(glance_at_set(view) if is_one else glance_at_sets(view)),
        footer=f"Made by mixedwood {comparison.versions.get('mixedwood', '')}. "
        "The page holds all its figures as JSON and loads nothing.",
        data=to_content(comparison),
    )


def _drawn(trees: Mapping[str, Any]) -> str:
    return "".join(
        report.figure(tree.to_svg(), caption, _size(tree), wide=True)
        for caption, tree in trees.items()
    )


def _size(tree: Any) -> str:
    return f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}, depth {tree.depth}"


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
            "".join(_detail(view, s) for s in range(len(view.comparison.datasets))),
        )
    )
    return sections


def _detail(view: View, s: int) -> str:
    facts = view.comparison.datasets[s]
    tests = page_sets.tests_of_set(view, s)
    body = page_sets.table_of_set(view, s) + page_sets.charts_of_set(view, s, without_first=True)
    if tests:
        body += f"<h3>{report.safe(f'Against {view.baseline}')}</h3>{tests}"
    return report.fold_away(facts.name, body, f"{view.size(facts)}; {lowest_on(view, s)}")


# Words about charts and tables


def _legend(view: View) -> str:
    others = ["bar: standard error", "small points: folds"]
    if len(view.comparison.methods) > 1:
        others.append(f"dashed line: {view.baseline}")
    return report.legend(view.legend, others)


def _marks(view: View) -> str:
    if len(view.comparison.methods) < 2:
        return ""
    test = test_name(view.comparison)
    words = "Bold: lowest mean. A click on the name of a column sorts by it."
    if test and view.tested:
        words += (
            f" + and \u2212: significantly better and worse than {view.baseline} by the {test}, "
            f"at the level of {100 * view.alpha:g} %."
        )
    return report.paragraph(words, "soft")


def _about_tests(view: View) -> str:
    test = test_name(view.comparison)
    if not test:
        return ""
    level = f"{100 * view.alpha:g}"
    return report.paragraph(
        f"Each method is tested against {view.baseline} by the {test}. Pairs are tested one "
        f"by one: of methods that are in truth equal, about {level} in 100 are "
        "called different by luck.",
        "soft",
    )


def _reading(view: View) -> list[str]:
    lines = ["Less is better in every figure."]
    lines += [
        "± is the standard error: the deviation over the folds by the root of their number. "
        "Folds share rows, so that the truth is less certain than the bars look. The tests "
        "allow for that; eyes do not.",
        "Two bars that overlap may still belong to methods that differ: all methods had the "
        "same folds, and the tests look at differences fold by fold.",
        "No mark does not mean equal. It means that these rows and folds do not show it.",
    ]
    if len(view.comparison.datasets) > 1:
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
