"""`mixedwood export`: models for other programs."""

import json

import pytest

import mixedwood as mw
from cli.woods import ok, run, woods_csv


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported")
    woods = woods_csv(folder / "woods.csv", n=90)
    path = folder / "m.mw"
    ok("fit", woods, "--target", "wood", "-o", path, "--drop", "id", "-q")
    return path


def test_format_by_name_or_ending(model, tmp_path):
    wanted = mw.export(mw.load_model(model), to="json")
    assert ok("export", model, "--to", "json").stdout == wanted
    done = ok("export", model, "-o", tmp_path / "m.json")
    assert done.stderr == f"Written to {tmp_path / 'm.json'}.\n"
    assert (tmp_path / "m.json").read_text("utf-8") == wanted
    ok("export", model, "--to", "python", "-o", tmp_path / "m.txt")
    assert json.loads(wanted)["target"]["classes"] == ["ash", "birch", "cedar"]
    assert (tmp_path / "m.txt").read_text("utf-8").startswith('"""Predict rows')


def test_usage_errors(model, tmp_path):
    assert "Choose a format with --to: json" in run("export", model).output
    assert "'to' must be one of" in run("export", model, "-o", tmp_path / "m.xyz").output
    assert "Got 'xml' instead" in run("export", model, "--to", "xml").output
    assert "--table is no option" in run("export", model, "--to", "json", "--table", "t").output
    (tmp_path / "there.json").touch()
    there = run("export", model, "-o", tmp_path / "there.json")
    assert there.exit_code == 2
    assert "--force" in there.output


def test_what_has_no_trees_is_an_error(tmp_path):
    woods = woods_csv(tmp_path / "woods.csv")
    ok("fit", woods, "--target", "wood", "-o", tmp_path / "s.mw", "-q", "--model", "svm")
    refused = run("export", tmp_path / "s.mw", "-o", tmp_path / "s.json")
    assert refused.exit_code == 1
    assert "no trees to export" in refused.output
    assert not (tmp_path / "s.json").exists()
