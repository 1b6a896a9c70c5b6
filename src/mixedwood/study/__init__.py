"""Studies: experiments defined in a small file, run in steps that can be interrupted.

>>> from mixedwood import study
>>> roe = study.read_study("random_ordinality", quick=True)
>>> roe.title
'Random Ordinality Ensembles'
"""

from mixedwood.study.definition import (
    Claim,
    Experiment,
    FigureSpec,
    Study,
    StudyError,
    TableSpec,
    Verdict,
    read_study,
    studies,
)
from mixedwood.study.figures import draw_figures
from mixedwood.study.grid import TaskSpec
from mixedwood.study.results import (
    Cell,
    PairedCell,
    PublishedValue,
    Results,
    ResultTable,
    results,
)
from mixedwood.study.runner import RunSummary, run
from mixedwood.study.store import Store, StoreError, TaskRecord
from mixedwood.study.tables import to_markdown
from mixedwood.study.tasks import TaskContext, tasks

__all__ = [
    "Cell",
    "Claim",
    "Experiment",
    "FigureSpec",
    "PairedCell",
    "PublishedValue",
    "ResultTable",
    "Results",
    "RunSummary",
    "Store",
    "StoreError",
    "Study",
    "StudyError",
    "TableSpec",
    "TaskContext",
    "TaskRecord",
    "TaskSpec",
    "Verdict",
    "draw_figures",
    "read_study",
    "results",
    "run",
    "studies",
    "tasks",
    "to_markdown",
]
