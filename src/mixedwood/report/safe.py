"""Text on its way into a page: nothing in it can end a tag, start a script or turn the page around.

Every name and label of every page and chart passes through one of these two functions.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

__all__ = ["safe", "safe_json"]


def safe(text: object) -> str:
    """Escape text for HTML and SVG, between tags or inside a quoted attribute.

    Signs that cannot be printed, such as marks that reverse the direction of writing, are shown as
    a question mark.

    Examples
    --------
    >>> safe('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in str(text)))


def safe_json(content: Any) -> str:
    r"""JSON for a script element: no tag or comment can begin in it.

    Examples
    --------
    >>> safe_json(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
