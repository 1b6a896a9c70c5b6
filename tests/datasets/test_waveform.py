"""Breiman's waveform generator against its definition."""

import numpy as np
import pytest

from mixedwood.datasets import load, make_waveform

# h1, h2, h3 written out, independently of the formula in the code.
H1 = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
H2 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0]
H3 = [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0]
MIXES = {"1": (H1, H2), "2": (H1, H3), "3": (H2, H3)}


def matrix(data):
    return np.column_stack([data.X[name] for name in data.numeric_features])


@pytest.mark.parametrize("label", ["1", "2", "3"])
def test_means_and_variances_of_a_class_are_those_of_the_theory(label):
    data = make_waveform(30_000, random_state=1, frame="dict")
    rows = matrix(data)[data.y == label]
    first, second = np.array(MIXES[label], dtype=float)
    # u is uniform: mean 1/2, variance 1/12; the noise adds 1.
    variance = (first - second) ** 2 / 12 + 1
    error = np.sqrt(variance / len(rows))
    assert np.all(np.abs(rows.mean(axis=0) - (first + second) / 2) < 5 * error)
    assert np.allclose(rows.var(axis=0), variance, rtol=0.08)


def test_classes_are_equally_likely():
    counts = make_waveform(30_000, random_state=2, frame="dict").class_counts
    assert all(abs(count - 10_000) < 5 * np.sqrt(30_000 * 2 / 9) for count in counts.values())


def test_noise_columns_leave_the_curves_as_they_are():
    plain = make_waveform(100, random_state=3, frame="dict")
    noisy = make_waveform(100, n_noise_features=19, random_state=3, frame="dict")
    assert (plain.n_features, noisy.n_features) == (21, 40)
    assert np.array_equal(matrix(plain), matrix(noisy)[:, :21])
    assert np.array_equal(plain.y, noisy.y)


def test_noise_columns_are_standard_normal():
    noise = matrix(make_waveform(20_000, n_noise_features=19, random_state=4, frame="dict"))[:, 21:]
    assert np.all(np.abs(noise.mean(axis=0)) < 5 / np.sqrt(20_000))
    assert np.allclose(noise.std(axis=0), 1, atol=0.03)


def test_the_same_seed_gives_the_same_data_and_another_seed_other_data():
    first, again, other = (
        matrix(make_waveform(50, random_state=s, frame="dict")) for s in (7, 7, 8)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_generator_goes_on_where_it_was():
    rng = np.random.default_rng(0)
    first = make_waveform(10, random_state=rng, frame="dict")
    second = make_waveform(10, random_state=rng, frame="dict")
    assert not np.array_equal(matrix(first), matrix(second))


def test_the_named_set_is_one_fixed_table():
    named = load("waveform-noise", frame="dict")
    made = make_waveform(5000, n_noise_features=19, random_state=0, frame="dict")
    assert np.array_equal(matrix(named), matrix(made))
    assert np.array_equal(load("waveform", frame="dict").y, made.y)


@pytest.mark.parametrize("wrong", [{"n_samples": 0}, {"n_noise_features": -1}])
def test_impossible_sizes_are_refused(wrong):
    with pytest.raises(ValueError, match="make_waveform needs"):
        make_waveform(**wrong)
