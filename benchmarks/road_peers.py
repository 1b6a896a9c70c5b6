"""From a frame to predictions beside scikit-learn and pystreed, and what reading alone costs.

    MIXEDWOOD_DATA=... python benchmarks/road_peers.py [--parts optimal trees ...]
    ... [--page docs/results/road.md]

Everything starts from a frame of pandas, so that encoders count on both sides. Times are processor
time of one thread, the least of several runs, in turns.

- optimal: `OptimalTreeClassifier(ccp_alpha=0)` beside pystreed. pystreed gets the 0/1 matrix of our
  own `FeatureBinarizer`, made from the same frame inside of the clock, so both search the same
  candidates; a set counts only if both trees misclassify equally many rows.
- trees: `TreeClassifier(pruning=None)` beside scikit-learn's tree behind an `OrdinalEncoder`, or a
  `OneHotEncoder` with `--one-hot`, to the same depth.
- ensembles: reading and encoding as a fraction of fit and predict.
- reading: large frames, and the peak memory of reading them.
- profile: the functions with the most time in one fit. `--before FILE` puts those of an earlier
  version, saved with `--save FILE` in its checkout, beside them.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import mixedwood as mw
from mixedwood import datasets
from mixedwood.data import read_table, read_target

HEADING = "## Beside other libraries"

# Name and depth: 4, or 3 where pystreed needs more than 5 processor seconds for depth 4.
OPTIMAL = {
    "promoters": 4,
    "monks-1-train": 4,
    "iris": 4,
    "hayes-roth": 4,
    "wine": 4,
    "sonar": 3,
    "heart-statlog": 4,
    "breast-cancer-ljubljana": 4,
    "ionosphere": 3,
    "balance-scale": 4,
    "australian": 4,
    "pima": 4,
    "tic-tac-toe": 4,
    "german": 4,
    "contraceptive": 4,
    "car": 4,
    "splice": 3,
    "spambase": 3,
    "nursery": 4,
    "magic04": 3,
}
TREES = [
    "promoters",
    "monks-1-train",
    "iris",
    "hayes-roth",
    "wine",
    "sonar",
    "heart-statlog",
    "breast-cancer-ljubljana",
    "ionosphere",
    "balance-scale",
    "soybean-large",
    "australian",
    "pima",
    "vehicle",
    "tic-tac-toe",
    "german",
    "contraceptive",
    "car",
    "segment",
    "dna",
    "splice",
    "spambase",
    "mushroom",
    "nursery",
    "magic04",
    "credit-default",
    "adult",
    "made: 100,000 x 8",
    "made: 500,000 x 10",
    "covertype",
]
ENSEMBLES = ["iris", "german", "mushroom", "magic04", "adult"]
DEPTH = 6
MOST_ROWS = 500_000


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Load a set as a frame, and its classes as integers."""
    if name.startswith("made"):
        n_rows, n_columns = (int(n.replace(",", "")) for n in name[6:].split(" x "))
        data = datasets.make_mixed(n_rows, n_columns // 2, n_columns // 2, random_state=0)
    else:
        data = datasets.load(name, frame="pandas", source="folder")
    X, y = pd.DataFrame(data.X), np.unique(np.asarray(data.y), return_inverse=True)[1]
    return X.iloc[:MOST_ROWS], y[:MOST_ROWS].astype(np.int64)


def in_turns(calls: list[Callable[[], Any]], runs: int = 3, seconds: float = 2.0) -> list[float]:
    """Least processor time of each call in seconds, in turns; one run if it is long."""
    best = [np.inf] * len(calls)
    end = time.process_time() + seconds
    turn = 0
    while turn < 1 or (turn < runs or best[0] < 0.02) and time.process_time() < end:
        for place, call in enumerate(calls):
            start = time.process_time()
            call()
            best[place] = min(best[place], time.process_time() - start)
        turn += 1
        if turn >= 50:
            break
    return best


def geometric_mean(values: list[float]) -> float:
    """Geometric mean."""
    return float(np.exp(np.mean(np.log(values))))


def optimal(results: dict[str, Any]) -> Iterator[str]:
    """Optimal trees beside pystreed."""
    from pystreed import STreeDClassifier

    yield "\n### Optimal trees\n"
    yield "| set | rows x columns | features | depth | wrong | ours, ms | pystreed, ms | ratio |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    ratios = []
    for name, depth in OPTIMAL.items():
        X, y = load(name)
        found: dict[str, np.ndarray] = {}

        def ours(X: Any = X, y: Any = y, depth: int = depth, found: Any = found) -> None:
            model = mw.OptimalTreeClassifier(max_depth=depth, ccp_alpha=0).fit(X, y)
            assert model.optimal_
            found["ours"] = model.predict(X)
            found["features"] = len(model.candidates_)

        def peer(X: Any = X, y: Any = y, depth: int = depth, found: Any = found) -> None:
            binarizer = mw.preprocessing.FeatureBinarizer().fit(X)
            model = STreeDClassifier("accuracy", max_depth=depth, time_limit=10_000)
            model.fit(binarizer.transform(X), y)
            assert model.fit_result.is_optimal()
            found["peer"] = model.predict(binarizer.transform(X))

        seconds = in_turns([ours, peer])
        wrong = np.count_nonzero(found["ours"] != y)
        if wrong != np.count_nonzero(found["peer"] != y):
            raise AssertionError(f"{name}: the trees are not equally good")
        ratios.append(seconds[1] / seconds[0])
        mine, theirs = (f"{1e3 * s:.1f}" for s in seconds)
        yield (
            f"| {name} | {X.shape[0]:,} x {X.shape[1]} | {found['features']} | {depth} | "
            f"{wrong:,} | {mine} | {theirs} | {ratios[-1]:.1f} |"
        )
    results["optimal"] = geometric_mean(ratios)
    yield (
        f"\nGeometric mean of the ratios: **{geometric_mean(ratios):.1f}**; the least is "
        f"{min(ratios):.1f}, the largest {max(ratios):.1f}."
    )


def sklearn_tree(X: pd.DataFrame, *, one_hot: bool = False) -> Any:
    """Make scikit-learn's tree, behind an encoder of the columns that are no numbers."""
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    texts = list(X.select_dtypes(exclude=["number", "bool"]).columns)
    tree = DecisionTreeClassifier(max_depth=DEPTH, random_state=0)
    if not texts:
        return tree
    encoder = (
        OneHotEncoder(handle_unknown="ignore")
        if one_hot
        else OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    )
    return make_pipeline(make_column_transformer((encoder, texts), remainder="passthrough"), tree)


def trees(results: dict[str, Any], *, one_hot: bool) -> Iterator[str]:
    """Single trees beside scikit-learn."""
    yield "\n### Single trees\n"
    yield (
        "| set | rows x columns | fit, ms | scikit-learn | ratio | predict, ms | scikit-learn | "
        "ratio |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    ratios: list[tuple[float, float]] = []
    for name in TREES:
        X, y = load(name)
        model = mw.TreeClassifier(pruning=None, max_depth=DEPTH)
        peer = sklearn_tree(X, one_hot=one_hot)
        fits = in_turns(
            [lambda m=model, X=X, y=y: m.fit(X, y), lambda m=peer, X=X, y=y: m.fit(X, y)]
        )
        predicts = in_turns([lambda m=model, X=X: m.predict(X), lambda m=peer, X=X: m.predict(X)])
        pairs = (fits[1] / fits[0], predicts[1] / predicts[0])
        ratios.append(pairs)
        cells = " | ".join(
            f"{1e3 * a:.2f} | {1e3 * b:.2f} | {b / a:.1f}" for a, b in (fits, predicts)
        )
        yield f"| {name} | {X.shape[0]:,} x {X.shape[1]} | {cells} |"
    by_step = list(zip(*ratios, strict=True))
    results["trees"] = [geometric_mean(list(values)) for values in by_step]
    yield (
        "\nGeometric mean of the ratios: "
        + " and ".join(
            f"**{geometric_mean(list(values)):.1f}** in {step} (least {min(values):.2f})"
            for step, values in zip(("fit", "predict"), by_step, strict=True)
        )
        + "."
    )


def ensembles(results: dict[str, Any]) -> Iterator[str]:
    """The fraction of reading and encoding in ensembles."""
    from mixedwood.grow import EncodedTable

    models = {
        "forest of 100": lambda: mw.ForestClassifier(n_estimators=100, random_state=0, n_jobs=1),
        "boosting, 100": lambda: mw.BoostedTreesClassifier(
            n_estimators=100, early_stopping=False, random_state=0, n_jobs=1
        ),
    }
    yield "\n### Ensembles\n"
    yield "| set | model | fit, ms | reading and encoding | predict, ms | reading |"
    yield "|---|---|---:|---:|---:|---:|"
    most = 0.0
    for name in ENSEMBLES:
        X, y = load(name)
        table = read_table(X)
        reading = in_turns([lambda X=X, y=y: (read_table(X), read_target(y))])[0]
        again = in_turns([lambda X=X, s=table.schema: read_table(X, schema=s)])[0]
        encoding = in_turns([lambda t=table: encode(EncodedTable, t)])[0]
        for kind, make in models.items():
            model = make()
            fit = in_turns([lambda m=model, X=X, y=y: m.fit(X, y)])[0]
            predict = in_turns([lambda m=model, X=X: m.predict(X)])[0]
            shares = (reading + encoding) / fit, again / predict
            most = max(most, *shares)
            yield (
                f"| {name} | {kind} | {1e3 * fit:.1f} | {shares[0]:.1%} | {1e3 * predict:.1f} | "
                f"{shares[1]:.1%} |"
            )
    results["ensembles"] = most


def encode(kind: Any, table: Any) -> None:
    """Rank the numbers of a table, as every fit does once."""
    kind(table).native  # noqa: B018


def reading(results: dict[str, Any]) -> Iterator[str]:
    """Large frames: time, and peak memory beyond what the table keeps."""
    rng = np.random.default_rng(0)
    words = np.array([f"word {i}" for i in range(40)], dtype=object)
    wide = {}
    for i in range(1_000):
        wide[f"c{i}"] = (
            rng.random(1_000) < 0.5,
            rng.integers(0, 50, 1_000),
            rng.random(1_000),
            words[rng.integers(0, 40, 1_000)],
            words[rng.integers(0, 8, 1_000)],
        )[i % 5]
    million = {
        f"c{i}": pd.Categorical.from_codes(rng.integers(0, 40, 1_000_000), words) for i in range(20)
    }
    text = {f"c{i}": words[rng.integers(0, 40, 200_000)] for i in range(20)}
    frames = {
        "1,000 x 1,000 mixed, pandas": pd.DataFrame(wide),
        "1,000 x 1,000 mixed, text as categories": pd.DataFrame(wide).astype(
            {name: "category" for name, c in wide.items() if c.dtype == object}
        ),
        "1,000,000 x 20 categories, pandas": pd.DataFrame(million),
        "200,000 x 20 text, pandas": pd.DataFrame(text),
        "1,000,000 x 20 numbers, pandas": pd.DataFrame(rng.random((1_000_000, 20))),
    }
    yield "\n### Reading\n"
    yield "| frame | read, ms | new rows, ms | table, MB | one column, MB | peak, MB |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, X in frames.items():
        table = read_table(X)
        learned = in_turns([lambda X=X: read_table(X)], runs=5)[0]
        known = in_turns([lambda X=X, s=table.schema: read_table(X, schema=s)], runs=5)[0]
        size = sum(array.nbytes for array in table.arrays) / 1e6
        column = max(array.nbytes for array in table.arrays) / 1e6
        del table
        peak = peak_of(lambda X=X: read_table(X))
        results[name] = [learned, known, size, column, peak]
        yield (
            f"| {name} | {1e3 * learned:.1f} | {1e3 * known:.1f} | {size:.1f} | {column:.2f} | "
            f"{peak:.1f} |"
        )


def peak_of(call: Callable[[], Any]) -> float:
    """Peak of the resident memory during a call above what it was before, in MB.

    The core's memory is not Python's, so tracemalloc alone would miss it.
    """
    import ctypes
    import gc

    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    call()
    return (status("VmHWM") - before) / 1e3


def status(field: str) -> int:
    """A line of the process's status, in kB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise RuntimeError(f"no {field} here; peak memory needs Linux.")


def profile_lines() -> list[tuple[str, int, float]]:
    """The functions with the most time of their own in a fit, in milliseconds."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{i}": rng.random(3_196) < 0.5 for i in range(73)})
    y = np.where(X["c0"] ^ X["c1"] ^ (rng.random(3_196) < 0.1), "yes", "no")
    best: pstats.Stats | None = None
    for _ in range(8):
        profile = cProfile.Profile()
        profile.runcall(mw.OptimalTreeClassifier(max_depth=4, ccp_alpha=0).fit, X, y)
        found = pstats.Stats(profile)
        if best is None or found.total_tt < best.total_tt:  # type: ignore[attr-defined]
            best = found
    assert best is not None
    lines = []
    for (file, _, function), entry in best.stats.items():  # type: ignore[attr-defined]
        parts = Path(file).parts
        start = next((i for i, p in enumerate(parts) if p in ("mixedwood", "site-packages")), -1)
        where = "/".join(parts[start + 1 :]) if start >= 0 else parts[-1]
        lines.append((f"{where}: {function}" if where != "~" else function, entry[1], entry[2]))
    lines.sort(key=lambda line: -line[2])
    whole = ("all", sum(line[1] for line in lines), best.total_tt)  # type: ignore[attr-defined]
    return [(name, calls, 1e3 * own) for name, calls, own in (whole, *lines[:12])]


