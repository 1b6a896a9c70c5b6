"""How good a fitted model is on given rows, and which columns its predictions depend on."""

from mixedwood.evaluation.importances import Importances, permutation_importances
from mixedwood.evaluation.intervals import Score
from mixedwood.evaluation.scores import (
    Calibration,
    ClassEvaluation,
    ClassScores,
    NumberEvaluation,
    evaluate,
)

__all__ = [
    "Calibration",
    "ClassEvaluation",
    "ClassScores",
    "Importances",
    "NumberEvaluation",
    "Score",
    "evaluate",
    "permutation_importances",
]
