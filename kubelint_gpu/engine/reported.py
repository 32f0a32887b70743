"""Turns drafts into findings, each with its own fingerprint."""

from __future__ import annotations

from kubelint_gpu.analysis.devices.written_claims import KINDS, users_of
from kubelint_gpu.engine.causes import shared_of
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.overlays import layers
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Finding, Related, fingerprint
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.apply_set import ApplySet


def finding_of(draft: Diagnostic, more: tuple[Related, ...] = (), unit: ApplySet | None = None) -> Finding:
    """The finding of a draft, before its fixes are tried; `more` are additional related places.

    With `unit`, it includes what the finding has in common with others.
    """
    manifest = draft.manifest
    name, part = (manifest.object, manifest.part) if manifest is not None else ("", "")
    found = Finding(
        code=draft.code,
        name=rule(draft.code).name,
        severity=draft.effective_severity,
        certainty=draft.certainty,
        message=draft.sentence,
        place=draft.place,
        object=name,
        scheduler=draft.scheduler,
        related=(*draft.related, *more, *layers(draft)),
        trace=draft.trace,
        cycle=tuple(sentence for sentence in draft.cycle if sentence),
        help=draft.help,
        cause=draft.cause,
        moment=draft.moment,
        shared=shared_of(draft, unit.first_path) if unit is not None else None,
        others=users_of(unit, manifest) if unit and manifest and manifest.kind in KINDS else (),
        part=part,
        undecided=draft.undecided,
    )
    return identified(found)


def identified(finding: Finding) -> Finding:
    """The finding with a fingerprint of its place and cause."""
    parts = (finding.code, finding.place.path, finding.object, finding.cause, *filter(None, [finding.part]))
    return replace(finding, fingerprint=fingerprint(*parts))
