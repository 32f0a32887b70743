"""What several manifests say together, and where rules keep silent."""

from __future__ import annotations

import pytest
from checks_units import deployment
from checks_units import unit as unit_of_nodes

from kubelint_gpu.documents import read
from kubelint_gpu.engine.registry import checks
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet, Attempts
from kubelint_gpu.workspace.cluster_context import ClusterContext

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
complete: true
nodes:
  - name: gpu-1
    allocatable: {cpu: 64, memory: 512Gi}
    gpus: {model: L40S, count: 8}
    taints: [{key: team, value: llm, effect: NoSchedule}]
priorityClasses:
  - {name: high, value: 1000}
  - {name: low, value: 10}
"""


def unit(*files, inventory=NODES):
    readings = [read(f"{number}.yaml", text.encode()) for number, text in enumerate(files)]
    world = ClusterContext()
    if inventory:
        found = (read("inventory.yaml", inventory.encode()),)
        declared, errors = load(found)
        assert [error.message for error in errors if error.severity == "error"] == []
        world = ClusterContext(declared, found, errors)
    return ApplySet(readings, world)


def messages(code, *files, inventory=NODES):
    return [draft.message for draft in checks()[code](unit(*files, inventory=inventory))]


def workload(kind="Deployment", name="a", spec="", namespace="ml", replicas="  replicas: 1\n"):
    at = f"  namespace: {namespace}\n" if namespace else ""
    return f"""\
apiVersion: apps/v1
kind: {kind}
metadata:
  name: {name}
{at}spec:
{replicas}  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
{spec}      containers: [{{name: main, image: image}}]
"""


def near(app, more=""):
    term = f"{{labelSelector: {{matchLabels: {{app: {app}}}}}, topologyKey: kubernetes.io/hostname{more}}}"
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    tolerations = "      tolerations: [{key: team, operator: Exists}]\n"
    return f"      affinity: {{podAffinity: {{{required}: [{term}]}}}}\n{tolerations}"


AUTOSCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec:
  maxReplicas: 4
"""
WHOLE = AUTOSCALER + "  minReplicas: 1\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}\n"


def test_a_base_and_its_patch_are_no_duplicates():
    assert messages("KLG007", WHOLE, AUTOSCALER) == []


def test_two_whole_objects_of_different_files_are_duplicates():
    assert messages("KLG007", WHOLE, WHOLE.replace("4", "8")) == [
        "HorizontalPodAutoscaler/a is here twice: the last one wins"
    ]


def test_a_pod_may_be_near_one_of_another_workload():
    assert messages("KLG403", workload(spec=near("b")) + "---\n" + workload(name="b")) == []
    assert messages("KLG403", workload(spec=near("b"))) != []


def test_a_workload_of_another_namespace_counts_only_where_the_own_one_is_not_written():
    other = workload(name="b", namespace="storage")
    assert messages("KLG403", workload(spec=near("b")) + "---\n" + other) != []
    assert messages("KLG403", workload(spec=near("b"), namespace="") + "---\n" + other) == []


def test_affinity_to_another_workload_does_not_make_a_pod_unschedulable():
    files = (
        workload(spec=near("b"))
        + "---\n"
        + workload(name="b", spec="      tolerations: [{key: team, operator: Exists}]\n")
    )
    assert messages("KLG201", files) == []


def test_without_an_inventory_nothing_is_said_of_other_pods():
    assert messages("KLG403", workload(spec=near("b")), inventory="") == []


def test_a_daemon_set_may_tolerate_what_may_come():
    spec = "      tolerations: [{key: teams, operator: Exists}, {key: team, operator: Exists}]\n"
    assert messages("KLG407", workload(kind="DaemonSet", spec=spec, replicas="")) == []
    assert len(messages("KLG407", workload(spec=spec))) == 1


def test_a_toleration_that_just_misses_a_taint_keeps_a_daemon_set_from_its_nodes():
    open_node = "  - {name: gpu-2, allocatable: {cpu: 64, memory: 512Gi}}\n"
    tainted = NODES.replace("value: llm", 'value: "true"').replace("priorityClasses", f"{open_node}priorityClasses")

    def found(value):
        spec = f"      tolerations: [{{key: team, value: {value}}}]\n"
        daemons = unit(workload(kind="DaemonSet", spec=spec, replicas=""), inventory=tainted)
        return list(checks()["KLG407"](daemons))

    (told,) = found("present")
    assert told.message.startswith("no node has a taint team=present: ")
    assert [edit.text for edit in told.proposals[0].edits()] == ['"true"']
    assert found('"true"') == []


@pytest.mark.parametrize(
    "key", ["node.kubernetes.io/not-ready", "nvidia.com/gpu", "karpenter.sh/disruption", "dedicated"]
)
def test_taints_that_come_and_go_may_be_tolerated(key):
    spec = f"      tolerations: [{{key: {key}, operator: Exists}}, {{key: team, operator: Exists}}]\n"
    assert messages("KLG407", workload(spec=spec)) == []


RUNNING = (
    NODES
    + """\
running:
  - {name: b-0, namespace: ml, node: gpu-1, gpus: 8, priorityClassName: low, labels: {app: b}, owner: Deployment/ml/b}
podDisruptionBudgets:
  - {name: b, namespace: ml, selector: {matchLabels: {app: b}}, minAvailable: 1}
"""
)
HIGH = """\
      priorityClassName: high
      tolerations: [{key: team, operator: Exists}]
"""


def whole_node(name):
    gpus = "resources: {limits: {nvidia.com/gpu: 8}}"
    return workload(name=name, spec=HIGH).replace("image: image}", f"image: image, {gpus}}}")


def test_a_workload_that_runs_already_is_left_to_the_rules_of_rollouts():
    assert len(messages("KLG306", whole_node("a"), inventory=RUNNING)) == 1
    assert messages("KLG306", whole_node("b"), inventory=RUNNING) == []


def test_patches_have_types_and_no_further_refusals():
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: A}\nspec: {template: {spec: {hostNetwork: 1}}}\n"
    assert len(messages("KLG003", patch)) == 1


def test_pods_that_every_filter_treats_alike_share_the_attempt_that_fits():
    found = unit_of_nodes(
        f"{deployment()}---\n{deployment(name='other')}---\n{deployment(name='large', limits='{cpu: 99}')}"
    )
    kept = Attempts()
    chat, other, large = (kept.of(one, "empty", found.empty) for one in found.subjects)
    assert chat is other
    assert chat.fit.fits == ("gpu-1",)
    assert not large.fit.schedulable
    assert kept.of(found.subjects[2], "empty", found.empty) is large
