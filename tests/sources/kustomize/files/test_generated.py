"""The kustomization that Flux writes for a folder without one."""

from __future__ import annotations

import pytest

from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree
from kubelint_gpu.sources.kustomize.files.surveyor import generated

OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


@pytest.fixture
def made(tmp_path):
    def write(files, folder="apps"):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return generated(DiskTree(tmp_path), folder)

    return write


def test_all_manifests_below_the_folder_are_resources(made):
    files = {f"apps/{name}": OBJECT for name in ("b.yaml", "a/c.yml", "a/d.json", ".git/e.yaml", "k/f.yaml")}
    found = made({**files, "apps/k/kustomization.yml": "", "apps/values.yaml": "a: b\n", "other/g.yaml": OBJECT})
    assert found == ("apps/kustomization.yaml", b'resources: ["a/c.yml", "b.yaml", "k"]\n')


def test_the_root_of_the_repository_is_a_folder_too(made):
    assert made({"a.yaml": OBJECT}, "") == ("kustomization.yaml", b'resources: ["a.yaml"]\n')


def test_a_name_beyond_ascii_stands_as_it_is(made):
    assert made({"wave-👋.yaml": OBJECT}, "") == ("kustomization.yaml", 'resources: ["wave-👋.yaml"]\n'.encode())


@pytest.mark.parametrize("files", [{"apps/Kustomization": "", "apps/a.yaml": OBJECT}, {"apps/a.txt": ""}])
def test_a_folder_may_need_none(made, files):
    assert made(files) is None
