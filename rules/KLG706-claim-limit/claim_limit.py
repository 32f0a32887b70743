"""Claims beyond a limit, or with fields that the cluster's release drops."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_limits import limit_faults
from kubelint_gpu.builders.faulty_claims import faulty_claims
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule


@rule("KLG706")
def claim_limit(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield claims above a limit, with forbidden administrator access, or with fields of a disabled gate."""
    return faulty_claims("KLG706", limit_faults(unit))
