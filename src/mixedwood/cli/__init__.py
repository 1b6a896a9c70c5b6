"""The command line: parse, call, print. Data on stdout, messages on stderr."""

import click

from mixedwood import __version__
from mixedwood.cli._output import SafeGroup
from mixedwood.cli.compare import compare
from mixedwood.cli.demo import demo, info
from mixedwood.cli.evaluate import evaluate
from mixedwood.cli.explain import explain
from mixedwood.cli.fit import fit
from mixedwood.cli.predict import predict
from mixedwood.cli.show import show
from mixedwood.cli.study import study

__all__ = ["main"]


@click.group(cls=SafeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mixedwood")
def main() -> None:
    """Decision trees, forests and boosting for tables of categories and numbers."""


for command in (compare, demo, evaluate, explain, fit, info, predict, show, study):
    main.add_command(command)
