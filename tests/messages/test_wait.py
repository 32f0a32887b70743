from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.kube.objects.quota import Excess, QuotaRefusal
from kubelint_gpu.messages.wait import Wait, held_by, story
from kubelint_gpu.messages.why_fewer import refused
from kubelint_gpu.messages.wording import said
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.relations import held
from kubelint_gpu.simulation.search.trace import Blocker, BlockingPod, Trace, TraceStep, Waiting
from kubelint_gpu.values import replace

MINE = "Deployment/serving/chat"
OTHER = "StatefulSet/research/notebook"
GPU = "nvidia.com/gpu"
ANTI = NodeReason("didn't match pod anti-affinity rules")
EXISTING = NodeReason("didn't satisfy existing pods anti-affinity rules")
AFFINITY = NodeReason("didn't match pod affinity rules")
SPREAD = NodeReason("didn't match pod topology spread constraints")
PORTS = NodeReason("didn't have free ports for the requested pod ports")


def workload(text=None):
    return unit(text or deployment()).subjects[0].workload


OLD = BlockingPod(MINE, new=False, count=1, amount=1)


def lack(node="gpu-1", free=0, holders=(OLD,), needed=1, resource=GPU, whole=1):
    return Blocker(
        node, "NodeResourcesFit", f"Insufficient {resource}", "resource", resource, needed, free, whole, tuple(holders)
    )


def other(plugin, reason, node="gpu-1", holders=(OLD,)):
    return Blocker(node, plugin, reason, held(plugin), holders=tuple(holders))


def wait(*lacks, owner=MINE, refusal=None, claims=(), of=None, scheduler=""):
    return Wait(of or workload(), Waiting(owner, True, 1, scheduler, refusal, lacks), claims)


@pytest.mark.parametrize(
    ("lacks", "clause"),
    [
        ([lack()], "for 1 nvidia.com/gpu on gpu-1, held by the old pod"),
        ([lack(), lack("gpu-2")], "for 1 nvidia.com/gpu on gpu-1 and gpu-2, held by 2 old pods"),
        ([lack(holders=())], "for 1 nvidia.com/gpu on gpu-1"),
        ([lack(free=1, needed=2)], "for 2 nvidia.com/gpu on gpu-1 (1 free), held by the old pod"),
        (
            [lack(free=1, needed=2), lack("gpu-2", needed=2)],
            "for 2 nvidia.com/gpu on gpu-1 and gpu-2 (at most 1 free), held by 2 old pods",
        ),
        ([other("NodePorts", PORTS)], "for a host port on gpu-1, held by the old pod"),
        ([other("NodePorts", PORTS, holders=())], "for a host port on gpu-1"),
        (
            [other("InterPodAffinity", ANTI)],
            "its anti-affinity keeps the new pod apart from the old pod on gpu-1",
        ),
        (
            [other("InterPodAffinity", ANTI, holders=())],
            "for a place on gpu-1, where its anti-affinity keeps it apart from others",
        ),
        (
            [other("InterPodAffinity", EXISTING, holders=[BlockingPod(OTHER, new=False, count=1, amount=1)])],
            "the anti-affinity of StatefulSet research/notebook keeps the new pod away from gpu-1",
        ),
        (
            [other("InterPodAffinity", AFFINITY)],
            "for a place on gpu-1, where no pod runs that its affinity asks for",
        ),
        (
            [other("PodTopologySpread", SPREAD)],
            "the topology spread constraint leaves the new pod no room beside the old pod on gpu-1",
        ),
        (
            [other("PodTopologySpread", SPREAD, holders=())],
            "for a place on gpu-1, where the topology spread constraint leaves it no room beside others",
        ),
        (
            [other("NodeVolumeLimits", NodeReason("exceed max volume count"))],
            "for a place for its volumes on gpu-1 (exceed max volume count), held by the old pod",
        ),
        (
            [other("VolumeRestrictions", NodeReason("had no available disk"))],
            "for gpu-1 (had no available disk), held by the old pod",
        ),
    ],
)
def test_the_clause_says_what_is_waited_for_and_who_holds_it(lacks, clause):
    assert wait(*lacks).clause in (clause, f"the new pod waits {clause}")


def test_different_obstacles_are_alternatives():
    found = wait(other("PodTopologySpread", SPREAD), lack("gpu-2"))
    assert found.clause.endswith("beside the old pod; or it waits for 1 nvidia.com/gpu on gpu-2, held by the old pod")


