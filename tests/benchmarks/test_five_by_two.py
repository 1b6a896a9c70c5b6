"""The 5x2cv F test of the benchmarks; they are no package, so the file is loaded by path."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

FILE = Path(__file__).parents[2] / "benchmarks" / "five_by_two.py"
SPEC = spec_from_file_location("five_by_two", FILE)
five_by_two = module_from_spec(SPEC)
SPEC.loader.exec_module(five_by_two)

NOT_SIGNIFICANT = np.array(
    [(0.030, 0.010), (0.025, -0.005), (0.040, 0.020), (0.015, 0.030), (0.020, 0.035)]
)
SIGNIFICANT = np.array([(0.06, 0.05), (0.055, 0.05), (0.07, 0.06), (0.05, 0.06), (0.06, 0.065)])


@pytest.mark.parametrize(
    ("differences", "statistic", "p"),
    [(NOT_SIGNIFICANT, 2.976744, 0.120122), (SIGNIFICANT, 97.285714, 0.0000432)],
)
def test_worked_examples(differences, statistic, p):
    found = five_by_two.combined_f_test(differences)
    assert found[0] == pytest.approx(statistic, abs=5e-7)  # half of the last digit printed
    assert found[1] == pytest.approx(p, abs=5e-7 if p > 0.001 else 5e-8)


def test_equal_errors_are_no_difference():
    assert five_by_two.combined_f_test(np.zeros((5, 2))) == (0.0, 1.0)


def test_a_constant_difference_is_significant():
    assert five_by_two.combined_f_test(np.full((5, 2), 0.25)) == (np.inf, 0.0)


@given(arrays(float, (5, 2), elements=st.integers(-100, 100).map(float)))
def test_sign_and_scale_do_not_matter(differences):
    plain = five_by_two.combined_f_test(differences)
    assert five_by_two.combined_f_test(-differences / 128) == pytest.approx(plain)


@pytest.mark.parametrize("shape", [(10,), (5, 3)])
def test_folds_in_another_shape_are_an_error(shape):
    with pytest.raises(ValueError, match="one row per repetition"):
        five_by_two.combined_f_test(np.zeros(shape))


def test_verdict_says_which_is_better():
    errors = np.full(10, 0.2)
    assert five_by_two.verdict(errors + SIGNIFICANT.ravel(), errors) == "worse"
    assert five_by_two.verdict(errors - SIGNIFICANT.ravel(), errors) == "better"
    assert five_by_two.verdict(errors + NOT_SIGNIFICANT.ravel(), errors) == "equal"
