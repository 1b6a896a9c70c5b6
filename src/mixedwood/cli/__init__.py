"""The command line: parse, call, print. Data on stdout, messages on stderr."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import click

from mixedwood import __version__
from mixedwood.cli._output import SafeGroup

__all__ = ["main"]


@click.group(cls=SafeGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mixedwood")
def main() -> None:
    """Decision trees, forests and boosting for tables of categories and numbers."""


def _commands_of(module: ModuleType) -> list[click.Command]:
    """Commands that a module defines, without those inside a group."""
    commands = [
        value
        for value in vars(module).values()
        if isinstance(value, click.Command)
        and getattr(value.callback, "__module__", None) == module.__name__
    ]
    inner = [c for g in commands if isinstance(g, click.Group) for c in g.commands.values()]
    return [command for command in commands if command not in inner]


# A module whose name has no underscore in front defines commands.
for _module in iter_modules(__path__):
    if not _module.name.startswith("_"):
        for _command in _commands_of(import_module(f"{__name__}.{_module.name}")):
            main.add_command(_command)
