"""Pages of the studies, made again from the results per fold that are kept beside this file."""

import re
from pathlib import Path

import pytest

from support.paper_pages import KEPT, ROOT, papers


def without_versions(page):
    """Versions of packages are those of the machine that wrote the page."""
    return re.sub(r"(?m)^- mixedwood .*$", "", page)


@pytest.mark.parametrize("name", KEPT)
def test_a_page_is_what_its_results_say(name):
    """Every mean, mark, count and verdict is computed again."""
    there = (papers.PAGES / f"{papers.PAGE_OF[name]}.md").read_text("utf-8")
    assert without_versions(there) == without_versions(papers.page(name))


@pytest.mark.parametrize("name", KEPT)
def test_all_tasks_of_a_study_are_kept_or_the_page_says_what_was_run(name):
    found = papers.saved(name)
    assert not found.failures
    page = papers.page(name)
    in_part = len(found.records) < found.n_tasks
    assert f"{len(found.records)} of {found.n_tasks} tasks done" in page
    assert ("Run in part: " in page) == in_part
    line = next(line for line in papers.readme_lines() if f"/{papers.PAGE_OF[name]}.md)" in line)
    assert ("run in part: " in line) == in_part


def test_the_summary_is_what_the_pages_say():
    assert papers.SUMMARY.read_text("utf-8") == papers.summary()


def test_results_of_every_study_are_kept():
    assert sorted(KEPT) == sorted(papers.PAGE_OF)


def test_the_readme_has_the_counts_of_the_pages():
    """Counts are read from the pages; run `python tools/papers.py summary` after a change."""
    text = (ROOT / "README.md").read_text("utf-8")
    section = text.split("## Five papers")[1].split("\n## ")[0]
    assert [line for line in section.splitlines() if line[:2] == "- "] == papers.readme_lines()


def test_every_item_of_the_papers_is_done_or_says_why_not():
    text = (papers.PAGES / "papers-checklist.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| \d", line)]
    assert [int(row[0]) for row in rows] == list(range(1, 142))
    for number, _, letters, *remark in rows:
        assert set(letters.split()) <= {"B", "T", "S", "-"}, number
        # A result has nothing to build.
        if letters not in ("B T S", "T S"):
            assert remark and len(remark[0].strip(" |")) > 5, f"{number}: {letters}"


def test_a_changed_value_changes_the_page(tmp_path, monkeypatch):
    """The comparison can fail: one fold of one task, moved by ten points."""
    source = (papers.SAVED / "random_ordinality.json").read_text("utf-8")
    before = papers.page("random_ordinality")
    place = source.index('"error":[') + len('"error":[')
    end = min(source.index(mark, place) for mark in ",]")
    moved = source[:place] + str(float(source[place:end]) + 0.1) + source[end:]
    (tmp_path / "random_ordinality.json").write_text(moved, "utf-8")
    monkeypatch.setattr(papers, "SAVED", Path(tmp_path))
    assert papers.page("random_ordinality") != before
