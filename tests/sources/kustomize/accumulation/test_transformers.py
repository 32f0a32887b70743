"""Fields of a kustomization: which one set a field of an object."""

from __future__ import annotations

import pytest
from accumulated import POD, asked
from fields_set import FIELDS


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (("spec", "replicas"), "top/kustomization.yaml: count: 3"),
        ((*POD, "containers", "server", "image"), 'top/kustomization.yaml: newTag: "2"'),
        (("metadata", "namespace"), "top/kustomization.yaml: namespace: prod"),
        (("metadata", "name"), "base/deployment.yaml: name: chat"),
        (("metadata", "labels", "team"), "top/kustomization.yaml: - pairs: {team: ml}"),
        (("spec", "template", "metadata", "labels", "team"), "top/kustomization.yaml: - pairs: {team: ml}"),
        (("spec", "template", "metadata", "labels", "part"), "top/kustomization.yaml: part: of"),
        (("spec", "selector", "matchLabels", "part"), "top/kustomization.yaml: part: of"),
        (("spec", "selector", "matchLabels", "app"), "base/deployment.yaml: selector: {matchLabels: {app: chat}}"),
        (("spec", "template", "metadata", "annotations", "owner"), "top/kustomization.yaml: owner: us"),
    ],
)
def test_the_fields_of_a_kustomization(rendered, pointer, line):
    got, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), pointer)
    assert (got, answer.certain) == (line, True)
