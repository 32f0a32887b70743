"""Jobs that never start, because what runs beside them never ends."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit
from claim_findings import claim, gpu, objects, pod
from claim_findings import findings as findings_of_claims
from starving import NODES, TEMPLATE, job, told

from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet

GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def cron_job(policy="", deadline="", priority="serving"):
    policy = f"  concurrencyPolicy: {policy}\n" if policy else ""
    return (
        f"---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: nightly, namespace: serving}}\nspec:\n"
        f'  schedule: "0 3 * * *"\n{policy}  jobTemplate:\n    spec:\n{deadline}{TEMPLATE.replace("PRIORITY", priority)}'
    )


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("Forbid", "its first run waits for ever, and with concurrencyPolicy Forbid no other is started"),
        ("Allow", "each run adds a pod that waits for ever"),
        ("", "each run adds a pod that waits for ever"),
        (
            "Replace",
            "with concurrencyPolicy Replace each run only takes the place of the one before it, which still waits",
        ),
    ],
)
def test_a_cron_job_behind_a_deployment_that_has_the_only_gpu_never_runs(policy, words):
    (found,) = told(deployment(spec=GIVES) + cron_job(policy))
    assert (found.code, found.severity, found.certainty) == ("KLG109", "warning", "certain")
    assert found.message == f"not one of its pods finds room while Deployment serving/chat runs: {words}"


def test_a_job_that_is_kept_away_lacks_no_room():
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}"
    )
    waits = job().replace("restartPolicy: Never", f"restartPolicy: Never\n          {apart}")
    (found,) = told(deployment(spec=GIVES, limits="{cpu: 1}") + waits.replace("nvidia.com/gpu: 1", "cpu: 1"))
    assert found.message.startswith("each of its pods is kept away from all nodes while Deployment serving/chat runs: ")


def test_a_deadline_ends_what_waits():
    (found,) = told(deployment(spec=GIVES) + cron_job("Forbid", "      activeDeadlineSeconds: 600\n"))
    assert found.message.endswith(": each run fails after 600 seconds (activeDeadlineSeconds) without having started")
    assert found.help == ()
    (found,) = told(deployment(spec=GIVES) + job("activeDeadlineSeconds: 1"))
    assert found.message.endswith(": the Job fails after 1 second (activeDeadlineSeconds) without having started")


@pytest.mark.parametrize("suspended", ["cron job", "its jobs"])
def test_a_suspended_cron_job_starts_nothing_that_could_wait(suspended):
    line = "  suspend: true\n" if suspended == "cron job" else ""
    text = cron_job("Forbid", "      suspend: true\n" if not line else "").replace("  schedule", f"{line}  schedule")
    assert told(deployment(spec=GIVES) + text) == []
    assert told(deployment(spec=GIVES) + text.replace("suspend: true", "suspend: false"))


def test_what_the_inventory_says_is_running_is_told_by_the_rule_about_priorities():
    pod = (
        "running:\n  - {name: x, namespace: o, node: gpu-1, gpus: 1, owner: Deployment/x, priorityClassName: serving}\n"
    )
    assert [one.code for one in findings(cron_job().removeprefix("---\n"), NODES + pod)] == ["KLG304"]
    assert told(cron_job().removeprefix("---\n"), NODES + pod.replace("Deployment/x", "Job/x")) == []


@pytest.mark.parametrize(
    ("text", "inventory"),
    [
        (deployment(spec=GIVES) + cron_job(), NODES.replace("count: 1", "count: 2")),
        (deployment(spec=GIVES).replace(": serving\n", ": low\n", 1) + cron_job(), NODES),
        (deployment(spec=f"replicas: 0\n{GIVES}") + cron_job(), NODES),
        (cron_job().removeprefix("---\n"), NODES),
    ],
)
def test_a_job_that_finds_room_or_makes_it_is_silent(text, inventory):
    assert told(text, inventory) == []


@pytest.mark.parametrize(("replicas", "waits"), [(0, False), (1, True)])
def test_pods_that_go_in_the_same_apply_are_in_nobodys_way(replicas, waits):
    runs = (
        "running:\n  - {name: chat-1-x, namespace: serving, node: gpu-1, gpus: 1, owner: ReplicaSet/chat-1, "
        "labels: {app: chat}, priorityClassName: serving}\n"
    )
    text = deployment(spec=f"replicas: {replicas}\n{GIVES}") + job()
    found = findings(text, NODES + runs, "KLG109", before=deployment(spec=GIVES))
    assert bool(found) == waits


def applied(text, inventory, before=""):
    """What is said of a Job that is new, as are all others that are not among those `before`."""
    judged = unit(text, inventory, before=before)
    made = {one.object for one in judged.manifests} - judged.before.keys()
    judged = ApplySet(judged.readings, judged.world, before=judged.before, made=made)
    return [one for one in check((judged,), judged.world).findings if one.cause == "starving"]


def test_a_job_that_waits_where_others_of_the_apply_come_first_is_told():
    gpu = "\n  - {name: gpu-2, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 2}}"
    nodes = NODES.replace("count: 1}", f"count: 1}}{gpu}")
    text = deployment(spec=f"replicas: 1\n{GIVES}") + job().replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")
    (found,) = applied(text, nodes)
    assert (found.object, found.severity, found.certainty) == ("Job/serving/once", "warning", "possible")
    assert found.message.startswith(
        "its pods may wait for ever beside what is applied with it: the next one waits for 2"
    )
    assert applied(text, nodes.replace("count: 2", "count: 3")) == []


def test_a_job_whose_pods_the_quota_of_a_stuck_rollout_refuses_is_told():
    rolls = "replicas: 1\nstrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    spec = "{hard: {pods: 2}}"
    quota = f"---\n{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: serving}}, spec: {spec}}}\n"
    before, after = deployment(spec=rolls), deployment(spec=rolls).replace(":1", ":2")
    text = after + job().replace("nvidia.com/gpu: 1", "cpu: 1")
    (found,) = applied(text, NODES + quota, before)
    assert (found.object, found.certainty) == ("Job/serving/once", "possible")
    assert found.message.endswith("refused by quota q, which allows 2 pods and has 2 in use by Deployment serving/chat")
    assert applied(text, NODES + quota.replace("pods: 2", "pods: 3"), before) == []


def test_what_a_job_waits_for_is_told_with_the_line_that_keeps_it_away():
    term = "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}"
    apart = f"affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    upgrade = job().replace("restartPolicy", f"{apart}\n          restartPolicy").replace("{nvidia.com/gpu: 1}", "{}")
    (found,) = told(deployment(spec=GIVES) + upgrade)
    assert found.cycle == ("its anti-affinity keeps it apart from Deployment serving/chat on gpu-1",)
    assert "anti-affinity" in found.scheduler
    assert [one.message for one in found.related] == [
        "no pod of it goes to a node with a pod that this selects",
        "gpu-1 is declared here",
    ]


CLAIM = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: serving}
spec: {accessModes: [ACCESS], storageClassName: block, resources: {requests: {storage: 1Gi}}}
"""
BLOCK = """---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: block}
provisioner: csi.example.com
"""
DATA = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"
NEAR = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: chat}}}]}}"
)


