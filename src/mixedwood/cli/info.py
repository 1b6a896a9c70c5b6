"""`mixedwood info`: what is installed here."""

from __future__ import annotations

import json
import platform

import click

from mixedwood import __version__
from mixedwood.cli.printing import deliver, say

_PACKAGES = ["numpy", "scipy", "scikit-learn", "joblib", "narwhals", "click"]
_EXTRAS = ["rich", "matplotlib", "pandas", "polars", "pyarrow"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def info(as_json: bool) -> None:
    """Show versions of mixedwood and of what it uses."""
    from importlib import metadata

    facts = {"mixedwood": __version__, "python": platform.python_version()}
    for name in [*_PACKAGES, *_EXTRAS]:
        try:
            facts[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            facts[name] = "not installed"
    facts["platform"] = platform.platform()
    if as_json:
        deliver(json.dumps(facts))
        return
    for name, value in facts.items():
        say(f"{name:14}{value}")
