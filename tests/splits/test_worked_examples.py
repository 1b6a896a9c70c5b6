"""Every worked number of the two reference tables, to the digits given there."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import mixedwood as mw
from mixedwood._core import log_chi2_tail
from mixedwood.splits import Partitioner, best_partition, score_partition
from reference import splits as twin

EXAMPLES = json.loads(
    (Path(__file__).parents[1] / "golden" / "categorical_splits.json").read_text()
)
CRITERIA = {
    "gini": "gini_gain",
    "entropy": "info_gain",
    "twoing": "twoing",
    "squared_gini": "squared_gini_cut",
    "chi2": "chi2_cut",
}
DIGITS = 6e-9  # eight decimals were given

each_table = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
each_impurity = pytest.mark.parametrize("impurity", ["gini", "entropy"])


def rest(example, left):
    return [i for i in range(len(example["table"])) if i not in left]


@each_table
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_partition_has_its_score(example, criterion):
    for row in example["all_partitions"]:
        found = score_partition(
            example["table"], [row["left"], rest(example, row["left"])], criterion
        )
        assert found.score == pytest.approx(row[CRITERIA[criterion]], abs=DIGITS)
        if criterion in ("gini", "entropy"):
            assert found.impurity == pytest.approx(row[f"{criterion}_children"], abs=DIGITS)


@each_table
@pytest.mark.parametrize("criterion", CRITERIA)
def test_exact_search_finds_the_best(example, criterion):
    expected = example["exact"][CRITERIA[criterion]]
    found = best_partition(example["table"], criterion, "exact")
    assert list(found.left) == expected["left"]
    assert found.score == pytest.approx(expected["value"], abs=DIGITS)
    assert found.exact
    assert found.bound == found.score


@each_table
def test_node_impurities(example):
    groups = [range(len(example["table"]))]
    assert score_partition(example["table"], groups, "gini").impurity_before == pytest.approx(
        example["gini"], abs=DIGITS
    )
    assert score_partition(example["table"], groups, "entropy").impurity_before == pytest.approx(
        example["entropy_bits"], abs=DIGITS
    )


@each_table
def test_twoing_search_and_its_superclass(example):
    expected = example["Twoing"]
    found = best_partition(example["table"], "twoing", "twoing")
    assert list(found.left) == expected["left"]
    assert list(found.superclass) == expected["left_superclass"]
    assert found.score == pytest.approx(expected["twoing_value"], abs=DIGITS)
    assert 2 * found.score == pytest.approx(expected["two_class_gini_gain"], abs=2 * DIGITS)
    assert found.exact


@each_table
@each_impurity
def test_hypercube_cover(example, impurity):
    expected = example[f"HypercubeCover_{impurity}"]
    found = best_partition(example["table"], impurity, "hypercube_cover")
    assert list(found.left) == expected["left"]
    assert list(found.superclass) == expected["superclass"]
    assert found.impurity == pytest.approx(expected["children_impurity"], abs=DIGITS)


@each_table
@each_impurity
@pytest.mark.parametrize(
    ("name", "key"), [("largest_alone", "LargestAlone"), ("list_scheduling", "ListScheduling")]
)
def test_one_superclass(example, impurity, name, key):
    expected = example[f"{key}_{impurity}"]
    by_classes = best_partition(example["table"], impurity, name)
    assert list(by_classes.left) == expected["kclass_cut"]["left"]
    assert by_classes.impurity == pytest.approx(
        expected["kclass_cut"]["children_impurity"], abs=DIGITS
    )
    superclass = [expected["alone_class"]] if key == "LargestAlone" else expected["groups"][0]
    assert list(by_classes.superclass) == superclass
    by_superclasses = best_partition(
        example["table"], impurity, Partitioner(name, scored_by="superclasses")
    )
    assert list(by_superclasses.left) == expected["superclass_cut"]["left"]
    assert by_superclasses.impurity == pytest.approx(
        expected["superclass_cut"]["kclass_impurity"], abs=DIGITS
    )
    # The twins' orders are the reference's.
    order = twin.share_order(np.array(example["table"], float), list(by_classes.superclass))
    assert order.tolist() == expected["order"]


@each_table
@each_impurity
def test_principal_component(example, impurity):
    expected = example[f"PCext_{impurity}"]
    found = best_partition(example["table"], impurity, "principal_ext")
    assert list(found.left) == expected["best"]["left"]
    assert found.impurity == pytest.approx(expected["best"]["children_impurity"], abs=DIGITS)
    cuts = [e["impurity"] for e in expected["evaluated"] if e["kind"] == "cut"]
    plain = best_partition(example["table"], impurity, "principal")
    assert plain.impurity == pytest.approx(min(cuts), abs=6e-7)
    by_counts = best_partition(
        example["table"], impurity, Partitioner("principal_ext", scores="counts")
    )
    assert list(by_counts.left) == expected["count_score_variant"]["left"]
    # Axis, eigenvalues, scores and every evaluated partition, by the twin.
    A = np.array(example["table"], float)
    values, axis = twin.principal_axis(A)
    np.testing.assert_allclose(axis, expected["pc"], atol=DIGITS)
    np.testing.assert_allclose(values, expected["eigenvalues"], atol=DIGITS)
    np.testing.assert_allclose(A / A.sum(1, keepdims=True) @ axis, expected["scores"], atol=DIGITS)
    for e in expected["evaluated"]:
        groups = [e["left"], rest(example, e["left"])]
        scored = score_partition(example["table"], groups, impurity)
        assert scored.impurity == pytest.approx(e["impurity"], abs=6e-7)


@each_table
@each_impurity
def test_sliq_and_its_extension(example, impurity):
    expected = example[f"SLIQext_{impurity}"]
    extended = best_partition(example["table"], impurity, "sliq_ext")
    assert list(extended.left) == expected["left"]
    assert extended.impurity == pytest.approx(expected["children_impurity"], abs=DIGITS)
    plain = best_partition(example["table"], impurity, "sliq")
    assert list(plain.left) == expected["plain_sliq"]["left"]
    assert plain.impurity == pytest.approx(expected["plain_sliq"]["children_impurity"], abs=DIGITS)
    A = np.array(example["table"], float)
    for go_on, record in [(True, expected), (False, expected["plain_sliq"])]:
        _, moves = twin.sliq(A, impurity, go_on)
        assert [v for v, _ in moves] == [v for v, _ in record["moves"]]
        np.testing.assert_allclose(
            [i for _, i in moves], [i for _, i in record["moves"]], atol=6e-7
        )


@each_table
@each_impurity
def test_flip_flop_from_the_first_value(example, impurity):
    expected = example[f"FlipFlop_{impurity}_init_value0_alone"]
    found = best_partition(
        example["table"], impurity, Partitioner("flip_flop", start="first_value")
    )
    assert list(found.left) == expected["left"]
    assert found.impurity == pytest.approx(expected["children_impurity"], abs=DIGITS)
    start = np.arange(len(example["table"])) == 0
    history = twin.flip_flop(np.array(example["table"], float), getattr(twin, impurity), start)
    assert len(history) == len(expected["history"])
    for (superclass, left, value), recorded in zip(history, expected["history"], strict=True):
        assert superclass == recorded[0]
        side = left if left[0] else ~left
        assert np.flatnonzero(side).tolist() == recorded[1]
        assert value == pytest.approx(recorded[2], abs=6e-7)


@each_table
@pytest.mark.parametrize(("criterion", "key"), [("squared_gini", "GLSG"), ("chi2", "GLchi2")])
def test_greedy_cut_and_local_search(example, criterion, key):
    expected = example[key]
    greedy = best_partition(example["table"], criterion, Partitioner("max_cut", local_search=False))
    assert list(greedy.left) == expected["greedy_left"]
    assert greedy.score == pytest.approx(expected["greedy_cut"], abs=DIGITS)
    final = best_partition(example["table"], criterion, "max_cut")
    assert list(final.left) == expected["final_left"]
    assert final.score == pytest.approx(expected["final_cut"], abs=DIGITS)
    _, steps = twin.max_cut(twin.weight_matrix(np.array(example["table"], float), criterion))
    assert [s[:-1] for s in steps] == [s[:-1] for s in expected["moves"]]
    np.testing.assert_allclose(
        [s[-1] for s in steps], [s[-1] for s in expected["moves"]], atol=6e-7
    )


@each_table
def test_edge_weights(example):
    """A pair alone on the two sides of a two-row table has its edge's weight."""
    A = np.array(example["table"], float)
    n, total = len(A), A.sum()
    normalised = np.array(example["weights_squared_gini_normalised"])
    chi2 = np.array(example["weights_chi2_div_n_minus_1"])
    for i in range(n):
        for j in range(i):
            pair = A[[i, j]]
            cut = score_partition(pair, [[0], [1]], "squared_gini").score
            assert cut * (pair.sum() / total) ** 2 == pytest.approx(normalised[i, j], abs=DIGITS)
            w = score_partition(pair, [[0], [1]], "chi2").score / (n - 1)
            assert w == pytest.approx(chi2[i, j], abs=DIGITS)
    twins = twin.weight_matrix(A, "squared_gini")
    np.testing.assert_allclose(twins, normalised, atol=DIGITS)
    unnormalised = np.array(example["weights_squared_gini_unnormalised"])
    np.testing.assert_allclose(twins * total**2 / 2, unnormalised, atol=1e-9)
    wrong = np.array(example["weights_chi2_if_global_p_were_used"])
    assert not np.allclose(chi2, wrong / (n - 1), atol=1e-3)


