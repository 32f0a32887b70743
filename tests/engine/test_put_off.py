"""A template of which a change makes no pod fits nowhere: nothing is stuck now, and that is told as of later."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests

NODES = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: n1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 2}
  - name: n2
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 2}
    taints: ["dedicated=x:NoSchedule"]
priorityClasses: [{name: high, value: 1000}]
"""
PAUSED = "paused: true"
ON_DELETE = "updateStrategy: {type: OnDelete}"
PARTITION = "updateStrategy: {rollingUpdate: {partition: 2}}"
UNFIT = {
    "KLG503": ("4", ""),
    "KLG402": ("1", "nodeSelector: {zone: nowhere}"),
    "KLG202": ("1", "nodeSelector: {kubernetes.io/hostname: n2}"),
}


def workload(kind, spec="", gpus="1", pod=""):
    return f"""
apiVersion: apps/v1
kind: {kind}
metadata: {{name: web}}
spec:
  {"" if kind == "DaemonSet" else "replicas: 2"}
  {"serviceName: web" if kind == "StatefulSet" else ""}
  {spec}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      {pod}
      containers: [{{name: main, image: "a:1", resources: {{limits: {{nvidia.com/gpu: "{gpus}"}}}}}}]
"""


def told(after, before="", made=(), code=""):
    inventory = (read("inventory.yaml", NODES.encode()),)
    cluster, problems, *_ = load(inventory)
    world = ClusterContext(cluster, inventory, problems)
    old = {one.object: one for one in manifests((read("before.yaml", before.encode()),))}
    unit = ApplySet((read("a.yaml", after.encode()),), world, before=old, made=made)
    return {one.code: one for one in check((unit,), world, fixes=False).findings if one.code in (code, *UNFIT)}


@pytest.mark.parametrize("code", UNFIT)
@pytest.mark.parametrize(
    ("kind", "keeps", "begins"),
    [
        ("Deployment", PAUSED, "with this change nothing is rolled out, and once it is resumed, "),
        ("StatefulSet", ON_DELETE, "with this change its old pods run on, and once they are deleted by hand"),
        ("StatefulSet", PARTITION, "with this change the pods below its partition run on, and once it is lowered"),
    ],
)
def test_a_template_that_is_kept_from_all_pods_waits_later(code, kind, keeps, begins):
    gpus, pod = UNFIT[code]
    found = told(workload(kind, keeps, gpus, pod), workload(kind, keeps))[code]
    assert (found.moment, found.severity, found.certainty) == ("later", "warning", "certain")
    assert found.message.startswith(begins)


@pytest.mark.parametrize("code", UNFIT)
@pytest.mark.parametrize(
    ("kind", "keeps"), [("Deployment", ""), ("StatefulSet", ""), ("StatefulSet", PARTITION.replace("2", "1"))]
)
def test_a_template_of_which_a_pod_is_made_waits_now(code, kind, keeps):
    gpus, pod = UNFIT[code]
    found = told(workload(kind, keeps, gpus, pod), workload(kind, keeps))[code]
    assert (found.moment, found.severity) == ("now", "error")


def test_an_ordinal_that_comes_has_the_new_template():
    grown = workload("StatefulSet", ON_DELETE, "4").replace("replicas: 2", "replicas: 3")
    assert told(grown, workload("StatefulSet", ON_DELETE))["KLG503"].moment == "now"


def test_a_daemon_set_leaves_nodes_that_it_does_not_choose_whatever_its_strategy():
    gpus, pod = UNFIT["KLG402"]
    assert told(workload("DaemonSet", ON_DELETE, gpus, pod), workload("DaemonSet", ON_DELETE))["KLG402"].moment == "now"


def test_what_is_new_has_no_old_pods():
    assert told(workload("StatefulSet", ON_DELETE, "4"))["KLG503"].moment == "now"


@pytest.mark.parametrize("code", UNFIT)
def test_fewer_replicas_of_the_same_template_make_no_pod(code):
    gpus, pod = UNFIT[code]
    before = workload("Deployment", "", gpus, pod)
    assert told(before, before) == {}
    assert told(before.replace("replicas: 2", "replicas: 1"), before) == {}
    assert told(before.replace("replicas: 2", "replicas: 3"), before)[code].moment == "now"


def test_a_pod_that_another_evicts_comes_back_with_the_template_that_no_node_takes():
    """Seen on a control plane 1.34."""
    gpus, pod = UNFIT["KLG402"]
    api = workload("Deployment", "", "1", "priorityClassName: high").replace("web", "api").replace("s: 2", "s: 1")
    before = workload("StatefulSet", ON_DELETE)
    found = told(f"{workload('StatefulSet', ON_DELETE, gpus, pod)}---{api}", before, {"Deployment/api"})["KLG402"]
    assert (found.object, found.moment, found.severity) == ("StatefulSet/web", "now", "error")


def test_a_class_that_nobody_has_refuses_no_pod_of_what_has_no_replicas():
    """Seen on a control plane 1.34."""
    unit = workload("Deployment", "", "1", "priorityClassName: gone").replace("replicas: 2", "replicas: 0")
    found = told(unit, "", {"Deployment/web"}, code="KLG302")["KLG302"]
    assert (found.moment, found.severity) == ("later", "warning")
    assert told(unit.replace("s: 0", "s: 1"), "", {"Deployment/web"}, code="KLG302")["KLG302"].moment == "now"
