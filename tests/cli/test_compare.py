"""`mixedwood compare`: files in, tables out, and errors that help."""

import json
import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version

import numpy as np
import pytest
from click.testing import CliRunner
from packaging.version import Version

from mixedwood import Comparison
from mixedwood.cli import main

QUICK = ["--methods", "tree", "c45", "--cv", "1x2cv"]


def run(*args):
    return CliRunner().invoke(main, ["compare", *map(str, args)])


@pytest.fixture
def pets(tmp_path):
    """A small table with text, numbers, gaps, codes with leading zeros and two classes."""
    rng = np.random.default_rng(0)
    lines = ["color,size,zip,class"]
    for i in range(60):
        kind = ("cat", "dog")[i % 2]
        color = ("red", "blue", "?")[(i + i % 2) % 3]
        lines.append(f"{color},{rng.normal(i % 2):.2f},0{i % 5},{kind}")
    path = tmp_path / "pets.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_table_is_printed_and_types_are_shown(pets):
    result = run(pets, "--target", "class", *QUICK)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("1x2cv on pets: 60 rows, 3 columns, 2 classes")
    assert "corrected resampled t test" in result.stdout
    assert "pets.csv: 60 rows, 3 columns" in result.stderr
    assert "color  nominal, 2 categories: 'blue', 'red'; 20 missing" in result.stderr
    assert "size   numeric" in result.stderr
    assert "zip    nominal, 5 categories: '00'" in result.stderr
    if Version(version("click")) >= Version("8.3"):  # before, its runner loses what is not flushed
        assert "4 of 4 fits" in result.stderr


def test_columns_can_be_crossed(pets):
    methods = ["--methods", "tree", "sklearn_tree", "--cv", "1x2cv"]
    result = run(pets, "--target", "class", *methods, "--cross", "color,zip")
    assert result.exit_code == 0, result.output
    assert "color & zip  crossed, nominal, 10 categories: 'color=blue & zip=00'" in result.stderr
    result = run(pets, "--target", "class", *methods, "--cross", "auto", "-q")
    assert result.exit_code == 0, result.output
    result = run(pets, "--target", "class", *methods, "--cross", "color,nope")
    assert result.exit_code != 0
    assert "crossed_features names 'nope', but X has no such column" in result.output


def test_json_is_a_comparison_and_quiet_is_quiet(pets):
    result = run(pets, "--target", "class", *QUICK, "--json", "-q", "--seed", "3")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found = Comparison.from_json(result.stdout)
    assert found.methods == ("tree", "c45")
    assert found.random_state == 3
    assert result.stdout == found.to_json()


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("csv", "dataset,method,"),
        ("markdown", "**1x2cv"),
        ("latex", "\\begin{table}"),
        ("text", "1x2"),
        ("html", "<!DOCTYPE html>"),
    ],
)
def test_other_forms(pets, form, start):
    result = run(pets, "--target", "class", *QUICK, "--format", form)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(start)


def test_methods_may_come_in_any_way(pets):
    for words in (
        ["--methods", "tree,c45", pets],
        ["--methods", "tree", "--methods", "c45", pets],
        ["--methods", "tree", "c45", pets],
    ):
        result = run(*words, "--target", "class", "--cv", "1x2cv", "--json", "-q")
        assert json.loads(result.stdout)["methods"] == ["tree", "c45"]


def test_recipes_have_their_names_of_fit(pets):
    recipes = ["tree.cart", "random_ordinality.random_tree"]
    asked = [pets, "--target", "class", "--cv", "1x2cv", "--metrics", "error", "-q"]
    result = run(*asked, "--methods", *recipes, "--json")
    assert json.loads(result.stdout)["methods"] == recipes
    assert "forest.bagging_c45" in run("--list").stdout
    for wrong in ("forest.bagging", "forest.fit", "forest.__init__", "woods.c45", "tree."):
        result = run(*asked, "--methods", wrong)
        assert result.exit_code == 2
        assert f"Unknown method '{wrong}'." in result.stderr


