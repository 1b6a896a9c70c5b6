"""Diversity of the trees of an ensemble, and margins of its votes, against their slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mixedwood.data import read_table, read_target
from mixedwood.estimators._ensemble import measure_diversity, vote_margins
from mixedwood.grow import grow
from mixedwood.tree.predictor import normalize
from reference import ensembles as slow
from support.cases import cases


@given(
    arrays(np.int32, st.tuples(st.integers(1, 12), st.integers(2, 5)), elements=st.integers(0, 2))
)
@settings(max_examples=cases(60))
def test_diversity_agrees_with_its_reference(codes):
    tree = grow(read_table({"x": [1, 2, 3]}), read_target([0, 1, 2]))
    found = measure_diversity([tree] * codes.shape[1], codes, codes[:, 0])
    disagreement, kappa = slow.disagreement_and_kappa(codes)
    assert found.disagreement == pytest.approx(disagreement, abs=1e-12)
    assert found.kappa == pytest.approx(kappa, abs=1e-9)
    assert found.member_error == pytest.approx((codes != codes[:, [0]]).mean())
    assert (found.mean_leaves, found.mean_nodes, found.mean_depth) == (3, 5, 2)
    np.testing.assert_array_equal(found.pairwise_kappa, found.pairwise_kappa.T)


def test_one_tree_has_no_pairs():
    tree = grow(read_table({"x": [1, 2]}), read_target([0, 1]))
    found = measure_diversity([tree], np.zeros((4, 1), dtype=np.int32))
    assert np.isnan([found.disagreement, found.kappa]).all()
    assert found.n_members == 1
    assert found.member_error is None


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.floats(0.01, 1)
    ),
    st.data(),
)
@settings(max_examples=cases(60))
def test_margins_agree_with_their_reference(totals, data):
    shares = normalize(totals)
    right = st.integers(-1, shares.shape[1] - 1)  # -1: a class that is not in the training data
    truth = np.array([data.draw(right) for _ in shares], dtype=np.int32)
    want = [slow.margin(row, c) for row, c in zip(shares.tolist(), truth, strict=True)]
    np.testing.assert_allclose(vote_margins(shares, truth), want)
