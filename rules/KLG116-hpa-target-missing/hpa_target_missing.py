"""HorizontalPodAutoscalers that scale nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Related, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.workspace.autoscalers import SCALED, TARGET


@rule("KLG116")
def hpa_target_missing(unit: ApplySet) -> Iterator[Diagnostic]:
    """The target of an autoscaler is in no manifest and runs nowhere; something that is there has nearly its name."""
    for manifest in unit.manifests:
        kind, name = (field_pointers.at(manifest, (*TARGET, key)) for key in ("kind", "name"))
        if manifest.kind != "HorizontalPodAutoscaler" or not isinstance(name, str) or kind not in SCALED:
            continue
        there = [one for one in _scalable(unit) if _namespace(one) == _namespace(manifest)]
        pods = f"{_namespace(manifest)}/{name}-"
        if any((one.kind, one.name) == (kind, name) for one in there):
            continue
        if any(pod.key.startswith(pods) for pod in unit.cluster.pods):
            continue
        same_name = [one for one in there if one.name == name]
        near = nearest(name, [one.name for one in there if one.kind == kind])
        meant = same_name or [one for one in there if (one.kind, one.name) == (kind, near)]
        if not meant:
            continue
        field, value = ("kind", meant[0].kind) if same_name else ("name", meant[0].name)
        where = (*TARGET, field)
        found = listed([f"{one.kind} {_namespace(one)}/{one.name}" for one in meant], "or")
        yield Diagnostic(
            "KLG116",
            manifest.place(where),
            f"it scales {kind} {_namespace(manifest)}/{name}, which is not there: nothing is ever scaled",
            manifest,
            cause="target",
            related=tuple(Related(one.place(("metadata", "name")), f"{one.kind} {one.name} is there") for one in meant),
            help=(f"did you mean {found}?",),
            proposals=rewritten(manifest, where, [value]),
        )


def _scalable(unit: ApplySet) -> Iterator[Manifest]:
    yield from (one for one in (*unit.manifests, *unit.surroundings(SCALED)) if one.kind in SCALED)


def _namespace(manifest: Manifest) -> str:
    return manifest.namespace or "default"
