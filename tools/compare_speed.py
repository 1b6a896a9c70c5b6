"""Time the same fits and predictions in two checkouts, in turns, and print the ratios.

    python tools/compare_speed.py BEFORE AFTER            # folders with src/ and a built module
    python tools/compare_speed.py BEFORE AFTER --repeat 9

Each measurement is a process of its own; processor time counts, and the least of the repetitions.
The models have the parameters of the older checkout where defaults have changed since, so that both
do the same work.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

CODE = """
import json, sys, time, warnings
import numpy as np
import mixedwood as mw
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n = 20_000
X = {f"n{c}": rng.choice([f"v{i}" for i in range(20 * (c + 1))], n) for c in range(4)}
X |= {f"x{c}": rng.normal(size=n).round(3) for c in range(4)}
z = (X["n0"] > "v3") + 2.0 * (X["x0"] > 0) * (X["n1"] < "v5") + X["x1"] + rng.normal(size=n)
y = np.digitize(z, [0.0, 1.5])
bits = {f"b{c}": rng.random(2000) < 0.4 for c in range(30)}
labels = (bits["b0"] & bits["b1"]) ^ (bits["b2"] & (rng.random(2000) < 0.8))
small = {k: v[:500] for k, v in X.items()}


def make(kind, **parameters):
    known = kind().get_params()
    return kind(**{name: value for name, value in parameters.items() if name in known})


def tree(**parameters):
    return make(mw.TreeClassifier, selection="score", **parameters)


member = tree(criterion="gini", max_features="sqrt", pruning=None)
forest = make(mw.ForestClassifier, estimator=member, n_estimators=10, random_state=0)
boosted = make(
    mw.BoostedTreesClassifier, n_estimators=30, partitioner="random_order", selection="score",
    cat_smooth=0.0, max_features=0.5, random_state=0,
)
models = {
    "tree": (tree(pruning=None), X, y),
    "tree, pruned": (tree(), X, y),
    "forest of 10": (forest, X, y),
    "boosted, 30 iterations": (boosted, X, y),
    "optimal, depth 3": (make(mw.OptimalTreeClassifier, max_depth=3, ccp_alpha=0.0), bits, labels),
    "tree of 500 rows": (tree(pruning=None), small, y[:500]),
}
found = {}
for name, (model, X, y) in models.items():
    model.fit({k: v[:50] for k, v in X.items()}, y[:50])  # imports
    start = time.process_time()
    model.fit(X, y)
    middle = time.process_time()
    model.predict_proba(X)
    found[name] = (middle - start, time.process_time() - middle)
print(json.dumps(found))
"""


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    least: dict[str, dict[str, list[float]]] = {}
    for _ in range(arguments.repeat):
        for folder in (arguments.before, arguments.after):
            environment = {**os.environ, "PYTHONPATH": f"{folder}/src"}
            run = [sys.executable, "-c", CODE]
            out = subprocess.run(run, env=environment, check=True, capture_output=True).stdout
            for name, times in json.loads(out).items():
                kept = least.setdefault(name, {}).setdefault(folder, times)
                least[name][folder] = [min(a, b) for a, b in zip(kept, times, strict=True)]
    print("| model | fit before ms | after ms | ratio | predict before ms | after ms | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, times in least.items():
        cells = []
        for stage in (0, 1):
            before, after = (times[f][stage] for f in (arguments.before, arguments.after))
            cells += [f"{1e3 * before:.1f}", f"{1e3 * after:.1f}", f"{after / before:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
