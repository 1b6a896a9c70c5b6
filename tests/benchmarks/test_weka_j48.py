"""Our C4.5 trees beside what J48 of WEKA 3.6.14 said of tables that are generated.

The file was written by `python benchmarks/weka_j48.py --write`; WEKA is not needed here.
"""

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEPT = json.loads((ROOT / "tests" / "golden" / "weka_j48.json").read_text("utf-8"))
SPEC = spec_from_file_location("weka_j48", ROOT / "benchmarks" / "weka_j48.py")
weka_j48 = module_from_spec(SPEC)


@pytest.fixture(scope="module")
def cases():
    patch = pytest.MonkeyPatch()
    patch.setitem(__import__("sys").modules, "weka_j48", weka_j48)  # its dataclass looks there
    SPEC.loader.exec_module(weka_j48)
    yield {case.name: case for case in weka_j48.generated_cases()}
    patch.undo()


def test_all_generated_tables_are_kept(cases):
    assert set(cases) == set(KEPT)
    assert {"monks-1", "balance-scale", "tic-tac-toe", "waveform"} < set(KEPT)


@pytest.mark.parametrize("name", KEPT)
def test_sizes_and_every_prediction_are_those_of_j48(cases, name):
    answers = {variant: weka_j48.as_asked(entry) for variant, entry in KEPT[name].items()}
    compared = weka_j48.compare(cases[name], answers)
    assert len(compared) == len(weka_j48.VARIANTS)
    for variant, tree, sizes, other, _ in compared:
        assert (tree.n_leaves, tree.n_nodes) == sizes, variant
        assert other == 0, variant


def test_another_prediction_is_seen(cases):
    leaves, nodes, classes, shares = weka_j48.as_asked(KEPT["monks-1"]["pruned"])
    changed = {"pruned": (leaves, nodes, classes, shares)}
    changed["pruned"][2][7] = 1 - classes[7]
    [(*_, other, _)] = weka_j48.compare(cases["monks-1"], changed)
    assert other == 1
