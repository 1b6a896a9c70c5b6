"""The build backend finds a compiler, or brings one; scikit-build-core itself is a stand-in."""

import importlib.util
import inspect
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

SOURCE = Path(__file__).parents[1] / "build_backend" / "backend.py"
HOOKS = {
    "build_editable": ["wheel_directory", "config_settings", "metadata_directory"],
    "build_sdist": ["sdist_directory", "config_settings"],
    "build_wheel": ["wheel_directory", "config_settings", "metadata_directory"],
    "get_requires_for_build_editable": ["config_settings"],
    "get_requires_for_build_sdist": ["config_settings"],
    "get_requires_for_build_wheel": ["config_settings"],
    "prepare_metadata_for_build_editable": ["metadata_directory", "config_settings"],
    "prepare_metadata_for_build_wheel": ["metadata_directory", "config_settings"],
}
DEFINES = [f"cmake.define.CMAKE_{name}" for name in ("CXX_COMPILER", "AR", "RANLIB")]
SKBUILD = "scikit_build_core"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="CMake finds the compiler there")


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mixedwood_build_backend", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def calls() -> list[tuple]:
    return []


@pytest.fixture
def backend(monkeypatch, tmp_path, calls):
    """Give the backend on a machine without compilers, inside an empty project folder."""

    def hook(name):
        def call(*args):
            calls.append((name, args, dict(os.environ)))
            return ["cmake>=3.15"] if name.startswith("get_requires") else "built.whl"

        return call

    build = SimpleNamespace(**{name: hook(name) for name in HOOKS})
    fake = ModuleType(SKBUILD)
    fake.build = build
    monkeypatch.setitem(sys.modules, SKBUILD, fake)
    monkeypatch.setitem(sys.modules, f"{SKBUILD}.build", build)
    monkeypatch.setattr(sysconfig, "get_config_var", {"CXX": "g++ -pthread"}.get)
    for name in os.environ:
        if "CMAKE" in name or name in ("CXX", "ZIG_GLOBAL_CACHE_DIR"):
            monkeypatch.delenv(name)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    return load()


@pytest.fixture
def zig(monkeypatch, tmp_path):
    """Install a ziglang package whose program prints its arguments and where it keeps its cache."""
    text = '#!/bin/sh\nfor word in "$ZIG_GLOBAL_CACHE_DIR" "$@"; do echo "$word"; done\n'
    path = program(tmp_path / "it's a site" / "ziglang" / "zig", text)
    (path.parent / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "ziglang", raising=False)
    monkeypatch.syspath_prepend(path.parents[1])
    return path


@pytest.fixture
def no_zig(backend, monkeypatch):
    monkeypatch.setattr(backend, "find_spec", lambda name: None)


@pytest.mark.parametrize("kind", ["wheel", "editable"])
@pytest.mark.parametrize("name", ["c++", "g++", "clang++"])
def test_a_compiler_on_the_path_needs_no_zig(backend, tmp_path, kind, name):
    program(tmp_path / "bin" / name)
    assert getattr(backend, f"get_requires_for_build_{kind}")() == ["cmake>=3.15"]


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_without_a_compiler_zig_is_required_beside_the_usual(backend, kind):
    assert getattr(backend, f"get_requires_for_build_{kind}")() == ["cmake>=3.15", backend.ZIG]


