"""`kubelint-gpu explain`: the pages of rules, and why a workload fits where it fits."""

from __future__ import annotations

import pytest
from command_line import TRACKER, kubelint
from explaining import BOTH, CLUSTER, WORKLOAD, explain, explained, laid_out, workload

TRACKED = TRACKER / "tracker.yaml"
NODES = TRACKER / "nodes.yaml"


@pytest.fixture
def folder(tmp_path):
    return laid_out(tmp_path)


def test_the_tracker_is_explained_as_its_folder_says(request):
    path = TRACKER / "explain.txt"
    ran = kubelint(*BOTH, env={"COLUMNS": "100"})
    assert (ran.code, ran.err) == (0, "")
    if request.config.getoption("--update"):
        path.write_text(ran.out)
    assert ran.out == path.read_text()


def test_a_rule_is_still_explained_by_code_and_name():
    by_code, by_name = kubelint("explain", "KLG101"), kubelint("explain", "rollout-deadlock")
    assert by_code.out.startswith("# ")
    assert by_code.out == by_name.out
    assert "did you mean" in kubelint("explain", "rollout-dedlock").err
    assert kubelint("explain", "KLG101", "examples").code == 2


@pytest.mark.parametrize(
    "env", [{"PYTHONHASHSEED": "1", "LC_ALL": "C"}, {"PYTHONHASHSEED": "2", "LANG": "tr_TR.UTF-8"}]
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_two_runs_print_the_same_bytes(form, env, folder):
    arguments = ("-i", "cluster.yaml", "--output-format", form)
    assert explain(folder, *arguments, env=env).out == explain(folder, *arguments).out


def test_the_schedulers_sentence_is_that_of_check():
    found = kubelint(*BOTH, "--output-format", "json").json["situations"]
    assert [one["situation"] for one in found] == ["creation", "rollout"]
    assert (found[0]["fits"], found[0]["scheduler"]) == (True, None)
    checked = kubelint("check", TRACKED, "-i", NODES, "--select", "KLG101", "--output-format", "json").json
    assert found[1]["scheduler"] == checked["findings"][0]["scheduler"]


def test_in_a_rollout_without_surge_the_new_pod_comes_after_the_old():
    found = kubelint(
        "explain", "deploy/object-tracker", "examples/tracker/fixed.yaml", "-i", NODES, "--output-format", "json"
    ).json["situations"]
    assert [(one["situation"], one["fits"], one["own"]) for one in found] == [
        ("creation", True, []),
        ("rollout", True, []),
    ]


def test_without_an_inventory_the_error_says_what_to_give(folder):
    ran = explain(folder)
    assert (ran.code, ran.out) == (2, "")
    assert "--inventory FILE" in ran.err
    assert ".kubelint-gpu.yaml" in ran.err


def test_the_configuration_names_the_inventory(folder):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\n")
    assert explain(folder).out == explain(folder, "-i", "cluster.yaml").out
    (folder / "given.yaml").write_text("inventory: cluster.yaml\n")
    (folder / ".kubelint-gpu.yaml").unlink()
    assert explain(folder, "infer.yaml", "--config", "given.yaml").code == 0


def test_an_inventory_that_cannot_be_used_is_an_error(folder):
    (folder / "cluster.yaml").write_text(CLUSTER + "scheduler: 1\n")
    ran = explain(folder, "-i", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "scheduler must be a mapping" in ran.err


def test_an_inventory_with_an_unknown_field_is_judged_and_ends_with_2(folder):
    (folder / "cluster.yaml").write_text(CLUSTER + "surprise: 1\n")
    ran = explain(folder, "-i", "cluster.yaml")
    assert ran.code == 2
    assert "and there may be others" in ran.out
    assert 'unknown field "surprise"' in ran.err


def test_standard_input_is_read(folder):
    ran = explain(folder, "-", "-i", "cluster.yaml", stdin=WORKLOAD.encode())
    assert ran.code == 0
    assert "--> <stdin>:4" in ran.out


def test_a_patch_and_a_broken_workload_cannot_be_explained(folder):
    (folder / "infer.yaml").write_text(WORKLOAD.replace("image: x, ", ""))
    assert "is a patch" in explain(folder, "-i", "cluster.yaml").err
    (folder / "infer.yaml").write_text(WORKLOAD.replace("replicas: 1", "replicas: many"))
    ran = explain(folder, "-i", "cluster.yaml")
    assert (ran.code, "cannot be judged" in ran.err) == (2, True)


def test_an_unknown_priority_class_is_told(folder):
    (folder / "infer.yaml").write_text(WORKLOAD.replace("serving", "nowhere"))
    assert "there is no PriorityClass nowhere: admission refuses the pod" in explain(folder, "-i", "cluster.yaml").out


@pytest.mark.parametrize("autoscaled", ["false", "true"])
def test_of_a_custom_resource_the_template_with_the_most_devices_is_explained(tmp_path, autoscaled):
    pod = "{template: {spec: {containers: [{name: a, image: a%s}]}}}"
    workers = pod % ", resources: {limits: {nvidia.com/gpu: 1}}"
    (tmp_path / "a.yaml").write_text(
        "apiVersion: ray.io/v1\nkind: RayService\nmetadata: {name: chat, namespace: d}\nspec:\n  rayClusterConfig:\n"
        f"    enableInTreeAutoscaling: {autoscaled}\n    headGroupSpec: {pod % ''}\n    workerGroupSpecs: [{workers}]\n"
    )
    (tmp_path / "c.yaml").write_text(
        "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n"
        "  - {name: n1, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}\n"
    )
    ran = kubelint("explain", "rayservice/chat", "a.yaml", "-i", "c.yaml", cwd=tmp_path)
    assert ran.code == 0
    assert "asks for    1 nvidia.com/gpu" in ran.out
    assert f"rollout     {'may wait for ever' if autoscaled == 'true' else 'never ends'}; kubelint-gpu check" in ran.out


def test_a_claim_of_the_manifests_is_taken_to_be_bound_as_check_takes_it(tmp_path):
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: v, namespace: d}\n"
        "spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n"
    )
    volume = "      volumes: [{name: v, persistentVolumeClaim: {claimName: v}}]\n"
    text = explained(
        tmp_path, "deployment/a", workload("Deployment", "a", 1, 1, pod=volume) + claim, ("l", 1), ("s", 1)
    )
    assert "claims v, assumed to be bound on the pod's node: the inventory does not have it" in text
    assert "beside what the inventory says is running: the pod fits on 2 of 2 nodes" in text
    assert text.endswith("rollout never ends; kubelint-gpu check says why")


def test_what_rests_on_the_declared_nodes_is_told_as_check_tells_it(tmp_path):
    manifest = workload("Deployment", "a", 1, 1)
    text = explained(tmp_path, "deployment/a", manifest, ("l", 1), more="complete: false\n")
    assert text.endswith("rollout never ends unless there are nodes beyond the inventory; kubelint-gpu check says why")
    text = explained(tmp_path, "deployment/a", workload("Deployment", "a", 2, 1), ("l", 1), more="complete: false\n")
    assert text.endswith(
        "rollout cannot end unless there are nodes beyond the inventory: only 1 of 2 replicas can run; "
        "kubelint-gpu check says why"
    )
    assert explained(tmp_path, "deployment/a", manifest, ("l", 1)).endswith(
        "rollout never ends; kubelint-gpu check says why"
    )
