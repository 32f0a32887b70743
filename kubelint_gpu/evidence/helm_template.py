"""What `helm template` says of its output: the file of the chart that each object comes from."""

from __future__ import annotations

import re

from kubelint_gpu.findings.finding import Related
from kubelint_gpu.patterns import pattern
from kubelint_gpu.workspace.manifest import Manifest, place_of

_SOURCE = pattern(r"^# Source: (?P<path>\S[^\r\n]*)", re.MULTILINE)


def template_of(manifest: Manifest | None) -> Related | None:
    """The comment that names the template of a rendered object; None where there is none."""
    if manifest is None or manifest.origin is not None:
        return None
    document = manifest.item.document
    start, end = document.chunk
    found = _SOURCE().search(document.source.text, start, min(end, max(start, document.root[0])))
    if found is None:
        return None
    path = found["path"].rstrip()
    span = document.source.span(found.start("path"), found.start("path") + len(path))
    return Related(place_of(manifest.path, span), f"rendered from {path}")
