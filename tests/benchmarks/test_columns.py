"""Tables and noise by which the choice of columns is studied."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2_contingency

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    pytest.importorskip("pandas")


def module(name):
    return import_module(name)


def test_every_table_is_in_one_half_and_every_law_in_both():
    tables = module("more_tables")
    choice, judge = set(tables.names("choice")), set(tables.names("judge"))
    assert not choice & judge
    assert choice | judge == set(tables.names()) == {*tables.PACKAGES, *tables.GENERATORS}
    laws = {name[:-2] for name in tables.GENERATORS}
    for law in laws:
        assert f"{law}-1" in choice
        assert f"{law}-2" in judge


def test_a_new_table_moves_no_other(monkeypatch):
    tables = module("more_tables")
    before = tables.names("judge")
    monkeypatch.setitem(tables.PACKAGES, "a-new-one", tables.PACKAGES["chile"])
    assert [name for name in tables.names("judge") if name != "a-new-one"] == before


def test_names_are_not_those_of_the_library():
    from mixedwood import datasets

    tables = module("more_tables")
    assert not set(tables.names()) & set(datasets.names())


@pytest.mark.parametrize("law", ["additive", "missing", "mixed", "nothing", "tenth"])
def test_generated_tables_are_as_announced(law):
    tables = module("more_tables")
    for name in (f"generated-{law}-1", f"generated-{law}-2"):
        _, rows, classes, _ = tables.GENERATORS[name]
        table = tables.load(name)
        assert table.X.shape[0] == len(table.y) == rows
        assert len(np.unique(table.y)) == classes
        assert table.nominal
        for column in table.X:
            if column not in table.nominal:
                assert table.X[column].dtype == float
        tables.load.cache_clear()
        again = tables.load(name)
        assert again.X.equals(table.X)
        assert np.array_equal(again.y, table.y)


def test_an_unknown_table_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"'iris' is no table here; there are acs, "):
        module("more_tables").load("iris")


def test_added_columns_have_the_values_they_should_and_new_ones_in_test_rows():
    columns = module("identifier_columns")
    X, y = columns.load("generated-additive-1")
    for variant, most in (("n", 600), ("n/2", 300), ("n/10", 60)):
        wider = columns.with_column(X, "generated-additive-1", variant, 0)
        added = wider[columns.ADDED]
        assert wider.shape[1] == X.shape[1] + 1
        assert added.nunique() <= most
        train, test = columns.rows_of(y, 0)
        new = ~added.iloc[test].isin(added.iloc[train])
        assert new.all() if variant == "n" else new.any() == (variant == "n/2")
    assert columns.with_column(X, "generated-additive-1", "as it is", 0) is X


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("real", ["2", "10", "n/10"])
def test_a_real_column_is_found_by_a_test_in_eight_of_ten_tables(classes, real):
    bias = module("selection_bias")
    import pandas as pd

    found = 0
    for number in range(200):
        X, y = bias.make(1000, classes, real, number)
        counts = pd.crosstab(X["real"], y).to_numpy()
        found += chi2_contingency(counts, correction=False).pvalue < bias.LEVEL
    assert 140 <= found <= 178  # 160 expected, standard deviation below 6


def test_noise_has_as_many_values_as_it_says():
    bias = module("selection_bias")
    X, y = bias.make(200, 2, "none", 0)
    assert X["noise n"].nunique() == 200
    assert X["noise 2"].nunique() == 2
    assert "real" not in X
    assert set(y) == {0, 1}


def test_the_root_of_a_tree_that_has_one_column_to_choose():
    bias, methods = module("selection_bias"), module("column_methods")
    import pandas as pd

    y = np.arange(60) % 2
    X = pd.DataFrame({"a": ["x"] * 60, "b": np.array(["u", "v"], object)[y]})
    assert bias.size("n/2", 60) == 30
    assert methods.roots("tree", [(X, y), (X[["a"]], y)]) == ["b", "none"]
    assert methods.roots("sklearn", [(X, y)]) == ["b"]
