"""What is no inventory, and what would be one."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

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
