"""Messages and places that the examples of the rules do not reach."""

from __future__ import annotations

import re

import pytest
from checks_units import NODES, deployment, findings, unit

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.engine.registry import checks
from kubelint_gpu.evidence.stakes import stakes
from kubelint_gpu.simulation.search.trace import Blocker, Waiting
from kubelint_gpu.simulation.search.verdict import Judgement, Runs, Verdict
from kubelint_gpu.values import replace

RECREATE = "strategy: {type: Recreate}"


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
    assert path == "matchExpressions[0].operator"
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
    found = at_once(chat, emb, on=nodes(3, 1, 1), budget=150)
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
    undecided = Judgement(workload, Verdict.UNDECIDED, runs=Runs(states=7, by_itself=alone), company=company)
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
    assert "host port 80 is taken on cpu-1 and gpu-1" in found.message


def test_a_node_full_of_pods_is_short_of_pod_slots():
    inventory = NODES.replace("memory: 64Gi}", "memory: 64Gi, pods: 0}")
    found = only(findings(deployment(spec=RECREATE, limits="{cpu: 1}"), inventory, "KLG201"))
    assert "it asks for 1 pod slot, and cpu-1, which comes closest, has none" in found.message
    assert found.place.line == 9


def test_a_cordoned_node_misses_by_its_state():
    inventory = NODES.replace("labels: {pool: gpu}", "labels: {pool: gpu}\n    unschedulable: true")
    found = only(findings(deployment(spec=RECREATE, pod="nodeSelector: {pool: gpu}"), inventory, "KLG201"))
    assert found.message.endswith("gpu-1 comes closest: it is cordoned")
    assert found.place.line == 11


def test_a_requirement_that_nothing_satisfies_stands_alone():
    terms = "[{matchExpressions: [{key: a, operator: Gt, values: ['5']}, {key: a, operator: Lt, values: ['6']}]}]"
    pod = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"
    found = only(findings(deployment(spec=RECREATE, pod=pod), code="KLG401"))
    assert found.message == "no node can match both conditions on a; they are Gt [5] and Lt [6]"


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


def test_a_rollout_that_may_lose_some_pods_says_how_many():
    spec = "replicas: 4\nstrategy: {rollingUpdate: {maxSurge: 4, maxUnavailable: 1}}"
    inventory = NODES.replace("count: 1", "count: 4")
    running = (
        "running:\n  - {name: note, node: gpu-1, gpus: 1, owner: StatefulSet/a/note, priorityClassName: serving}\n"
    )
    found = findings(deployment(spec=spec), inventory + running, "KLG109")
    assert "only 3 of 4 replicas can run" in only(found).message
