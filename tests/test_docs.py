"""What the documentation shows runs, what it names exists, and what exists is named."""

import ast
import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import mixedwood as mw

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts),
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def name_of(path):
    return str(path.relative_to(ROOT))


SHOWING = [page for page in PAGES if "\n>>> " in page.read_text("utf-8")]


@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_the_examples_of_a_page_run(page):
    for package in ("pandas", "polars"):
        pytest.importorskip(package)
    # Fences end the expected output of the last example of a block.
    text = re.sub(r"^```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(examples, out=report.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("script", EXAMPLES, ids=name_of)
def test_an_example_script_runs(script):
    if script.name.startswith("plot_"):  # the gallery
        pytest.importorskip("matplotlib")
        pytest.importorskip("pandas")
    # On a machine with a display, `plt.show()` warns that Agg draws nothing on it.
    quiet = ["-W", "error", "-W", "ignore:FigureCanvasAgg is non-interactive:UserWarning"]
    run = subprocess.run(
        [sys.executable, *quiet, str(script)],
        cwd=ROOT,
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


def test_each_example_of_the_gallery_has_a_title_a_question_and_a_picture():
    gallery = [script for script in EXAMPLES if script.name.startswith("plot_")]
    assert len(gallery) >= 20
    for script in gallery:
        code = script.read_text("utf-8")
        title, line, blank = ast.get_docstring(ast.parse(code)).splitlines()[:3]
        assert line == "=" * len(title) and blank == "", script.name
        assert "?" in ast.get_docstring(ast.parse(code)), script.name
        assert code.endswith("plt.show()\n") and code.count("plt.show()") == 1, script.name


def test_the_picture_of_the_readme_is_its_tree():
    pytest.importorskip("pandas")
    spec = spec_from_file_location("readme_picture", ROOT / "tools" / "readme_picture.py")
    tool = module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.PICTURE.read_text("utf-8") == tool.picture(), "run tools/readme_picture.py"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", prose):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


CITED = re.compile(
    r"\b([A-ZÀ-Ž][\w-]+)(?: et al\.?|(?:, [A-ZÀ-Ž]\w+)*,? and [A-ZÀ-Ž]\w+|, [A-ZÀ-Ž]\w+)?,?"
    r" \(?((?:19|20)\d\d)\b"
)


def uncited(text, entries):
    """Papers that are named by author and year, and not in the bibliography."""
    return {
        f"{author} {year}"
        for author, year in CITED.findall(text)
        if not any(author in entry and year in entry for entry in entries)
    }


def test_every_paper_that_is_named_is_in_the_bibliography():
    entries = re.split(r"(?m)^- ", (DOCS / "explanation" / "bibliography.md").read_text("utf-8"))
    assert uncited("(Nobody and Noone 1999) (Breiman et al. 1984)", entries) == {"Nobody 1999"}
    places = ("src/mixedwood", "core/src", "core/include", "docs/guide", "docs/decisions")
    files = [p for place in places for p in sorted((ROOT / place).rglob("*.[chmp]*"))]
    assert len(files) > 300
    assert not {
        (name_of(file), *found)
        for file in files
        if file.suffix in (".py", ".cpp", ".hpp", ".md")
        and (found := uncited(file.read_text("utf-8"), entries))
    }


def test_the_evidence_of_features_exists():
    text = (DOCS / "results" / "features.md").read_text("utf-8")
    assert [int(n) for n in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)] == list(range(1, 23))
    named = re.findall(r"`(tests/\S+\.py)::(test_\w+)`", text)
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), f"{file}::{test}"


@pytest.mark.parametrize(
    "package",
    [
        "comparison",
        "data",
        "datasets",
        "estimators",
        "evaluation",
        "preprocessing",
        "pruning",
        "saving",
        "splits",
        "stats",
    ],
)
def test_every_public_name_is_in_the_reference(package):
    text = (DOCS / "reference" / f"{package}.md").read_text("utf-8")
    pattern = rf"^\.\. auto\w+:: mixedwood\.{package}\.([A-Za-z]\w*)"
    listed = set(re.findall(pattern, text, re.MULTILINE))
    assert listed == set(import_module(f"mixedwood.{package}").__all__)


def first_cells(text):
    """Names in the first column of the tables of a text."""
    return set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))


def section(page, title):
    text = (DOCS / "guide" / page).read_text("utf-8")
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize(
    ("page", "title", "names"),
    [
        ("splits.md", "Criteria", mw.splits.criteria),
        ("splits.md", "Partitioners", mw.splits.partitioners),
        ("splits.md", "Screeners", mw.splits.screeners),
        ("trees.md", "Pruning", mw.pruning.pruners),
    ],
)
def test_the_guide_lists_every_part(page, title, names):
    assert first_cells(section(page, title)) == set(names())


@pytest.mark.parametrize(
    ("estimator", "page", "title"),
    [
        (mw.TreeClassifier, "trees.md", "C4.5 and presets"),
        (mw.ForestClassifier, "ensembles.md", "Forests"),
        (mw.RandomOrdinalityClassifier, "ensembles.md", "Random Ordinality"),
        (mw.BoostedTreesClassifier, "ensembles.md", "Boosting"),
    ],
)
def test_the_guide_lists_every_preset(estimator, page, title):
    presets = {
        name
        for name, member in vars(estimator).items()
        if isinstance(member, classmethod) and not name.startswith("_")
    }
    listed = re.findall(r"^\| `(\w+)\(\)` \|", section(page, title), re.MULTILINE)
    assert set(listed) == presets
