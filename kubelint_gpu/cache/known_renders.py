"""The output of Kustomize, which depends only on the program and its input files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.store import Store, packed, unpacked
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT


class StoredRenders:
    """The renders that earlier runs have kept in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def recall(self, program: Program, folder: str, files: Mapping[str, bytes]) -> bytes | None:
        """The output of a program for a folder with some files; None if unknown."""
        key = _key(program, folder, files)
        found = self._store.get(key) if key is not None else None
        return unpacked(found, MOST_OUTPUT) if found is not None else None

    def keep(self, program: Program, folder: str, files: Mapping[str, bytes], printed: bytes) -> None:
        """Store the output of a program without further flags."""
        key = _key(program, folder, files)
        if key is not None:
            self._store.put(key, packed(printed))


def _key(program: Program, folder: str, files: Mapping[str, bytes]) -> str | None:
    """The key of a render; None if the program does not exist any more."""
    from kubelint_gpu.cache.digests import program_identity

    try:
        found = Path(program.command[0]).stat()
    except OSError:
        return None
    which = (*program.command, f"{found.st_size} {found.st_mtime_ns} {found.st_ino}")
    named = (part for name in sorted(files) for part in (name, files[name]))
    return digest_of(("render", program_identity(), digest_of(which), folder, digest_of(named)))
