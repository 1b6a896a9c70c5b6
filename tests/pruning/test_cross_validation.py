import numpy as np
import pytest

from mixedwood.data import Column, Schema, Table, Target, read_target
from mixedwood.pruning import (
    cost_complexity_path,
    cross_validated_alpha,
    path_errors,
    stratified_folds,
)
from mixedwood.tree import TreeBuilder
from reference import pruning as twin
from reference.grower import grow

XY = Schema((Column("x", "numeric"), Column("y", "numeric")))


def noisy(rng, n_rows, n_classes=3, weights=None):
    x, y = rng.integers(0, 12, (2, n_rows)).astype(float)
    codes = ((x > 5).astype(int) + (y > 7)) % n_classes
    codes = np.where(rng.random(n_rows) < 0.25, rng.integers(0, n_classes, n_rows), codes)
    return Table(XY, (x, y)), Target(np.arange(n_classes), codes.astype(np.int32), weights)


@pytest.mark.parametrize("cost", ["error", "impurity"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_choice_agrees_with_its_reference(cost, weighted):
    rng = np.random.default_rng(1)
    sizes = set()
    for se_rule in (0.0, 0.5, 1.0, 20.0):
        weights = rng.integers(0, 4, 50) / 2 if weighted else None
        table, target = noisy(rng, 50, weights=weights)
        found = cross_validated_alpha(
            grow, table, target, cv=5, se_rule=se_rule, risk=cost, random_state=3
        )
        folds = stratified_folds(target, 5, 3)
        errors, best, chosen = twin.cross_validated(grow, table, target, folds, se_rule, cost)
        np.testing.assert_allclose(found.errors, errors, atol=1e-12)
        assert (found.best, found.chosen) == (best, chosen)
        assert found.ccp_alpha == found.path.ccp_alphas[chosen]
        assert found.tree() == found.path.tree(found.ccp_alpha)
        assert found.tree().n_leaves == found.path.n_leaves[chosen]
        sizes.add(found.tree().n_leaves)
        given = cross_validated_alpha(
            grow, table, target, se_rule=se_rule, risk=cost, folds=folds + 7
        )
        np.testing.assert_array_equal(given.errors, found.errors)
        assert given.chosen == chosen
    assert len(sizes) > 1


def test_more_standard_errors_never_choose_a_larger_tree():
    rng = np.random.default_rng(2)
    table, target = noisy(rng, 80)
    found = [
        cross_validated_alpha(grow, table, target, se_rule=s, random_state=0) for s in (0, 1, 2)
    ]
    assert found[0].chosen == found[0].best
    assert found[0].chosen <= found[1].chosen <= found[2].chosen
    error = found[0].errors[found[0].best]
    expected = np.sqrt(error * (1 - error) / 80)
    assert found[0].standard_errors[found[0].best] == pytest.approx(expected)


def test_of_equal_errors_the_smaller_tree_is_best():
    """Every fold's tree is the root, so that all candidates have the same error."""
    table, target = noisy(np.random.default_rng(3), 60)
    full = grow(table, target)

    def once(part, part_target):
        if part.n_rows == table.n_rows:
            return full
        counts = np.bincount(part_target.codes, minlength=3)
        return TreeBuilder(part.schema, part_target.classes, counts).build()

    found = cross_validated_alpha(once, table, target, se_rule=0, random_state=0)
    assert len(found.path.ccp_alphas) > 2
    assert np.ptp(found.errors) == 0
    assert found.best == found.chosen == len(found.path.ccp_alphas) - 1
    assert found.tree().n_leaves == 1


def test_repetitions_are_averaged():
    table, target = noisy(np.random.default_rng(4), 50)
    rng = np.random.default_rng(9)
    singles = [
        cross_validated_alpha(grow, table, target, cv=4, folds=stratified_folds(target, 4, rng))
        for _ in range(3)
    ]
    found = cross_validated_alpha(grow, table, target, cv=4, n_repeats=3, random_state=9)
    np.testing.assert_allclose(found.errors, np.mean([s.errors for s in singles], axis=0))
    assert len({tuple(s.errors) for s in singles}) > 1


def test_a_seed_gives_the_same_choice():
    table, target = noisy(np.random.default_rng(5), 50)
    a, b = (cross_validated_alpha(grow, table, target, random_state=1) for _ in range(2))
    np.testing.assert_array_equal(a.errors, b.errors)


def test_the_scale_of_weights_does_not_matter_and_rows_without_weight_do_not_count():
    rng = np.random.default_rng(6)
    table, target = noisy(rng, 40)
    padded = table.take(np.r_[np.arange(40), np.arange(40)])
    codes = np.r_[target.codes, rng.integers(0, 3, 40).astype(np.int32)]
    weights = np.r_[np.full(40, 8.0), np.zeros(40)]
    folds = stratified_folds(target, 4, 0)
    plain = cross_validated_alpha(grow, table, target, folds=folds)
    heavy = cross_validated_alpha(
        grow, padded, Target(target.classes, codes, weights), folds=np.r_[folds, folds]
    )
    np.testing.assert_allclose(heavy.errors, plain.errors, atol=1e-12)
    np.testing.assert_allclose(heavy.standard_errors, plain.standard_errors, atol=1e-12)
    assert heavy.chosen == plain.chosen


@pytest.mark.parametrize("labels", [["a"], ["a", "a", "a"]])
def test_with_one_row_or_one_class_nothing_is_left_out(labels):
    table = Table(XY, (np.arange(float(len(labels))),) * 2)
    found = cross_validated_alpha(grow, table, read_target(labels))
    assert np.isnan(found.errors).all()
    assert found.ccp_alpha == 0.0
    assert found.tree() == grow(table, read_target(labels))


def test_one_class_with_weight_is_one_class():
    target = Target(np.array(["a", "b"]), np.array([0, 0, 1], np.int32), np.array([1.0, 1.0, 0.0]))
    table = Table(XY, (np.arange(3.0),) * 2)
    assert np.isnan(cross_validated_alpha(grow, table, target).errors).all()


def test_there_are_never_more_folds_than_rows():
    table = Table(XY, (np.arange(3.0),) * 2)
    found = cross_validated_alpha(grow, table, read_target(["a", "b", "b"]), random_state=0)
    assert found.errors[-1] == 1.0  # without one b, a root of one a and one b says a
    two = cross_validated_alpha(grow, table.take([0, 1]), read_target(["a", "b"]), random_state=0)
    assert two.errors.tolist() == [1.0] * len(two.errors)
    assert two.tree().n_leaves == 1


def test_folds_are_even_in_size_and_in_every_class():
    rng = np.random.default_rng(7)
    for _ in range(30):
        n_rows, n_folds = int(rng.integers(1, 60)), int(rng.integers(2, 12))
        codes = rng.choice(4, n_rows, p=[0.6, 0.3, 0.08, 0.02]).astype(np.int32)
        target = Target(np.arange(4), codes)
        folds = stratified_folds(target, n_folds, rng)
        used = min(n_folds, n_rows)
        assert folds.min() >= 0 and folds.max() < used
        assert np.ptp(np.bincount(folds, minlength=used)) <= 1
        for code in range(4):
            assert np.ptp(np.bincount(folds[codes == code], minlength=used)) <= 1
    assert len({tuple(stratified_folds(target, 3, s)) for s in range(5)}) > 1
    np.testing.assert_array_equal(stratified_folds(target, 3, 1), stratified_folds(target, 3, 1))


def test_copies_in_the_same_fold_do_not_leak():
    """Rows drawn with replacement, of pure noise: folds of copies see through it."""
    rng = np.random.default_rng(8)
    table = Table(XY, tuple(rng.normal(size=(2, 60))))
    target = Target(np.arange(2), rng.integers(0, 2, 60).astype(np.int32))
    rows = rng.integers(0, 60, 60)
    folds = stratified_folds(target, 10, 0)[rows]
    sample, labels = table.take(rows), target.take(rows)
    together = cross_validated_alpha(grow, sample, labels, folds=folds)
    apart = cross_validated_alpha(grow, sample, labels, random_state=0)
    assert together.errors[0] > apart.errors[0] + 0.1


def test_bad_arguments_are_refused():
    table, target = noisy(np.random.default_rng(0), 20)

    def refused(match, **arguments):
        with pytest.raises(ValueError, match=match):
            cross_validated_alpha(grow, table, target, **arguments)

    refused("cv must be at least 2", cv=1)
    refused("n_repeats must be at least 1", n_repeats=0)
    refused(r"in the range \[0, inf\)", se_rule=-1)
    refused(r"in the range \[0, inf\)", se_rule=np.nan)
    refused("'error' or 'impurity'", risk="gini")
    refused("one per row", folds=[0, 1])
    refused("one per row", folds=np.zeros(20))
    refused("at least two folds", folds=np.zeros(20, int))
    refused("n_repeats must be 1", folds=np.arange(20), n_repeats=2)
    with pytest.raises(ValueError, match="n_folds must be at least 2"):
        stratified_folds(target, 1)
    with pytest.raises(ValueError, match="same number of rows"):
        cross_validated_alpha(grow, table.take([0]), target)

    def other_classes(part, _):
        return TreeBuilder(part.schema, ["a", "b"], [1, 1]).build()

    with pytest.raises(ValueError, match=r"target\.classes"):
        cross_validated_alpha(other_classes, table, target)


def test_the_pooled_error_of_the_largest_tree_is_that_of_leaving_out_by_hand():
    table, target = noisy(np.random.default_rng(11), 30)
    folds = stratified_folds(target, 3, 0)
    wrong = 0.0
    for fold in range(3):
        path = cost_complexity_path(grow(table.take(folds != fold), target.take(folds != fold)))
        wrong += path_errors(path, table.take(folds == fold), target.take(folds == fold), [0.0])[0]
    assert cross_validated_alpha(grow, table, target, folds=folds).errors[0] * 30 == wrong


@pytest.mark.parametrize("seed", range(5))
def test_copies_of_a_row_share_a_fold(seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, 90)
    rows = rng.integers(0, 90, 120)
    target = read_target(classes).take(rows)
    folds = stratified_folds(target, 5, random_state=seed, copies_of=rows)
    for row in np.unique(rows):
        assert len(set(folds[rows == row])) == 1
    distinct = np.unique(rows, return_index=True)[1]
    sizes = np.bincount(folds[distinct], minlength=5)
    assert np.ptp(sizes) <= 1
    for code in range(3):
        of_class = folds[distinct][target.codes[distinct] == code]
        assert np.ptp(np.bincount(of_class, minlength=5)) <= 1
    # Rows that are their own originals are divided as ever.
    everyone = read_target(classes)
    np.testing.assert_array_equal(
        stratified_folds(everyone, 5, random_state=seed, copies_of=np.arange(90)),
        stratified_folds(everyone, 5, random_state=seed),
    )
