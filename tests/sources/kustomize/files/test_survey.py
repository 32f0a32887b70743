"""What is handed to Kustomize of what was surveyed."""

from __future__ import annotations

from surveying import SERVICE, found

from kubelint_gpu.sources.kustomize.files.survey import heads_of, with_files

DEFINITION = (
    """apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: chats.example.com
spec:
  group: example.com
"""
    + "  # long\n" * 500
)


def test_definitions_are_handed_over_without_their_spec(tree):
    got = found(tree(**{"top/kustomization.yaml": "resources:\n- crd.yaml\n- ../base\n", "top/crd.yaml": DEFINITION}))
    heads = heads_of(got)
    assert list(heads) == ["top/crd.yaml"]
    assert b"chats.example.com" in heads["top/crd.yaml"]
    assert b"group" not in heads["top/crd.yaml"]


def test_other_bytes_are_read_again(tree):
    got = found(tree(**{"top/kustomization.yaml": "resources:\n- ../base\n"}))
    other = with_files(got, {"base/service.yaml": SERVICE.replace("chat", "talk").encode()}, str)
    [document] = other.readings["base/service.yaml"].documents
    assert document.value["metadata"]["name"] == "talk"
