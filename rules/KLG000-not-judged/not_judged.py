"""Reports what a run did not judge: its work limit was reached, or a kind is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kubelint_gpu.analysis.node_misfit import is_gpu, wants_gpu
from kubelint_gpu.engine.api import WHO, ApplySet, Diagnostic, Manifest, Place, Shared, rule, unjudged_rule
from kubelint_gpu.kube.kinds.by_shape import gpu_requests, is_of_unknown_kind
from kubelint_gpu.kube.kinds.custom_workload import further_rows, row_of
from kubelint_gpu.messages.wording import NO_WORK, USED_UP, listed


@rule("KLG000")
def _not_known(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield custom resources that request GPUs where no template of a known kind has them."""
    for manifest in unit.manifests:
        value = manifest.item.value
        row = row_of(value)
        if (row is None and not is_of_unknown_kind(value)) or unit.why_not_followed(manifest) is not None:
            continue
        is_known = row is not None and (bool(manifest.templates) or row not in further_rows())
        if is_known and any(wants_gpu(one) for one in unit.subjects if one.manifest.item is manifest.item):
            continue
        for asked, resource in islice(gpu_requests(value, is_gpu), 1):
            judged = "judged by their shape only" if manifest.templates else "not judged"
            why = "its kind is not known" if row is None else "kinds: in the configuration names no template of it"
            ask = f" ask for GPUs, and their kind is not known: their pods are {judged}"
            lost = f"{why}: its pods are {judged}"
            known = "fully known" if is_known else f"known (its pods are {judged})"
            if is_known:
                lost = "its kind is known, but not what this field means for its pods: they are judged without"
            yield Diagnostic(
                "KLG000",
                manifest.place(asked, "key"),
                f"{_name(manifest)} asks for {resource}, and {lost}",
                manifest,
                cause="kind",
                severity="note",
                undecided=f"the kind {manifest.kind} is not {known}",
                shared=Shared(f"kind {manifest.kind}", (WHO, ask), of_run=True) if row is None else None,
                help=("check the Deployments and other objects that its controller makes of it",),
            )


def _name(manifest: Manifest) -> str:
    return f"{manifest.kind} {manifest.namespace}/{manifest.name}" if manifest.namespace else manifest.object


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