def cpu_nodes(number):
    nodes = "".join(f"  - {{name: n{one}, allocatable: {{cpu: 8, memory: 8Gi}}}}\n" for one in range(number))
    return NODES[: NODES.index("nodes:")] + f"nodes:\n{nodes}" + NODES[NODES.index("priorityClasses") :] + BLOCK


@pytest.mark.parametrize(
    ("access", "nodes", "pod", "number"),
    [
        ("ReadWriteOnce", 3, "", 1),
        ("ReadWriteOnce", 1, "", 0),
        ("ReadWriteMany", 3, "", 0),
        ("ReadWriteOnce", 3, NEAR, 0),
    ],
)
@pytest.mark.parametrize("make", [job, cron_job])
def test_a_job_may_be_bound_where_the_volume_that_it_shares_is_not(access, nodes, pod, number, make):
    text = deployment(spec=GIVES, pod=DATA, limits="{cpu: 1}") + CLAIM.replace("ACCESS", access)
    more = "".join(f"{line}\n          " for line in (DATA, pod) if line)
    made = make().replace("nvidia.com/gpu: 1", "cpu: 1").replace("containers:", f"{more}containers:")
    found = told(text + made, cpu_nodes(nodes))
    assert [(one.code, one.severity, one.certainty) for one in found] == [("KLG109", "warning", "possible")] * number
    for one in found:
        assert "for claim data (ReadWriteOnce), attached to the node of Deployment serving/chat" in one.message


@pytest.mark.parametrize(("before", "after", "number"), [(1, 1, 0), (1, 2, 1), (2, 2, 0)])
@pytest.mark.parametrize("changed", [False, True])
def test_a_cron_job_that_was_there_finds_no_room_in_what_another_grows_into(before, after, number, changed):
    nodes = NODES.replace("count: 1", "count: 2")
    old, new = (deployment(spec=f"replicas: {count}\n{GIVES}") + cron_job() for count in (before, after))
    new = new.replace("main:1", "main:2", 1)
    if changed:
        new = new.replace('"0 3 * * *"', '"0 4 * * *"')
        # what is changed is told of as it is
        number = int(after == 2)
    found = [one for one in findings(new, nodes, before=old) if one.cause == "starving"]
    assert [one.object for one in found] == ["CronJob/serving/nightly"] * number


def test_a_job_waits_for_a_pool_that_brings_devices():
    pool = (
        "pools:\n  - name: g\n    count: 0\n    autoscaling: {min: 0, max: 3}\n"
        "    template: {allocatable: {cpu: 9}, devices: [{model: H100-80GB-HBM3, count: 1}]}\n"
    )
    asked = objects(claim(f"[{gpu()}]", kind="ResourceClaimTemplate"), pod("resourceClaimTemplateName: c", replicas=1))
    every = [one.code for one in findings_of_claims(asked, pool) if one.severity != "note"]
    assert every == []
