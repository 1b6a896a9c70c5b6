"""The command line: parse, call, print. Data on stdout, messages on stderr."""

import click

from mixedwood import __version__
from mixedwood.cli.compare import compare
from mixedwood.cli.demo import demo
from mixedwood.cli.info import info
from mixedwood.cli.study import study

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mixedwood")
def main() -> None:
    """Decision trees for tables of categories and numbers."""


main.add_command(compare)
main.add_command(demo)
main.add_command(info)
main.add_command(study)
