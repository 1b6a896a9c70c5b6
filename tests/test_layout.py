"""The layout of the code: imports point one way, the usual calls stay short, the map is true."""

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import mixedwood

ROOT = Path(__file__).parents[1]
PACKAGE = Path(mixedwood.__file__).parent
STUDIES = PACKAGE.with_name("mixedwood_studies")

# What the modules at the bottom import of the library; every package may import them.
SHARED = {
    "_kinds": set(),
    "_params": set(),
    "_random": set(),
    "_folds": {"_random"},
    "_warnings": set(),
    "_limits": {"_core", "_warnings"},
    "_progress": set(),
    "_parallel": {"_limits", "_progress"},
}
# What the other packages and modules may import besides themselves and SHARED. A new package gets
# a line here, and imports never form a circle. `_core` is the native module.
MAY_IMPORT = {
    **SHARED,
    "_catalogue": set(),
    "files": set(),
    "printable": set(),
    "stats": set(),
    "data": {"_core", "files"},
    "datasets": {"data", "files"},
    "_parts": {"_core"},
    "splits": {"_core", "_parts", "data"},
    "tree": {"_core", "data"},
    "explain": {"data", "tree"},
    "plot": {"explain", "tree"},
    "pruning": {"_core", "_parts", "data", "tree"},
    "grow": {"_core", "_parts", "data", "tree"},
    "preprocessing": {"_core", "data", "explain"},
    "linear": {"_core", "data", "tree"},
    "optimal": {"_core", "data", "grow", "preprocessing", "tree"},
    "boosting": {"_core", "data", "grow", "tree"},
    "estimators": {
        "_catalogue",
        "_parts",
        "boosting",
        "data",
        "explain",
        "grow",
        "linear",
        "optimal",
        "plot",
        "preprocessing",
        "pruning",
        "tree",
    },
    "evaluation": {"data"},
    "report": {"data", "estimators", "evaluation", "explain", "files", "plot", "stats"},
    "saving": {"_catalogue", "_parts", "data", "files", "preprocessing", "pruning", "tree"},
    "exports": {"data", "files", "tree"},
    "comparison": {
        "_catalogue",
        "data",
        "datasets",
        "files",
        "printable",
        "report",
        "stats",
    },
    "study": {"_catalogue", "comparison", "data", "datasets", "files", "stats"},
    "cli": {
        "_catalogue",
        "comparison",
        "data",
        "datasets",
        "estimators",
        "evaluation",
        "explain",
        "exports",
        "files",
        "preprocessing",
        "printable",
        "pruning",
        "saving",
        "splits",
        "study",
        "tree",
    },
}
# Packages above that a method imports when it is called: users look for `tree.plot()`.
IMPORTED_ON_CALL = {"tree": {"explain", "plot"}, "estimators": {"evaluation", "report"}}

# The most modules that a call may run through, without those that only hold values.
LONGEST_WALKS = {"fit": 14, "predict": 6, "explain": 10, "compare": 51, "study run": 35}
MOST_MODULES = 236


def packages_imported(path):
    """Names below mixedwood that a file imports, wherever in the file."""
    found = set()
    package = ["mixedwood", *path.relative_to(PACKAGE).parent.parts]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = [*base, *(node.module or "").split(".")] if node.module else base
            names = [".".join([*module, alias.name]) for alias in node.names]
        else:
            continue
        parts = [name.split(".") for name in names]
        found |= {[*part, ""][1] for part in parts if part[0] == "mixedwood"}
    return found - {"__version__"}


def package_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


