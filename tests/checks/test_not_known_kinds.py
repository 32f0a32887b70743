"""Objects that ask for GPUs and whose controllers are not known: silence about them would look clean."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, findings
from command_line import kubelint

from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.report.content import headline

HEAD = "apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: x, namespace: ml}}\nspec:\n"
GONE = "  source: {repoURL: u, path: gone}\n---\n"
ASKS = "  parts:\n    - resources: {{limits: {{{resource}: {amount}}}}}\n"


def told(group="example.com", kind="Engine", resource="nvidia.com/gpu", amount="1"):
    text = (HEAD + ASKS).format(group=group, kind=kind, resource=resource, amount=amount)
    return findings(text, "", "KLG000")


def test_a_kind_that_is_not_known_is_undecided_at_the_place_where_it_asks_for_gpus():
    (found,) = told(kind="EngineClass")
    assert (found.severity, found.undecided, found.place.line) == (
        "note",
        "the kind EngineClass is not known (its pods are not judged)",
        6,
    )
    assert (
        found.message == "EngineClass ml/x asks for nvidia.com/gpu, and its kind is not known: its pods are not judged"
    )


def test_what_is_judged_by_its_shape_is_undecided_too():
    (found,) = told()
    assert (found.severity, found.undecided, found.place.line) == (
        "note",
        "the kind Engine is not known (its pods are judged by their shape only)",
        6,
    )
    assert found.message.endswith("and its kind is not known: its pods are judged by their shape only")


@pytest.mark.parametrize(
    "other",
    [
        {"resource": "cpu"},
        {"amount": "0"},
        {"group": "apps", "kind": "Deployment"},
        {"group": "kyverno.io", "kind": "ClusterPolicy"},
        {"group": "scheduling.volcano.sh", "kind": "Queue", "resource": "cpu"},
    ],
)
def test_what_asks_for_none_has_no_pods_or_is_known_is_not_told(other):
    assert told(**other) == []


def test_a_known_kind_that_asks_for_gpus_outside_of_its_templates_is_told():
    (found,) = told(group="ray.io", kind="RayCluster")
    assert (found.undecided, found.place.line) == ("the kind RayCluster is not fully known", 6)
    assert found.message.endswith("but not what this field means for its pods: they are judged without")


SPARK = """apiVersion: sparkoperator.k8s.io/v1beta2
kind: SparkApplication
metadata: {name: x}
spec:
  driver: {cores: 1}
  executor: {%s}
  sparkConf: {spark.executor.resource.gpu.amount: '2'}
