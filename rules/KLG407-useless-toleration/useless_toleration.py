"""Tolerations of taints that no node has."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import Any

from kubelint_gpu.documents import editing, emitter
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Pointer,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.inventory.gpus.accelerators import is_accelerator
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.messages.wording import some
from kubelint_gpu.values import replace

# taints that the control plane, clouds and autoscalers set for a while, so that no inventory shows them
_PASSING = ("kubernetes.io/", "cloudprovider.kubernetes.io/", "karpenter.sh/", "ToBeDeletedByClusterAutoscaler")
_WELL_KNOWN = ("CriticalAddonsOnly", "DeletionCandidateOfClusterAutoscaler", "dedicated")


@rule("KLG407", of_workloads=True)
def useless_toleration(unit: ApplySet) -> Iterator[Diagnostic]:
    """A toleration that covers no taint: a misspelt one, or one of another cluster."""
    if not unit.has_nodes or not unit.cluster.nodes:
        return
    taints = sorted(
        {(taint.key, taint.value, taint.effect): taint for node in unit.possible_nodes for taint in node.taints}.items()
    )
    known = [taint for _, taint in taints]
    told = {(one.key, value, effect) for one in known for value in (one.value, None) for effect in (one.effect, "")}
    for subject in unit.subjects:
        if subject.workload.spec.node_name or not (unit.fits_somewhere(subject) or unit.may_grow_for(subject)):
            # a pod that fits nowhere has a rule that says why
            continue
        workload = subject.manifest.workload
        listed = field_pointers.at(subject.manifest, (*field_pointers.pod_spec(subject.manifest), "tolerations"))
        written = (
            workload.spec.tolerations[: len(listed) if isinstance(listed, list) else 0] if workload is not None else ()
        )
        for number, toleration in enumerate(written):
            value = None if toleration.operator == "Exists" else toleration.value
            if not toleration.key or (toleration.key, value, toleration.effect) in told or _passes(toleration.key):
                continue
            others = [one for one in (*written, *subject.workload.spec.tolerations) if one is not toleration]
            draft = _draft(unit, subject, number, toleration, others, known)
            if draft is not None:
                yield draft


def _draft(
    unit: ApplySet,
    subject: WorkloadCheck,
    number: int,
    toleration: Toleration,
    others: Sequence[Toleration],
    known: Sequence[Taint],
) -> Diagnostic | None:
    near = _near(toleration, known)
    key = toleration.key
    # manifests that should run anywhere tolerate a taint that is called as the resource on the node
    portable = is_accelerator(key) or key in unit.supply.advertised or "gpu" in key.lower()
    if near is None and (portable or not unit.complete):
        return None
    if subject.controller.node_bound and (near is None or _is_tolerated({toleration.key, near[1]}, others, known)):
        # a DaemonSet tolerates what may come
        return None
    manifest = subject.manifest
    route: Pointer = (*field_pointers.pod_spec(manifest), "tolerations", number)
    if near is None:
        return Diagnostic(
            "KLG407",
            manifest.place((*route, "key")),
            f"no node has a taint {_text(toleration)}: {_instead(known)}",
            manifest,
            cause=f"toleration/{_text(toleration)}",
        )
    field, value = near
    return Diagnostic(
        "KLG407",
        manifest.place((*route, field)),
        f"no node has a taint {_text(toleration)}: {_instead(known)}",
        manifest,
        cause=f"toleration/{_text(toleration)}",
        help=(f"did you mean {field} {value}?",) if value else (),
        proposals=(_proposal(manifest, route, toleration, others, field, value),) if value else (),
    )


def _proposal(
    manifest: Manifest, route: Pointer, toleration: Toleration, others: Sequence[Toleration], field: str, value: str
) -> FixCandidate:
    """Write what was meant; where another toleration says it already, leave this one out."""
    from kubelint_gpu.documents import list_edits

    change: dict[str, Any] = {field: value}
    meant = replace(toleration, **change)
    if any(_says(other, meant) for other in others):
        title = "delete the toleration, another one covers the taint"
        return FixCandidate(title, "unsafe", lambda: [list_edits.remove_entry(manifest.item, route)])
    edit = partial(editing.replace_scalar, manifest.item, (*route, field), emitter.scalar_text(value))
    return FixCandidate(f"write {value}", "unsafe", lambda: [edit()])


def _is_tolerated(keys: Container[str], tolerations: Sequence[Toleration], known: Sequence[Taint]) -> bool:
    return all(any(one.tolerates(taint) for one in tolerations) for taint in known if taint.key in keys)


def _says(one: Toleration, other: Toleration) -> bool:
    """Whether a toleration covers all that another one does, for as long."""
    if one.seconds != other.seconds or (one.effect and one.effect != other.effect):
        return False
    if one.key and one.key != other.key:
        return False
    return one.operator == "Exists" or (one.operator, one.value) == (other.operator, other.value)


def _near(toleration: Toleration, known: Sequence[Taint]) -> tuple[str, str] | None:
    """The field that keeps it from covering a taint, and what would do; None where no taint is like it."""
    import difflib

    same = [taint for taint in known if taint.key == toleration.key]
    if same:
        if toleration.effect and all(taint.effect != toleration.effect for taint in same):
            effects = sorted({taint.effect for taint in same})
            return "effect", effects[0] if len(effects) == 1 else ""
        values = sorted({taint.value for taint in same})
        return ("value" if toleration.value else "key"), values[0] if len(values) == 1 and toleration.value else ""
    close = difflib.get_close_matches(toleration.key, sorted({taint.key for taint in known}), 1, 0.8)
    return ("key", close[0]) if close else None


def _passes(key: str) -> bool:
    prefix = key.rpartition("/")[0] + "/"
    return key in _WELL_KNOWN or any(prefix.endswith(one) or key.startswith(one) for one in _PASSING)


def _text(toleration: Toleration) -> str:
    value = f"={toleration.value}" if toleration.value else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key}{value}{effect}"


def _instead(known: Sequence[Taint]) -> str:
    if not known:
        return "no node has any taint"
    return f"there {'is' if len(known) == 1 else 'are'} {some([str(taint) for taint in known], 'taint')}"
