"""What is told of pods that wait: quotas, and who holds what they ask for."""

from __future__ import annotations

from checks_units import NODES, deployment, unit

from kubelint_gpu.evidence.stakes import holders, stakes
from kubelint_gpu.kube.objects.quota import Excess, QuotaRefusal
from kubelint_gpu.simulation.search.trace import Blocker, BlockingPod, Waiting

GPU = "nvidia.com/gpu"


def said(found):
    return [(one.place.path, one.place.line, one.message) for one in found]


NO_POD_LEFT = QuotaRefusal("chat", "team", (Excess("pods", 1000, 1000, 1000),))


def test_a_refusal_without_a_known_quota_has_no_further_places():
    found = unit(deployment())
    subject = found.subjects[0]
    for refusal in (QuotaRefusal("chat", "team", unspecified="cpu"), NO_POD_LEFT):
        assert stakes(found, subject, Waiting("Deployment/serving/chat", True, 1, refusal=refusal)) == ()


def test_the_quota_of_the_right_namespace_is_shown():
    quotas = (
        "resourceQuotas:\n"
        "  - {name: team, namespace: other, hard: {pods: 9}}\n"
        "  - {name: team, namespace: serving, hard: {pods: 1}}\n"
    )
    found = unit(deployment(), NODES + quotas)
    told = stakes(found, found.subjects[0], Waiting("Deployment/serving/chat", True, 1, refusal=NO_POD_LEFT))
    assert said(told) == [("inventory.yaml", 15, "the quota allows 1 pod")]


def test_holders_are_shown_where_they_are_declared():
    running = "running:\n  - {name: solo, node: gpu-1, gpus: 1}\n"
    text = deployment() + "---\n" + deployment(name="other")
    found = unit(text, NODES + running)
    lack = Blocker(
        "gpu-1",
        "NodeResourcesFit",
        "Insufficient nvidia.com/gpu",
        "resource",
        GPU,
        1,
        0,
        1,
        (
            BlockingPod("Pod/default/solo", new=False, count=1, amount=1),
            BlockingPod("Deployment/serving/other", new=False, count=1, amount=1),
            BlockingPod("Deployment/serving/gone", new=False, count=1, amount=1),
        ),
    )
    told = said(stakes(found, found.subjects[0], Waiting("Deployment/serving/chat", True, 1, lacks=(lack,))))
    assert [(path, message) for path, _, message in told if "holds" in message] == [
        ("inventory.yaml", "Pod default/solo holds 1 nvidia.com/gpu on gpu-1"),
        ("a.yaml", "Deployment serving/other holds 1 nvidia.com/gpu on gpu-1"),
    ]


def test_holders_that_one_line_declares_are_summed():
    running = "running:\n  - {name: pg, node: gpu-1, gpus: 1, count: 6}\n"
    found = unit(deployment(), NODES + running)
    (told,) = holders(found, found.subjects[0], GPU, ["gpu-1"])
    assert told.message == "6 Pods (default/pg-1, default/pg-2, ...) hold 6 nvidia.com/gpu on gpu-1"


def test_own_running_pods_are_no_holders():
    running = "running:\n  - {name: chat-1, node: gpu-1, gpus: 1, owner: Deployment/serving/chat}\n"
    found = unit(deployment(), NODES + running)
    assert holders(found, found.subjects[0], GPU, ["gpu-1"]) == ()
