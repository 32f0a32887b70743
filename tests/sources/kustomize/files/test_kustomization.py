"""A kustomization file, whatever it holds."""

from __future__ import annotations

import pytest

from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles, survey
from kubelint_gpu.sources.kustomize.files.tree import DiskTree

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: chat}\n"


@pytest.fixture
def tree(tmp_path):
    """A repository with one service in `base`, to be written to."""
    root = tmp_path / "repository"

    def write(**files):
        for name, text in {
            "base/kustomization.yaml": "resources: [service.yaml]\n",
            "base/service.yaml": SERVICE,
            **files,
        }.items():
            path = root / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return DiskTree(root)

    return write


def found(tree, folder="top", allowed=None):
    return survey(tree, folder, str, allowed or AllowedFiles())


def told(tree, folder="top", allowed=None):
    return [(one.path, one.span.line, one.message, one.withheld) for one in found(tree, folder, allowed).obstacles]


def test_a_kustomization_that_is_no_mapping_is_no_crash(tree):
    for text in ("", "- a\n", "resources: {a: b}\n", "resources: [1, {a: b}]\npatches: x\n"):
        assert not found(tree(**{"top/kustomization.yaml": text})).obstacles


@pytest.mark.parametrize(
    "field", ["Resources: [a]", "re\u017fources: [a]", "patches: [{Path: a}]", "HelmCharts: [{name: a}]"]
)
def test_fields_in_other_letters_are_not_overlooked(tree, field):
    [(_, line, message, withheld)] = told(tree(**{"top/kustomization.yaml": f"{field}\n"}))
    assert (line, withheld) == (1, False)
    assert " must be written " in message
