"""The supply of each GPU model and pool, and quotas that allow less."""

from __future__ import annotations

import pytest
from command_line import kubelint
from full_clusters import laid_out, node, running, workload

from kubelint_gpu.capacity.supply import quota_demands, shares_of, surges_of

MIG = ("nvidia.com/mig-1g.5gb", "nvidia.com/mig-2g.10gb")


def test_each_model_has_a_row_that_adds_up(tmp_path):
    cluster = [node("n", 4), node("m", 4), node("big", 8, model="A100"), node("cpu"), running("x", "n", 2)]
    found = laid_out(tmp_path, cluster, [workload("a", 3, 2), workload("b", 1, 8)])
    shares = {one.model: one for one in shares_of(found, surges_of(found))}
    assert sorted(shares) == ["A100", "L4"]
    small = shares["L4"]
    assert (small.nodes, small.gpus, small.others, small.declared, small.free) == (("m", "n"), 8, 2, 6, 0)
    assert (shares["A100"].declared, shares["A100"].free) == (8, 0)


@pytest.mark.parametrize(("model", "names"), [("A100", tuple(f"A100, {name}" for name in MIG)), (None, MIG)])
def test_profiles_of_two_sizes_are_not_added_up(tmp_path, model, names):
    mig = node("m", 1, model=model)
    mig["status"]["allocatable"] |= {"nvidia.com/gpu": 0, MIG[0]: 3, MIG[1]: 2}
    if model is None:
        del mig["metadata"]["labels"]["nvidia.com/gpu.product"]
    slices = workload("a", 4, 0)
    slices["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] = {MIG[0]: 1}
    found = laid_out(tmp_path, [mig], [slices])
    shares = {one.model: (one.gpus, one.declared, one.pending, one.free) for one in shares_of(found, surges_of(found))}
    assert shares == {names[0]: (3, 3, 1, 0), names[1]: (2, 0, 0, 2)}


def test_rollouts_take_the_largest_one_by_one_and_the_sum_at_once(tmp_path):
    found = laid_out(tmp_path, [node("n", 10)], [workload("a", 1, 4), workload("b", 1, 2)])
    surges = surges_of(found)
    assert [(one.group.gpus, one.node, one.at_once) for one in surges] == [(4, "n", True), (2, "n", False)]
    (share,) = shares_of(found, surges)
    assert (share.free, share.one_by_one, share.at_once) == (4, 4, 6)


@pytest.mark.parametrize(
    "strategy",
    [
        {"type": "Recreate"},
        {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 1}},
    ],
)
def test_a_workload_that_may_have_a_pod_fewer_takes_none(tmp_path, strategy):
    assert surges_of(laid_out(tmp_path, [node("n", 1)], [workload("a", strategy=strategy)])) == ()


def test_a_rollout_without_room_is_counted_where_its_pods_may_go(tmp_path):
    found = laid_out(tmp_path, [node("n", 1)], [workload("a")])
    (one,) = surges_of(found)
    assert (one.node, one.at_once, one.home) == ("", False, "n")
    (share,) = shares_of(found, [one])
    assert (share.free, share.one_by_one) == (0, 1)


def test_the_report_page_has_the_same_numbers(tmp_path):
    laid_out(tmp_path, [node("n", 10), running("x", "n", 2)], [workload("a", 1, 4)])
    page = tmp_path / "page.html"
    kubelint(
        "check", "manifests.json", "-i", "cluster.json", "--output-format", "html", "--output-file", page, cwd=tmp_path
    )
    assert "L4: 10 GPUs, 2 held by others, 4 by these manifests at rest, 4 free." in page.read_text(encoding="utf-8")
    assert "Rollouts take 4 more one after the other, 4 all at once." in page.read_text(encoding="utf-8")


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
