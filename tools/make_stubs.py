"""Write src/mixedwood/_core.pyi from the built module; --check only compares."""

import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import mixedwood._core as core

TARGET = Path(__file__).parents[1] / "src" / "mixedwood" / "_core.pyi"


def make_stub() -> str:
    """Text of the stub for the module that is installed now."""
    generator = StubGen(core, quiet=True)
    generator.put(core)
    return generator.get()


if __name__ == "__main__":
    text = make_stub()
    if "--check" in sys.argv:
        sys.exit(0 if TARGET.read_text() == text else f"{TARGET.name} is stale: run make stubs")
    TARGET.write_text(text)
