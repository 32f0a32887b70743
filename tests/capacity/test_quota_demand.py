"""Quotas that allow less than the pods of their namespace ask for."""

from __future__ import annotations

from command_line import kubelint
from full_clusters import laid_out, node, running, workload

from kubelint_gpu.capacity.quota_demand import quota_demands


def quota(hard, namespace="team", **spec):
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": namespace},
        "spec": {"hard": hard, **spec},
    }


def said(folder, *objects, cluster=()):
    found = quota_demands(laid_out(folder, [node("n", 8), *cluster], objects))
    return [(one.key, one.hard, one.declared, one.others, one.missing) for one in found]


GPUS = "requests.nvidia.com/gpu"


def test_all_pods_count_also_those_that_find_no_node(tmp_path):
    assert said(tmp_path, workload("a", 10, 2), quota({GPUS: 16})) == [(GPUS, 16_000, 20_000, 0, 4_000)]


def test_pods_that_no_manifest_declares_count_in_their_namespace(tmp_path):
    other = running("x", "n", 1)
    mine = {**other, "metadata": {**other["metadata"], "name": "y", "namespace": "team"}}
    asked = [(GPUS, 2_000, 2_000, 1_000, 1_000)]
    assert said(tmp_path, workload("a", 2, 1), quota({GPUS: 2}), cluster=[other, mine]) == asked
    assert said(tmp_path, workload("a", 2, 1), quota({GPUS: 2}), cluster=[other]) == []


def test_each_key_counts_and_a_quota_of_another_namespace_or_scope_does_not(tmp_path):
    asked = said(tmp_path, workload("a", 3, 1, cpu=2), quota({GPUS: 3, "requests.cpu": 4, "pods": 2}))
    assert [(key, missing) for key, *_, missing in asked] == [("pods", 1_000), ("requests.cpu", 2_000)]
    assert said(tmp_path, workload("a", 3, 1), quota({GPUS: 1}, "others")) == []
    assert said(tmp_path, workload("a", 3, 1), quota({GPUS: 1}, scopes=["BestEffort"])) == []


def test_the_json_and_the_report_page_say_so(tmp_path):
    laid_out(tmp_path, [node("n", 8)], [workload("a", 3, 1), quota({GPUS: 2})])
    ran = kubelint("capacity", "manifests.json", "-i", "cluster.json", "--output-format", "json", cwd=tmp_path)
    assert ran.json["clusters"][0]["quotas"] == [
        {
            "quota": "team/q",
            "key": GPUS,
            "hard": "2",
            "declared": "3",
            "others": "0",
            "missing": "1",
            "workloads": ["Deployment team/a"],
        }
    ]
    page = tmp_path / "page.html"
    options = ("--output-format", "html", "--output-file", page)
    kubelint("check", "manifests.json", "-i", "cluster.json", *options, cwd=tmp_path)
    told = "<li>team/q: allows 2 requests.nvidia.com/gpu; Deployment team/a asks for 3: 1 too few</li>"
    assert told in page.read_text(encoding="utf-8")
