"""Accessibility checks by axe-core, which is found in node_modules or named by AXE_CORE."""

import json
import os
from pathlib import Path

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def find_axe():
    """Path of axe.min.js, or None: `npm install axe-core` in the repository, or AXE_CORE."""
    named = os.environ.get("AXE_CORE")
    places = [Path(named)] if named else []
    root = Path(__file__).parents[2]
    places += [folder / "node_modules/axe-core/axe.min.js" for folder in (root, *root.parents)]
    return next((place for place in places if place.is_file()), None)


def violations(browser, path):
    """What axe finds wrong in the open page: rule, number of elements, and the first of them."""
    browser.run(path.read_text("utf-8") + ";0")
    browser.run(
        "axe.run(document, {runOnly: {type: 'tag', values: "
        + json.dumps(RULES)
        + "}}).then((r) => { window.found_ = r.violations.map((v) =>"
        " [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), v.nodes[0].failureSummary]); }, "
        "(e) => { window.found_ = [['axe failed', 0, String(e), '']]; }), 0"
    )
    import time

    for _ in range(600):
        found = browser.run("window.found_ ?? null")
        if found is not None:
            return found
        time.sleep(0.1)
    raise TimeoutError("axe did not finish")
