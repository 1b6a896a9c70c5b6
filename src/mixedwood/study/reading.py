"""Read a study from its file, and check it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mixedwood.study.definition import Claim, Figure, Run, Study, StudyError, Table

__all__ = ["load", "names"]

_FILE = "study.toml"
_WORDS = {
    "study": {
        "title", "paper", "about", "sets", "methods", "runs", "tables", "figures", "claims",
        "remarks", "published",
    },
    "run": {"task", "axes", "settings", "leave_out", "quick"},
    "table": {
        "name", "title", "run", "figures", "rows", "columns", "where", "best", "minus", "factor",
        "digits", "published", "published_runs", "check", "check_runs", "pairs", "judged",
        "relative_to", "summary", "same_spread", "note",
    },
    "figure": {
        "name", "title", "run", "y", "x", "series", "panels", "where", "best", "minus", "factor",
        "x_label", "y_label", "log_x", "log_y", "kind", "note",
    },
    "claim": {"text", "checks", "note"},
}  # fmt: skip


def names() -> dict[str, Path]:
    """Name the studies that come with the library, with their files.

    Examples
    --------
    >>> "random_ordinality" in names()
    True
    """
    package = find_spec("mixedwood_studies")
    folders = [] if package is None else package.submodule_search_locations or []
    files = sorted(path for folder in folders for path in Path(folder).glob(f"*/{_FILE}"))
    return {path.parent.name: path for path in files}


def load(source: str | Path, *, quick: bool = False) -> Study:
    """Read a study: by the name of one that comes with the library, or from a file of your own.

    Parameters
    ----------
    source : str or Path
        A name of `names`, the path of a TOML file, or of a folder with a ``study.toml``.
    quick : bool, default=False
        Whether to read its short form: minutes in place of hours.

    Returns
    -------
    Study

    Examples
    --------
    >>> study = load("random_ordinality", quick=True)
    >>> study.title
    'Random Ordinality Ensembles'
    """
    known = names()
    path = known.get(str(source), Path(source))
    path = path / _FILE if path.is_dir() else path
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise StudyError(
            f"There is no study {str(source)!r}. Name one of {', '.join(known) or 'none'}, or the "
            "path of a study file."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise StudyError(f"{path} cannot be read as a study: {error}.") from error
    try:
        return _study(path, content, quick)
    except StudyError as error:
        raise StudyError(f"In the study {path}: {error}") from error


def _name(path: Path) -> str:
    return path.resolve().parent.name if path.name == _FILE else path.stem


def _study(path: Path, content: dict[str, Any], quick: bool) -> Study:
    _check_words("study", "the file", content)
    if "runs" not in content:
        raise StudyError("there are no [runs]; a study needs at least one.")
    sets, methods = content.get("sets", {}), content.get("methods", {})
    published = _read_published(path, content.get("published", {}))
    runs = {}
    for name, words in content["runs"].items():
        if (run := _run(name, words, sets, methods, quick)) is not None:
            runs[name] = run
    tables = [_table(words, runs, published) for words in content.get("tables", [])]
    figures = [_figure(words, runs) for words in content.get("figures", [])]
    return Study(
        name=_name(path),
        title=str(content.get("title", _name(path))),
        paper=str(content.get("paper", "")),
        about=str(content.get("about", "")).strip(),
        sets=sets,
        methods=methods,
        runs=runs,
        tables=tuple(table for table in tables if table is not None),
        figures=tuple(figure for figure in figures if figure is not None),
        claims=tuple(_claim(words) for words in content.get("claims", [])),
        remarks=content.get("remarks", {}),
        quick=quick,
        folder=str(path.parent.resolve()),
    )


def _run(
    name: str, words: dict[str, Any], sets: dict[str, Any], methods: dict[str, Any], quick: bool
) -> Run | None:
    what = f"[runs.{name}]"
    _check_words("run", what, words)
    if "task" not in words:
        raise StudyError(f"{what} names no task.")
    shorter = words.get("quick", {})
    if unknown := set(shorter) - {"skip", "axes", "settings"}:
        raise StudyError(f"{what}: quick does not know {sorted(unknown)[0]!r}.")
    if not quick:
        shorter = {}
    if shorter.get("skip"):
        return None
    axes = {}
    for axis, values in {**words.get("axes", {}), **shorter.get("axes", {})}.items():
        known = {"set": sets, "method": methods}.get(axis)
        axes[axis] = _values(f"{what}, axis {axis!r}", values, known)
    return Run(
        name=name,
        task=str(words["task"]),
        axes=axes,
        settings={**words.get("settings", {}), **shorter.get("settings", {})},
        leave_out=tuple(words.get("leave_out", ())),
    )


def _values(what: str, values: Any, known: dict[str, Any] | None) -> tuple[Any, ...]:
    if values == "all" and known is not None:
        return tuple(known)
    if isinstance(values, int) and not isinstance(values, bool):
        return tuple(range(values))
    if not isinstance(values, list) or not values:
        raise StudyError(f"{what} must be a list of values, or a number of them; got {values!r}.")
    if known is not None and (strange := [v for v in values if v not in known]):
        raise StudyError(
            f"{what} names {strange[0]!r}, which is not defined. There are {', '.join(known)}."
        )
    if len({repr(v) for v in values}) < len(values):
        raise StudyError(f"{what} has a value twice.")
    return tuple(values)


def _read_published(path: Path, files: dict[str, str]) -> dict[str, Any]:
    found = {}
    for name, file in files.items():
        try:
            found[name] = json.loads((path.parent / file).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise StudyError(f"the published figures in {file} cannot be read: {error}.") from error
    return found


def _table(words: dict[str, Any], runs: dict[str, Run], published: dict[str, Any]) -> Table | None:
    what = f"table {words.get('name', words)!r}"
    _check_words("table", what, words)
    words = {"title": words.get("name"), **words}
    if not {"name", "run", "figures"} <= set(words):
        raise StudyError(f"{what} needs a name, a run and figures.")
    if words["run"] not in runs:
        return None  # left out of the short form
    for key in ("published", "check"):
        if isinstance(address := words.get(key), str):
            words[key] = _look_up(what, published, address)
    words["figures"] = tuple(words["figures"])
    if words.get("summary", "mean") not in ("mean", "largest"):
        raise StudyError(f"{what}: summary must be mean or largest; got {words['summary']!r}.")
    if "pairs" in words:
        words["pairs"] = _read_pairs(what, words["pairs"], published)
    _check_axes(what, runs[words["run"]], words, ("rows", "columns"), {"figure"})
    return Table(**words)


def _read_pairs(what: str, pairs: dict[str, Any], published: dict[str, Any]) -> dict[str, Any]:
    if not {"a", "b"} <= set(pairs) <= {"a", "b", "overlap", "published"}:
        raise StudyError(
            f"{what}: pairs needs a and b, the titles of two columns, and takes overlap and "
            f"published besides; got {', '.join(sorted(pairs)) or 'nothing'}."
        )
    if isinstance(address := pairs.get("published"), str):
        return {**pairs, "published": _look_up(what, published, address)}
    return pairs


def _figure(words: dict[str, Any], runs: dict[str, Run]) -> Figure | None:
    what = f"figure {words.get('name', words)!r}"
    _check_words("figure", what, words)
    words = {"title": words.get("name"), **words}
    if not {"name", "run", "x", "y"} <= set(words):
        raise StudyError(f"{what} needs a name, a run, x and y.")
    if words["run"] not in runs:
        return None
    kinds = ("lines", "boxes", "bars", "points")
    if words.get("kind", "lines") not in kinds:
        raise StudyError(f"{what}: kind must be {', '.join(kinds)}; got {words['kind']!r}.")
    axes = ("series", "panels") if words.get("kind") == "points" else ("x", "series", "panels")
    _check_axes(what, runs[words["run"]], words, axes, {"place", ""})
    return Figure(**words)


def _claim(words: dict[str, Any]) -> Claim:
    _check_words("claim", f"claim {words.get('text', '')!r}", words)
    if not words.get("text") or not words.get("checks"):
        raise StudyError("a claim needs a text and checks.")
    return Claim(words["text"], tuple(words["checks"]), words.get("note", ""))


def _look_up(what: str, published: dict[str, Any], address: str) -> Any:
    """Find ``"file.key.key"`` among the published figures."""
    found: Any = published
    for key in address.split("."):
        if not isinstance(found, dict) or key not in found:
            raise StudyError(f"{what}: there is nothing published at {address!r}.")
        found = found[key]
    return found


def _check_axes(
    what: str, run: Run, words: dict[str, Any], keys: tuple[str, ...], others: set[str]
) -> None:
    default = {"rows": "set", "columns": "method", "series": "method", "panels": "set"}
    for key in keys:
        axis = words.get(key, default.get(key))
        if axis not in run.axes and axis not in others:
            raise StudyError(
                f"{what}: {key} is {axis!r}, but the run {run.name!r} has the axes "
                f"{', '.join(run.axes)}."
            )
    best = words.get("best", {})
    if best and (not best.get("over") or not set(best) <= {"over", "by", "least"}):
        raise StudyError(f"{what}: best needs over, and takes by and least; got {best!r}.")
    named = {"where": words.get("where", {}), "best": best.get("over", ())}
    named["minus"] = words.get("minus", {})
    for word, axes in named.items():
        if strange := set(axes) - set(run.axes):
            raise StudyError(f"{what}: {word} names {sorted(strange)[0]!r}, which is not an axis.")


def _check_words(kind: str, what: str, words: Mapping[str, Any]) -> None:
    if unknown := sorted(set(words) - _WORDS[kind]):
        raise StudyError(
            f"{what} has {unknown[0]!r}, which is not known. A {kind} has "
            f"{', '.join(sorted(_WORDS[kind]))}."
        )
