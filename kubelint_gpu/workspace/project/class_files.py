"""Files of the repository that declare classes which the manifests of a run name: they stand in any directory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.files import SUFFIXES, display_path
from kubelint_gpu.sources.git import GitError, files_with

_MOST = 1_000
_KINDS = ("PriorityClass", "RuntimeClass", "StorageClass")
_NAMED = pattern(r"""\b(?:priority|runtime|storage)ClassName["']?[ \t]*:[ \t]*["']?([a-z0-9][a-z0-9.-]*)""")
_BUILT_IN = "system-"


def class_files(manifests: Iterable[bytes], read: Sequence[str], root: Path) -> list[SourceFile]:
    """Return the tracked files that declare classes, if the manifests name a class that none of them declares.

    Args:
        manifests: the contents of the files of the run.
        read: the paths that the run reads anyway.
        root: the root of the repository; without git nothing is looked for.
    """
    named: set[str] = set()
    declaring = []
    for data in manifests:
        if b"ClassName" in data:
            text = data.decode("utf-8", "replace")
            named.update(found[1] for found in _NAMED().finditer(text) if not found[1].startswith(_BUILT_IN))
        if any(kind.encode() in data for kind in _KINDS):
            declaring.append(data.decode("utf-8", "replace"))
    missing = [name for name in sorted(named) if not any(_declares(text, name) for text in declaring)]
    if not missing or not os.path.lexists(root / ".git"):
        return []
    try:
        found = files_with([f"kind: {kind}" for kind in _KINDS], root)
    except GitError:
        return []
    known = {os.path.realpath(path) for path in read}
    paths = [path for path in found if path.name.endswith(SUFFIXES) and os.path.realpath(path) not in known]
    return [*collect([display_path(path, Path.cwd()) for path in paths[:_MOST] if path.is_file()]).files]


def _declares(text: str, name: str) -> bool:
    return f"name: {name}" in text or f'"{name}"' in text
