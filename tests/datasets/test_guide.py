"""The examples of the guide page run and give what the page shows."""

import doctest
import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "datasets.md"


def test_the_examples_of_the_guide_run():
    for package in ("pandas", "polars"):
        pytest.importorskip(package)
    text = re.sub(r"^```.*$", "", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, GUIDE.name, str(GUIDE), 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert result.attempted > 10
    assert result.failed == 0, "".join(report)
