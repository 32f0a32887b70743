"""Claims shared by pods that cannot all run where the claim's devices are."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_sharing import shared_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule
from kubelint_gpu.messages.wording import counted, verb

_HELP = "name a ResourceClaimTemplate in resourceClaimTemplateName, so that each pod gets devices of its own"


@rule("KLG707")
def claim_shared(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that share a claim and have no room together where its devices are."""
    for found in shared_claims(unit):
        reference = found.reference
        if found.per_node:
            text = (
                f"the pods of {counted(found.wanted, 'node')} share claim {reference.name}, whose devices are reached "
                "from one node only: the other pods wait for ever"
            )
        elif found.others:
            others = " and ".join(one.replace("/", " ", 1) for one in found.others)
            text = (
                f"its pods share claim {reference.name} with those of {others}, its devices hold them all on one node, "
                f"and not all {found.wanted} pods fit there"
            )
        else:
            text = (
                f"its pods share claim {reference.name}, whose devices hold them all on one node, and only "
                f"{found.placed} of {found.wanted} pods {verb('fit', found.placed)} there"
            )
        yield Diagnostic(
            "KLG707",
            reference.subject.manifest.place(reference.pointer),
            text,
            reference.subject.manifest,
            cause=reference.name,
            certainty=found.certainty,
            help=(_HELP,),
        )