def test_names_are_looked_at_before_files(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("")
    result = run(path, "--target", "class", "--methods", "tee")
    assert result.exit_code == 2
    assert "Did you mean 'tree'?" in result.stderr


def test_output_goes_to_a_file_in_the_form_of_its_name(pets, tmp_path):
    path = tmp_path / "found.json"
    asked = [pets, "--target", "class", *QUICK, "-o", path]
    result = run(*asked)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert Comparison.from_json(path).methods == ("tree", "c45")
    again = run(*asked)
    assert again.exit_code == 2
    assert "use --force to overwrite it" in again.stderr
    assert run(*asked, "--force").exit_code == 0
    lost = run(*asked[:-1], tmp_path / "no" / "found.json")
    assert lost.exit_code == 2
    assert "create it first" in lost.stderr


def test_a_page_is_written_by_the_name_of_the_file_or_beside_the_table(pets, tmp_path):
    asked = [pets, "--target", "class", *QUICK, "--metrics", "error", "-q"]
    alone, beside = tmp_path / "alone.html", tmp_path / "beside.html"
    assert run(*asked, "-o", alone, "--baseline", "c45").exit_code == 0
    assert "2 methods on pets" in alone.read_text("utf-8")
    assert "Comparison with c45" in alone.read_text("utf-8")
    result = run(*asked, "--report", beside, "--alpha", "0.2")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("1x2cv on pets")
    assert f"Written to {beside}." in result.stderr
    assert "level of 20 %" in beside.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_reported_before_the_work(pets, tmp_path):
    page = tmp_path / "page.html"
    asked = [pets, "--target", "class", *QUICK, "--report", page]
    same = run(*asked, "-o", page)
    assert same.exit_code == 2
    assert "are the same file" in same.stderr
    lost = run(*asked[:-1], tmp_path / "no" / "page.html")
    assert lost.exit_code == 2
    assert "create it first" in lost.stderr
    page.write_text("mine", "utf-8")
    kept = run(*asked)
    assert kept.exit_code == 2
    assert "use --force to overwrite it" in kept.stderr
    assert page.read_text("utf-8") == "mine"
    assert run(*asked, "--force").exit_code == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_columns_dropped_and_retyped(pets):
    result = run(
        pets, "--target", "class", *QUICK, "--drop", "zip", "--categorical", "size", "--metrics",
        "error,leaves",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "2 columns" in result.stderr
    assert "size   nominal" in result.stderr
    assert "fit s" not in result.stdout


def test_several_files_and_other_separators(pets, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(pets.read_text("utf-8").replace(",", ";"), "utf-8")
    result = run(pets, other, "--target", "class", *QUICK)
    assert result.exit_code == 0, result.output
    assert "2 datasets are too few for the Friedman" in " ".join(result.stdout.split())
    third = tmp_path / "third.csv"
    third.write_text(pets.read_text("utf-8"), "utf-8")
    result = run(pets, other, third, "--target", "class", *QUICK)
    assert "Friedman test: " in result.stdout
    assert "other" in result.stdout


def test_parquet(pets, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.read_csv(pets, dtype={"zip": "str"}, na_values="?")
    path = tmp_path / "pets.parquet"
    frame.to_parquet(path)
    asked = ["--target", "class", *QUICK, "--json", "-q", "--metrics", "error"]
    found = [Comparison.from_json(run(p, *asked).stdout).scores for p in (pets, path)]
    np.testing.assert_array_equal(*found)


def test_the_names_are_listed():
    result = run("--list")
    assert result.exit_code == 0, result.output
    for name in ("model_tree", "5x2cv", "balanced_error"):
        assert name in result.stdout


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (["--target", "klass"], 3, "has no column 'klass'. Did you mean 'class'?"),
        (["--target", "size", "--task", "classification"], 3, "numbers with fractions"),
        (["--target", "color"], 3, "missing in 20 of 60 rows"),
        (["--target", "class", "--methods", "tre"], 2, "Did you mean 'tree'?"),
        (["--target", "class", "--cv", "5x"], 2, "cv='5x' is not a known scheme"),
        (["--target", "class", "--metrics", "auc"], 2, "Unknown metric 'auc'"),
        (
            ["--target", "class", "--baseline", "cart", *QUICK],
            2,
            "--baseline cart is not one of the methods",
        ),
        (["--target", "class", "--cv", "1x99cv"], 3, "at least 99 rows; y has 60"),
        (["--target", "class", "--drop", "sice"], 3, "Did you mean 'size'?"),
        (["--target", "class", "--json", "--format", "csv"], 2, "contradict"),
        ([], 2, "Missing option '--target'"),
    ],
)
def test_errors_say_what_to_do(pets, change, code, words):
    result = run(pets, *change)
    assert result.exit_code == code, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no header"),
        ("a,class\n", "no rows below its header"),
        ("a,class\n1,x\n2\n", "line 3: 1 field, but the header has 2"),
        ("a,a,class\n1,2,x\n", "two columns are named 'a'"),
        ("class\nx\ny\n", "no column besides the target"),
        ("a,class\n1,x\n2,x\n3,x\n", "one class, 'x'"),
        ("a,class\n1,x\n2,x\n3,y\n", "Class 'y' has only one row"),
        ('a,class\n"1,x\n', "line 2"),
    ],
)
def test_files_that_cannot_be_used(tmp_path, text, words):
    path = tmp_path / "odd.csv"
    path.write_text(text, "utf-8")
    result = run(path, "--target", "class", *QUICK)
    assert result.exit_code == 3, result.output
    assert words in result.stderr


