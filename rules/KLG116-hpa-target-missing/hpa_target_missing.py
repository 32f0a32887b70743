"""Autoscalers without an existing target."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, rule
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
        there = [one for one in _scalable(unit) if _namespace(one) == own]
        if any(_called(one) == (group, kind, name) for one in there):
            continue
        if served and any(pod.key.startswith(f"{own}/{name}-") for pod in unit.cluster.pods):
            continue
        abroad = [one for one in unit.manifests if _called(one) == (group, kind, name)]
        alike = sorted((one for one in there if one.name == name), key=lambda one: one.kind != kind)
        near = nearest(name, [one.name for one in there if one.kind == kind])
        meant = alike or [one for one in there if (one.kind, one.name) == (kind, near)] or abroad
        if not meant:
            continue
        where, value = (*TARGET, "name"), meant[0].name
        if alike:
            key = "apiVersion" if meant[0].kind == kind else "kind"
            where, value = (*TARGET, key), str(meant[0].item.value[key])
        elif near is None:
            where, value = ("metadata", "namespace"), _namespace(meant[0])
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
            certainty="certain" if meant != abroad or (manifest.namespace and meant[0].namespace) else "possible",
            related=tuple(Related(one.place(("metadata", "name")), f"{one.kind} {one.name} is there") for one in meant),
            help=(f"did you mean {found}?",),
            proposals=rewritten(manifest, where, [value]),
        )


def _scalable(unit: ApplySet) -> Iterator[Manifest]:
    every = (one for one in (*unit.manifests, *unit.surroundings(SCALED)) if one.kind in SCALED)
    yield from (one for one in every if "apiVersion" in one.item.value)


def _called(manifest: Manifest) -> tuple[str, str, str]:
    return api_group(manifest.item.value), manifest.kind, manifest.name


def _namespace(manifest: Manifest) -> str:
    return manifest.namespace or "default"
