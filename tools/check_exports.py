"""Compare exported models with the models: random models, rows and formats.

    python tools/check_exports.py --models 300 --rows 5000

Models are those of tests/exports/test_export.py, in turn, with hostile names and labels, missing
values, unknown categories and numbers at thresholds. In every fourth turn a column has 66 to 1,500
categories; in the others there are 150 to 600 rows. Classes must be equal in each row, and
probabilities and numbers too: exactly in SQL, C and Python, apart from the last digits of
exponentials; to 1e-13 by the reader of JSON, 1e-12 in ONNX and 1e-6 in treelite. Models that a
format refuses are counted, and so is what they consist of. Exported C is compiled by gcc and clang
under sanitizers, and also run on random bytes.
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from exports.test_export import (
    MAKERS,
    RUNNERS,
    SLACK,
    at_bounds,
    check,
    random_model,
    random_rows,
    stop_server,
)
from mixedwood.exports import ExportError
from mixedwood.exports.describe import describe


def count_parts(model, found):
    """Add what a model consists of to the counts."""
    described = describe(model)
    wide = 0
    for part in described["parts"]:
        found["linear members"] += part["aggregate"] == "linear"
        for tree in part["trees"]:
            found["trees"] += 1
            for node in tree["nodes"]:
                found[f"{node['split']} nodes"] += 1
                found["linear models in leaves"] += "formula" in node and node["split"] == "leaf"
                wide = max([wide, *map(len, node.get("categories", ()))])
    for least in (64, 1000):
        found[f"models with a set of more than {least} categories"] += wide > least


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--skip", type=int, default=0, help="models to leave out at the beginning")
    parser.add_argument("--first", type=int, default=1000, help="seed of the first model")
    parser.add_argument("--formats", nargs="*", default=list(RUNNERS), choices=list(RUNNERS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    equal, refused, failed, skipped = Counter(), Counter(), Counter(), Counter()
    parts = Counter()
    for number in range(options.skip, options.models):
        seed = options.first + number
        name = list(MAKERS)[number % len(MAKERS)]
        sizes = np.random.default_rng(seed)
        wide, n = 8, int(sizes.integers(150, 600))
        if number // len(MAKERS) % 4 == 3:
            wide = int(sizes.integers(66, 1500))
            n = 3 * wide
        model, _ = random_model(name, seed, wide, n)
        count_parts(model, parts)
        rng = np.random.default_rng(seed)
        X = at_bounds(model, random_rows(rng, options.rows, wide, unknown=True), rng)
        for to in options.formats:
            try:
                check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))
                equal[to] += 1
            except ExportError:
                refused[to] += 1
            except pytest.skip.Exception as reason:
                skipped[to] += 1
                if skipped[to] == 1:
                    print(f"{to}: {reason}", flush=True)
            except Exception as error:
                failed[to] += 1
                text = f"{name}, seed {seed}, {to}: {type(error).__name__} {error}"
                print(text[:600], flush=True)
        print(f"{number + 1} models", file=sys.stderr, flush=True)
    stop_server()
    print(f"{options.models - options.skip} models x {options.rows} rows")
    print(f"{'format':<12}{'equal':>8}{'refused':>9}{'different':>11}{'skipped':>9}")
    for to in options.formats:
        print(f"{to:<12}{equal[to]:>8}{refused[to]:>9}{failed[to]:>11}{skipped[to]:>9}")
    print(", ".join(f"{count} {what}" for what, count in sorted(parts.items())))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
