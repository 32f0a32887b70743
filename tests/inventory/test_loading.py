"""What can be loaded is, however much else is wrong or too large."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.declarations.declared import ANY

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


def test_all_errors_are_told_and_the_rest_is_loaded():
    text = HEAD + "nodes: [{name: a}, {name: b, x: 1}, {y: 1}]\n"
    inventory, errors = load([read("cluster.yaml", text.encode())])
    assert len(errors) == 3
    assert [node.name for node in inventory.of_kind("Node")] == ["a"]


def test_a_file_that_is_wrong_throughout_is_told_so():
    errors = errors_of("".join(f"x{number}: 1\n" for number in range(5000)))
    assert len(errors) == 102
    assert errors[-1].message == "there are more than 100 errors in this inventory; these are the first"


def test_an_unknown_or_broken_field_narrows_certainty_and_costs_no_other_field():
    nodes, running = "nodes: [{name: a}]\n", "running: [{name: p, node: b}]\n"
    for extra, kind in (
        ("owner: team\n", ANY),
        ("1: x\n", ANY),
        ("pools: {}\n", "Node"),
        ("priorityClasses: 3\n", "PriorityClass"),
    ):
        inventory, (error,) = load([read("cluster.yaml", (HEAD + nodes + extra).encode())])
        assert (error.of_object, error.fatal, error.span.line) == (True, False, 4)
        assert [one.kind for one in inventory.unread] == [kind]
        assert [node.name for node in inventory.of_kind("Node")] == ["a"]
        assert inventory.complete == (kind == "PriorityClass")
    inventory, (error,) = load([read("cluster.yaml", (HEAD + "nodez: [{name: b}]\n" + running).encode())])
    assert (error.message, error.of_object) == ('unknown field "nodez" in a ClusterInventory', True)
    assert all(error.fatal for error in errors_of(nodes + "complete: maybe\n"))


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n",
            "not an inventory: Deployment web says nothing about the nodes of a cluster",
            None,
        ),
        ("- a\n- b\n", "not an inventory: a list where an object should be", None),
        ("hello\n", 'not an inventory: the string "hello" where an object should be', None),
        ("", "not an inventory: the file is empty", None),
        ("# nothing\n", "not an inventory: the file is empty", None),
        (
            "nodes: [{name: a}]\n",
            "not an inventory: it has no kind",
            "add 'apiVersion: kubelint-gpu/v1' and 'kind: ClusterInventory' at its top",
        ),
        (
            "apiVersion: v1\nkind: ClusterInventry\n",
            "not an inventory: ClusterInventry says nothing about the nodes of a cluster",
            'did you mean "ClusterInventory"?',
        ),
    ],
)
def test_a_file_that_is_no_inventory_is_told_what_would_be(text, message, hint):
    (error,) = errors_of(text, head="")
    assert error.message == message
    assert error.hint == (
        hint
        or "an inventory is 'kind: ClusterInventory' with 'apiVersion: kubelint-gpu/v1', or what 'kubectl get nodes -o yaml' prints"
    )


def test_a_kind_misspelt_under_our_api_version_is_an_error_at_the_kind():
    (error,) = errors_of("apiVersion: kubelint-gpu/v1\nkind: ClusterInventry\n", head="")
    assert (error.span.line, error.hint) == (2, 'did you mean "ClusterInventory"?')


NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: '110'}}\n---\n"
NODE_LINES = NODE.count("\n")
NAMED = "metadata: {name: b}\n"


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        (f"apiVersion: v1\nkind: node\n{NAMED}", 2, "Node"),
        (f"apiVersion: v1\nkind: Nodes\n{NAMED}", 2, "Node"),
        (f"apiVersion: v1\nkind: ''\n{NAMED}", 1, ANY),
        (f"apiVersion: apps/v1\nkind: Node\n{NAMED}", 1, "Node"),
        (f"kind: Node\n{NAMED}", 1, "Node"),
        (NAMED, 1, ANY),
        ("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: node, metadata: {name: b}}\n", 4, "Node"),
        ("apiVersion: v1\nkind: List\nitems:\n- {metadata: {name: b}}\n", 4, ANY),
        ("apiVersion: v1\nkind: List\nitems:\n- null\n", 4, ANY),
        ("apiVersion: v1\nkind: List\nitems: {}\n", 3, ANY),
        ("apiVersion: v1\nkind: List\nitems:\n", 3, ANY),
        ("apiVersion: v1\nkind: List\nitem: []\n", 1, ANY),
        ("apiVersion: v1\nkind: list\nitems: []\n", 2, ANY),
        ("apiVersion: v1\nkind: NodeList\nitems: [4]\n", 3, ANY),
        ("apiVersion: v1\nkind: NodeList\nitems: {}\n", 3, "Node"),
        ("apiVersion: v1\nkind: NodeList\nItems: []\n", 1, "Node"),
        ("apiVersion: v1\nkind: nodeList\nitems: [{metadata: {name: b}}]\n", 3, "Node"),
        ("- {apiVersion: v1, kind: Node, metadata: {name: b}}\n", 1, ANY),
        ("hello\n", 1, ANY),
        (f"apiVersion: resource.k8s.io/v1\nkind: deviceclass\n{NAMED}", 2, "DeviceClass"),
        (f"apiVersion: resource.k8s.io/v9\nkind: DeviceClass\n{NAMED}", 1, "DeviceClass"),
        (f"apiVersion: storage.k8.io/v1\nkind: CSIStorageCapacity\n{NAMED}", 1, "CSIStorageCapacity"),
        (f"apiVersion: v9\nkind: Namespace\n{NAMED}", 1, "Namespace"),
        ("apiVersion: v1\nkind: ClusterInventry\nnodes: []\n", 2, ANY),
    ],
)
def test_what_is_not_recognised_is_told_at_its_line_and_unread(text, line, kind):
    inventory, (error,) = load([read("cluster.yaml", (NODE + text).encode())])
    assert (error.severity, error.fatal, error.span.line) == ("error", False, NODE_LINES + line)
    assert [one.kind for one in inventory.unread] == [kind]
    assert inventory.closed == (kind not in ("Node", ANY))


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("v1", "Service"),
        ("v1", "PodTemplate"),
        ("v1", "ServiceList"),
        ("apps/v1", "Deployment"),
        ("longhorn.io/v1beta2", "Node"),
        ("config.openshift.io/v1", "Node"),
        ("karpenter.sh/v1", "NodePool"),
        ("kueue.x-k8s.io/v1beta1", "WorkloadPriorityClass"),
        ("metrics.k8s.io/v1beta1", "PodMetrics"),
        ("networking.k8s.io/v1", "IngressClass"),
        ("resource.k8s.io/v1alpha2", "ResourceClass"),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass"),
        ("storage.k8s.io/v1", "VolumeAttributesClass"),
    ],
)
def test_a_known_other_thing_is_ignored(version, kind):
    text = f"{NODE}apiVersion: {version}\nkind: {kind}\n{NAMED}"
    inventory, errors = load([read("cluster.yaml", text.encode())])
    assert errors == ()
    assert (inventory.ignored, inventory.unread, inventory.closed) == (((kind, 1),), (), True)


def test_an_empty_list_hides_nothing_behind_it():
    (error,) = errors_of(f"apiVersion: v1\nkind: List\nitems: []\n---\napiVersion: v1\nkind: node\n{NAMED}", head="")
    assert (error.fatal, error.span.line) == (True, 5)


def test_two_classes_cannot_both_be_the_default():
    (error,) = errors_of(
        "priorityClasses:\n  - {name: a, value: 1, globalDefault: true}\n  - {name: b, value: 2, globalDefault: true}\n"
    )
    assert error.message == "priority classes a and b are both globalDefault"
    assert (error.span.line, error.related[0][1].line) == (5, 4)


def test_a_node_declared_twice_names_both_places_even_across_files():
    one = read("one.yaml", (HEAD + "nodes: [{name: a}]\n").encode())
    two = read("two.yaml", b"apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {pods: 1}}\n")
    _, (error,) = load([one, two])
    assert (error.message, error.path, error.span.line) == ("Node a is declared twice", "two.yaml", 3)
    assert error.related[0][0] == "one.yaml"


def test_versions_that_disagree_are_an_error():
    readings = [read(f"{minor}.yaml", f'{HEAD}kubernetesVersion: "1.{minor}"\n'.encode()) for minor in (33, 34)]
    _, (error,) = load(readings)
    assert (error.path, error.message) == ("34.yaml", 'kubernetesVersion is "1.34" here and "1.33" elsewhere')
