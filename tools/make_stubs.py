"""Write src/mixedwood/_core.pyi from the built module; --check only compares."""

import re
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import mixedwood._core as core

TARGET = Path(__file__).parents[1] / "src" / "mixedwood" / "_core.pyi"


# A setting that is read and written is an attribute.
_PROPERTY = re.compile(
    r"    @property\n    def (\w+)\(self\) -> (.+): \.\.\.\n\n"
    r"    @\1\.setter\n    def \1\(self, arg: \2, /\) -> None: \.\.\.\n"
)


def make_stub() -> str:
    """Text of the stub for the module that is installed now."""
    generator = StubGen(core, quiet=True)
    generator.put(core)
    text = _PROPERTY.sub(r"    \1: \2\n", generator.get())
    return re.sub(r"(?<=\n)(    \w+: [^\n]+\n)\n(?=    \w+: )", r"\1", text)


if __name__ == "__main__":
    text = make_stub()
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.read_text() == text else f"{TARGET.name} is stale: run make stubs")
    TARGET.write_text(text)
