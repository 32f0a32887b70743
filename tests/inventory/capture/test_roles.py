"""What a capture may ask of the cluster."""

from __future__ import annotations

from pathlib import Path

from kubelint_gpu.documents import read
from kubelint_gpu.sources.kubectl import RESOURCES

TESTS = Path(__file__).parents[2]


def test_the_cluster_role_of_the_docs_allows_exactly_what_is_asked_for():
    page = (TESTS.parent / "docs" / "inventory.md").read_text()
    (text,) = (one for one in page.split("```") if "\nkind: ClusterRole\n" in one)
    text = text.removeprefix("yaml\n")
    (role,) = (document.value for document in read("role.yaml", text.encode()).documents)
    allowed = {f"{name}.{rule['apiGroups'][0]}".rstrip(".") for rule in role["rules"] for name in rule["resources"]}
    assert allowed == set(RESOURCES)
    assert all(rule["verbs"] == ["list"] for rule in role["rules"])