"""


def test_a_known_kind_is_not_told_if_a_template_of_it_asks_for_gpus():
    gpu = "gpu: {name: nvidia.com/gpu, quantity: 2}"
    assert [one.place.line for one in findings(SPARK % "cores: 1", "", "KLG000")] == [7]
    assert findings(SPARK % gpu, "", "KLG000") == []


@pytest.mark.parametrize(
    ("field", "resource"),
    [
        ("steps: [{name: a, computeResources: {limits: {nvidia.com/gpu: 1}}}]", "nvidia.com/gpu"),
        ("flinkConfiguration: {external-resource.gpu.amount: '2'}", "external-resource.gpu.amount"),
        ("gpus: 4", "gpus"),
        ('podSpecPatch: \'{"limits": {"nvidia.com/gpu": 8}}\'', "nvidia.com/gpu"),
        ("template: |\n    limits:\n      nvidia.com/gpu: 8", "nvidia.com/gpu"),
        ("resource: {instanceType: Standard_NC24ads_A100_v4}", "Standard_NC24ads_A100_v4"),
        ("inference: {preset: {name: falcon-7b}}", "falcon-7b"),
        ("tuning: {preset: {name: falcon-7b}}", "falcon-7b"),
        ("resourceProfile: 'nvidia-gpu-l4:1'", "nvidia-gpu-l4:1"),
        ("devices: {gpus: [{deviceName: nvidia.com/A100}]}", "nvidia.com/A100"),
        ("gpuDevices: {value: '8'}", "gpuDevices"),
        ("gpu: {name: a, quantity: 2}", "gpu"),
        ("hub: {extra_resource_limits: {nvidia.com/gpu: '1'}}", "nvidia.com/gpu"),
        ("instanceType: t3.large", None),
        ("preset: {name: restricted}", None),
        ("devices: [{deviceName: example.com/qat}]", None),
        ("gpus: 0", None),
        ("gpus: all", None),
        ("tolerations: [{key: nvidia.com/gpu, value: '1'}]", None),
        ("template: |\n    limits:\n      memory: 8", None),
    ],
)
def test_gpus_are_found_in_whatever_form_they_are_written(field, resource):
    found = findings(HEAD.format(group="example.com", kind="Engine") + f"  {field}\n", "", "KLG000")
    assert [one.message.split(" asks for ")[1].split(",")[0] for one in found] == ([resource] if resource else [])


@pytest.mark.parametrize("kind", ["NodeClaim", "AWSMachinePool", "InstanceGroup", "EC2NodeClass"])
def test_a_kind_that_makes_nodes_asks_for_nothing(kind):
    assert findings(HEAD.format(group="example.com", kind=kind) + "  instanceType: p4d.24xlarge\n", "", "KLG000") == []


def test_fields_count_where_an_object_without_a_spec_has_them():
    text = HEAD.format(group="kaito.sh", kind="Workspace").replace(
        "spec:\n", "resource: {instanceType: p4d.24xlarge}\n"
    )
    assert [one.place.line for one in findings(text, "", "KLG000")] == [4]
    assert findings(text + "spec: {}\n", "", "KLG000") == []


def test_a_quota_in_an_object_of_its_own_is_no_request():
    text = HEAD.format(group="scheduling.volcano.sh", kind="Queue") + "  gpus: 4\n  capability: {nvidia.com/gpu: 8}\n"
    assert findings(text, "", "KLG000") == []


@pytest.mark.parametrize(
    ("group", "kind", "who"),
    [
        ("argoproj.io", "Application", "Argo CD"),
        ("argoproj.io", "ApplicationSet", "Argo CD"),
        ("helm.toolkit.fluxcd.io", "HelmRelease", "Flux"),
        ("kustomize.toolkit.fluxcd.io", "Kustomization", "Flux"),
    ],
)
def test_what_git_ops_controllers_render_is_told(group, kind, who):
    (found,) = findings((HEAD + "  path: a\n").format(group=group, kind=kind), "", "KLG006")
    assert found.message == f"{kind} x is not rendered as {who} does it: its workloads are not judged"


def test_several_objects_that_are_not_followed_are_one_sentence(tmp_path):
    text = "".join(
        HEAD.format(group="argoproj.io", kind="Application").replace("name: x", f"name: {name}") + GONE for name in "ab"
    )
    (tmp_path / "m.yaml").write_text(text)
    (tmp_path / ".git").mkdir()
    ran = kubelint("check", tmp_path, "--output-format", "concise")
    assert "Applications ml/a and ml/b are not rendered as Argo CD does it, because the path is no folder" in ran.out


def test_an_object_that_is_not_followed_is_undecided_and_its_kind_is_known(tmp_path):
    values = GONE.replace("gone}", "gone, helm: {valuesObject: {resources: {limits: {nvidia.com/gpu: 1}}}}}")
    (tmp_path / "m.yaml").write_text(HEAD.format(group="argoproj.io", kind="Application") + values)
    (tmp_path / ".git").mkdir()
    ran = kubelint("check", tmp_path, "--output-format", "concise")
    assert "KLG006" in ran.out
    assert "KLG000" not in ran.out
    assert "1 undecided: the Application is not rendered" in ran.out


def test_many_of_them_are_one_finding_each_counted_as_undecided():
    text = "---\n".join(
        (HEAD + ASKS)
        .format(group="example.com", kind="Milvus", resource="nvidia.com/gpu", amount=1)
        .replace("x,", f"{name},")
        for name in ("a", "b")
    )
    (found,) = told_once(findings(text, "", "KLG000"))
    assert (found.object, [one.message for one in found.related]) == ("Milvus/ml/a", ["Milvus ml/b, too"])
    assert headline(found) == (
        "Milvuses ml/a and ml/b ask for GPUs, and their kind is not known: their pods are judged by their shape only"
    )


SHAPE = """apiVersion: example.com/v1
kind: Engine
metadata: {name: x, namespace: ml}
spec:
  replicas: 9
  template:
    spec:
      nodeSelector: {pool: gone}
      containers:
        - name: main
          image: x
          resources: {limits: {nvidia.com/gpu: 1}}
