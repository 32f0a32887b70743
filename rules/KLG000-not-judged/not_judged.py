"""Reports what a run did not judge: its work limit was reached, or a kind is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.node_misfit import is_gpu
from kubelint_gpu.documents import value_at
from kubelint_gpu.engine.api import WHO, ApplySet, Diagnostic, Manifest, Place, Pointer, Shared, rule, unjudged_rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.kinds.by_shape import GIT_OPS, is_of_unknown_kind
from kubelint_gpu.kube.kinds.custom_workload import further_rows, row_of
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.messages.wording import NO_WORK, USED_UP, listed
from kubelint_gpu.patterns import pattern

_NO_REQUESTS = ("Class", "Config", "Policy", "Pool", "Profile", "Project", "Queue", "Quota")
"""Ends of kinds that limit or describe what other objects ask for."""
_COUNT = pattern(r"(?:^|[._-]|num)gpus?(?:[._-]?(?:amount|count|limit|num))?$", re.IGNORECASE)
_AMOUNT = pattern(r"[1-9][0-9]{0,5}", re.ASCII)
_IN_TEXT = pattern(r"""([a-z0-9.-]+/[A-Za-z0-9._-]+)\\?["']?[ \t]*:[ \t]*\\?["']?[1-9]""", re.ASCII)
_LONGEST = 100_000


@rule("KLG000")
def _not_known(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield custom resources that request GPUs where no template of a known kind has them."""
    for manifest in unit.manifests:
        value = manifest.item.value
        row = row_of(value)
        if (row is None and not is_of_unknown_kind(value)) or unit.follows(manifest):
            continue
        is_known = row is not None and (bool(manifest.templates) or row not in further_rows())
        if is_known and any(_asks_for_gpus(template) for template in manifest.templates):
            continue
        asked = next(_gpu_requests(value), None)
        if asked is not None:
            judged = "judged by their shape only" if manifest.templates else "not judged"
            why = "its kind is not known" if row is None else "kinds: in the configuration names no template of it"
            lost = f"{why}: its pods are {judged}"
            if is_known:
                lost = "its kind is known, but not what this field means for its pods: they are judged without"
            yield Diagnostic(
                "KLG000",
                manifest.place(asked, "key"),
                f"{_name(manifest)} asks for {_what(value, asked)}, and {lost}",
                manifest,
                cause="kind",
                severity="note",
                undecided=f"the kind {manifest.kind} is not {'fully ' if is_known else ''}known",
                shared=_of_kind(manifest.kind, judged) if row is None else None,
                help=("check the Deployments and other objects that its controller makes of it",),
            )


def _asks_for_gpus(template: Manifest) -> bool:
    """Whether a judged pod template asks for GPUs, by a resource or by a claim."""
    workload = template.workload
    return workload is not None and (
        bool(workload.spec.resource_claims) or any(is_gpu(name) for name in extended_resources(workload.spec))
    )


def _of_kind(kind: str, judged: str) -> Shared:
    """What objects of one kind have in common."""
    ask = f" ask for GPUs, and their kind is not known: their pods are {judged}"
    return Shared(f"kind {kind}", (WHO, ask), of_run=True)


def _name(manifest: Manifest) -> str:
    return f"{manifest.kind} {manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.object


def _what(value: object, asked: Pointer) -> str:
    """Return the resource that a field asks for, or the name of the field."""
    found = _IN_TEXT().search(text) if isinstance(text := value_at(value, asked), str) else None
    return found[1] if found is not None else str(asked[-1])


def _gpu_requests(value: dict[str, object]) -> Iterator[Pointer]:
    """Yield where fields at any depth request GPUs, in the order of the file: by name, by a number, or in a text."""
    kind = str(value.get("kind"))
    counts = not kind.endswith(_NO_REQUESTS) and (api_group(value), kind) not in GIT_OPS
    left: list[tuple[Pointer, object]] = [((), value)]
    while left:
        where, found = left.pop()
        if isinstance(found, dict):
            if where[-1:] and where[-1] in ("limits", "requests") and "resources" in str(where[-2:-1]).lower():
                asked = [str(name) for name, amount in found.items() if amount not in (0, "0")]
                yield from ((*where, name) for name in asked if "/" in name and is_gpu(name))
            left += [((*where, key), below) for key, below in reversed(found.items())]
        elif isinstance(found, list):
            left += [((*where, place), below) for place, below in reversed(list(enumerate(found)))]
        elif counts and where[:1] == ("spec",) and _is_count(where, found):
            yield where


def _is_count(where: Pointer, found: object) -> bool:
    """Whether a field has a number of GPUs, or a text in which a resource has one."""
    text = str(found)
    if _AMOUNT().fullmatch(text):
        return _COUNT().search(str(where[-1])) is not None
    written = _IN_TEXT().search(text[:_LONGEST]) if isinstance(found, str) else None
    return written is not None and is_gpu(written[1])


@unjudged_rule("KLG000")
def not_judged(unit: ApplySet, codes: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield one finding for all rules whose work limit was reached."""
    were = "was" if len(codes) == 1 else "were"
    yield Diagnostic(
        "KLG000",
        Place(unit.first_path, 1, 1, 1, 1),
        f"{listed(codes)} {were} not asked about everything here: {USED_UP}",
        cause="cut short",
        undecided=NO_WORK,
    )
