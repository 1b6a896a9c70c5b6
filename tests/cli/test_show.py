"""`mixedwood show`: a model in words and pictures."""

import json
import xml.etree.ElementTree as ET

import pytest

import mixedwood as mw
from cli.woods import ok, run, woods_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    woods = woods_csv(folder / "woods.csv", n=90)
    for name, more in {
        "tree": ["--param", "pruning=null", "--param", "max_depth=3"],
        "forest": ["--param", "n_estimators=3"],
        "ensemble": ["--param", "max_iter=5", "--param", "forest__n_estimators=3"],
        "model_tree": [],
        "svm": [],
        "kernel": ["--param", "kernel=rbf"],
    }.items():
        model = "svm" if name == "kernel" else name
        ok(
            "fit", woods, "--target", "wood", "-o", folder / f"{name}.mw", "--drop", "id", "-q",
            "--model", model, *more,
        )  # fmt: skip
    return folder


def test_a_tree(folder):
    path, tree = folder / "tree.mw", mw.load_model(folder / "tree.mw").tree_
    assert ok("show", path, "--text").stdout == tree.to_text() + "\n"
    assert ok("show", path, "--text", "--max-depth", 1).stdout == tree.to_text(max_depth=1) + "\n"
    assert ok("show", path, "--rules").stdout.splitlines() == [
        str(rule) for rule in tree.to_rules()
    ]
    whole = ok("show", path).stdout
    assert whole.startswith("TreeClassifier(")
    assert "target 'wood', fitted on 90 rows of woods.csv, training error" in whole
    assert whole.endswith(tree.to_text() + "\n")
    dot = ok("show", path, "--dot").stdout
    assert dot == tree.to_dot() + "\n"
    assert dot.count("->") == tree.n_nodes - 1


def test_an_ensemble_says_what_it_has_chosen(folder):
    path, model = folder / "ensemble.mw", mw.load_model(folder / "ensemble.mw")
    words = ok("show", path).stdout
    assert "forest of 3 trees (weight" in words
    assert f"{model.boosted_.n_iter_} iterations and depth" in words
    facts = json.loads(ok("show", path, "--json").stdout)
    assert facts["boosted_weight"] == model.weights_[1]
    assert facts["boosted_depth"] <= model.boosted_.max_depth
    said = ok("explain", path, folder / "woods.csv", "--row", 1).stdout
    assert "Votes of the forest's 3 trees" in said
    facts = json.loads(ok("explain", path, folder / "woods.csv", "--row", 1, "--json").stdout)
    assert facts["weights"]["boosted"] == model.weights_[1]
    assert facts["boosted"]["scale"] == "scores"
    assert facts["votes"] == facts["forest"]["votes"]


def test_pictures(folder, tmp_path):
    path, tree = folder / "tree.mw", mw.load_model(folder / "tree.mw").tree_
    svg, png = tmp_path / "tree.svg", tmp_path / "tree.png"
    result = ok("show", path, "--svg", svg)
    assert f"Written to {svg}." in result.stderr
    assert svg.read_text("utf-8") == tree.to_svg()
    ET.parse(svg)
    ok("show", path, "--png", png)
    assert png.read_bytes().startswith(b"\x89PNG")
    result = run("show", path, "--svg", svg)
    assert result.exit_code == 2
    assert "--force" in result.stderr
    ok("show", path, "--svg", svg, "--force", "--max-depth", 1)
    assert svg.read_text("utf-8") == tree.to_svg(max_depth=1)


def test_many_trees(folder):
    path = folder / "forest.mw"
    model = mw.load_model(path)
    result = ok("show", path)
    assert "3 trees, " in result.stdout
    assert "Use --tree N (1 to 3)" in result.stderr
    shares = dict(zip(model.schema_.names, model.feature_importances_, strict=True))
    best = max(shares, key=shares.get)
    lines = result.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    assert lines[first + 1].split() == [best, f"{shares[best]:.3f}"]
    assert ok("show", path, "--text", "--tree", 2).stdout == model.trees_[1].to_text() + "\n"
    assert ok("show", path, "--tree", 2).stdout.endswith(model.trees_[1].to_text() + "\n")
    for args, words in (
        (["--text"], "choose one with --tree"),
        (["--text", "--tree", 4], "there is no tree 4"),
        (["--text", "--rules"], "Use only one of"),
    ):
        result = run("show", path, *args)
        assert result.exit_code == 2
        assert words in result.stderr
    assert run("show", folder / "tree.mw", "--tree", 2).exit_code == 2


def test_hyperplanes(folder):
    model = mw.load_model(folder / "svm.mw")
    text = ok("show", folder / "svm.mw").stdout
    assert text.count("Linear model ") == 3
    assert "size" in text
    assert "RBF kernel with" in ok("show", folder / "kernel.mw").stdout
    result = run("show", folder / "kernel.mw", "--importances")
    assert result.exit_code == 2
    document = json.loads(ok("show", folder / "svm.mw", "--json").stdout)
    assert document["coefficients"] == model.coef_.tolist()
    assert ok("show", folder / "model_tree.mw").stdout.count("[0] root") == 1


def test_a_model_for_machines(folder):
    for name in ("tree", "forest", "model_tree", "kernel"):
        model = mw.load_model(folder / f"{name}.mw")
        document = json.loads(ok("show", folder / f"{name}.mw", "--json").stdout)
        assert document["class"] == type(model).__name__
        assert document["classes"] == model.classes_.tolist()
        assert [c["name"] for c in document["columns"]] == list(model.schema_.names)
        assert set(document["parameters"]) == set(model.get_params(deep=False))
    document = json.loads(ok("show", folder / "forest.mw", "--json", "--tree", 1).stdout)
    tree = mw.load_model(folder / "forest.mw").trees_[0]
    assert [node["children"] for node in document["tree"]] == [
        tree.children_of(node).tolist() for node in range(tree.n_nodes)
    ]
    assert sum(node["condition"] == "root" for node in document["tree"]) == 1
