"""What is judged together, and how sure the program is: each sentence of the design as a promise."""

from __future__ import annotations

import subprocess

import pytest
from command_line import READY as TRACKED
from command_line import check_json, kubelint

OTHER = TRACKED.replace("object-tracker", "second-tracker")
SMALL = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: tracker-node, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 1}}
  - {name: gpu-1, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 2}}
"""
TWO = SMALL.replace("count: 1", "count: 2")
RUNNING = """\
running:
  - {name: notebook, namespace: lab, node: tracker-node, gpus: 1}
"""


@pytest.fixture
def check(tmp_path):
    def run(files, *options, inventory=SMALL, paths=(".",), stdin=b""):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        (tmp_path / "inventory").mkdir(exist_ok=True)
        (tmp_path / "inventory" / "cluster.yaml").write_text(inventory)
        given = ("-i", "inventory/cluster.yaml") if inventory else ()
        return check_json(*paths, *given, *options, cwd=tmp_path, stdin=stdin)

    return run


def test_the_files_of_a_directory_are_a_unit_unless_each_file_is_asked_for(check):
    files = {"deploy/a.yaml": TRACKED, "deploy/b.yaml": OTHER}
    ran = check(files, "--select", "KLG1", "--unit", "file", inventory=TWO, paths=("deploy",))
    assert ran.codes == []
    assert "KLG101" in check(files, "--select", "KLG1", inventory=TWO, paths=("deploy",)).codes
    apart = {"one/a.yaml": TRACKED, "two/b.yaml": OTHER}
    assert check(apart, "--select", "KLG1", inventory=TWO, paths=("one", "two")).codes == []
    assert "KLG101" in check(apart, "--select", "KLG1", "--together", inventory=TWO, paths=("one", "two")).codes


@pytest.mark.parametrize("unit", ["file", "directory"])
def test_together_with_another_unit_is_refused(unit):
    ran = kubelint("check", "examples/tracker", "--unit", unit, "--together")
    assert (ran.code, ran.out) == (2, "")
    assert f"--together is the same as --unit all: leave out --unit {unit}" in ran.err
    assert kubelint("check", "examples/tracker", "--unit", "all", "--together").out


QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: vision}
spec: {hard: {requests.nvidia.com/gpu: 0}}
"""


def test_a_quota_of_another_directory_decides_about_its_namespace_and_not_about_a_variant(check):
    assert "namespace: vision" in TRACKED
    files = {"apps/a.yaml": TRACKED, "policy/quota.yaml": QUOTA}
    paths = ("apps", "policy")
    assert check({"apps/a.yaml": TRACKED}, "--select", "KLG109", paths=("apps",)).codes == []
    assert check(files, "--select", "KLG109", paths=paths).codes == ["KLG109"]
    assert check(files, "--select", "KLG109", paths=("apps",)).codes == ["KLG109"]
    variant = check({"policy/other/a.yaml": TRACKED}, "--select", "KLG109", paths=paths)
    assert [one["path"] for one in variant.json["findings"]] == ["policy/other/a.yaml"]


SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: s, namespace: vision}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: object-tracker}
  maxReplicas: 9
"""


def test_an_autoscaler_of_another_directory_is_told_about_where_it_stands_if_it_is_checked(check):
    files = {"apps/a.yaml": TRACKED, "policy/s.yaml": SCALER}
    (found,) = check(files, "--select", "KLG115", paths=("apps", "policy")).json["findings"]
    assert (found["path"], found["fixes"]) == ("policy/s.yaml", [])
    assert check(files, "--select", "KLG115", paths=("apps",)).codes == []


def test_a_quota_beside_a_named_file_counts_unless_git_ignores_it(check, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    files = {"apps/a.yaml": TRACKED, "apps/quota.yaml": QUOTA, ".gitignore": "quota.yaml"}
    assert check(files, "--select", "KLG109", paths=("apps/a.yaml",)).codes == []
    (tmp_path / ".gitignore").unlink()
    del files[".gitignore"]
    assert check(files, "--select", "KLG109", paths=("apps/a.yaml",)).codes == ["KLG109"]
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    assert check(files, "--select", "KLG109", paths=("apps/a.yaml",)).codes == ["KLG109"]
    assert check(files, "--select", "KLG109", "--unit", "file", paths=("apps/a.yaml",)).codes == ["KLG109"]


def test_one_stream_on_standard_input_is_a_unit(check):
    ran = check({}, "--select", "KLG1", inventory=TWO, paths=("-",), stdin=f"{TRACKED}---\n{OTHER}".encode())
    assert "KLG101" in ran.codes


def test_the_same_object_twice_is_an_error_within_a_unit_only(check):
    files = {"deploy/a.yaml": TRACKED, "deploy/b.yaml": TRACKED}
    assert check(files, "--select", "KLG007", paths=("deploy",)).codes == []
    assert "KLG007" in check(files, "--select", "KLG007", "--together", paths=("deploy",)).codes


def test_running_pods_of_others_hold_what_they_request(check):
    files = {"deploy/a.yaml": TRACKED}
    assert check(files, "--select", "KLG1", inventory=TWO, paths=("deploy",)).codes == []
    assert check(files, "--select", "KLG1", inventory=TWO + RUNNING, paths=("deploy",)).codes == ["KLG101"]


def test_running_pods_of_the_workload_are_its_old_pods_in_their_places(check):
    own = RUNNING.replace("name: notebook, namespace: lab", "name: old, owner: Deployment/vision/object-tracker")
    ran = check({"deploy/a.yaml": TRACKED}, "--select", "KLG1", inventory=TWO + own, paths=("deploy",))
    assert ran.codes == []


def test_a_patch_is_never_judged_alone(check):
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: object-tracker}\nspec: {replicas: 100}\n"
    listed = "- {op: replace, path: /spec/replicas, value: 100}\n"
    assert check({"deploy/a.yaml": patch, "deploy/b.yaml": listed}, paths=("deploy",)).serious == []


@pytest.mark.parametrize("placeholder", ["${GPUS}", "replaced-by-kustomize", '"{{ .Values.gpus }}"'])
def test_what_rests_on_a_placeholder_is_possible(check, placeholder):
    text = TRACKED.replace("nvidia.com/gpu: 1", f"nvidia.com/gpu: {placeholder}")
    assert text != TRACKED
    ran = check({"deploy/a.yaml": text}, paths=("deploy",))
    (found,) = (finding for finding in ran.json["findings"] if finding["code"] == "KLG101")
    assert found["certainty"] == "possible"
    assert found["message"].startswith("depending on resources.limits[nvidia.com/gpu]")


def test_without_an_inventory_nothing_that_depends_on_nodes_is_an_error(check):
    ran = check({"deploy/a.yaml": TRACKED}, inventory="", paths=("deploy",))
    assert (ran.code, ran.codes) == (0, ["KLG114"])
    assert "2 places" in ran.json["findings"][0]["message"]


def test_a_pool_that_can_grow_makes_nothing_certain(check):
    pool = """\
