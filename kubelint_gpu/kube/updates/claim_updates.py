"""What may not change in claims for devices and their templates.

Source: `ValidateResourceClaimUpdate` and `ValidateResourceClaimTemplateUpdate` in pkg/apis/resource/validation, 1.32 to
1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.dra.resource_api import is_flat
from kubelint_gpu.kube.updates.refused_change import IMMUTABLE, RefusedChange
from kubelint_gpu.kube.values.differences import differences


def device_claim_changes(old: dict[str, Any], new: dict[str, Any], live: bool, _minor: int) -> Iterator[RefusedChange]:
    """The spec of a claim, or of the claims that a template makes; one that another version writes in another way."""
    from kubelint_gpu.kube.updates.normal_form import normal

    if is_flat(old) == is_flat(new):
        found = tuple(differences(normal(old.get("spec")), normal(new.get("spec")), ("spec",), live=live))
    else:
        from kubelint_gpu.kube.dra.claim import read_resource_claim, read_resource_claim_template

        read = read_resource_claim if new.get("kind") == "ResourceClaim" else read_resource_claim_template
        found = () if read(old, []).spec == read(new, []).spec else (("spec",),)
    if found:
        yield RefusedChange(found, f"spec: {IMMUTABLE}")
