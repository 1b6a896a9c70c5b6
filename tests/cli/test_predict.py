"""`mixedwood predict`, `evaluate` and `explain`: rows as the model has learned to read them."""

import csv
import io
import json
import math

import numpy as np
import polars as pl
import pytest

import mixedwood as mw
from cli.woods import ok, run, woods_csv
from mixedwood.data.file_tables import read_file


@pytest.fixture
def woods(tmp_path):
    return woods_csv(tmp_path / "woods.csv", n=90)


@pytest.fixture
def new(tmp_path):
    return woods_csv(tmp_path / "new.csv", n=25, seed=1)


@pytest.fixture
def model(woods, tmp_path):
    path = tmp_path / "wood.mw"
    ok("fit", woods, "--target", "wood", "-o", path, "--drop", "id", "-q")
    return path


@pytest.fixture
def forest(woods, tmp_path):
    path = tmp_path / "forest.mw"
    ok(
        "fit", woods, "--target", "wood", "-o", path, "--drop", "id", "-q", "--model", "forest",
        "--param", "n_estimators=5",
    )  # fmt: skip
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_those_of_python(model, new):
    result = ok("predict", model, new, "--proba", "--keep", "id")
    rows = rows_of(result.stdout)
    estimator = mw.load_model(model)
    table = read_file(new, "wood", drop=["id"])
    assert [row["prediction"] for row in rows] == estimator.predict(table.X).tolist()
    assert [row["id"] for row in rows] == [str(i + 1) for i in range(25)]
    shares = [[float(row[f"probability_{c}"]) for c in ("ash", "birch", "cedar")] for row in rows]
    assert shares == estimator.predict_proba(table.X).tolist()
    wrong = int((estimator.predict(table.X) != table.y).sum())
    assert f"{wrong} of 25 predictions are wrong" in result.stderr


def test_types_are_those_of_training(tmp_path):
    """Codes that look like numbers in the new file are labels still, and the other way round."""
    path, out = tmp_path / "t.csv", tmp_path / "t.mw"
    path.write_text("code,n,y\n" + "01,1,a\n1,2,b\n" * 10, "utf-8")
    ok("fit", path, "--target", "y", "-o", out, "--param", "pruning=null")
    assert mw.load_model(out).schema_["code"].categories == ("01", "1")
    path.write_text("n,code\n1.5,1\n1.5,1\n,1\n002,1\n", "utf-8")
    result = ok("predict", out, path)
    assert result.stderr == ""
    assert result.stdout.split() == ["prediction", *"bbbb"]
    path.write_text("n,code\n1,01\nmany,1\n", "utf-8")
    result = run("predict", out, path)
    assert result.exit_code == 3
    assert "column 'n' is numeric, but row 2 below the header has 'many'" in result.stderr


def test_labels_that_are_not_text_are_found_by_their_spelling(tmp_path):
    frame = pl.DataFrame({"flag": [True, False] * 6, "code": [1, 2, 3] * 4, "y": [True, False] * 6})
    out, parquet = tmp_path / "t.mw", tmp_path / "t.parquet"
    frame.write_parquet(parquet)
    ok(
        "fit",
        parquet,
        "--target",
        "y",
        "-o",
        out,
        "--categorical",
        "code",
        "--param",
        "pruning=null",
    )
    model = mw.load_model(out)
    assert model.schema_["flag"].categories == (False, True)
    assert model.schema_["code"].categories == ("1", "2", "3")
    assert model.classes_.tolist() == [False, True]
    direct = ok("predict", out, parquet).stdout
    for spelling in (str, lambda flag: str(flag).lower()):
        text = tmp_path / "t.csv"
        lines = [f"{spelling(f)},{c},{spelling(y)}" for f, c, y in frame.iter_rows()]
        text.write_text("flag,code,y\n" + "\n".join(lines) + "\n", "utf-8")
        result = ok("predict", out, text)
        assert result.stdout == direct
        assert "0 of 12 predictions are wrong" in result.stderr


def test_columns_in_any_order_and_more_than_needed(model, new, tmp_path):
    expected = ok("predict", model, new).stdout
    frame = pl.read_csv(new, infer_schema=False)
    other = tmp_path / "other.csv"
    frame.select(reversed(frame.columns)).with_columns(more=pl.lit("x")).write_csv(other)
    result = ok("predict", model, other)
    assert result.stdout == expected
    assert "Ignored columns: id, more." in result.stderr


