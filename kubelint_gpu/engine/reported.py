"""Turns drafts into findings, each with its own fingerprint."""

from __future__ import annotations

from kubelint_gpu.analysis.devices.written_claims import KINDS, users_of
from kubelint_gpu.engine.causes import shared_of
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.overlays import layers
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Finding, Place, Related, Step, fingerprint
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_SCHEDULER = "kube-scheduler"


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
        trace=draft.trace if unit is None else _located(unit, draft),
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


def _located(unit: ApplySet, draft: Diagnostic) -> tuple[Step, ...]:
    """The steps of a finding, each with the place of its workload, node or quota, unless that is the finding's own."""
    if not draft.trace:
        return ()
    subjects = {one.workload.key: one for one in unit.subjects}
    others = {key: one.manifest for key, one in subjects.items() if one.manifest is not draft.manifest}

    def place(step: Step) -> Place | None:
        kind, _, name = step.about.partition("/")
        if step.actor == _SCHEDULER and step.about in subjects:
            return _request(subjects[step.about])
        if kind == "ResourceQuota":
            namespace, _, quota = name.partition("/")
            return next((one.place for one in told_at(unit, kind, quota, "", namespace, ("spec", "hard"))), None)
        node = unit.world.declared(kind, name) if kind == "Node" else None
        if node is not None:
            return unit.world.place(node)
        manifest = others.get(step.about)
        return manifest.place(field_pointers.strategy(manifest), "key") if manifest is not None else None

    return tuple(replace(step, place=place(step)) for step in draft.trace)


def _request(subject: WorkloadCheck) -> Place | None:
    """The place of the request that the scheduler looks at: devices, if it asks for any."""
    resource = next(iter(extended_resources(subject.workload.spec)), "cpu")
    route = next(iter(field_pointers.requests(subject.manifest, resource)), None)
    return subject.manifest.place(route) if route is not None else None