def test_of_many_obstacles_two_are_told_and_the_rest_is_counted():
    found = wait(lack(), other("NodePorts", PORTS, "gpu-2"), other("InterPodAffinity", ANTI, "gpu-3"))
    assert found.clause.endswith("; or it waits for any of 1 further node")


def test_a_pod_that_lacks_nothing_finds_no_node():
    assert wait().clause == "the new pod finds no node"
    text = "0/2 nodes are available: 2 node(s) had no room. preemption: not eligible"
    assert wait(scheduler=text).clause == "the new pod finds no node (2 node(s) had no room)"


def test_a_pod_of_somebody_else_is_named():
    assert wait(lack(), owner=OTHER).clause.startswith("a pod of StatefulSet research/notebook waits for 1")


def test_the_ports_that_others_have_are_named():
    lacks = replace(other("NodePorts", PORTS), things=("8080", "9000"))
    assert wait(lacks).clause == "the new pod waits for host ports 8080 and 9000 on gpu-1, held by the old pod"
    assert "for host port 80 on gpu-1" in wait(replace(lacks, things=("80",))).clause


def test_claims_are_named_instead_of_nodes():
    one = wait(other("VolumeRestrictions", NodeReason("…")), claims=("models (ReadWriteOncePod)",))
    assert one.clause == "the new pod waits for claim models (ReadWriteOncePod), used by the old pod"
    two = wait(other("VolumeAttach", "Multi-Attach"), claims=("a (ReadWriteOnce)", "b (ReadWriteOnce)"))
    assert two.clause.endswith(
        "on gpu-1 for claims a (ReadWriteOnce) and b (ReadWriteOnce), attached to the node of the old pod"
    )
    three = (replace(OLD, count=3),)
    many = wait(other("VolumeRestrictions", "…", holders=three), claims=("a (ReadWriteOncePod)",))
    assert many.clause.endswith("used by 3 old pods")
    text = deployment(spec="replicas: 3")
    unknown = wait(other("VolumeRestrictions", "…", holders=()), claims=("a (ReadWriteOncePod)",), of=workload(text))
    assert unknown.clause.endswith("used by the old pods")


def test_all_that_is_lacking_on_a_node_is_told():
    both = replace(lack(), also=(lack(free=500, needed=4000, resource="cpu", whole=8000),))
    assert wait(both).clause == (
        "the new pod waits for 1 nvidia.com/gpu and 4 cpu (500m free) on gpu-1, held by the old pod"
    )
    assert wait(both).lacking == "Insufficient nvidia.com/gpu on gpu-1, Insufficient cpu on gpu-1"
    further = replace(both, node="gpu-2", also=(lack("gpu-2", 600, needed=4000, resource="cpu", whole=8000),))
    assert "and 4 cpu (at most 600m free) on gpu-1 and gpu-2, held by 2 old pods" in wait(both, further).clause


def test_an_old_pod_that_keeps_two_nodes_is_counted_once():
    holder = replace(OLD, node="gpu-1")
    lacks = [other("PodTopologySpread", SPREAD, node, [holder]) for node in ("gpu-1", "gpu-2")]
    assert "leaves the new pod no room beside the old pod on gpu-1 and gpu-2" in wait(*lacks).clause


def test_the_circle_says_how_much_there_is():
    sentences = list(wait(lack(free=1, needed=2, whole=3)).sentences())
    assert sentences == ["the new pod waits for 2 nvidia.com/gpu on gpu-1 (1 of 3 free), held by the old pod"]


def test_the_circle_counts_what_it_does_not_show():
    sentences = list(wait(*(lack(f"gpu-{number}") for number in range(7))).sentences())
    assert len(sentences) == 5
    assert sentences[-1] == "the same holds for 3 further nodes"


def test_the_circle_says_nothing_twice():
    found = wait(other("VolumeRestrictions", "x", "a"), other("VolumeRestrictions", "x", "b"), claims=("c (M)",))
    assert len(list(found.sentences())) == 1


def test_a_refused_pod_names_the_quota():
    gpus = QuotaRefusal("chat", "team", (Excess("requests.nvidia.com/gpu", 1000, 2000, 2000),))
    told = "the new pod is refused by quota team, which allows 2 requests.nvidia.com/gpu and has 2 in use"
    assert wait(refusal=gpus).clause == told
    assert list(wait(refusal=gpus).sentences()) == [f"{told}; a pod counts towards the quota until it is gone"]


