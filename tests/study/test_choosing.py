"""Only the best point over some axes, and differences from a control."""

import pytest

from mixedwood import study
from mixedwood.study.grid import expand

TASK = '''
def figures(context):
    """Metrics that a test knows: the score grows with depth for b, and falls for a."""
    at = context.point
    if at["letter"] == "c" and at["depth"] == 3:
        return {"size": 1.0}
    score = {"a": 10 - at["depth"], "b": 20 + at["depth"], "c": 5}[at["letter"]]
    return {"score": score, "size": 100.0 * at["depth"], "list": [score, 1.0], "other": 7.0}
'''

STUDY = """
[experiments.grid]
task = "choosing:figures"
axes = { letter = ["a", "b", "c"], depth = [1, 2, 3] }
exclude = [{ letter = ["a", "b"], depth = [1] }]

[[tables]]
name = "best"
experiment = "grid"
rows = "letter"
columns = "metric"
metrics = ["score", "size", "list"]
best = { over = ["depth"], by = "score" }

[[tables]]
name = "least"
experiment = "grid"
rows = "letter"
columns = "metric"
metrics = ["score"]
best = { over = ["depth"], least = true }

[[tables]]
name = "less a"
experiment = "grid"
rows = "letter"
columns = "depth"
metrics = ["score"]
minus = { letter = "a" }

[[tables]]
name = "best less a"
experiment = "grid"
rows = "letter"
columns = "metric"
metrics = ["score", "list"]
best = { over = ["depth"], by = "score" }
minus = { letter = "a" }

[[figures]]
name = "cloud"
experiment = "grid"
kind = "points"
x = "size"
y = "score"
series = "letter"
panels = ""
minus = { letter = "a" }

[[figures]]
name = "boxes"
experiment = "grid"
kind = "boxes"
x = "letter"
y = "score"
series = "depth"
panels = ""
best = { over = ["depth"] }
"""


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    (tmp_path / "choosing.py").write_text(TASK, "utf-8")
    (tmp_path / "choosing.toml").write_text(STUDY, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded = study.read_study(tmp_path / "choosing.toml")
    with study.Store(":memory:") as store:
        study.run(loaded, store)
        return study.results(loaded, store)


def cells(found, name):
    return {place: cell.values for place, cell in found.table(name).cells.items()}


def test_points_are_left_out_by_lists(chosen):
    kept = [tuple(p.point.values()) for p in expand(chosen.study, chosen.study.experiments["grid"])]
    assert kept == [("a", 2), ("a", 3), ("b", 2), ("b", 3), ("c", 1), ("c", 2), ("c", 3)]


def test_only_the_best_counts_and_the_first_of_equals(chosen):
    found = cells(chosen, "best")
    assert found["a", "score"] == (8.0,)
    assert found["a", "size"] == (200.0,)  # where the score is best, not the size
    assert found["b", "size"] == (300.0,)
    assert found["c", "size"] == (100.0,)  # depth 3 has no score, depths 1 and 2 are equal
    assert found["b", "list"] == (23.0, 1.0)
    assert cells(chosen, "least")["a", "score"] == (7.0,)


def test_differences_need_a_partner(chosen):
    assert cells(chosen, "less a") == {
        ("a", "2"): (0.0,),
        ("a", "3"): (0.0,),
        ("b", "2"): (14.0,),
        ("b", "3"): (16.0,),
        ("c", "2"): (-3.0,),  # a was not done at depth 1, and c has no score at depth 3
    }
    assert cells(chosen, "best less a")["b", "score"] == (15.0,)
    assert cells(chosen, "best less a")["b", "list"] == (15.0, 0.0)


def test_clouds_and_boxes_are_drawn(chosen, tmp_path):
    from mixedwood.study.figures import _panels

    figures = {figure.name: figure for figure in chosen.study.figures}
    (cloud,) = _panels(chosen, figures["cloud"]).values()
    assert cloud["b"] == ([200.0, 300.0], [[14.0], [16.0]])
    assert cloud["c"] == ([200.0], [[-3.0]])
    assert len(study.draw_figures(chosen, tmp_path)) == 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('best = { over = ["depth"], least = true }', "best = { by = 'score' }", "best needs over"),
        ('over = ["depth"], least', 'over = ["deep"], least', "best names 'deep'"),
        ('minus = { letter = "a" }', 'minus = { dataset = "a" }', "minus names 'dataset'"),
        ('kind = "points"', 'kind = "dots"', "kind must be"),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, words):
    path = tmp_path / "choosing.toml"
    assert old in STUDY
    path.write_text(STUDY.replace(old, new, 1), "utf-8")
    with pytest.raises(study.StudyError, match=words):
        study.read_study(path)
