"""Tables as matrices: scales, indicators and missing values."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixedwood.data import read_table
from mixedwood.linear import Design


@given(st.integers(0, 2**32 - 1), st.integers(-300, 300), st.booleans())
def test_numbers_of_any_size_come_out_with_mean_0_and_variance_1(seed, power, weighted):
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=50) + rng.normal()) * 10.0**power
    weights = rng.exponential(size=50) if weighted else None
    table = read_table(x[:, None])
    found = Design.fit(table, weights).matrix(table)[:, 0]
    np.testing.assert_allclose(np.average(found, weights=weights), 0, atol=1e-12)
    np.testing.assert_allclose(np.average(found**2, weights=weights), 1, rtol=1e-12)


def test_coefficients_in_original_units_decide_the_same():
    rng = np.random.default_rng(0)
    X = {"a": rng.normal(3, 5, 40), "b": list("xyzw") * 10, "c": rng.normal(size=40) * 1e6}
    table = read_table(X)
    for standardize in (True, False):
        design = Design.fit(table, standardize=standardize)
        w, b = rng.normal(size=(2, 6)), rng.normal(size=2)
        coefficients, offsets = design.original_units(w, b)
        plain = np.column_stack([X["a"], *(np.array(X["b"]) == v for v in "wxyz"), X["c"]])
        np.testing.assert_allclose(
            design.matrix(table) @ w.T + b, plain @ coefficients.T + offsets, rtol=1e-9
        )


def test_what_is_not_there_is_the_mean_or_no_value():
    table = read_table(
        {
            "n": [1.0, 3.0, None],
            "o": ["S", "L", None],
            "v": ["p", None, "q"],
            "e": np.full(3, np.nan),
        },
        ordinal_features={"o": ["S", "M", "L"]},
    )
    design = Design.fit(table)
    assert design.terms == ("n", "o", "v = p", "v = q", "e")
    np.testing.assert_allclose(
        design.matrix(table), [[-1, -1, 1, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0]]
    )
    new = read_table({"n": [None], "o": ["XL"], "v": ["new"], "e": np.ones(1)}, schema=table.schema)
    np.testing.assert_array_equal(design.matrix(new), np.zeros((1, 5)))
    plain = Design.fit(table, standardize=False)
    np.testing.assert_array_equal(plain.matrix(new)[:, :2], [[2.0, 1.0]])


def test_constant_columns_are_zero_and_far_rows_stay_finite():
    table = read_table(np.array([[7.1, 1e-300], [7.1, 2e-300], [7.1, 4e-300]]))
    design = Design.fit(table)
    assert (design.matrix(table)[:, 0] == 0).all()
    far = design.matrix(read_table(np.array([[1e300, 1e300]]), schema=table.schema))
    assert np.isfinite(far).all()
    assert far[0, 0] == 0
    assert far[0, 1] > 1e50
