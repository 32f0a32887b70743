"""What several documents say together."""

from __future__ import annotations

import pytest
from declarations_of import HEAD, loaded

from kubelint_gpu.documents import everything, read
from kubelint_gpu.inventory.gathered import Misreadings
from kubelint_gpu.inventory.loading import load


def test_the_releases_of_two_documents_must_agree():
    same, other = (f"---\n{HEAD}kubernetesVersion: '{release}'\nnodes: [{{name: b}}]\n" for release in ("1.34", "1.33"))
    first = "kubernetesVersion: '1.34'\nnodes: [{name: a}]\n"
    inventory, errors = loaded(first + same)
    assert (inventory.kubernetes_version, errors) == ("1.34", ())
    inventory, (error,) = loaded(first + other)
    assert error.message == 'kubernetesVersion is "1.33" here and "1.34" elsewhere'
    assert [one.name for one in inventory.of_kind("Node")] == ["a", "b"]


def test_too_many_pods_are_an_error_and_not_an_outage():
    pods = ", ".join(f"{{name: p{number}, node: m, count: 80000}}" for number in range(3))
    (error,) = loaded(f"nodes: [{{name: m}}]\nrunning: [{pods}]\n")[1]
    assert error.message == "this brings the inventory above 200,000 running pods, more than it may have"


NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '8', pods: '10'}}\n"
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ml}\nspec: {hard: {pods: 1}}\n"


def read_places(text):
    inventory, errors = load([read("cluster.yaml", text.encode())])
    return inventory, [(error.span.line, error.fatal) for error in errors]


def test_a_raw_object_in_which_a_key_is_twice_costs_itself():
    inventory, errors = read_places(f"{NODE}---\n{QUOTA}spec: {{hard: {{pods: 2}}}}\n")
    assert errors == [(10, False)]
    assert [(one.kind, one.name) for one in inventory.unread] == [("ResourceQuota", "q")]
    assert [one.name for one in inventory.objects] == ["a", "q"]


@pytest.mark.parametrize(
    ("section", "kind"),
    [
        ("nodes:\n- {name: a, name: a}\n- {name: b}\n", "Node"),
        ("pools:\n- name: p\n  count: 1\n  count: 1\n  template: {allocatable: {cpu: 1}}\n", "Node"),
        ("priorityClasses:\n- {name: high, value: 1, value: 2}\n", "PriorityClass"),
        ("nodes:\n- {name: b}\nrunning:\n- {name: p, node: b, node: b}\n", "Pod"),
    ],
)
def test_so_does_an_entry_of_a_section(section, kind):
    inventory, errors = read_places(HEAD + section)
    assert [fatal for _, fatal in errors] == [False]
    assert [one.kind for one in inventory.unread] == [kind]


def test_a_key_that_is_twice_at_the_top_costs_the_inventory():
    _, errors = read_places(f"{HEAD}nodes: []\nnodes:\n- {{name: a}}\n")
    assert errors == [(4, True)]


def test_so_does_text_that_is_no_yaml():
    _, errors = read_places(f"{NODE}---\nkind: [\n")
    assert True in [fatal for _, fatal in errors]


def test_a_complaint_is_taken_once():
    reading = read("cluster.yaml", b"a: {b: 1, b: 2}\nc: {d: 1}\n")
    (item,) = everything(reading.documents[0])
    found = Misreadings([reading])
    assert found.take(item, ("c",)) == []
    assert [error.span.column for error in found.take(item, ("a",))] == [11]
    assert found.take(item) == found.left() == []
