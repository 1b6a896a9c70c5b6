"""The guide to the command line: its commands run, and print what it says."""

import doctest
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from mixedwood.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "command-line.md"
# A file is named just before its text.
BLOCK = re.compile(
    r"(?:`(\w+\.csv)`:\n\n)?^```(text|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def commands(text):
    """The commands of a block of a page, each with what it prints."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checker = doctest.OutputChecker()
    n_run = 0
    for name, kind, text in BLOCK.findall(PAGE.read_text("utf-8")):
        if kind == "text":
            Path(name).write_text(text, "utf-8")
            continue
        for command, expected in commands(text):
            words = shlex.split(command)
            assert words[0] == "mixedwood"
            result = CliRunner().invoke(main, words[1:], prog_name="mixedwood")
            # Older versions of click name the short option here.
            output = result.output.replace(" -h' for help.", " --help' for help.")
            shown = re.sub(r"\n{2,}", "\n\n", output)
            wanted = re.sub(r"\n{2,}", "\n<BLANKLINE>\n", expected)
            assert checker.check_output(wanted, shown, doctest.ELLIPSIS), (
                f"{command}\n{result.output}"
            )
            n_run += 1
    assert n_run > 8