def test_a_source_archive_needs_no_compiler(backend):
    assert backend.get_requires_for_build_sdist() == ["cmake>=3.15"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CXX", "/opt/strange compiler"),
        ("CMAKE_TOOLCHAIN_FILE", "cross.cmake"),
        ("CMAKE_ARGS", "-DCMAKE_CXX_COMPILER=icpx"),
        ("SKBUILD_CMAKE_ARGS", "-DCMAKE_TOOLCHAIN_FILE=cross.cmake"),
        ("SKBUILD_CMAKE_DEFINE", "CMAKE_CXX_COMPILER=icpx"),
    ],
)
def test_a_compiler_named_in_the_environment_is_respected(backend, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert backend.get_requires_for_build_wheel() == ["cmake>=3.15"]


@pytest.mark.parametrize(
    "settings",
    [{"cmake.define.CMAKE_CXX_COMPILER": "icpx"}, {"cmake.args": ["-DCMAKE_CXX_COMPILER=icpx"]}],
)
def test_a_compiler_named_in_the_settings_is_respected(backend, calls, settings):
    assert backend.get_requires_for_build_wheel(settings) == ["cmake>=3.15"]
    backend.build_wheel("dist", settings)
    assert calls[-1][1] == ("dist", settings, None)


def test_an_empty_cxx_or_a_compiler_launcher_names_no_compiler(backend, monkeypatch):
    monkeypatch.setenv("CXX", "")
    monkeypatch.setenv("CMAKE_ARGS", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    assert backend.ZIG in backend.get_requires_for_build_wheel()


def test_windows_is_left_to_cmake(backend, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert backend.get_requires_for_build_wheel() == ["cmake>=3.15"]


def test_with_the_compiler_that_built_python_nothing_is_added(backend, tmp_path, calls):
    program(tmp_path / "bin" / "g++")
    backend.build_wheel("dist", {"logging.level": "INFO"}, "meta")
    assert calls[-1][1] == ("dist", {"logging.level": "INFO"}, "meta")
    assert not (tmp_path / "build").exists()


def test_another_compiler_than_pythons_is_named_to_cmake(backend, tmp_path, calls):
    # scikit-build-core would set CXX=g++, and CMake would stop although clang++ is there.
    clang = program(tmp_path / "bin" / "clang++")
    backend.build_wheel("dist")
    assert calls[-1][1][1] == {"cmake.define.CMAKE_CXX_COMPILER": str(clang)}


@pytest.mark.parametrize("kind", ["build_wheel", "build_editable"])
def test_without_a_compiler_the_build_gets_zigs_tools(backend, zig, tmp_path, calls, kind):
    before = dict(os.environ)
    assert getattr(backend, kind)("dist", {"cmake.define.CMAKE_AR": "mine"}, "meta") == "built.whl"
    name, (folder, settings, metadata), during = calls[-1]
    assert (name, folder, metadata) == (kind, "dist", "meta")
    assert sorted(settings) == sorted(DEFINES)
    assert settings["cmake.define.CMAKE_AR"] == "mine"
    assert settings["cmake.define.CMAKE_CXX_COMPILER"] == str(tmp_path / "build" / "zig" / "c++")
    assert before == during == dict(os.environ)


def test_a_failing_build_leaves_the_environment_and_the_settings_as_they_were(
    backend, zig, monkeypatch
):
    def fail(*args):
        raise SystemExit(1)

    monkeypatch.setattr(backend.skbuild, "build_wheel", fail)
    before, settings = dict(os.environ), {"logging.level": "INFO"}
    with pytest.raises(SystemExit):
        backend.build_wheel("dist", settings)
    assert dict(os.environ) == before
    assert settings == {"logging.level": "INFO"}


def test_tools_pass_every_argument_unchanged_from_folders_with_spaces(backend, zig, tmp_path):
    folder = tmp_path / "a $HOME of 'quotes'" / "zig"
    tools = backend.write_tools(zig, folder)
    words = ["-o", "two words", "*", "$HOME", "it's"]
    expected = {
        "CMAKE_CXX_COMPILER": ["c++", "-O2", "-s", *words, "-mcpu=baseline"],
        "CMAKE_AR": ["ar", *words],
        "CMAKE_RANLIB": ["ranlib", *words],
    }
    assert tools.keys() == expected.keys()
    for variable, path in tools.items():
        assert os.access(path, os.X_OK)
        run = subprocess.run([path, *words], check=True, capture_output=True, text=True)
        assert run.stdout.splitlines() == [str(folder / "cache"), *expected[variable]]


def test_the_users_own_zig_cache_is_used(backend, zig, tmp_path, monkeypatch):
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "my cache"))
    tools = backend.write_tools(zig, tmp_path / "zig")
    run = subprocess.run([tools["CMAKE_AR"]], check=True, capture_output=True, text=True)
    assert run.stdout.splitlines() == [str(tmp_path / "my cache"), "ar"]


def test_writing_the_tools_again_follows_a_moved_zig(backend, zig, tmp_path):
    old = backend.write_tools(tmp_path / "gone" / "zig", tmp_path / "zig")
    assert backend.write_tools(zig, tmp_path / "zig") == old
    assert shlex.quote(str(zig)) in Path(old["CMAKE_CXX_COMPILER"]).read_text()


def test_the_message_without_compiler_and_zig_says_what_to_do(backend, no_zig, calls):
    with pytest.raises(SystemExit) as caught:
        backend.build_wheel("dist")
    for part in ("CXX", "c++, g++, clang++ on PATH", "not installed", "apt install g++"):
        assert part in str(caught.value)
    assert calls == []


def test_a_zig_that_does_not_run_is_reported(backend, zig):
    program(zig, "#!/bin/sh\nexit 3\n")
    with pytest.raises(SystemExit, match=r"does not run: .*exit status 3"):
        backend.build_wheel("dist")


def test_every_hook_is_there_with_the_argument_names_of_the_standard():
    # Front ends may pass hook arguments by name (PEP 517), so the names are part of the interface.
    real = pytest.importorskip(f"{SKBUILD}.build")
    backend = load()
    for name, arguments in HOOKS.items():
        assert list(inspect.signature(getattr(backend, name)).parameters) == arguments
    assert set(real.__all__) == HOOKS.keys()


def test_scikit_build_core_merges_our_definitions_with_those_of_the_project():
    reader = pytest.importorskip(f"{SKBUILD}.settings.skbuild_read_settings").SettingsReader
    project = {"tool": {"scikit-build": {"cmake": {"define": {"OURS": "1"}}}}}
    given = {"cmake.define.CMAKE_AR": "/a b/ar", "cmake.define.USERS": "2"}
    define = reader(project, given, state="wheel").settings.cmake.define
    assert dict(define) == {"OURS": "1", "CMAKE_AR": "/a b/ar", "USERS": "2"}


@pytest.mark.skipif(shutil.which("c++") is None, reason="no compiler on this machine")
def test_on_a_machine_with_a_compiler_zig_is_not_required():
    pytest.importorskip(SKBUILD)
    assert load().zig_if_needed(None) == []
