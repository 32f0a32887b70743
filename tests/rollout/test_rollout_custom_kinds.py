"""Custom resources whose controllers make new pods beside the old ones: RayService, LeaderWorkerSet, Argo Rollout."""

from __future__ import annotations

from textwrap import indent

import pytest
from checks_units import findings, unit

from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.engine.repair import repair
from kubelint_gpu.simulation.prepare.participants import participants_of

POD = "{containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: %d}}}]}"
CPU = "{containers: [{name: a, image: a, resources: {limits: {cpu: 1}}}]}"


def inventory(*gpus, more=""):
    nodes = "".join(
        f"  - name: n{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    default = "priorityClasses: [{name: all, value: 1, globalDefault: true}]\n"
    return f"apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n{nodes}{default}{more}"


def ray(replicas=2, gpus=8, *, strategy="", autoscaled=False):
    return (
        "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: chat, namespace: serving}\nspec:\n"
        f"{strategy}  rayClusterConfig:\n    enableInTreeAutoscaling: {str(autoscaled).lower()}\n"
        f"    headGroupSpec: {{template: {{spec: {CPU}}}}}\n    workerGroupSpecs:\n"
        f"      - {{groupName: a, replicas: {replicas}, template: {{spec: {POD % gpus}}}}}\n"
    )


def groups(replicas=2, size=2, gpus=8, *, leader=True, strategy=""):
    first = f"    leaderTemplate: {{spec: {POD % gpus}}}\n" if leader else ""
    return (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: chat, namespace: serving}\n"
        f"spec:\n  replicas: {replicas}\n{strategy}  leaderWorkerTemplate:\n    size: {size}\n{first}"
        f"    workerTemplate: {{spec: {POD % gpus}}}\n"
    )


def rollout(replicas=1, gpus=1, *, strategy="canary: {}", more=""):
    return (
        "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: chat, namespace: serving}\nspec:\n"
        f"  replicas: {replicas}\n{more}  strategy:\n{indent(strategy, '    ')}\n  selector: {{matchLabels: {{app: a}}}}\n"
        f"  template: {{metadata: {{labels: {{app: a}}}}, spec: {POD % gpus}}}\n"
    )


def told(text, cluster):
    return [(one.code, one.certainty) for one in findings(text, cluster) if one.code.startswith("KLG1")]


STUCK = [("KLG101", "certain")]
PENDING = [("KLG109", "certain")]


@pytest.mark.parametrize(
    ("text", "gpus", "expected"),
    [
        (ray(), (8, 8), STUCK),
        (ray(), (8, 8, 8), STUCK),
        (ray(), (8, 8, 8, 8), []),
        (ray(), (8,), PENDING),
        (ray(strategy="  upgradeStrategy: {type: None}\n"), (8, 8), []),
        (ray(strategy="  upgradeStrategy: {type: NewClusterWithIncrementalUpgrade}\n"), (8, 8), []),
        (ray(autoscaled=True), (8, 8), [("KLG101", "possible")]),
        (ray(4, 1), (7,), STUCK),
        (ray(4, 1), (8,), []),
        # more pods than a search could place one by one
        (ray(100, 1), (8,) * 24, STUCK),
        (ray(100, 1), (8,) * 25, []),
        (ray(50_000, 1), (8,) * 24, PENDING),
        # two pods with 3 of 4 GPUs: there are as many GPUs as the four pods ask for, and not where they need them
        (ray(2, 3), (4, 4, 4), STUCK),
        (ray(2, 3), (4, 4, 4, 4), []),
        (groups(), (8, 8, 8, 8), []),
        # the leaders and the workers
        (groups(), (8, 8, 8), [("KLG109", "possible"), ("KLG109", "possible")]),
        (groups(leader=False), (8, 8, 8), PENDING),
        (groups(leader=False), (8, 8, 8, 8), []),
        (
            groups(strategy="  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1, maxUnavailable: 0}}\n"),
            (8,) * 5,
            STUCK,
        ),
        (
            groups(strategy="  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1, maxUnavailable: 0}}\n"),
            (8,) * 6,
            [],
        ),
        (
            groups(strategy="  rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 1, maxUnavailable: 1}}\n"),
            (8,) * 4,
            [],
        ),
        (rollout(), (1,), STUCK),
        (rollout(), (2,), []),
        (rollout(4), (4,), []),
        (rollout(4, strategy="canary: {maxUnavailable: 0}"), (4,), STUCK),
        (rollout(4, strategy="canary: {maxUnavailable: 0}"), (5,), []),
        (rollout(strategy="canary: {maxSurge: 0, maxUnavailable: 1}"), (1,), []),
        (rollout(4, strategy="blueGreen: {activeService: a}"), (7,), STUCK),
        (rollout(4, strategy="blueGreen: {activeService: a}"), (8,), []),
        (rollout(4, strategy="canary: {trafficRouting: {nginx: {}}}"), (7,), STUCK),
        (rollout(4, strategy="canary: {trafficRouting: {nginx: {}}}"), (8,), []),
        (rollout(4, strategy="canary: {dynamicStableScale: true, trafficRouting: {nginx: {}}}"), (7,), []),
        (rollout(more="  paused: true\n"), (1,), []),
        (rollout(0), (1,), []),
    ],
)
def test_what_a_change_needs_is_compared_with_what_there_is(text, gpus, expected):
    assert told(text, inventory(*gpus)) == expected


