"""scikit-learn's checks of every estimator: how many pass, and which are excused, and why.

    PYTHONPATH=src python tools/sklearn_checks.py [--tests tests] [--reasons]

Runs the tests called `test_scikit_learn_checks`, with whatever scikit-learn is installed, and
prints one line for each estimator. A check is excused where it fails as the tests expect;
`needless` counts excuses for checks that pass.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import sklearn

NAME = "test_scikit_learn_checks"
COLUMNS = ("passed", "excused", "needless", "failed", "skipped")


class Counts:
    """A plugin that counts outcomes by estimator, and keeps what excuses say."""

    def __init__(self) -> None:
        self.of: dict[str, Counter[str]] = defaultdict(Counter)
        self.excuses: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count what a check came to; setting it up may skip it."""
        found = re.search(rf"{NAME}\[(.*)-(check_\w+)(?:\(.*\))?\]$", report.nodeid, re.DOTALL)
        if found is None or (report.when != "call" and not report.skipped):
            return
        estimator, check = found.groups()
        reason = getattr(report, "wasxfail", None)
        outcome = report.outcome
        if reason is not None:
            outcome = "excused"
            self.excuses[estimator].append((check, reason.removeprefix("reason: ")))
        elif "[XPASS(strict)]" in str(report.longrepr):
            outcome = "needless"
        self.of[estimator][outcome] += 1


def main() -> int:
    """Print the table; the exit code says whether any check failed or was excused needlessly."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", default="tests", help="folder of the tests")
    parser.add_argument("--reasons", action="store_true", help="print what is excused, and why")
    arguments = parser.parse_args()
    files = [
        str(path)
        for path in sorted(Path(arguments.tests).rglob("test_*.py"))
        if NAME in path.read_text(encoding="utf-8")
    ]
    counts = Counts()
    with contextlib.redirect_stdout(io.StringIO()) as said:
        code = pytest.main(["-q", "-k", NAME, "-p", "no:cacheprovider", *files], plugins=[counts])
    if not counts.of:
        print(said.getvalue())
        return int(code) or 1
    names = {estimator: re.sub(r"\s+", " ", estimator) for estimator in counts.of}
    width = min(72, max(map(len, names.values())))
    print(f"scikit-learn {sklearn.__version__}\n{'estimator':{width}} " + " ".join(COLUMNS))
    total: Counter[str] = Counter()
    for estimator, of in counts.of.items():
        total += of
        numbers = " ".join(f"{of[column]:{len(column)}}" for column in COLUMNS)
        print(f"{names[estimator][:width]:{width}} {numbers}")
        for check, reason in counts.excuses[estimator] if arguments.reasons else ():
            print(f"    {check}: {reason}")
    print(f"{'all':{width}} " + " ".join(f"{total[c]:{len(c)}}" for c in COLUMNS))
    return int(total["failed"] + total["needless"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
