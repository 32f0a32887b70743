"""Inputs that ask for more work than a run does: it ends in time and memory, and says what it left open."""

from __future__ import annotations

import json

import pytest
from crowds import deployment, inventory, template, workload, written
from limited import run, run_python

pytestmark = pytest.mark.thorough

LITTLE = 30


def node_affinity(terms):
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def beside_each_other():
    """Two workloads whose pods must be on one node, each with 200 terms of 200 expressions that no node meets."""
    found = []
    for mine, other in ("ab", "ba"):
        terms = [
            {
                "matchExpressions": [
                    {"key": f"k{one}", "operator": "In", "values": [f"{mine}{term}"]} for one in range(200)
                ]
            }
            for term in range(200)
        ]
        near = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": other}}}
        affinity = node_affinity(terms) | {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [near]}}
        found.append(deployment(mine, 1, affinity=affinity))
    return found


def spread(key):
    selector = {"matchLabels": {"app": "a"}}
    return [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]


def near():
    term = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": {"matchLabels": {"app": "a"}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def apart(terms):
    """Pods of which each takes a node of its own, by the last of very many terms; none may be away while they roll."""
    hostname = "kubernetes.io/hostname"
    about = [*(f"other{one}" for one in range(terms - 1)), "a"]
    anti = [{"topologyKey": hostname, "labelSelector": {"matchLabels": {"app": one}}} for one in about]
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": anti}}
    found = deployment("a", 1000, affinity=affinity)
    found["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    return found


def uneven():
    """Nodes of which each is another one, and workloads that fit on them in very many ways."""
    cluster = inventory(19, 8)
    for number, node in enumerate(cluster["nodes"]):
        node["allocatable"] = {**node["allocatable"], "cpu": 20 + number}
        node["gpus"] = {**node["gpus"], "count": 4 + number % 5}
    return cluster


def different(number):
    found = deployment(f"d{number}", 1 + number % 4, 1 + number % 5)
    limits = found["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    limits["cpu"] = str(1 + number)
    return found


BY_ZONE = "topology.kubernetes.io/zone"
OF_OTHERS = [{"matchExpressions": [{"key": BY_ZONE, "operator": "In", "values": [f"x{one}"]}]} for one in range(10_000)]
OF_NONE = [
    {
        "matchExpressions": [
            {"key": BY_ZONE, "operator": "NotIn", "values": [f"x{one}"]},
            {"key": "a", "operator": "Gt", "values": ["1"]},
        ]
    }
    for one in range(10_000)
]
CASES = {
    "1500 selectors": ([workload("Deployment", f"d{one}", template("same"), replicas=1) for one in range(1500)], 2),
    "6000 duplicates": ([deployment("a", 1) for _ in range(6000)], 19),
    "1000 that compete": ([deployment(f"d{one}", 1) for one in range(1000)], 19),
    "terms": ([deployment("a", 1, affinity=node_affinity(OF_OTHERS))], 1000),
    "terms of numbers": ([deployment("a", 1000, affinity=node_affinity(OF_NONE))], 1000),
    "spread over nodes": ([deployment("a", 1000, topologySpreadConstraints=spread("kubernetes.io/hostname"))], 1000),
    "spread over zones": ([deployment("a", 1000, topologySpreadConstraints=spread(BY_ZONE))], 1000),
    "near to each other": ([deployment("a", 1000, affinity=near())], 1000),
    "apart": ([apart(3000)], 1000),
    "tight": ([deployment(f"d{one}", 4) for one in range(300)], 300),
}


@pytest.mark.parametrize("name", CASES)
def test_a_large_input_is_checked_in_little_time_and_memory(name, tmp_path):
    objects, nodes = CASES[name]
    arguments = written(tmp_path, objects, inventory(nodes))
    ended = run(*arguments, "--output-format", "json", cwd=tmp_path, seconds=LITTLE)
    assert ended.returncode in (0, 1)
    assert json.loads(ended.stdout)["summary"]["workloads"] == len(objects)


def unknown_field_beside(number):
    found = deployment("a", 1)
    found["spec"][f"replica{number}"] = 1
    return found


def suppressing(count):
    found = deployment("a", 1)
    found["metadata"]["annotations"] = {"kubelint-gpu/ignore": "KLG101: x\n" * count}
    return found


ALONE = {
    "10000 suppressions": [suppressing(10_000)],
    "3000 duplicates": [deployment("a", 1) for _ in range(3000)],
    "1000 objects of one name": [unknown_field_beside(number) for number in range(1000)],
}


@pytest.mark.parametrize("name", ALONE)
def test_many_fixes_are_tried_in_little_time_without_an_inventory(name, tmp_path):
    """Objects that are declared several times are not put together, and so never tried once for each of them.

    Suppressions are found by what they are for.
    """
    ended = run(*written(tmp_path, ALONE[name]), "--output-format", "json", cwd=tmp_path)
    assert json.loads(ended.stdout)["summary"]["workloads"] == len(ALONE[name])


def test_fixes_of_very_many_objects_are_tried_together(tmp_path):
    objects = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"c{n}", "namespace": n}} for n in range(800)
    ]
    ended = run(*written(tmp_path, objects), "--output-format", "json", cwd=tmp_path)
    found = json.loads(ended.stdout)["findings"]
    assert len(found) == 800
    assert all(one["fixes"] for one in found)


