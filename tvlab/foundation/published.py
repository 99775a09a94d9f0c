"""The paper's own figures (arXiv 2607.15660), for columns that stand beside measured ones and never in them."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any


@lru_cache(maxsize=1)
def published() -> dict[str, Any]:
    """Return the published figures as reported; a null is a figure that is not known."""
    return json.loads((resources.files("tvlab") / "data" / "published.json").read_text(encoding="utf-8"))
