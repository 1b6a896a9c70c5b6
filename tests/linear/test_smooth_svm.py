"""Newton's method for the smooth support vector machine: worked numbers, laws, other solvers."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from mixedwood import _core
from reference import smooth_svm as slow

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "smooth_svm.json").read_text("utf-8"))
X = np.array(GOLDEN["X"])
Y = np.array(GOLDEN["y"]).astype(np.int8)


def fit(x, y, c=1.0, alpha=None, *, weights=None, tol=1e-8, max_iter=100, start=None):
    return _core.fit_smooth_svm(
        np.ascontiguousarray(x), y, weights, c, alpha or 0.0, tol, max_iter, start, 1e9
    )


def derivatives(x, y, z, c=1.0, alpha=None, weights=None):
    found = _core.svm_derivatives(np.ascontiguousarray(x), y, weights, c, alpha or 0.0, z)
    return found["objective"], found["gradient"], found["hessian"].reshape(len(z), len(z))


def random_problem(n, d, seed, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    y = np.where(x @ rng.normal(size=d) + noise * rng.normal(size=n) > 0, 1, -1)
    return x, y.astype(np.int8)


# Worked numbers


@pytest.mark.parametrize("want", GOLDEN["fits"], ids=lambda f: f"C={f['C']},alpha={f['alpha']}")
def test_worked_fits(want):
    found = fit(X, Y, want["C"], want["alpha"])
    assert found["converged"]
    np.testing.assert_allclose(found["z"], [*want["w"], want["b"]], atol=6e-9)
    assert found["objective"] == pytest.approx(want["objective"], abs=6e-9)
    assert found["iterations"] == want["iterations"]
    assert found["steps"].tolist() == want["steps"]
    decisions = _core.svm_decisions(X, found["z"])
    np.testing.assert_allclose(decisions, want["decision"], atol=6e-7)
    assert np.sum((decisions > 0) != (Y > 0)) == want["train_errors"]


@pytest.mark.parametrize("want", GOLDEN["derivatives"], ids=["zero", "elsewhere"])
def test_worked_derivatives(want):
    z = np.array([*want["w"], want["b"]], float)
    objective, gradient, hessian = derivatives(X, Y, z, want["C"], want["alpha"])
    assert objective == pytest.approx(want["objective"], abs=6e-11)
    np.testing.assert_allclose(gradient, want["gradient_w1_w2_b"], atol=6e-9)
    np.testing.assert_allclose(hessian, want["hessian"], atol=6e-7)


def p(x, alpha):
    """The core's p: a single row of no columns has the objective p(1 - b)^2 / 2 + b^2 / 2."""
    b = 1.0 - x
    objective, _, _ = derivatives(np.empty((1, 0)), np.ones(1, np.int8), np.array([b]), 1.0, alpha)
    return np.sqrt(max(2 * objective - b * b, 0.0))


@pytest.mark.parametrize(("x", "want"), [(float(x), v) for x, v in GOLDEN["p_alpha_5"].items()])
def test_worked_values_of_p(x, want):
    assert slow.p(x, 5.0) == pytest.approx(want, abs=6e-9)
    assert p(x, 5.0) == pytest.approx(want, abs=1e-7)


# Laws


@given(st.floats(-50, 50), st.floats(0.1, 100))
def test_p_is_a_little_above_the_plus_function(x, alpha):
    """0 <= p(x)^2 - max(x, 0)^2 <= (ln 2 / alpha)^2 + 2 rho / alpha ln 2 for |x| <= rho."""
    gap = slow.p(x, alpha) ** 2 - max(x, 0.0) ** 2
    bound = (np.log(2) / alpha) ** 2 + 2 * abs(x) / alpha * np.log(2)
    assert 0.0 <= gap <= bound * (1 + 1e-12) + 1e-12 * x * x
    core = p(x, alpha) ** 2 - max(x, 0.0) ** 2
    assert core == pytest.approx(gap, abs=1e-11 * (1 + x * x))


