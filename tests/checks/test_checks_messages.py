"""Messages and places that the examples of the rules do not reach."""

from __future__ import annotations

import re

import pytest
from checks_units import NODES, deployment, findings, unit

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.engine.registry import checks
from kubelint_gpu.evidence.exclusive_lines import exclusive_claims, holders, stakes
from kubelint_gpu.evidence.node_lines import clues, node_clues
from kubelint_gpu.kube.objects.quota import Excess, QuotaRefusal
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.search.trace import Blocker, BlockingPod, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace

RECREATE = "strategy: {type: Recreate}"
GPU = "nvidia.com/gpu"


def only(found):
    (one,) = found
    return one


def said(found):
    return [(one.place.path, one.place.line, one.message) for one in found]


def test_several_placeholders_are_told_once():
    found = only(findings(deployment(spec="replicas: ${N}", pod="priority: ${P}"), code="KLG003"))
    assert found.message.startswith('spec.replicas is "${N}" and 1 more, which something fills in later')
    assert (found.severity, found.certainty) == ("note", "possible")


def test_a_long_path_is_told_from_its_end():
    pod = """\
    affinity:
      podAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: zone
            labelSelector: {matchExpressions: [{key: a, operator: Is}]}
    """
    found = only(findings(deployment(pod=pod), code="KLG003"))
    path = found.message.partition(":")[0]
    assert path.endswith("labelSelector.matchExpressions[0].operator")
    assert len(path) <= 72


def test_a_wrong_object_is_told_as_a_whole():
    found = only(findings("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: [1]\n", "", code="KLG003"))
    assert found.place.line == 4


