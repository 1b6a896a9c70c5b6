"""Public names: they exist, are explained, and their examples run; the catalogue is true."""

import ast
import doctest
import inspect
import pkgutil
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
# Functions and classes of a package that are also names of `mixedwood` itself.
SHORTCUTS = {
    "export": "exports",
    "Comparison": "comparison",
    "compare": "comparison",
    "evaluate": "evaluation",
    "load_model": "saving",
    "save_model": "saving",
}
PACKAGES = [name for name in mixedwood.__all__ if name.islower() and name not in SHORTCUTS]
PUBLIC = [*(f"mixedwood.{name}" for name in PACKAGES), "mixedwood.estimators"]


def test_every_module_says_what_it_is_for():
    sources = PACKAGE.rglob("*.py")
    silent = [p.name for p in sources if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]
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
    package = import_module(module)
    assert package.__doc__
    silent = []
    for public in package.__all__:
        value = getattr(package, public)
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
    package = import_module(module)
    assert len(set(package.__all__)) == len(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
    assert not [name for name in package.__all__ if name.startswith("_")]


@pytest.mark.parametrize("module", [m for m in MODULES if not m.endswith("._core")])
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("module", PUBLIC)
def test_public_functions_show_an_example_that_is_found(module):
    package = import_module(module)
    without = []
    for name in package.__all__:
        value = getattr(package, name)
        if inspect.isfunction(value) and not name.startswith("check_"):
            found = doctest.DocTestFinder().find(value, name)
            without += [] if any(test.examples for test in found) else [name]
    assert without == []


def test_packages_are_attributes():
    assert set(mixedwood.__all__) <= set(dir(mixedwood))
    for name in PACKAGES:
        assert getattr(mixedwood, name) is import_module(f"mixedwood.{name}")
    estimators = import_module("mixedwood.estimators")
    assert set(mixedwood.__all__) - set(PACKAGES) - set(SHORTCUTS) == set(estimators.__all__)
    for name, package in SHORTCUTS.items():
        assert getattr(mixedwood, name) is getattr(getattr(mixedwood, package), name)
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
