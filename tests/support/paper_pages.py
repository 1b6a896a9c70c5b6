"""The tool that makes the pages of the papers' studies, and the names of kept results."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SPEC = spec_from_file_location("papers", ROOT / "tools" / "papers.py")
papers = module_from_spec(_SPEC)
_SPEC.loader.exec_module(papers)

KEPT = sorted(path.stem for path in papers.SAVED.glob("*.json"))
