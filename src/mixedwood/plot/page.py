"""What pages and parts of pages need to be safe: escaped data, and a policy that allows no more."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["content_policy", "embed_json", "read_script"]


def content_policy(style: str, script: str) -> str:
    """Content security policy of a page: its own style and script, known by their hashes.

    Examples
    --------
    >>> content_policy("", "")[:19]
    "default-src 'none';"
    """
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def embed_json(content: Any) -> str:
    r"""JSON for a script element or an attribute in single quotes, where no tag or entity begins.

    Examples
    --------
    >>> print(embed_json(["</script>", "it's"]))
    ["\u003c/script\u003e","it\u0027s"]
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    for char in "<>&'":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


@cache
def read_script(path: Path) -> str:
    """Read a script or style; comments in lines of their own and indentation are removed."""
    return re.sub(r"(?m)^\s*(//.*)?\n?", "", path.read_text("utf-8"))
