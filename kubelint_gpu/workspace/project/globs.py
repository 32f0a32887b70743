"""Globs on paths: `*` stays within a folder, `**` does not."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    text, at = "", 0
    while at < len(glob):
        if glob.startswith("**/", at):
            text, at = text + "(?:[^/]+/)*", at + 3
        elif glob.startswith("**", at):
            text, at = text + ".*", at + 2
        elif glob[at] == "*":
            text, at = text + "[^/]*", at + 1
        elif glob[at] == "?":
            text, at = text + "[^/]", at + 1
        else:
            text, at = text + re.escape(glob[at]), at + 1
    return re.compile(text)


def matches(path: str, glob: str) -> bool:
    """Whether a path with forward slashes matches; a glob that names a folder matches what is in it."""
    glob = glob.removeprefix("./")
    return (
        _compiled(glob).fullmatch(path) is not None or _compiled(glob.rstrip("/") + "/**").fullmatch(path) is not None
    )
