"""Finds a workload among the manifests by the name that a person uses."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.display import visible
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_SHORT = {
    "cj": "cronjob",
    "deploy": "deployment",
    "ds": "daemonset",
    "po": "pod",
    "rc": "replicationcontroller",
    "rs": "replicaset",
    "sts": "statefulset",
}
_MOST = 8


def find(what: str, units: Sequence[ApplySet]) -> tuple[ApplySet, WorkloadCheck]:
    """The workload for `kind/name` or `namespace/kind/name`; the kind in any case, short or plural.

    Raises:
        click.UsageError: no workload or several match, or it cannot be judged; the message lists the existing ones.
    """
    kind, name, namespace = _parts(what)
    every = [(unit, manifest) for unit in units for manifest in unit.templates if manifest.workload is not None]

    def meant(manifest: Manifest) -> bool:
        kinds = (kind, kind.removesuffix("s"))
        return manifest.name == name and manifest.kind.lower() in kinds and namespace in (None, _namespace(manifest))

    found = [(unit, manifest) for unit, manifest in every if meant(manifest)]
    if not found:
        raise click.UsageError(f'there is no workload "{visible(what)}" in the manifests{_near(what, every)}')
    whole = [(unit, one) for unit, one in found if one.workload is None or not one.workload.partial]
    if len({manifest.item for _, manifest in whole}) > 1:
        raise click.UsageError(_ambiguous(what, [manifest for _, manifest in whole]))
    if not whole:
        manifest = found[0][1]
        raise click.UsageError(
            f"{_where(manifest)}: {visible(manifest.object)} is a patch; render it first (kubectl kustomize) and give "
            "the result, or - for standard input"
        )
    unit, manifest = whole[0]
    # of the templates of a custom resource, the one that asks for the most devices
    judged = [subject for subject in unit.subjects if subject.manifest.item is manifest.item]
    if judged:
        return unit, max(judged, key=_devices)
    problem = manifest.problems[0]
    raise click.UsageError(f"{_where(manifest)}: {visible(manifest.object)} cannot be judged: {visible(str(problem))}")


def _devices(subject: WorkloadCheck) -> int:
    spec = subject.workload.spec
    requests = pod_requests(spec)
    return sum(requests[name] for name in extended_resources(spec))


def called(manifest: Manifest) -> str:
    """An unambiguous name of a workload: `namespace/kind/name`."""
    return f"{_namespace(manifest)}/{manifest.kind}/{manifest.name}"


def _parts(what: str) -> tuple[str, str, str | None]:
    parts = what.split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise click.UsageError(f'"{visible(what)}" is no workload: write kind/name or namespace/kind/name')
    kind = parts[-2].lower()
    return _SHORT.get(kind, kind), parts[-1], parts[0] if len(parts) == 3 else None


def _namespace(manifest: Manifest) -> str:
    return manifest.namespace or "default"


def _near(what: str, every: Sequence[tuple[ApplySet, Manifest]]) -> str:
    import difflib

    if not every:
        return "; they hold none"
    longer = what.count("/") > 1
    names = {(called(manifest) if longer else f"{manifest.kind}/{manifest.name}"): manifest for _, manifest in every}
    lower = {name.lower(): name for name in names}
    near = [lower[one] for one in difflib.get_close_matches(what.lower(), list(lower), 3, 0.6)]
    near = near or [name for name in sorted(names) if name.rpartition("/")[2] == what.rpartition("/")[2]][:3]
    if near:
        return f"; did you mean {visible(' or '.join(near))}?"
    return f"; there {'is' if len(names) == 1 else 'are'} {_some(sorted(names))}"


def _ambiguous(what: str, found: Sequence[Manifest]) -> str:
    lines = [f"  {visible(called(manifest))}  ({_where(manifest)})" for manifest in found[:_MOST]]
    if len(found) > _MOST:
        lines.append(f"  and {len(found) - _MOST} more")
    names = {called(manifest) for manifest in found}
    hint = "give the namespace too" if len(names) == len(found) else "give the file of the one that is meant"
    return f'"{visible(what)}" may be any of these; {hint}:\n' + "\n".join(lines)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST])
    return visible(shown + (f" and {len(names) - _MOST} more" if len(names) > _MOST else ""))


def _where(manifest: Manifest) -> str:
    place = manifest.place(("metadata", "name"))
    return f"{visible(place.path)}:{place.line}"