COST = r"""
import re, sys
from pathlib import Path
from kubelint_gpu.cli.main import main
sys.argv = ["kubelint-gpu", *{arguments!r}]
try:
    main()
except SystemExit:
    # not ru_maxrss, which counts what the process that started this one held
    print(*re.findall(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text()), file=sys.stderr)
"""


@pytest.mark.parametrize("indent", [None, 1])
def test_many_expressions_cost_less_than_256_mb(indent, tmp_path):
    arguments = written(tmp_path, beside_each_other(), inventory(2))
    text = "\n---\n".join(json.dumps(one, indent=indent) for one in beside_each_other())
    (tmp_path / arguments[1]).write_text(text)
    ended = run_python(COST.format(arguments=arguments), cwd=tmp_path)
    assert int(ended.stderr.split()[-1]) < 256 * 1024
    assert b"2 workloads checked" in ended.stdout


def test_of_very_many_findings_no_fix_is_tried(tmp_path):
    one = deployment("a", 1)
    one["spec"] |= {f"unknownx{field}": 1 for field in range(20_001)} | {"Replicas": 2}
    ended = run(*written(tmp_path, [one]), "--output-format", "json", cwd=tmp_path)
    found = json.loads(ended.stdout)["findings"]
    assert len(found) > 20_000
    assert not any(each["fixes"] for each in found)
    fewer = deployment("a", 1)
    fewer["spec"] |= {"Replicas": 2}
    ended = run(*written(tmp_path, [fewer]), "--output-format", "json", cwd=tmp_path)
    assert any(each["fixes"] for each in json.loads(ended.stdout)["findings"])


def test_many_ways_to_place_pods_are_looked_at_within_the_budget(tmp_path):
    arguments = written(tmp_path, [different(number) for number in range(15)], uneven())
    ended = run(*arguments, "--output-format", "json", cwd=tmp_path)
    found = json.loads(ended.stdout)
    open_questions = [one for one in found["findings"] if "undecided" in one["message"]]
    assert found["summary"]["undecided"] == sum(len(one["objects"]) for one in open_questions) > 0
    assert all(one["severity"] == "note" for one in open_questions)


