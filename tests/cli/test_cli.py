import io
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier

from mixedwood import Comparison, comparison
from mixedwood.cli import main
from mixedwood.cli._output import print_table
from support.markup import read


def run(*args):
    return CliRunner().invoke(main, args)


def demo(tmp_path, *words):
    methods = ["--methods", "tree", "--methods", "sklearn_tree"]
    page = ["-o", str(tmp_path / "page.html"), "--jobs", "1", "--rows", "300"]
    return run("demo", *methods, *page, *words)


def test_demo_compares_on_two_tables_and_writes_a_page(tmp_path):
    result = demo(tmp_path)
    assert result.exit_code == 0, result.output
    assert "[0] root (300)" in result.stdout
    assert "tic-tac-toe" in result.stdout and "mixed" in result.stdout
    assert f"{tmp_path / 'page.html'}" in result.stdout
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<svg" in page and "sklearn_tree" in page


def test_the_demo_says_who_wins_and_reports_the_best_model(tmp_path):
    result = demo(tmp_path)
    text = " ".join(result.stdout.split())
    assert "tic-tac-toe: " in text and " has the lowest error, " in text
    assert "mixed: tree has the lowest error" in text
    assert "sklearn_tree is significantly worse. Why: the classes depend on groups" in text
    report = tmp_path / "page-model.html"
    assert text.endswith(f"Report of the best model on the mixed table, tree: {report}")
    page = report.read_text("utf-8")
    assert "tree on the mixed table" in page and "100 rows that the model was not" in page


def test_the_demo_without_a_method_of_this_library_has_no_report_of_a_model(tmp_path):
    page = tmp_path / "page.html"
    result = run("demo", "--methods", "sklearn_tree", "--rows", "60", "-o", str(page))
    assert result.exit_code == 0, result.output
    assert page.exists() and "Report of the best model" not in result.stdout
    assert list(tmp_path.iterdir()) == [page]


def test_the_page_of_the_demo_shows_the_tree_and_no_critical_difference(tmp_path):
    result = demo(tmp_path)
    assert "2 datasets are too few for the Friedman" in " ".join(result.stdout.split())
    page = (tmp_path / "page.html").read_text("utf-8")
    (tree,) = [
        svg for svg in read(page).find("svg") if "ecision tree" in svg.attributes["aria-label"]
    ]
    assert "class1" in tree.text
    assert "TreeClassifier() on all rows of the mixed table" in page
    assert "2 datasets are too few for the Friedman" in page
    assert not [s for s in read(page).find("svg") if "Critical" in s.attributes["aria-label"]]


def test_the_demo_is_short(tmp_path, monkeypatch):
    """Fits are counted, with a guess in place of each method."""
    fits = []

    class Guess(DummyClassifier):
        def fit(self, X, y):
            fits.append(len(y))
            return super().fit(X, y)

    def guessing(sets, *, methods, **options):
        assert set(methods) <= set(comparison.methods())
        return real(sets, methods={name: Guess() for name in methods}, **options)

    real = comparison.compare
    monkeypatch.setattr(comparison, "compare", guessing)
    result = run("demo", "-o", str(tmp_path / "page.html"), "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert 0 < len(fits) <= 60


def test_demo_for_machines(tmp_path):
    result = demo(tmp_path, "--json")
    assert result.exit_code == 0, result.output
    found = Comparison.from_json(result.stdout)
    assert found.methods == ("tree", "sklearn_tree")
    assert [facts.name for facts in found.datasets] == ["tic-tac-toe", "mixed"]
    ours, theirs = found.means()[1]
    assert ours < theirs  # the classes of the mixed table depend on groups of values
    assert "page.html" in result.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_tables_are_drawn_on_a_terminal_only(stream, monkeypatch):
    def printed(out):
        monkeypatch.setattr(sys, stream, out)
        print_table(
            "Woods", ["name", "n"], [["ash", "1"], ["b[red]", "12"]], err=stream == "stderr"
        )
        return out.getvalue()

    plain = "Woods\nname     n\nash      1\nb[red]  12\n"
    assert printed(io.StringIO()) == plain
    drawn = printed(Terminal())
    assert "│" in drawn
    assert "b[red]" in drawn
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert printed(Terminal()) == plain


def test_an_unknown_method_is_a_usage_error(tmp_path):
    result = run("demo", "--methods", "treee", "-o", str(tmp_path / "p.html"))
    assert result.exit_code == 2
    assert "Did you mean 'tree'?" in result.stderr


def test_info_is_json_for_machines():
    facts = json.loads(run("info", "--json").stdout)
    assert facts["mixedwood"]
    assert facts["numpy"]
    assert "numpy" in run("info").stdout


def test_help_imports_no_heavy_module():
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from mixedwood.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'matplotlib', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
