"""What happens where memory or threads run out: MemoryError, and fewer threads, never an abort."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
COMPILER = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
FAILURES = int(os.environ.get("MIXEDWOOD_FAILURES", "40"))  # of each cycle; more take longer


@pytest.fixture(scope="module")
def injected(tmp_path_factory):
    if platform.libc_ver()[0] != "glibc" or COMPILER is None:
        pytest.skip("needs glibc and a compiler")
    from mixedwood import _core

    if _core.sanitized:
        pytest.skip("the sanitizer has its own malloc")
    library = tmp_path_factory.mktemp("faults") / "inject.so"
    subprocess.run(
        [COMPILER, "-O1", "-std=c++17", "-shared", "-fPIC", "-o", library, HERE / "inject.cpp",
         "-ldl"],
        check=True,
    )  # fmt: skip

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, HERE / "starve.py", *arguments],
            env={**os.environ, "LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
        )
        lines = done.stdout.splitlines()
        assert done.returncode == 0, f"{lines}\n{done.stderr[-2000:]}"
        assert lines.pop() == "done"
        return [json.loads(line) for line in lines]

    return run


def test_a_failed_allocation_is_a_memory_error(injected):
    cycles = injected(str(FAILURES))
    assert len(cycles) > 10
    for cycle in cycles:
        outcomes = cycle["outcomes"]
        assert cycle["same"], cycle
        # An allocation that another thread came to first, or one that is not needed, fails nothing.
        assert set(outcomes) <= {"MemoryError", "fits"}, cycle
        assert outcomes["MemoryError"] > 0.9 * sum(outcomes.values()), cycle


def test_without_threads_the_others_do_their_work(injected):
    found = injected("threads")
    assert [one["allowed"] for one in found] == [-1, 3, 2, 1, 0]
    assert all(one["same"] for one in found)


def test_no_caster_that_allocates_is_used():
    """Their conversions are noexcept, so that a failed allocation would end the process."""
    for path in (ROOT / "bindings").glob("*.[ch]pp"):
        used = set(re.findall(r"nanobind/stl/(\w+)\.h", path.read_text("utf-8")))
        assert used <= {"optional", "string_view", "tuple", "unique_ptr"}, path.name