def test_columns_that_are_not_there(model, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Color,size,zip,grade\nred,1,00,S\n", "utf-8")
    result = run("predict", model, path)
    assert result.exit_code == 3
    assert "no column 'color'. Did you mean 'Color'?" in result.stderr
    path.write_text("a,b\n1,2\n", "utf-8")
    result = run("predict", model, path)
    assert result.exit_code == 3
    assert "no columns 'color', 'size', 'zip', 'grade'" in result.stderr
    result = run("predict", model, path.with_name("new.csv"), "--keep", "nr")
    assert result.exit_code != 0


def test_values_never_seen_are_reported_once(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "t.mw"
    path.write_text("c,y\n" + "red,a\nblue,b\n" * 10, "utf-8")
    ok("fit", path, "--target", "y", "-o", out)
    path.write_text("c\nred\npink\npink\n", "utf-8")
    result = ok("predict", out, path, "--proba", "--explain")
    assert result.stderr.count("pink") == 1
    assert "Warning: Found unknown categories in column 'c' (2 rows): 'pink'" in result.stderr
    assert "unknown" in result.stdout
    assert ok("predict", out, path, "-q").stderr == ""


def test_where_predictions_go(model, new, tmp_path):
    expected = ok("predict", model, new, "--proba", "--keep", "id")
    for name in ("out.csv", "out.parquet", "out.tsv"):
        out = tmp_path / name
        result = ok("predict", model, new, "--proba", "--keep", "id", "-o", out)
        assert result.stdout == ""
        frame = (
            pl.read_parquet(out)
            if name == "out.parquet"
            else pl.read_csv(out, separator="\t" if name == "out.tsv" else ",", infer_schema=False)
        )
        text = frame.with_columns(pl.col("id").cast(pl.String))
        rows = rows_of(expected.stdout)
        assert text["prediction"].to_list() == [row["prediction"] for row in rows]
        shares = [float(share) for share in text["probability_ash"].to_list()]
        assert shares == [float(row["probability_ash"]) for row in rows]
        result = run("predict", model, new, "-o", out)
        assert result.exit_code == 2
        assert "--force" in result.stderr
    result = run("predict", model, new, "-o", tmp_path / "none" / "out.csv")
    assert result.exit_code == 2


def test_predictions_for_machines(model, new):
    result = ok("predict", model, new, "--json", "--keep", "id", "--proba", "-q")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == 25
    assert set(lines[0]) == {
        "id", "prediction", "probability_ash", "probability_birch", "probability_cedar"
    }  # fmt: skip
    assert result.stderr == ""


def test_the_standard_input(model, new):
    text = new.read_text("utf-8")
    assert ok("predict", model, "-", stdin=text).stdout == ok("predict", model, new).stdout
    assert (
        ok("predict", model, "-", "-o", "-", stdin=text).stdout == ok("predict", model, new).stdout
    )


def test_a_model_of_rows_without_names(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    out, path = tmp_path / "t.mw", tmp_path / "t.csv"
    mw.save_model(mw.TreeClassifier().fit(X, y), out)
    path.write_text("p,q\n" + "".join(f"{a!r},{b!r}\n" for a, b in X.tolist()), "utf-8")
    rows = rows_of(ok("predict", out, path).stdout)
    assert [int(row["prediction"]) for row in rows] == y.tolist()
    path.write_text("p,q,r\n1,2,3\n", "utf-8")
    result = run("predict", out, path)
    assert result.exit_code == 3
    assert "takes 2 columns without names" in result.stderr
    result = run("evaluate", out, path)
    assert result.exit_code == 2
    assert "--target" in result.stderr


@pytest.mark.parametrize("command", ["predict", "evaluate", "show", "explain"])
def test_files_that_are_no_models(command, new, tmp_path):
    more = [new] if command != "show" else []
    more += ["--row", 1] if command == "explain" else []
    result = run(command, new, *more)
    assert result.exit_code == 3
    assert "cannot be read as a model" in result.stderr
    result = run(command, tmp_path / "nowhere.mw", *more)
    assert result.exit_code == 2


def test_what_a_model_cannot_do(forest, woods, new, tmp_path):
    svm = tmp_path / "svm.mw"
    ok("fit", woods, "--target", "wood", "-o", svm, "--drop", "id", "--model", "svm", "-q")
    result = run("predict", svm, new, "--proba")
    assert result.exit_code == 2
    assert "has no predict_proba" in result.stderr
    result = run("predict", forest, new, "--explain")
    assert result.exit_code == 2
    assert "--explain needs a single tree" in result.stderr
    result = run("show", svm, "--text")
    assert result.exit_code == 2
    assert "has no trees" in result.stderr


NAMES = {"precision": "precision", "recall": "recall", "f1": "f1-score", "support": "support"}


def test_evaluation_agrees_with_scikit_learn(model, forest, new):
    from sklearn.metrics import (
        balanced_accuracy_score,
        classification_report,
        confusion_matrix,
    )

    table = read_file(new, "wood", drop=["id"])
    for path in (model, forest):
        facts = json.loads(ok("evaluate", path, new, "--json").stdout)
        answers = mw.load_model(path).predict(table.X)
        shares = mw.load_model(path).predict_proba(table.X)
        assert facts["error"] == pytest.approx((answers != table.y).mean())
        assert facts["balanced_error"] == pytest.approx(
            1 - balanced_accuracy_score(table.y, answers)
        )
        assert facts["confusion_matrix"] == confusion_matrix(table.y, answers).tolist()
        report = classification_report(table.y, answers, output_dict=True, zero_division=np.nan)
        for place, label in enumerate(facts["classes"]):
            for ours, theirs in NAMES.items():
                want = report[label][theirs]
                assert facts[ours][place] == (None if np.isnan(want) else pytest.approx(want))
        given = [s[facts["classes"].index(t)] for s, t in zip(shares, table.y, strict=True)]
        loss = -np.mean(np.log(np.clip(given, 0.001, 1)))
        assert facts["log_loss"] == pytest.approx(loss)


def test_evaluation_in_words(model, new, tmp_path):
    result = ok("evaluate", model, new)
    for words in ("balanced accuracy", "precision", "recall", "f1-score", "Confusion matrix"):
        assert words in result.stdout
    assert result.stdout.count("cedar") == 3
    lines = new.read_text("utf-8").splitlines()
    lines[1] = lines[1].rsplit(",", 1)[0] + ",oak"
    lines[2] = lines[2].rsplit(",", 1)[0] + ","
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(lines), "utf-8")
    result = ok("evaluate", model, path)
    assert "24 rows, target 'wood'" in result.stdout
    assert "Classes that are unknown to the model: oak." in result.stdout
    assert "Left out 1 row whose class is missing" in result.stderr
    path.write_text("\n".join(line.rsplit(",", 1)[0] for line in lines), "utf-8")
    result = run("evaluate", model, path)
    assert result.exit_code == 3
    assert "no target column 'wood'" in result.stderr
    result = run("evaluate", model, new, "--target", "zip")
    assert result.exit_code == 2
    assert "'zip' is a feature of the model" in result.stderr


def test_evaluation_of_many_classes(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "t.mw"
    path.write_text("x,y\n" + "".join(f"{i % 15},c{i % 15}\n" for i in range(150)), "utf-8")
    ok("fit", path, "--target", "y", "-o", out, "--param", "pruning=null")
    result = ok("evaluate", out, path)
    assert "The confusion matrix of 15 classes is not shown" in result.stdout
    assert [line.split()[1:] for line in result.stdout.splitlines() if line.startswith("c14")] == [
        ["1.000", "1.000", "1.000", "10"]
    ]


def test_one_row_explained(model, forest, new):
    estimator = mw.load_model(model)
    table = read_file(new, "wood", drop=["id"])
    result = ok("explain", model, new, "--row", 4)
    assert result.stdout == str(estimator.explain(table.X, 3)).replace("Row 3:", "Row 4:") + "\n"
    facts = json.loads(ok("explain", model, new, "--row", 4, "--json").stdout)
    assert facts["prediction"] == estimator.predict(table.X)[3]
    assert math.isclose(sum(facts["probabilities"].values()), 1)
    assert [step["text"] for step in facts["path"]] == [
        str(step) for step in estimator.explain(table.X, 3).steps
    ]
    result = ok("explain", forest, new, "--row", 4)
    why = mw.load_model(forest).explain(table.X, 3)
    assert result.stdout == str(why).replace("Row 3:", "Row 4:") + "\n"
    assert "Votes of 5 trees:" in result.stdout
    assert "Use --tree N (1 to 5)" in result.stderr
    facts = json.loads(ok("explain", forest, new, "--row", 4, "--json").stdout)
    assert (facts["row"], facts["prediction"], facts["scale"]) == (4, why.prediction, "probability")
    for label, share in facts["probabilities"].items():
        parts = [part["amounts"][label] for part in facts["contributions"]]
        assert math.isclose(facts["bias"][label] + sum(parts), share, abs_tol=1e-12)
    assert sum(facts["votes"].values()) == 5
    result = ok("explain", forest, new, "--row", 1, "--tree", 2)
    assert "Tree 2:" in result.stdout
    assert "-> [" in result.stdout
    for args, words in (((26,), "there is no row 26"), ((1, "--tree", 6), "no tree 6")):
        result = run("explain", forest, new, "--row", *args)
        assert result.exit_code == 2
        assert words in result.stderr
    assert run("explain", model, new, "--row", 0).exit_code == 2


def test_one_row_of_parquet_and_of_other_models(woods, new, tmp_path):
    parquet = tmp_path / "new.parquet"
    frame = pl.read_csv(new, null_values="?", schema_overrides={"zip": pl.String})
    frame.write_parquet(parquet)
    for name in ("tree", "boosted", "ensemble", "svm"):
        out = tmp_path / f"{name}.mw"
        settings = ["--param", "max_iter=4"] if name == "ensemble" else []
        ok(
            "fit", woods, "--target", "wood", "-o", out, "--drop", "id", "-q", "--model", name,
            *settings,
        )  # fmt: skip
        said = ok("explain", out, new, "--row", 2)
        assert ok("explain", out, parquet, "--row", 2).stdout == said.stdout
        assert said.stdout.startswith("Row 2: ")


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "json"])
def test_files_in_pieces_are_predicted_as_one(tmp_path, form, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"x": [1, 2, 3, 4] * 30, "c": list("abca") * 30, "y": list("kkll") * 30})
    pq.write_table(table, tmp_path / "whole.parquet")
    (tmp_path / "big").mkdir()
    for i in range(3):
        part = table.slice(40 * i, 40)
        pq.write_table(part, tmp_path / "big" / f"{i}.parquet")
    model = tmp_path / "m.mw"
    ok("fit", tmp_path / "whole.parquet", "--target", "y", "-o", model, "-q")
    monkeypatch.setattr("mixedwood.files.typed._ROWS", 17)
    how = ("--proba", "--keep", "c", *(["--json"] if form == "json" else []))
    files = []
    for name in ("whole.parquet", "big", "big/*.parquet"):
        output = tmp_path / f"out.{form}"
        said = ok("predict", model, tmp_path / name, *how, "-o", output, "--force").output
        assert "0 of 120 predictions are wrong" in said
        files.append(output.read_bytes())
    if form == "parquet":
        files = [pq.read_table(pa.BufferReader(content)).to_pylist() for content in files]
    assert files[0] == files[1] == files[2]
    if form == "csv":
        assert ok("predict", model, tmp_path / "big", *how, "-q").stdout.encode() == files[0]


def test_a_piece_that_fails_leaves_no_file(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"x": [1, 2, 3, 4] * 5, "y": list("kkll") * 5})
    (tmp_path / "big").mkdir()
    pq.write_table(table, tmp_path / "big" / "0.parquet")
    ok("fit", tmp_path / "big" / "0.parquet", "--target", "y", "-o", tmp_path / "m.mw", "-q")
    pq.write_table(table.drop_columns("x"), tmp_path / "big" / "1.parquet")
    shown = run("predict", tmp_path / "m.mw", tmp_path / "big", "-o", tmp_path / "out.csv")
    assert shown.exit_code == 3
    assert "1.parquet" in shown.output
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big", "m.mw"]
