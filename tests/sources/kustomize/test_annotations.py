"""What Kustomize is asked to note is in no output."""

from __future__ import annotations

from accumulated import TOP


def test_the_annotations_that_were_asked_for_are_gone(rendered):
    found = rendered(**{"top/kustomization.yaml": f"{TOP}commonAnnotations: {{owner: us}}\n"})
    assert found.reading.documents[0].value["metadata"]["annotations"] == {"owner": "us"}
    assert "annotations" not in rendered(**{"top/kustomization.yaml": TOP}).reading.documents[0].value["metadata"]
