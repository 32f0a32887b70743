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
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.messages.wording import some
from kubelint_gpu.values import replace

# taints that the control plane, clouds and autoscalers set for a while, so that no inventory shows them
_PASSING = ("kubernetes.io/", "cloudprovider.kubernetes.io/", "karpenter.sh/", "ToBeDeletedByClusterAutoscaler")
_WELL_KNOWN = ("CriticalAddonsOnly", "DeletionCandidateOfClusterAutoscaler", "dedicated")


@rule("KLG407", of_workloads=True)
def useless_toleration(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield tolerations of no existing taint: misspelt, or meant for another cluster."""
    if not unit.has_nodes or not unit.cluster.nodes:
        return
    taints = sorted(
        {(taint.key, taint.value, taint.effect): taint for node in unit.possible_nodes for taint in node.taints}.items()
    )
    known = _Known([taint for _, taint in taints])
    told = {
        (one.key, value, effect) for one in known.taints for value in (one.value, None) for effect in (one.effect, "")
    }
    for subject in unit.subjects:
        if subject.workload.spec.node_name or not (unit.fits_somewhere(subject) or unit.may_grow_for(subject)):
            # a pod that fits nowhere has a rule that says why
            continue
        workload = subject.manifest.workload
        listed = field_pointers.at(subject.manifest, (*field_pointers.pod_spec(subject.manifest), "tolerations"))
        written = (
            workload.spec.tolerations[: len(listed) if isinstance(listed, list) else 0] if workload is not None else ()
        )
        every = (*written, *subject.workload.spec.tolerations)
        said = {(one.seconds, *_form(one)) for one in every}
        forms = {_form(one) for one in every if subject.controller.node_bound}
        missed = {taint.key for taint in known.taints if forms.isdisjoint(_wider(_form_of_taint(taint)))}
        for number, toleration in enumerate(written):
            value = None if toleration.operator == "Exists" else toleration.value
            if not toleration.key or (toleration.key, value, toleration.effect) in told or _passes(toleration.key):
                continue
            draft = _draft(unit, subject, number, toleration, said, missed, known)
            if draft is not None:
                yield draft


def _draft(
    unit: ApplySet,
    subject: WorkloadCheck,
    number: int,
    toleration: Toleration,
    said: Container[tuple[int | None, str, str, str, str | None]],
    missed: frozenset[str] | set[str],
    known: _Known,
) -> Diagnostic | None:
    near = known.near(toleration)
    key = toleration.key
    # manifests that should run anywhere tolerate a taint that is called as the resource on the node
    portable = is_accelerator(key) or key in unit.supply.advertised or "gpu" in key.lower()
    if near is None and (portable or not unit.complete):
        return None
    if subject.controller.node_bound and (near is None or missed.isdisjoint((toleration.key, near[1]))):
        # a DaemonSet tolerates what may come
        return None
    manifest = subject.manifest
    route: Pointer = (*field_pointers.pod_spec(manifest), "tolerations", number)
    if near is None:
        return Diagnostic(
            "KLG407",
            manifest.place((*route, "key")),
            f"no node has a taint {_text(toleration)}: {known.text}",
            manifest,
            cause=f"toleration/{_text(toleration)}",
        )
    field, value = near
    return Diagnostic(
        "KLG407",
        manifest.place((*route, field)),
        f"no node has a taint {_text(toleration)}: {known.text}",
        manifest,
        cause=f"toleration/{_text(toleration)}",
        help=(f"did you mean {field} {value}?",) if value else (),
        proposals=(_proposal(manifest, route, toleration, said, field, value),) if value else (),
    )


def _proposal(
    manifest: Manifest,
    route: Pointer,
    toleration: Toleration,
    said: Container[tuple[int | None, str, str, str, str | None]],
    field: str,
    value: str,
) -> FixCandidate:
    """Return the fix: the intended toleration, or its removal if another toleration covers the taint for as long."""
    from kubelint_gpu.documents import moves

    change: dict[str, Any] = {field: value}
    meant = replace(toleration, **change)
    if any((meant.seconds, *form) in said for form in _wider(_form(meant))):
        title = "delete the toleration, another one covers the taint"
        return FixCandidate(title, "unsafe", lambda: [moves.remove_entry(manifest.item, route)])
    edit = partial(editing.replace_scalar, manifest.item, (*route, field), emitter.scalar_text(value))
    return FixCandidate(f"write {value}", "unsafe", lambda: [edit()])


_Form = tuple[str, str, str, str | None]
"""The effect, key, operator and value of a toleration; no value where the operator is Exists."""


def _form(one: Toleration) -> _Form:
    return one.effect, one.key, one.operator, None if one.operator == "Exists" else one.value


def _form_of_taint(taint: Taint) -> _Form:
    return taint.effect, taint.key, "Equal", taint.value


def _wider(form: _Form) -> list[_Form]:
    """Return the form, and the forms that cover everything that it covers."""
    effect, key, operator, value = form
    ends = (operator, value), ("Exists", None)
    return [(one, name, *end) for one in ("", effect) for name in ("", key) for end in ends]


class _Known:
    """The taints of nodes: `text` is their description in findings."""

    def __init__(self, taints: Sequence[Taint]) -> None:
        self.taints = taints
        self.text = _instead(taints)
        self._by_key = grouped((taint.key, taint) for taint in taints)

    def near(self, toleration: Toleration) -> tuple[str, str] | None:
        """Return the field by which it misses a taint, and the right value; None if no taint is similar."""
        same = self._by_key.get(toleration.key)
        if same:
            effects, values = {taint.effect for taint in same}, {taint.value for taint in same}
            if toleration.effect and toleration.effect not in effects:
                return "effect", effects.pop() if len(effects) == 1 else ""
            value = values.pop() if len(values) == 1 and toleration.value else ""
            return ("value" if toleration.value else "key"), value
        import difflib

        close = difflib.get_close_matches(toleration.key, sorted(self._by_key), 1, 0.8)
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
