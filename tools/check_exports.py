"""Compare exported models with the models: random models, rows and formats.

    python tools/check_exports.py --models 300 --rows 5000

Models are those of tests/exports/test_export.py, in turn, with hostile names and labels, missing
values and unknown categories; every eighth one has a column of up to 1,500 categories. Classes must
be equal in each row, and probabilities and numbers too: exactly in SQL and C, apart from the last
digits of exponentials; to 1e-13 by the reader of JSON, 1e-12 in ONNX and 1e-6 in treelite. Models
that a format refuses are counted.
"""

import argparse
import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from exports.test_export import (
    MAKERS,
    RUNNERS,
    SLACK,
    check,
    random_model,
    random_rows,
    stop_server,
)
from mixedwood.exports import ExportError


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first model")
    parser.add_argument("--formats", nargs="*", default=list(RUNNERS), choices=list(RUNNERS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    equal, refused, failed = Counter(), Counter(), Counter()
    for number in range(options.models):
        seed = options.first + number
        name = list(MAKERS)[number % len(MAKERS)]
        wide = int(np.random.default_rng(seed).integers(20, 1500)) if number % 8 == 7 else 8
        model, _ = random_model(name, seed, wide, n=150 if wide == 8 else 3 * wide)
        X = random_rows(np.random.default_rng(seed), options.rows, wide, unknown=True)
        for to in options.formats:
            try:
                check(model, X, *RUNNERS[to](model, X), SLACK.get(to, 0.0))
                equal[to] += 1
            except ExportError:
                refused[to] += 1
            except Exception as error:
                failed[to] += 1
                text = f"{name}, seed {seed}, {to}: {type(error).__name__} {error}"
                print(text[:600], flush=True)
        print(f"{number + 1} models", file=sys.stderr, flush=True)
    stop_server()
    print(f"{options.models} models x {options.rows} rows")
    print(f"{'format':<12}{'equal':>8}{'refused':>9}{'different':>11}")
    for to in options.formats:
        print(f"{to:<12}{equal[to]:>8}{refused[to]:>9}{failed[to]:>11}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
