"""What the closing lines say of the inputs, by the command."""

from __future__ import annotations

import pytest
from command_line import READY, kubelint
from revisions import git, small

NODES = (
    "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
    "  - {name: a, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 4}}\n"
)
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: %s}\nspec: {hard: {requests.nvidia.com/gpu: %s}}\n"


@pytest.fixture
def closing(tmp_path):
    def run(files, *arguments):
        for name, text in {".kubelint-gpu.yaml": "inventory: cluster.yaml\n", "cluster.yaml": NODES, **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        out = kubelint("check", *arguments, cwd=tmp_path, env={"COLUMNS": "500"}).out
        return out.rpartition("\n\n")[2].splitlines()

    return run


def test_objects_that_two_directories_declare_differently_are_named(closing):
    named = small("w").replace("{name: w}", "{name: w, namespace: default}", 1)
    quotas = {f"{folder}/q.yaml": QUOTA % ("q, namespace: default", folder) for folder in ("1", "2")}
    told = "ResourceQuota default/q is declared differently in 1/q.yaml and 2/q.yaml: neither counts for other directories."
    assert closing({"apps/w.yaml": named, **quotas}, "--verbose")[1:] == [told]
    third = {"3/q.yaml": QUOTA % ("q, namespace: default", 3)}
    assert "none counts" in closing(third, "--verbose")[-1]
    many = {f"{folder}/r{n}.yaml": QUOTA % (f"r{n}, namespace: default", folder) for n in range(5) for folder in (1, 2)}
    (one,) = closing(many, "--verbose")[1:]
    assert one.startswith("6 ResourceQuotas (default/q, default/r0, ...) are declared differently in several files")


def test_a_kustomization_around_a_named_file_is_rendered_without_git_and_what_none_takes_in_is_said(closing, tmp_path):
    git(tmp_path, "init", "-q")
    files = {"base/kustomization.yaml": "resources: [w.yaml]\n", "base/w.yaml": READY, "base/other.yaml": small("o")}
    first = closing(files, "base/w.yaml")
    assert "2 files as one unit (base), 1 workload" in first[0]
    (last,) = closing(files, "base/other.yaml")[1:]
    assert last == "base/other.yaml is judged as it stands: no kustomization around it or in git takes it in."
    (both,) = closing({"base/third.yaml": small("t")}, "base/other.yaml", "base/third.yaml")[-1:]
    assert both.startswith("base/other.yaml and base/third.yaml are judged as they stand: no kustomization around them")
    assert closing(files, "base")[0].startswith("4 files in 2 units (base/ and base), 3 workloads checked")
    assert closing({"plain/a.yaml": small("a")}, "plain/a.yaml") == ["1 file, 1 workload checked: 1 note"]


def test_units_that_ask_for_more_than_there_is_together_are_told_in_one_line(closing):
    files = {f"{name}/d.yaml": small(name).replace("spec:", "spec:\n  replicas: 3", 1) for name in ("one", "two")}
    assert closing(files)[-1].startswith("2 units together ask for 6 nvidia.com/gpu in the cluster, which has 4: ")
    assert closing(files, "one")[-1].startswith("1 file, 1 workload checked: ")


def test_the_configuration_and_the_inventory_are_no_files_of_manifests(closing):
    assert closing({"one/d.yaml": small("one")})[-1].startswith("1 file, 1 workload checked: ")
    assert closing({}, "cluster.yaml", "--isolated") == ["Nothing to check: no manifest was given or found."]