@each_table
def test_significance(example):
    pearson = mw.splits.chi2_test(example["table"])
    assert pearson.statistic == pytest.approx(example["chi2_test"]["statistic"], abs=DIGITS)
    assert pearson.degrees_of_freedom == example["chi2_test"]["df"]
    assert pearson.p_value == pytest.approx(example["chi2_test"]["p"], abs=DIGITS)
    conditional = mw.splits.conditional_inference_test(example["table"])
    assert conditional.statistic == pytest.approx(example["cquad"]["statistic"], abs=DIGITS)
    assert conditional.degrees_of_freedom == example["cquad"]["rank"]
    assert conditional.p_value == pytest.approx(example["cquad"]["p"], abs=DIGITS)
    A = np.array(example["table"], float)
    mu, sigma = twin.c_quad_parts(A)
    np.testing.assert_allclose(mu, example["cquad"]["mu_column_major"], atol=DIGITS)
    np.testing.assert_allclose(np.diagonal(sigma), example["cquad"]["sigma_diag"], atol=DIGITS)
    assert sigma[0, 1] == pytest.approx(example["cquad"]["sigma_0_1"], abs=DIGITS)
    assert sigma[0, len(A)] == pytest.approx(example["cquad"]["sigma_0_n"], abs=DIGITS)
    by_definition, rank = twin.c_quad(A)
    assert by_definition == pytest.approx(example["cquad"]["statistic"], abs=1e-7)
    assert rank == example["cquad"]["rank"]


