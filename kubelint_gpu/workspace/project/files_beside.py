"""Files of the repository that no path of a run names, and whose objects decide about its manifests."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.files import SUFFIXES, display_path
from kubelint_gpu.sources.git import GitError, files_with
from kubelint_gpu.workspace.deciding import DECISIVE, names_in
from kubelint_gpu.workspace.project.targets import in_kustomized_folder

_MOST = 1_000
_KINDS = ("PriorityClass", "RuntimeClass", "StorageClass")
_NAMED = pattern(r"""\b(?:priority|runtime|storage)ClassName["']?[ \t]*:[ \t]*["']?([a-z0-9][a-z0-9.-]*)""")
_WITH_PODS = ("containers", "replicas", "resources")
_DECLARED = pattern(r"""(?m)^(?:[ \t]+|metadata:[ \t]*\{[^}\n]*?)["']?name["']?:[ \t]*["']?([a-z0-9][\w.-]*)""")
_BUILT_IN = "system-"


def files_beside(manifests: Iterable[bytes], read: Sequence[str], root: Path) -> list[SourceFile]:
    """Return the tracked files with classes that manifests name, or with objects that decide about them.

    With the latter come the files that declare an object of the same name as the manifests: they show which folders are
    variants of each other.

    Args:
        manifests: the contents of the files of the run.
        read: the paths that the run reads anyway, and those that are no manifests.
        root: the root of the repository; without git nothing is looked for.
    """
    if not os.path.lexists(root / ".git"):
        return []
    texts = [data.decode("utf-8", "replace") for data in manifests]
    known = {os.path.realpath(path) for path in read}
    try:
        classes = _holding(_KINDS, root, known) if _lack_a_class(texts) else []
        return [*classes, *_deciding([text for text in texts if any(map(text.__contains__, _WITH_PODS))], root, known)]
    except GitError:
        return []


def _deciding(texts: Sequence[str], root: Path, known: Collection[str]) -> list[SourceFile]:
    """Return the files with what decides about some manifests, and those that show which folders are variants."""
    meant = frozenset(word for text in texts for word in names_in(text))
    found = [file for file in _holding(sorted(DECISIVE), root, known) if _is_about(file, meant)] if meant else []
    declared = sorted({name for text in texts for name in _DECLARED().findall(text)})
    if not found or len(declared) > _MOST:
        return []
    alike = files_with([f"name: {name}" for name in declared], root)
    if len(alike) > _MOST:
        return []
    return [*found, *_files(alike, {*known, *(os.path.realpath(file.path) for file in found)})]


def _holding(kinds: Sequence[str], root: Path, known: Collection[str]) -> list[SourceFile]:
    return _files(files_with([f"kind: {kind}" for kind in kinds], root), known)


def _files(paths: Iterable[Path], known: Collection[str]) -> list[SourceFile]:
    wanted = [path for path in paths if path.name.endswith(SUFFIXES) and os.path.realpath(path) not in known]
    return [*collect([display_path(path, Path.cwd()) for path in wanted[:_MOST] if path.is_file()]).files]


def _is_about(file: SourceFile, meant: Collection[str]) -> bool:
    """Whether a plain manifest holds one of the names, which may be of an object or of its namespace."""
    names = names_in(file.data.decode("utf-8", "replace"))
    return not names.isdisjoint(meant) and not in_kustomized_folder(file.path)


def _lack_a_class(texts: Iterable[str]) -> bool:
    """Whether a class is named that none of the texts declares."""
    texts = list(texts)
    named = {found[1] for text in texts if "ClassName" in text for found in _NAMED().finditer(text)}
    missing = {name for name in named if not name.startswith(_BUILT_IN)}
    for text in (one for one in texts if any(kind in one for kind in _KINDS)):
        missing -= {name for name in missing if f"name: {name}" in text or f'"{name}"' in text}
    return bool(missing)
