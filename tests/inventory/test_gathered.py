"""What several documents say together."""

from __future__ import annotations

from declarations_of import HEAD, loaded


def test_the_releases_of_two_documents_must_agree():
    same, other = (f"---\n{HEAD}kubernetesVersion: '{release}'\nnodes: [{{name: b}}]\n" for release in ("1.34", "1.33"))
    first = "kubernetesVersion: '1.34'\nnodes: [{name: a}]\n"
    inventory, errors = loaded(first + same)
    assert (inventory.kubernetes_version, errors) == ("1.34", ())
    inventory, (error,) = loaded(first + other)
    assert error.message == 'kubernetesVersion is "1.33" here and "1.34" elsewhere'
    assert [one.name for one in inventory.of_kind("Node")] == ["a", "b"]
