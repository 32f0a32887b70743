"""The rules about controllers: which of them speaks of what, and when all are silent."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit, world

from kubelint_gpu.analysis.replica_room import room_for
from kubelint_gpu.analysis.rollout_facts import judged_together
from kubelint_gpu.simulation.search import engine
from kubelint_gpu.simulation.search.engine import GroupSearch

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
CLASSES = "priorityClasses:\n  - {name: serving, value: 1000}\n  - {name: low, value: 1}\n"


def inventory(gpus=1, nodes=1, more="", scaling=""):
    pool = f"pools:\n  - name: l4\n    count: {nodes}\n{scaling}    template:\n      allocatable: {{cpu: 16, memory: 64Gi}}\n"
    return f"{HEAD}{pool}      gpus: {{model: L4, count: {gpus}}}\n{CLASSES}{more}"


def grows(most, at_least=0):
    return f"    autoscaling: {{min: {at_least}, max: {most}}}\n"


def running(name, node="l4-1", gpus=1, priority="serving", owner=""):
    told = f"    owner: {owner}\n" if owner else ""
    return (
        f"running:\n  - name: {name}\n    namespace: research\n    node: {node}\n    gpus: {gpus}\n"
        f"    priorityClassName: {priority}\n{told}"
    )


def stateful_set(replicas, policy="OrderedReady"):
    text = deployment(spec=f"replicas: {replicas}\nserviceName: chat\npodManagementPolicy: {policy}")
    return text.replace("kind: Deployment", "kind: StatefulSet")


def daemon_set(surge, unavailable=0, **parts):
    spec = f"updateStrategy: {{rollingUpdate: {{maxSurge: {surge}, maxUnavailable: {unavailable}}}}}"
    return deployment(spec=spec, **parts).replace("kind: Deployment", "kind: DaemonSet")


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_an_ordered_stateful_set_that_lacks_room_is_one_finding_of_its_own_rule():
    assert codes(stateful_set(2), inventory()) == ["KLG111"]


def test_a_parallel_stateful_set_that_lacks_room_is_missing_capacity():
    assert codes(stateful_set(2, "Parallel"), inventory()) == ["KLG109"]


def test_a_stateful_set_on_full_nodes_rolls_out():
    assert codes(stateful_set(1), inventory()) == []
    assert codes(stateful_set(2), inventory(nodes=2)) == []


def test_a_stateful_set_that_any_node_refuses_is_told_by_the_rule_for_the_cause():
    found = codes(stateful_set(1).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 4"), inventory())
    assert "KLG111" not in found
    assert found


def test_the_pod_that_waits_is_named_by_its_ordinal():
    text = stateful_set(3).replace("  selector", "  ordinals: {start: 10}\n  selector", 1)
    (found,) = findings(text, inventory(nodes=2))
    assert "while chat-12 is not ready" in found.message
    assert found.fixes == (), "a lower number does not rescue a set that waits already"


def test_a_daemon_set_that_surges_is_one_finding_of_its_own_rule():
    (found,) = findings(daemon_set(1), inventory(nodes=2))
    assert (found.code, found.severity, found.place.line) == ("KLG110", "error", 5)
    assert [(fix.safety, fix.verified) for fix in found.fixes] == [("safe", True)]


@pytest.mark.parametrize("text", [daemon_set(0, 1), daemon_set(1, limits="{cpu: 1}"), daemon_set("0%", 1)])
def test_a_daemon_set_that_does_not_surge_or_fits_twice_is_silent(text):
    assert codes(text, inventory(nodes=2)) == []


def test_daemon_pods_that_stay_pending_hold_up_the_update_of_the_others():
    nodes = inventory(nodes=2) + "nodes:\n  - {name: cpu-1, allocatable: {cpu: 16, memory: 64Gi}}\n"
    (found,) = findings(daemon_set(0, 1), nodes)
    assert found.message == (
        "of the pods that it makes for 3 nodes, 1 finds no room (on cpu-1), and it stays Pending; while it does, no rolling "
        "update replaces the others (maxUnavailable is 1)"
    )
    assert any(one.message == "cpu-1 has no nvidia.com/gpu" for one in found.related)
    (found,) = findings(daemon_set(0, 2), nodes)
    assert found.message.endswith("and it stays Pending"), "one more may be unavailable"
    (found,) = findings(daemon_set(0, 1), inventory(nodes=2, more=running("other")))
    assert any("holds 1 nvidia.com/gpu on l4-1" in one.message for one in found.related)
    assert found.help == ()


def test_a_gpu_daemon_set_that_finds_a_node_full_is_a_warning():
    """Its controller makes a pod for the full node all the same, and a rolling update halts there."""
    full = inventory(more=running("notebook-0", owner="StatefulSet/research/notebook"))
    for text in (daemon_set(0, 1), daemon_set(1)):
        (found,) = findings(text, full)
        assert (found.code, found.severity) == ("KLG109", "warning")
        assert found.message == (
            "no pod that it makes for 1 node finds room (on l4-1, held by StatefulSet research/notebook), "
            "and it stays Pending"
        )


def test_a_daemon_sets_pods_hold_what_they_hold_in_the_rollouts_of_others():
    beside = daemon_set(0, 1, name="health") + "---\n" + deployment()
    assert codes(beside, inventory(gpus=2)) == ["KLG101"]
    assert codes(deployment(), inventory(gpus=2)) == []


def test_a_host_port_that_surges_is_found_without_an_inventory():
    port = "ports:\n  - {containerPort: 80, hostPort: 80}"
    (found,) = findings(daemon_set(1, more=port, limits="{}"), "")
    assert (found.code, found.severity) == ("KLG110", "error")
    assert codes(daemon_set(0, 1, more=port, limits="{}"), "") == []


def test_a_pool_that_grows_saves_a_rollout_and_a_quota_does_not_care():
    quota = (
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team, namespace: serving}\n"
        'spec: {hard: {requests.nvidia.com/gpu: "1"}}\n---\n'
    )
    room = inventory(scaling=grows(3))
    assert codes(deployment(), room) == ["KLG114"]
    assert codes(quota + deployment(), room) == ["KLG105"]


def test_a_rollout_that_rests_on_a_pool_that_grows_is_a_note_with_the_run_that_waits():
    (found,) = findings(deployment(), inventory(scaling=grows(3)))
    assert (found.code, found.severity, found.certainty) == ("KLG114", "note", "possible")
    assert found.message == (
        "the rollout ends only if pool l4 adds a node meanwhile: until then the new pod waits for 1 nvidia.com/gpu on "
        "l4-1, held by the old pod"
    )
    assert found.trace[-1].message.endswith("nothing moves until a node joins")
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )
    assert [(fix.safety, fix.verified) for fix in found.fixes] == [("safe", True)]


@pytest.mark.parametrize("replicas", [1, 2, 3])
@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_nodes_that_join_for_the_replicas_are_no_reason_for_a_note_and_one_more_is(replicas, nodes):
    room = inventory(nodes=nodes, scaling=grows(5))
    moves = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
    assert codes(deployment(spec=f"replicas: {replicas}\n{moves}"), room) == []
    assert codes(deployment(spec=f"replicas: {replicas}"), room) == ([] if replicas < nodes else ["KLG114"])
    assert codes(
        deployment(spec=f"replicas: {replicas}"), inventory(nodes=nodes, scaling=grows(max(1, nodes, replicas)))
    ) == ([] if replicas < nodes else ["KLG101"])


def test_a_pool_at_its_maximum_saves_nothing():
    assert codes(deployment(), inventory(scaling=grows(1, 1))) == ["KLG101"]


def test_replicas_that_a_pool_at_its_maximum_still_cannot_take_are_told_with_the_pool():
    text = deployment(spec="replicas: 5")
    (found,) = findings(text, inventory(scaling=grows(3)))
    assert found.code == "KLG109"
    assert "only 3 of 5 replicas can run even with pool l4 at its maximum of 3 nodes" in found.message
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )
    assert codes(deployment(spec="replicas: 2"), inventory(scaling=grows(3))) == ["KLG114"]


def test_a_rollout_that_needs_more_than_a_pool_at_its_maximum_says_that_the_pool_grows():
    (found,) = findings(deployment(spec="replicas: 3"), inventory(scaling=grows(3)))
    assert found.code == "KLG101"
    assert any(
        one.message == "pool l4 may grow from 1 to 3 nodes: new nodes are called l4+1 and so on here"
        for one in found.related
    )


def test_a_pool_that_may_grow_without_end_is_not_counted_out():
    assert codes(deployment(spec="replicas: 60"), inventory(scaling=grows(200))) == []


def test_a_neighbour_of_lower_priority_is_evicted_and_named():
    (found,) = findings(deployment(), inventory(gpus=2, more=running("n-0", priority="low", owner="StatefulSet/n")))
    assert found.code == "KLG108"
    assert "1 pod of StatefulSet research/n (priority 1) from l4-1" in found.message
    assert [fix.title.partition(",")[0] for fix in found.fixes] == ["set strategy type: Recreate"]


def test_a_pod_that_nothing_creates_again_is_told_as_lost():
    (found,) = findings(deployment(), inventory(gpus=2, more=running("notebook", priority="low")))
    assert found.code == "KLG108"
    assert "a rollout can evict Pod research/notebook (priority 1) from l4-1" in found.message
    assert "nothing creates it again" in found.message


def test_a_neighbour_of_the_same_priority_is_not_evicted():
    held = inventory(gpus=2, more=running("n-0", owner="StatefulSet/n"))
    assert codes(deployment(), held) == ["KLG101"]


def test_rollouts_that_end_together_are_silent():
    both = deployment() + "---\n" + deployment(name="other")
    assert codes(both, inventory(gpus=3)) == []
    assert [str(one.verdict) for one in judged_together(unit(both, inventory(gpus=3)))] == ["Verdict.COMPLETES"]


def test_rollouts_that_do_not_end_alone_are_not_told_again_together():
    both = deployment() + "---\n" + deployment(name="other")
    assert codes(both, inventory(gpus=2)) == ["KLG101", "KLG101"]


def job(name, parallelism, *, sign="command: [torchrun, train.py]", more="", kind="Job"):
    return (
        f"apiVersion: batch/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec:\n  parallelism: {parallelism}\n  completions: {parallelism}\n{more}  template:\n    spec:\n"
        f"      restartPolicy: Never\n      priorityClassName: serving\n      containers:\n        - name: main\n"
        f"          image: registry.example.com/main:1\n          {sign}\n"
        f"          resources: {{limits: {{nvidia.com/gpu: 1}}}}\n"
    )


@pytest.mark.parametrize(
    ("second", "nodes", "expected"),
    [
        (job("b", 2), inventory(nodes=3), ["KLG113"]),
        (job("b", 3), inventory(nodes=4), ["KLG113"]),
        (job("b", 3), inventory(nodes=6), []),
        (job("b", 3), inventory(nodes=4, scaling=grows(6)), []),
        (job("b", 3, sign="command: [python, shard.py]"), inventory(nodes=4), []),
        (job("b", 3, more="  suspend: true\n"), inventory(nodes=4), []),
        (job("b", 5), inventory(nodes=4), ["KLG113"]),
        (job("b", 5), inventory(nodes=4, scaling=grows(5)), []),
        (job("b", 1), inventory(nodes=3), []),
    ],
    ids=[
        "split-unevenly",
        "split",
        "room",
        "grows",
        "independent",
        "suspended",
        "never-fits",
        "grows-to-fit",
        "single",
    ],
)
def test_jobs_hold_each_other_only_where_each_can_have_a_part_and_waits_for_all(second, nodes, expected):
    assert codes(job("a", 3) + "---\n" + second, nodes) == expected


def messages(text, nodes):
    return [one.message for one in findings(text, nodes, "KLG113")]


def test_a_job_that_never_has_all_its_pods_holds_what_it_has_for_nothing():
    assert messages(job("a", 3), inventory(nodes=2)) == [
        "Job serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest for ever"
    ]
    assert messages(job("a", 3, more="  activeDeadlineSeconds: 600\n"), inventory(nodes=2)) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest until it fails after 600 "
            "seconds (activeDeadlineSeconds)"
        )
    ]
    assert messages(job("a", 3), inventory(nodes=2, scaling=grows(2, 2))) == messages(job("a", 3), inventory(nodes=2))
    assert messages(job("a", 3), inventory(nodes=1, scaling=grows(2, 1))) == [
        (
            "Job serving/a needs its 3 pods at once and only 2 find room even with pool l4 at its maximum of 2 nodes: what runs "
            "waits for the rest for ever"
        )
    ]
    assert messages(job("a", 3, sign="command: [python, shard.py]"), inventory(nodes=2)) == []
    assert messages(job("a", 3, more="  suspend: true\n"), inventory(nodes=2)) == []
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="Job/x"))) == [], "it ends some day"
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x"))) != []
    assert messages(job("a", 3), inventory(nodes=3, more=running("x", owner="ReplicaSet/x", priority="low"))) == []


def test_a_run_of_a_cron_job_needs_its_pods_at_once_too():
    lines = job("a", 3, kind="CronJob").splitlines(keepends=True)
    spec = lines.index("spec:\n")
    inner = "".join(f"    {line}" for line in lines[spec:])
    text = (
        "".join(lines[:spec]) + f'spec:\n  schedule: "0 3 * * *"\n  concurrencyPolicy: Forbid\n  jobTemplate:\n{inner}'
    )
    assert messages(text, inventory(nodes=3)) == []
    assert messages(text, inventory(nodes=2)) == [
        "a run of CronJob serving/a needs its 3 pods at once and only 2 find room: what runs waits for the rest for ever"
    ]


def test_a_job_beside_what_runs_for_good_may_never_be_whole():
    beside = deployment(spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}") + "---\n"
    assert messages(beside + job("a", 3), inventory(nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 3 pods at once and only 2 find room: what runs waits "
            "for the rest for ever"
        )
    ]
    assert messages(beside + job("a", 3), inventory(nodes=4)) == []
    assert messages(beside.replace(": serving\n", ": low\n", 1) + job("a", 3), inventory(nodes=3)) == []
    wide = job("a", 2).replace("gpu: 1", "gpu: 2")
    two = beside.replace("spec:\n", "spec:\n  replicas: 2\n", 1)
    assert messages(two + wide, inventory(gpus=2, nodes=3)) == [
        (
            "while Deployment serving/chat runs, Job serving/a needs its 2 pods at once and as few as 1 finds room: what runs may "
            "wait for the rest for ever"
        )
    ]


def test_of_jobs_that_hold_each_other_the_first_deadline_is_told():
    both = job("a", 3, more="  activeDeadlineSeconds: 600\n") + "---\n" + job("b", 2)
    (told,) = messages(both, inventory(nodes=3))
    assert " can hold each other up until a fails after 600 seconds (activeDeadlineSeconds): " in told


def hpa(most, kind="Deployment", name="chat"):
    return (
        f"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: chat, namespace: serving}}\n"
        f"spec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: {kind}, name: {name}}}\n  maxReplicas: {most}\n---\n"
    )


FREE = deployment(spec="strategy: {type: Recreate}")


@pytest.mark.parametrize(
    ("text", "nodes", "expected"),
    [
        (hpa(3) + FREE, inventory(nodes=2), ["KLG115"]),
        (hpa(2) + FREE, inventory(nodes=2), []),
        (hpa(3, name="other") + FREE, inventory(nodes=2), []),
        (hpa(3, kind="StatefulSet") + FREE, inventory(nodes=2), []),
        (hpa(3) + FREE, inventory(nodes=2, scaling=grows(3)), []),
        (hpa(4) + FREE, inventory(nodes=2, scaling=grows(3)), ["KLG115"]),
        (hpa(100) + FREE, inventory(nodes=2, scaling=grows(200)), []),
        (hpa(3) + FREE, "", []),
        (hpa(5) + deployment(spec="replicas: 3"), inventory(nodes=2), ["KLG109"]),
    ],
)
def test_an_autoscaler_is_measured_by_the_places_of_its_target(text, nodes, expected):
    assert codes(text, nodes) == expected


def budget(line, name="chat"):
    return (
        f"apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {{name: {name}, namespace: serving}}\n"
        f"spec: {{{line}, selector: {{matchLabels: {{app: {name}}}}}}}\n---\n"
    )


@pytest.mark.parametrize(
    ("line", "nodes", "expected"),
    [
        ("minAvailable: 1", inventory(), ["KLG112"]),
        ("minAvailable: 100%", inventory(), ["KLG112"]),
        ("maxUnavailable: 0", inventory(), ["KLG112"]),
        ("maxUnavailable: 1", inventory(), []),
        ("minAvailable: 0", inventory(), []),
        ("minAvailable: 1", inventory(nodes=2), ["KLG112"]),
        ("minAvailable: 1", inventory(scaling=grows(2)), ["KLG112"]),
        ("maxUnavailable: 1", inventory(scaling=grows(2)), []),
    ],
)
def test_a_drain_is_blocked_where_pods_have_nowhere_to_go_and_may_not_go(line, nodes, expected):
    assert codes(budget(line) + FREE, nodes) == expected


@pytest.mark.parametrize(
    ("budgets", "replicas", "nodes", "told", "helped", "fixed"),
    [
        (
            budget("minAvailable: 1"),
            1,
            inventory(1, 2),
            "never ends: PodDisruptionBudget chat allows no eviction even while its only pod is healthy",
            "with the node cordoned, kubectl rollout restart moves its pods to another node without an eviction",
            "set maxUnavailable: 1, which lets a drain take one pod at a time",
        ),
        (
            budget("minAvailable: 2"),
            2,
            inventory(1, 3),
            "never ends: PodDisruptionBudget chat allows no eviction even while all 2 pods are healthy",
            "with the node cordoned, kubectl rollout restart moves its pods to another node without an eviction",
            "set maxUnavailable: 1, which lets a drain take one pod at a time",
        ),
        (
            budget("minAvailable: 2"),
            3,
            inventory(3),
            (
                "stops half way: 3 of 3 pods find no room on another node, and PodDisruptionBudget chat lets no more than 1 "
                "of them be missing"
            ),
            "",
            "set maxUnavailable: 3, which lets a drain take 3 pods that find no room",
        ),
        (
            budget("maxUnavailable: 1") + budget("maxUnavailable: 1").replace("name: chat", "name: more", 1),
            1,
            inventory(1, 2),
            (
                "fails: PodDisruptionBudgets chat and more cover the same pods, and the eviction API refuses a pod with more "
                "than one"
            ),
            "leave one of the budgets, or let their selectors cover different pods",
            "",
        ),
    ],
)
def test_a_drain_that_does_not_end_says_why(budgets, replicas, nodes, told, helped, fixed):
    text = deployment(spec=f"replicas: {replicas}\nstrategy: {{rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}}}")
    (found,) = findings(budgets + text, nodes, "KLG112")
    assert found.message == f"draining a node with its pods of Deployment serving/chat {told}"
    assert (found.help, [fix.title for fix in found.fixes]) == ((helped,) * bool(helped), [fixed] * bool(fixed))


def test_a_budget_of_others_blocks_nothing():
    assert codes(budget("minAvailable: 1", "other") + FREE, inventory()) == []


def test_pools_that_take_the_pod_are_known_and_the_others_are_not():
    found = unit(deployment(pod="nodeSelector: {pool: a100}"), inventory(scaling=grows(3)))
    assert found.growing_for(found.subjects[0]) == ()
    found = unit(deployment(), inventory(scaling=grows(3)))
    assert [pool.name for pool in found.growing_for(found.subjects[0])] == ["l4"]
    assert room_for(found, found.subjects[0], 9) == 3
    assert not found.may_outgrow(found.subjects[0])
    assert world(inventory()).usable


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (deployment(), "KLG101"),
        (daemon_set(1), "KLG110"),
        (deployment(more="ports: [{containerPort: 80, hostPort: 80}]", limits="{cpu: 1}"), "KLG101"),
    ],
)
def test_a_rollout_that_never_ends_is_told_even_where_no_run_of_it_is(text, code, monkeypatch):
    monkeypatch.setattr(GroupSearch, "stuck_run", lambda *_: (0, None))
    found = next(one for one in findings(text, inventory()) if one.code == code)
    assert found.message.startswith("the rollout never ends: the new pod finds no node, and the old pod is kept until")
    assert [step.message for step in found.trace] == [
        "keeps the old pod until the new one is available: nothing moves any more"
    ]


def test_a_placement_that_greed_does_not_find_is_searched_for(monkeypatch):
    monkeypatch.setattr(engine, "one_placement", lambda _: None)
    (found,) = findings(deployment(), inventory())
    assert found.trace[0].message.startswith("the old pods run: 1 on l4-1")


def test_a_run_that_the_core_does_not_confirm_leaves_the_verdict_of_the_bound(monkeypatch):
    def not_confirmed(*_, **__):
        raise engine.ReplayMismatch("no")

    monkeypatch.setattr(engine, "replay", not_confirmed)
    (found,) = findings(deployment(), inventory())
    assert (found.code, found.severity) == ("KLG101", "error")


@pytest.mark.parametrize(
    ("keys", "who"),
    [("", "old and new pods both count"), ("[pod-template-hash]", "only pods of one revision count")],
)
def test_whose_pods_count_for_a_term_is_said(keys, who):
    term = (
        f"topologyKey: zone, labelSelector: {{matchLabels: {{app: chat}}}}{f', matchLabelKeys: {keys}' if keys else ''}"
    )
    text = deployment(
        spec="replicas: 2\nstrategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}",
        pod=f"affinity:\n  podAntiAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      - {{{term}}}",
        more="ports: [{containerPort: 80, hostPort: 80}]",
    )
    nodes = "".join(
        f"  - name: {name}\n    labels: {{zone: {zone}}}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n"
        f"    gpus: {{model: L4, count: 4}}\n"
        for name, zone in (("a-1", "a"), ("a-2", "a"), ("b-1", "b"))
    )
    (found,) = findings(text, f"{HEAD}nodes:\n{nodes}{CLASSES}")
    assert [one.message for one in found.related if "count" in one.message and "zone" in one.message] == [
        f"one value of zone has one such pod at most, and {who}"
    ]