def test_a_quota_with_several_keys_is_told_as_the_api_server_does():
    both = QuotaRefusal("chat", "team", (Excess("cpu", 1000, 4000, 4000), Excess("pods", 1000, 2000, 2000)))
    assert refused(both) == "by quota team, which allows cpu=4,pods=2 and has cpu=4,pods=2 in use"


def test_a_refusal_names_the_quota_and_what_it_allows_or_demands():
    assert refused(QuotaRefusal("a", "q", unspecified="requests.cpu for: a,b; limits.cpu for: a")) == (
        "by quota q, which demands requests.cpu and limits.cpu"
    )
    assert refused(QuotaRefusal("a", "q", (Excess("pods", 1000, 1000, 1000),))) == (
        "by quota q, which allows 1 pod and has 1 in use"
    )
    assert refused(QuotaRefusal("a", "q", (Excess("requests.cpu", 2000, 1000, 2000),))) == (
        "by quota q, which allows 2 requests.cpu and has 1 in use, and one pod takes 2"
    )
    assert refused(
        QuotaRefusal("a", "q", (Excess("pods", 1000, 1000, 1000),), scope="PriorityClass top", others=("r",))
    ) == ("by quota q (PriorityClass top), which allows 1 pod and has 1 in use, and by quota r")


def test_the_words_of_the_scheduler_name_the_nodes():
    assert said("Insufficient cpu", "a and b") == "Insufficient cpu on a and b"
    assert said(PORTS, "a") == "a didn't have free ports for the requested pod ports"


def test_holders_are_old_pods_then_others_then_new_pods():
    holders = [
        BlockingPod(MINE, new=False, count=2, amount=2),
        BlockingPod(OTHER, new=False, count=1, amount=1),
        BlockingPod(MINE, new=True, count=1, amount=1),
    ]
    assert held_by([lack(holders=holders)], MINE) == "2 old pods, StatefulSet research/notebook and another new pod"
    assert held_by([lack(holders=holders[2:])], MINE) == "another new pod"
    kept = BlockingPod(OTHER, new=True, count=2, amount=2)
    assert held_by([lack(holders=[kept])], OTHER) == "2 other pods of its own"
    assert held_by([], MINE) == ""


def test_the_story_does_not_repeat_the_scheduler():
    text = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. preemption: 0/2 nodes are available."
    waiting = Waiting(MINE, True, 1, text, lacks=(lack(),))
    steps = (TraceStep("kube-scheduler", "cannot place the new pod of Deployment serving/chat", MINE, scheduler=text),)
    told = story(Trace(steps, (waiting,)), wait(lack()), "keeps the old pod")
    assert [(step.step, step.actor, step.message) for step in told] == [
        (
            1,
            "kube-scheduler",
            "cannot place the new pod of Deployment serving/chat: Insufficient nvidia.com/gpu on gpu-1",
        ),
        (2, "Deployment controller", "keeps the old pod: nothing moves any more"),
    ]


def test_the_story_of_a_pod_that_lacks_nothing_keeps_the_first_sentence():
    waiting = Waiting(MINE, True, 1, "0/2 nodes are available: a claim is missing. preemption: no")
    steps = (TraceStep("kube-scheduler", "cannot place it", MINE, scheduler=waiting.scheduler),)
    told = story(Trace(steps, (waiting,)), wait(), "waits")
    assert told[0].message == "cannot place it: 0/2 nodes are available: a claim is missing"


@pytest.mark.parametrize(
    ("waiting", "pods"),
    [
        (Waiting(MINE, True, 1, lacks=(other("VolumeAttach", "Multi-Attach"),)), "the new pod"),
        (Waiting(MINE, True, 2, lacks=(other("VolumeAttach", "Multi-Attach"),)), "2 new pods"),
        (Waiting(OTHER, False, 1, lacks=(other("VolumeAttach", "Multi-Attach"),)), "the pod"),
    ],
)
def test_a_volume_that_is_elsewhere_is_a_step_of_the_kubelet(waiting, pods):
    told = story(Trace((), (waiting,)), wait(), "waits")
    assert (told[0].actor, told[0].message) == ("kubelet on gpu-1", f"cannot start {pods}: Multi-Attach")
