"""Files about the project agree with each other: versions, lowest dependencies, notes."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_lowest_versions_are_those_promised():
    project = PYPROJECT["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(d for e in extras.keys() - {"lint", "docs", "release", "coverage"} for d in extras[e]),
    ]
    promised = dict(re.findall(r"^([\w-]+)>=([\d.]+)$", "\n".join(wanted), re.MULTILINE))
    text = (ROOT / "constraints-lowest.txt").read_text("utf-8")
    tried = dict(re.findall(r"^([\w-]+)==([\d.]+)$", text, re.MULTILINE))
    assert len(tried) > 10
    assert {"numpy", "scipy", "scikit-learn", "joblib", "pandas"} <= tried.keys()
    for name, version in tried.items():
        assert version == promised[name] or re.fullmatch(
            re.escape(promised[name]) + r"(\.0)+", version
        ), f"{name}: {promised[name]} in pyproject.toml, {version} in constraints-lowest.txt"


def test_notes_are_named_so_that_towncrier_finds_them():
    settings = PYPROJECT["tool"]["towncrier"]
    types = "|".join(kind["directory"] for kind in settings["type"])
    folder = ROOT / settings["directory"]
    names = {path.name for path in folder.iterdir()} - {"README.md"}
    left_out = [n for n in names if not re.fullmatch(rf"(\+[\w-]+|\d+)\.({types})\.md", n)]
    assert sorted(left_out) == [], "see changelog.d/README.md for the names of notes"
    for kind in settings["type"]:
        assert f"`{kind['directory']}`" in (folder / "README.md").read_text("utf-8")


def test_the_changelog_has_a_section_for_this_version():
    version = PYPROJECT["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    start = PYPROJECT["tool"]["towncrier"]["start_string"]
    assert changelog.count(start) == 1
    assert f"\n## {version} (" in changelog.split(start)[1]


def test_the_citation_names_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {PYPROJECT['project']['version']}\n" in citation
