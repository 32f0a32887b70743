"""A repository with a kustomization."""

from __future__ import annotations

import pytest
from surveying import SERVICE

from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree


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
