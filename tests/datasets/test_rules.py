"""Sets defined by a rule: every case once, classes as the rule says."""

import numpy as np
import pytest

from mixedwood import datasets


def rows_of(data):
    cells = [data.X[column.name].tolist() for column in data.columns]
    return list(zip(*cells, strict=True))


@pytest.mark.parametrize(
    ("problem", "counts"),
    [(1, {"0": 216, "1": 216}), (2, {"0": 290, "1": 142}), (3, {"0": 204, "1": 228})],
)
def test_monks_has_all_cases_with_the_published_class_counts(problem, counts):
    data = datasets.load(f"monks-{problem}", frame="dict")
    assert data.class_counts == counts
    assert len(set(rows_of(data))) == data.n_samples == 432
    assert [len(column.categories) for column in data.columns] == [3, 3, 2, 3, 4, 2]
    assert data.nominal_features == ("a1", "a2", "a3", "a4", "a5", "a6")


@pytest.mark.parametrize(
    ("problem", "case", "label"),
    [
        (1, "331241", "1"),  # a1 = a2
        (1, "121211", "1"),  # a5 = 1
        (1, "121221", "0"),
        (2, "112222", "1"),  # exactly two first values
        (2, "111222", "0"),
        (3, "131131", "1"),  # a5 = 3 and a4 = 1
        (3, "131221", "0"),
        (3, "121221", "1"),  # a5 not 4 and a2 not 3
        (3, "121241", "0"),
    ],
)
def test_monks_follows_its_rule(problem, case, label):
    data = datasets.load(f"monks-{problem}", frame="dict")
    assert data.y[rows_of(data).index(tuple(case))] == label


def test_balance_scale_tips_to_the_greater_torque():
    data = datasets.load("balance-scale", frame="dict")
    assert data.class_counts == {"B": 49, "L": 288, "R": 288}
    left_weight, left, right_weight, right = np.array(rows_of(data), dtype=int).T
    torque = left_weight * left - right_weight * right
    assert np.array_equal(data.y, np.select([torque > 0, torque < 0], ["L", "R"], "B"))
    assert len(data.ordinal_features) == 4


def test_tic_tac_toe_boards_are_ends_of_games_that_x_began():
    data = datasets.load("tic-tac-toe", frame="dict")
    assert data.class_counts == {"negative": 332, "positive": 626}
    boards = np.array(rows_of(data)).reshape(-1, 3, 3)
    assert len({board.tobytes() for board in boards}) == 958

    def wins(player):
        taken = boards == player
        lines = [taken.all(axis=2), taken.all(axis=1)]
        diagonals = [np.diagonal(t, axis1=1, axis2=2).all(axis=1) for t in (taken, taken[:, ::-1])]
        return np.any(np.column_stack([*lines, *diagonals]), axis=1)

    full = ~(boards == "b").any(axis=(1, 2))
    lead = (boards == "x").sum(axis=(1, 2)) - (boards == "o").sum(axis=(1, 2))
    assert np.array_equal(data.y == "positive", wins("x"))
    assert np.all(wins("x") | wins("o") | full)
    assert not np.any(wins("x") & wins("o"))
    # The winner made the last move.
    assert np.all(np.where(wins("o"), lead == 0, lead == 1))


def test_tic_tac_toe_rows_are_in_the_order_of_the_classic_file():
    boards = ["".join(row) for row in rows_of(datasets.load("tic-tac-toe", frame="dict"))]
    assert (boards[0], boards[625]) == ("xxxxooxoo", "bbbbooxxx")
    assert (boards[626], boards[941]) == ("xxoxxoobo", "bboboxoxx")
    assert (boards[942], boards[957]) == ("xxooxxxoo", "ooxxxooxx")
