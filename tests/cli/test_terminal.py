r"""No command lets what users wrote control the terminal; files and pipes get it as it is.

Column names, labels and file names with escape sequences, carriage returns, C1 codes and marks that
turn the direction of writing go through every command.
"""

import ast
import csv
import io
import os
import re
import select
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from cli.woods import ok, run
from mixedwood import cli
from mixedwood.printable import printable

EVIL = "\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202etxt\u2066\u200f\x7f"
SHOWN = r"\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202etxt\u2066\u200f\x7f"


def is_safe(text):
    """Colors of drawn tables aside, as only they end in m."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\r\n", "\n")
    return not [c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"evil{EVIL[:5]}")
    with (folder / "t.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"name {EVIL}", "size", f"id {EVIL}", f"class {EVIL}"])
        for i in range(60):
            label = f"{'ab'[i % 2]}{EVIL}"
            writer.writerow([f"{label}{i % 3}", i % 7, f"{EVIL}{i}", label])
    for model in ("tree", "forest", "svm"):
        ok(
            "fit", folder / "t.csv", "--target", f"class {EVIL}", "--model", model, "-q",
            "-o", folder / f"{model}.mw", "--drop", f"id {EVIL}",
        )  # fmt: skip
    return folder


def commands(folder, tmp_path):
    table, target = folder / "t.csv", f"class {EVIL}"
    tree, forest, svc = (folder / f"{name}.mw" for name in ("tree", "forest", "svm"))
    quick = ["--methods", "tree", "--methods", "c45", "--cv", "1x2cv"]
    return {
        "fit": ["fit", table, "--target", target, "-o", tmp_path / "m.mw", "-v"],
        "show": ["show", tree],
        "show rules": ["show", tree, "--rules"],
        "show dot": ["show", tree, "--dot"],
        "show importances": ["show", forest, "--importances"],
        "show many": ["show", forest],
        "show coefficients": ["show", svc],
        "show json": ["show", tree, "--json"],
        "predict": ["predict", tree, table, "--keep", f"id {EVIL}"],
        "predict json": ["predict", tree, table, "--json"],
        "explain": ["explain", tree, table, "--row", 1],
        "explain many": ["explain", forest, table, "--row", 1],
        "evaluate": ["evaluate", tree, table],
        "compare": ["compare", table, "--target", target, *quick],
        "compare csv": ["compare", table, "--target", target, *quick, "--format", "csv"],
        "compare markdown": ["compare", table, "--target", target, *quick, "--format", "markdown"],
    }


def mistakes(folder, tmp_path):
    table, target = folder / "t.csv", f"class {EVIL}"
    return {
        "no column": ["fit", table, "--target", EVIL, "-o", tmp_path / "m.mw"],
        "no file": ["fit", folder / EVIL, "--target", target, "-o", tmp_path / "m.mw"],
        "no model": ["fit", table, "--target", target, "-o", "m.mw", "--model", EVIL],
        "no parameter": ["fit", table, "--target", target, "-o", "m.mw", "--param", f"{EVIL}=1"],
        "no option": ["fit", table, f"--{EVIL}"],
        "no command": [EVIL],
        "a file": ["show", table],
        "no number": ["fit", table, "--target", target, "-o", "m.mw", "--numeric", f"name {EVIL}"],
        "a directory": ["fit", table, "--target", target, "-o", folder],
        "no method": ["compare", table, "--target", target, "--methods", EVIL],
        "no study": ["study", "show", EVIL],
        "no store": ["study", "show", "random_ordinality", "--store", folder / EVIL],
    }


NAMES = list(commands(Path(), Path()))
MACHINES = {"predict": 0, "show dot": 0, "compare csv": 0, "compare markdown": 0}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_printed_for_people_is_safe(name, folder, tmp_path):
    result = ok(*commands(folder, tmp_path)[name])
    assert is_safe(result.stderr), repr(result.stderr)
    if name not in MACHINES:
        assert is_safe(result.stdout), repr(result.stdout)
    if name in ("fit", "compare"):
        assert SHOWN in result.output


@pytest.mark.parametrize("name", list(mistakes(Path(), Path())))
def test_errors_are_safe(name, folder, tmp_path):
    result = run(*mistakes(folder, tmp_path)[name])
    assert result.exit_code in (2, 3)
    assert isinstance(result.exception, SystemExit)
    assert "Error" in result.stderr
    assert is_safe(result.output), repr(result.output)


def test_data_for_programs_is_as_it_was(folder, tmp_path):
    wanted = commands(folder, tmp_path)
    text = ok(*wanted["predict"]).stdout_bytes.decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert rows[3][f"id {EVIL}"] == f"{EVIL}3"
    assert rows[0]["prediction"] == f"a{EVIL}"
    out = tmp_path / "out.csv"
    ok(*wanted["predict"], "-o", out)
    with out.open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == rows


def on_a_terminal(words):
    """What a terminal gets, of both streams."""
    outer, inner = pytest.importorskip("pty").openpty()
    code = "import sys; from mixedwood.cli import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdin=subprocess.DEVNULL, stdout=inner, stderr=inner,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "300"},
    )  # fmt: skip
    os.close(inner)
    found = b""
    while True:
        ready, _, _ = select.select([outer], [], [], 60)
        try:
            more = os.read(outer, 65536) if ready else b""
        except OSError:  # Linux ends a terminal so
            more = b""
        if not more:
            break
        found += more
    os.close(outer)
    process.wait(60)
    return found.decode("utf-8")


@pytest.mark.parametrize("name", ["show importances", "predict", "compare csv", "evaluate"])
def test_a_terminal_gets_nothing_that_controls_it(name, folder, tmp_path):
    found = on_a_terminal(commands(folder, tmp_path)[name])
    # Progress bars move the cursor and hide it, and are ours.
    found = re.sub(r"\x1b\[(\?25[lh]|\d*[A-K])|\r", "", found)
    assert "red" in found
    assert is_safe(found), repr(found)


def test_warnings_and_tracebacks_are_safe(folder):
    code = (
        "import sys, warnings, click\n"
        "from mixedwood.cli import main\n"
        "@main.command()\n"
        "@click.argument('text')\n"
        "def odd(text):\n"
        "    warnings.warn(text)\n"
        "    raise RuntimeError(text)\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "odd", EVIL], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 1
    assert f"Warning: {SHOWN}" in done.stderr
    assert f"RuntimeError: {SHOWN}" in done.stderr
    assert is_safe(done.stderr)


def test_all_output_goes_one_way():
    """Only `_output` writes to the streams, so that nothing goes around it."""
    for path in Path(cli.__file__).parent.glob("*.py"):
        if path.name == "_output.py":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "click.echo", "click.secho"), path.name
                assert not called.endswith((".stdout.write", ".stderr.write")), path.name


def test_other_languages_are_not_touched():
    for text in ("größer", "日本語", "עברית", "👨\u200d👩\u200d👧", "क\u200cष", "a\tb\nc"):
        assert printable(text) == text
    assert printable("a\nb\tc", lines=False) == r"a\nb\tc"
    assert printable("\udc80") == r"\udc80"
