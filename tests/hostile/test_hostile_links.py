"""Files of many names: they are read once, and bounds hold before anything is read."""

from __future__ import annotations

import json
import os

import pytest
from limited import run

NAMES = 2000
LARGE = 31_000_000
PROGRAM = "#!/bin/sh\necho '{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}'\n"


@pytest.fixture
def folder(tmp_path):
    """A repository with a large file, and a program beside it that stands for Kustomize."""
    (tmp_path / "kustomize").write_text(PROGRAM)
    (tmp_path / "kustomize").chmod(0o755)
    made = tmp_path / "checkout"
    (made / ".git").mkdir(parents=True)
    with (made / "big.bin").open("wb") as file:
        file.truncate(LARGE)
    return made


def named(folder, number, *, hard):
    """Other names of the large file."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in range(number):
        if hard:
            os.link(folder.parent / "big.bin", folder / str(one))
        else:
            (folder / str(one)).symlink_to("../big.bin")


def checked(folder, memory):
    arguments = ("check", ".", "--isolated", "--kustomize", "../kustomize", "--output-format", "json")
    ended = run(*arguments, cwd=folder, memory=memory)
    return json.loads(ended.stdout)["findings"]


FIELDS = {
    "generator": "configMapGenerator: [{name: x, files: [FILES]}]\n",
    "patches": "patchesStrategicMerge: [FILES]\n",
    "resources": "resources: [FILES]\n",
    "of a plugin": "transformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: x}, paths: [FILES]}\n\n']\n",
}


@pytest.mark.parametrize(("field", "hard"), [*((field, False) for field in FIELDS), ("generator", True)])
def test_many_names_of_a_large_file_are_told_and_not_read(field, hard, folder):
    named(folder / "l", NAMES, hard=hard)
    files = ", ".join(f"l/{one}" for one in range(NAMES))
    (folder / "kustomization.yaml").write_text(FIELDS[field].replace("FILES", files))
    told = [one["message"] for one in checked(folder, 512 * 1024**2)]
    assert any("it reads more than 16 MB" in one for one in told)


@pytest.mark.parametrize("hard", [False, True])
def test_kustomizations_of_the_same_file_hold_it_once(hard, folder):
    for one in range(40):
        named(folder / f"l{one}", 1, hard=hard)
        (folder / f"l{one}" / "kustomization.yaml").write_text("configMapGenerator: [{name: x, files: ['0']}]\n")
    told = [one["message"] for one in checked(folder, 512 * 1024**2)]
    assert [one for one in told if "it reads more than 16 MB" in one], "Kustomize is not asked to read it"
