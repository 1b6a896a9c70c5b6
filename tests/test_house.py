"""The house itself: imports point one way, names are explained, examples run, nothing is stale."""

import ast
import doctest
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import mixedwood
from mixedwood import _catalogue

ROOT = Path(__file__).parents[1]
PACKAGE = Path(mixedwood.__file__).parent
STUDIES = PACKAGE.with_name("mixedwood_studies")
MODULES = sorted(
    m.name
    for folder in (PACKAGE, STUDIES)
    for m in pkgutil.walk_packages([str(folder)], f"{folder.name}.")
)
# Found in a room, and beside it.
DOORS = {
    "Comparison": "comparison",
    "compare": "comparison",
    "load_model": "saving",
    "save_model": "saving",
}
ROOMS = [name for name in mixedwood.__all__ if name.islower() and name not in DOORS]
PUBLIC = [*(f"mixedwood.{room}" for room in ROOMS), "mixedwood.estimators"]

# Which rooms a room may enter besides itself. A new room gets a line here; arrows never go back.
# Those of the ground floor are used everywhere.
GROUND = {
    "_kinds": set(),
    "_params": set(),
    "_random": set(),
    "_folds": {"_random"},
    "_warnings": set(),
    "_limits": {"_core", "_warnings"},
    "_parallel": {"_limits"},
}
MAY_IMPORT = {
    **GROUND,
    "_catalogue": set(),
    "files": set(),
    "printable": set(),
    "data": {"_core", "files"},
    "datasets": {"data", "files"},
    "stats": set(),
    "_parts": {"_core"},
    "splits": {"_core", "data", "_parts"},
    "tree": {"_core", "data"},
    "explain": {"data", "tree"},
    "plot": {"data", "explain", "tree"},
    "pruning": {"_core", "_parts", "data", "tree"},
    "grow": {"_core", "data", "_parts", "tree"},
    "preprocessing": {"_core", "data", "explain", "splits"},
    "optimal": {"_core", "data", "grow", "preprocessing", "tree"},
    "linear": {"_core", "data"},
    "boosting": {"_core", "data", "grow", "tree"},
    "estimators": {
        "_catalogue",
        "boosting",
        "data",
        "explain",
        "grow",
        "linear",
        "optimal",
        "_parts",
        "preprocessing",
        "pruning",
        "splits",
        "tree",
    },
    "report": {"plot", "stats"},
    "comparison": {
        "_catalogue",
        "data",
        "datasets",
        "estimators",
        "files",
        "printable",
        "report",
        "splits",
        "stats",
    },
    "study": {
        "_catalogue",
        "comparison",
        "data",
        "datasets",
        "files",
        "stats",
    },
    "saving": {"_catalogue", "_parts", "data", "files", "preprocessing", "pruning", "tree"},
    "cli": {
        "_catalogue",
        "comparison",
        "data",
        "datasets",
        "estimators",
        "explain",
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

# Rooms above that a method enters when it is called: `tree.plot()` is where people look for it.
DOORS_UP = {"tree": {"explain", "plot"}}


def rooms_imported(path):
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


def room_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


SOURCES = [p for p in sorted(PACKAGE.rglob("*.py")) if room_of(p) != "__init__"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    room = room_of(path)
    assert room in MAY_IMPORT, f"say in MAY_IMPORT which rooms {room!r} may enter"
    allowed = MAY_IMPORT[room] | DOORS_UP.get(room, set()) | {room}
    assert rooms_imported(path) <= allowed | (set() if room in GROUND else set(GROUND))


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


def test_doors_up_are_not_entered_on_import():
    for room, above in DOORS_UP.items():
        code = f"import sys, mixedwood.{room}; print(*sys.modules)"
        loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        assert f"mixedwood.{room}" in loaded.split()
        assert not {f"mixedwood.{name}" for name in above} & set(loaded.split())


def test_no_two_rooms_enter_each_other():
    """Whatever MAY_IMPORT says, it can be walked from the ground floor up."""
    built, left = {"_core"}, dict(MAY_IMPORT)
    while left:
        ready = [room for room, needs in left.items() if needs <= built]
        assert ready, f"{sorted(left)} need each other"
        built.update(ready)
        for room in ready:
            del left[room]


def test_imports_are_seen_in_every_form(tmp_path, monkeypatch):
    """The reader above, on what it must not miss."""
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    (tmp_path / "splits").mkdir()
    path = tmp_path / "splits" / "sample.py"
    for line, room in [
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
        assert rooms_imported(path) == {room}
    path.write_text("import numpy\nfrom mixedwoods import data")
    assert rooms_imported(path) == set()


def test_every_module_says_what_it_is_for():
    silent = [p.name for p in SOURCES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
    assert silent == []


def members_of(owner, name):
    """Public functions, methods and properties below a public name, and itself."""
    yield name, owner
    if inspect.isclass(owner):
        for key, value in vars(owner).items():
            is_code = inspect.isfunction(value) or isinstance(
                value, (property, classmethod, staticmethod)
            )
            if not key.startswith("_") and is_code:
                yield f"{name}.{key}", value


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_has_a_docstring(module):
    room = import_module(module)
    assert room.__doc__
    silent = []
    for public in room.__all__:
        value = getattr(room, public)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            continue  # constants are explained where they are defined
        for name, member in members_of(value, public):
            text = inspect.getdoc(member) or ""
            # A dataclass without a docstring gets its own signature.
            if not text or text.startswith(f"{public}("):
                silent.append(name)
    assert silent == []


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_listed_in_order_and_exist(module):
    room = import_module(module)
    assert len(set(room.__all__)) == len(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)
    assert not [name for name in room.__all__ if name.startswith("_")]


@pytest.mark.parametrize("module", [m for m in MODULES if not m.endswith("._core")])
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("module", PUBLIC)
def test_public_functions_show_an_example_that_is_found(module):
    room = import_module(module)
    without = []
    for name in room.__all__:
        value = getattr(room, name)
        if inspect.isfunction(value) and not name.startswith("check_"):
            found = doctest.DocTestFinder().find(value, name)
            without += [] if any(test.examples for test in found) else [name]
    assert without == []


def modules_after(statement):
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
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
    assert loaded & {f"mixedwood.{room}" for room in UNUSED} == set()


def test_rooms_are_found_by_name():
    assert set(mixedwood.__all__) <= set(dir(mixedwood))
    for name in ROOMS:
        assert getattr(mixedwood, name) is import_module(f"mixedwood.{name}")
    estimators = import_module("mixedwood.estimators")
    assert set(mixedwood.__all__) - set(ROOMS) - set(DOORS) == set(estimators.__all__)
    for name, room in DOORS.items():
        assert getattr(mixedwood, name) is getattr(getattr(mixedwood, room), name)
    assert all(getattr(mixedwood, name) is getattr(estimators, name) for name in estimators.__all__)
    with pytest.raises(AttributeError, match="no attribute 'splitz'"):
        _ = mixedwood.splitz


def presets_of(kind):
    """Public class methods of a class itself."""
    return {
        name
        for name, member in vars(kind).items()
        if isinstance(member, classmethod) and not name.startswith("_")
    }


def test_the_catalogue_is_true():
    """Every public classifier is in it, where it says, with all of its presets."""
    found = {}
    for path in (PACKAGE / "estimators").glob("*.py"):
        module = import_module(f"mixedwood.estimators.{path.stem}")
        for name, kind in vars(module).items():
            own = inspect.isclass(kind) and kind.__module__ == module.__name__
            concrete = own and "__init__" in vars(kind) and not name.startswith("Base")
            if concrete and hasattr(kind, "fit"):
                found[name] = presets_of(kind)
    for entry in _catalogue.NOT_PUBLIC:
        assert found.pop(entry.load().__name__) == set()
    listed = {entry.class_name: entry for entry in _catalogue.estimators().values()}
    assert {name: set(entry.presets) for name, entry in listed.items()} == found
    assert all(entry.load().__name__ == name for name, entry in listed.items())


def names_for_type_checkers(module):
    """Names imported under TYPE_CHECKING, as themselves."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and n.test.id == "TYPE_CHECKING")
    aliases = [alias for line in block.body for alias in line.names]
    assert all(alias.name == alias.asname for alias in aliases)  # mypy: exported on purpose
    return {alias.name for alias in aliases}


def test_type_checkers_see_all_public_names():
    """They cannot read the catalogue, so the names are written once more for them."""
    for module in (mixedwood, import_module("mixedwood.estimators")):
        assert names_for_type_checkers(module) == set(module.__all__)


def test_names_of_the_catalogue_make_estimators():
    for name, entry in _catalogue.CATALOGUE.items():
        assert name == entry.name
        assert type(entry.make()) is entry.load()
        assert repr(entry.make()) == repr(eval(f"mixedwood.{entry.call}"))


def test_the_version_is_written_the_same_twice():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == mixedwood.__version__


def test_types_are_marked_as_shipped():
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_core.pyi").exists()


def test_the_stub_of_the_core_is_current():
    # Other versions of nanobind lay out the same stub differently.
    pytest.importorskip("nanobind", minversion="3.0", reason="stubs are made with nanobind 3")
    from mixedwood import _core

    if _core.sanitized:
        pytest.skip("an instrumented core says so in its stub")
    spec = spec_from_file_location("make_stubs", ROOT / "tools" / "make_stubs.py")
    make_stubs = module_from_spec(spec)
    spec.loader.exec_module(make_stubs)
    assert make_stubs.make_stub() == make_stubs.TARGET.read_text("utf-8"), "run make stubs"


def test_the_architecture_page_names_every_package():
    page = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
    drawing = page.split("```")[1]
    names = {room_of(path) for path in SOURCES}
    files = {name if (PACKAGE / f"{name}.py").exists() else f"{name}/" for name in names}
    native = {f"src/{path.name}/" for path in (ROOT / "core" / "src").iterdir() if path.is_dir()}
    words = set(re.findall(r"[\w/]+", drawing))
    assert sorted((files | native) - words) == []
    rows = re.findall(r"^\| [\w ]+ \| (`.*?`) \|", page, re.MULTILINE)
    layer = {name: i for i, row in enumerate(rows) for name in re.findall(r"`(\w+)`", row)}
    assert layer.keys() == names
    for room, needs in MAY_IMPORT.items():
        assert all(layer[need] <= layer[room] for need in needs - {"_core"}), room
    users = re.search(r"import the native module `_core`: (.*?)\.\s", page, re.DOTALL)[1]
    assert set(re.findall(r"`(\w+)`", users)) == {r for r, n in MAY_IMPORT.items() if "_core" in n}
