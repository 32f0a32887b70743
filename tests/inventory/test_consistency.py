"""Declarations that cannot all hold."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


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