"""


def test_a_pod_template_that_is_found_by_its_shape_is_judged_as_a_pod_alone():
    found = {one.code: one for one in findings(SHAPE, GPU_NODE % 1)}
    assert sorted(found) == ["KLG000", "KLG402"]
    told = found["KLG402"]
    assert (told.severity, told.certainty) == ("warning", "possible")
    assert told.message.endswith("; its controller is not known to kubelint-gpu")
    assert found["KLG000"].message.endswith("its kind is not known: its pods are judged by their shape only")


def test_its_pods_take_no_room_from_others():
    fits = deployment(limits="{nvidia.com/gpu: 1}", spec="strategy: {type: Recreate}")
    shape = SHAPE.replace("      nodeSelector: {pool: gone}\n", "")
    assert findings(fits, GPU_NODE % 1) == [
        one for one in findings(f"{fits}---\n{shape}", GPU_NODE % 1) if one.code != "KLG000"
    ]


def test_what_is_filled_in_later_is_taken_to_find_its_node():
    told = findings(SHAPE.replace("{pool: gone}", '{pool: "${POOL}"}'), GPU_NODE % 1)
    assert [one.code for one in told] == ["KLG000"]


PARTS = """apiVersion: milvus.io/v1beta1
kind: Milvus
metadata: {name: x, namespace: ml}
spec:
  components:
    nodeSelector: {kubernetes.io/hostname: gone}
    queryNode:
      resources: {limits: {nvidia.com/gpu: 1}}
"""


ANYWHERE = PARTS.replace("    nodeSelector: {kubernetes.io/hostname: gone}\n", "")
TAINTED = (GPU_NODE % 1).replace("    gpus:", "    taints: [{key: nvidia.com/gpu, effect: NoSchedule}]\n    gpus:")


def codes(text, inventory=GPU_NODE % 1):
    return [one.code for one in findings(text, inventory)]


def test_fields_of_a_pod_that_stand_beside_or_above_resources_are_judged():
    assert codes(PARTS) == ["KLG000", "KLG402"]
    assert codes(ANYWHERE) == ["KLG000"]
    assert codes(ANYWHERE.replace("gpu: 1", "gpu: 9")) == ["KLG000", "KLG503"]


def test_what_is_not_said_to_tolerate_anything_may_tolerate_every_taint():
    assert codes(ANYWHERE, TAINTED) == ["KLG000"]
    other = ANYWHERE.replace("    queryNode:", "    tolerations: [{key: other, operator: Exists}]\n    queryNode:")
    assert codes(other, TAINTED) == ["KLG000", "KLG202"]


def test_all_kinds_are_named_in_the_closing_line_and_in_sarif(tmp_path):
    objects = (HEAD.format(group="example.com", kind=f"Kind{letter}") + "  gpus: 2\n" for letter in "abcdefgh")
    (tmp_path / "m.yaml").write_text("---\n".join(objects))
    for format_ in "concise", "sarif":
        ran = kubelint("check", tmp_path, "--output-format", format_)
        assert all(f"because the kind Kind{letter} is not known" in ran.out for letter in "abcdefgh")


def test_a_cache_of_models_is_a_workload_also_without_gpus(tmp_path):
    text = "apiVersion: apps.nvidia.com/v1alpha1\nkind: NIMCache\nmetadata: {name: x}\nspec: {resources: {cpu: 640}}\n"
    (tmp_path / "m.yaml").write_text(text)
    assert "1 document, 1 workload" in kubelint("check", tmp_path).out
