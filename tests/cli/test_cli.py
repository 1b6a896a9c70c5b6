import io
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from mixedwood.cli import main
from mixedwood.cli.tables import print_table


def run(*args):
    return CliRunner().invoke(main, args)


def test_demo_lists_every_search_with_impurity_exactness_and_time():
    result = run("demo", "--rows", "2000", "--values", "9", "--classes", "3", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    searched = {f["search"]: f for f in found["searches"]}
    best = searched["exact"]
    assert best["exact"]
    assert searched["auto"]["score"] == pytest.approx(best["score"])
    for f in searched.values():
        if "score" in f and len(f["groups"]) == 2:
            assert f["score"] <= best["score"] + 1e-12
            assert f["milliseconds"] > 0
    assert "3 classes are present" in searched["two_class_order"]["reason"]


def test_demo_as_a_table():
    result = run("demo", "--rows", "500", "--values", "6", "--criterion", "chi2")
    assert result.exit_code == 0, result.output
    assert "max_cut_sdp" in result.stdout
    assert "exact" in result.stdout
    assert "two_class_order" in result.stderr
    assert "[0] root (1000)" in result.stdout
    assert "scikit-learn, one-hot" in result.stdout
    assert "best over every threshold" in result.stdout
    assert "[0] root (500)" in result.stdout


def test_demo_shows_a_tree_and_compares_it_on_the_same_folds():
    result = run("demo", "--rows", "500", "--values", "4", "--json")
    assert result.exit_code == 0, result.output
    tree = json.loads(result.stdout)["tree"]
    assert tree["text"].startswith(f"[0] root ({tree['rows']})")
    errors = {m["method"]: m["error"] for m in tree["methods"]}
    assert len(errors) == 5
    others = [error for method, error in errors.items() if method.startswith("scikit-learn")]
    assert max(errors["TreeClassifier()"], errors["EnsembleClassifier()"]) < min(others)
    assert [m["leaves"] is None for m in tree["methods"]] == [False] * 3 + [True] * 2


def test_demo_proves_a_small_tree():
    result = run("demo", "--rows", "500", "--values", "4", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["optimal"]
    greedy, ranges, every = found["trees"]
    assert greedy["proven"] is None
    assert ranges["proven"] and every["proven"]
    assert every["wrong"] <= min(greedy["wrong"], ranges["wrong"])
    assert found["text"].startswith(f"[0] root ({found['rows']})")


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


def test_unknown_criterion_is_a_usage_error():
    result = run("demo", "--criterion", "ginny")
    assert result.exit_code == 2
    assert "gain_ratio" in result.stderr


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