def nodes(*gpus):
    told = "".join(
        f"  - name: gpu-{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return f"{NODES.partition('  - name')[0]}{told}priorityClasses:\n  - {{name: serving, value: 1000}}\n"


def at_once(*workloads, on, budget=BUDGET.states):
    """What KLG107 says of the first of some Deployments that one apply gives another image."""
    text = "---\n".join(workloads)
    found = findings(text.replace("main:1", "main:2"), on, "KLG107", budget, before=text)
    return only(one for one in found if one.object == "Deployment/serving/chat")


def gpus(count):
    return f"{{nvidia.com/gpu: {count}}}"


def test_a_rollout_of_too_many_states_is_a_note_that_says_so():
    two = "replicas: 2\nstrategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
    port = "ports: [{containerPort: 81, hostPort: 81}]"
    chat, emb = deployment(spec=two.replace("2", "3")), deployment(name="emb", spec=two, limits=gpus(2), more=port)
    found = at_once(chat, emb, on=nodes(3, 1, 1), budget=1)
    told = r"whether the rollout ends is undecided: \d+ states were looked at and there are more"
    assert re.fullmatch(told, found.message)
    assert (found.severity, found.certainty) == ("note", "possible")


def test_a_rollout_with_devices_of_claims_is_a_note_that_says_so():
    claims = "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]"
    (found,) = findings(deployment(pod=claims, limits="{}"), code="KLG107")
    assert found.message == (
        "whether the rollout ends is undecided: devices that its resource claims ask for are not looked at"
    )
    assert (found.severity, found.certainty) == ("note", "possible")


@pytest.mark.parametrize(
    ("others", "change"),
    [
        (["emb"], "Deployment serving/emb changes"),
        (["emb", "web"], "Deployment serving/emb and Deployment serving/web change"),
    ],
)
@pytest.mark.parametrize(
    ("alone", "ends"),
    [(Verdict.COMPLETES, "ends"), (Verdict.STUCK, "never ends"), (Verdict.MAY_STICK, "may never end")],
)
def test_others_of_the_same_moment_agree_with_their_verb(others, change, alone, ends):
    workload = only(unit(deployment()).subjects).workload
    company = tuple(replace(workload, meta=replace(workload.meta, name=name)) for name in others)
    undecided = Judgement(workload, Verdict.UNDECIDED, states=7, company=company, by_itself=alone)
    told = f"by itself it {ends}, but {change} at the same moment; 7 states were looked at and there are more"
    assert checks()["KLG107"].__globals__["_unseen"](undecided) == told


KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def test_a_rollout_that_may_come_after_others_names_them():
    emb = deployment(name="emb", spec=f"replicas: 2\n{GIVES}")
    assert at_once(deployment(spec=KEEPS), emb, on=nodes(1, 2)).help == (
        "Deployment serving/emb changes at the same moment: the rollout never ends where it comes after it, as told here",
    )
    others = deployment(name="emb", spec=KEEPS), deployment(name="web", spec=f"replicas: 3\n{GIVES}")
    assert at_once(deployment(spec=KEEPS), *others, on=nodes(1, 1, 3)).help[0] == (
        "Deployment serving/emb and Deployment serving/web change at the same moment: the rollout never ends where it "
        "comes after them, as told here"
    )


def test_replicas_that_a_quota_refuses_are_told_with_the_quota():
    quota = """\
    resourceQuotas:
      - {name: team, namespace: serving, hard: {requests.nvidia.com/gpu: 1}}
    """
    inventory = NODES.replace("count: 1", "count: 4") + "\n".join(line[4:] for line in quota.splitlines())
    found = only(findings(deployment(spec=f"replicas: 2\n{RECREATE}"), inventory, "KLG109"))
    assert "only 1 of 2 replicas can run: the next one is refused by quota team, which allows 1" in found.message


def test_replicas_that_lack_a_port_are_told_with_the_nodes():
    text = deployment(spec=f"replicas: 3\n{RECREATE}", limits="{}", more="ports: [{containerPort: 1, hostPort: 80}]")
    found = only(findings(text, code="KLG109"))
    assert "for the next one cpu-1 and gpu-1 didn't have free ports" in found.message


def test_a_node_full_of_pods_is_short_of_pod_slots():
    inventory = NODES.replace("memory: 64Gi}", "memory: 64Gi, pods: 0}")
    found = only(findings(deployment(spec=RECREATE, limits="{cpu: 1}"), inventory, "KLG201"))
    assert "1 pod slot is asked for, and cpu-1, which misses by least, has none" in found.message
    assert found.place.line == 9


def test_a_cordoned_node_misses_by_its_state():
    inventory = NODES.replace("labels: {pool: gpu}", "labels: {pool: gpu}\n    unschedulable: true")
    found = only(findings(deployment(spec=RECREATE, pod="nodeSelector: {pool: gpu}"), inventory, "KLG201"))
    assert found.message.endswith("gpu-1 misses by least: it is cordoned")
    assert found.place.line == 11


def test_a_requirement_that_nothing_satisfies_stands_alone():
    terms = "[{matchExpressions: [{key: a, operator: Gt, values: ['5']}, {key: a, operator: Lt, values: ['6']}]}]"
    pod = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"
    found = only(findings(deployment(spec=RECREATE, pod=pod), code="KLG401"))
    assert found.message == "no node of any cluster can match: a Gt [5] and a Lt [6] exclude each other"


def test_a_field_of_the_node_is_called_a_name():
    terms = "[{matchFields: [{key: metadata.name, operator: In, values: [gpu-2]}]}]"
    pod = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"
    found = only(findings(deployment(spec=RECREATE, pod=pod), code="KLG402"))
    assert found.message.endswith("the nodes are called cpu-1 or gpu-1")


@pytest.mark.parametrize("key", ["node-poll", "pol"])
def test_a_key_that_is_near_is_offered_in_an_expression_too(key):
    inventory = NODES.replace("pool: gpu", "node-pool: gpu")
    terms = f"[{{matchExpressions: [{{key: {key}, operator: Exists}}]}}]"
    pod = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"
    found = only(findings(deployment(spec=RECREATE, pod=pod), inventory, "KLG402"))
    assert found.message == f"no node of the inventory has the label {key}"
    assert [fix.title for fix in found.fixes] == (["write node-pool"] if key == "node-poll" else [])


def test_nodes_of_one_line_are_told_together():
    pools = """\
    apiVersion: kubelint-gpu/v1
    kind: ClusterInventory
    pools:
      - name: gpu
        count: 2
        template: {gpus: {model: L4, count: 2}}
    nodes:
      - name: cpu-1
    """
    found = unit(deployment(), "\n".join(line[4:] for line in pools.splitlines()) + "\n")
    assert said(node_clues(found, ["gpu-1", "gpu-2", "cpu-1", "gone"], GPU)) == [
        ("inventory.yaml", 6, "gpu-1 and gpu-2 have 2 nvidia.com/gpu each"),
        ("inventory.yaml", 8, "cpu-1 has no nvidia.com/gpu"),
    ]
    assert said(node_clues(found, ["gpu-1", "gpu-2"], "")) == [
        ("inventory.yaml", 4, "gpu-1 and gpu-2 are declared here")
    ]


def test_selectors_say_what_they_leave():
    found = unit(deployment(pod="nodeSelector: {pool: gpu, zone: a}"))
    messages = [message for _, _, message in said(clues(found, found.subjects[0], "", ["gpu-1"]))]
    assert messages == ["only gpu-1 can take it", "and this binds it too", "gpu-1 is declared here"]
    left = [message for _, _, message in said(clues(found, found.subjects[0], "", ["gpu-1"], takes=False))]
    assert left[0] == "this leaves gpu-1"


def test_selectors_are_no_clue_where_every_node_is_left():
    found = unit(deployment(pod="nodeSelector: {kubernetes.io/os: linux}"))
    assert len(clues(found, found.subjects[0], "", ["gpu-1", "cpu-1"])) == 2


CLAIMS = (
    NODES
    + """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: serving}
spec: {accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared, namespace: serving}
spec: {accessModes: [ReadWriteMany]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: foreign, namespace: other}
spec: {accessModes: [ReadWriteOncePod]}
"""
)


def test_only_claims_of_the_namespace_that_not_all_can_use_are_exclusive():
    names = ("models", "shared", "foreign", "unknown")
    volumes = ", ".join(f"{{name: {name}, persistentVolumeClaim: {{claimName: {name}}}}}" for name in names)
    found = unit(deployment(pod=f"volumes: [{volumes}]"), CLAIMS)
    assert exclusive_claims(found, found.subjects[0]) == {"models": "ReadWriteOnce"}
    lack = Blocker("gpu-1", "VolumeAttach", "Multi-Attach error", "volume")
    waiting = Waiting("Deployment/serving/chat", True, 1, lacks=(lack,))
    assert said(stakes(found, found.subjects[0], waiting))[0][2] == (
        "the claim is ReadWriteOnce: the pods of one node at a time"
    )


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


def test_own_running_pods_are_no_holders():
    running = "running:\n  - {name: chat-1, node: gpu-1, gpus: 1, owner: Deployment/serving/chat}\n"
    found = unit(deployment(), NODES + running)
    assert holders(found, found.subjects[0], GPU, ["gpu-1"]) == ()


def test_an_anti_affinity_by_zone_names_the_label():
    pod = """\
    affinity:
      podAntiAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: zone, labelSelector: {matchLabels: {app: chat}}}
    """
    found = unit(deployment(pod=pod))
    waiting = Waiting("Deployment/serving/chat", True, 1, lacks=(Blocker("gpu-1", "InterPodAffinity", "x", "place"),))
    told = said(stakes(found, found.subjects[0], waiting))
    assert told[0][2] == "one value of zone has one such pod at most, and old and new pods both count"


def test_a_class_that_only_queues_threatens_nobody():
    inventory = NODES.replace("value: 1000}", "value: 1000, preemptionPolicy: Never}")
    text = deployment(spec=RECREATE).replace("      priorityClassName: serving\n", "")
    found = only(findings(text, inventory, "KLG301"))
    assert "any pod with a class above 0 can evict them" in found.message


def test_a_job_is_advised_a_low_class():
    job = """\
    apiVersion: batch/v1
    kind: Job
    metadata: {name: j}
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: j, image: j, resources: {limits: {nvidia.com/gpu: 1}}}]
    """
    inventory = NODES[: NODES.index("priorityClasses")]
    assert only(findings(job, inventory, "KLG301")).help == (
        "declare a low PriorityClass for GPU workloads and name it in priorityClassName",
    )
    assert only(findings(deployment().replace("      priorityClassName: serving\n", ""), inventory, "KLG301")).help == (
        "declare a PriorityClass for GPU workloads and name it in priorityClassName",
    )


def test_where_the_inventory_is_not_complete_the_rollout_says_so():
    inventory = NODES + "complete: false\n"
    found = only(findings(deployment(), inventory, "KLG101"))
    assert found.message.startswith("unless there are nodes beyond the inventory, the rollout never ends: ")
    assert (found.severity, found.certainty) == ("warning", "possible")


@pytest.mark.parametrize(
    ("mode", "ends", "told"),
    [
        ("ReadWriteOncePod", "never ends", ("error", "certain")),
        ("ReadWriteOnce", "may never end", ("warning", "possible")),
    ],
)
def test_where_only_the_manifest_knows_a_claim_its_mode_says_if_the_place_of_its_volume_matters(mode, ends, told):
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: serving}\n"
        f"spec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}\n"
    )
    pod = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
    text = deployment(pod=pod, limits="{cpu: 1}", more="ports: [{containerPort: 80, hostPort: 80}]") + claim
    found = only([one for one in findings(text, NODES) if one.code in ("KLG102", "KLG104")])
    assert found.message.startswith(f"the rollout {ends}: ")
    assert (found.severity, found.certainty) == told


def test_a_rollout_that_may_lose_some_pods_says_how_many():
    spec = "replicas: 4\nstrategy: {rollingUpdate: {maxSurge: 4, maxUnavailable: 1}}"
    inventory = NODES.replace("count: 1", "count: 4")
    running = (
        "running:\n  - {name: note, node: gpu-1, gpus: 1, owner: StatefulSet/a/note, priorityClassName: serving}\n"
    )
    found = findings(deployment(spec=spec), inventory + running, "KLG109")
    assert "only 3 of 4 replicas can run" in only(found).message
