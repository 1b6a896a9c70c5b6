"""SQL: hostile names and labels, many trees and deep ones, options and refusals."""

import re
import sqlite3
import warnings

import numpy as np
import pytest

import mixedwood as mw
from exports.databases import run_duckdb, run_sqlite
from mixedwood.exports import ExportError
from mixedwood.exports.dialects import DIALECTS

X = {"c": ["a", "a", "b", "b"] * 5, "x": [0.0, 1, 2, 3] * 5}
MODEL = mw.TreeClassifier().fit(X, ["no", "no", "yes", "yes"] * 5)


def test_doubles_are_exact():
    rng = np.random.default_rng(0)
    numbers = [0.0, -0.0, 5e-324, -1.7976931348623157e308, 2.2250738585072014e-308, 1e16, 0.1, 1e22]
    numbers += rng.normal(size=200).tolist() + (10 ** rng.uniform(-300, 300, 200)).tolist()
    numbers += (rng.normal(size=200) * 1e9).round(2).tolist()
    db = sqlite3.connect(":memory:")
    dialect = DIALECTS["sqlite"]
    found = [db.execute(f"SELECT {dialect.real(x)}").fetchone()[0] for x in numbers]
    db.close()
    assert found == numbers
    duckdb = pytest.importorskip("duckdb")
    query = "SELECT " + ", ".join(map(DIALECTS["duckdb"].real, numbers))
    assert list(duckdb.sql(query).fetchall()[0]) == numbers


def test_hostile_table_and_columns(tmp_path):
    name = 'mixedwood_1"; DROP TABLE data; --'
    query = mw.export(MODEL, to="sql", table=[name], dialect="sqlite", keep=["k'\""])
    db = sqlite3.connect(":memory:")
    quoted = '"' + name.replace('"', '""') + '"'
    db.execute(f'CREATE TABLE {quoted} (c TEXT, x REAL, "k\'""" TEXT)')
    db.execute(f"INSERT INTO {quoted} VALUES ('b', 3.0, 'key')")
    cursor = db.execute(query)
    names = [column[0] for column in cursor.description]
    assert names == ["k'\"", "prediction", "probability_no", "probability_yes"]
    assert cursor.fetchall() == [("key", "yes", 0.0, 1.0)]
    with pytest.raises(sqlite3.OperationalError, match="no such column"):  # not the text 'x'
        db.execute("DROP TABLE " + quoted)
        db.execute(f'CREATE TABLE {quoted} (c TEXT, "k\'""" TEXT)')
        db.execute(query.replace('t."c"', 't."y"'))
    db.close()


def test_names_of_classes_that_databases_confuse():
    model = mw.TreeClassifier().fit(X, ["a", "a", "A", "A"] * 5)
    query = mw.export(model, to="sql")
    assert 'AS "probability_0"' in query
    assert 'AS "probability_1"' in query


@pytest.mark.parametrize("classes", [[0, 1], [False, True], [-1.0, 7.0]])
def test_classes_that_are_no_text(classes):
    y = [classes[0], classes[0], classes[1], classes[1]] * 5
    model = mw.TreeClassifier().fit(X, y)
    for run in (run_duckdb, run_sqlite):
        assert run(model, X)[0] == model.predict(X).tolist() == y


def test_a_boosted_model_of_hundreds_of_trees():
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=300).tolist(), "z": rng.normal(size=300).tolist()}
    y = np.array(data["x"]) * 3 + np.sin(np.array(data["z"]) * 4)
    model = mw.BoostedTreesRegressor(n_estimators=400, early_stopping=False).fit(data, y)
    assert len(model.trees_) == 400
    for run in (run_sqlite, run_duckdb):
        assert run(model, data)[0] == model.predict(data).tolist()


def test_a_deep_tree():
    x = np.arange(300.0)
    y = np.where(np.arange(300) % 2, "odd", "even")
    for scale in (1.0, 1.3):
        x, y = np.append(x, x * scale + 1000), np.append(y, y)
    model = mw.TreeClassifier(pruning=None, min_samples_leaf=1).fit({"x": x}, y)
    assert model.tree_.depth > 12
    data = {"x": [*x.tolist(), float("nan")]}
    for run in (run_sqlite, run_duckdb):
        assert run(model, data)[0] == model.predict(data).tolist()


def test_other_dialects_can_be_parsed():
    sqlglot = pytest.importorskip("sqlglot")
    hostile = {"a`\\'\"": ["x`\\'\n", "y", "z"] * 9, "n": [float(i) for i in range(27)]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mw.ForestClassifier(n_estimators=3, random_state=0)
        model.fit(hostile, ["u", "v", "w"] * 9)
    for dialect, name in {"bigquery": "bigquery", "ansi": "", "postgresql": "postgres"}.items():
        query = mw.export(model, to="sql", dialect=dialect)
        assert len(sqlglot.parse(query, dialect=name)) == 1
        assert not re.search(r"\bNaN\b", query) or dialect == "postgresql"


def test_bad_options():
    with pytest.raises(ValueError, match="dialect must be one of duckdb"):
        mw.export(MODEL, to="sql", dialect="oracle")
    with pytest.raises(ValueError, match="table must be a name"):
        mw.export(MODEL, to="sql", table="a..b")
    with pytest.raises(TypeError, match="'prefix' is no option of one SELECT; options: table"):
        mw.export(MODEL, to="sql", prefix="x")
    with pytest.raises(ValueError, match="a name twice"):
        mw.export(MODEL, to="sql", keep=["Prediction"])
    with pytest.raises(TypeError, match="keep must be a list"):
        mw.export(MODEL, to="sql", keep="id")


def test_labels_that_sql_cannot_tell_apart(tmp_path):
    model = mw.TreeClassifier(categorical_features=["c"], pruning=None)
    model.fit({"c": np.array([1, "1"] * 10, dtype=object)}, ["a", "b"] * 10)
    with pytest.raises(ExportError, match="text and numbers as labels"):
        mw.export(model, tmp_path / "m.sql")
    model.fit({"c": ["a\0b", "c"] * 10}, ["a", "b"] * 10)
    with pytest.raises(ExportError, match="null character"):
        mw.export(model, tmp_path / "m.sql")
    assert not list(tmp_path.iterdir())
