"""Draw the tree that the README fits: docs/images/tree.svg.

python tools/readme_picture.py
"""

import doctest
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "tree.svg"


def picture() -> str:
    """The SVG of the first model of the README, on white for pages with a dark theme."""
    text = (ROOT / "README.md").read_text("utf-8")
    first = re.search(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    assert first is not None, "README.md has no Python code"
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(first.group(1)):
        exec(example.source, names)
    svg: str = names["model"].tree_.to_svg()
    return svg.replace("<svg ", '<svg style="background: white" ', 1) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
