"""A small study of its own, with tasks that a test can watch."""

import sys
import textwrap

import pytest

TASKS = '''
import json, pathlib, time

LOG = pathlib.Path(__file__).with_name("log")  # workers that live on have the environment of before

def draw(context):
    """A figure that depends on the point alone; each time it is done is written down."""
    with LOG.open("a") as log:
        log.write(json.dumps([context.point["letter"], context.point["repetition"]]) + "\\n")
    time.sleep(context.value("nap", 0.0))
    if context.point["letter"] == context.value("broken"):
        raise ArithmeticError("not today")
    seed = context.seed(ord(context.point["letter"]))
    return {"error": seed % 1000 / 1000, "folds": [seed % 7 / 7, seed % 11 / 11]}

def heard(context):
    import warnings
    warnings.warn("mind the gap", UserWarning)
    return {"error": 0.5}

def crash(context):
    return {"error": object()}
'''

STUDY = """
title = "Letters"
paper = "A paper"
about = "About letters."

[methods]
a = { title = "first", model = "TreeClassifier", max_depth = 1 }
b = { title = "second", model = "C45TreeClassifier", pruned = false }

[datasets]
tic = { title = "Tic", load = "tic-tac-toe" }
monks = { load = "monks-1" }

[experiments.letters]
task = "letters:draw"
axes = { letter = ["x", "y", "z"], repetition = 12 }
settings = { nap = 0.0 }
quick = { axes = { repetition = 2 } }

[experiments.trees]
task = "cross_validation"
axes = { dataset = "all", method = "all", repetition = 2 }
settings = { folds = 3 }
quick = { skip = true }

[[tables]]
name = "one"
title = "Table one"
experiment = "letters"
rows = "letter"
columns = "metric"
metrics = ["error", "folds"]
digits = 2
published = { x = { error = 0.5, folds = [0.5, 0.1] }, y = { error = 0.4 } }
published_runs = 4

[[tables]]
name = "two"
experiment = "trees"
metrics = ["error"]
factor = 100
check = { Tic = { first = 30.0 } }

[[figures]]
name = "lines"
experiment = "letters"
x = "repetition"
y = "error"
series = "letter"
panels = ""

[[claims]]
text = "x is less than y"
checks = [{ check = "lower_mean", table = "two", a = "second", b = "first" }]
"""


@pytest.fixture
def letters(tmp_path, monkeypatch):
    """The path of a study file, with its tasks beside it."""
    (tmp_path / "letters.py").write_text(TASKS, "utf-8")
    path = tmp_path / "letters.toml"
    path.write_text(textwrap.dedent(STUDY), "utf-8")
    monkeypatch.setattr("sys.path", list(sys.path))  # a run adds the folder of its study
    monkeypatch.delitem(sys.modules, "letters", raising=False)
    return path


@pytest.fixture
def edited(letters):
    """Change words of the study file."""

    def edit(old, new):
        text = letters.read_text("utf-8")
        assert old in text
        letters.write_text(text.replace(old, new), "utf-8")
        return letters

    return edit
