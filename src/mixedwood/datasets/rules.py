"""Data sets that are defined by a rule: every case, generated exactly, no file needed."""

from collections.abc import Callable
from itertools import product

from mixedwood.datasets.coded import CodedTable, nominal_table

# Number of values of a1..a6 in the three Monk's problems.
_MONKS_VALUES = (3, 3, 2, 3, 4, 2)

_MONKS_RULES: dict[int, Callable[[tuple[int, ...]], bool]] = {
    1: lambda a: a[0] == a[1] or a[4] == 1,
    2: lambda a: sum(value == 1 for value in a) == 2,
    3: lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
}

_SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = (
    *((i, i + 1, i + 2) for i in (0, 3, 6)),
    *((i, i + 3, i + 6) for i in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


def monks(problem: int) -> CodedTable:
    """All 432 cases of Monk's problem 1, 2 or 3, each with its true class.

    Rows are in counting order, a6 fastest: the order of the classic test files.

    References
    ----------
    .. [1] S. Thrun et al., "The MONK's problems: a performance comparison of different learning
       algorithms", CMU-CS-91-197, 1991.
    """
    rule = _MONKS_RULES[problem]
    cases = list(product(*(range(1, n + 1) for n in _MONKS_VALUES)))
    cells = {f"a{j + 1}": [str(case[j]) for case in cases] for j in range(6)}
    return nominal_table(cells, [str(int(rule(case))) for case in cases])


def balance_scale() -> CodedTable:
    """All 625 loads of a balance: which side goes down, L, R, or B for neither.

    The side with the greater weight times distance goes down. Rows are in counting order, right
    distance fastest, as in the UCI file.
    """
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    cases = list(product(range(1, 6), repeat=4))
    cells = {name: [str(case[j]) for case in cases] for j, name in enumerate(names)}
    torques = [left * left_at - right * right_at for left, left_at, right, right_at in cases]
    target = ["B" if torque == 0 else "L" if torque > 0 else "R" for torque in torques]
    return nominal_table(cells, target, kind="ordinal", order=["1", "2", "3", "4", "5"])


def tic_tac_toe() -> CodedTable:
    """All 958 boards at the end of a game that x began; positive when x has won.

    Row order of the UCI file: boards won by x, then by o, then draws; within each, squares read
    from the top left and compared with x before o before b (blank).
    """
    boards = sorted(_end_boards(), key=lambda board: (_outcome(board), _reading_order(board)))
    cells = {name: [board[j] for board in boards] for j, name in enumerate(_SQUARES)}
    target = ["positive" if _wins(board, "x") else "negative" for board in boards]
    return nominal_table(cells, target)


def _wins(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in _LINES)


def _outcome(board: str) -> int:
    return 0 if _wins(board, "x") else 1 if _wins(board, "o") else 2


def _reading_order(board: str) -> tuple[int, ...]:
    return tuple("xob".index(square) for square in board)


def _end_boards() -> set[str]:
    """Play every game to its end; different games may end in the same board."""
    ends: set[str] = set()
    seen: set[str] = set()
    # Whose turn it is follows from the board, so a board needs visiting once only.
    open_boards = ["b" * 9]
    while open_boards:
        board = open_boards.pop()
        if _wins(board, "x") or _wins(board, "o") or "b" not in board:
            ends.add(board)
            continue
        player = "x" if board.count("x") == board.count("o") else "o"
        for i, square in enumerate(board):
            after = board[:i] + player + board[i + 1 :]
            if square == "b" and after not in seen:
                seen.add(after)
                open_boards.append(after)
    return ends
