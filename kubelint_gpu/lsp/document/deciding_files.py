"""The objects of other directories that decide about a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kubelint_gpu.documents import Reading
from kubelint_gpu.workspace.deciding import may_decide, meant_in
from kubelint_gpu.workspace.elsewhere import Elsewhere
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.project.targets import in_kustomized_folder

_MOST = 200


def deciding(
    readings: Sequence[Reading], words: Mapping[str, frozenset[str]], read: Callable[[Sequence[str]], list[Reading]]
) -> list[Manifest]:
    """Return what decides about some files; nothing if that takes more files than an editor can wait for.

    Args:
        readings: the files.
        words: what stands in the other files of the repository, by absolute path.
        read: reads some of these.
    """
    meant = meant_in([one.text for one in readings])
    found = {path for path, each in words.items() if may_decide(each, meant) and not in_kustomized_folder(path)}
    folders = {Path(path).parent for path in found}
    near = {
        path
        for path, each in (words.items() if found else ())
        if Path(path).parent in folders or not meant.declared.isdisjoint(each)
    }
    if len(found | near) > _MOST:
        return []
    return Elsewhere([readings, *([one] for one in read(sorted(found | near)))], judged=1).seen_by(0)