def test_the_message_says_what_its_new_pods_wait_for():
    (found,) = findings(ray(), inventory(8, 8, 8), "KLG101")
    assert found.message == (
        'the rollout never ends: the new "a" pod waits for 8 nvidia.com/gpu on n1, n2 and n3, held by 2 old "a" pods and '
        "another new pod, and the old pods are kept until the new ones are available"
    )
    assert "upgradeStrategy type None" in found.help[0]
    assert found.related[0].message == (
        "a RayService makes a whole second cluster beside the first one, which goes when the second one serves"
    )
    assert "RayService controller: creates the new set of pods with replicas 2" in {
        f"{step.actor}: {step.message}" for step in found.trace
    }


def test_the_templates_of_one_object_are_told_apart():
    found = findings(groups(), inventory(8, 8, 8), "KLG109")
    held = [one.message.partition(";")[0].partition("held by ")[2] for one in found]
    assert held == [f"its other pods and its {role} pods" for role in ("worker", "leader")]


@pytest.mark.parametrize(
    ("running", "expected"),
    [
        ("{name: a, node: n2, namespace: other, priority: 5, requests: {nvidia.com/gpu: 8}}", STUCK),
        ("{name: a, node: n2, namespace: other, priority: -5, requests: {nvidia.com/gpu: 8}}", [("KLG108", "certain")]),
        ("{name: a, node: n2, namespace: serving, priority: 5, requests: {nvidia.com/gpu: 8}}", []),
    ],
)
def test_running_pods_are_in_the_way_where_they_can_be_neither_evicted_nor_its_own(running, expected):
    assert told(ray(1), inventory(8, 8, more=f"running: [{running}]\n")) == expected


def test_pools_that_may_grow_are_counted_as_grown():
    pool = "pools:\n  - name: p\n    count: 2\n    autoscaling: {min: 0, max: %d}\n    template:\n"
    pool += "      allocatable: {cpu: 16, memory: 64Gi}\n      gpus: {model: L4, count: 8}\n"
    head = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\n"
    assert [code for code, _ in told(ray(), head + pool % 3)] == ["KLG101"]
    assert told(ray(), head + pool % 4) == [("KLG114", "possible")]


def test_a_node_that_takes_none_of_the_pods_is_told_by_its_own_rule():
    assert [one.code for one in findings(groups(gpus=16), inventory(8, 8))] == ["KLG503", "KLG503"]


def test_without_an_inventory_the_room_is_told():
    (found,) = findings(ray(), "", "KLG114")
    assert found.severity == "note"
    assert found.message.startswith(
        "a rollout needs 4 places with 8 nvidia.com/gpu, 2 more than the 2 replicas that run"
    )
    assert findings(groups(), "", "KLG114") == []


def runtime(strategy, replicas=2):
    return (
        "apiVersion: production-stack.vllm.ai/v1alpha1\nkind: VLLMRuntime\nmetadata: {name: chat, namespace: serving}\n"
        f"spec: {{deploymentConfig: {{replicas: {replicas}, deploymentStrategy: {strategy}, resources: {{gpu: 1}}}}}}\n"
    )


