"""The facts of a model's report, and the report as a page or a model card."""

from __future__ import annotations

import hashlib
import math
import platform
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mixedwood import __version__
from mixedwood._progress import stage
from mixedwood._random import seed_of
from mixedwood._warnings import UnknownCategoryWarning
from mixedwood.data import Table, read_table, unknown_counts
from mixedwood.evaluation import ClassEvaluation, Importances, NumberEvaluation, evaluate
from mixedwood.explain.format import (
    Style,
    format_condition,
    format_fraction,
    format_label,
    format_number,
)
from mixedwood.plot.models import model_walk
from mixedwood.plot.walk import Walk, describe_size
from mixedwood.report.effects import Change, Effect, Grid, changes_of, effect_of, grid_of
from mixedwood.report.table_facts import ColumnFacts, column_facts

__all__ = ["ExplainedRow", "ModelFacts", "ModelReport", "RuleFacts", "Surrogate", "make_report"]

_WALK_NODES = 2500  # of all trees in the page
_MAX_SHUFFLED_ROWS = 3000
_N_REPEATS = 5
_EFFECT_ROWS = 150
_MAX_EFFECTS = 6
_MAX_RULES = 30
_N_EXPLAINED = 18
_CHANGE_COLUMNS = 12
_SURROGATE_LEAVES = 12
_MAX_TREES_LISTED = 200
_RULE_STYLE = Style(digits=6)


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A small tree that imitates a model without a readable tree of its own.

    ``fidelity`` is the fraction of other rows for which it predicts the same class, or for numbers
    R² between the two predictions.
    """

    walk: Walk
    tree: Any
    fidelity: float
    measure: str
    n_rows: int


@dataclass(frozen=True)
class RuleFacts:
    """A rule, the fraction of training rows that it covers, and how it does on the given rows."""

    text: str
    prediction: str
    coverage: float
    n_rows: int
    score: str


@dataclass(frozen=True)
class ExplainedRow:
    """A row with its values, prediction, explanation, and what would change the prediction."""

    number: int
    kind: str
    values: tuple[tuple[str, str], ...]
    truth: str
    prediction: str
    is_right: bool | None
    why: str
    changes: tuple[Change, ...]


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """The content of a report, before it becomes a page.

    Attributes
    ----------
    title, name : str
        Title of the report, and class of the model.
    size : str
        Size of the model.
    target : str
        What is predicted.
    parameters : dict of str to str
        All parameters.
    changed : tuple of str
        Names of the parameters that are not the default.
    n_rows : int
        Number of rows given.
    columns : list of ColumnFacts
        What the rows are.
    evaluation : ClassEvaluation or NumberEvaluation
        The scores.
    importances : Importances
        By permutation, beside gain.
    effects : list of Effect
        Partial dependence of the most important columns.
    walk : Walk or None
        The trees.
    trees : list of (str, int, int, str)
        Of many trees: name, leaves, depth and score.
    surrogate : Surrogate or None
        A tree that imitates the model, if it is not a single tree.
    rules : list of RuleFacts
        Rules of the tree, or of the surrogate.
    explained : list of ExplainedRow
        Some rows with explanations.
    warnings : list of str
        What a reader should know first.
    provenance : dict of str to str
        Versions, hash of the data, seed.
    notes : dict of str to str
        Sections of the model card given by the user.
    """

    title: str
    name: str
    size: str
    target: str
    parameters: dict[str, str]
    changed: tuple[str, ...]
    n_rows: int
    columns: list[ColumnFacts]
    evaluation: ClassEvaluation | NumberEvaluation
    importances: Importances
    effects: list[Effect]
    walk: Walk | None
    trees: list[tuple[str, int, int, str]]
    surrogate: Surrogate | None
    rules: list[RuleFacts]
    explained: list[ExplainedRow]
    warnings: list[str]
    provenance: dict[str, str]
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are predicted."""
        return isinstance(self.evaluation, NumberEvaluation)


