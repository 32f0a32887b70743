"""The parts of a kustomization, and the reasons why it cannot be rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from kubelint_gpu.documents import Reading, read
from kubelint_gpu.sources.files import SKIMMED
from kubelint_gpu.sources.kustomize.files.kustomization import Kustomization, joined, references
from kubelint_gpu.sources.render import Obstacle
from kubelint_gpu.values import Value, replace


class AllowedFiles(Value):
    """The permissions that `--kustomize-flag` gives Kustomize beyond reading files of the repository."""

    helm: bool = False
    plugins: bool = False
    outside: bool = False

    @property
    def anything(self) -> bool:
        """Whether Kustomize works in the user's own folders."""
        return self.helm or self.plugins or self.outside


class Survey(Value, eq=False):
    """The parts of a kustomization.

    Attributes:
        root: the folder to build.
        kustomizations: all kustomizations involved, by folder.
        readings: files with objects, patches and configuration, by path below the root of the tree.
        files: the bytes of every file read, by path below the root of the tree.
        resources: the files that hold whole objects.
        obstacles: why it is not built; empty if it can be.
        objects: the number of objects, those of a base as often as it is used; too low if there are obstacles.
    """

    root: str
    kustomizations: dict[str, Kustomization]
    readings: dict[str, Reading]
    files: dict[str, bytes]
    resources: frozenset[str]
    obstacles: tuple[Obstacle, ...]
    objects: int = 0


def heads_of(found: Survey) -> dict[str, bytes]:
    """Return files of whole objects, by path, without parts that no rule checks; unchanged files are left out.

    Kustomize needs seconds and hundreds of megabytes for the `spec` of custom resource definitions.
    """
    named = (
        (joined(one.folder, reference.text), reference.key)
        for one in found.kustomizations.values()
        for reference in references(one)
    )
    whole = {path for path, key in named if key != "resources"}
    heads = {}
    for path in found.resources - whole:
        reading = found.readings[path]
        if reading.unread and not reading.problems and reading.source is not None:
            text, pieces, last = reading.source.text, [], 0
            for start, end in reading.unread:
                pieces.append(text[last:start])
                last = end
            heads[path] = "".join((*pieces, text[last:])).encode()
    return heads


def with_files(found: Survey, files: Mapping[str, bytes], shown: Callable[[str], str]) -> Survey:
    """Return the survey with other bytes for files that are no kustomizations, by path below the root."""
    readings = {path: read_once(shown(path), data) for path, data in files.items() if path in found.readings}
    return replace(found, files={**found.files, **files}, readings={**found.readings, **readings})


@lru_cache(maxsize=256)
def read_once(path: str, data: bytes) -> Reading:
    """Read a file of a kustomization; cached, because kustomizations often share files."""
    return read(path, data, skimmed=SKIMMED)


@lru_cache(maxsize=16)
def text_of(data: bytes, errors: str = "replace") -> str:
    """Return the text of a file; cached for files of several names.

    Raises:
        UnicodeDecodeError: the bytes are no text, and `errors` are strict.
    """
    return data.decode(errors=errors)
