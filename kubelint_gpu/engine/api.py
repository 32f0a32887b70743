"""The interface for rules: what they ask about, how they are registered, and what they return."""

from __future__ import annotations

from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule, unjudged_rule, world_rule
from kubelint_gpu.findings.finding import ASKED, LACKED, WHO, Moment, Place, Related, Severity, Shared
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

__all__ = [
    "ASKED",
    "LACKED",
    "WHO",
    "ApplySet",
    "ClusterContext",
    "Diagnostic",
    "FixCandidate",
    "Manifest",
    "Moment",
    "Place",
    "Pointer",
    "Related",
    "Severity",
    "Shared",
    "WorkloadCheck",
    "field_pointers",
    "rule",
    "unjudged_rule",
    "world_rule",
]