@dataclass(frozen=True, eq=False)
class ModelReport:
    """A report of a model: one HTML file that works offline, and a model card in Markdown.

    Attributes
    ----------
    facts : ModelFacts
        The content.
    """

    facts: ModelFacts

    def to_html(self) -> str:
        """Make the page; it loads nothing and runs no script but its own."""
        from mixedwood.report.model_page import page

        return page(self.facts)

    def to_markdown(self) -> str:
        """Make the model card."""
        from mixedwood.report.model_card import card

        return card(self.facts)

    def save(self, path: str | Path) -> None:
        """Write the page, or with the ending .md the model card, completely or not at all."""
        from mixedwood.files import write_text

        path = Path(path)
        is_card = path.suffix.lower() in (".md", ".markdown")
        write_text(path, self.to_markdown() if is_card else self.to_html())

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        from mixedwood.report.svg import escape_text

        return (
            f'<iframe title="{escape_text(self.facts.title)}" sandbox="allow-scripts" '
            f'width="100%" height="800" srcdoc="{escape_text(self.to_html())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"ModelReport({self.facts.title!r}, {self.facts.n_rows} rows)"


def make_report(
    model: Any,
    X: Any,
    y: Any,
    *,
    title: str | None = None,
    target: str = "y",
    data: str = "",
    notes: Mapping[str, str] | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> ModelReport:
    """Make the report of a fitted model on rows whose target is known.

    Parameters
    ----------
    model : fitted estimator of mixedwood
        The model.
    X : table
        Rows, preferably not the training rows.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    title : str, optional
        Title; by default the class of the model.
    target : str, default="y"
        Name of the target.
    data : str, default=""
        Name of the rows, such as that of a file.
    notes : mapping of str to str, optional
        Further sections of the model card, such as ``{"Intended use": "..."}``.
    random_state : int, Generator, RandomState or None, default=0
        Seed for the rows that are shown, and for shuffling.
    n_jobs : int or None, default=None
        Number of threads.

    Returns
    -------
    ModelReport
        With ``save``, ``to_html`` and ``to_markdown``.

    Examples
    --------
    >>> import mixedwood as mw
    >>> data = mw.datasets.make_mixed(300, random_state=0, frame="dict")
    >>> model = mw.TreeClassifier().fit(data.X, data.y)
    >>> report = make_report(model, data.X, data.y)
    >>> report
    ModelReport('TreeClassifier', 300 rows)
    >>> report.to_markdown().splitlines()[0]
    '# TreeClassifier'
    """
    check_is_fitted(model)
    seed = seed_of(random_state)
    rng = np.random.default_rng([seed, 1])
    table = read_table(X, schema=model.schema_.inputs, estimator=type(model).__name__)
    with warnings.catch_warnings(), stage("parts of the report", 6) as advance:
        steps = advance or (lambda n_done: None)
        warnings.simplefilter("ignore", UnknownCategoryWarning)
        found = evaluate(model, table, y)
        steps(1)
        view = _View(model, table, found, y)
        columns = column_facts(table, view.truth, is_numeric=view.is_numeric)
        metric = "auc" if view.is_binary and hasattr(model, "predict_proba") else None
        shuffled = rng.permutation(table.n_rows)[:_MAX_SHUFFLED_ROWS]
        if metric and len(set(view.truth[shuffled].tolist()) & {0, 1}) < 2:
            metric = None  # the AUC needs both classes
        importances = model.importances(
            table.take(shuffled), view.labels[shuffled], metric=metric, n_repeats=_N_REPEATS,
            random_state=seed, n_jobs=n_jobs,
        )  # fmt: skip
        steps(2)
        top = [i for i in importances.order.tolist() if i < table.n_columns]
        few = table.take(rng.permutation(table.n_rows)[:_EFFECT_ROWS])
        grids = {i: grid_of(table, i) for i in top[: max(_MAX_EFFECTS, _CHANGE_COLUMNS)]}
        effects = [
            effect_of(few, grid, view.outputs)
            for grid in [grids[i] for i in top[:_MAX_EFFECTS]]
            if grid is not None
        ]
        steps(3)
        surrogate = None if hasattr(model, "tree_") else _surrogate(view, rng)
        readable = model.tree_ if hasattr(model, "tree_") else surrogate and surrogate.tree
        known = [grid for grid in grids.values() if grid is not None]
        steps(4)
        explained = _explain_rows(view, known, rng)
        steps(5)
        trees = _list_trees(view)
        rules = _rules(view, readable) if readable is not None else []
    name = type(model).__name__
    parameters = {k: _clip(repr(v)) for k, v in model.get_params(deep=False).items()}
    defaults = {k: _clip(repr(v)) for k, v in _defaults(model).items()}
    facts = ModelFacts(
        title=title or name,
        name=name,
        size=_size(model),
        target=target,
        parameters=parameters,
        changed=tuple(k for k, v in parameters.items() if defaults.get(k) != v),
        n_rows=found.n_rows,
        columns=columns,
        evaluation=found,
        importances=importances,
        effects=effects,
        walk=model_walk(model, scores=[note for *_, note in trees], max_nodes=_WALK_NODES),
        trees=trees[:_MAX_TREES_LISTED],
        surrogate=surrogate,
        rules=rules,
        explained=explained,
        warnings=_warnings(view, columns),
        provenance=_provenance(model, view, seed, data),
        notes=dict(notes or {}),
    )
    return ModelReport(facts)


class _View:
    """A model, rows, and its predictions, in the form that the parts of a report need."""

    def __init__(
        self, model: Any, table: Table, found: ClassEvaluation | NumberEvaluation, y: Any
    ) -> None:
        self.model, self.table, self.found = model, table, found
        self.is_numeric = isinstance(found, NumberEvaluation)
        self.truth: NDArray[Any] = found.true
        self.classes: list[Any] = [] if isinstance(found, NumberEvaluation) else list(found.classes)
        self.is_binary = not self.is_numeric and len(model.classes_) == 2
        labels = np.empty(len(self.truth), dtype=object)
        labels[:] = [self.classes[k] for k in self.truth.tolist()] if self.classes else self.truth
        self.labels = labels if self.classes else self.truth
        self._spread = 0.0 if self.classes else float(np.std(self.truth))

    def outputs(self, table: Table) -> NDArray[np.float64]:
        """Probabilities of all classes, or numbers: shape (n_rows, n_outputs)."""
        if self.is_numeric:
            return np.asarray(self.model.predict(table), dtype=np.float64)[:, None]
        if hasattr(self.model, "predict_proba"):
            return np.asarray(self.model.predict_proba(table), dtype=np.float64)
        hits = np.asarray(self.model.predict(table))[:, None] == self.model.classes_
        return np.asarray(hits, dtype=np.float64)

    def decide(self, outputs: NDArray[np.float64]) -> NDArray[Any]:
        """Find the class of outputs."""
        return np.asarray(self.model._target_spec.decide(np.ascontiguousarray(outputs)))

    def describe(self, output: NDArray[np.float64]) -> str:
        """Write a prediction."""
        if self.is_numeric:
            return format_number(float(output[0]), self._spread)
        k = int(self.decide(output[None, :])[0])
        label = format_label(self.classes[k])
        if not hasattr(self.model, "predict_proba"):
            return label
        return f"{label} ({format_fraction(float(output[k]))})"

    def describe_truth(self, row: int) -> str:
        """Write the true class or number of a row."""
        if self.is_numeric:
            return format_number(float(self.truth[row]), self._spread)
        return format_label(self.classes[int(self.truth[row])])


def _defaults(model: Any) -> dict[str, Any]:
    try:
        return dict(type(model)().get_params(deep=False))
    except TypeError:  # a class with required parameters
        return {}


def _clip(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:299] + "…"


def _size(model: Any) -> str:
    if hasattr(model, "tree_"):
        return describe_size(model.tree_)
    trees = getattr(model, "trees_", None)
    if trees:
        leaves = float(np.mean([tree.n_leaves for tree in trees]))
        return f"{len(trees)} trees, {leaves:.1f} leaves on average"
    return f"{len(model.objective_value_)} linear models" if hasattr(model, "coef_") else ""


def _list_trees(view: _View) -> list[tuple[str, int, int, str]]:
    """Name, leaves, depth and score of each of many trees; boosted trees have no score alone."""
    trees = getattr(view.model, "trees_", None)
    if not trees:
        return []
    parts = getattr(view.model, "predictor_", None)
    notes = [""] * len(trees)
    if getattr(parts, "aggregate", "sum") != "sum":
        whole = read_table(view.table, schema=view.model.schema_)
        whole = whole.take(np.arange(min(whole.n_rows, _MAX_SHUFFLED_ROWS)))
        truth = view.truth[: whole.n_rows]
        for i, tree in enumerate(trees[:_MAX_TREES_LISTED]):
            if view.is_numeric:
                error = math.sqrt(float(((tree.predict(whole) - truth) ** 2).mean()))
                notes[i] = f"RMSE {error:.4g}"
            else:
                notes[i] = f"accuracy {float((tree.vote_codes(whole) == truth).mean()):.3f}"
    return [
        (f"Tree {i + 1}", tree.n_leaves, tree.depth, note)
        for i, (tree, note) in enumerate(zip(trees, notes, strict=True))
    ]


def _surrogate(view: _View, rng: np.random.Generator) -> Surrogate | None:
    from mixedwood.estimators import TreeClassifier, TreeRegressor

    rows = rng.permutation(view.table.n_rows)[: 4 * _MAX_SHUFFLED_ROWS]
    if len(rows) < 20:
        return None
    half = len(rows) // 2
    names = [c.name for c in view.table.schema if not c.is_numeric]
    inputs = {c.name: view.table.labels(c.name) for c in view.table.schema}
    predicted = np.asarray(view.model.predict(view.table))
    train, test = rows[:half], rows[half:]
    kind: Any = TreeRegressor if view.is_numeric else TreeClassifier
    imitator = kind(max_leaf_nodes=_SURROGATE_LEAVES, pruning=None, categorical_features=names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        imitator.fit({k: v[train] for k, v in inputs.items()}, predicted[train])
        again = imitator.predict({k: v[test] for k, v in inputs.items()})
    if view.is_numeric:
        total = float(((predicted[test] - predicted[test].mean()) ** 2).sum())
        rest = float(((predicted[test] - again) ** 2).sum())
        fidelity, measure = (1 - rest / total if total > 0 else 1.0), "R²"
    else:
        fidelity, measure = float((again == predicted[test]).mean()), "same predictions"
    walk = model_walk(imitator)
    assert walk is not None
    walk = Walk(walk.trees, {}, {}, None, f"Surrogate tree with {describe_size(imitator.tree_)}")
    return Surrogate(walk, imitator.tree_, fidelity, measure, len(test))


def _rules(view: _View, tree: Any) -> list[RuleFacts]:
    table = read_table(view.table, schema=tree.schema)
    ends = tree.apply(table)
    found = []
    for rule in tree.to_rules()[:_MAX_RULES]:
        here = ends == rule.node
        n = int(here.sum())
        score = ""
        if n and view.is_numeric:
            error = math.sqrt(float(((view.truth[here] - rule.label) ** 2).mean()))
            score = f"RMSE {error:.4g}"
        elif n:
            label = view.classes.index(rule.label) if rule.label in view.classes else -1
            score = f"{100 * float((view.truth[here] == label).mean()):.1f} %"
        conditions = [format_condition(c, _RULE_STYLE) for c in rule.conditions]
        found.append(
            RuleFacts(
                " and ".join(conditions) or "always", rule.prediction, rule.coverage, n, score
            )
        )
    return found


def _explain_rows(view: _View, grids: list[Grid], rng: np.random.Generator) -> list[ExplainedRow]:
    rows = _choose_rows(view, rng)
    found = []
    predicted = view.outputs(view.table.take([row for row, _ in rows]))
    for (row, kind), output in zip(rows, predicted, strict=True):
        decide = None if view.is_numeric else view.decide
        changes = changes_of(view.table, row, grids, view.outputs, decide, view.describe)
        right = None
        if not view.is_numeric:
            right = bool(view.decide(output[None, :])[0] == view.truth[row])
        found.append(
            ExplainedRow(
                row, kind, _values_of(view.table, row), view.describe_truth(row),
                view.describe(output), right, _why(view, row), tuple(changes),
            )
        )  # fmt: skip
    return found


def _why(view: _View, row: int) -> str:
    if not hasattr(view.model, "explain"):
        return ""
    text = str(view.model.explain(view.table.take([row]), 0))
    return "\n".join(text.splitlines()[1:])  # the first line repeats the prediction


def _values_of(table: Table, row: int) -> tuple[tuple[str, str], ...]:
    from mixedwood.explain.format import format_name
    from mixedwood.explain.path import row_value

    one = table.take([row])
    found = []
    for column in table.schema:
        name = format_name(column.name)
        text = row_value(column, one, 6).removeprefix(name).strip().removeprefix("=").strip()
        found.append((column.name, text))
    return tuple(found)


def _choose_rows(view: _View, rng: np.random.Generator) -> list[tuple[int, str]]:
    """Rows worth looking at: confident mistakes or large errors, uncertain rows, and any."""
    n, third = view.table.n_rows, _N_EXPLAINED // 3
    found = view.found
    if isinstance(found, NumberEvaluation):
        errors = np.abs(found.predicted - found.true)
        worst, kind = np.argsort(-errors, kind="stable")[:third], "large error"
        unsure, second = np.argsort(errors, kind="stable")[n // 2 : n // 2 + third], "typical error"
    else:
        outputs = found.probabilities
        if outputs is None:
            outputs = view.outputs(view.table)
        ordered = np.sort(outputs, axis=1)
        margin = ordered[:, -1] - ordered[:, -2] if outputs.shape[1] > 1 else ordered[:, -1]
        wrong = np.flatnonzero(found.predicted != found.true)
        worst, kind = wrong[np.argsort(-margin[wrong], kind="stable")][:third], "confident mistake"
        unsure, second = np.argsort(margin, kind="stable")[:third], "uncertain"
    chosen: dict[int, str] = {int(row): kind for row in worst}
    chosen |= {int(row): second for row in unsure if int(row) not in chosen}
    for row in rng.permutation(n).tolist():
        if len(chosen) >= min(n, _N_EXPLAINED):
            break
        chosen.setdefault(row, "drawn at random")
    return list(chosen.items())


def _warnings(view: _View, columns: list[ColumnFacts]) -> list[str]:
    found = [f"Column {c.name!r} {text}." for c in columns for text in c.warnings]
    named = {c.name for c in columns if c.warnings}
    for name, n in unknown_counts(view.table).items():
        if name in named:
            continue
        found.append(f"Column {name!r} has categories that training did not have, in {n} rows.")
    if isinstance(view.found, ClassEvaluation):
        small = [c for c in view.found.per_class if 0 < c.support < 30]
        if small:
            names = ", ".join(format_label(c.label) for c in small[:5])
            more = ", ..." if len(small) > 5 else ""
            found.append(f"Classes with fewer than 30 rows, whose scores are vague: {names}{more}.")
        if view.found.unknown_classes:
            names = ", ".join(map(format_label, view.found.unknown_classes[:5]))
            found.append(f"Classes that were not in the training data: {names}.")
    elif view.found.n_rows < 100:
        found.append(f"Scores of {view.found.n_rows} rows are vague.")
    return found


def _provenance(model: Any, view: _View, seed: int, data: str) -> dict[str, str]:
    digest = hashlib.sha256()
    for column, array in zip(view.table.schema, view.table.arrays, strict=True):
        digest.update(repr((column.name, str(column.kind), column.categories)).encode("utf-8"))
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(repr(view.classes).encode("utf-8") + np.ascontiguousarray(view.truth).tobytes())
    return {
        **({"data": data} if data else {}),
        "rows": str(view.table.n_rows),
        "SHA-256 of the rows as read": digest.hexdigest(),
        "seed of the model": repr(getattr(model, "random_state", None)),
        "seed of this report": str(seed),
        "mixedwood": __version__,
        "scikit-learn": sklearn.__version__,
        "NumPy": np.__version__,
        "Python": platform.python_version(),
    }
