"""What is no inventory, and what would be one."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.declarations.unread import ANY

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


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