pools:
  - name: more
    count: 0
    template: {labels: {pool: track}, allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 1}}
    autoscaling: {min: 0, max: 3}
"""  # fmt: skip
    nodes = SMALL.replace("tracker-node,", "tracker-node, labels: {pool: track},")
    text = TRACKED.replace("kubernetes.io/hostname: tracker-node", "pool: track")
    fixed = check({"deploy/a.yaml": text}, "--select", "KLG1", inventory=nodes, paths=("deploy",))
    assert [finding["severity"] for finding in fixed.json["findings"]] == ["error"]
    grows = check({"deploy/a.yaml": text}, "--select", "KLG1", inventory=nodes + pool, paths=("deploy",))
    assert [finding["severity"] for finding in grows.json["findings"]] == ["note"]


def test_a_pool_that_can_grow_takes_no_pod_that_is_bound_to_a_node_by_its_host_name(check):
    pool = """\
pools:
  - name: more
    count: 0
    template: {allocatable: {cpu: 32, memory: 125Gi}, gpus: {model: A100-PCIE-40GB, count: 1}}
    autoscaling: {min: 0, max: 3}
"""
    ran = check({"deploy/a.yaml": TRACKED}, "--select", "KLG1", inventory=SMALL + pool, paths=("deploy",))
    assert [(finding["code"], finding["certainty"]) for finding in ran.json["findings"]] == [("KLG101", "certain")]


def test_a_node_that_the_inventory_lacks_is_possible_unless_it_says_that_it_is_complete(check):
    text = TRACKED.replace("hostname: tracker-node", "hostname: elsewhere")
    certain = check({"deploy/a.yaml": text}, inventory="complete: true\n" + SMALL, paths=("deploy",))
    possible = check({"deploy/a.yaml": text}, inventory="complete: false\n" + SMALL, paths=("deploy",))
    codes = {"KLG201", "KLG402"}
    sure = [finding for finding in certain.json["findings"] if finding["code"] in codes]
    unsure = [finding for finding in possible.json["findings"] if finding["code"] in codes]
    assert [finding["certainty"] for finding in sure] == ["certain"]
    assert [finding["certainty"] for finding in unsure] == ["possible"]


def test_declared_admission_changes_pods(check):
    tainted = SMALL.replace("count: 1}}", 'count: 1}, taints: ["nvidia.com/gpu=present:NoSchedule"]}')
    assert tainted != SMALL
    text = TRACKED.split("      tolerations:")[0] if "tolerations:" in TRACKED else TRACKED
    without = check({"deploy/a.yaml": text}, "--select", "KLG2", inventory=tainted, paths=("deploy",))
    assert "KLG202" in without.codes
    admitting = tainted + "admission: {extendedResourceToleration: true}\n"
    assert (
        "KLG202" not in check({"deploy/a.yaml": text}, "--select", "KLG2", inventory=admitting, paths=("deploy",)).codes
    )


@pytest.mark.parametrize(
    "head",
    [
        "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: t}\ntemplate:\n",
        "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nobjects:\n- kind: Pod\n",
    ],
)
def test_templates_inside_of_kinds_that_start_nothing_are_no_workloads(check, head):
    indented = "\n".join(
        f"  {line}"
        for line in "spec:\n  containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 9}}}]".splitlines()
    )
    ran = check({"deploy/a.yaml": head + indented + "\n"}, "--select", "KLG2,KLG5", paths=("deploy",))
    assert ran.codes == []
    assert ran.json["summary"]["workloads"] == 0


SERVED = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: chat}
spec:
  predictor:
    tolerations: [{key: nvidia.com/gpu, operator: Exists}]
    model: {modelFormat: {name: huggingface}, resources: {limits: {nvidia.com/gpu: 1}}}
  transformer: {containers: [{name: a, image: x}]}
"""


def test_an_object_with_several_templates_is_one_workload_in_each_report(check, tmp_path):
    assert check({"a.yaml": SERVED}).json["summary"]["workloads"] == 1
    ran = kubelint("check", "a.yaml", cwd=tmp_path)
    assert "1 document, 1 workload without" in ran.out or "1 workload checked" in ran.out
    kubelint("check", "a.yaml", "--output-format", "html", "--output-file", "page.html", cwd=tmp_path)
    assert "1 workload in 1 file" in (tmp_path / "page.html").read_text(encoding="utf-8")