def profile(results: dict[str, Any], before: dict[str, Any]) -> Iterator[str]:
    """The profile of a fit, before and after."""
    results["profile"] = now = profile_lines()
    was = before.get("profile", [])
    yield "\n### Profile of a fit\n"
    yield "| before | calls | ms | after | calls | ms |"
    yield "|---|---:|---:|---|---:|---:|"
    for place in range(max(len(now), len(was))):
        yield (
            "".join(
                f"| `{lines[place][0]}` | {lines[place][1]:,} | {lines[place][2]:.2f} "
                if place < len(lines)
                else "| | | "
                for lines in (was, now)
            )
            + "|"
        )


PARTS = ("optimal", "trees", "ensembles", "reading", "profile")


def main() -> None:
    """Print the tables, and write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--one-hot", action="store_true", help="one-hot codes for scikit-learn")
    parser.add_argument("--page", type=Path, help="the page whose last section they are")
    parser.add_argument("--save", type=Path, help="a JSON file for the results")
    parser.add_argument("--before", type=Path, help="such a file of an earlier version")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    before = json.loads(arguments.before.read_text()) if arguments.before else {}
    results: dict[str, Any] = {}
    made = {
        "optimal": lambda: optimal(results),
        "trees": lambda: trees(results, one_hot=arguments.one_hot),
        "ensembles": lambda: ensembles(results),
        "reading": lambda: reading(results),
        "profile": lambda: profile(results, before),
    }
    lines = [HEADING]
    for part in arguments.parts:
        for line in made[part]():
            print(line, flush=True)
            lines.append(line)
    if arguments.save:
        arguments.save.write_text(json.dumps(results), encoding="utf-8")
    if arguments.page:
        page = arguments.page.read_text(encoding="utf-8").partition(HEADING)[0]
        arguments.page.write_text(page + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