SOURCES = [p for p in sorted(PACKAGE.rglob("*.py")) if package_of(p) != "__init__"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    package = package_of(path)
    assert package in MAY_IMPORT, f"say in MAY_IMPORT what {package!r} may import"
    allowed = MAY_IMPORT[package] | IMPORTED_ON_CALL.get(package, set()) | {package}
    assert packages_imported(path) <= allowed | (set() if package in SHARED else set(SHARED))


def test_what_may_be_imported_is():
    """No line of MAY_IMPORT allows more than the code needs."""
    used = {name: set() for name in MAY_IMPORT}
    for path in SOURCES:
        used[package_of(path)] |= packages_imported(path)
    assert {
        name: needs - used[name] for name, needs in MAY_IMPORT.items() if needs - used[name]
    } == {}


def test_no_two_packages_import_each_other():
    built, left = {"_core"}, dict(MAY_IMPORT)
    while left:
        ready = [name for name, needs in left.items() if needs <= built]
        assert ready, f"{sorted(left)} need each other"
        built.update(ready)
        for name in ready:
            del left[name]


def test_the_library_does_not_import_studies():
    for path in SOURCES:
        names = {
            name
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert not [name for name in names if name.split(".")[0] == STUDIES.name], path


def test_packages_above_are_imported_on_call_only():
    for package, above in IMPORTED_ON_CALL.items():
        loaded = modules_after(f"import mixedwood.{package}")
        assert f"mixedwood.{package}" in loaded
        assert not {f"mixedwood.{name}" for name in above} & loaded


def test_imports_are_seen_in_every_form(tmp_path, monkeypatch):
    """`packages_imported` on what it must not miss."""
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    (tmp_path / "splits").mkdir()
    path = tmp_path / "splits" / "sample.py"
    for line, package in [
        ("import mixedwood._core", "_core"),
        ("from mixedwood import _core", "_core"),
        ("from mixedwood.data.schema import Table", "data"),
        ("from .. import data", "data"),
        ("from ..data.table import Table", "data"),
        ("from . import search", "splits"),
        ("def f():\n    import mixedwood.cli as c", "cli"),
        ("import mixedwood", ""),
    ]:
        path.write_text(line)
        assert packages_imported(path) == {package}
    path.write_text("import numpy\nfrom mixedwoods import data")
    assert packages_imported(path) == set()


@cache
def figures():
    """Sizes of packages and modules of the usual calls, measured in a fresh process."""
    code = ROOT / "tools" / "code_figures.py"
    run = subprocess.run([sys.executable, code, "--json"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("call", LONGEST_WALKS)
def test_walks_stay_short(call):
    walk = figures()["walks"][call]
    working = sorted(set(walk["modules"]) - set(walk["holding_values"]))
    assert len(working) <= LONGEST_WALKS[call], "\n".join(working)


def test_modules_that_hold_values_are_few():
    assert {name for walk in figures()["walks"].values() for name in walk["holding_values"]} == {
        "_limits",
        "_parts",
        "_random",
        "data/schema",
        "grow/encoded",
    }


def test_the_library_has_few_modules():
    assert len(SOURCES) + 1 <= MOST_MODULES


def modules_after(statement):
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=250)
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_importing_is_light():
    loaded = modules_after("import mixedwood")
    assert "mixedwood" in loaded
    heavy = {"sklearn", "pandas", "polars", "pyarrow", "scipy", "matplotlib", "numpy"}
    assert loaded & heavy == set()


def test_splitting_needs_no_heavy_package():
    loaded = modules_after(
        "import mixedwood as mw; mw.splits.best_partition([[5, 1], [1, 5], [2, 2]])"
    )
    assert "mixedwood._core" in loaded
    assert loaded & {"sklearn", "pandas", "polars", "pyarrow", "scipy", "matplotlib"} == set()


def test_reading_needs_no_library_of_frames():
    loaded = modules_after(
        "import mixedwood as mw; t = mw.data.read_table({'a': ['x', 'y'], 'n': [1, 2.5]}); "
        "mw.data.read_table({'a': 'x', 'n': 3}, schema=t.schema); mw.data.read_target(['p', 'q'])"
    )
    assert "mixedwood.data" in loaded
    heavy = {"sklearn", "pandas", "polars", "pyarrow", "scipy", "joblib", "matplotlib"}
    assert loaded & heavy == set()


FIT = """
import mixedwood as mw
model = mw.{name}().fit({{"a": ["x", "y"] * 20, "n": [*range(40)]}}, ["p", "q"] * 20)
model.predict({{"a": "x", "n": 3}})
"""
UNUSED = {"comparison", "datasets", "plot", "report", "saving", "stats", "study", "cli", "files"}


@pytest.mark.parametrize(
    "name",
    ["TreeClassifier", "ForestClassifier", "BoostedTreesClassifier", "OptimalTreeClassifier"],
)
def test_fitting_imports_nothing_beside_scikit_learns_base(name):
    """Not even more of scikit-learn and scipy than its base class needs."""
    base = modules_after("import sklearn.base")
    loaded = modules_after(FIT.format(name=name)) - base
    others = {m for m in loaded if m.split(".")[0].lstrip("_") not in sys.stdlib_module_names}
    assert {m for m in others if m.split(".")[0] != "mixedwood"} <= {"_statistics"}
    assert loaded & {f"mixedwood.{name}" for name in UNUSED} == set()


PAGE = ROOT / "docs" / "explanation" / "architecture.md"


def test_the_architecture_page_names_every_package():
    page = PAGE.read_text("utf-8")
    names = {package_of(path) for path in SOURCES}
    files = {f"{name}.py" if (PACKAGE / f"{name}.py").exists() else f"{name}/" for name in names}
    native = {f"{path.name}/" for path in (ROOT / "core" / "src").iterdir() if path.is_dir()}
    words = set(re.findall(r"[\w./]+", page.replace("core/src/", "")))
    assert sorted((files | native) - words) == []


def test_every_path_on_the_architecture_page_exists():
    """Paths are in backticks, relative to the root, to src/mixedwood or to core/src."""
    paths = re.findall(
        r"`([\w.]+(?:/[\w.]+)*(?:/|\.py|\.[ch]pp|\.md|\.toml))`", PAGE.read_text("utf-8")
    )
    assert len(paths) > 60
    places = [ROOT, PACKAGE, ROOT / "core" / "src"]
    gone = [path for path in paths if not any((place / path).exists() for place in places)]
    assert gone == []


def test_the_drawing_of_layers_is_true():
    """A line of the drawing imports only lines above it, and packages to its left."""
    drawing = next(block for block in PAGE.read_text("utf-8").split("```") if "▼" in block)
    lines = [line for line in drawing.splitlines() if line.strip() and line.strip() != "▼"]
    order = [name for line in lines for name in re.findall(r"\w+", line.partition("#")[0])]
    assert sorted(order) == sorted(MAY_IMPORT)
    place = {name: i for i, name in enumerate(order)}
    for name, needs in MAY_IMPORT.items():
        assert all(place[need] < place[name] for need in needs - {"_core"}), name
    users = re.search(
        r"import the native\s+module `_core`: (.*?)\.\s", PAGE.read_text("utf-8"), re.S
    )
    assert set(re.findall(r"`(\w+)`", users[1])) == {
        n for n, r in MAY_IMPORT.items() if "_core" in r
    }


def test_the_walks_on_the_architecture_page_are_true():
    """Modules of the lists of walks are those that the calls run through."""
    page = PAGE.read_text("utf-8")
    for call in ("fit", "predict", "compare", "study run"):
        section = re.search(rf"^### `[^`]*{call}[^`]*`.*?(?=^##)", page, re.MULTILINE | re.DOTALL)
        listed = set(re.findall(r"`([\w/]+)\.py`", section[0]))
        called = set(figures()["walks"][call]["modules"])
        assert sorted(listed - called) == [], call
        if call in ("fit", "predict"):
            assert sorted(called - listed) == [], call
