"""Reports what a run did not judge: its work limit was reached, or a kind is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.node_misfit import is_gpu
from kubelint_gpu.engine.api import WHO, ApplySet, Diagnostic, Manifest, Place, Pointer, Shared, rule, unjudged_rule
from kubelint_gpu.kube.kinds.by_shape import is_of_unknown_kind
from kubelint_gpu.kube.kinds.custom_workload import further_rows, row_of
from kubelint_gpu.messages.wording import NO_WORK, USED_UP, listed


@rule("KLG000")
def _not_known(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield custom resources that request GPUs, but whose controller's pods are unknown."""
    for manifest in unit.manifests:
        value = manifest.item.value
        row = row_of(value)
        is_known = row is not None and (bool(manifest.templates) or row not in further_rows())
        if not is_of_unknown_kind(value) or is_known or unit.follows(manifest):
            continue
        asked = next(_gpu_requests(value), None)
        if asked is not None:
            judged = "judged by their shape only" if manifest.templates else "not judged"
            why = "its kind is not known" if row is None else "kinds: in the configuration names no template of it"
            yield Diagnostic(
                "KLG000",
                manifest.place(asked, "key"),
                f"{_name(manifest)} asks for {asked[-1]}, and {why}: its pods are {judged}",
                manifest,
                cause="kind",
                severity="note",
                undecided=f"the kind {manifest.kind} is not known",
                shared=_of_kind(manifest.kind, judged) if row is None else None,
                help=("check the Deployments and other objects that its controller makes of it",),
            )


def _of_kind(kind: str, judged: str) -> Shared:
    """What objects of one kind have in common."""
    ask = f" ask for GPUs, and their kind is not known: their pods are {judged}"
    return Shared(f"kind {kind}", (WHO, ask), of_run=True)


def _name(manifest: Manifest) -> str:
    return f"{manifest.kind} {manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.object


def _gpu_requests(value: object) -> Iterator[Pointer]:
    """Yield where a `resources` field at any depth requests GPUs, in the order of the file."""
    left: list[tuple[Pointer, object]] = [((), value)]
    while left:
        where, found = left.pop()
        if isinstance(found, dict):
            if where[-2:-1] == ("resources",) and where[-1] in ("limits", "requests"):
                asked = [str(name) for name, amount in found.items() if amount not in (0, "0")]
                yield from ((*where, name) for name in asked if "/" in name and is_gpu(name))
            left += [((*where, key), below) for key, below in reversed(found.items())]
        elif isinstance(found, list):
            left += [((*where, place), below) for place, below in reversed(list(enumerate(found)))]


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
