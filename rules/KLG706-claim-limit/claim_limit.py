"""Claims beyond a limit, or with fields that the cluster's release drops."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_limits import limit_faults
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.workspace.apply_set import ApplySet


@rule("KLG706")
def claim_limit(unit: ApplySet) -> Iterator[Diagnostic]:
    """More than a claim may have, administration where it is not allowed, and fields whose gate is off."""
    for fault in limit_faults(unit):
        yield Diagnostic(
            "KLG706",
            fault.manifest.place(fault.pointer, "key" if fault.at_key else "value"),
            fault.text,
            fault.manifest,
            cause=fault.cause,
            severity=fault.severity,
            certainty=fault.certainty,
        )
