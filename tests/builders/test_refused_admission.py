"""What a LimitRange refuses."""

from __future__ import annotations

from checks_units import findings
from counted_objects import NODE, short_of_claims, stateful_set

BOUNDS = (
    "---\napiVersion: v1\nkind: LimitRange\nmetadata: {{name: lr, namespace: serving}}\n"
    "spec: {{limits: [{{type: PersistentVolumeClaim, max: {{storage: {}}}, min: {{storage: 2Gi}}}}]}}\n"
)


def test_a_claim_beyond_the_bounds_of_a_limit_range_is_refused():
    """Seen on a control plane 1.34."""
    text = stateful_set(2, size="5Gi") + BOUNDS.format("4Gi")
    (found,) = findings(text.removeprefix("---\n"), NODE, "KLG109")
    assert (found.severity, found.certainty) == ("error", "certain")
    assert found.message == (
        "only 0 of 2 replicas can run: the claim of the next one is refused by LimitRange lr: maximum storage usage per "
        "PersistentVolumeClaim is 4Gi, but request is 5Gi"
    )
    assert [one.message for one in found.related] == ["LimitRange lr is here"]
    assert short_of_claims(stateful_set(2, size="3Gi") + BOUNDS.format("4Gi")) == []
    (found,) = findings((stateful_set(2) + BOUNDS.format("4Gi")).removeprefix("---\n"), NODE, "KLG109")
    assert "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi" in found.message
