"""The JSON Schema of `kind: ClusterInventory`."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def schema_text() -> str:
    """The schema as `kubelint-gpu inventory schema` prints it: JSON, draft-07."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """The schema as data; nobody changes it."""
    found: dict[str, Any] = json.loads(schema_text())
    return found
