"""Globs on paths: `*` stays within a folder, `**` does not."""

from __future__ import annotations

from functools import lru_cache

LONGEST = 1000
"""How many characters a glob may have."""
MOST = 1000
"""How many globs a configuration may have."""
MOST_CHARACTERS = 50_000
"""How many characters they may have together: memory and time grow with them."""


@lru_cache(maxsize=2 * MOST)
def _expression(glob: str) -> str:
    from kubelint_gpu import linear

    text, at = "(?s)", 0
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
            text, at = text + linear.escaped(glob[at]), at + 1
    return text


def matches(path: str, glob: str) -> bool:
    """Whether a path with forward slashes matches; a glob that names a folder matches what is in it."""
    from kubelint_gpu import linear

    glob = glob.removeprefix("./")
    return linear.matches(_expression(glob), path) or linear.matches(_expression(glob.rstrip("/") + "/**"), path)