def test_a_vllm_runtime_is_rolled_out_by_its_operator():
    assert told(runtime("RollingUpdate"), inventory(2)) == [("KLG101", "possible")]
    assert told(runtime("RollingUpdate"), inventory(3)) == []
    assert told(runtime("RollingUpdate", 4), inventory(4)) == []
    assert told(runtime("Recreate"), inventory(2)) == []
    (found,) = findings(runtime("RollingUpdate"), "", "KLG114")
    assert found.message.startswith(
        "a rollout needs 3 places with 1 nvidia.com/gpu, one more than the 2 replicas that run"
    )


def test_a_train_job_that_no_node_can_take_is_told_and_taints_are_its_runtimes_business():
    text = (
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t, namespace: ml}\nspec:\n"
        "  runtimeRef: {name: torch}\n  trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: %d}}}\n"
    )
    tainted = inventory(8, 8).replace("    gpus:", "    taints: [{key: a, effect: NoSchedule}]\n    gpus:")
    assert [one.code for one in findings(text % 16, tainted)] == ["KLG503"]
    assert findings(text % 8, tainted) == []


def test_a_train_job_has_all_its_nodes_or_never_goes_on():
    text = (
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t, namespace: ml}\nspec:\n"
        "  runtimeRef: {name: torch}\n  trainer: {numNodes: 3, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}\n"
    )
    (one,) = findings(text, inventory(8, 8))
    assert one.message == "TrainJob ml/t needs its 3 pods at once and only 2 find room on n1 and n2, whoever admits it"
    assert (one.code, one.place.line) == ("KLG113", 6)
    assert findings(text, inventory(8, 8, 8)) == []
    assert findings(text.replace("spec:\n", "spec:\n  suspend: true\n"), inventory(8, 8)) == []


def test_the_templates_of_one_object_are_mended_one_by_one():
    tainted = inventory(8, 8, 8, 8).replace("    gpus:", "    taints: [{key: a, effect: NoSchedule}]\n    gpus:")
    found = findings(groups(), tainted, "KLG202")
    assert len({one.fingerprint for one in found}) == 2
    assert [[fix.title for fix in one.fixes] for one in found] == [["tolerate a:NoSchedule"], ["tolerate a:NoSchedule"]]
    repaired = repair(unit(groups(), tainted), unsafe=True)
    assert [finding.code for finding, _ in repaired.applied] == ["KLG202", "KLG202"]
    assert repaired.refused == ()


def test_what_another_object_places_is_not_said_to_land_anywhere():
    sick = inventory(2, 2).replace("  - name: n1\n", "  - name: n1\n    unhealthy: true\n")
    assert findings(runtime("Recreate"), sick) == []


def test_a_pod_without_an_owner_is_that_of_the_workload_whose_labels_it_has():
    deployment = (
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: serving}\nspec:\n"
        "  selector: {matchLabels: {app: d}}\n"
        f"  template: {{metadata: {{labels: {{app: d}}}}, spec: {POD % 8}}}\n"
    )
    entry = "{name: p, node: n1, namespace: serving, labels: {app: d}, requests: {nvidia.com/gpu: 8}}"
    found = unit(ray() + deployment, inventory(8, 8, 8, more=f"running: [{entry}]\n"))
    changes, rest, _ = participants_of(list(transitions_in(found).values()), found.cluster, found.cluster)
    assert [[pod.meta.name for pod in one.running] for one in changes] == [[], [], ["p"]]
    assert rest == []


def test_what_is_not_certain_itself_is_in_nobodys_way_and_finds_all_others_there():
    exact = rollout(strategy="canary: {}")
    model = (
        "---\napiVersion: apps.nvidia.com/v1alpha1\nkind: NIMService\nmetadata: {name: nim, namespace: serving}\n"
        "spec: {replicas: 1, resources: {limits: {nvidia.com/gpu: 1}}}\n"
    )
    found = findings(exact + model, inventory(2))
    assert [(one.code, one.certainty, one.object) for one in found if one.code.startswith("KLG1")] == [
        ("KLG101", "possible", "NIMService/serving/nim")
    ]
    assert told(exact + model, inventory(3)) == []


