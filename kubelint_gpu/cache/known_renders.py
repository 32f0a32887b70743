"""What Kustomize has printed: that depends on the program and on the files that it is given, and on nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.store import Store, packed, unpacked
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT


class StoredRenders:
    """What earlier runs have kept in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def recall(self, program: Program, folder: str, files: Mapping[str, bytes]) -> bytes | None:
        """What a program prints for a folder of some files; None where it is not known."""
        key = _key(program, folder, files)
        found = self._store.get(key) if key is not None else None
        return unpacked(found, MOST_OUTPUT) if found is not None else None

    def keep(self, program: Program, folder: str, files: Mapping[str, bytes], printed: bytes) -> None:
        """Write down what it has printed, without further flags."""
        key = _key(program, folder, files)
        if key is not None:
            self._store.put(key, packed(printed))


def _key(program: Program, folder: str, files: Mapping[str, bytes]) -> str | None:
    """What a render is found by; None where the program is gone."""
    from kubelint_gpu.cache.program_identity import program_identity

    try:
        found = Path(program.command[0]).stat()
    except OSError:
        return None
    which = (*program.command, f"{found.st_size} {found.st_mtime_ns} {found.st_ino}")
    named = (part for name in sorted(files) for part in (name, files[name]))
    return digest_of(("render", program_identity(), digest_of(which), folder, digest_of(named)))
