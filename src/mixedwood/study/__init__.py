"""Studies: what is compared and what is published, in a small file; a runner that goes on.

>>> from mixedwood import study
>>> roe = study.load("random_ordinality", quick=True)
>>> roe.title
'Random Ordinality Ensembles'
"""

from mixedwood.study.cells import Cell, Theirs
from mixedwood.study.claims import Verdict
from mixedwood.study.definition import Claim, Figure, Run, Study, StudyError, Table
from mixedwood.study.page import to_markdown
from mixedwood.study.pairs import Pair
from mixedwood.study.pictures import draw
from mixedwood.study.reading import load, names
from mixedwood.study.results import FilledTable, Results, results
from mixedwood.study.running import Report, run
from mixedwood.study.store import Record, Store, StoreError
from mixedwood.study.tasks import Work, tasks

__all__ = [
    "Cell",
    "Claim",
    "Figure",
    "FilledTable",
    "Pair",
    "Record",
    "Report",
    "Results",
    "Run",
    "Store",
    "StoreError",
    "Study",
    "StudyError",
    "Table",
    "Theirs",
    "Verdict",
    "Work",
    "draw",
    "load",
    "names",
    "results",
    "run",
    "tasks",
    "to_markdown",
]
