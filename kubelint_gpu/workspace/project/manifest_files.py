"""The files of a run, read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.defect import defect
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.files import SKIMMED
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.charts import render_charts
from kubelint_gpu.workspace.project.kept.known_files import KnownFiles
from kubelint_gpu.workspace.project.kustomizations import RenderSettings, render_all
from kubelint_gpu.workspace.project.progress import progress

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store


def read_all(files: list[SourceFile], defects: list[Finding], store: Store | None = None) -> Iterator[Reading]:
    """The files from the last to the first; each is dropped when it is read."""
    known = KnownFiles(store, SKIMMED)
    with progress("reading", len(files)) as tell:
        for number in range(1, len(files) + 1):
            file = files.pop()
            tell(number, file.path)
            try:
                reading = known.read(file.path, file.data)
            except Exception as error:  # noqa: BLE001 - one file must not hide what the others have
                defects.append(defect(Place(file.path, 1, 1, 1, 1), "this file is not read", error))
            else:
                yield reading


def context_of(paths: Sequence[str], kustomize: RenderSettings, defects: list[Finding]) -> tuple[Manifest, ...]:
    """The objects that the configuration says are deployed beside those of a run, rendered where that is needed."""
    files = collect(paths).files
    if not files:
        return ()
    names = [file.path for file in files]
    built = render_all((), names, kustomize).with_charts(render_charts((), names, kustomize.helm))
    defects += built.defects
    plain = read_all([file for file in files if not built.takes(file.path)], defects)
    return manifests((*plain, *built.readings), {one.path: one.origins for one in built.rendered})
