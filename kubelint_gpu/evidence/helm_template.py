"""The comment of `helm template` with the chart's file that an object comes from."""

from __future__ import annotations

from kubelint_gpu.findings.finding import Related
from kubelint_gpu.sources.helm.sections import source_comment
from kubelint_gpu.workspace.manifest import Manifest, place_of


def template_of(manifest: Manifest | None) -> Related | None:
    """The comment that names the template of a rendered object; None if there is none."""
    if manifest is None or manifest.origin is not None:
        return None
    found = source_comment(manifest.item.document)
    return Related(place_of(manifest.path, found[1]), f"rendered from {found[0]}") if found is not None else None
