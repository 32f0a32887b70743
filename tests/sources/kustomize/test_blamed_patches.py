"""The line of a patch that a message of Kustomize means and does not name."""

from __future__ import annotations

import pytest

from kubelint_gpu.sources.kustomize.blame import blamed
from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree
from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles
from kubelint_gpu.sources.kustomize.files.surveyor import survey

TOP = """patches:
- patch: |-
    - op: remove
      path: /spec/replicas
- path: both.yaml
  patch: "{kind: Pod}"
- target:
    name: "["
  path: pod.yaml
- path: pod.yaml
"""
FILES = {"kustomization.yaml": TOP, "both.yaml": "kind: Pod\n", "pod.yaml": "apiVersion: v1\nkind: Pod\n"}


@pytest.mark.parametrize(
    ("message", "path", "line"),
    [
        ("must specify a target for JSON patch", "kustomization.yaml", 2),
        ("patch and path can't be set at the same time", "kustomization.yaml", 5),
        ("doc is missing path: /spec/replicas: missing value", "kustomization.yaml", 4),
        ("error parsing regexp: missing closing ]", "kustomization.yaml", 8),
        ('unable to parse SM or JSON patch from [path: "pod.yaml"]', "pod.yaml", 1),
    ],
)
def test_the_part_of_the_patch_is_found(tmp_path, message, path, line):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    found = blamed(message, survey(DiskTree(tmp_path), "", str, AllowedFiles()), str)
    assert found is not None
    assert (found.path, found.span.line) == (path, line)
