"""`mixedwood fit`: files in, models out, and errors that help."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mixedwood as mw
from cli.woods import ok, run, woods_csv
from mixedwood.cli._models import list_models, read_value
from mixedwood.comparison.methods import read_methods
from mixedwood.data.file_tables import read_file
from mixedwood.pruning import Pruner
from mixedwood.saving import read_model
from mixedwood.splits import Partitioner


@pytest.fixture
def woods(tmp_path):
    return woods_csv(tmp_path / "woods.csv")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "wood.mw"


def test_a_model_is_written_that_python_reads(woods, out):
    result = ok("fit", woods, "--target", "wood", "-o", out, "--drop", "id")
    assert result.stdout == ""
    assert "60 rows, 4 features, target 'wood'" in result.stderr
    lines = [line.split() for line in result.stderr.splitlines()]
    assert ["color", "nominal", "3:", "blue,", "red,", "white"] in [line[:6] for line in lines]
    assert any(line[:2] == ["size", "numeric"] and "to" in line for line in lines)
    assert ["zip", "nominal", "5:", "00,", "01,", "02,", "03,", "04"] in lines
    assert "3 classes: ash" in result.stderr
    assert "training error" in result.stderr
    assert f"Written to {out}." in result.stderr
    found = read_model(out)
    table = read_file(woods, "wood", drop=["id"])
    expected = mw.TreeClassifier(random_state=0).fit(table.X, table.y)
    assert found.model.tree_ == expected.tree_
    assert found.about["target"] == "wood"
    assert found.about["rows"] == 60
    assert sum(found.about["classes"].values()) == 60
    wrong = (expected.predict(table.X) != table.y).mean()
    assert found.about["training_error"] == wrong


def test_the_summary_for_machines(woods, out):
    result = ok(
        "fit", woods, "--target", "wood", "-o", out, "--json", "-q", "--model", "forest",
        "--param", "n_estimators=4", "--seed", "7", "--jobs", "2",
    )  # fmt: skip
    assert result.stderr == ""
    facts = json.loads(result.stdout)
    model = mw.load_model(out)
    assert facts["trees"] == 4 == len(model.trees_)
    assert model.random_state == 7
    assert model.n_jobs is None  # a file does not hold how a fit was run
    assert facts["columns"]["color"] == "nominal"
    assert facts["rows"] == 60
    assert facts["file"] == str(out)
    assert facts["model"] == "ForestClassifier(n_estimators=4, n_jobs=2, random_state=7)"


def test_the_honest_estimate(woods, out):
    args = [
        "fit",
        woods,
        "--target",
        "wood",
        "-o",
        out,
        "--drop",
        "id",
        "--cross-validate",
        "--json",
    ]
    result = ok(*args)
    found = json.loads(result.stdout)["cross_validation"]
    table = read_file(woods, "wood", drop=["id"])
    compared = mw.compare(
        table.X, table.y, {"m": mw.TreeClassifier(random_state=0)}, "1x10cv", metrics="error"
    )
    assert found["error"] == compared.means()[0, 0]
    assert found["standard_error"] == compared.standard_errors()[0, 0]
    assert "10-fold cross-validation: error" in result.stderr


MANY_TREES = (
    "forest",
    "boosted",
    "random_ordinality",
    "forest_regressor",
    "random_ordinality_regressor",
)


@pytest.mark.parametrize("name", list(list_models()))
def test_every_model_by_its_name(name, woods, out):
    few = {"n_estimators": 2, "max_iter": 3, "n_components": 9}
    stem = name.partition(".")[0]
    settings = [
        f"--param={key}={value}"
        for key, value in few.items()
        if (key == "n_estimators" and stem in MANY_TREES)
        or (stem == "grow_prune_forest" and key == "n_estimators")
        or (stem == "ensemble" and key == "max_iter")
        or (stem == "svm" and key == "n_components")
    ]
    target = "size" if "regressor" in stem else "wood"
    ok("fit", woods, "--target", target, "-o", out, "--drop", "id", "--model", name, *settings)
    result = ok("predict", out, woods)
    assert len(result.stdout.splitlines()) == 61


def test_all_classifiers_and_recipes_are_listed():
    result = ok("fit", "--list")
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in result.stdout.splitlines()}
    assert listed == list_models()
    kinds = {type(make_model(name)) for name in listed}
    public = {getattr(mw.estimators, n) for n in mw.estimators.__all__}
    assert kinds == {kind for kind in public if hasattr(kind, "fit")}
    assert {"tree", "forest", "boosted", "ensemble", "c45", "tree.cart"} < set(listed)
    assert all(line.endswith((".", "?")) for line in listed.values())


def make_model(name, *settings):
    from mixedwood.cli._models import make_model

    return make_model(name, settings)


def test_names_that_are_short_or_of_compare():
    assert isinstance(make_model("optimal"), mw.OptimalTreeClassifier)
    assert isinstance(make_model("random_ordinality.c45"), mw.RandomOrdinalityClassifier)
    for name in [n for n in mw.comparison.methods() if not n.startswith("sklearn_")]:
        expected = read_methods([name])[name]
        assert repr(make_model(name)) == repr(expected)
    assert make_model("svm", "C=2").C == 2


def test_parameters_as_text():
    model = make_model("c45", "pruned=False", "max_depth=4", "class_weight={'a': 2}")
    assert (model.pruned, model.max_depth, model.class_weight) == (False, 4, {"a": 2})
    model = make_model("forest", "estimator__max_depth=3", "max_samples=0.5")
    assert model.estimator.max_depth == 3
    assert model.estimator.max_features == "sqrt"  # all else stays what it was
    model = make_model(
        "ensemble", "forest__n_estimators=9", "boosted__max_bins=16", "max_depths=[2, 3]"
    )
    assert (model.forest.n_estimators, model.boosted.max_bins) == (9, 16)
    model = make_model("forest", "estimator=TreeClassifier.cart(se_rule=0)")
    assert repr(model.estimator) == repr(mw.TreeClassifier.cart(se_rule=0))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2.5e3", -2500.0),
        ("true", True),
        ("True", True),
        ("null", None),
        ("None", None),
        ("gini", "gini"),
        ("'5'", "5"),
        ('"5"', "5"),
        ("(1, 2)", (1, 2)),
        ("[1, 'a']", [1, "a"]),
        ('{"a": 1}', {"a": 1}),
        ("", ""),
        ("a b=c", "a b=c"),
        ("1 +", "1 +"),
        ("__import__('os')", "__import__('os')"),
        ("open('x')", "open('x')"),
        ("[open('x')]", "[open('x')]"),
        ("Pruner('collapse')", Pruner("collapse")),
        ("Partitioner('random_order', per='node')", Partitioner("random_order", per="node")),
        ("['collapse', Pruner('pessimistic', confidence=0.1)]",
         ["collapse", Pruner("pessimistic", confidence=0.1)]),
        ("Pruner.prune()", "Pruner.prune()"),
        ("TreeClassifier.fit()", "TreeClassifier.fit()"),
        ("Pruner(**{'name': 1})", "Pruner(**{'name': 1})"),
        ("9" * 5000, "9" * 5000),
    ],
)  # fmt: skip
def test_values_as_text(text, value):
    found = read_value(text)
    assert found == value
    assert type(found) is type(value)


def test_columns_can_be_crossed(woods, out):
    start = ("fit", woods, "--target", "wood", "-o", out, "--force")
    ok(*start, "--cross", "color,grade")
    model = mw.load_model(out)
    assert model.crossed_features == [["color", "grade"]]
    assert model.schema_.names[-1] == "color & grade"
    assert "color & grade" not in model.feature_names_in_
    ok("predict", out, woods, "-o", out.with_suffix(".csv"))
    ok(*start, "--param", 'crossed_features=[["color", "grade"]]')
    assert mw.load_model(out).schema_ == model.schema_
    ok(*start, "--cross", "auto")
    assert mw.load_model(out).crossed_features == "auto"


def test_types_can_be_said(woods, out):
    ok(
        "fit", woods, "--target", "wood", "-o", out, "--categorical", "id",
        "--ordinal", "grade:S<M<L", "--numeric", "size", "--drop", "zip",
    )  # fmt: skip
    schema = mw.load_model(out).schema_
    assert {c.name: str(c.kind) for c in schema} == {
        "id": "nominal", "color": "nominal", "size": "numeric", "grade": "ordinal"
    }  # fmt: skip
    assert schema["grade"].categories == ("S", "M", "L")


def test_a_column_that_names_the_row_is_pointed_out(woods, out):
    result = ok("fit", woods, "--target", "wood", "-o", out, "--categorical", "id")
    assert "leave it out with --drop id" in result.stderr


def test_the_standard_input_and_parquet(woods, out, tmp_path):
    ok("fit", "-", "--target", "wood", "-o", out, "--drop", "id", stdin=woods.read_text("utf-8"))
    first = mw.load_model(out)
    frame = pl.read_csv(woods, null_values="?", schema_overrides={"zip": pl.String})
    parquet = tmp_path / "woods.parquet"
    frame.write_parquet(parquet)
    for source, stdin in ((parquet, None), ("-", parquet.read_bytes())):
        ok("fit", source, "--target", "wood", "-o", out, "--drop", "id", "--force", stdin=stdin)
        assert mw.load_model(out).tree_ == first.tree_
    zipped = io.BytesIO()
    import gzip

    with gzip.open(zipped, "wb") as packed:
        packed.write(woods.read_bytes())
    ok(
        "fit", "-", "--target", "wood", "-o", out, "--drop", "id", "--force",
        stdin=zipped.getvalue(),
    )  # fmt: skip
    assert mw.load_model(out).tree_ == first.tree_


def test_many_columns_are_not_all_shown(tmp_path, out):
    path = tmp_path / "wide.csv"
    rows = [",".join([*map(str, range(60)), "ab"[i % 2]]) for i in range(8)]
    path.write_text(",".join([*(f"c{i}" for i in range(60)), "y"]) + "\n" + "\n".join(rows))
    result = ok("fit", path, "--target", "y", "-o", out)
    assert "c39 " in result.stderr
    assert "c40 " not in result.stderr
    assert "and 20 more columns" in result.stderr
    result = ok("fit", path, "--target", "y", "-o", out, "--force", "-v")
    assert "c59 " in result.stderr
    assert "max_depth = None" in result.stderr


USAGE = [
    (["--model", "forrest"], "Unknown model 'forrest'. Did you mean forest"),
    (["--model", "tree.carts"], "Unknown preset 'tree.carts'. Did you mean tree.cart"),
    (["--model", "grow"], "Unknown model 'grow'"),
    (["--model", "sklearn_tree"], "Unknown model 'sklearn_tree'"),
    (["--param", "max_dept=3"], "Unknown parameter 'max_dept'. Did you mean max_depth"),
    (["--param", "max_dept=3"], "criterion"),
    (["--param", "max_depth"], "is not name=value"),
    (["--param", "max_depth=deep"], "'max_depth' parameter of TreeClassifier must be an int"),
    (["--param", "criterion=ginny"], "'criterion' parameter of TreeClassifier must be"),
    (["--param", "pruning=Pruner('nothing')"], "Got 'nothing' instead"),
    (["--param", "pruning=Pruner()"], "missing 1 required positional argument"),
    (
        ["--model", "forest", "--param", "estimator__depth=1"],
        "Unknown parameter 'estimator__depth'",
    ),
    (["--model", "forest", "--param", "max_depth=1"], "Did you mean estimator__max_depth?"),
    (["--model", "ensemble", "--param", "max_depth=1"], "Did you mean boosted__max_depth?"),
    (
        ["--model", "boosted", "--param", "estimator__max_depth=1"],
        "Set 'estimator' to an estimator",
    ),
    (["--model", "forest", "--jobs", "0"], "n_jobs must be"),
    (["--time-limit", "soon"], "is not a time such as 30s"),
    (["--time-limit", "0s"], "greater than 0"),
    (["--ordinal", "grade"], "is not a column and its categories in order"),
    (["--cross", "grade"], "is not two or more columns, as in --cross buying,maint"),
    (["--cross", "grade,nope"], "crossed_features names 'nope', but X has no such column"),
    (
        [
            "--model",
            "random_ordinality",
            "--param",
            "partitioner=Partitioner('random_order', per='tree', joint=[['a', 'b']])",
        ],
        "'joint' option of the partitioner contains 'a'",
    ),
]


@pytest.mark.parametrize(("args", "words"), USAGE, ids=lambda v: " ".join(v)[:40])
def test_usage_errors(args, words, woods, out):
    result = run("fit", woods, "--target", "wood", "-o", out, *args)
    assert result.exit_code == 2, result.output
    assert words in " ".join(result.stderr.split())
    assert not out.exists()


def data_error(path, text, out, *args):
    path.write_text(text, "utf-8")
    result = run("fit", path, "--target", "y", "-o", out, *args)
    assert result.exit_code == 3, result.output
    assert not out.exists()
    return " ".join(result.stderr.split())


def test_data_errors(tmp_path, out):
    path = tmp_path / "t.csv"
    assert "is empty" in data_error(path, "", out)
    assert "no rows below its header" in data_error(path, "a,y\n", out)
    assert "no column 'y'. Did you mean 'Y'?" in data_error(path, "a,Y\n1,2\n", out)
    assert "no column besides the target" in data_error(path, "y\n1\n2\n", out)
    assert "a classifier needs at least two classes" in data_error(path, "a,y\n1,x\n2,x\n", out)
    classes = ("--task", "classification")
    assert "which are not classes" in data_error(path, "a,y\n1,0.5\n2,1\n", out, *classes)
    many = "a,y\n" + "".join(f"1,{i * 7}\n" for i in range(50))
    assert "50 different values in 50 rows" in data_error(path, many, out, *classes)
    numbers = ("--task", "regression")
    assert "row 2 below the header has 'x'" in data_error(path, "a,y\n1,1\n2,x\n", out, *numbers)
    assert "is missing in 1 of 2 rows" in data_error(path, "a,y\n1,\n2,x\n", out)
    table = "a,b,y\n1,x,u\n2,z,v\n"
    assert "row 1 below the header has 'x'" in data_error(path, table, out, "--numeric", "b")
    assert "both categorical and numeric" in data_error(
        path, table, out, "--numeric", "a", "--categorical", "a"
    )
    assert "no column 'c'" in data_error(path, table, out, "--drop", "c")
    words = data_error(path, table, out, "--ordinal", "b:x<q")
    assert "'z'" in words


def test_where_a_model_can_go(woods, tmp_path):
    out = tmp_path / "wood.mw"
    out.write_text("mine")
    start = ["fit", woods, "--target", "wood", "-o"]
    result = run(*start, out)
    assert result.exit_code == 2
    assert "already exists; use --force to overwrite it" in result.stderr
    assert out.read_text() == "mine"
    for path, words in (
        (tmp_path, "is a directory"),
        (tmp_path / "none" / "a.mw", "does not exist; create it first"),
        ("-", "A model cannot go to the standard output"),
    ):
        result = run(*start, path)
        assert result.exit_code == 2
        assert words in result.stderr
    result = run("fit", "nowhere.csv", "--target", "wood", "-o", out)
    assert result.exit_code == 2
    assert "nowhere.csv" in result.stderr
    ok(*start, out, "--force")
    assert isinstance(mw.load_model(out), mw.TreeClassifier)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="nobody may write there, but it is Linux")
def test_a_folder_that_cannot_be_written(woods):
    result = run("fit", woods, "--target", "wood", "-o", "/proc/a.mw")
    assert result.exit_code == 1
    assert "Cannot write" in result.stderr


def test_a_disk_that_is_full(woods, out, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mixedwood.saving.container.write_bytes", full)
    result = run("fit", woods, "--target", "wood", "-o", out)
    assert result.exit_code == 1
    assert f"Cannot write {out}: No space left on device." in result.stderr


def test_a_time_limit_without_a_model(tmp_path, out):
    rng = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    rows = [f"{a:.3f},{b:.3f},{i % 2}" for i, (a, b) in enumerate(rng.normal(size=(500, 2)))]
    path.write_text("a,b,y\n" + "\n".join(rows), "utf-8")
    result = run(
        "fit", path, "--target", "y", "-o", out, "--model", "svm",
        "--param", "kernel=rbf", "--time-limit", "0.000000001s",
    )  # fmt: skip
    assert result.exit_code == 4, result.output
    assert "time limit" in result.stderr
    assert not out.exists()
    result = ok("fit", path, "--target", "y", "-o", out, "--time-limit", "1m")
    assert mw.load_model(out).time_limit == 60


def test_warnings_are_reported_and_kept(woods, out):
    result = ok(
        "fit", woods, "--target", "wood", "-o", out, "--model", "svm",
        "--param", "C=1", "--param", "max_iter=1", "--json",
    )  # fmt: skip
    assert "Warning: 3 of 3 support vector machines did not converge" in result.stderr
    assert json.loads(result.stdout)["warnings"][0].startswith("3 of 3 support vector")


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_ctrl_c_leaves_no_file(tmp_path):
    rng = np.random.default_rng(0)
    path, out = tmp_path / "t.csv", tmp_path / "out" / "t.mw"
    out.parent.mkdir()
    rows = [
        ",".join(f"{v:.4f}" for v in row) + f",{i % 2}"
        for i, row in enumerate(rng.normal(size=(3000, 8)))
    ]
    path.write_text("a,b,c,d,e,f,g,h,y\n" + "\n".join(rows), "utf-8")
    for model in ("forest", "optimal"):
        settings = "n_estimators=100000" if model == "forest" else "max_depth=6"
        command = [
            sys.executable, "-c", "from mixedwood.cli import main; main()", "fit", str(path),
            "--target", "y", "-o", str(out), "--model", model, "--param", settings,
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        while "missing" not in process.stderr.readline():  # the table of types: fitting begins
            assert process.poll() is None
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=250)
        assert process.returncode == 130, stderr
        assert stdout == ""
        assert "Interrupted." in stderr
        assert "Traceback" not in stderr
        assert list(out.parent.iterdir()) == []


def test_several_parquet_files_are_one_table_read_in_pieces(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    paths = []
    for i in range(3):
        table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "c": list("abab"), "y": list("kkll")})
        paths.append(tmp_path / f"{i}.parquet")
        pq.write_table(table, paths[-1])
    output = tmp_path / "model.mw"
    how = ("--target", "y", "-o", output, "--param", "pruning=None", "--json")
    facts = json.loads(ok("fit", *paths, *how, "-q").stdout)
    assert facts["rows"] == 12
    assert facts["classes"] == {"k": 6, "l": 6}
    assert facts["data"] == "3 files"
    assert facts["training_error"] == 0.0
    predicted = ok("predict", output, paths[0]).stdout
    assert "k" in predicted
    one = json.loads(ok("fit", paths[0], *how, "-q", "--in-pieces", "--force").stdout)
    assert one["rows"] == 4
    pruned = json.loads(ok("fit", *paths, *how[:4], "--json", "-q", "--force").stdout)
    assert pruned["classes"] == {"k": 6, "l": 6}
    assert pruned["training_error"] in (0.0, 0.5)
    shown = run("fit", *paths, *how[:4], "--force", "--param", "pruning=pessimistic")
    assert shown.exit_code == 2
    assert "pruning='pessimistic' needs all rows" in shown.output
    shown = run("fit", *paths, *how, "--force", "--drop", "x")
    assert "--drop cannot be used" in shown.output
    shown = run("fit", *paths, *how[:4], "--force", "--model", "optimal")
    assert "OptimalTreeClassifier cannot be fitted" in shown.output
    paths[1].write_bytes(paths[1].read_bytes()[:100])
    shown = run("fit", *paths, *how, "--force")
    assert shown.exit_code != 0
    assert "1.parquet cannot be read" in shown.output


def parts_of(folder, n=3):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    folder.mkdir()
    for i in range(n):
        x = np.arange(200) % 7 + i
        table = pa.table({"x": x, "c": list("abcd") * 50, "y": np.where(x > 3, "k", "l")})
        pq.write_table(table, folder / f"{i}.parquet")
    return folder


def test_boosting_of_files_in_pieces(tmp_path):
    folder = parts_of(tmp_path / "big")
    how = ("-o", tmp_path / "m.mw", "--json", "--force", "-q", "--param", "n_estimators=5")
    boosted = ("--model", "boosted", "--in-pieces")
    facts = json.loads(ok("fit", folder, "--target", "y", *how, *boosted).stdout)
    assert facts["rows"] == 600
    assert facts["trees"] == 5
    numbers = ("--target", "x", "--task", "regression")
    facts = json.loads(ok("fit", folder, *numbers, *how, *boosted).stdout)
    assert facts["model"].startswith("BoostedTreesRegressor")
    x = np.concatenate([np.arange(200) % 7 + i for i in range(3)])
    assert facts["target_mean"] == pytest.approx(x.mean())
    assert facts["target_sd"] == pytest.approx(x.std())
    assert 0 < facts["training_rmse"] < x.std()


def test_folders_and_patterns_are_tables_in_pieces(tmp_path):
    folder = parts_of(tmp_path / "big")
    how = ("--target", "y", "-o", tmp_path / "m.mw", "--json", "--force", "-q")
    tree = ("--param", "pruning=None")
    files = [json.loads(ok("fit", p, *how, *tree).stdout) for p in (folder, f"{folder}/*.parquet")]
    assert [facts["rows"] for facts in files] == [600, 600]
    content = (tmp_path / "m.mw").read_bytes()
    # Enough memory: the same table, read at once, with pruning and any model.
    facts = json.loads(ok("fit", folder, *how, "--memory-limit", "1GB").stdout)
    assert facts["rows"] == 600
    facts = json.loads(ok("fit", folder, *how, "--memory-limit", "1GB", "--model", "forest").stdout)
    assert facts["model"].startswith("ForestClassifier")
    ok("fit", folder, *how, *tree, "--memory-limit", "1GB", "--in-pieces")
    assert (tmp_path / "m.mw").read_bytes() == content
    shown = run("fit", tmp_path / "none" / "*.parquet", *how)
    assert shown.exit_code == 2
    assert "no such file" in shown.output
    assert run("fit", folder, *how, "--memory-limit", "few").exit_code == 2
    assert "at least 1MB" in run("fit", folder, *how, "--memory-limit", "10").output


def test_files_that_exceed_the_limit_are_read_in_pieces(tmp_path, monkeypatch):
    folder = parts_of(tmp_path / "big")
    how = ("--target", "y", "-o", tmp_path / "m.mw", "--json", "--force", "-q")
    monkeypatch.setattr("mixedwood.cli._pieces._BYTES_PER_CELL", 10_000)
    few = ("--param", "n_estimators=5")
    facts = json.loads(
        ok("fit", folder, *how, "--memory-limit", "10MB", "--model", "forest", *few).stdout
    )
    assert (facts["rows"], facts["trees"]) == (600, 5)
    n_large = sum(int((np.arange(200) % 7 + i > 3).sum()) for i in range(3))
    assert facts["classes"] == {"k": n_large, "l": 600 - n_large}
    assert facts["training_error"] == 0
    shown = run("fit", folder, *how, "--memory-limit", "10MB", "--model", "optimal")
    assert shown.exit_code == 2
    assert "give a larger --memory-limit" in shown.output
    ok("fit", folder, *how, "--memory-limit", "20MB", "--model", "forest")
    (tmp_path / "a.csv").write_text("x,y\n" + "1,a\n2,b\n" * 50_000)
    monkeypatch.setattr("mixedwood.cli._pieces._BYTES_PER_BYTE", 100)
    shown = run("fit", tmp_path / "a.csv", *how, "--memory-limit", "1MB")
    assert "need about 0.04 GB in memory, more than --memory-limit" in shown.output
    assert "which" in shown.output
    assert "a.csv is not" in shown.output


def test_files_of_different_columns_are_not_one_table(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    folder = parts_of(tmp_path / "big", 1)
    how = ("--target", "y", "-o", tmp_path / "m.mw", "--memory-limit", "1GB")
    pq.write_table(pa.table({"x": [1.0], "y": ["k"]}), folder / "z.parquet")
    shown = run("fit", folder, *how)
    assert shown.exit_code == 3
    assert "All files must have the same columns" in shown.output
    pq.write_table(pa.table({"x": ["p"], "c": ["a"], "y": ["k"]}), folder / "z.parquet")
    shown = run("fit", folder, *how)
    assert shown.exit_code == 3
    assert "z.parquet: a column has another type" in shown.output
    assert not (tmp_path / "m.mw").exists()


@pytest.mark.filterwarnings("ignore:Port:UserWarning")
def test_a_dask_cluster_reads_the_files(tmp_path):
    distributed = pytest.importorskip("distributed")
    pq = pytest.importorskip("pyarrow.parquet")
    folder = parts_of(tmp_path / "big")
    table = pq.read_table(folder / "0.parquet")
    pq.write_table(table, folder / "0.parquet", row_group_size=60)
    how = ("--target", "y", "--json", "-q", "--param", "pruning=None")
    here = json.loads(ok("fit", folder, *how, "-o", tmp_path / "a.mw").stdout)
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        address = ("--scheduler", cluster.scheduler_address)
        there = json.loads(ok("fit", folder, *how, *address, "-o", tmp_path / "b.mw").stdout)
        no_target = ("--target", "none", *how[2:])
        shown = run("fit", folder, *no_target, *address, "-o", tmp_path / "c.mw")
        assert "has no column 'none', the target" in shown.output
    assert {**here, "seconds": 0, "file": ""} == {**there, "seconds": 0, "file": ""}
    shown = run("fit", folder, *how, "--scheduler", "nonsense://", "-o", tmp_path / "c.mw")
    assert shown.exit_code == 2
    assert "There is no Dask scheduler at" in shown.output
    assert not (tmp_path / "c.mw").exists()