def test_files_that_are_not_text(tmp_path):
    for name, content, words in [
        ("a.csv", b"a,class\n\xff\xfe,x\n", "not UTF-8"),
        ("a.csv.gz", b"nonsense", "cannot be read"),
        ("a.parquet", b"nonsense", "cannot be read as Parquet"),
    ]:
        path = tmp_path / name
        path.write_bytes(content)
        result = run(path, "--target", "class")
        assert result.exit_code == 3, result.output
        assert words in result.stderr


def test_a_file_that_is_not_there():
    result = run("nowhere.csv", "--target", "class")
    assert result.exit_code == 2
    assert "nowhere.csv" in result.stderr


def test_a_column_that_names_the_rows_is_pointed_out(pets):
    lines = pets.read_text("utf-8").splitlines()
    named = [f"{line},{'id' if i == 0 else f'row{i}'}" for i, line in enumerate(lines)]
    pets.write_text("\n".join(named), "utf-8")
    assert "--drop id" in run(pets, "--target", "class", *QUICK).stderr


def test_when_everything_fails_so_does_the_command(pets, monkeypatch):
    from mixedwood.estimators import C45TreeClassifier, TreeClassifier

    def fail(self, *args):
        raise ArithmeticError("not today")

    for model in (TreeClassifier, C45TreeClassifier):
        monkeypatch.setattr(model, "fit", fail)
    result = run(pets, "--target", "class", *QUICK)
    assert result.exit_code == 1
    assert "All fits failed" in result.stderr
    assert "ArithmeticError: not today" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_control_c_ends_with_130(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 9, (3000, 30)).astype(str)
    path = tmp_path / "long.csv"
    header = ",".join([*(f"c{i}" for i in range(30)), "class"])
    body = "\n".join(
        f"{','.join(f'v{v}' for v in row)},{'ab'[i % 2]}" for i, row in enumerate(rows)
    )
    path.write_text(f"{header}\n{body}\n", "utf-8")
    command = [sys.executable, "-c", "from mixedwood.cli import main; main()", "compare"]
    process = subprocess.Popen(
        [*command, str(path), "--target", "class", "--methods", "ensemble"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        while " of 10 fits" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=250)
        assert process.returncode == 130, err
        assert "Interrupted." in err
        assert "Traceback" not in err
    finally:
        if process.poll() is None:
            process.kill()


@pytest.mark.parametrize(("columns", "drawn"), [(200, True), (70, False)])
def test_on_a_terminal_the_table_is_drawn_where_it_fits(pets, monkeypatch, capsys, columns, drawn):
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    main(["compare", str(pets), "--target", "class", *QUICK, "-q"], standalone_mode=False)
    out = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)  # without colors
    assert ("│" in out) == drawn
    assert "c45" in out
    assert "* lowest mean." in out
    assert max(map(len, out.splitlines())) <= columns
    tree, c45 = [line for line in out.splitlines() if re.match(r"│? ?(tree|c45)", line)][:2]
    # Figures end at the same place, whether or not a mark follows.
    assert re.search(r"± [\d.]+", tree).end() == re.search(r"± [\d.]+", c45).end()


@pytest.mark.parametrize("more", [["--report", "r.html"], ["--format", "html"]])
def test_a_plain_installation_has_no_reports(pets, monkeypatch, more):
    """It says so before anything is read or fitted."""
    module = sys.modules["mixedwood.cli.compare"]
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    monkeypatch.setattr(module, "_read", lambda *given: pytest.fail("too late"))
    for command in (["compare", str(pets), "--target", "class", *more], ["demo"]):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 1
        assert "HTML reports need jinja2: pip install 'mixedwood[cli]'." in result.stderr
