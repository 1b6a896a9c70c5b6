"""Kernels of every instruction set give the same results; the environment chooses among them."""

import os
import subprocess
import sys

SCRIPT = """
import hashlib
import numpy as np
from mixedwood import _core

rng = np.random.default_rng(0)
digest = hashlib.sha256()
matrix = (rng.random((300, 40)) < 0.5).astype(np.uint8)
for n_classes in (2, 3):
    classes = ((matrix[:, 0] ^ matrix[:, 1]) + (rng.random(300) < 0.2)).astype(np.int32) % n_classes
    limits = _core.SearchLimits()
    limits.max_depth = 3
    found = _core.binary_solver(matrix, classes, None, n_classes).solve(limits, work_limit=10**8)
    digest.update(found.tree.column.tobytes() + repr((found.objective_value, found.work)).encode())
rows = rng.normal(size=(500, 23))
signs = np.where(rows[:, 0] + rng.normal(size=500) > 0, 1, -1).astype(np.int8)
found = _core.fit_smooth_svm(rows, signs, None, 1.0, 5.0, 1e-8, 100, None, 1e18)
digest.update(found["z"].tobytes() + found["steps"].tobytes())
print(_core.instruction_set(), digest.hexdigest())
"""


def run(instructions):
    environment = {**os.environ, "MIXEDWOOD_SIMD": instructions}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True
    )


def test_results_do_not_depend_on_the_instruction_set():
    found = {name: run(name).stdout.split() for name in ("scalar", "vector", "avx2")}
    assert found["scalar"][0] == "scalar"  # the others as far as the machine has them
    assert len({digest for _, digest in found.values()}) == 1


def test_an_unknown_instruction_set_is_refused():
    failed = run("mmx")
    assert failed.returncode != 0
    assert "MIXEDWOOD_SIMD='mmx' is not known. Use one of 'scalar'" in failed.stderr
