"""What a LimitRange refuses."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings
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
        "none of its 2 replicas can run: its claim is refused by LimitRange lr: maximum storage usage per "
        "PersistentVolumeClaim is 4Gi, but request is 5Gi"
    )
    assert [one.message for one in found.related] == ["LimitRange lr is here"]
    assert short_of_claims(stateful_set(2, size="3Gi") + BOUNDS.format("4Gi")) == []
    (found,) = findings((stateful_set(2) + BOUNDS.format("4Gi")).removeprefix("---\n"), NODE, "KLG109")
    assert "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi" in found.message


RANGE = (
    "---\napiVersion: v1\nkind: LimitRange\nmetadata: {name: lr, namespace: serving}\n"
    "spec: {limits: [{type: Container, max: {memory: 4Gi, cpu: 2}, default: {cpu: 1, memory: 1Gi}}]}\n"
)


@pytest.mark.parametrize(
    ("limits", "told"),
    [("{cpu: 1, memory: 8Gi}", "memory: 8Gi"), ("{memory: 1Gi, cpu: 4}", "cpu: 4"), ("{nvidia.com/gpu: 1}", "")],
)
def test_what_a_limit_range_refuses_is_pointed_at_where_the_amount_stands(limits, told):
    text = deployment(limits=limits) + RANGE
    found = findings(text, code="KLG003")
    assert len(found) == bool(told)
    for one in found:
        assert text.split("\n")[one.place.line - 1][one.place.column - 1 :].startswith(told)