@pytest.mark.parametrize("gpus", [(8, 8, 8), (8, 8, 8, 8)])
def test_worker_groups_with_gpus_come_up_together(gpus):
    """Each by itself finds room on a third node; all of the second cluster need a fourth."""
    second = f"      - {{groupName: b, replicas: 1, template: {{spec: {POD % 8}}}}}\n"
    assert told(ray(1) + second, inventory(*gpus)) == (STUCK if len(gpus) == 3 else [])


@pytest.mark.parametrize(
    ("owner", "expected"),
    [("Deployment/serving/other", PENDING), ("StatefulSet/serving/chat-0", []), ("", [])],
)
def test_a_running_pod_is_in_the_way_unless_it_may_be_its_own(owner, expected):
    entry = f"{{name: p, node: n1, namespace: serving, {f'owner: {owner}, ' if owner else ''}requests: {{nvidia.com/gpu: 1}}}}"
    assert told(groups(1, 1, 1), inventory(1, more=f"running: [{entry}]\n")) == expected


@pytest.mark.parametrize(
    ("owner", "priority", "expected"),
    [
        ("Rollout/serving/chat", 1, STUCK),
        ("Deployment/serving/other", 1, PENDING),
        ("Deployment/serving/other", 0, [("KLG108", "certain")]),
    ],
)
def test_a_canary_is_rolled_and_placed_as_a_deployment_is(owner, priority, expected):
    pod = f"{{name: p, node: n1, owner: {owner}, priority: {priority}, requests: {{nvidia.com/gpu: 1}}}}"
    cluster = inventory(1, more=f"running: [{pod}]\n")
    text = rollout(strategy="canary: {steps: [{setWeight: 20}]}")
    assert told(text, cluster) == expected
    other = text.replace("argoproj.io/v1alpha1", "apps/v1").replace("kind: Rollout", "kind: Deployment")
    other = other.replace("canary: {steps: [{setWeight: 20}]}", "rollingUpdate: {}")
    assert told(other, cluster.replace("Rollout/", "Deployment/")) == expected


def test_a_canary_is_mended_within_its_own_field():
    pod = "running: [{name: p, node: n1, owner: Rollout/serving/chat, requests: {nvidia.com/gpu: 1}}]\n"
    for strategy, left in (
        ("canary:\n  steps: [{setWeight: 20}]", "steps: [{setWeight: 20}]"),
        ("canary: {}", "canary:"),
    ):
        text = rollout(strategy=strategy)
        fixed = repair(unit(text, inventory(1, more=pod)), unsafe=False).unit.sources[0].source.text
        assert left in fixed
        assert "maxSurge: 0" in fixed
        assert "rollingUpdate" not in fixed
        assert told(fixed, inventory(1, more=pod)) == []


def test_an_object_with_several_templates_is_named_once():
    role = f"{{replicas: 1, template: {{spec: {{priorityClassName: all, containers: {POD[13:-1] % 1}}}}}}}"
    job = (
        "---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train, namespace: serving}\n"
        f"spec: {{pytorchReplicaSpecs: {{Master: {role}, Worker: {role}}}}}\n"
    )
    cluster = inventory(8).replace(", globalDefault: true", "")
    [found] = [one for one in findings(rollout() + job, cluster) if one.code == "KLG301"]
    assert found.message.endswith("and PyTorchJob serving/train beside it can evict them")


def test_a_change_of_one_template_makes_all_of_the_second_cluster():
    """The head is made anew with the workers: its second one has no CPU."""
    before = ray(1, 1)
    cluster = inventory(2, 2).replace("cpu: 16", "cpu: 1")
    assert told(before, cluster) == []
    small = inventory(2).replace("cpu: 16", "cpu: 1")
    workers = "image: %s, resources: {limits: {nvidia"
    changed = before.replace(workers % "a", workers % "b")
    assert [one.code for one in findings(changed, small, before=before) if one.code.startswith("KLG1")] == ["KLG101"]


@pytest.mark.parametrize("text", [ray(), rollout(strategy="canary: {}"), rollout(strategy="blueGreen: {}")])
def test_what_a_change_does_not_touch_is_silent(text):
    cluster = inventory(8, 8) if "Ray" in text else inventory(1)
    for new, expected in ((text, []), (text.replace("image: a", "image: b"), ["KLG101"])):
        found = findings(new, cluster, before=text)
        assert [one.code for one in found if one.code.startswith("KLG1")] == expected


