"""The findings of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.resting_demand import RestingDemand
from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import to_text
from kubelint_gpu.engine.asking import drafts_of_world
from kubelint_gpu.engine.judged import Judged
from kubelint_gpu.engine.overlays import OverlayFinding
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.results.kept_results import recalled
from kubelint_gpu.findings.decided import Decided, Reason
from kubelint_gpu.findings.finding import Finding, Fix, Place, Refusal, Related, Shared, Step, TextEdit
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.kept.known_files import program

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store

_PARTS = (Fix, Place, Refusal, Related, Shared, Step, TextEdit)
PLAIN: Mapping[str, type] = {
    one.__name__: one for one in (Judged, RestingDemand, Decided, Reason, OverlayFinding, Finding, *_PARTS)
}


def findings_of_world(world: ClusterContext, store: Store | None) -> tuple[tuple[Finding, ...], bool]:
    """The findings of a cluster, and whether they make the run untrustworthy."""
    key = digest_of(("world", program(), world.digest)) if store is not None and world.digest else None
    if store is not None and key is not None:
        known = recalled(store, key, PLAIN)
        if known is not None:
            return known[0], bool(known[1])
    drafts, crashed = drafts_of_world(world)
    said = (*map(finding_of, drafts), *crashed), bool(crashed) or any(draft.fatal for draft in drafts)
    if store is not None and key is not None and not crashed:
        store.put(key, to_text(said))
    return said
