"""Autoscalers without an existing target."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace.autoscalers import SCALED, TARGET, read_autoscaler

# the kinds of other groups, whose names have a dot, may have a scale subresource of which nothing is known here
_GROUPS = {kind: "" if kind == "ReplicationController" else "apps" for kind in SCALED}


@rule("KLG116")
def hpa_target_missing(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield autoscalers whose target neither is in a manifest nor runs, although a similar object exists."""
    for one in filter(None, map(read_autoscaler, unit.manifests)):
        manifest, target = one.manifest, one.target
        group, kind, name = api_group(target), target.get("kind"), target.get("name")
        if not isinstance(name, str) or "." in group:
            continue
        own, served = _namespace(manifest), _GROUPS.get(str(kind)) == group
        if served and any(pod.key.startswith(f"{own}/{name}-") for pod in unit.cluster.pods):
            continue
        meant, key = _meant(unit, own, (group, str(kind), name))
        if not meant:
            continue
        abroad = key == "namespace"
        where: Pointer = ("metadata", key) if abroad else (*TARGET, key)
        value = {"namespace": _namespace(meant[0]), "name": meant[0].name}.get(key) or str(meant[0].item.value[key])
        found = listed([f"{one.kind} {_namespace(one)}/{one.name}" for one in meant], "or")
        missing = f"it scales {kind} {own}/{name}, which is not there"
        if not served:
            missing = f"{target.get('apiVersion', 'no apiVersion')} has no kind {kind} that can be scaled"
        yield Diagnostic(
            "KLG116",
            manifest.place(where if manifest.present(where) else (*TARGET, "name")),
            f"{missing}: nothing is ever scaled",
            manifest,
            cause="target",
            certainty="certain" if not abroad or (manifest.namespace and meant[0].namespace) else "possible",
            related=tuple(Related(one.place(("metadata", "name")), f"{one.kind} {one.name} is there") for one in meant),
            help=(f"did you mean {found}?",),
            proposals=rewritten(manifest, where, [value]),
        )


def _meant(unit: ApplySet, own: str, called: tuple[str, str, str]) -> tuple[list[Manifest], str]:
    """Return the objects that an autoscaler might mean, and the key to change; none if its target is there."""
    _, kind, name = called
    there = [one for one in _scalable(unit) if _namespace(one) == own]
    if any(_called(one) == called for one in there):
        return [], ""
    alike = sorted((one for one in there if one.name == name), key=lambda one: one.kind != kind)
    if alike:
        return alike, "apiVersion" if alike[0].kind == kind else "kind"
    near = nearest(name, [one.name for one in there if one.kind == kind])
    if near is not None:
        return [one for one in there if (one.kind, one.name) == (kind, near)], "name"
    return [one for one in unit.manifests if _called(one) == called], "namespace"


def _scalable(unit: ApplySet) -> Iterator[Manifest]:
    every = (one for one in (*unit.manifests, *unit.surroundings(SCALED)) if one.kind in SCALED)
    yield from (one for one in every if "apiVersion" in one.item.value)


def _called(manifest: Manifest) -> tuple[str, str, str]:
    return api_group(manifest.item.value), manifest.kind, manifest.name


def _namespace(manifest: Manifest) -> str:
    return manifest.namespace or "default"
