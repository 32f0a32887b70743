"""The core as other programs see it: what it loads, what it refuses, what its values promise."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from plugin_objects import HOST, node, pod

import kubelint_gpu.scheduler as core
from kubelint_gpu.kube.objects.node import read_node
from kubelint_gpu.scheduler import (
    Cluster,
    InvalidObject,
    Snapshot,
    UnknownPriorityClass,
    attempt,
    fit,
    merged,
    read_cluster,
    read_pod,
    resolved,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "core.md"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def test_the_core_loads_neither_click_nor_yaml_nor_jsonschema():
    code = (
        "import sys, kubelint_gpu.scheduler\n"
        "found = {name.partition('.')[0] for name in sys.modules} & {'click', 'ruamel', 'yaml', 'jsonschema'}\n"
        "found |= {name for name in sys.modules if name.startswith(('kubelint_gpu.documents', 'kubelint_gpu.inventory'))}\n"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PAGE.parents[1]
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_ten_lines_of_the_page_say_what_the_page_says(capsys):
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|text)\n(.*?)```", text, re.DOTALL)
    (_, program), (_, expected) = next(
        (one, other) for one, other in pairwise(blocks) if (one[0], other[0]) == ("python", "text")
    )
    assert len([line for line in program.splitlines() if line.strip()]) <= 10
    exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102 - the page's own program
    assert capsys.readouterr().out == expected


def test_every_public_name_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in core.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (node("n") | {"status": {"allocatable": {"cpu": "-1"}}}, ("Node n", "status.allocatable.cpu", "-1")),
        (node("n") | {"status": {"allocatable": {"cpu": "1 core"}}}, ("Node n", "status.allocatable.cpu", "1 core")),
        (node("n", taints=[{"key": "a", "effect": "Never"}]), ("Node n", "spec.taints[0].effect", "Never")),
        (
            pod(tolerations=[{"key": "a", "operator": "Maybe"}]),
            ("Pod default/incoming", "spec.tolerations[0].operator", "Maybe"),
        ),
        (
            pod(containers=[{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "-1"}}}]),
            ("Pod default/incoming", "spec.containers[0].resources.requests[nvidia.com/gpu]", "-1"),
        ),
        (
            pod(affinity={"podAffinity": {REQUIRED: [{"topologyKey": HOST, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}]}}),
            ("matchExpressions[0].operator", '"Is"'),
        ),
        (
            pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}}}),
            ("nodeSelectorTerms[0].matchExpressions[0].values", "must be specified"),
        ),
        (pod(topologySpreadConstraints=[{"topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 0}]), ("maxSkew", "greater than zero")),
        (pod(priority="high"), ("spec.priority", "must be an integer")),
        ({"kind": "PriorityClass", "metadata": {"name": "p"}, "value": 2**40}, ("PriorityClass p", "value")),
    ],
)  # fmt: skip
def test_an_invalid_object_is_an_error_that_names_object_and_field(value, says):
    with pytest.raises(InvalidObject) as caught:
        read_cluster([value])
    for part in says:
        assert part in str(caught.value)


def test_two_nodes_of_one_name_are_refused():
    nodes = tuple(read_node(node(name)) for name in "nmn")
    with pytest.raises(InvalidObject, match=re.escape("Node n: metadata.name: two nodes have this name")):
        Snapshot.of(Cluster(nodes))


def test_a_cluster_of_an_unreadable_version_is_refused():
    with pytest.raises(ValueError, match="no version of Kubernetes"):
        Snapshot.of(read_cluster([], version="newest"))


def test_priorities_are_those_of_admission():
    classes = [
        {"kind": "PriorityClass", "metadata": {"name": name}, "value": value, **more}
        for name, value, more in (
            ("high", 1000, {"preemptionPolicy": "Never"}),
            ("usual", 7, {"globalDefault": True}),
            ("lower", 3, {"globalDefault": True}),
        )
    ]
    cluster = read_cluster(classes)

    def admitted(**spec):
        found = resolved(read_pod(pod(**spec)), cluster).spec
        return found.priority, found.preemption_policy, found.priority_class_name

    assert admitted(priorityClassName="high") == (1000, "Never", "high")
    assert admitted(priorityClassName="system-node-critical") == (
        2_000_001_000,
        "PreemptLowerPriority",
        "system-node-critical",
    )
    assert admitted() == (3, "PreemptLowerPriority", "lower")
    assert admitted(priority=5) == (5, "PreemptLowerPriority", "")
    assert resolved(read_pod(pod()), read_cluster([])).spec.priority == 0
    with pytest.raises(UnknownPriorityClass, match="no PriorityClass with name none was found"):
        admitted(priorityClassName="none")


def test_the_keys_that_the_api_server_folds_into_pod_affinity():
    def term(**more):
        return {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "web"}}, **more}

    both = {"matchLabelKeys": ["hash", "absent"], "mismatchLabelKeys": ["team"]}
    spec = {
        "affinity": {
            "podAffinity": {
                REQUIRED: [term(**both), {"topologyKey": HOST, "matchLabelKeys": ["hash"]}],
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term(**both)}],
            },
            "podAntiAffinity": {REQUIRED: [term(**both)]},
        }
    }
    found = merged(read_pod(pod(labels={"app": "web", "hash": "1", "team": "a"}, **spec))).spec
    expected = ["app In [web]", "hash In [1]", "team NotIn [a]"]
    for one in (found.pod_affinity[0], found.pod_anti_affinity[0], found.preferred_pods[0].term):
        assert [str(requirement) for requirement in one.selector.requirements] == expected
        assert (one.match_label_keys, one.mismatch_label_keys) == ((), ())
    assert found.pod_affinity[1].selector is None
    plain = read_pod(pod())
    assert merged(plain) is plain


def test_place_and_remove_leave_the_snapshot_as_it_was():
    snapshot = Snapshot.of(read_cluster([node("b"), node("a")]))
    one = read_pod(pod("one", containers=[{"name": "c", "resources": {"requests": {"cpu": "2"}}}]))
    placed = snapshot.place(one, "a").place(one, "a")
    assert [info.name for info in placed.nodes] == ["a", "b"]
    assert (placed.node("a").used, placed.pods) == ({"cpu": 4000}, (one, one))
    assert placed.remove("default/one").node("a").used == {"cpu": 2000}
    assert placed.remove("default/one", "a").remove("default/one").node("a").used == {}
    assert (snapshot.pods, snapshot.node("c")) == ((), None)
    with pytest.raises(KeyError, match="default/other"):
        placed.remove("default/other")
    with pytest.raises(KeyError, match="default/one"):
        placed.remove("default/one", "b")
    with pytest.raises(KeyError, match="c"):
        snapshot.place(one, "c")


def test_a_result_names_nodes_in_order_and_folds_equal_ones():
    nodes = [node(f"n{number:02}", zone="ab"[number % 2]) for number in range(30)]
    tainted = node("n99", zone="b", taints=[{"key": "a", "effect": "PreferNoSchedule"}])
    busy = [pod(f"p{number}", "n05") for number in range(110)]
    snapshot = Snapshot.of(read_cluster([*reversed(nodes), tainted, *busy], version="1.34"))
    result = fit(read_pod(pod(nodeSelector={"topology.kubernetes.io/zone": "b"})), snapshot)
    assert result.fits == (*(f"n{number:02}" for number in range(1, 30, 2) if number != 5), "n99")
    assert list(result.rejections) == sorted([*(f"n{number:02}" for number in range(0, 30, 2)), "n05"])
    found = sorted((one.size, one.representative.name, one.status is None) for one in result.classes)
    assert found == [(1, "n05", False), (15, "n00", False), (15, "n01", True)]
    pinned = fit(read_pod(pod(nodeSelector={HOST: "n00"})), snapshot)
    assert pinned.fits == ("n00",)
    assert sum(one.size for one in pinned.classes) == 31


def test_an_attempt_tells_everything_at_once():
    found = attempt(read_pod(pod(nodeSelector={"a": "b"})), Snapshot.of(read_cluster([node("n")], version="1.34")))
    assert found.message.startswith("0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.")
    assert not found.preemption.succeeds
    assert found.preemption.statuses == {}
    assert found.fit.fits == ()


def test_a_node_without_allocatable_gives_its_capacity():
    found = node("n")
    found["status"] = {"capacity": {"cpu": "2", "pods": "3"}}
    assert read_node(found).allocatable == {"cpu": 2000, "pods": 3}


def test_equal_nodes_with_unequal_pods_are_one_class_to_filters_and_two_to_preemption():
    nodes = [node(f"n{number:02}") for number in range(30)]
    for one in nodes:
        one["status"]["allocatable"] = {"cpu": "1", "pods": "10"}
    full = [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]
    pods = [
        pod(f"p{number}", f"n{number:02}", containers=full, priority=10 * (number % 2), namespace=f"s{min(number, 2)}")
        for number in range(30)
    ]
    snapshot = Snapshot.of(read_cluster([*nodes, *pods], version="1.34"))
    not_first = {"matchExpressions": [{"key": HOST, "operator": "NotIn", "values": ["n00", "n01"]}]}
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [not_first]}}}
    incoming = read_pod(pod(containers=full, priority=5, affinity=affinity))
    found = attempt(incoming, snapshot)
    assert sorted((one.size, one.status is None) for one in found.fit.classes) == [(1, False), (1, False), (28, False)]
    assert sorted((one.size, one.status is None) for one in found.preemption.outcomes) == [(14, False), (14, True)]
    assert len(found.preemption.statuses) == 14
    assert found.preemption.nominated == "n02"
    assert len(found.preemption.alternatives) == 13


def test_a_memory_that_is_full_forgets_and_answers_the_same(monkeypatch):
    monkeypatch.setattr("kubelint_gpu.scheduler.framework.pod_memory._LARGEST", 2)
    nodes = [node(f"n{number:02}", zone="a") for number in range(30)]
    pods = [pod(f"p{number}", f"n{number:02}", labels={"app": str(number % 3)}) for number in range(30)]
    snapshot = Snapshot.of(read_cluster([*nodes, *pods], version="1.34"))
    for zone, fits in (("a", 30), ("b", 0), ("a", 30)):
        assert len(fit(read_pod(pod(nodeSelector={"topology.kubernetes.io/zone": zone})), snapshot).fits) == fits


def test_a_cluster_of_very_many_selectors_keeps_few_partitions(monkeypatch):
    monkeypatch.setattr("kubelint_gpu.scheduler.framework.node_classes._MOST_PARTITIONS", 2)
    nodes = [node(f"n{number:02}", labels={f"k{number % 5}": "x"}) for number in range(30)]
    snapshot = Snapshot.of(read_cluster(nodes, version="1.34"))
    for key in range(5):
        assert len(fit(read_pod(pod(nodeSelector={f"k{key}": "x"})), snapshot).fits) == 6
    assert len(snapshot.derived("partitions", dict)) <= 2


def test_a_port_that_two_pods_share_is_taken_until_both_are_gone():
    port = [{"name": "c", "ports": [{"hostPort": 80}]}]
    snapshot = Snapshot.of(read_cluster([node("n"), pod("a", "n", containers=port), pod("b", "n", containers=port)]))
    incoming = read_pod(pod(containers=port))
    snapshot = snapshot.remove("default/a")
    assert fit(incoming, snapshot).fits == ()
    assert fit(incoming, snapshot.remove("default/b")).fits == ("n",)
