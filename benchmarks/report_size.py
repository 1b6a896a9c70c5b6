"""Reports of three tables: seconds to build, size, and what a browser and axe find wrong with them.

Adult (boosted trees), a generated table like the list of passengers of the Titanic (a tree) and
diamonds (a forest of numbers); each model is fitted on half of the rows and reported on the other.
The browser needs Chromium; axe-core is found in node_modules or by AXE_CORE. With --pictures, pages
are drawn in four sizes and two color schemes.

    MIXEDWOOD_DATA=... python benchmarks/report_size.py --out out/reports --pictures
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import mixedwood as mw

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.axe import find_axe, violations
from support.browser import Browser, find_browser

SIZES = {"wide": (1600, 1000), "desk": (1200, 900), "tablet": (800, 1100), "phone": (390, 844)}


def adult():
    data = mw.datasets.load("adult", frame="pandas")
    return mw.BoostedTreesClassifier(random_state=0), data.X, np.asarray(data.y)


def passengers(n=1309):
    """Names, tickets, gaps, a number of the row, and survival by class, sex and age."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], n, p=[0.36, 0.64])
    grade = rng.choice(["1st", "2nd", "3rd"], n, p=[0.25, 0.21, 0.54])
    age = np.clip(rng.gamma(5, 6, n), 0.5, 80).round(1)
    fare = np.exp(rng.normal({"1st": 4.1, "2nd": 3.0, "3rd": 2.4}["2nd"], 0.4, n))
    fare *= pd.Series(grade).map({"1st": 3.5, "2nd": 1.0, "3rd": 0.5}).to_numpy()
    odds = 2.4 * (sex == "female") + 1.6 * (grade == "1st") + 0.8 * (grade == "2nd") - 2.1
    odds += 1.5 * (age < 12) - 0.02 * age
    survived = rng.random(n) < 1 / (1 + np.exp(-odds))
    X = pd.DataFrame(
        {
            "passenger": np.arange(1, n + 1),
            "name": [f"Passenger {i}" for i in range(n)],
            "class": grade,
            "sex": sex,
            "age": np.where(rng.random(n) < 0.2, np.nan, age),
            "fare": fare.round(2),
            "cabin": np.where(rng.random(n) < 0.77, None, rng.choice(list("ABCDEF"), n)),
            "embarked": rng.choice(
                ["Cherbourg", "Queenstown", "Southampton"], n, p=[0.2, 0.1, 0.7]
            ),
        }
    )
    return mw.TreeClassifier(random_state=0), X, np.where(survived, "survived", "died")


def diamonds():
    folder = os.environ.get("MIXEDWOOD_DATA")
    if folder is None:
        raise SystemExit("Set MIXEDWOOD_DATA to a folder with regression/diamonds.csv.gz.")
    table = pd.read_csv(Path(folder) / "regression" / "diamonds.csv.gz")
    y = table.pop("target" if "target" in table else table.columns[-1]).to_numpy(float)
    return mw.ForestRegressor(n_estimators=50, random_state=0), table, y


TABLES = {"adult": adult, "passengers": passengers, "diamonds": diamonds}


def build(name, path):
    model, X, y = TABLES[name]()
    rows = np.random.default_rng(0).permutation(len(y))
    train, test = rows[: len(y) // 2], rows[len(y) // 2 :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X.iloc[train], y[train])
        start, clock = time.process_time(), time.perf_counter()
        report = model.report(X.iloc[test], y[test], title=f"{name}: {type(model).__name__}")
        report.save(path)
    report.save(path.with_suffix(".md"))
    return time.process_time() - start, time.perf_counter() - clock, len(test)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--out", type=Path, default=Path("out/reports"))
    parser.add_argument("--pictures", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    browser = Browser(find_browser()) if find_browser() else None
    axe = find_axe()
    print("| table | rows | CPU s | wall s | MB | requests | complaints | axe |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in args.tables:
        path = args.out / f"{name}.html"
        cpu, wall, rows = build(name, path)
        found = ["-", "-", "-"]
        if browser is not None:
            wrong, requests, complaints = 0, 0, 0
            for size, (width, height) in SIZES.items():
                for dark in (False, True):
                    browser.open(path, width=width, height=height, dark=dark)
                    time.sleep(0.3)
                    requests += len(browser.heard("Network.requestWillBeSent")) - 1
                    complaints += len(
                        browser.heard(
                            "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"
                        )
                    )
                    if axe is not None:
                        for rule in violations(browser, axe):
                            print(name, size, rule, file=sys.stderr)
                            wrong += 1
                    if args.pictures:
                        theme = "dark" if dark else "light"
                        browser.picture(args.out / f"{name}-{size}-{theme}.png")
            found = [requests, complaints, "-" if axe is None else wrong]
        size = path.stat().st_size / 1e6
        cells = [name, rows, f"{cpu:.1f}", f"{wall:.1f}", f"{size:.2f}", *found]
        print("|", " | ".join(map(str, cells)), "|", flush=True)
    if browser is not None:
        browser.close()


if __name__ == "__main__":
    main()