@pytest.mark.parametrize(
    ("statistic", "df", "log10_p"),
    [
        (189.1, 9, -35.19717),
        (511.6, 105, -54.03615),
        (1107.2, 284, -96.78580),
        (3147.4, 16, -664.77127),
        (13855.9, 8, -2998.02661),
        (14752.8, 32, -3157.62777),
    ],
)
def test_log_p_values_far_below_underflow(statistic, df, log10_p):
    log_p = log_chi2_tail(statistic, df)
    assert log_p / math.log(10) == pytest.approx(log10_p, abs=6e-6)


X = [1, 1, 2, 3, 3, 4, 5, 5, 6, 7]
Y = [0, 0, 1, 0, 1, 1, 2, 2, 1, 2]
THRESHOLDS = {
    1.5: (0.185000, 0.446439, 0.122500, 0.28, 5.833333),
    2.5: (0.098095, 0.281291, 0.057619, 0.32, 3.253968),
    3.5: (0.180000, 0.600000, 0.090000, 0.42, 6.000000),
    4.5: (0.210000, 0.646439, 0.135000, 0.42, 6.875000),
    5.5: (0.035000, 0.121928, 0.022500, 0.22, 1.145833),
    6.5: (0.082222, 0.193507, 0.054444, 0.14, 2.592593),
}


@pytest.mark.parametrize("column", range(5), ids=CRITERIA)
def test_thresholds_of_a_numeric_column(column):
    criterion = list(CRITERIA)[column]
    # Each threshold alone: the column reduced to its two sides.
    for t, row in THRESHOLDS.items():
        sides = [float(x > t) for x in X]
        found = mw.splits.best_threshold(sides, Y, criterion)
        assert found.value == 0.5
        assert found.score == pytest.approx(row[column], abs=6e-7)
    best = mw.splits.best_threshold(X, Y, criterion)
    # Squared Gini ties between 3.5 and 4.5: the first wins.
    assert best.value == (3.5 if criterion == "squared_gini" else 4.5)
    assert best.score == pytest.approx(THRESHOLDS[best.value][column], abs=6e-7)
