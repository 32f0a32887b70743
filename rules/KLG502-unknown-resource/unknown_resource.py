"""Extended resources that no node advertises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.diagnosis import of_cause
from kubelint_gpu.analysis.node_misfit import REMOVED
from kubelint_gpu.builders.gpu_requests import GPU, renamed_requests, request_place
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.gpu.resource_owners import owner_of
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.messages.wording import listed, some
from kubelint_gpu.values import Value


@rule("KLG502", of_workloads=True)
def unknown_resource(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield extended resources that no node advertises and no pool may add."""
    for subject, found in of_cause(unit, "KLG502"):
        resource = found.resource
        names = sorted(name for name in unit.supply.advertised if is_extended(name))
        near = [name for name in [GPU] if name in names] if resource == REMOVED else _near(resource, names)
        near = [name for name in near if name != resource]
        has = f"they have {some(names, 'extended resource')}" if names else "they have no extended resource at all"
        gone = ", which Kubernetes removed in 1.11" if resource == REMOVED else ""
        yield Diagnostic(
            "KLG502",
            request_place(subject, resource),
            unit.supply.lacks_served(resource, subject.pod, found.nodes)
            or f"no node of the inventory advertises {resource}{gone}; {has}",
            subject.manifest,
            cause=resource,
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            help=(f"did you mean {near[0]}?",) if near else (),
            proposals=renamed_requests(subject, resource, near),
        )
    yield from _told_left_out(unit)


class _LeftOut(Value):
    resources: tuple[str, ...]
    owner: str


def _left_out(unit: ApplySet, subject: WorkloadCheck) -> Iterator[_LeftOut]:
    """Yield resources that the pods request from a source that the inventory leaves out."""
    written = subject.manifest.workload
    groups: dict[str, list[str]] = {}
    for name in extended_resources(written.spec) if written is not None and unit.has_nodes else ():
        known = name in unit.supply.advertised or name in unit.supply.mapped or unit.world.ignores(name)
        if owner_of(name) and not known:
            groups.setdefault(owner_of(name), []).append(name)
    for owner, names in groups.items():
        yield _LeftOut(tuple(names), owner)


def _told_left_out(unit: ApplySet) -> Iterator[Diagnostic]:
    for subject in unit.subjects:
        for found in _left_out(unit, subject):
            one = len(found.resources) == 1
            yield Diagnostic(
                "KLG502",
                request_place(subject, found.resources[0]),
                f"{listed(found.resources)} of {found.owner} {'is' if one else 'are'} not in the inventory: "
                "these requests are not checked",
                subject.manifest,
                cause=f"owner/{found.owner}",
                certainty="possible",
                severity="note",
                help=("name it under scheduler.profiles[].ignoredResources of the inventory if that is meant",),
            )


def _near(resource: str, names: Sequence[str]) -> list[str]:
    """Return the names probably meant: of the same domain up to a letter, and similar as a whole."""
    import difflib

    domain = resource.partition("/")[0]
    alike = [name for name in names if difflib.get_close_matches(domain, [name.partition("/")[0]], 1, 0.85)]
    return difflib.get_close_matches(resource, alike, 1, 0.75)
