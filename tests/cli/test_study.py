"""`mixedwood study`: list, run, show, tables and plot."""

import json
import sqlite3

import pytest
from click.testing import CliRunner

from mixedwood.cli import main
from mixedwood.study.store import _store_error


@pytest.fixture
def run(tmp_path):
    def call(*words):
        store = ["--store", str(tmp_path / "s.sqlite")]
        return CliRunner().invoke(main, ["study", *map(str, words), *store])

    return call


ORDERS = ["--only", "experiment=orders", "--only", "values=4", "--only", "values=6"]


def test_the_list_says_how_much_is_done(run):
    assert "0 of" in run("list").stdout
    run("run", "random_ordinality", *ORDERS)
    rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)}
    roe = rows["random_ordinality"]
    assert roe["full"]["done"] == roe["quick"]["done"] == 2
    assert roe["full"]["tasks"] > roe["quick"]["tasks"] > 2
    assert roe["title"] == "Random Ordinality Ensembles"


def test_run_show_and_tables(run):
    result = run("run", "random_ordinality", *ORDERS)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "2 tasks done. Results are in" in result.stderr
    assert "2 already in the store" in run("run", "random_ordinality", *ORDERS).stderr
    shown = run("show", "random_ordinality").stdout
    assert "orders: 2 of 6" in shown
    assert "NOT DECIDED" in shown  # a check waits for all its cells
    assert "HOLDS" not in shown
    content = json.loads(run("show", "random_ordinality", "--json").stdout)
    assert content["done"] == 2
    assert content["claims"][0]["verdict"] == "not decided"
    text = run("table", "random_ordinality", "--table", "table 2").stdout
    assert "0.59 (0.59, same)" in text
    cells = json.loads(run("table", "random_ordinality", "--format", "json").stdout)
    assert {cell["row"] for cell in cells} == {"4", "6"}
    for form in ("markdown", "csv"):
        assert run("table", "random_ordinality", "--format", form).exit_code == 0


def test_a_page_is_written_with_its_pictures(run, tmp_path):
    run("run", "random_ordinality", *ORDERS)
    result = run("table", "random_ordinality", "--report", tmp_path / "page.md")
    assert "Written to" in result.stderr
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "mixedwood study run random_ordinality" in page
    assert "| 4 | 0.59 (0.59, same) |" in page


def test_figures_are_drawn(run, tmp_path):
    result = run("figure", "random_ordinality", "-o", tmp_path)
    assert result.exit_code == 3  # nothing has been run
    run("run", "random_ordinality", *ORDERS)
    result = run("figure", "random_ordinality", "-o", tmp_path)
    assert result.exit_code == 0
    assert "No figure has enough results yet" in result.stderr


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("run", "no_such_study"), 2, "There is no study 'no_such_study'"),
        (("run", "random_ordinality", "--only", "dataset"), 2, "write AXIS=VALUE"),
        (("run", "random_ordinality", "--only", "sett=car"), 3, "No experiment has an axis 'sett'"),
        (("run", "random_ordinality", "--only", "dataset=cars"), 3, "dataset has no value 'cars'"),
        (("show", "random_ordinality"), 3, "nothing has been run yet"),
        (("table", "random_ordinality"), 3, "mixedwood study run random_ordinality"),
    ],
)
def test_errors_help(run, words, code, message):
    result = run(*words)
    assert result.exit_code == code
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_an_unknown_table_is_named(run):
    run("run", "random_ordinality", *ORDERS)
    result = run("table", "random_ordinality", "--table", "table 9")
    assert result.exit_code == 2
    assert "there are table 2, table 3" in result.stderr


def test_a_damaged_store_and_a_full_disk_are_said_in_one_line(run, tmp_path, monkeypatch):
    run("run", "random_ordinality", *ORDERS)
    store = tmp_path / "s.sqlite"

    def full(self, record):
        raise _store_error(self.path, sqlite3.OperationalError("database or disk is full"))

    with monkeypatch.context() as patched:
        patched.setattr("mixedwood.study.store.Store.add", full)
        result = run("run", "random_ordinality", "--only", "experiment=orders")
    assert result.exit_code == 1
    assert "free some space and run the same command again" in result.stderr
    assert "Traceback" not in result.stderr
    assert "orders: 2 of 6" in run("show", "random_ordinality").stdout
    store.write_bytes(store.read_bytes()[:5000])
    for words in (("run", "random_ordinality", *ORDERS), ("show", "random_ordinality"), ("list",)):
        result = run(*words)
        assert result.exit_code in (1, 3)
        assert "is damaged" in result.stderr
        assert "Run it first" not in result.stderr
