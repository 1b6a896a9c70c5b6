"""Study files: what they say, and what is said about mistakes in them."""

import pytest

from mixedwood import study
from mixedwood.study.grid import expand, select_tasks
from mixedwood.study.runner import check_task_names


def test_a_file_is_read(letters):
    found = study.read_study(letters)
    assert (found.name, found.title, found.paper) == ("letters", "Letters", "A paper")
    assert found.experiments["letters"].axes == {
        "letter": ("x", "y", "z"),
        "repetition": tuple(range(12)),
    }
    assert found.experiments["trees"].axes["dataset"] == ("tic", "monks")  # all
    assert [table.name for table in found.tables] == ["one", "two"]
    assert found.tables[1].title == "two"  # its name, if it has no title
    assert found.title_of("method", "b") == "second"
    assert found.title_of("dataset", "monks") == "monks"
    assert found.title_of("letter", "x") == "x"


def test_the_short_form_changes_axes_and_leaves_runs_out(letters):
    found = study.read_study(letters, quick=True)
    assert found.quick
    assert found.experiments["letters"].axes["repetition"] == (0, 1)
    assert "trees" not in found.experiments
    assert [table.name for table in found.tables] == ["one"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('task = "letters:draw"', 'tusk = "letters:draw"', "'tusk', which is not known"),
        ('task = "letters:draw"', "", "names no task"),
        ('method = "all"', 'method = ["c"]', "names 'c', which is not defined. There are a, b"),
        ('letter = ["x", "y", "z"]', 'letter = ["x", "x"]', "has a value twice"),
        ('letter = ["x", "y", "z"]', "letter = 'x'", "must be a list of values"),
        ('letter = ["x", "y", "z"]', "letter = []", "must be a list of values"),
        (
            'rows = "letter"',
            'rows = "dataset"',
            "rows is 'dataset', but the experiment 'letters' has the axes",
        ),
        ("digits = 2", "where = { dataset = 1 }", "where names 'dataset', which is not an axis"),
        ('metrics = ["error", "folds"]', "", "needs a name, an experiment and metrics"),
        ('x = "repetition"', 'x = "size"', "x is 'size'"),
        ("[experiments.letters]", "[experiments.letters", "cannot be read as a study"),
        ("quick = { skip = true }", "quick = { drop = 1 }", "'drop' is not a key of quick"),
        ("checks = [{", "chucks = [{", "which is not known"),
        ("published = { x", 'published = "paper.table"\npublashed = { x', "not known"),
    ],
)
def test_mistakes_are_named(edited, old, new, words):
    with pytest.raises(study.StudyError, match=r"letters\.toml") as caught:
        study.read_study(edited(old, new))
    assert words in str(caught.value)


def test_a_name_that_is_not_there_names_those_that_are():
    with pytest.raises(study.StudyError, match=r"no study 'rooe'.*random_ordinality"):
        study.read_study("rooe")


def test_published_figures_are_looked_up_in_files(edited, tmp_path):
    (tmp_path / "p.json").write_text('{"t": {"x": {"error": 0.5}}}', "utf-8")
    path = edited("[experiments.letters]", '[published]\npaper = "p.json"\n\n[experiments.letters]')
    text = path.read_text("utf-8")
    start = text.index("published = { x")
    line = text[start : text.index("\n", start)]
    path.write_text(text.replace(line, 'published = "paper.t"'), "utf-8")
    assert study.read_study(path).tables[0].published == {"x": {"error": 0.5}}
    path.write_text(path.read_text("utf-8").replace("paper.t", "paper.u"), "utf-8")
    with pytest.raises(study.StudyError, match=r"nothing published at 'paper\.u'"):
        study.read_study(path)


def test_keys_are_made_of_what_is_done(letters, edited):
    def keys(run):
        found = study.read_study(letters)
        return [task.key for task in expand(found, found.experiments[run])]

    before = {run: keys(run) for run in ("letters", "trees")}
    assert all(len(set(of_run)) == len(of_run) for of_run in before.values())
    edited('title = "first"', 'title = "another title"')
    assert keys("trees") == before["trees"]
    edited("max_depth = 1", "max_depth = 2")
    after = keys("trees")
    changed = [a != b for a, b in zip(before["trees"], after, strict=True)]
    assert changed == [True, True, False, False] * 2  # those of one of the two methods
    edited("folds = 3", "folds = 4")
    assert not set(keys("trees")) & set(after)
    assert keys("letters") == before["letters"]


def test_points_can_be_left_out(edited):
    found = study.read_study(
        edited("settings = { nap = 0.0 }", 'exclude = [{ letter = "y", repetition = 3 }]')
    )
    left = list(expand(found, found.experiments["letters"]))
    assert len(left) == 35
    assert not any(p.point == {"letter": "y", "repetition": 3} for p in left)


@pytest.mark.parametrize("name", study.studies())
@pytest.mark.parametrize("quick", [False, True])
def test_the_studies_of_the_library_can_be_run(name, quick):
    """Every name in them is known: tasks, methods, checks, tables of claims."""

    found = study.read_study(name, quick=quick)
    chosen = select_tasks(found)
    check_task_names(chosen)
    with study.Store(":memory:") as store:
        results = study.results(found, store)
    assert results.n_tasks == len(chosen) > 0
    verdicts = {v.verdict for v in results.verdicts if v.claim.source != "proposal"}
    assert verdicts == {"not decided"}
    full = {table.name for table in study.read_study(name).tables}
    assert {check["table"] for claim in found.claims for check in claim.checks} <= full
