"""How far an autoscaler scales a workload."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, findings

GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def hpa(least, most, kind="Deployment", name="chat", namespace="serving"):
    bounds = f"  minReplicas: {least}\n" * (least is not None)
    return (
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: scaler, namespace: "
        + namespace
        + "}\n"
        f"spec:\n{bounds}  maxReplicas: {most}\n"
        f"  scaleTargetRef: {{apiVersion: apps/v1, kind: {kind}, name: {name}}}\n---\n"
    )


def codes(text, gpus):
    return [one.code for one in findings(text, GPU_NODE % gpus)]


@pytest.mark.parametrize(
    ("text", "gpus", "expected"),
    [
        (hpa(2, 4) + deployment(spec=GIVES), 3, ["KLG115"]),
        (hpa(3, 3) + deployment(), 3, ["KLG101"]),
        (hpa(3, 3) + deployment(spec="replicas: 3"), 3, ["KLG101"]),
        (hpa(None, 1) + deployment(spec="replicas: 4"), 2, []),
        (hpa(1, 2) + deployment(spec="replicas: 4"), 3, []),
        (hpa(1, 2) + deployment(spec="replicas: 4"), 1, ["KLG109"]),
        (hpa(3, 5) + deployment(spec="replicas: 0"), 1, []),
        (hpa(3, 5, name="other") + deployment(), 2, []),
        (hpa(3, 5, namespace="elsewhere") + deployment(), 2, []),
    ],
    ids=["room", "one-number", "same-number", "most-1", "most-2", "most-short", "off", "name", "namespace"],
)
def test_replicas_are_brought_between_the_bounds(text, gpus, expected):
    assert codes(text, gpus) == expected


def test_a_stateful_set_is_scaled_too():
    text = hpa(2, 2, "StatefulSet") + deployment(spec="serviceName: chat").replace(
        "kind: Deployment", "kind: StatefulSet"
    )
    (one,) = findings(text, GPU_NODE % 1)
    assert (one.code, one.place.line) == ("KLG111", 5)


@pytest.mark.parametrize(
    ("gpus", "told"),
    [(2, "only 1 replica finds room beside 1 replica"), (3, "only 1 replica finds room"), (4, "")],
)
def test_two_that_fit_alone_do_not_both_reach_their_maximum(gpus, told):
    both = "".join(hpa(1, 2, name=name).replace("name: scaler", f"name: {name}") for name in "ab")
    both += "---\n".join(deployment(name=name, spec=GIVES) for name in "ab")
    messages = [one.message for one in findings(both, GPU_NODE % gpus, code="KLG115")]
    assert len(messages) == bool(told)
    assert all(told in message for message in messages)


@pytest.mark.parametrize(
    ("most", "other", "gpus", "room"),
    [
        (4, deployment(name="fixed", spec="replicas: 2"), 5, 3),
        (9, deployment(name="fixed", spec="replicas: 2"), 5, 3),
        (3, deployment(name="fixed", spec="replicas: 2"), 5, 0),
        (4, deployment(name="fixed", spec="replicas: 2").replace("      priorityClassName: serving\n", ""), 5, 0),
        (4, hpa(1, 2, name="fixed").replace("scaler", "s") + deployment(name="fixed", spec=GIVES), 6, 0),
        (4, deployment(name="fixed", spec="replicas: 2", limits="{cpu: 1}"), 4, 0),
    ],
    ids=["less", "less than alone", "enough", "gives way", "scaled", "other resource"],
)
def test_replicas_that_nothing_scales_keep_their_room(most, other, gpus, room):
    found = findings(f"{hpa(1, most)}{deployment(spec=GIVES)}---\n{other}", GPU_NODE % gpus, code="KLG115")
    told = f"maxReplicas is {most}, but only {room} replicas find room beside 2 replicas of Deployment serving/fixed"
    assert [one.message for one in found] == [told] * bool(room)


def test_of_three_as_many_reach_their_maximum_as_leave_room_for_the_rest():
    texts = [hpa(1, 4, name=name) + deployment(name=name, spec=GIVES) for name in ("chat", "rank", "tag")]
    (found,) = findings("---\n".join(texts), GPU_NODE % 8, code="KLG115")
    assert found.message.startswith("maxReplicas is 4, but only 3 replicas find room beside")
    assert findings("---\n".join(texts), GPU_NODE % 12, code="KLG115") == []


def test_a_quota_that_an_autoscaler_meets_before_the_nodes_is_named():
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\nspec: {hard: {pods: 3}}\n"
    )
    (found,) = findings(hpa(1, 4) + deployment(spec=GIVES) + quota, GPU_NODE % 8, code="KLG115")
    assert "the next one is refused by quota q, which allows 3 pods and has 3 in use" in found.message
    assert "the quota allows 3 pods" in [one.message for one in found.related]