@st.composite
def problems(draw):
    """Rows, signs, weights, a point, C and alpha."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(0, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    x = rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 5.0]))
    y = rng.choice(np.array([-1, 1], np.int8), n)
    weights = draw(st.sampled_from([None, rng.exponential(size=n), rng.integers(0, 3, n) * 1.0]))
    c = draw(st.floats(1e-3, 1e3))
    alpha = draw(st.sampled_from([None, 0.5, 5.0, 30.0]))
    return x, y, weights, rng.normal(size=d + 1), c, alpha


@given(problems())
def test_derivatives_are_those_of_the_formulas(problem):
    x, y, weights, z, c, alpha = problem
    want = slow.derivatives(x, y, z, c, alpha, weights)
    for found, exact in zip(derivatives(x, y, z, c, alpha, weights), want, strict=True):
        np.testing.assert_allclose(found, exact, rtol=1e-10, atol=1e-12 * (1 + c))


@given(problems())
def test_derivatives_are_those_of_finite_differences(problem):
    x, y, weights, z, c, alpha = problem
    r = 1 - y * (x @ z[:-1] + z[-1])
    if alpha is None:
        assume(np.abs(r).min() > 1e-3)  # at the corner there is no second derivative
    scale = 1.0 + c
    step = 1e-5
    _, gradient, hessian = derivatives(x, y, z, c, alpha, weights)
    for j in range(len(z)):
        move = np.zeros(len(z))
        move[j] = step
        above = derivatives(x, y, z + move, c, alpha, weights)
        below = derivatives(x, y, z - move, c, alpha, weights)
        size = scale * (1 + np.abs(x).max(initial=0)) ** 3 * len(y)
        np.testing.assert_allclose(
            (above[0] - below[0]) / (2 * step), gradient[j], rtol=1e-5, atol=1e-7 * size
        )
        np.testing.assert_allclose(
            (above[1] - below[1]) / (2 * step), hessian[j], rtol=1e-4, atol=1e-6 * size
        )


@given(problems())
def test_the_fit_is_the_one_of_the_reference(problem):
    x, y, weights, _, c, alpha = problem
    found = fit(x, y, c, alpha, weights=weights)
    z, objective, steps = slow.fit(x, y, c, alpha, weights)
    assert found["converged"]
    assert found["objective"] == pytest.approx(objective, rel=1e-10)
    np.testing.assert_allclose(found["z"], z, atol=1e-7 * (1 + np.abs(z).max()))
    together = min(found["iterations"], len(steps)) - 1  # rounding may decide about the end
    assert found["steps"][: max(together, 0)].tolist() == steps[: max(together, 0)]


def test_convergence_is_quadratic():
    """In the smooth form a gradient is at most a constant times the square of the one before."""
    for seed in range(5):
        x, y = random_problem(400, 8, seed)
        norms = []
        for steps in range(30):
            found = fit(x, y, 1.0, 5.0, tol=1e-14, max_iter=steps, start=np.zeros(9))
            if found["iterations"] < steps:
                break
            norms.append(found["gradient_norm"])
        norms = np.array(norms)
        late = np.flatnonzero((norms[:-1] < 1.0) & (norms[1:] > 1e-12))
        assert len(late) >= 1
        assert (norms[late + 1] < 0.5 * norms[late] ** 2).all(), norms
        assert norms.min() < 1e-11
        assert len(norms) < 12


@pytest.mark.parametrize("c", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_limit_form_is_squared_hinge_of_scikit_learn(c, seed):
    x, y = random_problem(300, 6, seed)
    found = fit(x, y, c)
    rival = LinearSVC(
        C=c / 2, loss="squared_hinge", fit_intercept=True, intercept_scaling=1, dual=False,
        tol=1e-12, max_iter=100_000,
    ).fit(x, y)  # fmt: skip
    np.testing.assert_allclose(found["z"][:-1], rival.coef_[0], atol=1e-6)
    np.testing.assert_allclose(found["z"][-1], rival.intercept_[0], atol=1e-6)
    z = np.append(rival.coef_[0], rival.intercept_)
    assert found["objective"] <= slow.derivatives(x, y, z, c, None)[0] * (1 + 1e-12)


def test_the_smooth_form_approaches_the_limit():
    x, y = random_problem(200, 4, 1)
    limit = fit(x, y)["z"]
    gaps = [np.abs(fit(x, y, alpha=a)["z"] - limit).max() for a in (1.0, 5.0, 25.0, 125.0, 625.0)]
    assert (np.diff(gaps) < 0).all()
    assert gaps[-1] < 1e-5


@given(problems())
def test_a_weight_of_two_is_a_row_twice(problem):
    x, y, _, _, c, alpha = problem
    times = np.arange(len(y)) % 3
    once = fit(x, y, c, alpha, weights=times.astype(float))
    rows = np.repeat(np.arange(len(y)), times)
    twice = fit(x[rows], y[rows], c, alpha)
    np.testing.assert_allclose(once["z"], twice["z"], atol=1e-7 * (1 + np.abs(once["z"]).max()))


def test_any_start_leads_to_the_same_end():
    x, y = random_problem(300, 5, 3)
    rng = np.random.default_rng(0)
    for alpha in (None, 5.0):
        want = fit(x, y, 10.0, alpha)
        for _ in range(10):
            found = fit(x, y, 10.0, alpha, start=rng.normal(size=6) * 100)
            assert found["converged"]
            np.testing.assert_allclose(found["z"], want["z"], atol=1e-8)


def test_many_rows_start_from_a_sample_and_end_the_same():
    x, y = random_problem(30_000, 6, 4)
    sampled, plain = fit(x, y), fit(x, y, start=np.zeros(7))
    assert sampled["converged"]
    assert sampled["iterations"] < plain["iterations"]
    np.testing.assert_allclose(sampled["z"], plain["z"], atol=1e-10)
    order = np.argsort(y, kind="stable")  # sorted by class: the sample sees both
    np.testing.assert_allclose(fit(x[order], y[order])["z"], plain["z"], atol=1e-10)


def test_separable_rows_and_a_huge_c():
    x, y = random_problem(200, 3, 5, noise=0.0)
    for c in (1e6, 1e10, 1e14):
        found = fit(x, y, c)
        assert found["converged"]
        assert ((_core.svm_decisions(x, found["z"]) > 0) == (y > 0)).all()


def test_too_few_steps_are_said():
    x, y = random_problem(300, 5, 6)
    found = fit(x, y, max_iter=2)
    assert not found["converged"]
    assert found["iterations"] == 2