def test_what_is_left_open_is_the_same_on_every_run(tmp_path):
    arguments = written(tmp_path, [different(number) for number in range(15)], uneven())
    reports = [
        run(
            *arguments,
            "--effort",
            "low",
            "--output-format",
            "gitlab",
            cwd=tmp_path,
            environment={"PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    assert reports[0].stdout == reports[1].stdout
    assert b"undecided" in reports[0].stdout


def test_overlapping_selectors_are_told_for_the_first_few(tmp_path):
    objects = [workload("Deployment", f"d{one}", template("same"), replicas=1) for one in range(100)]
    ended = run(*written(tmp_path, objects), "--output-format", "json", cwd=tmp_path)
    found = [one for one in json.loads(ended.stdout)["findings"] if one["code"] == "KLG008"]
    told = [one["message"] for one in found]
    assert len([one for one in told if "Deployment d1," in one]) == 1
    assert next(one for one in told if "further workloads" in one) == (
        "the selector matches the pods of 91 further workloads, too: app=same"
    )
    assert sum(len(one["objects"]) for one in found) == 91 * 8 + sum(range(9)) + 91


def test_the_text_shows_the_worst_of_very_many_findings(tmp_path):
    objects = []
    for number in range(2000):
        one = deployment(f"d{number}", 1)
        one["spec"] |= {f"unknown{number}x{field}": 1 for field in range(50)}
        objects.append(one)
    arguments = written(tmp_path, objects)
    ended = run(*arguments, cwd=tmp_path, seconds=LITTLE)
    told = ended.stdout.decode()
    assert told.count("-->") < 1_100
    assert "more findings are not shown" in told
    shown = told.count("error[") + told.count("warning[") + told.count("note[")
    assert shown == 1_000


PROCESSES = """
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:{cores}])
sys.argv = ["k", "check", ".", "--isolated", "-i", "inventory.yaml", "--output-format", "gitlab"]
from kubelint_gpu.cli.main import main
main()
"""


def test_what_is_left_open_is_the_same_with_any_number_of_processes(tmp_path):
    for number in range(600):
        folder = tmp_path / f"u{number}"
        folder.mkdir()
        hard = [different(other) for other in range(12)] if number % 200 == 7 else [deployment("a", 1)]
        written(folder, hard)
    written(tmp_path, [], uneven())
    reports = [run_python(PROCESSES.format(cores=cores), cwd=tmp_path, seconds=60).stdout for cores in (1, 2)]
    assert b"undecided" in reports[0]
    assert reports[0] == reports[1]


def test_an_explanation_ends_where_pod_and_cluster_are_too_large_together(tmp_path):
    objects, nodes = CASES["terms of numbers"]
    written(tmp_path, objects, inventory(nodes))
    ended = run("explain", "Deployment/a", "manifests.yaml", "-i", "inventory.yaml", cwd=tmp_path)
    assert ended.returncode == 2
    assert b"more work than one explanation may take" in ended.stderr


def test_many_others_hide_no_rollout_that_is_stuck_without_them(tmp_path):
    cluster = uneven()
    cluster["nodes"].append(
        {**cluster["nodes"][0], "name": "lone", "gpus": {**cluster["nodes"][0]["gpus"], "count": 1}}
    )
    pinned = deployment("tracker", 1, nodeSelector={"kubernetes.io/hostname": "lone"})
    arguments = written(tmp_path, [pinned, *(different(number) for number in range(15))], cluster)
    ended = run(*arguments, "--output-format", "json", cwd=tmp_path)
    found = json.loads(ended.stdout)["findings"]
    assert [one["object"] for one in found if one["code"] == "KLG101"] == ["Deployment/ml/tracker"]


def test_pods_that_are_made_one_after_the_other_are_counted(tmp_path):
    ordered = workload("StatefulSet", "a", template("a"), replicas=25)
    ended = run(*written(tmp_path, [ordered], inventory(3, 8)), "--output-format", "json", cwd=tmp_path)
    (found,) = [one for one in json.loads(ended.stdout)["findings"] if one["code"] == "KLG111"]
    assert found["message"].startswith("only 24 of 25 replicas can run")
