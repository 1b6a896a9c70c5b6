"""Build backend: scikit-build-core, with a C++ compiler from PyPI where the machine has none.

With a compiler at hand scikit-build-core does everything. Without one, the hooks ask for the
``ziglang`` wheel (clang and libc++, 100 MB) and hand CMake small scripts that call it, so that
``pip install .`` works on a bare machine. On Windows finding a compiler is left to CMake.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from scikit_build_core import build as skbuild

build_sdist = skbuild.build_sdist
get_requires_for_build_sdist = skbuild.get_requires_for_build_sdist
prepare_metadata_for_build_editable = skbuild.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = skbuild.prepare_metadata_for_build_wheel

Settings = dict[str, list[str] | str] | None

COMPILERS = ("c++", "g++", "clang++")
# Pinned: zig is before 1.0, and a minor version may change its command line or drop C++.
ZIG = "ziglang==0.17.*"
# The last flag wins. -mcpu=baseline: zig's default is this machine's own CPU, but the same data
# must give the same model everywhere. -O2 -s yields to what CMake asks for; CMake's probes ask
# for nothing, and zig would build libc++ once more for them, unstripped (a minute of CPU).
SCRIPTS = {
    "CMAKE_CXX_COMPILER": 'c++ -O2 -s "$@" -mcpu=baseline',
    "CMAKE_AR": 'ar "$@"',
    "CMAKE_RANLIB": 'ranlib "$@"',
}
ADVICE = """
mixedwood is partly C++, and nothing was found to compile it with. Looked for:
  - a compiler named by the environment variable CXX: not set
  - {compilers} on PATH: none there
  - the Python package ziglang: {problem}
Install one and try again:
  Debian, Ubuntu  apt install g++           Fedora  dnf install gcc-c++
  Alpine          apk add g++               conda   conda install cxx-compiler
  macOS           xcode-select --install    other   pip install '{zig}'
"""


def needs_no_help(settings: Settings) -> bool:
    """Tell whether CMake finds a compiler by itself, or has been told which one to use."""
    # A compiler that the user names is used, or fails by its name; it is never replaced.
    names = ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "SKBUILD_CMAKE_DEFINE")
    told = f"{settings} {[os.environ.get(name) for name in names]}"
    if re.search(r"CMAKE_(CXX_COMPILER|TOOLCHAIN_FILE)\b", told) or sys.platform == "win32":
        return True
    # Without CXX, scikit-build-core insists on the compiler that once built Python.
    pythons = shlex.split(sysconfig.get_config_var("CXX") or "c++")[0]
    return any(map(os.environ.get, ("CXX", "CMAKE_TOOLCHAIN_FILE"))) or bool(shutil.which(pythons))


def find_compiler() -> str | None:
    """Return the first C++ compiler on PATH."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def find_zig() -> Path:
    """Return the zig program of the ziglang package, or exit with advice if it does not run."""
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        problem = "not installed (pip installs it, unless --no-build-isolation is given)"
    else:
        zig = Path(spec.origin).with_name("zig")
        try:
            subprocess.run([zig, "version"], check=True, capture_output=True)
            return zig
        except (OSError, subprocess.CalledProcessError) as error:
            problem = f"installed, but does not run: {error}"
    # SystemExit, as scikit-build-core does: pip then shows these lines without a traceback.
    raise SystemExit(ADVICE.format(compilers=", ".join(COMPILERS), problem=problem, zig=ZIG))


def write_tools(zig: Path, folder: Path) -> dict[str, str]:
    """Write a script for each tool that CMake calls, and return their paths by CMake variable."""
    folder.mkdir(parents=True, exist_ok=True)
    cache = shlex.quote(os.environ.get("ZIG_GLOBAL_CACHE_DIR") or str(folder / "cache"))
    tools = {variable: folder / command.split()[0] for variable, command in SCRIPTS.items()}
    for variable, tool in tools.items():
        tool.write_text(
            "#!/bin/sh\n"
            f"export ZIG_GLOBAL_CACHE_DIR={cache} ZIG_LOCAL_CACHE_DIR={cache}\n"
            f"exec {shlex.quote(str(zig))} {SCRIPTS[variable]}\n"
        )
        tool.chmod(0o755)
    return {variable: str(tool) for variable, tool in tools.items()}


def add_compiler(settings: Settings) -> Settings:
    """Return the settings, with what CMake must be told to find a compiler."""
    if needs_no_help(settings):
        return settings
    if compiler := find_compiler():
        tools = {"CMAKE_CXX_COMPILER": compiler}
    else:
        # Not a temporary folder: CMake keeps these paths in build/ and fails when they are gone.
        tools = write_tools(find_zig(), Path("build/zig").resolve())
    # Definitions, not CXX and AR: CMake reads no AR from the environment, paths may contain
    # spaces this way, and the environment needs no restoring.
    return {f"cmake.define.{key}": tool for key, tool in tools.items()} | (settings or {})


def zig_if_needed(settings: Settings) -> list[str]:
    return [] if needs_no_help(settings) or find_compiler() else [ZIG]


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    required = skbuild.get_requires_for_build_wheel(config_settings)
    return required + zig_if_needed(config_settings)


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    required = skbuild.get_requires_for_build_editable(config_settings)
    return required + zig_if_needed(config_settings)


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    settings = add_compiler(config_settings)
    return skbuild.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    settings = add_compiler(config_settings)
    return skbuild.build_editable(wheel_directory, settings, metadata_directory)
