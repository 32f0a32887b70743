"""Findings about fields of claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kubelint_gpu.analysis.devices.claim_shapes import ClaimFault
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate

Fault = TypeVar("Fault", bound=ClaimFault)


def faulty_claims(
    code: str, faults: Iterable[Fault], proposals: Callable[[Fault], tuple[FixCandidate, ...]] = lambda _: ()
) -> Iterator[Diagnostic]:
    """Yield a finding for each fault, at its place, with the proposed fixes."""
    for fault in faults:
        yield Diagnostic(
            code,
            fault.manifest.place(fault.pointer, "key" if fault.at_key else "value"),
            fault.text,
            fault.manifest,
            cause=fault.cause,
            severity=fault.severity,
            certainty=fault.certainty,
            help=fault.help,
            proposals=proposals(fault),
        )