@pytest.mark.parametrize(
    ("replicas", "gpus", "expected"),
    [
        ((1,), 1, [("KLG101", "possible")]),
        ((1,), 2, []),
        ((1, 2), 3, [("KLG101", "possible")] * 2),
        # one place is enough: each gives an old pod's place away
        ((1, 2), 4, []),
        ((4,), 4, []),
    ],
)
def test_the_deployments_of_predictors_surge_each_by_itself(replicas, gpus, expected):
    predictors = ", ".join(f"{{name: p{n}, replicas: {n}, componentSpecs: [{{spec: {POD % 1}}}]}}" for n in replicas)
    text = (
        "apiVersion: machinelearning.seldon.io/v1\nkind: SeldonDeployment\nmetadata: {name: chat, namespace: serving}\n"
        f"spec: {{predictors: [{predictors}]}}\n"
    )
    assert told(text, inventory(gpus)) == expected
    if expected:
        found = findings(text, inventory(gpus), "KLG101")
        assert {(one.place.line, one.fixes) for one in found} == {(4, ())}


@pytest.mark.parametrize(
    ("least", "gpus", "expected"),
    [("1", 1, ["KLG101"]), ("1", 2, []), ("2", 3, ["KLG101"]), ("2", 1, ["KLG109"]), ("0", 1, []), ("", 1, [])],
)
def test_a_knative_service_that_keeps_pods_makes_a_revision_beside_them(least, gpus, expected):
    kept = f"metadata: {{annotations: {{autoscaling.knative.dev/min-scale: '{least}'}}}}, " if least else ""
    text = (
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: chat, namespace: serving}\n"
        f"spec: {{template: {{{kept}spec: {{containers: [{{image: a, {GPU}}}]}}}}}}\n"
    )
    assert told(text, inventory(gpus)) == [(code, "possible") for code in expected]


def test_pods_of_a_kind_whose_updates_are_not_known_are_counted():
    text = (
        "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: chat, namespace: serving}\n"
        "spec: {services: {a: {replicas: 3, resources: {limits: {gpu: '8'}}}}}\n"
    )
    assert told(text, inventory(8)) == [("KLG109", "possible")]
    assert told(text, inventory(8, 8, 8)) == []


KSERVE = "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
LLM = "apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\n"
NIM = "apiVersion: apps.nvidia.com/v1alpha1\nkind: NIMService\n"
GPU = "resources: {limits: {nvidia.com/gpu: 1}}"


@pytest.mark.parametrize(
    ("head", "spec", "gpus", "expected"),
    [
        (KSERVE, f"{{predictor: {{model: {{{GPU}}}}}}}", 1, True),
        (KSERVE, f"{{predictor: {{model: {{{GPU}}}}}}}", 2, False),
        (KSERVE, f"{{predictor: {{minReplicas: 4, model: {{{GPU}}}}}}}", 4, False),
        (KSERVE, f"{{predictor: {{minReplicas: 0, model: {{{GPU}}}}}}}", 1, False),
        (KSERVE, f"{{predictor: {{deploymentStrategy: {{type: Recreate}}, model: {{{GPU}}}}}}}", 1, False),
        (
            KSERVE,
            f"{{predictor: {{deploymentStrategy: {{rollingUpdate: {{maxUnavailable: 0}}}}, minReplicas: 4, model: {{{GPU}}}}}}}",
            4,
            True,
        ),
        (KSERVE, f"{{predictor: {{model: {{{GPU}}}, workerSpec: {{containers: [{{name: w, {GPU}}}]}}}}}}", 2, 2),
        (LLM, f"{{replicas: 1, template: {{containers: [{{name: main, {GPU}}}]}}}}", 1, True),
        (NIM, f"{{replicas: 1, {GPU}}}", 1, True),
        (NIM, f"{{replicas: 1, {GPU}}}", 2, False),
    ],
)
def test_what_an_operator_makes_a_deployment_of_surges(head, spec, gpus, expected):
    found = findings(f"{head}metadata: {{name: chat, namespace: serving}}\nspec: {spec}\n", inventory(gpus))
    told = [(one.code, one.certainty) for one in found if one.code.startswith("KLG1")]
    assert told == [("KLG101", "possible")] * expected
    assert all("may never end" in one.message for one in found if one.code == "KLG101")
