"""`mixedwood show`: a model as text, rules or a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mixedwood.cli._inputs import open_model, read_rows, reported, select_tree
from mixedwood.cli._models import format_size, model_size
from mixedwood.cli._options import DATA, MODEL, check_output, reading_options, write_output
from mixedwood.cli._output import DataError, echo, echo_data, interruptible, print_table

if TYPE_CHECKING:
    from mixedwood.saving import ModelFile
    from mixedwood.tree import Tree

_PICTURE = click.Path(dir_okay=False, path_type=Path)
_MAX_SHOWN = 20  # lines of importances and coefficients


@click.command()
@click.argument("model", type=MODEL)
@click.option("--text", "as_text", is_flag=True, help="Print the tree as text only.")
@click.option("--rules", is_flag=True, help="Print one rule per leaf.")
@click.option("--importances", is_flag=True, help="Print the feature importances.")
@click.option(
    "--data",
    type=DATA,
    help="Rows with known target: print the permutation importance beside the gain.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of the permutations.")
@click.option("--dot", is_flag=True, help="Print the tree in Graphviz format.")
@click.option("--svg", type=_PICTURE, help="Draw the tree to an SVG file.")
@click.option("--png", type=_PICTURE, help="Draw the tree to a PNG file; needs matplotlib.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--tree",
    "number",
    type=click.IntRange(1),
    metavar="N",
    help="Number of a tree of the model.",
)
@click.option("--max-depth", type=click.IntRange(0), help="Maximum depth shown.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@reading_options
@interruptible
def show(
    model: Path,
    as_text: bool,
    rules: bool,
    importances: bool,
    data: Path | None,
    seed: int,
    dot: bool,
    svg: Path | None,
    png: Path | None,
    as_json: bool,
    number: int | None,
    max_depth: int | None,
    force: bool,
    **options: Any,
) -> None:
    """Show a model: a summary, its tree, rules, feature importances or a picture.

    If the model has many trees, --tree N, counted from 1, shows one of them.
    """
    wanted = [as_text, rules, importances, dot, svg is not None, png is not None, as_json]
    if sum(wanted) > 1:
        raise click.UsageError(
            "Use only one of --text, --rules, --importances, --dot, --svg, --png and --json."
        )
    if data is not None and not importances:
        raise click.UsageError("--data is for --importances.")
    for picture in (svg, png):
        check_output(picture, force)
    opened = open_model(model)
    estimator = opened.model
    if as_json:
        echo_data(json.dumps(_document(opened, number), default=str))
    elif importances and data is not None:
        _show_permutation_importances(opened, data, seed, options)
    elif importances:
        _show_importances(estimator)
    elif as_text or rules or dot or svg is not None or png is not None:
        _show_tree(select_tree(estimator, number), max_depth, rules, dot, svg, png)
    else:
        _summarize(opened, number, max_depth)


def _show_tree(
    tree: Tree, max_depth: int | None, rules: bool, dot: bool, svg: Path | None, png: Path | None
) -> None:
    if rules:
        for rule in tree.to_rules():
            echo(str(rule))
    elif dot:
        echo_data(tree.to_dot(max_depth=max_depth))
    elif svg is not None:
        write_output(svg, tree.to_svg(max_depth=max_depth).encode("utf-8"))
    elif png is not None:
        write_output(png, _png(tree, max_depth))
    else:
        echo(tree.to_text(max_depth=max_depth))


def _png(tree: Tree, max_depth: int | None) -> bytes:
    import io

    try:
        import matplotlib
    except ImportError as error:
        raise click.UsageError(
            "--png needs matplotlib: pip install 'mixedwood[plot]', or use --svg."
        ) from error
    matplotlib.use("agg")  # no window
    from matplotlib import pyplot

    ax = tree.plot(max_depth=max_depth)
    out = io.BytesIO()
    ax.figure.savefig(out, format="png", dpi=150, bbox_inches="tight", metadata={"Software": None})
    pyplot.close(ax.figure)
    return out.getvalue()


def _summarize(opened: ModelFile, number: int | None, max_depth: int | None) -> None:
    estimator, about = opened.model, opened.about
    echo(" ".join(repr(estimator).split()))
    facts = [f"target {about['target']!r}"] if "target" in about else []
    if "rows" in about:
        facts.append(f"fitted on {about['rows']} rows of {about.get('data', 'a table')}")
    if isinstance(about.get("training_rmse"), float):
        facts.append(f"training RMSE {about['training_rmse']:.6g}")
    if isinstance(about.get("training_error"), float):
        facts.append(f"training error {100 * about['training_error']:.2f} %")
    if facts:
        echo(", ".join(facts))
    size = format_size(model_size(estimator))
    if hasattr(estimator, "classes_"):
        shown = [str(label) for label in estimator.classes_.tolist()]
        more = ", ..." if len(shown) > 10 else ""
        echo(f"{len(shown)} classes: {', '.join(shown[:10])}{more}; {size}")
    else:
        echo(f"predicts a number; {size}")
    echo("")
    if hasattr(estimator, "tree_") or number is not None:
        echo(select_tree(estimator, number).to_text(max_depth=max_depth))
        return
    if hasattr(estimator, "coef_names_"):
        _show_linear_models(estimator)
        return
    _show_importances(estimator)
    echo(f"Use --tree N (1 to {len(estimator.trees_)}) to show a single tree.", err=True)


def _show_importances(estimator: Any) -> None:
    found = _importances(estimator)
    if found is None:
        raise click.UsageError(
            f"{type(estimator).__name__} has no feature importances; run mixedwood show without "
            "options for its coefficients."
        )
    ordered = sorted(found.items(), key=lambda pair: -pair[1])
    rows = [[name, f"{importance:.3f}"] for name, importance in ordered[:_MAX_SHOWN]]
    print_table(
        "Feature importances (total gain of the splits, normalized)",
        ["feature", "importance"],
        rows,
    )
    if len(ordered) > _MAX_SHOWN:
        echo(f"... and {len(ordered) - _MAX_SHOWN} more features")


def _show_permutation_importances(
    opened: ModelFile, data: Path, seed: int, options: dict[str, Any]
) -> None:
    from mixedwood.cli.evaluate import match_labels

    target = opened.about.get("target")
    if target is None:
        raise click.UsageError("The model does not store the name of its target.")
    rows = read_rows(opened, data, target, (), options)
    if rows.truth is None or None in rows.truth:
        raise DataError(f"{data} needs a column {target!r} without missing values for --data.")
    y = rows.truth
    if hasattr(opened.model, "classes_"):
        y = match_labels(opened.model, rows.truth)
    with reported(data):
        if not hasattr(opened.model, "classes_"):
            y = [float(number) for number in rows.truth]
        found = opened.model.importances(rows.X, y, random_state=seed)
    shown = found.order.tolist()[:_MAX_SHOWN]
    table = [
        [
            found.names[i],
            f"{found.mean[i]:.4f}",
            f"{found.std[i]:.4f}",
            "" if found.gain[i] != found.gain[i] else f"{found.gain[i]:.3f}",
        ]
        for i in shown
    ]
    title = (
        f"How much worse the {found.metric} of {found.score:.4f} gets if a column is shuffled "
        f"({found.n_rows} rows), beside the gain in training"
    )
    print_table(title, ["feature", "permutation", "sd", "gain"], table)
    if len(found.names) > len(shown):
        echo(f"... and {len(found.names) - len(shown)} more features")


def _importances(estimator: Any) -> dict[str, float] | None:
    if not hasattr(estimator, "feature_importances_"):
        return None
    importances = estimator.feature_importances_.tolist()
    return dict(zip(estimator.schema_.names, importances, strict=True))


def _show_linear_models(estimator: Any) -> None:
    if estimator.kernel == "rbf":
        echo(f"RBF kernel with {estimator.dual_coef_.shape[1]} landmarks")
        return
    for number, (weights, constant) in enumerate(
        zip(estimator.coef_, estimator.intercept_, strict=True), start=1
    ):
        terms = sorted(
            zip(estimator.coef_names_, weights.tolist(), strict=True),
            key=lambda pair: -abs(pair[1]),
        )
        rows = [[name, f"{weight:.4g}"] for name, weight in terms[:_MAX_SHOWN]]
        rows.append(["(intercept)", f"{constant:.4g}"])
        print_table(
            f"Linear model {number} of {len(estimator.coef_)}", ["term", "coefficient"], rows
        )


def _document(opened: ModelFile, number: int | None) -> dict[str, Any]:
    estimator = opened.model
    document: dict[str, Any] = {
        "class": type(estimator).__name__,
        "parameters": {name: _plain(v) for name, v in estimator.get_params(deep=False).items()},
        "about": opened.about,
        "mixedwood": opened.mixedwood,
        **({"classes": estimator.classes_.tolist()} if hasattr(estimator, "classes_") else {}),
        "columns": estimator.schema_.to_dict()["columns"],
        "importances": _importances(estimator),
        **model_size(estimator),
    }
    if hasattr(estimator, "tree_") or number is not None:
        document["tree"] = _nodes(select_tree(estimator, number))
    elif hasattr(estimator, "coef_"):
        document["terms"] = estimator.coef_names_
        document["coefficients"] = estimator.coef_.tolist()
        document["intercepts"] = estimator.intercept_.tolist()
    return document


def _plain(value: Any) -> Any:
    plain = (type(None), bool, int, float, str, list, tuple, dict)
    return value if isinstance(value, plain) else " ".join(repr(value).split())


def _nodes(tree: Tree) -> list[dict[str, Any]]:
    from mixedwood.explain import format_branches

    found: list[dict[str, Any]] = []
    conditions = {0: "root"}
    for node in range(tree.n_nodes):
        children = tree.children_of(node).tolist()
        conditions |= dict(zip(children, format_branches(tree, node), strict=True))
        found.append(
            {
                "node": node,
                "condition": conditions.pop(node),
                "children": children,
                **_prediction(tree, node),
                "weight": float(tree.weighted_n_node_samples[node]),
            }
        )
    return found


def _prediction(tree: Tree, node: int) -> dict[str, Any]:
    if tree.is_numeric:
        return {"value": float(tree.value[node, 0]), "sd": float(tree.deviation[node])}
    return {
        "class": tree.classes[tree.label[node]],
        "probabilities": tree.probabilities[node].tolist(),
    }
