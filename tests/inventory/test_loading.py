"""What can be loaded is, however much else is wrong or too large."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory.declarations.unread import ANY

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
